//! Where partitions start: at a sought offset, at the committed one, or where the reset policy says;
//! where it says, too, if the offset lies beyond the end of the log.

use std::collections::BTreeMap;
use std::time::Duration;

use krafka::admin::{ListOffsetsOptions, OffsetSpec};
use krafka::consumer::Consumer as Client;

use super::super::errors;
use super::{Shared, at_once, place_of};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::{Isolation, OffsetReset, Offsets};

/// Pause before something is asked again.
const PAUSE: Duration = Duration::from_millis(50);

/// Time to find out about partitions; those whose leader does not answer must not stop the others.
const PATIENCE: Duration = Duration::from_secs(3);

/// Answers by partition. One that cannot be had now, but later, is missing.
type Answers = BTreeMap<TopicPartition, i64>;

impl Shared {
    /// Gives all partitions that have none a place to start at. Trouble that passes leaves some as
    /// they are.
    ///
    /// # Errors
    /// `NotFound` under [`OffsetReset::Fail`], `Auth` and other trouble that does not pass.
    pub(super) async fn place(&self) -> Result<()> {
        let unplaced = self.state().view.unplaced();
        if unplaced.is_empty() {
            return Ok(());
        }
        match self.place_these(&unplaced).await {
            Err(error) if error.is_retriable() => {
                tracing::debug!("finding where to start is repeated: {error}");
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn place_these(&self, unplaced: &BTreeMap<TopicPartition, Option<i64>>) -> Result<()> {
        let mut wanted: Answers = unplaced
            .iter()
            .filter_map(|(partition, sought)| Some((partition.clone(), (*sought)?)))
            .collect();
        let unsaid = unplaced.iter().filter(|(_, sought)| sought.is_none());
        let unsaid: Vec<TopicPartition> = unsaid.map(|(partition, _)| partition.clone()).collect();
        let committed = match &self.config.group {
            Some(_) if !unsaid.is_empty() => self.committed(&unsaid).await?,
            Some(_) | None => Offsets::new(),
        };
        wanted.extend(
            committed
                .into_iter()
                .map(|(place, mark)| (place, mark.offset)),
        );
        // The high watermark for both levels: a position may well lie behind the last stable offset.
        let known: Vec<_> = wanted.keys().cloned().collect();
        let ends = self
            .list(&known, OffsetSpec::Latest, Isolation::ReadUncommitted)
            .await?;
        for (partition, end) in &ends {
            let beyond = wanted
                .get(partition)
                .filter(|offset| *offset > end)
                .copied();
            if let Some(position) = beyond {
                tracing::warn!(%partition, position, end, "position is beyond the end of the log");
                wanted.remove(partition);
            }
        }
        let lost = unplaced
            .keys()
            .filter(|partition| !wanted.contains_key(*partition));
        let lost: Vec<_> = lost.cloned().collect();
        let mut starts = wanted;
        starts.retain(|partition, _| ends.contains_key(partition));
        let reset = self.reset(&lost).await;
        if let Ok(reset) = &reset {
            starts.extend(reset.iter().map(|(place, offset)| (place.clone(), *offset)));
        }
        for (partition, offset) in &starts {
            self.start_at(
                partition,
                *offset,
                unplaced.get(partition).copied().flatten(),
            )?;
        }
        reset.map(drop)
    }

    /// Starts of partitions that have no valid offset.
    async fn reset(&self, partitions: &[TopicPartition]) -> Result<Answers> {
        let spec = match self.config.reset {
            OffsetReset::Earliest => OffsetSpec::Earliest,
            OffsetReset::Latest => OffsetSpec::Latest,
            OffsetReset::Fail => {
                return match partitions.first() {
                    Some(partition) => Err(no_position(partition)),
                    None => Ok(Answers::new()),
                };
            }
        };
        self.list(partitions, spec, self.config.isolation).await
    }

    async fn list(
        &self,
        partitions: &[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
    ) -> Result<Answers> {
        const OPERATION: &str = "find where to start";
        if partitions.is_empty() {
            return Ok(Answers::new());
        }
        let options = ListOffsetsOptions::default()
            .read_committed(isolation == Isolation::ReadCommitted)
            .timeout(PATIENCE);
        let asked = partitions
            .iter()
            .map(|partition| (place_of(partition), spec));
        let listed = self.admin.list_offsets(asked, options).await;
        let listed = listed.map_err(|error| errors::error(OPERATION, &error))?;
        let mut answers = Answers::new();
        for partition in partitions {
            match listed.get(&place_of(partition)) {
                Some(Ok(answer)) => drop(answers.insert(partition.clone(), answer.offset)),
                None => {}
                Some(Err(error)) => {
                    let error = errors::error(OPERATION, error).at(partition);
                    // A topic that is being deleted leaves the assignment soon.
                    if !error.is_retriable() && error.class() != Class::NotFound {
                        return Err(error);
                    }
                    tracing::debug!("{error}");
                }
            }
        }
        Ok(answers)
    }

    fn start_at(&self, partition: &TopicPartition, offset: i64, asked: Option<i64>) -> Result<()> {
        let Some(client) = self.mode().client().cloned() else {
            return Ok(());
        };
        let may_fetch = {
            let mut state = self.state();
            if !state.view.place(partition, asked) {
                return Ok(());
            }
            state.view.may_fetch(partition)
        };
        let (topic, number) = (&partition.topic, partition.partition);
        let sought = at_once("seek", client.seek(topic, number, offset))?;
        if let Err(error) = sought {
            // Only what is not assigned cannot be sought; the library's word on that comes soon.
            tracing::debug!(%partition, "not placed: {error}");
        }
        if may_fetch {
            self.set_fetching("resume", std::slice::from_ref(partition), true)?;
        }
        Ok(())
    }

    /// Has the library fetch without its pauses, which grow to half a minute while a broker is away. Called between two of its polls,
    /// so that a position is that of the next record it will return; what it has fetched beyond that is fetched again.
    pub(super) async fn fetch_at_once(&self, client: &Client) {
        let fetchable = self.state().view.fetchable();
        for TopicPartition { topic, partition } in fetchable {
            if let Some(position) = client.position(&topic, partition).await
                && let Err(error) = client.seek(&topic, partition, position).await
            {
                tracing::debug!(%topic, partition, "not fetched at once: {error}");
            }
        }
    }

    /// The offset of the next record of `partition`; waits until it has one.
    pub(super) async fn position(&self, partition: &TopicPartition) -> Result<i64> {
        let (topic, number) = (&partition.topic, partition.partition);
        loop {
            let (known, client) = {
                let state = self.state();
                let place = std::slice::from_ref(partition);
                state.view.check_assigned("position", place)?;
                (state.view.position(partition), state.mode.client().cloned())
            };
            match (known, client) {
                (Ok(offset), _) => return Ok(offset),
                (Err(true), Some(client)) => {
                    if let Some(offset) = client.position(topic, number).await {
                        return Ok(offset);
                    }
                    // It has lost it (out of range) and finds a new one when it is polled.
                    tokio::time::sleep(PAUSE).await;
                }
                (Err(_), _) => {
                    self.place().await?;
                    if self.state().view.position(partition) == Err(false) {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }
}

/// The error for a partition that has no place to start at.
#[cold]
pub(super) fn no_position(partition: &TopicPartition) -> Error {
    let cause = "there is no valid committed offset and auto.offset.reset is none";
    Error::new(Class::NotFound, "poll", cause)
        .at(partition)
        .next_step("commit or seek to an offset, or set auto.offset.reset")
}
