//! Decoding Protobuf: a table made from the message, and a reader that follows it from the bytes into a record.

use bytes::Bytes;

use super::ProtobufDataConfig;
use super::schema::{MessageId, ProtobufSchema};
use crate::data::SchemaAndValue;
use crate::error::{Error, protobuf_read::Kind};

/// How records of one message are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {}

impl DecodePlan {
    /// `version` is the registry's; the Connect schema of the root has it.
    pub(crate) fn compile(
        _schema: &ProtobufSchema,
        _message: MessageId,
        _config: &ProtobufDataConfig,
        _version: Option<i32>,
    ) -> Result<Self, Error> {
        Err(Kind::SchemaTooDeep.into())
    }

    /// Reads the message that begins at `body_at` and ends with the record.
    pub(crate) fn run(
        &self,
        _record: &Bytes,
        _body_at: usize,
        _scratch: &mut Scratch,
    ) -> Result<SchemaAndValue, Error> {
        Err(Kind::SchemaTooDeep.into())
    }
}
