//! [`JsonSchemaFormat`]: JSON Schema as a registry knows it.

use ferroconnect_registry_client::SchemaType;
use ferroconnect_registry_client::format::{
    CompatibilityPolicy, Incompatibility, InvalidSchema, SchemaFormat, SchemaSource,
};

use super::canonical::{JsonSchemaForm, canonical_text};
use super::check::{Referenced, check};
use super::compat::{self, JsonDifference};
use super::schema::JsonSchema;
use crate::error::Error;
use crate::json_text::{Comments, Document, document};

/// The schema language JSON Schema, for a registry.
///
/// Texts are read and printed. In a new one the keywords must hold what they may, and references must lead somewhere.
/// Two schemas are compared as documents that the one allows and the other refuses.
///
/// ```
/// use ferroconnect_converters::json_schema::JsonSchemaFormat;
/// use ferroconnect_registry_client::format::{SchemaFormat, SchemaSource};
///
/// let source = SchemaSource { text: "{ }", references: &[], is_new: true };
/// assert_eq!(JsonSchemaFormat.canonical(&source, false).as_deref(), Ok("{}"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSchemaFormat;

impl SchemaFormat for JsonSchemaFormat {
    fn kind(&self) -> SchemaType {
        SchemaType::Json
    }

    fn canonical(
        &self,
        source: &SchemaSource<'_>,
        normalize: bool,
    ) -> Result<String, InvalidSchema> {
        let form = if normalize {
            JsonSchemaForm::Normal
        } else {
            JsonSchemaForm::Stored
        };
        let (text, root) = canonical_text(source.text, form).map_err(|(what, at)| {
            let reason = format!("Invalid JSON schema: {what} (byte {at})");
            InvalidSchema { reason }
        })?;
        if source.is_new && !matches!(root, "OBJECT" | "BOOLEAN") {
            let reason = format!(
                "Invalid JSON schema: expected an object or boolean at the root, found {root}"
            );
            return Err(InvalidSchema { reason });
        }
        if source.is_new {
            check_new(source)?;
        }
        Ok(text)
    }

    fn incompatibilities(
        &self,
        reader: &SchemaSource<'_>,
        writer: &SchemaSource<'_>,
        policy: CompatibilityPolicy,
    ) -> Result<Vec<Incompatibility>, InvalidSchema> {
        let found = compared(reader, writer, policy).map_err(|error| InvalidSchema {
            reason: error.to_string(),
        })?;
        let (reader, writer) = if writer.is_new {
            ("old", "new")
        } else {
            ("new", "old")
        };
        let worded = |difference: JsonDifference| difference.worded(reader, writer);
        Ok(found.into_iter().map(worded).collect())
    }
}

/// Why one schema refuses documents that another one allows.
pub(super) fn compared(
    reader: &SchemaSource<'_>,
    writer: &SchemaSource<'_>,
    policy: CompatibilityPolicy,
) -> Result<Vec<JsonDifference>, Error> {
    let parse = |source: &SchemaSource<'_>| {
        let references = source.references.iter();
        let references: Vec<(&str, &str)> = references
            .map(|found| (&*found.reference.name, &*found.text))
            .collect();
        JsonSchema::parse(source.text, &references, false)
    };
    compat::differences(&parse(reader)?, &parse(writer)?, policy)
}

fn check_new(source: &SchemaSource<'_>) -> Result<(), InvalidSchema> {
    let read = |text: &str| -> Result<Document, InvalidSchema> {
        document(text, Comments::Refused).map_err(|flaw| InvalidSchema {
            reason: format!("Invalid JSON schema: {} (byte {})", flaw.what, flaw.at),
        })
    };
    let references = source.references.iter().map(|referenced| {
        Ok(Referenced {
            name: &referenced.reference.name,
            document: read(&referenced.text)?,
        })
    });
    let references = references.collect::<Result<Vec<_>, InvalidSchema>>()?;
    check(&read(source.text)?, &references).map_err(|what| InvalidSchema {
        reason: format!("Invalid JSON schema: {what}"),
    })
}
