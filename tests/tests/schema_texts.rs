//! Schema texts, normal forms and compatibility, against what a registry and Avro's Java library answered.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use ferroconnect_converters::avro::{AvroFormat, AvroSchema};
use ferroconnect_converters::json_schema::JsonSchemaFormat;
use ferroconnect_registry_client::format::{CompatibilityPolicy, SchemaFormat, SchemaSource};
use serde_json::Value as Json;

fn lines(path: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_default()
}

fn source(text: &str, is_new: bool) -> SchemaSource<'_> {
    SchemaSource {
        text,
        references: &[],
        is_new,
    }
}

#[test]
fn what_the_converter_registered_prints_as_itself() {
    let mut texts = std::collections::BTreeSet::new();
    for case in lines("converters/testdata/avro.jsonl") {
        for registered in case["expect"]["registered"]
            .as_array()
            .into_iter()
            .flatten()
        {
            texts.insert(text(registered, "schema").to_owned());
        }
    }
    assert!(texts.len() > 500, "{}", texts.len());
    for text in texts {
        let schema = AvroSchema::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(schema.to_text().expect("it was parsed"), text);
        assert!(schema.redefinition().is_none());
    }
}

#[test]
fn texts_are_kept_as_the_registry_keeps_them() {
    assert!(canonical("AVRO", &AvroFormat) >= 50);
}

#[test]
fn json_schemas_are_kept_as_the_registry_keeps_them() {
    assert!(canonical("JSON", &JsonSchemaFormat) >= 40);
}

/// All of them were registered.
#[test]
fn json_schemas_that_a_registry_takes_are_taken() {
    for case in lines("registry-client/testdata/compat.jsonl") {
        if case["type"] != "JSON" {
            continue;
        }
        let old = case["old"].as_array().into_iter().flatten();
        for text in old.chain(std::iter::once(&case["new"])) {
            let text = text.as_str().expect("text");
            let kept = JsonSchemaFormat.canonical(&source(text, true), false);
            assert!(kept.is_ok(), "{text}: {kept:?}");
        }
    }
}

/// Compares all texts of a language, and counts them.
fn canonical(kind: &str, format: &dyn SchemaFormat) -> usize {
    let cases = lines("registry-client/testdata/canonical.jsonl");
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["type"] == kind) {
        let posted = text(case, "posted");
        for (normalize, form, code) in [
            (false, "stored", "error_code"),
            (true, "normalized", "normalized_error_code"),
        ] {
            let ours = format.canonical(&source(posted, true), normalize);
            match case[form].as_str() {
                Some(expected) => assert_eq!(ours.as_deref(), Ok(expected), "{}", case["name"]),
                None => {
                    assert!(case[code].is_number(), "{}", case["name"]);
                    let reason = ours.expect_err("the registry refused it").reason;
                    let message = text(case, "message");
                    let words = message.rsplit("details: ").next().unwrap_or_default();
                    let words = words.split(':').next().unwrap_or_default();
                    assert!(reason.starts_with(words), "{reason} / {message}");
                }
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn schemas_are_compared_as_the_registry_compares_them() {
    let mut compared = 0;
    for case in lines("registry-client/testdata/compat.jsonl") {
        if case["type"] != "AVRO" || !case["status"].is_null() {
            continue;
        }
        let expected: Vec<&str> = case["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|message| message.as_str().expect("text"))
            .filter(|message| message.starts_with("{errorType") || !message.starts_with('{'))
            .collect();
        let (messages, mut kinds) = check(&case);
        assert_eq!(messages, expected, "{} {}", case["name"], case["level"]);
        assert_eq!(messages.is_empty(), case["compatible"] == true);
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(Json::from(kinds), case["kinds"], "{}", case["name"]);
        compared += 1;
    }
    assert!(compared > 370, "{compared}");
}

/// The new schema against the old ones, the latest first, until one does not get along with it.
fn check(case: &Json) -> (Vec<String>, Vec<&'static str>) {
    let level = text(case, "level");
    let mut old: Vec<&str> = case["old"]
        .as_array()
        .expect("texts")
        .iter()
        .map(|text| text.as_str().expect("text"))
        .collect();
    old.reverse();
    if !level.ends_with("_TRANSITIVE") {
        old.truncate(1);
    }
    let new = source(text(case, "new"), true);
    for old in old {
        let old = source(old, false);
        let ask = |reader, writer| {
            AvroFormat
                .incompatibilities(reader, writer, CompatibilityPolicy::Strict)
                .unwrap_or_else(|e| panic!("{}: {e}", case["name"]))
        };
        let mut found = Vec::new();
        if level.starts_with("FORWARD") || level.starts_with("FULL") {
            found.extend(ask(&old, &new));
        }
        if level.starts_with("BACKWARD") || level.starts_with("FULL") {
            found.extend(ask(&new, &old));
        }
        if !found.is_empty() {
            let kinds = found.iter().map(|difference| difference.kind).collect();
            let messages = found.into_iter().map(|difference| difference.message);
            return (messages.collect(), kinds);
        }
    }
    (Vec::new(), Vec::new())
}
