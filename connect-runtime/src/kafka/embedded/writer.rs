//! The one thread that writes: takes everything that waits, makes it one SQLite transaction, and
//! answers when that is on the disk.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{oneshot, watch};

use super::append::Appender;
use super::catalog::Catalog;
use super::error;
use super::schema::Folder;
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::{Submission, Topics, check_topic_name, lock};
use crate::kafka::types::Acknowledgement;
use crate::time::Clock;

/// Record bytes that one SQLite transaction takes at most (at least one batch): what waits longer
/// waits for the next. Bounds the write-ahead log and the memory of the thread.
const GROUP_BYTES_MAX: usize = 4 << 20;

/// Something to do inside the group's transaction (or the error that there is none), and what to tell
/// when it is durable or not.
pub(super) type Work = Box<dyn FnOnce(Result<(&mut Group<'_>, &mut Appender)>) -> Finish + Send>;
/// Told whether the group was committed.
pub(super) type Finish = Box<dyn FnOnce(Result<()>) + Send>;

pub(super) enum Command {
    Append(Box<Submission>),
    Work(Work),
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Append(submission) => f.debug_tuple("Append").field(submission).finish(),
            Self::Work(_) => f.write_str("Work"),
        }
    }
}

/// What the thread shares with everybody else.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) folder: PathBuf,
    queue: Mutex<Queue>,
    ready: Condvar,
    /// The topics as far as they are durable.
    catalog: Mutex<Catalog>,
    names: Mutex<Arc<Topics>>,
    pub(super) changes: watch::Sender<u64>,
}

/// Bounded by those who put in: producers by their buffers, callers by waiting for the answer.
#[derive(Debug, Default)]
struct Queue {
    commands: VecDeque<Command>,
    closed: bool,
}

impl Shared {
    pub(super) fn new(folder: PathBuf, catalog: Catalog) -> Self {
        let names = Mutex::new(Arc::new(catalog.names()));
        Self {
            folder,
            queue: Mutex::default(),
            ready: Condvar::new(),
            catalog: Mutex::new(catalog),
            names,
            changes: watch::Sender::new(0),
        }
    }

    /// Puts `command` at the end of the queue; gives it back if the thread is ending.
    pub(super) fn push(&self, command: Command) -> Result<(), Command> {
        let mut queue = lock(&self.queue);
        if queue.closed {
            return Err(command);
        }
        queue.commands.push_back(command);
        drop(queue);
        self.ready.notify_one();
        Ok(())
    }

    /// After the thread: nobody would ever answer what is still waiting.
    fn refuse_the_rest(&self) {
        let commands = {
            let mut queue = lock(&self.queue);
            queue.closed = true;
            std::mem::take(&mut queue.commands)
        };
        let error = Error::new(
            Class::Fatal,
            "write to the embedded log",
            "its writer has ended",
        );
        for command in commands {
            match command {
                Command::Append(submission) => submission.account.fail(&submission.batch, &error),
                Command::Work(work) => work(Err(error.clone()))(Err(error.clone())),
            }
        }
    }

    /// Lets the thread end once the queue is empty.
    pub(super) fn close(&self) {
        lock(&self.queue).closed = true;
        self.ready.notify_one();
    }

    pub(super) fn names(&self) -> Arc<Topics> {
        Arc::clone(&lock(&self.names))
    }

    /// Looks into the durable topics.
    pub(super) fn catalog<T>(&self, look: impl FnOnce(&Catalog) -> T) -> T {
        look(&lock(&self.catalog))
    }

    /// Waits for commands; `None` at the end.
    fn take(&self) -> Option<Vec<Command>> {
        let mut queue = lock(&self.queue);
        while queue.commands.is_empty() {
            if queue.closed {
                return None;
            }
            queue = self
                .ready
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let mut bytes = 0;
        let mut taken = Vec::new();
        while bytes < GROUP_BYTES_MAX
            && let Some(command) = queue.commands.pop_front()
        {
            if let Command::Append(submission) = &command {
                bytes += submission.batch.memory_bytes();
            }
            taken.push(command);
        }
        Some(taken)
    }
}

/// What a group changed in the catalog beside the partitions of its appends.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    topics_added: bool,
    worked: bool,
    /// Whether anything was written at all; most work only reads.
    wrote: bool,
}

/// One group commit in the making.
pub(super) struct Group<'a> {
    pub(super) connection: &'a Connection,
    /// The topics with what this group changes.
    pub(super) catalog: &'a mut Catalog,
    /// Partitions for topics that a record names and that do not exist; `None` refuses them.
    auto_create: Option<u32>,
    pub(super) folder: &'a std::path::Path,
    /// The calendar's milliseconds at the start of the group.
    pub(super) now: i64,
    changes: Changes,
    pub(super) failure: Option<Error>,
}

impl Group<'_> {
    /// Notes that the store failed, which fails the group; gives the error on.
    pub(super) fn broken(&mut self, operation: &'static str, cause: &rusqlite::Error) -> Error {
        let error = error::sqlite(operation, self.folder, cause);
        self.failure.get_or_insert_with(|| error.clone());
        error
    }

    /// Index of topic `name`, created if that is allowed.
    pub(super) fn topic_for_write(&mut self, name: &str) -> Result<usize> {
        if let Some(index) = self.catalog.find(name) {
            return Ok(index);
        }
        let Some(partitions) = self.auto_create else {
            let cause = format!("there is no topic {name} and auto.create.topics is off");
            return Err(Error::new(Class::NotFound, "send", cause));
        };
        check_topic_name(name)?;
        self.add_topic("send", name, partitions)
    }

    /// Adds a topic.
    pub(super) fn add_topic(
        &mut self,
        operation: &'static str,
        name: &str,
        partitions: u32,
    ) -> Result<usize> {
        let insert = "INSERT INTO topic (name, partitions) VALUES (?1, ?2)";
        match self
            .connection
            .execute(insert, rusqlite::params![name, partitions])
        {
            Ok(_) => {
                self.changes.topics_added = true;
                Ok(self
                    .catalog
                    .add(name, self.connection.last_insert_rowid(), partitions))
            }
            Err(cause) => Err(self.broken(operation, &cause)),
        }
    }

    /// Where `partition` is and what it holds.
    pub(super) fn locate(
        &self,
        operation: &'static str,
        partition: &TopicPartition,
    ) -> Result<(i64, super::catalog::Bounds)> {
        self.catalog
            .locate(partition)
            .ok_or_else(|| no_partition(operation, partition))
    }
}

/// The error of a partition that does not exist.
#[cold]
pub(super) fn no_partition(operation: &'static str, partition: &TopicPartition) -> Error {
    Error::new(Class::NotFound, operation, "there is no such partition").at(partition)
}

/// The thread's own things.
pub(super) struct Writer {
    pub(super) folder: Folder,
    pub(super) connection: Connection,
    pub(super) shared: Arc<Shared>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) auto_create: Option<u32>,
}

/// Answers what is left when the thread ends, however it ends.
struct LastWords(Arc<Shared>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.refuse_the_rest();
    }
}

/// A batch of this group whose outcome waits for the commit.
struct Pending {
    submission: Box<Submission>,
    outcomes: Vec<Acknowledgement>,
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub(super) fn run(mut self) {
        let _last_words = LastWords(Arc::clone(&self.shared));
        let mut appender = Appender::default();
        let mut catalog = self.shared.catalog(Catalog::clone);
        while let Some(commands) = self.shared.take() {
            let mut pending = Vec::new();
            let mut finishes = Vec::new();
            let written = {
                let mut steps = Steps {
                    pending: &mut pending,
                    finishes: &mut finishes,
                };
                self.write_group(commands, &mut appender, &mut catalog, &mut steps)
            };
            match &written {
                Ok(changes) => self.publish(&catalog, &pending, *changes),
                Err(_) => {
                    appender.forget();
                    self.reload(&mut catalog);
                }
            }
            let outcome = written.map(drop);
            for Pending {
                submission,
                outcomes,
            } in pending
            {
                match &outcome {
                    Ok(()) => {
                        let bytes = submission.batch.memory_bytes();
                        submission.account.complete(bytes, outcomes);
                    }
                    Err(error) => submission.account.fail(&submission.batch, error),
                }
            }
            for finish in finishes {
                finish(outcome.clone());
            }
        }
    }

    fn write_group(
        &mut self,
        commands: Vec<Command>,
        appender: &mut Appender,
        catalog: &mut Catalog,
        steps: &mut Steps<'_>,
    ) -> Result<Changes> {
        const OPERATION: &str = "write to the embedded log";
        let folder = self.folder.path().to_owned();
        let broken = |cause| error::sqlite(OPERATION, &folder, &cause);
        let begun = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = match begun.map_err(broken) {
            Ok(transaction) => transaction,
            Err(error) => {
                steps.refuse(commands, &error);
                return Err(error);
            }
        };
        let changes_before = transaction.total_changes();
        let mut group = Group {
            connection: &transaction,
            catalog,
            auto_create: self.auto_create,
            folder: &folder,
            now: self.clock.wall().as_millis(),
            changes: Changes::default(),
            failure: None,
        };
        for command in commands {
            steps.apply(command, &mut group, appender);
        }
        if group.failure.is_none()
            && let Err(cause) = appender.finish(&mut group)
        {
            group.broken(OPERATION, &cause);
        }
        let wrote = transaction.total_changes() != changes_before;
        let changes = Changes {
            wrote,
            ..group.changes
        };
        match group.failure.take() {
            Some(error) => Err(error),
            None => transaction.commit().map_err(broken).map(|()| changes),
        }
    }

    /// After a failure: what is on the disk counts.
    fn reload(&self, catalog: &mut Catalog) {
        match Catalog::load(&self.connection) {
            Ok(loaded) => *catalog = loaded,
            // Unreadable: the published topics are the last that were durable.
            Err(_) => *catalog = self.shared.catalog(Catalog::clone),
        }
    }

    fn publish(&self, catalog: &Catalog, pending: &[Pending], changes: Changes) {
        let shared = &self.shared;
        if !changes.wrote {
            return;
        }
        {
            let mut published = lock(&shared.catalog);
            // Work may change any bounds, and it is rare; appends change only what they name.
            if changes.topics_added || changes.worked {
                published.clone_from(catalog);
            } else {
                for pending in pending {
                    publish_bounds(&mut published, catalog, &pending.outcomes);
                }
            }
        }
        if changes.topics_added {
            *lock(&shared.names) = Arc::new(catalog.names());
        }
        shared.changes.send_modify(|count| *count += 1);
    }
}

fn publish_bounds(published: &mut Catalog, catalog: &Catalog, outcomes: &[Acknowledgement]) {
    let placements = outcomes
        .iter()
        .filter_map(|outcome| outcome.outcome.as_ref().ok())
        .flatten();
    for placement in placements {
        let Some(index) = catalog.find(&placement.partition.topic) else {
            continue;
        };
        let Ok(number) = u32::try_from(placement.partition.partition) else {
            continue;
        };
        if let Some((_, bounds)) = catalog.locate(&placement.partition)
            && let Some(old) = published.bounds_mut(index, number)
        {
            *old = bounds;
        }
    }
}

/// What a group leaves to be told.
struct Steps<'a> {
    pending: &'a mut Vec<Pending>,
    finishes: &'a mut Vec<Finish>,
}

impl Steps<'_> {
    fn apply(&mut self, command: Command, group: &mut Group<'_>, appender: &mut Appender) {
        match command {
            Command::Append(submission) => {
                if let Some(error) = submission.account.broken() {
                    submission.account.fail(&submission.batch, &error);
                    return;
                }
                let mut outcomes = Vec::new();
                if group.failure.is_none() {
                    match appender.add(group, &submission) {
                        Ok(done) => outcomes = done.finish(),
                        Err(cause) => drop(group.broken("write to the embedded log", &cause)),
                    }
                }
                self.pending.push(Pending {
                    submission,
                    outcomes,
                });
            }
            Command::Work(work) => {
                // What was sent before is in the tables before the work looks at them.
                if group.failure.is_none()
                    && let Err(cause) = appender.finish(group)
                {
                    group.broken("write to the embedded log", &cause);
                }
                group.changes.worked = true;
                let finish = work(Ok((group, appender)));
                self.finishes.push(finish);
            }
        }
    }

    fn refuse(&mut self, commands: Vec<Command>, error: &Error) {
        for command in commands {
            match command {
                Command::Append(submission) => {
                    self.pending.push(Pending {
                        submission,
                        outcomes: Vec::new(),
                    });
                }
                Command::Work(work) => self.finishes.push(work(Err(error.clone()))),
            }
        }
    }
}

/// Runs `work` in the writer's next group; the answer comes when the group is durable.
pub(super) async fn run_work<T: Send + 'static>(
    shared: &Shared,
    operation: &'static str,
    work: impl FnOnce(&mut Group<'_>, &mut Appender) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = oneshot::channel();
    let command = Command::Work(Box::new(move |entered| {
        let answer = entered.and_then(|(group, appender)| match &group.failure {
            Some(error) => Err(error.clone()),
            None => work(group, appender),
        });
        Box::new(move |committed| {
            // Nobody waits any more if the caller's time was over.
            let _ = sender.send(committed.and(answer));
        })
    }));
    let closed = || {
        Error::new(
            Class::Fatal,
            operation,
            "the embedded log is closed or failed",
        )
    };
    shared.push(command).map_err(|_| closed())?;
    receiver.await.map_err(|_| closed())?
}
