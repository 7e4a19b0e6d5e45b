//! Puts the rows of waiting batches together to record batches, one row of the table each.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::catalog::Catalog;
use super::writer::Group;
use crate::ids::TopicPartition;
use crate::kafka::batch::RowRef;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::codec::BlobBuilder;
use crate::kafka::local::{Outcomes, Submission, partitioner};

/// A record batch is written when it has grown to this size; a larger one costs readers memory, a
/// smaller one costs a table row. Smaller ones are written when nothing more is waiting.
const BLOB_BYTES: usize = 256 << 10;
/// Memory of a builder that is kept: room for the record that made a batch full, unless it was a giant.
const BUILDER_BYTES_MAX: usize = 2 * BLOB_BYTES;
/// Builders kept for the next group.
const SPARE_BUILDERS_MAX: usize = 4;

/// A record batch that is growing.
#[derive(Debug)]
struct Open {
    topic: usize,
    partition: TopicPartition,
    base_offset: i64,
    builder: BlobBuilder,
}

/// The record batches of one group commit.
#[derive(Debug, Default)]
pub(super) struct Appender {
    open: Vec<Open>,
    by_partition: HashMap<(usize, u32), usize>,
    spare: Vec<BlobBuilder>,
    rotation: u32,
}

/// Where the rows of a batch for one of its topics go.
#[derive(Clone, Debug)]
struct Route {
    topic: usize,
    partitions: u32,
    sticky: u32,
}

impl Appender {
    /// Adds the rows of `submission`; those that cannot be written get a failed outcome.
    ///
    /// # Errors
    /// Trouble of the store, which fails the whole group.
    pub(super) fn add(
        &mut self,
        group: &mut Group<'_>,
        submission: &Submission,
    ) -> rusqlite::Result<Outcomes> {
        let batch = &submission.batch;
        let mut outcomes = Outcomes::new(batch.id());
        let mut routes: Vec<Option<Result<Route>>> = vec![None; batch.topic_count()];
        self.rotation = self.rotation.wrapping_add(1);
        let mut last: Option<(usize, u32, usize)> = None;
        for (number, row) in (0..).zip(batch.rows()) {
            let limit = submission.account.record_bytes_max;
            let (topic, partition) = match self.route(group, &mut routes, &row, limit) {
                Ok(place) => place,
                Err(error) => {
                    outcomes.failed(number, error);
                    continue;
                }
            };
            let index = match last {
                Some((t, p, index)) if t == topic && p == partition => index,
                _ => self.open_batch(group.catalog, topic, partition),
            };
            last = Some((topic, partition, index));
            let Some(open) = self.open.get_mut(index) else {
                continue;
            };
            let offset = open.base_offset + i64::from(open.builder.count());
            open.builder.push(&row, group.now);
            outcomes.placed(number, &open.partition, offset);
            if open.builder.len() >= BLOB_BYTES {
                write(group.connection, group.catalog, open)?;
            }
        }
        Ok(outcomes)
    }

    /// The first row of `submission` that cannot be written.
    pub(super) fn check(&self, group: &mut Group<'_>, submission: &Submission) -> Result<()> {
        let mut routes = vec![None; submission.batch.topic_count()];
        let limit = submission.account.record_bytes_max;
        for row in submission.batch.rows() {
            self.route(group, &mut routes, &row, limit)?;
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Trouble of the store.
    pub(super) fn finish(&mut self, group: &mut Group<'_>) -> rusqlite::Result<()> {
        self.by_partition.clear();
        for mut open in self.open.drain(..) {
            write(group.connection, group.catalog, &mut open)?;
            if self.spare.len() < SPARE_BUILDERS_MAX {
                self.spare.push(open.builder);
            }
        }
        Ok(())
    }

    /// Forgets everything after a failure.
    pub(super) fn forget(&mut self) {
        self.open.clear();
        self.by_partition.clear();
    }

    fn open_batch(&mut self, catalog: &mut Catalog, topic: usize, partition: u32) -> usize {
        if let Some(index) = self.by_partition.get(&(topic, partition)) {
            return *index;
        }
        let name = catalog
            .topic(topic)
            .map(|topic| topic.name.clone())
            .unwrap_or_default();
        let base_offset = catalog
            .bounds_mut(topic, partition)
            .map_or(0, |bounds| bounds.end);
        let builder = self.spare.pop().unwrap_or_default();
        let partition_name = TopicPartition::new(name, partition.cast_signed());
        self.open.push(Open {
            topic,
            partition: partition_name,
            base_offset,
            builder,
        });
        self.by_partition
            .insert((topic, partition), self.open.len() - 1);
        self.open.len() - 1
    }

    fn route(
        &self,
        group: &mut Group<'_>,
        routes: &mut [Option<Result<Route>>],
        row: &RowRef<'_>,
        record_bytes_max: usize,
    ) -> Result<(usize, u32)> {
        let bytes = row.payload_bytes();
        if bytes > record_bytes_max {
            return Err(too_large(row, bytes, record_bytes_max));
        }
        let Some(known) = routes.get_mut(row.slot.index()) else {
            return Err(unknown(row));
        };
        let rotation = self.rotation;
        let route = known.get_or_insert_with(|| {
            let topic = group.topic_for_write(row.topic)?;
            let partitions = group
                .catalog
                .topic(topic)
                .map_or(1, |topic| topic.partitions.len());
            let partitions = u32::try_from(partitions).unwrap_or(u32::MAX);
            Ok(Route {
                topic,
                partitions,
                sticky: rotation % partitions.max(1),
            })
        });
        let route = match route {
            Ok(route) => route,
            Err(error) => return Err(error.clone()),
        };
        let partition = match (row.partition, row.key) {
            (Some(partition), _) => partition.cast_unsigned(),
            (None, Some(key)) => partitioner::keyed(key, route.partitions),
            (None, None) => route.sticky,
        };
        if partition >= route.partitions {
            return Err(no_partition(row, route.partitions));
        }
        Ok((route.topic, partition))
    }
}

fn write(connection: &Connection, catalog: &mut Catalog, open: &mut Open) -> rusqlite::Result<()> {
    let count = open.builder.count();
    if count == 0 {
        return Ok(());
    }
    let id = catalog.topic(open.topic).map_or(0, |topic| topic.id);
    let max_timestamp = open.builder.max_timestamp();
    let number = open.partition.partition;
    connection.execute(
        "INSERT INTO batch (topic, partition, base_offset, count, max_timestamp, blob)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            id,
            number,
            open.base_offset,
            count,
            max_timestamp,
            open.builder.seal()
        ],
    )?;
    open.base_offset += i64::from(count);
    open.builder.clear(BUILDER_BYTES_MAX);
    if let Some(bounds) = catalog.bounds_mut(open.topic, number.cast_unsigned()) {
        bounds.end = open.base_offset;
    }
    Ok(())
}

#[cold]
fn too_large(row: &RowRef<'_>, bytes: usize, limit: usize) -> Error {
    let cause = format!("a record of {bytes} bytes; max.request.size is {limit}");
    Error::new(Class::InvalidRecord, "send", cause)
        .at(&TopicPartition::new(row.topic, row.partition.unwrap_or(-1)))
        .next_step("make the record smaller, or raise max.request.size of the producer")
}

#[cold]
fn no_partition(row: &RowRef<'_>, partitions: u32) -> Error {
    let cause = format!("the topic has {partitions} partitions, numbered from 0");
    Error::new(Class::InvalidRecord, "send", cause)
        .at(&TopicPartition::new(row.topic, row.partition.unwrap_or(-1)))
        .next_step("correct the partition, or add partitions to the topic")
}

#[cold]
fn unknown(row: &RowRef<'_>) -> Error {
    Error::new(
        Class::InvalidRequest,
        "send",
        format!("topic {} is not of the batch", row.topic),
    )
}
