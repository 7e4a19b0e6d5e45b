use super::*;

fn check(schema: &str, document: &str) -> Result<(), Error> {
    Validator::compile(schema, &[], true).check_written(document.as_bytes(), false)
}

fn is_valid(schema: &str, document: &str) -> bool {
    check(schema, document).is_ok()
}

/// Case C051.
#[test]
fn multiples_are_exact_beyond_64_bits() {
    let schema = r#"{"type":"integer","multipleOf":3}"#;
    let dialect = "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",";
    for schema in [schema.into(), schema.replace('{', &format!("{{{dialect}"))] {
        for (document, valid) in [
            ("18446744073709551617", false),
            ("18446744073709551618", true),
            ("9007199254740993", true),
            ("-18446744073709551618", true),
        ] {
            assert_eq!(is_valid(&schema, document), valid, "{document}");
        }
    }
}

#[test]
fn an_integer_is_written_as_one_in_the_drafts_that_java_checks_itself() {
    for (dialect, valid) in [
        ("", false),
        ("http://json-schema.org/draft-04/schema#", false),
        ("http://json-schema.org/draft-07/schema#", false),
        ("https://json-schema.org/draft/2019-09/schema", true),
        ("https://json-schema.org/draft/2020-12/schema", true),
    ] {
        let schema = format!(r#"{{"$schema":"{dialect}","type":"integer"}}"#);
        assert_eq!(is_valid(&schema, "5.0"), valid, "{dialect}");
        assert!(is_valid(&schema, "5"));
    }
    let newer = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"integer"}"#;
    let old = Validator::compile(newer, &[], false);
    assert!(old.check_read(b"5.0").is_err());
    // A root of 8 or 16 bits.
    let schema = Validator::compile(r#"{"type":"integer"}"#, &[], true);
    assert!(schema.check_written(b"5", true).is_err());
}

#[test]
fn the_draft_decides_what_keywords_mean() {
    let tuple = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}"#;
    assert!(!is_valid(tuple, "[1]"));
    assert!(is_valid(r#"{"prefixItems":[{"type":"string"}]}"#, "[1]"));
    let bound = r#"{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true}"#;
    assert!(!is_valid(bound, "3"));
}

#[test]
fn a_report_names_places_and_keywords_and_no_values() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"array","items":{"maxLength":2}}},"required":["b"]}"#;
    let written = check(schema, r#"{"a":["secret"]}"#)
        .unwrap_err()
        .to_string();
    assert!(
        written.starts_with("Validation error in JSON, Error report:\n"),
        "{written}"
    );
    assert!(written.contains("#/a/0: maxLength"), "{written}");
    assert!(written.contains("#: required"), "{written}");
    assert!(!written.contains("secret"), "{written}");
    let read = Validator::compile(schema, &[], true)
        .check_read(b"{}")
        .unwrap_err();
    assert!(
        read.to_string()
            .starts_with("JSON does not match schema of type JSON")
    );
}

#[test]
fn references_lead_to_what_the_registry_names() {
    let inner = r#"{"type":"object","properties":{"x":{"type":"integer"}}}"#;
    for (root, name) in [
        (r#"{"properties":{"o":{"$ref":"on.json"}}}"#, "on.json"),
        (
            r#"{"$id":"http://acme.com/r.json","properties":{"o":{"$ref":"on.json"}}}"#,
            "on.json",
        ),
        (
            r#"{"properties":{"o":{"$ref":"http://acme.com/on.json"}}}"#,
            "http://acme.com/on.json",
        ),
        (
            r#"{"properties":{"o":{"$ref":"on.json#/properties/x"}}}"#,
            "on.json",
        ),
    ] {
        let validator = Validator::compile(root, &[(name, inner)], true);
        validator.check_read(br#"{"o":5}"#).err();
        let wrong = validator.check_read(br#"{"o":{"x":"s"}}"#).unwrap_err();
        assert!(wrong.to_string().contains("type"), "{root}: {wrong}");
    }
    let nowhere = Validator::compile(r#"{"$ref":"http://acme.com/gone.json"}"#, &[], true);
    assert!(
        nowhere
            .check_read(b"1")
            .unwrap_err()
            .to_string()
            .contains("cannot be checked")
    );
}

#[test]
fn schemas_that_connect_data_are_written_with_refer_to_their_parts() {
    let list = r##"{"type":"object","id":"#id1","properties":{"next":{"oneOf":[{"type":"null"},{"$ref":"#id1"}]},"value":{"type":"integer"}}}"##;
    assert!(is_valid(
        list,
        r#"{"value":1,"next":{"value":2,"next":null}}"#
    ));
    assert!(!is_valid(list, r#"{"value":1,"next":{"value":"s"}}"#));
    // An optional schema with an id has it twice.
    let twice = r##"{"properties":{"b":{"id":"#id2","oneOf":[{"type":"null"},{"type":"object","id":"#id2"}]},"l":{"items":{"$ref":"#id2"}}}}"##;
    assert!(is_valid(twice, r#"{"b":null,"l":[{},null]}"#));
    assert!(!is_valid(twice, r#"{"l":[1]}"#));
}

#[test]
fn a_schema_that_cannot_be_used_fails_with_each_document() {
    for schema in [r#"{"type":"nonsense"}"#, r#"{"pattern":"("}"#, "[]", "{"] {
        let validator = Validator::compile(schema, &[], true);
        let error = validator.check_written(b"1", false).unwrap_err();
        assert!(
            error.to_string().contains("cannot be checked"),
            "{schema}: {error}"
        );
    }
}

#[test]
fn depth_is_bounded_on_both_sides() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let list = r##"{"type":"array","items":{"$ref":"#"}}"##;
    assert!(is_valid(list, &nested(JSON_CHECKED_DEPTH_MAX)));
    assert!(!is_valid(list, &nested(JSON_CHECKED_DEPTH_MAX + 1)));
    let schema = |levels: usize| "{\"not\":".repeat(levels) + "{}" + &"}".repeat(levels);
    assert!(is_valid(&schema(100), "1"));
    assert!(!is_valid(&schema(JSON_CHECKED_DEPTH_MAX + 1), "1"));
}

/// Case C049.
#[test]
fn registered_schemas_are_of_many_drafts() {
    let rest = r#""type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#;
    for dialect in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "http://acme.com/a-dialect-of-our-own",
    ] {
        let schema = format!("{{\"$schema\":\"{dialect}\",{rest}");
        assert!(is_valid(&schema, r#"{"a":1}"#), "{dialect}");
        assert!(!is_valid(&schema, r#"{"a":"1"}"#), "{dialect}");
        assert!(!is_valid(&schema, "{}"), "{dialect}");
    }
}

#[test]
fn a_schema_that_is_nothing_but_itself_ends() {
    let circle = r##"{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}},"$ref":"#/definitions/a"}"##;
    let _ = check(circle, "1");
    let _ = check(r##"{"allOf":[{"$ref":"#"}]}"##, "{\"a\":[1]}");
}

mod generated {
    use super::*;
    use proptest::prelude::*;

    /// Schemas of draft 7 with each keyword that looks at values.
    fn schema() -> BoxedStrategy<Value> {
        let leaf = prop_oneof![
            Just("true"),
            Just("false"),
            Just(r#"{"type":"integer"}"#),
            Just(r#"{"type":["string","null"]}"#),
            Just(r#"{"type":"number","minimum":-1.5,"exclusiveMaximum":3}"#),
            Just(r#"{"multipleOf":0.5}"#),
            Just(r#"{"multipleOf":3}"#),
            Just(r#"{"minLength":1,"maxLength":2}"#),
            Just(r#"{"pattern":"^[a-z]+$"}"#),
            Just(r#"{"enum":["a",1,null,[1],{"a":1}]}"#),
            Just(r#"{"const":{"a":[1,"a"]}}"#),
            Just(r#"{"uniqueItems":true,"minItems":1,"maxItems":3}"#),
            Just(r#"{"required":["a"],"minProperties":1,"maxProperties":2}"#),
            Just(r#"{"format":"date-time"}"#),
        ];
        let leaf = leaf.prop_map(|text| serde_json::from_str::<Value>(text).unwrap());
        leaf.boxed()
            .prop_recursive(3, 12, 3, |inner| {
                let keyword = prop::sample::select(vec![
                    "items",
                    "contains",
                    "additionalItems",
                    "additionalProperties",
                    "propertyNames",
                    "not",
                    "if",
                    "then",
                    "else",
                ]);
                let lists = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "items"]);
                let maps =
                    prop::sample::select(vec!["properties", "patternProperties", "dependencies"]);
                prop_oneof![
                    (keyword, inner.clone()).prop_map(|(keyword, schema)| (keyword, schema)),
                    (lists, prop::collection::vec(inner.clone(), 1..3))
                        .prop_map(|(keyword, schemas)| (keyword, Value::Array(schemas))),
                    (maps, inner.clone(), inner).prop_map(|(keyword, a, b)| {
                        let map = [("a".into(), a), ("b".into(), b)].into_iter().collect();
                        (keyword, Value::Object(map))
                    }),
                ]
                .prop_map(|(keyword, value)| {
                    Value::Object([(keyword.into(), value)].into_iter().collect())
                })
            })
            .boxed()
    }

    fn document() -> BoxedStrategy<Value> {
        let leaf = prop_oneof![
            Just("null"),
            Just("true"),
            Just("1"),
            Just("-7"),
            Just("2.5"),
            Just("18446744073709551615"),
            Just("\"\""),
            Just("\"a\""),
            Just("\"é€\""),
            Just("\"2024-02-29T00:00:00Z\""),
        ];
        let leaf = leaf.prop_map(|text| serde_json::from_str::<Value>(text).unwrap());
        leaf.boxed()
            .prop_recursive(3, 12, 3, |inner| {
                let names = prop::sample::select(vec!["a", "b", "é", ""]);
                prop_oneof![
                    prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                    prop::collection::vec((names, inner), 0..3).prop_map(|members| {
                        let members = members.into_iter();
                        Value::Object(members.map(|(name, value)| (name.into(), value)).collect())
                    }),
                ]
            })
            .boxed()
    }

    proptest! {
        #[test]
        fn our_documents_are_checked_like_any_others(schema in schema(), document in document()) {
            let expected = jsonschema::draft7::is_valid(&schema, &document);
            let validator = Validator::compile(&schema.to_string(), &[], true);
            let checked = validator.check_read(document.to_string().as_bytes());
            prop_assert_eq!(checked.is_ok(), expected, "{:?}", checked);
        }
    }
}
