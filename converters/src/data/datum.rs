//! [`SchemaAndValue`]: any Connect datum with its schema, owned.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::record::{EMPTY, Record, Slot};
use super::{Decimal, DecimalRef, Field, Schema, Value};
use crate::data::decimal::UnscaledRef;
use crate::error::Error;

/// A value without its schema.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    /// Null, booleans, numbers, dates and small decimals: no allocation.
    Scalar(Slot),
    /// A root text: keys, StringConverter.
    Text(Arc<str>),
    /// Root bytes: a slice of whatever they were read from.
    Bytes(Bytes),
    /// Everything else. A nested value taken out shares the record and has another root.
    Tree { record: Arc<Record>, root: Slot },
}

impl Datum {
    #[inline]
    pub(crate) fn view<'a>(&'a self, schema: Option<&'a Schema>) -> Value<'a> {
        match self {
            Self::Scalar(slot) => EMPTY.value(*slot, None),
            Self::Text(text) => Value::String(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
            Self::Tree { record, root } => record.value(*root, schema),
        }
    }

    /// The fields of a struct of these fields; none if it is something else.
    pub(crate) fn fields<'a>(&'a self, fields: &'a [Field]) -> impl Iterator<Item = Value<'a>> {
        let found = if let Self::Tree {
            record,
            root: Slot::Struct { at } | Slot::Foreign { at, .. },
        } = self
        {
            (&**record, record.slots_at(*at, fields.len()))
        } else {
            (&*EMPTY, &[][..])
        };
        let (record, slots) = found;
        (slots.iter().zip(fields)).map(|(slot, field)| record.value(*slot, Some(field.schema())))
    }

    /// As [`Datum::view`] for an array or map whose element schemas are known but not the schema itself.
    pub(crate) fn view_in<'a>(
        &'a self,
        key: Option<&'a Schema>,
        value: Option<&'a Schema>,
    ) -> Value<'a> {
        let seen = self.view(None);
        if let Value::Array(array) = seen {
            Value::Array(array.with_element(value))
        } else if let Value::Map(map) = seen {
            Value::Map(map.with_schemas(key, value))
        } else {
            seen
        }
    }
}

/// Any Connect datum with its schema, if it has one: `org.apache.kafka.connect.data.SchemaAndValue`.
///
/// Owned, `Send`, `Sync`; a clone is one counter. Read it through [`value`](Self::value); make one from plain Rust
/// values with `From`, and trees with [`Builder`](super::Builder) or [`StructBuilder`](super::StructBuilder).
/// As in Java, schema and value need not agree: converters and [`check`](super::check::check) say so when it matters.
///
/// ```
/// use ferroconnect_converters::data::{SchemaAndValue, Value};
///
/// let greeting = SchemaAndValue::from("hello");
/// assert_eq!(greeting.value(), Value::String("hello"));
/// assert!(SchemaAndValue::NULL.is_null());
/// ```
#[derive(Clone)]
pub struct SchemaAndValue {
    schema: Option<Schema>,
    datum: Datum,
}

impl SchemaAndValue {
    /// No schema and no value: a tombstone.
    pub const NULL: Self = Self {
        schema: None,
        datum: Datum::Scalar(Slot::Null),
    };

    pub(crate) const fn from_parts(schema: Option<Schema>, datum: Datum) -> Self {
        Self { schema, datum }
    }

    pub(crate) fn from_tree(schema: Option<Schema>, record: Record, root: Slot) -> Self {
        Self {
            schema,
            datum: Datum::Tree {
                record: Arc::new(record),
                root,
            },
        }
    }

    pub(crate) const fn datum(&self) -> &Datum {
        &self.datum
    }

    /// The null of a schema.
    #[must_use]
    pub const fn null_of(schema: Option<Schema>) -> Self {
        Self {
            schema,
            datum: Datum::Scalar(Slot::Null),
        }
    }

    /// Text that is shared, not copied.
    #[must_use]
    pub const fn text(schema: Option<Schema>, text: Arc<str>) -> Self {
        Self {
            schema,
            datum: Datum::Text(text),
        }
    }

    /// Bytes that are shared, not copied.
    #[must_use]
    pub const fn bytes(schema: Option<Schema>, bytes: Bytes) -> Self {
        Self {
            schema,
            datum: Datum::Bytes(bytes),
        }
    }

    /// The same value under another schema (or none). Nothing is checked, as in Java.
    ///
    /// A struct, or anything that holds structs, keeps the schemas its structs were made with.
    #[must_use]
    pub fn with_schema(&self, schema: Option<Schema>) -> Self {
        let datum = match &self.datum {
            Datum::Scalar(_) | Datum::Text(_) | Datum::Bytes(_) => self.datum.clone(),
            Datum::Tree { .. } => super::Builder::rebuilt(self.value(), schema.as_ref()),
        };
        Self { schema, datum }
    }

    /// The schema, if there is one.
    #[must_use]
    pub const fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The value, borrowed.
    #[inline]
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        self.datum.view(self.schema.as_ref())
    }

    /// Whether the value is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(
            &self.datum,
            Datum::Scalar(Slot::Null)
                | Datum::Tree {
                    root: Slot::Null,
                    ..
                }
        )
    }

    /// Root bytes without copying them; `None` when the value is something else.
    #[must_use]
    pub fn as_shared_bytes(&self) -> Option<Bytes> {
        match &self.datum {
            Datum::Bytes(bytes) => Some(bytes.clone()),
            Datum::Tree {
                record,
                root: Slot::Bytes { at, len },
            } => {
                let start = *at as usize;
                Some(record.bytes.slice(start..start + *len as usize))
            }
            Datum::Scalar(_) | Datum::Text(_) | Datum::Tree { .. } => None,
        }
    }

    /// A field of a struct as a datum of its own; it shares this record.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Self> {
        let Value::Struct(structure) = self.value() else {
            return None;
        };
        let field = structure.schema().field(name)?;
        let slot = structure.slot(field.index())?;
        let Datum::Tree { record, .. } = &self.datum else {
            return None;
        };
        Some(Self {
            schema: Some(field.schema().clone()),
            datum: Datum::Tree {
                record: Arc::clone(record),
                root: slot,
            },
        })
    }

    /// Starts a copy with some fields changed: what a transform does to a struct.
    ///
    /// # Errors
    /// Data fault when the value is not a struct.
    pub fn edit(&self) -> Result<super::Editor<'_>, Error> {
        super::Editor::new(self)
    }
}

/// Equal schemas and equal values; see [`Value`] for what equal values are.
impl PartialEq for SchemaAndValue {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema && self.value() == other.value()
    }
}

impl fmt::Debug for SchemaAndValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaAndValue")
            .field("schema", &self.schema)
            .field("value", &self.value())
            .finish()
    }
}

impl Default for SchemaAndValue {
    fn default() -> Self {
        Self::NULL
    }
}

macro_rules! scalar_from {
    ($($native:ty => $slot:ident),+ $(,)?) => {$(
        /// A datum without a schema.
        impl From<$native> for SchemaAndValue {
            fn from(value: $native) -> Self {
                Self { schema: None, datum: Datum::Scalar(Slot::$slot(value)) }
            }
        }
    )+};
}

scalar_from!(
    bool => Boolean, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, f32 => Float32, f64 => Float64,
);

impl From<&str> for SchemaAndValue {
    fn from(text: &str) -> Self {
        Self::text(None, text.into())
    }
}

impl From<String> for SchemaAndValue {
    fn from(text: String) -> Self {
        Self::text(None, text.into())
    }
}

impl From<Bytes> for SchemaAndValue {
    fn from(bytes: Bytes) -> Self {
        Self::bytes(None, bytes)
    }
}

impl From<Vec<u8>> for SchemaAndValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::bytes(None, bytes.into())
    }
}

impl From<&Decimal> for SchemaAndValue {
    fn from(value: &Decimal) -> Self {
        value.view().into()
    }
}

impl From<DecimalRef<'_>> for SchemaAndValue {
    fn from(value: DecimalRef<'_>) -> Self {
        let scale = value.scale();
        match value.unscaled() {
            UnscaledRef::Small(unscaled) => Self {
                schema: None,
                datum: Datum::Scalar(Slot::Decimal { scale, unscaled }),
            },
            UnscaledRef::Big(_) => super::Builder::copy_of(Value::Decimal(value), None),
        }
    }
}

impl From<Value<'_>> for SchemaAndValue {
    /// A deep copy of the value, without a schema of its own.
    fn from(value: Value<'_>) -> Self {
        super::Builder::copy_of(value, None)
    }
}
