//! Writing data as Protobuf, by a plan that is worked out once per schema.

use super::ProtobufDataConfig;
use super::from_connect::Generated;
use super::schema::ProtobufSchema;
use crate::data::SchemaAndValue;
use crate::error::{Error, protobuf_write::Kind};
use crate::registered::Written;
use crate::wire::MessageIndexes;

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    indexes: MessageIndexes,
}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {}

impl EncodePlan {
    /// `registered` is the registry's schema where it is another than the generated one.
    pub(crate) fn compile(
        generated: &Generated,
        _registered: Option<&ProtobufSchema>,
        _config: &ProtobufDataConfig,
    ) -> Result<Self, Error> {
        Ok(Self {
            indexes: generated.indexes.clone(),
        })
    }

    /// Where the message stands in the file of the frame's schema.
    pub(crate) const fn indexes(&self) -> &MessageIndexes {
        &self.indexes
    }

    /// Appends a message.
    pub(crate) fn run(
        &self,
        _data: &SchemaAndValue,
        _scratch: &mut Scratch,
        _out: &mut Vec<u8>,
    ) -> Result<Written, Error> {
        Err(Kind::SchemaTooDeep.into())
    }
}
