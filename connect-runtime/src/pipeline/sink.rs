use ferroconnect_converters::data::Headers;
use ferroconnect_converters::{HeaderContext, RawHeaders, RecordContext, Role};

use super::convert::{Converters, ready};
use crate::api::SinkRecord;
use crate::error::{Error, Place, Stage};
use crate::ids::TopicPartition;
use crate::kafka::{PartitionBatch, Record, TimestampType};

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

    /// Appends the records of `batch` to `out`. Records that fail are left out and returned; the caller decides about them.
    pub fn convert(&mut self, batch: &PartitionBatch, out: &mut Vec<SinkRecord>) -> Vec<Error> {
        let mut failed = Vec::new();
        out.reserve(batch.records.len());
        for record in &batch.records {
            match self.record(&batch.partition, record) {
                Ok(record) => out.push(record),
                Err(error) => {
                    let place = Place::Record {
                        partition: batch.partition.clone(),
                        offset: record.offset,
                    };
                    failed.push(error.at(place));
                }
            }
        }
        failed
    }

    /// Key first, then value, then headers, as the JVM does.
    fn record(&mut self, partition: &TopicPartition, record: &Record) -> Result<SinkRecord, Error> {
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
