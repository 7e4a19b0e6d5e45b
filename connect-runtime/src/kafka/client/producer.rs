use crate::time::Span;

/// Settings of a producer that its port does not name; see [`ProducerConfig`](crate::kafka::ProducerConfig) for the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProducerSettings {
    /// `acks`.
    pub acks: Acks,
    /// `enable.idempotence`. Connect's default is false (records are in order because one request is in flight).
    pub idempotence: bool,
    /// `max.in.flight.requests.per.connection`, at least 1.
    pub in_flight_max: usize,
    /// `compression.type`.
    pub compression: Compression,
    /// `compression.gzip.level` or `compression.zstd.level`, whichever belongs to [`compression`](Self::compression); `None` is the
    /// codec's own default.
    pub compression_level: Option<i32>,
    /// `max.block.ms`: how long a call may wait for metadata or for buffer space.
    pub block_max: Span,
    /// `transaction.timeout.ms`, when it was set.
    pub transaction_timeout: Option<Span>,
    /// Whether keyless records go to partitions in turn (`partitioner.class=…RoundRobinPartitioner`) instead of sticking to one.
    pub round_robin: bool,
}

impl Default for ProducerSettings {
    /// The defaults of a Connect source task's producer.
    fn default() -> Self {
        Self {
            acks: Acks::All,
            idempotence: false,
            in_flight_max: 1,
            compression: Compression::None,
            compression_level: None,
            block_max: Span::MAX,
            transaction_timeout: None,
            round_robin: false,
        }
    }
}

/// Who must have a record before it counts as written (`acks`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_enums, reason = "the values of Kafka's acks")]
pub enum Acks {
    /// Nobody (`0`).
    None,
    /// The leader (`1`).
    Leader,
    /// All in-sync replicas (`all`, `-1`).
    #[default]
    All,
}

/// How batches are compressed (`compression.type`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::exhaustive_enums,
    missing_docs,
    reason = "the values of Kafka's compression.type, by their names"
)]
pub enum Compression {
    #[default]
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}
