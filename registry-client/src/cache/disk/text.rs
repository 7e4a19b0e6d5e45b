//! Questions and answers as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::body::{Known, SchemaAnswer, SchemaRequest};
use crate::{Answer, Question, RegisteredSchema, SchemaText, Subject};

/// The version of what is in a file. Another one is not read.
pub(super) const FORMAT: u32 = 1;

/// What is in a file.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) format: u32,
    pub(super) scope: String,
    pub(super) question: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<SchemaAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subjects: Option<Vec<String>>,
}

impl Kept {
    pub(super) fn new(scope: &str, question: String, answer: &Answer) -> Self {
        let (schema, subjects) = match answer {
            Answer::Schema(schema) => (Some(schema_answer(schema)), None),
            Answer::Subjects(subjects) => (
                None,
                Some(subjects.iter().map(ToString::to_string).collect()),
            ),
        };
        Self {
            format: FORMAT,
            scope: scope.to_owned(),
            question,
            schema,
            subjects,
        }
    }
}

/// A question as text that no other question has.
pub(super) fn question(question: &Question) -> Value {
    let name = |subject: &Subject| Value::from(subject.as_str());
    match question {
        Question::ById { id, subject } => {
            json!(["id", id.get(), subject.as_ref().map(name)])
        }
        Question::ByGuid { guid } => json!(["guid", guid.to_string()]),
        Question::Register {
            subject,
            schema,
            normalize,
            propagate_schema_tags,
        } => json!([
            "register",
            name(subject),
            normalize,
            propagate_schema_tags,
            request(schema)
        ]),
        Question::Find {
            subject,
            schema,
            flags,
        } => json!([
            "find",
            name(subject),
            flags.normalize,
            flags.deleted,
            request(schema)
        ]),
        Question::Latest { subject } => json!(["latest", name(subject)]),
        Question::LatestWithMetadata {
            subject,
            properties,
        } => json!(["metadata", name(subject), properties]),
        Question::Version {
            subject,
            version,
            deleted,
        } => json!(["version", name(subject), version.get(), deleted]),
        Question::Associated(topic) => {
            json!(["associated", topic.cluster, topic.topic, topic.is_key])
        }
    }
}

/// Metadata and rules stand as their text here: texts that differ are different questions.
fn request(schema: &SchemaText) -> Value {
    let mut body = SchemaRequest::of(schema);
    body.metadata = schema.metadata().map(|metadata| Value::from(&*metadata.0));
    body.rule_set = schema.rule_set().map(|rules| Value::from(&*rules.0));
    json!(body)
}

fn schema_answer(registered: &RegisteredSchema) -> SchemaAnswer {
    let body = SchemaRequest::of(&registered.schema);
    SchemaAnswer {
        subject: registered.subject.as_ref().map(ToString::to_string),
        version: registered.version.map(crate::Version::get),
        id: Some(registered.id.get()),
        guid: registered.guid.map(|guid| guid.to_string()),
        schema_type: body.schema_type,
        references: body.references,
        metadata: body.metadata,
        rule_set: body.rule_set,
        schema: body.schema,
        ..SchemaAnswer::default()
    }
}

/// The answer in a file.
pub(super) fn answer_of(kept: &Kept) -> Option<Answer> {
    match (&kept.schema, &kept.subjects) {
        (Some(schema), None) => schema
            .registered(&Known::default())
            .ok()
            .map(Answer::Schema),
        (None, Some(subjects)) => {
            let subjects = subjects.iter().map(|name| Subject::new(name));
            subjects.collect::<Option<Vec<_>>>().map(Answer::Subjects)
        }
        (Some(_), Some(_)) | (None, None) => None,
    }
}
