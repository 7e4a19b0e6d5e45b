//! What the client library reports, in the words of the ports. Decided by error values and codes,
//! never by texts.

use krafka::error::{ErrorCode, KrafkaError, ProtocolErrorKind};

use crate::kafka::error::{Class, Error};
use crate::time::Span;

/// The error of `operation` that the client reports as `error`.
#[cold]
pub(super) fn error(operation: &'static str, error: &KrafkaError) -> Error {
    let class = class(error);
    let told = Error::new(class, operation, error.to_string());
    match step(error) {
        Some(step) => told.next_step(step),
        None => told,
    }
}

/// Waits for `call`, at most `within`.
pub(super) async fn bounded<T>(
    operation: &'static str,
    within: Span,
    call: impl Future<Output = Result<T, KrafkaError>>,
) -> Result<T, Error> {
    match tokio::time::timeout(within.to_duration(), call).await {
        Ok(answer) => answer.map_err(|reported| error(operation, &reported)),
        Err(_) => Err(Error::timed_out(operation, within)),
    }
}

/// What the caller should do about `error`.
pub(super) fn class(error: &KrafkaError) -> Class {
    match error {
        KrafkaError::Network(_) => Class::Retriable,
        KrafkaError::Protocol { kind, .. } => protocol_class(*kind),
        KrafkaError::Auth { .. } => Class::Auth,
        KrafkaError::Timeout { .. } | KrafkaError::DeliveryTimeout { .. } => Class::TimedOut,
        KrafkaError::Broker { code, .. } => code_class(*code),
        KrafkaError::Config { .. } | KrafkaError::IllegalState { .. } => Class::InvalidRequest,
        KrafkaError::Serialization { .. } => Class::InvalidRecord,
        KrafkaError::Wakeup => Class::Wakeup,
        KrafkaError::Fenced { .. } => Class::Fenced,
        KrafkaError::TransactionAbortable { .. } => Class::Abortable,
        KrafkaError::NoOffset { .. } | KrafkaError::UnknownTopic { .. } => Class::NotFound,
        // Damaged data, a client that was ended, a log that lost what it had acknowledged.
        KrafkaError::Compression { .. }
        | KrafkaError::RecordDeserialization { .. }
        | KrafkaError::Closed { .. }
        | KrafkaError::OutOfOrderSequence { .. } => Class::Fatal,
        // The library may grow; what is not known is not retried blindly.
        _ => Class::Fatal,
    }
}

/// The broker's error code, if the error carries one.
pub(super) const fn code(error: &KrafkaError) -> Option<ErrorCode> {
    if let KrafkaError::Broker { code, .. } = error {
        return Some(*code);
    }
    None
}

const fn protocol_class(kind: ProtocolErrorKind) -> Class {
    match kind {
        ProtocolErrorKind::TruncatedFrame | ProtocolErrorKind::Malformed => Class::Retriable,
        ProtocolErrorKind::UnknownApiVersion => Class::Unsupported,
        ProtocolErrorKind::FrameTooLarge => Class::InvalidRecord,
        ProtocolErrorKind::CrcMismatch
        | ProtocolErrorKind::InvalidLength
        | ProtocolErrorKind::InvalidUtf8
        | ProtocolErrorKind::UnsupportedMagic
        | ProtocolErrorKind::InvalidValue
        | ProtocolErrorKind::Other => Class::Fatal,
        _ => Class::Fatal,
    }
}

/// What the codes of the Kafka protocol (its `Errors` table) mean here. Codes of parts of Kafka that no
/// port asks for, and codes of later versions, are [`Class::Fatal`].
const CODES: [(Class, &[ErrorCode]); 12] = [
    // Passes by itself: elections, loading coordinators, throttling, moved leaders.
    (
        Class::Retriable,
        &[
            ErrorCode::CorruptMessage,
            ErrorCode::LeaderNotAvailable,
            ErrorCode::NotLeaderForPartition,
            ErrorCode::BrokerNotAvailable,
            ErrorCode::ReplicaNotAvailable,
            ErrorCode::StaleControllerEpoch,
            ErrorCode::NetworkException,
            ErrorCode::CoordinatorLoadInProgress,
            ErrorCode::CoordinatorNotAvailable,
            ErrorCode::NotCoordinator,
            ErrorCode::NotEnoughReplicas,
            ErrorCode::NotEnoughReplicasAfterAppend,
            ErrorCode::RebalanceInProgress,
            ErrorCode::NotController,
            ErrorCode::ConcurrentTransactions,
            ErrorCode::OperationNotAttempted,
            ErrorCode::KafkaStorageException,
            ErrorCode::ReassignmentInProgress,
            ErrorCode::FetchSessionIdNotFound,
            ErrorCode::InvalidFetchSessionEpoch,
            ErrorCode::ListenerNotFound,
            ErrorCode::FencedLeaderEpoch,
            ErrorCode::UnknownLeaderEpoch,
            ErrorCode::StaleBrokerEpoch,
            ErrorCode::OffsetNotAvailable,
            ErrorCode::MemberIdRequired,
            ErrorCode::PreferredLeaderNotAvailable,
            ErrorCode::EligibleLeadersNotAvailable,
            ErrorCode::ElectionNotNeeded,
            ErrorCode::UnstableOffsetCommit,
            ErrorCode::ThrottlingQuotaExceeded,
            ErrorCode::FetchSessionTopicIdError,
            ErrorCode::NewLeaderElected,
            ErrorCode::OffsetMovedToTieredStorage,
            ErrorCode::StaleMemberEpoch,
            ErrorCode::RebootstrapRequired,
        ],
    ),
    (Class::TimedOut, &[ErrorCode::RequestTimedOut]),
    // The coordinator bumped the epoch (a time-out, or another instance): `abort` tells which.
    (
        Class::Abortable,
        &[
            ErrorCode::InvalidProducerEpoch,
            ErrorCode::InvalidProducerIdMapping,
            ErrorCode::InvalidTxnState,
            ErrorCode::UnknownProducerId,
            ErrorCode::TransactionAbortable,
        ],
    ),
    (
        Class::Fenced,
        &[
            ErrorCode::ProducerFenced,
            ErrorCode::TransactionCoordinatorFenced,
            ErrorCode::IllegalGeneration,
            ErrorCode::UnknownMemberId,
            ErrorCode::FencedInstanceId,
            ErrorCode::FencedMemberEpoch,
            ErrorCode::UnreleasedInstanceId,
        ],
    ),
    (
        Class::InvalidRecord,
        &[
            ErrorCode::InvalidMessageSize,
            ErrorCode::MessageTooLarge,
            ErrorCode::RecordListTooLarge,
            ErrorCode::InvalidTimestamp,
            ErrorCode::InvalidRecord,
        ],
    ),
    (
        Class::Auth,
        &[
            ErrorCode::TopicAuthorizationFailed,
            ErrorCode::GroupAuthorizationFailed,
            ErrorCode::ClusterAuthorizationFailed,
            ErrorCode::UnsupportedSaslMechanism,
            ErrorCode::IllegalSaslState,
            ErrorCode::TransactionalIdAuthorizationFailed,
            ErrorCode::SaslAuthenticationFailed,
            ErrorCode::DelegationTokenAuthDisabled,
            ErrorCode::DelegationTokenNotFound,
            ErrorCode::DelegationTokenOwnerMismatch,
            ErrorCode::DelegationTokenRequestNotAllowed,
            ErrorCode::DelegationTokenAuthorizationFailed,
            ErrorCode::DelegationTokenExpired,
        ],
    ),
    (Class::AlreadyExists, &[ErrorCode::TopicAlreadyExists]),
    (
        Class::NotFound,
        &[
            ErrorCode::UnknownTopicOrPartition,
            ErrorCode::GroupIdNotFound,
            ErrorCode::ResourceNotFound,
            ErrorCode::UnknownTopicId,
            ErrorCode::InconsistentTopicId,
            ErrorCode::TransactionalIdNotFound,
            ErrorCode::NoReassignmentInProgress,
            ErrorCode::LogDirNotFound,
        ],
    ),
    (
        Class::GroupInUse,
        &[ErrorCode::NonEmptyGroup, ErrorCode::GroupSubscribedToTopic],
    ),
    (
        Class::InvalidRequest,
        &[
            ErrorCode::OffsetOutOfRange,
            ErrorCode::OffsetMetadataTooLarge,
            ErrorCode::InvalidTopic,
            ErrorCode::InvalidRequiredAcks,
            ErrorCode::InconsistentGroupProtocol,
            ErrorCode::InvalidGroupId,
            ErrorCode::InvalidSessionTimeout,
            ErrorCode::InvalidCommitOffsetSize,
            ErrorCode::InvalidPartitions,
            ErrorCode::InvalidReplicationFactor,
            ErrorCode::InvalidReplicaAssignment,
            ErrorCode::InvalidConfig,
            ErrorCode::InvalidRequest,
            ErrorCode::PolicyViolation,
            ErrorCode::InvalidTransactionTimeout,
            ErrorCode::InvalidPrincipalType,
            ErrorCode::GroupMaxSizeReached,
            ErrorCode::DuplicateResource,
            ErrorCode::InvalidRegularExpression,
        ],
    ),
    (
        Class::Unsupported,
        &[
            ErrorCode::UnsupportedVersion,
            ErrorCode::UnsupportedForMessageFormat,
            ErrorCode::SecurityDisabled,
            ErrorCode::TopicDeletionDisabled,
            ErrorCode::UnsupportedCompressionType,
            ErrorCode::UnsupportedAssignor,
        ],
    ),
    (
        Class::Fatal,
        &[
            ErrorCode::OutOfOrderSequenceNumber,
            ErrorCode::DuplicateSequenceNumber,
            ErrorCode::UnknownServerError,
        ],
    ),
];

/// The class of a code of the Kafka protocol.
pub(super) fn code_class(code: ErrorCode) -> Class {
    let known = CODES.iter().find(|(_, codes)| codes.contains(&code));
    known.map_or(Class::Fatal, |(class, _)| *class)
}

/// A next step that says more than the one of the class.
fn step(error: &KrafkaError) -> Option<&'static str> {
    if let KrafkaError::Network(_) = error {
        return Some(
            "check that the brokers run and that bootstrap.servers names them; it is tried again",
        );
    }
    if let KrafkaError::DeliveryTimeout { .. } = error {
        return Some("check the brokers; raise delivery.timeout.ms to wait longer");
    }
    let damaged = error.protocol_error_kind() == Some(ProtocolErrorKind::CrcMismatch);
    if damaged || matches!(error, KrafkaError::Compression { .. }) {
        return Some(
            "the stored batch is damaged: skip it, or restore the partition from a replica",
        );
    }
    let code = code(error)?;
    let known = CODE_STEPS.iter().find(|(known, _)| *known == code);
    known.map(|(_, step)| *step)
}

const CODE_STEPS: [(ErrorCode, &str); 4] = [
    (
        ErrorCode::MessageTooLarge,
        "raise max.message.bytes of the topic, or send smaller records",
    ),
    (
        ErrorCode::RecordListTooLarge,
        "raise segment.bytes of the topic, or lower batch.size",
    ),
    (
        ErrorCode::UnsupportedCompressionType,
        "choose another compression.type, one that the topic accepts",
    ),
    (
        ErrorCode::OutOfOrderSequenceNumber,
        "the log lost acknowledged records (unclean leader election); check the topic, then restart",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_codes() {
        let cases = [
            (ErrorCode::UnknownTopicOrPartition, Class::NotFound),
            (ErrorCode::MessageTooLarge, Class::InvalidRecord),
            (ErrorCode::TopicAuthorizationFailed, Class::Auth),
            (ErrorCode::NotLeaderForPartition, Class::Retriable),
            (ErrorCode::InvalidProducerEpoch, Class::Abortable),
            (ErrorCode::ProducerFenced, Class::Fenced),
            (ErrorCode::NonEmptyGroup, Class::GroupInUse),
            (ErrorCode::UnsupportedVersion, Class::Unsupported),
            (ErrorCode::Unknown(9_999), Class::Fatal),
        ];
        for (code, expected) in cases {
            let reported = KrafkaError::broker(code, "text that does not count");
            assert_eq!(error("test", &reported).class(), expected, "{code:?}");
        }
    }

    /// Whatever Kafka's own client would try again is not final here, with named exceptions.
    #[test]
    fn what_java_retries_is_retried() {
        let otherwise = [
            // The caller must be told that the topic is not there; creating it is nobody's retry.
            ErrorCode::UnknownTopicOrPartition,
            ErrorCode::UnknownTopicId,
            ErrorCode::InconsistentTopicId,
            // Group and transaction codes whose remedy is not the same call once more.
            ErrorCode::FencedMemberEpoch,
            ErrorCode::UnknownProducerId,
            ErrorCode::OutOfOrderSequenceNumber,
            // Share groups are not used.
            ErrorCode::ShareSessionNotFound,
            ErrorCode::InvalidShareSessionEpoch,
            ErrorCode::ShareSessionLimitReached,
        ];
        for number in -1..=133 {
            let code = ErrorCode::from_i16(number);
            if code.is_retriable() && !otherwise.contains(&code) {
                let class = code_class(code);
                let passes = matches!(class, Class::Retriable | Class::TimedOut);
                assert!(passes, "{code:?} is {class:?}");
            }
        }
    }
}
