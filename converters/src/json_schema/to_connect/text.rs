//! JSON values as the texts that Java's objects of them have.

use crate::data::Decimal;
use crate::json_schema::names::NULL_SYMBOL;
use crate::json_text::Document;

/// `String.valueOf` of a value. Levels are those of the text that it was read from.
pub(super) fn of(document: &Document) -> String {
    let mut out = String::new();
    match document {
        Document::Null => out.push_str(NULL_SYMBOL),
        Document::Boolean(_)
        | Document::Number { .. }
        | Document::Text(_)
        | Document::Array(_)
        | Document::Object(_) => push(document, &mut out),
    }
    out
}

fn push(document: &Document, out: &mut String) {
    match document {
        Document::Null => out.push_str("null"),
        Document::Boolean(true) => out.push_str("true"),
        Document::Boolean(false) => out.push_str("false"),
        Document::Number { text, .. } => match Decimal::parse(text) {
            Some(number) => out.push_str(&number.to_string()),
            None => out.push_str(text),
        },
        Document::Text(text) => out.push_str(text),
        Document::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push(value, out);
            }
            out.push(']');
        }
        Document::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push('=');
                push(value, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::json_text::{Comments, document};

    #[test]
    fn values_have_the_texts_of_javas_objects() {
        for (text, expected) in [
            ("null", "<NULL>"),
            ("\"a\"", "a"),
            ("1.50", "1.50"),
            ("1e3", "1E+3"),
            ("-0", "0"),
            ("[1, null, {\"a\": true}]", "[1, null, {a=true}]"),
        ] {
            assert_eq!(of(&document(text, Comments::Refused).unwrap()), expected);
        }
    }
}
