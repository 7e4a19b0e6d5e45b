//! How long an answer counts. Pure: time is an argument.

use std::time::Duration;

use crate::client::config::CacheConfig;
use crate::{Error, Question, RegistryCode, Subject};

/// How long something is believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Life {
    /// It never changes: the meaning of an id, of a version, of a registration.
    Ever,
    /// It may change.
    For(Duration),
}

impl Life {
    fn of(limit: Option<Duration>) -> Self {
        limit.map_or(Self::Ever, Self::For)
    }

    /// Whether something from `since` still counts at `now`.
    pub(super) fn covers(self, since: Duration, now: Duration) -> bool {
        match self {
            Self::Ever => true,
            Self::For(limit) => now.saturating_sub(since) < limit,
        }
    }
}

/// How long a good answer counts.
pub(super) fn of_answer(question: &Question, config: &CacheConfig) -> Life {
    match question {
        Question::ById { .. }
        | Question::ByGuid { .. }
        | Question::Register { .. }
        | Question::Find { .. }
        | Question::Version { .. } => Life::Ever,
        Question::Latest { .. } | Question::LatestWithMetadata { .. } => {
            Life::of(config.latest_ttl)
        }
        Question::Associated(_) => Life::of(config.associations_ttl),
    }
}

/// How long "there is none" counts; nothing for every other error.
pub(super) fn of_missing(question: &Question, error: &Error, config: &CacheConfig) -> Option<Life> {
    let is_missing = matches!(
        error.code()?,
        RegistryCode::SUBJECT_NOT_FOUND
            | RegistryCode::VERSION_NOT_FOUND
            | RegistryCode::SCHEMA_NOT_FOUND
    );
    let limit = match question {
        Question::ById { .. } | Question::ByGuid { .. } => config.missing_id_ttl,
        Question::Version { .. } => config.missing_version_ttl,
        Question::Find { .. } | Question::Latest { .. } | Question::LatestWithMetadata { .. } => {
            config.missing_schema_ttl
        }
        // The answer to a registration is a schema, and no association is an answer too.
        Question::Register { .. } | Question::Associated(_) => Duration::ZERO,
    };
    (is_missing && !limit.is_zero()).then_some(Life::For(limit))
}

/// The subject whose registrations change the answer; nothing when none does.
pub(super) fn changes_with(question: &Question) -> Option<&Subject> {
    match question {
        Question::Latest { subject } | Question::LatestWithMetadata { subject, .. } => {
            Some(subject)
        }
        Question::ById { .. }
        | Question::ByGuid { .. }
        | Question::Register { .. }
        | Question::Find { .. }
        | Question::Version { .. }
        | Question::Associated(_) => None,
    }
}

/// The subject whose registrations may bring what is missing.
pub(super) fn may_come_with(question: &Question) -> Option<&Subject> {
    match question {
        Question::Latest { subject }
        | Question::LatestWithMetadata { subject, .. }
        | Question::Find { subject, .. }
        | Question::Version { subject, .. } => Some(subject),
        Question::ById { .. }
        | Question::ByGuid { .. }
        | Question::Register { .. }
        | Question::Associated(_) => None,
    }
}
