//! Records on their way into a topic: many rows in one buffer.
//!
//! A source task produces hundreds of thousands of records per second, so a record here is a row of
//! numbers into one shared buffer: no allocation, no channel message and no callback per record.
//! Converters append straight into [`RecordBatch::buffer_mut`] and hand over ranges.

use std::ops::Range;
use std::sync::Arc;

use super::error::{Class, Error, Result};

/// The caller's number for a batch: acknowledgements name records by batch and row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BatchId(pub u64);

/// A topic inside one [`RecordBatch`], so that rows carry a number and not a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TopicSlot(u32);

/// What the rows of a batch may hold at most: ranges are 32 bits wide.
pub const BATCH_BYTES_MAX: usize = 1 << 30;

/// Room that [`RecordBatch::successor`] prepares at most, for bytes and for rows.
const SUCCESSOR_BYTES_MAX: usize = 1 << 20;

/// Topics that one batch may name.
pub const BATCH_TOPICS_MAX: usize = 1 << 16;

/// Rows of records in one contiguous buffer.
///
/// ```
/// use ferroconnect_runtime::kafka::{BatchId, NewRow, RecordBatch};
/// let mut batch = RecordBatch::new(BatchId(1));
/// let topic = batch.topic("orders")?;
/// // A converter appends to the buffer and names the range it wrote.
/// let start = batch.buffer_mut().len();
/// batch.buffer_mut().extend_from_slice(b"value");
/// let value = start..batch.buffer_mut().len();
/// batch.push(NewRow { value: Some(value), ..NewRow::to(topic) })?;
/// let row = batch.row(0).ok_or("one row")?;
/// assert_eq!((row.topic, row.key, row.value), ("orders", None, Some(&b"value"[..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordBatch {
    id: BatchId,
    buffer: Vec<u8>,
    topics: Vec<Arc<str>>,
    rows: Vec<Row>,
    headers: Vec<HeaderSlot>,
    /// Ends of what belongs to complete rows; what lies behind is rolled back on request.
    committed_bytes: usize,
    committed_headers: usize,
}

/// Start and length in the buffer; length `NULL` is a null.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: u32,
    len: u32,
}

const NULL: u32 = u32::MAX;

impl Slot {
    fn of(range: Option<&Range<usize>>, limit: usize) -> Result<Self> {
        let Some(range) = range else {
            return Ok(Self {
                start: 0,
                len: NULL,
            });
        };
        let inside = range.start <= range.end && range.end <= limit && limit <= BATCH_BYTES_MAX;
        match (u32::try_from(range.start), u32::try_from(range.len())) {
            (Ok(start), Ok(len)) if inside => Ok(Self { start, len }),
            _ => Err(Error::new(
                Class::InvalidRequest,
                "add a record",
                format!("bytes {range:?} do not lie in a batch of {limit} bytes"),
            )
            .next_step("send smaller batches")),
        }
    }

    fn get(self, buffer: &[u8]) -> Option<&[u8]> {
        if self.len == NULL {
            return None;
        }
        let start = self.start as usize;
        buffer.get(start..start + self.len as usize)
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    topic: u32,
    partition: i32,
    timestamp: i64,
    key: Slot,
    value: Slot,
    headers_end: u32,
}

#[derive(Clone, Copy, Debug)]
struct HeaderSlot {
    name: Slot,
    value: Slot,
}

/// A row to add: ranges of the batch's buffer, `None` is a null.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// Where it goes.
    pub topic: TopicSlot,
    /// The partition; `None` lets the producer choose (by key as Java does, else sticky).
    pub partition: Option<i32>,
    /// Milliseconds since the epoch; `None` is the moment of sending.
    pub timestamp: Option<i64>,
    /// The key's bytes.
    pub key: Option<Range<usize>>,
    /// The value's bytes; `None` is a tombstone.
    pub value: Option<Range<usize>>,
}

impl NewRow {
    /// A row for `topic` with null key and null value, and everything else left to the producer.
    pub const fn to(topic: TopicSlot) -> Self {
        Self {
            topic,
            partition: None,
            timestamp: None,
            key: None,
            value: None,
        }
    }
}

/// A row as it is read back from a batch.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    /// Topic it goes to.
    pub topic: &'a str,
    /// Number of that topic in the batch (equal for equal topics).
    pub slot: TopicSlot,
    /// Partition, or `None` if the producer chooses.
    pub partition: Option<i32>,
    /// Timestamp in milliseconds since the epoch, or `None`.
    pub timestamp: Option<i64>,
    /// Key bytes, `None` is null.
    pub key: Option<&'a [u8]>,
    /// Value bytes, `None` is null.
    pub value: Option<&'a [u8]>,
    batch: &'a RecordBatch,
    headers: (u32, u32),
}

impl<'a> RowRef<'a> {
    /// How many headers the row has.
    pub const fn header_count(&self) -> usize {
        (self.headers.1 - self.headers.0) as usize
    }

    /// Bytes of key, value and headers, which is what `max.request.size` bounds.
    pub fn payload_bytes(&self) -> usize {
        let length = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
        let headers = if self.header_count() == 0 {
            0
        } else {
            self.headers()
                .map(|(name, value)| name.len() + length(value))
                .sum()
        };
        length(self.key) + length(self.value) + headers
    }

    /// The headers in order: name and value (`None` is a null value).
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, Option<&'a [u8]>)> + use<'a> {
        let batch = self.batch;
        let slots = batch
            .headers
            .get(self.headers.0 as usize..self.headers.1 as usize);
        slots.unwrap_or_default().iter().map(|header| {
            let name = header.name.get(&batch.buffer).unwrap_or_default();
            (
                std::str::from_utf8(name).unwrap_or_default(),
                header.value.get(&batch.buffer),
            )
        })
    }
}

impl TopicSlot {
    /// The number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl RecordBatch {
    /// An empty batch that acknowledgements will call `id`.
    pub fn new(id: BatchId) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    /// An empty batch with room for `rows` rows and `bytes` bytes.
    pub fn with_capacity(id: BatchId, rows: usize, bytes: usize) -> Self {
        let mut batch = Self::new(id);
        batch.rows.reserve(rows);
        batch.buffer.reserve(bytes);
        batch
    }

    /// An empty batch with room for a little more than this one holds, because batches of one sender
    /// are alike: growing step by step copies every byte about twice. Room beyond 1 MiB is not
    /// prepared, so that one giant does not stay in memory for ever.
    #[must_use]
    pub fn successor(&self, id: BatchId) -> Self {
        let rows = self.rows.len().min(SUCCESSOR_BYTES_MAX / size_of::<Row>());
        let bytes = self.buffer.len() + self.buffer.len() / 8;
        Self::with_capacity(id, rows, bytes.min(SUCCESSOR_BYTES_MAX))
    }

    /// The caller's number for this batch.
    pub const fn id(&self) -> BatchId {
        self.id
    }

    /// Empties the batch, keeps its memory, and names it `id`.
    pub fn reset(&mut self, id: BatchId) {
        self.id = id;
        self.buffer.clear();
        self.topics.clear();
        self.rows.clear();
        self.headers.clear();
        self.committed_bytes = 0;
        self.committed_headers = 0;
    }

    /// The slot of topic `name`, added if it is new. Looks through the topics of this batch, so keep
    /// the slot while the topic stays the same.
    ///
    /// # Errors
    /// [`Class::InvalidRequest`] beyond [`BATCH_TOPICS_MAX`] topics.
    pub fn topic(&mut self, name: &str) -> Result<TopicSlot> {
        let found = self.topics.iter().rposition(|topic| &**topic == name);
        let index = found.unwrap_or_else(|| {
            self.topics.push(name.into());
            self.topics.len() - 1
        });
        match u32::try_from(index) {
            Ok(slot) if index < BATCH_TOPICS_MAX => Ok(TopicSlot(slot)),
            _ => Err(Error::new(
                Class::InvalidRequest,
                "add a record",
                format!("more than {BATCH_TOPICS_MAX} topics in one batch"),
            )),
        }
    }

    /// The shared name behind `slot`.
    pub fn topic_name(&self, slot: TopicSlot) -> Option<&Arc<str>> {
        self.topics.get(slot.index())
    }

    /// How many topics the batch names.
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// The buffer that keys, values and header values are appended to. Only append: rows already
    /// pushed point into it.
    pub const fn buffer_mut(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Adds a header to the row that is pushed next.
    ///
    /// # Errors
    /// [`Class::InvalidRequest`] if the range does not lie in the buffer.
    pub fn header(&mut self, name: &str, value: Option<Range<usize>>) -> Result<()> {
        let value = Slot::of(value.as_ref(), self.buffer.len())?;
        let start = self.buffer.len();
        self.buffer.extend_from_slice(name.as_bytes());
        let name = Slot::of(Some(&(start..self.buffer.len())), self.buffer.len())?;
        self.headers.push(HeaderSlot { name, value });
        Ok(())
    }

    /// Adds a row made of ranges of the buffer, with the headers added since the last row; gives its
    /// number.
    ///
    /// # Errors
    /// [`Class::InvalidRequest`] if a range or the topic is not of this batch, or the partition is
    /// negative; nothing is added then, see [`RecordBatch::rollback`].
    pub fn push(&mut self, row: NewRow) -> Result<u32> {
        let limit = self.buffer.len();
        let key = Slot::of(row.key.as_ref(), limit)?;
        let value = Slot::of(row.value.as_ref(), limit)?;
        let number = u32::try_from(self.rows.len());
        let headers_end = u32::try_from(self.headers.len());
        let known = row.topic.index() < self.topics.len();
        let legal = known && row.partition.is_none_or(|partition| partition >= 0);
        let (Ok(number), Ok(headers_end), true) = (number, headers_end, legal) else {
            let cause = "the topic is not of this batch or the partition is negative";
            return Err(Error::new(Class::InvalidRequest, "add a record", cause));
        };
        self.rows.push(Row {
            topic: row.topic.0,
            partition: row.partition.unwrap_or(-1),
            timestamp: row.timestamp.unwrap_or(i64::MIN),
            key,
            value,
            headers_end,
        });
        self.committed_bytes = limit;
        self.committed_headers = self.headers.len();
        Ok(number)
    }

    /// Adds a row by copying `key` and `value` into the buffer; for callers that have them elsewhere.
    ///
    /// # Errors
    /// As [`RecordBatch::push`].
    pub fn push_copy(
        &mut self,
        topic: TopicSlot,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
    ) -> Result<u32> {
        let mut copy = |bytes: &[u8]| {
            let start = self.buffer.len();
            self.buffer.extend_from_slice(bytes);
            start..self.buffer.len()
        };
        let key = key.map(&mut copy);
        let value = value.map(&mut copy);
        self.push(NewRow {
            key,
            value,
            ..NewRow::to(topic)
        })
    }

    /// Drops bytes and headers that were added since the last complete row.
    pub fn rollback(&mut self) {
        self.buffer.truncate(self.committed_bytes);
        self.headers.truncate(self.committed_headers);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that the batch holds in memory, as back-pressure counts them: the buffer and the rows.
    pub fn memory_bytes(&self) -> usize {
        self.buffer.len()
            + self.rows.len() * size_of::<Row>()
            + self.headers.len() * size_of::<HeaderSlot>()
    }

    /// Row `index`.
    pub fn row(&self, index: usize) -> Option<RowRef<'_>> {
        let row = self.rows.get(index)?;
        let first = match index.checked_sub(1) {
            None => 0,
            Some(before) => self.rows.get(before)?.headers_end,
        };
        Some(self.view(row, first))
    }

    /// The rows in order.
    pub fn rows(&self) -> impl Iterator<Item = RowRef<'_>> {
        let mut first = 0;
        self.rows.iter().map(move |row| {
            let view = self.view(row, first);
            first = row.headers_end;
            view
        })
    }

    fn view(&self, row: &Row, headers_start: u32) -> RowRef<'_> {
        RowRef {
            topic: self
                .topics
                .get(row.topic as usize)
                .map_or("", |topic| topic),
            slot: TopicSlot(row.topic),
            partition: (row.partition >= 0).then_some(row.partition),
            timestamp: (row.timestamp != i64::MIN).then_some(row.timestamp),
            key: row.key.get(&self.buffer),
            value: row.value.get(&self.buffer),
            batch: self,
            headers: (headers_start, row.headers_end),
        }
    }
}

#[cfg(feature = "worker")]
pub(in crate::kafka) mod shared;
#[cfg(test)]
mod tests;
