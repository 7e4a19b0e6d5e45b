//! Protobuf: schemas and their texts.
//!
//! A schema is a [`ProtoFile`]: the tree of a `.proto` text as it was written. [`ProtoFile::parse`] and [`ProtoFile::to_text`] are
//! inverse on what a registry stores; [`ProtobufFormat`] adds what a registry needs: names that are looked up, the normal form, the
//! serialized descriptor, and the comparison of two schemas.
//!
//! The parser is our own. A registry's text is part of a schema's identity, and neither a descriptor nor its source locations
//! carry it: `010` is stored as 10, `reserved 2, "b";` as one statement or two, as it was posted, `(a).b = 1` and `(a) = {b: 1}`
//! stay apart, a missing `syntax` stays missing, and texts are refused that protoc's grammar allows.

mod compat;
mod config;
mod converter;
mod decode;
mod descriptor;
mod encode;
mod format;
mod from_connect;
mod known;
mod language;
mod model;
mod names;
mod normal;
mod options;
mod parse;
mod print;
mod schema;
#[cfg(test)]
mod tests;

pub use config::ProtobufConverterConfig;
pub use converter::ProtobufConverter;
pub use format::ProtobufFormat;
pub use model::{
    Enum, EnumValue, Extend, Extensions, Field, FieldType, Group, Import, ImportKind, Label,
    Message, Method, MethodType, Numbers, Oneof, OptionValue, ProtoFile, ProtoOption, Reserved,
    Service, Syntax,
};
pub use options::ProtobufDataConfig;
pub use schema::ProtobufSchema;
