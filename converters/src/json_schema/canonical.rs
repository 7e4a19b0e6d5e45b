//! The text of a JSON Schema as a registry keeps it.
//!
//! A registry reads the text and prints it again: no white space, escapes only where they must be, numbers as Java's
//! `BigDecimal` prints them (`1e3` as `1E+3`, `1.50` as it is, `-0` as `0`). Of equal keys the last value stays, at the
//! place of the first. Source: recorded answers of a registry.

use std::cmp::Ordering;

use crate::data::Decimal;
use crate::json_text::{Comments, Document, document, write_text};

/// Which of the two texts of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonSchemaForm {
    /// Keys in the order in which they were written.
    Stored,
    /// Keys in the order of Java's strings, in all objects (`normalize=true`).
    Normal,
}

/// The text of a schema in one of its forms, with the kind of its root: an object or a boolean, if it is a schema.
///
/// ```
/// use ferroconnect_converters::json_schema::{JsonSchemaForm, canonical_text};
///
/// let text = r#"{ "type": "number", "maximum": 1e3 }"#;
/// let (stored, root) = canonical_text(text, JsonSchemaForm::Stored).unwrap();
/// assert_eq!((stored.as_str(), root), (r#"{"type":"number","maximum":1E+3}"#, "OBJECT"));
/// let (normal, _) = canonical_text(text, JsonSchemaForm::Normal).unwrap();
/// assert_eq!(normal, r#"{"maximum":1E+3,"type":"number"}"#);
/// ```
///
/// # Errors
/// What is wrong with the text as JSON, and the byte where it is.
pub fn canonical_text(
    text: &str,
    form: JsonSchemaForm,
) -> Result<(String, &'static str), (&'static str, usize)> {
    let document = document(text, Comments::Refused).map_err(|flaw| (flaw.what, flaw.at))?;
    let mut out = String::with_capacity(text.len());
    write(&document, form, &mut out).map_err(|what| (what, 0))?;
    let root = match document {
        Document::Null => "NULL",
        Document::Boolean(_) => "BOOLEAN",
        Document::Number { .. } => "NUMBER",
        Document::Text(_) => "STRING",
        Document::Array(_) => "ARRAY",
        Document::Object(_) => "OBJECT",
    };
    Ok((out, root))
}

fn write(document: &Document, form: JsonSchemaForm, out: &mut String) -> Result<(), &'static str> {
    match document {
        Document::Null => out.push_str("null"),
        Document::Boolean(true) => out.push_str("true"),
        Document::Boolean(false) => out.push_str("false"),
        Document::Number { text, integral } => number(text, *integral, out)?,
        Document::Text(text) => write_text(text, out),
        Document::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value, form, out)?;
            }
            out.push(']');
        }
        Document::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            match form {
                JsonSchemaForm::Stored => {}
                JsonSchemaForm::Normal => members.sort_by(|(a, _), (b, _)| java_order(a, b)),
            }
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write(value, form, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// The order of Java's strings: by units of UTF-16.
fn java_order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

fn number(text: &str, integral: bool, out: &mut String) -> Result<(), &'static str> {
    match (integral, text) {
        (true, "-0") => out.push('0'),
        (true, _) => out.push_str(text),
        (false, _) => {
            let number = Decimal::parse(text).ok_or("the number's exponent is out of range")?;
            out.push_str(&number.to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> String {
        canonical_text(text, JsonSchemaForm::Stored).unwrap().0
    }

    #[test]
    fn numbers_are_big_decimals() {
        assert_eq!(
            stored("[1.0, 1e3, 0.10, 1.50, 10000000000000000000000, 1E-7, -0, -0.0, 1.5e10, -3]"),
            "[1.0,1E+3,0.10,1.50,10000000000000000000000,1E-7,0,0.0,1.5E+10,-3]"
        );
        assert!(canonical_text("1e99999999999", JsonSchemaForm::Stored).is_err());
    }

    #[test]
    fn keys_are_sorted_everywhere_and_arrays_nowhere() {
        let text = r#"{"b":[{"d":1,"c":2},"z","a"],"a":{},"\ud83d\ude80":0,"\uff5e":1}"#;
        assert_eq!(
            canonical_text(text, JsonSchemaForm::Normal).unwrap().0,
            // Halves of surrogate pairs sort in front of other characters of the last row.
            r#"{"a":{},"b":[{"c":2,"d":1},"z","a"],"🚀":0,"～":1}"#
        );
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, at) in [
            ("{'a':1}", 1),
            ("{\"a\":1,}", 7),
            ("/**/{}", 0),
            ("{} x", 3),
        ] {
            assert_eq!(
                canonical_text(text, JsonSchemaForm::Stored).unwrap_err().1,
                at,
                "{text}"
            );
        }
    }
}
