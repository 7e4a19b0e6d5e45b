//! JsonConverter.
