//! Kafka Connect converters: byte for byte what the JVM produces, total on bad input, as a library.
//!
//! ```
//! use bytes::Bytes;
//! use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder};
//! use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
//! use ferroconnect_converters::{Converter, RecordContext, Role};
//!
//! # fn main() -> Result<(), ferroconnect_converters::Error> {
//! let schema = SchemaBuilder::structure().name("Order").field("id", Schema::int64()).build()?;
//! let order = StructBuilder::new(&schema)?.set("id", 7i64)?.finish()?;
//!
//! let mut converter = JsonConverter::new(JsonConverterConfig::default())?;
//! let mut ctx = RecordContext::new("orders", Role::Value);
//! let mut bytes = Vec::new();
//! converter.from_connect(&mut ctx, &order, &mut bytes).into_result()?;
//! assert_eq!(converter.to_connect(&mut ctx, Some(&Bytes::from(bytes))).into_result()?, order);
//! # Ok(())
//! # }
//! ```
//!
//! - [`data`]: the Connect data model: schemas, values, builders, checks.
//! - [`Converter`] and [`HeaderConverter`]: the two traits; [`json`] and [`simple`] hold the converters.
//! - [`registered`] and [`subject`]: what all converters with a schema registry share.
//! - [`Error`]: sorted by [`Fault`], with the path of the value and the offset of the byte.
//! - [`differs`]: where we differ from the JVM on purpose, by name.
//! - [`wire`]: the framing of the schema registry formats, for what comes next and for tools.
//! - [`config`]: definitions, parsing and validation of settings.
//!
//! A converter instance serves one role of one task: it takes `&mut self`, remembers what it worked out, and locks nothing.
//! No network, no Kafka client, no `unsafe`.

pub mod avro;
pub mod client;
pub mod config;
mod converter;
pub mod data;
pub mod differs;
mod error;
pub mod json;
pub mod json_schema;
mod json_text;
pub mod limits;
mod plan;
pub mod registered;
pub mod simple;
pub mod subject;
#[cfg(feature = "serde")]
pub mod typed;
pub mod wire;

pub use converter::{
    Converter, HeaderContext, HeaderConverter, Outcome, RawHeaders, RecordContext, Role,
};
pub use error::{Error, Fault};
pub use json_text::Json;
