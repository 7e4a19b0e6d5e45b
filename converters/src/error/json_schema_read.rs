//! Kinds of reading JSON Schema: schemas that have no Connect schema, and documents that are not of theirs.

use std::fmt;

use super::Fault;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A schema text that is no JSON.
    SchemaSyntax {
        what: &'static str,
    },
    /// Where a schema should be there is neither an object nor a boolean.
    NoSchema,
    Keyword {
        keyword: &'static str,
        wanted: &'static str,
    },
    ReferenceUnknown {
        text: Box<str>,
    },
    SchemaTooLarge {
        what: &'static str,
        limit: usize,
    },
    /// The schema nests deeper than a limit of ours.
    SchemaTooDeep,
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        "org.apache.kafka.connect.errors.DataException"
    }

    pub(crate) const fn difference(&self) -> Option<Difference> {
        None
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::ReferenceUnknown { .. } => Some(
                "Register the schema that it names, and list it in the references of the schema".into(),
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaSyntax { what } => write!(f, "Invalid JSON schema: {what}"),
            Self::NoSchema => {
                f.write_str("Invalid JSON schema: a schema is an object or a boolean")
            }
            Self::Keyword { keyword, wanted } => {
                write!(f, "Invalid JSON schema: {keyword} must hold {wanted}")
            }
            Self::ReferenceUnknown { text } => {
                write!(f, "Invalid JSON schema: $ref leads nowhere: {text}")
            }
            Self::SchemaTooLarge { what, limit } => {
                write!(f, "the JSON schema has more than {limit} {what}")
            }
            Self::SchemaTooDeep => f.write_str("the schema nests too deep"),
        }
    }
}
