//! [`Editor`]: a copy of a struct with some fields changed.

use std::sync::Arc;

use bytes::Bytes;

use super::datum::Datum;
use super::decimal::UnscaledRef;
use super::record::{Record, Slot};
use super::{Schema, SchemaAndValue, Value};
use crate::error::{Error, data::Kind};

/// A copy of a struct with some top-level fields changed, under the same schema: what most transforms do.
///
/// The slots and the text are copied once; nothing else is looked at.
///
/// ```
/// # use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder, Value};
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// # let schema = SchemaBuilder::structure().field("email", Schema::string()).build()?;
/// # let order = StructBuilder::new(&schema)?.set("email", "ada@example.com")?.finish()?;
/// let email = schema.index_of("email").unwrap_or_default();
/// let masked = order.edit()?.set_at(email, Value::String("***"))?.finish();
/// assert_eq!(masked.value().as_struct().map(|s| s.at(email)), Some(Value::String("***")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Editor<'a> {
    schema: &'a Schema,
    source: &'a Arc<Record>,
    root: Slot,
    /// Slot index of field 0.
    at: usize,
    slots: Box<[Slot]>,
    text: Option<String>,
    bytes: Option<Vec<u8>>,
}

impl<'a> Editor<'a> {
    pub(crate) fn new(datum: &'a SchemaAndValue) -> Result<Self, Error> {
        match (datum.schema(), datum.datum()) {
            (
                Some(schema),
                Datum::Tree {
                    record,
                    root: root @ Slot::Struct { at },
                },
            ) => Ok(Self {
                schema,
                source: record,
                root: *root,
                at: *at as usize,
                slots: record.slots.clone(),
                text: None,
                bytes: None,
            }),
            (schema, _) => Err(Kind::NotAStruct {
                schema: schema.map_or_else(|| "null".into(), |s| s.to_string().into()),
            }
            .into()),
        }
    }

    /// Replaces one field by a primitive value; containers are built with [`Builder`](super::Builder).
    ///
    /// # Errors
    /// Data fault when there is no such field or the value does not fit its schema; plugin fault for a container.
    pub fn set_at(mut self, index: usize, value: Value<'_>) -> Result<Self, Error> {
        let Some(field) = self.schema.fields().get(index) else {
            return Err(Kind::FieldUnknown {
                name: index.to_string().into(),
            }
            .into());
        };
        super::check::check_field(field, value)?;
        let slot = match value {
            Value::Null => Slot::Null,
            Value::Boolean(v) => Slot::Boolean(v),
            Value::Int8(v) => Slot::Int8(v),
            Value::Int16(v) => Slot::Int16(v),
            Value::Int32(v) => Slot::Int32(v),
            Value::Int64(v) => Slot::Int64(v),
            Value::Float32(v) => Slot::Float32(v),
            Value::Float64(v) => Slot::Float64(v),
            Value::Date(v) => Slot::Date(v),
            Value::Time(v) => Slot::Time(v),
            Value::Timestamp(v) => Slot::Timestamp(v),
            Value::Decimal(v) => match v.unscaled() {
                UnscaledRef::Small(unscaled) => Slot::Decimal {
                    scale: v.scale(),
                    unscaled,
                },
                UnscaledRef::Big(bytes) => {
                    let (at, len) = self.store_bytes(bytes)?;
                    Slot::BigDecimal {
                        scale: v.scale(),
                        at,
                        len,
                    }
                }
            },
            Value::String(v) => {
                let (at, len) = self.store_text(v)?;
                Slot::Text { at, len }
            }
            Value::Bytes(v) => {
                let (at, len) = self.store_bytes(v)?;
                Slot::Bytes { at, len }
            }
            Value::Array(_) | Value::Map(_) | Value::Struct(_) => {
                return Err(Kind::BuilderMisuse("an editor sets primitive values only").into());
            }
        };
        if let Some(place) = self.slots.get_mut(self.at + index) {
            *place = slot;
        }
        Ok(self)
    }

    /// Ends the copy.
    #[must_use]
    pub fn finish(self) -> SchemaAndValue {
        let record = Record {
            slots: self.slots,
            text: self
                .text
                .map_or_else(|| self.source.text.clone(), String::into_boxed_str),
            bytes: self
                .bytes
                .map_or_else(|| self.source.bytes.clone(), Bytes::from),
            schemas: self.source.schemas.clone(),
        };
        SchemaAndValue::from_tree(Some(self.schema.clone()), record, self.root)
    }

    fn store_text(&mut self, value: &str) -> Result<(u32, u32), Error> {
        let source = &self.source.text;
        // Exactly enough, so that one changed text needs no second allocation.
        let text = self.text.get_or_insert_with(|| {
            let mut text = String::with_capacity(source.len() + value.len());
            text.push_str(source);
            text
        });
        let at = offset(text.len())?;
        text.push_str(value);
        Ok((at, offset(value.len())?))
    }

    fn store_bytes(&mut self, value: &[u8]) -> Result<(u32, u32), Error> {
        let source = &self.source.bytes;
        let bytes = self.bytes.get_or_insert_with(|| source.to_vec());
        let at = offset(bytes.len())?;
        bytes.extend_from_slice(value);
        Ok((at, offset(value.len())?))
    }
}

fn offset(at: usize) -> Result<u32, Error> {
    u32::try_from(at).map_err(|_| Kind::RecordTooLarge.into())
}
