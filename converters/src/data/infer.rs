//! [`infer_schema`]: which schema a value without one would have.

use super::{Schema, SchemaBuilder, Value, logical};

/// The schema that a value's own type implies (`Values.inferSchema`): required, without a name unless it is logical.
///
/// Arrays and maps have one when all their elements imply the same; `None` for null, for an empty container, and when elements
/// disagree. A date without a schema is a timestamp when it is a [`Value::Timestamp`].
///
/// ```
/// use ferroconnect_converters::data::{Schema, Value, infer_schema};
///
/// assert_eq!(infer_schema(Value::Int16(3)), Some(Schema::int16()));
/// assert_eq!(infer_schema(Value::Null), None);
/// ```
#[must_use]
pub fn infer_schema(value: Value<'_>) -> Option<Schema> {
    match value {
        Value::Null => None,
        Value::Boolean(_) => Some(Schema::boolean()),
        Value::Int8(_) => Some(Schema::int8()),
        Value::Int16(_) => Some(Schema::int16()),
        Value::Int32(_) => Some(Schema::int32()),
        Value::Int64(_) => Some(Schema::int64()),
        Value::Float32(_) => Some(Schema::float32()),
        Value::Float64(_) => Some(Schema::float64()),
        Value::Date(_) => logical::date().build().ok(),
        Value::Time(_) => logical::time().build().ok(),
        Value::Timestamp(_) => logical::timestamp().build().ok(),
        Value::Decimal(v) => logical::decimal(v.scale()).build().ok(),
        Value::String(_) => Some(Schema::string()),
        Value::Bytes(_) => Some(Schema::bytes()),
        Value::Array(array) => {
            let element = common(array.iter())?;
            SchemaBuilder::array(element).build().ok()
        }
        Value::Map(map) => {
            let key = common(map.iter().map(|(key, _)| key))?;
            let value = common(map.iter().map(|(_, value)| value))?;
            SchemaBuilder::map(key, value).build().ok()
        }
        Value::Struct(structure) => Some(structure.schema().clone()),
    }
}

fn common<'a>(mut values: impl Iterator<Item = Value<'a>>) -> Option<Schema> {
    let first = infer_schema(values.next()?)?;
    values
        .all(|value| infer_schema(value).as_ref() == Some(&first))
        .then_some(first)
}
