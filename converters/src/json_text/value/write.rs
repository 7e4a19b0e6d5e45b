//! JSON as Jackson's character writer prints it.
//!
//! Unlike the writer of bytes in `text`, it leaves characters above U+FFFF as they are.

use super::Json;
use crate::data::number_text;

pub(super) fn json(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Boolean(true) => out.push_str("true"),
        Json::Boolean(false) => out.push_str("false"),
        Json::Integer(value) => out.push_str(itoa::Buffer::new().format(*value)),
        Json::BigInteger(value) => out.push_str(&value.to_string()),
        Json::Double(value) => match number_text::not_finite(*value) {
            Some(word) => text(word, out),
            None => number(out, |bytes| number_text::write_f64(*value, bytes)),
        },
        Json::Float(value) => match number_text::not_finite((*value).into()) {
            Some(word) => text(word, out),
            None => number(out, |bytes| number_text::write_f32(*value, bytes)),
        },
        Json::Text(value) => text(value, out),
        Json::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                json(value, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                text(name, out);
                out.push(':');
                json(value, out);
            }
            out.push('}');
        }
    }
}

pub(super) fn text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control @ '\0'..' ' => out.push_str(&format!("\\u{:04X}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The writers of numbers write ASCII into bytes.
fn number(out: &mut String, write: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = Vec::with_capacity(24);
    write(&mut bytes);
    out.extend(bytes.into_iter().map(char::from));
}
