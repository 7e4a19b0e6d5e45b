//! Consumer groups inside the process: the classic eager protocol with range assignment, as a
//! machine that takes the time as an argument.
//!
//! A rebalance starts when a member joins, leaves, is thrown out, or sees other topics. Every member
//! then gives up what it has at its next poll and joins again; when all have, the partitions are
//! dealt. Who does not poll within its poll interval is thrown out and finds its partitions lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::time::{Mono, Span};

/// A member of a group; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::kafka) struct MemberId(u64);

/// Partitions by topic that a member wants to share in.
pub(in crate::kafka) type Wanted = BTreeMap<Arc<str>, u32>;

/// What a member has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kafka) enum Step {
    /// Nothing changed.
    Keep,
    /// Give up everything, then call [`Groups::rejoin`].
    Rejoin,
    /// Other members have not joined yet; look again at the given moment at the latest.
    Wait(Mono),
    /// These partitions are yours now; then call [`Groups::accepted`].
    Assigned(Vec<TopicPartition>),
    /// Thrown out: everything it had is lost.
    Lost,
}

#[derive(Debug)]
struct Member {
    wanted: Wanted,
    interval: Span,
    polled: Mono,
    polling: bool,
    joined: u64,
    accepted: u64,
    assignment: Vec<TopicPartition>,
}

#[derive(Debug, Default)]
struct Group {
    generation: u64,
    /// Set while members are joining: when those that have not are thrown out.
    joining_until: Option<Mono>,
    members: BTreeMap<MemberId, Member>,
}

impl Group {
    fn rebalance(&mut self, now: Mono) {
        self.generation += 1;
        let longest = self.members.values().map(|member| member.interval).max();
        self.joining_until = Some(now.plus(longest.unwrap_or(Span::ZERO)));
    }

    /// Throws out members that are late; deals the partitions when everybody has joined.
    fn settle(&mut self, now: Mono) -> bool {
        let generation = self.generation;
        let over = self.joining_until.is_some_and(|until| now >= until);
        let before = self.members.len();
        self.members.retain(|_, member| {
            let silent = !member.polling && now.since(member.polled) >= member.interval;
            !(silent || over && member.joined < generation)
        });
        let shrunk = self.members.len() < before;
        if shrunk && self.joining_until.is_none() {
            self.rebalance(now);
            return true;
        }
        let all = self
            .members
            .values()
            .all(|member| member.joined == generation);
        if self.joining_until.is_some() && all {
            self.joining_until = None;
            assign(&mut self.members);
            return true;
        }
        shrunk
    }
}

/// Kafka's range assignor: each topic's partitions in consecutive ranges, the first members one more.
fn assign(members: &mut BTreeMap<MemberId, Member>) {
    let mut topics: BTreeMap<Arc<str>, (u32, Vec<MemberId>)> = BTreeMap::new();
    for (id, member) in members.iter_mut() {
        member.assignment.clear();
        for (topic, partitions) in &member.wanted {
            let entry = topics.entry(Arc::clone(topic)).or_default();
            entry.0 = entry.0.max(*partitions);
            entry.1.push(*id);
        }
    }
    for (topic, (partitions, wanting)) in topics {
        let count = u32::try_from(wanting.len()).unwrap_or(u32::MAX);
        let mut next = 0;
        for (rank, id) in (0..).zip(wanting) {
            let share = partitions / count + u32::from(rank < partitions % count);
            if let Some(member) = members.get_mut(&id) {
                let range = next..next + share;
                member.assignment.extend(range.map(|partition| {
                    TopicPartition::new(Arc::clone(&topic), partition.cast_signed())
                }));
            }
            next += share;
        }
    }
}

/// All groups of a cluster.
#[derive(Debug, Default)]
pub(in crate::kafka) struct Groups {
    groups: BTreeMap<String, Group>,
    last_member: u64,
}

impl Groups {
    /// A new member of `group` that wants `wanted` and polls at least every `interval`.
    pub(in crate::kafka) fn join(
        &mut self,
        group: &str,
        wanted: Wanted,
        interval: Span,
        now: Mono,
    ) -> MemberId {
        self.last_member += 1;
        let id = MemberId(self.last_member);
        let group = self.groups.entry(group.to_owned()).or_default();
        let assignment = Vec::new();
        let (polling, joined, accepted) = (false, 0, 0);
        let member = Member {
            wanted,
            interval,
            polled: now,
            polling,
            joined,
            accepted,
            assignment,
        };
        group.members.insert(id, member);
        group.rebalance(now);
        id
    }

    /// A poll of `member` begins or ends.
    pub(in crate::kafka) fn polling(&mut self, group: &str, id: MemberId, is: bool, now: Mono) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        if is {
            group.settle(now);
        }
        if let Some(member) = group.members.get_mut(&id) {
            member.polling = is;
            member.polled = now;
        }
    }

    /// What `member` has to do; `true` beside it if something changed for others. Other topics than
    /// before in `wanted` start a rebalance.
    pub(in crate::kafka) fn step(
        &mut self,
        group: &str,
        id: MemberId,
        wanted: &Wanted,
        now: Mono,
    ) -> (Step, bool) {
        let Some(group) = self.groups.get_mut(group) else {
            return (Step::Lost, false);
        };
        let mut changed = group.settle(now);
        let Some(member) = group.members.get_mut(&id) else {
            return (Step::Lost, changed);
        };
        if member.wanted != *wanted {
            member.wanted.clone_from(wanted);
            group.rebalance(now);
            changed = true;
        }
        let Some(member) = group.members.get(&id) else {
            return (Step::Lost, changed);
        };
        let step = match group.joining_until {
            _ if member.joined < group.generation => Step::Rejoin,
            Some(until) => Step::Wait(until),
            None if member.accepted < group.generation => Step::Assigned(member.assignment.clone()),
            None => Step::Keep,
        };
        (step, changed)
    }

    /// `member` gave up what it had and joins the running rebalance.
    pub(in crate::kafka) fn rejoin(&mut self, group: &str, id: MemberId, now: Mono) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        let generation = group.generation;
        if let Some(member) = group.members.get_mut(&id) {
            member.joined = generation;
        }
        group.settle(now);
    }

    /// `member` has taken its partitions over.
    pub(in crate::kafka) fn accepted(&mut self, group: &str, id: MemberId) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        if let Some(member) = group.members.get_mut(&id) {
            member.accepted = member.joined;
        }
    }

    /// `member` leaves.
    pub(in crate::kafka) fn leave(&mut self, group: &str, id: MemberId, now: Mono) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        if group.members.remove(&id).is_some() && !group.members.is_empty() {
            group.rebalance(now);
            group.settle(now);
        }
    }

    /// Throws every member of `group` out, as a coordinator does that lost their heartbeats.
    #[cfg(feature = "testing")]
    pub(in crate::kafka) fn expel_all(&mut self, group: &str) {
        self.groups.remove(group);
    }

    /// Whether `group` has members that are not late.
    pub(in crate::kafka) fn in_use(&mut self, group: &str, now: Mono) -> bool {
        let Some(group) = self.groups.get_mut(group) else {
            return false;
        };
        group.settle(now);
        !group.members.is_empty()
    }

    /// Whether `member`, or somebody outside a membership, may commit for `group`.
    ///
    /// # Errors
    /// `Fenced` if the member was thrown out or has given its partitions up, `GroupInUse` for a
    /// stranger while the group has members.
    pub(in crate::kafka) fn may_commit(
        &mut self,
        group: &str,
        id: Option<MemberId>,
        now: Mono,
    ) -> Result<()> {
        let Some(id) = id else {
            if self.in_use(group, now) {
                let cause = format!("group {group} has live members and this is not one of them");
                return Err(Error::new(Class::GroupInUse, "commit", cause));
            }
            return Ok(());
        };
        let member = self.groups.get_mut(group).and_then(|group| {
            group.settle(now);
            group.members.get(&id)
        });
        if member.is_none() {
            let cause = format!("group {group} has thrown this member out");
            return Err(Error::new(Class::Fenced, "commit", cause)
                .next_step("poll again to rejoin; poll more often or raise max.poll.interval.ms"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
