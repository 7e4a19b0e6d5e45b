//! Membership in a classic group (KIP-62, KIP-394, KIP-429), as a task that joins and keeps the member
//! alive, and as the steps that polls take.
//!
//! The library has a member of its own, which we do not use for this protocol: it goes on with
//! heartbeats of the old generation while a join waits for other members, takes the refusal of such a
//! heartbeat for its own expulsion, and joins under a new name while the old one still counts. With
//! the cooperative assignor every join that outlasts a heartbeat interval so costs all members all
//! partitions, again and again (measured, krafka 0.28.1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use krafka::error::{ErrorCode, KrafkaError};
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::Instrument;

use super::super::errors;
use super::wire::{Claim, Identity, Wire};
use crate::ids::TopicPartition;
use crate::kafka::assignors::{Candidate, Wanted, deal};
use crate::kafka::client::Assignor;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::Offsets;

/// Pause before a join is tried again; doubles up to [`PAUSE_MAX`].
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// What the next poll has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing; partitions may be read.
    Keep,
    /// Give up everything, then call [`Membership::gave_up`].
    GiveUp,
    /// Take these partitions over and give up the others, then call [`Membership::took_over`].
    TakeOver(Vec<TopicPartition>),
    /// Everything is lost; then call [`Membership::gave_up`].
    Lost,
}

#[derive(Debug)]
enum Phase {
    /// No member, and nothing asks for it.
    Out,
    /// Everything has to be given up before the next join.
    Due,
    /// The task joins, or is about to.
    Joining,
    /// The group gave these partitions.
    Dealt(Vec<TopicPartition>),
    Stable,
    /// Thrown out; what was owned may be somebody else's.
    Lost,
    /// It makes no sense to go on.
    Failed(Error),
    Closed,
}

impl Contact {
    /// A heartbeat went out, and was answered or not.
    const fn heard(&mut self, is_answered: bool) {
        *self = match (*self, is_answered) {
            (_, false) => Self::Broken,
            (Self::Broken | Self::Restored, true) => Self::Restored,
            (Self::Held, true) => Self::Held,
        };
    }

    /// Whether it is back; told once.
    fn take_return(&mut self) -> bool {
        let is_back = *self == Self::Restored;
        if is_back {
            *self = Self::Held;
        }
        is_back
    }
}

#[derive(Debug)]
struct Core {
    phase: Phase,
    identity: Identity,
    /// What the group dealt by last.
    assignor: Option<Assignor>,
    topics: Vec<String>,
    /// What the listener was told to be assigned.
    owned: BTreeSet<TopicPartition>,
    /// Join again once what was dealt is taken over.
    again: bool,
    polled: Instant,
    is_polling: bool,
    /// How the last heartbeats went.
    contact: Contact,
}

/// Whether the cluster answers this member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Contact {
    Held,
    Broken,
    /// It was broken, and nobody has taken note of its return.
    Restored,
}

impl Core {
    /// Asks for another round.
    fn rejoin(&mut self) {
        match self.phase {
            Phase::Out if !self.topics.is_empty() => self.phase = Phase::Joining,
            Phase::Stable if self.keeps() || self.owned.is_empty() => self.phase = Phase::Joining,
            Phase::Stable => self.phase = Phase::Due,
            // A round that is under way may have begun with what was known before.
            Phase::Joining | Phase::Dealt(_) => self.again = true,
            Phase::Out | Phase::Due | Phase::Lost | Phase::Failed(_) | Phase::Closed => {}
        }
    }

    /// Whether members keep what they have while they join.
    fn keeps(&self) -> bool {
        self.assignor == Some(Assignor::CooperativeSticky)
    }

    /// The group went on without it. It keeps its name if the group still knows that.
    fn expel(&mut self, is_known: bool) {
        self.identity.generation = -1;
        if !is_known {
            self.identity.id.clear();
        }
        self.again = false;
        if !matches!(self.phase, Phase::Closed) {
            self.phase = if self.owned.is_empty() {
                Phase::Joining
            } else {
                Phase::Lost
            };
        }
    }
}

/// A member of a group.
pub(super) struct Membership {
    wire: Wire,
    assignors: Vec<Assignor>,
    heartbeat: Duration,
    poll_interval: Duration,
    core: Mutex<Core>,
    /// For polls: there is a step to take.
    pub(super) changed: Notify,
    /// For the task: there is something to do.
    wanted: Notify,
}

const fn name(assignor: Assignor) -> &'static str {
    match assignor {
        Assignor::Range => "range",
        Assignor::RoundRobin => "roundrobin",
        Assignor::CooperativeSticky => "cooperative-sticky",
    }
}

/// Marks the time of one poll.
pub(super) struct Polling<'a>(&'a Membership);

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.0.mark(false);
    }
}

impl Membership {
    /// A member of nothing yet, and the task that makes it one. The task ends when the member is
    /// closed or dropped.
    pub(super) fn start(
        wire: Wire,
        assignors: Vec<Assignor>,
        heartbeat: Duration,
        poll_interval: Duration,
    ) -> Arc<Self> {
        let core = Core {
            phase: Phase::Out,
            identity: Identity::default(),
            assignor: None,
            topics: Vec::new(),
            owned: BTreeSet::new(),
            again: false,
            polled: Instant::now(),
            is_polling: false,
            contact: Contact::Held,
        };
        let membership = Arc::new(Self {
            wire,
            assignors,
            heartbeat,
            poll_interval,
            core: Mutex::new(core),
            changed: Notify::new(),
            wanted: Notify::new(),
        });
        tokio::spawn(keep(Arc::clone(&membership)).in_current_span());
        membership
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark(&self, is_polling: bool) {
        let mut core = self.core();
        core.is_polling = is_polling;
        core.polled = Instant::now();
    }

    pub(super) fn polling(&self) -> Polling<'_> {
        self.mark(true);
        Polling(self)
    }

    /// Reads these topics from now on. `is_changed`: their partitions are others than before.
    pub(super) fn subscribe(&self, topics: Vec<String>, is_changed: bool) {
        let mut core = self.core();
        if core.topics != topics || is_changed {
            core.topics = topics;
            core.rejoin();
        }
        drop(core);
        self.wanted.notify_one();
        self.changed.notify_waiters();
    }

    /// # Errors
    /// What makes it impossible to be a member.
    pub(super) fn step(&self) -> Result<Step> {
        let mut core = self.core();
        Ok(match &core.phase {
            Phase::Out | Phase::Joining | Phase::Stable | Phase::Closed => Step::Keep,
            Phase::Due => Step::GiveUp,
            Phase::Dealt(partitions) => Step::TakeOver(partitions.clone()),
            Phase::Lost => Step::Lost,
            Phase::Failed(error) => {
                let error = error.clone();
                core.phase = Phase::Out;
                return Err(error);
            }
        })
    }

    /// Whether the cluster answers again after an outage; told once.
    pub(super) fn take_return(&self) -> bool {
        self.core().contact.take_return()
    }

    /// What the listener was told to be assigned.
    pub(super) fn owned(&self) -> Vec<TopicPartition> {
        self.core().owned.iter().cloned().collect()
    }

    /// The listener was told that `partitions` are gone. If that is because of a share without them,
    /// another round gives them to somebody else.
    pub(super) fn drop_owned(&self, partitions: &[TopicPartition]) {
        let mut core = self.core();
        for partition in partitions {
            core.owned.remove(partition);
        }
        core.again |= matches!(core.phase, Phase::Dealt(_));
    }

    /// Everything was given up, or is lost and told: joins.
    pub(super) fn gave_up(&self) {
        let mut core = self.core();
        core.owned.clear();
        if matches!(core.phase, Phase::Due | Phase::Lost) {
            core.phase = Phase::Joining;
        }
        drop(core);
        self.wanted.notify_one();
    }

    /// `partitions` were taken over, and no others are read.
    pub(super) fn took_over(&self, partitions: Vec<TopicPartition>) {
        let mut core = self.core();
        core.owned = partitions.into_iter().collect();
        if matches!(core.phase, Phase::Dealt(_)) {
            core.phase = Phase::Stable;
            if std::mem::take(&mut core.again) {
                core.rejoin();
            }
        }
        drop(core);
        self.wanted.notify_one();
        self.changed.notify_waiters();
    }

    /// Commits as the member that it is.
    ///
    /// # Errors
    /// `Fenced` if it is none (any more).
    pub(super) async fn commit(&self, offsets: &Offsets) -> Result<()> {
        let mut pause = PAUSE_FIRST;
        loop {
            let identity = self.core().identity.clone();
            if identity.generation < 0 {
                let cause = format!("this is no member of group {}", self.wire.group());
                return Err(Error::new(Class::Fenced, "commit", cause).next_step(REJOIN));
            }
            let error = match self.wire.commit(&identity, offsets).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            // A round went on while the request travelled: it counts with the new generation.
            let is_stale = errors::code(&error) == Some(ErrorCode::IllegalGeneration)
                && self.core().identity.generation > identity.generation;
            let told = errors::error("commit", &error);
            if told.class() == Class::Fenced && !is_stale {
                return Err(told.next_step(REJOIN));
            }
            if !is_stale && !told.is_retriable() {
                return Err(told);
            }
            self.mind(&error);
            tokio::time::sleep(pause).await;
            pause = PAUSE_MAX.min(pause * 2);
        }
    }

    /// Leaves the group. A static member keeps its place.
    ///
    /// # Errors
    /// Trouble on the way; the coordinator then finds out by itself.
    pub(super) async fn close(&self) -> Result<()> {
        let id = {
            let mut core = self.core();
            core.phase = Phase::Closed;
            std::mem::take(&mut core.identity).id
        };
        self.wanted.notify_one();
        if id.is_empty() || self.wire.is_static() {
            return Ok(());
        }
        let left = self.wire.leave(&id).await;
        left.map_err(|error| errors::error("close", &error))
    }

    /// Looks for the coordinator again after trouble that may come from there.
    fn mind(&self, error: &KrafkaError) {
        let is_elsewhere = match errors::code(error) {
            Some(code) => matches!(
                code,
                ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable
            ),
            None => error.is_retriable(),
        };
        if is_elsewhere {
            self.wire.forget_coordinator();
        }
    }

    /// One round: joins, deals if it has to, and gets its share.
    async fn join(&self) -> std::result::Result<(Assignor, Vec<TopicPartition>), KrafkaError> {
        let (id, claim) = {
            let core = self.core();
            let claim = Claim {
                topics: core.topics.clone(),
                owned: core.owned.iter().cloned().collect(),
                generation: core.identity.generation,
            };
            (core.identity.id.clone(), claim)
        };
        let names: Vec<_> = self.assignors.iter().copied().map(name).collect();
        let joined = self.wire.join(id, &claim, &names).await?;
        {
            let mut core = self.core();
            if !matches!(core.phase, Phase::Closed) {
                core.identity = joined.identity.clone();
            }
        }
        let known = |assignor: &&Assignor| name(**assignor) == joined.assignor;
        let Some(assignor) = self.assignors.iter().find(known).copied() else {
            let message = format!("the group deals by {}", joined.assignor);
            return Err(KrafkaError::config(message));
        };
        let shares = match &joined.to_deal {
            Some(claims) => self.deal(assignor, claims).await,
            None => BTreeMap::new(),
        };
        let share = self.wire.sync(&joined, shares).await?;
        Ok((assignor, share))
    }

    async fn deal(
        &self,
        assignor: Assignor,
        claims: &BTreeMap<String, Claim>,
    ) -> BTreeMap<String, Vec<TopicPartition>> {
        let topics: BTreeSet<&str> = claims
            .values()
            .flat_map(|claim| claim.topics.iter().map(String::as_str))
            .collect();
        let topics: Vec<&str> = topics.into_iter().collect();
        let counts = self.wire.count_partitions(&topics).await;
        shares(assignor, claims, &counts)
    }
}

/// Who gets what. With the cooperative assignor, what another member still reads is left out.
fn shares(
    assignor: Assignor,
    claims: &BTreeMap<String, Claim>,
    counts: &Wanted,
) -> BTreeMap<String, Vec<TopicPartition>> {
    // Two members may claim the same after a round that one of them missed: the newer claim counts.
    let mut owners: BTreeMap<&TopicPartition, (i32, &str)> = BTreeMap::new();
    for (id, claim) in claims {
        for partition in &claim.owned {
            let newest = (claim.generation, id.as_str());
            let owner = owners.entry(partition).or_insert(newest);
            if claim.generation > owner.0 {
                *owner = newest;
            }
        }
    }
    let wants = |claim: &Claim| -> Wanted {
        let known = claim.topics.iter();
        known
            .filter_map(|topic| counts.get_key_value(topic.as_str()))
            .map(|(topic, count)| (Arc::clone(topic), *count))
            .collect()
    };
    let has = |id: &str, claim: &Claim| -> Vec<TopicPartition> {
        let owned = claim.owned.iter();
        let is_his =
            |partition: &&TopicPartition| owners.get(*partition).is_some_and(|owner| owner.1 == id);
        owned.filter(is_his).cloned().collect()
    };
    let members: Vec<(Wanted, Vec<TopicPartition>)> = claims
        .iter()
        .map(|(id, claim)| (wants(claim), has(id, claim)))
        .collect();
    let candidates: Vec<_> = members
        .iter()
        .map(|(wanted, had)| Candidate { wanted, had })
        .collect();
    let dealt = deal(assignor, &candidates);
    let mut shares = BTreeMap::new();
    for (id, mut share) in claims.keys().zip(dealt) {
        if assignor == Assignor::CooperativeSticky {
            share.retain(|partition| owners.get(partition).is_none_or(|owner| owner.1 == id));
        }
        shares.insert(id.clone(), share);
    }
    shares
}

const REJOIN: &str =
    "poll again to rejoin the group; poll more often or raise max.poll.interval.ms";

/// What the task does next.
enum Duty {
    Join,
    Beat(Identity),
    /// The application does not poll: gives the place up.
    Leave(String),
    Rest,
    End,
}

impl Membership {
    fn duty(&self) -> Duty {
        let core = self.core();
        match core.phase {
            Phase::Closed => Duty::End,
            Phase::Joining => Duty::Join,
            Phase::Out | Phase::Lost | Phase::Failed(_) => Duty::Rest,
            Phase::Due | Phase::Dealt(_) | Phase::Stable => {
                if !core.is_polling && core.polled.elapsed() > self.poll_interval {
                    Duty::Leave(core.identity.id.clone())
                } else {
                    Duty::Beat(core.identity.clone())
                }
            }
        }
    }

    /// Does what is due; then how long to wait for the next turn, or nothing when it is over.
    async fn turn(&self, pause: &mut Duration) -> Option<Duration> {
        match self.duty() {
            Duty::End => return None,
            Duty::Rest => {}
            Duty::Join => {
                let outcome = self.join().await;
                return Some(self.joined(outcome, pause));
            }
            Duty::Beat(identity) => {
                let answer = self.wire.heartbeat(&identity).await;
                self.beaten(&identity, &answer);
                if matches!(self.duty(), Duty::Join) {
                    return Some(Duration::ZERO);
                }
            }
            Duty::Leave(id) => {
                let group = self.wire.group();
                tracing::warn!(
                    group,
                    "no poll within max.poll.interval.ms: leaving the group"
                );
                if !self.wire.is_static()
                    && let Err(error) = self.wire.leave(&id).await
                {
                    tracing::debug!(group, "leaving: {error}");
                }
                self.core().expel(false);
                self.changed.notify_waiters();
            }
        }
        Some(self.heartbeat)
    }

    /// Takes the outcome of a round; how long to wait for the next turn.
    fn joined(
        &self,
        outcome: std::result::Result<(Assignor, Vec<TopicPartition>), KrafkaError>,
        pause: &mut Duration,
    ) -> Duration {
        let error = match outcome {
            Ok((assignor, share)) => {
                *pause = PAUSE_FIRST;
                let mut core = self.core();
                core.assignor = Some(assignor);
                if matches!(core.phase, Phase::Joining) {
                    core.phase = Phase::Dealt(share);
                }
                drop(core);
                self.changed.notify_waiters();
                return self.heartbeat;
            }
            Err(error) => error,
        };
        tracing::debug!(group = self.wire.group(), "joining: {error}");
        self.mind(&error);
        match errors::code(&error) {
            Some(ErrorCode::UnknownMemberId) => self.core().expel(false),
            Some(ErrorCode::IllegalGeneration) => self.core().expel(true),
            Some(ErrorCode::RebalanceInProgress | ErrorCode::MemberIdRequired) => {}
            Some(_) | None if error.is_retriable() => {}
            Some(_) | None => self.fail(errors::error("poll", &error)),
        }
        self.changed.notify_waiters();
        let rest = *pause;
        *pause = PAUSE_MAX.min(*pause * 2);
        rest
    }

    /// Notes whether the cluster answers, and says when that changes.
    fn heard(&self, error: Option<&KrafkaError>) {
        let (before, now) = {
            let mut core = self.core();
            let before = core.contact;
            core.contact.heard(error.is_none());
            (before, core.contact)
        };
        let group = self.wire.group();
        match error {
            Some(error) if before != Contact::Broken => {
                tracing::warn!(
                    group,
                    "the cluster does not answer, which is waited for: {error}"
                );
            }
            None if before == Contact::Broken && now != before => {
                tracing::info!(group, "the cluster answers again");
            }
            Some(_) | None => {}
        }
    }

    /// Takes the coordinator's answer to a heartbeat.
    fn beaten(&self, identity: &Identity, answer: &std::result::Result<ErrorCode, KrafkaError>) {
        self.heard(answer.as_ref().err());
        let code = match answer {
            Ok(ErrorCode::None) => return,
            Ok(code) => *code,
            Err(error) => {
                tracing::debug!(group = self.wire.group(), "heartbeat: {error}");
                return self.wire.forget_coordinator();
            }
        };
        let error = KrafkaError::broker(code, "the coordinator answers a heartbeat");
        self.mind(&error);
        let mut core = self.core();
        if core.identity != *identity {
            return;
        }
        let is_loss = matches!(
            code,
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration
        );
        if code == ErrorCode::RebalanceInProgress {
            core.rejoin();
        } else if is_loss {
            core.expel(code == ErrorCode::IllegalGeneration);
        } else if !error.is_retriable() {
            drop(core);
            self.fail(errors::error("poll", &error));
        }
        self.changed.notify_waiters();
    }

    fn fail(&self, error: Error) {
        let mut core = self.core();
        if !matches!(core.phase, Phase::Closed) {
            core.phase = Phase::Failed(error);
        }
    }
}

/// The task of a member: joins when that is due, else sends heartbeats.
async fn keep(membership: Arc<Membership>) {
    let weak = Arc::downgrade(&membership);
    drop(membership);
    let mut pause = PAUSE_FIRST;
    loop {
        let Some(membership) = weak.upgrade() else {
            return;
        };
        let Some(rest) = membership.turn(&mut pause).await else {
            return;
        };
        // A member that was dropped meanwhile is gone after this.
        let _ = tokio::time::timeout(rest, membership.wanted.notified()).await;
    }
}

#[cfg(test)]
mod tests;
