//! Decoding Avro: a plan made from the schema, and a reader that follows it from the bytes into a record.
//!
//! A plan is data; it looks at no name and no setting while a record is read. There is no tree in between: values go
//! straight into the slots of the result.

mod anything;
mod compile;
mod cursor;
mod decoder;
mod keys;
mod leaves;
mod order;
mod plan;
mod read;
mod resolved;

use bytes::Bytes;
pub use decoder::AvroDecoder;

use super::to_connect::{is_anything, is_null, to_connect_schema};
use super::{AvroDataConfig, AvroSchema, Kind as Avro};
use crate::data::record::Slot;
use crate::data::{Schema, SchemaAndValue};
use crate::error::{Error, avro_read::Kind, data};
use crate::limits::AVRO_RECORD_BYTES_MAX;
use crate::plan::{Heaps, KEPT_BYTES_MAX, KEPT_SLOTS_MAX, TextHeap};
use crate::wire::recognise;
use plan::{Node, Parts, Place};
use read::Reader;

/// How records of one schema are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    schema: Option<Schema>,
    body: Body,
    parts: Parts,
}

#[derive(Debug)]
enum Body {
    /// A value of a place.
    Place(Place),
    /// The root is Avro's `bytes`: the body is those bytes, without their length.
    Raw(Node),
    /// Schemaless data.
    Anything,
    /// The schema has no Connect schema, so that nothing but a null can be read.
    Unusable(Box<Unusable>),
}

#[derive(Debug)]
struct Unusable {
    avro: AvroSchema,
    config: AvroDataConfig,
    version: Option<i32>,
}

/// What the deserializer does beyond the schema.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct DecodeOptions {
    /// `avro.fail.on.trailing.data`: bytes behind the value are an error, not ignored.
    pub(crate) fail_on_trailing: bool,
    /// `avro.use.logical.type.converters`: Java would make objects of its own of logical types, which its converter
    /// then refuses; so they are refused.
    pub(crate) reserve_logical_types: bool,
}

/// Buffers that live as long as the converter, so that a record costs no allocation until it is finished.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    slots: Vec<Slot>,
    /// Values of open containers.
    stack: Vec<Slot>,
    text: TextHeap,
    bytes: Vec<u8>,
    /// Where the text of each symbol lies, or [`UNSET`].
    symbols: Vec<u32>,
    symbols_met: Vec<u32>,
    /// While text is replaced: where the keys of open maps lie in the body.
    raw_keys: Vec<(u32, u32)>,
    work: order::Work,
    /// Where the body begins in the record, for errors.
    origin: usize,
    /// What the record before took.
    used: (usize, usize),
}

const UNSET: u32 = u32::MAX;

impl DecodePlan {
    /// The Connect schema of what is read.
    pub(crate) const fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The plan for records of a schema. A schema without a Connect schema gives a plan that says so for each record
    /// but a null, as in Java.
    pub(crate) fn compile(
        avro: &AvroSchema,
        config: &AvroDataConfig,
        version: Option<i32>,
        options: DecodeOptions,
    ) -> Self {
        match to_connect_schema(avro, config, version) {
            Ok(Some(schema)) => compile::plan(avro, config, options, schema),
            Ok(None) => Self::without_schema(Body::Anything),
            Err(_) => Self::without_schema(Body::Unusable(Box::new(Unusable {
                avro: avro.clone(),
                config: *config,
                version,
            }))),
        }
    }

    /// The plan for values that were written with one schema and are read with another one.
    ///
    /// # Errors
    /// Data fault: the reader's schema has no Connect schema, or the two are too large to be resolved.
    pub(crate) fn resolve(
        writer: &AvroSchema,
        reader: &AvroSchema,
        config: &AvroDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        match to_connect_schema(reader, config, version)? {
            Some(schema) => resolved::plan(writer, reader, config, schema),
            None if is_anything(writer) => Ok(Self::without_schema(Body::Anything)),
            None => {
                let writer = writer.get(writer.root()).kind.word();
                let reader = "schemaless data";
                Err(Kind::Unresolvable { writer, reader }.into())
            }
        }
    }

    fn without_schema(body: Body) -> Self {
        Self {
            schema: None,
            body,
            parts: Parts::default(),
        }
    }

    /// Reads the body of a record, which begins at `origin`.
    ///
    /// # Errors
    /// Data fault, with the field's path, the offset of the byte in the record and what was expected there.
    pub(crate) fn run(
        &self,
        record: &Bytes,
        origin: usize,
        options: DecodeOptions,
        scratch: &mut Scratch,
    ) -> Result<SchemaAndValue, Error> {
        let body = record.get(origin..).unwrap_or_default();
        if body.len() > AVRO_RECORD_BYTES_MAX {
            return Err(data::Kind::RecordTooLarge.into());
        }
        let result = self.attempt(record, origin, options, scratch);
        scratch.shrink();
        result.map_err(|error| foreign(error, body))
    }

    fn attempt(
        &self,
        record: &Bytes,
        origin: usize,
        options: DecodeOptions,
        scratch: &mut Scratch,
    ) -> Result<SchemaAndValue, Error> {
        let data = match self.pass(record, origin, false, options, scratch)? {
            None => self.pass(record, origin, true, options, scratch)?,
            data => data,
        };
        // The second pass makes nothing but UTF-8.
        Ok(data.unwrap_or(SchemaAndValue::NULL))
    }

    /// Reads the body; `None` when its text is not UTF-8.
    fn pass(
        &self,
        record: &Bytes,
        origin: usize,
        lossy: bool,
        options: DecodeOptions,
        scratch: &mut Scratch,
    ) -> Result<Option<SchemaAndValue>, Error> {
        let body = record.get(origin..).unwrap_or_default();
        let mut reader = self.reader(body, origin, lossy, scratch);
        let root = match &self.body {
            Body::Place(place) => reader.value(*place)?,
            Body::Anything => reader.anything()?,
            Body::Raw(Node::Bytes) => {
                let body = record.slice(record.len().min(origin)..);
                return Ok(Some(SchemaAndValue::bytes(self.schema.clone(), body)));
            }
            Body::Raw(node) => reader.raw(*node)?,
            Body::Unusable(unusable) => return unusable.run(reader).map(Some),
        };
        if options.fail_on_trailing {
            reader.end()?;
        }
        Ok(scratch.finish(self.schema.as_ref(), root))
    }

    fn reader<'a>(
        &'a self,
        bytes: &'a [u8],
        origin: usize,
        lossy: bool,
        scratch: &'a mut Scratch,
    ) -> Reader<'a> {
        scratch.clear(self.parts.symbols.len(), origin);
        Reader {
            plan: self,
            bytes,
            at: 0,
            depth: 0,
            empty_items: 0,
            lossy,
            scratch,
        }
    }
}

impl Unusable {
    fn run(&self, reader: Reader<'_>) -> Result<SchemaAndValue, Error> {
        let root = self.avro.get(self.avro.root());
        let null = match &root.kind {
            Avro::Null => true,
            Avro::Union(branches) => {
                let (branch, _) = reader.branch(0, branches.len())?;
                is_null(&self.avro, branches[branch])
            }
            Avro::Boolean
            | Avro::Int
            | Avro::Long
            | Avro::Float
            | Avro::Double
            | Avro::Bytes
            | Avro::String
            | Avro::Record(_)
            | Avro::Enum(_)
            | Avro::Fixed(_)
            | Avro::Array(_)
            | Avro::Map(_) => false,
        };
        if null {
            return Ok(SchemaAndValue::NULL);
        }
        to_connect_schema(&self.avro, &self.config, self.version).map(|_| SchemaAndValue::NULL)
    }
}

impl Reader<'_> {
    fn raw(&mut self, node: Node) -> Result<Slot, Error> {
        if let Node::Decimal { scale } = node {
            let len = self.bytes.len();
            self.at = len;
            return self.decimal(0, len, scale);
        }
        self.value(Place::of(node))
    }

    fn default(&mut self, index: usize) -> Result<Slot, Error> {
        let plan = self.plan;
        let slot = order::copied(self, plan.parts.defaults[index].value());
        self.within().map(|()| slot)
    }
}

impl Scratch {
    fn clear(&mut self, symbols: usize, origin: usize) {
        self.slots.clear();
        self.stack.clear();
        self.raw_keys.clear();
        self.text.truncate(0);
        self.bytes.clear();
        if self.symbols.len() < symbols {
            self.symbols.resize(symbols, UNSET);
        }
        for symbol in self.symbols_met.drain(..) {
            self.symbols[symbol as usize] = UNSET;
        }
        self.origin = origin;
    }

    /// The datum; `None` when its text is not UTF-8.
    fn finish(&self, schema: Option<&Schema>, root: Slot) -> Option<SchemaAndValue> {
        if let Slot::Null = root {
            // Java gives no schema either.
            return Some(SchemaAndValue::NULL);
        }
        let heaps = Heaps {
            slots: &self.slots,
            text: self.text.as_bytes(),
            bytes: &self.bytes,
        };
        heaps.finish(schema, root)
    }

    /// Gives memory back after a giant record.
    fn shrink(&mut self) {
        let values = self.slots.len() + self.stack.len();
        self.used = (values, self.text.len() + self.bytes.len());
        if self.slots.capacity() > KEPT_SLOTS_MAX || self.stack.capacity() > KEPT_SLOTS_MAX {
            self.slots = Vec::new();
            self.stack = Vec::new();
        }
        if self.text.capacity() > KEPT_BYTES_MAX || self.bytes.capacity() > KEPT_BYTES_MAX {
            self.text = TextHeap::default();
            self.bytes = Vec::new();
        }
    }
}

/// Says in an error what the body looks like, when it looks like something that is no Avro.
#[cold]
fn foreign(error: Error, body: &[u8]) -> Error {
    let looks = recognise(body);
    if error.byte_offset().is_none() || !looks.is_structured() {
        return error;
    }
    error.causing(Kind::Foreign { looks })
}

#[cfg(test)]
mod tests;
