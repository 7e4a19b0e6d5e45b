//! Tasks behind a byte pipe, as tasks of another process would be: nothing but frames passes between worker and task.
//!
//! A frame is a length of four bytes and a JSON document. Values are texts or null, which is all the tests send.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ferroconnect_runtime::api::port::{
    OffsetReader, PartitionId, PartitionNumbers, PartitionRun, RowsDone, SourceBatch,
    SourceBatchId, SourceStart, SourceTaskPort,
};
use ferroconnect_runtime::api::{
    OffsetReads, RowOutcome, SourceContext, SourceOffset, SourcePartition, SourceRecord,
    SourceTask, StopSignal,
};
use ferroconnect_runtime::ids::{ConnectorName, TaskId};
use ferroconnect_runtime::store::offsets::{key_bytes, parse, value_bytes};
use ferroconnect_runtime::time::{Span, SystemClock};
use ferroconnect_runtime::{Error, Fault};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The worker's end of a source task behind a pipe.
#[derive(Debug)]
pub(crate) struct PipeSource {
    pipe: UnixStream,
    frames: mpsc::Receiver<Value>,
    reader: Option<ReaderHandle>,
    is_polling: bool,
}

#[derive(Clone)]
struct ReaderHandle(Arc<dyn OffsetReader>);

impl std::fmt::Debug for ReaderHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("reader")
    }
}

impl PipeSource {
    /// Puts a task behind a pipe.
    ///
    /// # Panics
    /// The system has no pipe or no thread left.
    #[must_use]
    pub(crate) fn new(task: Box<dyn SourceTask>) -> Self {
        let (here, there) = UnixStream::pair().expect("a pipe");
        let stop = StopSignal::new();
        std::thread::spawn(move || Host::new(task, there, stop).serve());
        let (sender, frames) = mpsc::channel(16);
        let mut reading = here.try_clone().expect("a second handle of the pipe");
        std::thread::spawn(move || {
            while let Some(frame) = read(&mut reading) {
                if sender.blocking_send(frame).is_err() {
                    return;
                }
            }
        });
        Self {
            pipe: here,
            frames,
            reader: None,
            is_polling: false,
        }
    }

    fn send(&mut self, frame: &Value) -> Result<(), Error> {
        write(&mut self.pipe, frame).map_err(|error| gone().caused_by(error))
    }

    /// The next frame that is no question for offsets.
    async fn answer(&mut self) -> Result<Value, Error> {
        loop {
            let frame = self.frames.recv().await.ok_or_else(gone)?;
            if frame["t"] != "offsets" {
                return if frame["t"] == "error" {
                    Err(error(&frame))
                } else {
                    Ok(frame)
                };
            }
            let asked: Vec<SourcePartition> =
                list(&frame["partitions"]).iter().map(partition).collect();
            let reader = self.reader.clone().ok_or_else(gone)?;
            let found = reader.0.offsets(&asked).await?;
            let found: Vec<Value> = found
                .into_iter()
                .map(|offset| offset.map_or(Value::Null, |offset| offset_text(&offset)))
                .collect();
            self.send(&json!({"t": "offsets", "found": found}))?;
        }
    }
}

#[async_trait]
impl SourceTaskPort for PipeSource {
    async fn start(&mut self, start: SourceStart) -> Result<(), Error> {
        self.reader = Some(ReaderHandle(start.offsets));
        self.send(&json!({"t": "start", "connector": start.task.connector.as_str(), "index": start.task.index, "config": *start.config}))?;
        self.answer().await.map(drop)
    }

    async fn poll(&mut self) -> Result<SourceBatch, Error> {
        if !self.is_polling {
            self.send(&json!({"t": "poll"}))?;
            self.is_polling = true;
        }
        // An offset question is answered in between; the receiver loses nothing when this future is dropped.
        let answer = self.answer().await;
        self.is_polling = false;
        answer.map(|frame| batch(&frame))
    }

    fn acknowledge(&mut self, done: RowsDone) {
        let is_written = matches!(done.outcome, RowOutcome::Written(_));
        let frame = json!({"t": "done", "batch": done.batch.0, "from": done.rows.start, "to": done.rows.end, "written": is_written});
        let _ = self.send(&frame);
    }

    fn committed(&mut self) {
        let _ = self.send(&json!({"t": "committed"}));
    }

    fn request_stop(&mut self) {
        let _ = self.send(&json!({"t": "request_stop"}));
    }

    async fn stop(&mut self, within: Span) -> Result<(), Error> {
        self.request_stop();
        self.send(&json!({"t": "stop"}))?;
        let stopped = tokio::time::timeout(within.to_duration(), async {
            while self
                .answer()
                .await
                .is_ok_and(|frame| frame["t"] != "stopped")
            {}
        });
        stopped
            .await
            .map_err(|_| Error::new(Fault::Plugin, "the task did not stop in time"))
    }
}

/// The task's end of the pipe.
struct Host {
    task: Box<dyn SourceTask>,
    pipe: UnixStream,
    inbox: Arc<Inbox>,
    stop: StopSignal,
    numbers: PartitionNumbers,
}

/// Frames that arrived; stop requests and offset answers overtake.
#[derive(Default)]
struct Inbox {
    state: Mutex<(VecDeque<Value>, VecDeque<Value>, bool)>,
    changed: std::sync::Condvar,
}

impl Inbox {
    fn push(&self, frame: Option<Value>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match frame {
            None => state.2 = true,
            Some(frame) if frame["t"] == "offsets" => state.1.push_back(frame),
            Some(frame) => state.0.push_back(frame),
        }
        self.changed.notify_all();
    }

    fn next(&self, is_offsets: bool) -> Option<Value> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let found = if is_offsets {
                state.1.pop_front()
            } else {
                state.0.pop_front()
            };
            if found.is_some() || state.2 {
                return found;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Asking {
    pipe: Mutex<UnixStream>,
    inbox: Arc<Inbox>,
}

impl OffsetReads for Asking {
    fn offsets(&self, partitions: &[SourcePartition]) -> Result<Vec<Option<SourceOffset>>, Error> {
        let asked: Vec<Value> = partitions.iter().map(partition_text).collect();
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut pipe, &json!({"t": "offsets", "partitions": asked}))
            .map_err(|error| gone().caused_by(error))?;
        let answer = self.inbox.next(true).ok_or_else(gone)?;
        Ok(list(&answer["found"])
            .iter()
            .map(|found| found.as_str().map(offset))
            .collect())
    }
}

impl Host {
    fn new(task: Box<dyn SourceTask>, pipe: UnixStream, stop: StopSignal) -> Self {
        let inbox = Arc::new(Inbox::default());
        let (arriving, signal) = (Arc::clone(&inbox), stop.clone());
        let mut reading = pipe.try_clone().expect("a second handle of the pipe");
        std::thread::spawn(move || {
            loop {
                let frame = read(&mut reading);
                if frame
                    .as_ref()
                    .is_none_or(|frame| frame["t"] == "request_stop")
                {
                    signal.raise();
                }
                let is_end = frame.is_none();
                arriving.push(frame);
                if is_end {
                    return;
                }
            }
        });
        Self {
            task,
            pipe,
            inbox,
            stop,
            numbers: PartitionNumbers::default(),
        }
    }

    fn serve(mut self) {
        let mut context = None;
        while let Some(frame) = self.inbox.next(false) {
            let answer = match (frame["t"].as_str(), &context) {
                (Some("start"), _) => {
                    let made = context.insert(self.context(&frame));
                    Some(self.task.start(made).map(|()| json!({"t": "started"})))
                }
                (Some("poll"), Some(context)) => Some(
                    self.task
                        .poll(context)
                        .map(|records| batch_frame(&self.numbers.batch(records))),
                ),
                (Some("done"), _) => {
                    let written = frame["written"] == true;
                    let outcome = if written {
                        RowOutcome::Written(Vec::new())
                    } else {
                        RowOutcome::Dropped
                    };
                    self.task.acknowledged(
                        number(&frame["batch"]),
                        small(&frame["from"])..small(&frame["to"]),
                        &outcome,
                    );
                    None
                }
                (Some("committed"), _) => {
                    let _ = self.task.commit();
                    None
                }
                (Some("stop"), _) => {
                    self.task.stop();
                    let _ = write(&mut self.pipe, &json!({"t": "stopped"}));
                    return;
                }
                _ => None,
            };
            if let Some(answer) = answer {
                let frame = answer.unwrap_or_else(|error| error_frame(&error));
                if write(&mut self.pipe, &frame).is_err() {
                    return;
                }
            }
        }
    }

    fn context(&self, frame: &Value) -> SourceContext {
        let connector = ConnectorName::new(frame["connector"].as_str().unwrap_or_default())
            .expect("a name that was checked");
        let config = frame["config"].as_object().into_iter().flatten();
        let config = config
            .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        let pipe = Mutex::new(self.pipe.try_clone().expect("a handle of the pipe"));
        let asking = Asking {
            pipe,
            inbox: Arc::clone(&self.inbox),
        };
        let task = TaskId::new(connector, small(&frame["index"]));
        SourceContext::new(
            task,
            Arc::new(config),
            Arc::new(asking),
            self.stop.clone(),
            Arc::new(SystemClock::new()),
        )
    }
}

pub(crate) fn read(pipe: &mut UnixStream) -> Option<Value> {
    let mut length = [0; 4];
    pipe.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; usize::try_from(u32::from_be_bytes(length)).ok()?];
    pipe.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

pub(crate) fn write(pipe: &mut UnixStream, frame: &Value) -> std::io::Result<()> {
    let text = frame.to_string();
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    pipe.write_all(&bytes)
}

fn batch_frame(batch: &SourceBatch) -> Value {
    let records = batch.records.iter().map(|record| {
        json!([
            &*record.topic,
            record.value.value().as_str(),
            offset_text(&record.offset),
            record.key.value().as_str()
        ])
    });
    let runs = batch
        .runs
        .iter()
        .map(|run| json!([run.partition.0, run.rows.start, run.rows.end]));
    json!({
        "t": "batch",
        "id": batch.id.0,
        "introduced": batch.introduced.iter().map(partition_text).collect::<Vec<_>>(),
        "records": records.collect::<Vec<_>>(),
        "runs": runs.collect::<Vec<_>>(),
    })
}

fn batch(frame: &Value) -> SourceBatch {
    let records = list(&frame["records"]).iter().map(|record| {
        let text = |at: usize| record[at].as_str().unwrap_or_default().to_owned();
        let made =
            SourceRecord::new(text(0), text(1)).from(SourcePartition::null(), offset(&text(2)));
        if record[3].is_null() {
            made
        } else {
            made.with_key(text(3))
        }
    });
    let runs = list(&frame["runs"]).iter().map(|run| PartitionRun {
        partition: PartitionId(small(&run[0])),
        rows: small(&run[1])..small(&run[2]),
    });
    SourceBatch {
        id: SourceBatchId(number(&frame["id"])),
        introduced: list(&frame["introduced"]).iter().map(partition).collect(),
        records: records.collect(),
        runs: runs.collect(),
    }
}

pub(crate) fn error_frame(error: &Error) -> Value {
    json!({"t": "error", "fault": format!("{:?}", error.fault()), "message": error.to_string(), "class": "pipe.Exception", "trace": "at far.away(1)"})
}

pub(crate) fn error(frame: &Value) -> Error {
    let fault = match frame["fault"].as_str() {
        Some("Transient") => Fault::Transient,
        Some("Config") => Fault::Config,
        Some("Data") => Fault::Data,
        _ => Fault::Plugin,
    };
    let text = |name: &str| frame[name].as_str().map(Box::from);
    Error::new(
        fault,
        frame["message"].as_str().unwrap_or_default().to_owned(),
    )
    .foreign(text("class"), text("trace"))
}

pub(crate) fn gone() -> Error {
    Error::new(Fault::Plugin, "the task's process is gone")
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

pub(crate) fn small(value: &Value) -> u32 {
    u32::try_from(number(value)).unwrap_or_default()
}

fn partition_text(partition: &SourcePartition) -> Value {
    String::from_utf8(key_bytes("", partition))
        .unwrap_or_default()
        .into()
}

fn partition(text: &Value) -> SourcePartition {
    parse(text.as_str().unwrap_or_default().as_bytes(), None)
        .map_or_else(|_| SourcePartition::null(), |entry| entry.partition)
}

fn offset_text(offset: &SourceOffset) -> Value {
    value_bytes(offset).map_or(Value::Null, |bytes| {
        String::from_utf8(bytes).unwrap_or_default().into()
    })
}

fn offset(text: &str) -> SourceOffset {
    parse(b"[\"\",null]", Some(text.as_bytes()))
        .map_or_else(|_| SourceOffset::null(), |entry| entry.offset)
}
