//! Topics that a source task creates before it writes to them (KIP-158).

use std::collections::BTreeSet;
use std::sync::Arc;

use tracing::info;

use crate::api::SourceRecord;
use crate::config::TopicCreation;
use crate::error::{Error, Fault};
use crate::kafka::{Admin, Class, Error as KafkaError, NewTopic};
use crate::time::Span;

/// Creates missing topics, each looked up once.
#[derive(Debug)]
pub(super) struct NewTopics {
    admin: Arc<dyn Admin>,
    creation: TopicCreation,
    known: BTreeSet<Arc<str>>,
}

impl NewTopics {
    /// Topics are created by `admin` as `creation` says.
    pub(super) fn new(admin: Arc<dyn Admin>, creation: TopicCreation) -> Self {
        Self {
            admin,
            creation,
            known: BTreeSet::new(),
        }
    }

    /// The topics of `records` that were never seen before, in the order in which they appear.
    pub(super) fn unknown(&self, records: &[SourceRecord]) -> Vec<Arc<str>> {
        let mut unknown: Vec<Arc<str>> = Vec::new();
        let mut last: Option<&Arc<str>> = None;
        for record in records {
            let topic = &record.topic;
            let is_seen = last.is_some_and(|last| Arc::ptr_eq(last, topic))
                || self.known.contains(topic)
                || unknown.contains(topic);
            if !is_seen {
                unknown.push(Arc::clone(topic));
            }
            last = Some(topic);
        }
        unknown
    }

    /// Creates `topic` unless it exists.
    ///
    /// # Errors
    /// Transient while the cluster does not answer; anything else fails the task, in Java's words.
    pub(super) async fn ensure(&mut self, topic: &Arc<str>) -> Result<(), Error> {
        let Some(group) = self.creation.group_of(topic) else {
            return Ok(());
        };
        let described = self.admin.describe_topics(&[topic], ADMIN_WAIT).await?;
        if described.is_empty() {
            let new = NewTopic {
                name: topic.to_string(),
                partitions: group.partitions,
                replication: group.replication,
                configs: group.configs.clone(),
            };
            match self.admin.create_topic(&new, ADMIN_WAIT).await {
                Ok(()) => info!(topic = %topic, group = %group.name, "topic created"),
                Err(error) if error.class() == Class::AlreadyExists => {}
                Err(error) => return Err(refused(topic, error)),
            }
        }
        self.known.insert(Arc::clone(topic));
        Ok(())
    }
}

fn refused(topic: &str, error: KafkaError) -> Error {
    if error.is_retriable() {
        return error.into();
    }
    Error::new(
        Fault::Config,
        format!("Task failed to create new topic {topic}"),
    )
    .next_step(
        "Ensure that the task is authorized to create topics or that the topic exists and restart the task",
    )
    .caused_by(error)
}

/// Time for describing or creating a topic.
const ADMIN_WAIT: Span = Span::secs(30);
