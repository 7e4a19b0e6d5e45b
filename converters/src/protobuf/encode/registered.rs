//! A registry's schema that data are written under: it must mean by the numbers what the data's own schema means.

use crate::protobuf::from_connect::Generated;
use crate::protobuf::schema::ProtobufSchema;
use crate::wire::MessageIndexes;

/// Where the message of the data stands in the registry's schema; or why their readers would take them for something else.
pub(super) fn place(
    generated: &Generated,
    registered: &ProtobufSchema,
) -> Result<MessageIndexes, String> {
    let name = &generated.name;
    registered
        .indexes_of(name)
        .ok_or_else(|| format!("it has no message {name}"))
}
