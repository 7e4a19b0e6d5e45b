//! Names of things in a registry, as checked newtypes.

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

/// The number a registry gives to a schema text; unique within one registry context.
///
/// It travels in front of record bytes as four big-endian bytes. Registries count from 1; 0 is kept
/// readable because Java reads it (and then finds no such schema).
///
/// ```
/// use ferroconnect_registry_client::SchemaId;
/// let id = SchemaId::new(7).ok_or("negative")?;
/// assert_eq!(id.to_string(), "7");
/// assert_eq!(id.get(), 7);
/// assert!(SchemaId::new(i32::MIN).is_none());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(i32);

impl SchemaId {
    /// The id `raw`, or `None` when it is negative.
    pub const fn new(raw: i32) -> Option<Self> {
        if raw >= 0 { Some(Self(raw)) } else { None }
    }

    /// The number itself; never negative.
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The 128-bit name of a schema's content, the same in every registry (Confluent wire format, magic 1).
///
/// It travels as 16 bytes, most significant first. All 2^128 values are valid: it is a digest, not a
/// versioned UUID. [`SchemaGuid::of`] computes it.
///
/// ```
/// use ferroconnect_registry_client::SchemaGuid;
/// let guid = SchemaGuid::parse("00112233-4455-6677-8899-aabbccddeeff").ok_or("not a guid")?;
/// assert_eq!(guid.bytes()[..3], [0x00, 0x11, 0x22]);
/// assert_eq!(guid.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
/// assert_eq!(SchemaGuid::parse("0011"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaGuid(Uuid);

impl SchemaGuid {
    /// The GUID that travels as these 16 bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// The GUID in text form (with or without dashes, either case), or `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }

    /// The 16 bytes as they travel.
    pub const fn bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for SchemaGuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// The number of a schema within its subject, from 1.
///
/// ```
/// use ferroconnect_registry_client::Version;
/// assert_eq!(Version::new(3).map(Version::get), Some(3));
/// assert_eq!(Version::new(-1), None); // "latest" is a question, not a version
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(i32);

impl Version {
    /// The first version of every subject.
    pub const FIRST: Self = Self(1);

    /// The version `raw`, or `None` when it is below 1.
    pub const fn new(raw: i32) -> Option<Self> {
        if raw >= 1 { Some(Self(raw)) } else { None }
    }

    /// The number itself; at least 1.
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name under which versions of a schema are kept, with its context if it has one
/// (`:.context:name`). Cloning costs a counter.
///
/// A subject is not empty and has no control characters (registry error 42208).
///
/// ```
/// use ferroconnect_registry_client::Subject;
/// let plain = Subject::new("orders-value").ok_or("not a subject")?;
/// assert_eq!((plain.context(), plain.unqualified()), (None, "orders-value"));
/// assert_eq!(Subject::new(""), None);
/// assert_eq!(Subject::new("a\nb"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject(Arc<str>);

impl Subject {
    /// The subject `name`, or `None` when a registry would refuse the name.
    pub fn new(name: &str) -> Option<Self> {
        let valid = !name.is_empty() && !name.chars().any(char::is_control);
        valid.then(|| Self(name.into()))
    }

    /// The whole name, context included.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The context of `:.context:name`, without the dot and the colons.
    pub fn context(&self) -> Option<&str> {
        self.split().map(|(context, _)| context)
    }

    /// The name without its context.
    pub fn unqualified(&self) -> &str {
        self.split().map_or(&self.0, |(_, name)| name)
    }

    fn split(&self) -> Option<(&str, &str)> {
        self.0.strip_prefix(":.")?.split_once(':')
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
