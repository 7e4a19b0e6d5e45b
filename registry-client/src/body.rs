//! Bodies of the registry's REST interface, as plain serde types: client and server share them.
//!
//! Members that a registry leaves out are `None`; members that are not known here are ignored, as the Java client does.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(feature = "http")]
use crate::{Metadata, RegisteredSchema, RuleSet, SchemaGuid, SchemaId, SchemaType};
use crate::{Reference, SchemaText, Subject, Version};

/// What is posted to register a schema, to look it up, or to check its compatibility.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct SchemaRequest {
    /// The version, for imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The id, for imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
    /// `AVRO`, `JSON`, `PROTOBUF`; without it Avro.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_type: Option<String>,
    /// What the schema imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<Vec<ReferenceBody>>,
    /// Tags, properties, sensitive keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_set: Option<Value>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Whether tags of the previous version are taken over (`propagate.schema.tags`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagate_schema_tags: Option<bool>,
}

impl SchemaRequest {
    /// The body for a schema; members that would be empty are left out, as the Java client does.
    pub fn of(schema: &SchemaText) -> Self {
        let references: Vec<_> = schema.references().iter().map(ReferenceBody::of).collect();
        Self {
            schema_type: Some(schema.kind().wire_name().to_owned()),
            references: (!references.is_empty()).then_some(references),
            metadata: schema.metadata().and_then(|metadata| json(&metadata.0)),
            rule_set: schema.rule_set().and_then(|rules| json(&rules.0)),
            schema: Some(schema.text().to_owned()),
            ..Self::default()
        }
    }
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// A reference of one schema to another.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ReferenceBody {
    /// The name in the text.
    pub name: String,
    /// The subject.
    pub subject: String,
    /// The version; −1 is the newest.
    pub version: i32,
}

impl ReferenceBody {
    /// The body for a reference.
    pub fn of(reference: &Reference) -> Self {
        Self {
            name: reference.name.to_string(),
            subject: reference.subject.to_string(),
            version: reference.version.get(),
        }
    }

    /// The reference, unless subject or version are none.
    pub fn reference(&self) -> Option<Reference> {
        Some(Reference {
            name: self.name.as_str().into(),
            subject: Subject::new(&self.subject)?,
            version: Version::new(self.version)?,
        })
    }
}

/// A schema as a registry answers it. Which members are there depends on the question and on the registry.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct SchemaAnswer {
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
    /// The content name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guid: Option<String>,
    /// The language; left out for Avro by older registries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_type: Option<String>,
    /// What the schema imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<Vec<ReferenceBody>>,
    /// Tags, properties, sensitive keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_set: Option<Value>,
    /// The text; older registries leave it out when they answer a registration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The largest id there is (`fetchMaxId=true`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_id: Option<i32>,
    /// When it was registered, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<i64>,
    /// Whether it is softly deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<bool>,
}

#[cfg(feature = "http")]
/// What a question already says about the schema that it asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) id: Option<SchemaId>,
    pub(crate) guid: Option<SchemaGuid>,
    pub(crate) subject: Option<&'a Subject>,
    pub(crate) version: Option<Version>,
    pub(crate) schema: Option<&'a SchemaText>,
}

#[cfg(feature = "http")]
impl SchemaAnswer {
    /// The schema in this answer, completed from the question.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn registered(&self, known: &Known<'_>) -> Result<RegisteredSchema, String> {
        let subject = match self.subject.as_deref() {
            Some(name) => Some(Subject::new(name).ok_or("it has a subject that is no subject")?),
            None => known.subject.cloned(),
        };
        let version = match self.version {
            Some(raw) => Some(Version::new(raw).ok_or("it has a version below 1")?),
            None => known.version,
        };
        let id = match self.id {
            Some(raw) => Some(SchemaId::new(raw).ok_or("it has a negative id")?),
            None => known.id,
        };
        let guid = match self.guid.as_deref() {
            Some(text) => Some(SchemaGuid::parse(text).ok_or("it has a guid that is none")?),
            None => known.guid,
        };
        Ok(RegisteredSchema {
            id: id.ok_or("it has no id")?,
            guid,
            subject,
            version,
            schema: self.text(known)?,
        })
    }

    fn text(&self, known: &Known<'_>) -> Result<SchemaText, String> {
        let Some(text) = &self.schema else {
            return known
                .schema
                .cloned()
                .ok_or_else(|| "it has no schema".to_owned());
        };
        let kind = match self.schema_type.as_deref() {
            None => SchemaType::default(),
            Some(name) => SchemaType::from_wire_name(name)
                .ok_or_else(|| format!("the schema type '{name}' is not known"))?,
        };
        let mut references = Vec::new();
        for body in self.references.iter().flatten() {
            references.push(
                body.reference()
                    .ok_or("it has a reference without a subject or version")?,
            );
        }
        let mut schema = SchemaText::new(kind, text.as_str());
        if !references.is_empty() {
            schema = schema.with_references(references);
        }
        if let Some(metadata) = &self.metadata {
            schema = schema.with_metadata(Metadata(metadata.to_string().into()));
        }
        if let Some(rules) = &self.rule_set {
            schema = schema.with_rule_set(RuleSet(rules.to_string().into()));
        }
        Ok(schema)
    }
}

/// An error as a registry answers it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ErrorAnswer {
    /// The registry's code.
    pub error_code: u32,
    /// What happened.
    pub message: String,
}

/// A subject with a version.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct SubjectVersion {
    /// The subject.
    pub subject: String,
    /// The version.
    pub version: i32,
}

/// An id with the context in which it counts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ContextId {
    /// The context, `.` for the default one.
    pub context: String,
    /// The id.
    pub id: i32,
}

/// What a compatibility check answers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct CompatibilityAnswer {
    /// Whether the schema is compatible.
    pub is_compatible: bool,
    /// Why not; with `verbose=true` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<String>>,
}

/// Settings of a subject, a context or the registry. A `PUT` has and answers `compatibility`, a `GET` answers `compatibilityLevel`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ConfigBody {
    /// Another name of the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The same for encryption keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias_for_deks: Option<String>,
    /// Whether every schema is brought into normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalize: Option<bool>,
    /// Whether reserved fields are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_fields: Option<bool>,
    /// Whether new schemas are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_new_schemas: Option<bool>,
    /// Whether rules are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_rules: Option<bool>,
    /// The compatibility level, in a `PUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// The compatibility level, answered to a `GET` or `DELETE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility_level: Option<String>,
    /// How strictly JSON Schemas are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility_policy: Option<String>,
    /// The metadata property whose value says which versions are compared with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility_group: Option<String>,
    /// Metadata of schemas that have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_metadata: Option<Value>,
    /// Metadata that every schema gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_metadata: Option<Value>,
    /// Rules of schemas that have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_rule_set: Option<Value>,
    /// Rules that every schema gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_rule_set: Option<Value>,
}

impl ConfigBody {
    /// The compatibility level, wherever it stands.
    pub fn level(&self) -> Option<&str> {
        let level = self.compatibility_level.as_ref();
        level.or(self.compatibility.as_ref()).map(String::as_str)
    }
}

/// The mode of a subject, a context or the registry.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ModeBody {
    /// `READWRITE`, `READONLY`, `IMPORT` or `FORWARD`; `None` takes a subject's own mode away.
    pub mode: Option<String>,
}

/// `GET /v1/metadata/version`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ServerVersion {
    /// The version.
    pub version: String,
    /// The commit it was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<String>,
}

/// A resource (a topic) and what it is associated with: posted to create or change associations, and answered.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct ResourceAssociations {
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The Kafka cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_namespace: Option<String>,
    /// The topic's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// `topic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// The associations; in an answer those that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub associations: Option<Vec<AssociationChange>>,
}

/// One association of a resource, to be made or changed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct AssociationChange {
    /// `CREATE`, `UPSERT` or `DELETE`, in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_type: Option<String>,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// `key` or `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub association_type: Option<String>,
    /// `WEAK` or `STRONG`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<String>,
    /// Whether it cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frozen: Option<bool>,
    /// A schema to register under the subject; in an answer the one that was registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaAnswer>,
    /// Whether that schema is brought into normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalize: Option<bool>,
    /// Whether strong associations may go with their subject, in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cascade_lifecycle: Option<bool>,
}

/// An association as it is listed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct Association {
    /// The subject.
    pub subject: String,
    /// Its own name, a random UUID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guid: Option<String>,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The Kafka cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_namespace: Option<String>,
    /// The topic's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// `topic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// `key` or `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub association_type: Option<String>,
    /// `WEAK` or `STRONG`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<String>,
    /// Whether it cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frozen: Option<bool>,
    /// When it was made, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_ts: Option<i64>,
    /// When it was changed, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ts: Option<i64>,
}

/// `POST /associations:batchGet` and `:batchMutate`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct AssociationBatch {
    /// One per resource.
    pub requests: Vec<ResourceAssociations>,
}

/// What a batch answers (status 207).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct AssociationBatchAnswer {
    /// One per request, in order.
    pub results: Vec<AssociationResult>,
}

/// The fate of one request of a batch.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the members of the interface")]
pub struct AssociationResult {
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ResourceAssociations>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorAnswer>,
}
