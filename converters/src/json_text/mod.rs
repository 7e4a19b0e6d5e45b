//! JSON as text, for every format that meets it: records, Avro schemas and their defaults, JSON Schema.
//!
//! `tree` reads a document the way Jackson does and keeps numbers as they were written; `text` and `scan` write strings
//! with Jackson's escapes; [`Json`] is a document that may also be made and changed.

pub(crate) mod scan;
pub(crate) mod text;
pub(crate) mod tree;
mod value;

pub use value::Json;
pub(crate) use value::{Comments, Document, document, read, write_text};
