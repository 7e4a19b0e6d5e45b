//! Kinds of writing JSON Schema: schemas that it has no words for, and values that their schemas do not take.

use std::fmt;

use super::Fault;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
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
        match self {
            Self::SchemaTooDeep => None,
        }
    }

    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::SchemaTooDeep => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaTooDeep => f.write_str("the schema nests too deep"),
        }
    }
}
