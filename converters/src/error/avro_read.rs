//! Kinds of reading Avro: from a schema to its Connect schema, and from bytes to a value.

use std::fmt;

use super::Fault;
use crate::wire::Looks;

/// Texts are the JVM's where it has one.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A schema that Connect cannot express.
    StandaloneNull,
    IntAnnotation,
    PrecisionNotInteger,
    MapEntryShape,
    UnionFieldClash {
        name: Box<str>,
    },
    VersionInvalid {
        found: &'static str,
    },
    VersionMismatch {
        built: i32,
        found: i32,
    },
    NameInvalid {
        found: &'static str,
    },
    NameMismatch {
        built: Box<str>,
        found: Box<str>,
    },
    ParametersInvalid {
        found: &'static str,
    },
    ParameterNotText {
        found: &'static str,
    },
    DefaultShape {
        of: &'static str,
    },
    DefaultBytes,
    DefaultTooLarge,
    SchemaTooDeep {
        limit: usize,
    },
    SchemaTooLarge {
        limit: usize,
    },
    /// Bytes that are no value of the schema.
    Short {
        expected: &'static str,
        wanted: usize,
        left: usize,
    },
    VarintTooLong {
        expected: &'static str,
        bytes_max: usize,
    },
    LengthNegative {
        expected: &'static str,
    },
    UnionIndex {
        index: i32,
        branches: usize,
    },
    SymbolIndex {
        index: i32,
        symbols: usize,
    },
    CountPastEnd {
        of: &'static str,
        left: usize,
    },
    EmptyItems {
        limit: usize,
    },
    TooManyValues {
        limit: usize,
    },
    EmptyDecimal,
    NoUnionField,
    EntriesUnderTextKeys,
    ReservedLogicalType {
        name: &'static str,
    },
    WrongBase {
        logical: &'static str,
        base: &'static str,
        found: &'static str,
    },
    ScaleInvalid,
    Trailing {
        left: usize,
    },
    /// The writer's type and the reader's do not go together.
    Unresolvable {
        writer: &'static str,
        reader: &'static str,
    },
    SymbolUnknown,
    /// The body does not read as Avro, and looks like something else.
    Foreign {
        looks: Looks,
    },
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::Foreign { looks } => Some(format!("The bytes behind the schema id look like {looks}")),
            Self::UnionFieldClash { .. } => Some(
                "Set enhanced.avro.schema.support=true, which names union members with their namespace".into(),
            ),
            Self::ReservedLogicalType { .. } => {
                Some("Set avro.use.logical.type.converters=false: the converter knows logical types itself".into())
            }
            Self::VersionMismatch { .. } => Some(
                "A logical type of Connect has version 1; leave `connect.version` out or set it to 1".into(),
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    #[expect(clippy::too_many_lines, reason = "a table of texts")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandaloneNull => {
                f.write_str("Standalone null schemas are not supported by this converter")
            }
            Self::IntAnnotation => f.write_str("Connect type annotation for Avro int field is null"),
            Self::PrecisionNotInteger => f.write_str("precision property must be a JSON Integer."),
            Self::MapEntryShape => f.write_str(
                "Found map encoded as array of key-value pairs, but array elements do not match the expected format.",
            ),
            Self::UnionFieldClash { name } => write!(
                f,
                "Multiple union schemas map to the Connect union field name {name}"
            ),
            Self::VersionInvalid { found } => {
                write!(f, "Invalid Connect version found: {found}, a number expected")
            }
            Self::VersionMismatch { built, found } => write!(
                f,
                "Mismatched versions: version already added to SchemaBuilder ({built}) differs from version in \
                 source schema ({found})"
            ),
            Self::NameInvalid { found } => write!(f, "Invalid schema name: {found}, text expected"),
            Self::NameMismatch { built, found } => write!(
                f,
                "Mismatched names: name already added to SchemaBuilder ({built}) differs from name in source \
                 schema ({found})"
            ),
            Self::ParametersInvalid { found } => write!(
                f,
                "Expected JSON object for schema parameters but found: {found}"
            ),
            Self::ParameterNotText { found } => write!(
                f,
                "Expected schema parameter values to be strings but found: {found}"
            ),
            Self::DefaultShape { of } => write!(f, "Invalid JSON for {of} default value"),
            Self::DefaultTooLarge => f.write_str(
                "a default has too many levels or values, with the defaults of its fields written out",
            ),
            Self::DefaultBytes => f.write_str("Invalid binary data in default value"),
            Self::SchemaTooDeep { limit } => {
                write!(f, "the Avro schema nests deeper than {limit} levels")
            }
            Self::SchemaTooLarge { limit } => write!(
                f,
                "the Avro schema, with its names written out, has more than {limit} types"
            ),
            Self::Short { expected, wanted, left } => write!(
                f,
                "the bytes end too early: {expected} expected, {wanted} bytes needed, {left} left"
            ),
            Self::VarintTooLong { expected, bytes_max } => write!(
                f,
                "{expected} expected, but its number is longer than {bytes_max} bytes"
            ),
            Self::LengthNegative { expected } => {
                write!(f, "Malformed data. Length is negative: {expected} expected")
            }
            Self::UnionIndex { index, branches } => write!(
                f,
                "index of a union branch expected, below {branches}, but found {index}"
            ),
            Self::SymbolIndex { index, symbols } => write!(
                f,
                "index of an enum symbol expected, below {symbols}, but found {index}"
            ),
            Self::CountPastEnd { of, left } => write!(
                f,
                "a block announces more {of} than fit into the {left} bytes that are left"
            ),
            Self::EmptyItems { limit } => write!(
                f,
                "a block announces more than {limit} items that take no bytes"
            ),
            Self::TooManyValues { limit } => {
                write!(f, "the record holds more than {limit} values")
            }
            Self::EmptyDecimal => f.write_str("a decimal needs at least one byte"),
            Self::NoUnionField => f.write_str("Did not find matching union field for data"),
            Self::EntriesUnderTextKeys => {
                f.write_str("Invalid type for MAP: class org.apache.avro.generic.GenericData$Array")
            }
            Self::ReservedLogicalType { name } => write!(
                f,
                "Invalid type for {name}: avro.use.logical.type.converters gives a Java object, not its number"
            ),
            Self::WrongBase {
                logical,
                base,
                found,
            } => write!(
                f,
                "Invalid type for {logical}, underlying representation should be {base} but was {found}"
            ),
            Self::ScaleInvalid => {
                f.write_str("Invalid scale parameter found in Decimal schema: no integer")
            }
            Self::Trailing { left } => write!(
                f,
                "{left} bytes follow the value, and avro.fail.on.trailing.data is on"
            ),
            Self::Unresolvable { writer, reader } => {
                write!(f, "Found {writer}, expecting {reader}")
            }
            Self::SymbolUnknown => {
                f.write_str("No match for the symbol: the reader's enum neither has it nor a default")
            }
            Self::Foreign { .. } => f.write_str("the bytes are no value of the Avro schema"),
        }
    }
}
