//! What the consumer knows of its partitions, beside the library. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::held::{Held, Room};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::PartitionBatch;

/// Partitions and what is to happen with them.
#[derive(Debug, Default)]
pub(super) struct View {
    assigned: BTreeSet<TopicPartition>,
    paused: BTreeSet<TopicPartition>,
    /// Partitions that the library must not read yet: where they start has to be found out, unless
    /// it was said by a seek.
    unplaced: BTreeMap<TopicPartition, Option<i64>>,
    held: Held,
}

#[cold]
fn not_assigned(operation: &'static str, partition: &TopicPartition) -> Error {
    let cause = "the partition is not assigned to this consumer";
    Error::new(Class::InvalidRequest, operation, cause).at(partition)
}

impl View {
    pub(super) fn assignment(&self) -> Vec<TopicPartition> {
        self.assigned.iter().cloned().collect()
    }

    /// Adds `partitions`; gives those that are new.
    pub(super) fn add(&mut self, partitions: &[TopicPartition]) -> Vec<TopicPartition> {
        let mut fresh = Vec::new();
        for partition in partitions {
            if self.assigned.insert(partition.clone()) {
                self.unplaced.insert(partition.clone(), None);
                fresh.push(partition.clone());
            }
        }
        fresh
    }

    /// Forgets all but `partitions`; gives those that are new.
    pub(super) fn replace(&mut self, partitions: &[TopicPartition]) -> Vec<TopicPartition> {
        let new: BTreeSet<TopicPartition> = partitions.iter().cloned().collect();
        let gone: Vec<_> = self.assigned.difference(&new).cloned().collect();
        self.remove(&gone);
        self.add(partitions)
    }

    /// `partitions` are not this consumer's any more.
    pub(super) fn remove(&mut self, partitions: &[TopicPartition]) {
        for partition in partitions {
            self.assigned.remove(partition);
            self.paused.remove(partition);
            self.unplaced.remove(partition);
            self.held.forget(partition);
        }
    }

    pub(super) fn check_assigned(
        &self,
        operation: &'static str,
        partitions: &[TopicPartition],
    ) -> Result<()> {
        let foreign = |partition: &&TopicPartition| !self.assigned.contains(*partition);
        match partitions.iter().find(foreign) {
            Some(partition) => Err(not_assigned(operation, partition)),
            None => Ok(()),
        }
    }

    /// Reading goes on at `offset`. What was fetched, or is being fetched, is not returned.
    pub(super) fn seek(&mut self, partition: &TopicPartition, offset: i64) -> Result<()> {
        self.check_assigned("seek", std::slice::from_ref(partition))?;
        self.unplaced.insert(partition.clone(), Some(offset));
        self.held.forget(partition);
        Ok(())
    }

    pub(super) fn pause(&mut self, partitions: &[TopicPartition]) -> Result<()> {
        self.check_assigned("pause", partitions)?;
        self.paused.extend(partitions.iter().cloned());
        Ok(())
    }

    /// Gives those that the library may read now.
    pub(super) fn resume(&mut self, partitions: &[TopicPartition]) -> Result<Vec<TopicPartition>> {
        self.check_assigned("resume", partitions)?;
        for partition in partitions {
            self.paused.remove(partition);
        }
        let is_placed = |partition: &&TopicPartition| !self.unplaced.contains_key(*partition);
        Ok(partitions.iter().filter(is_placed).cloned().collect())
    }

    /// What the library may read.
    pub(super) fn fetchable(&self) -> Vec<TopicPartition> {
        let running = self.assigned.difference(&self.paused);
        let is_placed = |partition: &&TopicPartition| !self.unplaced.contains_key(*partition);
        running.filter(is_placed).cloned().collect()
    }

    /// Partitions to find the start of, with the offset that was sought.
    pub(super) fn unplaced(&self) -> BTreeMap<TopicPartition, Option<i64>> {
        self.unplaced.clone()
    }

    /// The start of `partition` was found for what was `asked`; whether that still is the question.
    pub(super) fn place(&mut self, partition: &TopicPartition, asked: Option<i64>) -> bool {
        let is_asked = self.unplaced.get(partition) == Some(&asked);
        if is_asked {
            self.unplaced.remove(partition);
        }
        is_asked
    }

    /// Whether the library may read `partition`.
    pub(super) fn may_fetch(&self, partition: &TopicPartition) -> bool {
        !self.paused.contains(partition) && !self.unplaced.contains_key(partition)
    }

    /// Where reading goes on, if that can be told without the library: at a sought offset, or at a
    /// record that is held. `Err` if only it can tell, with whether it knows yet.
    pub(super) fn position(&self, partition: &TopicPartition) -> std::result::Result<i64, bool> {
        match self.unplaced.get(partition) {
            Some(Some(sought)) => Ok(*sought),
            Some(None) => Err(false),
            None => self.held.first_offset(partition).ok_or(true),
        }
    }

    /// Leaves out what was sought elsewhere or taken away while it was fetched.
    pub(super) fn sift(&self, batches: &mut Vec<PartitionBatch>) {
        batches.retain(|batch| {
            let partition = &batch.partition;
            self.assigned.contains(partition) && !self.unplaced.contains_key(partition)
        });
    }

    pub(super) fn hold(&mut self, batches: Vec<PartitionBatch>) {
        self.held.push(batches);
    }

    /// Whether records are in hand that may be returned.
    pub(super) fn is_ready(&self) -> bool {
        self.held.is_ready(&self.paused)
    }

    pub(super) fn take(&mut self, room: Room) -> Vec<PartitionBatch> {
        self.held.take(room, &self.paused)
    }
}

#[cfg(test)]
mod tests;
