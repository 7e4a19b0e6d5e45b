//! The fast way of JsonConverter gives what its definition gives, on every recorded case.

use std::path::Path;

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::json::JsonConverter;
use ferroconnect_converters::{Converter, RecordContext, Role};
use ferroconnect_tests::tagged;
use serde_json::Value as Json;

fn cases() -> impl Iterator<Item = Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../converters/testdata/json.jsonl");
    let text = std::fs::read_to_string(path).expect("the recorded cases are there");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines
        .into_iter()
        .map(|line| serde_json::from_str(&line).expect("a line of JSON"))
}

/// The converter of a case, twice; `None` when its settings are refused.
fn converters(case: &Json) -> Option<(JsonConverter, JsonConverter)> {
    let settings = case["config"].as_object().expect("settings").iter();
    let raw: RawConfig = settings
        .map(|(key, value)| (key.clone(), value.as_str().expect("text").to_owned()))
        .collect();
    let make = || JsonConverter::configure(&raw, Role::Value).ok();
    Some((make()?, make()?.without_memory()))
}

#[test]
fn every_document_reads_the_same() {
    let mut compared = 0;
    for case in cases().filter(|case| case["bytes"].is_string()) {
        let Some((mut fast, mut slow)) = converters(&case) else {
            continue;
        };
        let document = Bytes::from(tagged::hex(&case["bytes"]).expect("hexadecimal"));
        let read = |converter: &mut JsonConverter| {
            let mut ctx = RecordContext::new("t", Role::Value);
            let result = converter
                .to_connect(&mut ctx, Some(&document))
                .into_result();
            (result.map_err(|e| e.to_string()), ctx.differences())
        };
        let expected = read(&mut slow);
        for pass in 0..3 {
            assert_eq!(read(&mut fast), expected, "{} pass {pass}", case["id"]);
        }
        compared += 1;
    }
    assert!(compared > 800, "{compared}");
}

#[test]
fn every_value_is_written_the_same() {
    let mut compared = 0;
    for case in cases().filter(|case| !case["schema"].is_null() || !case["value"].is_null()) {
        let Some((mut fast, mut slow)) = converters(&case) else {
            continue;
        };
        let schema = tagged::schema_from(&case["schema"]).expect("a schema");
        let Ok(data) = tagged::value_from(schema, &case["value"]) else {
            continue;
        };
        let write = |converter: &mut JsonConverter| {
            let (mut out, mut ctx) = (Vec::new(), RecordContext::new("t", Role::Value));
            let result = converter
                .from_connect(&mut ctx, &data, &mut out)
                .into_result();
            (result.map_err(|e| e.to_string()), out)
        };
        let expected = write(&mut slow);
        for pass in 0..2 {
            assert_eq!(write(&mut fast), expected, "{} pass {pass}", case["id"]);
        }
        compared += 1;
    }
    assert!(compared > 600, "{compared}");
}
