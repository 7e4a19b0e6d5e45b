//! [`BooleanConverter`]: one byte, 0 or 1.

use std::ops::Range;

use bytes::Bytes;

use crate::config::RawConfig;
use crate::converter::SelfContained;
use crate::data::{Schema, SchemaAndValue, Type, Value};
use crate::error::{Error, simple::Kind};
use crate::{Converter, Outcome, RecordContext, Role};

const NAME: &str = "BooleanConverter";

/// `org.apache.kafka.connect.converters.BooleanConverter`: `01` is true, `00` is false.
#[derive(Debug)]
pub struct BooleanConverter {
    schema: Schema,
}

impl BooleanConverter {
    /// Makes one; its only option is its role, which the worker adds.
    ///
    /// # Errors
    /// Config fault for a `converter.type` that there is none of.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        super::type_only_def().parse(&super::config::with_type(raw, role.name()))?;
        Ok(Self {
            schema: Schema::optional_boolean(),
        })
    }
}

impl Converter for BooleanConverter {
    fn from_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if let Err(error) = super::check_schema_type(data, Type::Boolean, NAME) {
            return Outcome::Failed(error);
        }
        let value = data.value();
        if value.is_null() {
            return Outcome::Ready(None);
        }
        let Value::Boolean(truth) = value else {
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
        out.push(truth.into());
        Outcome::Ready(Some(start..out.len()))
    }

    fn to_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let datum = match bytes.map(|bytes| &bytes[..]) {
            None => SchemaAndValue::null_of(None),
            Some([0]) => false.into(),
            Some([1]) => true.into(),
            Some([byte]) => return Outcome::Failed(Kind::BooleanByte { byte: *byte }.into()),
            Some(_) => return Outcome::Failed(Kind::BooleanSize.into()),
        };
        Outcome::Ready(datum.with_schema(Some(self.schema.clone())))
    }
}

impl SelfContained for BooleanConverter {}
