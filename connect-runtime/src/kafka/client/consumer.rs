use crate::time::Span;

/// Settings of a consumer that its port does not name; see [`ConsumerConfig`](crate::kafka::ConsumerConfig) for the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsumerSettings {
    /// `group.protocol` with what belongs to it.
    pub protocol: GroupProtocol,
    /// `group.instance.id`: the name of a static member (KIP-345).
    pub instance_id: Option<String>,
    /// `client.rack`: where the closest replica is looked for (KIP-392).
    pub rack: Option<String>,
    /// `fetch.min.bytes`: a broker waits until it has so much.
    pub fetch_bytes_min: usize,
    /// `fetch.max.wait.ms`: a broker waits at most so long.
    pub fetch_wait_max: Span,
    /// `max.partition.fetch.bytes`.
    pub partition_fetch_bytes_max: usize,
    /// `max.poll.records`.
    pub poll_records: usize,
    /// `allow.auto.create.topics`.
    pub create_topics: bool,
}

impl Default for ConsumerSettings {
    fn default() -> Self {
        Self {
            protocol: GroupProtocol::default(),
            instance_id: None,
            rack: None,
            fetch_bytes_min: 1,
            fetch_wait_max: Span::millis(500),
            partition_fetch_bytes_max: 1 << 20,
            poll_records: 500,
            create_topics: true,
        }
    }
}

/// How the members of a group share the partitions (`group.protocol`).
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the values of Kafka's group.protocol"
)]
pub enum GroupProtocol {
    /// One member assigns for all.
    Classic {
        /// `partition.assignment.strategy`: what this member can do, best first; never empty.
        assignors: Vec<Assignor>,
        /// `heartbeat.interval.ms`.
        heartbeat: Span,
    },
    /// The broker assigns (KIP-848).
    Consumer {
        /// `group.remote.assignor`; `None` leaves it to the broker.
        assignor: Option<String>,
    },
}

impl Default for GroupProtocol {
    fn default() -> Self {
        Self::Classic {
            assignors: vec![Assignor::Range, Assignor::CooperativeSticky],
            heartbeat: Span::secs(3),
        }
    }
}

/// The assignors of Kafka's consumer that exist here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Assignor {
    /// Contiguous ranges per topic; eager.
    Range,
    /// Partitions in turn; eager.
    RoundRobin,
    /// As few moves as possible; cooperative (KIP-429).
    CooperativeSticky,
}
