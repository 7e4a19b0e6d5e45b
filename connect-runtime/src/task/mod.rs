//! The life of a task.
//!
//! ```text
//!  author's task   <- thread, bounded ->   in_process   <- port ->   source::run   <->  converters, producer, offset store
//!  (api, blocking)      (adapter)                     (async, batch-wise)  sink::run     <->  consumer, converters
//!  task elsewhere  <- bytes ---------->   its adapter  <- port ->        "
//! ```
//!
//! The [port](crate::api::port) between worker and task is asynchronous and batch-wise; where the task runs is the adapter's business.

pub mod sink;
pub mod source;

#[cfg(feature = "worker")]
pub mod in_process;
#[cfg(feature = "worker")]
mod lookups;
#[cfg(feature = "worker")]
mod panics;
#[cfg(feature = "worker")]
mod status;

#[cfg(feature = "worker")]
pub use lookups::Registries;
#[cfg(feature = "worker")]
pub(crate) use panics::guarded;
#[cfg(feature = "worker")]
pub use status::{Control, Counters, Target, TaskState, TaskStatus};
