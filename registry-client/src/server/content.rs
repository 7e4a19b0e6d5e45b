//! What a schema is made of, apart from its names: language, text, references, metadata.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::guid::{ContentDigest, MetadataSets};
use crate::{SchemaGuid, SchemaType};

/// A schema as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) kind: SchemaType,
    pub(crate) text: Arc<str>,
    pub(crate) references: Arc<[Link]>,
    pub(crate) metadata: Option<Arc<MetadataSets>>,
}

/// A reference: the name in the text, and where the other text is registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) name: String,
    /// As it was posted: without a context it means the one of the schema that refers.
    pub(crate) subject: String,
    pub(crate) version: i32,
}

impl Content {
    /// The content name, metadata included.
    pub(crate) fn guid(&self) -> SchemaGuid {
        let mut digest = self.digest();
        if let Some(metadata) = &self.metadata {
            digest.metadata(metadata);
        }
        digest.finish()
    }

    /// A name that schemas share when they differ in metadata alone, or besides in what their language takes for the
    /// same: the order of attributes in Avro, and a record that is called an error.
    pub(crate) fn loose_guid(&self) -> SchemaGuid {
        let loose = match self.kind {
            SchemaType::Avro => serde_json::from_str(&self.text).ok().map(ordered),
            SchemaType::Json | SchemaType::Protobuf => None,
        };
        match loose {
            Some(json) => self.digest_of(&json.to_string()),
            None => self.digest(),
        }
        .finish()
    }

    fn digest(&self) -> ContentDigest {
        self.digest_of(&self.text)
    }

    fn digest_of(&self, text: &str) -> ContentDigest {
        let mut digest = ContentDigest::of_text(text);
        for link in self.references.iter() {
            digest.reference(&link.name, &link.subject, link.version);
        }
        digest
    }
}

/// A schema text with its attributes in the order of their names.
fn ordered(schema: Value) -> Value {
    match schema {
        Value::Array(items) => items.into_iter().map(ordered).collect(),
        Value::Object(mut members) => {
            if members.get("type").is_some_and(|kind| kind == "error") {
                members.insert("type".into(), "record".into());
            }
            members.sort_keys();
            members
                .into_iter()
                .map(|(key, value)| (key, ordered(value)))
                .collect()
        }
        leaf @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => leaf,
    }
}

/// The property that says which version a schema was registered as.
pub(crate) const VERSION_PROPERTY: &str = "confluent:version";

/// The property that lists fields which must not come back.
pub(crate) const RESERVED_PROPERTY: &str = "confluent:reserved";

/// The metadata without the version it was registered as.
pub(crate) fn without_version(metadata: Option<&MetadataSets>) -> Option<MetadataSets> {
    let mut metadata = metadata?.clone();
    metadata.properties.remove(VERSION_PROPERTY);
    Some(metadata)
}

/// `over` laid on `under`: its tags, properties and sensitive names win or are added.
pub(crate) fn merged(
    under: Option<&MetadataSets>,
    over: Option<&MetadataSets>,
) -> Option<MetadataSets> {
    let (Some(under), Some(over)) = (under, over) else {
        return under.or(over).cloned();
    };
    let mut merged = under.clone();
    for (path, tags) in &over.tags {
        let known = merged.tags.entry(path.clone()).or_default();
        known.extend(tags.iter().cloned());
    }
    merged.properties.extend(over.properties.clone());
    merged.sensitive.extend(over.sensitive.iter().cloned());
    Some(merged)
}
