//! What texts are read as.

use super::{Criterion, JsonSchema, Kind, SchemaId};

fn parsed(text: &str) -> JsonSchema {
    JsonSchema::parse(text, &[], false).unwrap_or_else(|e| panic!("{e} in {text}"))
}

/// A schema in short: kinds, and what they hold.
fn shape(schema: &JsonSchema, id: SchemaId) -> String {
    let node = schema.node(id);
    let inner = |ids: &mut dyn Iterator<Item = SchemaId>| {
        ids.map(|id| shape(schema, id))
            .collect::<Vec<_>>()
            .join(" ")
    };
    match &node.kind {
        Kind::Null => "null".into(),
        Kind::Boolean => "boolean".into(),
        Kind::String(_) => "string".into(),
        Kind::Number(rules) if rules.integer => "integer".into(),
        Kind::Number(_) => "number".into(),
        Kind::Array(rules) => format!(
            "array({})",
            inner(
                &mut rules
                    .all_items
                    .into_iter()
                    .chain(rules.tuple.iter().flatten().copied())
            )
        ),
        Kind::Object(rules) => format!(
            "object({})",
            inner(&mut rules.properties.iter().map(|(_, id)| *id))
        ),
        Kind::Combined(combined) => format!(
            "{}({})",
            combined.criterion.keyword(),
            inner(&mut combined.parts.iter().copied())
        ),
        Kind::Enum(values) => format!("enum{}", values.len()),
        Kind::Const(_) => "const".into(),
        Kind::Empty => "empty".into(),
        Kind::True => "true".into(),
        Kind::False => "false".into(),
        Kind::Not(id) => format!("not({})", shape(schema, *id)),
        Kind::Conditional => "if".into(),
        Kind::Reference { target } => format!("ref{}", target.index()),
    }
}

fn shape_of(text: &str) -> String {
    let schema = parsed(text);
    shape(&schema, schema.root())
}

#[test]
fn keywords_beside_each_other_are_an_all_of_that_nobody_wrote() {
    for (text, expected) in [
        ("{}", "empty"),
        ("true", "true"),
        (r#"{"title":"t","x":1}"#, "empty"),
        (r#"{"type":"string","minLength":1}"#, "string"),
        (r#"{"minLength":1}"#, "string"),
        (r#"{"type":["integer","null"]}"#, "anyOf(integer null)"),
        (r#"{"type":"string","enum":["a"]}"#, "allOf(enum1 string)"),
        (
            r#"{"type":"string","properties":{}}"#,
            "allOf(string object())",
        ),
        (
            r#"{"type":"object","oneOf":[{"required":["a"]}]}"#,
            "allOf(oneOf(object()) object())",
        ),
        (
            r#"{"oneOf":[{"type":"string"},{"anyOf":[]}]}"#,
            "oneOf(anyOf() string)",
        ),
        (r#"{"if":{},"then":{}}"#, "if"),
        (r#"{"const":1}"#, "const"),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","const":1}"#,
            "empty",
        ),
        (r#"{"not":{"type":"null"}}"#, "not(null)"),
        (
            r#"{"type":"array","items":[{"type":"null"},true]}"#,
            "array(null true)",
        ),
    ] {
        assert_eq!(shape_of(text), expected, "{text}");
    }
}

#[test]
fn newer_drafts_have_other_words_for_tuples_and_dependencies() {
    let text = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":["array","object"],
        "prefixItems":[{"type":"null"}],"items":false,
        "dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{}}}"#;
    let schema = parsed(text);
    let Kind::Combined(types) = &schema.node(schema.root()).kind else {
        panic!("types");
    };
    assert_eq!(types.criterion, Criterion::AnyOf);
    let Kind::Array(array) = &schema.node(types.parts[0]).kind else {
        panic!("array");
    };
    assert_eq!(array.tuple.as_ref().map(Vec::len), Some(1));
    assert!(!array.permits_additional && array.all_items.is_none());
    let Kind::Object(object) = &schema.node(types.parts[1]).kind else {
        panic!("object");
    };
    assert_eq!(object.property_dependencies.len(), 1);
    assert_eq!(object.schema_dependencies.len(), 1);
    let as_seven = JsonSchema::parse(text, &[], true).unwrap();
    assert_eq!(
        shape(&as_seven, as_seven.root()),
        "anyOf(array(false) object())"
    );
}

#[test]
fn references_are_the_ids_of_their_targets() {
    let schema = parsed(r##"{"properties":{"next":{"$ref":"#"}}}"##);
    assert_eq!(shape(&schema, schema.root()), "object(ref0)");
    for (text, leads_to) in [
        (
            r##"{"$ref":"#/definitions/a~1b%20c","definitions":{"a/b c":{"type":"null"}}}"##,
            "null",
        ),
        (
            r##"{"$ref":"#here","definitions":{"a":{"$id":"#here","type":"null"}}}"##,
            "null",
        ),
        (
            r##"{"$ref":"#here","definitions":{"a":{"$anchor":"here","type":"null"}}}"##,
            "null",
        ),
        (
            r##"{"$ref":"a.json","definitions":{"a":{"$id":"a.json","type":"null"}}}"##,
            "null",
        ),
        (
            r##"{"$id":"http://h/root","$ref":"a#/definitions/x",
                "definitions":{"a":{"$id":"http://h/a","definitions":{"x":{"type":"null"}}}}}"##,
            "null",
        ),
    ] {
        let schema = parsed(text);
        let target = schema.target(schema.root()).unwrap();
        assert_eq!(shape(&schema, target), leads_to, "{text}");
    }
    let circle = parsed(r##"{"$ref":"#/a","a":{"$ref":"#/b"},"b":{"$ref":"#/a"}}"##);
    assert_eq!(circle.target(circle.root()), None);
    assert!(JsonSchema::parse(r##"{"$ref":"#/none"}"##, &[], false).is_err());
}

#[test]
fn other_texts_are_known_by_name_and_by_id() {
    let other =
        r#"{"$id":"http://h/x/other.json","definitions":{"a":{"type":"null"}},"type":"boolean"}"#;
    for (reference, base, leads_to) in [
        ("other.json", "", "boolean"),
        ("other.json#/definitions/a", "", "null"),
        ("http://h/x/other.json", "", "boolean"),
        ("other.json", "http://h/x/root.json", "boolean"),
        ("other.json", "http://elsewhere/root.json", "boolean"),
    ] {
        let text = format!(r#"{{"$id":"{base}","$ref":"{reference}"}}"#);
        let schema = JsonSchema::parse(&text, &[("other.json", other)], false).unwrap();
        let target = schema.target(schema.root()).unwrap();
        assert_eq!(shape(&schema, target), leads_to, "{text}");
    }
}

#[test]
fn keywords_hold_what_they_may() {
    for bad in [
        r#"{"type":1}"#,
        r#"{"type":"text"}"#,
        r#"{"items":1}"#,
        r#"{"minimum":"1"}"#,
        r#"{"minLength":1.5}"#,
        r#"{"properties":[]}"#,
        r#"{"title":1}"#,
        "[]",
        "{",
    ] {
        assert!(JsonSchema::parse(bad, &[], false).is_err(), "{bad}");
    }
    parsed(r#"{"minLength":1.0,"title":"t"}"#);
}

#[test]
fn deep_texts_need_no_deep_stack() {
    let text = format!(
        "{}{}",
        r#"{"items":"#.repeat(900),
        "}".repeat(900).replacen('}', "true}", 1)
    );
    assert_eq!(parsed(&text).nodes.len(), 901);
}
