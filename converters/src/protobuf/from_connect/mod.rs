//! From a Connect schema to a `.proto` file.

use super::ProtobufDataConfig;
use crate::data::Schema;
use crate::error::{Error, protobuf_write::Kind};
use crate::wire::MessageIndexes;
use ferroconnect_registry_client::SchemaText;

/// The file of a Connect schema.
#[derive(Debug)]
pub(crate) struct Generated {
    /// What it was made from.
    pub(crate) connect: Option<Schema>,
    /// As it is registered.
    pub(crate) text: SchemaText,
    /// The full name of the root message.
    pub(crate) name: Box<str>,
    /// Where the root message stands in the file.
    pub(crate) indexes: MessageIndexes,
}

/// The file of a Connect schema.
pub(crate) fn convert(
    _schema: Option<&Schema>,
    _config: &ProtobufDataConfig,
) -> Result<Generated, Error> {
    Err(Kind::SchemaTooDeep.into())
}
