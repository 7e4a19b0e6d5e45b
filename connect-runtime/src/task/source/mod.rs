//! Source tasks: poll, convert, send, acknowledge, commit.

pub mod inflight;
#[cfg(feature = "worker")]
mod run;
#[cfg(feature = "worker")]
mod topics;

#[cfg(feature = "worker")]
pub(in crate::task) use run::tolerance_exceeded;
#[cfg(feature = "worker")]
pub use run::{SourceParts, SourceRun};
