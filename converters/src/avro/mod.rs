//! Avro: schemas, their texts, and the converter.

mod model;
mod options;

pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
