//! The table of keys for people.

use super::keys::{ClientKey, ClientKind, Effect, KEYS, KeyDefault};

/// The page `docs/client-properties.md`: every key of Kafka's clients with its default and what it does here.
///
/// ```
/// use ferroconnect_runtime::kafka::client::client_properties_page;
/// assert!(client_properties_page().contains("| `linger.ms` | producer | `5` |"));
/// ```
pub fn client_properties_page() -> String {
    let mut page = String::from(INTRODUCTION);
    for section in SECTIONS {
        let keys: Vec<&ClientKey> = KEYS
            .iter()
            .filter(|key| section_of(key) == section)
            .collect();
        page.push_str(&format!("\n## {section}\n\n{HEADER}"));
        for key in keys {
            page.push_str(&row(key));
        }
    }
    page
}

fn row(key: &ClientKey) -> String {
    let clients = match key.clients {
        clients if clients.len() == ClientKind::ALL.len() => "all".to_owned(),
        clients => {
            let names = clients
                .iter()
                .map(|kind| kind.worker_prefix().trim_end_matches('.'));
            names.collect::<Vec<_>>().join(", ")
        }
    };
    let (word, effect) = match key.effect {
        Effect::Mapped(what) => ("", what.to_owned()),
        Effect::NoEffect(why) => ("**No effect**: ", why.to_owned()),
        Effect::Unsupported(why, next) => {
            ("**Refused** unless default: ", format!("{why}; {next}"))
        }
    };
    let checks: Vec<String> = key.checks.iter().map(ToString::to_string).collect();
    let checks = if checks.is_empty() {
        String::new()
    } else {
        format!(" ({})", checks.join(", "))
    };
    format!(
        "| `{}` | {clients} | {} | {}{checks} | {word}{effect} |\n",
        key.name,
        default(key),
        key.kind.name().to_lowercase(),
    )
}

/// Kafka's default, and Connect's where it is another.
fn default(key: &ClientKey) -> String {
    let kafkas = match key.default {
        KeyDefault::Null => "none".to_owned(),
        KeyDefault::Is("") => "empty".to_owned(),
        KeyDefault::Is(text) => format!("`{}`", text.replace(',', ", ")),
    };
    let mut connects = key.clients.iter().flat_map(|kind| kind.connect_defaults());
    match connects.find(|(name, _)| *name == key.name) {
        Some((_, text)) => format!("`{text}` (Kafka: {kafkas})"),
        None => kafkas,
    }
}

fn section_of(key: &ClientKey) -> &'static str {
    let prefix = key.name.split('.').next().unwrap_or_default();
    match (prefix, key.clients) {
        ("ssl", _) => SECTIONS[1],
        ("sasl", _) => SECTIONS[2],
        (_, [ClientKind::Producer]) => SECTIONS[3],
        (_, [ClientKind::Consumer]) => SECTIONS[4],
        (_, _) => SECTIONS[0],
    }
}

const SECTIONS: [&str; 5] = ["Connecting", "TLS", "SASL", "Producers", "Consumers"];
const HEADER: &str =
    "| Key | Clients | Default | Type | What it does |\n| --- | --- | --- | --- | --- |\n";
const INTRODUCTION: &str = "\
# Client properties

Every configuration key of the producer, consumer and admin client of Kafka 4.3, and what it does in Ferroconnect. This page is generated
from the table that the program itself uses (`UPDATE_DOCS=1 cargo test -p ferroconnect-tests --test security page`).

Where keys are written, later places count more:

| Client | Connect's defaults, then the worker's file | then the connector's own |
| --- | --- | --- |
| producers of source tasks | `bootstrap.servers`, `producer.*` | `producer.override.*` |
| consumers of sink tasks | `bootstrap.servers`, `consumer.*` | `consumer.override.*` |
| admin clients | every key without prefix, `admin.*` | `admin.override.*` (of sources that create topics) |

Which keys a connector may override is decided by the worker's `connector.client.config.override.policy`: `All` (the default), `None`,
`Principal` (deprecated: `sasl.jaas.config`, `sasl.mechanism`, `security.protocol`), or `Allowlist` with the names in
`connector.client.config.override.allowlist`.

A key without effect is accepted with a warning. A key that is refused stops the start with an error, unless it has its default. A key that
nobody knows is warned about, with the nearest name. Every problem of a file is reported together, and passwords are never shown.

With the embedded log there is no network: keys that concern connections change nothing there.
";
