use std::path::PathBuf;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Settings, Validator, prefixed,
};

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
        let settings = problems.collect(worker_def().parse(raw));
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
        let def = worker_def();
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

/// Every key of a standalone worker, as Kafka 4.3 defines it. The one difference: `offset.storage.file.filename` is optional, because
/// the embedded log keeps the offsets.
#[expect(
    clippy::too_many_lines,
    reason = "a table of keys reads best in one piece"
)]
pub fn worker_def() -> ConfigDef {
    use Importance::{High, Low, Medium};
    let clients = ConfigDef::new()
        .define(Key::new(
            "bootstrap.servers",
            Kind::List,
            High,
            "Where topics and offsets live: embedded:PATH.",
        ))
        .define(
            text("client.dns.lookup", Medium, "How host names are looked up.")
                .default("use_all_dns_ips")
                .check(Validator::OneOf(&[
                    "use_all_dns_ips",
                    "resolve_canonical_bootstrap_servers_only",
                ])),
        )
        .define(Key::new(
            "key.converter",
            Kind::Class,
            High,
            "Converter of record keys.",
        ))
        .define(
            text(
                "key.converter.plugin.version",
                Low,
                "Version of the key converter.",
            )
            .optional(),
        )
        .define(Key::new(
            "value.converter",
            Kind::Class,
            High,
            "Converter of record values.",
        ))
        .define(
            text(
                "value.converter.plugin.version",
                Low,
                "Version of the value converter.",
            )
            .optional(),
        )
        .define(millis(
            "task.shutdown.graceful.timeout.ms",
            "5000",
            "Time for all tasks together to stop.",
        ))
        .define(millis(
            "offset.flush.interval.ms",
            "60000",
            "Time between two commits of offsets.",
        ))
        .define(millis(
            "offset.flush.timeout.ms",
            "5000",
            "Time that one commit may take.",
        ));
    clients
        .and(plugin_keys())
        .and(ssl_keys())
        .and(rest_keys())
        .define(
            text(
                "offset.storage.file.filename",
                High,
                "Without effect here: offsets are kept in the embedded log.",
            )
            .optional(),
        )
}

#[expect(
    clippy::too_many_lines,
    reason = "a table of keys reads best in one piece"
)]
fn plugin_keys() -> ConfigDef {
    use Importance::{Low, Medium};
    ConfigDef::new()
        .define(
            list(
                "plugin.path",
                Low,
                "Folders of Java plugins; none is loaded.",
            )
            .optional(),
        )
        .define(
            text("plugin.discovery", Low, "How Java plugins are found.")
                .default("hybrid_warn")
                .check(Validator::OneOfIgnoreCase(&[
                    "ONLY_SCAN",
                    "SERVICE_LOAD",
                    "HYBRID_WARN",
                    "HYBRID_FAIL",
                ])),
        )
        .define(
            millis(
                "metrics.sample.window.ms",
                "30000",
                "Window of one metrics sample.",
            )
            .check(Validator::AtLeast(0)),
        )
        .define(
            Key::new(
                "metrics.num.samples",
                Kind::Int,
                Low,
                "Samples kept per metric.",
            )
            .default("2")
            .check(Validator::AtLeast(1)),
        )
        .define(
            text("metrics.recording.level", Low, "How much is measured.")
                .default("INFO")
                .check(Validator::OneOf(&["INFO", "DEBUG"])),
        )
        .define(
            list("metric.reporters", Low, "Java classes that report metrics.")
                .default("org.apache.kafka.common.metrics.JmxReporter"),
        )
        .define(
            Key::new(
                "header.converter",
                Kind::Class,
                Low,
                "Converter of record headers.",
            )
            .default("org.apache.kafka.connect.storage.SimpleHeaderConverter"),
        )
        .define(
            text(
                "header.converter.plugin.version",
                Low,
                "Version of the header converter.",
            )
            .optional(),
        )
        .define(
            list(
                "config.providers",
                Low,
                "Names of the providers that fill in placeholders.",
            )
            .default(""),
        )
        .define(
            text(
                "connector.client.config.override.policy",
                Medium,
                "Which client settings connectors may override.",
            )
            .default("All"),
        )
        .define(
            Key::new(
                "topic.creation.enable",
                Kind::Boolean,
                Low,
                "Whether source connectors may create topics.",
            )
            .default("true"),
        )
}

fn ssl_keys() -> ConfigDef {
    use Importance::{High, Low, Medium};
    let doc = "TLS of the REST API and of clients.";
    let secret = |name: &str| Key::new(name, Kind::Password, High, doc).optional();
    ConfigDef::new()
        .define(text("ssl.protocol", Medium, doc).default("TLSv1.3"))
        .define(text("ssl.provider", Medium, doc).optional())
        .define(list("ssl.cipher.suites", Low, doc).default(""))
        .define(list("ssl.enabled.protocols", Medium, doc).default("TLSv1.2,TLSv1.3"))
        .define(text("ssl.keystore.type", Medium, doc).default("JKS"))
        .define(text("ssl.keystore.location", High, doc).optional())
        .define(secret("ssl.keystore.password"))
        .define(secret("ssl.key.password"))
        .define(secret("ssl.keystore.key"))
        .define(secret("ssl.keystore.certificate.chain"))
        .define(secret("ssl.truststore.certificates"))
        .define(text("ssl.truststore.type", Medium, doc).default("JKS"))
        .define(text("ssl.truststore.location", High, doc).optional())
        .define(secret("ssl.truststore.password"))
        .define(text("ssl.keymanager.algorithm", Low, doc).default("SunX509"))
        .define(text("ssl.trustmanager.algorithm", Low, doc).default("PKIX"))
        .define(text("ssl.endpoint.identification.algorithm", Low, doc).default("https"))
        .define(text("ssl.secure.random.implementation", Low, doc).optional())
        .define(Key::new("ssl.engine.factory.class", Kind::Class, Low, doc).optional())
}

fn rest_keys() -> ConfigDef {
    use Importance::Low;
    let flag = |name: &str, doc: &str| Key::new(name, Kind::Boolean, Low, doc).default("true");
    ConfigDef::new()
        .define(flag("topic.tracking.enable", "Whether the topics a connector uses are remembered."))
        .define(flag("topic.tracking.allow.reset", "Whether that memory may be reset."))
        .define(list("listeners", Low, "Addresses of the REST API.").default("http://:8083").check(Validator::Custom {
            text: "List of comma-separated URLs, ex: http://localhost:8080,https://localhost:8443.",
            check: |_| Ok(()),
        }))
        .define(text("rest.advertised.host.name", Low, "Host name told to other workers.").optional())
        .define(Key::new("rest.advertised.port", Kind::Int, Low, "Port told to other workers.").optional())
        .define(text("rest.advertised.listener", Low, "Listener told to other workers.").optional())
        .define(text("access.control.allow.origin", Low, "Origins that browsers may call from.").default(""))
        .define(text("access.control.allow.methods", Low, "Methods that browsers may call.").default(""))
        .define(text("response.http.headers.config", Low, "Headers added to REST answers.").default("").check(Validator::Custom {
            text: "Comma-separated header rules, where each header rule is of the form '[action] [header name]:[header value]' and \
                   optionally surrounded by double quotes if any part of a header rule contains a comma",
            check: |_| Ok(()),
        }))
        .define(
            text("ssl.client.auth", Low, "Whether REST clients need a certificate.")
                .default("none")
                .check(Validator::OneOf(&["required", "requested", "none"])),
        )
        .define(list("rest.extension.classes", Low, "Java classes that extend the REST API.").default(""))
        .define(list("admin.listeners", Low, "Addresses of the administrative REST API.").optional())
}

fn text(name: &str, importance: Importance, doc: &str) -> Key {
    Key::new(name, Kind::String, importance, doc)
}

fn list(name: &str, importance: Importance, doc: &str) -> Key {
    Key::new(name, Kind::List, importance, doc)
}

fn millis(name: &str, default: &str, doc: &str) -> Key {
    Key::new(name, Kind::Long, Importance::Low, doc).default(default)
}

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
