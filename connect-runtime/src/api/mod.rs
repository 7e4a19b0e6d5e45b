//! What the author of a connector writes: a [`SourceConnector`] with its [`SourceTask`], or a [`SinkConnector`] with its [`SinkTask`].
//!
//! Everything here is synchronous and plain. A task runs on a thread of its own, may block, and may panic without harm to others.
//!
//! ```
//! use ferroconnect_runtime::api::{SourceConnector, SourceContext, SourceOffset, SourcePartition, SourceRecord, SourceTask};
//! use ferroconnect_runtime::{Error, config::{ConfigDef, Importance, Key, Kind, RawConfig}};
//!
//! /// Counts: one record per poll, and after a restart it goes on where it was.
//! #[derive(Default)]
//! struct Counter { next: i64 }
//!
//! impl SourceConnector for Counter {
//!     fn config_def(&self) -> ConfigDef {
//!         ConfigDef::new().define(Key::new("topic", Kind::String, Importance::High, "Topic to write to."))
//!     }
//!     fn task_configs(&self, config: &RawConfig, _max: u32) -> Result<Vec<RawConfig>, Error> {
//!         Ok(vec![config.clone()])
//!     }
//!     fn task(&self) -> Box<dyn SourceTask> {
//!         Box::new(Counter::default())
//!     }
//! }
//!
//! impl SourceTask for Counter {
//!     fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
//!         let last = context.offset(&SourcePartition::of("counter", "one"))?;
//!         self.next = last.and_then(|offset| offset.integer("n")).unwrap_or(0);
//!         Ok(())
//!     }
//!     fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
//!         self.next += 1;
//!         let topic = context.config().get("topic").cloned().unwrap_or_default();
//!         let record = SourceRecord::new(topic, format!("number {}", self.next))
//!             .from(SourcePartition::of("counter", "one"), SourceOffset::of("n", self.next));
//!         Ok(vec![record])
//!     }
//! }
//! ```

mod connector;
mod offsets;
pub mod port;
mod record;
mod sink;
mod source;
mod stop;

pub use connector::{
    ConnectorContext, ConnectorRequests, ExactlyOnceSupport, SinkConnector, SourceConnector,
};
pub use offsets::{OffsetValue, SourceOffset, SourcePartition};
pub use record::{SinkRecord, SourceRecord};
pub use sink::{ErrantRecords, SinkContext, SinkRequests, SinkTask};
pub use source::{OffsetReads, RowOutcome, SourceContext, SourceTask};
pub use stop::StopSignal;
