//! Why a value could not be made up.

use std::fmt;

use serde::de::{Expected, Unexpected};

use crate::error::{Error, typed::Kind};

#[derive(Debug)]
pub(super) enum Stop {
    /// The type shows too little: no other sample will help.
    Fatal(Error),
    /// The type did not like a sample.
    Refused(Error),
    /// A field was given under two of its names.
    Twice(&'static str),
    /// Something was learnt that needs another round.
    Again,
}

impl Stop {
    #[cold]
    pub(super) fn untraceable(what: impl Into<Box<str>>, advice: &'static str) -> Self {
        Self::Fatal(
            Kind::Untraceable {
                what: what.into(),
                advice,
            }
            .into(),
        )
    }

    pub(super) fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::Fatal(error) => Self::Fatal(change(error)),
            Self::Refused(error) => Self::Refused(change(error)),
            Self::Twice(_) | Self::Again => self,
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fatal(error) | Self::Refused(error) => error.fmt(f),
            Self::Twice(name) => f.write_str(name),
            Self::Again => f.write_str("another round is needed"),
        }
    }
}

impl std::error::Error for Stop {}

const BY_HAND: &str = "Build the schema with SchemaBuilder; values of the type can still be written and read under it";

impl serde::de::Error for Stop {
    fn custom<T: fmt::Display>(text: T) -> Self {
        let what = format!("the type takes no sample value ({text})").into();
        let advice = BY_HAND;
        Self::Refused(Kind::Untraceable { what, advice }.into())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("{expected} expected, but {found} given"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::Twice(name)
    }
}

/// The type asks what there is, and decides by that.
#[cold]
pub(super) fn undecided() -> Stop {
    Stop::untraceable(
        "the type takes values of any kind (an untagged or internally tagged enum, a type for any JSON, or a decimal)",
        BY_HAND,
    )
}

#[cold]
pub(super) fn unit() -> Stop {
    Stop::untraceable(
        "a type without any value has no Connect type",
        "Leave the field out with #[serde(skip)]",
    )
}

#[cold]
pub(super) fn flattened() -> Stop {
    Stop::untraceable(
        "the fields of a struct with #[serde(flatten)] are not told",
        BY_HAND,
    )
}

#[cold]
pub(super) fn endless() -> Stop {
    Stop::Fatal(unending())
}

#[cold]
pub(super) fn unending() -> Error {
    let what = "the type contains itself without an Option, a Vec, a map or another variant between, or nests too deep";
    let what = what.into();
    let advice = BY_HAND;
    Kind::Untraceable { what, advice }.into()
}
