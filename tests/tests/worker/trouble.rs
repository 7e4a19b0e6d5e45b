//! What holds when the cluster goes away, a commit fails or a task dies in the middle of its work.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ferroconnect_runtime::RuntimeBuilder;
use ferroconnect_runtime::api::{SinkConnector, SourceConnector};
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::fake::FakeCluster;
use ferroconnect_runtime::kafka::{
    AdminConfig, BatchId, Cluster, NewRow, NewTopic, ProducerConfig, RecordBatch,
};
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::time::Span;

use crate::bench::{embedded, until};
use crate::plugins::{Diary, Move, NotingSink, Poison, ScriptedSource};

const LONG: Span = Span::secs(20);

/// Like the cases' worker, with short limits.
fn on(cluster: &FakeCluster) -> RuntimeBuilder {
    crate::cases::on(cluster).worker([
        ("offset.flush.timeout.ms", "200"),
        ("task.shutdown.graceful.timeout.ms", "2000"),
    ])
}

fn source(moves: Vec<Move>, diary: &Diary) -> impl Fn() -> Box<dyn SourceConnector> + use<> {
    let source = ScriptedSource {
        moves,
        diary: diary.clone(),
    };
    move || Box::new(source.clone())
}

fn sink(sink: NotingSink) -> impl Fn() -> Box<dyn SinkConnector> {
    move || Box::new(sink.clone())
}

const IN: [(&str, &str); 3] = [
    ("name", "in"),
    ("connector.class", "test.Source"),
    ("topic", "t"),
];
const OUT: [(&str, &str); 3] = [
    ("name", "out"),
    ("connector.class", "test.Sink"),
    ("topics", "t"),
];

fn give(range: std::ops::Range<u32>) -> Move {
    Move::Give(range.map(|n| format!("v{n}")).collect())
}

async fn produce(cluster: &dyn Cluster, place: &TopicPartition, values: &[String]) {
    let producer = cluster
        .producer(ProducerConfig::default(), LONG)
        .await
        .unwrap();
    let mut batch = RecordBatch::new(BatchId(0));
    let topic = batch.topic(&place.topic).unwrap();
    for value in values {
        let start = batch.buffer_mut().len();
        batch.buffer_mut().extend_from_slice(value.as_bytes());
        let value = Some(start..batch.buffer_mut().len());
        let row = NewRow {
            partition: Some(place.partition),
            value,
            ..NewRow::to(topic)
        };
        batch.push(row).unwrap();
    }
    producer.send(&mut batch, LONG).await.unwrap();
    producer.flush(LONG).await.unwrap();
}

/// A cluster that goes away in the middle is waited for; both loops go on by themselves and nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn an_absent_cluster_is_waited_for_and_nothing_is_lost() {
    let cluster = FakeCluster::new();
    let (source_diary, sink_diary) = (Diary::default(), Diary::default());
    let runtime = on(&cluster)
        .source(
            "test.Source",
            source(
                vec![give(0..3), Move::Wait("again"), give(3..6)],
                &source_diary,
            ),
        )
        .sink(
            "test.Sink",
            sink(NotingSink {
                diary: sink_diary.clone(),
                ..NotingSink::default()
            }),
        )
        .connector(IN)
        .connector(OUT)
        .start()
        .await
        .unwrap();
    until("the first records", || sink_diary.count("got") >= 3).await;
    cluster.disconnect();
    source_diary.note("again");
    until("both loops to notice", || {
        runtime
            .tasks()
            .iter()
            .all(|task| task.counters().retries() > 0)
    })
    .await;
    assert!(
        runtime
            .tasks()
            .iter()
            .all(|task| task.state() == TaskState::Running),
        "an outage fails no task"
    );
    cluster.reconnect();
    until("the rest", || {
        (0..6).all(|n| sink_diary.count(&format!("got v{n} ")) > 0)
    })
    .await;
    runtime.stop().await;
}

/// A stop while the cluster is away is prompt; what could not be handed over is read again after the next start.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_the_cluster_is_away_is_prompt_and_loses_nothing() {
    let cluster = FakeCluster::new();
    let diary = Diary::default();
    let moves = vec![give(0..2), Move::Wait("again"), give(2..4)];
    let runtime = on(&cluster)
        .source("test.Source", source(moves, &diary))
        .connector(IN)
        .start()
        .await
        .unwrap();
    until("a commit of the first records", || {
        diary.count("commit") > 0 && diary.count("written") == 2
    })
    .await;
    cluster.disconnect();
    diary.note("again");
    until("the outage to be noticed", || {
        runtime.tasks()[0].counters().retries() > 0
    })
    .await;
    let stopped = tokio::time::timeout(Duration::from_secs(30), runtime.stop()).await;
    assert_eq!(stopped.unwrap()[0].state(), TaskState::Unassigned);
    cluster.reconnect();

    let diary = Diary::default();
    let runtime = on(&cluster)
        .source("test.Source", source(vec![give(2..4)], &diary))
        .connector(IN)
        .start()
        .await
        .unwrap();
    until("the rest", || diary.count("written") == 2).await;
    runtime.stop().await;
    let records = cluster.records(&TopicPartition::new("t", 0)).unwrap();
    let values: BTreeSet<_> = records
        .iter()
        .filter_map(|record| record.value.clone())
        .collect();
    assert_eq!(values.len(), 4, "{values:?}");
}

/// A commit that the group refuses is counted, logged and made good by the next one; the task stays, offsets never go back.
#[tokio::test(flavor = "multi_thread")]
async fn c074_a_refused_commit_neither_fails_the_task_nor_moves_offsets_back() {
    let cluster = FakeCluster::new();
    let place = TopicPartition::new("t", 0);
    let values = |range: std::ops::Range<u32>| range.map(|n| format!("v{n}")).collect::<Vec<_>>();
    produce(&cluster, &place, &values(0..5)).await;
    let diary = Diary::default();
    let noting = NotingSink {
        diary: diary.clone(),
        ..NotingSink::default()
    };
    let runtime = on(&cluster)
        .sink("test.Sink", sink(noting))
        .connector(OUT)
        .start()
        .await
        .unwrap();
    let admin = cluster.admin(AdminConfig::default(), LONG).await.unwrap();
    let committed = async || {
        let offsets = admin.group_offsets("connect-out", LONG).await.unwrap();
        offsets.get(&place).map_or(0, |offset| offset.offset)
    };
    let (mut newest, mut thrown_out) = (0, 0);
    for round in 1..=4 {
        while newest < round * 5 {
            let now = committed().await;
            assert!(now >= newest, "went back from {newest} to {now}");
            newest = now;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        if round < 4 {
            cluster.expel_members("connect-out");
            thrown_out += 1;
            let first = u32::try_from(round * 5).unwrap();
            produce(&cluster, &place, &values(first..first + 5)).await;
        }
    }
    assert_eq!(runtime.tasks()[0].state(), TaskState::Running);
    assert_eq!(
        diary.count("open"),
        1 + thrown_out,
        "each time it came back"
    );
    runtime.stop().await;
    for n in 0..20 {
        assert!(diary.count(&format!("got v{n} ")) > 0, "v{n}");
    }
}

const PARTITIONS: i32 = 8;
/// Records of each partition.
const EACH: u32 = 40;

/// The values of a partition, in order.
fn values_of(partition: i32, range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("p{partition}-{n}")).collect()
}

async fn produce_everywhere(cluster: &dyn Cluster, topic: &str, range: std::ops::Range<u32>) {
    for partition in 0..PARTITIONS {
        let place = TopicPartition::new(topic, partition);
        produce(cluster, &place, &values_of(partition, range.clone())).await;
    }
}

/// What arrived of a partition, each record where it came first.
fn arrived(diary: &Diary, partition: i32) -> Vec<String> {
    let mut first_seen = Vec::new();
    for line in diary.entries() {
        if line.starts_with(&format!("got p{partition}-")) && !first_seen.contains(&line) {
            first_seen.push(line);
        }
    }
    first_seen
}

/// Two sink tasks over eight partitions: the one that panics gives its partitions to the other, which delivers everything in order.
async fn a_task_that_panics_hands_its_partitions_over(
    builder: RuntimeBuilder,
    cluster: Arc<dyn Cluster>,
    topic: &str,
) {
    let admin = cluster.admin(AdminConfig::default(), LONG).await.unwrap();
    let new = NewTopic::new(topic, PARTITIONS.unsigned_abs());
    admin.create_topic(&new, LONG).await.unwrap();
    let diary = Diary::default();
    let noting = NotingSink {
        diary: diary.clone(),
        poison: Poison::at("p5-30"),
        ..NotingSink::default()
    };
    let runtime = builder
        .sink("test.Sink", sink(noting))
        .connector([
            ("name", topic),
            ("connector.class", "test.Sink"),
            ("topics", topic),
            ("tasks.max", "2"),
        ])
        .start()
        .await
        .unwrap();
    until("both tasks to have partitions", || {
        let opened: BTreeSet<String> = diary.entries().into_iter().collect();
        (0..PARTITIONS).all(|partition| opened.contains(&format!("open {topic}-{partition}")))
            && diary.count("start") == 2
    })
    .await;
    produce_everywhere(&*cluster, topic, 0..EACH / 2).await;
    let has = |partition, records: u32| {
        arrived(&diary, partition).len() == usize::try_from(records).unwrap_or(0)
    };
    until("the first half", || {
        (0..PARTITIONS).all(|partition| has(partition, EACH / 2))
    })
    .await;
    produce_everywhere(&*cluster, topic, EACH / 2..EACH).await;
    until("every record", || {
        (0..PARTITIONS).all(|partition| has(partition, EACH))
    })
    .await;

    let states: Vec<TaskState> = runtime.tasks().iter().map(|task| task.state()).collect();
    let is_dead = |state: &TaskState| matches!(state, TaskState::Failed(why) if why.contains("panicked in put"));
    assert_eq!(
        states.iter().filter(|state| is_dead(state)).count(),
        1,
        "{states:?}"
    );
    assert!(states.contains(&TaskState::Running), "{states:?}");
    runtime.stop().await;
    for partition in 0..PARTITIONS {
        let wanted: Vec<String> = values_of(partition, 0..EACH)
            .iter()
            .enumerate()
            .map(|(offset, value)| format!("got {value} at {offset}"))
            .collect();
        assert_eq!(arrived(&diary, partition), wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_panics_hands_its_partitions_over_on_the_embedded_log() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        ferroconnect_runtime::kafka::embedded::EmbeddedConfig::new(folder.path().join("log"));
    let log = ferroconnect_runtime::kafka::embedded::EmbeddedLog::open(config).unwrap();
    let cluster: Arc<dyn Cluster> = Arc::new(log);
    a_task_that_panics_hands_its_partitions_over(
        embedded(folder.path()).cluster(Arc::clone(&cluster)),
        cluster,
        "eight",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn a_task_that_panics_hands_its_partitions_over_on_kafka() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = crate::kafka::shared();
    let [topic] = crate::kafka::names(["eight"]);
    let cluster = ferroconnect_runtime::kafka::krafka::KrafkaCluster::new(&bootstrap);
    a_task_that_panics_hands_its_partitions_over(
        crate::kafka::worker(folder.path(), &bootstrap),
        Arc::new(cluster),
        &topic,
    )
    .await;
}
