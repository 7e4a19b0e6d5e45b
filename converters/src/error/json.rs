//! Kinds of the JSON formats.

use std::fmt;

use super::Fault;
use crate::data::Type;
use crate::differs::Difference;
use crate::wire::Looks;

/// Texts are the JVM's where it has one.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The document is no JSON as Jackson reads it.
    Syntax {
        what: &'static str,
        looks: Looks,
    },
    /// Bytes that no Unicode text has, which the JVM accepts.
    BeyondUnicode,
    LoneSurrogate,
    Envelope {
        looks: Looks,
    },
    TypeMissing,
    TypeUnknown {
        name: Box<str>,
    },
    ElementTypeMissing,
    KeyTypeMissing,
    ValueTypeMissing,
    FieldsNotArray,
    FieldNameInvalid,
    ParametersNotText,
    NullForRequired {
        kind: Type,
    },
    TokenUnexpected {
        expected: &'static str,
        found: &'static str,
    },
    IntegerOutOfRange {
        expected: &'static str,
    },
    BytesInvalid,
    DecimalBytesInvalid,
    DecimalToken {
        found: &'static str,
    },
    DateToken {
        name: &'static str,
        found: &'static str,
    },
    TimestampToken {
        found: &'static str,
    },
    MapNotObject {
        found: &'static str,
    },
    MapNotArray {
        found: &'static str,
    },
    EntryNotTuple {
        found: &'static str,
    },
    EntryLength {
        length: usize,
    },
    StructNotObject {
        found: &'static str,
    },
    /// Writing.
    NullForRequiredOnWrite,
    WrongClass {
        kind: Option<Type>,
        class: &'static str,
    },
    LogicalWrongClass {
        name: &'static str,
        expected: &'static str,
        class: &'static str,
    },
    NoSchemaType {
        class: &'static str,
    },
    StructSchemasDiffer,
    /// An envelope cannot name schemas, so it would never end.
    RecursiveSchema,
    /// `schema.content` could not be used.
    SchemaContent,
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        if matches!(self, Self::SchemaContent) {
            Fault::Config
        } else {
            Fault::Data
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most kinds are the JVM's, too"
    )]
    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::BeyondUnicode => Some(Difference::BeyondUnicode),
            Self::LoneSurrogate => Some(Difference::LoneSurrogate),
            Self::TokenUnexpected { .. } => Some(Difference::TokenOfWrongKind),
            Self::IntegerOutOfRange { .. } => Some(Difference::IntegerOutOfRange),
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::Syntax { looks, .. } | Self::Envelope { looks } => looks
                .reader()
                .map(|_| format!("The record looks like {looks}")),
            Self::TypeUnknown { name } if &**name == "record" => {
                Some("This looks like an Avro schema; the envelope wants a Connect schema: type `struct`, field names under `field`".into())
            }
            Self::FieldNameInvalid => {
                Some("A field's name stands under `field`, not under `name`".into())
            }
            Self::IntegerOutOfRange { .. } => {
                Some("The JVM would keep the low bits; the number is refused so that nothing is corrupted".into())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    #[expect(clippy::too_many_lines, reason = "a table of texts")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const READ: &str =
            "Converting byte[] to Kafka Connect data failed due to serialization error: ";
        match self {
            Self::Syntax { what, .. } => write!(f, "{READ}{what}"),
            Self::BeyondUnicode => {
                write!(f, "{READ}the bytes encode a character above U+10FFFF, which does not exist")
            }
            Self::LoneSurrogate => write!(f, "{READ}half of a surrogate pair is not text"),
            Self::Envelope { .. } => f.write_str(
                "JsonConverter with schemas.enable requires \"schema\" and \"payload\" fields and may not contain \
                 additional fields. If you are trying to deserialize plain JSON data, set schemas.enable=false in \
                 your converter configuration.",
            ),
            Self::TypeMissing => f.write_str("Schema must contain 'type' field"),
            Self::TypeUnknown { name } => write!(f, "Unknown schema type: {name}"),
            Self::ElementTypeMissing => {
                f.write_str("Array schema did not specify the element type")
            }
            Self::KeyTypeMissing => f.write_str("Map schema did not specify the key type"),
            Self::ValueTypeMissing => f.write_str("Map schema did not specify the value type"),
            Self::FieldsNotArray => {
                f.write_str("Struct schema's \"fields\" argument is not an array.")
            }
            Self::FieldNameInvalid => {
                f.write_str("Struct schema's field name not specified properly")
            }
            Self::ParametersNotText => f.write_str("Schema parameters must have string values."),
            Self::NullForRequired { kind } => {
                write!(f, "Invalid null value for required {kind} field")
            }
            Self::TokenUnexpected { expected, found } => {
                write!(f, "expected {expected}, but found {found}")
            }
            Self::IntegerOutOfRange { expected } => {
                write!(f, "the number does not fit the type {expected}")
            }
            Self::BytesInvalid => f.write_str("Invalid bytes field"),
            Self::DecimalBytesInvalid => f.write_str("Invalid bytes for Decimal field"),
            Self::DecimalToken { found } => write!(
                f,
                "Invalid type for Decimal, underlying representation should be numeric or bytes but was {found}"
            ),
            Self::DateToken { name, found } => write!(
                f,
                "Invalid type for {name}, underlying representation should be integer but was {found}"
            ),
            Self::TimestampToken { found } => write!(
                f,
                "Invalid type for Timestamp, underlying representation should be integral but was {found}"
            ),
            Self::MapNotObject { found } => write!(
                f,
                "Maps with string fields should be encoded as JSON objects, but found {found}"
            ),
            Self::MapNotArray { found } => write!(
                f,
                "Maps with non-string fields should be encoded as JSON array of tuples, but found {found}"
            ),
            Self::EntryNotTuple { found } => {
                write!(f, "Found invalid map entry instead of array tuple: {found}")
            }
            Self::EntryLength { length } => {
                write!(f, "Found invalid map entry, expected length 2 but found :{length}")
            }
            Self::StructNotObject { found } => {
                write!(f, "Structs should be encoded as JSON objects, but found {found}")
            }
            Self::NullForRequiredOnWrite => f.write_str(
                "Conversion error: null value for field that is required and has no default value",
            ),
            Self::WrongClass { kind: Some(Type::Bytes), class } => {
                write!(f, "Invalid type for bytes type: class {class}")
            }
            Self::WrongClass { kind: Some(kind), class } => {
                write!(f, "Invalid type for {kind}: class {class}")
            }
            Self::WrongClass { kind: None, class } => {
                write!(f, "Invalid type for unknown schema: class {class}")
            }
            Self::LogicalWrongClass { name, expected, class } => {
                write!(f, "Invalid type for {name}, expected {expected} but was class {class}")
            }
            Self::NoSchemaType { class } => {
                write!(f, "Java class class {class} does not have corresponding schema type.")
            }
            Self::StructSchemasDiffer => f.write_str("Mismatching schema."),
            Self::RecursiveSchema => f.write_str("A schema that contains itself has no JSON form."),
            Self::SchemaContent => f.write_str(
                "Failed to parse schema in converter config due to serialization error: ",
            ),
        }
    }
}
