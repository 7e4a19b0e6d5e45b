//! [`StringConverter`]: the text of any value.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::StringConfig;
use crate::config::RawConfig;
use crate::converter::SelfContained;
use crate::data::{Schema, SchemaAndValue, Value, write_java_text};
use crate::differs::Difference;
use crate::error::Error;
use crate::{Converter, Outcome, RecordContext, Role};

/// `org.apache.kafka.connect.storage.StringConverter`: writes the text of any value, reads text.
///
/// What is no text prints as Java's `toString` ([`write_java_text`]); bytes are refused. What the encoding has no character for
/// becomes `?` on writing, malformed bytes become U+FFFD on reading, both as in Java.
///
/// ```
/// use ferroconnect_converters::config::RawConfig;
/// use ferroconnect_converters::simple::StringConverter;
/// use ferroconnect_converters::{Converter, RecordContext, Role};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let latin = RawConfig::from([("converter.encoding".to_owned(), "ISO-8859-1".to_owned())]);
/// let mut converter = StringConverter::configure(&latin, Role::Value)?;
/// let mut out = Vec::new();
/// let mut ctx = RecordContext::new("menu", Role::Value);
/// converter.from_connect(&mut ctx, &"5 € café".into(), &mut out).into_result()?;
/// assert_eq!(out, b"5 ? caf\xe9");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StringConverter {
    config: StringConfig,
    schema: Schema,
    /// Text in UTF-8 before it is encoded; kept between records.
    text: Vec<u8>,
}

impl StringConverter {
    /// Makes one.
    ///
    /// # Errors
    /// Config fault for an encoding that is not known.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        Ok(Self {
            config: StringConfig::parse(raw, role)?,
            schema: Schema::optional_string(),
            text: Vec::new(),
        })
    }

    fn write(&mut self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let charset = &self.config.write;
        if let Value::String(text) = value {
            charset.encode(text, out);
        } else if charset.is_utf8() {
            write_java_text(value, out)?;
        } else {
            self.text.clear();
            write_java_text(value, &mut self.text)?;
            // The text was made of texts.
            charset.encode(std::str::from_utf8(&self.text).unwrap_or_default(), out);
        }
        Ok(())
    }
}

impl Converter for StringConverter {
    fn from_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if data.is_null() {
            return Outcome::Ready(None);
        }
        let start = out.len();
        self.write(data.value(), out)
            .map(|()| Some(start..out.len()))
            .into()
    }

    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let schema = Some(self.schema.clone());
        if bytes.is_some_and(|bytes| self.config.read.has_lone_surrogate(bytes)) {
            ctx.note(Difference::LoneSurrogate);
        }
        Outcome::Ready(match bytes {
            Some(bytes) => {
                SchemaAndValue::text(schema, Arc::from(&*self.config.read.decode(bytes)))
            }
            None => SchemaAndValue::null_of(schema),
        })
    }
}

impl SelfContained for StringConverter {}
