//! What one producer has outstanding: bytes in the buffer, batches in flight, outcomes to fetch.
//! Shared by the producer in front and the storage behind.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::kafka::batch::{BatchId, RecordBatch};
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::{Acknowledgement, ProducerConfig};
use crate::time::Span;

/// Batches that may be in flight or have unread outcomes, per producer.
pub(in crate::kafka) const BATCHES_OUTSTANDING_MAX: usize = 4_096;

/// Locks `mutex`; state behind our locks is valid after every statement, so a panic elsewhere does
/// not spoil it.
pub(in crate::kafka) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `check` has an answer; looks again at every notification. `None` after `within`.
pub(in crate::kafka) async fn wait_for<T>(
    changed: &Notify,
    within: Span,
    mut check: impl FnMut() -> Option<T>,
) -> Option<T> {
    let waiting = async {
        loop {
            let mut notified = std::pin::pin!(changed.notified());
            notified.as_mut().enable();
            if let Some(found) = check() {
                return found;
            }
            notified.await;
        }
    };
    if within == Span::ZERO {
        // Timers have a resolution of 1 ms; no time means one look.
        return futures_now(waiting).await;
    }
    tokio::time::timeout(within.to_duration(), waiting)
        .await
        .ok()
}

/// Polls `future` once.
async fn futures_now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(found) => Some(found),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

/// The books of one producer.
#[derive(Debug)]
pub(in crate::kafka) struct Account {
    /// Largest record it may send.
    pub(in crate::kafka) record_bytes_max: usize,
    limit_bytes: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    held_bytes: usize,
    in_flight: usize,
    outcomes: VecDeque<Acknowledgement>,
    /// Batches whose outcomes wait in `outcomes`.
    unread: usize,
    broken: Option<Error>,
    closed: bool,
}

/// Why a batch is not accepted now.
#[derive(Debug)]
pub(in crate::kafka) enum Refusal {
    /// No room at the moment.
    Full,
    /// Never.
    Failed(Error),
}

impl Account {
    /// The books of a producer with `config`.
    pub(in crate::kafka) fn new(config: &ProducerConfig, limit_bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            record_bytes_max: config.record_bytes_max,
            limit_bytes,
            state: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Takes room for a batch of `bytes`; a batch larger than the buffer fits into an empty one.
    pub(in crate::kafka) fn reserve(&self, bytes: usize) -> Result<(), Refusal> {
        let mut state = lock(&self.state);
        if let Some(error) = &state.broken {
            return Err(Refusal::Failed(error.clone()));
        }
        if state.closed {
            let error = Error::new(Class::Fatal, "send", "the producer is closed");
            return Err(Refusal::Failed(error));
        }
        let room = state.held_bytes == 0 || state.held_bytes + bytes <= self.limit_bytes;
        if !room || state.in_flight + state.unread >= BATCHES_OUTSTANDING_MAX {
            return Err(Refusal::Full);
        }
        state.held_bytes += bytes;
        state.in_flight += 1;
        Ok(())
    }

    /// Why sends wait, for people.
    pub(in crate::kafka) fn describe(&self) -> String {
        let state = lock(&self.state);
        format!(
            "{} of {} buffer bytes and {} batches in flight, {} batches with unread outcomes",
            state.held_bytes, self.limit_bytes, state.in_flight, state.unread
        )
    }

    /// The producer cannot go on: a later batch must not land behind a lost one.
    pub(in crate::kafka) fn broken(&self) -> Option<Error> {
        lock(&self.state).broken.clone()
    }

    /// Books the outcome of one batch of `bytes`. A fatal or fencing outcome breaks the producer.
    pub(in crate::kafka) fn complete(&self, bytes: usize, outcomes: Vec<Acknowledgement>) {
        let mut state = lock(&self.state);
        state.held_bytes = state.held_bytes.saturating_sub(bytes);
        state.in_flight = state.in_flight.saturating_sub(1);
        for outcome in &outcomes {
            if let Err(error) = &outcome.outcome
                && matches!(error.class(), Class::Fatal | Class::Fenced)
            {
                state.broken.get_or_insert_with(|| error.clone());
            }
        }
        if !outcomes.is_empty() {
            state.unread += 1;
            state.outcomes.extend(outcomes);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Books that all of `batch` failed with `error`.
    pub(in crate::kafka) fn fail(&self, batch: &RecordBatch, error: &Error) {
        let rows = all_rows(batch);
        let failed = Acknowledgement {
            batch: batch.id(),
            rows,
            outcome: Err(error.clone()),
        };
        self.complete(batch.memory_bytes(), vec![failed]);
    }

    /// Takes the outcomes that wait.
    pub(in crate::kafka) fn take_outcomes(&self) -> Vec<Acknowledgement> {
        let mut state = lock(&self.state);
        if state.outcomes.is_empty() {
            return Vec::new();
        }
        state.unread = 0;
        let outcomes = state.outcomes.drain(..).collect();
        drop(state);
        self.changed.notify_waiters();
        outcomes
    }

    /// Whether nothing is in flight.
    pub(in crate::kafka) fn is_idle(&self) -> bool {
        lock(&self.state).in_flight == 0
    }

    /// Accepts no more batches.
    pub(in crate::kafka) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_waiters();
    }

    /// Notified at every change.
    pub(in crate::kafka) const fn changed(&self) -> &Notify {
        &self.changed
    }
}

/// The row numbers of `batch`.
pub(in crate::kafka) fn all_rows(batch: &RecordBatch) -> Range<u32> {
    0..u32::try_from(batch.len()).unwrap_or(u32::MAX)
}

/// A batch on its way into the storage.
#[derive(Debug)]
pub(in crate::kafka) struct Submission {
    /// Whose it is.
    pub(in crate::kafka) account: Arc<Account>,
    /// The records.
    pub(in crate::kafka) batch: RecordBatch,
    /// The transaction it is part of.
    pub(in crate::kafka) transaction: Option<Arc<Identity>>,
}

/// A transactional producer: its id and the epoch it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kafka) struct Identity {
    /// Transactional id.
    pub(in crate::kafka) id: String,
    /// Grows with every producer that takes the id.
    pub(in crate::kafka) epoch: i64,
}

impl Identity {
    /// The error of a producer that was replaced.
    #[cold]
    pub(in crate::kafka) fn fenced(&self, operation: &'static str) -> Error {
        let cause = format!(
            "a newer producer with transactional id {} took over from epoch {}",
            self.id, self.epoch
        );
        Error::new(Class::Fenced, operation, cause)
    }
}

/// Collects the outcomes of the rows of one batch as runs.
#[derive(Debug)]
pub(in crate::kafka) struct Outcomes {
    batch: BatchId,
    done: Vec<Acknowledgement>,
}

impl Outcomes {
    /// No outcome yet for `batch`.
    pub(in crate::kafka) const fn new(batch: BatchId) -> Self {
        Self {
            batch,
            done: Vec::new(),
        }
    }

    /// Row `row` went to `offset` of `partition`.
    pub(in crate::kafka) fn placed(
        &mut self,
        row: u32,
        partition: &crate::ids::TopicPartition,
        offset: i64,
    ) {
        use crate::kafka::types::Placement;
        let place = |partition: &crate::ids::TopicPartition| Placement {
            rows: row..row + 1,
            partition: partition.clone(),
            base_offset: offset,
        };
        if let Some(last) = self.done.last_mut()
            && let Ok(placements) = &mut last.outcome
        {
            last.rows.end = row + 1;
            match placements.last_mut() {
                Some(run)
                    if run.base_offset + i64::from(row - run.rows.start) == offset
                        && run.partition.partition == partition.partition
                        && run.partition.topic == partition.topic =>
                {
                    run.rows.end = row + 1;
                }
                _ => placements.push(place(partition)),
            }
            return;
        }
        let outcome = Ok(vec![place(partition)]);
        self.done.push(Acknowledgement {
            batch: self.batch,
            rows: row..row + 1,
            outcome,
        });
    }

    /// Row `row` cannot be written.
    #[cold]
    pub(in crate::kafka) fn failed(&mut self, row: u32, error: Error) {
        self.done.push(Acknowledgement {
            batch: self.batch,
            rows: row..row + 1,
            outcome: Err(error),
        });
    }

    /// The runs, in row order.
    pub(in crate::kafka) fn finish(self) -> Vec<Acknowledgement> {
        self.done
    }
}
