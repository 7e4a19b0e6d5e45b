//! Records by partition: grouping what the library returns in one run, and keeping what a poll has no
//! room for. Pure.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use krafka::consumer::{ConsumerRecord, TimestampType as KrafkaTimestamp};

use crate::ids::TopicPartition;
use crate::kafka::types::{PartitionBatch, Record, RecordHeader, TimestampType};

/// Records that were fetched and not returned, in the order they came.
#[derive(Debug, Default)]
pub(super) struct Held(VecDeque<(TopicPartition, VecDeque<Record>)>);

/// What a poll may return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) records: usize,
    pub(super) bytes: usize,
}

impl Held {
    /// Whether there is something of a partition that is not `paused`.
    pub(super) fn is_ready(&self, paused: &BTreeSet<TopicPartition>) -> bool {
        self.0
            .iter()
            .any(|(partition, _)| !paused.contains(partition))
    }

    /// Puts `batches` behind what is there.
    pub(super) fn push(&mut self, batches: Vec<PartitionBatch>) {
        for batch in batches {
            let mut known = self.0.iter_mut();
            match known.find(|(partition, _)| *partition == batch.partition) {
                Some((_, records)) => records.extend(batch.records),
                None => self.0.push_back((batch.partition, batch.records.into())),
            }
        }
    }

    /// The offset of the first record of `partition`.
    pub(super) fn first_offset(&self, partition: &TopicPartition) -> Option<i64> {
        let mut held = self.0.iter();
        let (_, records) = held.find(|(known, _)| known == partition)?;
        records.front().map(|record| record.offset)
    }

    /// Drops the records of `partition`.
    pub(super) fn forget(&mut self, partition: &TopicPartition) {
        self.0.retain(|(known, _)| known != partition);
    }

    /// As many records as there is room for, at least one, of partitions that are not `paused`. One
    /// that has more than that goes to the end of the queue.
    pub(super) fn take(
        &mut self,
        room: Room,
        paused: &BTreeSet<TopicPartition>,
    ) -> Vec<PartitionBatch> {
        let mut batches = Vec::new();
        let (mut records_left, mut bytes_left) = (room.records.max(1), room.bytes);
        for _ in 0..self.0.len() {
            let Some((partition, mut records)) = self.0.pop_front() else {
                break;
            };
            if paused.contains(&partition) || records_left == 0 {
                self.0.push_back((partition, records));
                continue;
            }
            let mut count = 0;
            for record in records.iter().take(records_left) {
                let size = size(record);
                if size > bytes_left && (count > 0 || !batches.is_empty()) {
                    records_left = count;
                    break;
                }
                bytes_left = bytes_left.saturating_sub(size);
                count += 1;
            }
            records_left -= count;
            if count > 0 {
                let taken: Vec<Record> = records.drain(..count).collect();
                batches.push(PartitionBatch {
                    partition: partition.clone(),
                    records: taken,
                });
            }
            if !records.is_empty() {
                self.0.push_back((partition, records));
            }
        }
        batches
    }
}

impl Room {
    /// Whether all of `batches` fit, so that nothing has to be held back.
    pub(super) fn fits(&self, batches: &[PartitionBatch]) -> bool {
        let records = batches.iter().map(|batch| batch.records.len());
        let bytes = batches.iter().flat_map(|batch| &batch.records).map(size);
        records.sum::<usize>() <= self.records && bytes.sum::<usize>() <= self.bytes
    }
}

fn size(record: &Record) -> usize {
    let length = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, bytes::Bytes::len);
    let headers = record.headers.iter();
    let headers = headers.map(|header| header.name.len() + length(&header.value));
    length(&record.key) + length(&record.value) + headers.sum::<usize>()
}

/// Groups records, which the library returns in one run per partition.
pub(super) fn group(records: Vec<ConsumerRecord>) -> Vec<PartitionBatch> {
    let is_same = |one: &ConsumerRecord, next: &ConsumerRecord| {
        one.partition == next.partition
            && (Arc::ptr_eq(&one.topic, &next.topic) || one.topic == next.topic)
    };
    let runs: Vec<usize> = records.chunk_by(is_same).map(<[_]>::len).collect();
    let mut records = records.into_iter();
    let mut batches = Vec::with_capacity(runs.len());
    for run in runs {
        let mut partition = None;
        let mut group = Vec::with_capacity(run);
        for record in records.by_ref().take(run) {
            if partition.is_none() {
                let topic = Arc::clone(&record.topic);
                partition = Some(TopicPartition::new(topic, record.partition));
            }
            let headers = headers(&record.headers, group.last());
            group.push(Record {
                offset: record.offset,
                timestamp: record.timestamp,
                timestamp_type: match record.timestamp_type {
                    KrafkaTimestamp::LogAppendTime => TimestampType::LogAppendTime,
                    // The protocol has these two; the library leaves itself room for more.
                    KrafkaTimestamp::CreateTime | _ => TimestampType::CreateTime,
                },
                key: record.key,
                value: record.value,
                headers,
            });
        }
        if let Some(partition) = partition {
            batches.push(PartitionBatch {
                partition,
                records: group,
            });
        }
    }
    batches
}

/// Headers; names that are those of the record before are shared with it.
fn headers(
    headers: &[(String, Option<bytes::Bytes>)],
    before: Option<&Record>,
) -> Vec<RecordHeader> {
    let before = before.map_or(&[][..], |record| &record.headers);
    let header = |(at, (name, value)): (usize, &(String, Option<bytes::Bytes>))| RecordHeader {
        name: match before.get(at) {
            Some(known) if *known.name == **name => Arc::clone(&known.name),
            Some(_) | None => Arc::from(name.as_str()),
        },
        value: value.clone(),
    };
    headers.iter().enumerate().map(header).collect()
}

#[cfg(test)]
mod tests;
