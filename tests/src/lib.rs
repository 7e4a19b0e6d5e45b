//! Test harness: what the test programs share.

pub mod conformance;
pub mod tagged;
