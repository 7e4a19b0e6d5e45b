//! Where nulls stand: a null may be written as the default of its schema, and then a value does not come back as it was.

use ferroconnect_converters::data::{Schema, Value};

/// Whether a default somewhere in the schema holds a null.
#[must_use]
pub fn defaults_hold_null(schema: &Schema) -> bool {
    schema.default_value().is_some_and(holds_null)
        || schema
            .fields()
            .iter()
            .any(|field| defaults_hold_null(field.schema()))
        || schema.key_schema().is_some_and(defaults_hold_null)
        || schema.value_schema().is_some_and(defaults_hold_null)
}

/// Whether a null stands somewhere in the value.
#[must_use]
pub fn holds_null(value: Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(holds_null),
        Value::Map(map) => map.iter().any(|(k, v)| holds_null(k) || holds_null(v)),
        Value::Struct(fields) => fields.values().any(holds_null),
        Value::Boolean(_)
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
        | Value::Bytes(_) => false,
    }
}
