mod keys;

use std::path::PathBuf;

use ferroconnect_converters::config::{Key, Problem, Problems, RawConfig, Settings, prefixed};

pub use keys::{common_def, standalone_def};

use super::{Findings, OverridePolicy, PluginConfig, WorkerClients, clients};
use crate::time::Span;

/// The worker's settings. Created by [`WorkerConfig::parse`] only, so every value is valid.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// Where topics and offsets live.
    pub cluster: ClusterLocation,
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
}

/// Where topics and offsets live.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClusterLocation {
    /// In a folder of this machine, owned by one process.
    Embedded(PathBuf),
}

impl WorkerConfig {
    /// Reads the worker's properties of a standalone worker.
    ///
    /// # Errors
    /// All problems, in the order of the definition.
    pub fn parse(raw: &RawConfig) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let settings = problems.collect(standalone_def().parse(raw));
        if let Some(list) = raw.get("bootstrap.servers") {
            problems.collect(location(list).map(drop));
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
        Ok(Self {
            cluster: location(raw.get("bootstrap.servers").map_or("", String::as_str))?,
            key_converter: plugin("key.converter")?,
            value_converter: plugin("value.converter")?,
            header_converter: plugin("header.converter")?,
            graceful_stop: span(settings, "task.shutdown.graceful.timeout.ms")?,
            offset_flush_interval: span(settings, "offset.flush.interval.ms")?,
            offset_flush_timeout: span(settings, "offset.flush.timeout.ms")?,
            topic_creation: settings.get("topic.creation.enable")?,
            clients: WorkerClients::new(raw),
            override_policy: OverridePolicy::parse(raw)?,
        })
    }

    /// Warns about keys nobody knows, and about known ones without effect in this version.
    pub fn warnings(raw: &RawConfig, place: &str, findings: &mut Findings) {
        let def = standalone_def();
        let known: Vec<&str> = def.keys().iter().map(Key::name).collect();
        let unknown = raw
            .keys()
            .map(String::as_str)
            .filter(|key| {
                def.key(key).is_none() && !PASSED_ON.iter().any(|prefix| key.starts_with(prefix))
            })
            .filter(|key| !DISTRIBUTED_ONLY.contains(key) && !clients::concerns(key));
        findings.unknown_keys(place, unknown, &known);
        for (key, effect) in WITHOUT_EFFECT {
            if raw.contains_key(key) {
                findings.warning(place, format_args!("{key}: {effect}"));
            }
        }
    }
}

fn span(settings: &Settings, key: &str) -> Result<Span, Problem> {
    let millis: i64 = settings.get(key)?;
    u64::try_from(millis)
        .map(Span::millis)
        .map_err(|_| Problem::invalid(key, &millis.to_string(), "Value must be at least 0"))
}

/// Reads `bootstrap.servers`.
fn location(text: &str) -> Result<ClusterLocation, Problem> {
    let key = "bootstrap.servers";
    match text.trim().strip_prefix("embedded:") {
        Some("") => Err(Problem::invalid(
            key,
            text,
            "name the folder: embedded:PATH",
        )),
        Some(path) => Ok(ClusterLocation::Embedded(PathBuf::from(path))),
        None => Err(Problem::invalid(
            key,
            text,
            "this version has the embedded log only, no client for a Kafka cluster; use embedded:PATH, where PATH is a folder that \
             keeps topics and offsets",
        )),
    }
}

/// Known keys whose effect is missing: better no start than a worker that ignores what was asked for.
fn unsupported(raw: &RawConfig) -> Problems {
    let mut problems = Problems::new();
    for (key, why) in [
        (
            "config.providers",
            "config providers are not supported yet, so placeholders would be passed on as they are",
        ),
        (
            "rest.extension.classes",
            "REST extensions are Java classes and cannot be loaded",
        ),
    ] {
        if let Some(value) = raw.get(key).filter(|value| !value.trim().is_empty()) {
            problems.push(Problem::invalid(key, value, why));
        }
    }
    problems
}

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

/// Keys of a distributed worker that people leave in a file they copied.
const DISTRIBUTED_ONLY: [&str; 4] = [
    "group.id",
    "connect.protocol",
    "exactly.once.source.support",
    "worker.sync.timeout.ms",
];

/// Known keys that change nothing in this version; said once at the start.
const WITHOUT_EFFECT: [(&str, &str); 4] = [
    (
        "offset.storage.file.filename",
        "has no effect: offsets are kept in the embedded log, not in a file",
    ),
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
            ("bootstrap.servers".to_owned(), "localhost:9092".to_owned()),
            ("offset.flush.interval.ms".to_owned(), "soon".to_owned()),
            ("config.providers".to_owned(), "file".to_owned()),
        ]);
        let problems = WorkerConfig::parse(&raw).unwrap_err().to_string();
        for part in [
            "\"key.converter\"",
            "\"value.converter\"",
            "soon",
            "embedded log only",
            "config providers are not supported yet",
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
}
