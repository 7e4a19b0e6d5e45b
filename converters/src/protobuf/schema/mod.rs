//! [`ProtobufSchema`]: a file with everything it refers to, names looked up.

use super::ProtoFile;
use crate::error::{Error, protobuf_read::Kind};
use crate::wire::{Indexes, MessageIndexes};

/// A message of a [`ProtobufSchema`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MessageId(u32);

/// A file and what it imports, linked.
#[derive(Debug)]
pub struct ProtobufSchema {
    file: ProtoFile,
}

impl ProtobufSchema {
    /// Links a file with the files that its references name.
    pub(crate) fn link(file: ProtoFile, _references: &[(&str, ProtoFile)]) -> Result<Self, Error> {
        Ok(Self { file })
    }

    /// The message that the indexes of a frame name; the first one where there are none.
    pub(crate) fn message(&self, _indexes: Option<Indexes<'_>>) -> Result<MessageId, Error> {
        Err(Kind::SchemaTooDeep.into())
    }

    /// The path to a message of this file.
    pub(crate) fn indexes_of(&self, _full_name: &str) -> Option<MessageIndexes> {
        None
    }

    /// The full name of a message, without a dot in front.
    pub(crate) fn full_name(&self, _message: MessageId) -> &str {
        self.file.package.as_deref().unwrap_or_default()
    }
}
