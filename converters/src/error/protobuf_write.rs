//! Kinds of writing Protobuf: schemas that Protobuf has no words for, and values that their schemas do not take.

use std::fmt;

use super::Fault;
use crate::data::Type;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// The schema nests deeper than a limit of ours.
    SchemaTooDeep,
    /// The schema has more fields, written out, than a limit of ours.
    SchemaTooLarge,
    /// No descriptor can be built from the schema.
    InvalidDefinition {
        reason: Box<str>,
    },
    /// The number of a field is beyond what the wire has room for.
    NumberTooLarge {
        number: u32,
    },
    UnsupportedRoot {
        kind: Type,
    },
    /// The JVM writes a message of the logical type under the name of another.
    LogicalRoot {
        logical: &'static str,
    },
    /// The JVM writes a null.
    EnumRoot,
    Schemaless,
    ParameterMissing {
        parameter: &'static str,
    },
    ParameterNotANumber {
        parameter: &'static str,
        text: Box<str>,
    },
    ElementsWithoutSchema,
    ArrayInArray,
    UnionInUnion,
    UnionUnnamed,
    UnionOutsideOfStruct,
    Variant,
    WrongClass {
        kind: Type,
        class: &'static str,
    },
    LogicalWrongClass {
        logical: &'static str,
        expected: &'static str,
        class: &'static str,
    },
    StructSchemasDiffer,
    /// The message was defined by another struct of the same name.
    FieldNotFound {
        field: Box<str>,
    },
    /// The field was defined by another struct of the same name, or by parameters that do not fit the schema.
    OtherType {
        kind: Type,
        found: &'static str,
    },
    NoMember,
    NullElement,
    UnknownSymbol,
    UnknownNumber,
    TimestampOutOfRange,
    /// Messages inside messages, more than readers take.
    ValueTooDeep,
    /// A date before the year 1.
    EraLost,
    /// A number that the narrower type of the field cannot hold.
    Narrowed {
        to: &'static str,
    },
    /// A default that the field it belongs to does not take.
    DefaultUnusable,
    /// The registry's schema means something else by the numbers that are written.
    UnlikeRegistered {
        reason: Box<str>,
    },
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and most kinds have nothing to say here"
)]
impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::InvalidDefinition { .. }
            | Self::NumberTooLarge { .. }
            | Self::UnsupportedRoot { .. }
            | Self::ArrayInArray
            | Self::Variant
            | Self::OtherType { .. }
            | Self::UnknownSymbol
            | Self::TimestampOutOfRange => "java.lang.IllegalArgumentException",
            Self::ParameterNotANumber { .. } => "java.lang.NumberFormatException",
            _ => "org.apache.kafka.connect.errors.DataException",
        }
    }

    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::LogicalRoot { .. }
            | Self::EnumRoot
            | Self::NumberTooLarge { .. }
            | Self::ValueTooDeep => Some(Difference::Unreadable),
            Self::EraLost => Some(Difference::EraLost),
            Self::Narrowed { .. } => Some(Difference::NumberNarrowed),
            Self::UnlikeRegistered { .. } => Some(Difference::UnlikeRegistered),
            _ => None,
        }
    }

    /// Whether the JVM meets this while it converts, before it asks the registry.
    pub(crate) const fn comes_first(&self) -> bool {
        !matches!(self, Self::UnlikeRegistered { .. })
    }

    pub(crate) fn advice(&self) -> Option<String> {
        let text = match self {
            Self::NumberTooLarge { .. } => {
                "Give the field a number up to 536870911: the JVM would write the low bits of it"
            }
            Self::UnsupportedRoot { .. } => {
                "Put the value into a struct: a Protobuf file has messages only"
            }
            Self::LogicalRoot { .. } => {
                "Put the value into a struct: the JVM would write it as a DoubleValue, which no reader can undo"
            }
            Self::EnumRoot => {
                "Put the value into a struct: the JVM would write a null and lose the value"
            }
            Self::Schemaless => "Give the data a schema, or use another converter",
            Self::UnionInUnion | Self::UnionOutsideOfStruct => {
                "A oneof stands for a field of a struct, nowhere else"
            }
            Self::NullElement => {
                "Protobuf has no null in a list; drop it, or use another converter"
            }
            Self::EraLost => "The JVM would write the year without its sign",
            Self::Narrowed { .. } => "The JVM would keep the low bits, or round",
            Self::UnlikeRegistered { .. } => {
                "Data are written with the numbers of their own schema: let the registry's schema follow it, give the fields \
                 their numbers by the parameter io.confluent.connect.protobuf.Tag, or set auto.register.schemas=true"
            }
            _ => return None,
        };
        Some(text.into())
    }
}

impl fmt::Display for Kind {
    #[expect(clippy::too_many_lines, reason = "a table of texts")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaTooDeep => {
                f.write_str("the schema nests too deep, or contains itself by way of others")
            }
            Self::SchemaTooLarge => f.write_str("the schema has too many fields, written out"),
            Self::InvalidDefinition { reason } => {
                write!(f, "Invalid protobuf schema definition: {reason}")
            }
            Self::NumberTooLarge { number } => {
                write!(f, "the field number {number} does not fit the wire format")
            }
            Self::UnsupportedRoot { kind } => {
                write!(f, "Unsupported root schema of type {kind}")
            }
            Self::LogicalRoot { logical } => {
                write!(f, "a {logical} at the root has no message to stand in")
            }
            Self::EnumRoot => f.write_str("an enum at the root has no message to stand in"),
            Self::Schemaless => f.write_str("a value without a schema"),
            Self::ParameterMissing { parameter } => {
                write!(f, "the schema lacks the parameter {parameter}")
            }
            Self::ParameterNotANumber { parameter, text } => {
                write!(
                    f,
                    "the schema's parameter {parameter} is no number in range: {text}"
                )
            }
            Self::ElementsWithoutSchema => {
                f.write_str("the elements of an array or map have no schema")
            }
            Self::ArrayInArray => f.write_str("Array cannot be nested"),
            Self::UnionInUnion => f.write_str("a union is a member of another union"),
            Self::UnionUnnamed => {
                f.write_str("the name of a union does not begin as the setting generalized.sum.type.support=false wants it")
            }
            Self::UnionOutsideOfStruct => f.write_str("a union stands outside of a struct"),
            Self::Variant => {
                f.write_str("Invalid protobuf schema definition: \"confluent.type.Variant\" is not defined.")
            }
            Self::WrongClass { kind, class } => write!(f, "Invalid type for {kind}: class {class}"),
            Self::LogicalWrongClass {
                logical,
                expected,
                class,
            } => {
                write!(
                    f,
                    "Invalid type for {logical}, expected {expected} but was class {class}"
                )
            }
            Self::StructSchemasDiffer => f.write_str("Mismatching struct schema"),
            Self::FieldNotFound { field } => write!(
                f,
                "Cannot find field with name {field}: another struct of the same name has defined the message"
            ),
            Self::OtherType { kind, found } => {
                write!(f, "a value of type {kind} does not fit the field's type {found}")
            }
            Self::NoMember => f.write_str("Cannot find non-null field"),
            Self::NullElement => f.write_str("an element of a list is null"),
            // The value itself stays out of the text.
            Self::UnknownSymbol => f.write_str("the value is no symbol of the enum"),
            Self::UnknownNumber => f.write_str("the value is no number of the enum"),
            Self::TimestampOutOfRange => {
                f.write_str("Timestamp is not valid: outside of the years 1 to 9999")
            }
            Self::ValueTooDeep => f.write_str("messages are nested more than PROTO_VALUE_DEPTH_MAX deep"),
            Self::EraLost => f.write_str("the date lies before the year 1"),
            Self::Narrowed { to } => write!(f, "the number does not fit the type {to}"),
            Self::DefaultUnusable => {
                f.write_str("the field is not set, and its default does not fit its schema")
            }
            Self::UnlikeRegistered { reason } => {
                write!(f, "the registry's schema does not read what is written: {reason}")
            }
        }
    }
}
