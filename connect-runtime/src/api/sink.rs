use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_converters::config::RawConfig;

use super::{SinkRecord, StopSignal};
use crate::error::Error;
use crate::ids::{TaskId, TopicPartition};
use crate::kafka::Offsets;
use crate::time::Span;

/// Writes to somewhere. Runs on a thread of its own; calls never overlap.
pub trait SinkTask: Send {
    /// Gets ready.
    ///
    /// # Errors
    /// Fails the task.
    fn start(&mut self, context: &SinkContext) -> Result<(), Error>;

    /// These partitions are read from now on.
    ///
    /// # Errors
    /// Fails the task.
    fn open(
        &mut self,
        _context: &SinkContext,
        _partitions: &[TopicPartition],
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Takes records; each partition's are in order. Called with an empty list when nothing arrived for a while.
    ///
    /// # Errors
    /// [`Fault::Transient`](crate::Fault::Transient) gives the same records again after a pause; anything else fails the task.
    fn put(&mut self, context: &SinkContext, records: &[SinkRecord]) -> Result<(), Error>;

    /// Makes everything up to `offsets` durable.
    ///
    /// # Errors
    /// The offsets are not committed and the records since the last commit are read again.
    fn flush(&mut self, _offsets: &Offsets) -> Result<(), Error> {
        Ok(())
    }

    /// Which offsets to commit; all that were given to `put`, after a [`flush`](Self::flush), when not overridden.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    fn pre_commit(&mut self, _context: &SinkContext, offsets: &Offsets) -> Result<Offsets, Error> {
        self.flush(offsets)?;
        Ok(offsets.clone())
    }

    /// These partitions are not read any more; `pre_commit` came before, unless they were lost.
    fn close(&mut self, _partitions: &[TopicPartition]) {}

    /// Lets go of everything. Called once, last, and also when `start` failed.
    fn stop(&mut self) {}
}

/// What a sink task may ask of the worker. Clones share their requests; any thread may make them.
#[derive(Clone)]
pub struct SinkContext {
    task: TaskId,
    config: Arc<RawConfig>,
    stop: StopSignal,
    requests: Arc<Mutex<SinkRequests>>,
    errant: Option<Arc<dyn ErrantRecords>>,
}

/// Requests of a sink task since they were last taken. They are heeded after the call in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkRequests {
    /// Commit soon.
    pub commit: bool,
    /// Whether each of these partitions pauses (`true`) or goes on (`false`); the last word counts.
    pub pauses: BTreeMap<TopicPartition, bool>,
    /// Read these partitions from these offsets next.
    pub rewinds: BTreeMap<TopicPartition, i64>,
    /// Call again after at most this time.
    pub timeout: Option<Span>,
}

impl SinkRequests {
    /// Adds newer requests to these.
    pub fn merge(&mut self, newer: Self) {
        self.commit |= newer.commit;
        self.pauses.extend(newer.pauses);
        self.rewinds.extend(newer.rewinds);
        self.timeout = newer.timeout.or(self.timeout);
    }
}

/// Takes records that the sink refuses one by one (KIP-610).
pub trait ErrantRecords: Send + Sync {
    /// Reports a record; what happens to it is the connector's `errors.*`.
    fn report(&self, record: &SinkRecord, error: Error);
}

impl SinkContext {
    /// Made by whatever runs the task.
    pub fn new(
        task: TaskId,
        config: Arc<RawConfig>,
        stop: StopSignal,
        errant: Option<Arc<dyn ErrantRecords>>,
    ) -> Self {
        Self {
            task,
            config,
            stop,
            requests: Arc::default(),
            errant,
        }
    }

    /// Which task this is.
    pub fn task(&self) -> &TaskId {
        &self.task
    }

    /// The task's configuration.
    pub fn config(&self) -> &RawConfig {
        &self.config
    }

    /// Whether the task should end.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_raised()
    }

    /// Asks for a commit soon.
    pub fn request_commit(&self) {
        self.with(|requests| requests.commit = true);
    }

    /// Gets no records of these partitions until [`resume`](Self::resume). Outlives a rebalance that keeps them.
    pub fn pause(&self, partitions: &[TopicPartition]) {
        self.with(|requests| {
            requests
                .pauses
                .extend(partitions.iter().map(|partition| (partition.clone(), true)))
        });
    }

    /// Gets records of these partitions again, unless the connector itself is paused.
    pub fn resume(&self, partitions: &[TopicPartition]) {
        self.with(|requests| {
            requests.pauses.extend(
                partitions
                    .iter()
                    .map(|partition| (partition.clone(), false)),
            )
        });
    }

    /// Reads `partition` from `offset` next.
    pub fn rewind(&self, partition: &TopicPartition, offset: i64) {
        self.with(|requests| {
            requests.rewinds.insert(partition.clone(), offset);
        });
    }

    /// Wants to be called after at most this time; also the pause after a transient failure of `put`.
    pub fn timeout(&self, timeout: Span) {
        self.with(|requests| requests.timeout = Some(timeout));
    }

    /// Where to report records that cannot be written; `None` when the connector does not tolerate any.
    pub fn errant_records(&self) -> Option<&dyn ErrantRecords> {
        self.errant.as_deref()
    }

    /// Takes all requests made so far.
    pub fn take_requests(&self) -> SinkRequests {
        std::mem::take(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with(&self, change: impl FnOnce(&mut SinkRequests)) {
        // Every request is complete in itself, so a panic elsewhere leaves nothing half done.
        change(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl fmt::Debug for SinkContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SinkContext")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}
