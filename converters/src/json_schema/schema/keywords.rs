//! What keywords hold: values of a kind, or an error that names the keyword.

use crate::error::{Error, json_schema_read::Kind};
use crate::json_text::Document;

/// Members of a schema that is an object.
#[derive(Clone, Copy)]
pub(super) struct Members<'a>(pub(super) &'a [(Box<str>, Document)]);

impl<'a> Members<'a> {
    pub(super) fn get(self, keyword: &str) -> Option<&'a Document> {
        let mut members = self.0.iter();
        members
            .find(|(key, _)| &**key == keyword)
            .map(|(_, value)| value)
    }

    pub(super) fn has_any(self, keywords: &[&str]) -> bool {
        self.0.iter().any(|(key, _)| keywords.contains(&&**key))
    }

    pub(super) fn text(self, keyword: &'static str) -> Result<Option<Box<str>>, Error> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Document::Text(text)) => Ok(Some(text.clone())),
            Some(_) => invalid(keyword, "a text"),
        }
    }

    /// A count; one with a fraction of zero is one too.
    pub(super) fn count(self, keyword: &'static str) -> Result<Option<i64>, Error> {
        let Some(text) = self.number(keyword)? else {
            return Ok(None);
        };
        let whole = match text.split_once('.') {
            Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole,
            Some(_) | None => &text,
        };
        match whole.parse() {
            Ok(count) => Ok(Some(count)),
            Err(_) => invalid(keyword, "a count"),
        }
    }

    /// A number as it was written.
    pub(super) fn number(self, keyword: &'static str) -> Result<Option<Box<str>>, Error> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Document::Number { text, .. }) => Ok(Some(text.clone())),
            Some(_) => invalid(keyword, "a number"),
        }
    }

    pub(super) fn flag(self, keyword: &'static str) -> Result<Option<bool>, Error> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Document::Boolean(flag)) => Ok(Some(*flag)),
            Some(_) => invalid(keyword, "true or false"),
        }
    }

    pub(super) fn list(self, keyword: &'static str) -> Result<Option<&'a [Document]>, Error> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Document::Array(values)) => Ok(Some(values)),
            Some(_) => invalid(keyword, "a list"),
        }
    }

    pub(super) fn object(self, keyword: &'static str) -> Result<Option<Self>, Error> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Document::Object(members)) => Ok(Some(Self(members))),
            Some(_) => invalid(keyword, "an object"),
        }
    }
}

/// Texts of a list.
pub(super) fn names(keyword: &'static str, values: &[Document]) -> Result<Vec<Box<str>>, Error> {
    let names = values.iter().map(|value| match value {
        Document::Text(name) => Ok(name.clone()),
        Document::Null
        | Document::Boolean(_)
        | Document::Number { .. }
        | Document::Array(_)
        | Document::Object(_) => invalid(keyword, "a list of names"),
    });
    names.collect()
}

pub(super) fn invalid<T>(keyword: &'static str, wanted: &'static str) -> Result<T, Error> {
    Err(Kind::Keyword { keyword, wanted }.into())
}

/// Which edition of JSON Schema a text is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    /// 2019-09 and 2020-12.
    Modern,
}

impl Draft {
    /// By `$schema`; without, draft 7.
    pub(super) fn of(document: &Document, ignore_modern_dialects: bool) -> Self {
        let Document::Object(members) = document else {
            return Self::Seven;
        };
        let Some(Document::Text(url)) = Members(members).get("$schema") else {
            return Self::Seven;
        };
        let has = |part: &str| url.contains(part);
        if has("draft-04") || has("draft-03") {
            Self::Four
        } else if has("draft-06") {
            Self::Six
        } else if (has("2019-09") || has("2020-12")) && !ignore_modern_dialects {
            Self::Modern
        } else {
            Self::Seven
        }
    }

    pub(super) const fn array_keywords(self) -> &'static [&'static str] {
        match self {
            Self::Four => ARRAY.split_at(5).0,
            Self::Six | Self::Seven => ARRAY.split_at(6).0,
            Self::Modern => ARRAY,
        }
    }

    pub(super) const fn object_keywords(self) -> &'static [&'static str] {
        match self {
            Self::Four => OBJECT.split_at(7).0,
            Self::Six | Self::Seven => OBJECT.split_at(8).0,
            Self::Modern => OBJECT,
        }
    }
}

const ARRAY: &[&str] = &[
    "items",
    "additionalItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "prefixItems",
];

const OBJECT: &[&str] = &[
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "dependencies",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
];

pub(super) const NUMBER: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

pub(super) const STRING: &[&str] = &["minLength", "maxLength", "pattern", "format"];

pub(super) const CONDITIONAL: &[&str] = &["if", "then", "else"];
