//! [`ByteArrayConverter`]: bytes as they are.

use std::ops::Range;

use bytes::Bytes;

use crate::config::RawConfig;
use crate::converter::SelfContained;
use crate::data::{Schema, SchemaAndValue, Type, Value};
use crate::error::{Error, simple::Kind};
use crate::{Converter, Outcome, RecordContext, Role};

const NAME: &str = "ByteArrayConverter";

/// `org.apache.kafka.connect.converters.ByteArrayConverter`: bytes pass as they are. Reading shares the record's bytes.
///
/// ```
/// use bytes::Bytes;
/// use ferroconnect_converters::config::RawConfig;
/// use ferroconnect_converters::simple::ByteArrayConverter;
/// use ferroconnect_converters::{Converter, RecordContext, Role, data::Value};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut converter = ByteArrayConverter::configure(&RawConfig::new(), Role::Value)?;
/// let mut ctx = RecordContext::new("photos", Role::Value);
/// let datum = converter.to_connect(&mut ctx, Some(&Bytes::from_static(b"\xff\xd8"))).into_result()?;
/// assert_eq!(datum.value(), Value::Bytes(b"\xff\xd8"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ByteArrayConverter {
    schema: Schema,
}

impl ByteArrayConverter {
    /// Makes one; its only option is its role, which the worker adds.
    ///
    /// # Errors
    /// Config fault for a `converter.type` that there is none of.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        super::type_only_def().parse(&super::config::with_type(raw, role.name()))?;
        Ok(Self {
            schema: Schema::optional_bytes(),
        })
    }
}

impl Converter for ByteArrayConverter {
    fn from_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if let Err(error) = super::check_schema_type(data, Type::Bytes, NAME) {
            return Outcome::Failed(error);
        }
        let value = data.value();
        if value.is_null() {
            return Outcome::Ready(None);
        }
        let Value::Bytes(bytes) = value else {
            let class = value.java_class();
            return Outcome::Failed(
                Kind::WrongClass {
                    converter: NAME,
                    class,
                }
                .into(),
            );
        };
        let start = out.len();
        out.extend_from_slice(bytes);
        Outcome::Ready(Some(start..out.len()))
    }

    fn to_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let schema = Some(self.schema.clone());
        Outcome::Ready(match bytes {
            Some(bytes) => SchemaAndValue::bytes(schema, bytes.clone()),
            None => SchemaAndValue::null_of(schema),
        })
    }
}

impl SelfContained for ByteArrayConverter {}
