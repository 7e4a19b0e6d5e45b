//! Protobuf schema texts, normal forms and descriptors, against what a registry stored, answered and refused.

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ferroconnect_converters::protobuf::{ProtoFile, ProtobufFormat};
use ferroconnect_registry_client::format::{
    CompatibilityPolicy, ReferencedSchema, SchemaFormat, SchemaSource,
};
use ferroconnect_registry_client::{Reference, Subject, Version};
use serde_json::Value as Json;

fn lines(path: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(&path).expect("a file of recorded cases");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_default()
}

fn new(text: &str) -> SchemaSource<'_> {
    SchemaSource {
        text,
        references: &[],
        is_new: true,
    }
}

fn stored(text: &str) -> SchemaSource<'_> {
    SchemaSource {
        is_new: false,
        ..new(text)
    }
}

#[test]
fn registered_texts_print_as_themselves() {
    let texts = lines("converters/testdata/protobuf_texts.jsonl");
    assert!(texts.len() > 100, "{}", texts.len());
    for text in texts {
        let text = text.as_str().expect("a text");
        let file = ProtoFile::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(file.to_text().expect("it is as short as it was"), text);
    }
}

#[test]
fn texts_are_kept_as_the_registry_keeps_them() {
    let cases = lines("registry-client/testdata/canonical.jsonl");
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["type"] == "PROTOBUF") {
        let posted = text(case, "posted");
        for (normalize, form, code) in [
            (false, "stored", "error_code"),
            (true, "normalized", "normalized_error_code"),
        ] {
            let ours = ProtobufFormat.canonical(&new(posted), normalize);
            match case[form].as_str() {
                Some(expected) => {
                    assert_eq!(ours.as_deref(), Ok(expected), "{}", case["name"]);
                    let again = ProtobufFormat.canonical(&stored(expected), normalize);
                    assert_eq!(again.as_deref(), Ok(expected), "{} again", case["name"]);
                }
                None => {
                    assert!(case[code].is_number(), "{}", case["name"]);
                    ours.expect_err("the registry refused it");
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 66);
}

#[test]
fn descriptors_are_those_of_the_registry() {
    let cases = lines("registry-client/testdata/canonical.jsonl");
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["type"] == "PROTOBUF") {
        let Some(expected) = case["serialized"].as_str() else {
            continue;
        };
        let ours = ProtobufFormat.serialized(&stored(text(case, "stored")));
        let ours = ours.unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
        let ours = STANDARD.encode(ours.expect("Protobuf has a binary form"));
        assert_eq!(ours, expected, "{}", case["name"]);
        compared += 1;
    }
    assert_eq!(compared, 31);
}

/// What was posted to a registry that had nothing, or nothing but what the text refers to.
#[test]
fn texts_are_refused_where_the_registry_refuses_them() {
    let mut compared = 0;
    for step in lines("registry-client/testdata/transcripts.jsonl") {
        let scenarios = [
            "register_protobuf",
            "register_protobuf_invalid",
            "protobuf_well_known_imports",
        ];
        let is_post = step["method"] == "POST" && text(&step, "path").ends_with("/versions");
        let posted = text(&step["request"], "schema");
        if !scenarios.contains(&text(&step, "scenario")) || !is_post || posted.is_empty() {
            continue;
        }
        let ours = ProtobufFormat.canonical(&new(posted), false);
        if step["status"] == 200 {
            assert_eq!(
                ours.as_deref().ok(),
                step["response"]["schema"].as_str(),
                "{posted}"
            );
        } else {
            let reason = ours.expect_err("the registry refused it").reason;
            let message = text(&step["response"], "message");
            let words = message.rsplit("details: ").next().unwrap_or_default();
            let words = words.split(':').next().unwrap_or_default();
            let is_same = reason.starts_with(words) || reason.contains("is already defined");
            assert!(is_same, "{reason} / {message}");
        }
        compared += 1;
    }
    assert_eq!(compared, 46);
}

fn reference(name: &str, text: &str) -> ReferencedSchema {
    ReferencedSchema {
        reference: Reference {
            name: name.into(),
            subject: Subject::new("dep").expect("a subject"),
            version: Version::new(1).expect("a version"),
        },
        text: text.to_owned(),
    }
}

#[test]
fn types_of_references_are_there_whatever_is_imported() {
    let client =
        "syntax = \"proto3\";\npackage acme.shop;\n\nmessage Client {\n  string id = 1;\n}\n";
    let references = [reference("dep.proto", client)];
    for import in ["dep.proto", "y.proto"] {
        let text = format!(
            "syntax = \"proto3\"; package acme.shop; import \"{import}\"; message Order {{ Client c = 1; }}"
        );
        let source = SchemaSource {
            references: &references,
            ..new(&text)
        };
        let normal = ProtobufFormat
            .canonical(&source, true)
            .expect("the type is there");
        assert!(normal.contains("  .acme.shop.Client c = 1;\n"), "{normal}");
        let refused = ProtobufFormat
            .canonical(&new(&text), false)
            .expect_err("it is missing");
        assert!(
            refused.reason.starts_with("Could not resolve type: Client"),
            "{refused}"
        );
        // What is registered is no longer looked up.
        assert!(ProtobufFormat.canonical(&stored(&text), false).is_ok());
    }
}

/// The registry shows the old text in the form it keeps.
#[test]
fn compared_texts_are_read() {
    let mut printed = BTreeSet::new();
    let mut seen = 0;
    for case in lines("registry-client/testdata/compat.jsonl") {
        if case["type"] != "PROTOBUF" {
            continue;
        }
        let old = case["old"].as_array().into_iter().flatten();
        for text in old.chain([&case["new"]]) {
            let text = text.as_str().expect("a text");
            let kept = ProtobufFormat.canonical(&new(text), false);
            printed.insert(kept.unwrap_or_else(|e| panic!("{text}: {e}")));
            seen += 1;
        }
        for message in case["messages"].as_array().into_iter().flatten() {
            let message = message.as_str().expect("text");
            if let Some(shown) = message.strip_prefix("{oldSchema: '") {
                let shown = shown.trim_end_matches("'}");
                assert!(printed.contains(shown), "{}: {shown}", case["name"]);
            }
        }
    }
    assert!(seen > 650, "{seen}");
}

#[test]
fn the_new_schema_is_called_new_on_whichever_side_it_stands() {
    let old = stored("syntax = \"proto3\";\n\nmessage M {\n  int32 a = 1;\n}\n");
    let new = new("syntax = \"proto3\"; message M { string a = 1; }");
    let strict = CompatibilityPolicy::Strict;
    for (reader, writer, words) in [
        (
            &new,
            &old,
            "in the new schema does not match its kind in the old schema",
        ),
        (
            &old,
            &new,
            "in the old schema does not match its kind in the new schema",
        ),
    ] {
        let found = ProtobufFormat.incompatibilities(reader, writer, strict);
        let [only] = &found.expect("both are schemas")[..] else {
            panic!("one reason");
        };
        assert_eq!(only.kind, "FIELD_SCALAR_KIND_CHANGED");
        assert!(only.message.contains(words), "{}", only.message);
    }
}
