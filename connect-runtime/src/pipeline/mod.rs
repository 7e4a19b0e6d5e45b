//! Between Connect records and Kafka records, as stages with names ([`Stage`](crate::Stage)).

mod convert;
mod sink;
mod source;
pub mod tolerance;

pub use convert::Converters;
pub use sink::SinkPipeline;
pub use source::{Converted, SourcePipeline};

/// How many records behind one that waits for a registry are looked at for what they will ask.
const LOOK_AHEAD_RECORDS_MAX: usize = 1_000;
