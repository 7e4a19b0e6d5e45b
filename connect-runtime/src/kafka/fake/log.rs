//! One partition of the fake, with transactions the way a broker has them.

use bytes::Bytes;

use crate::kafka::local::{Fetched, StoredBatch};
use crate::kafka::types::Isolation;

/// Whether a stored batch counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Written outside a transaction, or committed.
    Committed,
    /// Its transaction is running.
    Open,
    /// Its transaction was aborted.
    Aborted,
    /// Not a batch but the mark where a transaction ended; takes one offset.
    Marker,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) base_offset: i64,
    pub(super) count: u32,
    pub(super) max_timestamp: i64,
    pub(super) blob: Bytes,
    /// Transactional id of the writer, if any.
    pub(super) writer: Option<String>,
    pub(super) fate: Fate,
}

impl Entry {
    fn end(&self) -> i64 {
        self.base_offset + i64::from(self.count)
    }
}

#[derive(Debug, Default)]
pub(super) struct PartitionLog {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) entries: Vec<Entry>,
}

impl PartitionLog {
    pub(super) fn append(&mut self, mut entry: Entry) {
        entry.base_offset = self.end;
        self.end = entry.end();
        self.entries.push(entry);
    }

    /// Ends what `writer` has open here; writes the marker if there was something.
    pub(super) fn end_transaction(&mut self, writer: &str, fate: Fate) {
        let mut touched = false;
        for entry in &mut self.entries {
            if entry.fate == Fate::Open && entry.writer.as_deref() == Some(writer) {
                entry.fate = fate;
                touched = true;
            }
        }
        if touched {
            self.append(Entry {
                base_offset: self.end,
                count: 1,
                max_timestamp: i64::MIN,
                blob: Bytes::new(),
                writer: Some(writer.to_owned()),
                fate: Fate::Marker,
            });
        }
    }

    /// The end as `isolation` sees it: the high watermark or the last stable offset.
    pub(super) fn end_for(&self, isolation: Isolation) -> i64 {
        match isolation {
            Isolation::ReadUncommitted => self.end,
            Isolation::ReadCommitted => {
                let open = self.entries.iter().find(|entry| entry.fate == Fate::Open);
                open.map_or(self.end, |entry| entry.base_offset)
            }
        }
    }

    /// What lies at `position`.
    pub(super) fn fetch(&self, position: i64, isolation: Isolation) -> Fetched {
        if position < self.start || position > self.end {
            return Fetched::OutOfRange {
                start: self.start,
                end: self.end,
            };
        }
        if position >= self.end_for(isolation) {
            return Fetched::End;
        }
        let at = self
            .entries
            .partition_point(|entry| entry.end() <= position);
        let Some(entry) = self.entries.get(at) else {
            return Fetched::End;
        };
        let hidden = match entry.fate {
            Fate::Marker => true,
            Fate::Aborted => isolation == Isolation::ReadCommitted,
            Fate::Committed | Fate::Open => false,
        };
        if hidden {
            return Fetched::Skip { to: entry.end() };
        }
        let Entry {
            base_offset,
            count,
            blob,
            ..
        } = entry.clone();
        Fetched::Batches(vec![StoredBatch {
            base_offset,
            count,
            blob,
        }])
    }

    /// Drops what lies wholly before `offset`.
    pub(super) fn delete_before(&mut self, offset: i64) {
        self.start = self.start.max(offset);
        let start = self.start;
        self.entries.retain(|entry| entry.end() > start);
    }
}
