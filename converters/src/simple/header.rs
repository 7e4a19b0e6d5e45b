//! [`SimpleHeaderConverter`]: header values as text.

use std::ops::Range;

use bytes::Bytes;

use crate::config::RawConfig;
use crate::data::utf8;
use crate::data::{SchemaAndValue, text};
use crate::error::Error;
use crate::{HeaderContext, HeaderConverter};

/// `org.apache.kafka.connect.storage.SimpleHeaderConverter`: the default of headers.
///
/// It writes the [text form](text::write) of a value and guesses on reading ([`text::parse`]): `007` comes back as the number 7. Where text
/// must stay as it is, use [`StringConverter`](super::StringConverter) for headers.
///
/// ```
/// use bytes::Bytes;
/// use ferroconnect_converters::config::RawConfig;
/// use ferroconnect_converters::data::Value;
/// use ferroconnect_converters::simple::SimpleHeaderConverter;
/// use ferroconnect_converters::{HeaderContext, HeaderConverter};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut converter = SimpleHeaderConverter::configure(&RawConfig::new())?;
/// let mut ctx = HeaderContext::new("orders", "attempt");
/// let datum = converter.to_connect_header(&mut ctx, Some(&Bytes::from_static(b"3")))?;
/// assert_eq!(datum.value(), Value::Int8(3));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SimpleHeaderConverter(());

impl SimpleHeaderConverter {
    /// Makes one; its only option is its role, which the worker adds.
    ///
    /// # Errors
    /// Config fault for a `converter.type` that there is none of.
    pub fn configure(raw: &RawConfig) -> Result<Self, Error> {
        super::type_only_def().parse(&super::config::with_type(raw, "header"))?;
        Ok(Self(()))
    }
}

impl HeaderConverter for SimpleHeaderConverter {
    fn from_connect_header(
        &mut self,
        _ctx: &mut HeaderContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Error> {
        if data.is_null() {
            return Ok(None);
        }
        let start = out.len();
        text::write(data.value(), out);
        Ok(Some(start..out.len()))
    }

    fn to_connect_header(
        &mut self,
        ctx: &mut HeaderContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error> {
        let Some(bytes) = bytes else {
            return Ok(SchemaAndValue::NULL);
        };
        let parsed = text::parse(&utf8::decode(bytes));
        if let Some(difference) = parsed.difference {
            ctx.note(difference);
        }
        Ok(parsed.datum)
    }
}
