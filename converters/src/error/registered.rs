//! Kinds of the registry formats: subjects, questions to a registry, what a converter adds on its way out.

use std::fmt;

use ferroconnect_registry_client as registry;

use super::Fault;
use crate::differs::Difference;
use crate::wire::{FrameError, Looks};

#[derive(Debug)]
pub(crate) enum Kind {
    /// What a converter says last on the way to bytes: the fault is that of the cause.
    Write {
        format: &'static Words,
        topic: Box<str>,
        fault: Fault,
    },
    /// The same from bytes.
    Read {
        format: &'static Words,
        topic: Box<str>,
        fault: Fault,
    },
    /// A question that the registry did not answer well.
    Refused {
        what: Box<str>,
        error: registry::Error,
    },
    /// A read named a schema that the registry does not know (yet).
    UnknownSchema {
        what: Box<str>,
        named: Box<str>,
        error: registry::Error,
    },
    /// The registry answered something else than was asked.
    WrongAnswer,
    /// A record strategy met a schema that is no record.
    NotARecord {
        role: &'static str,
        class: &'static str,
    },
    NoAssociation(Box<str>),
    SeveralAssociations(Box<str>),
    NotASubject(Box<str>),
    /// The registry's schema is in another language.
    OtherLanguage {
        named: Box<str>,
        found: registry::SchemaType,
        wanted: registry::SchemaType,
    },
    /// The registry's schema cannot be used.
    BadSchema {
        named: Box<str>,
        reason: Box<str>,
    },
    /// The registry's schema does not read what the generated one writes.
    Incompatible {
        key: &'static str,
        format: registry::SchemaType,
        first: Box<str>,
    },
    /// References lead too far, or in a circle.
    References {
        named: Box<str>,
        limit: usize,
    },
    /// The id is to be written in a form that the answer lacks.
    NoId {
        what: &'static str,
    },
    /// The id is to be written into headers, and there are none.
    NoHeaders,
    /// The record does not begin like one of a converter with a registry.
    NotFramed {
        error: FrameError,
        looks: Option<Looks>,
    },
    /// The id is to be read from the configuration, which names none.
    NoConfiguredId,
}

/// Words of one format in texts.
#[derive(Debug)]
pub(crate) struct Words {
    /// `Avro`, `Protobuf`, `JSON`.
    pub(crate) language: &'static str,
    /// Before the topic on the way to bytes.
    pub(crate) write: &'static str,
    /// Between `for topic T` and what follows on the way from bytes.
    pub(crate) read: (&'static str, &'static str),
}

/// `AvroConverter`.
pub(crate) const AVRO: Words = Words {
    language: "Avro",
    write: "Failed to serialize Avro data from topic ",
    read: ("Failed to deserialize data for topic ", " to Avro"),
};

/// `ProtobufConverter`.
pub(crate) const PROTOBUF: Words = Words {
    language: "Protobuf",
    write: "Failed to serialize Protobuf data from topic ",
    read: ("Failed to deserialize data for topic ", " to Protobuf"),
};

/// `JsonSchemaConverter`.
pub(crate) const JSON_SCHEMA: Words = Words {
    language: "JSON",
    write: "Converting Kafka Connect data to byte[] failed due to serialization error of topic ",
    read: (
        "Converting byte[] to Kafka Connect data failed due to serialization error of topic ",
        "",
    ),
};

impl Kind {
    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::Write { fault, .. } | Self::Read { fault, .. } => *fault,
            Self::Refused { error, .. } | Self::UnknownSchema { error, .. } => of_registry(error),
            Self::WrongAnswer => Fault::Plugin,
            Self::NoConfiguredId => Fault::Config,
            Self::NotARecord { .. }
            | Self::NoAssociation(_)
            | Self::SeveralAssociations(_)
            | Self::NotASubject(_)
            | Self::OtherLanguage { .. }
            | Self::BadSchema { .. }
            | Self::Incompatible { .. }
            | Self::References { .. }
            | Self::NoId { .. }
            | Self::NotFramed { .. }
            | Self::NoHeaders => Fault::Data,
        }
    }

    #[expect(clippy::unused_self, reason = "the kinds of all modules answer this")]
    pub(crate) const fn difference(&self) -> Option<Difference> {
        None
    }

    pub(crate) fn java_class(&self) -> &'static str {
        const DATA: &str = "org.apache.kafka.connect.errors.DataException";
        match self {
            Self::Write { fault, .. } | Self::Read { fault, .. } => match fault {
                Fault::Transient => "org.apache.kafka.connect.errors.RetriableException",
                Fault::Config => "org.apache.kafka.common.config.ConfigException",
                Fault::Data | Fault::Fenced | Fault::Plugin | Fault::Bug => DATA,
            },
            Self::Refused { error, .. } | Self::UnknownSchema { error, .. } => match error.status()
            {
                Some(401) => "org.apache.kafka.common.errors.AuthenticationException",
                Some(403) => "org.apache.kafka.common.errors.AuthorizationException",
                Some(408 | 500 | 503 | 504) => "org.apache.kafka.common.errors.TimeoutException",
                Some(429) => "org.apache.kafka.common.errors.ThrottlingQuotaExceededException",
                Some(502) => "org.apache.kafka.common.errors.DisconnectException",
                Some(_) => "org.apache.kafka.common.errors.SerializationException",
                None => "org.apache.kafka.common.errors.NetworkException",
            },
            Self::WrongAnswer
            | Self::NotARecord { .. }
            | Self::NoAssociation(_)
            | Self::SeveralAssociations(_)
            | Self::NotASubject(_)
            | Self::OtherLanguage { .. }
            | Self::BadSchema { .. }
            | Self::Incompatible { .. }
            | Self::References { .. }
            | Self::NoId { .. }
            | Self::NoHeaders
            | Self::NotFramed { .. }
            | Self::NoConfiguredId => "org.apache.kafka.common.errors.SerializationException",
        }
    }

    pub(crate) fn advice(&self) -> Option<String> {
        let text = match self {
            Self::Refused { error, .. } => return refusal_advice(error),
            Self::UnknownSchema { .. } => {
                "If the record was just written, the registry may be behind: try again. Otherwise the record was \
                 written with another registry, or not by a converter of this format"
            }
            Self::NotARecord { .. } => {
                "Use TopicNameStrategy for topics whose records are no structs"
            }
            Self::NoId { what: "ID" } => {
                "The registry gave no number for this schema; use \
                 io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer"
            }
            Self::NoId { .. } => {
                "The registry is older than GUIDs (Confluent Platform 8); use \
                 io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer"
            }
            Self::NotFramed {
                looks: Some(looks), ..
            } => return Some(format!("It looks like {looks}")),
            Self::NoConfiguredId => "Set use.schema.id or use.schema.guid",
            Self::OtherLanguage { .. } => "Use the converter of that format",
            Self::Write { .. }
            | Self::Read { .. }
            | Self::WrongAnswer
            | Self::NoAssociation(_)
            | Self::SeveralAssociations(_)
            | Self::NotASubject(_)
            | Self::BadSchema { .. }
            | Self::Incompatible { .. }
            | Self::References { .. }
            | Self::NotFramed { looks: None, .. }
            | Self::NoHeaders => return None,
        };
        Some(text.into())
    }
}

fn of_registry(error: &registry::Error) -> Fault {
    match error.fault() {
        registry::Fault::Config => Fault::Config,
        registry::Fault::Data => Fault::Data,
        registry::Fault::Transient => Fault::Transient,
        registry::Fault::Bug => Fault::Bug,
    }
}

fn refusal_advice(error: &registry::Error) -> Option<String> {
    let code = error.code()?;
    let text = match code {
        registry::RegistryCode::INCOMPATIBLE_SCHEMA => {
            "The subject's compatibility level forbids this change: change the schema, or the level"
        }
        registry::RegistryCode::SUBJECT_NOT_FOUND | registry::RegistryCode::SCHEMA_NOT_FOUND => {
            "Register the schema under that subject first, or set auto.register.schemas=true"
        }
        _ if matches!(error.status(), Some(401 | 403)) => {
            "Check the credentials (basic.auth.*, bearer.auth.*) and their rights"
        }
        _ => return None,
    };
    Some(text.into())
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write {
                format,
                topic,
                fault,
            } => {
                let space = if *fault == Fault::Transient { " " } else { "" };
                write!(f, "{}{topic}{space}", format.write)
            }
            Self::Read { format, topic, .. } => {
                write!(f, "{}{topic}{}", format.read.0, format.read.1)
            }
            Self::Refused { what, error } => write!(f, "{what}: {error}"),
            Self::UnknownSchema { what, named, error } => {
                write!(f, "{what}: {named} is not known to the registry: {error}")
            }
            Self::WrongAnswer => {
                f.write_str("the registry answered another question than was asked")
            }
            Self::NotARecord { role, class } => write!(
                f,
                "In configuration {role}.subject.name.strategy = {class}, the message {role} must only be a record \
                 schema"
            ),
            Self::NoAssociation(topic) => {
                write!(f, "No associated subject found for topic {topic}")
            }
            Self::SeveralAssociations(topic) => {
                write!(f, "Multiple associated subjects found for topic {topic}")
            }
            Self::NotASubject(name) => write!(f, "'{name}' cannot be a subject"),
            Self::OtherLanguage {
                named,
                found,
                wanted,
            } => {
                write!(f, "{named} is of type {found}, not {wanted}")
            }
            Self::BadSchema { named, reason } => write!(f, "{named} cannot be used: {reason}"),
            Self::Incompatible { key, format, first } => write!(
                f,
                "Incompatible schema of type '{format}'. Set {key}=false to disable this check: {first}"
            ),
            Self::References { named, limit } => {
                write!(
                    f,
                    "{named} refers to more than {limit} schemas, or in a circle"
                )
            }
            Self::NoId { what } => write!(f, "Schema {what} is null"),
            Self::NotFramed { error, .. } => write!(f, "Error deserializing schema ID: {error}"),
            Self::NoHeaders => f.write_str("Missing headers"),
            Self::NoConfiguredId => f.write_str("Schema ID is null"),
        }
    }
}
