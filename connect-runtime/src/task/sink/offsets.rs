//! Offsets of a sink task: consumed, delivered, committed.
//!
//! Offsets are kept on the coordinates the records were consumed from, before any transform (KAFKA-5567), and a record that was dropped
//! moves its partition on like one that was put.

use std::collections::BTreeSet;

use crate::ids::TopicPartition;
use crate::kafka::{OffsetAndMetadata, Offsets};

/// The offsets of the partitions a sink task reads. Each offset is that of the next record.
#[derive(Debug, Default)]
pub struct SinkOffsets {
    /// Consumed, not yet put with success.
    consumed: Offsets,
    /// Put with success.
    delivered: Offsets,
    /// Committed last.
    committed: Offsets,
}

/// What to do with the answer of `pre_commit`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommitPlan {
    /// To commit; empty when nothing moved.
    pub commit: Offsets,
    /// Partitions for which the task wanted to commit what it was never given.
    pub beyond: Vec<TopicPartition>,
    /// Partitions the task does not have.
    pub foreign: Vec<TopicPartition>,
}

impl SinkOffsets {
    /// Partitions were assigned, with the positions reading starts from.
    pub fn assigned(&mut self, positions: &Offsets) {
        for (partition, position) in positions {
            self.delivered.insert(partition.clone(), position.clone());
            self.committed.insert(partition.clone(), position.clone());
        }
    }

    /// Partitions are gone.
    pub fn removed(&mut self, partitions: &[TopicPartition]) {
        for partition in partitions {
            self.consumed.remove(partition);
            self.delivered.remove(partition);
            self.committed.remove(partition);
        }
    }

    /// Records up to `next` were consumed, whether they reach the task or were dropped.
    pub fn consumed(&mut self, partition: &TopicPartition, next: i64) {
        self.consumed
            .insert(partition.clone(), OffsetAndMetadata::new(next));
    }

    /// Everything consumed was put with success.
    pub fn delivered(&mut self) {
        self.delivered.append(&mut self.consumed);
    }

    /// Reading of a partition goes on elsewhere because the task asked for it.
    pub fn rewound(&mut self, partition: &TopicPartition, offset: i64) {
        let position = OffsetAndMetadata::new(offset);
        self.consumed.remove(partition);
        self.delivered.insert(partition.clone(), position.clone());
        self.committed.insert(partition.clone(), position);
    }

    /// What `pre_commit` is asked about.
    pub fn to_commit(&self, partitions: &[TopicPartition]) -> Offsets {
        let wanted: BTreeSet<&TopicPartition> = partitions.iter().collect();
        let held = self
            .delivered
            .iter()
            .filter(|(partition, _)| wanted.contains(partition));
        held.map(|(partition, offset)| (partition.clone(), offset.clone()))
            .collect()
    }

    /// What becomes of the answer of `pre_commit`.
    pub fn plan(&self, asked: &Offsets, answer: Offsets) -> CommitPlan {
        let mut plan = CommitPlan::default();
        for (partition, offset) in answer {
            match (asked.get(&partition), self.committed.get(&partition)) {
                (None, _) => plan.foreign.push(partition),
                (Some(current), _) if offset.offset > current.offset => plan.beyond.push(partition),
                (Some(_), Some(committed)) if *committed == offset => {}
                (Some(_), _) => {
                    plan.commit.insert(partition, offset);
                }
            }
        }
        plan
    }

    /// A commit succeeded.
    pub fn committed(&mut self, offsets: &Offsets) {
        for (partition, offset) in offsets {
            self.committed.insert(partition.clone(), offset.clone());
        }
    }

    /// `pre_commit` failed: reading goes on from what was committed. Gives the positions to seek to.
    pub fn roll_back(&mut self, asked: &Offsets) -> Offsets {
        let mut positions = Offsets::new();
        for partition in asked.keys() {
            self.consumed.remove(partition);
            if let Some(committed) = self.committed.get(partition) {
                self.delivered.insert(partition.clone(), committed.clone());
                positions.insert(partition.clone(), committed.clone());
            }
        }
        positions
    }

    /// Partitions that are held.
    pub fn partitions(&self) -> Vec<TopicPartition> {
        self.delivered.keys().cloned().collect()
    }

    /// Records delivered and not yet committed.
    pub fn uncommitted(&self) -> u64 {
        let behind = |(partition, offset): (&TopicPartition, &OffsetAndMetadata)| {
            let committed = self
                .committed
                .get(partition)
                .map_or(offset.offset, |committed| committed.offset);
            u64::try_from(offset.offset - committed).unwrap_or(0)
        };
        self.delivered.iter().map(behind).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(partition: i32) -> TopicPartition {
        TopicPartition::new("src", partition)
    }

    fn offsets(list: &[(i32, i64)]) -> Offsets {
        list.iter()
            .map(|(partition, offset)| (p(*partition), OffsetAndMetadata::new(*offset)))
            .collect()
    }

    fn with(list: &[(i32, i64)]) -> SinkOffsets {
        let mut held = SinkOffsets::default();
        held.assigned(&offsets(list));
        held
    }

    /// C078: the consumed coordinates count, and dropped records move them on.
    #[test]
    fn c078_dropped_records_are_committed_on_the_consumed_coordinates() {
        let mut held = with(&[(0, 0)]);
        held.consumed(&p(0), 5);
        held.delivered();
        let asked = held.to_commit(&[p(0)]);
        assert_eq!(asked, offsets(&[(0, 5)]));
        let plan = held.plan(&asked, asked.clone());
        assert_eq!(plan.commit, offsets(&[(0, 5)]));
        let renamed = Offsets::from([(TopicPartition::new("dst", 0), OffsetAndMetadata::new(5))]);
        assert_eq!(
            held.plan(&asked, renamed).foreign,
            [TopicPartition::new("dst", 0)]
        );
    }

    #[test]
    fn what_was_consumed_but_not_put_is_not_committed() {
        let mut held = with(&[(0, 0)]);
        held.consumed(&p(0), 5);
        assert_eq!(held.to_commit(&[p(0)]), offsets(&[(0, 0)]));
    }

    #[test]
    fn nothing_is_committed_twice_or_beyond_what_was_given() {
        let mut held = with(&[(0, 3), (1, 4)]);
        let asked = held.to_commit(&[p(0), p(1)]);
        assert_eq!(held.plan(&asked, asked.clone()).commit, Offsets::new());
        let plan = held.plan(&asked, offsets(&[(0, 9), (1, 2)]));
        assert_eq!(plan.beyond, [p(0)]);
        assert_eq!(plan.commit, offsets(&[(1, 2)]), "a task may commit less");
        held.committed(&plan.commit);
        assert_eq!(held.uncommitted(), 2);
    }

    #[test]
    fn a_failed_flush_goes_back_to_what_was_committed() {
        let mut held = with(&[(0, 3)]);
        held.consumed(&p(0), 8);
        held.delivered();
        let asked = held.to_commit(&[p(0)]);
        assert_eq!(held.roll_back(&asked), offsets(&[(0, 3)]));
        assert_eq!(held.to_commit(&[p(0)]), offsets(&[(0, 3)]));
    }

    #[test]
    fn a_rewind_counts_as_position_and_a_lost_partition_as_nothing() {
        let mut held = with(&[(0, 3), (1, 1)]);
        held.rewound(&p(0), 1);
        assert_eq!(held.to_commit(&[p(0)]), offsets(&[(0, 1)]));
        held.removed(&[p(1)]);
        assert_eq!(held.partitions(), [p(0)]);
    }
}
