//! Protobuf: schemas, their texts, and the converter.
//!
//! ```
//! use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder};
//! use ferroconnect_converters::protobuf::{ProtobufConverter, ProtobufConverterConfig};
//! use ferroconnect_converters::{Converter, Outcome, RecordContext, Role};
//! use ferroconnect_registry_client::{Registry, fake::FakeRegistry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = SchemaBuilder::structure().name("shop.Order").field("id", Schema::int64()).build()?;
//! let order = StructBuilder::new(&schema)?.set("id", 7i64)?.finish()?;
//!
//! let mut registry = FakeRegistry::default();
//! let mut converter = ProtobufConverter::new(ProtobufConverterConfig::default(), Role::Value);
//! let mut ctx = RecordContext::new("orders", Role::Value);
//! let mut bytes = Vec::new();
//! // A converter never waits: what it must know from the registry it lists, and takes the answers.
//! while let Outcome::Missing(_) = converter.from_connect(&mut ctx, &order, &mut bytes) {
//!     for lookup in converter.unresolved() {
//!         converter.install(registry.answer(&lookup));
//!     }
//! }
//! assert_eq!(bytes, [0, 0, 0, 0, 1, 0, 8, 7]); // schema 1, its first message, and field 1 with the number 7
//!
//! let registered = registry.registered().next().map(|found| found.schema.text().to_owned());
//! let text = "syntax = \"proto3\";\npackage shop;\n\nmessage Order {\n  int64 id = 1;\n}\n";
//! assert_eq!(registered.as_deref(), Some(text));
//! # Ok(())
//! # }
//! ```
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
mod imports;
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
mod to_connect;

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
