//! Protobuf as the machinery of the registry formats needs it.

use bytes::Bytes;
use ferroconnect_registry_client::format::SchemaSource;
use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::decode::{self, DecodePlan};
use super::encode::{self, EncodePlan};
use super::format;
use super::from_connect::{self, Generated};
use super::imports::ImportRule;
use super::schema::ProtobufSchema;
use super::{ProtoFile, ProtobufDataConfig};
use crate::converter::RecordContext;
use crate::data::{Schema, SchemaAndValue};
use crate::error::registered::{PROTOBUF, Words};
use crate::error::{Error, protobuf_write};
use crate::registered::{Codec, Format, Imported, Written};
use crate::wire::{Indexes, Layout, MessageIndexes};

/// A registry's schema: linked, to read with, and as its text has it, to compare what is written with.
#[derive(Debug)]
pub(super) struct Parsed {
    linked: ProtobufSchema,
    /// The schema itself, then what it refers to.
    files: Vec<ProtoFile>,
}

/// Protobuf with the settings that its schemas and plans depend on.
#[derive(Debug)]
pub(super) struct ProtobufLanguage {
    pub(super) config: ProtobufDataConfig,
    pub(super) imports: ImportRule,
}

impl Format for ProtobufLanguage {
    type Parsed = Parsed;
    type Reader = DecodePlan;
    type Generated = Generated;
    type Writer = EncodePlan;

    const KIND: SchemaType = SchemaType::Protobuf;
    const WORDS: &'static Words = &PROTOBUF;

    fn parse(&self, source: &SchemaSource<'_>) -> Result<Parsed, Error> {
        let file = ProtoFile::parse(source.text)?;
        let references = source
            .references
            .iter()
            .map(|found| ProtoFile::parse(&found.text));
        let references = references.collect::<Result<Vec<_>, Error>>()?;
        let linked = ProtobufSchema::link(&file, &references.iter().collect::<Vec<_>>())?;
        let files = std::iter::once(file).chain(references).collect();
        Ok(Parsed { linked, files })
    }

    fn record_name(&self, parsed: &Parsed, indexes: Option<Indexes<'_>>) -> Option<String> {
        let message = parsed.linked.message(indexes).ok()?;
        Some(parsed.linked.full_name(message).to_owned())
    }

    fn reader(
        &self,
        parsed: &Parsed,
        indexes: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<DecodePlan, Error> {
        let message = parsed.linked.message(indexes)?;
        DecodePlan::compile(&parsed.linked, message, &self.config, version)
    }

    fn generate(&self, schema: Option<&Schema>) -> Result<Generated, Error> {
        from_connect::convert_with(schema, &self.config, self.imports)
    }

    fn text<'g>(&self, generated: &'g Generated) -> &'g SchemaText {
        &generated.text
    }

    fn imported<'g>(&self, generated: &'g Generated) -> &'g [Imported] {
        &generated.imported
    }

    fn generated_name(&self, generated: &Generated) -> Option<String> {
        Some(generated.name.to_string())
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
        let differences = format::compared(registered, &source)?;
        Ok(differences.first().map(ToString::to_string))
    }

    fn writer(
        &self,
        generated: &Generated,
        registered: Option<&Parsed>,
    ) -> Result<EncodePlan, Error> {
        let registered = registered.map(|parsed| &*parsed.files);
        EncodePlan::compile(generated, registered, &self.config)
    }

    fn indexes<'w>(&self, writer: &'w EncodePlan) -> Option<&'w MessageIndexes> {
        Some(writer.indexes())
    }
}

impl Codec for ProtobufLanguage {
    type Reading = decode::Scratch;
    type Writing = encode::Scratch;

    const LAYOUT: Layout = Layout::Indexed;

    #[inline]
    fn read(
        &self,
        plan: &DecodePlan,
        record: &Bytes,
        body_at: usize,
        scratch: &mut decode::Scratch,
        _: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        plan.run(record, body_at, scratch)
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
        error
            .protobuf_write()
            .is_none_or(protobuf_write::Kind::comes_first)
    }
}
