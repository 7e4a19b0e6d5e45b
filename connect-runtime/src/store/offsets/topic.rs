use std::sync::Arc;

use async_trait::async_trait;
use tracing::{debug, warn};

use super::backing::{OffsetBacking, RawEntry};
use super::record::parse;
use super::state::OffsetState;
use crate::error::{Error, Fault};
use crate::ids::TopicPartition;
use crate::kafka::{
    AdminConfig, BatchId, Class, Cluster, ConsumerConfig, IgnoreRebalance, Isolation, NewTopic,
    OffsetSpec, Producer, ProducerConfig, RecordBatch,
};
use crate::time::Span;

/// The topic of source offsets.
pub const OFFSETS_TOPIC: &str = "connect-offsets";

/// Source offsets in a compacted topic.
#[derive(Debug)]
pub(super) struct TopicBacking {
    producer: Arc<dyn Producer>,
    batch: RecordBatch,
    next: u64,
}

impl TopicBacking {
    /// Makes the topic if it is missing, and reads it to its end.
    pub(super) async fn open(
        cluster: &dyn Cluster,
        within: Span,
    ) -> Result<(Self, OffsetState), Error> {
        let partitions = ensure_topic(cluster, within).await?;
        let state = read_all(cluster, partitions, within).await?;
        let config = ProducerConfig {
            client_id: "connect-offsets".to_owned(),
            ..ProducerConfig::default()
        };
        let backing = Self {
            producer: cluster.producer(config, within).await?,
            batch: RecordBatch::default(),
            next: 0,
        };
        Ok((backing, state))
    }
}

#[async_trait]
impl OffsetBacking for TopicBacking {
    async fn write(&mut self, entries: &[RawEntry], within: Span) -> Result<(), Error> {
        self.next += 1;
        self.batch.reset(BatchId(self.next));
        let topic = self.batch.topic(OFFSETS_TOPIC)?;
        for (key, value) in entries {
            self.batch.push_copy(topic, Some(key), value.as_deref())?;
        }
        let id = self.batch.id();
        self.producer.send(&mut self.batch, within).await?;
        let mut left = entries.len();
        while left > 0 {
            let outcomes = self.producer.acknowledged(within).await?;
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

    async fn close(self: Box<Self>) {
        if let Err(error) = self.producer.close(Span::ZERO).await {
            debug!("closing the producer of source offsets: {error}");
        }
    }
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

/// Partitions of the topic when this worker makes it: one worker writes it.
const PARTITIONS: u32 = 1;
/// Records per poll while reading the topic.
const POLL_RECORDS: usize = 5_000;
