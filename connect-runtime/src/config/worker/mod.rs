mod keys;

use std::path::PathBuf;

use ferroconnect_converters::config::{
    ConfigDef, Key, Problem, Problems, RawConfig, Settings, prefixed,
};

use self::keys::OFFSETS_FILE;
pub use keys::{common_def, standalone_def};

use super::{Findings, OverridePolicy, PluginConfig, WorkerClients, clients, distributed_def};
use crate::time::Span;

/// The worker's settings. Created by [`WorkerConfig::parse`] only, so every value is valid.
#[derive(Clone)]
pub struct WorkerConfig {
    /// Where topics live.
    pub cluster: ClusterLocation,
    /// Where source offsets live when they are not in the embedded log.
    pub offsets_file: Option<PathBuf>,
    /// Converter of record keys for connectors without their own.
    pub key_converter: PluginConfig,
    /// Converter of record values for connectors without their own.
    pub value_converter: PluginConfig,
    /// Converter of record headers for connectors without their own.
    pub header_converter: PluginConfig,
    /// How long all tasks together may take to stop; what is not done by then is given up.
    pub graceful_stop: Span,
    /// Time between two commits of offsets. After a crash at most this much is repeated.
    pub offset_flush_interval: Span,
    /// How long one commit may take.
    pub offset_flush_timeout: Span,
    /// Whether source connectors may ask for topics to be created.
    pub topic_creation: bool,
    /// The worker's settings for Kafka clients.
    pub clients: WorkerClients,
    /// Which of them connectors may override.
    pub override_policy: OverridePolicy,
    /// How this worker is called in states: host and port of its REST API.
    pub worker_id: String,
    /// All properties, placeholders replaced.
    pub raw: RawConfig,
}

impl std::fmt::Debug for WorkerConfig {
    /// Names the keys and few values: settings may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerConfig")
            .field("cluster", &self.cluster)
            .field("keys", &self.raw.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Where topics live.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClusterLocation {
    /// In a folder of this machine, owned by one process.
    Embedded(PathBuf),
    /// In a Kafka cluster: addresses of brokers, `host:port`, separated by commas.
    Kafka(String),
}

impl WorkerConfig {
    /// Reads the properties of a standalone worker; placeholders are replaced already.
    ///
    /// # Errors
    /// All problems, in the order of the definition.
    pub fn parse(raw: &RawConfig) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let given = raw.get(BOOTSTRAP).map_or("", String::as_str);
        let is_embedded = given.trim_start().starts_with(EMBEDDED);
        let settings = problems.collect(def_of(is_embedded).parse(raw));
        if raw.contains_key(BOOTSTRAP) {
            problems.collect(location(given).map(drop));
        }
        problems.extend(unsupported(raw));
        match settings {
            Some(settings) if problems.is_empty() => Ok(Self::from_settings(&settings)?),
            Some(_) | None => Err(problems),
        }
    }

    fn from_settings(settings: &Settings) -> Result<Self, Problem> {
        let raw = settings.originals();
        let plugin = |role: &str| -> Result<PluginConfig, Problem> {
            Ok(PluginConfig {
                class: settings.get(role)?,
                settings: prefixed(raw, &format!("{role}.")),
            })
        };
        let cluster = location(raw.get(BOOTSTRAP).map_or("", String::as_str))?;
        let offsets_file: Option<String> = settings.get(OFFSETS_FILE)?;
        Ok(Self {
            offsets_file: match cluster {
                ClusterLocation::Embedded(_) => None,
                ClusterLocation::Kafka(_) => offsets_file.map(PathBuf::from),
            },
            cluster,
            key_converter: plugin("key.converter")?,
            value_converter: plugin("value.converter")?,
            header_converter: plugin("header.converter")?,
            graceful_stop: span(settings, "task.shutdown.graceful.timeout.ms")?,
            offset_flush_interval: span(settings, "offset.flush.interval.ms")?,
            offset_flush_timeout: span(settings, "offset.flush.timeout.ms")?,
            topic_creation: settings.get("topic.creation.enable")?,
            clients: WorkerClients::new(raw),
            override_policy: OverridePolicy::parse(raw)?,
            worker_id: worker_id(settings)?,
            raw: raw.clone(),
        })
    }

    /// Warns about keys nobody knows, and about known ones without effect in this version.
    pub fn warnings(raw: &RawConfig, place: &str, findings: &mut Findings) {
        let (own, distributed) = (standalone_def(), distributed_def());
        let known: Vec<&str> = own.keys().iter().map(Key::name).collect();
        let unknown = raw.keys().map(String::as_str).filter(|key| {
            own.key(key).is_none()
                && distributed.key(key).is_none()
                && !clients::concerns(key)
                && !PASSED_ON.iter().any(|prefix| key.starts_with(prefix))
        });
        findings.unknown_keys(place, unknown, &known);
        let of_groups = raw.keys().filter(|key| GROUP_ONLY.contains(&key.as_str()));
        for key in of_groups {
            let effect = "has no effect: a standalone worker is in no group";
            findings.warning(place, format_args!("{key}: {effect}"));
        }
        for (key, effect) in WITHOUT_EFFECT {
            if raw.contains_key(key) {
                findings.warning(place, format_args!("{key}: {effect}"));
            }
        }
        let is_embedded = raw
            .get(BOOTSTRAP)
            .is_some_and(|text| text.trim_start().starts_with(EMBEDDED));
        if is_embedded && raw.contains_key(OFFSETS_FILE) {
            findings.warning(
                place,
                format_args!(
                    "{OFFSETS_FILE}: has no effect: offsets are kept in the embedded log, not in a file"
                ),
            );
        }
        not_inherited(raw, place, findings);
    }
}

/// The trap that most people fall into once: clients of tasks see only what has their prefix.
fn not_inherited(raw: &RawConfig, place: &str, findings: &mut Findings) {
    let Some(protocol) = raw.get("security.protocol") else {
        return;
    };
    for prefix in ["producer.", "consumer."] {
        let key = format!("{prefix}security.protocol");
        if !protocol.trim().eq_ignore_ascii_case("PLAINTEXT") && !raw.contains_key(&key) {
            findings.warning(
                place,
                format_args!(
                    "security.protocol is {protocol}, and {key} is not set: clients of tasks take only settings with their prefix, so \
                     repeat the security settings with '{prefix}' in front"
                ),
            );
        }
    }
}

/// With the embedded log there is no offset file.
fn def_of(is_embedded: bool) -> ConfigDef {
    let def = standalone_def();
    match def.key(OFFSETS_FILE).cloned() {
        Some(key) if is_embedded => def.define(key.optional()),
        Some(_) | None => def,
    }
}

/// `host:port` under which other programs would reach the REST API.
fn worker_id(settings: &Settings) -> Result<String, Problem> {
    let listeners: Vec<String> = settings.get("listeners")?;
    let address = listeners
        .first()
        .and_then(|listener| listener.split_once("://"))
        .map_or("", |(_, address)| address);
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let advertised_host: Option<String> = settings.get("rest.advertised.host.name")?;
    let advertised_port: Option<i32> = settings.get("rest.advertised.port")?;
    let host = advertised_host.unwrap_or_else(|| host.to_owned());
    let port = advertised_port.map_or_else(|| port.to_owned(), |port| port.to_string());
    let or = |text: String, fallback: &str| {
        if text.is_empty() {
            fallback.to_owned()
        } else {
            text
        }
    };
    Ok(format!("{}:{}", or(host, "localhost"), or(port, "8083")))
}

fn span(settings: &Settings, key: &str) -> Result<Span, Problem> {
    let millis: i64 = settings.get(key)?;
    u64::try_from(millis)
        .map(Span::millis)
        .map_err(|_| Problem::invalid(key, &millis.to_string(), "Value must be at least 0"))
}

/// Reads `bootstrap.servers`.
fn location(text: &str) -> Result<ClusterLocation, Problem> {
    match text.trim().strip_prefix(EMBEDDED) {
        Some("") => Err(Problem::invalid(
            BOOTSTRAP,
            text,
            "name the folder: embedded:PATH",
        )),
        Some(path) => Ok(ClusterLocation::Embedded(PathBuf::from(path))),
        None => {
            let addresses: Vec<&str> = text.split(',').map(str::trim).collect();
            match addresses.iter().find(|address| !is_address(address)) {
                Some(wrong) => Err(Problem::invalid(
                    BOOTSTRAP,
                    text,
                    format!(
                        "Invalid url in {BOOTSTRAP}: {wrong}; write host:port, several separated by commas, or embedded:PATH for a folder \
                         of this machine"
                    ),
                )),
                None => Ok(ClusterLocation::Kafka(addresses.join(","))),
            }
        }
    }
}

/// `host:port`, maybe with a protocol in front as in a listener, which Kafka's clients skip.
fn is_address(text: &str) -> bool {
    let address = text.split_once("://").map_or(text, |(_, address)| address);
    address.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains(char::is_whitespace) && port.parse::<u16>().is_ok()
    })
}

/// Known keys whose effect is missing: better no start than a worker that ignores what was asked for.
fn unsupported(raw: &RawConfig) -> Problems {
    let mut problems = Problems::new();
    let key = "rest.extension.classes";
    if let Some(value) = raw.get(key).filter(|value| !value.trim().is_empty()) {
        let why = "REST extensions are Java classes and cannot be loaded";
        problems.push(Problem::invalid(key, value, why));
    }
    problems
}

const BOOTSTRAP: &str = "bootstrap.servers";
const EMBEDDED: &str = "embedded:";

/// Keys with these beginnings belong to somebody else.
const PASSED_ON: [&str; 13] = [
    "key.converter.",
    "value.converter.",
    "header.converter.",
    "producer.",
    "consumer.",
    "admin.",
    "config.storage.",
    "offset.storage.",
    "status.storage.",
    "listeners.https.",
    "admin.listeners.https.",
    "metrics.context.",
    "config.providers.",
];

/// Keys of a distributed worker that people leave in a file they copied. Keys of its clients are not among them: they count for the
/// administrative clients of a standalone worker too.
const GROUP_ONLY: [&str; 10] = [
    "group.id",
    "connect.protocol",
    "exactly.once.source.support",
    "worker.sync.timeout.ms",
    "worker.unsync.backoff.ms",
    "rebalance.timeout.ms",
    "scheduled.rebalance.max.delay.ms",
    "offset.storage.topic",
    "config.storage.topic",
    "status.storage.topic",
];

/// Known keys that change nothing in this version; said once at the start.
const WITHOUT_EFFECT: [(&str, &str); 3] = [
    (
        "plugin.path",
        "has no effect: connectors are compiled in, no Java class is loaded",
    ),
    ("listeners", "has no effect: this version has no REST API"),
    (
        "metric.reporters",
        "has no effect: reporters are Java classes",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn minimal() -> RawConfig {
        [
            ("bootstrap.servers", "embedded:target/x"),
            (
                "key.converter",
                "org.apache.kafka.connect.storage.StringConverter",
            ),
            (
                "value.converter",
                "org.apache.kafka.connect.json.JsonConverter",
            ),
            ("value.converter.schemas.enable", "false"),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
    }

    #[test]
    fn defaults_are_kafkas() {
        let config = WorkerConfig::parse(&minimal()).unwrap();
        assert_eq!(config.cluster, ClusterLocation::Embedded("target/x".into()));
        assert_eq!(config.offset_flush_interval, Span::secs(60));
        assert_eq!(config.graceful_stop, Span::secs(5));
        assert_eq!(
            config.header_converter.class,
            "org.apache.kafka.connect.storage.SimpleHeaderConverter"
        );
        assert_eq!(config.value_converter.settings["schemas.enable"], "false");
    }

    #[test]
    fn every_problem_is_reported_together() {
        let raw = RawConfig::from([
            ("bootstrap.servers".to_owned(), "localhost".to_owned()),
            ("offset.flush.interval.ms".to_owned(), "soon".to_owned()),
            ("rest.extension.classes".to_owned(), "x.Y".to_owned()),
        ]);
        let problems = WorkerConfig::parse(&raw).unwrap_err().to_string();
        for part in [
            "\"key.converter\"",
            "\"value.converter\"",
            "soon",
            "Invalid url in bootstrap.servers: localhost",
            "\"offset.storage.file.filename\"",
            "REST extensions",
        ] {
            assert!(problems.contains(part), "{part} is not in\n{problems}");
        }
    }

    #[test]
    fn unknown_keys_warn_and_passed_on_ones_do_not() {
        let mut raw = minimal();
        for key in [
            "offset.flush.intervall.ms",
            "producer.linger.ms",
            "key.converter.x",
            "plugin.path",
        ] {
            raw.insert(key.to_owned(), "1".to_owned());
        }
        let mut findings = Findings::default();
        WorkerConfig::warnings(&raw, "w", &mut findings);
        let texts: Vec<String> = findings.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("Did you mean 'offset.flush.interval.ms'?"));
        assert!(texts[1].starts_with("w: plugin.path: has no effect"));
    }

    #[test]
    fn a_kafka_cluster_needs_an_offset_file_and_the_embedded_log_none() {
        let mut raw = minimal();
        raw.insert(
            "bootstrap.servers".to_owned(),
            " a:9092 , b:9093".to_owned(),
        );
        let missing = WorkerConfig::parse(&raw).unwrap_err().to_string();
        assert_eq!(
            missing,
            "Missing required configuration \"offset.storage.file.filename\" which has no default value."
        );
        raw.insert(OFFSETS_FILE.to_owned(), "/tmp/connect.offsets".to_owned());
        let config = WorkerConfig::parse(&raw).unwrap();
        assert_eq!(
            config.cluster,
            ClusterLocation::Kafka("a:9092,b:9093".into())
        );
        assert_eq!(config.offsets_file, Some("/tmp/connect.offsets".into()));
        assert_eq!(config.worker_id, "localhost:8083");

        let mut raw = minimal();
        raw.insert(OFFSETS_FILE.to_owned(), "/tmp/x".to_owned());
        assert_eq!(WorkerConfig::parse(&raw).unwrap().offsets_file, None);
        let mut findings = Findings::default();
        WorkerConfig::warnings(&raw, "w", &mut findings);
        assert!(findings.warnings[0].text.contains("has no effect"));
    }

    #[test]
    fn addresses_are_hosts_with_ports() {
        for good in [
            "a:1",
            "a.b-c:9092",
            "[::1]:9092",
            "PLAINTEXT://a:9092",
            "embedded:x",
        ] {
            assert!(location(good).is_ok(), "{good}");
        }
        for bad in [
            "a",
            "a:",
            ":9092",
            "a:b",
            "a:70000",
            "a:1,,b:2",
            "embedded:",
        ] {
            assert!(location(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn security_of_the_worker_is_not_that_of_tasks() {
        let mut raw = minimal();
        raw.insert("security.protocol".to_owned(), "SASL_SSL".to_owned());
        raw.insert(
            "producer.security.protocol".to_owned(),
            "SASL_SSL".to_owned(),
        );
        let mut findings = Findings::default();
        WorkerConfig::warnings(&raw, "w", &mut findings);
        assert_eq!(findings.warnings.len(), 1, "{:?}", findings.warnings);
        assert!(
            findings.warnings[0]
                .text
                .contains("consumer.security.protocol is not set")
        );
    }

    #[test]
    fn no_value_is_printed() {
        let mut raw = minimal();
        raw.insert("producer.sasl.jaas.config".to_owned(), "hunter2".to_owned());
        let config = WorkerConfig::parse(&raw).unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
