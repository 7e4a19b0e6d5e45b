//! Kafka Connect converters: byte for byte what the JVM produces, total on bad input, as a library.

pub mod config;
mod converter;
pub mod data;
pub mod differs;
mod error;
pub mod json;
pub mod limits;
mod plan;
pub mod simple;
pub mod wire;

pub use converter::{
    Converter, HeaderContext, HeaderConverter, Outcome, RawHeaders, RecordContext, Role,
};
pub use error::{Error, Fault};
