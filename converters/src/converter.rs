//! [`Converter`] and [`HeaderConverter`]: between Connect data and the bytes of a record.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use ferroconnect_registry_client::{Lookup, LookupId, Resolved};

use crate::data::SchemaAndValue;
use crate::differs::{Difference, Differences};
use crate::error::Error;

/// Which part of a record a converter serves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The key.
    Key,
    /// The value.
    Value,
}

impl Role {
    /// `key` or `value`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Value => "value",
        }
    }
}

/// Headers as they lie in a Kafka record: ordered, duplicate names allowed, values may be null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawHeaders(Vec<(Box<str>, Option<Bytes>)>);

impl RawHeaders {
    /// No headers.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a header at the end.
    pub fn push(&mut self, name: &str, value: Option<Bytes>) {
        self.0.push((name.into(), value));
    }

    /// All headers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<&Bytes>)> {
        self.0.iter().map(|(name, value)| (&**name, value.as_ref()))
    }

    /// Number of headers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all headers, keeping the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What a converter is told about the record, and what it tells back.
#[derive(Debug)]
pub struct RecordContext<'a> {
    /// The record's topic.
    pub topic: &'a str,
    /// Key or value.
    pub role: Role,
    /// The record's headers; a schema id may travel in them. `None` where the caller has none to give.
    pub headers: Option<&'a mut RawHeaders>,
    differences: Differences,
}

impl<'a> RecordContext<'a> {
    /// A context without headers.
    #[must_use]
    pub const fn new(topic: &'a str, role: Role) -> Self {
        Self {
            topic,
            role,
            headers: None,
            differences: Differences::none(),
        }
    }

    /// The same context with headers.
    #[must_use]
    pub fn with_headers(self, headers: &'a mut RawHeaders) -> Self {
        Self {
            headers: Some(headers),
            ..self
        }
    }

    /// Notes that the result differs from the JVM's on purpose.
    pub const fn note(&mut self, difference: Difference) {
        self.differences.insert(difference);
    }

    /// The deliberate differences met since the context was made.
    #[must_use]
    pub const fn differences(&self) -> Differences {
        self.differences
    }
}

/// What a conversion gave.
///
/// [`Missing`](Self::Missing) is no failure: the converter needs a registry answer first. Resolve what
/// [`Converter::unresolved`] lists, [`install`](Converter::install) the answers, convert again.
#[derive(Debug)]
#[must_use]
pub enum Outcome<T> {
    /// Done.
    Ready(T),
    /// Waits for that look-up.
    Missing(LookupId),
    /// Cannot be done; [`Error::fault`] tells whose fault it is.
    Failed(Error),
}

impl<T> Outcome<T> {
    /// The result of a converter that never needs a registry, or whose look-ups are all installed.
    ///
    /// # Errors
    /// The failure, or a plugin fault when a look-up is missing.
    pub fn into_result(self) -> Result<T, Error> {
        match self {
            Self::Ready(value) => Ok(value),
            Self::Failed(error) => Err(error),
            Self::Missing(_) => Err(crate::error::data::Kind::BuilderMisuse(
                "a registry look-up is missing; install the answers of `unresolved` first",
            )
            .into()),
        }
    }
}

impl<T> From<Result<T, Error>> for Outcome<T> {
    fn from(result: Result<T, Error>) -> Self {
        match result {
            Ok(value) => Self::Ready(value),
            Err(error) => Self::Failed(error),
        }
    }
}

/// Between Connect data and the key or value of a record: `org.apache.kafka.connect.storage.Converter`.
///
/// One instance serves one role of one task, so it takes `&mut self`, keeps its plans and buffers, and locks nothing.
/// It never waits: what it needs from a registry it lists.
#[expect(
    clippy::wrong_self_convention,
    reason = "Connect's own names for the two directions"
)]
pub trait Converter: Send + fmt::Debug {
    /// Appends the bytes of `data` to `out` and tells where they are; `None` is a null record value (a tombstone).
    /// On failure `out` is as it was.
    fn from_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>>;

    /// Reads the bytes of a record's key or value; `None` is a null record value, which is not the same as no bytes.
    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue>;

    /// The look-ups that [`Outcome::Missing`] asked for since the last call. One whose answer never came is listed again when
    /// it is missed again, so whoever took the list may forget it.
    fn unresolved(&mut self) -> Vec<Lookup> {
        Vec::new()
    }

    /// Takes the answer to a look-up.
    fn install(&mut self, answer: Resolved) {
        let _ = answer;
    }

    /// Tells the time, as what passed since any fixed moment; whoever owns the converter calls it once per batch. What may be
    /// remembered for a limited time only (`latest.cache.ttl.sec`) ends by it; never called, nothing ends.
    fn tick(&mut self, now: Duration) {
        let _ = now;
    }
}

/// A converter of any kind.
impl<C: Converter + ?Sized> Converter for Box<C> {
    fn from_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        (**self).from_connect(ctx, data, out)
    }

    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        (**self).to_connect(ctx, bytes)
    }

    fn unresolved(&mut self) -> Vec<Lookup> {
        (**self).unresolved()
    }

    fn install(&mut self, answer: Resolved) {
        (**self).install(answer);
    }

    fn tick(&mut self, now: Duration) {
        (**self).tick(now);
    }
}

/// Between Connect data and a record's header values: `org.apache.kafka.connect.storage.HeaderConverter`.
#[expect(
    clippy::wrong_self_convention,
    reason = "Connect's own names for the two directions"
)]
pub trait HeaderConverter: Send + fmt::Debug {
    /// Appends the bytes of a header to `out` and tells where they are; `None` is a null header value.
    ///
    /// # Errors
    /// Data fault when the value has no form in this format; `out` is then as it was.
    fn from_connect_header(
        &mut self,
        ctx: &mut HeaderContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Error>;

    /// Reads the bytes of a header.
    ///
    /// # Errors
    /// Data fault when the bytes are not of this format.
    fn to_connect_header(
        &mut self,
        ctx: &mut HeaderContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error>;
}

/// What a header converter is told, and what it tells back.
#[derive(Debug)]
pub struct HeaderContext<'a> {
    /// The record's topic.
    pub topic: &'a str,
    /// The header's name.
    pub name: &'a str,
    differences: Differences,
}

impl<'a> HeaderContext<'a> {
    /// A context for one header.
    #[must_use]
    pub const fn new(topic: &'a str, name: &'a str) -> Self {
        Self {
            topic,
            name,
            differences: Differences::none(),
        }
    }

    /// Notes that the result differs from the JVM's on purpose.
    pub const fn note(&mut self, difference: Difference) {
        self.differences.insert(difference);
    }

    /// The deliberate differences met since the context was made.
    #[must_use]
    pub const fn differences(&self) -> Differences {
        self.differences
    }
}

/// A converter that needs no registry and no headers also serves header values: the format is the same.
pub(crate) trait SelfContained: Converter {}

impl<C: SelfContained> HeaderConverter for C {
    fn from_connect_header(
        &mut self,
        ctx: &mut HeaderContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Error> {
        let mut record = RecordContext::new(ctx.topic, Role::Value);
        let result = self.from_connect(&mut record, data, out).into_result();
        ctx.differences = record.differences();
        result
    }

    fn to_connect_header(
        &mut self,
        ctx: &mut HeaderContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Result<SchemaAndValue, Error> {
        let mut record = RecordContext::new(ctx.topic, Role::Value);
        let result = self.to_connect(&mut record, bytes).into_result();
        ctx.differences = record.differences();
        result
    }
}
