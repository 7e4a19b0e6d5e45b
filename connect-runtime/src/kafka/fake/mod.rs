//! A Kafka cluster in memory, with the semantics of the real one as far as the ports show them, and
//! faults on order. Deterministic: it has no thread and no randomness, and group time-outs follow
//! tokio's clock, which tests can pause.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use ferroconnect_runtime::kafka::{BatchId, Class, Cluster, RecordBatch, fake::FakeCluster};
//! use ferroconnect_runtime::time::Span;
//! let cluster = FakeCluster::new();
//! cluster.fail_sends("orders", 1, Class::InvalidRecord);
//! let producer = cluster.producer(Default::default(), Span::secs(1)).await?;
//! let mut batch = RecordBatch::new(BatchId(1));
//! let topic = batch.topic("orders")?;
//! batch.push_copy(topic, None, Some(b"v"))?;
//! producer.send(&mut batch, Span::secs(1)).await?;
//! let outcomes = producer.acknowledged(Span::secs(1)).await?;
//! assert_eq!(outcomes[0].outcome.as_ref().unwrap_err().class(), Class::InvalidRecord);
//! # Ok::<(), ferroconnect_runtime::kafka::Error>(())
//! # }).unwrap();
//! ```

mod log;
mod script;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::sync::watch;

use super::batch::RowRef;
use super::error::{Class, Error, Result};
use super::local::codec::{BlobBuilder, Cursor};
use super::local::{
    End, Fetched, GroupOffsets, Identity, Local, Outcomes, Reader, Storage, Submission, Topics,
    check_topic_name, lock, partitioner,
};
use super::port::{Admin, Cluster, Consumer, Producer, TxnProducer};
use super::types::{
    AdminConfig, ClusterDescription, ConsumerConfig, Isolation, NewTopic, OffsetSpec, Offsets,
    ProducerConfig, Record,
};
use crate::ids::TopicPartition;
use crate::time::Span;
use log::{Entry, Fate, PartitionLog};
use script::Script;

/// The timestamp of records that come without one: the fake has no calendar.
pub const FAKE_NOW_MILLIS: i64 = 1_700_000_000_000;

/// A cluster in memory; clones are the same cluster.
#[derive(Clone, Debug)]
pub struct FakeCluster {
    storage: Arc<FakeStorage>,
    local: Local,
}

impl FakeCluster {
    /// An empty cluster that makes topics of one partition on demand.
    pub fn new() -> Self {
        Self::with_auto_create(Some(1))
    }

    /// An empty cluster that makes topics of so many partitions on demand, or none.
    pub fn with_auto_create(partitions: Option<u32>) -> Self {
        let storage = Arc::new(FakeStorage {
            state: Mutex::default(),
            changes: watch::Sender::new(0),
            auto_create: partitions,
        });
        let local = Local::new(Arc::clone(&storage) as Arc<dyn Storage>);
        Self { storage, local }
    }

    /// The next `batches` batches with rows for `topic` get an outcome of `class` for those rows.
    pub fn fail_sends(&self, topic: &str, batches: u32, class: Class) {
        self.storage
            .with(|state| state.script.fail(topic, batches, class));
    }

    /// Records are written, but nobody is told until [`FakeCluster::release_acks`].
    pub fn hold_acks(&self) {
        self.storage.with(|state| state.script.hold_acks = true);
    }

    /// Tells what was kept back, in order, and keeps nothing back any more.
    pub fn release_acks(&self) {
        let held = self.storage.with(|state| {
            state.script.hold_acks = false;
            std::mem::take(&mut state.script.held)
        });
        for (account, bytes, outcomes) in held {
            account.complete(bytes, outcomes);
        }
    }

    /// Every call fails with class `Retriable` until [`FakeCluster::reconnect`].
    pub fn disconnect(&self) {
        self.storage.with(|state| state.script.disconnected = true);
        self.storage.announce();
    }

    /// Ends [`FakeCluster::disconnect`].
    pub fn reconnect(&self) {
        self.storage.with(|state| state.script.disconnected = false);
        self.storage.announce();
    }

    /// Producers made from now on buffer at most `bytes`, whatever they ask for.
    pub fn cap_buffer(&self, bytes: usize) {
        self.storage
            .with(|state| state.script.buffer_bytes_max = Some(bytes));
    }

    /// Throws all members of `group` out; each finds its partitions lost at its next poll.
    pub fn expel_members(&self, group: &str) {
        self.local.expel_all(group);
    }

    /// Flips one byte of the last batch of `partition`.
    pub fn damage_last_batch(&self, partition: &TopicPartition) {
        self.storage.with(|state| {
            let log = state.log(partition);
            if let Some(entry) = log.and_then(|log| log.entries.last_mut()) {
                let mut bytes = entry.blob.to_vec();
                if let Some(last) = bytes.last_mut() {
                    *last ^= 1;
                }
                entry.blob = bytes.into();
            }
        });
    }

    /// The committed records of `partition`.
    ///
    /// # Errors
    /// `Fatal` for a damaged batch.
    pub fn records(&self, partition: &TopicPartition) -> Result<Vec<Record>> {
        let entries = self.storage.with(|state| {
            let log = state.log(partition);
            log.map(|log| log.entries.clone()).unwrap_or_default()
        });
        let mut records = Vec::new();
        for entry in entries
            .into_iter()
            .filter(|entry| entry.fate == Fate::Committed)
        {
            let mut cursor = Cursor::open(partition, entry.base_offset, entry.count, entry.blob)?;
            while let Some(record) = cursor.next_record()? {
                records.push(record);
            }
        }
        Ok(records)
    }
}

impl Default for FakeCluster {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Cluster for FakeCluster {
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

#[derive(Debug)]
struct FakeStorage {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
    auto_create: Option<u32>,
}

#[derive(Debug, Default)]
struct State {
    topics: BTreeMap<Arc<str>, FakeTopic>,
    groups: BTreeMap<String, Offsets>,
    epochs: BTreeMap<String, i64>,
    script: Script,
}

#[derive(Debug, Default)]
struct FakeTopic {
    partitions: Vec<PartitionLog>,
    configs: BTreeMap<String, String>,
}

impl State {
    fn log(&mut self, partition: &TopicPartition) -> Option<&mut PartitionLog> {
        let number = usize::try_from(partition.partition).ok()?;
        self.topics
            .get_mut(&partition.topic)?
            .partitions
            .get_mut(number)
    }

    fn log_or_missing(
        &mut self,
        operation: &'static str,
        partition: &TopicPartition,
    ) -> Result<&mut PartitionLog> {
        self.log(partition).ok_or_else(|| {
            Error::new(Class::NotFound, operation, "there is no such partition").at(partition)
        })
    }

    fn add_topic(&mut self, name: &str, partitions: u32, configs: BTreeMap<String, String>) {
        let partitions = (0..partitions).map(|_| PartitionLog::default()).collect();
        self.topics.insert(
            name.into(),
            FakeTopic {
                partitions,
                configs,
            },
        );
    }

    fn is_newest(&self, identity: &Identity) -> bool {
        self.epochs.get(&identity.id) == Some(&identity.epoch)
    }

    fn end_open(&mut self, id: &str, fate: Fate) {
        for log in self
            .topics
            .values_mut()
            .flat_map(|topic| &mut topic.partitions)
        {
            log.end_transaction(id, fate);
        }
    }

    /// The partition `row` goes to.
    fn route(
        &mut self,
        row: &RowRef<'_>,
        auto_create: Option<u32>,
        limit: usize,
    ) -> Result<TopicPartition> {
        let place = || TopicPartition::new(row.topic, row.partition.unwrap_or(-1));
        if row.payload_bytes() > limit {
            let cause = format!(
                "a record of {} bytes; the limit is {limit}",
                row.payload_bytes()
            );
            return Err(Error::new(Class::InvalidRecord, "send", cause).at(&place()));
        }
        if !self.topics.contains_key(row.topic) {
            let Some(partitions) = auto_create else {
                let cause = format!("there is no topic {}", row.topic);
                return Err(Error::new(Class::NotFound, "send", cause));
            };
            check_topic_name(row.topic)?;
            self.add_topic(row.topic, partitions, BTreeMap::new());
        }
        let (name, topic) = self
            .topics
            .get_key_value(row.topic)
            .ok_or_else(|| Error::new(Class::NotFound, "send", "the topic is gone"))?;
        let count = u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
        let number = match (row.partition, row.key) {
            (Some(number), _) => number,
            (None, Some(key)) => partitioner::keyed(key, count).cast_signed(),
            (None, None) => 0,
        };
        if number.cast_unsigned() >= count {
            let cause = format!("the topic has {count} partitions");
            return Err(Error::new(Class::InvalidRecord, "send", cause).at(&place()));
        }
        Ok(TopicPartition::new(Arc::clone(name), number))
    }

    fn append(&mut self, submission: &Submission, auto_create: Option<u32>) -> Outcomes {
        let mut outcomes = Outcomes::new(submission.batch.id());
        let mut failures: BTreeMap<usize, Option<Error>> = BTreeMap::new();
        let mut builders: BTreeMap<TopicPartition, BlobBuilder> = BTreeMap::new();
        let limit = submission.account.record_bytes_max;
        for (number, row) in (0..).zip(submission.batch.rows()) {
            let scripted = failures
                .entry(row.slot.index())
                .or_insert_with(|| self.script.next_failure(row.topic));
            let routed = match scripted {
                Some(error) => Err(error.clone()),
                None => self.route(&row, auto_create, limit),
            };
            match routed {
                Err(error) => outcomes.failed(number, error),
                Ok(partition) => {
                    let end = self.log(&partition).map_or(0, |log| log.end);
                    let builder = builders.entry(partition.clone()).or_default();
                    let offset = end + i64::from(builder.count());
                    builder.push(&row, FAKE_NOW_MILLIS);
                    outcomes.placed(number, &partition, offset);
                }
            }
        }
        let writer = submission
            .transaction
            .as_ref()
            .map(|identity| identity.id.clone());
        let fate = if writer.is_some() {
            Fate::Open
        } else {
            Fate::Committed
        };
        for (partition, mut builder) in builders {
            let Some(log) = self.log(&partition) else {
                continue;
            };
            log.append(Entry {
                base_offset: log.end,
                count: builder.count(),
                max_timestamp: builder.max_timestamp(),
                blob: builder.seal().to_vec().into(),
                writer: writer.clone(),
                fate,
            });
        }
        outcomes
    }
}

impl FakeStorage {
    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut lock(&self.state))
    }

    fn announce(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

#[async_trait]
impl Storage for FakeStorage {
    fn topics(&self) -> Arc<Topics> {
        self.with(|state| {
            let count = |topic: &FakeTopic| u32::try_from(topic.partitions.len()).unwrap_or(0);
            let topics = state
                .topics
                .iter()
                .map(|(name, topic)| (Arc::clone(name), count(topic)));
            Arc::new(topics.collect())
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn reachable(&self, operation: &'static str) -> Result<()> {
        if self.with(|state| state.script.disconnected) {
            return Err(Error::new(
                Class::Retriable,
                operation,
                "the fake cluster is disconnected",
            ));
        }
        Ok(())
    }

    fn buffer_bytes(&self, config: &ProducerConfig) -> usize {
        let cap = self.with(|state| state.script.buffer_bytes_max);
        config.buffer_bytes.min(cap.unwrap_or(usize::MAX))
    }

    fn buffers_transactions(&self) -> bool {
        false
    }

    fn append(&self, submission: Submission) {
        let bytes = submission.batch.memory_bytes();
        let outcomes = self.with(|state| {
            if let Some(identity) = &submission.transaction
                && !state.is_newest(identity)
            {
                return Err(identity.fenced("send"));
            }
            let outcomes = state.append(&submission, self.auto_create).finish();
            if state.script.hold_acks {
                state
                    .script
                    .held
                    .push((Arc::clone(&submission.account), bytes, outcomes));
                return Ok(None);
            }
            Ok(Some(outcomes))
        });
        match outcomes {
            Ok(Some(outcomes)) => submission.account.complete(bytes, outcomes),
            Ok(None) => {}
            Err(error) => submission.account.fail(&submission.batch, &error),
        }
        self.announce();
    }

    fn reader(self: Arc<Self>) -> Result<Box<dyn Reader>> {
        Ok(Box::new(FakeReader(self)))
    }

    async fn init_transactions(&self, id: &str) -> Result<Identity> {
        let identity = self.with(|state| {
            let epoch = state.epochs.get(id).map_or(0, |epoch| epoch + 1);
            state.epochs.insert(id.to_owned(), epoch);
            state.end_open(id, Fate::Aborted);
            Identity {
                id: id.to_owned(),
                epoch,
            }
        });
        self.announce();
        Ok(identity)
    }

    fn check(&self, identity: &Identity, operation: &'static str) -> Result<()> {
        let newest = self.with(|state| state.is_newest(identity));
        if newest {
            Ok(())
        } else {
            Err(identity.fenced(operation))
        }
    }

    async fn end_transaction(&self, identity: Arc<Identity>, end: End) -> Result<()> {
        self.check(&identity, "end a transaction")?;
        self.with(|state| match end {
            End::Commit(offsets) => {
                state.end_open(&identity.id, Fate::Committed);
                for (group, offsets) in offsets {
                    state.groups.entry(group).or_default().extend(offsets);
                }
            }
            End::Abort => state.end_open(&identity.id, Fate::Aborted),
        });
        self.announce();
        Ok(())
    }

    /// As with a broker, the transaction stays open until the id is used again.
    fn abandon(&self, _identity: &Identity) {}

    async fn create_topic(&self, topic: NewTopic) -> Result<()> {
        self.with(|state| {
            if state.topics.contains_key(topic.name.as_str()) {
                let cause = format!("topic {} exists", topic.name);
                return Err(Error::new(Class::AlreadyExists, "create topic", cause));
            }
            state.add_topic(&topic.name, topic.partitions.unwrap_or(1), topic.configs);
            Ok(())
        })?;
        self.announce();
        Ok(())
    }

    async fn configs(&self, topic: &str) -> Result<BTreeMap<String, String>> {
        let configs = self.with(|state| state.topics.get(topic).map(|topic| topic.configs.clone()));
        configs.ok_or_else(|| {
            Error::new(
                Class::NotFound,
                "describe configs",
                format!("there is no topic {topic}"),
            )
        })
    }

    async fn offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
        isolation: Isolation,
    ) -> Result<i64> {
        self.with(|state| {
            let log = state.log_or_missing("list offsets", partition)?;
            match spec {
                OffsetSpec::Earliest => Ok(log.start),
                OffsetSpec::Latest => Ok(log.end_for(isolation)),
                OffsetSpec::Timestamp(timestamp) => by_time(log, partition, timestamp),
            }
        })
    }

    async fn delete_records(&self, before: BTreeMap<TopicPartition, i64>) -> Result<()> {
        self.with(|state| {
            for (partition, offset) in &before {
                let end = state.log_or_missing("delete records", partition)?.end;
                if !(0..=end).contains(offset) {
                    let cause = format!("offset {offset} is not between 0 and the end {end}");
                    return Err(
                        Error::new(Class::InvalidRequest, "delete records", cause).at(partition)
                    );
                }
            }
            for (partition, offset) in &before {
                state
                    .log_or_missing("delete records", partition)?
                    .delete_before(*offset);
            }
            Ok(())
        })
    }

    async fn group_offsets(&self, group: &str) -> Result<Option<Offsets>> {
        Ok(self.with(|state| state.groups.get(group).cloned()))
    }

    async fn commit_offsets(&self, offsets: GroupOffsets) -> Result<()> {
        self.with(|state| {
            for (group, offsets) in offsets {
                state.groups.entry(group).or_default().extend(offsets);
            }
        });
        Ok(())
    }

    async fn forget_offsets(&self, group: &str, of: Option<Vec<TopicPartition>>) -> Result<()> {
        self.with(|state| match of {
            None => drop(state.groups.remove(group)),
            Some(partitions) => {
                if let Some(offsets) = state.groups.get_mut(group) {
                    offsets.retain(|partition, _| !partitions.contains(partition));
                }
            }
        });
        Ok(())
    }

    fn describe(&self) -> ClusterDescription {
        ClusterDescription {
            id: "fake".to_owned(),
            brokers: vec!["fake:9092".to_owned()],
        }
    }
}

fn by_time(log: &PartitionLog, partition: &TopicPartition, timestamp: i64) -> Result<i64> {
    for entry in log
        .entries
        .iter()
        .filter(|entry| entry.max_timestamp >= timestamp)
    {
        let blob = entry.blob.clone();
        let mut cursor = Cursor::open(partition, entry.base_offset, entry.count, blob)?;
        while let Some(record) = cursor.next_record()? {
            if record.timestamp >= timestamp && record.offset >= log.start {
                return Ok(record.offset);
            }
        }
    }
    Ok(log.end)
}

/// Looks into the same state as the cluster.
#[derive(Debug)]
struct FakeReader(Arc<FakeStorage>);

#[async_trait]
impl Reader for FakeReader {
    async fn fetch(
        &self,
        positions: Vec<(TopicPartition, i64)>,
        isolation: Isolation,
        bytes_max: usize,
    ) -> Result<Vec<Option<Fetched>>> {
        self.0.with(|state| {
            let mut bytes = 0;
            let mut answers = Vec::with_capacity(positions.len());
            for (partition, position) in &positions {
                if bytes >= bytes_max {
                    answers.push(None);
                    continue;
                }
                let fetched = state
                    .log_or_missing("poll", partition)?
                    .fetch(*position, isolation);
                bytes += fetched.record_bytes();
                answers.push(Some(fetched));
            }
            Ok(answers)
        })
    }
}
