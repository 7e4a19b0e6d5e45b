//! Kinds of the Avro schema language.

use std::fmt;

use super::Fault;

/// Texts are the words of Avro's Java library where it has some.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The text is no JSON.
    Syntax {
        what: &'static str,
    },
    /// A limit of ours; `what` names it.
    TooMuch {
        what: &'static str,
    },
    /// No text, no object, no array.
    NotASchema {
        found: Box<str>,
    },
    NoType,
    NoName,
    NoFields,
    NoFieldName,
    NoFieldType,
    NoSymbols,
    NoItems,
    NoValues,
    NoSize,
    SizeOutOfRange {
        size: i32,
    },
    NameEmpty,
    NameMissing,
    NameFirstCharacter {
        name: Box<str>,
    },
    NameCharacter {
        name: Box<str>,
    },
    NameOfPrimitive {
        name: Box<str>,
    },
    Undefined {
        name: Box<str>,
    },
    Redefined {
        name: Box<str>,
    },
    FieldTwice {
        field: Box<str>,
        record: Box<str>,
    },
    SymbolTwice {
        symbol: Box<str>,
    },
    EnumDefault {
        symbol: Box<str>,
    },
    AliasesNotArray,
    AliasNotText,
    Order,
    NumberDefault,
    NestedUnion,
    UnionTwice {
        name: Box<str>,
    },
    BigIntegerAttribute {
        name: Box<str>,
    },
    Default {
        field: Box<str>,
        schema: Box<str>,
    },
    DefaultOfUnfinished {
        field: Box<str>,
    },
    /// The registry's normal form fails in Java, too.
    NormalDefault,
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::NameOfPrimitive { .. } | Self::Undefined { .. } | Self::Default { .. } => {
                "org.apache.avro.AvroTypeException"
            }
            Self::FieldTwice { .. }
            | Self::NestedUnion
            | Self::UnionTwice { .. }
            | Self::BigIntegerAttribute { .. }
            | Self::NormalDefault
            | Self::DefaultOfUnfinished { .. } => "org.apache.avro.AvroRuntimeException",
            Self::NumberDefault => "java.lang.NumberFormatException",
            Self::Order => "java.lang.IllegalArgumentException",
            Self::SizeOutOfRange { size } if *size >= 0 => {
                "java.lang.UnsupportedOperationException"
            }
            Self::SizeOutOfRange { .. } => "org.apache.avro.AvroRuntimeException",
            Self::Syntax { .. }
            | Self::TooMuch { .. }
            | Self::NotASchema { .. }
            | Self::NoType
            | Self::NoName
            | Self::NoFields
            | Self::NoFieldName
            | Self::NoFieldType
            | Self::NoSymbols
            | Self::NoItems
            | Self::NoValues
            | Self::NoSize
            | Self::NameEmpty
            | Self::NameMissing
            | Self::NameFirstCharacter { .. }
            | Self::NameCharacter { .. }
            | Self::Redefined { .. }
            | Self::SymbolTwice { .. }
            | Self::EnumDefault { .. }
            | Self::AliasesNotArray
            | Self::AliasNotText => "org.apache.avro.SchemaParseException",
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::Undefined { .. } => {
                "Define it in this text or in a reference, and write its full name"
            }
            Self::Redefined { .. } => {
                "Two definitions of one name must be equal; rename one of them"
            }
            Self::NameFirstCharacter { .. } | Self::NameCharacter { .. } => {
                "Names are made of A-Z, a-z, 0-9 and _ and do not begin with a digit; \
                 scrub.invalid.names=true makes them so"
            }
            Self::NestedUnion => "Write the inner union's types into the outer one",
            Self::UnionTwice { .. } => {
                "A union may hold one type of each kind, and named types of different names"
            }
            Self::DefaultOfUnfinished { .. } => {
                "A default cannot hold a value of the record that it is part of; use null or leave it out"
            }
            Self::NoType => "A nested type is written as it is, not as the type of an object",
            _ => return None,
        };
        Some(advice.into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { what } => write!(f, "The Avro schema is no JSON: {what}"),
            Self::TooMuch { what } => write!(f, "The Avro schema is too large: {what}"),
            Self::NotASchema { found } => write!(f, "Schema not yet supported: {found}"),
            Self::NoType => f.write_str("No type"),
            Self::NoName => f.write_str("No name in schema"),
            Self::NoFields => f.write_str("Record has no fields"),
            Self::NoFieldName => f.write_str("No field name"),
            Self::NoFieldType => f.write_str("No field type"),
            Self::NoSymbols => f.write_str("Enum has no symbols"),
            Self::NoItems => f.write_str("Array has no items type"),
            Self::NoValues => f.write_str("Map has no values type"),
            Self::NoSize => f.write_str("Invalid or no size"),
            Self::SizeOutOfRange { size } if *size < 0 => {
                write!(f, "Malformed data. Length is negative: {size}")
            }
            Self::SizeOutOfRange { .. } => {
                f.write_str("A fixed cannot be longer than 2147483639 bytes")
            }
            Self::NameEmpty => f.write_str("Empty name"),
            Self::NameMissing => f.write_str("Null name"),
            Self::NameFirstCharacter { name } => write!(f, "Illegal initial character: {name}"),
            Self::NameCharacter { name } => write!(f, "Illegal character in: {name}"),
            Self::NameOfPrimitive { name } => {
                write!(f, "Schemas may not be named after primitives: {name}")
            }
            Self::Undefined { name } => write!(f, "Undefined schema: {name}"),
            Self::Redefined { name } => write!(f, "Can't redefine: {name}"),
            Self::FieldTwice { field, record } => {
                write!(f, "Duplicate field {field} in record {record}")
            }
            Self::SymbolTwice { symbol } => write!(f, "Duplicate enum symbol: {symbol}"),
            Self::EnumDefault { symbol } => write!(
                f,
                "The Enum Default: {symbol} is not in the enum symbol set"
            ),
            Self::AliasesNotArray => f.write_str("aliases not an array"),
            Self::AliasNotText => f.write_str("alias not a string"),
            Self::Order => f.write_str("The order of a field is ascending, descending or ignore"),
            Self::NumberDefault => f.write_str("The default of a float or double is no number"),
            Self::NestedUnion => f.write_str("Nested union"),
            Self::UnionTwice { name } => write!(f, "Duplicate in union:{name}"),
            Self::BigIntegerAttribute { name } => {
                write!(f, "The attribute {name} is an integer of more than 64 bits")
            }
            Self::Default { field, schema } => {
                write!(f, "Invalid default for field {field}: not a {schema}")
            }
            Self::DefaultOfUnfinished { field } => write!(
                f,
                "Invalid default for field {field}: it holds a record that is not defined yet"
            ),
            Self::NormalDefault => f.write_str(
                "The default has no normal form: a part of it does not fit the first type of its union",
            ),
        }
    }
}
