//! Steps that many cases take.

use std::collections::BTreeMap;
use std::sync::Arc;

use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::{
    Acknowledgement, AdminConfig, BatchId, Class, Cluster, Consumer, ConsumerConfig, Error,
    IgnoreRebalance, Isolation, NewRow, OffsetSpec, Offsets, PartitionBatch, Producer,
    ProducerConfig, Record, RecordBatch,
};
use ferroconnect_runtime::time::Span;

/// Longer than anything should take; only a broken adapter waits so long.
pub(crate) const LONG: Span = Span::secs(20);
/// Long enough to see that nothing comes.
pub(crate) const SHORT: Span = Span::millis(50);
/// Between two looks at what is about to come.
const A_MOMENT: std::time::Duration = std::time::Duration::from_millis(20);
/// Looks after which it should be there, with room for a busy machine.
const TRIES: usize = 1000;

/// Records by partition, in the order they came.
pub(crate) type Collected = BTreeMap<TopicPartition, Vec<Record>>;

/// A batch of records for one partition, with these values and null keys.
///
/// # Errors
/// None for a legal partition.
pub(crate) fn batch_of(
    id: u64,
    place: &TopicPartition,
    values: &[&str],
) -> Result<RecordBatch, Error> {
    let mut batch = RecordBatch::new(BatchId(id));
    let topic = batch.topic(&place.topic)?;
    for value in values {
        let start = batch.buffer_mut().len();
        batch.buffer_mut().extend_from_slice(value.as_bytes());
        let value = Some(start..batch.buffer_mut().len());
        batch.push(NewRow {
            partition: Some(place.partition),
            value,
            ..NewRow::to(topic)
        })?;
    }
    Ok(batch)
}

/// Values as text.
pub(crate) fn values(records: &[Record]) -> Vec<String> {
    let text = |record: &Record| match &record.value {
        Some(value) => String::from_utf8_lossy(value).into_owned(),
        None => "null".to_owned(),
    };
    records.iter().map(text).collect()
}

pub(crate) async fn producer(cluster: &Arc<dyn Cluster>) -> Result<Arc<dyn Producer>, Error> {
    cluster.producer(ProducerConfig::default(), LONG).await
}

/// Sends values to a partition and waits until they are acknowledged.
pub(crate) async fn produce(
    producer: &dyn Producer,
    place: &TopicPartition,
    values: &[&str],
) -> Result<Vec<Acknowledgement>, Error> {
    producer
        .send(&mut batch_of(1, place, values)?, LONG)
        .await?;
    collect_outcomes(producer, values.len()).await
}

/// Outcomes until they cover `rows` rows.
pub(crate) async fn collect_outcomes(
    producer: &dyn Producer,
    rows: usize,
) -> Result<Vec<Acknowledgement>, Error> {
    let mut all: Vec<Acknowledgement> = Vec::new();
    while all.iter().map(|outcome| outcome.rows.len()).sum::<usize>() < rows {
        let outcomes = producer.acknowledged(LONG).await?;
        assert!(!outcomes.is_empty(), "outcomes are missing; so far {all:?}");
        all.extend(outcomes);
    }
    Ok(all)
}

pub(crate) async fn create(
    cluster: &Arc<dyn Cluster>,
    topic: &str,
    partitions: u32,
) -> Result<(), Error> {
    let topic = ferroconnect_runtime::kafka::NewTopic::new(topic, partitions);
    cluster
        .admin(AdminConfig::default(), LONG)
        .await?
        .create_topic(&topic, LONG)
        .await
}

/// A consumer outside any group that reads `partitions`.
pub(crate) async fn reader(
    cluster: &Arc<dyn Cluster>,
    isolation: Isolation,
    partitions: &[TopicPartition],
) -> Result<Arc<dyn Consumer>, Error> {
    let config = ConsumerConfig {
        isolation,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LONG).await?;
    consumer.assign(partitions, LONG).await?;
    Ok(consumer)
}

pub(crate) async fn poll(
    consumer: &dyn Consumer,
    within: Span,
) -> Result<Vec<PartitionBatch>, Error> {
    consumer.poll(500, within, &mut IgnoreRebalance).await
}

/// Polls until `count` records came.
pub(crate) async fn take(consumer: &dyn Consumer, count: usize) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    while records.len() < count {
        let batches = poll(consumer, LONG).await?;
        assert!(
            !batches.is_empty(),
            "{count} records expected, {} came",
            records.len()
        );
        records.extend(batches.into_iter().flat_map(|batch| batch.records));
    }
    Ok(records)
}

/// Everything in `partitions` up to the end that a reader of `isolation` sees when this is called.
///
/// # Errors
/// Those of the consumer.
pub(crate) async fn read_all(
    cluster: &Arc<dyn Cluster>,
    isolation: Isolation,
    partitions: &[TopicPartition],
) -> Result<Collected, Error> {
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let ends = admin
        .list_offsets(partitions, OffsetSpec::Latest, isolation, LONG)
        .await?;
    let consumer = reader(cluster, isolation, partitions).await?;
    let mut collected = Collected::new();
    loop {
        let mut behind = false;
        for (partition, end) in &ends {
            behind |= consumer.position(partition, LONG).await? < *end;
        }
        if !behind {
            return Ok(collected);
        }
        // The end may lie behind markers that no poll returns, so a short wait and another look.
        for batch in poll(&*consumer, Span::millis(200)).await? {
            collected
                .entry(batch.partition)
                .or_default()
                .extend(batch.records);
        }
    }
}

/// Everything committed in a partition, once no transaction is open there. A cluster answers a commit before its markers are
/// written, so that a reader who looks at once may come too early.
///
/// # Errors
/// Those of the consumer.
pub(crate) async fn read_settled(
    cluster: &Arc<dyn Cluster>,
    partition: &TopicPartition,
) -> Result<Vec<Record>, Error> {
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let partition = std::slice::from_ref(partition);
    for _ in 0..TRIES {
        let [stable, high] = [Isolation::ReadCommitted, Isolation::ReadUncommitted];
        let latest = OffsetSpec::Latest;
        let stable = admin.list_offsets(partition, latest, stable, LONG).await?;
        let high = admin.list_offsets(partition, latest, high, LONG).await?;
        if stable == high {
            break;
        }
        tokio::time::sleep(A_MOMENT).await;
    }
    let mut read = read_all(cluster, Isolation::ReadCommitted, partition).await?;
    Ok(read.remove(&partition[0]).unwrap_or_default())
}

/// The offsets of a group, as soon as they are these: those of a transaction are there when its markers are.
///
/// # Errors
/// Those of the administrator.
pub(crate) async fn offsets_settled(
    cluster: &Arc<dyn Cluster>,
    group: &str,
    wanted: &Offsets,
) -> Result<Offsets, Error> {
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let mut found = admin.group_offsets(group, LONG).await?;
    for _ in 0..TRIES {
        if found == *wanted {
            break;
        }
        tokio::time::sleep(A_MOMENT).await;
        found = admin.group_offsets(group, LONG).await?;
    }
    Ok(found)
}

/// The class of a call that must fail.
pub(crate) fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Class {
    assert!(outcome.is_err(), "must fail, but gave {outcome:?}");
    outcome.err().map_or(Class::Wakeup, |error| error.class())
}
