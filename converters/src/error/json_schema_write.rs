//! Kinds of writing JSON Schema: schemas that it has no words for, and values that their schemas do not take.

use std::fmt;

use super::Fault;
use crate::data::Type;
use crate::differs::Difference;
use crate::limits::{JSON_GENERATED_DEPTH_MAX, JSON_GENERATED_SCHEMAS_MAX};

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// The schema nests deeper than a limit of ours.
    SchemaTooDeep,
    /// Written out, the schema has more parts than a limit of ours.
    SchemaTooLarge,
    /// A schema contains itself and has no id that it could be referred to by.
    Recursive,
    /// An array or map without schemas of what is in it.
    PartMissing {
        kind: Type,
    },
    /// A default that JSON has no number for.
    DefaultNotFinite,
    /// A value without a schema.
    Schemaless {
        class: &'static str,
    },
    WrongClass {
        kind: Type,
        class: &'static str,
    },
    LogicalWrongClass {
        logical: &'static str,
        expected: &'static str,
        class: &'static str,
    },
    StructSchemasDiffer,
    NullKey,
    /// Bytes that are no variant.
    Variant {
        what: &'static str,
    },
    /// An additional property has the name of a property that the schema declares.
    AdditionalCollides,
    /// From here on the JVM fails only after it has registered the schema.
    /// The document is not what its schema allows.
    Invalid {
        report: Box<str>,
    },
    /// The schema that documents are to be checked with cannot be used.
    CannotValidate {
        reason: Box<str>,
    },
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::Invalid { .. } | Self::CannotValidate { .. } => {
                "org.apache.kafka.common.errors.SerializationException"
            }
            Self::SchemaTooDeep
            | Self::SchemaTooLarge
            | Self::Recursive
            | Self::PartMissing { .. }
            | Self::DefaultNotFinite
            | Self::Schemaless { .. }
            | Self::WrongClass { .. }
            | Self::LogicalWrongClass { .. }
            | Self::StructSchemasDiffer
            | Self::NullKey
            | Self::Variant { .. }
            | Self::AdditionalCollides => "org.apache.kafka.connect.errors.DataException",
        }
    }

    pub(crate) const fn difference(&self) -> Option<Difference> {
        None
    }

    /// Whether the JVM meets this while it converts, before it asks the registry.
    pub(crate) const fn comes_first(&self) -> bool {
        !matches!(self, Self::Invalid { .. } | Self::CannotValidate { .. })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        let text = match self {
            Self::Recursive => {
                "Give the schema the parameter io.confluent.connect.json.Id, with a value like #id1: it is what the schema \
                 refers to itself by"
            }
            Self::Schemaless { .. } => "Give the data a schema, or use JsonConverter",
            Self::DefaultNotFinite => "Leave the default out: JSON has no NaN and no infinities",
            Self::Invalid { .. } => {
                "Mend the data or the schema, or set json.fail.invalid.schema=false to write documents unchecked"
            }
            Self::CannotValidate { .. } => {
                "Mend the registered schema, or set json.fail.invalid.schema=false to leave documents unchecked"
            }
            Self::AdditionalCollides => {
                "Rename the entry: written, it would replace the field of the same name"
            }
            _ => return None,
        };
        Some(text.into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaTooDeep => {
                write!(
                    f,
                    "the schema nests deeper than {JSON_GENERATED_DEPTH_MAX} levels"
                )
            }
            Self::SchemaTooLarge => write!(
                f,
                "written out, the schema has more than {JSON_GENERATED_SCHEMAS_MAX} schemas in it"
            ),
            Self::Recursive => f.write_str("the schema contains itself"),
            Self::PartMissing { kind } => {
                write!(f, "the {kind} schema does not say what is in it")
            }
            Self::DefaultNotFinite => f.write_str("JSON does not allow non-finite numbers."),
            Self::Schemaless { class } => {
                write!(
                    f,
                    "a value of class {class} has no schema, and JSON Schema needs one"
                )
            }
            Self::WrongClass { kind, class } => write!(f, "Invalid type for {kind}: class {class}"),
            Self::LogicalWrongClass {
                logical,
                expected,
                class,
            } => write!(
                f,
                "Invalid type for {logical}, expected {expected} but was class {class}"
            ),
            Self::StructSchemasDiffer => f.write_str("Mismatching schema."),
            Self::NullKey => f.write_str("a null key of a map has no name in a JSON object"),
            Self::Variant { what } => write!(f, "the bytes are no variant: {what}"),
            Self::AdditionalCollides => {
                f.write_str("an additional property has the name of a field of the struct")
            }
            Self::Invalid { report } => {
                write!(f, "Validation error in JSON, Error report:\n{report}")
            }
            Self::CannotValidate { reason } => {
                write!(f, "documents cannot be checked with the schema: {reason}")
            }
        }
    }
}
