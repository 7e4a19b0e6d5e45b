//! The embedded log: topics in one file of one folder, for the standalone worker.
//!
//! What it promises, and what its tests show:
//!
//! - An acknowledged record, commit or offset survives `kill -9` and, as far as the disk keeps its
//!   word about `fsync`, a power failure (SQLite, write-ahead log, `synchronous=FULL`).
//! - A transaction is one transaction of SQLite. Aborted ones are never written, so readers of both
//!   isolation levels see the same and the last stable offset is the end.
//! - One process owns the folder; a second gets an error.
//! - Damage is an error that names topic, partition and offset, never a panic.
//! - Memory is bounded: producers by their buffers, the writer by its group, readers by one batch per
//!   partition.
//!
//! It is not a broker: no replication, no retention (see `delete_records`), no compaction.

mod append;
mod catalog;
mod error;
mod reader;
mod schema;
mod tables;
mod writer;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use async_trait::async_trait;
use tokio::sync::watch;

use super::error::{Class, Error, Result};
use super::local::{End, GroupOffsets, Identity, Local, Reader, Storage, Submission, Topics, lock};
use super::port::{Admin, Cluster, Consumer, Producer, TxnProducer};
use super::types::{
    Acknowledgement, AdminConfig, ClusterDescription, ConsumerConfig, Isolation, NewTopic,
    OffsetSpec, Offsets, ProducerConfig,
};
use crate::ids::TopicPartition;
use crate::time::{Clock, Span, SystemClock};
use catalog::Catalog;
use reader::LogReader;
use schema::Folder;
use writer::{Command, Finish, Group, Shared, Writer, run_work};

/// Where a log lives and how it treats topics that do not exist.
#[derive(Clone, Debug)]
pub struct EmbeddedConfig {
    /// Folder of the log; made if it does not exist.
    pub folder: PathBuf,
    /// Partitions of a topic that a record names and that does not exist; `None` refuses the record
    /// (`auto.create.topics.enable`, `num.partitions`).
    pub auto_create_partitions: Option<u32>,
    /// Largest size of the file in bytes; beyond it writes fail as on a full disk.
    pub bytes_max: Option<u64>,
    /// Where timestamps come from.
    pub clock: Arc<dyn Clock>,
}

impl EmbeddedConfig {
    /// The log in `folder`, with topics of one partition made on demand and no limit.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            auto_create_partitions: Some(1),
            bytes_max: None,
            clock: Arc::new(SystemClock::new()),
        }
    }
}

/// A [`Cluster`] that keeps everything in one folder. When it and all its clients are dropped, what
/// was accepted is written and the folder is free.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    local: Local,
}

impl EmbeddedLog {
    /// Takes the folder and reads what is in it. Blocks on the disk for a moment.
    ///
    /// # Errors
    /// `Fatal`, naming the folder: owned by another process, no folder, not writable, damaged, or of
    /// a newer version.
    pub fn open(config: EmbeddedConfig) -> Result<Self> {
        Ok(Self {
            local: Local::new(Arc::new(LogStorage::open(config)?)),
        })
    }
}

#[async_trait]
impl Cluster for EmbeddedLog {
    async fn producer(&self, config: ProducerConfig, within: Span) -> Result<Arc<dyn Producer>> {
        self.local.producer(config, within).await
    }

    async fn txn_producer(
        &self,
        config: ProducerConfig,
        id: &str,
        within: Span,
    ) -> Result<Arc<dyn TxnProducer>> {
        self.local.txn_producer(config, id, within).await
    }

    async fn consumer(&self, config: ConsumerConfig, within: Span) -> Result<Arc<dyn Consumer>> {
        self.local.consumer(config, within).await
    }

    async fn admin(&self, config: AdminConfig, within: Span) -> Result<Arc<dyn Admin>> {
        self.local.admin(config, within).await
    }
}

/// Batches of open transactions, kept in memory until they commit.
#[derive(Debug, Default)]
struct Staged {
    epoch: i64,
    submissions: Vec<Submission>,
}

impl Staged {
    fn fail(self, error: &Error) {
        for submission in self.submissions {
            submission.account.fail(&submission.batch, error);
        }
    }
}

#[derive(Debug)]
struct LogStorage {
    shared: Arc<Shared>,
    cluster_id: String,
    transactions: Mutex<HashMap<String, Staged>>,
    thread: Option<JoinHandle<()>>,
}

impl LogStorage {
    fn open(config: EmbeddedConfig) -> Result<Self> {
        const OPERATION: &str = "open the embedded log";
        let folder = Folder::own(&config.folder)?;
        let connection = folder.open(config.bytes_max)?;
        let broken = |cause| error::sqlite(OPERATION, &config.folder, &cause);
        let catalog = Catalog::load(&connection).map_err(broken)?;
        let cluster_id: String = connection
            .query_row(
                "SELECT value FROM meta WHERE key = 'cluster_id'",
                [],
                |row| row.get(0),
            )
            .map_err(broken)?;
        let shared = Arc::new(Shared::new(config.folder.clone(), catalog));
        let writer = Writer {
            folder,
            connection,
            shared: Arc::clone(&shared),
            clock: config.clock,
            auto_create: config.auto_create_partitions,
        };
        let thread = std::thread::Builder::new()
            .name("embedded-log".to_owned())
            .spawn(move || writer.run())
            .map_err(|cause| error::file(OPERATION, &config.folder, &cause))?;
        let thread = Some(thread);
        Ok(Self {
            shared,
            cluster_id,
            transactions: Mutex::default(),
            thread,
        })
    }

    async fn work<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&mut Group<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        run_work(&self.shared, operation, move |group, _| work(group)).await
    }

    fn take_staged(&self, identity: &Identity) -> Staged {
        let mut transactions = lock(&self.transactions);
        match transactions.get_mut(&identity.id) {
            Some(staged) if staged.epoch == identity.epoch => Staged {
                epoch: staged.epoch,
                submissions: std::mem::take(&mut staged.submissions),
            },
            _ => Staged::default(),
        }
    }

    async fn commit(&self, identity: Arc<Identity>, offsets: GroupOffsets) -> Result<()> {
        let Staged { submissions, .. } = self.take_staged(&identity);
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let work = Command::Work(Box::new(move |entered| {
            let written = entered.and_then(|(group, appender)| match group.failure.clone() {
                Some(error) => Err(error),
                None => tables::commit(group, appender, &identity, &submissions, &offsets),
            });
            Box::new(move |committed: Result<()>| {
                let outcome = committed.and(written);
                let _ = sender.send(finish_commit(submissions, outcome));
            }) as Finish
        }));
        let closed = || {
            Error::new(
                Class::Fatal,
                "commit",
                "the embedded log is closed or failed",
            )
        };
        self.shared.push(work).map_err(|_| closed())?;
        receiver.await.map_err(|_| closed())?
    }
}

/// Tells the producer what became of the batches of a transaction.
fn finish_commit(
    submissions: Vec<Submission>,
    outcome: Result<Vec<Vec<Acknowledgement>>>,
) -> Result<()> {
    match outcome {
        Ok(outcomes) => {
            for (submission, outcomes) in submissions.into_iter().zip(outcomes) {
                let bytes = submission.batch.memory_bytes();
                submission.account.complete(bytes, outcomes);
            }
            Ok(())
        }
        Err(error) => {
            Staged {
                epoch: 0,
                submissions,
            }
            .fail(&error);
            Err(error)
        }
    }
}

impl Drop for LogStorage {
    /// Waits until the thread has written what was accepted and given the folder free.
    fn drop(&mut self) {
        self.shared.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(folder = %self.shared.folder.display(), "the log's writer panicked");
        }
    }
}

#[async_trait]
impl Storage for LogStorage {
    fn topics(&self) -> Arc<Topics> {
        self.shared.names()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    fn reachable(&self, _operation: &'static str) -> Result<()> {
        Ok(())
    }

    fn buffer_bytes(&self, config: &ProducerConfig) -> usize {
        config.buffer_bytes
    }

    fn buffers_transactions(&self) -> bool {
        true
    }

    fn append(&self, submission: Submission) {
        let Some(identity) = submission.transaction.clone() else {
            let command = Command::Append(Box::new(submission));
            if let Err(Command::Append(refused)) = self.shared.push(command) {
                let error = Error::new(Class::Fatal, "send", "the embedded log is closed");
                refused.account.fail(&refused.batch, &error);
            }
            return;
        };
        let mut transactions = lock(&self.transactions);
        match transactions.get_mut(&identity.id) {
            Some(staged) if staged.epoch == identity.epoch => staged.submissions.push(submission),
            _ => submission
                .account
                .fail(&submission.batch, &identity.fenced("send")),
        }
    }

    fn reader(self: Arc<Self>) -> Result<Box<dyn Reader>> {
        let connection = Arc::new(Mutex::new(schema::open_reader(&self.shared.folder)?));
        Ok(Box::new(LogReader {
            connection,
            shared: Arc::clone(&self.shared),
        }))
    }

    async fn init_transactions(&self, id: &str) -> Result<Identity> {
        let name = id.to_owned();
        let work = move |group: &mut Group<'_>| tables::next_epoch(group, &name);
        let identity = self.work("initialise transactions", work).await?;
        let staged = Staged {
            epoch: identity.epoch,
            submissions: Vec::new(),
        };
        let old = {
            let mut transactions = lock(&self.transactions);
            match transactions.get(id) {
                // Two at once: the later epoch stays.
                Some(newer) if newer.epoch > identity.epoch => None,
                _ => transactions.insert(id.to_owned(), staged),
            }
        };
        if let Some(old) = old {
            let gone = Identity {
                id: id.to_owned(),
                epoch: old.epoch,
            };
            old.fail(&gone.fenced("send"));
        }
        Ok(identity)
    }

    fn check(&self, identity: &Identity, operation: &'static str) -> Result<()> {
        match lock(&self.transactions).get(&identity.id) {
            Some(staged) if staged.epoch == identity.epoch => Ok(()),
            _ => Err(identity.fenced(operation)),
        }
    }

    async fn end_transaction(&self, identity: Arc<Identity>, end: End) -> Result<()> {
        match end {
            End::Commit(offsets) => self.commit(identity, offsets).await,
            End::Abort => {
                self.abandon(&identity);
                Ok(())
            }
        }
    }

    fn abandon(&self, identity: &Identity) {
        let cause = "the transaction was aborted";
        let error = Error::new(Class::Abortable, "send", cause);
        self.take_staged(identity).fail(&error);
    }

    async fn create_topic(&self, topic: NewTopic) -> Result<()> {
        self.work("create topic", move |group| {
            tables::create_topic(group, &topic)
        })
        .await
    }

    async fn configs(&self, topic: &str) -> Result<BTreeMap<String, String>> {
        let topic = topic.to_owned();
        self.work("describe configs", move |group| {
            tables::configs(group, &topic)
        })
        .await
    }

    async fn offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
        _isolation: Isolation,
    ) -> Result<i64> {
        let partition = partition.clone();
        self.work("list offsets", move |group| {
            tables::offset(group, &partition, spec)
        })
        .await
    }

    async fn delete_records(&self, before: BTreeMap<TopicPartition, i64>) -> Result<()> {
        self.work("delete records", move |group| {
            tables::delete_records(group, &before)
        })
        .await
    }

    async fn group_offsets(&self, group_id: &str) -> Result<Option<Offsets>> {
        let id = group_id.to_owned();
        self.work("read group offsets", move |group| {
            tables::group_offsets(group, &id)
        })
        .await
    }

    async fn commit_offsets(&self, offsets: GroupOffsets) -> Result<()> {
        self.work("commit offsets", move |group| {
            tables::commit_offsets(group, &offsets)
        })
        .await
    }

    async fn forget_offsets(&self, group_id: &str, of: Option<Vec<TopicPartition>>) -> Result<()> {
        let id = group_id.to_owned();
        let forget = move |group: &mut Group<'_>| tables::forget_offsets(group, &id, of.as_deref());
        self.work("delete group offsets", forget).await
    }

    fn describe(&self) -> ClusterDescription {
        let brokers = vec![self.shared.folder.display().to_string()];
        ClusterDescription {
            id: self.cluster_id.clone(),
            brokers,
        }
    }
}
