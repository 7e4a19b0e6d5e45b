//! What the runtime needs from Kafka, in one page.
//!
//! [`Cluster`] makes clients: a [`Producer`] (or [`TxnProducer`]), a [`Consumer`], an [`Admin`].
//! They are traits of ours; nothing above them knows which adapter runs. Records travel in batches:
//! a [`RecordBatch`] of rows goes in and [`Acknowledgement`]s of row ranges come back, a poll gives
//! one [`PartitionBatch`] per partition.

#[cfg(feature = "worker")]
mod assignors;
mod batch;
pub mod client;
#[cfg(feature = "worker")]
pub mod embedded;
mod error;
#[cfg(all(feature = "worker", feature = "testing"))]
pub mod fake;
#[cfg(feature = "worker")]
pub mod krafka;
#[cfg(feature = "worker")]
mod local;
mod port;
mod types;

pub use batch::{
    BATCH_BYTES_MAX, BATCH_TOPICS_MAX, BatchId, NewRow, RecordBatch, RowRef, TopicSlot,
};
pub use error::{Class, Error, Result};
pub use port::{
    Admin, Cluster, Consumer, IgnoreRebalance, Producer, RebalanceListener, TxnProducer,
};
pub use types::{
    Acknowledgement, AdminConfig, ClusterDescription, ConsumerConfig, Isolation, NewTopic,
    OffsetAndMetadata, OffsetReset, OffsetSpec, Offsets, PartitionBatch, Placement, ProducerConfig,
    Properties, Record, RecordHeader, Subscription, TimestampType, TopicDescription,
};
