//! Kinds of writing Avro: schemas that Avro has no words for, and values that their schemas do not take.

use std::fmt;

use crate::data::Type;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    SchemaTooDeep,
    /// One name for two types.
    Redefined {
        name: Box<str>,
    },
    ParameterMissing {
        name: &'static str,
    },
    ParameterNotANumber {
        name: &'static str,
        text: Box<str>,
    },
    LogicalMisplaced {
        logical: &'static str,
        kind: &'static str,
    },
    PrecisionTooLarge {
        precision: i32,
        max: i32,
    },
    DefaultOfWrongClass {
        kind: Type,
        class: &'static str,
    },
    NullForRequired,
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
    /// A default that the field it belongs to does not take.
    DefaultUnusable,
    /// A name stands for a record that lacks this field.
    FieldNotInRecord {
        field: Box<str>,
    },
    /// A container in a union must be optional.
    RequiredInUnion {
        kind: Type,
    },
    NoUnionMember {
        name: Box<str>,
    },
    SchemalessClass {
        class: &'static str,
    },
    DecimalTooLong {
        length: usize,
        size: usize,
    },
    /// From here on the JVM fails only after it has registered the schema.
    FixedTooShort {
        length: usize,
        size: usize,
    },
    FixedTooLong {
        length: usize,
        size: usize,
    },
    UnknownSymbol {
        name: Box<str>,
        symbols: Box<str>,
    },
    /// The registry's schema has no branch for such values.
    NoBranch {
        class: Box<str>,
        union: Box<str>,
    },
    /// The registry's schema has another type at this place.
    OtherType {
        class: Box<str>,
        found: &'static str,
    },
    /// A field of the registry's schema that the data lack.
    FieldOnlyInRegistry {
        field: Box<str>,
    },
    NullKey,
    /// A number that the narrower type of the registry's schema cannot hold.
    Narrowed {
        to: &'static str,
    },
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and most kinds have nothing to say here"
)]
impl Kind {
    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::Redefined { .. } => Some(Difference::NameRedefined),
            Self::FixedTooLong { .. } => Some(Difference::FixedCutShort),
            Self::Narrowed { .. } => Some(Difference::NumberNarrowed),
            _ => None,
        }
    }

    /// Whether the JVM meets this while it converts, before it asks the registry.
    pub(crate) const fn comes_first(&self) -> bool {
        !matches!(
            self,
            Self::FixedTooShort { .. }
                | Self::FixedTooLong { .. }
                | Self::UnknownSymbol { .. }
                | Self::NoBranch { .. }
                | Self::OtherType { .. }
                | Self::FieldOnlyInRegistry { .. }
                | Self::NullKey
                | Self::Narrowed { .. }
        )
    }

    pub(crate) fn advice(&self) -> Option<String> {
        let text = match self {
            Self::Redefined { .. } => {
                "Give the structs names of their own: the JVM registers the first and writes the second under it, which \
                 no reader can tell apart"
            }
            Self::FixedTooLong { .. } => {
                "The JVM would cut the value to the size and lose the rest"
            }
            Self::Narrowed { .. } => "The JVM would keep the low bits, or round",
            Self::FieldOnlyInRegistry { .. } => {
                "Data are written by the fields of their own schema; let the registry's schema follow it, or set \
                 auto.register.schemas=true"
            }
            Self::SchemalessClass { .. } => "Give the data a schema, or use another converter",
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
                f.write_str("the schema nests too deep, or contains itself without a name")
            }
            Self::Redefined { name } => {
                write!(
                    f,
                    "Can't redefine: {name}: two different types of the schema have this name"
                )
            }
            Self::ParameterMissing { name } => write!(f, "the schema lacks the parameter {name}"),
            Self::ParameterNotANumber { name, text } => {
                write!(
                    f,
                    "the schema's parameter {name} is no number in range: {text}"
                )
            }
            Self::LogicalMisplaced { logical, kind } => {
                write!(f, "Logical type {logical} cannot be backed by {kind}")
            }
            Self::PrecisionTooLarge { precision, max } => write!(
                f,
                "the type cannot store {precision} digits (max {max}); the parameter connect.decimal.precision says how \
                 many there are"
            ),
            Self::DefaultOfWrongClass { kind, class } => {
                write!(
                    f,
                    "Invalid type used for default value of {kind} field: class {class}"
                )
            }
            Self::NullForRequired => f.write_str("Found null value for non-optional schema"),
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
            Self::DefaultUnusable => {
                f.write_str("the field is not set, and its default does not fit its schema")
            }
            Self::FieldNotInRecord { field } => write!(
                f,
                "another struct of the same name stands here, and it has no field {field}"
            ),
            Self::RequiredInUnion { kind } => {
                write!(
                    f,
                    "An optional schema is needed for a member of a union of type {kind}"
                )
            }
            Self::NoUnionMember { name } => write!(f, "no type of the union is called {name}"),
            Self::SchemalessClass { class } => {
                write!(f, "Unknown Java type for schemaless data: class {class}")
            }
            Self::DecimalTooLong { length, size } => {
                write!(
                    f,
                    "Unscaled value byte array length {length} is greater than fixed size {size}"
                )
            }
            Self::FixedTooShort { length, size } | Self::FixedTooLong { length, size } => {
                write!(f, "{length} bytes for a fixed of size {size}")
            }
            // The value itself stays out of the text.
            Self::UnknownSymbol { name, symbols } => {
                write!(
                    f,
                    "the value is not in the symbol set of enum {name}: [{symbols}]"
                )
            }
            Self::NoBranch { class, union } => {
                write!(f, "Not in union [{union}]: {class}")
            }
            Self::OtherType { class, found } => {
                write!(
                    f,
                    "the registry's schema has {found} where the data are {class}"
                )
            }
            Self::FieldOnlyInRegistry { field } => {
                write!(
                    f,
                    "the registry's schema has a field {field} that the data lack"
                )
            }
            Self::NullKey => f.write_str("a null key of a map has no place in Avro"),
            Self::Narrowed { to } => {
                write!(
                    f,
                    "the number does not fit the type {to} of the registry's schema"
                )
            }
        }
    }
}
