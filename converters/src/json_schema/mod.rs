//! JSON Schema: the texts a registry keeps, the comparison of two of them, and the converter.
//!
//! ```
//! use bytes::Bytes;
//! use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder, Value};
//! use ferroconnect_converters::json_schema::{JsonSchemaConverter, JsonSchemaConverterConfig};
//! use ferroconnect_converters::{Converter, Outcome, RecordContext, Role};
//! use ferroconnect_registry_client::{Registry, fake::FakeRegistry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = SchemaBuilder::structure().name("Order").field("id", Schema::int64()).build()?;
//! let order = StructBuilder::new(&schema)?.set("id", 7i64)?.finish()?;
//!
//! let mut registry = FakeRegistry::default();
//! let mut converter = JsonSchemaConverter::new(JsonSchemaConverterConfig::default(), Role::Value);
//! let mut ctx = RecordContext::new("orders", Role::Value);
//! let mut bytes = Vec::new();
//! // A converter never waits: what it must know from the registry it lists, and takes the answers.
//! while let Outcome::Missing(_) = converter.from_connect(&mut ctx, &order, &mut bytes) {
//!     for lookup in converter.unresolved() {
//!         converter.install(registry.answer(&lookup));
//!     }
//! }
//! assert_eq!(bytes, b"\0\0\0\0\x01{\"id\":7}"); // schema 1, and the document
//!
//! let registered = registry.registered().next().map(|found| found.schema.text().to_owned());
//! let text = r#"{"type":"object","title":"Order","properties":{"id":{"type":"integer","connect.index":0,"connect.type":"int64"}}}"#;
//! assert_eq!(registered.as_deref(), Some(text));
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
//!
//! What a schema cannot say in JSON Schema's own words it says in keywords that begin with `connect.`: the order of fields
//! (`connect.index`), the kind of a number (`connect.type`), versions and parameters. Readers that do not know them see plain JSON
//! Schema.
//!
//! With `json.fail.invalid.schema` documents are checked in both directions, by the draft that the schema names. The check needs a
//! document as a tree, so it costs many times what writing or reading it costs.

mod canonical;
mod check;
mod compat;
mod config;
mod converter;
mod decode;
mod encode;
mod format;
mod from_connect;
mod language;
mod names;
mod options;
mod schema;
mod to_connect;
mod validate;

pub use canonical::{JsonSchemaForm, canonical_text};
pub use config::JsonSchemaConverterConfig;
pub use converter::JsonSchemaConverter;
#[cfg(any(test, feature = "testing"))]
pub use decode::testing::JsonSchemaDecoder;
pub use format::JsonSchemaFormat;
pub use options::JsonSchemaDataConfig;
pub use schema::JsonSchema;
