//! Avro: schemas, their texts, and the converter.

mod decode;
mod equal;
mod model;
mod names;
mod options;
#[cfg(any(test, feature = "testing"))]
pub mod oracle;
mod parse;
mod print;
mod to_connect;

pub use decode::AvroDecoder;
pub use model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind, Name, Order, Props, Record,
    TypeId,
};
pub use options::AvroDataConfig;
pub use parse::Defaults;
pub use to_connect::to_connect_schema;
