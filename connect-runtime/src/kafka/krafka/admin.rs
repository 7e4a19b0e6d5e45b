//! The administrative calls on a Kafka cluster.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;

use async_trait::async_trait;
use krafka::admin::{
    AdminClient, ConfigResource, CreateTopicsOptions, DeleteConsumerGroupOffsetsOptions,
    DeleteConsumerGroupsOptions, DeleteRecordsOptions, DescribeClusterOptions,
    DescribeConfigsOptions, DescribeTopicsOptions, ListConsumerGroupOffsetsOptions,
    ListOffsetsOptions, ListTopicsOptions,
};
use krafka::consumer::IsolationLevel;
use krafka::error::{ErrorCode, KrafkaError};
use krafka::{CloseOptions, Kafka};

use super::connect::{Connector, Role};
use super::{errors, raw};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::{bounded, check_topic_name};
use crate::kafka::port::Admin;
use crate::kafka::types::{
    AdminConfig, ClusterDescription, Isolation, NewTopic, OffsetAndMetadata, OffsetSpec, Offsets,
    TopicDescription,
};
use crate::time::Span;

type ClientPartition = krafka::consumer::TopicPartition;

/// Administrative calls over a handle of their own.
pub(super) struct KrafkaAdmin {
    kafka: Kafka,
    client: AdminClient,
    /// For fencing: each transactional id takes a producer with connections of its own.
    connector: Connector,
    config: AdminConfig,
}

impl fmt::Debug for KrafkaAdmin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KrafkaAdmin").finish_non_exhaustive()
    }
}

fn to_client(partition: &TopicPartition) -> ClientPartition {
    ClientPartition::new(&*partition.topic, partition.partition)
}

fn from_client(partition: ClientPartition) -> TopicPartition {
    TopicPartition::new(partition.topic, partition.partition)
}

/// The answer about `key`, or the error of `operation`.
fn one<K: Eq + Hash, V>(
    operation: &'static str,
    mut answers: HashMap<K, Result<V, KrafkaError>>,
    key: &K,
) -> Result<V> {
    match answers.remove(key) {
        Some(answer) => answer.map_err(|error| errors::error(operation, &error)),
        None => Err(Error::new(
            Class::Retriable,
            operation,
            "the broker said nothing about what was asked",
        )),
    }
}

/// The first error among answers about partitions, with its place.
fn all<V>(
    operation: &'static str,
    answers: HashMap<ClientPartition, Result<V, KrafkaError>>,
    class_of: impl Fn(&KrafkaError) -> Option<Class>,
) -> Result<()> {
    for (partition, answer) in answers {
        if let Err(error) = answer {
            return Err(
                reclassified(operation, &error, class_of(&error)).at(&from_client(partition))
            );
        }
    }
    Ok(())
}

fn reclassified(operation: &'static str, error: &KrafkaError, class: Option<Class>) -> Error {
    match class {
        Some(class) => Error::new(class, operation, error.to_string()),
        None => errors::error(operation, error),
    }
}

/// What a coordinator answers when somebody outside a group with live members changes its offsets.
fn group_in_use(error: &KrafkaError) -> Option<Class> {
    match errors::code(error) {
        Some(
            ErrorCode::UnknownMemberId
            | ErrorCode::IllegalGeneration
            | ErrorCode::FencedInstanceId
            | ErrorCode::StaleMemberEpoch
            | ErrorCode::FencedMemberEpoch
            | ErrorCode::RebalanceInProgress,
        ) => Some(Class::GroupInUse),
        _ => None,
    }
}

impl KrafkaAdmin {
    pub(super) fn new(kafka: Kafka, connector: Connector, config: AdminConfig) -> Self {
        let client = kafka
            .admin()
            .retry_backoff(config.connection.retry_backoff.to_duration());
        Self {
            kafka,
            client,
            connector,
            config,
        }
    }

    /// Offsets of the first records at or after a moment; -1 where there is none. A consumer asks,
    /// because the administrative call takes "none" for trouble that passes.
    async fn offsets_at(
        &self,
        partitions: &[TopicPartition],
        timestamp: i64,
        isolation: Isolation,
    ) -> Result<BTreeMap<TopicPartition, i64>> {
        const OPERATION: &str = "list offsets";
        let build = self
            .kafka
            .consumer_without_group()
            .isolation_level(isolation_level(isolation))
            .metrics_push(false)
            .build();
        let consumer = build.await.map_err(|e| errors::error(OPERATION, &e))?;
        let names: Vec<(&str, i32)> = partitions
            .iter()
            .map(|partition| (&*partition.topic, partition.partition))
            .collect();
        let mut found = BTreeMap::new();
        for ((topic, partition), offset) in consumer.offsets_for_times(&names, timestamp).await {
            let partition = TopicPartition::new(topic, partition);
            let offset = offset.map_err(|e| errors::error(OPERATION, &e).at(&partition))?;
            found.insert(partition, offset);
        }
        let ended = consumer.close_with(CloseOptions::new()).await;
        ended.map_err(|e| errors::error(OPERATION, &e))?;
        Ok(found)
    }

    async fn offsets_by(
        &self,
        partitions: &[TopicPartition],
        spec: krafka::admin::OffsetSpec,
        isolation: Isolation,
        within: Span,
    ) -> Result<BTreeMap<TopicPartition, i64>> {
        const OPERATION: &str = "list offsets";
        let options = ListOffsetsOptions::default()
            .read_committed(isolation == Isolation::ReadCommitted)
            .timeout(within.to_duration());
        let asked = partitions
            .iter()
            .map(|partition| (to_client(partition), spec));
        let answers = self.client.list_offsets(asked, options).await;
        let mut found = BTreeMap::new();
        for (partition, answer) in answers.map_err(|e| errors::error(OPERATION, &e))? {
            let partition = from_client(partition);
            let answer = answer.map_err(|e| errors::error(OPERATION, &e).at(&partition))?;
            found.insert(partition, answer.offset);
        }
        Ok(found)
    }

    async fn list(
        &self,
        partitions: &[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
        within: Span,
    ) -> Result<BTreeMap<TopicPartition, i64>> {
        use krafka::admin::OffsetSpec as Client;
        let timestamp = match spec {
            OffsetSpec::Earliest => {
                return self
                    .offsets_by(partitions, Client::Earliest, isolation, within)
                    .await;
            }
            OffsetSpec::Latest => {
                return self
                    .offsets_by(partitions, Client::Latest, isolation, within)
                    .await;
            }
            OffsetSpec::Timestamp(timestamp) => timestamp,
        };
        let mut found = self.offsets_at(partitions, timestamp, isolation).await?;
        let none: Vec<TopicPartition> = found
            .iter()
            .filter(|(_, offset)| **offset < 0)
            .map(|(partition, _)| partition.clone())
            .collect();
        if !none.is_empty() {
            let ends = self.offsets_by(&none, Client::Latest, isolation, within);
            found.extend(ends.await?);
        }
        Ok(found)
    }

    async fn fence_one(&self, id: &str, within: Span) -> Result<()> {
        const OPERATION: &str = "fence producers";
        let (client_id, connection) = (&self.config.client_id, &self.config.connection);
        let kafka = self
            .connector
            .connect(OPERATION, Role::Admin, client_id, connection, within)
            .await?;
        let producer = kafka.producer().metrics_push(false).build_transactional(id);
        let producer = producer.await.map_err(|e| errors::error(OPERATION, &e))?;
        let ended = producer.close().await;
        ended.map_err(|e| errors::error(OPERATION, &e))
    }
}

pub(super) const fn isolation_level(isolation: Isolation) -> IsolationLevel {
    match isolation {
        Isolation::ReadUncommitted => IsolationLevel::ReadUncommitted,
        Isolation::ReadCommitted => IsolationLevel::ReadCommitted,
    }
}

#[async_trait]
impl Admin for KrafkaAdmin {
    async fn create_topic(&self, topic: &NewTopic, within: Span) -> Result<()> {
        const OPERATION: &str = "create topic";
        check_topic_name(&topic.name)?;
        let partitions = topic.partitions.map_or(Ok(-1), i32::try_from);
        let replication = topic.replication.map_or(Ok(-1), i16::try_from);
        let (Ok(partitions), Ok(replication)) = (partitions, replication) else {
            let cause = "more partitions or replicas than Kafka has numbers for";
            return Err(Error::new(Class::InvalidRequest, OPERATION, cause));
        };
        let mut wanted = krafka::admin::NewTopic::new(&*topic.name, partitions, replication)
            .map_err(|e| errors::error(OPERATION, &e))?;
        for (key, value) in &topic.configs {
            wanted = wanted.with_config(key, value);
        }
        let options = CreateTopicsOptions::default().timeout(within.to_duration());
        let call = self.client.create_topics([wanted], options);
        let answers = errors::bounded(OPERATION, within, call).await?;
        one(OPERATION, answers, &topic.name)
    }

    async fn describe_topics(
        &self,
        topics: &[&str],
        within: Span,
    ) -> Result<Vec<TopicDescription>> {
        const OPERATION: &str = "describe topics";
        let call = async {
            let names = if topics.is_empty() {
                let options = ListTopicsOptions::default().timeout(within.to_duration());
                self.client.list_topics(options).await?
            } else {
                topics.iter().map(|name| (*name).to_owned()).collect()
            };
            let options = DescribeTopicsOptions::default().timeout(within.to_duration());
            self.client.describe_topics(names, options).await
        };
        let mut described = Vec::new();
        for (name, answer) in errors::bounded(OPERATION, within, call).await? {
            match answer {
                Ok(topic) => described.push(TopicDescription {
                    name,
                    partitions: u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX),
                    replication: replication(&topic),
                }),
                Err(error) if errors::class(&error) == Class::NotFound => {}
                Err(error) => return Err(errors::error(OPERATION, &error)),
            }
        }
        described.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(described)
    }

    async fn describe_configs(
        &self,
        topic: &str,
        within: Span,
    ) -> Result<BTreeMap<String, String>> {
        const OPERATION: &str = "describe configs";
        let resource = ConfigResource::topic(topic);
        let options = DescribeConfigsOptions::default().timeout(within.to_duration());
        let call = self.client.describe_configs([resource.clone()], options);
        let answers = errors::bounded(OPERATION, within, call).await?;
        let entries = one(OPERATION, answers, &resource)?;
        let values = entries
            .into_iter()
            .filter_map(|entry| Some((entry.name, entry.value?)));
        Ok(values.collect())
    }

    async fn list_offsets(
        &self,
        partitions: &[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
        within: Span,
    ) -> Result<BTreeMap<TopicPartition, i64>> {
        let list = self.list(partitions, spec, isolation, within);
        bounded("list offsets", within, list).await
    }

    async fn group_offsets(&self, group: &str, within: Span) -> Result<Offsets> {
        const OPERATION: &str = "list group offsets";
        // Offsets of a transaction whose markers are on their way are waited for.
        let options = ListConsumerGroupOffsetsOptions::default()
            .require_stable(true)
            .timeout(within.to_duration());
        let call = self.client.list_consumer_group_offsets(group, options);
        let mut offsets = Offsets::new();
        for (partition, answer) in errors::bounded(OPERATION, within, call).await? {
            let partition = from_client(partition);
            let answer = answer.map_err(|e| errors::error(OPERATION, &e).at(&partition))?;
            if let Some(offset) = answer.offset {
                let metadata = answer.metadata.unwrap_or_default();
                offsets.insert(partition, OffsetAndMetadata { offset, metadata });
            }
        }
        Ok(offsets)
    }

    async fn alter_group_offsets(
        &self,
        group: &str,
        offsets: &Offsets,
        within: Span,
    ) -> Result<()> {
        const OPERATION: &str = "alter group offsets";
        // The client library's own call carries no metadata.
        let commit = async {
            let outcome = raw::commit_offsets(&self.kafka, group, offsets).await;
            outcome.map_err(|error| reclassified(OPERATION, &error, group_in_use(&error)))
        };
        bounded(OPERATION, within, commit).await
    }

    async fn delete_group_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
        within: Span,
    ) -> Result<()> {
        const OPERATION: &str = "delete group offsets";
        let options = DeleteConsumerGroupOffsetsOptions::default().timeout(within.to_duration());
        let partitions: Vec<ClientPartition> = partitions.iter().map(to_client).collect();
        let call = self
            .client
            .delete_consumer_group_offsets(group, partitions, options);
        let answers = errors::bounded(OPERATION, within, call).await?;
        all(OPERATION, answers, group_in_use)
    }

    async fn delete_group(&self, group: &str, within: Span) -> Result<()> {
        const OPERATION: &str = "delete group";
        let options = DeleteConsumerGroupsOptions::default().timeout(within.to_duration());
        let call = self.client.delete_consumer_groups([group], options);
        let answers = errors::bounded(OPERATION, within, call).await?;
        one(OPERATION, answers, &group.to_owned())
    }

    async fn delete_records(
        &self,
        before: &BTreeMap<TopicPartition, i64>,
        within: Span,
    ) -> Result<()> {
        const OPERATION: &str = "delete records";
        let options = DeleteRecordsOptions::default().timeout(within.to_duration());
        let before: Vec<(ClientPartition, i64)> = before
            .iter()
            .map(|(partition, offset)| (to_client(partition), *offset))
            .collect();
        let call = self.client.delete_records(before, options);
        let answers = errors::bounded(OPERATION, within, call).await?;
        all(OPERATION, answers, |_| None)
    }

    async fn fence(&self, transactional_ids: &[&str], within: Span) -> Result<()> {
        bounded("fence producers", within, async {
            for id in transactional_ids {
                self.fence_one(id, within).await?;
            }
            Ok(())
        })
        .await
    }

    async fn describe_cluster(&self, within: Span) -> Result<ClusterDescription> {
        const OPERATION: &str = "describe cluster";
        let options = DescribeClusterOptions::default().timeout(within.to_duration());
        let call = self.client.describe_cluster(options);
        let cluster = errors::bounded(OPERATION, within, call).await?;
        let mut brokers = cluster.brokers;
        brokers.sort_by_key(|broker| broker.id);
        let address =
            |broker: &krafka::admin::ClusterBroker| format!("{}:{}", broker.host, broker.port);
        Ok(ClusterDescription {
            id: cluster.cluster_id,
            brokers: brokers.iter().map(address).collect(),
        })
    }
}

fn replication(topic: &krafka::admin::TopicDescription) -> u16 {
    let replicas = topic.partitions.first().map_or(0, |p| p.replicas.len());
    u16::try_from(replicas).unwrap_or(u16::MAX)
}
