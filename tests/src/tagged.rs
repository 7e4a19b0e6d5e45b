//! The tagged form of schemas and values that the golden vectors use, to and from the data model.
//!
//! A schema is `{"type":"int32","optional":false}` with `name`, `version`, `doc`, `default`, `parameters`, `fields`,
//! `keys` and `values` where it has them. A value carries its Java class as its tag: `{"int8":1}`, `{"int64":"5"}`,
//! `{"float32":"1.5","bits":"3fc00000"}`, `{"bytes":"00ff"}`, `{"decimal":{"unscaled":"150","scale":2}}`,
//! `{"array":[…]}`, `{"map":[[k,v],…]}`, `{"struct":[[field,value],…]}`; null is `null`.

use ferroconnect_converters::Error;
use ferroconnect_converters::data::{
    Builder, Decimal, DecimalRef, Knot, KnotId, Recursion, Schema, SchemaAndValue, SchemaBuilder,
    Type, Value,
};
use serde_json::{Map, Value as Json, json};

/// Why a tagged form has no counterpart in the data model.
#[derive(Debug)]
pub enum Reject {
    /// Text with half a surrogate pair: no Unicode text, so no Rust text.
    LoneSurrogate,
    /// A `ByteBuffer` that shows only a part of its array: our bytes are what they show.
    BufferWindow,
    /// Not the tagged form.
    Malformed(String),
    /// The data model refuses it.
    Refused(Error),
}

impl From<Error> for Reject {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

fn malformed<T>(what: &str, found: &Json) -> Result<T, Reject> {
    Err(Reject::Malformed(format!("{what}: {found}")))
}

/// All types, for finding one by its name.
const TYPES: [Type; 12] = [
    Type::Int8,
    Type::Int16,
    Type::Int32,
    Type::Int64,
    Type::Float32,
    Type::Float64,
    Type::Boolean,
    Type::String,
    Type::Bytes,
    Type::Array,
    Type::Map,
    Type::Struct,
];

/// Reads a tagged schema; JSON null is no schema.
///
/// # Errors
/// The form is wrong, or the data model has no such schema.
pub fn schema_from(form: &Json) -> Result<Option<Schema>, Reject> {
    let mut knot = Knot::new();
    match part_from(form, &mut knot, &mut Vec::new())? {
        Some(schema) => Ok(Some(knot.tie(schema)?)),
        None => Ok(None),
    }
}

/// Reads a schema inside those of `path`, which `{"ref": i}` means by their place.
fn part_from(
    form: &Json,
    knot: &mut Knot,
    path: &mut Vec<KnotId>,
) -> Result<Option<Schema>, Reject> {
    if form.is_null() {
        return Ok(None);
    }
    if let Some(place) = form.get("ref") {
        let place = place.as_u64().and_then(|place| usize::try_from(place).ok());
        return match place.and_then(|place| path.get(place)) {
            Some(id) => Ok(Some(knot.reference(*id, form["optional"] == true))),
            None => malformed("a reference to no schema", form),
        };
    }
    let id = knot.reserve();
    path.push(id);
    let schema = definition_from(form, knot, path)?;
    path.pop();
    Ok(Some(knot.define(id, schema)))
}

fn definition_from(form: &Json, knot: &mut Knot, path: &mut Vec<KnotId>) -> Result<Schema, Reject> {
    let name = form.get("type").and_then(Json::as_str);
    let Some(kind) = name.and_then(|name| TYPES.into_iter().find(|t| t.name() == name)) else {
        return malformed("no schema type", form);
    };
    let mut child = |key: &str| {
        form.get(key)
            .map_or(Ok(None), |part| part_from(part, knot, path))
    };
    let mut builder = match kind {
        Type::Array => SchemaBuilder::open_array(child("values")?),
        Type::Map => SchemaBuilder::open_map(child("keys")?, child("values")?),
        Type::Int8
        | Type::Int16
        | Type::Int32
        | Type::Int64
        | Type::Float32
        | Type::Float64
        | Type::Boolean
        | Type::String
        | Type::Bytes
        | Type::Struct => SchemaBuilder::of(kind),
    };
    let mut child_of = |field: &Json| part_from(&field["schema"], knot, path);
    for field in form
        .get("fields")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
    {
        let (Some(name), Some(schema)) = (field["name"].as_str(), child_of(field)?) else {
            return malformed("no field", field);
        };
        builder = builder.field(name, schema);
    }
    attributes(builder, form)
}

fn attributes(mut builder: SchemaBuilder, form: &Json) -> Result<Schema, Reject> {
    if form["optional"].as_bool() == Some(true) {
        builder = builder.optional();
    }
    if let Some(name) = form["name"].as_str() {
        builder = builder.name(name);
    }
    if let Some(version) = form["version"].as_i64() {
        builder = builder.version(narrow(version, form)?);
    }
    if let Some(doc) = form["doc"].as_str() {
        builder = builder.doc(doc);
    }
    if let Some(parameters) = form["parameters"].as_object() {
        let entries = parameters
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str().unwrap_or_default()));
        builder = builder.parameters(entries);
    }
    let Some(default) = form.get("default") else {
        return Ok(builder.build()?);
    };
    // The default is laid out under the schema it belongs to; build that one first.
    let mut bare = form.clone();
    if let Some(members) = bare.as_object_mut() {
        members.remove("default");
    }
    let bare = schema_from(&bare)?;
    Ok(builder.default_value(value_from(bare, default)?).build()?)
}

fn narrow<T: TryFrom<i64>>(number: i64, form: &Json) -> Result<T, Reject> {
    T::try_from(number).or_else(|_| malformed("number out of range", form))
}

/// Reads a tagged value under a schema.
///
/// # Errors
/// The form is wrong, or the data model has no such value.
pub fn value_from(schema: Option<Schema>, form: &Json) -> Result<SchemaAndValue, Reject> {
    let mut out = Builder::new(schema.clone());
    put(&mut out, schema.as_ref(), form)?;
    Ok(out.finish()?)
}

fn put(out: &mut Builder, schema: Option<&Schema>, form: &Json) -> Result<(), Reject> {
    if form.is_null() {
        out.null();
        return Ok(());
    }
    let Some((tag, content)) = form.as_object().and_then(|members| members.iter().next()) else {
        return malformed("no tagged value", form);
    };
    match tag.as_str() {
        "boolean" => out.boolean(content.as_bool().unwrap_or_default()),
        "int8" => out.int8(narrow(integer(content)?, form)?),
        "int16" => out.int16(narrow(integer(content)?, form)?),
        "int32" => out.int32(narrow(integer(content)?, form)?),
        "int64" => out.int64(integer(content)?),
        "float32" => out.float32(f32::from_bits(narrow_bits(form)?)),
        "float64" => out.float64(f64::from_bits(bits(form)?)),
        "date" => out.date(integer(content)?),
        "time" => out.time(integer(content)?),
        "timestamp" => out.timestamp(integer(content)?),
        "decimal" => out.decimal(decimal(content)?.view()),
        "string" => match content.as_str() {
            Some(text) => out.string(text),
            None => return malformed("no text", form),
        },
        "utf16" => return Err(Reject::LoneSurrogate),
        "bytes" if form.get("backing").is_some() => return Err(Reject::BufferWindow),
        "bytes" => out.bytes(&hex(content)?),
        "array" => return put_array(out, schema, content),
        "map" => return put_map(out, schema, content),
        "struct" => return put_struct(out, schema, form),
        _ => return malformed("unknown tag", form),
    };
    Ok(())
}

fn put_array(out: &mut Builder, schema: Option<&Schema>, content: &Json) -> Result<(), Reject> {
    out.begin_array();
    for element in content.as_array().into_iter().flatten() {
        put(out, schema.and_then(Schema::value_schema), element)?;
    }
    out.end_array();
    Ok(())
}

fn put_map(out: &mut Builder, schema: Option<&Schema>, content: &Json) -> Result<(), Reject> {
    out.begin_map();
    for entry in content.as_array().into_iter().flatten() {
        put(out, schema.and_then(Schema::key_schema), &entry[0])?;
        put(out, schema.and_then(Schema::value_schema), &entry[1])?;
    }
    out.end_map();
    Ok(())
}

fn put_struct(out: &mut Builder, declared: Option<&Schema>, form: &Json) -> Result<(), Reject> {
    let own = form.get("schema").map_or(Ok(None), schema_from)?;
    let Some(schema) = own.as_ref().or(declared) else {
        return malformed("a struct without a schema", form);
    };
    out.begin_struct(schema);
    for entry in form["struct"].as_array().into_iter().flatten() {
        let Some(field) = entry[0].as_str().and_then(|name| schema.field(name)) else {
            return malformed("no such field", entry);
        };
        out.field(field.index());
        put(out, Some(field.schema()), &entry[1])?;
    }
    out.end_struct();
    Ok(())
}

fn integer(form: &Json) -> Result<i64, Reject> {
    let text = form.as_str().and_then(|text| text.parse().ok());
    match form.as_i64().or(text) {
        Some(number) => Ok(number),
        None => malformed("no integer", form),
    }
}

fn bits(form: &Json) -> Result<u64, Reject> {
    let text = form["bits"].as_str().unwrap_or_default();
    u64::from_str_radix(text, 16).or_else(|_| malformed("no bits", form))
}

fn narrow_bits(form: &Json) -> Result<u32, Reject> {
    u32::try_from(bits(form)?).or_else(|_| malformed("too many bits", form))
}

fn decimal(form: &Json) -> Result<Decimal, Reject> {
    let unscaled = form["unscaled"].as_str().and_then(Decimal::parse);
    let scale = form["scale"]
        .as_i64()
        .and_then(|scale| i32::try_from(scale).ok());
    match (unscaled, scale) {
        (Some(unscaled), Some(scale)) => Ok(unscaled
            .view()
            .with_be_bytes(|bytes| Decimal::from_be_bytes(bytes, scale))),
        _ => malformed("no decimal", form),
    }
}

/// Reads hexadecimal digits.
///
/// # Errors
/// The form is not an even number of them.
pub fn hex(form: &Json) -> Result<Vec<u8>, Reject> {
    let digits = form.as_str().unwrap_or("?").as_bytes();
    let pair = |pair: &[u8]| match pair {
        [high, low] => {
            let digit = |b: u8| {
                char::from(b)
                    .to_digit(16)
                    .and_then(|d| u8::try_from(d).ok())
            };
            Some(digit(*high)? << 4 | digit(*low)?)
        }
        _ => None,
    };
    match digits.chunks(2).map(pair).collect() {
        Some(bytes) => Ok(bytes),
        None => malformed("no hexadecimal digits", form),
    }
}

/// Writes hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Writes a schema in tagged form.
#[must_use]
pub fn schema_to(schema: Option<&Schema>) -> Json {
    part_to(schema, &mut Vec::new())
}

fn part_to(schema: Option<&Schema>, path: &mut Vec<Option<Recursion>>) -> Json {
    let Some(schema) = schema else {
        return Json::Null;
    };
    let recursion = schema.recursion();
    let place = path
        .iter()
        .position(|outer| recursion.is_some() && *outer == recursion);
    if let Some(place) = place {
        return json!({"ref": place, "optional": schema.is_optional()});
    }
    path.push(recursion);
    let form = definition_to(schema, path);
    path.pop();
    form
}

fn definition_to(schema: &Schema, path: &mut Vec<Option<Recursion>>) -> Json {
    let mut form = Map::new();
    form.insert("type".into(), schema.kind().name().into());
    form.insert("optional".into(), schema.is_optional().into());
    if let Some(name) = schema.name() {
        form.insert("name".into(), name.into());
    }
    if let Some(version) = schema.version() {
        form.insert("version".into(), version.into());
    }
    if let Some(doc) = schema.doc() {
        form.insert("doc".into(), doc.into());
    }
    if let Some(default) = schema.default_value() {
        form.insert("default".into(), value_to(default, Some(schema)));
    }
    if let Some(parameters) = schema.parameters() {
        let entries = parameters.iter().map(|(k, v)| (k.to_string(), json!(&**v)));
        form.insert("parameters".into(), Json::Object(entries.collect()));
    }
    if schema.kind() == Type::Struct {
        let fields = schema.fields().iter();
        let fields =
            fields.map(|f| json!({"name": f.name(), "schema": part_to(Some(f.schema()), path)}));
        form.insert("fields".into(), fields.collect());
    }
    if let Some(keys) = schema.key_schema() {
        form.insert("keys".into(), part_to(Some(keys), path));
    }
    if let Some(values) = schema.value_schema() {
        form.insert("values".into(), part_to(Some(values), path));
    }
    Json::Object(form)
}

/// Writes a value in tagged form; `schema` is the one declared for it.
#[must_use]
pub fn value_to(value: Value<'_>, schema: Option<&Schema>) -> Json {
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
        Value::Decimal(v) => json!({"decimal": {"unscaled": unscaled_text(v), "scale": v.scale()}}),
        Value::String(v) => json!({"string": v}),
        Value::Bytes(v) => json!({"bytes": to_hex(v)}),
        Value::Array(v) => {
            let elements = v.iter().map(|e| value_to(e, v.element_schema()));
            json!({"array": elements.collect::<Vec<_>>()})
        }
        Value::Map(v) => {
            let entries = v.iter().map(|(key, value)| {
                json!([
                    value_to(key, v.key_schema()),
                    value_to(value, v.value_schema())
                ])
            });
            json!({"map": entries.collect::<Vec<_>>()})
        }
        Value::Struct(v) => {
            let fields = v.schema().fields().iter().zip(v.values());
            let entries =
                fields.map(|(f, value)| json!([f.name(), value_to(value, Some(f.schema()))]));
            let mut form = json!({"struct": entries.collect::<Vec<_>>()});
            if schema != Some(v.schema()) {
                form["schema"] = schema_to(Some(v.schema()));
            }
            form
        }
    }
}

/// The unscaled integer of a decimal in decimal digits.
fn unscaled_text(value: DecimalRef<'_>) -> String {
    value.with_be_bytes(|bytes| Decimal::from_be_bytes(bytes, 0).to_string())
}
