//! Defaults of Connect schemas as JSON, and whether Avro takes them.

use super::super::{AvroDataConfig, AvroSchemaBuilder, Kind as Avro, TypeId};
use super::{is_text_map, is_union, scrub};
use crate::data::logical::{date_to_days, time_to_millis};
use crate::data::{Logical, Schema, Type, Value, check::fits, logical::check_decimal_scale};
use crate::error::{Error, avro_write::Kind};
use crate::json_text::Json;
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

/// A default as it stands in a schema text: bytes are text of one character each, logical values what lies below them.
pub(super) fn to_json(
    schema: &Schema,
    value: Value<'_>,
    config: &AvroDataConfig,
) -> Result<Json, Error> {
    if value.is_null() {
        return Ok(Json::Null);
    }
    if !fits(schema, value) {
        let class = value.java_class();
        return Err(Kind::DefaultOfWrongClass {
            kind: schema.kind(),
            class,
        }
        .into());
    }
    Ok(match value {
        Value::Null => Json::Null,
        Value::Boolean(v) => Json::Boolean(v),
        Value::Int8(v) => Json::Integer(v.into()),
        Value::Int16(v) => Json::Integer(v.into()),
        Value::Int32(v) => Json::Integer(v.into()),
        Value::Int64(v) => Json::Integer(v),
        Value::Float32(v) => Json::Float(v),
        Value::Float64(v) => Json::Double(v),
        Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => {
            Json::Integer(match schema.logical() {
                Some(Logical::Date) => date_to_days(v)?.into(),
                Some(Logical::Time) => time_to_millis(v)?.into(),
                Some(Logical::Timestamp | Logical::Decimal) | None => v,
            })
        }
        Value::Decimal(v) => {
            check_decimal_scale(schema, v)?;
            Json::Text(v.with_be_bytes(latin_1))
        }
        Value::String(v) => Json::Text(v.into()),
        Value::Bytes(v) => Json::Text(latin_1(v)),
        Value::Array(v) => {
            let elements = v
                .iter()
                .map(|element| to_json_in(schema.value_schema(), element, config));
            Json::Array(elements.collect::<Result<_, _>>()?)
        }
        Value::Map(v) => map(schema, v, config)?,
        Value::Struct(v) => structure(schema, v, config)?,
    })
}

fn to_json_in(
    schema: Option<&Schema>,
    value: Value<'_>,
    config: &AvroDataConfig,
) -> Result<Json, Error> {
    match schema {
        Some(schema) => to_json(schema, value, config),
        None => Err(Kind::DefaultOfWrongClass {
            kind: Type::Array,
            class: value.java_class(),
        }
        .into()),
    }
}

fn map(schema: &Schema, map: crate::data::Map<'_>, config: &AvroDataConfig) -> Result<Json, Error> {
    if is_text_map(schema, config) {
        let entry = |(key, value): (Value<'_>, Value<'_>)| {
            let key = key.as_str().unwrap_or("null").into();
            Ok((key, to_json_in(schema.value_schema(), value, config)?))
        };
        return Ok(Json::Object(
            map.iter().map(entry).collect::<Result<_, Error>>()?,
        ));
    }
    let entry = |(key, value): (Value<'_>, Value<'_>)| {
        let key = to_json_in(schema.key_schema(), key, config)?;
        Ok(Json::Array(vec![
            key,
            to_json_in(schema.value_schema(), value, config)?,
        ]))
    };
    Ok(Json::Array(
        map.iter().map(entry).collect::<Result<_, Error>>()?,
    ))
}

/// Of a struct that stands for a union only the first member counts: a default of Avro belongs to the first branch.
fn structure(
    schema: &Schema,
    value: crate::data::Struct<'_>,
    config: &AvroDataConfig,
) -> Result<Json, Error> {
    let mut members = Vec::new();
    for field in schema.fields() {
        let stored = value.get(field.name()).unwrap_or(Value::Null);
        let member = to_json(field.schema(), stored, config)?;
        if is_union(schema) {
            return Ok(member);
        }
        members.push((
            scrub(field.name(), config.scrub_invalid_names).into(),
            member,
        ));
    }
    Ok(Json::Object(members))
}

/// ISO 8859-1.
fn latin_1(bytes: &[u8]) -> Box<str> {
    bytes
        .iter()
        .map(|byte| char::from(*byte))
        .collect::<String>()
        .into()
}

/// Whether a field of this type may have that default. What does not fit is left out: a struct in an optional field, for
/// one, since a union's default belongs to its first branch.
pub(super) fn fits_field(types: &AvroSchemaBuilder, id: TypeId, default: &Json) -> bool {
    let first = match &types.get(id).kind {
        Avro::Union(branches) => branches.first().copied(),
        Avro::Null
        | Avro::Boolean
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
        | Avro::Map(_) => Some(id),
    };
    first.is_some_and(|id| fits_type(types, id, default, 0))
}

fn fits_type(types: &AvroSchemaBuilder, id: TypeId, value: &Json, depth: usize) -> bool {
    if depth > AVRO_SCHEMA_DEPTH_MAX {
        return false;
    }
    match (&types.get(id).kind, value) {
        (Avro::Null, Json::Null)
        | (Avro::Boolean, Json::Boolean(_))
        | (Avro::Long, Json::Integer(_))
        | (Avro::Bytes | Avro::String | Avro::Enum(_) | Avro::Fixed(_), Json::Text(_))
        | (
            Avro::Float | Avro::Double,
            Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_),
        ) => true,
        (Avro::Int, value) => value.as_i32().is_some(),
        (Avro::Union(branches), value) => branches
            .iter()
            .any(|branch| fits_type(types, *branch, value, depth + 1)),
        (Avro::Array(items), Json::Array(values)) => values
            .iter()
            .all(|value| fits_type(types, *items, value, depth + 1)),
        (Avro::Map(values), Json::Object(members)) => members
            .iter()
            .all(|(_, value)| fits_type(types, *values, value, depth + 1)),
        (Avro::Record(record), Json::Object(members)) => record.fields.iter().all(|field| {
            let given = members.iter().find(|(name, _)| *name == field.name);
            let value = given.map(|(_, value)| value).or(field.default.as_ref());
            value.is_some_and(|value| fits_type(types, field.schema, value, depth + 1))
        }),
        (
            Avro::Null
            | Avro::Boolean
            | Avro::Long
            | Avro::Float
            | Avro::Double
            | Avro::Bytes
            | Avro::String
            | Avro::Record(_)
            | Avro::Enum(_)
            | Avro::Fixed(_)
            | Avro::Array(_)
            | Avro::Map(_),
            _,
        ) => false,
    }
}
