//! Which topics a subscription means, and whether that changed.
//!
//! Groups are told names, so the names of a pattern are found here. And a member joins again when the
//! topics it reads have other partitions than before; with KIP-848 the broker sees that itself.

use std::collections::BTreeMap;

use krafka::admin::ListTopicsOptions;
use krafka::error::KrafkaError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Mode, Shared};
use crate::kafka::types::{ConsumerConfig, Subscription};
use crate::time::Span;

/// After a look that failed, the next comes so soon.
const RETRY: Span = Span::secs(5);

/// Looks after a subscription.
pub(super) struct Scout {
    subscription: Subscription,
    age_max: Span,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Partitions of the topics that were subscribed to last; `None` before the first look.
    topics: Option<BTreeMap<String, usize>>,
    due: Option<Instant>,
}

impl Scout {
    pub(super) fn new(subscription: Subscription, config: &ConsumerConfig) -> Self {
        Self {
            subscription,
            age_max: config.connection.metadata_max_age,
            seen: Mutex::default(),
        }
    }

    /// Looks whether the subscription means other topics or partitions than at the last look, if that
    /// is long enough ago.
    ///
    /// # Errors
    /// Trouble of the first look; later ones are repeated.
    pub(super) async fn look(&self, shared: &Shared, mode: &Mode) -> Result<(), KrafkaError> {
        let mut seen = self.seen.lock().await;
        let now = Instant::now();
        if seen.due.is_some_and(|due| now < due) {
            return Ok(());
        }
        let outcome = self.look_now(shared, mode, &mut seen).await;
        let pause = match &outcome {
            Ok(()) => self.age_max,
            Err(error) => {
                tracing::debug!("looking for topics is repeated: {error}");
                self.age_max.min(RETRY)
            }
        };
        if seen.topics.is_none() {
            return outcome;
        }
        seen.due = Some(now + pause.to_duration());
        Ok(())
    }

    async fn look_now(
        &self,
        shared: &Shared,
        mode: &Mode,
        seen: &mut Seen,
    ) -> Result<(), KrafkaError> {
        let mut names = match &self.subscription {
            Subscription::Topics(names) => names.clone(),
            Subscription::Pattern(_) => {
                let options = ListTopicsOptions::default();
                let mut names = shared.admin.list_topics(options).await?;
                names.retain(|name| self.subscription.means(name));
                names
            }
        };
        names.sort();
        names.dedup();
        let topics = match mode {
            Mode::Idle | Mode::Assigned(_) => return Ok(()),
            Mode::Member(client, _, membership) => {
                let topics = count(client, &names).await?;
                let grew = seen.topics.as_ref().is_some_and(|before| *before != topics);
                membership.subscribe(names, grew);
                topics
            }
            Mode::Broker(client, _) => {
                let before = seen.topics.as_ref();
                if !names.is_empty() {
                    client.subscribe(&names).await?;
                } else if before.is_some_and(|before| !before.is_empty()) {
                    client.unsubscribe().await?;
                }
                names.into_iter().map(|name| (name, 0)).collect()
            }
        };
        seen.topics = Some(topics);
        Ok(())
    }
}

/// Partitions of the topics with these names, known no longer than metadata may be old; none for a
/// topic that is not there.
async fn count(
    client: &krafka::consumer::Consumer,
    names: &[String],
) -> Result<BTreeMap<String, usize>, KrafkaError> {
    let mut topics = BTreeMap::new();
    for name in names {
        let known = match client.fetch_metadata(Some(name)).await {
            Ok(known) => known
                .topics
                .first()
                .map_or(0, |topic| topic.partition_count()),
            Err(KrafkaError::UnknownTopic { .. }) => 0,
            Err(error) => return Err(error),
        };
        topics.insert(name.clone(), known);
    }
    Ok(topics)
}
