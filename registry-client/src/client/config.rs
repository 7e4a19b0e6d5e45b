//! [`ClientConfig`]: the Java client's keys, read once and checked.

mod auth;
mod parse;
#[cfg(test)]
mod tests;
mod tls;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::retry::RetryPolicy;
use crate::Secret;
use crate::keystore::{KeyMaterial, TrustMaterial};

/// Everything a client and its caches must know. Made by [`ClientConfig::parse`]; what exists is valid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClientConfig {
    /// Where the registry is: `schema.registry.url`.
    pub address: Address,
    /// Start at a random node: `schema.registry.url.randomize`.
    pub randomize: bool,
    /// Who the client says it is: `basic.auth.*`, `bearer.auth.*`.
    pub auth: Auth,
    /// `schema.registry.ssl.*`.
    pub tls: TlsSettings,
    /// `proxy.host` and `proxy.port`.
    pub proxy: Option<Proxy>,
    /// `request.header.NAME`: sent with every request.
    pub headers: Vec<(String, Secret)>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// `max.retries`, `retries.wait.ms`, `retries.max.wait.ms`.
    pub retries: RetryPolicy,
    /// Bytes of one answer at most: `schema.registry.response.max.bytes` (ours).
    pub answer_bytes_max: usize,
    /// What is remembered.
    pub cache: CacheConfig,
}

/// `schema.registry.url`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever builds a client must answer each"
)]
pub enum Address {
    /// One registry, at one or more addresses.
    Http(Vec<NodeUrl>),
    /// `embedded:` and what follows the colon: the registry within this process.
    Embedded(String),
    /// `mock://scope`: a registry in memory, one per scope name.
    Mock(String),
}

/// The address of one registry node.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NodeUrl {
    /// Scheme, host, port and path, without user part and without a slash at the end.
    pub url: String,
    /// Its user part, decoded.
    pub user: Option<Basic>,
}

/// User and password (RFC 7617).
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_structs, reason = "fixed by RFC 7617")]
pub struct Basic {
    /// Whose name; may not have a colon.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// Who the client says it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Auth {
    /// Nobody. A user part in a URL is not sent either, as by the Java client.
    None,
    /// By the user part of a node's URL, where there is one: `basic.auth.credentials.source=URL`. It is decoded (RFC 3986, section 2.1);
    /// the Java client sends its escapes as they are.
    Url,
    /// By a name and a password: `USER_INFO`, `SASL_INHERIT`.
    Basic(Basic),
    /// By a token: `bearer.auth.credentials.source`.
    Bearer(Bearer),
}

/// A bearer token, and what goes along with it to Confluent Cloud.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Bearer {
    /// Where it comes from.
    pub token: TokenSource,
    /// `bearer.auth.logical.cluster`: header `target-sr-cluster`.
    pub cluster: Option<String>,
    /// `bearer.auth.identity.pool.id`: header `Confluent-Identity-Pool-Id`.
    pub identity_pool: Option<String>,
}

/// Where a token comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TokenSource {
    /// `STATIC_TOKEN`: `bearer.auth.token`.
    Static(Secret),
    /// `OAUTHBEARER`, `SASL_OAUTHBEARER_INHERIT`: the client credentials grant (RFC 6749, section 4.4).
    ClientCredentials(Box<ClientCredentials>),
}

/// What an identity provider is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClientCredentials {
    /// `bearer.auth.issuer.endpoint.url`.
    pub endpoint: String,
    /// `bearer.auth.client.id`.
    pub client_id: String,
    /// `bearer.auth.client.secret`.
    pub client_secret: Secret,
    /// `bearer.auth.scope`.
    pub scope: Option<String>,
    /// How long before its end a token is renewed: `bearer.auth.cache.expiry.buffer.seconds`.
    pub renew_before: Duration,
}

/// `schema.registry.ssl.*`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TlsSettings {
    /// The client's own certificate and key; `None` without mutual TLS.
    pub key: Option<KeyMaterial>,
    /// Whom it trusts; `None` is the system's own list.
    pub trust: Option<TrustMaterial>,
}

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_structs, reason = "the two keys of the Java client")]
pub struct Proxy {
    /// `proxy.host`.
    pub host: String,
    /// `proxy.port`.
    pub port: u16,
}

/// How long things may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Timeouts {
    /// Until a connection is there: `http.connect.timeout.ms`.
    pub connect: Duration,
    /// Until the next byte of an answer: `http.read.timeout.ms`.
    pub read: Duration,
    /// For one question with all its retries: `schema.registry.request.deadline.ms` (ours).
    pub deadline: Duration,
}

/// What is remembered, and for how long.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheConfig {
    /// `max.schemas.per.subject`: how many schemas a subject is expected to have at most. The number of all entries follows from it.
    pub schemas_per_subject: u32,
    /// `latest.cache.ttl.sec`: how long the newest version is taken for the newest; `None` is for ever.
    pub latest_ttl: Option<Duration>,
    /// `missing.id.cache.ttl.sec`: how long an id or GUID stays unknown; zero asks every time.
    pub missing_id_ttl: Duration,
    /// `missing.version.cache.ttl.sec`: the same for a version.
    pub missing_version_ttl: Duration,
    /// `missing.schema.cache.ttl.sec`: the same for a text, and for the newest version of a subject.
    pub missing_schema_ttl: Duration,
    /// `missing.cache.size`: how many unknown things are remembered at most.
    pub missing_max: u32,
    /// `subject.name.strategy.cache.expiry.secs`: how long the subjects of a topic are remembered; `None` is for ever.
    pub associations_ttl: Option<Duration>,
    /// `subject.name.strategy.cache.size`: of how many topics.
    pub associations_max: u32,
    /// `schema.registry.cache.dir` (ours): the folder in which answers survive a restart; `None` keeps none.
    pub folder: Option<PathBuf>,
}

impl Default for CacheConfig {
    /// The Java client's defaults, and no folder.
    fn default() -> Self {
        Self {
            schemas_per_subject: 1_000,
            latest_ttl: Some(Duration::from_secs(60)),
            missing_id_ttl: Duration::ZERO,
            missing_version_ttl: Duration::ZERO,
            missing_schema_ttl: Duration::ZERO,
            missing_max: 10_000,
            associations_ttl: None,
            associations_max: 1_000,
            folder: None,
        }
    }
}

/// Every key that is wrong, and why. Shows no secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigProblems(Vec<(String, String)>);

impl ConfigProblems {
    /// Key and reason, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, why)| (&**key, &**why))
    }
}

impl fmt::Display for ConfigProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, why)) in self.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}Invalid configuration {key}: {why}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigProblems {}

/// An answer of a registry has so many bytes at most, when nothing else is configured. A list of 100,000 long subject names has 10 MB.
pub const ANSWER_BYTES_MAX: usize = 64 << 20;

/// A question with all its retries takes so long at most, when nothing else is configured. Four tries with Java's time-out of 60 s each.
pub const REQUEST_DEADLINE: Duration = Duration::from_secs(240);
