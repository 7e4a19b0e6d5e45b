//! Whether a JSON document is a schema, as far as its keywords say.
//!
//! Looked at are the kinds of values that the keywords of drafts 4 to 2020-12 have, schemas inside schemas, and whether
//! references lead somewhere. Unknown keywords may hold anything. What a registry refuses beyond that is accepted here.
//!
//! Source: JSON Schema drafts 4, 6, 7, 2019-09 and 2020-12, core and validation.

use crate::json_text::Document;

/// A document that the checked one may refer to, by the name it has there.
pub(super) struct Referenced<'a> {
    pub(super) name: &'a str,
    pub(super) document: Document,
}

/// What makes a document no schema: the keyword, and what is wrong with it.
///
/// # Errors
/// The first keyword that is wrong.
pub(super) fn check(document: &Document, references: &[Referenced<'_>]) -> Result<(), String> {
    let check = Check {
        root: document,
        references,
    };
    check.schema(document)
}

struct Check<'a> {
    root: &'a Document,
    references: &'a [Referenced<'a>],
}

impl Check<'_> {
    fn schema(&self, document: &Document) -> Result<(), String> {
        match document {
            Document::Boolean(_) => Ok(()),
            Document::Object(members) => members
                .iter()
                .try_for_each(|(keyword, value)| self.keyword(keyword, value)),
            Document::Null | Document::Number { .. } | Document::Text(_) | Document::Array(_) => {
                Err("a schema is an object or a boolean".into())
            }
        }
    }

    fn keyword(&self, keyword: &str, value: &Document) -> Result<(), String> {
        let holds = |holds: bool, what: &str| {
            if holds {
                Ok(())
            } else {
                Err(format!("{keyword} holds {what}"))
            }
        };
        match keyword {
            "type" => holds(is_type(value), "a type or a list of types"),
            "properties" | "patternProperties" | "definitions" | "$defs" | "dependentSchemas" => {
                let Document::Object(members) = value else {
                    return holds(false, "an object of schemas");
                };
                members.iter().try_for_each(|(_, value)| self.schema(value))
            }
            "additionalProperties"
            | "additionalItems"
            | "contains"
            | "not"
            | "propertyNames"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.schema(value),
            "items" => match value {
                Document::Array(schemas) => schemas.iter().try_for_each(|s| self.schema(s)),
                Document::Null
                | Document::Boolean(_)
                | Document::Number { .. }
                | Document::Text(_)
                | Document::Object(_) => self.schema(value),
            },
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let Document::Array(schemas) = value else {
                    return holds(false, "a list of schemas");
                };
                schemas.iter().try_for_each(|s| self.schema(s))
            }
            // Draft 3 has a boolean here, and its schemas are registered.
            "required" => holds(
                matches!(value, Document::Boolean(_)) || is_list_of_texts(value),
                "a list of names",
            ),
            "enum" => holds(matches!(value, Document::Array(_)), "a list of values"),
            "minimum" | "maximum" | "multipleOf" => {
                holds(matches!(value, Document::Number { .. }), "a number")
            }
            "exclusiveMinimum" | "exclusiveMaximum" => holds(
                matches!(value, Document::Number { .. } | Document::Boolean(_)),
                "a number, or in draft 4 a boolean",
            ),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => holds(is_count(value), "a number that is not negative"),
            "pattern" => holds(
                matches!(value, Document::Text(pattern) if is_closed(pattern)),
                "a regular expression",
            ),
            "$ref" => holds(
                matches!(value, Document::Text(target) if self.leads_somewhere(target)),
                "the place of a schema in this document or in one that is referred to",
            ),
            _ => Ok(()),
        }
    }

    /// Whether a reference names a place that exists. Anchors, and documents that only an `$id` could name, are believed.
    fn leads_somewhere(&self, target: &str) -> bool {
        let (base, fragment) = target.split_once('#').unwrap_or((target, ""));
        if base.is_empty() {
            return holds_place(self.root, fragment);
        }
        if base.contains("//json-schema.org/") {
            return true;
        }
        let own = id(self.root).is_some_and(|id| is_same(id, base));
        let known = self.references.iter().find(|reference| {
            is_same(reference.name, base)
                || id(&reference.document).is_some_and(|id| is_same(id, base))
        });
        match known {
            Some(reference) => holds_place(&reference.document, fragment),
            None => own || holds_id(self.root, base),
        }
    }
}

const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "string", "integer",
];

fn is_type(value: &Document) -> bool {
    let is_word = |value: &Document| match value {
        // Draft 3.
        Document::Text(word) => TYPES.contains(&&**word) || &**word == "any",
        Document::Null
        | Document::Boolean(_)
        | Document::Number { .. }
        | Document::Array(_)
        | Document::Object(_) => false,
    };
    match value {
        Document::Array(words) => words.iter().all(is_word),
        Document::Null
        | Document::Boolean(_)
        | Document::Number { .. }
        | Document::Text(_)
        | Document::Object(_) => is_word(value),
    }
}

fn is_list_of_texts(value: &Document) -> bool {
    let Document::Array(values) = value else {
        return false;
    };
    values
        .iter()
        .all(|value| matches!(value, Document::Text(_)))
}

fn is_count(value: &Document) -> bool {
    matches!(value, Document::Number { text, .. } if !text.starts_with('-') || &**text == "-0")
}

/// Whether the brackets of a regular expression are closed: the one mistake that is found without an engine.
fn is_closed(pattern: &str) -> bool {
    let (mut groups, mut in_class) = (0_usize, false);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.next().is_none() => return false,
            '\\' => {}
            '[' if !in_class => in_class = true,
            ']' if in_class => in_class = false,
            '(' if !in_class => groups += 1,
            ')' if !in_class => match groups.checked_sub(1) {
                Some(fewer) => groups = fewer,
                None => return false,
            },
            _ => {}
        }
    }
    groups == 0 && !in_class
}

/// The `$id` of a document, `id` in draft 4.
fn id(document: &Document) -> Option<&str> {
    ["$id", "id"]
        .into_iter()
        .find_map(|key| match member(document, key)? {
            Document::Text(id) => Some(id.strip_suffix('#').unwrap_or(id)),
            Document::Null
            | Document::Boolean(_)
            | Document::Number { .. }
            | Document::Array(_)
            | Document::Object(_) => None,
        })
}

/// Whether a document or a part of it calls itself so.
fn holds_id(document: &Document, base: &str) -> bool {
    id(document).is_some_and(|id| is_same(id, base))
        || match document {
            Document::Object(members) => members.iter().any(|(_, value)| holds_id(value, base)),
            Document::Array(values) => values.iter().any(|value| holds_id(value, base)),
            Document::Null | Document::Boolean(_) | Document::Number { .. } | Document::Text(_) => {
                false
            }
        }
}

/// Whether two addresses may be one: a relative one ends an absolute one.
fn is_same(a: &str, b: &str) -> bool {
    a.ends_with(b) || b.ends_with(a)
}

/// Whether a JSON pointer leads to a part of a document; anchors are believed.
fn holds_place(document: &Document, fragment: &str) -> bool {
    let Some(pointer) = fragment.strip_prefix('/') else {
        return true;
    };
    let mut place = Some(document);
    for step in pointer.split('/') {
        let step = percent_decoded(step).replace("~1", "/").replace("~0", "~");
        place = match place {
            Some(Document::Array(values)) => step.parse().ok().and_then(|at: usize| values.get(at)),
            Some(inner) => member(inner, &step),
            None => return false,
        };
    }
    place.is_some()
}

fn member<'a>(document: &'a Document, name: &str) -> Option<&'a Document> {
    let Document::Object(members) = document else {
        return None;
    };
    members
        .iter()
        .find(|(key, _)| &**key == name)
        .map(|(_, value)| value)
}

/// A part of a fragment without its percent escapes; as it is when they make no text.
pub(super) fn percent_decoded(step: &str) -> String {
    let mut bytes = Vec::with_capacity(step.len());
    let mut rest = step.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let escaped = match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |b: &u8| char::from(*b).to_digit(16);
                digit(high)
                    .zip(digit(low))
                    .map(|(high, low)| (high * 16 + low, after))
            }
            _ => None,
        };
        match escaped {
            Some((byte, after)) => {
                bytes.push(u8::try_from(byte).unwrap_or(b'?'));
                rest = after;
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| step.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_text::{Comments, document};

    fn checked(text: &str, references: &[(&'static str, &str)]) -> Result<(), String> {
        let parse = |text: &str| document(text, Comments::Refused).unwrap();
        let references: Vec<Referenced<'_>> = references
            .iter()
            .map(|(name, text)| Referenced {
                name,
                document: parse(text),
            })
            .collect();
        check(&parse(text), &references)
    }

    /// What a registry answered to these texts.
    #[test]
    fn keywords_hold_what_they_may() {
        for good in [
            "{}",
            "true",
            r#"{"type":["string","null"],"required":[],"x":{"type":1}}"#,
            r#"{"enum":["a",1,null],"const":1.50,"default":null}"#,
            r#"{"minimum":1,"exclusiveMinimum":true,"exclusiveMaximum":1e2}"#,
            r##"{"$defs":{"A":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/A"},"b":true}}"##,
            r##"{"definitions":{"a/b":{}},"$ref":"#/definitions/a~1b"}"##,
            r##"{"$ref":"#"}"##,
            r#"{"$schema":"http://json-schema.org/draft-03/schema#","type":"any","required":true}"#,
            r#"{"pattern":"^[](a)]\\($"}"#,
        ] {
            assert_eq!(checked(good, &[]), Ok(()), "{good}");
        }
        for bad in [
            r#"{"type":"nope"}"#,
            r#"{"type":1}"#,
            r#"{"properties":{"id":1}}"#,
            r##"{"properties":{"id":{"$ref":"#/definitions/Missing"}}}"##,
            r#"{"$ref":"other.json"}"#,
            r#"{"$ref":"http://schemas.invalid/none.json"}"#,
            r#"{"required":"a"}"#,
            r#"{"enum":1}"#,
            r#"{"minimum":"x"}"#,
            r#"{"pattern":"["}"#,
            r#"{"pattern":"a)"}"#,
            r#"{"allOf":{}}"#,
            r#"{"additionalProperties":1}"#,
            r#"{"items":5}"#,
            r#"{"minLength":-1}"#,
        ] {
            assert!(checked(bad, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn references_lead_to_documents_by_name_and_id() {
        let client = r#"{"$id":"http://acme/Client.json","properties":{"note":{"type":"string"}}}"#;
        let known = [("Client.json", client)];
        for good in [
            "Client.json",
            "http://acme/Client.json",
            "Client.json#/properties/note",
            "http://json-schema.org/draft-07/schema#",
        ] {
            let text = format!(r#"{{"properties":{{"c":{{"$ref":"{good}"}}}}}}"#);
            assert_eq!(checked(&text, &known), Ok(()), "{good}");
        }
        for bad in ["Client.json#/properties/none", "Other.json"] {
            assert!(
                checked(&format!(r#"{{"$ref":"{bad}"}}"#), &known).is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn escapes_in_fragments_are_undone() {
        assert_eq!(percent_decoded("a%20b%C3%A9%zz%"), "a bé%zz%");
    }
}
