//! Kinds of the converters without a schema language.

use std::fmt;

use crate::data::Type;

#[derive(Debug)]
pub(crate) enum Kind {
    /// A converter for one schema type met another.
    WrongSchemaType {
        converter: &'static str,
        kind: Type,
    },
    /// A converter for one class met another.
    WrongClass {
        converter: &'static str,
        class: &'static str,
    },
    NumberWrite {
        to: &'static str,
        class: &'static str,
    },
    NumberRead {
        to: &'static str,
        deserializer: &'static str,
        size: usize,
    },
    BooleanSize,
    BooleanByte {
        byte: u8,
    },
}

impl Kind {
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::NumberRead { size, .. } => Some(format!(
                "The bytes are not one {size}-byte big-endian number: check which serializer wrote this topic"
            )),
            Self::WrongClass { .. } | Self::WrongSchemaType { .. } => {
                Some("JsonConverter and StringConverter write values of any type".into())
            }
            Self::NumberWrite { .. } | Self::BooleanSize | Self::BooleanByte { .. } => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongSchemaType { converter, kind } => {
                write!(f, "Invalid schema type for {converter}: {kind}")
            }
            Self::WrongClass { converter, class } => {
                write!(f, "{converter} is not compatible with objects of type class {class}")
            }
            Self::NumberWrite { to, class } => {
                write!(f, "Failed to serialize to {to} (was class {class}): ")
            }
            Self::NumberRead { to, deserializer, size } => write!(
                f,
                "Failed to deserialize {to}: Size of data received by {deserializer} is not {size}"
            ),
            Self::BooleanSize => f.write_str(
                "Failed to deserialize boolean: Size of data received by BooleanDeserializer is not 1",
            ),
            Self::BooleanByte { byte } => write!(
                f,
                "Failed to deserialize boolean: Unexpected byte received by BooleanDeserializer: {byte}"
            ),
        }
    }
}
