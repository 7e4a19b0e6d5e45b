//! Avro: schemas, their texts, and the converter.

mod decode;
mod model;
mod options;
mod to_connect;

pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
pub use to_connect::to_connect_schema;
