//! Who the client is and whom it trusts, in the words of the client library. Key stores are read here, each time a client is made, so
//! that the next one uses a store that was renewed.

use std::fs::File;
use std::io::{self, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use krafka::auth::oidc::{ClientCredentials, OidcTokenProvider};
use krafka::auth::{AuthConfig, OAuthBearerToken, TlsConfig};
use krafka::error::KrafkaError;

use super::errors;
use crate::kafka::client::security::store::{self, Identity, StoreError};
use crate::kafka::client::{OAuth, Sasl, ScramHash, Security, Tls, TokenRequest, TrustMaterial};
use crate::kafka::error::{Class, Error, Result};
use crate::time::{Clock as _, Span, SystemClock};

/// The settings of a connection; `None` for plaintext.
///
/// # Errors
/// `InvalidRequest` for a key store that cannot be read, with the file and what is wrong with it.
pub(super) async fn auth(
    operation: &'static str,
    security: &Security,
) -> Result<Option<AuthConfig>> {
    let tls = match &security.tls {
        Some(tls) => Some(tls_config(operation, tls.clone()).await?),
        None => None,
    };
    let sasl = match &security.sasl {
        Some(sasl) => Some(sasl_config(operation, sasl).await?),
        None => None,
    };
    Ok(match (sasl, tls) {
        (Some(sasl), Some(tls)) => Some(sasl.with_tls(tls)),
        (Some(sasl), None) => Some(sasl),
        (None, Some(tls)) => Some(AuthConfig::ssl(tls)),
        (None, None) => None,
    })
}

/// Reads the key stores. Files may be slow, so this happens beside the runtime.
async fn tls_config(operation: &'static str, tls: Tls) -> Result<TlsConfig> {
    let read = tokio::task::spawn_blocking(move || {
        let key = tls.key.map(|key| store::identity(&key, &read_file));
        let trust = tls.trust.map(|trust| store::trusted(&trust, &read_file));
        Ok::<_, StoreError>((key.transpose()?, trust.transpose()?))
    });
    let (key, trust) = read
        .await
        .map_err(|_| Error::new(Class::Fatal, operation, "reading the key stores was lost"))?
        .map_err(|error| refused(operation, &error))?;
    let config = match trust {
        Some(trusted) => TlsConfig::new().with_ca_cert_pem(trusted.to_pem()),
        None => TlsConfig::new().with_native_roots(),
    };
    Ok(match key {
        Some(identity) => {
            warn_about_validity(&identity);
            let key = identity.key_pem.reveal().as_bytes().to_vec();
            config.with_client_cert_pem(identity.chain_pem(), key)
        }
        None => config,
    })
}

fn refused(operation: &'static str, error: &StoreError) -> Error {
    Error::new(Class::InvalidRequest, operation, error.cause()).next_step(error.advice())
}

/// A broker refuses an expired certificate with an alert that does not say so; here it is known.
fn warn_about_validity(identity: &Identity) {
    let now = SystemClock::new().wall().as_millis() / 1_000;
    let place = &identity.place;
    match identity.validity() {
        Some(validity) if validity.until < now => {
            let days = (now - validity.until) / SECONDS_PER_DAY;
            tracing::warn!(
                "key store {place}: the client's certificate expired {days} days ago; renew it, brokers will refuse it"
            );
        }
        Some(validity) if validity.from > now => {
            tracing::warn!(
                "key store {place}: the client's certificate is not valid yet; check this machine's clock"
            );
        }
        Some(validity) if validity.until - now < SECONDS_PER_DAY * EXPIRES_SOON_DAYS => {
            let days = (validity.until - now) / SECONDS_PER_DAY;
            tracing::warn!(
                "key store {place}: the client's certificate expires in {days} days; renew it"
            );
        }
        Some(_) | None => {}
    }
}

/// Reads a whole file of at most `max` bytes.
fn read_file(path: &str, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

async fn sasl_config(operation: &'static str, sasl: &Sasl) -> Result<AuthConfig> {
    match sasl {
        Sasl::Plain { user, password } => {
            Ok(AuthConfig::sasl_plain(user.as_str(), password.reveal()))
        }
        Sasl::Scram {
            hash,
            user,
            password,
        } => Ok(match hash {
            ScramHash::Sha256 => AuthConfig::sasl_scram_sha256(user.as_str(), password.reveal()),
            ScramHash::Sha512 => AuthConfig::sasl_scram_sha512(user.as_str(), password.reveal()),
        }),
        Sasl::OAuthBearer(OAuth::Unsecured {
            claims,
            lifetime,
            extensions,
        }) => {
            let (claims, lifetime, extensions) = (claims.clone(), *lifetime, extensions.clone());
            Ok(AuthConfig::sasl_oauthbearer_provider(move || {
                let now = SystemClock::new().wall().as_millis();
                let token = unsecured_token(&claims, now, lifetime);
                std::future::ready(Ok(with_extensions(token, &extensions)))
            }))
        }
        Sasl::OAuthBearer(OAuth::File { path, extensions }) => {
            let (path, extensions) = (path.clone(), extensions.clone());
            Ok(AuthConfig::sasl_oauthbearer_provider(move || {
                let (path, extensions) = (path.clone(), extensions.clone());
                async move { Ok(with_extensions(token_of_file(path).await?, &extensions)) }
            }))
        }
        Sasl::OAuthBearer(OAuth::Request(request)) => {
            let provider = token_provider(operation, request).await?;
            Ok(AuthConfig::sasl_oauthbearer_provider(provider))
        }
    }
}

/// An unsigned token (RFC 7515, appendix A.5) with times of issue and expiry.
fn unsecured_token(claims: &str, now_millis: i64, lifetime: Span) -> OAuthBearerToken {
    let lifetime = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
    let expiry = now_millis.saturating_add(lifetime);
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
    let claims = URL_SAFE_NO_PAD.encode(with_times(claims, now_millis, expiry));
    OAuthBearerToken::new(format!("{header}.{claims}.")).with_lifetime_ms(expiry)
}

/// The claims, a JSON object that holds at least whose token it is, with the times of issue and expiry in seconds.
fn with_times(claims: &str, issued_millis: i64, expiry_millis: i64) -> String {
    let (issued, expiry) = (issued_millis / 1_000, expiry_millis / 1_000);
    let rest = claims.strip_prefix('{').unwrap_or("}");
    format!("{{\"iat\":{issued},\"exp\":{expiry},{rest}")
}

/// Read before each connection: another program renews it.
async fn token_of_file(path: String) -> krafka::Result<OAuthBearerToken> {
    let place = path.clone();
    let read = tokio::task::spawn_blocking(move || read_file(&path, TOKEN_BYTES_MAX)).await;
    let refused = |what: &str| {
        KrafkaError::config(format!(
            "token file {place}: {what}; check sasl.oauthbearer.token.endpoint.url"
        ))
    };
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(refused(&format!("cannot be read: {}", error.kind()))),
        Err(_) => return Err(refused("reading was lost")),
    };
    let text = String::from_utf8(bytes).map_err(|_| refused("is no text"))?;
    match text.trim() {
        "" => Err(refused("is empty")),
        token => Ok(OAuthBearerToken::new(token)),
    }
}

fn with_extensions(token: OAuthBearerToken, extensions: &[(String, String)]) -> OAuthBearerToken {
    let pairs = extensions.iter();
    pairs.fold(token, |token, (key, value)| {
        token.with_extension(key.as_str(), value.as_str())
    })
}

async fn token_provider(
    operation: &'static str,
    request: &TokenRequest,
) -> Result<OidcTokenProvider> {
    let secret = request.client_secret.reveal();
    let mut builder = OidcTokenProvider::builder(request.endpoint.as_str()).credentials(
        ClientCredentials::secret(request.client_id.as_str(), secret),
    );
    if let Some(scope) = &request.scope {
        builder = builder.scope(scope.as_str());
    }
    if let Some(timeout) = request.timeout {
        builder = builder.request_timeout(timeout.to_duration());
    }
    for (key, value) in &request.extensions {
        builder = builder.sasl_extension(key.as_str(), value.as_str());
    }
    builder = match request.trust.clone() {
        Some(trust) => builder.ca_cert_pem(trusted_pem(operation, trust).await?),
        None => builder.native_roots(),
    };
    // Reads the system's certificates.
    let built = tokio::task::spawn_blocking(move || builder.build()).await;
    built
        .map_err(|_| Error::new(Class::Fatal, operation, "preparing token requests was lost"))?
        .map_err(|error| errors::error(operation, &error))
}

async fn trusted_pem(operation: &'static str, trust: TrustMaterial) -> Result<String> {
    let read = tokio::task::spawn_blocking(move || store::trusted(&trust, &read_file)).await;
    let trusted = read
        .map_err(|_| Error::new(Class::Fatal, operation, "reading the trust store was lost"))?
        .map_err(|error| refused(operation, &error))?;
    Ok(trusted.to_pem())
}

const SECONDS_PER_DAY: i64 = 86_400;
/// Time enough to ask for a new certificate.
const EXPIRES_SOON_DAYS: i64 = 14;
/// A token that does not fit is none.
const TOKEN_BYTES_MAX: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsigned_token_is_that_of_java() {
        let token = unsecured_token(r#"{"sub":"alice"}"#, 1_700_000_000_123, Span::secs(60));
        assert_eq!(token.lifetime_ms(), Some(1_700_000_060_123));
        assert_eq!(
            with_times(r#"{"sub":"alice"}"#, 1_700_000_000_123, 1_700_000_060_123),
            r#"{"iat":1700000000,"exp":1700000060,"sub":"alice"}"#
        );
        assert!(token.validate().is_ok());
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, [7; 10]).unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(read_file(path, 10).unwrap().len(), 10);
        assert_eq!(
            read_file(path, 9).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
    }
}
