//! Why a broker and a client do not come together: what no retry changes, with the next step. Decided by the values inside of the
//! library's error, never by its text.

use std::error::Error as StdError;
use std::io;

use krafka::auth::TlsConfig;
use krafka::error::{KrafkaError, ProtocolErrorKind};
use rustls::CertificateError;

use super::probe::{self, Heard};
use crate::kafka::client::{ConnectionSettings, Sasl, Security};
use crate::kafka::error::{Class, Error};

/// The error to give up with, if connecting failed for a reason that stays.
pub(super) fn refusal(
    operation: &'static str,
    error: &KrafkaError,
    security: &Security,
) -> Option<Error> {
    let (class, advice) = match cause(error) {
        Cause::Tls(rustls::Error::AlertReceived(_)) => (Class::Auth, CLIENT_REFUSED),
        Cause::Tls(rustls::Error::InvalidCertificate(certificate)) => {
            (Class::Auth, certificate_advice(certificate))
        }
        Cause::Tls(rustls::Error::PeerIncompatible(_)) => (Class::Auth, INCOMPATIBLE),
        // What answers does not speak TLS.
        Cause::Tls(rustls::Error::InvalidMessage(_)) => (Class::InvalidRequest, NO_TLS),
        Cause::Tls(_) => (Class::Auth, OTHER_TLS),
        Cause::Login => (Class::Auth, LOGIN_REFUSED),
        Cause::Settings => (Class::InvalidRequest, SETTINGS),
        Cause::NotKafka if security.tls.is_none() => (Class::InvalidRequest, TLS_OR_NOT_KAFKA),
        Cause::NotKafka | Cause::Other => return None,
    };
    Some(Error::new(class, operation, error.to_string()).next_step(advice))
}

/// Asks the servers, without saying who asks, whether they want what the client does not offer.
pub(super) async fn mismatch(
    operation: &'static str,
    servers: &[String],
    settings: &ConnectionSettings,
    tls: Option<&TlsConfig>,
) -> Option<Error> {
    let security = &settings.security;
    for server in servers.iter().take(ASKED_MAX) {
        let heard = probe::ask(server, tls, settings.connect_timeout.to_duration()).await;
        let Some((what, advice)) = heard.and_then(|heard| mismatch_of(&heard, security)) else {
            continue;
        };
        let protocol = security.protocol();
        let cause = format!("{server} {what}; security.protocol is {protocol}");
        return Some(Error::new(Class::InvalidRequest, operation, cause).next_step(advice));
    }
    None
}

/// What a server has and the client does not, or the other way round.
fn mismatch_of(heard: &Heard, security: &Security) -> Option<(String, &'static str)> {
    match (heard, &security.tls, &security.sasl) {
        (Heard::Tls | Heard::Secured { .. }, None, _) => Some((
            "speaks TLS".to_owned(),
            "set security.protocol to SSL or SASL_SSL, or use the port of a listener without TLS",
        )),
        (Heard::Tls, Some(_), _) => None,
        (Heard::Clear { .. }, Some(_), _) => Some(("speaks no TLS".to_owned(), NO_TLS)),
        (Heard::Clear { mechanisms } | Heard::Secured { mechanisms }, _, sasl) => {
            login_mismatch(mechanisms, sasl.as_ref())
        }
    }
}

fn login_mismatch(mechanisms: &[String], sasl: Option<&Sasl>) -> Option<(String, &'static str)> {
    let had = mechanisms.join(", ");
    match sasl {
        None if !mechanisms.is_empty() => Some((
            format!("wants a SASL login ({had})"),
            "set security.protocol to SASL_PLAINTEXT, or SASL_SSL if it was SSL, and sasl.mechanism and sasl.jaas.config",
        )),
        Some(_) if mechanisms.is_empty() => Some((
            "has no SASL login".to_owned(),
            "set security.protocol to PLAINTEXT, or SSL if it was SASL_SSL, or use the port of a listener with SASL",
        )),
        Some(sasl) if !mechanisms.iter().any(|name| name == sasl.mechanism()) => Some((
            format!(
                "has the SASL mechanisms {had}, but not {}",
                sasl.mechanism()
            ),
            "set sasl.mechanism to one of them, with the login module that belongs to it",
        )),
        Some(_) | None => None,
    }
}

/// Whether a server should be asked what it speaks: it was reached, and what it did may be due to another protocol.
pub(super) fn is_worth_asking(error: &KrafkaError, security: &Security) -> bool {
    match cause(error) {
        Cause::Login => security.sasl.is_some(),
        Cause::NotKafka | Cause::Other => true,
        Cause::Tls(_) | Cause::Settings => false,
    }
}

enum Cause<'a> {
    Tls(&'a rustls::Error),
    /// SASL, or the identity provider.
    Login,
    /// A setting that the library refuses.
    Settings,
    /// An answer whose length is impossible.
    NotKafka,
    Other,
}

/// The first cause in the chain that says more than "could not connect".
fn cause(error: &KrafkaError) -> Cause<'_> {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    let mut found = Cause::Other;
    for _ in 0..CHAIN_MAX {
        let Some(error) = next else { break };
        if let Some(tls) = tls_error(error) {
            return Cause::Tls(tls);
        }
        match error.downcast_ref::<KrafkaError>() {
            // A TLS error may lie deeper.
            Some(KrafkaError::Auth { .. }) => found = Cause::Login,
            Some(KrafkaError::Config { .. }) => found = Cause::Settings,
            Some(KrafkaError::Protocol {
                kind: ProtocolErrorKind::InvalidLength | ProtocolErrorKind::FrameTooLarge,
                ..
            }) => {
                found = Cause::NotKafka;
            }
            Some(_) | None => {}
        }
        next = error.source();
    }
    found
}

/// TLS errors come inside of I/O errors, whose `source` skips them.
fn tls_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    let of_library = match error.downcast_ref::<KrafkaError>() {
        Some(KrafkaError::Network(io)) => Some(io.as_ref()),
        Some(_) | None => None,
    };
    let io = of_library.or_else(|| error.downcast_ref::<io::Error>());
    io?.get_ref()?.downcast_ref::<rustls::Error>()
}

/// What helps with a certificate of the broker.
const fn certificate_advice(error: &CertificateError) -> &'static str {
    use CertificateError as Told;
    if matches!(error, Told::UnknownIssuer | Told::BadSignature) {
        "put the certificate of the authority that signed the broker's into the trust store (ssl.truststore.*)"
    } else if matches!(
        error,
        Told::NotValidForName | Told::NotValidForNameContext { .. }
    ) {
        "call the broker by a host name of its certificate (bootstrap.servers, and advertised.listeners of the broker), or give it a \
         certificate with this host name"
    } else if matches!(error, Told::Expired | Told::ExpiredContext { .. }) {
        "renew the broker's certificate; if it is valid, check this machine's clock"
    } else if matches!(error, Told::NotValidYet | Told::NotValidYetContext { .. }) {
        "the broker's certificate is for later; check this machine's clock"
    } else {
        "give the broker a certificate that is valid for servers"
    }
}

const CLIENT_REFUSED: &str = "the broker refused the client's certificate: check that ssl.keystore.* names one, that it is valid, and that \
                              the broker's trust store knows who signed it";
const INCOMPATIBLE: &str =
    "let the broker's listener offer TLS 1.2 or 1.3 with a modern cipher suite";
const NO_TLS: &str =
    "set security.protocol to PLAINTEXT or SASL_PLAINTEXT, or use the port of a listener with TLS";
const TLS_OR_NOT_KAFKA: &str = "what answers there does not speak Kafka in the clear; if the listener has TLS, set security.protocol to SSL \
                                or SASL_SSL";
const OTHER_TLS: &str = "check the certificates of both sides (ssl.keystore.*, ssl.truststore.*)";
const LOGIN_REFUSED: &str =
    "check sasl.mechanism, and user and password (or client and secret) in sasl.jaas.config";
const SETTINGS: &str = "correct the client's settings";
/// Causes have few causes; a chain without end is a mistake.
const CHAIN_MAX: usize = 16;
/// Servers that are asked; the listeners of a cluster are alike.
const ASKED_MAX: usize = 3;
