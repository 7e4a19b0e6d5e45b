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
use super::validate::Validator;
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

/// A schema of the registry.
#[derive(Debug)]
pub(super) struct Parsed {
    schema: JsonSchema,
    /// Where documents are checked.
    validator: Option<Validator>,
}

/// How documents of one schema are read.
#[derive(Debug)]
pub(super) struct Reader {
    plan: DecodePlan,
    validator: Option<Validator>,
}

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(super) struct Writer {
    plan: EncodePlan,
    validator: Option<Validator>,
}

impl JsonSchemaLanguage {
    /// What documents of a schema are checked with, where the settings ask for it.
    fn validator(&self, text: &str, references: &[(&str, &str)]) -> Option<Validator> {
        let modern = !self.config.data.ignore_modern_dialects;
        self.config
            .fail_invalid_schema
            .then(|| Validator::compile(text, references, modern))
    }
}

impl Format for JsonSchemaLanguage {
    type Parsed = Parsed;
    type Reader = Reader;
    type Generated = Generated;
    type Writer = Writer;

    const KIND: SchemaType = SchemaType::Json;
    const WORDS: &'static Words = &JSON_SCHEMA;

    fn parse(&self, source: &SchemaSource<'_>) -> Result<Parsed, Error> {
        let references: Vec<(&str, &str)> = source
            .references
            .iter()
            .map(|found| (&*found.reference.name, &*found.text))
            .collect();
        Ok(Parsed {
            schema: JsonSchema::parse(
                source.text,
                &references,
                self.config.data.ignore_modern_dialects,
            )?,
            validator: self.validator(source.text, &references),
        })
    }

    fn record_name(&self, parsed: &Parsed, _: Option<Indexes<'_>>) -> Option<String> {
        parsed.schema.title().map(Into::into)
    }

    fn reader(
        &self,
        parsed: &Parsed,
        _: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<Reader, Error> {
        Ok(Reader {
            plan: DecodePlan::compile(&parsed.schema, &self.config.data, version)?,
            validator: parsed.validator.clone(),
        })
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

    fn writer(&self, generated: &Generated, registered: Option<&Parsed>) -> Result<Writer, Error> {
        let validator = match registered {
            Some(registered) => registered.validator.clone(),
            None => self.validator(generated.text.text(), &[]),
        };
        Ok(Writer {
            plan: EncodePlan::compile(generated, &self.config.data, self.config.indent_output)?,
            validator,
        })
    }

    fn indexes<'w>(&self, _: &'w Writer) -> Option<&'w MessageIndexes> {
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
        reader: &Reader,
        record: &Bytes,
        body_at: usize,
        scratch: &mut decode::Scratch,
        ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        if let Some(validator) = &reader.validator {
            validator.check_read(record.get(body_at..).unwrap_or_default())?;
        }
        reader.plan.run(record, body_at, scratch, ctx)
    }

    #[inline]
    fn write(
        &self,
        writer: &Writer,
        data: &SchemaAndValue,
        scratch: &mut encode::Scratch,
        out: &mut Vec<u8>,
        _: &mut RecordContext<'_>,
    ) -> Result<Written, Error> {
        let start = out.len();
        let written = writer.plan.run(data, scratch, out)?;
        if let (Some(validator), Written::Bytes) = (&writer.validator, written) {
            let document = out.get(start..).unwrap_or_default();
            validator.check_written(document, writer.plan.root_is_short())?;
        }
        Ok(written)
    }

    fn comes_first(error: &Error) -> bool {
        error
            .json_schema_write()
            .is_none_or(json_schema_write::Kind::comes_first)
    }
}
