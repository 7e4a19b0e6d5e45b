//! Sink tasks: consume, convert, put, flush, commit.

pub mod offsets;
#[cfg(feature = "worker")]
mod run;

#[cfg(feature = "worker")]
pub use run::{SinkParts, SinkRun};
