//! Who a client is and whom it trusts.

mod sasl;
mod settings;

use ferroconnect_converters::config::Secret;
pub use ferroconnect_registry_client::jaas;
pub use ferroconnect_registry_client::keystore::{
    self as store, KeyMaterial, StoreFile, StoreKind, TrustMaterial,
};

use crate::time::Span;

pub(super) use settings::security;

/// `security.protocol` with what belongs to it. The default is `PLAINTEXT`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Security {
    /// TLS, for `SSL` and `SASL_SSL`.
    pub tls: Option<Tls>,
    /// How the client says who it is, for `SASL_PLAINTEXT` and `SASL_SSL`.
    pub sasl: Option<Sasl>,
}

impl Security {
    /// Kafka's name of the protocol.
    pub fn protocol(&self) -> &'static str {
        match (&self.tls, &self.sasl) {
            (None, None) => "PLAINTEXT",
            (Some(_), None) => "SSL",
            (None, Some(_)) => "SASL_PLAINTEXT",
            (Some(_), Some(_)) => "SASL_SSL",
        }
    }
}

/// The `ssl.*` keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tls {
    /// The client's own certificate and key; `None` without mutual TLS.
    pub key: Option<KeyMaterial>,
    /// Whom it trusts; `None` is the system's own list.
    pub trust: Option<TrustMaterial>,
}

/// `sasl.mechanism` with the credentials of `sasl.jaas.config`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Sasl {
    /// `PLAIN`.
    Plain {
        /// Whose name.
        user: String,
        /// The password.
        password: Secret,
    },
    /// `SCRAM-SHA-256`, `SCRAM-SHA-512`.
    Scram {
        /// Which of them.
        hash: ScramHash,
        /// Whose name.
        user: String,
        /// The password.
        password: Secret,
    },
    /// `OAUTHBEARER`.
    OAuthBearer(OAuth),
}

impl Sasl {
    /// Kafka's name of the mechanism.
    pub const fn mechanism(&self) -> &'static str {
        match self {
            Self::Plain { .. } => "PLAIN",
            Self::Scram {
                hash: ScramHash::Sha256,
                ..
            } => "SCRAM-SHA-256",
            Self::Scram {
                hash: ScramHash::Sha512,
                ..
            } => "SCRAM-SHA-512",
            Self::OAuthBearer(_) => "OAUTHBEARER",
        }
    }
}

/// The hash of a SCRAM mechanism (RFC 5802, RFC 7677).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the two of Kafka")]
pub enum ScramHash {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

/// Where tokens come from, and what goes along with them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OAuth {
    /// An unsigned token made here, for brokers that check nothing (RFC 7515, appendix A.5).
    Unsecured {
        /// The claims but for `iat` and `exp`, as a JSON object.
        claims: String,
        /// How long each token lives.
        lifetime: Span,
        /// SASL extensions (RFC 7628).
        extensions: Vec<(String, String)>,
    },
    /// Asked from an identity provider with the client credentials grant (KIP-768).
    Request(Box<TokenRequest>),
    /// Read from a file before each connection (`sasl.oauthbearer.token.endpoint.url=file:…`).
    File {
        /// Its path.
        path: String,
        /// SASL extensions (RFC 7628).
        extensions: Vec<(String, String)>,
    },
}

/// A request for a token (RFC 6749, section 4.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenRequest {
    /// `sasl.oauthbearer.token.endpoint.url`: an `https` address.
    pub endpoint: String,
    /// `sasl.oauthbearer.client.credentials.client.id`, or the JAAS option `clientId`.
    pub client_id: String,
    /// `sasl.oauthbearer.client.credentials.client.secret`, or the JAAS option `clientSecret`.
    pub client_secret: Secret,
    /// `sasl.oauthbearer.scope`, or the JAAS option `scope`.
    pub scope: Option<String>,
    /// `sasl.login.connect.timeout.ms` and `sasl.login.read.timeout.ms` together.
    pub timeout: Option<Span>,
    /// Whom the request trusts, from the JAAS options `ssl.truststore.*`; `None` is the system's own list.
    pub trust: Option<TrustMaterial>,
    /// SASL extensions (RFC 7628).
    pub extensions: Vec<(String, String)>,
}
