//! Public cases about loops and offsets, by id. What they teach is in the cases' own words in each test.

use std::sync::Arc;

use ferroconnect_runtime::api::{SinkConnector, SourceConnector};
use ferroconnect_runtime::ids::{ConnectorName, TopicPartition};
use ferroconnect_runtime::kafka::fake::FakeCluster;
use ferroconnect_runtime::kafka::{BatchId, Cluster, Producer, ProducerConfig, RecordBatch};
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::time::Span;
use ferroconnect_runtime::{Runtime, RuntimeBuilder};

use crate::bench::until;
use crate::plugins::{Diary, Move, NotingSink, ScriptedSource};

const SECOND: Span = Span::secs(10);

/// A worker on the cluster in memory, with string converters and a short commit interval.
pub(crate) fn on(cluster: &FakeCluster) -> RuntimeBuilder {
    Runtime::builder()
        .worker([
            ("bootstrap.servers", "embedded:unused"),
            ("key.converter", "String"),
            ("value.converter", "String"),
            ("offset.flush.interval.ms", "20"),
        ])
        .cluster(Arc::new(cluster.clone()))
}

fn source(values: &[String], diary: &Diary) -> impl Fn() -> Box<dyn SourceConnector> + use<> {
    let source = ScriptedSource {
        moves: vec![Move::Give(values.to_vec())],
        diary: diary.clone(),
    };
    move || Box::new(source.clone())
}

fn values(cluster: &FakeCluster, topic: &str) -> Vec<String> {
    let records = cluster
        .records(&TopicPartition::new(topic, 0))
        .unwrap_or_default();
    records
        .iter()
        .map(|record| {
            String::from_utf8_lossy(record.value.as_deref().unwrap_or(b"null"))
                .chars()
                .take(2)
                .collect()
        })
        .collect()
}

fn three() -> [String; 3] {
    [
        "r1".to_owned(),
        format!("r2{}", "x".repeat(5_000)),
        "r3".to_owned(),
    ]
}

/// A record that is refused for good fails the task, and its offset is never passed: after the fix it is produced.
#[tokio::test(flavor = "multi_thread")]
async fn c082_a_refused_record_fails_the_task_and_holds_back_its_offset() {
    let cluster = FakeCluster::new();
    let diary = Diary::default();
    let connector = [
        ("name", "c"),
        ("connector.class", "test.Source"),
        ("topic", "t"),
    ];
    let runtime = on(&cluster)
        .source("test.Source", source(&three(), &diary))
        .connector(
            connector
                .into_iter()
                .chain([("producer.override.max.request.size", "1000")]),
        )
        .start()
        .await
        .unwrap();
    until("the failure", || {
        matches!(runtime.tasks()[0].state(), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(why) = runtime.tasks()[0].state() else {
        panic!("it failed a moment ago")
    };
    assert!(why.contains("KAFKA_PRODUCE"), "{why}");
    assert!(!why.contains("xxxx"), "no value is shown: {why}");
    runtime.stop().await;
    assert_eq!(diary.count("dropped"), 0);

    // After the fix, the source goes on behind r1 at most.
    let diary = Diary::default();
    let runtime = on(&cluster)
        .source("test.Source", source(&three()[1..], &diary))
        .connector(connector)
        .start()
        .await
        .unwrap();
    until("the rest", || diary.count("written") == 2).await;
    runtime.stop().await;
    assert_eq!(diary.entries()[0], "start at Some(0)", "the offset of r1");
    let mut seen = values(&cluster, "t");
    seen.dedup();
    assert!(
        seen == ["r1", "r2", "r3"] || seen == ["r1", "r3", "r2", "r3"],
        "{seen:?}"
    );
}

/// With tolerance `all` a refused record counts as done: it is told to the task, nothing stays in flight, offsets go on.
#[tokio::test(flavor = "multi_thread")]
async fn c084_a_tolerated_failure_counts_as_done() {
    let cluster = FakeCluster::new();
    let diary = Diary::default();
    let connector = [
        ("name", "c"),
        ("connector.class", "test.Source"),
        ("topic", "t"),
        ("errors.tolerance", "all"),
        ("producer.override.max.request.size", "1000"),
    ];
    let runtime = on(&cluster)
        .source("test.Source", source(&three(), &diary))
        .connector(connector)
        .start()
        .await
        .unwrap();
    until("a commit after all outcomes", || {
        let entries = diary.entries();
        let done = |entry: &String| entry.starts_with("written") || entry.starts_with("dropped");
        entries.iter().filter(|entry| done(entry)).count() == 3
            && entries.iter().rposition(done) < entries.iter().rposition(|entry| entry == "commit")
    })
    .await;
    let task = &runtime.tasks()[0];
    assert_eq!(
        (
            task.state(),
            task.counters().skipped(),
            task.counters().lag()
        ),
        (TaskState::Running, 1, 0)
    );
    runtime.stop().await;
    let mut outcomes: Vec<String> = diary
        .entries()
        .into_iter()
        .filter(|entry| entry.contains("0/"))
        .collect();
    outcomes.sort();
    assert_eq!(outcomes, ["dropped 0/1", "written 0/0", "written 0/2"]);
    assert_eq!(values(&cluster, "t"), ["r1", "r3"]);

    let diary = Diary::default();
    let runtime = on(&cluster)
        .source("test.Source", source(&[], &diary))
        .connector(connector)
        .start()
        .await
        .unwrap();
    until("the start", || diary.count("start") == 1).await;
    runtime.stop().await;
    assert_eq!(diary.entries()[0], "start at Some(2)", "the offset of r3");
}

/// Stored offsets have the form the JVM gives them, so a worker of either kind goes on from them.
#[tokio::test(flavor = "multi_thread")]
async fn stored_offsets_have_the_jvms_form() {
    let cluster = FakeCluster::new();
    let diary = Diary::default();
    let moves = vec![Move::Give(vec!["a".to_owned()])];
    let scripted = ScriptedSource {
        moves,
        diary: diary.clone(),
    };
    let connector = [
        ("name", "c"),
        ("connector.class", "test.Source"),
        ("topic", "t"),
    ];
    let runtime = on(&cluster)
        .source("test.Source", move || {
            Box::new(scripted.clone()) as Box<dyn SourceConnector>
        })
        .connector(connector)
        .start()
        .await
        .unwrap();
    until("the stored offset", || {
        !values(&cluster, "connect-offsets").is_empty()
    })
    .await;
    runtime.stop().await;
    let stored = cluster
        .records(&TopicPartition::new("connect-offsets", 0))
        .unwrap();
    assert_eq!(stored[0].key.as_deref(), Some(&br#"["c",{"p":"one"}]"#[..]));
    assert_eq!(stored[0].value.as_deref(), Some(&br#"{"n":0}"#[..]));
}

/// Offsets that somebody else wrote or took back by hand count as if the task had stored them.
#[tokio::test(flavor = "multi_thread")]
async fn c086_offsets_written_by_hand_are_where_the_source_starts() {
    let cluster = FakeCluster::new();
    let connector = [
        ("name", "c"),
        ("connector.class", "test.Source"),
        ("topic", "t"),
    ];
    for (value, start) in [
        (Some(&br#"{"n":99}"#[..]), "start at Some(99)"),
        (None, "start at None"),
    ] {
        write_offset(&cluster, br#"["c",{"p":"one"}]"#, value).await;
        let diary = Diary::default();
        let runtime = on(&cluster)
            .source("test.Source", source(&[], &diary))
            .connector(connector)
            .start()
            .await
            .unwrap();
        until("the start", || diary.count("start") == 1).await;
        runtime.stop().await;
        assert_eq!(diary.entries()[0], start);
    }
}

async fn write_offset(cluster: &FakeCluster, key: &[u8], value: Option<&[u8]>) {
    let producer = cluster
        .producer(ProducerConfig::default(), SECOND)
        .await
        .unwrap();
    let mut batch = RecordBatch::new(BatchId(0));
    let slot = batch.topic("connect-offsets").unwrap();
    batch.push_copy(slot, Some(key), value).unwrap();
    producer.send(&mut batch, SECOND).await.unwrap();
    producer.flush(SECOND).await.unwrap();
}

async fn produce(cluster: &FakeCluster, topic: &str, count: u32) {
    let producer: Arc<dyn Producer> = cluster
        .producer(ProducerConfig::default(), SECOND)
        .await
        .unwrap();
    let mut batch = RecordBatch::new(BatchId(0));
    let slot = batch.topic(topic).unwrap();
    for n in 0..count {
        batch
            .push_copy(slot, None, Some(format!("{n}").as_bytes()))
            .unwrap();
    }
    producer.send(&mut batch, SECOND).await.unwrap();
    producer.flush(SECOND).await.unwrap();
}

/// A task that resumes its own partitions does not wake up a connector that is paused; it still polls and commits.
#[tokio::test(flavor = "multi_thread")]
async fn c081_a_task_cannot_read_on_while_its_connector_is_paused() {
    let cluster = FakeCluster::new();
    produce(&cluster, "t", 1).await;
    let diary = Diary::default();
    let sink = NotingSink {
        diary: diary.clone(),
        resumes: true,
        ..NotingSink::default()
    };
    let runtime = on(&cluster)
        .sink("test.Sink", move || {
            Box::new(sink.clone()) as Box<dyn SinkConnector>
        })
        .connector([
            ("name", "c"),
            ("connector.class", "test.Sink"),
            ("topics", "t"),
        ])
        .start()
        .await
        .unwrap();
    let name = ConnectorName::new("c").unwrap();
    until("the first record", || diary.count("got") == 1).await;
    runtime.pause(&name).await.unwrap();
    until("the pause", || {
        runtime.tasks()[0].state() == TaskState::Paused
    })
    .await;
    produce(&cluster, "t", 10).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(diary.count("got"), 1, "nothing is delivered while paused");
    runtime.resume(&name).await.unwrap();
    until("the ten records", || diary.count("got") == 11).await;
    runtime.stop().await;
    assert_eq!(diary.count("got"), 11, "each once");
}

/// A record that the converter refuses is named by topic, partition and offset, without its value; tolerated, it is left out.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_cannot_be_read_fails_the_task_or_is_skipped() {
    let cluster = FakeCluster::new();
    produce(&cluster, "t", 1).await;
    produce_value(&cluster, "t", b"not JSON, secret").await;
    produce(&cluster, "t", 1).await;
    let connector = [
        ("name", "c"),
        ("connector.class", "test.Sink"),
        ("topics", "t"),
        ("value.converter", "Json"),
        ("value.converter.schemas.enable", "false"),
    ];
    for (tolerance, is_fatal) in [("none", true), ("all", false)] {
        let diary = Diary::default();
        let sink = NotingSink {
            diary: diary.clone(),
            ..NotingSink::default()
        };
        let runtime = on(&cluster)
            .sink("test.Sink", move || {
                Box::new(sink.clone()) as Box<dyn SinkConnector>
            })
            .connector(
                connector
                    .into_iter()
                    .chain([("errors.tolerance", tolerance)]),
            )
            .start()
            .await
            .unwrap();
        if is_fatal {
            until("the failure", || {
                matches!(runtime.tasks()[0].state(), TaskState::Failed(_))
            })
            .await;
            let TaskState::Failed(why) = runtime.tasks()[0].state() else {
                panic!("it failed a moment ago")
            };
            for part in [
                "Tolerance exceeded in error handler",
                "VALUE_CONVERTER",
                "t-0@1",
                "errors.tolerance=all",
            ] {
                assert!(why.contains(part), "{part} is not in {why}");
            }
            assert!(!why.contains("secret"), "{why}");
        } else {
            // The record before it may have been committed by the task that failed.
            until("the record behind it", || {
                diary.entries().iter().any(|entry| entry.ends_with("at 2"))
            })
            .await;
            assert_eq!(runtime.tasks()[0].counters().skipped(), 1);
        }
        runtime.stop().await;
    }
}

async fn produce_value(cluster: &FakeCluster, topic: &str, value: &[u8]) {
    let producer: Arc<dyn Producer> = cluster
        .producer(ProducerConfig::default(), SECOND)
        .await
        .unwrap();
    let mut batch = RecordBatch::new(BatchId(0));
    let slot = batch.topic(topic).unwrap();
    batch.push_copy(slot, None, Some(value)).unwrap();
    producer.send(&mut batch, SECOND).await.unwrap();
    producer.flush(SECOND).await.unwrap();
}

/// A damaged log is an error that names the place.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_log_fails_the_task_with_its_place() {
    let cluster = FakeCluster::new();
    produce(&cluster, "t", 3).await;
    cluster.damage_last_batch(&TopicPartition::new("t", 0));
    let sink = NotingSink::default();
    let runtime = on(&cluster)
        .sink("test.Sink", move || {
            Box::new(sink.clone()) as Box<dyn SinkConnector>
        })
        .connector([
            ("name", "c"),
            ("connector.class", "test.Sink"),
            ("topics", "t"),
        ])
        .start()
        .await
        .unwrap();
    until("the failure", || {
        matches!(runtime.tasks()[0].state(), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(why) = runtime.tasks()[0].state() else {
        panic!("it failed a moment ago")
    };
    assert!(why.contains("t-0"), "{why}");
    runtime.stop().await;
}
