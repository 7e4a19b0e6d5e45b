//! [`Value`]: what people match on, borrowed from a [`SchemaAndValue`](super::SchemaAndValue); and the views of containers.

use std::fmt;

use super::record::{Record, Slot};
use super::{DecimalRef, Schema};

/// A Connect value, borrowed. `Copy`, closed by the Connect specification.
///
/// Dates, times and timestamps are milliseconds since 1970-01-01T00:00Z, as in `java.util.Date`.
///
/// Equality is Java's `Object.equals` on the same values: the variant counts (an `Int32` never equals an `Int64`),
/// every NaN equals every other, `0.0` differs from `-0.0`, decimals compare with their scale, maps without regard
/// to order, structs by schema and raw field values.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// `java.lang.Boolean`.
    Boolean(bool),
    /// `java.lang.Byte`.
    Int8(i8),
    /// `java.lang.Short`.
    Int16(i16),
    /// `java.lang.Integer`.
    Int32(i32),
    /// `java.lang.Long`.
    Int64(i64),
    /// `java.lang.Float`.
    Float32(f32),
    /// `java.lang.Double`.
    Float64(f64),
    /// `java.util.Date` of a Date schema, in milliseconds.
    Date(i64),
    /// `java.util.Date` of a Time schema, in milliseconds.
    Time(i64),
    /// `java.util.Date` of a Timestamp schema or of none, in milliseconds.
    Timestamp(i64),
    /// `java.math.BigDecimal`.
    Decimal(DecimalRef<'a>),
    /// `java.lang.String`.
    String(&'a str),
    /// `byte[]`.
    Bytes(&'a [u8]),
    /// `java.util.List`.
    Array(Array<'a>),
    /// `java.util.Map`.
    Map(Map<'a>),
    /// `org.apache.kafka.connect.data.Struct`.
    Struct(Struct<'a>),
}

impl<'a> Value<'a> {
    /// Whether this is null.
    #[must_use]
    pub const fn is_null(self) -> bool {
        matches!(self, Self::Null)
    }

    /// The Java class that Connect would hold this value in; it appears in error texts.
    #[must_use]
    pub const fn java_class(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "java.lang.Boolean",
            Self::Int8(_) => "java.lang.Byte",
            Self::Int16(_) => "java.lang.Short",
            Self::Int32(_) => "java.lang.Integer",
            Self::Int64(_) => "java.lang.Long",
            Self::Float32(_) => "java.lang.Float",
            Self::Float64(_) => "java.lang.Double",
            Self::Date(_) | Self::Time(_) | Self::Timestamp(_) => "java.util.Date",
            Self::Decimal(_) => "java.math.BigDecimal",
            Self::String(_) => "java.lang.String",
            Self::Bytes(_) => "[B",
            Self::Array(_) => "java.util.ArrayList",
            Self::Map(_) => "java.util.HashMap",
            Self::Struct(_) => "org.apache.kafka.connect.data.Struct",
        }
    }

    /// The text of a string value.
    #[must_use]
    pub const fn as_str(self) -> Option<&'a str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The view of a struct value.
    #[must_use]
    pub const fn as_struct(self) -> Option<Struct<'a>> {
        if let Self::Struct(structure) = self {
            Some(structure)
        } else {
            None
        }
    }

    /// Any of the four integer types, widened.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Self::Int8(v) => Some(v.into()),
            Self::Int16(v) => Some(v.into()),
            Self::Int32(v) => Some(v.into()),
            Self::Int64(v) => Some(v),
            Self::Null
            | Self::Boolean(_)
            | Self::Float32(_)
            | Self::Float64(_)
            | Self::Date(_)
            | Self::Time(_)
            | Self::Timestamp(_)
            | Self::Decimal(_)
            | Self::String(_)
            | Self::Bytes(_)
            | Self::Array(_)
            | Self::Map(_)
            | Self::Struct(_) => None,
        }
    }
}

/// Java compares floats by their bits, with one NaN.
pub(super) fn java_bits_64(v: f64) -> u64 {
    if v.is_nan() {
        f64::NAN.to_bits()
    } else {
        v.to_bits()
    }
}

pub(super) fn java_bits_32(v: f32) -> u32 {
    if v.is_nan() {
        f32::NAN.to_bits()
    } else {
        v.to_bits()
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Int8(a), Self::Int8(b)) => a == b,
            (Self::Int16(a), Self::Int16(b)) => a == b,
            (Self::Int32(a), Self::Int32(b)) => a == b,
            (Self::Int64(a), Self::Int64(b))
            | (
                Self::Date(a) | Self::Time(a) | Self::Timestamp(a),
                Self::Date(b) | Self::Time(b) | Self::Timestamp(b),
            ) => a == b,
            (Self::Float32(a), Self::Float32(b)) => java_bits_32(a) == java_bits_32(b),
            (Self::Float64(a), Self::Float64(b)) => java_bits_64(a) == java_bits_64(b),
            (Self::Decimal(a), Self::Decimal(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(v) => write!(f, "{v}"),
            Self::Int8(v) => write!(f, "int8 {v}"),
            Self::Int16(v) => write!(f, "int16 {v}"),
            Self::Int32(v) => write!(f, "int32 {v}"),
            Self::Int64(v) => write!(f, "int64 {v}"),
            Self::Float32(v) => write!(f, "float32 {v:?}"),
            Self::Float64(v) => write!(f, "float64 {v:?}"),
            Self::Date(v) => write!(f, "date {v}"),
            Self::Time(v) => write!(f, "time {v}"),
            Self::Timestamp(v) => write!(f, "timestamp {v}"),
            Self::Decimal(v) => write!(f, "decimal {v}"),
            Self::String(v) => write!(f, "{v:?}"),
            Self::Bytes(v) => write!(f, "bytes {v:02x?}"),
            Self::Array(v) => v.fmt(f),
            Self::Map(v) => v.fmt(f),
            Self::Struct(v) => v.fmt(f),
        }
    }
}

/// The elements of an array value.
#[derive(Clone, Copy)]
pub struct Array<'a> {
    record: &'a Record,
    slots: &'a [Slot],
    element: Option<&'a Schema>,
}

impl<'a> Array<'a> {
    pub(crate) const fn new(
        record: &'a Record,
        slots: &'a [Slot],
        element: Option<&'a Schema>,
    ) -> Self {
        Self {
            record,
            slots,
            element,
        }
    }

    pub(crate) const fn with_element(self, element: Option<&'a Schema>) -> Self {
        Self { element, ..self }
    }

    /// The elements as they lie in the record.
    pub(crate) const fn slots(self) -> (&'a Record, &'a [Slot]) {
        (self.record, self.slots)
    }

    /// The declared schema of the elements, if there is one.
    #[must_use]
    pub const fn element_schema(self) -> Option<&'a Schema> {
        self.element
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.slots.is_empty()
    }

    /// One element.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        self.slots
            .get(index)
            .map(|slot| self.record.value(*slot, self.element))
    }

    /// The elements in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'a>> {
        self.slots
            .iter()
            .map(move |slot| self.record.value(*slot, self.element))
    }
}

impl PartialEq for Array<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b)
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The entries of a map value, in a fixed order. No two keys are equal.
#[derive(Clone, Copy)]
pub struct Map<'a> {
    record: &'a Record,
    /// key, value, key, value …
    slots: &'a [Slot],
    key: Option<&'a Schema>,
    value: Option<&'a Schema>,
}

impl<'a> Map<'a> {
    pub(crate) const fn new(
        record: &'a Record,
        slots: &'a [Slot],
        key: Option<&'a Schema>,
        value: Option<&'a Schema>,
    ) -> Self {
        Self {
            record,
            slots,
            key,
            value,
        }
    }

    pub(crate) const fn with_schemas(
        self,
        key: Option<&'a Schema>,
        value: Option<&'a Schema>,
    ) -> Self {
        Self { key, value, ..self }
    }

    /// The declared schema of the keys, if there is one.
    #[must_use]
    pub const fn key_schema(self) -> Option<&'a Schema> {
        self.key
    }

    /// The declared schema of the values, if there is one.
    #[must_use]
    pub const fn value_schema(self) -> Option<&'a Schema> {
        self.value
    }

    /// Number of entries.
    #[must_use]
    pub const fn len(self) -> usize {
        self.slots.len() / 2
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.slots.is_empty()
    }

    /// The entries in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (Value<'a>, Value<'a>)> {
        self.slots.chunks_exact(2).map(move |entry| {
            (
                self.record.value(entry[0], self.key),
                self.record.value(entry[1], self.value),
            )
        })
    }

    /// The value of a text key; `None` when there is no such key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.get_value(Value::String(key))
    }

    /// Whether both maps have the same keys in the same order, none of them a container: what maps that were read alike have.
    /// Then no key needs to be looked for. Containers as keys are left out, so that none is compared twice.
    fn has_same_plain_keys(self, other: Self) -> bool {
        let mut keys = self.iter().zip(other.iter());
        keys.all(|((a, _), (b, _))| {
            !matches!(a, Value::Array(_) | Value::Map(_) | Value::Struct(_)) && a == b
        })
    }

    pub(crate) fn key_at(self, index: usize) -> Option<Value<'a>> {
        let slot = self.slots.get(index * 2)?;
        Some(self.record.value(*slot, self.key))
    }

    pub(crate) fn value_at(self, index: usize) -> Option<Value<'a>> {
        let slot = self.slots.get(index * 2 + 1)?;
        Some(self.record.value(*slot, self.value))
    }

    /// The value of any key.
    #[must_use]
    pub fn get_value(self, key: Value<'_>) -> Option<Value<'a>> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let in_order = self.has_same_plain_keys(*other);
        for (index, (key, value)) in self.iter().enumerate() {
            let theirs = if in_order {
                other.value_at(index)
            } else {
                other.get_value(key)
            };
            if theirs != Some(value) {
                return false;
            }
        }
        true
    }
}

impl fmt::Debug for Map<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The fields of a struct value.
///
/// A field that was never set and one that was set to null are the same; a field that is null and one that was
/// set to its default are not, as in Java.
#[derive(Clone, Copy)]
pub struct Struct<'a> {
    record: &'a Record,
    slots: &'a [Slot],
    schema: &'a Schema,
}

impl<'a> Struct<'a> {
    pub(crate) const fn new(record: &'a Record, slots: &'a [Slot], schema: &'a Schema) -> Self {
        Self {
            record,
            slots,
            schema,
        }
    }

    pub(crate) fn slot(self, index: usize) -> Option<Slot> {
        self.slots.get(index).copied()
    }

    /// The fields as they lie in the record.
    pub(crate) const fn slots(self) -> (&'a Record, &'a [Slot]) {
        (self.record, self.slots)
    }

    /// The struct's schema.
    #[must_use]
    pub const fn schema(self) -> &'a Schema {
        self.schema
    }

    /// The stored value of the field at `index`, without its default; null when there is no such field.
    ///
    /// This is the fast way: find the index once per schema with [`Schema::index_of`].
    #[inline]
    #[must_use]
    pub fn at(self, index: usize) -> Value<'a> {
        let Some(slot) = self.slots.get(index) else {
            return Value::Null;
        };
        // Only containers need the schema: the others do without the look at it.
        let schema = if slot.is_container() {
            self.schema.fields().get(index).map(super::Field::schema)
        } else {
            None
        };
        self.record.value(*slot, schema)
    }

    /// The value of a field, or its schema's default when it is null (`Struct.get`); `None` when there is no such field.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        let field = self.schema.field(name)?;
        let stored = self.at(field.index());
        if stored.is_null() {
            return Some(field.schema().default_value().unwrap_or(Value::Null));
        }
        Some(stored)
    }

    /// The stored value of a field (`Struct.getWithoutDefault`); `None` when there is no such field.
    #[must_use]
    pub fn get_without_default(self, name: &str) -> Option<Value<'a>> {
        self.schema.index_of(name).map(|index| self.at(index))
    }

    /// The stored values in field order, without defaults.
    pub fn values(self) -> impl ExactSizeIterator<Item = Value<'a>> {
        self.slots
            .iter()
            .zip(self.schema.fields())
            .map(move |(slot, field)| self.record.value(*slot, Some(field.schema())))
    }
}

impl PartialEq for Struct<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema && self.values().zip(other.values()).all(|(a, b)| a == b)
    }
}

impl fmt::Debug for Struct<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct(self.schema.name().unwrap_or("Struct"));
        for (field, value) in self.schema.fields().iter().zip(self.values()) {
            out.field(field.name(), &value);
        }
        out.finish()
    }
}
