//! Taking part in a classic group, inside polls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use krafka::consumer::Consumer as Client;
use tokio::time::Instant;

use super::super::errors;
use super::membership::{Membership, Step};
use super::{KrafkaConsumer, by_topic};
use crate::ids::TopicPartition;
use crate::kafka::error::Result;
use crate::kafka::port::RebalanceListener;

/// Whether there is another step to take now.
pub(super) enum Turn {
    Go,
    Again,
    /// The deadline came first; the step is taken by the next poll.
    Late,
}

impl KrafkaConsumer {
    /// Takes one step of the group. Dropped or late, it is taken again, without what was told already.
    pub(super) async fn follow(
        &self,
        client: &Client,
        membership: &Membership,
        listener: &mut dyn RebalanceListener,
        deadline: Instant,
    ) -> Result<Turn> {
        match membership.step()? {
            Step::Keep => Ok(Turn::Go),
            Step::GiveUp => {
                let owned = membership.owned();
                self.revoke(membership, &owned, listener).await;
                if !read_only(client, &[], deadline).await? {
                    return Ok(Turn::Late);
                }
                membership.gave_up();
                Ok(Turn::Again)
            }
            Step::Lost => {
                let lost = membership.owned();
                self.shared.state().view.remove(&lost);
                if !lost.is_empty() {
                    listener.lost(self, &lost).await;
                }
                membership.drop_owned(&lost);
                if !read_only(client, &[], deadline).await? {
                    return Ok(Turn::Late);
                }
                membership.gave_up();
                Ok(Turn::Again)
            }
            Step::TakeOver(partitions) => {
                let new: BTreeSet<&TopicPartition> = partitions.iter().collect();
                let mut revoked = membership.owned();
                revoked.retain(|partition| !new.contains(partition));
                self.revoke(membership, &revoked, listener).await;
                if !read_only(client, &partitions, deadline).await? {
                    return Ok(Turn::Late);
                }
                let owned: BTreeSet<TopicPartition> = membership.owned().into_iter().collect();
                let is_added = |partition: &&TopicPartition| !owned.contains(*partition);
                let added: Vec<_> = partitions.iter().filter(is_added).cloned().collect();
                self.add(&added).await;
                listener.assigned(self, &added).await;
                membership.took_over(partitions);
                Ok(Turn::Again)
            }
        }
    }

    async fn revoke(
        &self,
        membership: &Membership,
        partitions: &[TopicPartition],
        listener: &mut dyn RebalanceListener,
    ) {
        if !partitions.is_empty() {
            listener.revoked(self, partitions).await;
            self.shared.state().view.remove(partitions);
            membership.drop_owned(partitions);
        }
    }

    /// Adds partitions to the view, finds out where they start. Trouble comes again, and is told, when
    /// they are read or asked for.
    pub(super) async fn add(&self, partitions: &[TopicPartition]) {
        let fresh = self.shared.state().view.add(partitions);
        let held_back = self.shared.set_fetching("poll", &fresh, false);
        if held_back.is_ok() && !fresh.is_empty() {
            let _ = self.shared.place().await;
        }
    }
}

/// Makes the library read `partitions` and nothing else, for which it may need to ask for metadata;
/// false if there was no time for that.
async fn read_only(
    client: &Client,
    partitions: &[TopicPartition],
    deadline: Instant,
) -> Result<bool> {
    let mut topics: BTreeMap<Arc<str>, Vec<i32>> = by_topic(partitions);
    for gone in client.assignment().await.into_keys() {
        topics.entry(Arc::from(gone)).or_default();
    }
    for (topic, numbers) in topics {
        let assign = client.assign(&topic, numbers);
        match tokio::time::timeout_at(deadline, assign).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(errors::error("poll", &error)),
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}
