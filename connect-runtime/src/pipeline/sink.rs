use ferroconnect_converters::data::Headers;
use ferroconnect_converters::{HeaderContext, RawHeaders, RecordContext, Role};
use ferroconnect_registry_client::{Lookup, Resolved};

use super::LOOK_AHEAD_RECORDS_MAX;
use super::convert::{Converters, Halt, ready};
use crate::api::SinkRecord;
use crate::error::{Error, Place, Stage};
use crate::ids::TopicPartition;
use crate::kafka::{PartitionBatch, Record, TimestampType};
use crate::time::Mono;

/// Converts consumed records into sink records.
#[derive(Debug)]
pub struct SinkPipeline {
    converters: Converters,
    /// A record's headers as key and value converters want to see them; filled only when there are some.
    raw: RawHeaders,
}

impl SinkPipeline {
    /// A pipeline of these converters.
    pub fn new(converters: Converters) -> Self {
        Self {
            converters,
            raw: RawHeaders::new(),
        }
    }

    /// Appends the records of `batch` from its `from`th on to `out`. Records that fail are left out and returned; the caller
    /// decides about them.
    ///
    /// `Some(record)`: everything before that one is done, and a converter waits for its registry. Ask what
    /// [`unresolved`](Self::unresolved) lists, [`install`](Self::install) the answers, go on from that record.
    pub fn convert(
        &mut self,
        batch: &PartitionBatch,
        from: usize,
        out: &mut Vec<SinkRecord>,
        failed: &mut Vec<Error>,
    ) -> Option<usize> {
        out.reserve(batch.records.len().saturating_sub(from));
        for (index, record) in batch.records.iter().enumerate().skip(from) {
            match self.record(&batch.partition, record) {
                Ok(record) => out.push(record),
                Err(Halt::Missing) => {
                    self.look_ahead(batch, index);
                    return Some(index);
                }
                Err(Halt::Failed(error)) => {
                    let place = Place::Record {
                        partition: batch.partition.clone(),
                        offset: record.offset,
                    };
                    failed.push(error.at(place));
                }
            }
        }
        None
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

    /// Lets the converters see the records that follow, so that everything a batch needs is asked at once.
    fn look_ahead(&mut self, batch: &PartitionBatch, from: usize) {
        let following = batch.records.iter().skip(from + 1);
        for record in following.take(LOOK_AHEAD_RECORDS_MAX) {
            // Only what it asks for counts; it is converted again in its turn.
            let _ = self.record(&batch.partition, record);
        }
    }

    /// Key first, then value, then headers, as the JVM does.
    fn record(&mut self, partition: &TopicPartition, record: &Record) -> Result<SinkRecord, Halt> {
        let Converters { key, value, header } = &mut self.converters;
        self.raw.clear();
        for item in &record.headers {
            self.raw.push(&item.name, item.value.clone());
        }
        let mut context =
            RecordContext::new(&partition.topic, Role::Key).with_headers(&mut self.raw);
        let key = ready(
            key.to_connect(&mut context, record.key.as_ref()),
            Stage::KeyConverter,
        )?;
        context.role = Role::Value;
        let value = ready(
            value.to_connect(&mut context, record.value.as_ref()),
            Stage::ValueConverter,
        )?;
        let mut headers = Headers::new();
        for item in &record.headers {
            let mut context = HeaderContext::new(&partition.topic, &item.name);
            let datum = header
                .to_connect_header(&mut context, item.value.as_ref())
                .map_err(|error| Error::from(error).in_stage(Stage::HeaderConverter))?;
            headers.push(&item.name, datum);
        }
        Ok(SinkRecord {
            partition: partition.clone(),
            offset: record.offset,
            timestamp: (record.timestamp_type != TimestampType::None && record.timestamp >= 0)
                .then_some(record.timestamp),
            timestamp_type: record.timestamp_type,
            key,
            value,
            headers,
        })
    }
}
