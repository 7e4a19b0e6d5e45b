//! What the JVM recorded about configuration and offset records.

use std::collections::BTreeSet;

use ferroconnect_runtime::api::{OffsetValue, SourcePartition};
use ferroconnect_runtime::config::{
    Key, connector_def, distributed_def, sink_def, source_def, standalone_def, task_def,
};
use ferroconnect_runtime::store::offsets::{key_bytes, parse, value_bytes};
use ferroconnect_tests::conformance::{Kit, run_text};
use serde_json::Value;

fn text_of(file: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/runtime")
        .join(file);
    std::fs::read_to_string(&path).unwrap()
}

fn recorded(file: &str) -> Vec<Value> {
    text_of(file)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every member of every recorded definition is equal; what is not built yet is counted under its name and under no other.
#[test]
fn configuration_keys_are_kafkas() {
    let text = text_of("configdef.jsonl");
    let report = run_text(&Kit::bundled(), "configdef.jsonl", &text);
    assert_eq!(report.failed().collect::<Vec<_>>(), Vec::<&str>::new());
    assert_eq!(report.not_supported() + report.not_known(), 0);
    assert_eq!((report.passed(), report.differ()), (280, 77));
    assert_eq!(
        report.differences(),
        BTreeSet::from(["not-built: transforms"])
    );
}

/// And there are no others.
#[test]
fn there_are_no_keys_that_kafka_does_not_have() {
    let lines = recorded("configdef.jsonl");
    for (owner, def) in [
        ("standalone.StandaloneConfig", standalone_def()),
        ("distributed.DistributedConfig", distributed_def()),
        ("ConnectorConfig", connector_def()),
        ("SourceConnectorConfig", source_def()),
        ("SinkConnectorConfig", sink_def()),
        ("TaskConfig", task_def()),
    ] {
        let class = format!("org.apache.kafka.connect.runtime.{owner}");
        let theirs = lines
            .iter()
            .filter(|line| line["owner"] == class)
            .map(|line| line["name"].as_str().unwrap());
        let ours = def.keys().iter().map(Key::name);
        assert!(theirs.eq(ours), "{owner}: the same keys in the same order");
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
