//! The check of a value against its schema: `ConnectSchema.validateValue`, with the path of the value that fails.

use super::{Field, Logical, Schema, Type, Value};
use crate::error::{Error, data::Kind};

/// Checks a value against a schema, as `ConnectSchema.validateValue`.
///
/// A null is legal only when the schema is optional; a default does not help. Logical types, recognised by name, take
/// their own classes instead of the base type's. Inside a struct, a null field is legal when the field is optional or
/// has a default.
///
/// # Errors
/// Data fault; the text carries Java's words and the error the path of the offending value.
pub fn check(schema: &Schema, value: Value<'_>) -> Result<(), Error> {
    check_at(schema, value, &Location::Root)
}

/// Checks what would be put into a field (`Struct.put` and `Struct.validate`).
///
/// # Errors
/// Data fault, as [`check`].
pub fn check_field(field: &Field, value: Value<'_>) -> Result<(), Error> {
    if value.is_null() && field.schema().accepts_absence() {
        return Ok(());
    }
    check_at(field.schema(), value, &Location::Field(field.name()))
        .map_err(|error| error.in_field(field.name()))
}

/// Java's words for where a value stands; they go into the message.
enum Location<'a> {
    Root,
    Field(&'a str),
    Element(&'a Self),
    Key(&'a Self),
    MapValue(&'a Self),
}

impl std::fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => f.write_str("value"),
            Self::Field(name) => write!(f, "field: \"{name}\""),
            Self::Element(of) => write!(f, "element of array {of}"),
            Self::Key(of) => write!(f, "key of map {of}"),
            Self::MapValue(of) => write!(f, "value of map {of}"),
        }
    }
}

fn check_at(schema: &Schema, value: Value<'_>, at: &Location<'_>) -> Result<(), Error> {
    if value.is_null() {
        if schema.is_optional() {
            return Ok(());
        }
        return Err(Kind::NullForRequired {
            location: at.to_string().into(),
            kind: schema.kind(),
        }
        .into());
    }
    if !fits(schema, value) {
        return Err(Kind::WrongClass {
            schema: schema.name().map(Into::into),
            kind: schema.kind(),
            class: value.java_class(),
            location: at.to_string().into(),
        }
        .into());
    }
    match value {
        Value::Struct(structure) => {
            if structure.schema() != schema {
                return Err(Kind::StructSchemasDiffer.into());
            }
            let mut fields = schema.fields().iter().zip(structure.values());
            fields.try_for_each(|(field, value)| check_field(field, value))
        }
        Value::Array(array) => {
            let here = Location::Element(at);
            let element = declared(schema.value_schema(), &here)?;
            array.iter().enumerate().try_for_each(|(index, value)| {
                check_at(element, value, &here).map_err(|error| error.in_element(index))
            })
        }
        Value::Map(map) => {
            let (key_at, value_at) = (Location::Key(at), Location::MapValue(at));
            let key = declared(schema.key_schema(), &key_at)?;
            let value = declared(schema.value_schema(), &value_at)?;
            map.iter().enumerate().try_for_each(|(index, (k, v))| {
                check_at(key, k, &key_at).map_err(|error| error.in_key(index))?;
                check_at(value, v, &value_at).map_err(|error| error.in_map_value(index))
            })
        }
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Float32(_)
        | Value::Float64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Decimal(_)
        | Value::String(_)
        | Value::Bytes(_) => Ok(()),
    }
}

fn declared<'s>(schema: Option<&'s Schema>, at: &Location<'_>) -> Result<&'s Schema, Error> {
    schema.ok_or_else(|| {
        Kind::NoElementSchema {
            location: at.to_string().into(),
        }
        .into()
    })
}

/// Whether the value's class is one that the schema takes.
#[must_use]
pub(crate) fn fits(schema: &Schema, value: Value<'_>) -> bool {
    let any_date = matches!(value, Value::Date(_) | Value::Time(_) | Value::Timestamp(_));
    match schema.logical() {
        Some(Logical::Decimal) => return matches!(value, Value::Decimal(_)),
        Some(Logical::Date | Logical::Time | Logical::Timestamp) => return any_date,
        None => {}
    }
    match schema.kind() {
        Type::Int8 => matches!(value, Value::Int8(_)),
        Type::Int16 => matches!(value, Value::Int16(_)),
        Type::Int32 => matches!(value, Value::Int32(_)),
        Type::Int64 => matches!(value, Value::Int64(_)),
        Type::Float32 => matches!(value, Value::Float32(_)),
        Type::Float64 => matches!(value, Value::Float64(_)),
        Type::Boolean => matches!(value, Value::Boolean(_)),
        Type::String => matches!(value, Value::String(_)),
        Type::Bytes => matches!(value, Value::Bytes(_)),
        Type::Array => matches!(value, Value::Array(_)),
        Type::Map => matches!(value, Value::Map(_)),
        Type::Struct => matches!(value, Value::Struct(_)),
    }
}
