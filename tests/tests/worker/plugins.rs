//! Connectors whose every move is scripted.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ferroconnect_runtime::api::{
    RowOutcome, SinkConnector, SinkContext, SinkRecord, SinkTask, SourceConnector, SourceContext,
    SourceOffset, SourcePartition, SourceRecord, SourceTask,
};
use ferroconnect_runtime::config::{ConfigDef, RawConfig};
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::Offsets;
use ferroconnect_runtime::{Error, Fault};

/// One move of a scripted source.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    /// Gives records with these values, of partition `p`, with offsets counted from the stored one.
    Give(Vec<String>),
    /// Gives nothing until the diary holds an entry that begins like this.
    Wait(&'static str),
    /// Fails with this fault.
    Fail(Fault),
    /// Panics.
    Panic,
}

/// What happened, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    /// Notes something.
    pub(crate) fn note(&self, text: impl Into<String>) {
        self.lock().push(text.into());
    }

    /// Everything noted.
    #[must_use]
    pub(crate) fn entries(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// How many entries begin like this.
    #[must_use]
    pub(crate) fn count(&self, beginning: &str) -> usize {
        self.lock()
            .iter()
            .filter(|entry| entry.starts_with(beginning))
            .count()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A source that makes these moves and then waits.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedSource {
    /// The moves.
    pub(crate) moves: Vec<Move>,
    /// Where it notes what happens.
    pub(crate) diary: Diary,
}

impl SourceConnector for ScriptedSource {
    fn config_def(&self) -> ConfigDef {
        ConfigDef::new()
    }

    fn task_configs(&self, config: &RawConfig, _max: u32) -> Result<Vec<RawConfig>, Error> {
        Ok(vec![config.clone()])
    }

    fn task(&self) -> Box<dyn SourceTask> {
        Box::new(ScriptedSourceTask {
            moves: self.moves.clone(),
            diary: self.diary.clone(),
            next: 0,
        })
    }
}

/// Its task.
#[derive(Debug)]
pub(crate) struct ScriptedSourceTask {
    /// Moves that are left.
    pub(crate) moves: Vec<Move>,
    /// Where it notes what happens.
    pub(crate) diary: Diary,
    /// The next offset.
    pub(crate) next: i64,
}

/// The only source partition of a scripted source.
#[must_use]
pub(crate) fn partition() -> SourcePartition {
    SourcePartition::of("p", "one")
}

impl SourceTask for ScriptedSourceTask {
    fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
        let stored = context
            .offset(&partition())?
            .and_then(|offset| offset.integer("n"));
        self.diary.note(format!("start at {stored:?}"));
        self.next = stored.map_or(0, |n| n + 1);
        Ok(())
    }

    #[expect(clippy::panic, reason = "a connector that panics is what is tested")]
    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        if self.moves.is_empty() {
            context.wait(Duration::from_millis(5));
            return Ok(Vec::new());
        }
        if let Some(Move::Wait(entry)) = self.moves.first()
            && self.diary.count(entry) == 0
        {
            context.wait(Duration::from_millis(5));
            return Ok(Vec::new());
        }
        match self.moves.remove(0) {
            Move::Wait(_) => Ok(Vec::new()),
            Move::Panic => panic!("scripted panic"),
            Move::Fail(fault) => {
                self.diary.note(format!("fail {fault:?}"));
                Err(Error::new(fault, "scripted failure"))
            }
            Move::Give(values) => {
                let topic: Arc<str> = context
                    .config()
                    .get("topic")
                    .map_or("scripted", String::as_str)
                    .into();
                let records = values.into_iter().map(|value| {
                    let offset = SourceOffset::of("n", self.next);
                    self.next += 1;
                    SourceRecord::new(Arc::clone(&topic), value).from(partition(), offset)
                });
                Ok(records.collect())
            }
        }
    }

    fn acknowledged(&mut self, batch: u64, rows: Range<u32>, outcome: &RowOutcome) {
        let what = match outcome {
            RowOutcome::Written(_) => "written",
            RowOutcome::Dropped => "dropped",
        };
        for row in rows {
            self.diary.note(format!("{what} {batch}/{row}"));
        }
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.diary.note("commit");
        Ok(())
    }

    fn stop(&mut self) {
        self.diary.note("stop");
    }
}

/// A value that kills whoever gets it first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poison(Arc<Mutex<Option<String>>>);

impl Poison {
    /// Poison in a record with this value.
    #[must_use]
    pub(crate) fn at(value: &str) -> Self {
        Self(Arc::new(Mutex::new(Some(value.to_owned()))))
    }

    fn takes(&self, value: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_if(|poison| poison == value)
            .is_some()
    }
}

/// A sink that notes what it gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotingSink {
    /// Where it notes what happens.
    pub(crate) diary: Diary,
    /// How often `put` refuses records for the moment before it takes them.
    pub(crate) refusals: u32,
    /// Whether it asks to resume its partitions in every `open` and `put`.
    pub(crate) resumes: bool,
    /// Panics on a record with this value, once among all of its tasks.
    pub(crate) poison: Poison,
}

impl SinkConnector for NotingSink {
    fn config_def(&self) -> ConfigDef {
        ConfigDef::new()
    }

    fn task(&self) -> Box<dyn SinkTask> {
        Box::new(NotingSinkTask {
            sink: self.clone(),
            partitions: Vec::new(),
        })
    }
}

/// Its task.
#[derive(Debug)]
pub(crate) struct NotingSinkTask {
    /// What it was made of.
    pub(crate) sink: NotingSink,
    /// What it reads.
    pub(crate) partitions: Vec<TopicPartition>,
}

impl SinkTask for NotingSinkTask {
    fn start(&mut self, _context: &SinkContext) -> Result<(), Error> {
        self.sink.diary.note("start");
        Ok(())
    }

    fn open(&mut self, _context: &SinkContext, partitions: &[TopicPartition]) -> Result<(), Error> {
        self.partitions.extend_from_slice(partitions);
        partitions
            .iter()
            .for_each(|partition| self.sink.diary.note(format!("open {partition}")));
        Ok(())
    }

    #[expect(clippy::panic, reason = "a connector that panics is what is tested")]
    fn put(&mut self, context: &SinkContext, records: &[SinkRecord]) -> Result<(), Error> {
        if self.sink.resumes {
            context.resume(&self.partitions);
            self.sink.diary.note("put");
        }
        if !records.is_empty() && self.sink.refusals > 0 {
            self.sink.refusals -= 1;
            self.sink.diary.note(format!("refuse {}", records.len()));
            context.timeout(ferroconnect_runtime::time::Span::millis(5));
            return Err(Error::new(Fault::Transient, "not now"));
        }
        for record in records {
            let value = record.value.value().as_str().unwrap_or("null").to_owned();
            if self.sink.poison.takes(&value) {
                panic!("scripted panic");
            }
            self.sink
                .diary
                .note(format!("got {value} at {}", record.offset));
        }
        Ok(())
    }

    fn flush(&mut self, offsets: &Offsets) -> Result<(), Error> {
        for (partition, offset) in offsets {
            self.sink
                .diary
                .note(format!("flush {partition} {}", offset.offset));
        }
        Ok(())
    }

    fn close(&mut self, partitions: &[TopicPartition]) {
        partitions
            .iter()
            .for_each(|partition| self.sink.diary.note(format!("close {partition}")));
    }

    fn stop(&mut self) {
        self.sink.diary.note("stop");
    }
}
