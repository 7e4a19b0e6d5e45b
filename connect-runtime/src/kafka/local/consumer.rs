//! The consumer of a local cluster.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::Local;
use super::account::lock;
use super::codec::Cursor;
use super::groups::MemberId;
use super::member::Turn;
use super::producer::bounded;
use super::storage::{Fetched, Reader, StoredBatch};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::port::{Consumer, RebalanceListener};
use crate::kafka::types::{
    ConsumerConfig, OffsetReset, OffsetSpec, Offsets, PartitionBatch, Subscription,
};
use crate::time::{Mono, Span};

pub(super) struct LocalConsumer {
    pub(super) local: Local,
    pub(super) config: ConsumerConfig,
    reader: Box<dyn Reader>,
    pub(super) state: Mutex<State>,
    polling: AtomicBool,
    woken: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) mode: Mode,
    pub(super) partitions: BTreeMap<TopicPartition, Slot>,
    /// Partitions that were taken away without a word, to be told to the listener.
    pub(super) lost: Vec<TopicPartition>,
    /// The partition whose turn it is first, so that a busy one does not starve the others.
    turn: usize,
    wakeup: bool,
    closed: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) enum Mode {
    #[default]
    Idle,
    Assigned,
    Member {
        subscription: Subscription,
        id: Option<MemberId>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    position: Option<i64>,
    paused: bool,
    /// The batch that is being read; there is one whenever there is something ahead.
    cursor: Option<Cursor>,
    /// Batches behind it that were fetched too.
    ahead: VecDeque<StoredBatch>,
    /// Whether the group's listener was told that it is assigned.
    pub(super) is_announced: bool,
}

impl Slot {
    /// Forgets what was fetched.
    fn clear(&mut self) {
        self.cursor = None;
        self.ahead.clear();
    }

    /// Bytes of records in memory.
    fn held_bytes(&self) -> usize {
        let ahead: usize = self.ahead.iter().map(|batch| batch.blob.len()).sum();
        ahead + self.cursor.as_ref().map_or(0, Cursor::held_bytes)
    }

    /// Goes on to the next batch when one is read to its end. A damaged one is left to the next fetch, which reports it.
    fn turn_over(&mut self, partition: &TopicPartition) {
        if self.cursor.as_ref().is_some_and(Cursor::is_done) {
            let next = self.ahead.pop_front();
            self.cursor = next.and_then(|batch| open(partition, batch).ok());
            if self.cursor.is_none() {
                self.ahead.clear();
            }
        }
    }
}

/// What the next fetch is about.
struct Wants {
    /// Where to read, in turn.
    positions: Vec<(TopicPartition, i64)>,
    /// Whether some partition has records already.
    ready: bool,
    /// Room for record bytes, at least 1.
    bytes_max: usize,
}

impl fmt::Debug for LocalConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalConsumer")
            .field("client", &self.config.client_id)
            .finish_non_exhaustive()
    }
}

/// Marks the time of one poll.
struct PollGuard<'a>(&'a LocalConsumer);

impl<'a> PollGuard<'a> {
    fn enter(consumer: &'a LocalConsumer) -> Result<Self> {
        if consumer.polling.swap(true, Ordering::SeqCst) {
            let cause = "another poll of this consumer is running";
            return Err(Error::new(Class::InvalidRequest, "poll", cause));
        }
        consumer.mark(true);
        Ok(Self(consumer))
    }
}

impl Drop for PollGuard<'_> {
    fn drop(&mut self) {
        self.0.mark(false);
        self.0.polling.store(false, Ordering::SeqCst);
    }
}

impl LocalConsumer {
    pub(super) fn new(local: Local, config: ConsumerConfig, reader: Box<dyn Reader>) -> Self {
        let (state, polling, woken) = (Mutex::default(), AtomicBool::new(false), Notify::new());
        Self {
            local,
            config,
            reader,
            state,
            polling,
            woken,
        }
    }

    pub(super) fn group(&self, operation: &'static str) -> Result<&str> {
        self.config.group.as_deref().ok_or_else(|| {
            Error::new(
                Class::InvalidRequest,
                operation,
                "the consumer has no group.id",
            )
        })
    }

    /// Where to start reading a partition that has no position yet.
    async fn start_of(&self, partition: &TopicPartition) -> Result<i64> {
        let storage = &self.local.storage;
        if let Some(group) = &self.config.group {
            let offsets = storage.group_offsets(group).await?.unwrap_or_default();
            if let Some(committed) = offsets.get(partition) {
                return Ok(committed.offset);
            }
        }
        self.reset(partition).await
    }

    async fn reset(&self, partition: &TopicPartition) -> Result<i64> {
        let spec = match self.config.reset {
            OffsetReset::Earliest => OffsetSpec::Earliest,
            OffsetReset::Latest => OffsetSpec::Latest,
            OffsetReset::Fail => {
                let cause = "there is no valid committed offset and auto.offset.reset is none";
                return Err(Error::new(Class::NotFound, "poll", cause)
                    .at(partition)
                    .next_step("commit or seek to an offset, or set auto.offset.reset"));
            }
        };
        self.local
            .storage
            .offset(partition, spec, self.config.isolation)
            .await
    }

    /// Gives every assigned partition a position.
    async fn resolve_positions(&self) -> Result<()> {
        let open: Vec<_> = {
            let state = lock(&self.state);
            let unknown = state
                .partitions
                .iter()
                .filter(|(_, slot)| slot.position.is_none());
            unknown.map(|(partition, _)| partition.clone()).collect()
        };
        for partition in open {
            let position = self.start_of(&partition).await?;
            if let Some(slot) = lock(&self.state).partitions.get_mut(&partition) {
                slot.position.get_or_insert(position);
            }
        }
        Ok(())
    }

    /// Fills the cursors of partitions that have none; says whether any can give records now.
    async fn fetch(&self) -> Result<bool> {
        loop {
            let Wants {
                positions,
                ready,
                bytes_max,
            } = self.wants();
            if positions.is_empty() {
                return Ok(ready);
            }
            let isolation = self.config.isolation;
            let answers = self
                .reader
                .fetch(positions.clone(), isolation, bytes_max)
                .await?;
            let mut moved = false;
            let mut filled = ready;
            for ((partition, position), answer) in positions.into_iter().zip(answers) {
                match answer {
                    None | Some(Fetched::End) => {}
                    Some(Fetched::Skip { to }) => {
                        moved = true;
                        self.advance(&partition, position, to, None);
                    }
                    Some(Fetched::Batches(batches)) => {
                        let mut ahead = VecDeque::from(batches);
                        let Some(first) = ahead.pop_front() else {
                            continue;
                        };
                        let mut cursor = open(&partition, first)?;
                        cursor.skip_to(position)?;
                        filled = true;
                        self.advance(&partition, position, position, Some((cursor, ahead)));
                    }
                    Some(Fetched::OutOfRange { start, end }) => {
                        moved = true;
                        tracing::warn!(%partition, position, start, end, "position is not in the log");
                        let to = self.reset(&partition).await?;
                        self.advance(&partition, position, to, None);
                    }
                }
            }
            if filled || !moved {
                return Ok(filled);
            }
        }
    }

    /// What to fetch now.
    fn wants(&self) -> Wants {
        let mut state = lock(&self.state);
        let filled = state
            .partitions
            .values()
            .filter(|slot| !slot.paused && slot.cursor.is_some());
        let (ready, held) = filled.fold((false, 0), |(_, held), slot| {
            (true, held + slot.held_bytes())
        });
        let bytes_max = self.config.fetch_bytes_max.saturating_sub(held);
        if ready && bytes_max == 0 {
            // Many partitions must not hold a batch each at the same time.
            return Wants {
                positions: Vec::new(),
                ready,
                bytes_max,
            };
        }
        let mut positions: Vec<_> = state
            .partitions
            .iter()
            .filter(|(_, slot)| !slot.paused && slot.cursor.is_none())
            .filter_map(|(partition, slot)| Some((partition.clone(), slot.position?)))
            .collect();
        if !positions.is_empty() {
            state.turn = state.turn.wrapping_add(1);
            let first = state.turn % positions.len();
            positions.rotate_left(first);
        }
        Wants {
            positions,
            ready,
            bytes_max: bytes_max.max(1),
        }
    }

    /// Moves a partition that was not sought elsewhere meanwhile.
    fn advance(
        &self,
        partition: &TopicPartition,
        from: i64,
        to: i64,
        fetched: Option<(Cursor, VecDeque<StoredBatch>)>,
    ) {
        if let Some(slot) = lock(&self.state).partitions.get_mut(partition)
            && slot.position == Some(from)
        {
            slot.position = Some(to);
            slot.clear();
            if let Some((cursor, ahead)) = fetched {
                (slot.cursor, slot.ahead) = (Some(cursor), ahead);
            }
        }
    }

    /// Takes records out of the cursors. Nothing awaits here, so a dropped poll loses no record.
    fn take(&self, records_max: usize) -> Result<Vec<PartitionBatch>> {
        let mut batches = Vec::new();
        let mut left = records_max.max(1);
        let mut state = lock(&self.state);
        let count = state.partitions.len();
        let first = if count == 0 { 0 } else { state.turn % count };
        let (behind, ahead): (Vec<_>, Vec<_>) = state
            .partitions
            .iter_mut()
            .enumerate()
            .partition(|(index, _)| *index < first);
        for (_, (partition, slot)) in ahead.into_iter().chain(behind) {
            if slot.paused || slot.cursor.is_none() {
                continue;
            }
            let mut records = Vec::with_capacity(left.min(1_024));
            while left > 0
                && let Some(cursor) = &mut slot.cursor
            {
                match cursor.next_record() {
                    Ok(Some(record)) => records.push(record),
                    Ok(None) => {}
                    Err(error) if batches.is_empty() && records.is_empty() => return Err(error),
                    // What was read before goes out first; the next poll meets the damage again.
                    Err(_) => left = 1,
                }
                left -= 1;
                slot.position = Some(cursor.next_offset());
                slot.turn_over(partition);
            }
            if !records.is_empty() {
                batches.push(PartitionBatch {
                    partition: partition.clone(),
                    records,
                });
            }
        }
        Ok(batches)
    }

    fn take_wakeup(&self) -> Result<()> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(Error::new(Class::Fatal, "poll", "the consumer is closed"));
        }
        if std::mem::take(&mut state.wakeup) {
            return Err(Error::wakeup("poll"));
        }
        Ok(())
    }

    fn change_assigned<T>(
        &self,
        operation: &'static str,
        partition: &TopicPartition,
        change: impl FnOnce(&mut Slot) -> T,
    ) -> Result<T> {
        let mut state = lock(&self.state);
        let slot = state.partitions.get_mut(partition).map(change);
        slot.ok_or_else(|| not_assigned(operation, partition))
    }

    async fn poll_once(
        &self,
        records_max: usize,
        listener: &mut dyn RebalanceListener,
    ) -> Result<Polled> {
        self.take_wakeup()?;
        let wait_until = match self.follow_group(listener).await? {
            Turn::Again => return Ok(Polled::Again),
            Turn::Go(until) => until,
        };
        self.local.storage.reachable("poll")?;
        self.resolve_positions().await?;
        if self.fetch().await? {
            let batches = self.take(records_max)?;
            if !batches.is_empty() {
                return Ok(Polled::Records(batches));
            }
        }
        Ok(Polled::Wait(wait_until))
    }
}

enum Polled {
    Records(Vec<PartitionBatch>),
    Again,
    Wait(Option<Mono>),
}

fn open(partition: &TopicPartition, batch: StoredBatch) -> Result<Cursor> {
    Cursor::open(partition, batch.base_offset, batch.count, batch.blob)
}

#[cold]
fn not_assigned(operation: &'static str, partition: &TopicPartition) -> Error {
    Error::new(
        Class::InvalidRequest,
        operation,
        "the partition is not assigned to this consumer",
    )
    .at(partition)
}

async fn changed(receiver: &mut watch::Receiver<u64>) {
    // The sender lives in the cluster that this consumer holds; if it is gone, nothing changes.
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[async_trait]
impl Consumer for LocalConsumer {
    async fn subscribe(&self, subscription: Subscription, _within: Span) -> Result<()> {
        self.group("subscribe")?;
        self.local.storage.reachable("subscribe")?;
        let mut state = lock(&self.state);
        let id = match &state.mode {
            Mode::Idle => None,
            Mode::Member { id, .. } => *id,
            Mode::Assigned => {
                let cause = "partitions were assigned by hand";
                return Err(Error::new(Class::InvalidRequest, "subscribe", cause));
            }
        };
        state.mode = Mode::Member { subscription, id };
        Ok(())
    }

    async fn assign(&self, partitions: &[TopicPartition], _within: Span) -> Result<()> {
        self.local.storage.reachable("assign")?;
        let topics = self.local.storage.topics();
        for partition in partitions {
            let count = topics.get(&partition.topic).copied().unwrap_or(0);
            if !u32::try_from(partition.partition).is_ok_and(|number| number < count) {
                let cause = "there is no such partition";
                return Err(Error::new(Class::NotFound, "assign", cause).at(partition));
            }
        }
        let mut state = lock(&self.state);
        if matches!(state.mode, Mode::Member { .. }) {
            let cause = "the consumer is subscribed";
            return Err(Error::new(Class::InvalidRequest, "assign", cause));
        }
        state.mode = Mode::Assigned;
        let mut old = std::mem::take(&mut state.partitions);
        state.partitions = partitions
            .iter()
            .map(|partition| (partition.clone(), old.remove(partition).unwrap_or_default()))
            .collect();
        Ok(())
    }

    fn assignment(&self) -> Vec<TopicPartition> {
        lock(&self.state).partitions.keys().cloned().collect()
    }

    async fn poll(
        &self,
        records_max: usize,
        within: Span,
        listener: &mut dyn RebalanceListener,
    ) -> Result<Vec<PartitionBatch>> {
        let _guard = PollGuard::enter(self)?;
        let deadline = Instant::now() + within.to_duration();
        let mut records = self.local.storage.changes();
        let mut groups = self.local.coordinator.changes.subscribe();
        loop {
            records.mark_unchanged();
            groups.mark_unchanged();
            let mut woken = std::pin::pin!(self.woken.notified());
            woken.as_mut().enable();
            let until = match self.poll_once(records_max, listener).await? {
                Polled::Records(batches) => return Ok(batches),
                Polled::Again => continue,
                Polled::Wait(until) => until,
            };
            if Instant::now() >= deadline {
                return Ok(Vec::new());
            }
            let start = self.local.coordinator.start;
            let until = until.map(|until| start + Span::millis(until.as_millis()).to_duration());
            tokio::select! {
                () = changed(&mut records) => {}
                () = changed(&mut groups) => {}
                () = woken => {}
                () = tokio::time::sleep_until(until.map_or(deadline, |until| until.min(deadline))) => {}
            }
        }
    }

    fn wakeup(&self) {
        lock(&self.state).wakeup = true;
        self.woken.notify_waiters();
    }

    fn seek(&self, partition: &TopicPartition, offset: i64) -> Result<()> {
        if offset < 0 {
            let cause = format!("offset {offset} is negative");
            return Err(Error::new(Class::InvalidRequest, "seek", cause).at(partition));
        }
        self.change_assigned("seek", partition, |slot| {
            slot.position = Some(offset);
            slot.clear();
        })
    }

    fn pause(&self, partitions: &[TopicPartition]) -> Result<()> {
        partitions.iter().try_for_each(|partition| {
            self.change_assigned("pause", partition, |slot| slot.paused = true)
        })
    }

    fn resume(&self, partitions: &[TopicPartition]) -> Result<()> {
        let resumed = partitions.iter().try_for_each(|partition| {
            self.change_assigned("resume", partition, |slot| slot.paused = false)
        });
        self.woken.notify_waiters();
        resumed
    }

    async fn position(&self, partition: &TopicPartition, within: Span) -> Result<i64> {
        let known = self.change_assigned("position", partition, |slot| slot.position)?;
        if let Some(position) = known {
            return Ok(position);
        }
        self.local.storage.reachable("position")?;
        let position = bounded("position", within, self.start_of(partition)).await?;
        let slot = |slot: &mut Slot| *slot.position.get_or_insert(position);
        self.change_assigned("position", partition, slot)
    }

    async fn committed(&self, partitions: &[TopicPartition], within: Span) -> Result<Offsets> {
        let group = self.group("committed")?;
        self.local.storage.reachable("committed")?;
        let offsets = self.local.storage.group_offsets(group);
        let mut offsets = bounded("committed", within, offsets)
            .await?
            .unwrap_or_default();
        offsets.retain(|partition, _| partitions.contains(partition));
        Ok(offsets)
    }

    async fn commit(&self, offsets: &Offsets, within: Span) -> Result<()> {
        let group = self.group("commit")?;
        self.local.storage.reachable("commit")?;
        let member = self.member();
        self.local
            .coordinator
            .with(|groups, now| groups.may_commit(group, member, now))?;
        let offsets = vec![(group.to_owned(), offsets.clone())];
        bounded("commit", within, self.local.storage.commit_offsets(offsets)).await
    }

    async fn close(&self, _within: Span) -> Result<()> {
        lock(&self.state).closed = true;
        self.leave();
        self.woken.notify_waiters();
        Ok(())
    }
}

impl Drop for LocalConsumer {
    /// A dropped member is gone at once, not after its poll interval.
    fn drop(&mut self) {
        self.leave();
    }
}
