//! Values to text: `Values.convertToString`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::temporal;
use crate::data::{Struct, Value, java_text, number_text};

/// Appends the text form of a value.
///
/// Text at the top stands as it is, inside of containers it is quoted; bytes are base64; a struct prints like a map, with the
/// defaults of its fields; null is `null`.
///
/// A date, time or timestamp prints by its milliseconds alone, as in Java: below one day (and before 1970!) as a time of day, on a
/// whole day as a date, else as a timestamp.
///
/// ```
/// use ferroconnect_converters::data::{Builder, text};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut map = Builder::new(None);
/// map.begin_map().string("a").int32(1).string("b").string("x\"").end_map();
/// let mut out = Vec::new();
/// text::write(map.finish()?.value(), &mut out);
/// assert_eq!(out, br#"{"a":1,"b":"x\""}"#);
/// # Ok(())
/// # }
/// ```
pub fn write(value: Value<'_>, out: &mut Vec<u8>) {
    append(value, false, out);
}

fn append(value: Value<'_>, embedded: bool, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Boolean(true) => out.extend_from_slice(b"true"),
        Value::Boolean(false) => out.extend_from_slice(b"false"),
        Value::Int8(v) => java_text::integer(v.into(), out),
        Value::Int16(v) => java_text::integer(v.into(), out),
        Value::Int32(v) => java_text::integer(v.into(), out),
        Value::Int64(v) => java_text::integer(v, out),
        Value::Float32(v) => number_text::write_any_f32(v, out),
        Value::Float64(v) => number_text::write_any_f64(v, out),
        Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => temporal::write(v, out),
        Value::Decimal(v) => v.write_text(out),
        Value::String(v) if embedded => quoted(v, out),
        Value::String(v) => out.extend_from_slice(v.as_bytes()),
        Value::Bytes(v) => {
            let text = STANDARD.encode(v);
            if embedded {
                quoted(&text, out);
            } else {
                out.extend_from_slice(text.as_bytes());
            }
        }
        Value::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                comma(index, out);
                append(element, true, out);
            }
            out.push(b']');
        }
        Value::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                comma(index, out);
                append(key, true, out);
                out.push(b':');
                append(value, true, out);
            }
            out.push(b'}');
        }
        Value::Struct(structure) => append_struct(structure, out),
    }
}

fn append_struct(structure: Struct<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let fields = structure.schema().fields().iter().zip(structure.values());
    for (index, (field, stored)) in fields.enumerate() {
        comma(index, out);
        quoted(field.name(), out);
        out.push(b':');
        let value = if stored.is_null() {
            field.schema().default_value().unwrap_or(Value::Null)
        } else {
            stored
        };
        append(value, true, out);
    }
    out.push(b'}');
}

fn comma(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}
