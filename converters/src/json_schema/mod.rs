//! JSON Schema: the texts a registry keeps. The converter and the comparison of schemas are not built.

mod canonical;
mod check;
mod format;

pub use canonical::{JsonSchemaForm, canonical_text};
pub use format::JsonSchemaFormat;
