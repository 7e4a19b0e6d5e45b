//! Defaults of fields: protobuf-java reads their texts when it builds a descriptor, although proto3 has no words for them.

use super::linked::{Scalar, invalid};
use crate::data::{Schema, Value};
use crate::error::Error;

/// Refuses a default that no field of that type can have.
pub(super) fn check_scalar(schema: &Schema, scalar: Scalar) -> Result<(), Error> {
    let Some(default) = schema.default_value() else {
        return Ok(());
    };
    let number = if let Value::Int8(v) = default {
        v.into()
    } else if let Value::Int16(v) = default {
        v.into()
    } else if let Value::Int32(v) = default {
        v.into()
    } else if let Value::Int64(v) = default {
        v
    } else {
        return Ok(());
    };
    let fits = match scalar {
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => i32::try_from(number).is_ok(),
        Scalar::Uint32 | Scalar::Fixed32 => u32::try_from(number).is_ok(),
        Scalar::Uint64 | Scalar::Fixed64 => number >= 0,
        Scalar::Int64
        | Scalar::Sint64
        | Scalar::Sfixed64
        | Scalar::Double
        | Scalar::Float
        | Scalar::String
        | Scalar::Bytes => true,
        Scalar::Bool => false,
    };
    if fits {
        return Ok(());
    }
    let word = scalar.word();
    Err(invalid(format!("Could not parse default value as {word}")))
}

/// Refuses a default that is no symbol of the enum.
pub(super) fn check_symbol(schema: &Schema, parameter: &str) -> Result<(), Error> {
    let Some(default) = schema.default_value() else {
        return Ok(());
    };
    let is_symbol = default
        .as_str()
        .is_some_and(|symbol| schema.parameter(&format!("{parameter}.{symbol}")).is_some());
    if is_symbol {
        return Ok(());
    }
    Err(invalid("Unknown enum default value".into()))
}
