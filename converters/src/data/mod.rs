//! The Connect data model in one page.
//!
//! - [`Schema`] says what a value is: a [`Type`], optional or not, name, version, doc, parameters, default, fields.
//! - [`SchemaAndValue`] owns any datum with its schema. It is `'static + Send + Sync` and clones with one counter.
//! - [`Value`] is what you match on: borrowed, `Copy`, a closed enum. [`Struct`], [`Array`] and [`Map`] are its views.
//! - [`StructBuilder`] and [`Builder`] make data; [`Editor`] makes a copy with fields changed.
//! - [`Decimal`] and [`Logical`]: the logical types. [`check::check`]: does a value fit its schema?
//!
//! How a value lies in memory is private to `record.rs`: one slice of 16-byte slots, one text, one byte buffer per datum.

mod build;
pub(crate) mod calendar;
pub mod check;
mod datum;
pub(crate) mod decimal;
mod edit;
pub(crate) mod hash_order;
mod headers;
mod infer;
mod java_text;
mod knot;
pub mod logical;
pub(crate) mod number_text;
pub mod project;
pub(crate) mod record;
mod schema;
mod schema_builder;
pub mod text;
pub(crate) mod utf8;
mod value;

pub use build::{Builder, IntoValue, StructBuilder};
pub use datum::SchemaAndValue;
pub use decimal::{Decimal, DecimalRef};
pub use edit::Editor;
pub use headers::{Header, Headers};
pub use infer::infer_schema;
pub use java_text::write_java_text;
pub(crate) use knot::Origin;
pub use knot::{Knot, KnotId, Recursion};
pub use logical::Logical;
pub use project::Projection;
pub use schema::{Field, Schema, Type};
pub use schema_builder::SchemaBuilder;
pub use value::{Array, Map, Struct, Value};

pub(crate) use datum::Datum;
pub(crate) use decimal::UnscaledRef;
