//! Kinds of the Protobuf schema language.

use std::fmt;

use super::Fault;

/// Texts are the words that a Confluent registry answers where it has some.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The text is no `.proto` file. Line and column count from 1.
    Syntax {
        line: usize,
        column: usize,
        what: Box<str>,
    },
    /// Two types or two services of one file have one name.
    Redefined { name: Box<str> },
    /// A type that neither the file, nor what it refers to, nor the well-known files define.
    Unresolved { name: Box<str> },
    /// The key of a map is no integer, `bool` or `string`.
    MapKey { found: Box<str> },
    /// The bytes are no `FileDescriptorProto`.
    Descriptor { what: &'static str },
    /// The text that would be stored cannot be read again.
    Unreadable { reason: Box<str> },
    /// A limit of ours; `what` names it.
    TooMuch { what: &'static str },
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::Syntax { .. }
            | Self::Redefined { .. }
            | Self::Unresolved { .. }
            | Self::Unreadable { .. }
            | Self::TooMuch { .. } => "java.lang.IllegalStateException",
            Self::MapKey { .. } | Self::Descriptor { .. } => "java.lang.IllegalArgumentException",
        }
    }

    pub(crate) fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::Unresolved { .. } => {
                "Define it in this text or in a reference; a name is looked up from the inside outwards"
            }
            Self::MapKey { .. } => "Use an integer type, bool or string",
            Self::Redefined { .. } => "Rename one of them",
            Self::Syntax { .. }
            | Self::Descriptor { .. }
            | Self::Unreadable { .. }
            | Self::TooMuch { .. } => return None,
        };
        Some(advice.into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, what } => write!(
                f,
                "Could not parse Protobuf - Syntax error in :{line}:{column}: {what}"
            ),
            Self::Redefined { name } => {
                write!(f, "Could not parse Protobuf - {name} is already defined")
            }
            Self::Unresolved { name } => write!(f, "Could not resolve type: {name}"),
            Self::MapKey { found } => write!(
                f,
                "map key must be non-byte, non-floating point scalar: {found}"
            ),
            Self::Descriptor { what } => write!(f, "No FileDescriptorProto: {what}"),
            Self::Unreadable { reason } => {
                write!(f, "The text that would be stored is no Protobuf: {reason}")
            }
            Self::TooMuch { what } => write!(f, "The Protobuf schema is too large: {what}"),
        }
    }
}
