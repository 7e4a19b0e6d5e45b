//! The topics with their first and next offsets, in memory.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, params};

use crate::ids::TopicPartition;
use crate::kafka::local::Topics;

/// First offset that is there and the next one to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bounds {
    pub(super) start: i64,
    pub(super) end: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) name: Arc<str>,
    /// Its number in the tables.
    pub(super) id: i64,
    pub(super) partitions: Vec<Bounds>,
}

/// All topics.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalog {
    topics: Vec<Topic>,
    by_name: HashMap<Arc<str>, usize>,
}

impl Catalog {
    /// Reads it from the tables.
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut catalog = Self::default();
        let mut topics =
            connection.prepare("SELECT id, name, partitions FROM topic ORDER BY id")?;
        let rows = topics.query_map([], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, u32>(2)?,
            ))
        })?;
        for row in rows {
            let (id, name, partitions) = row?;
            let index = catalog.add(&name, id, partitions);
            let Some(topic) = catalog.topics.get_mut(index) else {
                continue;
            };
            for (number, bounds) in (0..).zip(&mut topic.partitions) {
                *bounds = load_bounds(connection, id, number)?;
            }
        }
        Ok(catalog)
    }

    /// Adds an empty topic; gives its index.
    pub(super) fn add(&mut self, name: &str, id: i64, partitions: u32) -> usize {
        let name: Arc<str> = name.into();
        let partitions = vec![Bounds::default(); partitions as usize];
        self.topics.push(Topic {
            name: Arc::clone(&name),
            id,
            partitions,
        });
        self.by_name.insert(name, self.topics.len() - 1);
        self.topics.len() - 1
    }

    /// The index of topic `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The topic at `index`.
    pub(super) fn topic(&self, index: usize) -> Option<&Topic> {
        self.topics.get(index)
    }

    /// The bounds of a partition, to change.
    pub(super) fn bounds_mut(&mut self, index: usize, partition: u32) -> Option<&mut Bounds> {
        self.topics
            .get_mut(index)?
            .partitions
            .get_mut(partition as usize)
    }

    /// Number of the topic in the tables, and the bounds of the partition.
    pub(super) fn locate(&self, partition: &TopicPartition) -> Option<(i64, Bounds)> {
        let topic = self.topic(self.find(&partition.topic)?)?;
        let number = usize::try_from(partition.partition).ok()?;
        Some((topic.id, *topic.partitions.get(number)?))
    }

    /// Number of partitions by name.
    pub(super) fn names(&self) -> Topics {
        let partitions = |topic: &Topic| u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
        self.topics
            .iter()
            .map(|topic| (Arc::clone(&topic.name), partitions(topic)))
            .collect()
    }
}

fn load_bounds(connection: &Connection, topic: i64, partition: u32) -> rusqlite::Result<Bounds> {
    let start: Option<i64> = connection.query_row(
        "SELECT max(offset) FROM log_start WHERE topic = ?1 AND partition = ?2",
        params![topic, partition],
        |row| row.get(0),
    )?;
    let end: Option<i64> = connection.query_row(
        "SELECT max(base_offset + count) FROM
         (SELECT base_offset, count FROM batch WHERE topic = ?1 AND partition = ?2
          ORDER BY base_offset DESC LIMIT 1)",
        params![topic, partition],
        |row| row.get(0),
    )?;
    let start = start.unwrap_or(0);
    Ok(Bounds {
        start,
        end: end.unwrap_or(0).max(start),
    })
}
