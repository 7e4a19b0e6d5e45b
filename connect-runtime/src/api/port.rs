//! Between worker and task: asynchronous, a batch at a time, and with nothing in it that could not travel over a pipe.
//!
//! - A record is named by batch and row, so acknowledgements are ranges.
//! - A source partition has a small number, told once.
//! - Offset reads are answered until the task has ended, so a task may read offsets while it stops.
//! - An error carries its fault and, from a foreign task, its class and trace ([`Error::foreign`]).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use ferroconnect_converters::config::RawConfig;

use super::{
    ErrantRecords, RowOutcome, SinkRecord, SinkRequests, SourceOffset, SourcePartition,
    SourceRecord,
};
use crate::error::Error;
use crate::ids::{TaskId, TopicPartition};
use crate::kafka::Offsets;
use crate::time::Span;

/// A source task, wherever it runs.
///
/// The worker calls `start` once, then `poll`, `acknowledge` and `committed` in any order but never two at a time, then
/// `request_stop` and `stop`.
#[async_trait]
pub trait SourceTaskPort: Send {
    /// Starts the task.
    ///
    /// # Errors
    /// The task's own.
    async fn start(&mut self, start: SourceStart) -> Result<(), Error>;

    /// The next batch; one without records says that there is nothing now. May be dropped while it waits: the next call gives what
    /// this one would have given.
    ///
    /// # Errors
    /// The task's own. [`Fault::Transient`](crate::Fault::Transient) may be polled again.
    async fn poll(&mut self) -> Result<SourceBatch, Error>;

    /// Tells what became of rows. Told to the task before its next poll at the latest, or when it stops.
    fn acknowledge(&mut self, acknowledgement: RowsDone);

    /// Tells that the offsets of everything acknowledged so far are stored. Told to the task as an acknowledgement is.
    fn committed(&mut self);

    /// Asks the task to end its poll soon. Does not wait.
    fn request_stop(&mut self);

    /// Ends the task: tells it the last outcomes and stops it.
    ///
    /// # Errors
    /// It did not end `within` the time. Then it is left to itself, and whatever it says later is ignored.
    async fn stop(&mut self, within: Span) -> Result<(), Error>;
}

/// What a source task needs to start.
#[derive(Clone)]
pub struct SourceStart {
    /// Which task it is.
    pub task: TaskId,
    /// Its configuration.
    pub config: Arc<RawConfig>,
    /// Answers its questions for offsets.
    pub offsets: Arc<dyn OffsetReader>,
}

impl fmt::Debug for SourceStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceStart")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

/// Answers questions for stored source offsets.
#[async_trait]
pub trait OffsetReader: Send + Sync {
    /// The stored offsets, in the order of `partitions`.
    ///
    /// # Errors
    /// The store does not answer.
    async fn offsets(
        &self,
        partitions: &[SourcePartition],
    ) -> Result<Vec<Option<SourceOffset>>, Error>;
}

/// Number of a source batch: batches that are not empty count from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceBatchId(pub u64);

/// Number of a source partition inside one task, in the order of first use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartitionId(pub u32);

/// Records of one poll.
#[derive(Debug, Default)]
pub struct SourceBatch {
    /// Its number.
    pub id: SourceBatchId,
    /// Source partitions used for the first time, in the order of their numbers.
    pub introduced: Vec<SourcePartition>,
    /// The records in order.
    pub records: Vec<SourceRecord>,
    /// Which source partition the records are of: runs that cover all rows in order.
    pub runs: Vec<PartitionRun>,
}

/// Consecutive rows of one source partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionRun {
    /// The partition.
    pub partition: PartitionId,
    /// The rows.
    pub rows: Range<u32>,
}

/// What became of rows of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowsDone {
    /// The batch.
    pub batch: SourceBatchId,
    /// Rows of it.
    pub rows: Range<u32>,
    /// What.
    pub outcome: RowOutcome,
}

/// Numbers source partitions and cuts records into runs, for whoever makes batches.
#[derive(Debug, Default)]
pub struct PartitionNumbers {
    numbers: std::collections::HashMap<SourcePartition, PartitionId>,
    last: Option<(SourcePartition, PartitionId)>,
    batches: u64,
}

impl PartitionNumbers {
    /// Makes a batch of records. One without records does not count.
    pub fn batch(&mut self, records: Vec<SourceRecord>) -> SourceBatch {
        let mut batch = SourceBatch {
            id: SourceBatchId(self.batches),
            ..SourceBatch::default()
        };
        self.batches += u64::from(!records.is_empty());
        for (row, record) in (0_u32..).zip(&records) {
            let partition = self.number(&record.partition, &mut batch.introduced);
            match batch.runs.last_mut() {
                Some(run) if run.partition == partition => run.rows.end = row + 1,
                Some(_) | None => batch.runs.push(PartitionRun {
                    partition,
                    rows: row..row + 1,
                }),
            }
        }
        batch.records = records;
        batch
    }

    fn number(
        &mut self,
        partition: &SourcePartition,
        introduced: &mut Vec<SourcePartition>,
    ) -> PartitionId {
        if let Some((last, number)) = &self.last
            && (last.is_same(partition) || last == partition)
        {
            return *number;
        }
        let next = PartitionId(u32::try_from(self.numbers.len()).unwrap_or(u32::MAX));
        let number = *self.numbers.entry(partition.clone()).or_insert_with(|| {
            introduced.push(partition.clone());
            next
        });
        self.last = Some((partition.clone(), number));
        number
    }
}

/// A sink task, wherever it runs.
///
/// The worker calls `start` once, then the others, never two at a time, then `stop`. Each answer brings the requests the task made.
#[async_trait]
pub trait SinkTaskPort: Send {
    /// Starts the task.
    ///
    /// # Errors
    /// The task's own.
    async fn start(&mut self, start: SinkStart) -> Result<SinkRequests, Error>;

    /// These partitions are read from now on.
    ///
    /// # Errors
    /// The task's own.
    async fn open(&mut self, partitions: Vec<TopicPartition>) -> Result<SinkRequests, Error>;

    /// Takes a batch. It stays with the caller, who gives the same one again after a transient failure.
    ///
    /// # Errors
    /// The task's own; after [`Fault::Transient`](crate::Fault::Transient) `put` may be called again.
    async fn put(&mut self, batch: Arc<Vec<SinkRecord>>) -> Result<SinkRequests, Error>;

    /// Makes everything up to `offsets` durable and says what to commit.
    ///
    /// # Errors
    /// The task's own; nothing is committed then.
    async fn pre_commit(&mut self, offsets: Offsets) -> Result<(Offsets, SinkRequests), Error>;

    /// These partitions are not read any more.
    ///
    /// # Errors
    /// The task's own.
    async fn close(&mut self, partitions: Vec<TopicPartition>) -> Result<(), Error>;

    /// Requests made since the last answer, from whatever thread.
    fn take_requests(&mut self) -> SinkRequests;

    /// Asks the task to end what it does soon. Does not wait.
    fn request_stop(&mut self);

    /// Ends the task.
    ///
    /// # Errors
    /// It did not end `within` the time. Then it is left to itself, and whatever it says later is ignored.
    async fn stop(&mut self, within: Span) -> Result<(), Error>;
}

/// What a sink task needs to start.
#[derive(Clone)]
pub struct SinkStart {
    /// Which task it is.
    pub task: TaskId,
    /// Its configuration.
    pub config: Arc<RawConfig>,
    /// Takes records it refuses one by one.
    pub errant: Option<Arc<dyn ErrantRecords>>,
}

impl fmt::Debug for SinkStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SinkStart")
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(partition: &SourcePartition) -> SourceRecord {
        SourceRecord::new("t", "v").from(partition.clone(), SourceOffset::null())
    }

    #[test]
    fn partitions_are_numbered_once_and_rows_are_cut_into_runs() {
        let (a, b) = (SourcePartition::of("p", "a"), SourcePartition::of("p", "b"));
        let mut numbers = PartitionNumbers::default();
        let first = numbers.batch(vec![
            record(&a),
            record(&a),
            record(&b),
            record(&SourcePartition::of("p", "a")),
        ]);
        assert_eq!(first.introduced, [a, b.clone()]);
        let run = |partition, rows| PartitionRun {
            partition: PartitionId(partition),
            rows,
        };
        assert_eq!(first.runs, [run(0, 0..2), run(1, 2..3), run(0, 3..4)]);
        assert_eq!(first.id, SourceBatchId(0));
        assert_eq!(numbers.batch(vec![]).runs, []);
        let second = numbers.batch(vec![record(&b)]);
        assert!(second.introduced.is_empty());
        assert_eq!(
            (second.id, second.runs),
            (SourceBatchId(1), vec![run(1, 0..1)])
        );
    }
}
