//! Source offsets: one entry per source partition, in a compacted topic of the embedded log or in the file of Kafka's standalone worker.
//!
//! | key | value |
//! | --- | --- |
//! | `["connector",{"filename":"/tmp/in.txt"}]` | `{"position":42}`, or null: forgotten |
//!
//! One task owns them ([`OffsetStore`]); behind it lies one of two backings with the same entries, byte for byte.

#[cfg(feature = "worker")]
mod backing;
#[cfg(feature = "worker")]
mod file;
pub mod java_map;
mod record;
mod state;
#[cfg(feature = "worker")]
mod store;
#[cfg(feature = "worker")]
mod topic;

pub use record::{Entry, RecordError, key_bytes, parse, value_bytes};
pub use state::OffsetState;
#[cfg(feature = "worker")]
pub use store::{ConnectorOffsets, OffsetStore};
#[cfg(feature = "worker")]
pub use topic::OFFSETS_TOPIC;
