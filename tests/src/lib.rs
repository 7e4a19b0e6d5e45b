//! Test harness: what tests of several crates share.

pub mod checks;
pub mod conformance;
pub mod generate;
pub mod nulls;
pub mod pair;
pub mod tagged;
pub mod tidy;
