//! From a Connect schema to a JSON Schema.

use super::JsonSchemaDataConfig;
use crate::data::Schema;
use crate::error::{Error, json_schema_write::Kind};
use ferroconnect_registry_client::SchemaText;

/// The JSON Schema of a Connect schema.
#[derive(Debug)]
pub(crate) struct Generated {
    /// What it was made from.
    pub(crate) connect: Option<Schema>,
    /// As it is registered.
    pub(crate) text: SchemaText,
    /// `title` of the root.
    pub(crate) title: Option<Box<str>>,
}

/// The JSON Schema of a Connect schema.
pub(crate) fn convert(
    _schema: Option<&Schema>,
    _config: &JsonSchemaDataConfig,
) -> Result<Generated, Error> {
    Err(Kind::SchemaTooDeep.into())
}
