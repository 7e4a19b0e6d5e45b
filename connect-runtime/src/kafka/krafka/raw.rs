//! What the client library has no call for. Requests over its own authenticated connections: offsets
//! of a group committed by somebody who is no member of it, with metadata, alone or as part of a
//! transaction. And questions to its cache of metadata.
//!
//! This module and `consumer/wire.rs` use the library's hidden `internal` feature. It promises nothing
//! beyond the pinned version; what is used is the message types, the calls that send a request, and
//! those that ask about topics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use krafka::__private::network::{BrokerConnection, ConnectionConfig};
use krafka::__private::protocol::{
    AddOffsetsToTxnRequest, AddOffsetsToTxnResponse, ApiKey, FindCoordinatorRequest,
    FindCoordinatorResponse, OffsetCommitRequest, OffsetCommitRequestPartition,
    OffsetCommitRequestTopic, OffsetCommitResponse, SaslHandshakeRequest, SaslHandshakeResponse,
    TxnOffsetCommitPartition, TxnOffsetCommitRequest, TxnOffsetCommitResponse,
    TxnOffsetCommitTopic, VersionedDecode, VersionedEncode, versions,
};
use krafka::__private::{kafka_metadata, kafka_pool};
use krafka::Kafka;
use krafka::auth::{AuthConfig, TlsConfig};
use krafka::error::{ErrorCode, KrafkaError, ProtocolErrorKind};
use krafka::producer::TransactionalProducer;

use crate::kafka::types::{OffsetAndMetadata, Offsets};

type Result<T> = std::result::Result<T, KrafkaError>;

/// Pause before a request is sent again; doubles up to [`PAUSE_MAX`].
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// The last version of OffsetCommit that names topics; later ones need their ids.
pub(super) const OFFSET_COMMIT_BY_NAME_MAX: i16 = 9;
/// From this version on the group coordinator itself adds the offsets to the transaction (KIP-890).
const TXN_OFFSET_COMMIT_ADDS_MIN: i16 = 5;
/// "No generation": the committer is no member (Kafka protocol, OffsetCommit).
const NO_GENERATION: i32 = -1;

/// Commits `offsets` for `group` from outside its membership. Waits for ever: bound it.
///
/// # Errors
/// `UnknownMemberId` or a like code if the group has live members, and others of the coordinator.
pub(super) async fn commit_offsets(kafka: &Kafka, group: &str, offsets: &Offsets) -> Result<()> {
    let request = OffsetCommitRequest {
        group_id: group.to_owned(),
        generation_id: NO_GENERATION,
        member_id: String::new(),
        group_instance_id: None,
        retention_time_ms: -1,
        topics: by_topic(offsets)
            .into_iter()
            .map(|(name, partitions)| OffsetCommitRequestTopic {
                name: name.to_owned(),
                topic_id: None,
                partitions: partitions.into_iter().map(to_commit).collect(),
            })
            .collect(),
    };
    again_and_again(|| async {
        let connection = coordinator(kafka, FindCoordinatorRequest::for_group(group)).await?;
        let range = (versions::OFFSET_COMMIT_MIN, OFFSET_COMMIT_BY_NAME_MAX);
        let response: OffsetCommitResponse =
            exchange(&connection, ApiKey::OffsetCommit, range, &request).await?;
        let answers = response.topics.iter().flat_map(|topic| &topic.partitions);
        first_error(answers.map(|partition| partition.error_code))
    })
    .await
}

/// Makes `offsets` of `group` part of the open transaction of `producer`. Waits for ever: bound it.
///
/// # Errors
/// Those of the coordinators.
pub(super) async fn commit_offsets_in_transaction(
    kafka: &Kafka,
    producer: &TransactionalProducer,
    group: &str,
    offsets: &Offsets,
) -> Result<()> {
    let (id, epoch) = (producer.producer_id(), producer.producer_epoch());
    let by_group_coordinator = producer.transaction_version().is_v2();
    if !by_group_coordinator {
        add_group(kafka, producer, group).await?;
    }
    let mut request = TxnOffsetCommitRequest::new(producer.transactional_id(), group, id, epoch);
    request.topics = by_topic(offsets)
        .into_iter()
        .map(|(name, partitions)| TxnOffsetCommitTopic {
            name: name.to_owned(),
            partitions: partitions.into_iter().map(to_txn_commit).collect(),
        })
        .collect();
    let lowest = if by_group_coordinator {
        TXN_OFFSET_COMMIT_ADDS_MIN
    } else {
        versions::TXN_OFFSET_COMMIT_MIN
    };
    again_and_again(|| async {
        let connection = coordinator(kafka, FindCoordinatorRequest::for_group(group)).await?;
        let range = (lowest, versions::TXN_OFFSET_COMMIT_MAX);
        let response: TxnOffsetCommitResponse =
            exchange(&connection, ApiKey::TxnOffsetCommit, range, &request).await?;
        let answers = response.topics.iter().flat_map(|topic| &topic.partitions);
        first_error(answers.map(|partition| partition.error_code))
    })
    .await
}

/// Whether the cluster said of `topic`, when it was asked last, that it does not exist.
pub(super) fn is_missing(kafka: &Kafka, topic: &str) -> bool {
    kafka_metadata(kafka).topic_error(topic) == Some(ErrorCode::UnknownTopicOrPartition)
}

/// Asks the cluster about `topic`, whatever is known of it.
///
/// # Errors
/// If no broker answers.
pub(super) async fn refresh(kafka: &Kafka, topic: &str) -> Result<()> {
    kafka_metadata(kafka).force_refresh(Some(&[topic])).await
}

/// Tells the transaction coordinator that offsets of `group` will be part of the transaction (before
/// KIP-890).
async fn add_group(kafka: &Kafka, producer: &TransactionalProducer, group: &str) -> Result<()> {
    let transactional_id = producer.transactional_id();
    let (id, epoch) = (producer.producer_id(), producer.producer_epoch());
    let request = AddOffsetsToTxnRequest::new(transactional_id, id, epoch, group);
    again_and_again(|| async {
        let whose = FindCoordinatorRequest::for_transaction(transactional_id);
        let connection = coordinator(kafka, whose).await?;
        let range = (
            versions::ADD_OFFSETS_TO_TXN_MIN,
            versions::ADD_OFFSETS_TO_TXN_MAX,
        );
        let response: AddOffsetsToTxnResponse =
            exchange(&connection, ApiKey::AddOffsetsToTxn, range, &request).await?;
        first_error([response.error_code])
    })
    .await
}

pub(super) fn by_topic(offsets: &Offsets) -> BTreeMap<&str, Vec<(i32, &OffsetAndMetadata)>> {
    let mut topics: BTreeMap<&str, Vec<(i32, &OffsetAndMetadata)>> = BTreeMap::new();
    for (partition, offset) in offsets {
        let of_topic = topics.entry(&partition.topic).or_default();
        of_topic.push((partition.partition, offset));
    }
    topics
}

pub(super) fn to_commit(
    (partition, offset): (i32, &OffsetAndMetadata),
) -> OffsetCommitRequestPartition {
    OffsetCommitRequestPartition {
        partition_index: partition,
        committed_offset: offset.offset,
        committed_leader_epoch: -1,
        commit_timestamp: -1,
        committed_metadata: Some(offset.metadata.clone()),
    }
}

fn to_txn_commit((partition, offset): (i32, &OffsetAndMetadata)) -> TxnOffsetCommitPartition {
    TxnOffsetCommitPartition {
        partition,
        committed_offset: offset.offset,
        committed_leader_epoch: -1,
        metadata: Some(offset.metadata.clone()),
    }
}

/// The first code that is an error.
pub(super) fn first_error(codes: impl IntoIterator<Item = ErrorCode>) -> Result<()> {
    match codes.into_iter().find(|code| !code.is_ok()) {
        Some(code) => Err(KrafkaError::broker(code, "the coordinator refused")),
        None => Ok(()),
    }
}

/// Calls `attempt` until it succeeds or fails for good. What is sent here may be sent twice.
async fn again_and_again<T, F: Future<Output = Result<T>>>(attempt: impl Fn() -> F) -> Result<T> {
    let mut pause = PAUSE_FIRST;
    loop {
        match attempt().await {
            Err(error) if error.is_retriable() && !is_about_topics(&error) => {
                tracing::debug!(%error, "a request to a coordinator is sent again");
            }
            outcome => return outcome,
        }
        tokio::time::sleep(pause).await;
        pause = PAUSE_MAX.min(pause * 2);
    }
}

/// Whether waiting is for others to decide: nobody creates a topic meanwhile.
const fn is_about_topics(error: &KrafkaError) -> bool {
    matches!(
        error,
        KrafkaError::Broker {
            code: ErrorCode::UnknownTopicOrPartition,
            ..
        }
    )
}

/// Where the coordinator of a group or transactional id is: node and address.
///
/// # Errors
/// Those of the brokers.
pub(super) async fn find_coordinator(
    kafka: &Kafka,
    whose: &FindCoordinatorRequest,
) -> Result<(i32, String)> {
    let metadata = kafka_metadata(kafka);
    let mut last = None;
    for broker in metadata.brokers() {
        let asked = async {
            let connection = metadata.get_broker_connection(broker.id()).await?;
            let range = (
                versions::FIND_COORDINATOR_MIN,
                versions::FIND_COORDINATOR_MAX,
            );
            exchange(&connection, ApiKey::FindCoordinator, range, whose).await
        };
        let found: FindCoordinatorResponse = match asked.await {
            Ok(found) => found,
            Err(error) if error.is_retriable() => {
                last = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        first_error([found.error_code])?;
        return Ok((found.node_id, address(&found.host, found.port)));
    }
    let none = || KrafkaError::broker(ErrorCode::BrokerNotAvailable, "no broker is known");
    Err(last.unwrap_or_else(none))
}

/// A connection to the coordinator of a group or transactional id.
async fn coordinator(
    kafka: &Kafka,
    whose: FindCoordinatorRequest,
) -> Result<Arc<BrokerConnection>> {
    let (node, address) = find_coordinator(kafka, &whose).await?;
    let pool = kafka_pool(kafka);
    pool.get_connection_by_id(node, &address).await
}

/// `host:port`, the host in brackets if it is an IPv6 address.
fn address(host: &str, port: i32) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// Sends `request` in the highest version that both sides know.
pub(super) async fn exchange<Request: VersionedEncode, Response: VersionedDecode>(
    connection: &BrokerConnection,
    api: ApiKey,
    (lowest, highest): (i16, i16),
    request: &Request,
) -> Result<Response> {
    let version = connection.negotiate_api_version(api, highest, lowest);
    let version = version.ok_or_else(|| {
        let message = format!("the broker knows no version {lowest} to {highest} of {api:?}");
        KrafkaError::protocol_kind(ProtocolErrorKind::UnknownApiVersion, message)
    })?;
    let encode = |buffer: &mut bytes::BytesMut| request.encode_versioned(version, buffer);
    let mut answer = connection.send_request(api, version, encode).await?;
    Response::decode_versioned(version, &mut answer)
}
/// Asks a listener with TLS which mechanisms a login may have, by wanting one that nobody has; empty if
/// it wants no login, `None` if it does not answer within `limit`.
pub(super) async fn login_mechanisms(
    server: &str,
    tls: &TlsConfig,
    limit: Duration,
) -> Option<Vec<String>> {
    let asked = async {
        let config = ConnectionConfig::builder()
            .auth(AuthConfig::ssl(tls.clone()))
            .connect_timeout(limit)
            .request_timeout(limit);
        let mut config = config.build().ok()?;
        config.init_tls().await.ok()?;
        let connection = BrokerConnection::connect(server, config).await.ok()?;
        let request = SaslHandshakeRequest::new("?");
        let encode = |buffer: &mut bytes::BytesMut| request.encode_v1(buffer);
        let answer = connection.send_request(ApiKey::SaslHandshake, 1, encode);
        let answer = SaslHandshakeResponse::decode_v0(&mut answer.await.ok()?).ok()?;
        let wants_login = answer.error_code == ErrorCode::UnsupportedSaslMechanism;
        let wants_none = answer.error_code == ErrorCode::IllegalSaslState;
        (wants_login || wants_none).then_some(answer.enabled_mechanisms)
    };
    tokio::time::timeout(limit, asked).await.ok()?
}
