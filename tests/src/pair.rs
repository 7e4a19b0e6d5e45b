//! [`Pair`]: a converter of values together with the registry it asks, in memory.

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::{Converter, Error, Outcome, RecordContext, Role};
use ferroconnect_registry_client::Registry;
use ferroconnect_registry_client::fake::FakeRegistry;

/// A converter and its registry: each call asks until everything is known.
#[derive(Debug)]
pub struct Pair<C> {
    converter: C,
    registry: FakeRegistry,
}

impl<C: Converter> Pair<C> {
    /// The converter with an empty registry.
    pub fn new(converter: C) -> Self {
        Self {
            converter,
            registry: FakeRegistry::default(),
        }
    }

    fn settle<T>(
        &mut self,
        mut call: impl FnMut(&mut C, &mut RecordContext<'_>) -> Outcome<T>,
    ) -> Result<T, Error> {
        loop {
            let mut ctx = RecordContext::new("t", Role::Value);
            match call(&mut self.converter, &mut ctx) {
                Outcome::Ready(done) => return Ok(done),
                Outcome::Failed(error) => return Err(error),
                Outcome::Missing(_) => {
                    for lookup in self.converter.unresolved() {
                        self.converter.install(self.registry.answer(&lookup));
                    }
                }
            }
        }
    }

    /// The bytes of a datum; `None` for a null record value.
    ///
    /// # Errors
    /// The converter's.
    pub fn write(&mut self, data: &SchemaAndValue) -> Result<Option<Bytes>, Error> {
        let mut out = Vec::new();
        let range = self.settle(|converter, ctx| converter.from_connect(ctx, data, &mut out))?;
        Ok(range.map(|range| Bytes::copy_from_slice(&out[range])))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The converter's.
    pub fn read(&mut self, bytes: &Bytes) -> Result<SchemaAndValue, Error> {
        self.settle(|converter, ctx| converter.to_connect(ctx, Some(bytes)))
    }

    /// Schema texts in the order in which they were registered.
    pub fn texts(&self) -> Vec<String> {
        let texts = self.registry.registered();
        texts.map(|found| found.schema.text().to_owned()).collect()
    }
}
