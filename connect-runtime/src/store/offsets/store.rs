use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, warn};

use super::record::{Entry, key_bytes, parse, value_bytes};
use super::state::OffsetState;
use crate::api::port::OffsetReader;
use crate::api::{SourceOffset, SourcePartition};
use crate::error::{Error, Fault};
use crate::ids::TopicPartition;
use crate::kafka::{
    AdminConfig, BatchId, Class, Cluster, ConsumerConfig, IgnoreRebalance, Isolation, NewTopic,
    OffsetSpec, Producer, ProducerConfig, RecordBatch,
};
use crate::time::Span;

/// The topic of source offsets.
pub const OFFSETS_TOPIC: &str = "connect-offsets";

/// Source offsets of all connectors of a worker. One task owns them; clones send it requests.
#[derive(Clone, Debug)]
pub struct OffsetStore {
    requests: mpsc::Sender<Request>,
}

#[derive(Debug)]
enum Request {
    Read {
        connector: Arc<str>,
        partitions: Vec<SourcePartition>,
        answer: oneshot::Sender<Vec<Option<SourceOffset>>>,
    },
    Write {
        entries: Vec<Entry>,
        within: Span,
        answer: oneshot::Sender<Result<(), Error>>,
    },
    Close {
        answer: oneshot::Sender<()>,
    },
}

impl OffsetStore {
    /// Makes the topic if it is missing, reads it to its end, and starts to serve. The store ends when its last clone is dropped.
    ///
    /// # Errors
    /// The cluster does not answer `within` the time, or the topic is damaged.
    pub async fn open(cluster: &dyn Cluster, within: Span) -> Result<Self, Error> {
        let partitions = ensure_topic(cluster, within).await?;
        let state = read_all(cluster, partitions, within).await?;
        let config = ProducerConfig {
            client_id: "connect-offsets".to_owned(),
            ..ProducerConfig::default()
        };
        let producer = cluster.producer(config, within).await?;
        let (requests, waiting) = mpsc::channel(REQUESTS_MAX);
        tokio::spawn(serve(waiting, state, producer));
        Ok(Self { requests })
    }

    /// Ends the store, whoever still holds a clone, and lets go of the cluster. Requests fail from then on.
    pub async fn close(&self) {
        let (answer, closed) = oneshot::channel();
        if self.requests.send(Request::Close { answer }).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// The offsets of one connector.
    pub fn connector(&self, connector: &str) -> ConnectorOffsets {
        ConnectorOffsets {
            store: self.clone(),
            connector: connector.into(),
        }
    }
}

/// The source offsets of one connector.
#[derive(Clone, Debug)]
pub struct ConnectorOffsets {
    store: OffsetStore,
    connector: Arc<str>,
}

impl ConnectorOffsets {
    /// Stores offsets; they are durable when this returns.
    ///
    /// # Errors
    /// They could not be written `within` the time. Whether they were is unknown then; writing them again does no harm.
    pub async fn write(
        &self,
        offsets: impl IntoIterator<Item = (SourcePartition, SourceOffset)>,
        within: Span,
    ) -> Result<(), Error> {
        let entry = |(partition, offset)| Entry {
            connector: self.connector.to_string(),
            partition,
            offset,
        };
        let entries: Vec<Entry> = offsets.into_iter().map(entry).collect();
        let (answer, answered) = oneshot::channel();
        self.store
            .requests
            .send(Request::Write {
                entries,
                within,
                answer,
            })
            .await
            .map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

#[async_trait]
impl OffsetReader for ConnectorOffsets {
    async fn offsets(
        &self,
        partitions: &[SourcePartition],
    ) -> Result<Vec<Option<SourceOffset>>, Error> {
        let (answer, answered) = oneshot::channel();
        let request = Request::Read {
            connector: Arc::clone(&self.connector),
            partitions: partitions.to_vec(),
            answer,
        };
        self.store
            .requests
            .send(request)
            .await
            .map_err(|_| closed())?;
        answered.await.map_err(|_| closed())
    }
}

fn closed() -> Error {
    Error::new(Fault::Transient, "the store of source offsets is closed")
        .next_step("the worker is shutting down")
}

/// Gives the number of partitions.
async fn ensure_topic(cluster: &dyn Cluster, within: Span) -> Result<u32, Error> {
    let admin = cluster.admin(AdminConfig::default(), within).await?;
    if let Some(topic) = admin
        .describe_topics(&[OFFSETS_TOPIC], within)
        .await?
        .into_iter()
        .find(|topic| topic.name == OFFSETS_TOPIC)
    {
        return Ok(topic.partitions);
    }
    let mut topic = NewTopic::new(OFFSETS_TOPIC, PARTITIONS);
    topic
        .configs
        .insert("cleanup.policy".to_owned(), "compact".to_owned());
    match admin.create_topic(&topic, within).await {
        Ok(()) => Ok(PARTITIONS),
        Err(error) if error.class() == Class::AlreadyExists => Ok(PARTITIONS),
        Err(error) => Err(error.into()),
    }
}

async fn read_all(
    cluster: &dyn Cluster,
    partitions: u32,
    within: Span,
) -> Result<OffsetState, Error> {
    let partitions: Vec<TopicPartition> = (0..partitions)
        .filter_map(|n| i32::try_from(n).ok())
        .map(|n| TopicPartition::new(OFFSETS_TOPIC, n))
        .collect();
    let admin = cluster.admin(AdminConfig::default(), within).await?;
    let ends = admin
        .list_offsets(
            &partitions,
            OffsetSpec::Latest,
            Isolation::ReadCommitted,
            within,
        )
        .await?;
    let config = ConsumerConfig {
        client_id: OFFSETS_TOPIC.to_owned(),
        isolation: Isolation::ReadCommitted,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, within).await?;
    consumer.assign(&partitions, within).await?;
    let mut state = OffsetState::default();
    loop {
        let mut is_behind = false;
        for (partition, end) in &ends {
            is_behind |= consumer.position(partition, within).await? < *end;
        }
        if !is_behind {
            break;
        }
        for batch in consumer
            .poll(POLL_RECORDS, within, &mut IgnoreRebalance)
            .await?
        {
            for record in &batch.records {
                match record
                    .key
                    .as_deref()
                    .map(|key| parse(key, record.value.as_deref()))
                {
                    Some(Ok(entry)) => state.apply(entry),
                    Some(Err(error)) => warn!(
                        "ignoring record {}@{} of the offsets topic: {error}",
                        batch.partition, record.offset
                    ),
                    None => warn!(
                        "ignoring record {}@{} of the offsets topic: it has no key",
                        batch.partition, record.offset
                    ),
                }
            }
        }
    }
    consumer.close(within).await?;
    Ok(state)
}

async fn serve(
    mut requests: mpsc::Receiver<Request>,
    mut state: OffsetState,
    producer: Arc<dyn Producer>,
) {
    let mut batch = RecordBatch::default();
    let mut next = 0;
    let mut closing = None;
    while let Some(request) = requests.recv().await {
        match request {
            Request::Read {
                connector,
                partitions,
                answer,
            } => {
                let found = partitions
                    .iter()
                    .map(|partition| state.get(&connector, partition).cloned())
                    .collect();
                let _ = answer.send(found);
            }
            Request::Write {
                entries,
                within,
                answer,
            } => {
                next += 1;
                batch.reset(BatchId(next));
                let result = write(&*producer, &mut batch, &entries, within).await;
                if result.is_ok() {
                    entries.into_iter().for_each(|entry| state.apply(entry));
                }
                // A task that does not wait any more does not care.
                let _ = answer.send(result);
            }
            Request::Close { answer } => {
                closing = Some(answer);
                break;
            }
        }
    }
    if let Err(error) = producer.close(Span::ZERO).await {
        debug!("closing the producer of source offsets: {error}");
    }
    drop(producer);
    if let Some(answer) = closing {
        let _ = answer.send(());
    }
}

async fn write(
    producer: &dyn Producer,
    batch: &mut RecordBatch,
    entries: &[Entry],
    within: Span,
) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let topic = batch.topic(OFFSETS_TOPIC)?;
    for entry in entries {
        let key = key_bytes(&entry.connector, &entry.partition);
        batch.push_copy(topic, Some(&key), value_bytes(&entry.offset).as_deref())?;
    }
    let id = batch.id();
    producer.send(batch, within).await?;
    let mut left = entries.len();
    while left > 0 {
        let outcomes = producer.acknowledged(within).await?;
        if outcomes.is_empty() {
            return Err(Error::new(
                Fault::Transient,
                format!("source offsets were not acknowledged within {within}"),
            ));
        }
        // Outcomes of an earlier write that timed out may still arrive.
        for outcome in outcomes.into_iter().filter(|outcome| outcome.batch == id) {
            outcome.outcome?;
            left = left.saturating_sub(outcome.rows.len());
        }
    }
    Ok(())
}

/// Partitions of the topic when this worker makes it: one worker writes it.
const PARTITIONS: u32 = 1;
/// Requests waiting for the store.
const REQUESTS_MAX: usize = 64;
/// Records per poll while reading the topic.
const POLL_RECORDS: usize = 5_000;
