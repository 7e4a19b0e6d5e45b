//! The worker on a real Kafka cluster: topics of sources, refused credentials.

use std::path::Path;
use std::sync::Arc;

use ferroconnect_node::{Node, Protocol};
use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::kafka::{Admin, AdminConfig, Cluster as _, NewTopic};
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::time::Span;
use ferroconnect_runtime::{Runtime, RuntimeBuilder};

use crate::bench::{PATIENCE, until};

const WITHIN: Span = Span::secs(30);

pub(crate) fn shared() -> String {
    std::env::var("FERROCONNECT_KAFKA")
        .expect("FERROCONNECT_KAFKA=host:port names a Kafka node; cargo xtask test starts one")
}

pub(crate) fn worker(folder: &Path, bootstrap: &str) -> RuntimeBuilder {
    let offsets = folder.join("connect.offsets").display().to_string();
    Runtime::builder().worker([
        ("bootstrap.servers", bootstrap),
        ("offset.storage.file.filename", &offsets),
        ("key.converter", "StringConverter"),
        ("value.converter", "StringConverter"),
        ("offset.flush.interval.ms", "100"),
    ])
}

async fn admin(bootstrap: &str) -> Arc<dyn Admin> {
    let cluster = KrafkaCluster::new(bootstrap);
    cluster.admin(AdminConfig::default(), WITHIN).await.unwrap()
}

/// Names of one test in one run.
#[expect(
    clippy::disallowed_methods,
    reason = "names must be new in every run of the test"
)]
pub(crate) fn names<const N: usize>(parts: [&str; N]) -> [String; N] {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.map_or(0, |elapsed| elapsed.as_nanos());
    parts.map(|part| format!("worker-{nanos:x}-{part}"))
}

/// A file of one line into this topic.
fn source(folder: &Path, topic: &str, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let file = folder.join("in.txt");
    std::fs::write(&file, "a line\n").unwrap();
    let file = file.display().to_string();
    let mut config = vec![
        ("name", topic),
        ("connector.class", "FileStreamSource"),
        ("file", &file),
        ("topic", topic),
    ];
    config.extend(more);
    config
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

async fn until_delivered(runtime: &Runtime, tasks: u64) {
    until("the lines", || {
        runtime
            .tasks()
            .iter()
            .map(|task| task.counters().delivered())
            .sum::<u64>()
            == tasks
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn topics_are_created_as_their_group_says_and_existing_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = shared();
    let [grouped, excluded, there] = names(["orders", "orders-tmp", "there"]);
    let admin = admin(&bootstrap).await;
    admin
        .create_topic(&NewTopic::new(&there, 2), WITHIN)
        .await
        .unwrap();
    let creation = [
        ("topic.creation.groups", "big"),
        ("topic.creation.big.include", ".*-orders.*,.*-there"),
        ("topic.creation.big.exclude", ".*-tmp"),
        ("topic.creation.big.partitions", "5"),
        ("topic.creation.big.cleanup.policy", "compact"),
        ("topic.creation.default.partitions", "3"),
        ("topic.creation.default.replication.factor", "-1"),
    ];
    let mut builder = worker(folder.path(), &bootstrap);
    for topic in [&grouped, &excluded, &there] {
        // A compacted topic takes no record without a key.
        let topics_keep_everything = topic == &grouped;
        let creation: Vec<_> = creation
            .iter()
            .filter(|(key, _)| !(topics_keep_everything && key.ends_with("cleanup.policy")))
            .copied()
            .collect();
        builder = builder.connector(source(folder.path(), topic, &creation));
    }
    let runtime = builder.start().await.unwrap();
    until_delivered(&runtime, 3).await;
    runtime.stop().await;
    for (topic, partitions) in [(&grouped, 5), (&excluded, 3), (&there, 2)] {
        let found = admin.describe_topics(&[topic], WITHIN).await.unwrap();
        assert_eq!(found[0].partitions, partitions, "{topic}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn settings_of_a_group_reach_the_topic() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = shared();
    let [topic] = names(["settings"]);
    let creation = [
        ("topic.creation.default.partitions", "1"),
        ("topic.creation.default.replication.factor", "1"),
        ("topic.creation.default.retention.ms", "7200000"),
    ];
    let runtime = worker(folder.path(), &bootstrap)
        .connector(source(folder.path(), &topic, &creation))
        .start()
        .await
        .unwrap();
    until_delivered(&runtime, 1).await;
    runtime.stop().await;
    let configs = admin(&bootstrap)
        .await
        .describe_configs(&topic, WITHIN)
        .await
        .unwrap();
    assert_eq!(configs["retention.ms"], "7200000");
}

/// As with Java's producer, whose question for a topic makes the broker create it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn without_topic_creation_the_brokers_decide() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = shared();
    let [silent, forbidden] = names(["silent", "forbidden"]);
    let creation = [
        ("topic.creation.default.partitions", "7"),
        ("topic.creation.default.replication.factor", "1"),
    ];
    let runtime = worker(folder.path(), &bootstrap)
        .worker([("topic.creation.enable", "false")])
        .connector(source(folder.path(), &silent, &[]))
        .connector(source(folder.path(), &forbidden, &creation))
        .start()
        .await
        .unwrap();
    until_delivered(&runtime, 2).await;
    runtime.stop().await;
    let admin = admin(&bootstrap).await;
    for topic in [&silent, &forbidden] {
        let found = admin.describe_topics(&[topic], WITHIN).await.unwrap();
        assert_eq!(found[0].partitions, 1, "{topic}: the broker's own default");
    }
}

/// A topic that the cluster refuses to create fails the task and says what to do; nothing else is disturbed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn a_topic_that_cannot_be_created_fails_its_task_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = shared();
    let [refused, good] = names(["refused", "good"]);
    let with = |replicas: &'static str| {
        [
            ("topic.creation.default.partitions", "1"),
            ("topic.creation.default.replication.factor", replicas),
        ]
    };
    let runtime = worker(folder.path(), &bootstrap)
        .connector(source(folder.path(), &refused, &with("3")))
        .connector(source(folder.path(), &good, &with("1")))
        .start()
        .await
        .unwrap();
    let state_of = |name: &str| {
        let tasks = runtime.tasks();
        let task = tasks
            .iter()
            .find(|task| task.id().connector.as_str() == name);
        task.unwrap().state()
    };
    until("a failed task", || {
        matches!(state_of(&refused), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(text) = state_of(&refused) else {
        unreachable!("seen just now")
    };
    assert!(
        text.contains(&format!("Task failed to create new topic {refused}")),
        "{text}"
    );
    assert!(
        text.contains("Ensure that the task is authorized to create topics"),
        "{text}"
    );
    until_delivered(&runtime, 1).await;
    assert_eq!(state_of(&good), TaskState::Running);
    runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn a_wrong_password_is_told_at_once_and_a_right_one_from_a_provider_works() {
    let node = tokio::task::spawn_blocking(|| {
        Node::builder()
            .listener(
                "LOGIN",
                Protocol::SaslPlaintext,
                [
                    ("sasl.enabled.mechanisms", "SCRAM-SHA-256"),
                    (
                        "scram-sha-256.sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                    ),
                ],
            )
            .scram_user("SCRAM-SHA-256", "alice", "correct-horse")
            .start()
    });
    let node = node.await.unwrap().unwrap();
    let bootstrap = node.bootstrap_of("LOGIN").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let login = |password: &str| {
        let text = format!(
            "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"alice\" password=\"{password}\";"
        );
        let mut keys = Vec::new();
        for prefix in ["", "producer.", "consumer."] {
            keys.push((
                format!("{prefix}security.protocol"),
                "SASL_PLAINTEXT".to_owned(),
            ));
            keys.push((
                format!("{prefix}sasl.mechanism"),
                "SCRAM-SHA-256".to_owned(),
            ));
            keys.push((format!("{prefix}sasl.jaas.config"), text.clone()));
        }
        keys
    };
    let starting = worker(folder.path(), &bootstrap)
        .worker(login("wrong-horse"))
        .start();
    let refused = tokio::time::timeout(PATIENCE, starting)
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(refused.exit_code(), 3);
    let text = refused.to_string();
    assert!(
        text.contains(&format!(
            "the Kafka cluster at {bootstrap} refuses this worker"
        )),
        "{text}"
    );
    assert!(!text.contains("wrong-horse"), "{text}");

    let [topic] = names(["login"]);
    let runtime = worker(folder.path(), &bootstrap)
        .worker(login("${env:PASSWORD}"))
        .worker([
            ("config.providers", "env"),
            ("config.providers.env.class", "EnvVar"),
        ])
        .environment([("PASSWORD", "correct-horse")])
        .connector(source(folder.path(), &topic, &[]))
        .start()
        .await
        .unwrap();
    until_delivered(&runtime, 1).await;
    runtime.stop().await;
}

/// A record that the broker refuses for good fails its task, which names it, shows nothing of it, and commits nothing behind it; with
/// tolerance `all` it alone is left out.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn a_record_too_large_for_the_broker_is_named_and_holds_back_its_offset() {
    let folder = tempfile::tempdir().unwrap();
    let bootstrap = shared();
    let [topic] = names(["large"]);
    let admin = admin(&bootstrap).await;
    admin
        .create_topic(&NewTopic::new(&topic, 1), WITHIN)
        .await
        .unwrap();
    let mut config = source(
        folder.path(),
        &topic,
        &[("producer.override.max.request.size", "9000000")],
    );
    let text = format!("first\n{}\nthird\n", "x".repeat(3_000_000));
    std::fs::write(folder.path().join("in.txt"), text).unwrap();
    let runtime = worker(folder.path(), &bootstrap)
        .connector(config.clone())
        .start()
        .await
        .unwrap();
    until("the failure", || {
        matches!(runtime.tasks()[0].state(), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(why) = runtime.tasks()[0].state() else {
        unreachable!("it failed a moment ago")
    };
    assert!(
        why.contains("KAFKA_PRODUCE") && why.contains(&format!("{topic}-0")),
        "{why}"
    );
    assert!(!why.contains("xxxx"), "no value is shown: {why}");
    runtime.stop().await;

    config.push(("errors.tolerance".to_owned(), "all".to_owned()));
    let runtime = worker(folder.path(), &bootstrap)
        .connector(config)
        .start()
        .await
        .unwrap();
    until("the record to be left out", || {
        runtime.tasks()[0].counters().skipped() == 1
    })
    .await;
    until("the one behind it", || {
        runtime.tasks()[0].counters().delivered() >= 1
    })
    .await;
    assert_eq!(runtime.tasks()[0].state(), TaskState::Running);
    runtime.stop().await;
}
