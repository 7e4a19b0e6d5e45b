//! Clients as a worker makes them: from Java properties.

use std::time::{Duration, Instant};

use ferroconnect_runtime::config::RawConfig;
use ferroconnect_runtime::kafka::client::{ClientKind, Layers};
use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::kafka::{
    BatchId, Cluster, Error, IgnoreRebalance, NewTopic, RecordBatch, Subscription,
};
use ferroconnect_runtime::time::Span;

/// Java properties of a client.
pub(crate) type Pairs<'a> = Vec<(&'a str, String)>;

/// The properties with more of them.
pub(crate) fn with<'a>(base: &Pairs<'a>, more: &[(&'a str, &str)]) -> Pairs<'a> {
    let mut pairs = base.clone();
    pairs.extend(more.iter().map(|(key, value)| (*key, (*value).to_owned())));
    pairs
}

fn raw(pairs: &Pairs<'_>) -> RawConfig {
    let pairs = pairs.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect()
}

fn cluster() -> KrafkaCluster {
    // Every client names its servers itself.
    KrafkaCluster::new("127.0.0.1:1")
}

/// Creates a topic, writes a record to it and reads it back, each with a client of these properties.
pub(crate) fn round_trip(topic: &str, pairs: &Pairs<'_>) {
    let raw = raw(pairs);
    run(async {
        let layers = |kind| Layers::new(kind).add("", &raw);
        let cluster = cluster();
        let admin = layers(ClientKind::Admin).admin().unwrap().config;
        let admin = cluster.admin(admin, WAIT).await?;
        admin.create_topic(&NewTopic::new(topic, 1), WAIT).await?;

        let producer = layers(ClientKind::Producer).producer().unwrap().config;
        let producer = cluster.producer(producer, WAIT).await?;
        let mut batch = RecordBatch::new(BatchId(1));
        let slot = batch.topic(topic)?;
        batch.push_copy(slot, None, Some(b"hello"))?;
        producer.send(&mut batch, WAIT).await?;
        let outcomes = producer.acknowledged(WAIT).await?;
        assert!(
            outcomes.iter().all(|outcome| outcome.outcome.is_ok()),
            "{outcomes:?}"
        );

        // As a member of a group, so that the coordinator's connection is tried too.
        let consumer = layers(ClientKind::Consumer).default_when_unset("group.id", topic);
        let consumer = cluster
            .consumer(consumer.consumer().unwrap().config, WAIT)
            .await?;
        let topics = Subscription::Topics(vec![topic.to_owned()]);
        consumer.subscribe(topics, WAIT).await?;
        let mut values = Vec::new();
        for _ in 0..POLLS_MAX {
            let read = consumer.poll(10, POLL, &mut IgnoreRebalance).await?;
            let records = read.into_iter().flat_map(|batch| batch.records);
            values.extend(records.map(|record| record.value));
            if !values.is_empty() {
                break;
            }
        }
        assert_eq!(values, [Some("hello".into())]);
        consumer.close(WAIT).await?;
        Ok(())
    })
    .unwrap();
}

/// The error of making a producer with these properties, which must come soon.
pub(crate) fn refusal(pairs: &Pairs<'_>) -> Error {
    let raw = raw(pairs);
    let started = now();
    let outcome = run(async {
        let layers = Layers::new(ClientKind::Producer).add("", &raw);
        let config = layers.producer().unwrap().config;
        cluster().producer(config, WAIT).await
    });
    let error = outcome.map(drop).expect_err("the broker must refuse it");
    assert!(
        started.elapsed() < SOON,
        "after {:?}: {error}",
        started.elapsed()
    );
    error
}

/// Runs a future on a runtime of its own.
fn run<T, F: Future<Output = Result<T, Error>>>(future: F) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

#[allow(
    clippy::disallowed_methods,
    reason = "a guard against a hanging client, far from what it takes"
)]
fn now() -> Instant {
    Instant::now()
}

const WAIT: Span = Span::secs(60);
const POLL: Span = Span::secs(1);
const POLLS_MAX: usize = 60;
/// Far below [`WAIT`], far above what a refusal takes on a busy machine.
const SOON: Duration = Duration::from_secs(30);
