//! The table of tests for sink task ports; see [`port_table`](crate::port_table).

use std::sync::Arc;

use ferroconnect_converters::data::{Headers, SchemaAndValue};
use ferroconnect_runtime::api::port::{SinkStart, SinkTaskPort};
use ferroconnect_runtime::api::{SinkContext, SinkRecord, SinkTask};
use ferroconnect_runtime::ids::{ConnectorName, TaskId, TopicPartition};
use ferroconnect_runtime::kafka::{OffsetAndMetadata, Offsets, TimestampType};
use ferroconnect_runtime::task::in_process::SinkThread;
use ferroconnect_runtime::time::Span;
use ferroconnect_runtime::{Error, Fault};

use crate::pipe_sink::PipeSink;
use crate::plugins::{Diary, NotingSink, NotingSinkTask};

type MakePort = fn(Box<dyn SinkTask>) -> Box<dyn SinkTaskPort>;

fn start() -> SinkStart {
    SinkStart {
        task: TaskId::new(ConnectorName::new("table").unwrap(), 0),
        config: Arc::default(),
        errant: None,
    }
}

fn t(partition: i32) -> TopicPartition {
    TopicPartition::new("t", partition)
}

fn offsets(offset: i64) -> Offsets {
    Offsets::from([(t(0), OffsetAndMetadata::new(offset))])
}

fn batch(values: &[&str]) -> Arc<Vec<SinkRecord>> {
    let record = |(offset, value): (i64, &&str)| SinkRecord {
        partition: t(0),
        offset,
        timestamp: None,
        timestamp_type: TimestampType::None,
        key: SchemaAndValue::NULL,
        value: (*value).into(),
        headers: Headers::new(),
    };
    Arc::new((0..).zip(values).map(record).collect())
}

fn noting(sink: NotingSink) -> Box<dyn SinkTask> {
    Box::new(NotingSinkTask {
        sink,
        partitions: Vec::new(),
    })
}

const PATIENCE: Span = Span::secs(30);

async fn calls_arrive_in_order_with_what_they_carry(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(noting(NotingSink {
        diary: diary.clone(),
        ..NotingSink::default()
    }));
    port.start(start()).await.unwrap();
    port.open(vec![t(0), t(1)]).await.unwrap();
    port.put(batch(&["a", "b"])).await.unwrap();
    let (answer, _) = port.pre_commit(offsets(2)).await.unwrap();
    assert_eq!(answer, offsets(2));
    port.close(vec![t(1)]).await.unwrap();
    port.stop(PATIENCE).await.unwrap();
    assert_eq!(
        diary.entries(),
        [
            "start",
            "open t-0",
            "open t-1",
            "got a at 0",
            "got b at 1",
            "flush t-0 2",
            "close t-1",
            "stop"
        ]
    );
}

async fn a_batch_that_was_refused_for_the_moment_can_be_put_again(make: MakePort) {
    let diary = Diary::default();
    let mut port = make(noting(NotingSink {
        diary: diary.clone(),
        refusals: 1,
        ..NotingSink::default()
    }));
    port.start(start()).await.unwrap();
    let records = batch(&["a"]);
    assert_eq!(
        port.put(Arc::clone(&records)).await.unwrap_err().fault(),
        Fault::Transient
    );
    port.put(records).await.unwrap();
    port.stop(PATIENCE).await.unwrap();
    assert_eq!(diary.entries(), ["start", "refuse 1", "got a at 0", "stop"]);
}

/// Asks for everything a sink task may ask for.
struct Asks;

impl SinkTask for Asks {
    fn start(&mut self, _context: &SinkContext) -> Result<(), Error> {
        Ok(())
    }

    fn put(&mut self, context: &SinkContext, _records: &[SinkRecord]) -> Result<(), Error> {
        context.request_commit();
        context.pause(&[t(0), t(1)]);
        context.resume(&[t(1)]);
        context.rewind(&t(0), 7);
        context.timeout(Span::millis(250));
        Ok(())
    }
}

async fn requests_come_back_with_the_answer_and_only_once(make: MakePort) {
    let mut port = make(Box::new(Asks));
    port.start(start()).await.unwrap();
    let requests = port.put(batch(&["a"])).await.unwrap();
    assert!(requests.commit);
    assert_eq!(
        requests.pauses.into_iter().collect::<Vec<_>>(),
        [(t(0), true), (t(1), false)]
    );
    assert_eq!(
        requests.rewinds.into_iter().collect::<Vec<_>>(),
        [(t(0), 7)]
    );
    assert_eq!(requests.timeout, Some(Span::millis(250)));
    assert_eq!(
        port.pre_commit(offsets(1)).await.unwrap().1,
        ferroconnect_runtime::api::SinkRequests::default()
    );
    port.stop(PATIENCE).await.unwrap();
}

macro_rules! table {
    ($($test:ident),+ $(,)?) => {
        mod in_process {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(|task| Box::new(super::SinkThread::new(task))).await;
            })+
        }

        mod behind_a_pipe {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(|task| Box::new(super::PipeSink::new(task))).await;
            })+
        }
    };
}

table![
    calls_arrive_in_order_with_what_they_carry,
    a_batch_that_was_refused_for_the_moment_can_be_put_again,
    requests_come_back_with_the_answer_and_only_once,
];
