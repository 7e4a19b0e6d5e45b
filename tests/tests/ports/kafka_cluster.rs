//! What only a Kafka cluster can do to its clients: be away, refuse, time out.

use std::sync::OnceLock;
use std::time::Duration;

use ferroconnect_node::Node;
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::client::{Compression, ConnectionSettings, ProducerSettings};
use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::kafka::{
    AdminConfig, BatchId, Class, Cluster, Isolation, NewTopic, Producer, ProducerConfig,
    RecordBatch,
};
use ferroconnect_runtime::time::Span;

use crate::table::{
    Case, LONG, OwnNode, SHORT, batch_of, collect_outcomes, prefix, produce, read_settled, refused,
    run, shared, values,
};

fn cluster() -> KrafkaCluster {
    KrafkaCluster::new(shared())
}

fn place(case: &str) -> TopicPartition {
    TopicPartition::new(prefix(case), 0)
}

async fn create(cluster: &KrafkaCluster, topic: &NewTopic) -> Case {
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    Ok(admin.create_topic(topic, LONG).await?)
}

async fn read(
    cluster: &KrafkaCluster,
    place: &TopicPartition,
) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
    let cluster: std::sync::Arc<dyn Cluster> = std::sync::Arc::new(cluster.clone());
    Ok(values(&read_settled(&cluster, place).await?))
}

/// Settings under which trouble shows within seconds.
fn impatient() -> ProducerConfig {
    ProducerConfig {
        delivery_timeout: Span::secs(3),
        connection: ConnectionSettings {
            request_timeout: Span::secs(2),
            connect_timeout: Span::secs(2),
            ..ConnectionSettings::default()
        },
        ..ProducerConfig::default()
    }
}

/// The class of the only outcome of the next batch.
async fn outcome(producer: &dyn Producer, batch: &mut RecordBatch) -> Result<Option<Class>, Class> {
    let rows = batch.len();
    let told = |error: ferroconnect_runtime::kafka::Error| error.class();
    producer.send(batch, LONG).await.map_err(told)?;
    let outcomes = collect_outcomes(producer, rows).await.map_err(told)?;
    Ok(outcomes
        .iter()
        .find_map(|outcome| outcome.outcome.as_ref().err().map(|e| e.class())))
}

#[test]
fn a_cluster_that_is_not_there_is_named_within_the_time() {
    run(async {
        // Nobody listens on the reserved port.
        let cluster = KrafkaCluster::new("127.0.0.1:1");
        let start = tokio::time::Instant::now();
        let created = cluster
            .producer(ProducerConfig::default(), Span::millis(700))
            .await;
        let error = created.err().ok_or("must fail")?;
        assert_eq!(error.class(), Class::Retriable);
        assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
        assert!(error.advice().contains("bootstrap.servers"), "{error}");
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
        Ok(())
    });
}

#[test]
fn addresses_that_make_no_sense_are_refused_at_once() {
    run(async {
        for bootstrap in ["", "host", "host:port"] {
            let cluster = KrafkaCluster::new(bootstrap);
            let created = cluster.admin(AdminConfig::default(), LONG).await;
            assert_eq!(refused(created), Class::InvalidRequest, "{bootstrap:?}");
        }
        Ok(())
    });
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn every_codec_is_written_and_read() {
    run(async {
        let cluster = cluster();
        let codecs = [
            Compression::None,
            Compression::Gzip,
            Compression::Snappy,
            Compression::Lz4,
            Compression::Zstd,
        ];
        let place = place("every_codec_is_written_and_read");
        let mut sent = Vec::new();
        for (id, compression) in (0..).zip(codecs) {
            let settings = ProducerSettings {
                compression,
                idempotence: id % 2 == 0,
                ..ProducerSettings::default()
            };
            let config = ProducerConfig {
                settings,
                ..ProducerConfig::default()
            };
            let producer = cluster.producer(config, LONG).await?;
            let value = format!("{compression:?} ").repeat(300);
            assert_eq!(
                outcome(&*producer, &mut batch_of(id, &place, &[&value, "short"])?).await,
                Ok(None)
            );
            producer.close(LONG).await?;
            sent.extend([value, "short".to_owned()]);
        }
        assert_eq!(read(&cluster, &place).await?, sent);
        Ok(())
    });
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn what_the_topic_refuses_is_an_invalid_record() {
    run(async {
        let cluster = cluster();
        let place = place("what_the_topic_refuses_is_an_invalid_record");
        let mut topic = NewTopic::new(&place.topic, 1);
        topic.configs = [("max.message.bytes", "1000"), ("cleanup.policy", "compact")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        create(&cluster, &topic).await?;
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        let mut keyless = batch_of(1, &place, &["a compacted topic needs keys"])?;
        let invalid = Ok(Some(Class::InvalidRecord));
        assert_eq!(outcome(&*producer, &mut keyless).await, invalid);
        for (size, expected) in [(10, Ok(None)), (5_000, invalid), (20, Ok(None))] {
            let mut batch = RecordBatch::new(BatchId(2));
            let topic = batch.topic(&place.topic)?;
            batch.push_copy(topic, Some(b"key"), Some(&vec![b'x'; size]))?;
            assert_eq!(outcome(&*producer, &mut batch).await, expected, "{size}");
        }
        let kept: Vec<usize> = read(&cluster, &place)
            .await?
            .iter()
            .map(String::len)
            .collect();
        assert_eq!(kept, [10, 20]);
        Ok(())
    });
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_flush_does_not_wait_for_company() {
    run(async {
        let cluster = cluster();
        let place = place("a_flush_does_not_wait_for_company");
        let config = ProducerConfig {
            linger: Span::secs(100),
            ..ProducerConfig::default()
        };
        let producer = cluster.producer(config, LONG).await?;
        producer
            .send(&mut batch_of(1, &place, &["a"])?, LONG)
            .await?;
        assert!(producer.acknowledged(SHORT).await?.is_empty());
        producer.flush(LONG).await?;
        assert_eq!(producer.acknowledged(Span::ZERO).await?.len(), 1);
        producer
            .send(&mut batch_of(2, &place, &["b"])?, LONG)
            .await?;
        producer.close(LONG).await?;
        assert_eq!(read(&cluster, &place).await?, ["a", "b"]);
        Ok(())
    });
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn an_unacknowledged_record_is_told_after_the_delivery_timeout() {
    run(async {
        let node = OwnNode::take();
        let cluster = KrafkaCluster::new(node.bootstrap());
        let place = place("an_unacknowledged_record_is_told_after_the_delivery_timeout");
        let producer = cluster.producer(impatient(), LONG).await?;
        produce(&*producer, &place, &["before"]).await?;
        node.suspend();
        let start = tokio::time::Instant::now();
        let late = outcome(&*producer, &mut batch_of(2, &place, &["late"])?).await;
        assert_eq!(late, Ok(Some(Class::TimedOut)));
        let elapsed = start.elapsed();
        let allowed = Duration::from_secs(2)..Duration::from_secs(10);
        assert!(allowed.contains(&elapsed), "{elapsed:?}");
        node.resume();
        let after = outcome(&*producer, &mut batch_of(3, &place, &["after"])?).await;
        assert_eq!(after, Ok(None), "the producer goes on");
        let read = read(&cluster, &place).await?;
        assert_eq!(read.first().map(String::as_str), Some("before"));
        assert_eq!(read.last().map(String::as_str), Some("after"));
        Ok(())
    });
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_producer_can_be_closed_or_dropped_while_nobody_answers() {
    run(async {
        let node = OwnNode::take();
        let cluster = KrafkaCluster::new(node.bootstrap());
        let place = place("a_producer_can_be_closed_or_dropped_while_nobody_answers");
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        let dropped = cluster.producer(ProducerConfig::default(), LONG).await?;
        let txn = cluster
            .txn_producer(ProducerConfig::default(), &place.topic, LONG)
            .await?;
        produce(&*producer, &place, &["before"]).await?;
        txn.begin()?;
        txn.send(&mut batch_of(1, &place, &["open"])?, LONG).await?;
        txn.flush(LONG).await?;
        node.suspend();
        let start = tokio::time::Instant::now();
        producer
            .send(&mut batch_of(2, &place, &["given up"])?, LONG)
            .await?;
        dropped
            .send(&mut batch_of(1, &place, &["forgotten"])?, LONG)
            .await?;
        drop(dropped);
        let (closed, ended) = tokio::join!(producer.close(SHORT), txn.close(SHORT));
        assert_eq!(refused(closed), Class::TimedOut);
        assert_eq!(refused(ended), Class::TimedOut);
        let outcomes = collect_outcomes(&*producer, 1).await?;
        assert_eq!(
            refused(outcomes.into_iter().next().ok_or("one")?.outcome),
            Class::TimedOut
        );
        assert!(start.elapsed() < Duration::from_secs(4));
        Ok(())
    });
}

/// A broker that dies and comes back loses nothing that was accepted, and an idempotent producer
/// repeats and reorders nothing either.
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_killed_broker_costs_time_and_nothing_else() {
    const BATCHES: u64 = 400;
    run(async {
        let mut node = OwnNode::take();
        let cluster = KrafkaCluster::new(node.bootstrap());
        let place = place("a_killed_broker_costs_time_and_nothing_else");
        create(&cluster, &NewTopic::new(&place.topic, 1)).await?;
        let config = ProducerConfig {
            settings: ProducerSettings {
                idempotence: true,
                ..ProducerSettings::default()
            },
            ..ProducerConfig::default()
        };
        let producer = cluster.producer(config, LONG).await?;
        let mut sent = Vec::new();
        for id in 0..BATCHES {
            let numbers: Vec<String> = (0..50).map(|row| (id * 50 + row).to_string()).collect();
            let numbers_text: Vec<&str> = numbers.iter().map(String::as_str).collect();
            let mut batch = batch_of(id, &place, &numbers_text)?;
            producer.send(&mut batch, Span::secs(60)).await?;
            sent.extend(numbers);
            if id == BATCHES / 2 {
                node.restart_after_kill();
            }
        }
        producer.flush(Span::secs(60)).await?;
        for outcome in collect_outcomes(&*producer, sent.len()).await? {
            outcome.outcome?;
        }
        assert_eq!(read(&cluster, &place).await?, sent);
        Ok(())
    });
}

/// A node that makes no topics by itself and looks for stale transactions often.
fn strict() -> &'static Node {
    static NODE: OnceLock<Node> = OnceLock::new();
    NODE.get_or_init(|| {
        let started = Node::builder()
            .property("auto.create.topics.enable", "false")
            .property(
                "transaction.abort.timed.out.transaction.cleanup.interval.ms",
                "300",
            )
            .start();
        started.expect("a Kafka node can be started here")
    })
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_topic_that_does_not_exist_is_told_with_its_name() {
    run(async {
        let cluster = KrafkaCluster::new(strict().bootstrap());
        let missing = place("a_topic_that_does_not_exist_is_told_with_its_name");
        let config = ProducerConfig {
            settings: ProducerSettings {
                block_max: Span::secs(2),
                ..ProducerSettings::default()
            },
            ..ProducerConfig::default()
        };
        let producer = cluster.producer(config, LONG).await?;
        producer
            .send(&mut batch_of(1, &missing, &["a"])?, LONG)
            .await?;
        let outcomes = collect_outcomes(&*producer, 1).await?;
        let error = outcomes
            .into_iter()
            .find_map(|outcome| outcome.outcome.err())
            .ok_or("must fail")?;
        assert_eq!(error.class(), Class::NotFound);
        assert!(error.to_string().contains(&*missing.topic), "{error}");
        create(&cluster, &NewTopic::new(&missing.topic, 1)).await?;
        produce(&*producer, &missing, &["b"]).await?;
        assert_eq!(read(&cluster, &missing).await?, ["b"]);
        Ok(())
    });
}

/// A transaction that stayed open too long is aborted by the coordinator: its producer must abort
/// it too, and goes on.
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_transaction_that_timed_out_is_aborted_and_the_producer_goes_on() {
    run(async {
        let cluster = KrafkaCluster::new(strict().bootstrap());
        let place = place("a_transaction_that_timed_out_is_aborted_and_the_producer_goes_on");
        create(&cluster, &NewTopic::new(&place.topic, 1)).await?;
        let config = ProducerConfig {
            settings: ProducerSettings {
                transaction_timeout: Some(Span::millis(500)),
                ..ProducerSettings::default()
            },
            ..ProducerConfig::default()
        };
        let producer = cluster.txn_producer(config, &place.topic, LONG).await?;
        producer.begin()?;
        producer
            .send(&mut batch_of(1, &place, &["too late"])?, LONG)
            .await?;
        producer.flush(LONG).await?;
        // Until the coordinator has given it up, which shows as a stable end behind the record.
        let admin = cluster.admin(AdminConfig::default(), LONG).await?;
        let places = std::slice::from_ref(&place);
        let latest = ferroconnect_runtime::kafka::OffsetSpec::Latest;
        let stable = Isolation::ReadCommitted;
        for _ in 0..200 {
            let ends = admin.list_offsets(places, latest, stable, LONG).await?;
            if ends[&place] > 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        producer
            .send(&mut batch_of(2, &place, &["into nothing"])?, LONG)
            .await?;
        assert_eq!(refused(producer.commit(LONG).await), Class::Abortable);
        producer.abort(LONG).await?;
        producer.begin()?;
        producer
            .send(&mut batch_of(3, &place, &["in time"])?, LONG)
            .await?;
        producer.commit(LONG).await?;
        assert_eq!(read(&cluster, &place).await?, ["in time"]);
        Ok(())
    });
}
