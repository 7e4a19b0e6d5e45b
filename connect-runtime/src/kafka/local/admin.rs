//! Administrative calls of a local cluster.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::Local;
use super::producer::bounded;
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::port::Admin;
use crate::kafka::types::{
    ClusterDescription, Isolation, NewTopic, OffsetSpec, Offsets, TopicDescription,
};
use crate::time::Span;

/// Partitions that a topic may have: as many as a careless configuration value should not exceed.
const PARTITIONS_MAX: u32 = 10_000;
/// Longest topic name, as in Kafka.
const TOPIC_NAME_BYTES_MAX: usize = 249;

/// Kafka's rule for topic names.
///
/// # Errors
/// `InvalidRequest` naming the rule that is broken.
pub(in crate::kafka) fn check_topic_name(name: &str) -> Result<()> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let problem = if name.is_empty() {
        "it is empty"
    } else if name == "." || name == ".." {
        "it may not be . or .."
    } else if name.len() > TOPIC_NAME_BYTES_MAX {
        "it is longer than 249 characters"
    } else if !name.chars().all(legal) {
        "only letters, digits, dot, underscore and minus are allowed"
    } else {
        return Ok(());
    };
    let cause = format!("topic name {name:?} is not legal: {problem}");
    Err(Error::new(Class::InvalidRequest, "create topic", cause))
}

#[derive(Debug)]
pub(super) struct LocalAdmin {
    pub(super) local: Local,
}

impl LocalAdmin {
    fn idle_group(&self, group: &str, operation: &'static str) -> Result<()> {
        if self.local.groups_in_use(group) {
            let cause = format!("group {group} has live members");
            return Err(Error::new(Class::GroupInUse, operation, cause));
        }
        Ok(())
    }

    async fn existing_group(&self, group: &str, operation: &'static str) -> Result<Offsets> {
        self.local
            .storage
            .group_offsets(group)
            .await?
            .ok_or_else(|| {
                Error::new(
                    Class::NotFound,
                    operation,
                    format!("there is no group {group}"),
                )
            })
    }
}

#[async_trait]
impl Admin for LocalAdmin {
    async fn create_topic(&self, topic: &NewTopic, within: Span) -> Result<()> {
        self.local.storage.reachable("create topic")?;
        check_topic_name(&topic.name)?;
        let partitions = topic.partitions.unwrap_or(1);
        if !(1..=PARTITIONS_MAX).contains(&partitions) {
            let cause = format!("{partitions} partitions; 1 to {PARTITIONS_MAX} are possible");
            return Err(Error::new(Class::InvalidRequest, "create topic", cause));
        }
        bounded(
            "create topic",
            within,
            self.local.storage.create_topic(topic.clone()),
        )
        .await
    }

    async fn describe_topics(
        &self,
        topics: &[&str],
        _within: Span,
    ) -> Result<Vec<TopicDescription>> {
        self.local.storage.reachable("describe topics")?;
        let known = self.local.storage.topics();
        let wanted = known
            .iter()
            .filter(|(name, _)| topics.is_empty() || topics.contains(&&***name));
        let describe = wanted.map(|(name, partitions)| TopicDescription {
            name: name.to_string(),
            partitions: *partitions,
            replication: 1,
        });
        Ok(describe.collect())
    }

    async fn describe_configs(
        &self,
        topic: &str,
        within: Span,
    ) -> Result<BTreeMap<String, String>> {
        self.local.storage.reachable("describe configs")?;
        bounded(
            "describe configs",
            within,
            self.local.storage.configs(topic),
        )
        .await
    }

    async fn list_offsets(
        &self,
        partitions: &[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
        within: Span,
    ) -> Result<BTreeMap<TopicPartition, i64>> {
        self.local.storage.reachable("list offsets")?;
        bounded("list offsets", within, async {
            let mut found = BTreeMap::new();
            for partition in partitions {
                let offset = self
                    .local
                    .storage
                    .offset(partition, spec, isolation)
                    .await?;
                found.insert(partition.clone(), offset);
            }
            Ok(found)
        })
        .await
    }

    async fn group_offsets(&self, group: &str, within: Span) -> Result<Offsets> {
        self.local.storage.reachable("list group offsets")?;
        let offsets = self.local.storage.group_offsets(group);
        Ok(bounded("list group offsets", within, offsets)
            .await?
            .unwrap_or_default())
    }

    async fn alter_group_offsets(
        &self,
        group: &str,
        offsets: &Offsets,
        within: Span,
    ) -> Result<()> {
        self.local.storage.reachable("alter group offsets")?;
        self.idle_group(group, "alter group offsets")?;
        let offsets = vec![(group.to_owned(), offsets.clone())];
        bounded(
            "alter group offsets",
            within,
            self.local.storage.commit_offsets(offsets),
        )
        .await
    }

    async fn delete_group_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
        within: Span,
    ) -> Result<()> {
        const OPERATION: &str = "delete group offsets";
        self.local.storage.reachable(OPERATION)?;
        self.idle_group(group, OPERATION)?;
        bounded(OPERATION, within, async {
            self.existing_group(group, OPERATION).await?;
            self.local
                .storage
                .forget_offsets(group, Some(partitions.to_vec()))
                .await
        })
        .await
    }

    async fn delete_group(&self, group: &str, within: Span) -> Result<()> {
        self.local.storage.reachable("delete group")?;
        self.idle_group(group, "delete group")?;
        bounded("delete group", within, async {
            self.existing_group(group, "delete group").await?;
            self.local.storage.forget_offsets(group, None).await
        })
        .await
    }

    async fn delete_records(
        &self,
        before: &BTreeMap<TopicPartition, i64>,
        within: Span,
    ) -> Result<()> {
        self.local.storage.reachable("delete records")?;
        bounded(
            "delete records",
            within,
            self.local.storage.delete_records(before.clone()),
        )
        .await
    }

    async fn fence(&self, transactional_ids: &[&str], within: Span) -> Result<()> {
        self.local.storage.reachable("fence producers")?;
        bounded("fence producers", within, async {
            for id in transactional_ids {
                self.local.storage.init_transactions(id).await?;
            }
            Ok(())
        })
        .await
    }

    async fn describe_cluster(&self, _within: Span) -> Result<ClusterDescription> {
        self.local.storage.reachable("describe cluster")?;
        Ok(self.local.storage.describe())
    }
}
