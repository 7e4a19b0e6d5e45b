//! How a record batch lies in a local log: a checksum, then rows of varints and bytes.
//!
//! ```text
//! crc32 (4, little endian, over all that follows) | version (1) | base timestamp (8, LE)
//! per record: timestamp delta (zigzag) | key | value | header count | (name, value)*
//! bytes:      length + 1, then the bytes; length 0 is a null
//! ```
//!
//! CRC-32 and not a wider sum: it finds every burst up to 32 bits and misses one in 4 billion other
//! damages, runs at memory speed (carry-less multiplication), and its crate is one file deep.

use std::sync::Arc;

use bytes::Bytes;

use crate::ids::TopicPartition;
use crate::kafka::batch::RowRef;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::{Record, RecordHeader, TimestampType};

const VERSION: u8 = 1;
const CRC_BYTES: usize = 4;
const HEAD_BYTES: usize = CRC_BYTES + 1 + 8;

/// Grows the blob of one record batch.
#[derive(Debug, Default)]
pub(in crate::kafka) struct BlobBuilder {
    bytes: Vec<u8>,
    count: u32,
    base_timestamp: i64,
    max_timestamp: i64,
}

impl BlobBuilder {
    /// Appends a record; `now` is its timestamp if it has none.
    pub(in crate::kafka) fn push(&mut self, row: &RowRef<'_>, now: i64) {
        let timestamp = row.timestamp.unwrap_or(now);
        if self.count == 0 {
            self.bytes.clear();
            self.bytes.extend_from_slice(&[0; CRC_BYTES]);
            self.bytes.push(VERSION);
            self.bytes.extend_from_slice(&timestamp.to_le_bytes());
            self.base_timestamp = timestamp;
            self.max_timestamp = timestamp;
        }
        self.max_timestamp = self.max_timestamp.max(timestamp);
        let delta = timestamp.wrapping_sub(self.base_timestamp);
        put_varint(
            &mut self.bytes,
            ((delta << 1) ^ (delta >> 63)).cast_unsigned(),
        );
        put_bytes(&mut self.bytes, row.key);
        put_bytes(&mut self.bytes, row.value);
        put_varint(&mut self.bytes, row.header_count() as u64);
        if row.header_count() > 0 {
            for (name, value) in row.headers() {
                put_bytes(&mut self.bytes, Some(name.as_bytes()));
                put_bytes(&mut self.bytes, value);
            }
        }
        self.count += 1;
    }

    /// Size so far.
    pub(in crate::kafka) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Records so far.
    pub(in crate::kafka) const fn count(&self) -> u32 {
        self.count
    }

    /// The largest timestamp so far.
    pub(in crate::kafka) const fn max_timestamp(&self) -> i64 {
        self.max_timestamp
    }

    /// Writes the checksum and gives the whole blob.
    pub(in crate::kafka) fn seal(&mut self) -> &[u8] {
        if let Some((head, body)) = self.bytes.split_at_mut_checked(CRC_BYTES) {
            head.copy_from_slice(&crc32fast::hash(body).to_le_bytes());
        }
        &self.bytes
    }

    /// Forgets the records, keeps memory of `bytes_max` at most.
    pub(in crate::kafka) fn clear(&mut self, bytes_max: usize) {
        self.bytes.clear();
        self.bytes.shrink_to(bytes_max);
        self.count = 0;
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => out.push(0),
        Some(bytes) => {
            put_varint(out, bytes.len() as u64 + 1);
            out.extend_from_slice(bytes);
        }
    }
}

/// Reads the records of one blob, from some offset on.
#[derive(Debug)]
pub(in crate::kafka) struct Cursor {
    partition: TopicPartition,
    blob: Bytes,
    at: usize,
    base_timestamp: i64,
    next_offset: i64,
    end_offset: i64,
}

impl Cursor {
    /// Checks the checksum of `blob`, which holds `count` records from `base_offset` on.
    ///
    /// # Errors
    /// `Fatal` with partition and offset if the blob is damaged.
    pub(in crate::kafka) fn open(
        partition: &TopicPartition,
        base_offset: i64,
        count: u32,
        blob: Bytes,
    ) -> Result<Self> {
        let damaged = |what: &str| damaged(partition, base_offset, what);
        let Some((crc, body)) = blob.split_at_checked(CRC_BYTES) else {
            return Err(damaged("it is cut short"));
        };
        if crc32fast::hash(body).to_le_bytes() != crc {
            return Err(damaged("its checksum is wrong"));
        }
        let Some(([version], rest)) = body.split_first_chunk() else {
            return Err(damaged("it has no version"));
        };
        let (Some(timestamp), VERSION) = (rest.first_chunk::<8>(), *version) else {
            return Err(damaged("its version is unknown"));
        };
        let base_timestamp = i64::from_le_bytes(*timestamp);
        Ok(Self {
            partition: partition.clone(),
            at: HEAD_BYTES,
            base_timestamp,
            next_offset: base_offset,
            end_offset: base_offset + i64::from(count),
            blob,
        })
    }

    /// Offset of the next record.
    pub(in crate::kafka) const fn next_offset(&self) -> i64 {
        self.next_offset
    }

    /// Bytes that it keeps in memory.
    pub(in crate::kafka) const fn held_bytes(&self) -> usize {
        self.blob.len()
    }

    /// Whether every record was read.
    pub(in crate::kafka) const fn is_done(&self) -> bool {
        self.next_offset >= self.end_offset
    }

    /// Moves past the records before `offset`.
    ///
    /// # Errors
    /// As [`Cursor::next_record`].
    pub(in crate::kafka) fn skip_to(&mut self, offset: i64) -> Result<()> {
        while self.next_offset < offset && self.next_record()?.is_some() {}
        Ok(())
    }

    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// `Fatal` with partition and offset if the blob ends early.
    pub(in crate::kafka) fn next_record(&mut self) -> Result<Option<Record>> {
        if self.is_done() {
            return Ok(None);
        }
        let start = self.at;
        match self.read() {
            Some(record) => {
                self.next_offset += 1;
                Ok(Some(record))
            }
            None => {
                // The next call finds the same damage.
                self.at = start;
                Err(damaged(
                    &self.partition,
                    self.next_offset,
                    "it ends inside a record",
                ))
            }
        }
    }

    fn read(&mut self) -> Option<Record> {
        let zigzag = self.varint()?;
        let delta = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        let key = self.bytes()?;
        let value = self.bytes()?;
        let header_count = usize::try_from(self.varint()?).ok()?;
        let mut headers = Vec::new();
        for _ in 0..header_count {
            let name: Arc<str> = std::str::from_utf8(&self.bytes()??).ok()?.into();
            headers.push(RecordHeader {
                name,
                value: self.bytes()?,
            });
        }
        Some(Record {
            offset: self.next_offset,
            timestamp: self.base_timestamp.wrapping_add(delta),
            timestamp_type: TimestampType::CreateTime,
            key,
            value,
            headers,
        })
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.blob.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one is a short read, the inner one a null"
    )]
    fn bytes(&mut self) -> Option<Option<Bytes>> {
        let Some(length) = self.varint()?.checked_sub(1) else {
            return Some(None);
        };
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        if end > self.blob.len() {
            return None;
        }
        let bytes = self.blob.slice(self.at..end);
        self.at = end;
        Some(Some(bytes))
    }
}

#[cold]
fn damaged(partition: &TopicPartition, offset: i64, what: &str) -> Error {
    Error::new(
        Class::Fatal,
        "read a record batch",
        format!("the stored batch is damaged: {what}"),
    )
    .at(partition)
    .at_offset(offset)
    .next_step("restore the folder from a copy, or delete the records up to here and restart")
}

#[cfg(test)]
mod tests;
