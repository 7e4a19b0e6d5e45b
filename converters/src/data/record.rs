//! The flat record: the only file that knows how a value lies in memory.
//!
//! All values of one datum, at every level, are 16-byte [`Slot`]s in one slice; all its text is one `str`, all its
//! bytes one [`Bytes`]. Nested values are index ranges into the slots. The record is immutable and counted, so a
//! clone is one counter and a drop frees three blocks however deep the value is.
//!
//! ```text
//! slots  [ id | name | tags | "a" | "b" | address… ]      Struct{at:0}, Array{at:3,len:2}
//! text   "Alexandraab…"                                    Text{at:0,len:9}
//! ```
//!
//! Invariants, kept by [`Builder`](super::Builder), [`Editor`](super::Editor) and the decoders (nobody else makes slots):
//! every range lies inside its heap, text ranges begin and end on character boundaries, children lie in
//! front of or behind their parent but never overlap it, and there are no cycles. A range that breaks them reads as
//! empty: no read panics.

use bytes::Bytes;

use super::Schema;
use super::value::{Array, Map, Struct, Value};
use crate::data::DecimalRef;

/// One value, or a reference to where its parts lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Null,
    Boolean(bool),
    Int8(i8),
    Int16(i16),
    Int32(i32),
    Int64(i64),
    Float32(f32),
    Float64(f64),
    /// Milliseconds since the epoch, as in `java.util.Date`; kept apart from integers as Java keeps the classes apart.
    Date(i64),
    Time(i64),
    Timestamp(i64),
    Decimal {
        scale: i32,
        unscaled: i64,
    },
    /// More than 64 bits: two's complement in the bytes heap.
    BigDecimal {
        scale: i32,
        at: u32,
        len: u32,
    },
    Text {
        at: u32,
        len: u32,
    },
    Bytes {
        at: u32,
        len: u32,
    },
    /// `len` slots from `at`.
    Array {
        at: u32,
        len: u32,
    },
    /// `len` slots from `at`: key, value, key, value …
    Map {
        at: u32,
        len: u32,
    },
    /// Field i is the slot `at + i`; the schema follows from the parent.
    Struct {
        at: u32,
    },
    /// A struct whose schema is not what the parent declares: its schema is `schemas[schema]`.
    Foreign {
        at: u32,
        schema: u32,
    },
}

const _: () = assert!(size_of::<Slot>() == 16);

impl Slot {
    /// Whether the slot says everything itself, without the heaps of a record.
    #[inline]
    pub(crate) const fn stands_alone(self) -> bool {
        !self.is_container()
            && !matches!(
                self,
                Self::Text { .. } | Self::Bytes { .. } | Self::BigDecimal { .. }
            )
    }

    /// Whether values below it have schemas of their own.
    #[inline]
    pub(crate) const fn is_container(self) -> bool {
        matches!(
            self,
            Self::Array { .. } | Self::Map { .. } | Self::Struct { .. } | Self::Foreign { .. }
        )
    }
}

/// The heaps of one datum.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) slots: Box<[Slot]>,
    pub(crate) text: Box<str>,
    pub(crate) bytes: Bytes,
    /// Schemas of foreign structs; almost always empty, and then without an allocation.
    pub(crate) schemas: Box<[Schema]>,
}

/// A record without anything in it: what scalars are read against.
pub(crate) static EMPTY: std::sync::LazyLock<Record> = std::sync::LazyLock::new(|| Record {
    slots: Box::default(),
    text: Box::default(),
    bytes: Bytes::new(),
    schemas: Box::default(),
});

impl Record {
    pub(crate) fn text_at(&self, at: u32, len: u32) -> &str {
        let start = at as usize;
        self.text
            .get(start..start + len as usize)
            .unwrap_or_default()
    }

    pub(crate) fn bytes_at(&self, at: u32, len: u32) -> &[u8] {
        let start = at as usize;
        self.bytes
            .get(start..start + len as usize)
            .unwrap_or_default()
    }

    pub(crate) fn slots_at(&self, at: u32, len: usize) -> &[Slot] {
        let start = at as usize;
        self.slots.get(start..start + len).unwrap_or_default()
    }

    /// What `slot` of this record stands for under `schema`.
    #[inline]
    pub(crate) fn value<'a>(&'a self, slot: Slot, schema: Option<&'a Schema>) -> Value<'a> {
        match slot {
            Slot::Null => Value::Null,
            Slot::Boolean(v) => Value::Boolean(v),
            Slot::Int8(v) => Value::Int8(v),
            Slot::Int16(v) => Value::Int16(v),
            Slot::Int32(v) => Value::Int32(v),
            Slot::Int64(v) => Value::Int64(v),
            Slot::Float32(v) => Value::Float32(v),
            Slot::Float64(v) => Value::Float64(v),
            Slot::Date(v) => Value::Date(v),
            Slot::Time(v) => Value::Time(v),
            Slot::Timestamp(v) => Value::Timestamp(v),
            Slot::Decimal { scale, unscaled } => Value::Decimal(DecimalRef::small(unscaled, scale)),
            Slot::BigDecimal { scale, at, len } => {
                Value::Decimal(DecimalRef::from_be_bytes(self.bytes_at(at, len), scale))
            }
            Slot::Text { at, len } => Value::String(self.text_at(at, len)),
            Slot::Bytes { at, len } => Value::Bytes(self.bytes_at(at, len)),
            Slot::Array { at, len } => Value::Array(Array::new(
                self,
                self.slots_at(at, len as usize),
                schema.and_then(Schema::value_schema),
            )),
            Slot::Map { at, len } => Value::Map(Map::new(
                self,
                self.slots_at(at, len as usize),
                schema.and_then(Schema::key_schema),
                schema.and_then(Schema::value_schema),
            )),
            Slot::Struct { at } => schema.map_or(Value::Null, |schema| {
                Value::Struct(Struct::new(
                    self,
                    self.slots_at(at, schema.fields().len()),
                    schema,
                ))
            }),
            Slot::Foreign { at, schema } => {
                self.schemas
                    .get(schema as usize)
                    .map_or(Value::Null, |schema| {
                        let fields = self.slots_at(at, schema.fields().len());
                        Value::Struct(Struct::new(self, fields, schema))
                    })
            }
        }
    }
}
