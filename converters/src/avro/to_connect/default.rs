//! Defaults: from JSON in a schema to a Connect value.
//!
//! As lenient as Java: what has the wrong kind reads as 0, false or its text, the way Jackson's nodes give a value
//! when asked for another kind. The result is checked against the schema like any default.

use std::borrow::Cow;
use std::cell::Cell;

use num_bigint::BigInt;

use super::parts::entry;
use super::{is_map_entry, is_null, stands_for};
use crate::avro::{AvroDataConfig, AvroSchema, Kind as Avro, Record, TypeId};
use crate::data::hash_order;
use crate::data::{
    Builder, DecimalRef, Logical, Schema, SchemaAndValue, Type, logical, number_text,
};
use crate::error::{Error, avro_read::Kind};
use crate::json_text::Json;

/// Reads defaults of one Avro schema.
#[derive(Clone, Copy)]
pub(in crate::avro) struct Defaults<'a> {
    pub(in crate::avro) avro: &'a AvroSchema,
    pub(in crate::avro) config: &'a AvroDataConfig,
    /// Steps so far, in all defaults of the schema.
    pub(in crate::avro) steps: &'a Cell<usize>,
    /// Levels of values above.
    pub(in crate::avro) depth: usize,
}

impl Defaults<'_> {
    /// The default that `json` stands for, of the type `id` whose Connect schema is `schema`.
    pub(in crate::avro) fn datum(
        self,
        schema: &Schema,
        id: TypeId,
        json: &Json,
    ) -> Result<SchemaAndValue, Error> {
        let mut out = Builder::new(Some(schema.clone()));
        self.put(schema, id, json, &mut out)?;
        out.finish()
    }

    fn put(self, schema: &Schema, id: TypeId, json: &Json, out: &mut Builder) -> Result<(), Error> {
        let below = self.below().ok_or(Kind::DefaultTooLarge)?;
        if *json == Json::Null {
            out.null();
            return Ok(());
        }
        match &self.avro.get(id).kind {
            Avro::Null => {
                out.null();
                Ok(())
            }
            Avro::Union(branches) => below.union(schema, branches, json, out),
            Avro::Record(record) => below.record(schema, record, json, out),
            Avro::Array(item) if is_map_entry(self.avro, *item) => {
                below.entries(schema, *item, json, out)
            }
            Avro::Array(item) => below.array(schema, *item, json, out),
            Avro::Map(values) => below.map(schema, *values, json, out),
            Avro::Boolean
            | Avro::Int
            | Avro::Long
            | Avro::Float
            | Avro::Double
            | Avro::Bytes
            | Avro::String
            | Avro::Enum(_)
            | Avro::Fixed(_) => leaf(schema, &self.avro.get(id).kind, json, out),
        }
    }

    /// A default of a union is one of the first branch that it fits; what fits none is taken for one of the first.
    fn union(
        self,
        schema: &Schema,
        branches: &[TypeId],
        json: &Json,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let fitting = branches.iter().find(|branch| self.fits(**branch, json));
        let Some(branch) = fitting.or(branches.first()) else {
            out.null();
            return Ok(());
        };
        if stands_for(self.avro, branches, self.config).is_some() || is_null(self.avro, *branch) {
            return self.put(schema, *branch, json, out);
        }
        let before = branches.iter().take_while(|known| *known != branch);
        let index = before.filter(|known| !is_null(self.avro, **known)).count();
        let field = schema.fields().get(index).ok_or(Kind::NoUnionField)?;
        out.begin_struct(schema);
        out.field(index);
        self.put(field.schema(), *branch, json, out)?;
        out.end_struct();
        Ok(())
    }

    fn record(
        self,
        schema: &Schema,
        record: &Record,
        json: &Json,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let Json::Object(members) = json else {
            return Err(Kind::DefaultShape { of: "record" }.into());
        };
        out.begin_struct(schema);
        for (field, connect) in record.fields.iter().zip(schema.fields()) {
            let given = members.iter().find(|(name, _)| *name == field.name);
            let value = given.map(|(_, value)| value).or(field.default.as_ref());
            self.put(
                connect.schema(),
                field.schema,
                value.unwrap_or(&Json::Null),
                out,
            )
            .map_err(|error| error.in_field(&field.name))?;
        }
        out.end_struct();
        Ok(())
    }

    fn array(
        self,
        schema: &Schema,
        item: TypeId,
        json: &Json,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let (Json::Array(elements), Some(element)) = (json, schema.value_schema()) else {
            return Err(Kind::DefaultShape { of: "array" }.into());
        };
        out.begin_array();
        for json in elements {
            self.put(element, item, json, out)?;
        }
        out.end_array();
        Ok(())
    }

    /// A map with text keys, in the order of a `HashMap`.
    fn map(
        self,
        schema: &Schema,
        values: TypeId,
        json: &Json,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let (Json::Object(members), Some(value)) = (json, schema.value_schema()) else {
            return Err(Kind::DefaultShape { of: "map" }.into());
        };
        let hashes: Vec<i32> = (members.iter())
            .map(|(name, _)| hash_order::string_hash(name))
            .collect();
        let mut order = Vec::new();
        hash_order::presized_order(&hashes, hashes.len(), &mut order);
        out.begin_map();
        for index in order {
            let (name, json) = &members[index as usize];
            out.string(name);
            self.put(value, values, json, out)?;
        }
        out.end_map();
        Ok(())
    }

    /// A map that is a list of entries: pairs in an array, or objects with key and value.
    fn entries(
        self,
        schema: &Schema,
        item: TypeId,
        json: &Json,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let shape = || Error::from(Kind::DefaultShape { of: "map" });
        let (Json::Array(elements), Some((key, value))) = (json, entry(&self.avro.get(item).kind))
        else {
            return Err(shape());
        };
        let (Some(keys), Some(values)) = (schema.key_schema(), schema.value_schema()) else {
            return Err(shape());
        };
        out.begin_map();
        for element in elements {
            let (k, v) = match element {
                Json::Array(pair) => match &**pair {
                    [k, v] => (k, v),
                    _ => return Err(shape()),
                },
                Json::Object(_) => (
                    member(element, super::words::KEY_FIELD).ok_or_else(shape)?,
                    member(element, super::words::VALUE_FIELD).ok_or_else(shape)?,
                ),
                Json::Null
                | Json::Boolean(_)
                | Json::Integer(_)
                | Json::BigInteger(_)
                | Json::Double(_)
                | Json::Float(_)
                | Json::Text(_) => return Err(shape()),
            };
            self.put(keys, key, k, out)?;
            self.put(values, value, v, out)?;
        }
        out.end_map();
        Ok(())
    }
}

fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    let Json::Object(members) = json else {
        return None;
    };
    members
        .iter()
        .find(|(key, _)| &**key == name)
        .map(|(_, value)| value)
}

fn leaf(schema: &Schema, avro: &Avro, json: &Json, out: &mut Builder) -> Result<(), Error> {
    match schema.logical() {
        Some(Logical::Decimal) => {
            let bytes = latin1(json)?;
            if bytes.is_empty() {
                return Err(Kind::EmptyDecimal.into());
            }
            out.decimal(DecimalRef::from_be_bytes(&bytes, schema.decimal_scale()?));
            return Ok(());
        }
        Some(Logical::Date) => {
            out.date(logical::date_from_days(int_value(json)));
            return Ok(());
        }
        Some(Logical::Time) => {
            out.time(logical::time_from_millis(int_value(json))?);
            return Ok(());
        }
        Some(Logical::Timestamp) => {
            out.timestamp(long_value(json));
            return Ok(());
        }
        None => {}
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Java narrows to the low bits"
    )]
    match schema.kind() {
        Type::Int8 => out.int8(int_value(json) as i8),
        Type::Int16 => out.int16(int_value(json) as i16),
        Type::Int32 => out.int32(int_value(json)),
        Type::Int64 => out.int64(long_value(json)),
        Type::Float32 => out.float32(double_value(json) as f32),
        Type::Float64 => out.float64(double_value(json)),
        Type::Boolean => out.boolean(boolean_value(json)),
        Type::String => out.string(&java_text(json)),
        Type::Bytes => out.bytes(&latin1(json)?),
        Type::Array | Type::Map | Type::Struct => {
            return Err(Kind::DefaultShape { of: avro.word() }.into());
        }
    };
    Ok(())
}

/// Bytes in the way of Avro's defaults: each character one byte.
fn latin1(json: &Json) -> Result<Vec<u8>, Error> {
    let Some(text) = super::text(Some(json)) else {
        return Err(Kind::DefaultBytes.into());
    };
    // `String.getBytes(ISO_8859_1)` writes `?` for what the character set has not.
    Ok(text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect())
}

pub(super) const fn is_number(json: &Json) -> bool {
    matches!(
        json,
        Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_)
    )
}

/// `JsonNode.intValue`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Java keeps the low bits of integers and saturates doubles"
)]
pub(super) fn int_value(json: &Json) -> i32 {
    match json {
        Json::Integer(value) => *value as i32,
        Json::BigInteger(value) => low_64(value) as i32,
        Json::Double(value) => *value as i32,
        Json::Float(value) => *value as i32,
        Json::Null | Json::Boolean(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => 0,
    }
}

/// `JsonNode.longValue`.
#[expect(clippy::cast_possible_truncation, reason = "Java saturates doubles")]
fn long_value(json: &Json) -> i64 {
    match json {
        Json::Integer(value) => *value,
        Json::BigInteger(value) => low_64(value),
        Json::Double(value) => *value as i64,
        Json::Float(value) => *value as i64,
        Json::Null | Json::Boolean(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => 0,
    }
}

/// `BigInteger.longValue`: the low 64 bits of the two's complement.
fn low_64(value: &BigInt) -> i64 {
    let bytes = value.to_signed_bytes_le();
    let fill = if value.sign() == num_bigint::Sign::Minus {
        0xff
    } else {
        0
    };
    let mut low = [fill; 8];
    for (place, byte) in low.iter_mut().zip(bytes) {
        *place = byte;
    }
    i64::from_le_bytes(low)
}

/// `JsonNode.doubleValue`; `NaN` and the infinities also in quotes, as Avro writes them.
#[expect(clippy::cast_precision_loss, reason = "as Java's long to double")]
fn double_value(json: &Json) -> f64 {
    match json {
        Json::Integer(value) => *value as f64,
        Json::BigInteger(value) => value.to_string().parse().unwrap_or(f64::NAN),
        Json::Double(value) => *value,
        Json::Float(value) => (*value).into(),
        Json::Text(text) => match &**text {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => 0.0,
        },
        Json::Null | Json::Boolean(_) | Json::Array(_) | Json::Object(_) => 0.0,
    }
}

/// `JsonNode.asBoolean`.
fn boolean_value(json: &Json) -> bool {
    match json {
        Json::Boolean(value) => *value,
        Json::Integer(value) => *value != 0,
        Json::Text(text) => text.trim() == "true",
        Json::Null
        | Json::BigInteger(_)
        | Json::Double(_)
        | Json::Float(_)
        | Json::Array(_)
        | Json::Object(_) => false,
    }
}

/// `JsonNode.asText`: nothing for arrays and objects.
pub(super) fn java_text(json: &Json) -> Cow<'_, str> {
    let mut out = Vec::new();
    match json {
        Json::Text(text) => return Cow::Borrowed(text),
        Json::Null => return Cow::Borrowed("null"),
        Json::Boolean(true) => return Cow::Borrowed("true"),
        Json::Boolean(false) => return Cow::Borrowed("false"),
        Json::Integer(value) => return Cow::Owned(value.to_string()),
        Json::BigInteger(value) => return Cow::Owned(value.to_string()),
        Json::Double(value) => number_text::write_any_f64(*value, &mut out),
        Json::Float(value) => number_text::write_any_f32(*value, &mut out),
        Json::Array(_) | Json::Object(_) => {}
    }
    Cow::Owned(String::from_utf8(out).unwrap_or_default())
}

/// The kind of a JSON value, for errors.
pub(super) const fn word(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Boolean(_) => "a boolean",
        Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_) => "a number",
        Json::Text(_) => "text",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}
