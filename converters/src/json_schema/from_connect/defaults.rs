//! Defaults as they stand in schema texts.
//!
//! The JVM writes a default as it writes values, reads that into another library and prints it from there: objects change their
//! order to a `HashMap`'s, and numbers lose zeros behind their points.

use super::super::JsonSchemaDataConfig;
use super::super::encode;
use super::object::Object;
use crate::data::hash_order::{iteration_order, string_hash};
use crate::data::{Decimal, Schema, Type, Value};
use crate::error::{Error, json_schema_write::Kind};
use crate::json_text::{Comments, Document, document, write_text};

/// The default of a schema as JSON; `None` when it has none.
pub(super) fn text(
    schema: &Schema,
    config: &JsonSchemaDataConfig,
) -> Result<Option<String>, Error> {
    let Some(default) = schema.default_value() else {
        return Ok(None);
    };
    if schema.kind() == Type::Struct && !default.is_null() {
        // Java's builder compares the struct's schema with itself, unfinished, and never finds them equal.
        return Err(Kind::StructSchemasDiffer.into());
    }
    if !is_finite(default) {
        return Err(Kind::DefaultNotFinite.into());
    }
    let bytes = encode::default_text(schema, config)?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    if let Ok(document) = document(&text, Comments::Refused) {
        print(&document, &mut out);
    }
    Ok(Some(out))
}

fn is_finite(value: Value<'_>) -> bool {
    match value {
        Value::Float32(v) => v.is_finite(),
        Value::Float64(v) => v.is_finite(),
        Value::Array(v) => v.iter().all(is_finite),
        Value::Map(v) => v
            .iter()
            .all(|(key, value)| is_finite(key) && is_finite(value)),
        Value::Struct(v) => v.values().all(is_finite),
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Decimal(_)
        | Value::String(_)
        | Value::Bytes(_) => true,
    }
}

fn print(document: &Document, out: &mut String) {
    match document {
        Document::Null => out.push_str("null"),
        Document::Boolean(true) => out.push_str("true"),
        Document::Boolean(false) => out.push_str("false"),
        Document::Number { text, .. } => number(text, out),
        Document::Text(text) => write_text(text, out),
        Document::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                print(value, out);
            }
            out.push(']');
        }
        Document::Object(members) => {
            let hashes: Vec<i32> = members.iter().map(|(name, _)| string_hash(name)).collect();
            let mut order = Vec::new();
            iteration_order(&hashes, &mut order);
            let mut object = Object::new();
            for index in order {
                let (name, value) = &members[index as usize];
                let mut text = String::new();
                print(value, &mut text);
                object.raw(name, &text);
            }
            out.push_str(&object.finish());
        }
    }
}

/// A number without an exponent loses the zeros at its end and then its point; one with an exponent is a `BigDecimal`.
fn number(text: &str, out: &mut String) {
    let has_exponent = text.contains(['e', 'E']);
    let short = match text.contains('.') && !has_exponent {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    };
    match Decimal::parse(short) {
        Some(decimal) if has_exponent => out.push_str(&decimal.to_string()),
        Some(_) | None if short == "-0" => out.push('0'),
        Some(_) | None => out.push_str(short),
    }
}
