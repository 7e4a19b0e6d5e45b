//! Records flow, restarts go on, failures stay where they are.

use std::io::Write;
use std::sync::Arc;

use ferroconnect_runtime::api::{SinkConnector, SourceConnector};
use ferroconnect_runtime::ids::ConnectorName;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::task::{TaskState, TaskStatus};
use ferroconnect_runtime::{Fault, Runtime};

use crate::bench::{embedded, lines, until};
use crate::plugins::{Diary, Move, NotingSink, Poison, ScriptedSource};

fn scripted(moves: Vec<Move>, diary: &Diary) -> impl Fn() -> Box<dyn SourceConnector> + use<> {
    let source = ScriptedSource {
        moves,
        diary: diary.clone(),
    };
    move || Box::new(source.clone())
}

fn noting(sink: NotingSink) -> impl Fn() -> Box<dyn SinkConnector> {
    move || Box::new(sink.clone())
}

fn give(values: &[&str]) -> Move {
    Move::Give(values.iter().map(|value| (*value).to_owned()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_through_the_log_into_a_file_and_a_restart_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in.txt"), dir.path().join("out.txt"));
    let mut expected: Vec<String> = (0..3_000).map(|n| format!("Zeile {n} ü")).collect();
    std::fs::write(&input, expected.join("\n") + "\n").unwrap();
    let start = || {
        embedded(dir.path())
            .connector([
                ("name", "in"),
                ("connector.class", "FileStreamSource"),
                ("topic", "lines"),
                ("file", input.to_str().unwrap()),
            ])
            .connector([
                ("name", "out"),
                ("connector.class", "FileStreamSink"),
                ("topics", "lines"),
                ("file", output.to_str().unwrap()),
            ])
            .start()
    };
    let runtime = start().await.unwrap();
    until("all lines", || lines(&output).len() == 3_000).await;
    let ended = runtime.stop().await;
    assert!(
        ended
            .iter()
            .all(|task| task.state() == TaskState::Unassigned)
    );
    writeln!(
        std::fs::OpenOptions::new()
            .append(true)
            .open(&input)
            .unwrap(),
        "added"
    )
    .unwrap();
    expected.push("added".to_owned());
    let runtime = start().await.unwrap();
    until("the added line", || lines(&output).len() > 3_000).await;
    runtime.stop().await;
    assert_eq!(lines(&output), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_json_envelope_carries_lines_and_a_pattern_finds_topics() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in.txt"), dir.path().join("out.txt"));
    std::fs::write(&input, "a \"quoted\" line\n").unwrap();
    let json = (
        "value.converter",
        "org.apache.kafka.connect.json.JsonConverter",
    );
    let runtime = embedded(dir.path())
        .connector([
            ("name", "in"),
            ("connector.class", "FileStreamSource"),
            ("topic", "lines"),
            ("file", input.to_str().unwrap()),
            json,
        ])
        .connector([
            ("name", "raw"),
            ("connector.class", "FileStreamSink"),
            ("topics.regex", "li.*"),
            ("file", output.to_str().unwrap()),
        ])
        .start()
        .await
        .unwrap();
    until("the line", || lines(&output).len() == 1).await;
    runtime.stop().await;
    assert_eq!(
        lines(&output),
        [r#"{"schema":{"type":"string","optional":false},"payload":"a \"quoted\" line"}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_fails_its_own_task_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let (bad, good, sink) = (Diary::default(), Diary::default(), Diary::default());
    let poisoned = NotingSink {
        diary: Diary::default(),
        poison: Poison::at("b"),
        ..NotingSink::default()
    };
    let runtime = embedded(dir.path())
        .source("test.Bad", scripted(vec![give(&["x"]), Move::Panic], &bad))
        .source("test.Good", scripted(vec![give(&["a", "b", "c"])], &good))
        .sink(
            "test.Noting",
            noting(NotingSink {
                diary: sink.clone(),
                ..NotingSink::default()
            }),
        )
        .sink("test.Poisoned", noting(poisoned))
        .connector([
            ("name", "bad"),
            ("connector.class", "test.Bad"),
            ("topic", "bad"),
        ])
        .connector([
            ("name", "good"),
            ("connector.class", "test.Good"),
            ("topic", "good"),
        ])
        .connector([
            ("name", "sink"),
            ("connector.class", "test.Noting"),
            ("topics", "good,bad"),
        ])
        .connector([
            ("name", "poisoned"),
            ("connector.class", "test.Poisoned"),
            ("topics", "good"),
        ])
        .start()
        .await
        .unwrap();
    until("both failures", || {
        runtime
            .tasks()
            .iter()
            .filter(|task| matches!(task.state(), TaskState::Failed(_)))
            .count()
            == 2
    })
    .await;
    until("all good records", || sink.count("got") == 4).await;
    runtime.tasks().iter().for_each(only_these_two_failed);
    runtime.stop().await;
    assert_eq!(
        bad.entries().last().map(String::as_str),
        Some("stop"),
        "also a task that panicked is stopped"
    );
}

fn only_these_two_failed(task: &TaskStatus) {
    let name = task.id().to_string();
    match task.state() {
        TaskState::Failed(why) => {
            assert!(
                ["bad-0", "poisoned-0"].contains(&name.as_str()),
                "{name} failed: {why}"
            );
            assert!(
                why.contains("panicked") && why.contains("scripted panic"),
                "{why}"
            );
        }
        state => assert_eq!(state, TaskState::Running, "{name}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_failures_are_repeated_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (source, sink) = (Diary::default(), Diary::default());
    let moves = vec![
        give(&["a"]),
        Move::Fail(Fault::Transient),
        give(&["b", "c"]),
    ];
    let runtime = embedded(dir.path())
        .source("test.Source", scripted(moves, &source))
        .sink(
            "test.Sink",
            noting(NotingSink {
                diary: sink.clone(),
                refusals: 3,
                ..NotingSink::default()
            }),
        )
        .connector([
            ("name", "in"),
            ("connector.class", "test.Source"),
            ("topic", "t"),
        ])
        .connector([
            ("name", "out"),
            ("connector.class", "test.Sink"),
            ("topics", "t"),
        ])
        .start()
        .await
        .unwrap();
    until("all records", || sink.count("got") == 3).await;
    until("a commit", || source.count("commit") > 0).await;
    runtime.stop().await;
    let got: Vec<String> = sink
        .entries()
        .into_iter()
        .filter(|entry| entry.starts_with("got"))
        .collect();
    assert_eq!(got, ["got a at 0", "got b at 1", "got c at 2"]);
    assert_eq!(source.count("fail Transient"), 1);
    assert_eq!(sink.count("refuse"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sink_is_closed_after_its_last_flush_and_then_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let (source, sink) = (Diary::default(), Diary::default());
    let runtime = embedded(dir.path())
        .source("test.Source", scripted(vec![give(&["a"])], &source))
        .sink(
            "test.Sink",
            noting(NotingSink {
                diary: sink.clone(),
                ..NotingSink::default()
            }),
        )
        .connector([
            ("name", "in"),
            ("connector.class", "test.Source"),
            ("topic", "t"),
        ])
        .connector([
            ("name", "out"),
            ("connector.class", "test.Sink"),
            ("topics", "t"),
        ])
        .start()
        .await
        .unwrap();
    until("the record", || sink.count("got") == 1).await;
    runtime.stop().await;
    let entries = sink.entries();
    assert_eq!(entries[..3], ["start", "open t-0", "got a at 0"]);
    assert_eq!(
        entries[entries.len() - 3..],
        ["flush t-0 1", "close t-0", "stop"]
    );
    assert_eq!(
        source.entries().iter().rev().take(2).collect::<Vec<_>>(),
        ["stop", "commit"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_handle_stops_the_worker_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let diary = Diary::default();
    let runtime = embedded(dir.path())
        .source("test.Source", scripted(vec![], &diary))
        .connector([
            ("name", "in"),
            ("connector.class", "test.Source"),
            ("topic", "t"),
        ])
        .start()
        .await
        .unwrap();
    until("the start", || diary.count("start") == 1).await;
    let handle = runtime.shutdown_handle();
    let running = tokio::spawn(runtime.until_stopped());
    handle.shutdown();
    assert_eq!(running.await.unwrap().len(), 1);
    assert_eq!(diary.count("stop"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_when_one_connector_does_not_start() {
    let dir = tempfile::tempdir().unwrap();
    let diary = Diary::default();
    let error = embedded(dir.path())
        .source("test.Source", scripted(vec![], &diary))
        .connector([
            ("name", "in"),
            ("connector.class", "test.Source"),
            ("topic", "t"),
        ])
        .connector([
            ("name", "zz"),
            ("connector.class", "FileStreamSink"),
            ("topics", "t"),
            ("file", "/nonexistent/x/out"),
        ])
        .start()
        .await
        .unwrap_err();
    assert_eq!(error.exit_code(), 3);
    assert!(
        error.to_string().contains("connector zz does not start"),
        "{error}"
    );
    until("the stop of the first", || {
        diary.count("stop") == diary.count("start")
    })
    .await;
}

#[tokio::test]
async fn two_connectors_of_one_name_are_refused() {
    let error = Runtime::builder()
        .worker([
            ("bootstrap.servers", "embedded:x"),
            ("key.converter", "String"),
            ("value.converter", "String"),
        ])
        .connector([
            ("name", "a"),
            ("connector.class", "FileStreamSink"),
            ("topics", "t"),
        ])
        .connector([
            ("name", "a"),
            ("connector.class", "FileStreamSink"),
            ("topics", "t"),
        ])
        .check()
        .unwrap_err();
    assert!(
        error.to_string().contains("Connector a already exists"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tasks_share_the_partitions_of_a_topic_that_was_created_for_them() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in.txt"), dir.path().join("out.txt"));
    let expected: Vec<String> = (0..2_000).map(|n| format!("{n:05}")).collect();
    std::fs::write(&input, expected.join("\n") + "\n").unwrap();
    let runtime = embedded(dir.path())
        .connector([
            ("name", "in"),
            ("connector.class", "FileStreamSource"),
            ("topic", "lines"),
            ("file", input.to_str().unwrap()),
            ("batch.size", "100"),
            ("topic.creation.default.partitions", "4"),
            ("topic.creation.default.replication.factor", "1"),
        ])
        .connector([
            ("name", "out"),
            ("connector.class", "FileStreamSink"),
            ("topics", "lines"),
            ("tasks.max", "2"),
            ("file", output.to_str().unwrap()),
        ])
        .start()
        .await
        .unwrap();
    until("all lines", || lines(&output).len() >= 2_000).await;
    runtime.stop().await;
    let mut written = lines(&output);
    written.sort();
    written.dedup();
    assert_eq!(written, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_source_is_not_polled_and_goes_on_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (source, sink) = (Diary::default(), Diary::default());
    let moves = (0..200).map(|n| give(&[n.to_string().as_str()])).collect();
    let runtime = embedded(dir.path())
        .source("test.Source", scripted(moves, &source))
        .sink(
            "test.Sink",
            noting(NotingSink {
                diary: sink.clone(),
                ..NotingSink::default()
            }),
        )
        .connector([
            ("name", "in"),
            ("connector.class", "test.Source"),
            ("topic", "t"),
        ])
        .connector([
            ("name", "out"),
            ("connector.class", "test.Sink"),
            ("topics", "t"),
        ])
        .start()
        .await
        .unwrap();
    let name = ConnectorName::new("in").unwrap();
    runtime.pause(&name).await.unwrap();
    until("the pause", || {
        runtime.tasks()[0].state() == TaskState::Paused
    })
    .await;
    let taken = runtime.tasks()[0].counters().taken();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(
        runtime.tasks()[0].counters().taken(),
        taken,
        "nothing is taken while paused"
    );
    runtime.resume(&name).await.unwrap();
    until("all records", || sink.count("got") == 200).await;
    runtime.stop().await;
    let got: Vec<String> = sink
        .entries()
        .into_iter()
        .filter(|entry| entry.starts_with("got"))
        .collect();
    let expected: Vec<String> = (0..200).map(|n| format!("got {n} at {n}")).collect();
    assert_eq!(got, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_the_log_fails_the_source_clearly_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("in.txt"), dir.path().join("out.txt"));
    let expected: Vec<String> = (0..20_000).map(|n| format!("{n:0100}")).collect();
    std::fs::write(&input, expected.join("\n") + "\n").unwrap();
    let start = |bytes_max| {
        let config = EmbeddedConfig {
            bytes_max,
            ..EmbeddedConfig::new(dir.path().join("log"))
        };
        embedded(dir.path())
            .cluster(Arc::new(EmbeddedLog::open(config).unwrap()))
            .connector([
                ("name", "in"),
                ("connector.class", "FileStreamSource"),
                ("topic", "lines"),
                ("file", input.to_str().unwrap()),
            ])
            .connector([
                ("name", "out"),
                ("connector.class", "FileStreamSink"),
                ("topics", "lines"),
                ("file", output.to_str().unwrap()),
            ])
            .start()
    };
    let runtime = start(Some(1 << 20)).await.unwrap();
    let source = || {
        runtime
            .tasks()
            .into_iter()
            .find(|task| task.id().to_string() == "in-0")
            .unwrap()
    };
    until("the failure", || {
        matches!(source().state(), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(why) = source().state() else {
        panic!("it failed a moment ago")
    };
    assert!(why.contains("full"), "{why}");
    runtime.stop().await;

    // With room again, everything arrives, in order; only what was not committed comes twice.
    let runtime = start(None).await.unwrap();
    until("the last line", || lines(&output).last() == expected.last()).await;
    runtime.stop().await;
    let mut written = lines(&output);
    written.dedup();
    let mut next = 0;
    for line in &written {
        let n: usize = line.parse().unwrap();
        assert!(n <= next, "{next} is missing before {n}");
        next = next.max(n + 1);
    }
    assert_eq!(next, expected.len());
}
