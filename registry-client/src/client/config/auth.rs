//! `basic.auth.*` and `bearer.auth.*`.

use std::time::Duration;

use super::parse::Keys;
use super::{Auth, Basic, Bearer, ClientCredentials, TokenSource};
use crate::Secret;
use crate::jaas;

const BASIC: &str = "basic.auth.credentials.source";
const BEARER: &str = "bearer.auth.credentials.source";
const USER_INFO: &str = "basic.auth.user.info";
const JAAS: &str = "sasl.jaas.config";

pub(super) fn auth(keys: &mut Keys<'_>) -> Auth {
    let basic = keys.text(BASIC).map(str::trim);
    let bearer = keys.text(BEARER).map(str::trim);
    let found = match (basic, bearer) {
        (Some(_), Some(_)) => {
            keys.problem(
                BASIC,
                "Only one of 'basic.auth.credentials.source' and 'bearer.auth.credentials.source' may be specified; remove one",
            );
            None
        }
        (None, None) => Some(Auth::None),
        (Some(source), None) => match source.to_ascii_uppercase().as_str() {
            "URL" => Some(Auth::Url),
            "USER_INFO" => user_info(keys).map(Auth::Basic),
            "SASL_INHERIT" => inherited(keys).map(Auth::Basic),
            _ => {
                keys.problem(
                    BASIC,
                    format!("'{source}' is not known; use URL, USER_INFO or SASL_INHERIT"),
                );
                None
            }
        },
        (None, Some(source)) => bearer_of(keys, source).map(Auth::Bearer),
    };
    found.unwrap_or(Auth::None)
}

fn user_info(keys: &mut Keys<'_>) -> Option<Basic> {
    let Some(text) = keys.text(USER_INFO) else {
        keys.problem(
            USER_INFO,
            "is required by basic.auth.credentials.source=USER_INFO; set it to user:password",
        );
        return None;
    };
    let Some((user, password)) = text.split_once(':') else {
        keys.problem(USER_INFO, "has no colon; write user:password");
        return None;
    };
    Some(Basic {
        user: user.to_owned(),
        password: Secret::new(password),
    })
}

/// User and password of `sasl.jaas.config`.
fn inherited(keys: &mut Keys<'_>) -> Option<Basic> {
    let entry = jaas_entry(keys, "basic.auth.credentials.source=SASL_INHERIT")?;
    if entry.module.ends_with("Krb5LoginModule") {
        keys.problem(
            JAAS,
            "Kerberos has no password to inherit; use basic.auth.credentials.source=USER_INFO",
        );
        return None;
    }
    let option = |name: &str| entry.options.get(name).cloned();
    let (Some(user), Some(password)) = (option("username"), option("password")) else {
        keys.problem(
            JAAS,
            "the options username and password are needed by SASL_INHERIT; add them",
        );
        return None;
    };
    Some(Basic {
        user: user.reveal().to_owned(),
        password,
    })
}

fn jaas_entry(keys: &mut Keys<'_>, user: &str) -> Option<jaas::JaasEntry> {
    let Some(text) = keys.text(JAAS) else {
        keys.problem(JAAS, format!("is required by {user}; set it"));
        return None;
    };
    match jaas::parse(text) {
        Ok(entry) => Some(entry),
        Err(error) => {
            keys.problem(JAAS, error.to_string());
            None
        }
    }
}

fn bearer_of(keys: &mut Keys<'_>, source: &str) -> Option<Bearer> {
    let mut inherited = Inherited::default();
    let token = match source.to_ascii_uppercase().as_str() {
        "STATIC_TOKEN" => static_token(keys),
        "OAUTHBEARER" => client_credentials(keys, &inherited),
        "SASL_OAUTHBEARER_INHERIT" => {
            inherited = inherited_oauth(keys)?;
            client_credentials(keys, &inherited)
        }
        "CUSTOM" => {
            keys.problem(
                BEARER,
                "not supported: CUSTOM names a Java class; use STATIC_TOKEN or OAUTHBEARER",
            );
            None
        }
        "UAMI" => {
            keys.problem(
                BEARER,
                "not supported: UAMI (Azure managed identity); use OAUTHBEARER with the identity provider's token endpoint",
            );
            None
        }
        _ => {
            keys.problem(
                BEARER,
                format!("'{source}' is not known; use STATIC_TOKEN, OAUTHBEARER or SASL_OAUTHBEARER_INHERIT"),
            );
            None
        }
    };
    let text = |key: &str| keys.text(key).map(|text| text.trim().to_owned());
    Some(Bearer {
        token: token?,
        cluster: text("bearer.auth.logical.cluster").or(inherited.cluster),
        identity_pool: text("bearer.auth.identity.pool.id").or(inherited.identity_pool),
    })
}

fn static_token(keys: &mut Keys<'_>) -> Option<TokenSource> {
    const TOKEN: &str = "bearer.auth.token";
    let Some(token) = keys.text(TOKEN).map(str::trim) else {
        keys.problem(
            TOKEN,
            "is required by bearer.auth.credentials.source=STATIC_TOKEN; set it",
        );
        return None;
    };
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        keys.problem(
            TOKEN,
            "is no bearer token: it has spaces or other characters that none has",
        );
        return None;
    }
    Some(TokenSource::Static(Secret::new(token)))
}

/// What `SASL_OAUTHBEARER_INHERIT` takes from the Kafka client's settings.
#[derive(Default)]
struct Inherited {
    endpoint: Option<String>,
    id: Option<String>,
    secret: Option<Secret>,
    scope: Option<String>,
    cluster: Option<String>,
    identity_pool: Option<String>,
}

fn inherited_oauth(keys: &mut Keys<'_>) -> Option<Inherited> {
    let entry = jaas_entry(
        keys,
        "bearer.auth.credentials.source=SASL_OAUTHBEARER_INHERIT",
    )?;
    let option = |name: &str| entry.options.get(name).cloned();
    let text = |name: &str| option(name).map(|text| text.reveal().to_owned());
    let key = |name: &str| keys.text(name).map(str::to_owned);
    Some(Inherited {
        endpoint: key("sasl.oauthbearer.token.endpoint.url"),
        id: key("sasl.oauthbearer.client.credentials.client.id").or_else(|| text("clientId")),
        secret: keys
            .secret("sasl.oauthbearer.client.credentials.client.secret")
            .or_else(|| option("clientSecret")),
        scope: key("sasl.oauthbearer.scope").or_else(|| text("scope")),
        cluster: text("extension_logicalCluster"),
        identity_pool: text("extension_identityPoolId"),
    })
}

fn client_credentials(keys: &mut Keys<'_>, inherited: &Inherited) -> Option<TokenSource> {
    const ENDPOINT: &str = "bearer.auth.issuer.endpoint.url";
    const ID: &str = "bearer.auth.client.id";
    const SECRET: &str = "bearer.auth.client.secret";
    const BUFFER: &str = "bearer.auth.cache.expiry.buffer.seconds";
    let text = |key: &str| keys.text(key).map(|text| text.trim().to_owned());
    let endpoint = text(ENDPOINT).or_else(|| inherited.endpoint.clone());
    let id = text(ID).or_else(|| inherited.id.clone());
    let scope = text("bearer.auth.scope").or_else(|| inherited.scope.clone());
    let secret = keys.secret(SECRET).or_else(|| inherited.secret.clone());
    let mut buffer = keys.number(BUFFER, 0_u64, 300);
    if buffer > EXPIRY_BUFFER_MAX {
        keys.problem(BUFFER, format!("must be at most {EXPIRY_BUFFER_MAX}"));
        buffer = EXPIRY_BUFFER_MAX;
    }
    for (key, is_there) in [
        (ENDPOINT, endpoint.is_some()),
        (ID, id.is_some()),
        (SECRET, secret.is_some()),
    ] {
        if !is_there {
            keys.problem(key, "is required to get tokens; set it");
        }
    }
    let endpoint = endpoint?;
    if !is_safe(&endpoint) {
        keys.problem(
            ENDPOINT,
            "the client's secret and the token must not cross the network in the clear; use an https address",
        );
    }
    Some(TokenSource::ClientCredentials(Box::new(
        ClientCredentials {
            endpoint,
            client_id: id?,
            client_secret: secret?,
            scope,
            renew_before: Duration::from_secs(buffer),
        },
    )))
}

/// Whether secrets may go there: encrypted, or within this machine.
fn is_safe(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let Some(rest) = lower.strip_prefix("http://") else {
        return lower.starts_with("https://");
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|local| {
        host.strip_prefix(local)
            .is_some_and(|port| port.is_empty() || port.starts_with(':'))
    })
}

/// Seconds at most in `bearer.auth.cache.expiry.buffer.seconds`, as in Java.
const EXPIRY_BUFFER_MAX: u64 = 3_600;
