//! Kafka Connect converters.

pub mod limits;
pub mod wire;
