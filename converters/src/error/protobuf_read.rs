//! Kinds of reading Protobuf: schemas that have no Connect schema, and bytes that are no message of theirs.

use std::fmt;

use super::Fault;
use crate::differs::Difference;
use crate::wire::Looks;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    SchemaTooDeep {
        limit: usize,
    },
    SchemaTooLarge {
        limit: usize,
    },
    /// No descriptor can be built of the file.
    InvalidDefinition {
        reason: Box<str>,
    },
    ScaleNotANumber {
        field: Box<str>,
    },
    /// The bytes end inside of a field.
    Truncated,
    InvalidTag,
    InvalidWireType {
        found: u32,
    },
    VarintTooLong,
    UnexpectedEndGroup,
    TooDeep {
        limit: usize,
    },
    NotUtf8,
    RequiredMissing {
        field: Box<str>,
    },
    /// `connect.type` says that a number is narrower than it is.
    Narrowed {
        to: &'static str,
    },
    InvalidDate,
    InvalidTime,
    InvalidTimestamp,
    InvalidDecimal {
        reason: &'static str,
    },
    /// A default of proto2 that its type does not take.
    InvalidDefault {
        field: Box<str>,
    },
    /// The body looks like another format.
    Foreign {
        looks: Looks,
    },
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        "org.apache.kafka.connect.errors.DataException"
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "private, and most kinds have nothing to say here"
    )]
    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::Narrowed { .. } => Some(Difference::IntegerOutOfRange),
            _ => None,
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "private, and most kinds have nothing to say here"
    )]
    pub(crate) fn advice(&self) -> Option<String> {
        let text = match self {
            Self::Truncated
            | Self::InvalidTag
            | Self::InvalidWireType { .. }
            | Self::VarintTooLong
            | Self::UnexpectedEndGroup => {
                "Was the record written by a Protobuf serializer, with this schema?"
            }
            Self::NotUtf8 => "Text of proto3 must be UTF-8; a field of arbitrary bytes is `bytes`",
            Self::RequiredMissing { .. } => "The writer left out what its schema requires",
            Self::Narrowed { .. } => "The JVM would keep the low bits",
            Self::Foreign { looks } => {
                return Some(format!("The bytes behind the schema id look like {looks}"));
            }
            _ => return None,
        };
        Some(text.into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaTooDeep { limit } => {
                write!(f, "the schema nests deeper than {limit} messages")
            }
            Self::SchemaTooLarge { limit } => {
                write!(f, "the schema has more than {limit} fields")
            }
            Self::InvalidDefinition { reason } => {
                write!(f, "Invalid protobuf schema definition: {reason}")
            }
            Self::ScaleNotANumber { field } => {
                write!(f, "the scale of the Decimal {field} is no number")
            }
            Self::Truncated => f.write_str(
                "While parsing a protocol message, the input ended unexpectedly in the middle of a field",
            ),
            Self::InvalidTag => {
                f.write_str("Protocol message contained an invalid tag (zero)")
            }
            Self::InvalidWireType { found } => {
                write!(f, "Protocol message tag had invalid wire type {found}")
            }
            Self::VarintTooLong => f.write_str("encountered a malformed varint"),
            Self::UnexpectedEndGroup => {
                f.write_str("Protocol message end-group tag did not match expected tag")
            }
            Self::TooDeep { limit } => write!(
                f,
                "Protocol message had too many levels of nesting, more than {limit}"
            ),
            Self::NotUtf8 => f.write_str("Protocol message had invalid UTF-8"),
            Self::RequiredMissing { field } => {
                write!(f, "Message was missing required fields: {field}")
            }
            Self::Narrowed { to } => write!(f, "the number does not fit its connect.type {to}"),
            Self::InvalidDate => f.write_str("google.type.Date is no day of the calendar"),
            Self::InvalidTime => f.write_str("google.type.TimeOfDay is no time of a day"),
            Self::InvalidTimestamp => f.write_str(
                "Timestamp is not valid: seconds must be of the years 1 to 9999, nanos 0 to 999999999",
            ),
            Self::InvalidDecimal { reason } => write!(f, "confluent.type.Decimal {reason}"),
            Self::InvalidDefault { field } => {
                write!(f, "the default of {field} is none of its type")
            }
            Self::Foreign { .. } => f.write_str("the bytes are no message of the schema"),
        }
    }
}
