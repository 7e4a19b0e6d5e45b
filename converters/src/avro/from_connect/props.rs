//! Attributes that carry what Avro has no place for: `connect.*`, `logicalType`, and parameters that begin with `avro`.

use super::super::{AvroDataConfig, Kind as Avro, Props};
use super::{FIELD_DEFAULT, PRECISION, PRECISION_DEFAULT, SCALE, defaults};
use crate::data::logical::{DATE_NAME, DECIMAL_NAME, TIME_NAME, TIMESTAMP_NAME};
use crate::data::{Schema, Type};
use crate::error::{Error, avro_write::Kind};
use crate::json_text::Json;

/// Adds the attributes of a schema to its type; their order is part of the registered text.
pub(super) fn of_schema(
    schema: &Schema,
    kind: &Avro,
    config: &AvroDataConfig,
    props: &mut Props,
) -> Result<(), Error> {
    if config.connect_meta_data {
        of_connect(schema, config, props)?;
    }
    if let Some(logical) = logical_type(schema, kind)? {
        props.add("logicalType", Json::Text(logical.into()));
    }
    for (name, value) in schema.parameters().unwrap_or_default() {
        if name.starts_with("avro") {
            props.add(name, Json::Text(value.clone()));
        }
    }
    Ok(())
}

fn of_connect(schema: &Schema, config: &AvroDataConfig, props: &mut Props) -> Result<(), Error> {
    if let Some(doc) = schema.doc() {
        props.add("connect.doc", Json::Text(doc.into()));
    }
    if let Some(version) = schema.version() {
        props.add("connect.version", Json::Integer(version.into()));
    }
    if let Some(parameters) = parameters(schema, config) {
        props.add("connect.parameters", parameters);
    }
    // A default that came from an Avro field goes back there, and only there.
    let of_field = schema.parameter(FIELD_DEFAULT).is_some() && !config.discard_type_doc_default;
    if let Some(default) = schema.default_value()
        && !default.is_null()
        && !of_field
    {
        props.add(
            "connect.default",
            defaults::to_json(schema, default, config)?,
        );
    }
    if let Some(name) = schema.name() {
        props.add("connect.name", Json::Text(name.into()));
    }
    let narrow = match schema.kind() {
        Type::Int8 => "int8",
        Type::Int16 => "int16",
        Type::Int32
        | Type::Int64
        | Type::Float32
        | Type::Float64
        | Type::Boolean
        | Type::String
        | Type::Bytes
        | Type::Array
        | Type::Map
        | Type::Struct => return Ok(()),
    };
    props.add("connect.type", Json::Text(narrow.into()));
    Ok(())
}

/// The parameters as an object; the mark of a field's default is ours and is left out.
pub(super) fn parameters(schema: &Schema, config: &AvroDataConfig) -> Option<Json> {
    let members: Vec<(Box<str>, Json)> = schema
        .parameters()?
        .iter()
        .filter(|(name, _)| config.discard_type_doc_default || &**name != FIELD_DEFAULT)
        .map(|(name, value)| (name.clone(), Json::Text(value.clone())))
        .collect();
    (!members.is_empty()).then_some(Json::Object(members))
}

/// Whether the schema has the name of a logical type, in any case.
pub(super) fn is_logical(schema: &Schema, name: &str) -> bool {
    schema
        .name()
        .is_some_and(|own| own.eq_ignore_ascii_case(name))
}

/// A parameter that must be a number.
pub(super) fn number(schema: &Schema, name: &'static str) -> Result<Option<i32>, Error> {
    let Some(text) = schema.parameter(name) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(Kind::ParameterNotANumber {
            name,
            text: text.into(),
        }
        .into()),
    }
}

/// Avro's word for the logical type, where the type underneath can have it.
fn logical_type(schema: &Schema, kind: &Avro) -> Result<Option<&'static str>, Error> {
    if is_logical(schema, DECIMAL_NAME) {
        check_decimal(schema, kind)?;
        return Ok(Some("decimal"));
    }
    let table = [
        (DATE_NAME, "date", matches!(kind, Avro::Int)),
        (TIME_NAME, "time-millis", matches!(kind, Avro::Int)),
        (
            TIMESTAMP_NAME,
            "timestamp-millis",
            matches!(kind, Avro::Long),
        ),
    ];
    let Some((_, word, fits)) = table
        .into_iter()
        .find(|(name, _, _)| is_logical(schema, name))
    else {
        return Ok(None);
    };
    match fits {
        true => Ok(Some(word)),
        false => Err(Kind::LogicalMisplaced {
            logical: word,
            kind: kind.word(),
        }
        .into()),
    }
}

/// A scale below 0 or above the precision is no decimal of Avro's, and is written all the same; anything else must fit.
fn check_decimal(schema: &Schema, kind: &Avro) -> Result<(), Error> {
    let scale = number(schema, SCALE)?.unwrap_or(0);
    let precision = number(schema, PRECISION)?.unwrap_or(PRECISION_DEFAULT);
    if scale < 0 || scale > precision {
        return Ok(());
    }
    let max = match kind {
        Avro::Bytes => i32::MAX,
        Avro::Fixed(fixed) => digits_of(fixed.size),
        Avro::Null
        | Avro::Boolean
        | Avro::Int
        | Avro::Long
        | Avro::Float
        | Avro::Double
        | Avro::String
        | Avro::Record(_)
        | Avro::Enum(_)
        | Avro::Array(_)
        | Avro::Map(_)
        | Avro::Union(_) => {
            return Err(Kind::LogicalMisplaced {
                logical: "decimal",
                kind: kind.word(),
            }
            .into());
        }
    };
    match precision >= 1 && precision <= max {
        true => Ok(()),
        false => Err(Kind::PrecisionTooLarge { precision, max }.into()),
    }
}

/// Decimal digits that every number of so many bytes has: `floor(log10(2^(8n-1)))`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "sizes of fixed are far below 2^52, and the cast saturates"
)]
fn digits_of(size: usize) -> i32 {
    (std::f64::consts::LOG10_2 * (size as f64).mul_add(8.0, -1.0)).floor() as i32
}
