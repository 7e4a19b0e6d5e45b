//! Avro as the machinery of the registry formats needs it.

use std::sync::Arc;

use bytes::Bytes;
use ferroconnect_registry_client::format::SchemaSource;
use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::decode::{self, DecodeOptions, DecodePlan};
use super::encode::{self, EncodePlan};
use super::{AvroDataConfig, AvroSchema, Kind, Strictness, from_connect};
use crate::converter::RecordContext;
use crate::data::{Schema, SchemaAndValue};
use crate::error::Error;
use crate::error::avro_write;
use crate::error::registered::{AVRO, Words};
use crate::registered::{Codec, Format, Written};
use crate::wire::{Indexes, Layout, MessageIndexes};

/// Avro with the settings that its schemas and plans depend on.
#[derive(Debug)]
pub(super) struct AvroLanguage {
    pub(super) config: AvroDataConfig,
    pub(super) options: DecodeOptions,
}

/// The Avro schema of a Connect schema.
#[derive(Debug)]
pub(super) struct Generated {
    /// What it was made from.
    connect: Option<Schema>,
    schema: AvroSchema,
    text: SchemaText,
}

impl Format for AvroLanguage {
    type Parsed = AvroSchema;
    type Reader = DecodePlan;
    type Generated = Generated;
    type Writer = EncodePlan;

    const KIND: SchemaType = SchemaType::Avro;
    const WORDS: &'static Words = &AVRO;

    fn parse(&self, source: &SchemaSource<'_>) -> Result<AvroSchema, Error> {
        let references: Vec<&str> = source.references.iter().map(|found| &*found.text).collect();
        AvroSchema::parse_with(source.text, &references, Strictness::Registered)
    }

    fn record_name(&self, parsed: &AvroSchema, _: Option<Indexes<'_>>) -> Option<String> {
        record_name(parsed)
    }

    fn reader(
        &self,
        parsed: &AvroSchema,
        _: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<DecodePlan, Error> {
        Ok(DecodePlan::compile(
            parsed,
            &self.config,
            version,
            self.options,
        ))
    }

    fn generate(&self, schema: Option<&Schema>) -> Result<Generated, Error> {
        let avro = from_connect::convert(schema, &self.config)?;
        let text: Arc<str> = avro.to_text()?.into();
        Ok(Generated {
            connect: schema.cloned(),
            schema: avro,
            text: SchemaText::new(SchemaType::Avro, text),
        })
    }

    fn text<'g>(&self, generated: &'g Generated) -> &'g SchemaText {
        &generated.text
    }

    fn generated_name(&self, generated: &Generated) -> Option<String> {
        record_name(&generated.schema)
    }

    fn incompatibility(
        &self,
        registered: &SchemaSource<'_>,
        generated: &Generated,
    ) -> Result<Option<String>, Error> {
        let differences = self
            .parse(registered)?
            .differences_from(&generated.schema)?;
        Ok(differences
            .first()
            .map(|first| format!("{} at {} ({})", first.kind.word(), first.path, first.detail)))
    }

    fn writer(
        &self,
        generated: &Generated,
        registered: Option<&AvroSchema>,
    ) -> Result<EncodePlan, Error> {
        if let Some(refused) = from_connect::redefined(&generated.schema) {
            return Ok(EncodePlan::refusing(refused));
        }
        EncodePlan::compile(
            generated.connect.as_ref(),
            &generated.schema,
            registered,
            &self.config,
        )
    }

    fn indexes<'w>(&self, _: &'w EncodePlan) -> Option<&'w MessageIndexes> {
        None
    }
}

impl Codec for AvroLanguage {
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
        _: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        plan.run(record, body_at, self.options, scratch)
    }

    #[inline]
    fn write(
        &self,
        plan: &EncodePlan,
        data: &SchemaAndValue,
        scratch: &mut encode::Scratch,
        out: &mut Vec<u8>,
        _: &mut RecordContext<'_>,
    ) -> Result<Written, Error> {
        plan.run(data, scratch, out)
    }

    fn comes_first(error: &Error) -> bool {
        error.avro_write().is_none_or(avro_write::Kind::comes_first)
    }
}

/// Only a record at the root counts; an optional one is a union.
fn record_name(schema: &AvroSchema) -> Option<String> {
    match &schema.get(schema.root()).kind {
        Kind::Record(record) => Some(record.name.to_string()),
        Kind::Null
        | Kind::Boolean
        | Kind::Int
        | Kind::Long
        | Kind::Float
        | Kind::Double
        | Kind::Bytes
        | Kind::String
        | Kind::Enum(_)
        | Kind::Fixed(_)
        | Kind::Array(_)
        | Kind::Map(_)
        | Kind::Union(_) => None,
    }
}
