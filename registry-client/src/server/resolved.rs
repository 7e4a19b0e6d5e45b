//! Other forms of a text: `format=resolved` is an Avro schema with the definitions of its references in it,
//! `format=serialized` a Protobuf file as a descriptor in base64.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::posted::resolved_of;
use super::state::Stored;
use super::view::View;
use crate::SchemaType;
use crate::format::SchemaSource;

/// The text of a version in the form that was asked for; a form that the language does not have is the text itself.
pub(crate) fn text<'a>(view: View<'_>, stored: &'a Stored, format: Option<&str>) -> Cow<'a, str> {
    let text = Cow::Borrowed(&*stored.content.text);
    let kind = stored.content.kind;
    let Some(language) = view.languages.of(kind).format() else {
        return text;
    };
    match (kind, format) {
        (SchemaType::Protobuf, Some("serialized")) => {
            let source = SchemaSource {
                text: &text,
                references: &resolved_of(view, stored),
                is_new: false,
            };
            let binary = language.serialized(&source).ok().flatten();
            binary.map_or(text, |binary| STANDARD.encode(binary).into())
        }
        (SchemaType::Avro, Some("resolved")) if !stored.content.references.is_empty() => {
            let Some(joined) = joined(view, stored) else {
                return text;
            };
            let source = SchemaSource {
                text: &joined,
                references: &[],
                is_new: false,
            };
            language.canonical(&source, false).map_or(text, Cow::Owned)
        }
        (SchemaType::Avro | SchemaType::Json | SchemaType::Protobuf, _) => text,
    }
}

/// The text with each foreign name replaced by its definition, where it is first used.
fn joined(view: View<'_>, stored: &Stored) -> Option<String> {
    let mut known = HashMap::new();
    for referenced in resolved_of(view, stored) {
        let definition = serde_json::from_str(&referenced.text).ok()?;
        define(&definition, "", &mut known);
    }
    let mut schema = serde_json::from_str(&stored.content.text).ok()?;
    let mut written = HashSet::new();
    join(&mut schema, "", &known, &mut written);
    Some(schema.to_string())
}

/// Notes the named types in a schema, each with its full name spelled out.
fn define(schema: &Value, namespace: &str, known: &mut HashMap<String, Value>) {
    match schema {
        Value::Array(branches) => branches
            .iter()
            .for_each(|branch| define(branch, namespace, known)),
        Value::Object(object) => {
            let namespace = match name_of(object, namespace) {
                Some((full, inner)) => {
                    let mut qualified = object.clone();
                    let local = full.rsplit('.').next().unwrap_or(&full);
                    qualified.insert("name".into(), local.into());
                    qualified.insert("namespace".into(), inner.clone().into());
                    known.entry(full).or_insert(Value::Object(qualified));
                    inner
                }
                None => namespace.into(),
            };
            for inner in children(object) {
                define(inner, &namespace, known);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn join(
    schema: &mut Value,
    namespace: &str,
    known: &HashMap<String, Value>,
    written: &mut HashSet<String>,
) {
    match schema {
        Value::String(name) => {
            let full = if name.contains('.') || namespace.is_empty() {
                name.clone()
            } else {
                format!("{namespace}.{name}")
            };
            let names = [full, name.clone()];
            let name = names.into_iter().find(|name| known.contains_key(name));
            if let Some(name) = name.filter(|name| !written.contains(name)) {
                *schema = known[&name].clone();
                join(schema, "", known, written);
            }
        }
        Value::Array(branches) => branches
            .iter_mut()
            .for_each(|branch| join(branch, namespace, known, written)),
        Value::Object(object) => {
            let namespace = match name_of(object, namespace) {
                Some((full, inner)) => {
                    written.insert(full);
                    inner
                }
                None => namespace.into(),
            };
            let is_named = object.contains_key("name");
            if let Some(fields) = object.get_mut("fields").and_then(Value::as_array_mut) {
                let types = fields.iter_mut().filter_map(|field| field.get_mut("type"));
                types.for_each(|inner| join(inner, &namespace, known, written));
            }
            for key in ["items", "values", "type"] {
                if let Some(inner) = object.get_mut(key).filter(|_| !(is_named && key == "type")) {
                    join(inner, &namespace, known, written);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The full name of a named type, and the namespace inside it.
fn name_of(object: &Map<String, Value>, namespace: &str) -> Option<(String, String)> {
    let name = object.get("name")?.as_str()?;
    if let Some((namespace, _)) = name.rsplit_once('.') {
        return Some((name.into(), namespace.into()));
    }
    let own = object.get("namespace").and_then(Value::as_str);
    let namespace = own.unwrap_or(namespace);
    let full = if namespace.is_empty() {
        name.into()
    } else {
        format!("{namespace}.{name}")
    };
    Some((full, namespace.into()))
}

fn children(object: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let fields = object.get("fields").and_then(Value::as_array);
    let fields = fields.into_iter().flatten();
    let fields = fields.filter_map(|field| field.get("type"));
    let inner = ["items", "values", "type"].into_iter();
    fields.chain(inner.filter_map(|key| object.get(key)))
}
