//! Committed offsets.

use std::time::Duration;

use krafka::admin::ListConsumerGroupOffsetsOptions;
use krafka::consumer::{Consumer as Client, OffsetAndMetadata as Mark, TopicPartition as Place};
use krafka::error::{ErrorCode, KrafkaError};

use super::super::{errors, raw};
use super::{Mode, Shared, place_of};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::{OffsetAndMetadata, Offsets};

/// Pause before a commit is repeated.
const PAUSE: Duration = Duration::from_millis(25);

const REJOIN: &str =
    "poll again to rejoin the group; poll more often or raise max.poll.interval.ms";

impl Shared {
    /// What the group committed, with notes. Offsets of transactions that are still open are waited
    /// for: straight after a commit inside a transaction the library's own call finds nothing.
    pub(super) async fn committed(&self, partitions: &[TopicPartition]) -> Result<Offsets> {
        const OPERATION: &str = "committed";
        let group = self.group(OPERATION)?;
        let options = ListConsumerGroupOffsetsOptions::default()
            .require_stable(true)
            .partitions(partitions.iter().map(place_of).collect());
        let answer = self.admin.list_consumer_group_offsets(group, options).await;
        let answer = answer.map_err(|error| errors::error(OPERATION, &error))?;
        let mut offsets = Offsets::new();
        for partition in partitions {
            match answer.get(&place_of(partition)) {
                None => {}
                Some(Err(error)) => return Err(errors::error(OPERATION, error).at(partition)),
                Some(Ok(committed)) => {
                    if let Some(offset) = committed.offset {
                        let metadata = committed.metadata.clone().unwrap_or_default();
                        let position = OffsetAndMetadata { offset, metadata };
                        offsets.insert(partition.clone(), position);
                    }
                }
            }
        }
        Ok(offsets)
    }

    pub(super) async fn commit(&self, offsets: &Offsets) -> Result<()> {
        let group = self.group("commit")?;
        if self.state().is_closed {
            return Err(Error::new(Class::Fatal, "commit", "the consumer is closed"));
        }
        match self.mode() {
            _ if offsets.is_empty() => Ok(()),
            Mode::Member(_, _, membership) => membership.commit(offsets).await,
            Mode::Broker(client, _) => commit_by_library(&client, offsets).await,
            Mode::Idle | Mode::Assigned(_) => self.commit_as_stranger(group, offsets).await,
        }
    }

    /// Commits without being a member, which a group with members refuses.
    async fn commit_as_stranger(&self, group: &str, offsets: &Offsets) -> Result<()> {
        let outcome = raw::commit_offsets(&self.kafka, group, offsets).await;
        outcome.map_err(|error| {
            if errors::code(&error) != Some(ErrorCode::UnknownMemberId) {
                return errors::error("commit", &error);
            }
            let cause = format!("group {group} has live members and this is not one of them");
            Error::new(Class::GroupInUse, "commit", cause)
        })
    }
}

/// Commits as the member that the library is.
async fn commit_by_library(client: &Client, offsets: &Offsets) -> Result<()> {
    let marks: Vec<(Place, Mark)> = offsets
        .iter()
        .map(|(partition, position)| {
            let note = &position.metadata;
            let mark = if note.is_empty() {
                Mark::new(position.offset)
            } else {
                Mark::with_metadata(position.offset, note)
            };
            (place_of(partition), mark)
        })
        .collect();
    loop {
        let outcome = client
            .commit_offsets(marks.iter().map(|(place, mark)| (place, mark)))
            .await;
        match outcome {
            Ok(()) => return Ok(()),
            // KIP-848: the epoch moved on while the request travelled; the next heartbeat brings it.
            Err(error) if errors::code(&error) == Some(ErrorCode::StaleMemberEpoch) => {
                tokio::time::sleep(PAUSE).await;
            }
            // Not (or no longer) a member: there is no generation to commit with.
            Err(error @ KrafkaError::IllegalState { .. }) => {
                let error = Error::new(Class::Fenced, "commit", error.to_string());
                return Err(error.next_step(REJOIN));
            }
            Err(error) => {
                let told = errors::error("commit", &error);
                let is_out = told.class() == Class::Fenced;
                return Err(if is_out { told.next_step(REJOIN) } else { told });
            }
        }
    }
}
