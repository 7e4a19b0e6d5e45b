//! [`AvroFormat`]: Avro as a registry knows it.

use ferroconnect_registry_client::SchemaType;
use ferroconnect_registry_client::format::{
    CompatibilityPolicy, Incompatibility, InvalidSchema, SchemaFormat, SchemaSource,
};

use super::compat::{DifferenceKind, SchemaDifference};
use super::model::AvroSchema;
use super::parse::Strictness;
use crate::error::Error;

/// The schema language Avro, for a registry.
///
/// ```
/// use ferroconnect_converters::avro::AvroFormat;
/// use ferroconnect_registry_client::format::{SchemaFormat, SchemaSource};
///
/// let source = SchemaSource { text: "{\"type\": \"int\"}", references: &[], is_new: true };
/// assert_eq!(AvroFormat.canonical(&source, false).as_deref(), Ok("\"int\""));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AvroFormat;

impl SchemaFormat for AvroFormat {
    fn kind(&self) -> SchemaType {
        SchemaType::Avro
    }

    fn canonical(
        &self,
        source: &SchemaSource<'_>,
        normalize: bool,
    ) -> Result<String, InvalidSchema> {
        let references = references(source);
        AvroSchema::registered_text(source.text, &references, strictness(source), normalize)
            .map_err(invalid)
    }

    fn incompatibilities(
        &self,
        reader: &SchemaSource<'_>,
        writer: &SchemaSource<'_>,
        _policy: CompatibilityPolicy,
    ) -> Result<Vec<Incompatibility>, InvalidSchema> {
        let parse = |source: &SchemaSource<'_>| {
            AvroSchema::parse_with(source.text, &references(source), strictness(source))
        };
        let differences = parse(reader)
            .and_then(|to| to.differences_from(&parse(writer)?))
            .map_err(invalid)?;
        let (reader, writer) = if writer.is_new {
            ("old", "new")
        } else {
            ("new", "old")
        };
        let describe = |difference| describe(difference, reader, writer);
        Ok(differences.iter().map(describe).collect())
    }
}

fn references<'a>(source: &SchemaSource<'a>) -> Vec<&'a str> {
    let texts = source.references.iter();
    texts.map(|reference| reference.text.as_str()).collect()
}

const fn strictness(source: &SchemaSource<'_>) -> Strictness {
    if source.is_new {
        Strictness::New
    } else {
        Strictness::Registered
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn invalid(error: Error) -> InvalidSchema {
    InvalidSchema {
        reason: error.to_string(),
    }
}

/// The message of a verbose compatibility check.
fn describe(difference: &SchemaDifference, reader: &str, writer: &str) -> Incompatibility {
    let SchemaDifference { kind, path, detail } = difference;
    let description = match kind {
        DifferenceKind::FixedSizeMismatch => format!(
            "The size of FIXED type field at path '{path}' in the {reader} schema does not match with the {writer} schema"
        ),
        DifferenceKind::TypeMismatch => format!(
            "The type (path '{path}') of a field in the {reader} schema does not match with the {writer} schema"
        ),
        DifferenceKind::NameMismatch => {
            format!("The name of the schema has changed (path '{path}')")
        }
        DifferenceKind::MissingEnumSymbols => format!(
            "The {reader} schema is missing enum symbols '{detail}' at path '{path}' in the {writer} schema"
        ),
        DifferenceKind::MissingUnionBranch => format!(
            "The {reader} schema is missing a type inside a union field at path '{path}' in the {writer} schema"
        ),
        DifferenceKind::ReaderFieldMissingDefaultValue => format!(
            "The field '{detail}' at path '{path}' in the {reader} schema has no default value and is missing in the {writer} schema"
        ),
        // Java throws here, and the registry answers with the exception.
        DifferenceKind::AmbiguousField => {
            return Incompatibility {
                kind: kind.word(),
                message: format!("Unexpected exception during compatibility check: {detail}"),
            };
        }
    };
    let word = kind.word();
    Incompatibility {
        kind: word,
        message: format!(
            "{{errorType:'{word}', description:'{description}', additionalInfo:'{detail}'}}"
        ),
    }
}
