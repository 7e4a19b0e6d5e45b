use std::sync::Arc;

use ferroconnect_converters::data::{Headers, SchemaAndValue};

use super::{SourceOffset, SourcePartition};
use crate::ids::TopicPartition;
use crate::kafka::TimestampType;

/// A record as a source task gives it.
#[derive(Clone, Debug)]
pub struct SourceRecord {
    /// Where it is from; offsets are kept per partition.
    pub partition: SourcePartition,
    /// Where reading goes on behind it.
    pub offset: SourceOffset,
    /// The topic it goes to. Share one name among records: a clone counts a reference.
    pub topic: Arc<str>,
    /// The topic's partition; `None` leaves it to the producer.
    pub kafka_partition: Option<i32>,
    /// Key.
    pub key: SchemaAndValue,
    /// Value.
    pub value: SchemaAndValue,
    /// Milliseconds since the epoch; `None` is the moment of sending.
    pub timestamp: Option<i64>,
    /// Headers.
    pub headers: Headers,
}

impl SourceRecord {
    /// A record without key, headers, source partition and offset.
    pub fn new(topic: impl Into<Arc<str>>, value: impl Into<SchemaAndValue>) -> Self {
        Self {
            partition: SourcePartition::null(),
            offset: SourceOffset::null(),
            topic: topic.into(),
            kafka_partition: None,
            key: SchemaAndValue::NULL,
            value: value.into(),
            timestamp: None,
            headers: Headers::default(),
        }
    }

    /// The same record, from this place in the source.
    #[must_use]
    pub fn from(self, partition: SourcePartition, offset: SourceOffset) -> Self {
        Self {
            partition,
            offset,
            ..self
        }
    }

    /// The same record with this key.
    #[must_use]
    pub fn with_key(self, key: impl Into<SchemaAndValue>) -> Self {
        Self {
            key: key.into(),
            ..self
        }
    }
}

/// A record as a sink task gets it.
#[derive(Clone, Debug)]
pub struct SinkRecord {
    /// Topic and partition it is from. A clone counts a reference.
    pub partition: TopicPartition,
    /// Its offset there.
    pub offset: i64,
    /// Milliseconds since the epoch; `None` if there is none.
    pub timestamp: Option<i64>,
    /// What the timestamp means.
    pub timestamp_type: TimestampType,
    /// Key.
    pub key: SchemaAndValue,
    /// Value.
    pub value: SchemaAndValue,
    /// Headers.
    pub headers: Headers,
}
