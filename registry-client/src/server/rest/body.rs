//! Reading request bodies, with the conversions of the registry's JSON library: numbers for texts, texts for numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::SchemaType;
use crate::guid::MetadataSets;
use crate::server::posted::{Posted, PostedLink};
use crate::server::refusal::Refusal;
use crate::server::tags::TagChange;

/// The members of a JSON object in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members<'a>(pub(crate) &'a Map<String, Value>);

/// The object that a body holds.
///
/// # Errors
/// No body or `null` (plain 422), no JSON or no object (plain 400).
pub(crate) fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let text = std::str::from_utf8(body).map_err(|_| bad("The body is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(missing());
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Err(missing()),
        Ok(Value::Object(members)) => Ok(members),
        Ok(other) => Err(expected("an object", &other)),
        Err(error) => Err(bad(&format!("The body is not JSON: {error}"))),
    }
}

fn missing() -> Refusal {
    Refusal::plain(422, "the body must not be null (was null)")
}

fn bad(message: &str) -> Refusal {
    Refusal::plain(400, message)
}

fn expected(what: &str, found: &Value) -> Refusal {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    bad(&format!(
        "Cannot read the body: expected {what}, found {kind}"
    ))
}

impl<'a> Members<'a> {
    /// A member that is there and not null.
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Whether a member is there, be it null.
    pub(crate) fn has(self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A text; numbers and booleans are texts too.
    pub(crate) fn text(self, name: &str) -> Result<Option<String>, Refusal> {
        self.get(name).map(text).transpose()
    }

    /// A number of 32 bits; a text may hold it, and a fraction is cut off.
    pub(crate) fn integer(self, name: &str) -> Result<Option<i32>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let parsed = match value {
            Value::Number(number) => number
                .as_i64()
                .or_else(|| number.as_f64().map(whole))
                .and_then(|number| i32::try_from(number).ok()),
            Value::String(text) if text.trim().is_empty() => return Ok(None),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        parsed
            .map(Some)
            .ok_or_else(|| expected("an integer", value))
    }

    /// A boolean; a number may stand for it (0 is false), or a text.
    pub(crate) fn flag(self, name: &str) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let parsed = match value {
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) => number.as_i64().map(|number| number != 0),
            Value::String(text) => match text.trim() {
                "" => return Ok(None),
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        parsed
            .map(Some)
            .ok_or_else(|| expected("true or false", value))
    }

    /// The objects of an array; a missing array is none.
    pub(crate) fn objects(self, name: &str) -> Result<Option<Vec<Self>>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let items = value
            .as_array()
            .ok_or_else(|| expected("an array", value))?;
        items
            .iter()
            .filter(|item| !item.is_null())
            .map(members)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// An object.
    pub(crate) fn inner(self, name: &str) -> Result<Option<Self>, Refusal> {
        self.get(name).map(members).transpose()
    }

    /// One of a set of words.
    pub(crate) fn word(self, name: &str, words: &[&str]) -> Result<Option<String>, Refusal> {
        let word = self.text(name)?;
        match word {
            Some(word) if !words.contains(&word.as_str()) => Err(bad(&format!(
                "Cannot read {name}: expected one of {}",
                words.join(", ")
            ))),
            word => Ok(word),
        }
    }

    /// Metadata under a name; what is empty is as if it were not there.
    pub(crate) fn metadata(self, name: &str) -> Result<Option<MetadataSets>, Refusal> {
        let Some(members) = self.inner(name)? else {
            return Ok(None);
        };
        let mut tags = BTreeMap::new();
        for (path, list) in members.entries("tags")? {
            tags.insert(path.clone(), texts(list)?);
        }
        let mut properties = BTreeMap::new();
        for (key, value) in members.entries("properties")? {
            if !value.is_null() {
                properties.insert(key.clone(), text(value)?);
            }
        }
        let sensitive = members.get("sensitive").map(texts).transpose()?;
        Ok(Some(MetadataSets {
            tags,
            properties,
            sensitive: sensitive.unwrap_or_default(),
        }))
    }

    /// Whether there is a rule set. Its members are checked, since a bad one is refused though the set is dropped.
    pub(crate) fn rule_set(self, name: &str) -> Result<bool, Refusal> {
        let Some(set) = self.inner(name)? else {
            return Ok(false);
        };
        for list in ["domainRules", "migrationRules", "encodingRules"] {
            for rule in set.objects(list)?.unwrap_or_default() {
                rule.word("kind", &["TRANSFORM", "CONDITION"])?;
                rule.word("mode", &RULE_MODES)?;
                for text in ["name", "doc", "type", "expr", "onSuccess", "onFailure"] {
                    rule.text(text)?;
                }
                rule.flag("disabled")?;
                rule.entries("params")?;
                rule.get("tags").map(texts).transpose()?;
            }
        }
        set.word("enableAt", &["NONE", "ALL", "SERVER", "GATEWAY", "CLIENT"])?;
        Ok(true)
    }

    /// The schema of a register, look-up or compatibility request.
    ///
    /// # Errors
    /// A member of a wrong kind (plain 400), or an unknown language (42201).
    pub(crate) fn schema(self) -> Result<Posted, Refusal> {
        let kind = match self.text("schemaType")? {
            None => SchemaType::Avro,
            Some(name) => SchemaType::from_wire_name(&name)
                .ok_or_else(|| Refusal::invalid_schema(format!("Invalid schema type {name}")))?,
        };
        let mut references = Vec::new();
        for link in self.objects("references")?.unwrap_or_default() {
            references.push(PostedLink {
                name: link.text("name")?,
                subject: link.text("subject")?,
                version: link.integer("version")?,
            });
        }
        let mut tags = self.tags("schemaTagsToAdd", false)?;
        tags.extend(self.tags("schemaTagsToRemove", true)?);
        Ok(Posted {
            kind,
            text: self.text("schema")?.map(Arc::from),
            references,
            metadata: self.metadata("metadata")?,
            has_rules: self.rule_set("ruleSet")?,
            id: self.integer("id")?,
            version: self.integer("version")?,
            tags,
        })
    }

    /// A list of changes of tags.
    pub(crate) fn tags(self, name: &str, removes: bool) -> Result<Vec<TagChange>, Refusal> {
        let mut changes = Vec::new();
        for change in self.objects(name)?.unwrap_or_default() {
            let entity = change.inner("schemaEntity")?;
            let entity = entity.ok_or_else(|| bad("Cannot read the tags: no schemaEntity"))?;
            let kind = entity.text("entityType")?.unwrap_or_default();
            changes.push(TagChange {
                path: entity.text("entityPath")?.unwrap_or_default(),
                is_field: kind.eq_ignore_ascii_case("sr_field"),
                tags: change
                    .get("tags")
                    .map(texts)
                    .transpose()?
                    .unwrap_or_default(),
                removes,
            });
        }
        Ok(changes)
    }

    fn entries(self, name: &str) -> Result<Vec<(&'a String, &'a Value)>, Refusal> {
        let inner = self.inner(name)?;
        Ok(inner.into_iter().flat_map(|members| members.0).collect())
    }
}

fn members(value: &Value) -> Result<Members<'_>, Refusal> {
    let object = value.as_object().map(Members);
    object.ok_or_else(|| expected("an object", value))
}

fn text(value: &Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(expected("a text", value)),
    }
}

fn texts(value: &Value) -> Result<BTreeSet<String>, Refusal> {
    let items = value
        .as_array()
        .ok_or_else(|| expected("an array", value))?;
    items
        .iter()
        .filter(|item| !item.is_null())
        .map(text)
        .collect()
}

/// A fraction is cut off; what is out of range stays out of range.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast from f64 saturates, and 32 bits are checked afterwards"
)]
const fn whole(number: f64) -> i64 {
    number as i64
}

const RULE_MODES: [&str; 6] = [
    "DOWNGRADE",
    "READ",
    "UPGRADE",
    "UPDOWN",
    "WRITE",
    "WRITEREAD",
];
