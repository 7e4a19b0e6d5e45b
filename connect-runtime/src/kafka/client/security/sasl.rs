//! From keys to [`Sasl`].

use std::collections::BTreeMap;

use ferroconnect_converters::config::{Problem, Secret};
use ferroconnect_registry_client::keystore::TrustSource;

use super::jaas::{self, JaasEntry};
use super::{OAuth, Sasl, ScramHash, TokenRequest};
use crate::kafka::client::layers::{Remarks, Values};
use crate::time::Span;

const MECHANISM: &str = "sasl.mechanism";
const JAAS: &str = "sasl.jaas.config";
const LOGIN_HANDLER: &str = "sasl.login.callback.handler.class";
const ENDPOINT: &str = "sasl.oauthbearer.token.endpoint.url";

/// Reads the `sasl.*` keys; nothing when they do not fit, which is noted then.
pub(super) fn sasl(values: &Values, remarks: &mut Remarks) -> Result<Option<Sasl>, Problem> {
    let mechanism: String = values.get(MECHANISM)?;
    let Some(wanted) = Mechanism::parse(&mechanism) else {
        remarks.problem(if values.is_set(MECHANISM) || mechanism != "GSSAPI" {
            values.invalid(MECHANISM, NOT_SUPPORTED)
        } else {
            let name = values.name(MECHANISM);
            values.said(
                MECHANISM,
                format!("{name} is not set, which means GSSAPI (Kerberos). {NOT_SUPPORTED}"),
            )
        });
        return Ok(None);
    };
    if values.is_set(LOGIN_HANDLER) && !matches!(wanted, Mechanism::OAuthBearer) {
        remarks.problem(values.invalid(LOGIN_HANDLER, JAVA_HANDLER));
    }
    let Some(text) = values.get::<Option<Secret>>(JAAS)? else {
        let name = values.name(JAAS);
        let module = wanted.module();
        remarks.problem(values.said(
            JAAS,
            format!("{name} is required by sasl.mechanism={mechanism}; set it to: {module} required {};", wanted.example()),
        ));
        return Ok(None);
    };
    let entry = match jaas::parse(text.reveal()) {
        Ok(entry) => entry,
        Err(error) => {
            remarks.problem(values.invalid(JAAS, error.to_string()));
            return Ok(None);
        }
    };
    if entry.module != wanted.module() {
        let module = wanted.module();
        remarks.problem(values.invalid(
            JAAS,
            format!("the login module does not belong to sasl.mechanism={mechanism}; use {module}, or another mechanism"),
        ));
        return Ok(None);
    }
    match wanted {
        Mechanism::Plain | Mechanism::Scram(_) => Ok(password(values, remarks, wanted, &entry)),
        Mechanism::OAuthBearer => Ok(oauth(values, remarks, &entry)?.map(Sasl::OAuthBearer)),
    }
}

#[derive(Clone, Copy)]
enum Mechanism {
    Plain,
    Scram(ScramHash),
    OAuthBearer,
}

impl Mechanism {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "PLAIN" => Some(Self::Plain),
            "SCRAM-SHA-256" => Some(Self::Scram(ScramHash::Sha256)),
            "SCRAM-SHA-512" => Some(Self::Scram(ScramHash::Sha512)),
            "OAUTHBEARER" => Some(Self::OAuthBearer),
            _ => None,
        }
    }

    const fn module(self) -> &'static str {
        match self {
            Self::Plain => "org.apache.kafka.common.security.plain.PlainLoginModule",
            Self::Scram(_) => "org.apache.kafka.common.security.scram.ScramLoginModule",
            Self::OAuthBearer => {
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
            }
        }
    }

    const fn example(self) -> &'static str {
        match self {
            Self::Plain | Self::Scram(_) => "username=\"…\" password=\"…\"",
            Self::OAuthBearer => "clientId=\"…\" clientSecret=\"…\"",
        }
    }
}

fn password(
    values: &Values,
    remarks: &mut Remarks,
    mechanism: Mechanism,
    entry: &JaasEntry,
) -> Option<Sasl> {
    let option = |key: &str| {
        entry
            .options
            .get(key)
            .filter(|text| !text.reveal().is_empty())
    };
    let is_token =
        option("tokenauth").is_some_and(|text| text.reveal().eq_ignore_ascii_case("true"));
    if is_token {
        let text =
            "not supported: tokenauth (delegation tokens); use a user with a password of its own";
        remarks.problem(values.invalid(JAAS, text));
    }
    let (user, password) = (option("username"), option("password"));
    for (key, value) in [("username", user), ("password", password)] {
        if value.is_none() {
            let text = format!(
                "the option {key} is missing or empty; write {key}=\"…\" before the semicolon"
            );
            remarks.problem(values.invalid(JAAS, text));
        }
    }
    let (user, password) = (user?.reveal().to_owned(), password?.clone());
    match mechanism {
        Mechanism::Plain => Some(Sasl::Plain { user, password }),
        Mechanism::Scram(hash) => Some(Sasl::Scram {
            hash,
            user,
            password,
        }),
        Mechanism::OAuthBearer => None,
    }
}

fn oauth(
    values: &Values,
    remarks: &mut Remarks,
    entry: &JaasEntry,
) -> Result<Option<OAuth>, Problem> {
    let handler: Option<String> = values.get(LOGIN_HANDLER)?;
    match handler.as_deref() {
        Some(handler) if LOGIN.contains(&handler) => token(values, remarks, entry),
        Some(handler) if handler != UNSECURED => {
            let text = format!("{JAVA_HANDLER}; use {}", LOGIN[0]);
            remarks.problem(values.invalid(LOGIN_HANDLER, text));
            Ok(None)
        }
        Some(_) => Ok(unsecured(values, remarks, entry)),
        // Java would make an unsigned token, which is not what an address of tokens is for.
        None if values.is_set(ENDPOINT) => {
            let text = format!("has no effect without {LOGIN_HANDLER}={}; set it", LOGIN[0]);
            remarks.problem(values.invalid(ENDPOINT, text));
            Ok(None)
        }
        None => Ok(unsecured(values, remarks, entry)),
    }
}

/// Kafka's `OAuthBearerUnsecuredLoginCallbackHandler`: claims by name and type.
fn unsecured(values: &Values, remarks: &mut Remarks, entry: &JaasEntry) -> Option<OAuth> {
    let mut claims = serde_json::Map::new();
    let mut wrong = Vec::new();
    for (key, value) in &entry.options {
        let text = value.reveal();
        let claim = if let Some(name) = key.strip_prefix("unsecuredLoginStringClaim_") {
            (name, text.into())
        } else if let Some(name) = key.strip_prefix("unsecuredLoginNumberClaim_") {
            match text.trim().parse::<f64>() {
                Ok(number) => (name, number.into()),
                Err(_) => {
                    wrong.push("a claim of unsecuredLoginNumberClaim_ is not a number");
                    continue;
                }
            }
        } else if let Some(name) = key.strip_prefix("unsecuredLoginListClaim_") {
            // The first character is what separates the elements.
            let mut chars = text.chars();
            let list: Vec<serde_json::Value> = match chars.next() {
                Some(separator) => chars.as_str().split(separator).map(Into::into).collect(),
                None => Vec::new(),
            };
            (name, list.into())
        } else {
            continue;
        };
        claims.insert(claim.0.to_owned(), claim.1);
    }
    let option = |key: &str| entry.options.get(key).map(Secret::reveal);
    let principal = option("unsecuredLoginPrincipalClaimName").unwrap_or("sub");
    if !claims
        .get(principal)
        .is_some_and(serde_json::Value::is_string)
    {
        wrong.push(
            "the option unsecuredLoginStringClaim_sub is missing: whose token it is; for tokens of an identity provider set \
             sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler and \
             sasl.oauthbearer.token.endpoint.url",
        );
    }
    let seconds = option("unsecuredLoginLifetimeSeconds").unwrap_or("3600");
    let lifetime = seconds
        .trim()
        .parse::<u64>()
        .ok()
        .filter(|seconds| *seconds > 0);
    if lifetime.is_none() {
        wrong.push("the option unsecuredLoginLifetimeSeconds is not a whole number of seconds");
    }
    for text in &wrong {
        remarks.problem(values.invalid(JAAS, *text));
    }
    let lifetime = Span::secs(lifetime?);
    wrong.is_empty().then(|| OAuth::Unsecured {
        claims: serde_json::Value::Object(claims).to_string(),
        lifetime,
        extensions: extensions(&entry.options, "unsecuredLoginExtension_"),
    })
}

/// Kafka's `OAuthBearerLoginCallbackHandler`: a file, or a request to an identity provider.
fn token(
    values: &Values,
    remarks: &mut Remarks,
    entry: &JaasEntry,
) -> Result<Option<OAuth>, Problem> {
    let retriever: String = values.get("sasl.oauthbearer.jwt.retriever.class")?;
    let retriever = retriever.strip_prefix(OAUTH_PACKAGE).unwrap_or(&retriever);
    if !RETRIEVERS.contains(&retriever) {
        let text = format!(
            "not supported; use {OAUTH_PACKAGE}{} or {OAUTH_PACKAGE}{}",
            RETRIEVERS[1], RETRIEVERS[2]
        );
        remarks.problem(values.invalid("sasl.oauthbearer.jwt.retriever.class", text));
    }
    let extensions = extensions(&entry.options, "extension_");
    let Some(url) = values.get::<Option<String>>(ENDPOINT)? else {
        let name = values.name(ENDPOINT);
        remarks.problem(values.said(ENDPOINT, format!("{name} is required by OAUTHBEARER; set it to an https address, or to file: and a path")));
        return Ok(None);
    };
    if let Some(path) = url.strip_prefix("file:") {
        let path = path.strip_prefix("//").unwrap_or(path).to_owned();
        return Ok(Some(OAuth::File { path, extensions }));
    }
    if !url.starts_with("https://") {
        let text = "not supported: the client's secret and the token must not cross the network in the clear; use an https address";
        remarks.problem(values.invalid(ENDPOINT, text));
    }
    request(values, remarks, entry, url, extensions)
}

fn request(
    values: &Values,
    remarks: &mut Remarks,
    entry: &JaasEntry,
    endpoint: String,
    extensions: Vec<(String, String)>,
) -> Result<Option<OAuth>, Problem> {
    let option = |key: &str| entry.options.get(key).cloned();
    let id: Option<String> = values.get("sasl.oauthbearer.client.credentials.client.id")?;
    let id = id.or_else(|| option("clientId").map(|text| text.reveal().to_owned()));
    let secret: Option<Secret> = values.get("sasl.oauthbearer.client.credentials.client.secret")?;
    let secret = secret.or_else(|| option("clientSecret"));
    let scope: Option<String> = values.get("sasl.oauthbearer.scope")?;
    for (key, is_there) in [
        (
            "sasl.oauthbearer.client.credentials.client.id",
            id.is_some(),
        ),
        (
            "sasl.oauthbearer.client.credentials.client.secret",
            secret.is_some(),
        ),
    ] {
        if !is_there {
            let name = values.name(key);
            remarks.problem(values.said(key, format!("{name} is required by {ENDPOINT}; set it")));
        }
    }
    let trust = TrustSource {
        certificates: option("ssl.truststore.certificates"),
        location: option("ssl.truststore.location").map(|text| text.reveal().to_owned()),
        kind: option("ssl.truststore.type")
            .map_or_else(|| "JKS".to_owned(), |text| text.reveal().to_owned()),
        password: option("ssl.truststore.password"),
    };
    let trust = match trust.read() {
        Ok(trust) => trust,
        Err((key, text)) => {
            remarks.problem(values.invalid(JAAS, format!("{key}: {text}")));
            return Ok(None);
        }
    };
    let connect: Option<i32> = values.get("sasl.login.connect.timeout.ms")?;
    let read: Option<i32> = values.get("sasl.login.read.timeout.ms")?;
    let timeout = [connect, read]
        .into_iter()
        .flatten()
        .map(i64::from)
        .sum::<i64>();
    let (Some(client_id), Some(client_secret)) = (id, secret) else {
        return Ok(None);
    };
    Ok(Some(OAuth::Request(Box::new(TokenRequest {
        endpoint,
        client_id,
        client_secret,
        scope: scope.or_else(|| option("scope").map(|text| text.reveal().to_owned())),
        timeout: u64::try_from(timeout)
            .ok()
            .filter(|millis| *millis > 0)
            .map(Span::millis),
        trust,
        extensions,
    }))))
}

fn extensions(options: &BTreeMap<String, Secret>, prefix: &str) -> Vec<(String, String)> {
    let pairs = options.iter();
    pairs
        .filter_map(|(key, value)| {
            Some((
                key.strip_prefix(prefix)?.to_owned(),
                value.reveal().to_owned(),
            ))
        })
        .collect()
}

const NOT_SUPPORTED: &str = "not supported; use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, on a listener of the brokers that \
                             has it (GSSAPI, which is Kerberos, needs a library that is not part of this program)";
const JAVA_HANDLER: &str =
    "not supported: a callback handler is a Java class, which cannot be loaded here";
const OAUTH_PACKAGE: &str = "org.apache.kafka.common.security.oauthbearer.";
/// The handler of today, and that of Kafka 3.
const LOGIN: [&str; 2] = [
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
];
const UNSECURED: &str = "org.apache.kafka.common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler";
const RETRIEVERS: [&str; 3] = [
    "DefaultJwtRetriever",
    "ClientCredentialsJwtRetriever",
    "FileJwtRetriever",
];
