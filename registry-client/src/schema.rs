//! Schema texts and what a registry says about them.

use std::fmt;
use std::sync::Arc;

use crate::{SchemaGuid, SchemaId, Subject, Version};

/// The language of a schema text. Closed: the registry knows exactly these three.
///
/// ```
/// use ferroconnect_registry_client::SchemaType;
/// assert_eq!(SchemaType::from_wire_name("JSON"), Some(SchemaType::Json));
/// assert_eq!(SchemaType::from_wire_name("json"), None); // the registry is strict about case
/// assert_eq!(SchemaType::default(), SchemaType::Avro); // what an answer without `schemaType` means
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaType {
    /// Apache Avro.
    #[default]
    Avro,
    /// JSON Schema.
    Json,
    /// Protocol Buffers.
    Protobuf,
}

impl SchemaType {
    /// The name in the registry's REST bodies.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Avro => "AVRO",
            Self::Json => "JSON",
            Self::Protobuf => "PROTOBUF",
        }
    }

    /// The type of that REST name.
    pub fn from_wire_name(name: &str) -> Option<Self> {
        [Self::Avro, Self::Json, Self::Protobuf]
            .into_iter()
            .find(|kind| kind.wire_name() == name)
    }
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire_name().fmt(f)
    }
}

/// One import of a schema text: the name used in the text, and where the imported text is registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The name as the importing text writes it (full name, import path or `$ref`).
    pub name: Box<str>,
    /// The subject of the imported text.
    pub subject: Subject,
    /// The version under that subject.
    pub version: Version,
}

/// The metadata of a schema (tags, properties, sensitive keys) as its JSON text, carried unread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Metadata(pub Arc<str>);

/// The rule set of a schema as its JSON text, carried unread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleSet(pub Arc<str>);

/// A schema as it is posted to a registry: text, language, imports. Cloning costs a few counters.
///
/// ```
/// use ferroconnect_registry_client::{SchemaText, SchemaType};
/// let text = SchemaText::new(SchemaType::Avro, r#""string""#);
/// assert_eq!(text.text(), r#""string""#);
/// assert!(text.references().is_empty());
/// // The same content has the same GUID in every registry.
/// assert_eq!(text.guid(), SchemaText::new(SchemaType::Avro, r#""string""#).guid());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaText {
    kind: SchemaType,
    text: Arc<str>,
    references: Arc<[Reference]>,
    metadata: Option<Metadata>,
    rule_set: Option<RuleSet>,
}

impl SchemaText {
    /// A schema without imports.
    pub fn new(kind: SchemaType, text: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            text: text.into(),
            references: Arc::from([]),
            metadata: None,
            rule_set: None,
        }
    }

    /// The same schema with these imports, in this order.
    #[must_use]
    pub fn with_references(self, references: impl Into<Arc<[Reference]>>) -> Self {
        Self {
            references: references.into(),
            ..self
        }
    }

    /// The same schema with this metadata.
    #[must_use]
    pub fn with_metadata(self, metadata: Metadata) -> Self {
        Self {
            metadata: Some(metadata),
            ..self
        }
    }

    /// The same schema with this rule set.
    #[must_use]
    pub fn with_rule_set(self, rule_set: RuleSet) -> Self {
        Self {
            rule_set: Some(rule_set),
            ..self
        }
    }

    /// The language.
    pub const fn kind(&self) -> SchemaType {
        self.kind
    }

    /// The text as posted or as the registry printed it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The imports, in order.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The metadata, unread.
    pub const fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// The rule set, unread.
    pub const fn rule_set(&self) -> Option<&RuleSet> {
        self.rule_set.as_ref()
    }

    /// The GUID a registry gives to this text and these imports; see [`SchemaGuid::of`] for its limit.
    pub fn guid(&self) -> SchemaGuid {
        SchemaGuid::of(self)
    }
}

/// A schema with the names a registry gave to it.
///
/// Which of `subject` and `version` are known depends on the question: an answer by GUID has neither,
/// and old servers leave `guid` out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredSchema {
    /// Its id, in the context of the subject that was asked for.
    pub id: SchemaId,
    /// Its content name, where the server says it.
    pub guid: Option<SchemaGuid>,
    /// The subject it was found under.
    pub subject: Option<Subject>,
    /// Its version under that subject.
    pub version: Option<Version>,
    /// The text; on a register this is the registry's print of it, which replaces the posted one.
    pub schema: SchemaText,
}
