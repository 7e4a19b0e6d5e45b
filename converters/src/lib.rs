//! Kafka Connect converters.

pub mod wire;
