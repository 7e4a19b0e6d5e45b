//! Schema Registry vocabulary, the `Registry` port and an in-memory fake.
