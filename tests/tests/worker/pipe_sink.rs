//! A sink task behind a byte pipe; see [`pipe`](crate::pipe).

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use async_trait::async_trait;
use ferroconnect_converters::data::{Headers, SchemaAndValue};
use ferroconnect_runtime::Error;
use ferroconnect_runtime::api::port::{SinkStart, SinkTaskPort};
use ferroconnect_runtime::api::{SinkContext, SinkRecord, SinkRequests, SinkTask, StopSignal};
use ferroconnect_runtime::ids::{ConnectorName, TaskId, TopicPartition};
use ferroconnect_runtime::kafka::{OffsetAndMetadata, Offsets, TimestampType};
use ferroconnect_runtime::time::Span;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::pipe::{error, error_frame, gone, list, read, small, write};

/// The worker's end.
#[derive(Debug)]
pub(crate) struct PipeSink {
    pipe: UnixStream,
    frames: mpsc::Receiver<Value>,
}

impl PipeSink {
    pub(crate) fn new(task: Box<dyn SinkTask>) -> Self {
        let (here, there) = UnixStream::pair().unwrap();
        std::thread::spawn(move || serve(task, there));
        let (sender, frames) = mpsc::channel(16);
        let mut reading = here.try_clone().unwrap();
        std::thread::spawn(move || {
            while let Some(frame) = read(&mut reading) {
                if sender.blocking_send(frame).is_err() {
                    return;
                }
            }
        });
        Self { pipe: here, frames }
    }

    async fn ask(&mut self, frame: Value) -> Result<(Value, SinkRequests), Error> {
        write(&mut self.pipe, &frame).map_err(|error| gone().caused_by(error))?;
        let answer = self.frames.recv().await.ok_or_else(gone)?;
        if answer["t"] == "error" {
            Err(error(&answer))
        } else {
            Ok((answer["offsets"].clone(), requests(&answer["requests"])))
        }
    }
}

#[async_trait]
impl SinkTaskPort for PipeSink {
    async fn start(&mut self, start: SinkStart) -> Result<SinkRequests, Error> {
        let frame = json!({"t": "start", "connector": start.task.connector.as_str(), "index": start.task.index, "config": *start.config});
        Ok(self.ask(frame).await?.1)
    }

    async fn open(&mut self, partitions: Vec<TopicPartition>) -> Result<SinkRequests, Error> {
        Ok(self
            .ask(json!({"t": "open", "partitions": partitions_text(&partitions)}))
            .await?
            .1)
    }

    async fn put(&mut self, batch: Arc<Vec<SinkRecord>>) -> Result<SinkRequests, Error> {
        let records = batch.iter().map(|record| {
            json!([
                &*record.partition.topic,
                record.partition.partition,
                record.offset,
                record.value.value().as_str()
            ])
        });
        Ok(self
            .ask(json!({"t": "put", "records": records.collect::<Vec<_>>()}))
            .await?
            .1)
    }

    async fn pre_commit(&mut self, offsets: Offsets) -> Result<(Offsets, SinkRequests), Error> {
        let (answer, requests) = self
            .ask(json!({"t": "pre_commit", "offsets": offsets_text(&offsets)}))
            .await?;
        Ok((offsets_of(&answer), requests))
    }

    async fn close(&mut self, partitions: Vec<TopicPartition>) -> Result<(), Error> {
        self.ask(json!({"t": "close", "partitions": partitions_text(&partitions)}))
            .await
            .map(drop)
    }

    /// Requests travel with answers; there are none in between.
    fn take_requests(&mut self) -> SinkRequests {
        SinkRequests::default()
    }

    fn request_stop(&mut self) {}

    async fn stop(&mut self, within: Span) -> Result<(), Error> {
        let stopped =
            tokio::time::timeout(within.to_duration(), self.ask(json!({"t": "stop"}))).await;
        stopped.map_err(|_| gone())?.map(drop)
    }
}

/// The task's end.
fn serve(mut task: Box<dyn SinkTask>, mut pipe: UnixStream) {
    let mut context: Option<SinkContext> = None;
    while let Some(frame) = read(&mut pipe) {
        let mut answer = json!({"t": "done"});
        let result = match (frame["t"].as_str(), &context) {
            (Some("start"), _) => {
                let name =
                    ConnectorName::new(frame["connector"].as_str().unwrap_or_default()).unwrap();
                let id = TaskId::new(name, small(&frame["index"]));
                task.start(context.insert(SinkContext::new(
                    id,
                    Arc::default(),
                    StopSignal::new(),
                    None,
                )))
            }
            (Some("open"), Some(context)) => {
                task.open(context, &partitions_of(&frame["partitions"]))
            }
            (Some("put"), Some(context)) => task.put(
                context,
                &list(&frame["records"])
                    .iter()
                    .map(record)
                    .collect::<Vec<_>>(),
            ),
            (Some("pre_commit"), Some(context)) => task
                .pre_commit(context, &offsets_of(&frame["offsets"]))
                .map(|offsets| answer["offsets"] = offsets_text(&offsets)),
            (Some("close"), _) => {
                task.close(&partitions_of(&frame["partitions"]));
                Ok(())
            }
            _ => {
                task.stop();
                Ok(())
            }
        };
        if let Some(context) = &context {
            answer["requests"] = requests_text(&context.take_requests());
        }
        let answer = result.map_or_else(|error| error_frame(&error), |()| answer);
        if write(&mut pipe, &answer).is_err() {
            return;
        }
    }
}

fn record(text: &Value) -> SinkRecord {
    SinkRecord {
        partition: partition(text),
        offset: text[2].as_i64().unwrap_or_default(),
        timestamp: None,
        timestamp_type: TimestampType::None,
        key: SchemaAndValue::NULL,
        value: text[3].as_str().map_or(SchemaAndValue::NULL, Into::into),
        headers: Headers::new(),
    }
}

fn partition(text: &Value) -> TopicPartition {
    TopicPartition::new(
        text[0].as_str().unwrap_or_default(),
        i32::try_from(small(&text[1])).unwrap_or_default(),
    )
}

fn partitions_text(partitions: &[TopicPartition]) -> Vec<Value> {
    partitions
        .iter()
        .map(|partition| json!([&*partition.topic, partition.partition]))
        .collect()
}

fn partitions_of(text: &Value) -> Vec<TopicPartition> {
    list(text).iter().map(partition).collect()
}

fn offsets_text(offsets: &Offsets) -> Value {
    offsets
        .iter()
        .map(|(partition, offset)| json!([&*partition.topic, partition.partition, offset.offset]))
        .collect()
}

fn offsets_of(text: &Value) -> Offsets {
    list(text)
        .iter()
        .map(|entry| {
            (
                partition(entry),
                OffsetAndMetadata::new(entry[2].as_i64().unwrap_or_default()),
            )
        })
        .collect()
}

fn requests_text(requests: &SinkRequests) -> Value {
    let pauses = requests
        .pauses
        .iter()
        .map(|(partition, pause)| json!([&*partition.topic, partition.partition, pause]));
    let rewinds = requests
        .rewinds
        .iter()
        .map(|(partition, offset)| json!([&*partition.topic, partition.partition, offset]));
    json!({
        "commit": requests.commit,
        "pauses": pauses.collect::<Vec<_>>(),
        "rewinds": rewinds.collect::<Vec<_>>(),
        "timeout": requests.timeout.map(Span::as_millis),
    })
}

fn requests(text: &Value) -> SinkRequests {
    SinkRequests {
        commit: text["commit"] == true,
        pauses: list(&text["pauses"])
            .iter()
            .map(|entry| (partition(entry), entry[2] == true))
            .collect(),
        rewinds: list(&text["rewinds"])
            .iter()
            .map(|entry| (partition(entry), entry[2].as_i64().unwrap_or_default()))
            .collect(),
        timeout: text["timeout"].as_u64().map(Span::millis),
    }
}
