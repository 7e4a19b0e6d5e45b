//! The adapters under test, with the levers that only they have.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::Cluster;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::kafka::fake::FakeCluster;
use rusqlite::Connection;

/// A cluster to test, with levers.
pub(crate) trait Stage: fmt::Debug + Send + Sync {
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
