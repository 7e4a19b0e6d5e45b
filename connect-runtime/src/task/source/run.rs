//! The loop of a source task: poll, convert, send; acknowledgements in, offsets out.
//!
//! At least once: an offset is stored only after everything before it in its source partition is in the log.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tracing::{debug, error, info, warn};

use super::inflight::Inflight;
use super::topics::NewTopics;
use crate::api::port::{
    PartitionId, RowsDone, SourceBatch, SourceBatchId, SourceStart, SourceTaskPort,
};
use crate::api::{RowOutcome, SourcePartition};
use crate::backoff::Backoff;
use crate::config::{ErrorPolicy, RawConfig, Tolerance, TopicCreation};
use crate::error::{Error, Fault, Stage};
use crate::kafka::{Acknowledgement, Admin, BatchId, Class, Producer, RecordBatch};
use crate::pipeline::tolerance::{Verdict, verdict};
use crate::pipeline::{Converted, SourcePipeline};
use crate::store::offsets::ConnectorOffsets;
use crate::task::lookups::Lookups;
use crate::task::{Control, Registries, Target, TaskState, TaskStatus};
use crate::time::{Clock, Mono, Span};

/// Everything a source task runs with.
pub struct SourceParts {
    /// The task.
    pub port: Box<dyn SourceTaskPort>,
    /// Its configuration.
    pub config: Arc<RawConfig>,
    /// Its converters.
    pub pipeline: SourcePipeline,
    /// Where its converters ask for schemas.
    pub registries: Registries,
    /// Where its records go.
    pub producer: Arc<dyn Producer>,
    /// How its topics are created; `None` leaves them to the cluster.
    pub topics: Option<(Arc<dyn Admin>, TopicCreation)>,
    /// Where its offsets are.
    pub offsets: ConnectorOffsets,
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

impl std::fmt::Debug for SourceParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceParts")
            .field("task", self.status.id())
            .finish_non_exhaustive()
    }
}

/// A source task that runs.
#[derive(Debug)]
pub struct SourceRun {
    parts: SourceParts,
    inflight: Inflight,
    /// Source rows of batches of which some rows were left out.
    kept_rows: BTreeMap<SourceBatchId, (Vec<u32>, usize)>,
    partitions: Vec<SourcePartition>,
    topics: Option<NewTopics>,
    /// What the converters ask their registries.
    lookups: Lookups,
    records: RecordBatch,
    next_commit: Mono,
    /// After a transient failure: when the task is polled again.
    poll_at: Mono,
    /// Rows in flight for which no outcome will come: refused by the cluster, or not handed over before a stop.
    given_up: u64,
    /// Since when records wait without any outcome.
    silent_since: Option<Mono>,
    said_silent: bool,
    failure: Option<Error>,
}

impl SourceRun {
    /// Ready to run.
    pub fn new(mut parts: SourceParts) -> Self {
        let topics = parts.topics.take();
        let next_commit = parts.clock.now().plus(parts.flush_interval);
        let lookups = Lookups::new(
            parts.registries.clone(),
            parts.status.clone(),
            Arc::clone(&parts.clock),
            parts.errors.retry_timeout,
        );
        Self {
            parts,
            inflight: Inflight::new(),
            kept_rows: BTreeMap::new(),
            partitions: Vec::new(),
            topics: topics.map(|(admin, creation)| NewTopics::new(admin, creation)),
            lookups,
            records: RecordBatch::default(),
            next_commit,
            poll_at: Mono::default(),
            given_up: 0,
            silent_since: None,
            said_silent: false,
            failure: None,
        }
    }

    /// Runs until it is told to stop or fails.
    ///
    /// # Errors
    /// What failed. Everything acknowledged before is committed, and the task is stopped.
    pub async fn run(mut self) -> Result<(), Error> {
        if !self.wait_while_paused().await {
            return Ok(());
        }
        let start = SourceStart {
            task: self.parts.status.id().clone(),
            config: Arc::clone(&self.parts.config),
            offsets: Arc::new(self.parts.offsets.clone()),
        };
        let result = match self.parts.port.start(start).await {
            Ok(()) => {
                self.parts.status.set(TaskState::Running);
                self.work().await
            }
            Err(error) => Err(error),
        };
        self.finish().await;
        result
    }

    async fn work(&mut self) -> Result<(), Error> {
        let mut attempt = 0;
        loop {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.parts.control.target() != Target::Running && !self.wait_while_paused().await {
                return Ok(());
            }
            match self.next().await {
                Step::Nothing => {}
                Step::Acknowledged(outcomes) => self.acknowledged(outcomes?),
                Step::TimeIsUp if self.parts.clock.now() >= self.next_commit => self.commit().await,
                Step::TimeIsUp => {}
                Step::Polled(Ok(batch)) => {
                    attempt = 0;
                    self.deliver(batch).await?;
                }
                Step::Polled(Err(error)) if error.fault() == Fault::Transient => {
                    let pause = POLL_BACKOFF.delay(attempt);
                    attempt = attempt.saturating_add(1);
                    self.parts.status.counters().add_retries(1);
                    warn!("poll failed and is repeated in {pause}: {error}");
                    self.poll_at = self.parts.clock.now().plus(pause);
                }
                Step::Polled(Err(error)) => return Err(error.in_stage(Stage::TaskPoll)),
            }
        }
    }

    /// Waits for whatever comes first.
    async fn next(&mut self) -> Step {
        let wait = self
            .next_commit
            .since(self.parts.clock.now())
            .min(self.notice_silence());
        let is_waiting = self.awaits_outcomes();
        let pause = self.poll_at.since(self.parts.clock.now());
        let port = &mut self.parts.port;
        let poll = async {
            if pause > Span::ZERO {
                tokio::time::sleep(pause.to_duration()).await;
            }
            port.poll().await
        };
        tokio::select! {
            biased;
            () = self.parts.control.changed() => Step::Nothing,
            outcomes = self.parts.producer.acknowledged(Span::MAX), if is_waiting => Step::Acknowledged(outcomes.map_err(Error::from)),
            () = tokio::time::sleep(wait.to_duration()) => Step::TimeIsUp,
            batch = poll => Step::Polled(batch),
        }
    }

    /// `false` when the task should stop. Acknowledgements and commits go on while it is paused.
    async fn wait_while_paused(&mut self) -> bool {
        let mut was_paused = false;
        loop {
            if self.failure.is_some() {
                return true;
            }
            match self.parts.control.target() {
                Target::Stopped => return false,
                Target::Running => {
                    if was_paused {
                        self.parts.status.set(TaskState::Running);
                    }
                    return true;
                }
                Target::Paused => {}
            }
            was_paused = true;
            self.parts.status.set(TaskState::Paused);
            let wait = self.next_commit.since(self.parts.clock.now());
            let is_waiting = self.awaits_outcomes();
            tokio::select! {
                () = self.parts.control.changed() => {}
                outcomes = self.parts.producer.acknowledged(Span::MAX), if is_waiting => match outcomes {
                    Ok(outcomes) => self.acknowledged(outcomes),
                    Err(error) => self.failure = Some(error.into()),
                },
                () = tokio::time::sleep(wait.to_duration()) => self.commit().await,
            }
        }
    }

    async fn deliver(&mut self, mut batch: SourceBatch) -> Result<(), Error> {
        self.partitions.append(&mut batch.introduced);
        if batch.records.is_empty() {
            return Ok(());
        }
        self.parts
            .status
            .counters()
            .add_taken(u64::try_from(batch.records.len()).unwrap_or(0));
        if !self.create_topics(&batch).await? {
            return Ok(());
        }
        let Some(converted) = self.convert(&batch).await? else {
            return Ok(());
        };
        let mut fatal = None;
        for (row, error) in &converted.failed {
            if let Err(error) = self.tolerate(error) {
                fatal = Some((*row, error));
                break;
            }
        }
        match fatal {
            // What came before the bad record is still sent, as the JVM does.
            Some((row, error)) => self.deliver_until(batch, row, error).await,
            None => self.submit(batch, converted).await,
        }
    }

    /// Converts a batch into `records`, and waits for what its converters must know from a registry. `None`: the task was
    /// told to stop meanwhile; the batch is read again after the next start.
    async fn convert(&mut self, batch: &SourceBatch) -> Result<Option<Converted>, Error> {
        self.records.reset(BatchId(batch.id.0));
        self.parts.pipeline.tick(self.parts.clock.now());
        let mut converted = Converted::default();
        let mut from = 0;
        loop {
            let (pipeline, records) = (&mut self.parts.pipeline, &mut self.records);
            match pipeline.convert(batch, from, records, &mut converted)? {
                None => return Ok(Some(converted)),
                Some(row) => from = row,
            }
            self.lookups.ask(pipeline.unresolved());
            if !self.wait_for_answers().await? {
                return Ok(None);
            }
        }
    }

    /// Waits until the registries have answered; acknowledgements and commits go on. `false`: the task was told to stop.
    async fn wait_for_answers(&mut self) -> Result<bool, Error> {
        while self.lookups.is_waiting() {
            if self.parts.control.target() == Target::Stopped {
                return Ok(false);
            }
            if self.failure.is_some() {
                // The work loop ends with it.
                return Ok(false);
            }
            let wait = self
                .next_commit
                .since(self.parts.clock.now())
                .min(self.notice_silence());
            let is_waiting = self.awaits_outcomes();
            tokio::select! {
                (role, answer) = self.lookups.answered() => self.parts.pipeline.install(role, answer),
                outcomes = self.parts.producer.acknowledged(Span::MAX), if is_waiting => self.acknowledged(outcomes?),
                () = self.parts.control.changed() => {}
                () = tokio::time::sleep(wait.to_duration()) => {
                    if self.parts.clock.now() >= self.next_commit {
                        self.commit().await;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Sends what was converted, and remembers which rows are under way.
    async fn submit(&mut self, mut batch: SourceBatch, converted: Converted) -> Result<(), Error> {
        let offsets = batch
            .records
            .iter_mut()
            .map(|record| std::mem::take(&mut record.offset))
            .collect();
        self.inflight.submit(batch.id, &batch.runs, offsets);
        for (row, _) in converted.failed {
            self.rows_done(batch.id, row..row + 1, RowOutcome::Dropped);
        }
        if let Some(rows) = converted.rows {
            let left = rows.len();
            self.kept_rows.insert(batch.id, (rows, left));
        }
        drop(batch);
        self.send().await
    }

    /// Sends the rows before `row` and then fails.
    async fn deliver_until(
        &mut self,
        mut batch: SourceBatch,
        row: u32,
        failure: Error,
    ) -> Result<(), Error> {
        batch
            .records
            .truncate(usize::try_from(row).unwrap_or(usize::MAX));
        batch.runs.retain_mut(|run| {
            run.rows.end = run.rows.end.min(row);
            run.rows.start < run.rows.end
        });
        if !batch.records.is_empty()
            && let Some(converted) = self.convert(&batch).await?
        {
            self.submit(batch, converted).await?;
        }
        Err(failure)
    }

    /// Skips the record when the connector tolerates that.
    fn tolerate(&self, failure: &Error) -> Result<(), Error> {
        let status = &self.parts.status;
        if self.parts.errors.log {
            let record = failure.place().filter(|_| self.parts.errors.log_records);
            let place = record.map_or_else(String::new, |place| {
                format!(", where source record is {place}")
            });
            let stage = failure
                .stage()
                .map_or_else(String::new, |stage| stage.to_string());
            error!(
                "Error encountered in task {}. Executing stage '{stage}'{place}: {failure}",
                status.id()
            );
        }
        match verdict(&self.parts.errors, failure.fault(), 1, Span::MAX) {
            Verdict::Skip => {
                status.counters().add_skipped(1);
                Ok(())
            }
            Verdict::Fail | Verdict::Retry(_) => Err(tolerance_exceeded(failure)),
        }
    }

    /// Hands the batch over, and takes acknowledgements while the producer's buffer is full. A stop ends the wait: what was not handed
    /// over by then is read again after the next start.
    async fn send(&mut self) -> Result<(), Error> {
        let mut attempt = 0;
        let mut again = Mono::default();
        while !self.records.is_empty() && self.failure.is_none() {
            if self.parts.control.target() == Target::Stopped {
                self.given_up += u64::try_from(self.records.len()).unwrap_or(0);
                return Ok(());
            }
            let silence = self.notice_silence();
            let is_waiting = self.awaits_outcomes();
            let pause = again.since(self.parts.clock.now());
            let (producer, records) = (&self.parts.producer, &mut self.records);
            let send = async {
                if pause > Span::ZERO {
                    tokio::time::sleep(pause.to_duration()).await;
                }
                producer.send(records, SEND_WAIT).await
            };
            tokio::select! {
                biased;
                sent = send => match sent {
                    Ok(()) => break,
                    Err(error) if error.is_retriable() => {
                        let pause = SEND_BACKOFF.delay(attempt);
                        attempt = attempt.saturating_add(1);
                        self.parts.status.counters().add_retries(1);
                        warn!("sending is repeated in {pause}: {error}");
                        again = self.parts.clock.now().plus(pause);
                    }
                    Err(error) => return Err(Error::from(error).in_stage(Stage::KafkaProduce)),
                },
                outcomes = producer.acknowledged(Span::MAX), if is_waiting => self.acknowledged(outcomes?),
                () = tokio::time::sleep(silence.to_duration()) => {}
                () = self.parts.control.changed() => {}
            }
        }
        // Nothing is left but by a failure, which ends the task.
        self.given_up += u64::try_from(self.records.len()).unwrap_or(0);
        self.parts.status.counters().set_lag(self.inflight.rows());
        // Outcomes that are there already cost nothing to take, and keep the offsets fresh.
        if self.awaits_outcomes() {
            let outcomes = self.parts.producer.acknowledged(Span::ZERO).await?;
            self.acknowledged(outcomes);
        }
        Ok(())
    }

    /// Says once when records wait for a long time without any outcome; the client tries by itself. How long until that is looked at
    /// again.
    fn notice_silence(&mut self) -> Span {
        if !self.awaits_outcomes() {
            self.silent_since = None;
            return Span::MAX;
        }
        let now = self.parts.clock.now();
        let since = *self.silent_since.get_or_insert(now);
        let left = since.plus(SILENCE).since(now);
        if left > Span::ZERO {
            return left;
        }
        if !std::mem::replace(&mut self.said_silent, true) {
            warn!(
                records = self.inflight.rows(),
                "the cluster has acknowledged nothing for {SILENCE}; the records wait and are sent as soon as it answers"
            );
        }
        Span::MAX
    }

    /// Whether outcomes will still come.
    fn awaits_outcomes(&self) -> bool {
        self.inflight.rows() > self.given_up
    }

    fn acknowledged(&mut self, outcomes: Vec<Acknowledgement>) {
        if !outcomes.is_empty() {
            self.silent_since = None;
            if std::mem::take(&mut self.said_silent) {
                info!("the cluster acknowledges records again");
            }
        }
        for Acknowledgement {
            batch,
            rows,
            outcome,
        } in outcomes
        {
            let id = SourceBatchId(batch.0);
            let count = u64::from(rows.end.saturating_sub(rows.start));
            match outcome {
                Ok(placements) => {
                    self.parts.status.counters().add_delivered(count);
                    self.sent_rows_done(id, rows, &RowOutcome::Written(placements));
                }
                Err(error)
                    if error.class() == Class::InvalidRecord
                        && self.parts.errors.tolerance == Tolerance::All =>
                {
                    warn!(
                        rows = count,
                        "records could not be written and are left out: {error}"
                    );
                    self.parts.status.counters().add_skipped(count);
                    self.sent_rows_done(id, rows, &RowOutcome::Dropped);
                }
                Err(error) => {
                    self.given_up += count;
                    let failure = Error::from(error).in_stage(Stage::KafkaProduce);
                    self.failure.get_or_insert(failure);
                }
            }
        }
        self.parts.status.counters().set_lag(self.inflight.rows());
    }

    /// Rows as they were sent, which may be fewer than were polled.
    fn sent_rows_done(&mut self, batch: SourceBatchId, rows: Range<u32>, outcome: &RowOutcome) {
        let Some((kept, left)) = self.kept_rows.get_mut(&batch) else {
            return self.rows_done(batch, rows, outcome.clone());
        };
        let bounds = usize::try_from(rows.start).unwrap_or(usize::MAX)
            ..usize::try_from(rows.end).unwrap_or(usize::MAX);
        let polled: Vec<u32> = kept.get(bounds).unwrap_or_default().to_vec();
        *left = left.saturating_sub(polled.len());
        if *left == 0 {
            self.kept_rows.remove(&batch);
        }
        for run in polled.chunk_by(|a, b| a + 1 == *b) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                self.rows_done(batch, *first..last + 1, outcome.clone());
            }
        }
    }

    fn rows_done(&mut self, batch: SourceBatchId, rows: Range<u32>, outcome: RowOutcome) {
        self.inflight.acknowledge(batch, rows.clone());
        self.parts.port.acknowledge(RowsDone {
            batch,
            rows,
            outcome,
        });
    }

    /// Stores what may be stored. A failure is only logged: the offsets come with the next commit.
    async fn commit(&mut self) {
        self.next_commit = self.parts.clock.now().plus(self.parts.flush_interval);
        let offsets = self.inflight.take_committable();
        if !offsets.is_empty() {
            let named = offsets
                .iter()
                .filter_map(|(id, offset)| Some((self.partition(*id)?, offset.clone())));
            let named: Vec<_> = named.collect();
            if let Err(error) = self
                .parts
                .offsets
                .write(named, self.parts.flush_timeout)
                .await
            {
                warn!("Failed to commit offsets: {error}");
                self.inflight.restore(offsets);
                return;
            }
            debug!(partitions = offsets.len(), "offsets committed");
        }
        self.parts.port.committed();
    }

    fn partition(&self, id: PartitionId) -> Option<SourcePartition> {
        self.partitions.get(usize::try_from(id.0).ok()?).cloned()
    }

    /// The last outcomes, the last commit, the end of the task; all of it within the time to stop.
    async fn finish(&mut self) {
        self.parts.port.request_stop();
        let deadline = self.parts.clock.now().plus(self.parts.graceful_stop);
        let drained_by = self
            .parts
            .clock
            .now()
            .plus(self.parts.flush_timeout.min(self.parts.graceful_stop));
        while self.awaits_outcomes() {
            let left = drained_by.since(self.parts.clock.now());
            match self.parts.producer.acknowledged(left).await {
                Ok(outcomes) if outcomes.is_empty() => break,
                Ok(outcomes) => self.acknowledged(outcomes),
                Err(_) => break,
            }
        }
        let late = self.inflight.rows();
        if late > 0 {
            info!(
                records = late,
                "not written in time; they are read again after the next start"
            );
        }
        self.commit().await;
        let left = deadline.since(self.parts.clock.now());
        if let Err(error) = self.parts.port.stop(left).await {
            warn!(
                "Graceful stop of task {} failed: {error}",
                self.parts.status.id()
            );
        }
        if let Err(error) = self.parts.producer.close(Span::ZERO).await {
            debug!("closing the producer: {error}");
        }
    }

    /// Creates the topics of the batch that were never seen before, however long the cluster is away. `false` when the task should stop.
    async fn create_topics(&mut self, batch: &SourceBatch) -> Result<bool, Error> {
        let Some(topics) = &mut self.topics else {
            return Ok(true);
        };
        for topic in topics.unknown(&batch.records) {
            let mut attempt = 0;
            while let Err(error) = topics.ensure(&topic).await {
                if error.fault() != Fault::Transient {
                    return Err(error);
                }
                let pause = SEND_BACKOFF.delay(attempt);
                attempt = attempt.saturating_add(1);
                self.parts.status.counters().add_retries(1);
                warn!(topic = %topic, "looking for the topic is repeated in {pause}: {error}");
                tokio::select! {
                    () = tokio::time::sleep(pause.to_duration()) => {}
                    () = self.parts.control.changed() => {}
                }
                if self.parts.control.target() == Target::Stopped {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

enum Step {
    Nothing,
    Acknowledged(Result<Vec<Acknowledgement>, Error>),
    TimeIsUp,
    Polled(Result<SourceBatch, Error>),
}

/// Java's words around the failure that ends a task.
pub(in crate::task) fn tolerance_exceeded(failure: &Error) -> Error {
    Error::new(
        failure.fault(),
        format!("Tolerance exceeded in error handler: {failure}"),
    )
    .next_step("errors.tolerance=all skips such records, errors.log.enable=true names them")
}

/// Pauses after a transient failure of the task's poll.
const POLL_BACKOFF: Backoff = Backoff::new(Span::millis(100), Span::secs(30));
/// Pauses after a transient failure of sending.
const SEND_BACKOFF: Backoff = Backoff::new(Span::millis(50), Span::secs(5));
/// Records without any outcome for this long are worth a line in the log.
const SILENCE: Span = Span::secs(10);
/// Time for handing over one batch before the loop looks around.
const SEND_WAIT: Span = Span::secs(30);
