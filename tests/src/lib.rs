//! Test harness.

pub mod ports;
