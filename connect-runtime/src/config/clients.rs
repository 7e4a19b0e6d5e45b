//! Settings of Kafka clients: the worker's own, what connectors may override, and how both are checked.

use std::fmt;

use ferroconnect_converters::config::{
    HIDDEN, Kind, Problem, Problems, RawConfig, prefixed, shown,
};

use super::{Findings, PlannedConnector};
use crate::kafka::client::{ClientKind, KEYS, Layers, client_key};

/// The worker's settings for clients: `producer.`, `consumer.` and `admin.` keys, and the keys without prefix, of which admin clients
/// inherit all and the others only `bootstrap.servers`.
#[derive(Clone, Default)]
pub struct WorkerClients {
    raw: RawConfig,
}

impl fmt::Debug for WorkerClients {
    /// Names the keys and no value: settings may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.raw.keys()).finish()
    }
}

impl WorkerClients {
    /// Takes what concerns clients from the worker's properties.
    pub fn new(worker: &RawConfig) -> Self {
        let pairs = worker.iter().filter(|(key, _)| concerns(key));
        Self {
            raw: pairs
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        }
    }

    /// The settings of such a client of the worker, or of a connector: defaults, the worker's, the connector's.
    pub fn layers(&self, kind: ClientKind, connector: Option<&RawConfig>) -> Layers {
        let unprefixed: RawConfig = self
            .raw
            .iter()
            .filter(|(key, value)| match kind {
                _ if key.as_str() == "bootstrap.servers" => !is_embedded(value),
                ClientKind::Admin => is_inherited(key),
                ClientKind::Producer | ClientKind::Consumer => false,
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut layers = Layers::new(kind);
        if is_embedded(self.raw.get("bootstrap.servers").map_or("", String::as_str)) {
            for (key, text) in EMBEDDED_DEFAULTS {
                if client_key(kind, key).is_some() {
                    layers = layers.default(key, text);
                }
            }
        }
        let worker = prefixed(&self.raw, kind.worker_prefix());
        let layers = layers
            .add("", &unprefixed)
            .add(kind.worker_prefix(), &worker);
        match connector {
            Some(connector) => {
                let prefix = kind.override_prefix();
                layers.add(prefix, &prefixed(connector, prefix))
            }
            None => layers,
        }
    }
}

/// Whether a key of the worker is about its clients.
pub(super) fn concerns(key: &str) -> bool {
    let kinds = ClientKind::ALL.iter();
    let mut prefixes = kinds.map(|kind| kind.worker_prefix());
    key == ALLOWLIST || is_inherited(key) || prefixes.any(|prefix| key.starts_with(prefix))
}

/// Whether admin clients inherit this key of the worker. Java hands them all; those that no client knows, and those that mean the
/// worker itself, change nothing.
fn is_inherited(key: &str) -> bool {
    const WORKERS_OWN: [&str; 5] = [
        "config.providers",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
    ];
    KEYS.iter().any(|known| known.name == key) && !WORKERS_OWN.contains(&key)
}

fn is_embedded(bootstrap: &str) -> bool {
    bootstrap.trim().starts_with("embedded:")
}

/// What an embedded log takes best when nobody says otherwise. Kafka's sizes hide a network; before a disk they only cost memory
/// (measured: 142 MB instead of 92 MB at the peak, and no record per second more). One log batch per source batch.
const EMBEDDED_DEFAULTS: [(&str, &str); 3] = [
    ("buffer.memory", "4194304"),
    ("batch.size", "1048576"),
    ("fetch.max.bytes", "4194304"),
];

/// Which client settings connectors may override (KIP-458, KIP-1188).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum OverridePolicy {
    /// Every setting.
    #[default]
    All,
    /// None.
    None,
    /// Those that say who the client is. Deprecated.
    Principal,
    /// Those of the worker's list.
    Allowlist(Vec<String>),
}

const POLICY: &str = "connector.client.config.override.policy";
const ALLOWLIST: &str = "connector.client.config.override.allowlist";

impl OverridePolicy {
    /// Reads the worker's policy: an alias, a simple class name or a Java class name.
    ///
    /// # Errors
    /// There is no such policy.
    pub fn parse(worker: &RawConfig) -> Result<Self, Problem> {
        let given = worker.get(POLICY).map_or("All", |name| name.trim());
        let simple = given
            .strip_prefix("org.apache.kafka.connect.connector.policy.")
            .unwrap_or(given);
        let alias = simple
            .strip_suffix("ConnectorClientConfigOverridePolicy")
            .unwrap_or(simple);
        match alias {
            "All" => Ok(Self::All),
            "None" => Ok(Self::None),
            "Principal" => Ok(Self::Principal),
            "Allowlist" => {
                let list = worker.get(ALLOWLIST).map_or("", String::as_str);
                let names = list.split(',').map(str::trim);
                Ok(Self::Allowlist(
                    names
                        .filter(|name| !name.is_empty())
                        .map(str::to_owned)
                        .collect(),
                ))
            }
            _ => Err(Problem::invalid(
                POLICY,
                given,
                "Failed to find any class that implements ConnectorClientConfigOverridePolicy and which name matches it; available \
                 policies are: All, None, Principal, Allowlist",
            )),
        }
    }

    /// Its name in messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::All => "All",
            Self::None => "None",
            Self::Principal => "Principal",
            Self::Allowlist(_) => "Allowlist",
        }
    }

    /// What the worker's operator should know about the choice.
    pub fn warning(&self, worker: &RawConfig) -> Option<String> {
        match self {
            Self::Principal => Some(
                format!(
                    "{POLICY}: the Principal policy is deprecated and will be removed in Kafka 5.0; use Allowlist with {ALLOWLIST}="
                ) + &PRINCIPAL.join(","),
            ),
            Self::Allowlist(names) if names.is_empty() => Some(format!(
                "{ALLOWLIST} is empty, so connectors may override nothing"
            )),
            Self::All | Self::None if worker.contains_key(ALLOWLIST) => Some(format!(
                "{ALLOWLIST} has no effect: {POLICY} is {}",
                self.name()
            )),
            Self::All | Self::None | Self::Allowlist(_) => None,
        }
    }

    fn allows(&self, key: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Principal => PRINCIPAL.contains(&key),
            Self::Allowlist(names) => names.iter().any(|name| name == key),
        }
    }

    /// The overrides of a connector that are not allowed, in Java's words.
    pub fn refused(&self, kind: ClientKind, connector: &RawConfig) -> Problems {
        let prefix = kind.override_prefix();
        let mut problems = Problems::new();
        for key in prefixed(connector, prefix).keys() {
            if !self.allows(key) {
                problems.push(Problem::said(&format!("{prefix}{key}"), self.refusal(key)));
            }
        }
        problems
    }

    fn refusal(&self, key: &str) -> String {
        format!(
            "The '{}' policy does not allow '{key}' to be overridden in the connector configuration.",
            self.name()
        )
    }

    /// What Java's worker says when a task with such overrides starts; `None` when all of them are allowed.
    pub fn start_refusal(&self, kind: ClientKind, connector: &RawConfig) -> Option<String> {
        let overrides = prefixed(connector, kind.override_prefix());
        let refused: Vec<String> = overrides
            .iter()
            .filter(|(key, _)| !self.allows(key))
            .map(|(key, value)| {
                let is_secret = client_key(kind, key).is_some_and(|key| key.kind == Kind::Password);
                let value = if is_secret { HIDDEN } else { shown(key, value) };
                format!("[{key},{value},[],[{}],true]", self.refusal(key))
            })
            .collect();
        let list = refused.join(", ");
        (!refused.is_empty()).then(|| format!("Client Config Overrides not allowed [{list}]"))
    }
}

/// The settings of the Principal policy.
const PRINCIPAL: [&str; 3] = ["sasl.jaas.config", "sasl.mechanism", "security.protocol"];

/// The clients whose overrides count for a connector: a source has a producer, and an admin client when it creates topics; a sink has a
/// consumer.
pub fn overridable(planned: &PlannedConnector, topic_creation: bool) -> &'static [ClientKind] {
    match planned {
        PlannedConnector::Source(source) if source.topic_creation.is_some() && topic_creation => {
            &[ClientKind::Producer, ClientKind::Admin]
        }
        PlannedConnector::Source(_) => &[ClientKind::Producer],
        PlannedConnector::Sink(_) => &[ClientKind::Consumer],
    }
}

/// Checks the worker's own client settings and its policy.
pub fn check_worker_clients(worker: &RawConfig, place: &str, findings: &mut Findings) {
    if let Some(policy) = findings.keep(place, OverridePolicy::parse(worker))
        && let Some(warning) = policy.warning(worker)
    {
        findings.warning(place, warning);
    }
    let clients = WorkerClients::new(worker);
    let mut said = Vec::new();
    for kind in ClientKind::ALL {
        let remarks = remarks(clients.layers(kind, None), kind.worker_prefix());
        for text in remarks.problems {
            // What admin clients inherit is told once, whoever else has it.
            if !said.contains(&text) {
                findings.problem(place, &text);
                said.push(text);
            }
        }
        remarks.odd.tell(kind, place, findings);
    }
}

/// Checks a connector's overrides against the policy and together with the worker's settings.
pub fn check_overrides(
    worker: &RawConfig,
    planned: &PlannedConnector,
    place: &str,
    findings: &mut Findings,
) {
    let connector = &planned.connector().raw;
    let clients = WorkerClients::new(worker);
    let policy = OverridePolicy::parse(worker).unwrap_or_default();
    let creation = worker.get("topic.creation.enable");
    let creates_topics = creation.is_none_or(|text| text.trim().eq_ignore_ascii_case("true"));
    let used = overridable(planned, creates_topics);
    for kind in ClientKind::ALL {
        let prefix = kind.override_prefix();
        if !used.contains(&kind) {
            if let Some(key) = connector.keys().find(|key| key.starts_with(prefix)) {
                let text = format!("{key} has no effect: the connector has no such client");
                findings.warning(place, text);
            }
            continue;
        }
        findings.problems(place, policy.refused(kind, connector));
        let workers_own = remarks(clients.layers(kind, None), prefix).problems;
        let remarks = remarks(clients.layers(kind, Some(connector)), prefix);
        for text in remarks.problems {
            if !workers_own.contains(&text) {
                findings.problem(place, text);
            }
        }
        remarks.odd.tell(kind, place, findings);
    }
}

struct Remarks {
    problems: Vec<String>,
    odd: Oddities,
}

/// What is odd about keys that begin with one prefix.
#[derive(Default)]
struct Oddities {
    prefix: &'static str,
    warnings: Vec<String>,
    unknown: Vec<String>,
}

impl Oddities {
    fn tell(&self, kind: ClientKind, place: &str, findings: &mut Findings) {
        for warning in &self.warnings {
            findings.warning(place, warning);
        }
        let known: Vec<String> = KEYS
            .iter()
            .filter(|key| key.clients.contains(&kind))
            .map(|key| format!("{}{}", self.prefix, key.name))
            .collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        findings.unknown_keys(place, self.unknown.iter().map(String::as_str), &known);
    }
}

/// Reads settings for the sake of what is to be said about them.
fn remarks(layers: Layers, prefix: &'static str) -> Remarks {
    let (warnings, unknown) = match layers.check() {
        Ok(odd) => odd,
        Err(problems) => {
            return Remarks {
                problems: problems.iter().map(ToString::to_string).collect(),
                odd: Oddities::default(),
            };
        }
    };
    let own = |texts: Vec<String>| {
        let texts = texts.into_iter();
        texts.filter(|text| text.starts_with(prefix)).collect()
    };
    Remarks {
        problems: Vec::new(),
        odd: Oddities {
            prefix,
            warnings: own(warnings),
            unknown: own(unknown),
        },
    }
}

#[cfg(test)]
mod tests;
