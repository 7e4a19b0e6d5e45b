//! The consumer as a member of a local group.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::account::lock;
use super::consumer::{LocalConsumer, Mode};
use super::groups::{Application, MemberId, Step};
use super::storage::Topics;
use crate::ids::TopicPartition;
use crate::kafka::assignors::Wanted;
use crate::kafka::error::Result;
use crate::kafka::port::RebalanceListener;
use crate::kafka::types::Subscription;
use crate::time::Mono;

/// What is next after a group step.
pub(super) enum Turn {
    /// Reading; the group has to be asked again at the given moment at the latest.
    Go(Option<Mono>),
    /// Another group step.
    Again,
}

impl LocalConsumer {
    pub(super) fn member(&self) -> Option<MemberId> {
        match &lock(&self.state).mode {
            Mode::Member { id, .. } => *id,
            Mode::Idle | Mode::Assigned => None,
        }
    }

    /// Tells the group that a poll begins or ends.
    pub(super) fn mark(&self, polling: bool) {
        if let (Some(group), Some(id)) = (&self.config.group, self.member()) {
            self.local
                .coordinator
                .with(|groups, now| groups.polling(group, id, polling, now));
        }
    }

    /// One step of the group protocol.
    pub(super) async fn follow_group(&self, listener: &mut dyn RebalanceListener) -> Result<Turn> {
        self.tell_lost(listener).await;
        let mode = lock(&self.state).mode.clone();
        let Mode::Member { subscription, id } = mode else {
            return Ok(Turn::Go(None));
        };
        let group = self.group("poll")?;
        let coordinator = &self.local.coordinator;
        let wanted = wanted(&subscription, &self.local.storage.topics());
        let Some(id) = id else {
            self.join(group, wanted, subscription)?;
            return Ok(Turn::Again);
        };
        let (step, changed) = coordinator.with(|groups, now| groups.step(group, id, &wanted, now));
        if changed {
            coordinator.announce();
        }
        match step {
            Step::Keep => return Ok(Turn::Go(None)),
            // With a cooperative assignor there is something to read in the meantime.
            Step::Wait(until) => return Ok(Turn::Go(Some(until))),
            Step::Rejoin { keeps } => {
                let owned = self.owned();
                let kept = if keeps {
                    owned
                } else {
                    if !owned.is_empty() {
                        listener.revoked(self, &owned).await;
                    }
                    lock(&self.state).partitions.clear();
                    Vec::new()
                };
                coordinator.with(|groups, now| groups.rejoin(group, id, kept, now));
                coordinator.announce();
            }
            Step::Assigned(partitions) => {
                self.take_over(&partitions, listener).await;
                if coordinator.with(|groups, now| groups.accepted(group, id, now)) {
                    coordinator.announce();
                }
            }
            Step::Lost => {
                let mut state = lock(&self.state);
                let lost = std::mem::take(&mut state.partitions);
                state.lost.extend(lost.into_keys());
                state.mode = Mode::Member {
                    subscription,
                    id: None,
                };
            }
        }
        Ok(Turn::Again)
    }

    /// Tells what is gone; again, if a poll is dropped meanwhile.
    async fn tell_lost(&self, listener: &mut dyn RebalanceListener) {
        let lost = lock(&self.state).lost.clone();
        if !lost.is_empty() {
            listener.lost(self, &lost).await;
            lock(&self.state).lost.clear();
        }
    }

    fn join(&self, group: &str, wanted: Wanted, subscription: Subscription) -> Result<()> {
        let application = Application {
            wanted,
            protocol: self.config.settings.protocol.clone(),
            interval: self.config.poll_interval_max,
        };
        let coordinator = &self.local.coordinator;
        let id = coordinator.with(|groups, now| {
            let id = groups.join(group, application, now)?;
            groups.polling(group, id, true, now);
            Ok::<_, crate::kafka::Error>(id)
        })?;
        lock(&self.state).mode = Mode::Member {
            subscription,
            id: Some(id),
        };
        coordinator.announce();
        Ok(())
    }

    fn owned(&self) -> Vec<TopicPartition> {
        lock(&self.state).partitions.keys().cloned().collect()
    }

    /// Makes `partitions` the assignment. What stays goes on where it is. Dropped in the middle, it is
    /// done again, and what was told to its end is not told again.
    async fn take_over(&self, partitions: &[TopicPartition], listener: &mut dyn RebalanceListener) {
        let new: BTreeSet<_> = partitions.iter().collect();
        let mut revoked = self.owned();
        revoked.retain(|partition| !new.contains(partition));
        if !revoked.is_empty() {
            listener.revoked(self, &revoked).await;
        }
        let added: Vec<TopicPartition> = {
            let mut state = lock(&self.state);
            state
                .partitions
                .retain(|partition, _| new.contains(partition));
            let is_new = |partition: &&TopicPartition| {
                let slot = state.partitions.entry((*partition).clone());
                !slot.or_default().is_announced
            };
            partitions.iter().filter(is_new).cloned().collect()
        };
        listener.assigned(self, &added).await;
        let mut state = lock(&self.state);
        for partition in &added {
            if let Some(slot) = state.partitions.get_mut(partition) {
                slot.is_announced = true;
            }
        }
    }

    pub(super) fn leave(&self) {
        if let (Some(group), Some(id)) = (&self.config.group, self.member()) {
            self.local
                .coordinator
                .with(|groups, now| groups.leave(group, id, now));
            self.local.coordinator.announce();
        }
        let mut state = lock(&self.state);
        state.mode = Mode::Idle;
        state.partitions.clear();
    }
}

/// The topics that `subscription` means now.
fn wanted(subscription: &Subscription, topics: &Topics) -> Wanted {
    let wanted = topics.iter().filter(|(name, _)| subscription.means(name));
    wanted
        .map(|(name, partitions)| (Arc::clone(name), *partitions))
        .collect()
}
