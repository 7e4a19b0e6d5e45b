//! Kinds of reading JSON Schema: schemas that have no Connect schema, and documents that are not of theirs.

use std::fmt;

use super::Fault;
use crate::differs::Difference;

/// Texts are the JVM's where it has one.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A schema text that is no JSON.
    SchemaSyntax {
        what: &'static str,
    },
    /// Where a schema should be there is neither an object nor a boolean.
    NoSchema,
    Keyword {
        keyword: &'static str,
        wanted: &'static str,
    },
    ReferenceUnknown {
        text: Box<str>,
    },
    SchemaTooLarge {
        what: &'static str,
        limit: usize,
    },
    /// Schemas that Connect has no place for. `class` is that of the JVM's validator.
    SchemaUnsupported {
        class: &'static str,
    },
    ConnectType {
        name: Box<str>,
    },
    Criterion {
        keyword: &'static str,
    },
    ItemsMissing,
    MapValuesMissing,
    EntryShape,
    VersionInvalid,
    IndexInvalid,
    ParametersInvalid,
    DefaultOfRecursive,
    ReservedProperty,
    /// Documents that are not of their schema.
    ReservedMember,
    NoUnionField,
    MapNotArray {
        found: &'static str,
    },
    EntryNotObject {
        found: &'static str,
    },
    EntryLength {
        length: usize,
    },
    VariantTooLarge,
    TooManyValues {
        limit: usize,
    },
    /// The document is not what its schema allows, and that is asked for.
    Invalid {
        report: Box<str>,
    },
    /// The schema nests deeper than a limit of ours.
    SchemaTooDeep,
}

impl Kind {
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Data
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are one class")]
    pub(crate) const fn java_class(&self) -> &'static str {
        match self {
            Self::ConnectType { .. } | Self::Criterion { .. } => {
                "java.lang.IllegalArgumentException"
            }
            Self::Invalid { .. } => "org.apache.kafka.common.errors.SerializationException",
            _ => "org.apache.kafka.connect.errors.DataException",
        }
    }

    pub(crate) const fn difference(&self) -> Option<Difference> {
        None
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most kinds say it all")]
    pub(crate) fn advice(&self) -> Option<String> {
        match self {
            Self::ReferenceUnknown { .. } => Some(
                "Register the schema that it names, and list it in the references of the schema".into(),
            ),
            Self::ReservedProperty | Self::ReservedMember => {
                Some("Rename the property, or set preserve.additional.properties=false".into())
            }
            Self::Invalid { .. } => Some(
                "Mend what writes the documents or the schema, or set json.fail.invalid.schema=false to read them unchecked"
                    .into(),
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemaSyntax { what } => write!(f, "Invalid JSON schema: {what}"),
            Self::NoSchema => {
                f.write_str("Invalid JSON schema: a schema is an object or a boolean")
            }
            Self::Keyword { keyword, wanted } => {
                write!(f, "Invalid JSON schema: {keyword} must hold {wanted}")
            }
            Self::ReferenceUnknown { text } => {
                write!(f, "Invalid JSON schema: $ref leads nowhere: {text}")
            }
            Self::SchemaTooLarge { what, limit } => {
                write!(f, "the JSON schema has more than {limit} {what}")
            }
            Self::SchemaUnsupported { class } => {
                write!(f, "Unsupported schema type org.everit.json.schema.{class}")
            }
            Self::ConnectType { name } => write!(f, "Unsupported type {name}"),
            Self::Criterion { keyword } => write!(
                f,
                "Unsupported criterion {keyword}: it combines no schemas that one type could hold"
            ),
            Self::ItemsMissing => f.write_str("Array schema did not specify the items type"),
            Self::MapValuesMissing => f.write_str(
                "additionalProperties of a map must be the schema of its values",
            ),
            Self::EntryShape => {
                f.write_str("the items of a map must have the properties key and value")
            }
            Self::VersionInvalid => f.write_str("connect.version must be a whole number"),
            Self::IndexInvalid => f.write_str("connect.index must be a whole number"),
            Self::ParametersInvalid => f.write_str("connect.parameters must be an object"),
            Self::DefaultOfRecursive => {
                f.write_str("a schema that contains itself cannot have a default")
            }
            Self::ReservedProperty => f.write_str(
                "JSON Schema property name '__connect_additional_properties__' collides with the reserved field \
                 name for preserve.additional.properties=true.",
            ),
            Self::ReservedMember => f.write_str(
                "JSON payload contains a property named '__connect_additional_properties__' which collides with \
                 the reserved field name for preserve.additional.properties=true.",
            ),
            Self::NoUnionField => f.write_str("Did not find matching oneof field for data"),
            Self::MapNotArray { found } => write!(
                f,
                "Maps with non-string fields should be encoded as JSON array of objects, but found {found}"
            ),
            Self::EntryNotObject { found } => {
                write!(f, "Found invalid map entry instead of object: {found}")
            }
            Self::EntryLength { length } => {
                write!(f, "Found invalid map entry, expected length 2 but found :{length}")
            }
            Self::TooManyValues { limit } => {
                write!(f, "the document has structs with more than {limit} fields in all")
            }
            Self::VariantTooLarge => f.write_str("the value is too large for a variant"),
            Self::Invalid { report } => {
                write!(f, "JSON does not match schema of type JSON:\n{report}")
            }
            Self::SchemaTooDeep => f.write_str(
                "the schema nests too deep, or contains itself where only an object may",
            ),
        }
    }
}
