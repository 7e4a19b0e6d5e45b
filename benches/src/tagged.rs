//! Records in the tagged form of the golden vectors, for the JVM program that is measured beside ours.

use ferroconnect_converters::data::{Schema, SchemaAndValue, Value};
use serde_json::{Map, Value as Json, json};

use crate::Sample;

/// One line of the export: `{"name", "config", "schema", "value", "bytes"}`.
#[must_use]
pub fn export(sample: &Sample) -> Json {
    let config: Map<String, Json> = sample
        .format
        .config
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    json!({
        "name": sample.name,
        "config": config,
        "schema": sample.data.schema().map(schema),
        "value": value(sample.data.value()),
        "bytes": hex(&sample.bytes),
    })
}

/// The tagged form of a datum's value.
#[must_use]
pub fn datum(data: &SchemaAndValue) -> Json {
    value(data.value())
}

fn schema(schema: &Schema) -> Json {
    let mut out = Map::new();
    out.insert("type".into(), json!(schema.kind().name()));
    out.insert("optional".into(), json!(schema.is_optional()));
    if let Some(name) = schema.name() {
        out.insert("name".into(), json!(name));
    }
    if let Some(version) = schema.version() {
        out.insert("version".into(), json!(version));
    }
    if let Some(parameters) = schema.parameters() {
        let list = parameters
            .iter()
            .map(|(key, value)| (key.to_string(), json!(**value)));
        out.insert("parameters".into(), Json::Object(list.collect()));
    }
    if !schema.fields().is_empty() {
        let fields = schema.fields().iter();
        let list = fields.map(|f| json!({"name": f.name(), "schema": self::schema(f.schema())}));
        out.insert("fields".into(), list.collect());
    }
    if let Some(keys) = schema.key_schema() {
        out.insert("keys".into(), self::schema(keys));
    }
    if let Some(values) = schema.value_schema() {
        out.insert("values".into(), self::schema(values));
    }
    Json::Object(out)
}

fn value(value: Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(v) => json!({"boolean": v}),
        Value::Int8(v) => json!({"int8": v}),
        Value::Int16(v) => json!({"int16": v}),
        Value::Int32(v) => json!({"int32": v}),
        Value::Int64(v) => json!({"int64": v.to_string()}),
        Value::Float32(v) => {
            json!({"float32": v.to_string(), "bits": format!("{:08x}", v.to_bits())})
        }
        Value::Float64(v) => {
            json!({"float64": v.to_string(), "bits": format!("{:016x}", v.to_bits())})
        }
        Value::Date(v) => json!({"date": v}),
        Value::Time(v) => json!({"time": v}),
        Value::Timestamp(v) => json!({"timestamp": v}),
        Value::Decimal(v) => json!({"decimal": {
            "unscaled": v.unscaled_i128().unwrap_or_default().to_string(), "scale": v.scale(),
        }}),
        Value::String(v) => json!({"string": v}),
        Value::Bytes(v) => json!({"bytes": hex(v)}),
        Value::Array(v) => json!({"array": v.iter().map(self::value).collect::<Vec<_>>()}),
        Value::Map(v) => {
            let entries = v
                .iter()
                .map(|(key, value)| json!([self::value(key), self::value(value)]));
            // Maps that are equal look alike: converters put entries into Java's order.
            let mut entries: Vec<Json> = entries.collect();
            entries.sort_by_key(Json::to_string);
            json!({"map": entries})
        }
        Value::Struct(v) => {
            let fields = v.schema().fields().iter().zip(v.values());
            let list = fields.map(|(field, value)| json!([field.name(), self::value(value)]));
            json!({"struct": list.collect::<Vec<_>>()})
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
