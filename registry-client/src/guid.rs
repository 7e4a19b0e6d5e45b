//! The content name of a schema: an MD5 digest (RFC 1321) of its text, imports and metadata.
//!
//! MD5 is here because the registry's format says so; nothing about it is a secret or a proof.

use std::collections::{BTreeMap, BTreeSet};

use md5::{Digest as _, Md5};
use serde_json::Value;

use crate::{SchemaGuid, SchemaText};

impl SchemaGuid {
    /// The GUID of a schema: over the text in UTF-8, then each import's name, subject and version (four
    /// bytes big-endian), then the metadata if there is any. The language is not part of it.
    ///
    /// Of a rule set only its presence and its text count here. The community registry drops rule sets
    /// before it names a schema, so for a schema that has one, believe the registry's answer.
    ///
    /// ```
    /// use ferroconnect_registry_client::{SchemaGuid, SchemaText, SchemaType};
    /// let text = r#"{"type":"record","name":"R","namespace":"a.b","fields":[]}"#;
    /// let guid = SchemaGuid::of(&SchemaText::new(SchemaType::Avro, text));
    /// assert_eq!(guid.to_string(), "f4d23729-2626-7388-6569-76b5cca258f4"); // a real registry's answer
    /// ```
    pub fn of(schema: &SchemaText) -> Self {
        let mut digest = ContentDigest::of_text(schema.text());
        for reference in schema.references() {
            let subject = reference.subject.as_str();
            digest.reference(&reference.name, subject, reference.version.get());
        }
        if let Some(metadata) = schema.metadata() {
            let json = serde_json::from_str(&metadata.0).unwrap_or(Value::Null);
            digest.metadata(&MetadataSets::from_json(&json));
        }
        if let Some(rules) = schema.rule_set() {
            digest.0.update([PRESENT]);
            digest.0.update(rules.0.as_bytes());
        }
        digest.finish()
    }
}

/// The metadata of a schema, in the order in which a registry keeps it: everything sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "server", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct MetadataSets {
    pub(crate) tags: BTreeMap<String, BTreeSet<String>>,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) sensitive: BTreeSet<String>,
}

impl MetadataSets {
    /// Reads the registry's JSON form; what has another shape is left out.
    pub(crate) fn from_json(json: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = |value: &Value| -> BTreeSet<String> {
            value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(text)
                .collect()
        };
        let members = |name: &str| {
            json.get(name)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
        };
        Self {
            tags: members("tags")
                .map(|(k, v)| (k.clone(), texts(v)))
                .collect(),
            properties: members("properties")
                .filter_map(|(k, v)| Some((k.clone(), text(v)?)))
                .collect(),
            sensitive: json.get("sensitive").map(texts).unwrap_or_default(),
        }
    }
}

/// The digest under construction: text, then references, then metadata.
pub(crate) struct ContentDigest(Md5);

impl ContentDigest {
    pub(crate) fn of_text(text: &str) -> Self {
        Self(Md5::new_with_prefix(text))
    }

    pub(crate) fn reference(&mut self, name: &str, subject: &str, version: i32) {
        self.0.update(name);
        self.0.update(subject);
        self.0.update(version.to_be_bytes());
    }

    pub(crate) fn metadata(&mut self, metadata: &MetadataSets) {
        self.0.update([PRESENT]);
        for (key, values) in &metadata.tags {
            self.0.update(key);
            values.iter().for_each(|value| self.0.update(value));
        }
        for (key, value) in &metadata.properties {
            self.0.update(key);
            self.0.update(value);
        }
        metadata.sensitive.iter().for_each(|key| self.0.update(key));
    }

    pub(crate) fn finish(self) -> SchemaGuid {
        SchemaGuid::from_bytes(self.0.finalize().into())
    }
}

/// Stands before members that may be absent.
const PRESENT: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metadata, Reference, SchemaType, Subject, Version};

    #[test]
    fn imports_are_part_of_the_name_and_the_language_is_not() {
        let plain = SchemaText::new(SchemaType::Avro, r#""int""#);
        let reference = Reference {
            name: "a.N".into(),
            subject: Subject::new("n-value").unwrap(),
            version: Version::FIRST,
        };
        assert_ne!(
            plain.guid(),
            plain.clone().with_references([reference]).guid()
        );
        assert_eq!(
            plain.guid(),
            SchemaText::new(SchemaType::Json, r#""int""#).guid()
        );
    }

    /// Values that a Schema Registry 8.5.0 answered.
    #[test]
    fn metadata_is_part_of_the_name_however_it_is_ordered() {
        let order = r#"{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}"#;
        let schema = SchemaText::new(SchemaType::Avro, order);
        let named = |json: &str| {
            let schema = schema.clone().with_metadata(Metadata(json.into()));
            schema.guid().to_string()
        };
        assert_eq!(
            schema.guid().to_string(),
            "8b8bd78e-4456-4c99-8d72-64cbe6177dae"
        );
        assert_eq!(named("{}"), "068b2931-a1e0-76a9-78f9-6efe0cd8476d");
        assert_eq!(
            named(
                r#"{"properties":{"tier":"1","owner":"alpha"},"tags":{"**.x":["PII","A"]},"sensitive":["tier"]}"#
            ),
            "11882c68-b9e9-6a60-553b-e93c7ad135b4"
        );
    }
}
