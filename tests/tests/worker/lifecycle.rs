//! Connectors that are changed while the worker runs: updated, paused, stopped, restarted, reloaded.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ferroconnect_runtime::api::{
    ConnectorContext, SourceConnector, SourceContext, SourceRecord, SourceTask,
};
use ferroconnect_runtime::config::{ConfigDef, RawConfig};
use ferroconnect_runtime::ids::{ConnectorName, TaskId};
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::worker::{ConnectorState, Restart};
use ferroconnect_runtime::{Error, Fault, Runtime, RuntimeBuilder};

use crate::bench::{PATIENCE, embedded, until};

/// What the recorder's code was called for, and what it should do.
#[derive(Default, Debug)]
struct Seen {
    events: Vec<String>,
    context: Option<ConnectorContext>,
    tasks: usize,
    fail_start: bool,
    fail_task: Option<u32>,
    /// A start waits for this lock.
    hold: Option<Arc<Mutex<()>>>,
}

type Shared = Arc<Mutex<Seen>>;

struct Recorder(Shared);

impl SourceConnector for Recorder {
    fn config_def(&self) -> ConfigDef {
        ConfigDef::new()
    }

    fn initialize(&mut self, context: ConnectorContext) {
        self.0.lock().unwrap().context = Some(context);
    }

    fn start(&mut self, config: &RawConfig) -> Result<(), Error> {
        let value = config.get("value").cloned().unwrap_or_default();
        let hold = self.0.lock().unwrap().hold.clone();
        if let Some(hold) = hold {
            drop(hold.lock().unwrap());
        }
        let mut seen = self.0.lock().unwrap();
        if seen.fail_start {
            return Err(Error::new(Fault::Plugin, format!("cannot use {value}")));
        }
        seen.events.push(format!("start {value}"));
        Ok(())
    }

    fn task_configs(&self, config: &RawConfig, _max: u32) -> Result<Vec<RawConfig>, Error> {
        let tasks = self.0.lock().unwrap().tasks;
        let own = |nth: usize| {
            let mut config = config.clone();
            config.insert("nth".to_owned(), nth.to_string());
            config
        };
        Ok((0..tasks).map(own).collect())
    }

    fn task(&self) -> Box<dyn SourceTask> {
        Box::new(RecorderTask(Arc::clone(&self.0)))
    }

    fn stop(&mut self) {
        self.0.lock().unwrap().events.push("stop".to_owned());
    }
}

struct RecorderTask(Shared);

impl SourceTask for RecorderTask {
    fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
        let config = context.config();
        let mut seen = self.0.lock().unwrap();
        let value = config.get("value").cloned().unwrap_or_default();
        seen.events.push(format!("task {} {value}", config["nth"]));
        if seen.fail_task.map(|nth| nth.to_string()).as_ref() == config.get("nth") {
            return Err(Error::new(Fault::Plugin, format!("no luck with {value}")));
        }
        Ok(())
    }

    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        context.wait(std::time::Duration::from_millis(20));
        Ok(Vec::new())
    }
}

struct Stage {
    seen: Shared,
    name: ConnectorName,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(tasks: usize) -> Self {
        let seen = Seen {
            tasks,
            ..Seen::default()
        };
        Self {
            seen: Arc::new(Mutex::new(seen)),
            name: ConnectorName::new("c").unwrap(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn builder(&self) -> RuntimeBuilder {
        let seen = Arc::clone(&self.seen);
        let make = move || -> Box<dyn SourceConnector> { Box::new(Recorder(Arc::clone(&seen))) };
        embedded(self.folder.path()).source("test.Recorder", make)
    }

    async fn start(&self, value: &str) -> Runtime {
        let builder = self.builder().connector(config(value));
        let runtime = builder.start().await.unwrap();
        let tasks = self.seen.lock().unwrap().tasks;
        self.until_running(&runtime, tasks).await;
        self.take();
        runtime
    }

    async fn until_running(&self, runtime: &Runtime, tasks: usize) {
        until("running tasks", || {
            let all = runtime.tasks();
            all.len() == tasks && all.iter().all(|task| task.state() == TaskState::Running)
        })
        .await;
    }

    /// What happened since the last call, in order of text: tasks start side by side.
    fn take(&self) -> Vec<String> {
        let mut events = std::mem::take(&mut self.seen.lock().unwrap().events);
        events.sort();
        events
    }

    fn state(&self, runtime: &Runtime) -> ConnectorState {
        runtime.connectors()[0].state.clone()
    }

    fn context(&self) -> ConnectorContext {
        self.seen.lock().unwrap().context.clone().unwrap()
    }
}

fn config(value: &str) -> Vec<(String, String)> {
    [
        ("name", "c"),
        ("connector.class", "Recorder"),
        ("tasks.max", "9"),
        ("value", value),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_configuration_restarts_the_connector_and_its_tasks() {
    let stage = Stage::new(2);
    let runtime = stage.start("one").await;
    runtime.put_connector(config("two")).await.unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(
        stage.take(),
        ["start two", "stop", "task 0 two", "task 1 two"]
    );
    assert_eq!(
        runtime.connector_config(&stage.name).unwrap()["value"],
        "two"
    );

    let mut wrong = config("three");
    wrong.push(("tasks.max".to_owned(), "0".to_owned()));
    let error = runtime.put_connector(wrong).await.unwrap_err();
    assert!(
        error.to_string().contains("Value must be at least 1"),
        "{error}"
    );
    assert_eq!(
        stage.take(),
        Vec::<String>::new(),
        "what is wrong changes nothing"
    );
    runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_can_be_created_and_removed_while_the_worker_runs() {
    let stage = Stage::new(1);
    let runtime = stage.builder().start().await.unwrap();
    assert!(runtime.connectors().is_empty());
    runtime.put_connector(config("one")).await.unwrap();
    stage.until_running(&runtime, 1).await;
    let status = runtime.connectors()[0].clone();
    assert_eq!(
        (status.state.to_string(), status.is_source),
        ("RUNNING".to_owned(), true)
    );
    assert_eq!(&*status.worker_id, "localhost:8083");
    runtime.remove_connector(&stage.name).await.unwrap();
    assert!(runtime.connectors().is_empty());
    assert_eq!(stage.take(), ["start one", "stop", "task 0 one"]);
    let error = runtime.remove_connector(&stage.name).await.unwrap_err();
    assert_eq!(error.to_string(), "Unknown connector c");
    runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pausing_stops_the_connector_and_keeps_its_tasks_and_stopping_removes_them() {
    let stage = Stage::new(2);
    let runtime = stage.start("x").await;
    runtime.pause(&stage.name).await.unwrap();
    until("paused tasks", || {
        runtime
            .tasks()
            .iter()
            .all(|task| task.state() == TaskState::Paused)
    })
    .await;
    assert_eq!(stage.state(&runtime), ConnectorState::Paused);
    assert_eq!(stage.take(), ["stop"]);
    runtime.resume(&stage.name).await.unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(stage.take(), ["start x"], "the tasks went on as they were");

    runtime.stop_connector(&stage.name).await.unwrap();
    assert_eq!(stage.state(&runtime), ConnectorState::Stopped);
    assert!(runtime.tasks().is_empty());
    runtime.resume(&stage.name).await.unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(stage.take(), ["start x", "stop", "task 0 x", "task 1 x"]);
    runtime.stop().await;
}

/// As in Kafka: what was never started is neither started nor stopped, and has no tasks.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_can_begin_paused_or_stopped() {
    for (state, expected) in [
        ("PAUSED", ConnectorState::Paused),
        ("STOPPED", ConnectorState::Stopped),
    ] {
        let stage = Stage::new(1);
        let file = stage.folder.path().join("c.json");
        let text = format!(
            r#"{{"name":"c","config":{{"connector.class":"Recorder","value":"v"}},"initial_state":"{state}"}}"#
        );
        std::fs::write(&file, text).unwrap();
        let runtime = stage.builder().connector_file(&file).start().await.unwrap();
        assert_eq!(stage.state(&runtime), expected);
        assert!(runtime.tasks().is_empty());
        assert_eq!(stage.take(), Vec::<String>::new());
        runtime.resume(&stage.name).await.unwrap();
        stage.until_running(&runtime, 1).await;
        assert_eq!(stage.take(), ["start v", "task 0 v"]);
        runtime.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_takes_in_what_it_is_told_to() {
    let stage = Stage::new(2);
    stage.seen.lock().unwrap().fail_task = Some(1);
    let runtime = stage
        .builder()
        .connector(config("v"))
        .start()
        .await
        .unwrap();
    let is_failed = |index: usize| matches!(runtime.tasks()[index].state(), TaskState::Failed(_));
    until("a failed task", || is_failed(1)).await;
    stage.take();
    stage.seen.lock().unwrap().fail_task = None;

    runtime
        .restart(&stage.name, Restart::default())
        .await
        .unwrap();
    assert_eq!(stage.take(), ["start v", "stop"], "the connector alone");
    assert!(is_failed(1));

    let failed = Restart {
        include_tasks: true,
        only_failed: true,
    };
    runtime.restart(&stage.name, failed).await.unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(stage.take(), ["task 1 v"], "what had failed alone");

    let all = Restart {
        include_tasks: true,
        only_failed: false,
    };
    runtime.restart(&stage.name, all).await.unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(stage.take(), ["start v", "stop", "task 0 v", "task 1 v"]);

    runtime
        .restart_task(&TaskId::new(stage.name.clone(), 1))
        .await
        .unwrap();
    stage.until_running(&runtime, 2).await;
    assert_eq!(stage.take(), ["task 1 v"]);
    let error = runtime
        .restart_task(&TaskId::new(stage.name.clone(), 7))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "Task c-7 not found");
    runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_asks_for_more_tasks() {
    let stage = Stage::new(1);
    let runtime = stage.start("v").await;
    stage.context().request_task_reconfiguration().unwrap();
    stage.seen.lock().unwrap().tasks = 3;
    stage.context().request_task_reconfiguration().unwrap();
    stage.until_running(&runtime, 3).await;
    assert_eq!(stage.take(), ["task 0 v", "task 1 v", "task 2 v"]);
    let context = stage.context();
    runtime.stop().await;
    let error = context.request_task_reconfiguration().unwrap_err();
    assert_eq!(
        error.to_string(),
        "The request for task reconfiguration has been rejected because this instance of the connector 'c' has already been shut down."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_fails_itself_and_its_tasks_go_on() {
    let stage = Stage::new(1);
    let runtime = stage.start("v").await;
    let error = Error::new(Fault::Plugin, "the source is gone");
    stage.context().raise_error(error).unwrap();
    until("a failed connector", || {
        stage.state(&runtime) == ConnectorState::Failed("the source is gone".into())
    })
    .await;
    assert_eq!(runtime.tasks()[0].state(), TaskState::Running);
    let error = runtime.pause(&stage.name).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Cannot transition connector to PAUSED since it has failed"),
        "{error}"
    );
    let failed = Restart {
        include_tasks: false,
        only_failed: true,
    };
    runtime.restart(&stage.name, failed).await.unwrap();
    assert_eq!(stage.state(&runtime), ConnectorState::Running);
    runtime.stop().await;
}

fn with_provider(stage: &Stage, more: &[(&str, &str)]) -> RuntimeBuilder {
    let mut worker = vec![
        ("config.providers", "file"),
        ("config.providers.file.class", "file"),
    ];
    worker.extend(more);
    stage.builder().worker(worker)
}

fn secret(folder: &Path, text: &str) -> String {
    let path = folder.join("s.properties");
    // Renamed into place, so that nobody reads half of it.
    let next = folder.join("next");
    std::fs::write(&next, format!("k={text}\n")).unwrap();
    std::fs::rename(next, &path).unwrap();
    format!("${{file:{}:k}}", path.display())
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_run_out_are_read_anew() {
    let stage = Stage::new(1);
    let placeholder = secret(stage.folder.path(), "first");
    let builder = with_provider(&stage, &[("config.providers.file.param.ttl.ms", "100")]);
    let runtime = builder
        .connector(config(&placeholder))
        .start()
        .await
        .unwrap();
    let seen = |event: &str| {
        stage
            .seen
            .lock()
            .unwrap()
            .events
            .iter()
            .filter(|seen| *seen == event)
            .count()
    };
    until("a restarted connector", || seen("start first") >= 3).await;
    assert_eq!(
        seen("task 0 first"),
        1,
        "with the same values its tasks go on"
    );
    secret(stage.folder.path(), "second");
    until("a restarted task", || seen("task 0 second") == 1).await;
    // A value that cannot be read keeps what runs, and is tried again.
    std::fs::remove_file(stage.folder.path().join("s.properties")).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    stage.until_running(&runtime, 1).await;
    secret(stage.folder.path(), "third");
    until("the third value", || seen("task 0 third") == 1).await;
    assert_eq!(
        runtime.connector_config(&stage.name).unwrap()["value"],
        placeholder,
        "what is shown keeps its placeholder"
    );
    runtime.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_restarted_when_the_connector_does_not_want_it_or_values_last() {
    for (ttl, reload) in [("20", "none"), ("3600000", "restart")] {
        let stage = Stage::new(1);
        let placeholder = secret(stage.folder.path(), "first");
        let builder = with_provider(&stage, &[("config.providers.file.param.ttl.ms", ttl)]);
        let mut config = config(&placeholder);
        config.push(("config.action.reload".to_owned(), reload.to_owned()));
        let runtime = builder.connector(config).start().await.unwrap();
        stage.until_running(&runtime, 1).await;
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        assert_eq!(stage.take(), ["start first", "task 0 first"]);
        secret(stage.folder.path(), "second");
        runtime
            .restart(&stage.name, Restart::default())
            .await
            .unwrap();
        stage.until_running(&runtime, 1).await;
        assert_eq!(
            stage.take(),
            ["start second", "stop", "task 0 second"],
            "a restart by hand takes the new value, and its tasks with it"
        );
        runtime.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_providers_are_in_no_message() {
    let stage = Stage::new(1);
    let placeholder = secret(stage.folder.path(), "hunter2");
    stage.seen.lock().unwrap().fail_start = true;
    let builder = with_provider(&stage, &[]).connector(config(&placeholder));
    let text = builder.start().await.unwrap_err().to_string();
    assert!(text.contains("cannot use [hidden]"), "{text}");

    let stage = Stage::new(1);
    stage.seen.lock().unwrap().fail_task = Some(0);
    let placeholder = secret(stage.folder.path(), "hunter2");
    let runtime = with_provider(&stage, &[])
        .connector(config(&placeholder))
        .start()
        .await
        .unwrap();
    until("a failed task", || {
        matches!(runtime.tasks()[0].state(), TaskState::Failed(_))
    })
    .await;
    let TaskState::Failed(text) = runtime.tasks()[0].state() else {
        unreachable!("seen just now")
    };
    assert!(text.contains("no luck with [hidden]"), "{text}");
    assert!(!format!("{runtime:?}").contains("hunter2"));
    runtime.stop().await;

    let mut wrong = config("x");
    wrong.push(("tasks.max".to_owned(), placeholder));
    let text = with_provider(&stage, &[])
        .connector(wrong)
        .check()
        .unwrap_err()
        .to_string();
    assert!(
        text.contains(
            "Invalid value [hidden] for configuration tasks.max: Not a number of type INT"
        ),
        "{text}"
    );
}

/// Somebody's code that never returns keeps its own request, not the worker.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_hangs_does_not_keep_the_worker_from_stopping() {
    let stage = Stage::new(1);
    let runtime = Arc::new(stage.start("one").await);
    let hold = Arc::new(Mutex::new(()));
    stage.seen.lock().unwrap().hold = Some(Arc::clone(&hold));
    let (release, held) = std::sync::mpsc::sync_channel::<()>(0);
    let holding = {
        let hold = Arc::clone(&hold);
        let (locked, is_locked) = std::sync::mpsc::sync_channel(0);
        let holding = std::thread::spawn(move || {
            let _guard = hold.lock().unwrap();
            locked.send(()).unwrap();
            let _ = held.recv();
        });
        is_locked.recv().unwrap();
        holding
    };
    let asking = {
        let runtime = Arc::clone(&runtime);
        tokio::spawn(async move { runtime.put_connector(config("two")).await })
    };
    until("the stop before the start", || {
        stage
            .seen
            .lock()
            .unwrap()
            .events
            .contains(&"stop".to_owned())
    })
    .await;
    // Whoever asked does not wait any more; the request runs on.
    asking.abort();
    let _ = asking.await;
    let runtime = Arc::into_inner(runtime).unwrap();
    tokio::time::timeout(PATIENCE, runtime.stop())
        .await
        .unwrap();
    release.send(()).unwrap();
    holding.join().unwrap();
}
