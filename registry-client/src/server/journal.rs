//! Journal records: folding them in order over an empty state gives the state back.
//!
//! A record says what became true, never what was asked, so that replaying needs neither a schema language nor a clock.
//! The form is JSON with short member names. Members may be added; a reader ignores what it does not know.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::content::{Content, Link};
use super::names::Name;
use super::state::{Association, Settings};
use crate::guid::MetadataSets;
use crate::{Mode, SchemaType};

/// One change of a registry's state. It travels as text.
///
/// ```
/// use ferroconnect_registry_client::server::Record;
/// let text = r#"{"deleted":{"subject":"orders-value","version":1}}"#;
/// assert_eq!(Record::from_text(text)?.to_text(), text);
/// # Ok::<(), ferroconnect_registry_client::server::BadRecord>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record(pub(crate) Change);

impl Record {
    /// The text to keep.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("names and texts are always JSON")
    }

    /// Reads a kept text.
    ///
    /// # Errors
    /// The text is not a record: it was damaged, or a newer program wrote it.
    pub fn from_text(text: &str) -> Result<Self, BadRecord> {
        serde_json::from_str(text).map_err(|error| BadRecord(error.to_string()))
    }
}

/// A text that is no journal record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord(String);

impl std::fmt::Display for BadRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a record of a registry's journal: {}", self.0)
    }
}

impl std::error::Error for BadRecord {}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// A version was written, over whatever had its number.
    Registered(Registered),
    /// A version was deleted softly.
    Deleted { subject: Name, version: i32 },
    /// A version was deleted for good.
    Removed { subject: Name, version: i32 },
    /// Settings were written; without a subject they are those of the default context.
    Configured {
        subject: Option<Name>,
        settings: Option<Box<Settings>>,
    },
    /// A mode was written or taken away.
    Mode {
        subject: Option<Name>,
        #[serde(with = "mode")]
        mode: Option<Mode>,
    },
    /// A context came into being.
    Context { name: String },
    /// A context was deleted.
    ContextRemoved { name: String },
    /// An association was made or changed.
    Associated(Box<Association>),
    /// An association was taken away.
    Dissociated { guid: String },
}

/// A version with all its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Registered {
    pub(crate) subject: Name,
    pub(crate) version: i32,
    pub(crate) id: i32,
    #[serde(with = "kind")]
    pub(crate) kind: SchemaType,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) references: Vec<Link>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<MetadataSets>,
    /// When, in milliseconds since 1970.
    pub(crate) ts: i64,
}

impl Registered {
    pub(crate) fn new(place: (&Name, i32), id: i32, content: &Content, ts: i64) -> Self {
        Self {
            subject: place.0.clone(),
            version: place.1,
            id,
            kind: content.kind,
            text: content.text.as_ref().into(),
            references: content.references.to_vec(),
            metadata: content.metadata.as_deref().cloned(),
            ts,
        }
    }

    pub(crate) fn content(&self) -> Content {
        Content {
            kind: self.kind,
            text: self.text.as_str().into(),
            references: self.references.clone().into(),
            metadata: self.metadata.clone().map(Arc::new),
        }
    }
}

mod kind {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::SchemaType;

    pub(super) fn serialize<S: Serializer>(kind: &SchemaType, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.wire_name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SchemaType, D::Error> {
        let name = String::deserialize(from)?;
        SchemaType::from_wire_name(&name)
            .ok_or_else(|| D::Error::custom(format_args!("unknown schema type {name}")))
    }
}

mod mode {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    use crate::Mode;

    pub(super) fn serialize<S: Serializer>(mode: &Option<Mode>, to: S) -> Result<S::Ok, S::Error> {
        mode.map(Mode::wire_name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Mode>, D::Error> {
        let Some(name) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        let unknown = || D::Error::custom(format_args!("unknown mode {name}"));
        Mode::from_wire_name(&name).map(Some).ok_or_else(unknown)
    }
}
