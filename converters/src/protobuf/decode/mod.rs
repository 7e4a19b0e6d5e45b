//! Decoding Protobuf: from bytes to Connect data by the table of a message.
//!
//! There are two ways. The definition parses a message into a tree ([`message`]) and turns the tree into data ([`value`]): it covers
//! everything and words every error. The fast way ([`fast`], by a [`plan`]) goes from the bytes straight into the slots of the
//! result, and gives up on whatever is unusual. Tests hold them against each other.

mod fast;
mod logical;
mod message;
mod order;
mod plan;
#[cfg(test)]
mod tests;
mod value;

use bytes::Bytes;

use super::ProtobufDataConfig;
use super::schema::{MessageId, ProtobufSchema};
use super::to_connect::to_connect_schema;
use crate::data::{Schema, SchemaAndValue};
use crate::error::{Error, data, protobuf_read::Kind};
use crate::limits::PROTO_RECORD_BYTES_MAX;
use crate::wire::recognise;
pub(crate) use fast::Scratch;
use plan::Plan;

/// How records of one message are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    schema: ProtobufSchema,
    message: MessageId,
    config: ProtobufDataConfig,
    connect: Schema,
    fast: Option<Plan>,
}

impl DecodePlan {
    /// `version` is the registry's; the Connect schema of the root has it.
    ///
    /// # Errors
    /// Data fault: the message has no Connect schema.
    pub(crate) fn compile(
        schema: &ProtobufSchema,
        message: MessageId,
        config: &ProtobufDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        Ok(Self {
            connect: to_connect_schema(schema, message, config, version)?,
            fast: plan::compile(schema, message, config),
            schema: schema.clone(),
            message,
            config: *config,
        })
    }

    /// Reads the message that begins at `body_at` and ends with the record.
    ///
    /// # Errors
    /// Data fault with the field's path and the offset in the record.
    #[inline]
    pub(crate) fn run(
        &self,
        record: &Bytes,
        body_at: usize,
        scratch: &mut Scratch,
    ) -> Result<SchemaAndValue, Error> {
        let body = record.get(body_at..).unwrap_or_default();
        if let Some(plan) = &self.fast
            && let Some(data) = plan.run(body, &self.connect, scratch)
        {
            return Ok(data);
        }
        self.define(record, body_at)
    }

    /// Reads a message by the definition.
    #[cold]
    pub(super) fn define(&self, record: &[u8], body_at: usize) -> Result<SchemaAndValue, Error> {
        let body = record.get(body_at..).unwrap_or_default();
        if body.len() > PROTO_RECORD_BYTES_MAX {
            return Err(data::Kind::RecordTooLarge.into());
        }
        let tree = message::parse(&self.schema, self.message, record, body_at)
            .map_err(|error| foreign(error, body))?;
        let message = (self.message, &tree);
        value::value(&self.schema, &self.config, message, &self.connect)
    }
}

/// Says in an error what the body looks like, when it looks like something that is no Protobuf.
#[cold]
fn foreign(error: Error, body: &[u8]) -> Error {
    let looks = recognise(body);
    match looks.is_structured() {
        true => error.causing(Kind::Foreign { looks }),
        false => error,
    }
}
