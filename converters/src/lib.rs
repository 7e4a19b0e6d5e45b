//! Kafka Connect converters.
pub mod config;
