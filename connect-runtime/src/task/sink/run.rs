//! The loop of a sink task: consume, convert, put; flush, commit.
//!
//! At least once: an offset is committed only after the task made everything before it durable (`pre_commit`).

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use tracing::{debug, error, info, warn};

use super::offsets::SinkOffsets;
use crate::api::port::{SinkStart, SinkTaskPort};
use crate::api::{SinkRecord, SinkRequests};
use crate::backoff::Backoff;
use crate::config::{ErrorPolicy, RawConfig};
use crate::error::{Error, Fault, Stage};
use crate::ids::TopicPartition;
use crate::kafka::{
    Admin, Consumer, Isolation, OffsetAndMetadata, OffsetSpec, Offsets, PartitionBatch,
    RebalanceListener, Subscription,
};
use crate::pipeline::SinkPipeline;
use crate::pipeline::tolerance::{Verdict, verdict};
use crate::task::lookups::Lookups;
use crate::task::source::tolerance_exceeded;
use crate::task::{Control, Registries, Target, TaskState, TaskStatus};
use crate::time::{Clock, Mono, Span};

/// Everything a sink task runs with.
pub struct SinkParts {
    /// The task.
    pub port: Box<dyn SinkTaskPort>,
    /// Its configuration.
    pub config: Arc<RawConfig>,
    /// Its converters.
    pub pipeline: SinkPipeline,
    /// Where its converters ask for schemas.
    pub registries: Registries,
    /// Where its records come from.
    pub consumer: Arc<dyn Consumer>,
    /// Tells how much there is to read.
    pub admin: Arc<dyn Admin>,
    /// What it reads.
    pub subscription: Subscription,
    /// Records per poll, at most (`max.poll.records`).
    pub poll_records: usize,
    /// What happens with records that fail.
    pub errors: ErrorPolicy,
    /// What it is told.
    pub control: Control,
    /// What it tells.
    pub status: TaskStatus,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// Time between two commits.
    pub flush_interval: Span,
    /// Time for one commit.
    pub flush_timeout: Span,
    /// Time to stop.
    pub graceful_stop: Span,
}

impl std::fmt::Debug for SinkParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SinkParts")
            .field("task", self.status.id())
            .finish_non_exhaustive()
    }
}

/// A sink task that runs.
#[derive(Debug)]
pub struct SinkRun {
    parts: SinkParts,
    offsets: SinkOffsets,
    /// Records that are put next, or again. Empty when there are none.
    batch: Arc<Vec<SinkRecord>>,
    /// Records that wait for a registry's answer, each batch with how many of its records are converted already. Empty
    /// when nothing waits.
    unconverted: VecDeque<(PartitionBatch, usize)>,
    /// What the converters ask their registries. Taken out while the consumer is polled.
    lookups: Option<Lookups>,
    /// Whether the batch was refused for the moment, and how often.
    refusals: u32,
    /// When the batch is put again.
    retry_at: Option<Mono>,
    /// Partitions that the task itself paused.
    task_paused: BTreeSet<TopicPartition>,
    is_paused: bool,
    requests: SinkRequests,
    /// Polls of the consumer that failed in a row.
    read_failures: u32,
    next_commit: Mono,
    next_lag: Mono,
    /// What went wrong inside a rebalance; raised after the poll.
    failure: Option<Error>,
    is_started: bool,
    has_failed: bool,
}

impl SinkRun {
    /// Ready to run.
    pub fn new(parts: SinkParts) -> Self {
        let next_commit = parts.clock.now().plus(parts.flush_interval);
        let lookups = Lookups::new(
            parts.registries.clone(),
            parts.status.clone(),
            Arc::clone(&parts.clock),
            parts.errors.retry_timeout,
        );
        Self {
            parts,
            unconverted: VecDeque::new(),
            lookups: Some(lookups),
            offsets: SinkOffsets::default(),
            batch: Arc::default(),
            refusals: 0,
            retry_at: None,
            task_paused: BTreeSet::new(),
            is_paused: false,
            requests: SinkRequests::default(),
            read_failures: 0,
            next_commit,
            next_lag: Mono::default(),
            failure: None,
            is_started: false,
            has_failed: false,
        }
    }

    /// Runs until it is told to stop or fails.
    ///
    /// # Errors
    /// What failed. Everything the task made durable before is committed, and the task is stopped.
    pub async fn run(mut self) -> Result<(), Error> {
        let result = self.start_and_work().await;
        self.finish(result.is_ok()).await;
        result
    }

    async fn start_and_work(&mut self) -> Result<(), Error> {
        let consumer = Arc::clone(&self.parts.consumer);
        if !self.subscribe(&consumer).await? {
            return Ok(());
        }
        let start = SinkStart {
            task: self.parts.status.id().clone(),
            config: Arc::clone(&self.parts.config),
            errant: None,
        };
        let requests = self.parts.port.start(start).await?;
        self.requests.merge(requests);
        self.is_started = true;
        self.parts.status.set(TaskState::Running);
        self.follow_target()?;
        while self.parts.control.target() != Target::Stopped {
            self.iterate(&consumer).await?;
        }
        Ok(())
    }

    /// Subscribes, however long the cluster is away. `false` when the task should stop.
    async fn subscribe(&mut self, consumer: &Arc<dyn Consumer>) -> Result<bool, Error> {
        let mut attempt = 0;
        while self.parts.control.target() != Target::Stopped {
            let subscription = self.parts.subscription.clone();
            let error = match consumer.subscribe(subscription, CONSUMER_WAIT).await {
                Ok(()) => return Ok(true),
                Err(error) if error.is_retriable() => error,
                Err(error) => return Err(Error::from(error).in_stage(Stage::KafkaConsume)),
            };
            let pause = CONSUME_BACKOFF.delay(attempt);
            attempt = attempt.saturating_add(1);
            self.parts.status.counters().add_retries(1);
            warn!("subscribing is repeated in {pause}: {error}");
            self.pause(pause).await;
        }
        Ok(false)
    }

    /// Waits, but not longer than until there is something new to do.
    async fn pause(&mut self, pause: Span) {
        tokio::select! {
            () = tokio::time::sleep(pause.to_duration()) => {}
            () = self.parts.control.changed() => {}
        }
    }

    /// One turn: commit when due, poll, convert, put.
    async fn iterate(&mut self, consumer: &Arc<dyn Consumer>) -> Result<(), Error> {
        let newer = self.parts.port.take_requests();
        self.requests.merge(newer);
        if std::mem::take(&mut self.requests.commit) || self.parts.clock.now() >= self.next_commit {
            self.next_commit = self.parts.clock.now().plus(self.parts.flush_interval);
            let partitions = consumer.assignment();
            self.commit(&partitions, false).await?;
        }
        self.heed_requests()?;
        let batches = self.poll(consumer).await?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.follow_target()?;
        let was_waiting = self.is_waiting();
        self.unconverted
            .extend(batches.into_iter().map(|batch| (batch, 0)));
        self.convert()?;
        if self.is_waiting() != was_waiting {
            self.set_pauses()?;
        }
        self.measure_lag(consumer).await;
        self.put().await
    }

    /// Polls for as long as nothing else is due. Being told something ends it.
    async fn poll(&mut self, consumer: &Arc<dyn Consumer>) -> Result<Vec<PartitionBatch>, Error> {
        let now = self.parts.clock.now();
        let mut wait = self.next_commit.since(now).min(POLL_WAIT_MAX);
        if let Some(timeout) = self.requests.timeout.take() {
            wait = wait.min(timeout);
        }
        if let Some(retry_at) = self.retry_at {
            wait = retry_at.since(now);
        } else if self.is_waiting() && !self.is_asking() {
            // The answers are there, or the batch before them has just been taken.
            wait = Span::ZERO;
        }
        let mut control = self.parts.control.clone();
        let records_max = self.parts.poll_records;
        let mut lookups = self.lookups.take();
        let answered = async {
            match &mut lookups {
                Some(lookups) => lookups.answered().await,
                None => std::future::pending().await,
            }
        };
        let mut answers = None;
        let result = {
            let poll = consumer.poll(records_max, wait, self);
            tokio::pin!(poll);
            // A poll may be in the middle of a rebalance, so it is woken up and never dropped.
            tokio::select! {
                result = &mut poll => result,
                () = control.changed() => {
                    consumer.wakeup();
                    poll.await
                }
                answer = answered => {
                    answers = Some(answer);
                    consumer.wakeup();
                    poll.await
                }
            }
        };
        self.lookups = lookups;
        if let Some((role, answer)) = answers {
            self.parts.pipeline.install(role, answer);
        }
        match result {
            Ok(batches) => {
                self.read_failures = 0;
                Ok(batches)
            }
            Err(error) if error.is_wakeup() => Ok(Vec::new()),
            Err(error) if error.is_retriable() => {
                let pause = CONSUME_BACKOFF.delay(self.read_failures);
                self.read_failures = self.read_failures.saturating_add(1);
                self.parts.status.counters().add_retries(1);
                warn!("reading is repeated in {pause}: {error}");
                self.pause(pause).await;
                Ok(Vec::new())
            }
            Err(error) => Err(Error::from(error).in_stage(Stage::KafkaConsume)),
        }
    }

    /// Whether a registry has been asked and has not answered.
    fn is_asking(&self) -> bool {
        self.lookups.as_ref().is_some_and(Lookups::is_waiting)
    }

    /// Whether records wait for a registry.
    fn is_waiting(&self) -> bool {
        !self.unconverted.is_empty()
    }

    /// Converts what was consumed, up to the record whose schema nobody here has seen yet.
    fn convert(&mut self) -> Result<(), Error> {
        // A batch that is put again is the same batch: nothing is added to it.
        if self.unconverted.is_empty() || self.is_asking() || self.retry_at.is_some() {
            return Ok(());
        }
        let mut records = match Arc::try_unwrap(std::mem::take(&mut self.batch)) {
            Ok(records) => records,
            Err(shared) => shared.to_vec(),
        };
        self.parts.pipeline.tick(self.parts.clock.now());
        let mut failed = Vec::new();
        let mut is_waiting = false;
        while let Some((batch, from)) = self.unconverted.front_mut()
            && !is_waiting
        {
            let (pipeline, before) = (&mut self.parts.pipeline, *from);
            let waits_at = pipeline.convert(batch, before, &mut records, &mut failed);
            let done = waits_at.unwrap_or(batch.records.len());
            *from = done;
            if let Some(last) = batch.records.get(..done).and_then(<[_]>::last) {
                self.offsets.consumed(&batch.partition, last.offset + 1);
            }
            let taken = u64::try_from(done.saturating_sub(before)).unwrap_or(0);
            self.parts.status.counters().add_taken(taken);
            is_waiting = waits_at.is_some();
            if !is_waiting {
                self.unconverted.pop_front();
            }
            for failure in failed.drain(..) {
                tolerate(&self.parts, &failure)?;
            }
        }
        self.batch = Arc::new(records);
        if is_waiting && let Some(lookups) = &mut self.lookups {
            lookups.ask(self.parts.pipeline.unresolved());
        }
        Ok(())
    }

    /// Called in every turn, also without records, so that a task can do what is due.
    async fn put(&mut self) -> Result<(), Error> {
        if self.is_paused && self.batch.is_empty()
            || self.retry_at.is_some_and(|at| self.parts.clock.now() < at)
        {
            return Ok(());
        }
        match self.parts.port.put(Arc::clone(&self.batch)).await {
            Ok(requests) => {
                let records = u64::try_from(self.batch.len()).unwrap_or(0);
                self.parts.status.counters().add_delivered(records);
                self.offsets.delivered();
                self.batch = Arc::default();
                self.requests.merge(requests);
                if self.retry_at.take().is_some() {
                    self.refusals = 0;
                    self.set_pauses()?;
                }
                Ok(())
            }
            Err(error) if error.fault() == Fault::Transient => {
                let newer = self.parts.port.take_requests();
                self.requests.merge(newer);
                let pause = self
                    .requests
                    .timeout
                    .take()
                    .unwrap_or_else(|| PUT_BACKOFF.delay(self.refusals));
                self.refusals = self.refusals.saturating_add(1);
                self.parts.status.counters().add_retries(1);
                warn!(
                    records = self.batch.len(),
                    "put failed and is repeated in {pause}: {error}"
                );
                let was_waiting = self
                    .retry_at
                    .replace(self.parts.clock.now().plus(pause))
                    .is_some();
                if was_waiting {
                    Ok(())
                } else {
                    self.set_pauses()
                }
            }
            Err(error) => Err(error.in_stage(Stage::TaskPut)),
        }
    }

    /// Pauses and rewinds that the task asked for.
    fn heed_requests(&mut self) -> Result<(), Error> {
        let assigned: BTreeSet<TopicPartition> =
            self.parts.consumer.assignment().into_iter().collect();
        for (partition, offset) in std::mem::take(&mut self.requests.rewinds) {
            if assigned.contains(&partition) {
                self.parts.consumer.seek(&partition, offset)?;
                self.offsets.rewound(&partition, offset);
                self.forget_unconverted(std::slice::from_ref(&partition));
            } else {
                warn!("cannot rewind {partition}, which is not assigned to the task");
            }
        }
        let pauses = std::mem::take(&mut self.requests.pauses);
        if pauses.is_empty() {
            return Ok(());
        }
        for (partition, is_paused) in pauses {
            if is_paused {
                self.task_paused.insert(partition);
            } else {
                self.task_paused.remove(&partition);
            }
        }
        self.set_pauses()
    }

    /// Takes over what the worker wants: paused or running.
    fn follow_target(&mut self) -> Result<(), Error> {
        let is_paused = self.parts.control.target() == Target::Paused;
        if is_paused == self.is_paused {
            return Ok(());
        }
        self.is_paused = is_paused;
        self.parts.status.set(if is_paused {
            TaskState::Paused
        } else {
            TaskState::Running
        });
        self.requests.commit |= is_paused;
        self.set_pauses()
    }

    /// The one place that decides what the consumer reads. A task can never read on while the connector is paused (KAFKA-6661) or while
    /// a batch waits to be put again.
    fn set_pauses(&self) -> Result<(), Error> {
        let assigned = self.parts.consumer.assignment();
        let all = self.is_paused || self.retry_at.is_some() || self.is_waiting();
        let (paused, running): (Vec<_>, Vec<_>) = assigned
            .into_iter()
            .partition(|partition| all || self.task_paused.contains(partition));
        self.parts.consumer.pause(&paused)?;
        self.parts.consumer.resume(&running)?;
        Ok(())
    }

    /// Asks the task what may be committed and commits it. A failed commit never fails the task: the offsets come with the next one.
    async fn commit(
        &mut self,
        partitions: &[TopicPartition],
        is_closing: bool,
    ) -> Result<(), Error> {
        let asked = self.offsets.to_commit(partitions);
        if asked.is_empty() {
            return Ok(());
        }
        let answer = self.parts.port.pre_commit(asked.clone()).await;
        if is_closing && let Err(error) = self.parts.port.close(partitions.to_vec()).await {
            warn!("close failed: {error}");
        }
        let answer = match answer {
            Ok((answer, requests)) => {
                self.requests.merge(requests);
                answer
            }
            Err(error) => {
                // A task that failed already said why.
                if self.has_failed {
                    debug!("flush failed, offsets are not committed: {error}");
                } else {
                    error!("flush failed, offsets are not committed: {error}");
                }
                if !is_closing {
                    self.go_back(&asked)?;
                }
                return if error.fault() == Fault::Transient || is_closing {
                    Ok(())
                } else {
                    Err(error)
                };
            }
        };
        let plan = self.offsets.plan(&asked, answer);
        for partition in plan.beyond.iter().chain(&plan.foreign) {
            warn!("not committing {partition}: not assigned, or not yet consumed so far");
        }
        if plan.commit.is_empty() {
            return Ok(());
        }
        match self
            .parts
            .consumer
            .commit(&plan.commit, self.parts.flush_timeout)
            .await
        {
            Ok(()) => {
                self.offsets.committed(&plan.commit);
                debug!(partitions = plan.commit.len(), "offsets committed");
            }
            Err(error) => {
                warn!("Failed to commit offsets: {error}")
            }
        }
        Ok(())
    }

    /// Reads again from what was committed.
    fn go_back(&mut self, asked: &Offsets) -> Result<(), Error> {
        for (partition, position) in self.offsets.roll_back(asked) {
            self.parts.consumer.seek(&partition, position.offset)?;
            self.forget_unconverted(std::slice::from_ref(&partition));
        }
        Ok(())
    }

    /// Counts, now and then, the records in the topics that were not consumed yet.
    async fn measure_lag(&mut self, consumer: &Arc<dyn Consumer>) {
        let now = self.parts.clock.now();
        if now < self.next_lag {
            return;
        }
        self.next_lag = now.plus(LAG_INTERVAL);
        let assigned = consumer.assignment();
        let ends = self
            .parts
            .admin
            .list_offsets(
                &assigned,
                OffsetSpec::Latest,
                Isolation::ReadUncommitted,
                LAG_WAIT,
            )
            .await;
        // The cluster is away: the last figure stays.
        let Ok(ends) = ends else {
            return;
        };
        let mut lag = 0;
        for (partition, end) in ends {
            if let Ok(position) = consumer.position(&partition, LAG_WAIT).await {
                lag += u64::try_from(end - position).unwrap_or(0);
            }
        }
        self.parts.status.counters().set_lag(lag);
    }

    async fn finish(&mut self, is_well: bool) {
        let deadline = self.parts.clock.now().plus(self.parts.graceful_stop);
        self.has_failed = !is_well;
        if self.is_started {
            // Also after a failure: what was delivered before it is made durable and committed, as the JVM does.
            let partitions = self.offsets.partitions();
            if let Err(error) = self.commit(&partitions, true).await {
                debug!("the last commit failed: {error}");
            }
        }
        if self.offsets.uncommitted() > 0 {
            info!(
                records = self.offsets.uncommitted(),
                "delivered and not committed; they are delivered again after the next start"
            );
        }
        self.parts.port.request_stop();
        let left = deadline.since(self.parts.clock.now());
        if let Err(error) = self.parts.port.stop(left).await {
            warn!(
                "Graceful stop of task {} failed: {error}",
                self.parts.status.id()
            );
        }
        // Leaving the group is worth a moment even when the time to stop is over: the others take over at once.
        let left = deadline
            .since(self.parts.clock.now())
            .max(CLOSE_WAIT_MIN)
            .min(CONSUMER_WAIT);
        if let Err(error) = self.parts.consumer.close(left).await {
            debug!("closing the consumer: {error}");
        }
    }

    /// Records that wait are read again, or by somebody else.
    fn forget_unconverted(&mut self, partitions: &[TopicPartition]) {
        self.unconverted
            .retain(|(batch, _)| !partitions.contains(&batch.partition));
    }

    fn drop_batch_of(&mut self, partitions: &[TopicPartition]) {
        self.forget_unconverted(partitions);
        let is_gone = |record: &SinkRecord| partitions.contains(&record.partition);
        if self.batch.iter().any(is_gone) {
            self.batch = Arc::new(
                self.batch
                    .iter()
                    .filter(|record| !is_gone(record))
                    .cloned()
                    .collect(),
            );
        }
    }

    async fn take_over(
        &mut self,
        consumer: &dyn Consumer,
        partitions: &[TopicPartition],
    ) -> Result<(), Error> {
        let mut positions = Offsets::new();
        for partition in partitions {
            match consumer.position(partition, CONSUMER_WAIT).await {
                Ok(position) => {
                    positions.insert(partition.clone(), OffsetAndMetadata::new(position));
                }
                // Only the first commit is then made even if nothing moved.
                Err(error) if error.is_retriable() => {
                    debug!(%partition, "the position is not known yet: {error}")
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.offsets.assigned(&positions);
        self.set_pauses()?;
        if !partitions.is_empty() && self.is_started {
            let requests = self.parts.port.open(partitions.to_vec()).await?;
            self.requests.merge(requests);
            self.heed_requests()?;
        }
        Ok(())
    }
}

/// Skips the record when the connector tolerates that.
fn tolerate(parts: &SinkParts, failure: &Error) -> Result<(), Error> {
    let status = &parts.status;
    if parts.errors.log {
        let record = failure.place().filter(|_| parts.errors.log_records);
        let place = record.map_or_else(String::new, |place| {
            format!(", where consumed record is {place}")
        });
        let stage = failure
            .stage()
            .map_or_else(String::new, |stage| stage.to_string());
        error!(
            "Error encountered in task {}. Executing stage '{stage}'{place}: {failure}",
            status.id()
        );
    }
    match verdict(&parts.errors, failure.fault(), 1, Span::MAX) {
        Verdict::Skip => {
            status.counters().add_skipped(1);
            Ok(())
        }
        Verdict::Fail | Verdict::Retry(_) => Err(tolerance_exceeded(failure)),
    }
}

#[async_trait]
impl RebalanceListener for SinkRun {
    async fn assigned(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        if self.failure.is_none()
            && let Err(error) = self.take_over(consumer, partitions).await
        {
            self.failure = Some(error);
        }
    }

    async fn revoked(&mut self, _consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        if partitions.is_empty() {
            return;
        }
        if let Err(error) = self.commit(partitions, true).await {
            self.failure.get_or_insert(error);
        }
        self.offsets.removed(partitions);
        self.drop_batch_of(partitions);
        self.task_paused
            .retain(|partition| !partitions.contains(partition));
    }

    async fn lost(&mut self, _consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        if let Err(error) = self.parts.port.close(partitions.to_vec()).await {
            self.failure.get_or_insert(error);
        }
        self.offsets.removed(partitions);
        self.drop_batch_of(partitions);
        self.task_paused
            .retain(|partition| !partitions.contains(partition));
    }
}

/// Pauses after a transient failure of put, when the task does not name one. The JVM waits for the next commit instead.
const PUT_BACKOFF: Backoff = Backoff::new(Span::millis(100), Span::secs(30));
/// Pauses after a transient failure of reading.
const CONSUME_BACKOFF: Backoff = Backoff::new(Span::millis(200), Span::secs(5));
/// Time for calls of the consumer that are not polls.
const CONSUMER_WAIT: Span = Span::secs(30);
/// The longest poll. The JVM's waits for the next commit; a turn per second keeps the lag fresh and costs next to nothing.
const POLL_WAIT_MAX: Span = Span::secs(1);
/// Time for leaving the group, at least.
const CLOSE_WAIT_MIN: Span = Span::millis(250);
/// Time for one look at the ends of the topics: it must never hold up the records.
const LAG_WAIT: Span = Span::millis(500);
/// Time between two counts of what there is to read.
const LAG_INTERVAL: Span = Span::secs(1);
