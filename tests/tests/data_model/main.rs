//! The Connect data model, along the upstream test lists: ConnectSchemaTest, SchemaBuilderTest, StructTest, the logical types'
//! tests, SchemaProjectorTest and ConnectHeadersTest.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod builder;
mod headers;
mod logical;
mod projector;
mod schema;
mod structs;

use ferroconnect_converters::Error;
use ferroconnect_converters::data::{Builder, Schema, SchemaAndValue, SchemaBuilder};

/// A schema that must build.
fn built(builder: SchemaBuilder) -> Schema {
    builder.build().unwrap()
}

/// A datum of that schema, from events.
fn datum(schema: &Schema, fill: impl FnOnce(&mut Builder)) -> SchemaAndValue {
    let mut out = Builder::new(Some(schema.clone()));
    fill(&mut out);
    out.finish().unwrap()
}

/// The text of an error that must happen.
fn text<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}
