//! The Ferroconnect worker: runs connectors between the outside world and topics, as Kafka Connect does.
//!
//! - To write a connector, start at [`api`].
//! - To run a worker inside a program, start at `Runtime`.
//! - To run it from a shell, use the program `ferroconnect`.
//!
//! ```text
//!   connectors  plugins   api                        what authors write, by name
//!        |         |       |
//!        v         v       v
//!   worker -> task::{source, sink} -> pipeline       the loops: poll or consume, convert, send or put, commit
//!        |         |
//!        v         v
//!   config    store::offsets -> kafka (ports)        adapters behind the ports are named by `runtime` only
//! ```

pub mod api;
pub mod backoff;
pub mod config;
pub mod connectors;
mod error;
pub mod ids;
pub mod kafka;
pub mod pipeline;
pub mod plugins;
#[cfg(feature = "worker")]
pub mod registry;
#[cfg(feature = "worker")]
mod runtime;
pub mod store;
pub mod task;
pub mod time;
#[cfg(feature = "worker")]
pub mod worker;

pub use error::{Decision, Error, Fault, Place, Stage, decision};
#[cfg(feature = "worker")]
pub use runtime::{Plan, Runtime, RuntimeBuilder, ShutdownHandle, StartError};
