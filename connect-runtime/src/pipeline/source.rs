use std::ops::Range;
use std::sync::Arc;

use ferroconnect_converters::{HeaderContext, RawHeaders, RecordContext, Role};
use ferroconnect_registry_client::{Lookup, Resolved};

use super::LOOK_AHEAD_RECORDS_MAX;
use super::convert::{Converters, Halt, ready};
use crate::api::SourceRecord;
use crate::api::port::SourceBatch;
use crate::error::{Error, Fault, Place, Stage};
use crate::kafka::{NewRow, RecordBatch, TopicSlot};
use crate::time::Mono;

/// Converts source batches into record batches: many rows in one buffer, nothing allocated per record.
#[derive(Debug)]
pub struct SourcePipeline {
    converters: Converters,
    /// Headers that a key or value converter adds, for example a schema id.
    added: RawHeaders,
    /// The topic of the last record: records of one topic usually come together.
    topic: Option<(Arc<str>, TopicSlot)>,
}

/// What became of the rows of a source batch.
#[derive(Debug, Default)]
pub struct Converted {
    /// Source row of each row that is sent; `None` when all are sent, in order.
    pub rows: Option<Vec<u32>>,
    /// Rows that failed, with the reason.
    pub failed: Vec<(u32, Error)>,
}

impl SourcePipeline {
    /// A pipeline of these converters.
    pub fn new(converters: Converters) -> Self {
        Self {
            converters,
            added: RawHeaders::new(),
            topic: None,
        }
    }

    /// Appends the records of `batch` from row `from` to `out`. Rows that fail are left out and reported; the caller decides
    /// about them.
    ///
    /// `Some(row)`: everything before that row is done, and a converter waits for its registry. Ask what
    /// [`unresolved`](Self::unresolved) lists, [`install`](Self::install) the answers, go on from that row.
    ///
    /// # Errors
    /// The batch as a whole is beyond the limits of `out`.
    pub fn convert(
        &mut self,
        batch: &SourceBatch,
        from: u32,
        out: &mut RecordBatch,
        converted: &mut Converted,
    ) -> Result<Option<u32>, Error> {
        self.topic = None;
        for (row, record) in rows(batch, from) {
            let topic = self.topic_slot(record, out)?;
            match self.row(record, topic, out) {
                Ok(()) => {
                    if let Some(rows) = &mut converted.rows {
                        rows.push(row);
                    }
                }
                Err(Halt::Missing) => {
                    out.rollback();
                    self.look_ahead(batch, row)?;
                    return Ok(Some(row));
                }
                Err(Halt::Failed(error)) => {
                    out.rollback();
                    converted.rows.get_or_insert_with(|| (0..row).collect());
                    let place = Place::SourceRow {
                        batch: batch.id.0,
                        row,
                        topic: (&*record.topic).into(),
                    };
                    converted.failed.push((row, error.at(place)));
                }
            }
        }
        Ok(None)
    }

    /// What the converters must know from their registries before they can go on, since the last call.
    pub fn unresolved(&mut self) -> Vec<(Role, Lookup)> {
        self.converters.unresolved()
    }

    /// Tells the converters the time, once per batch.
    pub fn tick(&mut self, now: Mono) {
        self.converters.tick(now);
    }

    /// Gives an answer to the converter that asked.
    pub fn install(&mut self, role: Role, answer: Resolved) {
        self.converters.install(role, answer);
    }

    /// Lets the converters see the rows that follow, so that everything a batch needs is asked at once.
    fn look_ahead(&mut self, batch: &SourceBatch, from: u32) -> Result<(), Error> {
        let mut unwanted = RecordBatch::default();
        self.topic = None;
        for (_, record) in rows(batch, from).skip(1).take(LOOK_AHEAD_RECORDS_MAX) {
            let topic = self.topic_slot(record, &mut unwanted)?;
            if self.row(record, topic, &mut unwanted).is_err() {
                unwanted.rollback();
            }
        }
        self.topic = None;
        Ok(())
    }

    fn topic_slot(
        &mut self,
        record: &SourceRecord,
        out: &mut RecordBatch,
    ) -> Result<TopicSlot, Error> {
        if let Some((topic, slot)) = &self.topic
            && (Arc::ptr_eq(topic, &record.topic) || *topic == record.topic)
        {
            return Ok(*slot);
        }
        let slot = out.topic(&record.topic)?;
        self.topic = Some((Arc::clone(&record.topic), slot));
        Ok(slot)
    }

    /// Headers first, then key, then value, as the JVM does.
    fn row(
        &mut self,
        record: &SourceRecord,
        topic: TopicSlot,
        out: &mut RecordBatch,
    ) -> Result<(), Halt> {
        let Converters { key, value, header } = &mut self.converters;
        self.added.clear();
        for item in record.headers.iter() {
            let mut context = HeaderContext::new(&record.topic, item.name());
            let range = header
                .from_connect_header(&mut context, item.datum(), out.buffer_mut())
                .map_err(|error| Error::from(error).in_stage(Stage::HeaderConverter))?;
            out.header(item.name(), range)?;
        }
        let added = &mut self.added;
        let mut context = RecordContext::new(&record.topic, Role::Key).with_headers(added);
        let key = ready(
            key.from_connect(&mut context, &record.key, out.buffer_mut()),
            Stage::KeyConverter,
        )?;
        context.role = Role::Value;
        let value = ready(
            value.from_connect(&mut context, &record.value, out.buffer_mut()),
            Stage::ValueConverter,
        )?;
        if !added.is_empty() {
            add_headers(added, out)?;
        }
        out.push(NewRow {
            topic,
            partition: record.kafka_partition,
            timestamp: timestamp(record)?,
            key,
            value,
        })?;
        Ok(())
    }
}

/// The records of a batch from one row on, with their rows.
fn rows(batch: &SourceBatch, from: u32) -> impl Iterator<Item = (u32, &SourceRecord)> {
    let first = usize::try_from(from).unwrap_or(usize::MAX);
    (from..).zip(batch.records.iter().skip(first))
}

fn add_headers(added: &mut RawHeaders, out: &mut RecordBatch) -> Result<(), Error> {
    for (name, value) in added.iter() {
        let range = value.map(|bytes| append(out.buffer_mut(), bytes));
        out.header(name, range)?;
    }
    added.clear();
    Ok(())
}

fn append(buffer: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let start = buffer.len();
    buffer.extend_from_slice(bytes);
    start..buffer.len()
}

/// -1 means none; anything below is an error, in Java's words.
fn timestamp(record: &SourceRecord) -> Result<Option<i64>, Error> {
    match record.timestamp {
        Some(-1) | None => Ok(None),
        Some(millis) if millis < 0 => Err(Error::new(
            Fault::Data,
            format!("Invalid record timestamp {millis}"),
        )
        .in_stage(Stage::KafkaProduce)),
        Some(millis) => Ok(Some(millis)),
    }
}
