//! Source tasks: poll, convert, send, acknowledge, commit.

pub mod inflight;
#[cfg(feature = "worker")]
mod run;

#[cfg(feature = "worker")]
pub use run::{SourceParts, SourceRun};
