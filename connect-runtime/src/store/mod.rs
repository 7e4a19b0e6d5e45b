//! What the worker keeps in topics.

pub mod offsets;
