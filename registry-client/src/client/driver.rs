//! The thin part between the pure cores and the network: reads the clock, sends, waits.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::answer::error_of;
use super::auth::{Authorizer, origin_of};
use super::config::{Address, Auth, Basic, ClientConfig, TokenSource};
use super::endpoint::Call;
use super::failover::Nodes;
use super::http::HttpTransport;
use super::retry::{Attempts, Step, is_retriable, retry_after};
use super::transport::{Request, Response, Transport, TransportError};
use crate::Error;

/// A registry node: the way to it, and the user part of its URL.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "made by whoever brings a transport"
)]
pub struct Node {
    /// The way to it.
    pub transport: Arc<dyn Transport>,
    /// The user part of its URL, for [`Auth::Url`].
    pub user: Option<Basic>,
}

/// A client of one registry at one or more addresses. Cheap to share; all questions may be asked at once from many tasks.
///
/// Every call ends by `schema.registry.request.deadline.ms` at the latest, and may be dropped at any time.
#[derive(Debug)]
pub struct RegistryClient {
    config: ClientConfig,
    nodes: Vec<Node>,
    health: Mutex<Nodes>,
    authorizer: Authorizer,
    headers: Vec<(String, String)>,
    start: Instant,
    chance: AtomicU64,
    requests: AtomicU64,
    /// Whether the registry refused to hear of schema languages.
    is_without_languages: AtomicBool,
}

impl RegistryClient {
    /// A client over HTTP. Key stores are read here.
    ///
    /// # Errors
    /// [`Fault::Config`](crate::Fault::Config): a key store that cannot be read, or an address that is not HTTP.
    pub fn connect(config: ClientConfig) -> Result<Self, Error> {
        let Address::Http(urls) = &config.address else {
            return Err(Error::misconfigured(
                "schema.registry.url does not name a registry behind HTTP; give the client a transport",
            ));
        };
        let http = HttpTransport::connector(&config)?;
        let mut nodes = Vec::with_capacity(urls.len());
        for node in urls {
            nodes.push(Node {
                transport: Arc::new(http.to(&node.url)?),
                user: node.user.clone(),
            });
        }
        let issuer: Option<Arc<dyn Transport>> = match endpoint_of(&config.auth) {
            Some(url) => Some(Arc::new(http.to(&origin_of(url))?)),
            None => None,
        };
        Self::with(config, nodes, issuer)
    }

    /// A client over transports of the caller's: a registry within the process, or a script. OAuth needs a way to the identity
    /// provider, which is `issuer`.
    ///
    /// # Errors
    /// [`Fault::Config`](crate::Fault::Config): no node, or OAuth without an issuer.
    pub fn with(
        config: ClientConfig,
        nodes: Vec<Node>,
        issuer: Option<Arc<dyn Transport>>,
    ) -> Result<Self, Error> {
        if nodes.is_empty() {
            return Err(Error::misconfigured("a registry client needs a node"));
        }
        if config.auth == Auth::None && nodes.iter().any(|node| node.user.is_some()) {
            tracing::warn!(
                "schema.registry.url has a user part that is not sent; set basic.auth.credentials.source=URL to log in with it"
            );
        }
        let seed = RandomState::new().build_hasher().finish();
        let first = if config.randomize { seed } else { 0 } % (nodes.len() as u64);
        let first = usize::try_from(first).unwrap_or_default();
        Ok(Self {
            authorizer: Authorizer::new(&config.auth, issuer)?,
            headers: headers(&config),
            health: Mutex::new(Nodes::new(nodes.len(), first)),
            config,
            nodes,
            start: Instant::now(),
            chance: AtomicU64::new(seed),
            requests: AtomicU64::new(0),
            is_without_languages: AtomicBool::new(false),
        })
    }

    /// What the client was made from.
    pub const fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// How many requests were sent, retries included.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Whether a schema may be posted with the name of its language.
    pub(super) fn knows_languages(&self) -> bool {
        !self.is_without_languages.load(Ordering::Relaxed)
    }

    /// Notes that this registry knows one language, and no name for it.
    pub(super) fn forget_languages(&self) {
        self.is_without_languages.store(true, Ordering::Relaxed);
    }

    /// Time since the client was made; the clock of its pure parts.
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn health(&self) -> std::sync::MutexGuard<'_, Nodes> {
        // Nothing panics while it holds the lock, and a node's health is only ever a guess.
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// SplitMix64 over a random seed.
    fn random(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut x = self
            .chance
            .fetch_add(STEP, Ordering::Relaxed)
            .wrapping_add(STEP);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Sends a request until there is a good answer or no hope.
    pub(super) async fn call(&self, call: Call) -> Result<Response, Error> {
        refuse_dot_segments(&call.target)?;
        let deadline = self.now().saturating_add(self.config.timeouts.deadline);
        let mut attempts = Attempts::new(self.config.retries, self.nodes.len(), deadline);
        let mut last = None;
        let mut may_renew = true;
        loop {
            let now = self.now();
            let step = attempts.next(&self.health(), now, self.random());
            let node = match step {
                Step::Try(node) => node,
                Step::Wait(wait) => {
                    tokio::time::sleep(wait).await;
                    continue;
                }
                Step::Stop => return Err(last.unwrap_or_else(|| self.too_late())),
            };
            match self.attempt(&call, node, attempts.left(now)).await {
                Ok(response) if matches!(response.status, 200..=299) => {
                    self.health().succeeded(node);
                    return Ok(response);
                }
                Ok(response) if is_retriable(response.status) => {
                    let wait = retry_after(response.header("Retry-After"));
                    attempts.failed(wait);
                    if matches!(response.status, 502..=504) {
                        self.health().failed(node, self.now());
                    }
                    last = Some(error_of(&response));
                }
                Ok(response) => {
                    self.health().succeeded(node);
                    if response.status == 401 && may_renew && self.authorizer.refused().await {
                        may_renew = false;
                        attempts.again(node);
                        continue;
                    }
                    return Err(error_of(&response));
                }
                Err(Trouble::Node(error)) => {
                    self.health().failed(node, self.now());
                    if error.is_retriable() {
                        attempts.failed(None);
                    }
                    last = Some(error);
                }
                Err(Trouble::Everywhere(error)) if error.is_retriable() => {
                    attempts.failed_for_all();
                    last = Some(error);
                }
                Err(Trouble::Everywhere(error)) => return Err(error),
            }
        }
    }

    async fn attempt(&self, call: &Call, node: usize, left: Duration) -> Result<Response, Trouble> {
        let Some(Node { transport, user }) = self.nodes.get(node) else {
            return Err(Trouble::Everywhere(self.too_late()));
        };
        let mut request = Request {
            method: call.method,
            target: call.target.clone(),
            headers: self.headers.clone(),
            body: call.body.clone(),
        };
        let send = async {
            self.authorizer
                .authorize(&mut request, user.as_ref(), self.now())
                .await
                .map_err(Trouble::Everywhere)?;
            self.requests.fetch_add(1, Ordering::Relaxed);
            let name = transport.node();
            transport.send(request).await.map_err(|error| match error {
                TransportError::Broken(why) => {
                    Trouble::Node(Error::unreachable(format!("{name}: {why}")))
                }
                TransportError::Untrusted(why) => {
                    Trouble::Node(Error::misconfigured(format!("{name}: {why}")))
                }
                TransportError::TooLarge(max) => Trouble::Everywhere(Error::misconfigured(format!(
                    "{name}: the answer has more than {max} bytes; if it is one of a schema registry, raise schema.registry.response.max.bytes"
                ))),
            })
        };
        match tokio::time::timeout(left, send).await {
            Ok(sent) => sent,
            Err(_) => Err(Trouble::Node(Error::unreachable(format!(
                "{}: no answer within {} ms, which is all the time this question has (schema.registry.request.deadline.ms)",
                transport.node(),
                self.config.timeouts.deadline.as_millis()
            )))),
        }
    }

    fn too_late(&self) -> Error {
        Error::unreachable(format!(
            "no answer within {} ms (schema.registry.request.deadline.ms)",
            self.config.timeouts.deadline.as_millis()
        ))
    }

    /// Whether every node failed within the last seconds: then asking costs time and brings nothing.
    pub fn is_unreachable(&self) -> bool {
        self.health().all_rest(self.now())
    }
}

/// What stood in the way of one try.
enum Trouble {
    /// This node; others may do.
    Node(Error),
    /// Something that all nodes need.
    Everywhere(Error),
}

fn endpoint_of(auth: &Auth) -> Option<&str> {
    match auth {
        Auth::None | Auth::Url | Auth::Basic(_) => None,
        Auth::Bearer(bearer) => match &bearer.token {
            TokenSource::Static(_) => None,
            TokenSource::ClientCredentials(credentials) => Some(&credentials.endpoint),
        },
    }
}

/// The headers of every request: the Java client's, and those of the configuration.
fn headers(config: &ClientConfig) -> Vec<(String, String)> {
    let configured = config
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.reveal().to_owned()));
    let mut headers: Vec<(String, String)> = [
        ("Content-Type", "application/vnd.schemaregistry.v1+json"),
        ("Accept", ACCEPT),
        ("Confluent-Accept-Unknown-Properties", "true"),
        ("Confluent-Client-Version", CLIENT_VERSION),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    for (name, value) in configured {
        headers.retain(|(given, _)| !given.eq_ignore_ascii_case(&name));
        headers.push((name, value));
    }
    headers
}

/// The registry's own types before plain JSON.
const ACCEPT: &str = "application/vnd.schemaregistry.v1+json, application/vnd.schemaregistry+json, application/json, */*; q=0.2";
const CLIENT_VERSION: &str = concat!("ferroconnect/", env!("CARGO_PKG_VERSION"));

/// A segment that is only dots climbs out of its path on the way (RFC 3986, section 5.2.4), also when it is percent-encoded, so a
/// subject of that name cannot be asked for.
fn refuse_dot_segments(target: &str) -> Result<(), Error> {
    let path = target.split('?').next().unwrap_or_default();
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(Error::refused(
            422,
            crate::RegistryCode::INVALID_SUBJECT,
            "a subject, context or resource cannot be called '.' or '..': no registry can be asked for it",
        ));
    }
    Ok(())
}
