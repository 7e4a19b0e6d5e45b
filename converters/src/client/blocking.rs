//! [`BlockingConverter`]: for whoever may block.

use std::ops::Range;

use bytes::Bytes;
use ferroconnect_registry_client::Registry;

use super::rounds::Rounds;
use crate::converter::{Converter, Outcome, RecordContext, Role};
use crate::data::SchemaAndValue;
use crate::error::Error;

/// A converter that waits for its registry: [`AsyncConverter`](super::AsyncConverter) without `async`.
///
/// ```
/// use ferroconnect_converters::client::BlockingConverter;
/// use ferroconnect_converters::config::RawConfig;
/// use ferroconnect_converters::data::{SchemaAndValue, Value};
/// use ferroconnect_converters::simple::StringConverter;
/// use ferroconnect_converters::{Converter, Role};
/// use ferroconnect_registry_client::fake::FakeRegistry;
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let converter = StringConverter::configure(&RawConfig::new(), Role::Value)?;
/// let converter: Box<dyn Converter> = Box::new(converter);
/// let mut converter = BlockingConverter::new(Role::Value, converter, FakeRegistry::default());
/// let bytes = converter.encode("greetings", &SchemaAndValue::from("hello"))?;
/// assert_eq!(converter.decode("greetings", bytes.as_ref())?.value(), Value::String("hello"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BlockingConverter<C, R> {
    role: Role,
    converter: C,
    registry: R,
}

impl<C: Converter, R: Registry> BlockingConverter<C, R> {
    /// A converter for keys or for values, and the registry that it asks.
    pub const fn new(role: Role, converter: C, registry: R) -> Self {
        Self {
            role,
            converter,
            registry,
        }
    }

    /// Reads the bytes of a record; `None` is a null.
    ///
    /// # Errors
    /// As [`AsyncConverter::decode`](super::AsyncConverter::decode).
    pub fn decode(&mut self, topic: &str, bytes: Option<&Bytes>) -> Result<SchemaAndValue, Error> {
        self.decode_in(&mut RecordContext::new(topic, self.role), bytes)
    }

    /// The same with headers, and with the deliberate differences noted in the context.
    ///
    /// # Errors
    /// As [`AsyncConverter::decode`](super::AsyncConverter::decode).
    pub fn decode_in(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error> {
        self.run(|converter| converter.to_connect(ctx, bytes))
    }

    /// The bytes of a record; `None` is a null.
    ///
    /// # Errors
    /// As [`AsyncConverter::encode`](super::AsyncConverter::encode).
    pub fn encode(&mut self, topic: &str, data: &SchemaAndValue) -> Result<Option<Bytes>, Error> {
        let mut out = Vec::new();
        let mut ctx = RecordContext::new(topic, self.role);
        let range = self.encode_in(&mut ctx, data, &mut out)?;
        Ok(range.map(|range| Bytes::from(out).slice(range)))
    }

    /// The same with headers, appended to `out`.
    ///
    /// # Errors
    /// As [`AsyncConverter::encode`](super::AsyncConverter::encode).
    pub fn encode_in(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Error> {
        self.run(|converter| converter.from_connect(ctx, data, out))
    }

    /// The converter, to tell it the time or to give it back.
    pub const fn converter(&mut self) -> &mut C {
        &mut self.converter
    }

    /// The registry.
    pub const fn registry(&mut self) -> &mut R {
        &mut self.registry
    }

    fn run<T>(&mut self, mut convert: impl FnMut(&mut C) -> Outcome<T>) -> Result<T, Error> {
        let mut rounds = Rounds::default();
        loop {
            if let Some(done) = rounds.attempt(&mut self.converter, &mut convert) {
                return done;
            }
            for lookup in rounds.next()? {
                let answer = self.registry.answer(&lookup);
                rounds.install(&mut self.converter, &lookup, answer);
            }
        }
    }
}
