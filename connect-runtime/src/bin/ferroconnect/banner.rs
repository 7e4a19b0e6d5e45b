use std::fmt::Write;

use ferroconnect_runtime::Plan;
use ferroconnect_runtime::config::{
    ClusterLocation, ConnectorConfig, ConnectorDefinition, PlannedConnector,
};

/// What runs, where its state lies, what to do next.
pub(crate) fn text(plan: &Plan) -> String {
    let mut out = format!("Ferroconnect {} standalone\n", env!("CARGO_PKG_VERSION"));
    let state = match &plan.worker().cluster {
        ClusterLocation::Embedded(folder) => format!(
            "{} (topics and offsets; the next start goes on from there)",
            folder.display()
        ),
        ClusterLocation::Kafka(bootstrap) => format!(
            "topics in Kafka at {bootstrap}{}",
            plan.worker()
                .offsets_file
                .as_ref()
                .map_or_else(String::new, |file| format!(
                    ", source offsets in {}",
                    file.display()
                ))
        ),
        _ => "in the cluster".to_owned(),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "  state   {state}");
    for definition in plan.definitions() {
        let _ = writeln!(out, "  {}", line(definition));
    }
    out.push_str(next_step(plan).as_str());
    out
}

/// Shows what was asked for: placeholders stay, since values of providers may be secrets.
fn line(definition: &ConnectorDefinition) -> String {
    let connector = definition.planned.connector();
    let asked = &definition.original.config;
    let file = |alone: &str| {
        asked
            .get("file")
            .cloned()
            .unwrap_or_else(|| alone.to_owned())
    };
    let simple = connector
        .class
        .rsplit('.')
        .next()
        .unwrap_or(&connector.class);
    match &definition.planned {
        PlannedConnector::Source(_) => {
            let topic = asked
                .get("topic")
                .map_or_else(String::new, |topic| format!(" -> topic {topic}"));
            let from = if is_file(connector) {
                format!(": {}", file("standard input"))
            } else {
                String::new()
            };
            format!("source  {} ({simple}){from}{topic}", connector.name)
        }
        PlannedConnector::Sink(_) => {
            let topics = asked.get("topics").or_else(|| asked.get("topics.regex"));
            let topics = topics.map_or("", String::as_str);
            let to = if is_file(connector) {
                format!(" -> {}", file("standard output"))
            } else {
                String::new()
            };
            format!("sink    {} ({simple}): topic {topics}{to}", connector.name)
        }
        _ => connector.name.to_string(),
    }
}

fn is_file(connector: &ConnectorConfig) -> bool {
    connector.class.contains("FileStream")
}

fn next_step(plan: &Plan) -> String {
    let file_of = |wanted: fn(&PlannedConnector) -> bool| {
        let mut definitions = plan.definitions().iter().filter(move |definition| {
            wanted(&definition.planned) && is_file(definition.planned.connector())
        });
        definitions.find_map(|definition| definition.original.config.get("file").cloned())
    };
    let source = file_of(|connector| matches!(connector, PlannedConnector::Source(_)));
    let sink = file_of(|connector| matches!(connector, PlannedConnector::Sink(_)));
    let next = match (source, sink) {
        (Some(source), Some(sink)) => format!(
            "  next    in another terminal: tail -f {sink}    then add a line to {source}\n"
        ),
        (None, Some(sink)) => format!("  next    in another terminal: tail -f {sink}\n"),
        (Some(source), None) => format!("  next    add a line to {source}\n"),
        (None, None) if plan.connectors().next().is_none() => {
            "  next    name connector files on the command line: nothing runs yet\n".to_owned()
        }
        (None, None) => String::new(),
    };
    format!("{next}  stop    Ctrl-C")
}
