//! Reads record batches on a connection of its own, beside the writer (write-ahead log).

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use rusqlite::{Connection, params};

use super::catalog::Bounds;
use super::error;
use super::writer::{Shared, no_partition};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::{Fetched, Reader, StoredBatch, lock};
use crate::kafka::types::Isolation;

#[derive(Debug)]
pub(super) struct LogReader {
    pub(super) connection: Arc<Mutex<Connection>>,
    pub(super) shared: Arc<Shared>,
}

/// A question that only the file can answer.
struct Question {
    index: usize,
    partition: TopicPartition,
    topic: i64,
    position: i64,
    bounds: Bounds,
}

#[async_trait]
impl Reader for LogReader {
    async fn fetch(
        &self,
        positions: Vec<(TopicPartition, i64)>,
        // What is in the file is committed, so both levels see the same.
        _isolation: Isolation,
        bytes_max: usize,
    ) -> Result<Vec<Option<Fetched>>> {
        let mut answers = vec![None; positions.len()];
        let mut questions = Vec::new();
        for (index, (partition, position)) in positions.into_iter().enumerate() {
            let located = self.shared.catalog(|catalog| catalog.locate(&partition));
            let (topic, bounds) = located.ok_or_else(|| no_partition("poll", &partition))?;
            let answer = if position < bounds.start || position > bounds.end {
                Some(Fetched::OutOfRange {
                    start: bounds.start,
                    end: bounds.end,
                })
            } else if position == bounds.end {
                Some(Fetched::End)
            } else {
                questions.push(Question {
                    index,
                    partition,
                    topic,
                    position,
                    bounds,
                });
                None
            };
            if let Some(place) = answers.get_mut(index) {
                *place = answer;
            }
        }
        if questions.is_empty() {
            return Ok(answers);
        }
        let connection = Arc::clone(&self.connection);
        let shared = Arc::clone(&self.shared);
        let read = move || {
            let connection = lock(&connection);
            let mut bytes = 0;
            for question in questions {
                if bytes >= bytes_max {
                    break;
                }
                let fetched = read(&connection, &shared, &question, bytes_max - bytes)?;
                bytes += fetched.record_bytes();
                if let Some(place) = answers.get_mut(question.index) {
                    *place = Some(fetched);
                }
            }
            Ok(answers)
        };
        let answered = tokio::task::spawn_blocking(read).await;
        answered.unwrap_or_else(|cause| {
            let cause = format!("the reading thread ended: {cause}");
            Err(Error::new(Class::Retriable, "poll", cause))
        })
    }
}

/// The batch with the position and those behind it: a log of many small batches is read in few steps.
fn read(
    connection: &Connection,
    shared: &Shared,
    question: &Question,
    bytes_max: usize,
) -> Result<Fetched> {
    let bytes_max = bytes_max.min(PARTITION_BYTES_MAX);
    let find = || {
        let mut statement = connection.prepare(
            "SELECT base_offset, count, blob FROM batch
             WHERE topic = ?1 AND partition = ?2 AND base_offset < ?4 AND base_offset >=
               (SELECT max(base_offset) FROM batch
                WHERE topic = ?1 AND partition = ?2 AND base_offset <= ?3)
             ORDER BY base_offset",
        )?;
        let mut rows = statement.query(params![
            question.topic,
            question.partition.partition,
            question.position,
            question.bounds.end
        ])?;
        let (mut batches, mut next, mut bytes) = (Vec::new(), question.position, 0);
        while bytes < bytes_max
            && let Some(row) = rows.next()?
        {
            let (base_offset, count): (i64, u32) = (row.get(0)?, row.get(1)?);
            let end = base_offset + i64::from(count);
            // Behind a gap, the next fetch begins with the missing offset.
            if base_offset > next || end <= next {
                break;
            }
            let blob = Bytes::from(row.get::<_, Vec<u8>>(2)?);
            bytes += blob.len();
            next = end;
            batches.push(StoredBatch {
                base_offset,
                count,
                blob,
            });
        }
        Ok(batches)
    };
    let batches = find().map_err(|cause| {
        error::sqlite("read a record batch", &shared.folder, &cause)
            .at(&question.partition)
            .at_offset(question.position)
    })?;
    if batches.is_empty() {
        return gap(shared, question);
    }
    Ok(Fetched::Batches(batches))
}

/// Record bytes that one fetch reads of one partition (at least one batch), so that each of many has its turn.
const PARTITION_BYTES_MAX: usize = 256 << 10;

/// The records may have been deleted since the bounds were looked up; else they are missing.
fn gap(shared: &Shared, question: &Question) -> Result<Fetched> {
    let now = shared.catalog(|catalog| catalog.locate(&question.partition));
    let (_, bounds) = now.unwrap_or((0, question.bounds));
    if question.position < bounds.start {
        return Ok(Fetched::OutOfRange {
            start: bounds.start,
            end: bounds.end,
        });
    }
    Err(Error::new(
        Class::Fatal,
        "read a record batch",
        "the stored batch is missing",
    )
    .at(&question.partition)
    .at_offset(question.position)
    .next_step("restore the folder from a copy, or delete the records up to here and restart"))
}
