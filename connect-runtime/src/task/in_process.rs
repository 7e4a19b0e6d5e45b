//! Tasks inside this process: each on a thread of its own, so that it may block or panic.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::panics::guarded;
use crate::api::port::{
    OffsetReader, PartitionNumbers, RowsDone, SinkStart, SinkTaskPort, SourceBatch, SourceStart,
    SourceTaskPort,
};
use crate::api::{
    OffsetReads, SinkContext, SinkRecord, SinkRequests, SinkTask, SourceContext, SourceOffset,
    SourcePartition, SourceTask, StopSignal,
};
use crate::error::{Error, Fault};
use crate::ids::{TaskId, TopicPartition};
use crate::kafka::Offsets;
use crate::time::{Clock, Span};

/// A source task on a thread of this process.
pub struct SourceThread {
    idle: Option<Box<dyn SourceTask>>,
    clock: Arc<dyn Clock>,
    thread: Option<Thread<SourceState>>,
    stop: StopSignal,
    /// The answer of a poll that was asked for and not taken yet.
    polling: Option<Answer<Result<SourceBatch, Error>>>,
    done: Vec<RowsDone>,
    is_committed: bool,
}

struct SourceState {
    task: Box<dyn SourceTask>,
    context: SourceContext,
    numbers: PartitionNumbers,
}

impl SourceThread {
    /// The task starts with [`SourceTaskPort::start`].
    pub fn new(task: Box<dyn SourceTask>, clock: Arc<dyn Clock>) -> Self {
        Self {
            idle: Some(task),
            clock,
            thread: None,
            stop: StopSignal::new(),
            polling: None,
            done: Vec::new(),
            is_committed: false,
        }
    }

    /// Takes what the task has to be told before its next poll.
    fn news(&mut self) -> impl FnOnce(&mut SourceState) + Send + 'static {
        let (done, is_committed) = (
            std::mem::take(&mut self.done),
            std::mem::take(&mut self.is_committed),
        );
        move |state| {
            for rows in done {
                state
                    .task
                    .acknowledged(rows.batch.0, rows.rows, &rows.outcome);
            }
            if is_committed && let Err(error) = state.task.commit() {
                tracing::warn!("the task's commit failed: {error}");
            }
        }
    }
}

#[async_trait]
impl SourceTaskPort for SourceThread {
    async fn start(&mut self, start: SourceStart) -> Result<(), Error> {
        let Some(task) = self.idle.take() else {
            return Err(Error::bug("a task was started twice"));
        };
        let offsets = Arc::new(BlockingReads {
            reader: start.offsets,
            runtime: Handle::current(),
        });
        let context = SourceContext::new(
            start.task.clone(),
            start.config,
            offsets,
            self.stop.clone(),
            Arc::clone(&self.clock),
        );
        let state = SourceState {
            task,
            context,
            numbers: PartitionNumbers::default(),
        };
        let thread = self.thread.insert(Thread::spawn(&start.task, state)?);
        thread
            .ask("start", |state| state.task.start(&state.context))?
            .answer()
            .await?
    }

    async fn poll(&mut self) -> Result<SourceBatch, Error> {
        if self.polling.is_none() {
            let news = self.news();
            let Some(thread) = &self.thread else {
                return Err(Error::bug("a task was polled before its start"));
            };
            let answer = thread.ask("poll", move |state| {
                news(state);
                let records = state.task.poll(&state.context)?;
                Ok(state.numbers.batch(records))
            })?;
            self.polling = Some(answer);
        }
        let Some(polling) = &mut self.polling else {
            return Err(Error::bug("a poll was lost"));
        };
        // The receiver stays in place until it has the answer, so dropping this future loses nothing.
        let answer = (&mut polling.0).await;
        self.polling = None;
        answer.unwrap_or_else(|_| Err(ended())).flatten()
    }

    fn acknowledge(&mut self, acknowledgement: RowsDone) {
        self.done.push(acknowledgement);
    }

    fn committed(&mut self) {
        self.is_committed = true;
    }

    fn request_stop(&mut self) {
        self.stop.raise();
    }

    async fn stop(&mut self, within: Span) -> Result<(), Error> {
        self.stop.raise();
        let news = self.news();
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread
            .end("stop", within, move |state| {
                news(state);
                state.task.stop();
            })
            .await
    }
}

impl std::fmt::Debug for SourceThread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceThread")
            .field("is_polling", &self.polling.is_some())
            .finish_non_exhaustive()
    }
}

/// Lets a blocking task ask an asynchronous store.
struct BlockingReads {
    reader: Arc<dyn OffsetReader>,
    runtime: Handle,
}

impl OffsetReads for BlockingReads {
    fn offsets(&self, partitions: &[SourcePartition]) -> Result<Vec<Option<SourceOffset>>, Error> {
        self.runtime.block_on(self.reader.offsets(partitions))
    }
}

/// A sink task on a thread of this process.
pub struct SinkThread {
    idle: Option<Box<dyn SinkTask>>,
    thread: Option<Thread<SinkState>>,
    context: Option<SinkContext>,
    stop: StopSignal,
}

struct SinkState {
    task: Box<dyn SinkTask>,
    context: SinkContext,
}

impl SinkThread {
    /// The task starts with [`SinkTaskPort::start`].
    pub fn new(task: Box<dyn SinkTask>) -> Self {
        Self {
            idle: Some(task),
            thread: None,
            context: None,
            stop: StopSignal::new(),
        }
    }

    #[expect(
        clippy::needless_pass_by_ref_mut,
        reason = "a shared reference to a task that is not Sync cannot cross an await"
    )]
    async fn call<T: Send + 'static>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&mut SinkState) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let Some(thread) = &self.thread else {
            return Err(Error::bug("a task was used before its start"));
        };
        thread.ask(doing, work)?.answer().await?
    }
}

#[async_trait]
impl SinkTaskPort for SinkThread {
    async fn start(&mut self, start: SinkStart) -> Result<SinkRequests, Error> {
        let Some(task) = self.idle.take() else {
            return Err(Error::bug("a task was started twice"));
        };
        let context = SinkContext::new(
            start.task.clone(),
            start.config,
            self.stop.clone(),
            start.errant,
        );
        self.context = Some(context.clone());
        self.thread = Some(Thread::spawn(&start.task, SinkState { task, context })?);
        self.call("start", |state| state.task.start(&state.context))
            .await?;
        Ok(self.take_requests())
    }

    async fn open(&mut self, partitions: Vec<TopicPartition>) -> Result<SinkRequests, Error> {
        self.call("open", move |state| {
            state.task.open(&state.context, &partitions)
        })
        .await?;
        Ok(self.take_requests())
    }

    async fn put(&mut self, batch: Arc<Vec<SinkRecord>>) -> Result<SinkRequests, Error> {
        self.call("put", move |state| state.task.put(&state.context, &batch))
            .await?;
        Ok(self.take_requests())
    }

    async fn pre_commit(&mut self, offsets: Offsets) -> Result<(Offsets, SinkRequests), Error> {
        let answer = self
            .call("preCommit", move |state| {
                state.task.pre_commit(&state.context, &offsets)
            })
            .await?;
        Ok((answer, self.take_requests()))
    }

    async fn close(&mut self, partitions: Vec<TopicPartition>) -> Result<(), Error> {
        self.call("close", move |state| {
            state.task.close(&partitions);
            Ok(())
        })
        .await
    }

    fn take_requests(&mut self) -> SinkRequests {
        self.context
            .as_ref()
            .map(SinkContext::take_requests)
            .unwrap_or_default()
    }

    fn request_stop(&mut self) {
        self.stop.raise();
    }

    async fn stop(&mut self, within: Span) -> Result<(), Error> {
        self.stop.raise();
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread.end("stop", within, |state| state.task.stop()).await
    }
}

impl std::fmt::Debug for SinkThread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SinkThread")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// A thread that owns a task and does one job after the other.
struct Thread<T> {
    jobs: mpsc::Sender<Job<T>>,
}

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

impl<T: Send + 'static> Thread<T> {
    fn spawn(task: &TaskId, mut state: T) -> Result<Self, Error> {
        let (jobs, mut waiting) = mpsc::channel::<Job<T>>(JOBS_MAX);
        let work = move || {
            while let Some(job) = waiting.blocking_recv() {
                job(&mut state);
            }
            // Also the task's own `drop` may panic.
            let _ = guarded("drop", move || drop(state));
        };
        std::thread::Builder::new()
            .name(format!("task-thread-{task}"))
            .spawn(work)
            .map_err(|error| {
                Error::new(Fault::Transient, "no thread could be started for the task")
                    .caused_by(error)
            })?;
        Ok(Self { jobs })
    }

    /// Hands over a job. Its result, or that it panicked, is in the answer.
    fn ask<R: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<Answer<R>, Error> {
        let (sender, receiver) = oneshot::channel();
        let span = tracing::Span::current();
        let job: Job<T> = Box::new(move |state| {
            let _lines_of_the_task = span.entered();
            // Nobody waits any more when the worker gave the task up.
            let _ = sender.send(guarded(doing, || work(state)));
        });
        self.jobs.try_send(job).map_err(|_| ended())?;
        Ok(Answer(receiver))
    }

    /// The last job; waits for it at most `within`.
    async fn end(
        self,
        doing: &'static str,
        within: Span,
        work: impl FnOnce(&mut T) + Send + 'static,
    ) -> Result<(), Error> {
        let Ok(answer) = self.ask(doing, work) else {
            return Ok(());
        };
        match timeout(within.to_duration(), answer.answer()).await {
            Ok(result) => result,
            Err(_) => Err(Error::new(
                Fault::Plugin,
                format!("the task did not stop within {within} and is left to itself"),
            )
            .next_step("a longer task.shutdown.graceful.timeout.ms gives it more time")),
        }
    }
}

struct Answer<R>(oneshot::Receiver<Result<R, Error>>);

impl<R> Answer<R> {
    async fn answer(self) -> Result<R, Error> {
        self.0.await.unwrap_or_else(|_| Err(ended()))
    }
}

fn ended() -> Error {
    Error::new(
        Fault::Plugin,
        "the task's thread has ended or does not take work any more",
    )
}

/// Jobs waiting for one task: a poll that runs, one that was given up, and the stop.
const JOBS_MAX: usize = 4;
