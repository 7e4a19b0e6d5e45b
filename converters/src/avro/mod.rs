//! Avro: schemas, their texts, and the converter.
//!
//! ```
//! use bytes::Bytes;
//! use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
//! use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder, Value};
//! use ferroconnect_converters::{Converter, Outcome, RecordContext, Role};
//! use ferroconnect_registry_client::{Registry, fake::FakeRegistry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = SchemaBuilder::structure().name("Order").field("id", Schema::int64()).build()?;
//! let order = StructBuilder::new(&schema)?.set("id", 7i64)?.finish()?;
//!
//! let mut registry = FakeRegistry::default();
//! let mut converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
//! let mut ctx = RecordContext::new("orders", Role::Value);
//! let mut bytes = Vec::new();
//! // A converter never waits: what it must know from the registry it lists, and takes the answers.
//! while let Outcome::Missing(_) = converter.from_connect(&mut ctx, &order, &mut bytes) {
//!     for lookup in converter.unresolved() {
//!         converter.install(registry.answer(&lookup));
//!     }
//! }
//! assert_eq!(bytes, [0, 0, 0, 0, 1, 14]); // schema 1, and 7 as a zig-zag varint
//!
//! let record = Bytes::from(bytes);
//! let back = loop {
//!     match converter.to_connect(&mut ctx, Some(&record)) {
//!         Outcome::Ready(data) => break data,
//!         Outcome::Failed(error) => return Err(error.into()),
//!         Outcome::Missing(_) => {
//!             for lookup in converter.unresolved() {
//!                 converter.install(registry.answer(&lookup));
//!             }
//!         }
//!     }
//! };
//! assert_eq!(back.value().as_struct().and_then(|order| order.get("id")), Some(Value::Int64(7)));
//! assert_eq!(back.schema().and_then(Schema::version), Some(1)); // the version that the registry gave
//! # Ok(())
//! # }
//! ```

mod compat;
mod config;
mod converter;
mod decode;
mod encode;
mod equal;
mod fingerprint;
mod format;
mod from_connect;
mod language;
mod logical;
mod model;
mod names;
mod normal;
mod options;
#[cfg(any(test, feature = "testing"))]
pub mod oracle;
mod parse;
mod print;
mod resolve;
mod to_connect;

pub use compat::{DifferenceKind, SchemaDifference};
pub use config::AvroConverterConfig;
pub use converter::AvroConverter;
pub use decode::AvroDecoder;
pub use fingerprint::crc_64_avro;
pub use format::AvroFormat;
pub use from_connect::from_connect_schema;
pub use logical::LogicalType;
pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
pub use parse::Strictness;
pub use resolve::{FieldStep, Node, NodeId, Promotion, RecordNode, Resolution};
pub use to_connect::to_connect_schema;
