//! A batch whose bytes are shared instead of copied, for adapters that hand records on one by one.

use std::sync::Arc;

use bytes::Bytes;

use super::{HeaderSlot, RecordBatch, Row, Slot};

/// The rows of a [`RecordBatch`] over a counted buffer: a key or value is a slice of it.
#[derive(Debug)]
pub(in crate::kafka) struct SharedBatch {
    buffer: Bytes,
    topics: Vec<Arc<str>>,
    rows: Vec<Row>,
    headers: Vec<HeaderSlot>,
}

/// One row of a [`SharedBatch`].
#[derive(Debug)]
pub(in crate::kafka) struct SharedRow<'a> {
    /// Topic it goes to.
    pub(in crate::kafka) topic: &'a Arc<str>,
    /// Partition, or `None` if the producer chooses.
    pub(in crate::kafka) partition: Option<i32>,
    /// Milliseconds since the epoch, or `None`.
    pub(in crate::kafka) timestamp: Option<i64>,
    /// Key, `None` is null.
    pub(in crate::kafka) key: Option<Bytes>,
    /// Value, `None` is null.
    pub(in crate::kafka) value: Option<Bytes>,
    buffer: &'a Bytes,
    headers: &'a [HeaderSlot],
}

impl SharedRow<'_> {
    /// Bytes of key, value and headers, which is what `max.request.size` bounds.
    pub(in crate::kafka) fn payload_bytes(&self) -> usize {
        let length = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        let headers = self.headers.iter();
        let headers: usize = headers.map(|h| h.name.len() + h.value.len()).sum();
        length(&self.key) + length(&self.value) + headers
    }

    /// The headers in order: name and value (`None` is a null value).
    pub(in crate::kafka) fn headers(&self) -> impl Iterator<Item = (String, Option<Bytes>)> {
        self.headers.iter().map(|header| {
            let name = header.name.get(self.buffer).unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            (name, header.value.share(self.buffer))
        })
    }
}

impl Slot {
    const fn len(self) -> usize {
        if self.len == super::NULL {
            0
        } else {
            self.len as usize
        }
    }

    fn share(self, buffer: &Bytes) -> Option<Bytes> {
        if self.len == super::NULL {
            return None;
        }
        let start = self.start as usize;
        // A slot was checked against the buffer when its row was added, and the buffer only grows.
        Some(buffer.slice(start..start + self.len as usize))
    }
}

impl RecordBatch {
    /// The same rows with a buffer that can be shared; nothing is copied.
    pub(in crate::kafka) fn share(self) -> SharedBatch {
        SharedBatch {
            buffer: Bytes::from(self.buffer),
            topics: self.topics,
            rows: self.rows,
            headers: self.headers,
        }
    }
}

impl SharedBatch {
    /// The rows in order.
    pub(in crate::kafka) fn rows(&self) -> impl Iterator<Item = SharedRow<'_>> {
        let mut first = 0;
        self.rows.iter().filter_map(move |row| {
            let headers = self.headers.get(first as usize..row.headers_end as usize);
            first = row.headers_end;
            Some(SharedRow {
                // A row is only added with a topic of its batch.
                topic: self.topics.get(row.topic as usize)?,
                partition: (row.partition >= 0).then_some(row.partition),
                timestamp: (row.timestamp != i64::MIN).then_some(row.timestamp),
                key: row.key.share(&self.buffer),
                value: row.value.share(&self.buffer),
                buffer: &self.buffer,
                headers: headers.unwrap_or_default(),
            })
        })
    }
}
