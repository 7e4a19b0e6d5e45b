//! The headers that say who the client is.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::config::{Auth, Basic, ClientCredentials, TokenSource};
use super::token::{Held, Token};
use super::transport::{Method, Request, Transport, TransportError};
use crate::{Error, Secret};

/// Makes the headers for each request.
#[derive(Debug)]
pub(super) enum Authorizer {
    /// Not at all.
    Nobody,
    /// As the node's URL says.
    Url,
    /// The same for all nodes.
    Fixed {
        value: Secret,
        beside: Vec<(String, String)>,
    },
    /// A token that has an end.
    OAuth {
        tokens: Tokens,
        beside: Vec<(String, String)>,
    },
}

impl Authorizer {
    /// `issuer` answers for the identity provider; only OAuth needs it.
    pub(super) fn new(auth: &Auth, issuer: Option<Arc<dyn Transport>>) -> Result<Self, Error> {
        let bearer = match auth {
            Auth::None => return Ok(Self::Nobody),
            Auth::Url => return Ok(Self::Url),
            Auth::Basic(basic) => {
                return Ok(Self::Fixed {
                    value: basic_value(basic),
                    beside: Vec::new(),
                });
            }
            Auth::Bearer(bearer) => bearer,
        };
        let beside = [
            (CLUSTER, &bearer.cluster),
            (IDENTITY_POOL, &bearer.identity_pool),
        ];
        let beside = beside
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
            .collect();
        match &bearer.token {
            TokenSource::Static(token) => Ok(Self::Fixed {
                value: Secret::new(&format!("Bearer {}", token.reveal())),
                beside,
            }),
            TokenSource::ClientCredentials(credentials) => Ok(Self::OAuth {
                tokens: Tokens {
                    credentials: credentials.clone(),
                    issuer: issuer.ok_or_else(|| {
                        Error::misconfigured("there is no way to the identity provider")
                    })?,
                    held: tokio::sync::Mutex::new(Held::default()),
                },
                beside,
            }),
        }
    }

    /// Adds the headers for a node. `now` is a point in time of the client's clock.
    pub(super) async fn authorize(
        &self,
        request: &mut Request,
        node: Option<&Basic>,
        now: Duration,
    ) -> Result<(), Error> {
        let (value, beside) = match self {
            Self::Nobody => return Ok(()),
            Self::Url => match node {
                Some(basic) => (basic_value(basic), &[][..]),
                None => return Ok(()),
            },
            Self::Fixed { value, beside } => (value.clone(), &beside[..]),
            Self::OAuth { tokens, beside } => (tokens.get(now).await?, &beside[..]),
        };
        let header = (AUTHORIZATION.to_owned(), value.reveal().to_owned());
        request.headers.push(header);
        request.headers.extend(beside.iter().cloned());
        Ok(())
    }

    /// The registry refused what it was shown. Says whether another try may help, because there will be another token.
    pub(super) async fn refused(&self) -> bool {
        match self {
            Self::Nobody | Self::Url | Self::Fixed { .. } => false,
            Self::OAuth { tokens, .. } => {
                tokens.held.lock().await.forget();
                true
            }
        }
    }
}

const AUTHORIZATION: &str = "Authorization";
/// Confluent Cloud's registry behind an address that serves several.
const CLUSTER: &str = "target-sr-cluster";
const IDENTITY_POOL: &str = "Confluent-Identity-Pool-Id";

fn basic_value(basic: &Basic) -> Secret {
    let pair = format!("{}:{}", basic.user, basic.password.reveal());
    Secret::new(&format!("Basic {}", STANDARD.encode(pair)))
}

/// Gets tokens. Whoever comes while one is asked for waits for that one.
#[derive(Debug)]
pub(super) struct Tokens {
    credentials: Box<ClientCredentials>,
    issuer: Arc<dyn Transport>,
    held: tokio::sync::Mutex<Held>,
}

/// The identity provider's good answer (RFC 6749, section 5.1).
#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

impl Tokens {
    async fn get(&self, now: Duration) -> Result<Secret, Error> {
        let mut held = self.held.lock().await;
        if let Some(value) = held.fresh(now) {
            return Ok(value);
        }
        match self.request().await {
            Ok(answer) => Ok(held.put(token_of(answer, now), self.credentials.renew_before)),
            // The old token may serve a little longer than it was meant to.
            Err(error) => held.valid(now).ok_or(error),
        }
    }

    async fn request(&self) -> Result<TokenAnswer, Error> {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let mut form = "grant_type=client_credentials".to_owned();
        if let Some(scope) = &self.credentials.scope {
            form.push_str("&scope=");
            form.push_str(&encode(scope));
        }
        let basic = Basic {
            user: self.credentials.client_id.clone(),
            password: self.credentials.client_secret.clone(),
        };
        let request = Request {
            method: Method::Post,
            target: target_of(&self.credentials.endpoint),
            headers: vec![
                (
                    "Content-Type".to_owned(),
                    "application/x-www-form-urlencoded".to_owned(),
                ),
                ("Accept".to_owned(), "application/json".to_owned()),
                (
                    AUTHORIZATION.to_owned(),
                    basic_value(&basic).reveal().to_owned(),
                ),
            ],
            body: Bytes::from(form),
        };
        let node = self.issuer.node();
        let response = match self.issuer.send(request).await {
            Ok(response) => response,
            Err(TransportError::Broken(why)) => {
                return Err(Error::unreachable(format!(
                    "the identity provider {node} gave no token: {why}"
                )));
            }
            Err(TransportError::TooLarge(_)) => {
                return Err(Error::misconfigured(format!(
                    "the identity provider {node} answers with more than a token; check bearer.auth.issuer.endpoint.url"
                )));
            }
            Err(TransportError::Untrusted(why)) => {
                return Err(Error::misconfigured(format!(
                    "the identity provider {node}: {why}"
                )));
            }
        };
        match response.status {
            200 => serde_json::from_slice(&response.body).map_err(|_| {
                Error::misconfigured(format!(
                    "the identity provider {node} answered without an access_token; check bearer.auth.issuer.endpoint.url"
                ))
            }),
            408 | 429 | 500.. => Err(Error::unreachable(format!(
                "the identity provider {node} answered {}",
                response.status
            ))),
            status => Err(Error::misconfigured(format!(
                "the identity provider {node} refused the client's credentials with {status}; check bearer.auth.client.id, \
                 bearer.auth.client.secret and bearer.auth.scope"
            ))),
        }
    }
}

fn token_of(answer: TokenAnswer, now: Duration) -> Token {
    // Some providers send the number as text.
    let seconds = answer.expires_in.and_then(|value| match value {
        serde_json::Value::Number(number) => number.as_u64(),
        serde_json::Value::String(text) => text.parse().ok(),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    });
    Token {
        value: Secret::new(&format!("Bearer {}", answer.access_token)),
        end: now.saturating_add(Duration::from_secs(seconds.unwrap_or(LIFETIME_SECONDS))),
        from: now,
    }
}

/// How long a token is taken to live whose answer does not say it.
const LIFETIME_SECONDS: u64 = 300;

/// Path and query of a URL.
pub(super) fn target_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    match rest.find(['/', '?']) {
        Some(at) if rest.as_bytes()[at] == b'/' => rest[at..].to_owned(),
        Some(at) => format!("/{}", &rest[at..]),
        None => "/".to_owned(),
    }
}

/// Scheme and authority of a URL.
pub(super) fn origin_of(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?']);
    url[..end.map_or(url.len(), |end| start + end)].to_owned()
}
