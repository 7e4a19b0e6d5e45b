//! The Ferroconnect worker.

pub mod backoff;
pub mod config;
mod error;
pub mod ids;
pub mod kafka;
pub mod time;

pub use error::{Decision, Error, Fault, Place, Stage, decision};
