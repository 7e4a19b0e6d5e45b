//! Kafka's assignors: who of a group reads which partition. Pure: members, what they want and what
//! they had go in, their shares come out in the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::client::Assignor;
use crate::ids::TopicPartition;

/// Partitions by topic that a member wants to share in.
pub(super) type Wanted = BTreeMap<Arc<str>, u32>;

/// What an assignor knows of a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) wanted: &'a Wanted,
    /// What it had before.
    pub(super) had: &'a [TopicPartition],
}

/// What each member gets, in the order of the members.
pub(super) type Shares = Vec<Vec<TopicPartition>>;

/// Deals every partition that somebody wants to one of those who want it.
pub(super) fn deal(assignor: Assignor, members: &[Candidate<'_>]) -> Shares {
    match assignor {
        Assignor::Range => range(members),
        Assignor::RoundRobin => round_robin(members),
        Assignor::CooperativeSticky => sticky(members),
    }
}

/// Topics by name: their partitions, and the members (by place in the list) that want them.
fn topics(members: &[Candidate<'_>]) -> BTreeMap<Arc<str>, (u32, Vec<usize>)> {
    let mut topics: BTreeMap<Arc<str>, (u32, Vec<usize>)> = BTreeMap::new();
    for (index, member) in members.iter().enumerate() {
        for (topic, partitions) in member.wanted {
            let entry = topics.entry(Arc::clone(topic)).or_default();
            entry.0 = entry.0.max(*partitions);
            entry.1.push(index);
        }
    }
    topics
}

/// Each topic's partitions in consecutive ranges, the first members one more.
fn range(members: &[Candidate<'_>]) -> Shares {
    let mut shares: Shares = vec![Vec::new(); members.len()];
    for (topic, (partitions, wanting)) in topics(members) {
        let count = u32::try_from(wanting.len()).unwrap_or(u32::MAX);
        let mut next = 0;
        for (rank, index) in (0..).zip(wanting) {
            let share = partitions / count + u32::from(rank < partitions % count);
            let range = (next..next + share)
                .map(|number| TopicPartition::new(Arc::clone(&topic), number.cast_signed()));
            shares[index].extend(range);
            next += share;
        }
    }
    shares
}

/// All partitions in order, each to the next member that wants it.
fn round_robin(members: &[Candidate<'_>]) -> Shares {
    let mut shares: Shares = vec![Vec::new(); members.len()];
    let mut turn = 0;
    for (topic, (partitions, wanting)) in topics(members) {
        for number in 0..partitions {
            // The first who wants it at or behind the turn, else the first of all.
            let index = wanting
                .iter()
                .copied()
                .find(|index| *index >= turn)
                .unwrap_or(wanting[0]);
            turn = (index + 1) % members.len();
            let partition = TopicPartition::new(Arc::clone(&topic), number.cast_signed());
            shares[index].push(partition);
        }
    }
    shares
}

/// Everybody keeps what they had; the rest goes to whoever has least; then single partitions move
/// while two members differ by more than one.
fn sticky(members: &[Candidate<'_>]) -> Shares {
    let topics = topics(members);
    let exists = |partition: &TopicPartition, index: usize| {
        topics
            .get(&partition.topic)
            .is_some_and(|(count, wanting)| {
                wanting.contains(&index) && partition.partition.unsigned_abs() < *count
            })
    };
    let mut taken = BTreeSet::new();
    let mut shares: Vec<BTreeSet<TopicPartition>> = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let kept = member.had.iter();
        let kept = kept.filter(|partition| exists(partition, index));
        let kept = kept.filter(|partition| taken.insert((*partition).clone()));
        shares.push(kept.cloned().collect());
    }
    for (topic, (count, wanting)) in &topics {
        for number in 0..*count {
            let partition = TopicPartition::new(Arc::clone(topic), number.cast_signed());
            let least = wanting.iter().min_by_key(|index| shares[**index].len());
            if let Some(index) = least
                && !taken.contains(&partition)
            {
                shares[*index].insert(partition);
            }
        }
    }
    while let Some((from, to, partition)) = unfair(&shares, &topics) {
        shares[from].remove(&partition);
        shares[to].insert(partition);
    }
    let shares = shares.into_iter();
    shares.map(|share| share.into_iter().collect()).collect()
}

/// A partition to move from a member to one that has at least two fewer. Every such move makes the
/// sum of the squared sizes smaller, so there is a last one.
fn unfair(
    shares: &[BTreeSet<TopicPartition>],
    topics: &BTreeMap<Arc<str>, (u32, Vec<usize>)>,
) -> Option<(usize, usize, TopicPartition)> {
    let mut by_size: Vec<usize> = (0..shares.len()).collect();
    by_size.sort_by_key(|index| shares[*index].len());
    for &to in &by_size {
        for &from in by_size.iter().rev() {
            if shares[from].len() < shares[to].len() + 2 {
                break;
            }
            let movable = shares[from].iter().rev().find(|partition| {
                topics
                    .get(&partition.topic)
                    .is_some_and(|(_, wanting)| wanting.contains(&to))
            });
            if let Some(partition) = movable {
                return Some((from, to, partition.clone()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
