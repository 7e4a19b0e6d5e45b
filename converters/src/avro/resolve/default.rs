//! Defaults in Avro's binary encoding.
//!
//! Source: Avro 1.12 specification, "Binary Encoding" and "Complex Types, Records"; like Avro's Java library, a union's
//! default is one of the first branch that it fits.

use crate::avro::model::{AvroSchema, Fixed, Kind as Type, TypeId};
use crate::json_text::Json;
use crate::limits::{AVRO_DEFAULT_STEPS_MAX, AVRO_PAIR_DEPTH_MAX};
use crate::wire::write_i64;

/// The bytes of a value, or nothing when it is none of the type, or takes too many steps to encode.
pub(super) fn encode(
    schema: &AvroSchema,
    id: TypeId,
    value: &Json,
    steps: &mut usize,
) -> Option<Box<[u8]>> {
    let mut encoder = Encoder {
        schema,
        out: Vec::new(),
        steps,
    };
    encoder.value(id, value, 0)?;
    Some(encoder.out.into())
}

struct Encoder<'a> {
    schema: &'a AvroSchema,
    out: Vec<u8>,
    steps: &'a mut usize,
}

impl Encoder<'_> {
    fn value(&mut self, id: TypeId, value: &Json, depth: usize) -> Option<()> {
        *self.steps += 1;
        if *self.steps > AVRO_DEFAULT_STEPS_MAX || depth > AVRO_PAIR_DEPTH_MAX {
            return None;
        }
        let schema = self.schema;
        match (&schema.get(id).kind, value) {
            (Type::Null, Json::Null) => {}
            (Type::Boolean, Json::Boolean(value)) => self.out.push((*value).into()),
            (Type::Int, value) => self.long(value.as_i32()?.into()),
            (Type::Long, Json::Integer(value)) => self.long(*value),
            (Type::Float, value) => {
                #[expect(clippy::cast_possible_truncation, reason = "as Java narrows it")]
                let value = number(value)? as f32;
                self.out.extend(value.to_le_bytes());
            }
            (Type::Double, value) => self.out.extend(number(value)?.to_le_bytes()),
            (Type::String, Json::Text(text)) => self.bytes(text.as_bytes()),
            (Type::Bytes, Json::Text(text)) => self.bytes(&latin_1(text)),
            (Type::Fixed(Fixed { size, .. }), Json::Text(text)) => {
                // Java cuts it, or fills it up with zeros.
                let mut bytes = latin_1(text);
                bytes.truncate(*size);
                let missing = size - bytes.len();
                if missing > FILL_BYTES_MAX {
                    return None;
                }
                bytes.resize(*size, 0);
                self.out.extend(bytes);
            }
            (Type::Enum(enumeration), Json::Text(text)) => {
                let place = enumeration
                    .symbols
                    .iter()
                    .position(|symbol| symbol == text)?;
                self.long(i64::try_from(place).ok()?);
            }
            (Type::Array(items), Json::Array(values)) => {
                self.count(values.len())?;
                for value in values {
                    self.value(*items, value, depth + 1)?;
                }
                self.out.push(0);
            }
            (Type::Map(items), Json::Object(members)) => {
                self.count(members.len())?;
                for (name, value) in members {
                    self.bytes(name.as_bytes());
                    self.value(*items, value, depth + 1)?;
                }
                self.out.push(0);
            }
            (Type::Record(record), Json::Object(_)) => {
                for field in &record.fields {
                    let inner = value.get(&field.name).or(field.default.as_ref())?;
                    self.value(field.schema, inner, depth + 1)?;
                }
            }
            (Type::Union(branches), value) => return self.union(branches, value, depth),
            (_, _) => return None,
        }
        Some(())
    }

    fn union(&mut self, branches: &[TypeId], value: &Json, depth: usize) -> Option<()> {
        let start = self.out.len();
        for (index, branch) in branches.iter().enumerate() {
            self.long(i64::try_from(index).ok()?);
            if self.value(*branch, value, depth + 1).is_some() {
                return Some(());
            }
            self.out.truncate(start);
        }
        None
    }

    fn long(&mut self, value: i64) {
        write_i64(&mut self.out, value);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // A text lies in memory: its length fits.
        self.long(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        self.out.extend_from_slice(bytes);
    }

    /// The header of the one block, if there is something in it.
    fn count(&mut self, count: usize) -> Option<()> {
        if count > 0 {
            self.long(i64::try_from(count).ok()?);
        }
        Some(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Java widens it")]
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Integer(value) => Some(*value as f64),
        Json::BigInteger(value) => value.to_string().parse().ok(),
        Json::Double(value) => Some(*value),
        Json::Float(value) => Some((*value).into()),
        Json::Null | Json::Boolean(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Each character as one byte; those that are none become question marks, as in Java.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect()
}

/// Zeros that a default of a fixed is filled up with: a schema is short, and its fixed may be two gigabytes.
const FILL_BYTES_MAX: usize = 1_000_000;
