//! Kafka Connect converters.
