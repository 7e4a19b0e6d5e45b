//! JSON Schema as the machinery of the registry formats needs it.

use bytes::Bytes;
use ferroconnect_registry_client::format::{CompatibilityPolicy, SchemaSource};
use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::JsonSchemaConverterConfig;
use super::decode::{self, DecodePlan};
use super::encode::{self, EncodePlan};
use super::format;
use super::from_connect::{self, Generated};
use super::schema::JsonSchema;
use crate::converter::RecordContext;
use crate::data::{Schema, SchemaAndValue};
use crate::error::registered::{JSON_SCHEMA, Words};
use crate::error::{Error, json_schema_write};
use crate::registered::{Codec, Format, Written};
use crate::wire::{Indexes, Layout, MessageIndexes};

/// JSON Schema with the settings that its schemas and plans depend on.
#[derive(Debug)]
pub(super) struct JsonSchemaLanguage {
    pub(super) config: JsonSchemaConverterConfig,
}

impl Format for JsonSchemaLanguage {
    type Parsed = JsonSchema;
    type Reader = DecodePlan;
    type Generated = Generated;
    type Writer = EncodePlan;

    const KIND: SchemaType = SchemaType::Json;
    const WORDS: &'static Words = &JSON_SCHEMA;

    fn parse(&self, source: &SchemaSource<'_>) -> Result<JsonSchema, Error> {
        let references: Vec<(&str, &str)> = source
            .references
            .iter()
            .map(|found| (&*found.reference.name, &*found.text))
            .collect();
        JsonSchema::parse(
            source.text,
            &references,
            self.config.data.ignore_modern_dialects,
        )
    }

    fn record_name(&self, parsed: &JsonSchema, _: Option<Indexes<'_>>) -> Option<String> {
        parsed.title().map(Into::into)
    }

    fn reader(
        &self,
        parsed: &JsonSchema,
        _: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<DecodePlan, Error> {
        DecodePlan::compile(parsed, &self.config.data, version)
    }

    fn generate(&self, schema: Option<&Schema>) -> Result<Generated, Error> {
        from_connect::convert(schema, &self.config.data)
    }

    fn text<'g>(&self, generated: &'g Generated) -> &'g SchemaText {
        &generated.text
    }

    fn generated_name(&self, generated: &Generated) -> Option<String> {
        generated.title.as_deref().map(Into::into)
    }

    fn incompatibility(
        &self,
        registered: &SchemaSource<'_>,
        generated: &Generated,
    ) -> Result<Option<String>, Error> {
        let source = SchemaSource {
            text: generated.text.text(),
            references: &[],
            is_new: true,
        };
        let policy = CompatibilityPolicy::Strict;
        let differences = format::compared(registered, &source, policy)?;
        Ok(differences.first().map(ToString::to_string))
    }

    fn writer(
        &self,
        generated: &Generated,
        registered: Option<&JsonSchema>,
    ) -> Result<EncodePlan, Error> {
        EncodePlan::compile(generated, registered, &self.config)
    }

    fn indexes<'w>(&self, _: &'w EncodePlan) -> Option<&'w MessageIndexes> {
        None
    }
}

impl Codec for JsonSchemaLanguage {
    type Reading = decode::Scratch;
    type Writing = encode::Scratch;

    const LAYOUT: Layout = Layout::Plain;

    #[inline]
    fn read(
        &self,
        plan: &DecodePlan,
        record: &Bytes,
        body_at: usize,
        scratch: &mut decode::Scratch,
        ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        plan.run(record, body_at, scratch, ctx)
    }

    #[inline]
    fn write(
        &self,
        plan: &EncodePlan,
        data: &SchemaAndValue,
        scratch: &mut encode::Scratch,
        out: &mut Vec<u8>,
        ctx: &mut RecordContext<'_>,
    ) -> Result<Written, Error> {
        plan.run(data, scratch, out, ctx)
    }

    fn comes_first(error: &Error) -> bool {
        matches!(
            error.json_schema_write(),
            Some(json_schema_write::Kind::SchemaTooDeep)
        )
    }
}
