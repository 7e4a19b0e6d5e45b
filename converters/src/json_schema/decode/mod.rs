//! Decoding documents: a plan made from the schema, and a reader that follows it from the text into a record.

use bytes::Bytes;

use super::JsonSchemaDataConfig;
use super::schema::JsonSchema;
use crate::converter::RecordContext;
use crate::data::SchemaAndValue;
use crate::error::{Error, json_schema_read::Kind};

/// How records of one schema are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {}

impl DecodePlan {
    /// `version` is the registry's, for a schema that has none of its own.
    pub(crate) fn compile(
        _schema: &JsonSchema,
        _config: &JsonSchemaDataConfig,
        _version: Option<i32>,
    ) -> Result<Self, Error> {
        Err(Kind::SchemaTooDeep.into())
    }

    /// Reads the document that begins at `body_at` and ends with the record.
    pub(crate) fn run(
        &self,
        _record: &Bytes,
        _body_at: usize,
        _scratch: &mut Scratch,
        _ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        Err(Kind::SchemaTooDeep.into())
    }
}
