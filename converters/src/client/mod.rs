//! The comfortable face: a converter together with the registry it asks.
//!
//! A [`Converter`] never waits: it lists what it misses and takes answers. [`AsyncConverter`] asks and waits in its place,
//! on any runtime, and [`BlockingConverter`] does without one. Both work with every converter, `Box<dyn Converter>`
//! included; those that need no registry never ask.

mod blocking;
mod gather;
mod rounds;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use ferroconnect_registry_client::AsyncRegistry;

pub use self::blocking::BlockingConverter;
use self::gather::gather;
use self::rounds::{Rounds, endless};
use crate::converter::{Converter, Outcome, RecordContext, Role};
use crate::data::SchemaAndValue;
use crate::error::Error;

/// A converter for the keys or the values of records, that waits for its registry.
///
/// After its first record of a schema it asks nothing and is as fast as the converter alone. One registry client serves
/// many of them.
///
/// Futures may be dropped at any time: nothing is lost, and what was not answered is asked again by the next call. A
/// registry that gives no answer is told as [`Fault::Transient`](crate::Fault::Transient): the same call may succeed later. How
/// long that takes is up to the registry client, which has a deadline for every request.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
/// use ferroconnect_converters::client::AsyncConverter;
/// use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder, Value};
/// use ferroconnect_converters::{Fault, Role};
/// use ferroconnect_registry_client::fake::FakeRegistry;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ferroconnect_converters::Error> {
/// let registry = Arc::new(Mutex::new(FakeRegistry::default())); // or a client over HTTP
/// let converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
/// let mut orders = AsyncConverter::new(Role::Value, converter, registry);
///
/// let schema = SchemaBuilder::structure().name("Order").field("id", Schema::int64()).build()?;
/// let order = StructBuilder::new(&schema)?.set("id", 7i64)?.finish()?;
/// let record = orders.encode("orders", &order).await?; // registers the schema
/// assert_eq!(record.as_deref(), Some(&[0, 0, 0, 0, 1, 14][..]));
///
/// let back = orders.decode("orders", record.as_ref()).await?;
/// assert_eq!(back.value().as_struct().and_then(|s| s.get("id")), Some(Value::Int64(7)));
///
/// let bad = [record, Some("no Avro".into()), None];
/// let results = orders.decode_batch("orders", &bad).await;
/// assert!(results[0].is_ok() && results[2].is_ok());
/// assert_eq!(results[1].as_ref().map_err(|error| error.fault()), Err(Fault::Data));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncConverter<C = Box<dyn Converter>> {
    role: Role,
    converter: C,
    registry: Arc<dyn AsyncRegistry>,
}

impl<C: Converter> AsyncConverter<C> {
    /// A converter for keys or for values, and the registry that it asks.
    pub const fn new(role: Role, converter: C, registry: Arc<dyn AsyncRegistry>) -> Self {
        Self {
            role,
            converter,
            registry,
        }
    }

    /// Reads the bytes of a record; `None` is a null.
    ///
    /// # Errors
    /// What the converter says of the record: a data fault when the bytes are bad or name an unknown schema. Transient
    /// when the registry gave no answer. Plugin when the converter asked in
    /// [`LOOKUP_ROUNDS_MAX`](crate::limits::LOOKUP_ROUNDS_MAX) rounds and was not satisfied.
    pub async fn decode(
        &mut self,
        topic: &str,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error> {
        let mut ctx = RecordContext::new(topic, self.role);
        self.decode_in(&mut ctx, bytes).await
    }

    /// The same with headers, in which a schema id may travel, and with the deliberate differences noted in the context.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub async fn decode_in(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error> {
        self.run(|converter| converter.to_connect(ctx, bytes)).await
    }

    /// The bytes of a record; `None` is a null.
    ///
    /// # Errors
    /// What the converter says of the value, or the registry of its schema. Transient and plugin as
    /// [`decode`](Self::decode).
    pub async fn encode(
        &mut self,
        topic: &str,
        data: &SchemaAndValue,
    ) -> Result<Option<Bytes>, Error> {
        let mut out = Vec::new();
        let mut ctx = RecordContext::new(topic, self.role);
        let range = self.encode_in(&mut ctx, data, &mut out).await?;
        Ok(range.map(|range| Bytes::from(out).slice(range)))
    }

    /// The same with headers, to which a schema id may be added, appended to `out`. On failure, or when the future is
    /// dropped, both are as they were.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub async fn encode_in(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Error> {
        self.run(|converter| converter.from_connect(ctx, data, out))
            .await
    }

    /// Reads many records of a topic. What they need of the registry is asked at once, at most
    /// [`LOOKUPS_IN_FLIGHT_MAX`](crate::limits::LOOKUPS_IN_FLIGHT_MAX) questions at a time and each once; a record that fails
    /// takes no other with it.
    ///
    /// The results are in the order of the records; their errors are those of [`decode`](Self::decode).
    pub async fn decode_batch(
        &mut self,
        topic: &str,
        records: &[Option<Bytes>],
    ) -> Vec<Result<SchemaAndValue, Error>> {
        let role = self.role;
        self.run_all(records.len(), |converter, index| {
            let mut ctx = RecordContext::new(topic, role);
            converter.to_connect(&mut ctx, records[index].as_ref())
        })
        .await
    }

    /// The same for records with their contexts: of several topics, with headers.
    pub async fn decode_batch_in(
        &mut self,
        records: &mut [(RecordContext<'_>, Option<Bytes>)],
    ) -> Vec<Result<SchemaAndValue, Error>> {
        self.run_all(records.len(), |converter, index| {
            let (ctx, bytes) = &mut records[index];
            converter.to_connect(ctx, bytes.as_ref())
        })
        .await
    }

    /// The bytes of many records of a topic, all in one block of memory; otherwise as [`decode_batch`](Self::decode_batch).
    pub async fn encode_batch(
        &mut self,
        topic: &str,
        records: &[SchemaAndValue],
    ) -> Vec<Result<Option<Bytes>, Error>> {
        let mut out = Vec::new();
        let role = self.role;
        let ranges = self
            .run_all(records.len(), |converter, index| {
                let mut ctx = RecordContext::new(topic, role);
                converter.from_connect(&mut ctx, &records[index], &mut out)
            })
            .await;
        let bytes = Bytes::from(out);
        let slice = |range: Option<Range<usize>>| range.map(|range| bytes.slice(range));
        ranges.into_iter().map(|done| done.map(slice)).collect()
    }

    /// The converter, to tell it the time.
    pub const fn converter(&mut self) -> &mut C {
        &mut self.converter
    }

    /// The converter back.
    pub fn into_inner(self) -> C {
        self.converter
    }

    async fn run<T>(&mut self, mut convert: impl FnMut(&mut C) -> Outcome<T>) -> Result<T, Error> {
        let mut rounds = Rounds::default();
        loop {
            if let Some(done) = rounds.attempt(&mut self.converter, &mut convert) {
                return done;
            }
            self.ask(&mut rounds).await?;
        }
    }

    async fn run_all<T>(
        &mut self,
        count: usize,
        mut convert: impl FnMut(&mut C, usize) -> Outcome<T>,
    ) -> Vec<Result<T, Error>> {
        let mut results: Vec<Option<Result<T, Error>>> = Vec::new();
        results.resize_with(count, || None);
        let mut rounds = Rounds::default();
        loop {
            let mut is_waiting = false;
            for (index, result) in results.iter_mut().enumerate() {
                if result.is_none() {
                    *result = rounds.attempt(&mut self.converter, |c| convert(c, index));
                    is_waiting |= result.is_none();
                }
            }
            if !is_waiting || self.ask(&mut rounds).await.is_err() {
                break;
            }
        }
        let all = results.into_iter();
        all.map(|result| result.unwrap_or_else(|| Err(endless())))
            .collect()
    }

    /// One round: asks what the records need, and tells the converter.
    async fn ask(&mut self, rounds: &mut Rounds) -> Result<(), Error> {
        let lookups = rounds.next()?;
        let converter = &mut self.converter;
        gather(&*self.registry, &lookups, |lookup, answer| {
            rounds.install(converter, lookup, answer);
        })
        .await;
        Ok(())
    }
}
