//! [`AvroDecoder`]: decoding without a registry.

use bytes::Bytes;

use super::{DecodeOptions, DecodePlan, Scratch};
use crate::avro::{AvroDataConfig, AvroSchema};
use crate::data::{Schema, SchemaAndValue};
use crate::error::Error;

/// Reads values in Avro's binary encoding as Connect data. It knows no registry and no framing: the schema is given.
///
/// It keeps its plan and its buffers, so one per schema and thread is what one wants.
///
/// ```
/// use ferroconnect_converters::avro::{AvroDataConfig, AvroDecoder, AvroSchema};
/// use ferroconnect_converters::data::Value;
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let order = r#"{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"by","type":"string"}]}"#;
/// let schema = AvroSchema::parse(order)?;
/// let mut decoder = AvroDecoder::new(&schema, &AvroDataConfig::default(), None);
///
/// let order = decoder.decode(&[0x0e, 0x06, b'A', b'd', b'a'][..].into())?;
/// let by = order.field("by");
/// assert_eq!(by.as_ref().map(|by| by.value()), Some(Value::String("Ada")));
///
/// let error = decoder.decode(&[0x0e, 0x06, b'A'][..].into()).unwrap_err();
/// assert_eq!((error.field_path().as_str(), error.byte_offset()), ("by", Some(2)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AvroDecoder {
    plan: DecodePlan,
    options: DecodeOptions,
    scratch: Scratch,
}

impl AvroDecoder {
    /// A decoder of values written with a schema; `version` is the Connect schema's, if it names none.
    ///
    /// A schema that Connect has no place for gives a decoder that refuses every value but a null, with the reason.
    #[must_use]
    pub fn new(writer: &AvroSchema, config: &AvroDataConfig, version: Option<i32>) -> Self {
        let options = DecodeOptions::default();
        Self {
            plan: DecodePlan::compile(writer, config, version, options),
            options,
            scratch: Scratch::default(),
        }
    }

    /// A decoder of values that were written with one schema and are wanted as another one: fields by name or alias, numbers
    /// widened, defaults for what is not written (Avro 1.12 specification, "Schema Resolution"). Raw bytes at the root have
    /// their length here, unlike in a record of a registry.
    ///
    /// ```
    /// use ferroconnect_converters::avro::{AvroDataConfig, AvroDecoder, AvroSchema};
    /// use ferroconnect_converters::data::Value;
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let written = r#"{"type":"record","name":"R","fields":[{"name":"n","type":"int"},{"name":"gone","type":"string"}]}"#;
    /// let wanted = r#"{"type":"record","name":"R","fields":[{"name":"at","type":"long","default":9},{"name":"n","type":"double"}]}"#;
    /// let (written, wanted) = (AvroSchema::parse(written)?, AvroSchema::parse(wanted)?);
    /// let mut decoder = AvroDecoder::with_reader(&written, &wanted, &AvroDataConfig::default(), None)?;
    ///
    /// let data = decoder.decode(&[0x06, 0x02, b'x'][..].into())?;
    /// let fields = data.value().as_struct().map(|s| (s.get("at"), s.get("n")));
    /// assert_eq!(fields, Some((Some(Value::Int64(9)), Some(Value::Float64(3.0)))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: Connect has no place for the reader's schema, or the schemas are too large. What cannot be read as the
    /// reader wants it is refused when such a value comes.
    pub fn with_reader(
        writer: &AvroSchema,
        reader: &AvroSchema,
        config: &AvroDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        Ok(Self {
            plan: DecodePlan::resolve(writer, reader, config, version)?,
            options: DecodeOptions::default(),
            scratch: Scratch::default(),
        })
    }

    /// The same decoder, for which bytes behind the value are an error (`avro.fail.on.trailing.data`).
    #[must_use]
    pub const fn failing_on_trailing(mut self) -> Self {
        self.options.fail_on_trailing = true;
        self
    }

    /// The Connect schema of what is read; none for schemaless data.
    #[must_use]
    pub const fn schema(&self) -> Option<&Schema> {
        self.plan.schema()
    }

    /// Reads one value. A null gives neither schema nor value, as in Java.
    ///
    /// # Errors
    /// Data fault, with the field's path, the offset of the byte and what was expected there.
    pub fn decode(&mut self, body: &Bytes) -> Result<SchemaAndValue, Error> {
        self.plan.run(body, 0, self.options, &mut self.scratch)
    }

    /// Values, and bytes of text and bytes, that the buffers took for the record before: for tests of limits.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub const fn used(&self) -> (usize, usize) {
        self.scratch.used
    }
}
