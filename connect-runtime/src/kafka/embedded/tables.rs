//! What is done to the tables beside appending: topics, offsets, transactions.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::append::Appender;
use super::catalog::Bounds;
use super::writer::Group;
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::codec::Cursor;
use crate::kafka::local::{GroupOffsets, Identity, Submission};
use crate::kafka::types::{Acknowledgement, NewTopic, OffsetAndMetadata, OffsetSpec, Offsets};

impl Group<'_> {
    /// Gives `answer` on; a failure of the store fails the group.
    fn sql<T>(&mut self, operation: &'static str, answer: rusqlite::Result<T>) -> Result<T> {
        answer.map_err(|cause| self.broken(operation, &cause))
    }
}

pub(super) fn create_topic(group: &mut Group<'_>, topic: &NewTopic) -> Result<()> {
    const OPERATION: &str = "create topic";
    if group.catalog.find(&topic.name).is_some() {
        let cause = format!("topic {} exists", topic.name);
        return Err(Error::new(Class::AlreadyExists, OPERATION, cause));
    }
    let index = group.add_topic(OPERATION, &topic.name, topic.partitions.unwrap_or(1))?;
    let id = group.catalog.topic(index).map_or(0, |topic| topic.id);
    for (name, value) in &topic.configs {
        let insert = "INSERT INTO topic_config VALUES (?1, ?2, ?3)";
        let done = group.connection.execute(insert, params![id, name, value]);
        group.sql(OPERATION, done)?;
    }
    Ok(())
}

pub(super) fn configs(group: &mut Group<'_>, topic: &str) -> Result<BTreeMap<String, String>> {
    const OPERATION: &str = "describe configs";
    let Some(found) = group
        .catalog
        .find(topic)
        .and_then(|index| group.catalog.topic(index))
    else {
        return Err(Error::new(
            Class::NotFound,
            OPERATION,
            format!("there is no topic {topic}"),
        ));
    };
    let read = |id: i64| {
        let query = "SELECT name, value FROM topic_config WHERE topic = ?1";
        let mut statement = group.connection.prepare(query)?;
        let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    let answer = read(found.id);
    group.sql(OPERATION, answer)
}

/// The newest epoch of transactional id `id`.
fn epoch(group: &mut Group<'_>, operation: &'static str, id: &str) -> Result<Option<i64>> {
    let query = "SELECT epoch FROM transactional_id WHERE id = ?1";
    let answer = group
        .connection
        .query_row(query, [id], |row| row.get(0))
        .optional();
    group.sql(operation, answer)
}

pub(super) fn next_epoch(group: &mut Group<'_>, id: &str) -> Result<Identity> {
    const OPERATION: &str = "initialise transactions";
    let epoch = epoch(group, OPERATION, id)?.map_or(0, |epoch| epoch + 1);
    let insert = "INSERT OR REPLACE INTO transactional_id VALUES (?1, ?2)";
    let done = group.connection.execute(insert, params![id, epoch]);
    group.sql(OPERATION, done)?;
    Ok(Identity {
        id: id.to_owned(),
        epoch,
    })
}

/// Writes a transaction: all rows and offsets, or nothing.
pub(super) fn commit(
    group: &mut Group<'_>,
    appender: &mut Appender,
    identity: &Identity,
    submissions: &[Submission],
    offsets: &GroupOffsets,
) -> Result<Vec<Vec<Acknowledgement>>> {
    const OPERATION: &str = "commit";
    if epoch(group, OPERATION, &identity.id)? != Some(identity.epoch) {
        return Err(identity.fenced(OPERATION));
    }
    for submission in submissions {
        appender.check(group, submission).map_err(|error| {
            Error::new(
                Class::Abortable,
                OPERATION,
                format!("a record cannot be written: {error}"),
            )
        })?;
    }
    let mut outcomes = Vec::with_capacity(submissions.len());
    for submission in submissions {
        let added = appender.add(group, submission);
        outcomes.push(group.sql(OPERATION, added)?.finish());
    }
    commit_offsets(group, offsets)?;
    Ok(outcomes)
}

pub(super) fn commit_offsets(group: &mut Group<'_>, offsets: &GroupOffsets) -> Result<()> {
    for (group_id, offsets) in offsets {
        for (partition, position) in offsets {
            let done = group.connection.execute(
                "INSERT OR REPLACE INTO group_offset VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    group_id,
                    &*partition.topic,
                    partition.partition,
                    position.offset,
                    position.metadata
                ],
            );
            group.sql("commit offsets", done)?;
        }
    }
    Ok(())
}

pub(super) fn group_offsets(group: &mut Group<'_>, group_id: &str) -> Result<Option<Offsets>> {
    let read = || {
        let query =
            "SELECT topic, partition, offset, metadata FROM group_offset WHERE group_id = ?1";
        let mut statement = group.connection.prepare(query)?;
        let rows = statement.query_map([group_id], |row| {
            let partition = TopicPartition::new(row.get::<_, String>(0)?, row.get(1)?);
            Ok((
                partition,
                OffsetAndMetadata {
                    offset: row.get(2)?,
                    metadata: row.get(3)?,
                },
            ))
        })?;
        rows.collect::<rusqlite::Result<Offsets>>()
    };
    let answer = read();
    let offsets = group.sql("read group offsets", answer)?;
    Ok((!offsets.is_empty()).then_some(offsets))
}

pub(super) fn forget_offsets(
    group: &mut Group<'_>,
    group_id: &str,
    of: Option<&[TopicPartition]>,
) -> Result<()> {
    const OPERATION: &str = "delete group offsets";
    let Some(partitions) = of else {
        let delete = "DELETE FROM group_offset WHERE group_id = ?1";
        let done = group.connection.execute(delete, [group_id]);
        return group.sql(OPERATION, done).map(drop);
    };
    for partition in partitions {
        let delete = "DELETE FROM group_offset
                      WHERE group_id = ?1 AND topic = ?2 AND partition = ?3";
        let key = params![group_id, &*partition.topic, partition.partition];
        let done = group.connection.execute(delete, key);
        group.sql(OPERATION, done)?;
    }
    Ok(())
}

pub(super) fn delete_records(
    group: &mut Group<'_>,
    before: &BTreeMap<TopicPartition, i64>,
) -> Result<()> {
    const OPERATION: &str = "delete records";
    let mut work = Vec::with_capacity(before.len());
    for (partition, offset) in before {
        let (id, bounds) = group.locate(OPERATION, partition)?;
        if !(0..=bounds.end).contains(offset) {
            let cause = format!(
                "offset {offset} is not between 0 and the end {}",
                bounds.end
            );
            return Err(Error::new(Class::InvalidRequest, OPERATION, cause).at(partition));
        }
        work.push((partition, id, (*offset).max(bounds.start)));
    }
    for (partition, id, start) in work {
        let number = partition.partition;
        let delete = "DELETE FROM batch
                      WHERE topic = ?1 AND partition = ?2 AND base_offset + count <= ?3";
        let done = group.connection.execute(delete, params![id, number, start]);
        group.sql(OPERATION, done)?;
        let insert = "INSERT OR REPLACE INTO log_start VALUES (?1, ?2, ?3)";
        let done = group.connection.execute(insert, params![id, number, start]);
        group.sql(OPERATION, done)?;
        let index = group.catalog.find(&partition.topic).unwrap_or(usize::MAX);
        if let Some(bounds) = group.catalog.bounds_mut(index, number.cast_unsigned()) {
            bounds.start = start;
        }
    }
    Ok(())
}

pub(super) fn offset(
    group: &mut Group<'_>,
    partition: &TopicPartition,
    spec: OffsetSpec,
) -> Result<i64> {
    const OPERATION: &str = "list offsets";
    let (id, bounds) = group.locate(OPERATION, partition)?;
    match spec {
        OffsetSpec::Earliest => Ok(bounds.start),
        OffsetSpec::Latest => Ok(bounds.end),
        OffsetSpec::Timestamp(timestamp) => by_time(group, partition, id, bounds, timestamp),
    }
}

fn by_time(
    group: &mut Group<'_>,
    partition: &TopicPartition,
    id: i64,
    bounds: Bounds,
    timestamp: i64,
) -> Result<i64> {
    let found = group.connection.query_row(
        "SELECT base_offset, count, blob FROM batch
         WHERE topic = ?1 AND partition = ?2 AND max_timestamp >= ?3 AND base_offset + count > ?4
         ORDER BY base_offset LIMIT 1",
        params![id, partition.partition, timestamp, bounds.start],
        |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, u32>(1)?,
                row.get::<_, Vec<u8>>(2)?,
            ))
        },
    );
    let Some((base_offset, count, blob)) = group.sql("list offsets", found.optional())? else {
        return Ok(bounds.end);
    };
    let mut cursor = Cursor::open(partition, base_offset, count, blob.into())?;
    cursor.skip_to(bounds.start)?;
    while let Some(record) = cursor.next_record()? {
        if record.timestamp >= timestamp {
            return Ok(record.offset);
        }
    }
    Ok(bounds.end)
}
