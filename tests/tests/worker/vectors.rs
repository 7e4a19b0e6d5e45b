//! What the JVM recorded about configuration and offset records.

use ferroconnect_runtime::api::{OffsetValue, SourcePartition};
use ferroconnect_runtime::config::{ConfigDef, Key, sink_def, source_def, worker_def};
use ferroconnect_runtime::plugins::{Catalog, ConnectorPlugin};
use ferroconnect_runtime::store::offsets::{key_bytes, parse, value_bytes};
use serde_json::Value;

fn recorded(file: &str) -> Vec<Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/runtime")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A default as Kafka records it: typed.
fn default_of(key: &Key) -> Value {
    let Some(text) = key.default_text() else {
        return Value::Null;
    };
    match key.kind().name() {
        "INT" | "LONG" | "SHORT" => text.parse::<i64>().map_or(Value::Null, Value::from),
        "BOOLEAN" => Value::from(text == "true"),
        "LIST" if text.is_empty() => Value::Array(vec![]),
        "LIST" => text.split(',').collect(),
        _ => text.into(),
    }
}

fn compare(owner: &str, def: &ConfigDef, differs: &[&str]) {
    let mut missing: Vec<String> = vec![];
    let mut count = 0;
    for line in recorded("configdef.jsonl") {
        if line["owner"].as_str().unwrap().rsplit('.').next() != Some(owner) {
            continue;
        }
        count += 1;
        let name = line["name"].as_str().unwrap();
        let Some(key) = def.key(name) else {
            missing.push(name.to_owned());
            continue;
        };
        let ours = (
            key.kind().name(),
            key.importance().name(),
            key.group_name(),
            key.order(),
            key.width().name(),
            key.display_name(),
        );
        let theirs = (
            line["type"].as_str().unwrap(),
            line["importance"].as_str().unwrap(),
            line["group"].as_str(),
            i32::try_from(line["order"].as_i64().unwrap()).unwrap(),
            line["width"].as_str().unwrap(),
            line["display_name"].as_str().unwrap(),
        );
        assert_eq!(ours, theirs, "{owner} {name}");
        if !differs.contains(&name) {
            assert_eq!(
                Value::from(key.is_required()),
                line["required"],
                "{owner} {name}"
            );
            assert_eq!(default_of(key), line["default"], "{owner} {name}");
            let validator = line["validator"].as_str().filter(|text| !text.is_empty());
            assert_eq!(key.validator_text().as_deref(), validator, "{owner} {name}");
        }
    }
    assert!(count > 0, "no vector of {owner}");
    assert_eq!(missing, Vec::<String>::new(), "{owner}");
    assert_eq!(
        def.keys().len(),
        count,
        "{owner} has keys that Kafka does not have"
    );
}

#[test]
fn worker_and_connector_keys_are_kafkas() {
    // Optional here, because the embedded log keeps the offsets.
    compare(
        "StandaloneConfig",
        &worker_def(),
        &["offset.storage.file.filename"],
    );
    compare("SourceConnectorConfig", &source_def(), &[]);
    compare("SinkConnectorConfig", &sink_def(), &[]);
}

#[test]
fn the_keys_of_the_file_connectors_are_kafkas() {
    let catalog = Catalog::builtin();
    for owner in ["FileStreamSourceConnector", "FileStreamSinkConnector"] {
        let def = match catalog.connector(owner).unwrap().factory() {
            ConnectorPlugin::Source(factory) => factory.connector().config_def(),
            ConnectorPlugin::Sink(factory) => factory.connector().config_def(),
        };
        compare(owner, &def, &[]);
    }
}

/// Every key and value that the JVM wrote is read, and written again byte for byte.
#[test]
fn offset_records_are_the_jvms_byte_for_byte() {
    let mut seen = 0;
    for line in recorded("offset-keys.jsonl") {
        let Some(key) = line["record_key"].as_str().or_else(|| line["key"].as_str()) else {
            continue;
        };
        let value = line["record_value"]
            .as_str()
            .or_else(|| line["value"].as_str());
        let entry = parse(key.as_bytes(), value.map(str::as_bytes))
            .unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(
            String::from_utf8(key_bytes(&entry.connector, &entry.partition)).unwrap(),
            key
        );
        let written = value_bytes(&entry.offset).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(written.as_deref(), value);
        seen += 1;
    }
    assert!(seen > 50, "only {seen} vectors were read");
}

/// Partitions are compared as maps, so a key whose entries come in another order finds its offset.
#[test]
fn the_order_of_entries_does_not_matter_for_a_look_up() {
    let entries = |names: [&'static str; 2]| {
        SourcePartition::from_entries(names.map(|name| (name.into(), OffsetValue::from(name))))
    };
    let written = parse(&key_bytes("c", &entries(["a", "b"])), None)
        .unwrap()
        .partition;
    assert!(written == entries(["b", "a"]));
}
