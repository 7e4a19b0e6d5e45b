//! JSON Schema: the texts a registry keeps, the comparison of two of them, and the converter.

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
