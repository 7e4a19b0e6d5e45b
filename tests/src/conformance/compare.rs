//! Is what a converter gave what the vector wants?

use ferroconnect_converters::data::{Decimal, Schema, SchemaAndValue, Value};
use serde_json::Value as Json;

use crate::tagged;

/// Compares schema and value with the `schema` and `value` members of an expectation.
///
/// # Errors
/// Where they part, in words.
pub(super) fn datum(got: &SchemaAndValue, want: &Json) -> Result<(), String> {
    if got.schema().is_none() && !want["schema"].is_null() {
        return Err("no schema".into());
    }
    if let Some(schema) = got.schema() {
        self::schema(schema, &want["schema"], "schema", &mut Path::default())?;
    }
    value(got.value(), got.schema(), &want["value"]).map_err(|at| format!("value{at}"))
}

/// The forms from the root down to a schema.
#[derive(Default)]
struct Path<'w> {
    /// What references count in: from the root down to where the form stands in the vector.
    forms: Vec<&'w Json>,
    /// Everything that was entered on the way, references followed.
    trail: Vec<&'w Json>,
}

/// How often a form is entered on one path. Recorded schemas are unrolled twice at the most, so what agrees that far agrees for
/// ever.
const UNROLLED_MAX: usize = 4;

/// Compares a schema with its tagged form: a `{"ref":i}` is form i of the path again.
fn schema<'w>(got: &Schema, want: &'w Json, at: &str, path: &mut Path<'w>) -> Result<(), String> {
    let differs = |what: &str| Err(format!("{at}: {what} differs"));
    if (want["optional"] == true) != got.is_optional() {
        return differs("optional");
    }
    let want = match want.get("ref").and_then(Json::as_u64) {
        Some(level) => {
            let level = usize::try_from(level).ok();
            let form = level.and_then(|level| path.forms.get(level));
            let form = *form.ok_or_else(|| format!("{at}: a reference to nowhere"))?;
            let entered = path
                .trail
                .iter()
                .filter(|known| std::ptr::eq(**known, form))
                .count();
            if entered >= UNROLLED_MAX {
                return Ok(());
            }
            // What stands in there counts its levels from its own place.
            let below = path.forms.split_off(level.unwrap_or_default());
            let result = forms(got, form, at, path);
            path.forms.extend(below);
            return result;
        }
        None => want,
    };
    forms(got, want, at, path)
}

/// Compares a schema with a form that is no reference.
fn forms<'w>(got: &Schema, want: &'w Json, at: &str, path: &mut Path<'w>) -> Result<(), String> {
    let differs = |what: &str| Err(format!("{at}: {what} differs"));
    if want["type"] != got.kind().name() {
        return differs("type");
    }
    if want["name"].as_str() != got.name() {
        return differs("name");
    }
    if want["version"].as_i64() != got.version().map(i64::from) {
        return differs("version");
    }
    if want["doc"].as_str() != got.doc() {
        return differs("doc");
    }
    if !same_parameters(got, want) {
        return differs("parameters");
    }
    match (got.default_value(), want.get("default")) {
        (None, None) => {}
        (Some(default), Some(want)) => {
            value(default, Some(got), want).map_err(|inner| format!("{at}: default{inner}"))?
        }
        (Some(_), None) | (None, Some(_)) => return differs("default"),
    }
    path.forms.push(want);
    path.trail.push(want);
    let result = children(got, want, at, path);
    path.forms.pop();
    path.trail.pop();
    result
}

fn children<'w>(got: &Schema, want: &'w Json, at: &str, path: &mut Path<'w>) -> Result<(), String> {
    let pairs = [("keys", got.key_schema()), ("values", got.value_schema())];
    for (member, child) in pairs {
        match (child, want.get(member)) {
            (None, None) => {}
            (Some(child), Some(want)) => schema(child, want, &format!("{at}.{member}"), path)?,
            (Some(_), None) | (None, Some(_)) => return Err(format!("{at}: {member} differ")),
        }
    }
    let fields = want
        .get("fields")
        .and_then(Json::as_array)
        .map_or(&[][..], Vec::as_slice);
    if fields.len() != got.fields().len() {
        return Err(format!("{at}: number of fields differs"));
    }
    for (field, want) in got.fields().iter().zip(fields) {
        if want["name"] != field.name() {
            return Err(format!("{at}: field names differ at {}", field.name()));
        }
        schema(
            field.schema(),
            &want["schema"],
            &format!("{at}.{}", field.name()),
            path,
        )?;
    }
    Ok(())
}

/// Parameters are ordered: writing them again must give the same bytes.
fn same_parameters(got: &Schema, want: &Json) -> bool {
    match (
        got.parameters(),
        want.get("parameters").and_then(Json::as_object),
    ) {
        (None, None) => true,
        (Some(got), Some(want)) => {
            let want = want.iter().map(|(k, v)| (k.as_str(), v.as_str()));
            got.iter().map(|(k, v)| (&**k, Some(&**v))).eq(want)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Compares a value with its tagged form: floats by their bits, maps as sets, any `java.util.Date` by its milliseconds.
pub(super) fn value(got: Value<'_>, declared: Option<&Schema>, want: &Json) -> Result<(), String> {
    let same = match (got, tag(want)) {
        (Value::Null, None) => want.is_null(),
        (_, Some(("deep", levels))) => levels.as_u64() == Some(depth(got)),
        (Value::Boolean(v), Some(("boolean", want))) => want.as_bool() == Some(v),
        (Value::Int8(v), Some(("int8", want))) => want.as_i64() == Some(v.into()),
        (Value::Int16(v), Some(("int16", want))) => want.as_i64() == Some(v.into()),
        (Value::Int32(v), Some(("int32", want))) => want.as_i64() == Some(v.into()),
        (Value::Int64(v), Some(("int64", want))) => want.as_str() == Some(&v.to_string()),
        (Value::Float32(v), Some(("float32", _))) => want["bits"] == format!("{:08x}", v.to_bits()),
        (Value::Float64(v), Some(("float64", _))) => {
            want["bits"] == format!("{:016x}", v.to_bits())
        }
        (
            Value::Date(v) | Value::Time(v) | Value::Timestamp(v),
            Some(("date" | "time" | "timestamp", want)),
        ) => want.as_i64() == Some(v),
        (Value::Decimal(v), Some(("decimal", want))) => {
            let unscaled = v.with_be_bytes(|bytes| Decimal::from_be_bytes(bytes, 0).to_string());
            want["scale"].as_i64() == Some(v.scale().into()) && want["unscaled"] == unscaled
        }
        (Value::String(v), Some(("string", want))) => *want == v,
        (Value::Bytes(v), Some(("bytes", want))) => *want == tagged::to_hex(v),
        (Value::Array(v), Some(("array", Json::Array(want)))) if v.len() == want.len() => {
            for (index, (element, want)) in v.iter().zip(want).enumerate() {
                value(element, v.element_schema(), want).map_err(|at| format!("[{index}]{at}"))?;
            }
            true
        }
        (Value::Map(v), Some(("map", Json::Array(want)))) if v.len() == want.len() => {
            return map(v, want);
        }
        (Value::Struct(_), Some(("struct", fields))) => {
            return structure(got, declared, want, fields);
        }
        _ => false,
    };
    if same {
        Ok(())
    } else {
        Err(format!(": got {got:?}, want {want}"))
    }
}

/// The first member of a tagged value.
fn tag(form: &Json) -> Option<(&str, &Json)> {
    let (tag, content) = form.as_object()?.iter().next()?;
    Some((tag, content))
}

fn map(got: ferroconnect_converters::data::Map<'_>, want: &[Json]) -> Result<(), String> {
    let mut free: Vec<&Json> = want.iter().collect();
    for (k, v) in got.iter() {
        let fits = |entry: &&Json| {
            value(k, got.key_schema(), &entry[0]).is_ok()
                && value(v, got.value_schema(), &entry[1]).is_ok()
        };
        match free.iter().position(fits) {
            Some(found) => drop(free.swap_remove(found)),
            None => return Err(format!(": no entry like {k:?}: {v:?} is wanted")),
        }
    }
    Ok(())
}

fn structure(
    got: Value<'_>,
    declared: Option<&Schema>,
    want: &Json,
    fields: &Json,
) -> Result<(), String> {
    let Value::Struct(structure) = got else {
        return Err(": no struct".into());
    };
    match (want.get("schema"), declared) {
        (Some(own), _) => schema(structure.schema(), own, " schema", &mut Path::default())?,
        (None, Some(declared)) if declared == structure.schema() => {}
        (None, _) => return Err(": the struct's schema is not the declared one".into()),
    }
    let fields = fields.as_array().map_or(&[][..], Vec::as_slice);
    if fields.len() != structure.schema().fields().len() {
        return Err(": number of fields differs".into());
    }
    let slots = structure.schema().fields().iter().zip(structure.values());
    for ((field, slot), want) in slots.zip(fields) {
        if want[0] != field.name() {
            return Err(format!(": field names differ at {}", field.name()));
        }
        value(slot, Some(field.schema()), &want[1])
            .map_err(|at| format!(".{}{at}", field.name()))?;
    }
    Ok(())
}

/// Levels of containers, along the first element of each.
fn depth(mut value: Value<'_>) -> u64 {
    let mut levels = 0;
    loop {
        let inner = match value {
            Value::Array(array) => array.get(0),
            Value::Map(map) => map.iter().next().map(|(_, v)| v),
            Value::Struct(structure) => structure.values().next(),
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
            | Value::Bytes(_) => return levels,
        };
        levels += 1;
        match inner {
            Some(inner) => value = inner,
            None => return levels,
        }
    }
}
