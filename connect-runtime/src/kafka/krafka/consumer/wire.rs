//! The requests of a member of a classic group, over the library's own authenticated connections.
//!
//! Joins, syncs and heartbeats have a connection of their own, on which a join may wait for minutes.
//! Commits and farewells go beside it, so that they never wait behind a join.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use krafka::__private::network::BrokerConnection;
use krafka::__private::protocol::{
    ApiKey, CONSUMER_PROTOCOL_TYPE, ConsumerProtocolAssignment, ConsumerProtocolSubscription,
    ConsumerProtocolTopicPartitions, FindCoordinatorRequest, HeartbeatRequest, HeartbeatResponse,
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, LeaveGroupMember,
    LeaveGroupRequest, LeaveGroupResponse, OffsetCommitRequest, OffsetCommitRequestTopic,
    OffsetCommitResponse, SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse,
    VersionedDecode, VersionedEncode, decode_consumer_protocol_assignment,
    decode_consumer_protocol_subscription, encode_consumer_protocol_assignment,
    encode_consumer_protocol_subscription, versions,
};
use krafka::__private::{kafka_metadata, kafka_pool};
use krafka::Kafka;
use krafka::error::{ErrorCode, KrafkaError, ProtocolErrorKind};

use super::super::raw;
use crate::ids::TopicPartition;
use crate::kafka::types::{ConsumerConfig, Offsets};

type Result<T> = std::result::Result<T, KrafkaError>;

/// Time beyond the rebalance timeout for the coordinator's answer to a join.
const JOIN_SLACK: Duration = Duration::from_secs(5);
/// The newest version of the assignment that members of all ages read.
const ASSIGNMENT_VERSION: i16 = 0;

/// Who a member is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    /// Empty before the coordinator gave one.
    pub(super) id: String,
    /// -1 before the first join.
    pub(super) generation: i32,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            id: String::new(),
            generation: -1,
        }
    }
}

/// What a member says of itself when it joins.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim {
    pub(super) topics: Vec<String>,
    pub(super) owned: Vec<TopicPartition>,
    /// In which it owned them.
    pub(super) generation: i32,
}

/// A round of the group that a member takes part in.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) identity: Identity,
    /// Name of the assignor that all members know.
    pub(super) assignor: String,
    /// What all members say, if this one has to deal.
    pub(super) to_deal: Option<BTreeMap<String, Claim>>,
}

/// Sends requests of one member.
pub(super) struct Wire {
    kafka: Kafka,
    group: String,
    instance: Option<String>,
    rack: Option<String>,
    session: Duration,
    rebalance: Duration,
    coordinator: Mutex<Option<(i32, String)>>,
}

fn malformed(message: String) -> KrafkaError {
    KrafkaError::protocol_kind(ProtocolErrorKind::Malformed, message)
}

fn millis(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}

impl Wire {
    pub(super) fn new(kafka: &Kafka, group: &str, config: &ConsumerConfig) -> Self {
        Self {
            kafka: kafka.clone(),
            group: group.to_owned(),
            instance: config.settings.instance_id.clone(),
            rack: config.settings.rack.clone(),
            session: config.session_timeout.to_duration(),
            rebalance: config.poll_interval_max.to_duration(),
            coordinator: Mutex::default(),
        }
    }

    pub(super) fn group(&self) -> &str {
        &self.group
    }

    /// Whether it keeps its place in the group while it is away (KIP-345).
    pub(super) const fn is_static(&self) -> bool {
        self.instance.is_some()
    }

    /// The coordinator has to be looked for again.
    pub(super) fn forget_coordinator(&self) {
        *self
            .coordinator
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn place(&self) -> Result<(i32, String)> {
        let known = self
            .coordinator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let whose = FindCoordinatorRequest::for_group(&self.group);
        let found = raw::find_coordinator(&self.kafka, &whose).await?;
        *self
            .coordinator
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        Ok(found)
    }

    /// The connection that a join may occupy.
    async fn main_line(&self) -> Result<Arc<BrokerConnection>> {
        let (_, address) = self.place().await?;
        let pool = kafka_pool(&self.kafka);
        pool.get_coordinator_connection(&address).await
    }

    /// The connection beside it.
    async fn side_line(&self) -> Result<Arc<BrokerConnection>> {
        let (node, address) = self.place().await?;
        let pool = kafka_pool(&self.kafka);
        pool.get_connection_by_id(node, &address).await
    }

    /// Joins the next round; waits until all members have, at most their rebalance timeout. A new
    /// member is given an id on the way (KIP-394).
    ///
    /// # Errors
    /// Those of the coordinator.
    pub(super) async fn join(
        &self,
        id: String,
        claim: &Claim,
        assignors: &[&'static str],
    ) -> Result<Joined> {
        let metadata = subscription(claim, self.rack.as_deref())?;
        let protocol = |name: &&'static str| JoinGroupRequestProtocol {
            name: (*name).to_owned(),
            metadata: metadata.clone(),
        };
        let mut request = JoinGroupRequest {
            group_id: self.group.clone(),
            session_timeout_ms: millis(self.session),
            rebalance_timeout_ms: millis(self.rebalance),
            member_id: id,
            group_instance_id: self.instance.clone(),
            protocol_type: CONSUMER_PROTOCOL_TYPE.to_owned(),
            protocols: assignors.iter().map(protocol).collect(),
            reason: None,
        };
        let mut response = self.send_join(&request).await?;
        if response.error_code == ErrorCode::MemberIdRequired {
            request.member_id.clone_from(&response.member_id);
            response = self.send_join(&request).await?;
        }
        raw::first_error([response.error_code])?;
        let mut to_deal = None;
        if response.is_leader() && !response.skip_assignment {
            let claims = response.members.iter();
            let claims =
                claims.map(|member| Ok((member.member_id.clone(), claim_of(&member.metadata)?)));
            to_deal = Some(claims.collect::<Result<_>>()?);
        }
        Ok(Joined {
            identity: Identity {
                id: response.member_id,
                generation: response.generation_id,
            },
            assignor: response.protocol_name.unwrap_or_default(),
            to_deal,
        })
    }

    async fn send_join(&self, request: &JoinGroupRequest) -> Result<JoinGroupResponse> {
        let connection = self.main_line().await?;
        let (api, lowest) = (ApiKey::JoinGroup, versions::JOIN_GROUP_MIN);
        let version = connection.negotiate_api_version(api, versions::JOIN_GROUP_MAX, lowest);
        let version =
            version.ok_or_else(|| malformed("no version of JoinGroup in common".into()))?;
        let encode = |buffer: &mut BytesMut| request.encode_versioned(version, buffer);
        let patience = self.rebalance.saturating_add(JOIN_SLACK);
        let answer = connection.send_request_with_timeout(api, version, patience, encode);
        JoinGroupResponse::decode_versioned(version, &mut answer.await?)
    }

    /// Hands in what was dealt, if this member had to, and gets its own share.
    ///
    /// # Errors
    /// Those of the coordinator.
    pub(super) async fn sync(
        &self,
        joined: &Joined,
        shares: BTreeMap<String, Vec<TopicPartition>>,
    ) -> Result<Vec<TopicPartition>> {
        let encoded = shares.into_iter().map(|(member_id, share)| {
            let assignment = assignment(&share)?;
            Ok(SyncGroupRequestAssignment {
                member_id,
                assignment,
            })
        });
        let request = SyncGroupRequest {
            group_id: self.group.clone(),
            generation_id: joined.identity.generation,
            member_id: joined.identity.id.clone(),
            group_instance_id: self.instance.clone(),
            protocol_type: Some(CONSUMER_PROTOCOL_TYPE.to_owned()),
            protocol_name: Some(joined.assignor.clone()),
            assignments: encoded.collect::<Result<_>>()?,
        };
        let connection = self.main_line().await?;
        let range = (versions::SYNC_GROUP_MIN, versions::SYNC_GROUP_MAX);
        let response: SyncGroupResponse =
            raw::exchange(&connection, ApiKey::SyncGroup, range, &request).await?;
        raw::first_error([response.error_code])?;
        let share = decode_consumer_protocol_assignment(&response.assignment)?;
        Ok(partitions(&share.assigned_partitions))
    }

    /// Says that the member is alive; gives the coordinator's answer.
    ///
    /// # Errors
    /// Trouble on the way.
    pub(super) async fn heartbeat(&self, identity: &Identity) -> Result<ErrorCode> {
        let request = HeartbeatRequest {
            group_id: self.group.clone(),
            generation_id: identity.generation,
            member_id: identity.id.clone(),
            group_instance_id: self.instance.clone(),
        };
        let connection = self.main_line().await?;
        let range = (versions::HEARTBEAT_MIN, versions::HEARTBEAT_MAX);
        let response: HeartbeatResponse =
            raw::exchange(&connection, ApiKey::Heartbeat, range, &request).await?;
        Ok(response.error_code)
    }

    /// Leaves the group.
    ///
    /// # Errors
    /// Those of the coordinator.
    pub(super) async fn leave(&self, id: &str) -> Result<()> {
        let member = LeaveGroupMember {
            member_id: id.to_owned(),
            group_instance_id: self.instance.clone(),
            reason: None,
        };
        let request = LeaveGroupRequest {
            group_id: self.group.clone(),
            member_id: String::new(),
            members: vec![member],
        };
        let connection = self.side_line().await?;
        let range = (versions::LEAVE_GROUP_MIN, versions::LEAVE_GROUP_MAX);
        let response: LeaveGroupResponse =
            raw::exchange(&connection, ApiKey::LeaveGroup, range, &request).await?;
        raw::first_error([response.error_code])
    }

    /// Commits as a member.
    ///
    /// # Errors
    /// Those of the coordinator.
    pub(super) async fn commit(&self, identity: &Identity, offsets: &Offsets) -> Result<()> {
        let topics = raw::by_topic(offsets).into_iter();
        let request = OffsetCommitRequest {
            group_id: self.group.clone(),
            generation_id: identity.generation,
            member_id: identity.id.clone(),
            group_instance_id: self.instance.clone(),
            retention_time_ms: -1,
            topics: topics
                .map(|(name, partitions)| OffsetCommitRequestTopic {
                    name: name.to_owned(),
                    topic_id: None,
                    partitions: partitions.into_iter().map(raw::to_commit).collect(),
                })
                .collect(),
        };
        let connection = self.side_line().await?;
        let range = (versions::OFFSET_COMMIT_MIN, raw::OFFSET_COMMIT_BY_NAME_MAX);
        let response: OffsetCommitResponse =
            raw::exchange(&connection, ApiKey::OffsetCommit, range, &request).await?;
        let answers = response.topics.iter().flat_map(|topic| &topic.partitions);
        raw::first_error(answers.map(|partition| partition.error_code))
    }

    /// Partitions of those of `topics` that exist, asked anew.
    pub(super) async fn count_partitions(&self, topics: &[&str]) -> BTreeMap<Arc<str>, u32> {
        let metadata = kafka_metadata(&self.kafka);
        if let Err(error) = metadata.force_refresh(Some(topics)).await {
            tracing::debug!("partitions are counted by what is known: {error}");
        }
        let count = |topic: &&str| {
            let count = u32::try_from(metadata.partition_count(topic)?).ok()?;
            (count > 0).then(|| (Arc::from(*topic), count))
        };
        topics.iter().filter_map(count).collect()
    }
}

fn by_name(partitions: &[TopicPartition]) -> Vec<ConsumerProtocolTopicPartitions> {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for partition in partitions {
        let numbers = topics.entry(&partition.topic).or_default();
        numbers.push(partition.partition);
    }
    let topics = topics.into_iter();
    let entry = |(topic, partitions): (&str, Vec<i32>)| ConsumerProtocolTopicPartitions {
        topic: topic.to_owned(),
        partitions,
    };
    topics.map(entry).collect()
}

fn partitions(topics: &[ConsumerProtocolTopicPartitions]) -> Vec<TopicPartition> {
    let mut all = Vec::new();
    for topic in topics {
        let name: Arc<str> = Arc::from(topic.topic.as_str());
        let numbers = topic.partitions.iter();
        all.extend(numbers.map(|number| TopicPartition::new(Arc::clone(&name), *number)));
    }
    all.sort();
    all
}

fn subscription(claim: &Claim, rack: Option<&str>) -> Result<Bytes> {
    let mut subscription = ConsumerProtocolSubscription::new(claim.topics.clone())
        .with_owned_partitions(by_name(&claim.owned))
        .with_generation_id(claim.generation);
    if let Some(rack) = rack {
        subscription = subscription.with_rack_id(rack);
    }
    let mut bytes = BytesMut::new();
    encode_consumer_protocol_subscription(&subscription, &mut bytes)?;
    Ok(bytes.freeze())
}

fn claim_of(metadata: &Bytes) -> Result<Claim> {
    let subscription = decode_consumer_protocol_subscription(metadata)?;
    Ok(Claim {
        owned: partitions(&subscription.owned_partitions),
        topics: subscription.topics,
        generation: subscription.generation_id,
    })
}

fn assignment(share: &[TopicPartition]) -> Result<Bytes> {
    let assignment = ConsumerProtocolAssignment::new(ASSIGNMENT_VERSION, by_name(share));
    let mut bytes = BytesMut::new();
    encode_consumer_protocol_assignment(&assignment, &mut bytes)?;
    Ok(bytes.freeze())
}
