//! One table of tests for every kind of task port: a task in this process, and a task behind a byte pipe.

use std::sync::Arc;

use async_trait::async_trait;
use ferroconnect_runtime::api::port::{
    OffsetReader, PartitionId, RowsDone, SourceBatchId, SourceStart, SourceTaskPort,
};
use ferroconnect_runtime::api::{
    RowOutcome, SourceContext, SourceOffset, SourcePartition, SourceRecord, SourceTask,
};
use ferroconnect_runtime::ids::{ConnectorName, TaskId};
use ferroconnect_runtime::task::in_process::SourceThread;
use ferroconnect_runtime::time::{Span, SystemClock};
use ferroconnect_runtime::{Error, Fault};

use crate::pipe::PipeSource;
use crate::plugins::{Diary, Move, ScriptedSourceTask, partition};

/// Answers every question with offset 41.
struct Stored;

#[async_trait]
impl OffsetReader for Stored {
    async fn offsets(
        &self,
        partitions: &[SourcePartition],
    ) -> Result<Vec<Option<SourceOffset>>, Error> {
        Ok(partitions
            .iter()
            .map(|asked| (*asked == partition()).then(|| SourceOffset::of("n", 41)))
            .collect())
    }
}

type MakePort = fn(Box<dyn SourceTask>) -> Box<dyn SourceTaskPort>;

fn start() -> SourceStart {
    let task = TaskId::new(ConnectorName::new("table").unwrap(), 0);
    let config = [("topic".to_owned(), "t".to_owned())].into_iter().collect();
    SourceStart {
        task,
        config: Arc::new(config),
        offsets: Arc::new(Stored),
    }
}

fn scripted(moves: Vec<Move>, diary: &Diary) -> Box<dyn SourceTask> {
    Box::new(ScriptedSourceTask {
        moves,
        diary: diary.clone(),
        next: 0,
    })
}

fn give(values: &[&str]) -> Move {
    Move::Give(values.iter().map(|value| (*value).to_owned()).collect())
}

const PATIENCE: Span = Span::secs(30);

async fn a_batch_carries_rows_runs_and_partitions(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(scripted(vec![give(&["a", "b"]), give(&["c"])], &diary));
    port.start(start()).await.unwrap();
    assert_eq!(diary.entries(), ["start at Some(41)"]);
    let first = port.poll().await.unwrap();
    assert_eq!(
        (first.id, first.introduced.clone()),
        (SourceBatchId(0), vec![partition()])
    );
    let values: Vec<_> = first
        .records
        .iter()
        .map(|record| record.value.value().as_str().unwrap().to_owned())
        .collect();
    assert_eq!(values, ["a", "b"]);
    assert_eq!(first.records[1].offset, SourceOffset::of("n", 43));
    assert_eq!(
        (
            first.runs.len(),
            first.runs[0].partition,
            first.runs[0].rows.clone()
        ),
        (1, PartitionId(0), 0..2)
    );
    let second = port.poll().await.unwrap();
    assert_eq!(
        (second.id, second.introduced.len(), second.records.len()),
        (SourceBatchId(1), 0, 1)
    );
    assert!(port.poll().await.unwrap().records.is_empty(), "nothing now");
    port.stop(PATIENCE).await.unwrap();
}

async fn outcomes_are_told_before_the_stop(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(scripted(vec![give(&["a", "b"])], &diary));
    port.start(start()).await.unwrap();
    port.poll().await.unwrap();
    let batch = SourceBatchId(0);
    port.acknowledge(RowsDone {
        batch,
        rows: 0..1,
        outcome: RowOutcome::Written(vec![]),
    });
    port.acknowledge(RowsDone {
        batch,
        rows: 1..2,
        outcome: RowOutcome::Dropped,
    });
    port.committed();
    port.stop(PATIENCE).await.unwrap();
    assert_eq!(
        diary.entries()[1..],
        ["written 0/0", "dropped 0/1", "commit", "stop"]
    );
}

async fn a_poll_that_is_given_up_loses_nothing(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(scripted(vec![give(&["a"]), give(&["b"])], &diary));
    port.start(start()).await.unwrap();
    for wanted in ["a", "b"] {
        let batch = loop {
            tokio::select! {
                biased;
                () = std::future::ready(()) => {
                    // Asked and given up at once: the answer comes with a later call.
                    tokio::select! { biased; batch = port.poll() => break batch, () = tokio::task::yield_now() => {} }
                }
            }
        };
        assert_eq!(
            batch.unwrap().records[0].value.value().as_str(),
            Some(wanted)
        );
    }
    port.stop(PATIENCE).await.unwrap();
}

async fn an_error_keeps_its_fault_and_polling_may_go_on(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(scripted(
        vec![
            Move::Fail(Fault::Transient),
            Move::Fail(Fault::Data),
            give(&["a"]),
        ],
        &diary,
    ));
    port.start(start()).await.unwrap();
    assert_eq!(port.poll().await.unwrap_err().fault(), Fault::Transient);
    let error = port.poll().await.unwrap_err();
    assert_eq!(error.fault(), Fault::Data);
    assert!(error.to_string().contains("scripted failure"));
    assert_eq!(port.poll().await.unwrap().records.len(), 1);
    port.stop(PATIENCE).await.unwrap();
}

/// Reads offsets while it stops, as some connectors do.
struct ReadsWhileStopping(Option<SourceContext>, Diary);

impl SourceTask for ReadsWhileStopping {
    fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
        self.0 = Some(context.clone());
        Ok(())
    }

    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        // Blocks until it is told to stop.
        context.wait(std::time::Duration::from_secs(60));
        Ok(Vec::new())
    }

    fn stop(&mut self) {
        let stored = self
            .0
            .as_ref()
            .map(|context| context.offset(&partition()).unwrap());
        self.1.note(format!(
            "{:?}",
            stored.flatten().and_then(|offset| offset.integer("n"))
        ));
    }
}

async fn offsets_are_answered_until_the_end_and_a_stop_ends_a_poll_that_blocks(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(Box::new(ReadsWhileStopping(None, diary.clone())));
    port.start(start()).await.unwrap();
    let waited = tokio::time::timeout(std::time::Duration::from_millis(20), port.poll()).await;
    assert!(waited.is_err(), "the poll blocks");
    port.request_stop();
    port.stop(PATIENCE).await.unwrap();
    assert_eq!(diary.entries(), ["Some(41)"]);
}

macro_rules! table {
    ($($test:ident),+ $(,)?) => {
        mod in_process {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(|task| Box::new(super::SourceThread::new(task, std::sync::Arc::new(super::SystemClock::new())))).await;
            })+
        }

        mod behind_a_pipe {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(|task| Box::new(super::PipeSource::new(task))).await;
            })+
        }
    };
}

table![
    a_batch_carries_rows_runs_and_partitions,
    outcomes_are_told_before_the_stop,
    a_poll_that_is_given_up_loses_nothing,
    an_error_keeps_its_fault_and_polling_may_go_on,
    offsets_are_answered_until_the_end_and_a_stop_ends_a_poll_that_blocks,
];

#[tokio::test]
async fn a_foreign_error_brings_class_and_trace() {
    let mut port = PipeSource::new(scripted(vec![Move::Fail(Fault::Plugin)], &Diary::default()));
    port.start(start()).await.unwrap();
    let error = port.poll().await.unwrap_err();
    assert_eq!(
        (error.class(), error.trace()),
        (Some("pipe.Exception"), Some("at far.away(1)"))
    );
    assert!(
        !error.to_string().contains("far.away"),
        "a trace is shown on request only"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_does_not_stop_is_left_to_itself() {
    struct Stuck(std::sync::mpsc::Receiver<()>);
    impl SourceTask for Stuck {
        fn start(&mut self, _: &SourceContext) -> Result<(), Error> {
            Ok(())
        }
        fn poll(&mut self, _: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
            let _ = self.0.recv();
            Ok(Vec::new())
        }
    }
    let (release, stuck) = std::sync::mpsc::sync_channel(1);
    let mut port = SourceThread::new(Box::new(Stuck(stuck)), Arc::new(SystemClock::new()));
    port.start(start()).await.unwrap();
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(10), port.poll())
            .await
            .is_err()
    );
    let error = port.stop(Span::millis(20)).await.unwrap_err();
    assert!(
        error.to_string().contains("did not stop within 20 ms"),
        "{error}"
    );
    drop(release);
}
