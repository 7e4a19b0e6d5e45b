//! Consumer groups inside the process: the classic protocol, eager and cooperative (KIP-429), as a
//! machine that takes the time as an argument.
//!
//! A rebalance starts when a member joins, leaves, is thrown out, or sees other topics. Every member
//! then joins again at its next poll; when all have, the partitions are dealt. With an eager assignor
//! members give up everything before they join. With the cooperative one they keep what they have and
//! go on reading; a partition that changes hands is dealt to nobody at first: its owner gives it up
//! when it sees that it is missing, which starts the round that deals it to the next. Who does not
//! poll within its poll interval is thrown out and finds its partitions lost.

use std::collections::BTreeMap;

use crate::ids::TopicPartition;
use crate::kafka::assignors::{Candidate, Wanted, deal};
use crate::kafka::client::{Assignor, GroupProtocol};
use crate::kafka::error::{Class, Error, Result};
use crate::time::{Mono, Span};

/// A member of a group; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::kafka) struct MemberId(u64);

/// What a member joins with.
#[derive(Clone, Debug)]
pub(in crate::kafka) struct Application {
    pub(in crate::kafka) wanted: Wanted,
    pub(in crate::kafka) protocol: GroupProtocol,
    /// `max.poll.interval.ms`.
    pub(in crate::kafka) interval: Span,
}

/// What a member has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kafka) enum Step {
    /// Nothing changed.
    Keep,
    /// Give up everything, unless `keeps`; then call [`Groups::rejoin`] with what is left.
    Rejoin {
        /// Whether the member goes on reading what it has.
        keeps: bool,
    },
    /// Other members have not joined yet; look again at the given moment at the latest.
    Wait(Mono),
    /// These partitions and no others are yours now: give up the others, then call
    /// [`Groups::accepted`].
    Assigned(Vec<TopicPartition>),
    /// Thrown out: everything it had is lost.
    Lost,
}

#[derive(Debug)]
struct Member {
    wanted: Wanted,
    assignors: Vec<Assignor>,
    interval: Span,
    polled: Mono,
    polling: bool,
    joined: u64,
    accepted: u64,
    assignment: Vec<TopicPartition>,
    /// What it kept when it joined the last round.
    kept: Vec<TopicPartition>,
}

#[derive(Debug, Default)]
struct Group {
    generation: u64,
    /// Set while members are joining: when those that have not are thrown out.
    joining_until: Option<Mono>,
    members: BTreeMap<MemberId, Member>,
    /// What the partitions were dealt by last.
    assignor: Option<Assignor>,
}

/// The assignors a member can deal by. The broker's own dealing in KIP-848 moves as little as the
/// cooperative assignor does.
fn assignors(protocol: &GroupProtocol) -> Vec<Assignor> {
    match protocol {
        GroupProtocol::Classic { assignors, .. } => assignors.clone(),
        GroupProtocol::Consumer { .. } => vec![Assignor::CooperativeSticky],
    }
}

impl Group {
    fn rebalance(&mut self, now: Mono) {
        self.generation += 1;
        let longest = self.members.values().map(|member| member.interval).max();
        self.joining_until = Some(now.plus(longest.unwrap_or(Span::ZERO)));
    }

    /// The first assignor of the oldest member that everybody knows.
    fn common_assignor(&self) -> Option<Assignor> {
        let oldest = self.members.values().next()?;
        let known = |assignor: &&Assignor| {
            self.members
                .values()
                .all(|member| member.assignors.contains(assignor))
        };
        oldest.assignors.iter().find(known).copied()
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
            self.deal();
            return true;
        }
        shrunk
    }

    fn deal(&mut self) {
        let Some(assignor) = self.common_assignor() else {
            return;
        };
        self.assignor = Some(assignor);
        let candidates: Vec<_> = self
            .members
            .values()
            .map(|member| Candidate {
                wanted: &member.wanted,
                had: &member.assignment,
            })
            .collect();
        let shares = deal(assignor, &candidates);
        let kept = self.members.iter();
        let kept = kept.flat_map(|(id, member)| member.kept.iter().map(|kept| (kept.clone(), *id)));
        let owners: BTreeMap<TopicPartition, MemberId> = kept.collect();
        for ((id, member), mut share) in self.members.iter_mut().zip(shares) {
            // What another still reads comes with the round after its owner has given it up.
            share.retain(|partition| owners.get(partition).is_none_or(|owner| owner == id));
            member.assignment = share;
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
    /// A new member of `group`.
    ///
    /// # Errors
    /// `InvalidRequest` if no assignor is known to it and all other members.
    pub(in crate::kafka) fn join(
        &mut self,
        group: &str,
        application: Application,
        now: Mono,
    ) -> Result<MemberId> {
        self.last_member += 1;
        let id = MemberId(self.last_member);
        let name = group;
        let group = self.groups.entry(name.to_owned()).or_default();
        group.settle(now);
        let member = Member {
            wanted: application.wanted,
            assignors: assignors(&application.protocol),
            interval: application.interval,
            polled: now,
            polling: false,
            joined: 0,
            accepted: 0,
            assignment: Vec::new(),
            kept: Vec::new(),
        };
        group.members.insert(id, member);
        if group.common_assignor().is_none() {
            group.members.remove(&id);
            let cause = format!("the members of group {name} know no assignor in common");
            return Err(Error::new(Class::InvalidRequest, "poll", cause)
                .next_step("give all members the same partition.assignment.strategy"));
        }
        group.rebalance(now);
        Ok(id)
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
            _ if member.joined < group.generation => Step::Rejoin {
                keeps: group.assignor == Some(Assignor::CooperativeSticky),
            },
            Some(until) => Step::Wait(until),
            None if member.accepted < group.generation => Step::Assigned(member.assignment.clone()),
            None => Step::Keep,
        };
        (step, changed)
    }

    /// `member` joins the running rebalance; it gave up all it had but `kept`.
    pub(in crate::kafka) fn rejoin(
        &mut self,
        group: &str,
        id: MemberId,
        kept: Vec<TopicPartition>,
        now: Mono,
    ) {
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        let generation = group.generation;
        if let Some(member) = group.members.get_mut(&id) {
            member.joined = generation;
            member.kept = kept;
        }
        group.settle(now);
    }

    /// `member` has taken its partitions over and given up those that are not among them. If there
    /// were some, they are dealt in another round, and this is `true`.
    pub(in crate::kafka) fn accepted(&mut self, group: &str, id: MemberId, now: Mono) -> bool {
        let Some(group) = self.groups.get_mut(group) else {
            return false;
        };
        let Some(member) = group.members.get_mut(&id) else {
            return false;
        };
        member.accepted = member.joined;
        let (kept, new) = (&member.kept, &member.assignment);
        let gave_up = kept.iter().any(|partition| !new.contains(partition));
        if gave_up {
            group.rebalance(now);
        }
        gave_up
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
