//! Avro: schemas, their texts, and the converter.

mod equal;
mod model;
mod names;
mod options;
mod parse;
mod print;

pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
pub use parse::Defaults;
