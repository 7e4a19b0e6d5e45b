//! The adapters under test, with the levers that only they have.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::Cluster;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::kafka::fake::FakeCluster;
use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::time::{Clock, Span, SystemClock};
use rusqlite::Connection;

use super::own_node::OwnNode;

/// A cluster to test, with levers.
pub(crate) trait Stage: fmt::Debug {
    /// The cluster.
    fn cluster(&self) -> Arc<dyn Cluster>;
    /// From now on no acknowledgement arrives; at most for four seconds.
    fn hold(&self);
    /// Ends [`Stage::hold`].
    fn release(&self);
    /// From now on no call gets an answer of success; at most for four seconds.
    fn stall(&self);
    /// Ends [`Stage::stall`].
    fn recover(&self);
    /// Damages the last stored batch of `partition`.
    fn damage(&self, partition: &TopicPartition);

    /// `name` for this run: topics, groups and transactional ids of a cluster that lives longer than
    /// the case must not meet those of another run.
    fn name(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Longer than a group takes to settle, members that have to be missed first included.
    fn patience(&self) -> Span {
        Span::secs(10)
    }

    /// Partition `partition` of the topic that is called `topic` for this run.
    fn place(&self, topic: &str, partition: i32) -> TopicPartition {
        TopicPartition::new(self.name(topic), partition)
    }

    /// Whether a replaced producer learns of its successor by itself. Where it must ask the
    /// coordinator, sends are taken, and `commit` may only say that the transaction must be aborted.
    fn tells_fencing_at_once(&self) -> bool {
        true
    }
}

/// The cluster in memory.
#[derive(Debug)]
pub(crate) struct Fake(FakeCluster);

impl Fake {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(FakeCluster::new())
    }
}

impl Stage for Fake {
    fn cluster(&self) -> Arc<dyn Cluster> {
        Arc::new(self.0.clone())
    }

    fn hold(&self) {
        self.0.hold_acks();
    }

    fn release(&self) {
        self.0.release_acks();
    }

    fn stall(&self) {
        self.0.disconnect();
    }

    fn recover(&self) {
        self.0.reconnect();
    }

    fn damage(&self, partition: &TopicPartition) {
        self.0.damage_last_batch(partition);
    }
}

/// The embedded log in a folder that goes away with it.
#[derive(Debug)]
pub(crate) struct Embedded {
    log: EmbeddedLog,
    /// While it is here, the writer waits for SQLite's lock.
    blocker: Mutex<Option<Connection>>,
    folder: tempfile::TempDir,
}

impl Embedded {
    /// An empty one.
    ///
    /// # Panics
    /// If there is no place for temporary files.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests need a folder for temporary files");
        let log = EmbeddedLog::open(EmbeddedConfig::new(folder.path()))
            .expect("an empty folder can be opened");
        Self {
            log,
            blocker: Mutex::new(None),
            folder,
        }
    }

    /// A connection to the log's file, beside the log.
    ///
    /// # Panics
    /// If the file is not there.
    pub(crate) fn connect(folder: &Path) -> Connection {
        Connection::open(folder.join("log.db")).expect("the log's file can be opened")
    }
}

impl Stage for Embedded {
    fn cluster(&self) -> Arc<dyn Cluster> {
        Arc::new(self.log.clone())
    }

    fn hold(&self) {
        let connection = Self::connect(self.folder.path());
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .expect("SQLite's write lock is free in time");
        *self.blocker.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
    }

    fn release(&self) {
        self.blocker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    fn stall(&self) {
        self.hold();
    }

    fn recover(&self) {
        self.release();
    }

    fn damage(&self, partition: &TopicPartition) {
        let damage = "UPDATE batch SET blob = substr(blob, 1, length(blob) - 1)
            WHERE topic = (SELECT id FROM topic WHERE name = ?1) AND partition = ?2";
        let key = rusqlite::params![&*partition.topic, partition.partition];
        let changed = Self::connect(self.folder.path()).execute(damage, key);
        assert!(
            changed.is_ok_and(|rows| rows > 0),
            "there is a batch to damage"
        );
    }
}

/// A Kafka cluster: the shared one, or for cases with levers a node that nobody else uses meanwhile.
#[derive(Debug)]
pub(crate) struct Kafka {
    bootstrap: String,
    prefix: String,
    own: Option<OwnNode>,
}

/// Cases that pull levers, and so need a node of their own.
const WITH_LEVERS: [&str; 5] = [
    "a_full_buffer_waits_and_loses_nothing",
    "flush_waits_for_outcomes",
    "a_damaged_batch_is_a_fatal_error_with_its_place",
    "reading_goes_on_after_a_stall",
    "every_call_ends_in_time",
];

impl Kafka {
    /// The cluster for `case`.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn for_case(case: &str) -> Self {
        let own = WITH_LEVERS.contains(&case).then(OwnNode::take);
        let bootstrap = own.as_ref().map_or_else(shared, OwnNode::bootstrap);
        Self {
            bootstrap,
            prefix: prefix(case),
            own,
        }
    }

    /// The cluster at `bootstrap`, without levers.
    pub(crate) fn at(bootstrap: &str, case: &str) -> Self {
        Self {
            bootstrap: bootstrap.to_owned(),
            prefix: prefix(case),
            own: None,
        }
    }

    fn node(&self) -> &OwnNode {
        self.own
            .as_ref()
            .expect("cases with levers are listed in WITH_LEVERS")
    }
}

/// The address of the shared node.
///
/// # Panics
/// If the variable is not set.
pub(crate) fn shared() -> String {
    std::env::var(ferroconnect_node::KAFKA_VARIABLE)
        .expect("FERROCONNECT_KAFKA=host:port names a Kafka node; cargo xtask test starts one")
}

/// Names of `case` begin with this: the same in one run only.
pub(crate) fn prefix(case: &str) -> String {
    let now = SystemClock::new().wall().as_millis();
    let initials: String = case
        .split('_')
        .filter_map(|word| word.chars().next())
        .collect();
    format!("{initials}-{:x}-{now:x}", std::process::id())
}

impl Stage for Kafka {
    fn cluster(&self) -> Arc<dyn Cluster> {
        Arc::new(KrafkaCluster::new(&*self.bootstrap))
    }

    fn hold(&self) {
        self.node().suspend();
    }

    fn release(&self) {
        self.node().resume();
    }

    fn stall(&self) {
        self.node().suspend();
    }

    fn recover(&self) {
        self.node().resume();
    }

    fn damage(&self, partition: &TopicPartition) {
        self.node().damage(partition);
    }

    fn name(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// Sessions of six seconds, heartbeats of one, a few rounds.
    fn patience(&self) -> Span {
        Span::secs(60)
    }

    fn tells_fencing_at_once(&self) -> bool {
        false
    }
}
