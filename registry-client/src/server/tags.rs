//! Tags inside Avro schemas: the property `confluent:tags` of records and fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Difference;
use super::refusal::Refusal;

/// Tags to add to, or take from, one entity of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagChange {
    /// `namespace.Record` or `namespace.Record.field`.
    pub(crate) path: String,
    pub(crate) is_field: bool,
    pub(crate) tags: BTreeSet<String>,
    pub(crate) removes: bool,
}

/// The text of an Avro schema after the changes.
///
/// # Errors
/// An entity is not in the schema, or the text is not JSON (42201).
pub(crate) fn changed(text: &str, changes: &[TagChange]) -> Result<String, Refusal> {
    let parsed = serde_json::from_str::<Value>(text);
    let mut schema = parsed.map_err(|error| Refusal::invalid_schema(error.to_string()))?;
    for change in changes {
        let wanted = match change.path.rsplit_once('.') {
            Some((record, field)) if change.is_field => (record, Some(field)),
            _ => (change.path.as_str(), None),
        };
        let Some(entity) = entity(&mut schema, "", wanted) else {
            let message = format!("The schema has no entity '{}' to tag", change.path);
            let refusal = Refusal::invalid_schema(message);
            return Err(refusal.differing(Difference::UnknownTaggedEntity));
        };
        apply(entity, change);
    }
    Ok(schema.to_string())
}

/// The tags that stand in an Avro schema, with the path and kind of what they stand at.
pub(crate) fn present(text: &str) -> Vec<(String, bool, Vec<String>)> {
    let mut found = Vec::new();
    if let Ok(schema) = serde_json::from_str::<Value>(text) {
        collect(&schema, "", &mut found);
    }
    found
}

fn apply(entity: &mut Map<String, Value>, change: &TagChange) {
    let mut tags = texts(entity.get(TAGS));
    if change.removes {
        tags.retain(|tag| !change.tags.contains(tag));
    } else {
        let new = change.tags.iter().filter(|tag| !tags.contains(tag));
        let new: Vec<String> = new.cloned().collect();
        tags.extend(new);
    }
    if tags.is_empty() {
        entity.shift_remove(TAGS);
    } else {
        entity.insert(TAGS.into(), tags.into());
    }
}

/// The object of a record or of one of its fields.
fn entity<'a>(
    schema: &'a mut Value,
    namespace: &str,
    wanted: (&str, Option<&str>),
) -> Option<&'a mut Map<String, Value>> {
    match schema {
        Value::Array(branches) => branches
            .iter_mut()
            .find_map(|branch| entity(branch, namespace, wanted)),
        Value::Object(object) => {
            let (full, namespace) = full_name(object, namespace);
            if full.as_deref() == Some(wanted.0) {
                return match wanted.1 {
                    None => Some(object),
                    Some(field) => fields(object).find(|object| name(object) == Some(field)),
                };
            }
            let mut inner = object.iter_mut();
            inner.find_map(|(key, value)| match (key.as_str(), value) {
                ("fields", Value::Array(fields)) => fields
                    .iter_mut()
                    .filter_map(|field| field.get_mut("type"))
                    .find_map(|inner| entity(inner, &namespace, wanted)),
                ("items" | "values" | "type", inner) => entity(inner, &namespace, wanted),
                _ => None,
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn collect(schema: &Value, namespace: &str, found: &mut Vec<(String, bool, Vec<String>)>) {
    match schema {
        Value::Array(branches) => branches
            .iter()
            .for_each(|branch| collect(branch, namespace, found)),
        Value::Object(object) => {
            let (full, namespace) = full_name(object, namespace);
            let full = full.unwrap_or_default();
            note(object, full.clone(), false, found);
            for field in object
                .get("fields")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let Some(field) = field.as_object() else {
                    continue;
                };
                let path = format!("{full}.{}", name(field).unwrap_or_default());
                note(field, path, true, found);
                if let Some(inner) = field.get("type") {
                    collect(inner, &namespace, found);
                }
            }
            for inner in ["items", "values", "type"]
                .into_iter()
                .filter_map(|key| object.get(key))
            {
                collect(inner, &namespace, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn note(
    object: &Map<String, Value>,
    path: String,
    is_field: bool,
    found: &mut Vec<(String, bool, Vec<String>)>,
) {
    let tags = texts(object.get(TAGS));
    if !tags.is_empty() {
        found.push((path, is_field, tags));
    }
}

/// The full name of a named type, and the namespace inside it.
fn full_name(object: &Map<String, Value>, namespace: &str) -> (Option<String>, String) {
    let Some(name) = name(object).filter(|_| object.contains_key("type")) else {
        return (None, namespace.into());
    };
    if let Some((namespace, _)) = name.rsplit_once('.') {
        return (Some(name.into()), namespace.into());
    }
    let own = object.get("namespace").and_then(Value::as_str);
    let namespace = own.unwrap_or(namespace);
    let full = if namespace.is_empty() {
        name.into()
    } else {
        format!("{namespace}.{name}")
    };
    (Some(full), namespace.into())
}

fn fields(record: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let fields = record.get_mut("fields").and_then(Value::as_array_mut);
    fields
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}

fn name(object: &Map<String, Value>) -> Option<&str> {
    object.get("name").and_then(Value::as_str)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// The property that holds tags.
const TAGS: &str = "confluent:tags";
