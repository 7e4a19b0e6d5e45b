//! Source offsets: a compacted topic, one record per source partition.
//!
//! | key | value |
//! | --- | --- |
//! | `["connector",{"filename":"/tmp/in.txt"}]` | `{"position":42}`, or null: forgotten |

mod record;
mod state;
#[cfg(feature = "worker")]
mod store;

pub use record::{Entry, RecordError, key_bytes, parse, value_bytes};
pub use state::OffsetState;
#[cfg(feature = "worker")]
pub use store::{ConnectorOffsets, OFFSETS_TOPIC, OffsetStore};
