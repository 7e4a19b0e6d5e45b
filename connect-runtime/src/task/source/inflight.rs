//! What was sent and not yet acknowledged, and which source offsets may be committed.
//!
//! Per source partition, the offset that may be committed is the last one before the first row without an outcome. The order of
//! outcomes does not matter; a gap holds back only its own partition (KAFKA-12226).

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use crate::api::SourceOffset;
use crate::api::port::{PartitionId, PartitionRun, SourceBatchId};

/// Batches in flight. Rows that were dropped count as acknowledged.
#[derive(Debug, Default)]
pub struct Inflight {
    partitions: BTreeMap<PartitionId, VecDeque<Segment>>,
    batches: BTreeMap<SourceBatchId, Pending>,
    committable: BTreeMap<PartitionId, SourceOffset>,
    rows: u64,
}

/// A run of rows of one batch and one partition, waiting for outcomes.
#[derive(Debug)]
struct Segment {
    batch: SourceBatchId,
    rows: Range<u32>,
}

#[derive(Debug)]
struct Pending {
    /// Offset per row; taken when it becomes committable.
    offsets: Vec<SourceOffset>,
    /// Rows with an outcome: sorted, apart, neither touching nor empty.
    done: Vec<Range<u32>>,
    /// Rows without one.
    left: u32,
    /// Segments whose offsets may still be needed.
    segments: usize,
}

impl Inflight {
    /// Nothing in flight.
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch is about to be sent: its runs and the offset of each row.
    pub fn submit(
        &mut self,
        batch: SourceBatchId,
        runs: &[PartitionRun],
        offsets: Vec<SourceOffset>,
    ) {
        let left = u32::try_from(offsets.len()).unwrap_or(u32::MAX);
        debug_assert_eq!(
            runs.iter().map(|run| run.rows.len()).sum::<usize>(),
            offsets.len(),
            "runs cover all rows"
        );
        if offsets.is_empty() {
            return;
        }
        self.rows += u64::from(left);
        for run in runs {
            let segment = Segment {
                batch,
                rows: run.rows.clone(),
            };
            self.partitions
                .entry(run.partition)
                .or_default()
                .push_back(segment);
        }
        self.batches.insert(
            batch,
            Pending {
                offsets,
                done: Vec::new(),
                left,
                segments: runs.len(),
            },
        );
    }

    /// Rows of a batch have an outcome that lets their offsets be committed: written, or dropped on purpose.
    /// Rows that have one already and batches that are gone are ignored.
    pub fn acknowledge(&mut self, batch: SourceBatchId, rows: Range<u32>) {
        let Some(pending) = self.batches.get_mut(&batch) else {
            return;
        };
        let end = rows
            .end
            .min(u32::try_from(pending.offsets.len()).unwrap_or(u32::MAX));
        let added = add(&mut pending.done, rows.start..end);
        pending.left = pending.left.saturating_sub(added);
        self.rows = self.rows.saturating_sub(u64::from(added));
        self.advance(batch);
    }

    /// Offsets that became committable since the last call, newest per partition.
    pub fn take_committable(&mut self) -> BTreeMap<PartitionId, SourceOffset> {
        std::mem::take(&mut self.committable)
    }

    /// Gives offsets back whose commit failed; newer ones win.
    pub fn restore(&mut self, offsets: BTreeMap<PartitionId, SourceOffset>) {
        for (partition, offset) in offsets {
            self.committable.entry(partition).or_insert(offset);
        }
    }

    /// Whether there is something to commit.
    pub fn has_committable(&self) -> bool {
        !self.committable.is_empty()
    }

    /// Rows without an outcome.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Moves the partitions of `batch` past everything done at their front.
    fn advance(&mut self, batch: SourceBatchId) {
        let touched: Vec<PartitionId> = self
            .partitions
            .iter()
            .filter(|(_, segments)| segments.front().is_some_and(|front| front.batch == batch))
            .map(|(partition, _)| *partition)
            .collect();
        for partition in touched {
            let Some(segments) = self.partitions.get_mut(&partition) else {
                continue;
            };
            if let Some(offset) = pop_done(segments, &mut self.batches) {
                self.committable.insert(partition, offset);
            }
            if segments.is_empty() {
                self.partitions.remove(&partition);
            }
        }
    }
}

/// Pops what is done at the front; the last offset passed, if any row was.
fn pop_done(
    segments: &mut VecDeque<Segment>,
    batches: &mut BTreeMap<SourceBatchId, Pending>,
) -> Option<SourceOffset> {
    let mut passed = None;
    while let Some(front) = segments.front_mut() {
        let pending = batches.get_mut(&front.batch)?;
        let until = done_from(&pending.done, front.rows.start).min(front.rows.end);
        if until > front.rows.start {
            let last = usize::try_from(until - 1).ok()?;
            passed = pending.offsets.get_mut(last).map(std::mem::take);
            front.rows.start = until;
        }
        if front.rows.start < front.rows.end {
            break;
        }
        pending.segments -= 1;
        if pending.segments == 0 && pending.left == 0 {
            batches.remove(&front.batch);
        }
        segments.pop_front();
    }
    passed
}

/// The end of the done range that holds `row`, or `row` itself.
fn done_from(done: &[Range<u32>], row: u32) -> u32 {
    done.iter()
        .find(|range| range.contains(&row))
        .map_or(row, |range| range.end)
}

/// Adds a range to sorted ranges; tells how many rows are new.
fn add(done: &mut Vec<Range<u32>>, new: Range<u32>) -> u32 {
    if new.start >= new.end {
        return 0;
    }
    let first = done.partition_point(|range| range.end < new.start);
    let last = done.partition_point(|range| range.start <= new.end);
    let touching = done.get(first..last).unwrap_or_default();
    let known: u32 = touching
        .iter()
        .map(|range| {
            range
                .end
                .min(new.end)
                .saturating_sub(range.start.max(new.start))
        })
        .sum();
    let start = touching
        .first()
        .map_or(new.start, |range| range.start.min(new.start));
    let end = touching
        .last()
        .map_or(new.end, |range| range.end.max(new.end));
    let added = new.end - new.start - known;
    done.splice(first..last, std::iter::once(start..end));
    added
}

#[cfg(test)]
mod tests;
