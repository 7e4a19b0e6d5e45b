//! Kafka Connect converters: byte for byte what the JVM produces, total on bad input, as a library.
//!
//! From `cargo add ferroconnect-converters ferroconnect-registry-client` and `cargo add tokio --features full` to a decoded record:
//!
//! ```no_run
//! use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
//! use ferroconnect_converters::{Role, client::AsyncConverter};
//! use ferroconnect_registry_client::{cache::CachingRegistry, client::ClientConfig};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let config = ClientConfig::parse([("schema.registry.url", "http://localhost:8081")])?;
//!     let registry = std::sync::Arc::new(CachingRegistry::connect(config)?);
//!     let converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
//!     let mut orders = AsyncConverter::new(Role::Value, converter, registry);
//!     let record = b"\0\0\0\0\x01\x0e".to_vec().into(); // what your Kafka client gave you
//!     println!("{:?}", orders.decode("orders", Some(&record)).await?);
//!     Ok(())
//! }
//! ```
//!
//! With the feature `serde`, `typed::from_connect` makes a struct of yours of it. Converters alone need neither network nor runtime:
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
//! - [`client`]: a converter together with the registry it asks, asynchronous or blocking.
//! - `typed` (feature `serde`): Rust structs to and from Connect data and schemas.
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
pub mod protobuf;
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
