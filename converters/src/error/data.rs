//! Kinds of the data model: schemas, values, limits.

use std::fmt;

use super::Fault;
use crate::data::Type;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug)]
pub(crate) enum Kind {
    AttributeTwice {
        attribute: &'static str,
    },
    DefaultInvalid,
    FieldsOnNonStruct {
        kind: Type,
    },
    FieldNameMissing,
    FieldTwice {
        name: Box<str>,
    },
    ElementSchemaMissing {
        which: &'static str,
    },
    FieldUnknown {
        name: Box<str>,
    },
    NotAStruct {
        schema: Box<str>,
    },
    NullForRequired {
        location: Box<str>,
        kind: Type,
    },
    WrongClass {
        schema: Option<Box<str>>,
        kind: Type,
        class: &'static str,
        location: Box<str>,
    },
    StructSchemasDiffer,
    NoElementSchema {
        location: Box<str>,
    },
    DecimalScaleMissing,
    DecimalScaleInvalid {
        text: Box<str>,
    },
    DecimalScaleMismatch {
        schema: i32,
        value: i32,
    },
    DateHasTime,
    DateOutOfRange,
    TimeHasDate,
    TimeOutOfDay,
    RecordTooLarge,
    NestingTooDeep {
        limit: usize,
    },
    BuilderMisuse(&'static str),
    /// Java's text of an array of bytes is its address.
    NoTextOfBytes,
    NullToConvert,
    NotConvertible {
        class: &'static str,
        to: &'static str,
    },
    Projection(Box<str>),
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and a new kind is plain bad data unless it says otherwise"
)]
impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        match self {
            Self::BuilderMisuse(_) => Fault::Plugin,
            _ => Fault::Data,
        }
    }

    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::NoTextOfBytes => Some(Difference::IdentityText),
            _ => None,
        }
    }

    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::NoTextOfBytes => Some(
                "The JVM would write the address of the array, from which nobody gets the bytes back: use \
                 ByteArrayConverter, or a converter with a schema"
                    .into(),
            ),
            _ => None,
        }
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::AttributeTwice { .. }
            | Self::DefaultInvalid
            | Self::FieldsOnNonStruct { .. }
            | Self::FieldNameMissing
            | Self::FieldTwice { .. }
            | Self::ElementSchemaMissing { .. } => {
                "org.apache.kafka.connect.errors.SchemaBuilderException"
            }
            Self::Projection(_) => "org.apache.kafka.connect.errors.SchemaProjectorException",
            _ => "org.apache.kafka.connect.errors.DataException",
        }
    }
}

impl fmt::Display for Kind {
    #[expect(clippy::too_many_lines, reason = "a table of texts")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AttributeTwice { attribute } => {
                write!(
                    f,
                    "Invalid SchemaBuilder call: {attribute} has already been set."
                )
            }
            Self::DefaultInvalid => f.write_str("Invalid default value"),
            Self::FieldsOnNonStruct { kind } => write!(f, "Cannot create fields on type {kind}"),
            Self::FieldNameMissing => f.write_str("fieldName cannot be null."),
            Self::FieldTwice { name } => {
                write!(
                    f,
                    "Cannot create field because of field name duplication {name}"
                )
            }
            Self::ElementSchemaMissing { which } => write!(f, "{which} cannot be null."),
            Self::FieldUnknown { name } => write!(f, "{name} is not a valid field name"),
            Self::NotAStruct { schema } => write!(f, "Not a struct schema: {schema}"),
            Self::NullForRequired { location, kind } => write!(
                f,
                "Invalid value: null used for required {location}, schema type: {kind}"
            ),
            Self::WrongClass {
                schema: Some(name),
                kind,
                class,
                location,
            } => write!(
                f,
                "Invalid Java object for schema \"{name}\" with type {kind}: class {class} for {location}"
            ),
            Self::WrongClass {
                schema: None,
                kind,
                class,
                location,
            } => write!(
                f,
                "Invalid Java object for schema with type {kind}: class {class} for {location}"
            ),
            Self::StructSchemasDiffer => f.write_str("Struct schemas do not match."),
            Self::NoElementSchema { location } => write!(f, "No schema defined for {location}"),
            Self::DecimalScaleMissing => {
                f.write_str("Invalid Decimal schema: scale parameter not found.")
            }
            Self::DecimalScaleInvalid { text } => {
                write!(f, "Invalid scale parameter found in Decimal schema: {text}")
            }
            Self::DecimalScaleMismatch { schema, value } => write!(
                f,
                "Decimal value has mismatching scale for given Decimal schema. \
                 Schema has scale {schema}, value has scale {value}."
            ),
            Self::DateHasTime => f.write_str(
                "Kafka Connect Date type should not have any time fields set to non-zero values.",
            ),
            Self::DateOutOfRange => f.write_str(
                "Kafka Connect Date type holds days in 32 bits, and this date needs more.",
            ),
            Self::TimeHasDate => f.write_str(
                "Kafka Connect Time type should not have any date fields set to non-zero values.",
            ),
            Self::TimeOutOfDay => f.write_str(
                "Time values must use number of milliseconds greater than 0 and less than 86400000",
            ),
            Self::RecordTooLarge => {
                f.write_str("one record holds more than 4 GiB of text, bytes or values")
            }
            Self::NestingTooDeep { limit } => {
                write!(f, "value nests deeper than {limit} levels")
            }
            Self::BuilderMisuse(what) => write!(f, "builder misused: {what}"),
            Self::NoTextOfBytes => f.write_str("bytes have no text form"),
            Self::NullToConvert => {
                f.write_str("Unable to convert a null value to a schema that requires a value")
            }
            Self::NotConvertible { class, to } => {
                write!(f, "Unable to convert a value (class {class}) to {to}")
            }
            Self::Projection(text) => f.write_str(text),
        }
    }
}
