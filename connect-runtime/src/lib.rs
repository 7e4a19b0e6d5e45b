//! The Ferroconnect worker.

pub mod api;
pub mod backoff;
pub mod config;
pub mod connectors;
mod error;
pub mod ids;
pub mod kafka;
pub mod pipeline;
pub mod plugins;
pub mod store;
pub mod task;
pub mod time;
#[cfg(feature = "worker")]
pub mod worker;

pub use error::{Decision, Error, Fault, Place, Stage, decision};
