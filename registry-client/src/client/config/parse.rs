//! From keys to [`ClientConfig`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use super::{
    ANSWER_BYTES_MAX, Address, Basic, CacheConfig, ClientConfig, ConfigProblems, NodeUrl, Proxy,
    REQUEST_DEADLINE, Timeouts, auth, tls,
};
use crate::Secret;
use crate::client::retry::RetryPolicy;

impl ClientConfig {
    /// Reads the Java client's keys (`SchemaRegistryClientConfig`, and those of the serializers that it hands on). Every key may have
    /// the prefix `schema.registry.`; the prefixed one counts. Keys of others are let through.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    ///
    /// ```
    /// use ferroconnect_registry_client::client::ClientConfig;
    /// let config = ClientConfig::parse([
    ///     ("schema.registry.url", "https://one:8081,https://two:8081/"),
    ///     ("basic.auth.credentials.source", "USER_INFO"),
    ///     ("basic.auth.user.info", "ann:s3cret"),
    /// ])?;
    /// assert!(!format!("{config:?}").contains("s3cret"));
    /// let wrong = ClientConfig::parse([("max.retries", "many")]).unwrap_err();
    /// assert_eq!(wrong.iter().count(), 2); // the number, and the missing URL
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse<'a>(
        keys: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ConfigProblems> {
        let mut keys = Keys::new(keys);
        let address = address(&mut keys);
        let config = Self {
            randomize: keys.flag("schema.registry.url.randomize", false),
            auth: auth::auth(&mut keys),
            tls: tls::tls(&mut keys),
            proxy: proxy(&mut keys),
            headers: headers(&mut keys),
            timeouts: Timeouts {
                connect: keys.millis("http.connect.timeout.ms", 60_000),
                read: keys.millis("http.read.timeout.ms", 60_000),
                deadline: Duration::from_millis(keys.number(
                    "request.deadline.ms",
                    1_u64,
                    u64::from(millis(REQUEST_DEADLINE)),
                )),
            },
            retries: RetryPolicy {
                retries: keys.number("max.retries", 0, 3),
                first_wait: keys.millis("retries.wait.ms", 1_000),
                longest_wait: keys.millis("retries.max.wait.ms", 20_000),
            },
            answer_bytes_max: keys.number("response.max.bytes", 1, ANSWER_BYTES_MAX),
            cache: cache(&mut keys),
            address: address.unwrap_or_else(|| Address::Http(Vec::new())),
        };
        if keys.problems.is_empty() {
            Ok(config)
        } else {
            Err(ConfigProblems(keys.problems))
        }
    }
}

/// The keys as they were given, and what is wrong with them.
pub(super) struct Keys<'a> {
    given: BTreeMap<&'a str, &'a str>,
    problems: Vec<(String, String)>,
}

const PREFIX: &str = "schema.registry.";

impl<'a> Keys<'a> {
    pub(super) fn new(keys: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self {
            given: keys.into_iter().collect(),
            problems: Vec::new(),
        }
    }

    /// The name under which a key was given, with its value.
    pub(super) fn find(&self, key: &str) -> Option<(&'a str, &'a str)> {
        let prefixed = self.given.get_key_value(&*format!("{PREFIX}{key}"));
        prefixed
            .or_else(|| self.given.get_key_value(key))
            .map(|(key, value)| (*key, *value))
    }

    /// A value that is not empty.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.find(key)
            .map(|(_, value)| value)
            .filter(|value| !value.trim().is_empty())
    }

    pub(super) fn secret(&self, key: &str) -> Option<Secret> {
        self.text(key).map(Secret::new)
    }

    /// Notes what is wrong with a key, under the name it was given with.
    pub(super) fn problem(&mut self, key: &str, why: impl Into<String>) {
        let name = self
            .find(key)
            .map_or_else(|| key.to_owned(), |(name, _)| name.to_owned());
        self.problems.push((name, why.into()));
    }

    pub(super) fn number<N>(&mut self, key: &str, least: N, absent: N) -> N
    where
        N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
    {
        let Some(text) = self.text(key) else {
            return absent;
        };
        match text.trim().parse::<N>() {
            Ok(number) if number >= least => number,
            Ok(_) | Err(_) => {
                self.problem(
                    key,
                    format!("'{text}' is not a whole number from {least} up"),
                );
                absent
            }
        }
    }

    fn millis(&mut self, key: &str, absent: u32) -> Duration {
        Duration::from_millis(u64::from(self.number(key, 0_u32, absent)))
    }

    /// A time in seconds; −1 is for ever.
    fn seconds_or_ever(&mut self, key: &str, absent: i64) -> Option<Duration> {
        let seconds = self.number(key, -1_i64, absent);
        u64::try_from(seconds).ok().map(Duration::from_secs)
    }

    pub(super) fn flag(&mut self, key: &str, absent: bool) -> bool {
        match self.text(key).map(str::trim) {
            None => absent,
            Some(text) if text.eq_ignore_ascii_case("true") => true,
            Some(text) if text.eq_ignore_ascii_case("false") => false,
            Some(text) => {
                self.problem(key, format!("'{text}' is neither true nor false"));
                absent
            }
        }
    }
}

fn millis(span: Duration) -> u32 {
    u32::try_from(span.as_millis()).unwrap_or(u32::MAX)
}

const URL: &str = "schema.registry.url";

fn address(keys: &mut Keys<'_>) -> Option<Address> {
    let list = keys.given.get(URL).copied().unwrap_or_default();
    let urls: Vec<&str> = list
        .split(',')
        .map(str::trim)
        .filter(|url| !url.is_empty())
        .collect();
    if urls.is_empty() {
        keys.problem(
            URL,
            "is required; name the registry, for example http://localhost:8081",
        );
        return None;
    }
    if let [url] = urls[..] {
        if let Some(rest) = url.strip_prefix("embedded:") {
            return Some(Address::Embedded(rest.to_owned()));
        }
        if let Some(scope) = url.strip_prefix("mock://") {
            return Some(Address::Mock(scope.trim_end_matches('/').to_owned()));
        }
    }
    let mut nodes = Vec::with_capacity(urls.len());
    for url in urls {
        match node(url) {
            Ok(node) => nodes.push(node),
            Err(why) => keys.problem(URL, why),
        }
    }
    Some(Address::Http(nodes))
}

/// Takes a URL apart. No message shows it: it may hold a password.
fn node(url: &str) -> Result<NodeUrl, &'static str> {
    if url.starts_with("mock://") || url.starts_with("embedded:") {
        return Err("mock: and embedded: cannot be mixed with other registries; name one");
    }
    let (scheme, rest) = url.split_once("://").ok_or(NO_SCHEME)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(NO_SCHEME);
    }
    if rest.contains(['?', '#', ' ']) {
        return Err("a registry's URL has no query, fragment or space");
    }
    let authority_end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(basic_of_url(user)?), host),
        None => (None, authority),
    };
    if host.is_empty() || host.starts_with(':') {
        return Err("a registry's URL needs a host");
    }
    let path = path.trim_end_matches('/');
    Ok(NodeUrl {
        url: format!("{}://{host}{path}", scheme.to_ascii_lowercase()),
        user,
    })
}

fn basic_of_url(user: &str) -> Result<Basic, &'static str> {
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let decode = |part: &str| {
        percent_decode_str(part)
            .decode_utf8()
            .map(|t| t.into_owned())
    };
    match (decode(user), decode(password)) {
        (Ok(user), Ok(password)) => Ok(Basic {
            user,
            password: Secret::new(&password),
        }),
        (Err(_), _) | (_, Err(_)) => Err("the user part of the URL is not UTF-8"),
    }
}

const NO_SCHEME: &str = "a registry's URL begins with http://, https://, mock:// or embedded:";

fn proxy(keys: &mut Keys<'_>) -> Option<Proxy> {
    let port: i32 = keys.number("proxy.port", -1, -1);
    let Some(host) = keys.text("proxy.host") else {
        if port > 0 {
            keys.problem("proxy.port", "has no effect without proxy.host; set both");
        }
        return None;
    };
    match u16::try_from(port) {
        Ok(port) if port > 0 => Some(Proxy {
            host: host.trim().to_owned(),
            port,
        }),
        Ok(_) | Err(_) => {
            keys.problem("proxy.host", "needs proxy.port, from 1 to 65535");
            None
        }
    }
}

const HEADER: &str = "request.header.";

fn headers(keys: &mut Keys<'_>) -> Vec<(String, Secret)> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    for prefix in [HEADER, "schema.registry.request.header."] {
        for (key, value) in &keys.given {
            if let Some(name) = key.strip_prefix(prefix) {
                // The prefixed one comes later, so it counts.
                found.insert(name, value);
            }
        }
    }
    let mut headers = Vec::with_capacity(found.len());
    for (name, value) in found {
        let is_token = !name.is_empty() && name.bytes().all(is_token_byte);
        if !is_token {
            keys.problem(&format!("{HEADER}{name}"), "is no name of an HTTP header");
        } else if value.bytes().any(|b| b < b' ' && b != b'\t' || b == 0x7f) {
            keys.problem(
                &format!("{HEADER}{name}"),
                "has control characters; an HTTP header cannot",
            );
        } else {
            headers.push((name.to_owned(), Secret::new(value)));
        }
    }
    headers
}

/// RFC 9110, section 5.6.2.
const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

fn cache(keys: &mut Keys<'_>) -> CacheConfig {
    let missing = |keys: &mut Keys<'_>, kind: &str| {
        let key = format!("missing.{kind}.cache.ttl.sec");
        Duration::from_secs(keys.number(&key, 0_u64, 0))
    };
    CacheConfig {
        schemas_per_subject: keys.number("max.schemas.per.subject", 1, 1_000),
        latest_ttl: keys.seconds_or_ever("latest.cache.ttl.sec", 60),
        missing_id_ttl: missing(keys, "id"),
        missing_version_ttl: missing(keys, "version"),
        missing_schema_ttl: missing(keys, "schema"),
        missing_max: keys.number("missing.cache.size", 1, 10_000),
        associations_ttl: keys.seconds_or_ever("subject.name.strategy.cache.expiry.secs", -1),
        associations_max: keys.number("subject.name.strategy.cache.size", 1, 1_000),
        folder: keys.text("cache.dir").map(PathBuf::from),
    }
}
