//! The text of a value as Java's `String.valueOf` gives it: what StringConverter writes and `println` prints.
//!
//! Text stands as it is, containers print as `[a, b]`, `{k=v}` and `Struct{a=1,b=2}` (fields without a value left out),
//! dates as `Thu Jan 01 00:00:00 UTC 1970`. Bytes are refused: Java prints the address of the array (`[B@1b2c3d`), from which
//! nobody gets the bytes back.

use super::calendar::Moment;
use super::{Struct, Value, number_text};
use crate::error::{Error, data::Kind};

const WEEKDAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// Appends the text of a value in UTF-8; null is `null`.
///
/// ```
/// use ferroconnect_converters::data::{Builder, write_java_text};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut list = Builder::new(None);
/// list.begin_array().int32(1).string("a").null().end_array();
/// let mut text = Vec::new();
/// write_java_text(list.finish()?.value(), &mut text)?;
/// assert_eq!(text, b"[1, a, null]");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Data fault for bytes, at any level; `out` is then as it was.
pub fn write_java_text(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    append(value, out).inspect_err(|_| out.truncate(start))
}

fn append(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Boolean(true) => out.extend_from_slice(b"true"),
        Value::Boolean(false) => out.extend_from_slice(b"false"),
        Value::Int8(v) => integer(v.into(), out),
        Value::Int16(v) => integer(v.into(), out),
        Value::Int32(v) => integer(v.into(), out),
        Value::Int64(v) => integer(v, out),
        Value::Float32(v) => number_text::write_any_f32(v, out),
        Value::Float64(v) => number_text::write_any_f64(v, out),
        Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => date(v, out),
        Value::Decimal(v) => v.write_text(out),
        Value::String(v) => out.extend_from_slice(v.as_bytes()),
        Value::Bytes(_) => return Err(Kind::NoTextOfBytes.into()),
        Value::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                separate(index, b", ", out);
                append(element, out).map_err(|error| error.in_element(index))?;
            }
            out.push(b']');
        }
        Value::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                separate(index, b", ", out);
                append(key, out).map_err(|error| error.in_key(index))?;
                out.push(b'=');
                append(value, out).map_err(|error| error.in_map_value(index))?;
            }
            out.push(b'}');
        }
        Value::Struct(structure) => append_struct(structure, out)?,
    }
    Ok(())
}

fn append_struct(structure: Struct<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend_from_slice(b"Struct{");
    let fields = structure.schema().fields().iter().zip(structure.values());
    let present = fields.filter(|(_, value)| !value.is_null());
    for (index, (field, value)) in present.enumerate() {
        separate(index, b",", out);
        out.extend_from_slice(field.name().as_bytes());
        out.push(b'=');
        append(value, out).map_err(|error| error.in_field(field.name()))?;
    }
    out.push(b'}');
    Ok(())
}

fn separate(index: usize, separator: &[u8], out: &mut Vec<u8>) {
    if index > 0 {
        out.extend_from_slice(separator);
    }
}

pub(super) fn integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a number that is not negative with at least `width` digits.
pub(super) fn padded(value: i64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value).as_bytes();
    out.extend(std::iter::repeat_n(
        b'0',
        width.saturating_sub(digits.len()),
    ));
    out.extend_from_slice(digits);
}

/// `java.util.Date.toString` in UTC.
fn date(millis: i64, out: &mut Vec<u8>) {
    let moment = Moment::of(millis);
    let word = |list: &[&'static [u8]], index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| list.get(index).copied())
            .unwrap_or_default()
    };
    out.extend_from_slice(word(&WEEKDAYS, moment.weekday));
    out.push(b' ');
    out.extend_from_slice(word(&MONTHS, moment.month - 1));
    out.push(b' ');
    padded(moment.day, 2, out);
    out.push(b' ');
    padded(moment.hour, 2, out);
    out.push(b':');
    padded(moment.minute, 2, out);
    out.push(b':');
    padded(moment.second, 2, out);
    out.extend_from_slice(b" UTC ");
    integer(moment.year_of_era, out);
}

#[cfg(test)]
mod tests;
