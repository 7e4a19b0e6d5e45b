//! Writing documents, by a plan that is worked out once per schema.

use super::JsonSchemaConverterConfig;
use super::from_connect::Generated;
use super::schema::JsonSchema;
use crate::converter::RecordContext;
use crate::data::SchemaAndValue;
use crate::error::{Error, json_schema_write::Kind};
use crate::registered::Written;

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {}

impl EncodePlan {
    /// `registered` is the registry's schema where it is another than the generated one.
    pub(crate) fn compile(
        _generated: &Generated,
        _registered: Option<&JsonSchema>,
        _config: &JsonSchemaConverterConfig,
    ) -> Result<Self, Error> {
        Ok(Self {})
    }

    /// Appends a document.
    pub(crate) fn run(
        &self,
        _data: &SchemaAndValue,
        _scratch: &mut Scratch,
        _out: &mut Vec<u8>,
        _ctx: &mut RecordContext<'_>,
    ) -> Result<Written, Error> {
        Err(Kind::SchemaTooDeep.into())
    }
}
