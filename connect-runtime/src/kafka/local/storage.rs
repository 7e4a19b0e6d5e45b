//! What a local cluster needs from the place that keeps its records.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::watch;

use super::account::{Identity, Submission};
use crate::ids::TopicPartition;
use crate::kafka::error::Result;
use crate::kafka::types::{
    ClusterDescription, Isolation, NewTopic, OffsetSpec, Offsets, ProducerConfig,
};

/// The topics of a moment: partitions by name.
pub(in crate::kafka) type Topics = BTreeMap<Arc<str>, u32>;

/// Offsets of consumer groups that become valid together with something.
pub(in crate::kafka) type GroupOffsets = Vec<(String, Offsets)>;

/// A record batch as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kafka) struct StoredBatch {
    /// Offset of its first record.
    pub(in crate::kafka) base_offset: i64,
    /// Its records.
    pub(in crate::kafka) count: u32,
    /// Its bytes, see [`codec`](super::codec).
    pub(in crate::kafka) blob: Bytes,
}

/// What lies at an offset of a partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kafka) enum Fetched {
    /// Batches without a gap between them; the first contains the offset.
    Batches(Vec<StoredBatch>),
    /// Nothing for this reader up to here: an aborted batch or a transaction marker.
    #[cfg_attr(
        not(feature = "testing"),
        expect(
            dead_code,
            reason = "the embedded log writes neither; the fake cluster does"
        )
    )]
    Skip {
        /// Offset to go on with.
        to: i64,
    },
    /// The end of what this reader may see.
    End,
    /// Not (or no longer) in the log.
    OutOfRange {
        /// First offset that is there.
        start: i64,
        /// Offset behind the last record.
        end: i64,
    },
}

impl Fetched {
    /// Bytes of records in it.
    pub(in crate::kafka) fn record_bytes(&self) -> usize {
        match self {
            Self::Batches(batches) => batches.iter().map(|batch| batch.blob.len()).sum(),
            Self::Skip { .. } | Self::End | Self::OutOfRange { .. } => 0,
        }
    }
}

/// How a transaction ends.
#[derive(Clone, Debug)]
pub(in crate::kafka) enum End {
    /// Everything becomes visible, with these offsets.
    Commit(GroupOffsets),
    /// Nothing does.
    Abort,
}

/// Keeps topics, records, committed offsets and transactional ids.
#[async_trait]
pub(in crate::kafka) trait Storage: Send + Sync + fmt::Debug {
    /// The topics now.
    fn topics(&self) -> Arc<Topics>;
    /// Changes whenever records become visible or topics change.
    fn changes(&self) -> watch::Receiver<u64>;
    /// Trouble that would keep any call from being served now.
    fn reachable(&self, operation: &'static str) -> Result<()>;
    /// Bytes that a producer with `config` may have outstanding.
    fn buffer_bytes(&self, config: &ProducerConfig) -> usize;
    /// Whether open transactions stay in the producer's buffer until they end.
    fn buffers_transactions(&self) -> bool;
    /// Takes `submission` without waiting; its account is told the outcome.
    fn append(&self, submission: Submission);
    /// A place that reads `Fetched` batches, with a connection of its own.
    fn reader(self: Arc<Self>) -> Result<Box<dyn Reader>>;
    /// Gives a new epoch to transactional id `id`, and aborts what an older one left open.
    async fn init_transactions(&self, id: &str) -> Result<Identity>;
    /// Whether `identity` is still the newest.
    fn check(&self, identity: &Identity, operation: &'static str) -> Result<()>;
    /// Ends the transaction of `identity`.
    async fn end_transaction(&self, identity: Arc<Identity>, end: End) -> Result<()>;
    /// The producer of `identity` is gone without ending its transaction.
    fn abandon(&self, identity: &Identity);
    /// Creates a topic.
    async fn create_topic(&self, topic: NewTopic) -> Result<()>;
    /// Explicit settings of a topic.
    async fn configs(&self, topic: &str) -> Result<BTreeMap<String, String>>;
    /// Looks an offset up.
    async fn offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
        isolation: Isolation,
    ) -> Result<i64>;
    /// Drops records before an offset, partition by partition.
    async fn delete_records(&self, before: BTreeMap<TopicPartition, i64>) -> Result<()>;
    /// Offsets of `group`; `None` if it has none.
    async fn group_offsets(&self, group: &str) -> Result<Option<Offsets>>;
    /// Stores offsets of groups.
    async fn commit_offsets(&self, offsets: GroupOffsets) -> Result<()>;
    /// Forgets offsets of `group`: of these partitions, or all.
    async fn forget_offsets(&self, group: &str, of: Option<Vec<TopicPartition>>) -> Result<()>;
    /// Names itself.
    fn describe(&self) -> ClusterDescription;
}

/// Reads batches.
#[async_trait]
pub(in crate::kafka) trait Reader: Send + Sync + fmt::Debug {
    /// What lies at the offsets, one answer for each question, at most about `bytes_max` bytes (but
    /// the first batch always); questions beyond that are answered with `None`.
    async fn fetch(
        &self,
        positions: Vec<(TopicPartition, i64)>,
        isolation: Isolation,
        bytes_max: usize,
    ) -> Result<Vec<Option<Fetched>>>;
}
