//! Protobuf as the machinery of the registry formats needs it.

use bytes::Bytes;
use ferroconnect_registry_client::format::SchemaSource;
use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::decode::{self, DecodePlan};
use super::encode::{self, EncodePlan};
use super::format;
use super::from_connect::{self, Generated};
use super::schema::ProtobufSchema;
use super::{ProtoFile, ProtobufDataConfig};
use crate::converter::RecordContext;
use crate::data::{Schema, SchemaAndValue};
use crate::error::registered::{PROTOBUF, Words};
use crate::error::{Error, protobuf_write};
use crate::registered::{Codec, Format, Written};
use crate::wire::{Indexes, Layout, MessageIndexes};

/// Protobuf with the settings that its schemas and plans depend on.
#[derive(Debug)]
pub(super) struct ProtobufLanguage {
    pub(super) config: ProtobufDataConfig,
}

impl Format for ProtobufLanguage {
    type Parsed = ProtobufSchema;
    type Reader = DecodePlan;
    type Generated = Generated;
    type Writer = EncodePlan;

    const KIND: SchemaType = SchemaType::Protobuf;
    const WORDS: &'static Words = &PROTOBUF;

    fn parse(&self, source: &SchemaSource<'_>) -> Result<ProtobufSchema, Error> {
        let references = source.references.iter().map(|found| {
            let file = ProtoFile::parse(&found.text)?;
            Ok((&*found.reference.name, file))
        });
        let references = references.collect::<Result<Vec<_>, Error>>()?;
        ProtobufSchema::link(ProtoFile::parse(source.text)?, &references)
    }

    fn record_name(&self, parsed: &ProtobufSchema, indexes: Option<Indexes<'_>>) -> Option<String> {
        let message = parsed.message(indexes).ok()?;
        Some(parsed.full_name(message).to_owned())
    }

    fn reader(
        &self,
        parsed: &ProtobufSchema,
        indexes: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<DecodePlan, Error> {
        let message = parsed.message(indexes)?;
        DecodePlan::compile(parsed, message, &self.config, version)
    }

    fn generate(&self, schema: Option<&Schema>) -> Result<Generated, Error> {
        from_connect::convert(schema, &self.config)
    }

    fn text<'g>(&self, generated: &'g Generated) -> &'g SchemaText {
        &generated.text
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
        registered: Option<&ProtobufSchema>,
    ) -> Result<EncodePlan, Error> {
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
        matches!(
            error.protobuf_write(),
            Some(protobuf_write::Kind::SchemaTooDeep)
        )
    }
}
