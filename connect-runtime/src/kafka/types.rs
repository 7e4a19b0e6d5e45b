//! Records, offsets and settings of the Kafka ports, in our words.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::batch::BatchId;
use super::client::{ConnectionSettings, ConsumerSettings, ProducerSettings};
use super::error::Error;
use crate::ids::TopicPartition;
use crate::time::Span;

/// Client settings by their Kafka names, for adapters that have a use for them. Values may be secrets and are never printed.
#[derive(Clone, Default)]
pub struct Properties(pub BTreeMap<String, String>);

impl std::fmt::Debug for Properties {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Settings of a producer.
#[derive(Clone, Debug)]
pub struct ProducerConfig {
    /// `client.id`.
    pub client_id: String,
    /// `buffer.memory`: bytes accepted and not yet acknowledged; `send` waits beyond it. A batch
    /// larger than this is accepted when nothing else is waiting.
    pub buffer_bytes: usize,
    /// `batch.size`: bytes of one record batch in the log.
    pub batch_bytes: usize,
    /// `max.request.size`: key, value and headers of one record at most.
    pub record_bytes_max: usize,
    /// `linger.ms`.
    pub linger: Span,
    /// `delivery.timeout.ms`: after it, an unacknowledged record is reported as failed.
    pub delivery_timeout: Span,
    /// How it connects. Adapters without a network have no use for it.
    pub connection: ConnectionSettings,
    /// What only a Kafka cluster has a use for.
    pub settings: ProducerSettings,
    /// Every key that was set, by its Kafka name.
    pub properties: Properties,
}

impl Default for ProducerConfig {
    /// The defaults of a Connect source task's producer (connect-runtime reference, source tasks)
    /// and of Kafka's producer beneath them.
    fn default() -> Self {
        Self {
            client_id: String::new(),
            buffer_bytes: 32 << 20,
            batch_bytes: 16 << 10,
            record_bytes_max: 1 << 20,
            linger: Span::ZERO,
            delivery_timeout: Span::millis(i32::MAX.unsigned_abs() as u64),
            connection: ConnectionSettings::default(),
            settings: ProducerSettings::default(),
            properties: Properties::default(),
        }
    }
}

/// Which records a consumer sees.
#[expect(
    clippy::exhaustive_enums,
    reason = "the two levels of Kafka's isolation.level"
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// Records of open and aborted transactions too.
    #[default]
    ReadUncommitted,
    /// Only records outside transactions and of committed ones, up to the last stable offset.
    ReadCommitted,
}

/// Where a consumer starts without a committed offset (`auto.offset.reset`).
#[expect(
    clippy::exhaustive_enums,
    reason = "the values of Kafka's auto.offset.reset"
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OffsetReset {
    /// At the first record that is still there.
    #[default]
    Earliest,
    /// At the end.
    Latest,
    /// Nowhere: `poll` fails with [`Class::NotFound`](super::Class::NotFound).
    Fail,
}

/// Settings of a consumer.
#[derive(Clone, Debug)]
pub struct ConsumerConfig {
    /// `client.id`.
    pub client_id: String,
    /// `group.id`; without one, only `assign` works and commits fail.
    pub group: Option<String>,
    /// `isolation.level`.
    pub isolation: Isolation,
    /// `auto.offset.reset`.
    pub reset: OffsetReset,
    /// `session.timeout.ms` of the group.
    pub session_timeout: Span,
    /// `max.poll.interval.ms`: a member that does not poll for so long loses its partitions.
    pub poll_interval_max: Span,
    /// `fetch.max.bytes`: record bytes that one poll returns at most (always at least one batch).
    pub fetch_bytes_max: usize,
    /// How it connects. Adapters without a network have no use for it.
    pub connection: ConnectionSettings,
    /// What only a Kafka cluster has a use for.
    pub settings: ConsumerSettings,
    /// Every key that was set, by its Kafka name.
    pub properties: Properties,
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            client_id: String::new(),
            group: None,
            isolation: Isolation::ReadUncommitted,
            reset: OffsetReset::Earliest,
            session_timeout: Span::secs(45),
            poll_interval_max: Span::secs(300),
            fetch_bytes_max: 4 << 20,
            connection: ConnectionSettings::default(),
            settings: ConsumerSettings::default(),
            properties: Properties::default(),
        }
    }
}

/// Settings of an administrative client.
#[derive(Clone, Debug, Default)]
pub struct AdminConfig {
    /// `client.id`.
    pub client_id: String,
    /// How it connects. Adapters without a network have no use for it.
    pub connection: ConnectionSettings,
    /// Every key that was set, by its Kafka name.
    pub properties: Properties,
}

/// What became of rows of a batch. Every row of a sent batch appears in exactly one outcome.
#[derive(Clone, Debug)]
pub struct Acknowledgement {
    /// The batch, as its sender called it.
    pub batch: BatchId,
    /// Its rows this is about.
    pub rows: Range<u32>,
    /// Durable in the log, and where; or not, and why.
    pub outcome: Result<Vec<Placement>, Error>,
}

/// Where consecutive rows went: row `rows.start + n` has offset `base_offset + n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Rows of the batch.
    pub rows: Range<u32>,
    /// Partition they are in.
    pub partition: TopicPartition,
    /// Offset of the first.
    pub base_offset: i64,
}

/// What the timestamp of a record means (`message.timestamp.type`).
#[expect(clippy::exhaustive_enums, reason = "fixed by the Kafka protocol")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimestampType {
    /// There is none.
    None,
    /// Given by the producer.
    #[default]
    CreateTime,
    /// The broker's time of appending.
    LogAppendTime,
}

/// A record header. Names may repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordHeader {
    /// Name.
    pub name: Arc<str>,
    /// Bytes; `None` is null.
    pub value: Option<Bytes>,
}

/// A record that was read. Key and value are slices of the batch they came in: cloning counts a
/// reference, and keeping one keeps the whole batch in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Offset in its partition.
    pub offset: i64,
    /// Milliseconds since the epoch; -1 if there is none.
    pub timestamp: i64,
    /// What the timestamp means.
    pub timestamp_type: TimestampType,
    /// Key; `None` is null.
    pub key: Option<Bytes>,
    /// Value; `None` is null (a tombstone).
    pub value: Option<Bytes>,
    /// Headers in order; an empty list does not allocate.
    pub headers: Vec<RecordHeader>,
}

/// Records of one partition, in offset order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionBatch {
    /// Where they are from.
    pub partition: TopicPartition,
    /// At least one record.
    pub records: Vec<Record>,
}

/// A committed position with the committer's note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OffsetAndMetadata {
    /// Offset of the next record to read.
    pub offset: i64,
    /// Free text, usually empty.
    pub metadata: String,
}

impl OffsetAndMetadata {
    /// `offset` without a note.
    pub const fn new(offset: i64) -> Self {
        Self {
            offset,
            metadata: String::new(),
        }
    }
}

/// Offsets by partition, in a stable order.
pub type Offsets = BTreeMap<TopicPartition, OffsetAndMetadata>;

/// What a consumer reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Subscription {
    /// These topics, shared with the other members of the group.
    Topics(Vec<String>),
    /// Topics whose whole name is the first match, shared with the group; new ones are found. An
    /// alternative behind a shorter one counts only in a pattern with anchors:
    /// [`Subscription::pattern`].
    Pattern(regex::Regex),
}

impl Subscription {
    /// Topics whose whole name `pattern` matches.
    ///
    /// # Errors
    /// That of the regular expression.
    ///
    /// ```
    /// use ferroconnect_runtime::kafka::Subscription;
    /// let subscription = Subscription::pattern("ab|abc")?;
    /// assert!(subscription.means("abc"));
    /// assert!(!subscription.means("xabc"));
    /// # Ok::<(), regex::Error>(())
    /// ```
    pub fn pattern(pattern: &str) -> Result<Self, regex::Error> {
        regex::Regex::new(&format!(r"\A(?:{pattern})\z")).map(Self::Pattern)
    }

    /// Whether topic `name` belongs to it.
    pub fn means(&self, name: &str) -> bool {
        match self {
            Self::Topics(names) => names.iter().any(|wanted| wanted == name),
            Self::Pattern(pattern) => pattern
                .find(name)
                .is_some_and(|found| found.len() == name.len()),
        }
    }
}

/// Which offset to look up.
#[expect(clippy::exhaustive_enums, reason = "adapters must answer each")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffsetSpec {
    /// The first that is still there.
    Earliest,
    /// The end: the high watermark, or with [`Isolation::ReadCommitted`] the last stable offset.
    Latest,
    /// The first record at or after this timestamp (milliseconds since the epoch); the end if
    /// there is none.
    Timestamp(i64),
}

/// A topic to create.
#[derive(Clone, Debug)]
pub struct NewTopic {
    /// Its name.
    pub name: String,
    /// Partitions; `None` is the cluster's default.
    pub partitions: Option<u32>,
    /// Replicas; `None` is the cluster's default. An embedded log has one and takes any number.
    pub replication: Option<u16>,
    /// Topic settings by their Kafka names.
    pub configs: BTreeMap<String, String>,
}

impl NewTopic {
    /// Topic `name` with `partitions` partitions and defaults otherwise.
    pub fn new(name: &str, partitions: u32) -> Self {
        Self {
            name: name.to_owned(),
            partitions: Some(partitions),
            replication: None,
            configs: BTreeMap::new(),
        }
    }
}

/// A topic as the cluster describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopicDescription {
    /// Its name.
    pub name: String,
    /// Number of partitions.
    pub partitions: u32,
    /// Replicas of each.
    pub replication: u16,
}

/// The cluster as it describes itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterDescription {
    /// Cluster id.
    pub id: String,
    /// Addresses of the brokers; a folder for an embedded log.
    pub brokers: Vec<String>,
}
