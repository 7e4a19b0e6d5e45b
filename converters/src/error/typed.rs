//! Kinds of the typed face: between Rust types and Connect data, by serde.

use std::fmt;

use super::Fault;
use crate::data::Type;

#[derive(Debug)]
pub(crate) enum Kind {
    /// What a type's own serde code says.
    Said(Box<str>),
    /// A value of another kind than the type or the schema wants.
    Expected {
        expected: Box<str>,
        found: Box<str>,
    },
    /// A number outside of what the other side can hold.
    OutOfRange {
        to: Box<str>,
    },
    /// A float that the narrower type would round.
    Inexact,
    LengthDiffers {
        expected: Box<str>,
        found: usize,
    },
    VariantUnknown {
        known: Box<str>,
    },
    VariantsSet {
        count: usize,
    },
    FieldMissing {
        name: Box<str>,
    },
    FieldTwice {
        name: Box<str>,
    },
    /// A decimal that the declared scale would round.
    ScaleTooSmall {
        scale: i32,
    },
    NotADecimal,
    LogicalDiffers {
        of_type: &'static str,
        of_schema: Box<str>,
    },
    /// A type that does not show what it is made of.
    Untraceable {
        what: Box<str>,
        advice: &'static str,
    },
    NameTwice {
        name: Box<str>,
    },
}

impl Kind {
    /// The kind for an integer that a Connect type cannot hold.
    pub(crate) fn out_of(kind: Type) -> Self {
        Self::OutOfRange {
            to: kind.name().into(),
        }
    }

    pub(crate) const fn fault(&self) -> Fault {
        match self {
            Self::Untraceable { .. } | Self::NameTwice { .. } => Fault::Plugin,
            Self::Said(_)
            | Self::Expected { .. }
            | Self::OutOfRange { .. }
            | Self::Inexact
            | Self::LengthDiffers { .. }
            | Self::VariantUnknown { .. }
            | Self::VariantsSet { .. }
            | Self::FieldMissing { .. }
            | Self::FieldTwice { .. }
            | Self::ScaleTooSmall { .. }
            | Self::NotADecimal
            | Self::LogicalDiffers { .. } => Fault::Data,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::Untraceable { advice, .. } => Some((*advice).into()),
            Self::NameTwice { .. } => Some(
                "Tell them apart with #[serde(rename = \"...\")], which may hold a namespace"
                    .into(),
            ),
            Self::FieldMissing { .. } => {
                Some("Make it an Option, or give it #[serde(default)]".into())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(text) => f.write_str(text),
            Self::Expected { expected, found } => {
                write!(f, "{expected} expected, but found {found}")
            }
            Self::OutOfRange { to } => write!(f, "the number does not fit {to}"),
            Self::Inexact => f.write_str("the number cannot be kept exactly in single precision"),
            Self::LengthDiffers { expected, found } => {
                write!(f, "{expected} expected, but found {found} elements")
            }
            Self::VariantUnknown { known } => write!(f, "the variant is none of {known}"),
            Self::VariantsSet { count } => {
                write!(f, "exactly one variant expected, but {count} are set")
            }
            Self::FieldMissing { name } => write!(f, "field {name} has no value"),
            Self::FieldTwice { name } => write!(f, "field {name} is given twice"),
            Self::ScaleTooSmall { scale } => {
                write!(f, "the decimal cannot be kept exactly with scale {scale}")
            }
            Self::NotADecimal => f.write_str("the text is no decimal number"),
            Self::LogicalDiffers { of_type, of_schema } => {
                write!(f, "the type is a {of_type} and the schema a {of_schema}")
            }
            Self::Untraceable { what, .. } => write!(f, "no schema can be derived: {what}"),
            Self::NameTwice { name } => {
                write!(f, "two types of different shape have the name {name}")
            }
        }
    }
}
