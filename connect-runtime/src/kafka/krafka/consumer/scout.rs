//! Which topics a subscription means, and whether that changed.
//!
//! The library subscribes to names and looks at partitions when members join. So the names of a
//! pattern are found here, and a member joins again when the topics it reads have other partitions
//! than before. With KIP-848 the broker sees the latter itself.

use std::collections::BTreeMap;

use krafka::admin::ListTopicsOptions;
use krafka::consumer::Consumer as Client;
use krafka::error::KrafkaError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Shared;
use crate::kafka::client::GroupProtocol;
use crate::kafka::types::{ConsumerConfig, Subscription};
use crate::time::Span;

/// After a look that failed, the next comes so soon.
const RETRY: Span = Span::secs(5);

/// Looks after a subscription.
pub(super) struct Scout {
    subscription: Subscription,
    /// Whether partitions that are added make no difference to us.
    broker_deals: bool,
    age_max: Span,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Partitions of the topics that were subscribed to last; `None` before the first look.
    topics: Option<BTreeMap<String, usize>>,
    /// Whether the first name was given twice, see [`Scout::subscribe`].
    is_doubled: bool,
    due: Option<Instant>,
}

impl Scout {
    pub(super) fn new(subscription: Subscription, config: &ConsumerConfig) -> Self {
        Self {
            subscription,
            broker_deals: matches!(config.settings.protocol, GroupProtocol::Consumer { .. }),
            age_max: config.connection.metadata_max_age,
            seen: Mutex::default(),
        }
    }

    /// Looks whether the subscription means other topics or partitions than at the last look, if that
    /// is long enough ago.
    ///
    /// # Errors
    /// Trouble of the first look; later ones are repeated.
    pub(super) async fn look(&self, shared: &Shared, client: &Client) -> Result<(), KrafkaError> {
        let mut seen = self.seen.lock().await;
        let now = Instant::now();
        if seen.due.is_some_and(|due| now < due) {
            return Ok(());
        }
        let outcome = self.look_now(shared, client, &mut seen).await;
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
        client: &Client,
        seen: &mut Seen,
    ) -> Result<(), KrafkaError> {
        let names = match &self.subscription {
            Subscription::Topics(names) => names.clone(),
            Subscription::Pattern(_) => {
                let mut names = shared
                    .admin
                    .list_topics(ListTopicsOptions::default())
                    .await?;
                names.retain(|name| self.subscription.means(name));
                names
            }
        };
        if names.is_empty() {
            if seen
                .topics
                .as_ref()
                .is_some_and(|topics| !topics.is_empty())
            {
                client.unsubscribe().await?;
            }
            seen.topics = Some(BTreeMap::new());
            return Ok(());
        }
        self.subscribe(client, names, seen).await
    }

    /// Subscribes to `names`. The library joins again only if they are others than before; to make it,
    /// for the sake of new partitions, the first name is given twice, or no longer so. Assignors take
    /// the names as a set.
    async fn subscribe(
        &self,
        client: &Client,
        mut names: Vec<String>,
        seen: &mut Seen,
    ) -> Result<(), KrafkaError> {
        let with_double = |names: &[String], is_doubled: bool| {
            let again = names.first().filter(|_| is_doubled);
            names.iter().chain(again).cloned().collect::<Vec<_>>()
        };
        names.sort();
        // Makes sure that the metadata is not older than it may be, too.
        client
            .subscribe(with_double(&names, seen.is_doubled))
            .await?;
        let known = client.fetch_metadata(None).await?.topics;
        let known = known
            .into_iter()
            .filter(|topic| names.contains(&topic.name));
        let mut topics: BTreeMap<String, usize> = known
            .map(|topic| (topic.name.clone(), topic.partition_count()))
            .collect();
        for name in &names {
            topics.entry(name.clone()).or_default();
        }
        let grew =
            |before: &BTreeMap<String, usize>| before.keys().eq(topics.keys()) && *before != topics;
        if !self.broker_deals && seen.topics.as_ref().is_some_and(grew) {
            seen.is_doubled = !seen.is_doubled;
            client
                .subscribe(with_double(&names, seen.is_doubled))
                .await?;
        }
        seen.topics = Some(topics);
        Ok(())
    }
}
