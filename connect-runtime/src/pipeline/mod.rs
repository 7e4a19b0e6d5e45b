//! Between Connect records and Kafka records, as stages with names ([`Stage`](crate::Stage)).

mod convert;
mod sink;
mod source;
pub mod tolerance;

pub use convert::Converters;
pub use sink::SinkPipeline;
pub use source::{Converted, SourcePipeline};
