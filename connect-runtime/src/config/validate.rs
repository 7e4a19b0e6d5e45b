use ferroconnect_converters::Role;
use ferroconnect_converters::config::{
    ConfigDef, Key, Problem, Problems, RawConfig, Settings, prefixed,
};

use super::files::RawConnector;
use super::{
    ConnectorConfig, Findings, PluginConfig, SinkConfig, SourceConfig, TopicCreation,
    check_overrides, sink_def, source_def,
};
use crate::plugins::{Catalog, ConnectorPlugin};

/// A connector whose whole configuration was found well.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PlannedConnector {
    /// A source.
    Source(Box<SourceConfig>),
    /// A sink.
    Sink(Box<SinkConfig>),
}

impl PlannedConnector {
    /// What every connector has.
    pub fn connector(&self) -> &ConnectorConfig {
        match self {
            Self::Source(config) => &config.connector,
            Self::Sink(config) => &config.connector,
        }
    }
}

/// Checks everything about a connector that can be known without starting it, in the light of the worker's own keys. Every problem is
/// noted, not only the first.
pub fn check_connector(
    raw: &RawConnector,
    worker: &RawConfig,
    catalog: &Catalog,
    place: &str,
    findings: &mut Findings,
) -> Option<PlannedConnector> {
    let before = findings.problems.len();
    let Some(class) = raw.config.get("connector.class").map(|class| class.trim()) else {
        findings.problem(place, Problem::missing("connector.class"));
        return None;
    };
    let plugin = match catalog.connector(class) {
        Ok(plugin) => plugin,
        Err(unknown) => {
            findings.problem(
                place,
                Problem::invalid("connector.class", class, unknown.to_string()),
            );
            return None;
        }
    };
    let (planned, own, framework) = check_keys(plugin.factory(), raw, place, findings);
    findings.problems(place, unsupported(raw));
    if let Some(planned) = &planned {
        check_overrides(worker, planned, place, findings);
        let connector = planned.connector();
        check_converter(
            "key.converter",
            connector.key_converter.as_ref(),
            catalog,
            place,
            findings,
        );
        check_converter(
            "value.converter",
            connector.value_converter.as_ref(),
            catalog,
            place,
            findings,
        );
        check_header_converter(
            connector.header_converter.as_ref(),
            catalog,
            place,
            findings,
        );
    }
    warn_unknown(raw, &framework.and(own), place, findings);
    if matches!(plugin.factory(), ConnectorPlugin::Source(_)) {
        let groups = raw.config.get("topic.creation.groups");
        for line in TopicCreation::warnings(&raw.config, groups.map_or("", String::as_str)) {
            findings.warning(place, line);
        }
    }
    planned.filter(|_| findings.problems.len() == before)
}

/// The framework's keys and the connector's own; gives both definitions.
fn check_keys(
    plugin: &ConnectorPlugin,
    raw: &RawConnector,
    place: &str,
    findings: &mut Findings,
) -> (Option<PlannedConnector>, ConfigDef, ConfigDef) {
    match plugin {
        ConnectorPlugin::Source(factory) => {
            let connector = factory.connector();
            let def = connector.config_def();
            own_keys(
                &def,
                || connector.validate(&raw.config),
                raw,
                place,
                findings,
            );
            let config = findings.keep(place, SourceConfig::parse(&raw.config));
            (
                config.map(|config| PlannedConnector::Source(Box::new(config))),
                def,
                source_def(),
            )
        }
        ConnectorPlugin::Sink(factory) => {
            let connector = factory.connector();
            let def = connector.config_def();
            own_keys(
                &def,
                || connector.validate(&raw.config),
                raw,
                place,
                findings,
            );
            let config = findings.keep(place, SinkConfig::parse(&raw.config));
            (
                config.map(|config| PlannedConnector::Sink(Box::new(config))),
                def,
                sink_def(),
            )
        }
    }
}

/// Checks that the worker's own converters exist and take their settings. Works on the raw settings, so that these problems are
/// reported together with those of the other keys; a converter that is missing altogether is a problem of its key.
pub fn check_worker_plugins(
    worker: &RawConfig,
    catalog: &Catalog,
    place: &str,
    findings: &mut Findings,
) {
    let plugin = |role: &str| {
        worker.get(role).map(|class| PluginConfig {
            class: class.trim().to_owned(),
            settings: prefixed(worker, &format!("{role}.")),
        })
    };
    for role in ["key.converter", "value.converter"] {
        check_converter(role, plugin(role).as_ref(), catalog, place, findings);
    }
    check_header_converter(
        plugin("header.converter").as_ref(),
        catalog,
        place,
        findings,
    );
}

fn own_keys(
    def: &ConfigDef,
    validate: impl FnOnce() -> Problems,
    raw: &RawConnector,
    place: &str,
    findings: &mut Findings,
) {
    if findings.keep(place, def.parse(&raw.config)).is_some() {
        findings.problems(place, validate());
    }
}

fn check_converter(
    key: &str,
    plugin: Option<&PluginConfig>,
    catalog: &Catalog,
    place: &str,
    findings: &mut Findings,
) {
    let Some(plugin) = plugin else { return };
    match catalog.find_converter(&plugin.class) {
        Ok(found) => {
            let role = if key == "key.converter" {
                Role::Key
            } else {
                Role::Value
            };
            let settings = with_role(&plugin.settings, role.name());
            let known = found.factory().config_def().parse(&settings);
            if under(key, known, place, findings)
                && let Err(error) = found.factory().build(role, &plugin.settings)
            {
                findings.problem(place, format_args!("{key}.*: {error}"));
            }
        }
        Err(unknown) => findings.problem(
            place,
            Problem::invalid(key, &plugin.class, unknown.to_string()),
        ),
    }
}

/// What the worker adds to the settings of every converter.
fn with_role(settings: &RawConfig, role: &str) -> RawConfig {
    let mut settings = settings.clone();
    settings
        .entry("converter.type".to_owned())
        .or_insert_with(|| role.to_owned());
    settings
}

/// Notes a converter's problems under the names that its keys have in the file; whether there were none.
fn under(
    key: &str,
    parsed: Result<Settings, Problems>,
    place: &str,
    findings: &mut Findings,
) -> bool {
    let Err(problems) = parsed else { return true };
    let prefix = format!("{key}.");
    let mut renamed = Problems::new();
    problems
        .into_iter()
        .for_each(|problem| renamed.push(problem.under(&prefix)));
    findings.problems(place, renamed);
    false
}

fn check_header_converter(
    plugin: Option<&PluginConfig>,
    catalog: &Catalog,
    place: &str,
    findings: &mut Findings,
) {
    let Some(plugin) = plugin else { return };
    match catalog.find_header_converter(&plugin.class) {
        Ok(found) => {
            let settings = with_role(&plugin.settings, "header");
            let known = found.factory().config_def().parse(&settings);
            if under("header.converter", known, place, findings)
                && let Err(error) = found.factory().build(&plugin.settings)
            {
                findings.problem(place, format_args!("header.converter.*: {error}"));
            }
        }
        Err(unknown) => findings.problem(
            place,
            Problem::invalid("header.converter", &plugin.class, unknown.to_string()),
        ),
    }
}

/// Known keys whose effect is missing in this version: better no start than records that are not what was asked for.
fn unsupported(raw: &RawConnector) -> Problems {
    let mut problems = Problems::new();
    for (key, why) in [
        ("transforms", "transforms are not supported yet"),
        ("predicates", "predicates are not supported yet"),
        (
            "errors.deadletterqueue.topic.name",
            "dead letter queues are not supported yet; use errors.log.enable=true to see what fails",
        ),
        (
            "offsets.storage.topic",
            "a topic of its own for offsets is not supported yet",
        ),
    ] {
        if let Some(value) = raw.config.get(key).filter(|value| !value.trim().is_empty()) {
            problems.push(Problem::invalid(key, value, why));
        }
    }
    if let Some(value) = raw
        .config
        .get("exactly.once.support")
        .filter(|value| value.trim().eq_ignore_ascii_case("required"))
    {
        problems.push(Problem::invalid(
            "exactly.once.support",
            value,
            "exactly-once source support is not enabled on this worker",
        ));
    }
    problems
}

fn warn_unknown(raw: &RawConnector, def: &ConfigDef, place: &str, findings: &mut Findings) {
    const PASSED_ON: [&str; 9] = [
        "key.converter.",
        "value.converter.",
        "header.converter.",
        "producer.override.",
        "consumer.override.",
        "admin.override.",
        "topic.creation.",
        "transforms.",
        "predicates.",
    ];
    let known: Vec<&str> = def.keys().iter().map(Key::name).collect();
    let unknown = raw.config.keys().map(String::as_str).filter(|key| {
        def.key(key).is_none() && !PASSED_ON.iter().any(|prefix| key.starts_with(prefix))
    });
    findings.unknown_keys(place, unknown, &known);
}
