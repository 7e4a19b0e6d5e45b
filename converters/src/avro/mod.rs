//! Avro: schemas, their texts, and the converter.

mod compat;
mod equal;
mod fingerprint;
mod format;
mod logical;
mod model;
mod names;
mod normal;
mod options;
mod parse;
mod print;
mod resolve;

pub use compat::{DifferenceKind, SchemaDifference};
pub use fingerprint::crc_64_avro;
pub use format::AvroFormat;
pub use logical::LogicalType;
pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
pub use parse::Strictness;
pub use resolve::{FieldStep, Node, NodeId, Promotion, RecordNode, Resolution};
