//! [`Fail`]: the crate's error in the clothes that serde wants. Values of a record stay out of its text.

use std::fmt;

use serde::de::{Expected, Unexpected};

use crate::error::{Error, typed::Kind};

#[derive(Debug)]
pub(super) struct Fail(pub(super) Error);

impl Fail {
    #[cold]
    pub(super) fn expected(expected: &str, found: &str) -> Self {
        Self::from(Kind::Expected {
            expected: expected.into(),
            found: found.into(),
        })
    }

    pub(super) fn in_field(self, name: &str) -> Self {
        Self(self.0.in_field(name))
    }

    pub(super) fn in_element(self, index: usize) -> Self {
        Self(self.0.in_element(index))
    }

    pub(super) fn in_key(self, index: usize) -> Self {
        Self(self.0.in_key(index))
    }

    pub(super) fn in_map_value(self, index: usize) -> Self {
        Self(self.0.in_map_value(index))
    }
}

impl<K: Into<Error>> From<K> for Fail {
    fn from(kind: K) -> Self {
        Self(kind.into())
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fail {}

impl serde::ser::Error for Fail {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Kind::Said(text.to_string().into()).into()
    }
}

impl serde::de::Error for Fail {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Kind::Said(text.to_string().into()).into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string(), kind_of(&found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Signed(_) | Unexpected::Unsigned(_) => Kind::OutOfRange {
                to: expected.to_string().into(),
            }
            .into(),
            Unexpected::Bool(_)
            | Unexpected::Float(_)
            | Unexpected::Char(_)
            | Unexpected::Str(_)
            | Unexpected::Bytes(_)
            | Unexpected::Unit
            | Unexpected::Option
            | Unexpected::NewtypeStruct
            | Unexpected::Seq
            | Unexpected::Map
            | Unexpected::Enum
            | Unexpected::UnitVariant
            | Unexpected::NewtypeVariant
            | Unexpected::TupleVariant
            | Unexpected::StructVariant
            | Unexpected::Other(_) => {
                let found = format!("another {}", kind_of(&found));
                Self::expected(&expected.to_string(), &found)
            }
        }
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Kind::LengthDiffers {
            expected: expected.to_string().into(),
            found,
        }
        .into()
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Kind::VariantUnknown {
            known: known.join(", ").into(),
        }
        .into()
    }

    fn unknown_field(name: &str, _: &'static [&'static str]) -> Self {
        crate::error::data::Kind::FieldUnknown { name: name.into() }.into()
    }

    fn missing_field(name: &'static str) -> Self {
        Kind::FieldMissing { name: name.into() }.into()
    }

    fn duplicate_field(name: &'static str) -> Self {
        Kind::FieldTwice { name: name.into() }.into()
    }
}

/// What was found, without its value.
fn kind_of(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "integer",
        Unexpected::Float(_) => "float",
        Unexpected::Char(_) | Unexpected::Str(_) => "string",
        Unexpected::Bytes(_) => "bytes",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::NewtypeStruct => "wrapper",
        Unexpected::Seq => "array",
        Unexpected::Map => "map or struct",
        Unexpected::Enum => "variant",
        Unexpected::UnitVariant => "variant without content",
        Unexpected::NewtypeVariant | Unexpected::TupleVariant | Unexpected::StructVariant => {
            "variant with content"
        }
        Unexpected::Other(_) => "value of another kind",
    }
}
