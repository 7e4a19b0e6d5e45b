//! What can go wrong behind the Kafka ports, sorted by what the caller should do about it.

use std::fmt;

use crate::ids::TopicPartition;

/// The result of a port call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller should do about an error. Computed by the adapter, never from a text.
#[expect(
    clippy::exhaustive_enums,
    reason = "callers must decide for each class"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Remote trouble that passes: try again after a pause.
    Retriable,
    /// The call's time was over. Whether it took effect is unknown for writes; try again.
    TimedOut,
    /// The running transaction is lost: abort it; the producer stays usable. If `abort` itself
    /// fails with [`Class::Fenced`], another instance took over.
    Abortable,
    /// Another instance with the same transactional id or group member took over: stop.
    Fenced,
    /// The client, or what it stands on, is broken: stop and tell the operator.
    Fatal,
    /// `wakeup` was called; nothing is wrong.
    Wakeup,
    /// This record can never be written as it is (too large, no such partition, null key into a
    /// compacted topic).
    InvalidRecord,
    /// Not authenticated or not authorised.
    Auth,
    /// What should be created exists.
    AlreadyExists,
    /// The topic, partition or group does not exist.
    NotFound,
    /// The group has live members, so its offsets and itself cannot be changed from outside.
    GroupInUse,
    /// The call or a configuration value makes no sense.
    InvalidRequest,
    /// This adapter cannot do it.
    Unsupported,
}

/// An error of a Kafka port: one word wide, with operation, place, cause and next step.
///
/// It never contains the bytes of a record or a secret.
///
/// ```
/// use ferroconnect_runtime::kafka::{Class, Error};
/// let error = Error::new(Class::NotFound, "describe topic", "topic orders does not exist")
///     .next_step("create it, or correct the name");
/// assert_eq!(error.class(), Class::NotFound);
/// assert_eq!(
///     error.to_string(),
///     "describe topic: topic orders does not exist; create it, or correct the name"
/// );
/// ```
#[derive(Clone)]
pub struct Error(Box<Parts>);

#[derive(Clone)]
struct Parts {
    class: Class,
    operation: &'static str,
    cause: Box<str>,
    place: Option<TopicPartition>,
    offset: Option<i64>,
    next_step: &'static str,
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    /// An error of `class` met while doing `operation`; `cause` is for people.
    #[cold]
    pub fn new(class: Class, operation: &'static str, cause: impl Into<Box<str>>) -> Self {
        let next_step = default_step(class);
        let cause = cause.into();
        Self(Box::new(Parts {
            class,
            operation,
            cause,
            place: None,
            offset: None,
            next_step,
        }))
    }

    /// An error of class [`Class::TimedOut`]: `operation` was not done within `within`.
    #[cold]
    pub fn timed_out(operation: &'static str, within: crate::time::Span) -> Self {
        Self::new(
            Class::TimedOut,
            operation,
            format!("not done within {within}"),
        )
    }

    /// An error of class [`Class::Wakeup`].
    #[cold]
    pub fn wakeup(operation: &'static str) -> Self {
        Self::new(Class::Wakeup, operation, "woken up")
    }

    /// The same error, at `place`.
    #[must_use]
    pub fn at(mut self, place: &TopicPartition) -> Self {
        self.0.place = Some(place.clone());
        self
    }

    /// The same error, at `offset` of its partition.
    #[must_use]
    pub fn at_offset(mut self, offset: i64) -> Self {
        self.0.offset = Some(offset);
        self
    }

    /// The same error with another advice.
    #[must_use]
    pub fn next_step(mut self, step: &'static str) -> Self {
        self.0.next_step = step;
        self
    }

    /// What to do about it.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// What was being done.
    pub fn operation(&self) -> &'static str {
        self.0.operation
    }

    /// Where it happened, if it concerns one partition.
    pub fn topic_partition(&self) -> Option<&TopicPartition> {
        self.0.place.as_ref()
    }

    /// The offset it concerns, if it concerns one.
    pub fn offset(&self) -> Option<i64> {
        self.0.offset
    }

    /// What the person in front of it can do.
    pub fn advice(&self) -> &'static str {
        self.0.next_step
    }

    /// Whether the same call may succeed later without anybody's help.
    pub fn is_retriable(&self) -> bool {
        matches!(self.0.class, Class::Retriable | Class::TimedOut)
    }

    /// Whether it is only the echo of `wakeup`.
    pub fn is_wakeup(&self) -> bool {
        self.0.class == Class::Wakeup
    }
}

const fn default_step(class: Class) -> &'static str {
    match class {
        Class::Retriable => "it is tried again",
        Class::TimedOut => {
            "it is tried again; if it stays, raise the time limit or look at the log"
        }
        Class::Abortable => "the transaction is aborted and its records are sent again",
        Class::Fenced => "another instance took over; this one stops",
        Class::Fatal => "correct the cause and restart",
        Class::Wakeup => "nothing to do",
        Class::InvalidRecord => "correct the record or the limits of the topic",
        Class::Auth => "check the credentials and what they are allowed to do",
        Class::AlreadyExists => "use the existing one or choose another name",
        Class::NotFound => "create it or correct the name",
        Class::GroupInUse => "stop the members of the group first",
        Class::InvalidRequest => "correct the value",
        Class::Unsupported => "use a Kafka cluster for this",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.operation)?;
        if let Some(place) = &self.0.place {
            write!(f, " of {place}")?;
        }
        if let Some(offset) = self.0.offset {
            write!(f, " at offset {offset}")?;
        }
        write!(f, ": {}; {}", self.0.cause, self.0.next_step)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.class)
    }
}

impl std::error::Error for Error {}
