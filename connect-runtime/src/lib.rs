//! The Ferroconnect worker.

pub mod backoff;
pub mod ids;
pub mod kafka;
pub mod time;
