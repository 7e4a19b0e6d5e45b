use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ferroconnect_converters::config::RawConfig;

use super::{SourceOffset, SourcePartition, SourceRecord, StopSignal};
use crate::error::Error;
use crate::ids::TaskId;
use crate::kafka::Placement;
use crate::time::Clock;

/// Reads from somewhere. Runs on a thread of its own; calls never overlap.
pub trait SourceTask: Send {
    /// Gets ready; offsets of earlier runs are in [`SourceContext::offset`].
    ///
    /// # Errors
    /// Fails the task.
    fn start(&mut self, context: &SourceContext) -> Result<(), Error>;

    /// The next records, in order. May block, but should end soon after [`SourceContext::is_stopping`]; an empty batch says that there
    /// is nothing now, and `poll` is called again at once.
    ///
    /// # Errors
    /// [`Fault::Transient`](crate::Fault::Transient) is logged and `poll` called again after a pause; anything else fails the task.
    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error>;

    /// Tells what became of rows of the `batch`-th batch that was not empty, counted from 0. Called between polls.
    fn acknowledged(&mut self, _batch: u64, _rows: Range<u32>, _outcome: &RowOutcome) {}

    /// Offsets up to everything acknowledged are stored. Called between polls.
    ///
    /// # Errors
    /// Logged, no more.
    fn commit(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Lets go of everything. Called once, last, and also when `start` failed.
    fn stop(&mut self) {}
}

/// What became of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a record is written or it is not")]
pub enum RowOutcome {
    /// They are in the log, here.
    Written(Vec<Placement>),
    /// They were dropped: by a transform, or after an error that is tolerated.
    Dropped,
}

/// What a source task may ask the worker.
#[derive(Clone)]
pub struct SourceContext {
    task: TaskId,
    config: Arc<RawConfig>,
    offsets: Arc<dyn OffsetReads>,
    stop: StopSignal,
    clock: Arc<dyn Clock>,
}

impl SourceContext {
    /// Made by whatever runs the task.
    pub fn new(
        task: TaskId,
        config: Arc<RawConfig>,
        offsets: Arc<dyn OffsetReads>,
        stop: StopSignal,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            task,
            config,
            offsets,
            stop,
            clock,
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

    /// The stored offset of a source partition. Blocks; answered until the task has ended, so `stop` may ask too.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn offset(&self, partition: &SourcePartition) -> Result<Option<SourceOffset>, Error> {
        Ok(self
            .offsets
            .offsets(std::slice::from_ref(partition))?
            .pop()
            .flatten())
    }

    /// The stored offsets of several source partitions, in their order.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn offsets(
        &self,
        partitions: &[SourcePartition],
    ) -> Result<Vec<Option<SourceOffset>>, Error> {
        self.offsets.offsets(partitions)
    }

    /// Whether the task should end.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_raised()
    }

    /// Waits, but not longer than until the task should end; tells whether it should.
    pub fn wait(&self, limit: Duration) -> bool {
        self.stop.wait(limit)
    }

    /// The signal itself, for a task that hands it to threads of its own.
    pub fn stop_signal(&self) -> &StopSignal {
        &self.stop
    }

    /// Now, in milliseconds since the epoch: what most sources use as timestamp.
    pub fn now_ms(&self) -> i64 {
        self.clock.wall().as_millis()
    }
}

impl fmt::Debug for SourceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceContext")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

/// Answers a task's question for its stored offsets. May block the caller.
pub trait OffsetReads: Send + Sync {
    /// The stored offsets, in the order of `partitions`.
    ///
    /// # Errors
    /// The store does not answer.
    fn offsets(&self, partitions: &[SourcePartition]) -> Result<Vec<Option<SourceOffset>>, Error>;
}
