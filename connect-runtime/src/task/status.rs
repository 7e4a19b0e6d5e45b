use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::ids::TaskId;

/// What a task should do. The newest word counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "every loop must heed each")]
pub enum Target {
    /// Work.
    Running,
    /// Wait, and keep what is held.
    Paused,
    /// Finish and end.
    Stopped,
}

/// A task's end of the line over which it is told what to do.
#[derive(Clone, Debug)]
pub struct Control(watch::Receiver<Target>);

impl Control {
    /// A line; the sender tells.
    pub fn new(first: Target) -> (watch::Sender<Target>, Self) {
        let (sender, receiver) = watch::channel(first);
        (sender, Self(receiver))
    }

    /// What to do now. A worker that is gone wants everything to stop.
    pub fn target(&self) -> Target {
        if self.0.has_changed().is_err() {
            Target::Stopped
        } else {
            *self.0.borrow()
        }
    }

    /// Waits until there may be something new to do. Returns at once, again and again, when the worker is gone.
    pub async fn changed(&mut self) {
        let _ = self.0.changed().await;
    }
}

/// What a task is doing, in Kafka Connect's words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum TaskState {
    /// It ended, or did not begin.
    Unassigned,
    /// It works.
    Running,
    /// It waits.
    Paused,
    /// It ended with an error.
    Failed(Arc<str>),
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unassigned => "UNASSIGNED",
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Failed(_) => "FAILED",
        })
    }
}

/// A task as others see it. Clones share it.
#[derive(Clone, Debug)]
pub struct TaskStatus(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    id: TaskId,
    is_source: bool,
    state: Mutex<TaskState>,
    waits_for: Mutex<Option<Arc<str>>>,
    counters: Counters,
}

impl TaskStatus {
    /// A task that did not begin.
    pub fn new(id: TaskId, is_source: bool) -> Self {
        Self(Arc::new(Shared {
            id,
            is_source,
            state: Mutex::new(TaskState::Unassigned),
            waits_for: Mutex::default(),
            counters: Counters::default(),
        }))
    }

    /// Which task it is.
    pub fn id(&self) -> &TaskId {
        &self.0.id
    }

    /// Whether it is a source task.
    pub fn is_source(&self) -> bool {
        self.0.is_source
    }

    /// What it is doing.
    pub fn state(&self) -> TaskState {
        self.0
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Says what it is doing.
    pub fn set(&self, state: TaskState) {
        *self.0.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// What keeps the task from going on although nothing has failed: the schema registry is away, say.
    pub fn waiting(&self) -> Option<Arc<str>> {
        self.0
            .waits_for
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Says what the task waits for; `None` when it goes on. Tells whether that is news.
    pub(crate) fn waits_for(&self, reason: Option<&str>) -> bool {
        let mut waits_for = self
            .0
            .waits_for
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_news = waits_for.as_deref() != reason;
        if is_news {
            *waits_for = reason.map(Arc::from);
        }
        is_news
    }

    /// The span of its log lines: `connector` and `task`.
    pub fn span(&self) -> tracing::Span {
        let TaskId { connector, index } = &self.0.id;
        tracing::info_span!("task", connector = %connector, task = index)
    }

    /// What it has done.
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }
}

/// Records counted since the start of a task.
#[derive(Debug, Default)]
pub struct Counters {
    taken: AtomicU64,
    delivered: AtomicU64,
    skipped: AtomicU64,
    retries: AtomicU64,
    lag: AtomicU64,
}

impl Counters {
    /// Records polled from the source, or consumed from topics.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Records that are in the log, or that the sink took.
    pub fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }

    /// Records that failed and were left out.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Calls that were repeated after transient trouble: polls, sends, puts, topic look-ups.
    pub fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    /// Records that wait: sent and not acknowledged yet, or in the topic and not consumed yet.
    pub fn lag(&self) -> u64 {
        self.lag.load(Ordering::Relaxed)
    }

    pub(crate) fn add_taken(&self, records: u64) {
        self.taken.fetch_add(records, Ordering::Relaxed);
    }

    pub(crate) fn add_delivered(&self, records: u64) {
        self.delivered.fetch_add(records, Ordering::Relaxed);
    }

    pub(crate) fn add_skipped(&self, records: u64) {
        self.skipped.fetch_add(records, Ordering::Relaxed);
    }

    pub(crate) fn add_retries(&self, calls: u64) {
        self.retries.fetch_add(calls, Ordering::Relaxed);
    }

    pub(crate) fn set_lag(&self, records: u64) {
        self.lag.store(records, Ordering::Relaxed);
    }
}
