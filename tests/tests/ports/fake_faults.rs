//! Faults that the fake gives on order.

use crate::table::{batch_of, run, values};
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::fake::FakeCluster;
use ferroconnect_runtime::kafka::{
    BatchId, Class, Cluster, ConsumerConfig, IgnoreRebalance, ProducerConfig, RecordBatch,
    Subscription,
};
use ferroconnect_runtime::time::Span;

const LONG: Span = Span::secs(20);

fn place(topic: &str) -> TopicPartition {
    TopicPartition::new(topic, 0)
}

#[test]
fn ordered_failures_hit_the_ordered_topic_so_often_and_no_longer() {
    run(async {
        let cluster = FakeCluster::new();
        cluster.fail_sends("bad", 2, Class::Retriable);
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        let mut classes = Vec::new();
        for id in 0..3 {
            let mut batch = RecordBatch::new(BatchId(id));
            let (good, bad) = (batch.topic("good")?, batch.topic("bad")?);
            batch.push_copy(good, None, None)?;
            batch.push_copy(bad, None, None)?;
            producer.send(&mut batch, LONG).await?;
            for outcome in producer.acknowledged(LONG).await? {
                classes.push((
                    outcome.rows,
                    outcome.outcome.err().map(|error| error.class()),
                ));
            }
        }
        let failed = Some(Class::Retriable);
        let hit = [(0..1, None), (1..2, failed)];
        assert_eq!(classes, [&hit[..], &hit[..], &[(0..2, None)]].concat());
        assert_eq!(cluster.records(&place("bad"))?.len(), 1);
        Ok(())
    });
}

#[test]
fn a_fatal_failure_ends_the_producer() {
    run(async {
        let cluster = FakeCluster::new();
        cluster.fail_sends("t", 1, Class::Fatal);
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        producer
            .send(&mut batch_of(1, &place("t"), &["a"])?, LONG)
            .await?;
        let mut next = batch_of(2, &place("t"), &["b"])?;
        assert_eq!(
            producer.send(&mut next, LONG).await.unwrap_err().class(),
            Class::Fatal
        );
        assert!(cluster.records(&place("t"))?.is_empty());
        Ok(())
    });
}

#[test]
fn a_disconnected_cluster_fails_polls_and_recovers() {
    run(async {
        let cluster = FakeCluster::new();
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        producer
            .send(&mut batch_of(1, &place("t"), &["a"])?, LONG)
            .await?;
        let consumer = cluster.consumer(ConsumerConfig::default(), LONG).await?;
        consumer.assign(&[place("t")], LONG).await?;
        cluster.disconnect();
        let error = consumer
            .poll(10, LONG, &mut IgnoreRebalance)
            .await
            .unwrap_err();
        assert_eq!(error.class(), Class::Retriable);
        cluster.reconnect();
        let batches = consumer.poll(10, LONG, &mut IgnoreRebalance).await?;
        assert_eq!(values(&batches[0].records), ["a"]);
        Ok(())
    });
}

#[test]
fn expelled_members_come_back() {
    run(async {
        let cluster = FakeCluster::new();
        let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
        producer
            .send(&mut batch_of(1, &place("t"), &["a"])?, LONG)
            .await?;
        let group = Some("g".to_owned());
        let config = ConsumerConfig {
            group,
            ..ConsumerConfig::default()
        };
        let consumer = cluster.consumer(config, LONG).await?;
        consumer
            .subscribe(Subscription::Topics(vec!["t".to_owned()]), LONG)
            .await?;
        for _ in 0..2 {
            let batches = consumer.poll(10, LONG, &mut IgnoreRebalance).await?;
            assert_eq!(values(&batches[0].records), ["a"], "nothing was committed");
            cluster.expel_members("g");
        }
        Ok(())
    });
}
