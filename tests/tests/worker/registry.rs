//! Converters that ask a schema registry: embedded, behind HTTP, and away.

use std::io::Write;
use std::path::Path;

use ferroconnect_registry_client::fake::{Fault as Scripted, HttpRegistry};
use ferroconnect_registry_client::server::Languages;
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::{Runtime, RuntimeBuilder};

use crate::bench::{embedded, lines, until};
use crate::kafka::{names, shared, worker as on_kafka};

/// Text goes through Avro; keys are null.
fn through_avro(worker: RuntimeBuilder, registry: &str) -> RuntimeBuilder {
    worker.worker([
        ("value.converter", "io.confluent.connect.avro.AvroConverter"),
        ("value.converter.schema.registry.url", registry),
        ("value.converter.max.retries", "0"),
    ])
}

/// Copies `in.txt` of a folder through `topic` to `out.txt`.
fn copying(worker: RuntimeBuilder, folder: &Path, topic: &str) -> RuntimeBuilder {
    let (input, output) = (folder.join("in.txt"), folder.join("out.txt"));
    worker
        .connector([
            ("name", &*format!("{topic}-in")),
            ("connector.class", "FileStreamSource"),
            ("topic", topic),
            ("file", input.to_str().unwrap()),
        ])
        .connector([
            ("name", &*format!("{topic}-out")),
            ("connector.class", "FileStreamSink"),
            ("topics", topic),
            ("file", output.to_str().unwrap()),
        ])
}

/// Adds lines to `in.txt`.
fn write(folder: &Path, range: std::ops::Range<u32>) -> Vec<String> {
    let mut file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(folder.join("in.txt"))
        .unwrap();
    let lines: Vec<String> = range.map(|n| format!("Zeile {n} ü")).collect();
    for line in &lines {
        writeln!(file, "{line}").unwrap();
    }
    lines
}

async fn until_written(folder: &Path, expected: &[String]) {
    let output = folder.join("out.txt");
    until("all lines", || lines(&output).len() >= expected.len()).await;
    assert_eq!(lines(&output), expected);
}

fn waiting(runtime: &Runtime) -> Vec<String> {
    let tasks = runtime.tasks();
    let waiting = tasks.iter().filter_map(|task| task.waiting());
    waiting.map(|reason| reason.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_go_through_avro_and_the_embedded_registry_and_a_restart_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let start = || copying(through_avro(embedded(folder), "embedded:"), folder, "lines").start();
    let mut expected = write(folder, 0..2_000);
    let runtime = start().await.unwrap();
    until_written(folder, &expected).await;
    runtime.stop().await;

    expected.extend(write(folder, 2_000..3_000));
    let runtime = start().await.unwrap();
    until_written(folder, &expected).await;
    assert!(waiting(&runtime).is_empty());
    runtime.stop().await;
    assert!(
        folder.join("log/registry").is_dir(),
        "the schemas lie beside the log"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn lines_go_through_avro_on_kafka() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [topic] = names(["avro"]);
    let registry = format!("embedded:{}", folder.join("registry").display());
    let worker = through_avro(on_kafka(folder, &shared()), &registry);
    let expected = write(folder, 0..2_000);
    let runtime = copying(worker, folder, &topic).start().await.unwrap();
    until_written(folder, &expected).await;
    runtime.stop().await;
}

/// What was seen goes on through an outage and a restart; what was not waits, says so, and is right in the end.
#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_is_away_stops_only_what_it_has_never_told() {
    let mut registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let (known, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (known, fresh) = (known.path(), fresh.path());
    let url = registry.url();
    let start = |folder: &Path, topic| {
        let schemas = folder.join("schemas");
        let worker = through_avro(embedded(folder), &url).worker([(
            "value.converter.schema.registry.cache.dir",
            schemas.to_str().unwrap(),
        )]);
        copying(worker, folder, topic)
    };
    let (known_worker, fresh_worker) = (start(known, "known"), start(fresh, "fresh"));

    let mut expected = write(known, 0..100);
    let runtime = known_worker.clone().start().await.unwrap();
    until_written(known, &expected).await;
    registry.kill().await;
    expected.extend(write(known, 100..200));
    until_written(known, &expected).await;
    runtime.stop().await;

    expected.extend(write(known, 200..300));
    let runtime = known_worker.start().await.unwrap();
    until_written(known, &expected).await;
    assert!(waiting(&runtime).is_empty(), "everything was seen before");

    let unseen = write(fresh, 0..100);
    let waits = fresh_worker.start().await.unwrap();
    until("the status", || !waiting(&waits).is_empty()).await;
    let reason = waiting(&waits).concat();
    assert!(reason.contains("waits for the schema registry"), "{reason}");
    assert!(lines(&fresh.join("out.txt")).is_empty());
    assert!(!waits.has_failed_tasks());
    assert!(
        waits
            .tasks()
            .iter()
            .any(|task| task.counters().retries() > 0)
    );

    registry.restart().await.unwrap();
    until_written(fresh, &unseen).await;
    until("the status to be clear", || waiting(&waits).is_empty()).await;
    waits.stop().await;
    runtime.stop().await;
}

/// A task that waits for its registry can be stopped, and loses nothing by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_task_can_be_stopped() {
    let mut registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    registry.kill().await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let url = registry.url();
    let start = || {
        let worker = through_avro(embedded(folder), &url);
        copying(worker, folder, "lines").start()
    };
    let expected = write(folder, 0..100);
    let runtime = start().await.unwrap();
    until("the status", || !waiting(&runtime).is_empty()).await;
    let ended = runtime.stop().await;
    assert!(
        ended
            .iter()
            .all(|task| task.state() == TaskState::Unassigned)
    );
    registry.restart().await.unwrap();
    let runtime = start().await.unwrap();
    until_written(folder, &expected).await;
    runtime.stop().await;
}

/// With `errors.retry.timeout` the wait has an end, and then it is the task that fails: no good record is skipped.
#[tokio::test(flavor = "multi_thread")]
async fn patience_ends_where_it_was_told_to() {
    let mut registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    registry.kill().await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, 0..10);
    let input = folder.join("in.txt");
    let worker = through_avro(embedded(folder), &registry.url()).connector([
        ("name", "in"),
        ("connector.class", "FileStreamSource"),
        ("topic", "lines"),
        ("file", input.to_str().unwrap()),
        ("errors.tolerance", "all"),
        ("errors.retry.timeout", "1000"),
    ]);
    let runtime = worker.start().await.unwrap();
    until("the failure", || runtime.has_failed_tasks()).await;
    let tasks = runtime.tasks();
    let [task] = &tasks[..] else {
        panic!("one task");
    };
    let TaskState::Failed(reason) = task.state() else {
        panic!("it failed");
    };
    assert!(
        reason.contains("the schema registry gave no answer"),
        "{reason}"
    );
    assert_eq!(task.counters().skipped(), 0);
    runtime.stop().await;
}

/// After the first record of a schema no record costs a request.
#[tokio::test(flavor = "multi_thread")]
async fn records_cost_no_requests() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let worker = through_avro(embedded(folder), &registry.url());
    let mut expected = write(folder, 0..10);
    let runtime = copying(worker, folder, "lines").start().await.unwrap();
    until_written(folder, &expected).await;
    let warm = registry.requests().len();
    expected.extend(write(folder, 10..5_000));
    until_written(folder, &expected).await;
    assert_eq!(registry.requests().len(), warm, "{:?}", registry.requests());
    runtime.stop().await;
}

/// Trouble of the registry that passes is repeated until it has passed.
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_server_are_no_errors_of_records() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    for status in [500, 503, 429] {
        registry.script(Scripted::status(status).on("POST", "/subjects/"));
    }
    registry.script(Scripted::status(502).on("GET", "/schemas/ids/"));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let worker = through_avro(embedded(folder), &registry.url());
    let expected = write(folder, 0..100);
    let runtime = copying(worker, folder, "lines").start().await.unwrap();
    until_written(folder, &expected).await;
    assert!(
        runtime
            .tasks()
            .iter()
            .all(|task| task.counters().skipped() == 0)
    );
    runtime.stop().await;
}

/// A refusal is an answer: the task fails at once, with the registry's words and what to do.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_schema_fails_the_task_with_the_registrys_words() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, 0..10);
    let worker = through_avro(embedded(folder), &registry.url())
        .worker([("value.converter.auto.register.schemas", "false")]);
    let runtime = copying(worker, folder, "lines").start().await.unwrap();
    until("the failure", || runtime.has_failed_tasks()).await;
    let failed = runtime
        .tasks()
        .into_iter()
        .find_map(|task| match task.state() {
            TaskState::Failed(reason) => Some(reason),
            _ => None,
        });
    let reason = failed.unwrap();
    assert!(reason.contains("lines-value"), "{reason}");
    assert!(reason.contains("40401"), "{reason}");
    runtime.stop().await;
}
