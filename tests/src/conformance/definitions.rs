//! Lines of configuration definitions: is a key defined as Kafka defines it?

use std::collections::BTreeSet;

use ferroconnect_converters::config::{ConfigDef, Key, RawConfig, Setting};
use ferroconnect_runtime::config::{
    connector_def, distributed_def, sink_def, source_def, standalone_def, task_def, topic_group_def,
};
use ferroconnect_runtime::plugins::{Catalog, ConnectorPlugin};
use serde_json::{Value as Json, json};

use super::Verdict;

/// Whether a line is the definition of a key.
pub(super) fn recognises(line: &Json) -> bool {
    ["owner", "name", "importance", "display_name"]
        .iter()
        .all(|member| line.get(member).is_some())
}

/// The case's name in reports: the class without its package, the key, and its group, since one class can define a key in several.
pub(super) fn id(line: &Json) -> String {
    let text = |member: &str| line[member].as_str().unwrap_or("?");
    let owner = text("owner").rsplit('.').next().unwrap_or_default();
    match line["group"].as_str() {
        Some(group) => format!("{owner}:{} ({group})", text("name")),
        None => format!("{owner}:{}", text("name")),
    }
}

/// Compares every member of the line with our definition of the key.
pub(super) fn run(line: &Json) -> Verdict {
    let owner = line["owner"].as_str().unwrap_or_default();
    if owner.starts_with(TRANSFORMS) {
        return Verdict::Differs(BTreeSet::from([NOT_BUILT]));
    }
    let name = line["name"].as_str().unwrap_or_default();
    let Some(def) = definition(owner, line) else {
        return Verdict::NotSupported;
    };
    let Some(key) = def.key(name) else {
        return failed(line, "no such key");
    };
    let ours = described(owner, key);
    let differing: Vec<String> = ours
        .iter()
        .filter(|(member, value)| line.get(*member) != Some(value))
        .map(|(member, value)| format!("{member}: {value}"))
        .collect();
    // A member that this program does not know is not compared, so it is no success either.
    let unknown = line
        .as_object()
        .into_iter()
        .flatten()
        .find(|(member, _)| !ours.iter().any(|(known, _)| known == member));
    if let Some((member, _)) = unknown {
        return failed(line, &format!("the member {member} is not known"));
    }
    if differing.is_empty() {
        Verdict::Passed
    } else {
        failed(line, &differing.join(", "))
    }
}

fn failed(line: &Json, got: &str) -> Verdict {
    Verdict::Failed {
        want: line.to_string(),
        got: got.to_owned(),
    }
}

fn described(owner: &str, key: &Key) -> Vec<(&'static str, Json)> {
    let mut members = vec![
        ("owner", owner.into()),
        ("name", key.name().into()),
        ("type", key.kind().name().into()),
        ("required", key.is_required().into()),
        ("default", value(&key.default_value())),
        ("importance", key.importance().name().into()),
        ("group", key.group_name().into()),
        ("order", key.order().into()),
        ("width", key.width().name().into()),
        ("display_name", key.display_name().into()),
        ("dependents", key.dependents().collect::<Vec<_>>().into()),
        ("internal", key.is_internal().into()),
        ("validator", key.validator_text().into()),
        ("recommender", key.recommended_by().into()),
    ];
    if key.recommended_by().is_some() {
        members.push(("recommended", key.recommended(&RawConfig::new()).into()));
    }
    members
}

fn value(setting: &Setting) -> Json {
    match setting {
        Setting::Null => Json::Null,
        Setting::Boolean(value) => json!(value),
        Setting::Short(number) => json!(number),
        Setting::Int(number) => json!(number),
        Setting::Long(number) => json!(number),
        Setting::Double(number) => json!(number),
        Setting::Text(text) => json!(text),
        Setting::List(list) => json!(list),
        Setting::Password(_) => json!("[hidden]"),
    }
}

/// Our definition of a Java class's keys.
fn definition(owner: &str, line: &Json) -> Option<ConfigDef> {
    if let Some(class) = owner.strip_prefix("org.apache.kafka.connect.runtime.") {
        return match class {
            "standalone.StandaloneConfig" => Some(standalone_def()),
            "distributed.DistributedConfig" => Some(distributed_def()),
            "ConnectorConfig" => Some(connector_def()),
            "SourceConnectorConfig" => Some(source_def()),
            "SinkConnectorConfig" => Some(sink_def()),
            "TaskConfig" => Some(task_def()),
            "TopicCreationConfig" => {
                let group = line["group"].as_str()?;
                // Recorded with one partition and one replica in the default group.
                Some(topic_group_def(
                    group,
                    (group != "default").then_some((1, 1)),
                ))
            }
            _ => None,
        };
    }
    let catalog = Catalog::builtin();
    if let Ok(plugin) = catalog.find_converter(owner) {
        return Some(plugin.factory().config_def());
    }
    if let Ok(plugin) = catalog.find_header_converter(owner) {
        return Some(plugin.factory().config_def());
    }
    catalog
        .connector(owner)
        .ok()
        .map(|plugin| match plugin.factory() {
            ConnectorPlugin::Source(factory) => factory.connector().config_def(),
            ConnectorPlugin::Sink(factory) => factory.connector().config_def(),
        })
}

/// Transforms and predicates.
const TRANSFORMS: &str = "org.apache.kafka.connect.transforms.";

/// The name under which definitions of parts are counted that do not exist yet.
pub(super) const NOT_BUILT: &str = "not-built: transforms";
/// Its reason.
pub(super) const NOT_BUILT_REASON: &str =
    "transforms and predicates are refused by name; there is no definition to compare";
