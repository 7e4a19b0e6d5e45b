//! Writing JSON as the registry's library does: members in a fixed order, characters outside the BMP as escaped pairs.

use std::fmt::Write as _;

/// An object under construction.
#[derive(Debug)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self("{".into())
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.member(name, |out| quote(out, value))
    }

    pub(crate) fn number(self, name: &str, value: impl Into<i64>) -> Self {
        let value: i64 = value.into();
        self.raw(name, &value.to_string())
    }

    pub(crate) fn flag(self, name: &str, value: bool) -> Self {
        self.raw(name, if value { "true" } else { "false" })
    }

    /// A member whose value is JSON already.
    pub(crate) fn raw(self, name: &str, json: &str) -> Self {
        self.member(name, |out| out.push_str(json))
    }

    /// What `add` does with a value, where there is one.
    pub(crate) fn maybe<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => add(self, value),
            None => self,
        }
    }

    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn member(mut self, name: &str, value: impl FnOnce(&mut String)) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        quote(&mut self.0, name);
        self.0.push(':');
        value(&mut self.0);
        self
    }
}

/// An array of JSON values.
pub(crate) fn array(items: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// An array of texts.
pub(crate) fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    array(items.into_iter().map(quoted))
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(&mut out, text);
    out
}

fn quote(out: &mut String, text: &str) {
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
            '\0'..='\u{1f}' | '\u{10000}'.. => escape(out, character),
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_as_jackson_does() {
        assert_eq!(
            quoted("é/\u{1}\"\n🚀\u{7f}"),
            "\"é/\\u0001\\\"\\n\\uD83D\\uDE80\u{7f}\""
        );
        let object = Object::new().text("a", "b").number("n", -1).flag("f", true);
        assert_eq!(object.end(), r#"{"a":"b","n":-1,"f":true}"#);
        assert_eq!((Object::new().end(), array([])), ("{}".into(), "[]".into()));
    }
}
