use std::fmt::Write as _;

use super::*;

mod documents;

fn schema(text: &str) -> JsonSchema {
    JsonSchema::parse(text, &[], false).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn found_under(policy: CompatibilityPolicy, reader: &str, writer: &str) -> Vec<String> {
    let found = differences(&schema(reader), &schema(writer), policy);
    let found = found.unwrap_or_else(|error| panic!("{reader} {writer}: {error}"));
    found.iter().map(ToString::to_string).collect()
}

fn found(reader: &str, writer: &str) -> Vec<String> {
    found_under(CompatibilityPolicy::Strict, reader, writer)
}

fn refusal(reader: &str, writer: &str) -> String {
    let found = differences(
        &schema(reader),
        &schema(writer),
        CompatibilityPolicy::Strict,
    );
    found.expect_err("a limit").to_string()
}

/// Reader, writer, and the one difference that there is in this direction. In the other one there is none.
const ONE_WAY: &[(&str, &str, &str)] = &[
    (
        r#"{"type":"integer"}"#,
        r#"{"type":"number"}"#,
        "TYPE_NARROWED at #/",
    ),
    (
        r#"{"type":"string"}"#,
        r#"{"type":["string","null"]}"#,
        "TYPE_CHANGED at #/",
    ),
    (r#"{"type":"string"}"#, "{}", "TYPE_CHANGED at #/"),
    ("false", r#"{"type":"string"}"#, "TYPE_CHANGED at #/"),
    (
        r#"{"type":"string","maxLength":1}"#,
        r#"{"type":"string"}"#,
        "MAX_LENGTH_ADDED at #/maxLength",
    ),
    (
        r#"{"type":"string","maxLength":1}"#,
        r#"{"type":"string","maxLength":2}"#,
        "MAX_LENGTH_DECREASED at #/maxLength",
    ),
    (
        r#"{"type":"string","minLength":1}"#,
        r#"{"type":"string"}"#,
        "MIN_LENGTH_ADDED at #/minLength",
    ),
    (
        r#"{"type":"string","minLength":2}"#,
        r#"{"type":"string","minLength":1}"#,
        "MIN_LENGTH_INCREASED at #/minLength",
    ),
    (
        r#"{"type":"string","pattern":"a"}"#,
        r#"{"type":"string"}"#,
        "PATTERN_ADDED at #/pattern",
    ),
    (
        r#"{"type":"number","maximum":1}"#,
        r#"{"type":"number"}"#,
        "MAXIMUM_ADDED at #/maximum",
    ),
    (
        r#"{"type":"number","maximum":1.0}"#,
        r#"{"type":"number","maximum":1e1}"#,
        "MAXIMUM_DECREASED at #/maximum",
    ),
    (
        r#"{"type":"number","minimum":-1}"#,
        r#"{"type":"number"}"#,
        "MINIMUM_ADDED at #/minimum",
    ),
    (
        r#"{"type":"number","minimum":-1}"#,
        r#"{"type":"number","minimum":-10}"#,
        "MINIMUM_INCREASED at #/minimum",
    ),
    (
        r#"{"type":"number","exclusiveMaximum":1}"#,
        r#"{"type":"number"}"#,
        "EXCLUSIVE_MAXIMUM_ADDED at #/exclusiveMaximum",
    ),
    (
        r#"{"type":"number","exclusiveMaximum":1}"#,
        r#"{"type":"number","exclusiveMaximum":2}"#,
        "EXCLUSIVE_MAXIMUM_DECREASED at #/exclusiveMaximum",
    ),
    (
        r#"{"type":"number","exclusiveMinimum":1}"#,
        r#"{"type":"number"}"#,
        "EXCLUSIVE_MINIMUM_ADDED at #/exclusiveMinimum",
    ),
    (
        r#"{"type":"number","exclusiveMinimum":2}"#,
        r#"{"type":"number","exclusiveMinimum":1}"#,
        "EXCLUSIVE_MINIMUM_INCREASED at #/exclusiveMinimum",
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1,"exclusiveMinimum":true}"#,
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1}"#,
        "EXCLUSIVE_MINIMUM_ADDED at #/exclusiveMinimum",
    ),
    (
        r#"{"type":"number","multipleOf":2}"#,
        r#"{"type":"number"}"#,
        "MULTIPLE_OF_ADDED at #/multipleOf",
    ),
    (
        r#"{"type":"number","multipleOf":0.5}"#,
        r#"{"type":"number","multipleOf":0.25}"#,
        "MULTIPLE_OF_EXPANDED at #/multipleOf",
    ),
    (
        r#"{"enum":[1,{"a":1,"b":2}]}"#,
        r#"{"enum":[{"b":2e0,"a":1},2,1.0]}"#,
        "ENUM_ARRAY_NARROWED at #/enum",
    ),
    (
        r#"{"type":"array","items":{"type":"string"}}"#,
        r#"{"type":"array"}"#,
        "SCHEMA_ADDED at #/items",
    ),
    (
        r#"{"type":"array","maxItems":1}"#,
        r#"{"type":"array"}"#,
        "MAX_ITEMS_ADDED at #/maxItems",
    ),
    (
        r#"{"type":"array","maxItems":1}"#,
        r#"{"type":"array","maxItems":2}"#,
        "MAX_ITEMS_DECREASED at #/maxItems",
    ),
    (
        r#"{"type":"array","minItems":1}"#,
        r#"{"type":"array"}"#,
        "MIN_ITEMS_ADDED at #/minItems",
    ),
    (
        r#"{"type":"array","minItems":2}"#,
        r#"{"type":"array","minItems":1}"#,
        "MIN_ITEMS_INCREASED at #/minItems",
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        r#"{"type":"array","uniqueItems":false}"#,
        "UNIQUE_ITEMS_ADDED at #/uniqueItems",
    ),
    (
        r#"{"type":"array","items":[{"type":"string"}]}"#,
        r#"{"type":"array"}"#,
        "ITEM_ADDED_TO_OPEN_CONTENT_MODEL at #/items/0",
    ),
    (
        r#"{"type":"array","items":[{}],"additionalItems":false}"#,
        r#"{"type":"array","items":[{},{}],"additionalItems":false}"#,
        "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL at #/items/1",
    ),
    (
        r#"{"type":"array","items":[{}],"additionalItems":false}"#,
        r#"{"type":"array","items":[{}],"additionalItems":{}}"#,
        "ADDITIONAL_ITEMS_REMOVED at #/additionalItems",
    ),
    (
        r#"{"type":"array","items":[{}],"additionalItems":{"type":"null"}}"#,
        r#"{"type":"array","items":[{}]}"#,
        "ADDITIONAL_ITEMS_NARROWED at #/additionalItems",
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
        "REQUIRED_ATTRIBUTE_ADDED at #/required/a",
    ),
    (
        r#"{"type":"object","maxProperties":1}"#,
        r#"{"type":"object"}"#,
        "MAX_PROPERTIES_ADDED at #/maxProperties",
    ),
    (
        r#"{"type":"object","maxProperties":1}"#,
        r#"{"type":"object","maxProperties":2}"#,
        "MAX_PROPERTIES_DECREASED at #/maxProperties",
    ),
    (
        r#"{"type":"object","minProperties":1}"#,
        r#"{"type":"object"}"#,
        "MIN_PROPERTIES_ADDED at #/minProperties",
    ),
    (
        r#"{"type":"object","minProperties":2}"#,
        r#"{"type":"object","minProperties":1}"#,
        "MIN_PROPERTIES_INCREASED at #/minProperties",
    ),
    (
        r#"{"type":"object","additionalProperties":false}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        "ADDITIONAL_PROPERTIES_REMOVED at #/additionalProperties",
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        r#"{"type":"object"}"#,
        "ADDITIONAL_PROPERTIES_NARROWED at #/additionalProperties",
    ),
    (
        r#"{"type":"object","dependencies":{"a":["b"]}}"#,
        r#"{"type":"object"}"#,
        "DEPENDENCY_ARRAY_ADDED at #/dependencies/a",
    ),
    (
        r#"{"type":"object","dependencies":{"a":["b","c"]}}"#,
        r#"{"type":"object","dependencies":{"a":["c"]}}"#,
        "DEPENDENCY_ARRAY_EXTENDED at #/dependencies/a",
    ),
    (
        r#"{"type":"object","dependencies":{"a":{"type":"object"}}}"#,
        r#"{"type":"object"}"#,
        "DEPENDENCY_SCHEMA_ADDED at #/dependencies/a",
    ),
    (
        r#"{"type":"object","dependencies":{"a":{"type":"object","minProperties":2}}}"#,
        r#"{"type":"object","dependencies":{"a":{"type":"object"}}}"#,
        "MIN_PROPERTIES_ADDED at #/dependencies/a/minProperties",
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
        r#"{"type":"object"}"#,
        "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL at #/properties/a",
    ),
    (
        r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#,
        r#"{"type":"object"}"#,
        "REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL at #/properties/a",
    ),
    (
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#,
        "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL at #/properties/a",
    ),
    (
        r#"{"anyOf":[{"type":"string"}]}"#,
        r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
        "SUM_TYPE_NARROWED at #/",
    ),
    (
        r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#,
        r#"{"allOf":[{"maximum":2}]}"#,
        "PRODUCT_TYPE_EXTENDED at #/",
    ),
    (
        r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
        r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
        "COMBINED_TYPE_CHANGED at #/",
    ),
    (
        r#"{"oneOf":[{"type":"null"},{"type":"integer"}]}"#,
        r#"{"oneOf":[{"type":"null"},{"type":"number"}]}"#,
        "COMBINED_TYPE_SUBSCHEMAS_CHANGED at #/",
    ),
    (
        r#"{"not":{"type":"number"}}"#,
        r#"{"not":{"type":"integer"}}"#,
        "NOT_TYPE_EXTENDED at #/not",
    ),
];

/// Reader, writer, and what there is in this direction.
const CHANGED: &[(&str, &str, &[&str])] = &[
    (
        r#"{"type":"string","pattern":"a"}"#,
        r#"{"type":"string","pattern":"b"}"#,
        &["PATTERN_CHANGED at #/pattern"],
    ),
    (
        r#"{"type":"number","multipleOf":3}"#,
        r#"{"type":"number","multipleOf":2}"#,
        &["MULTIPLE_OF_CHANGED at #/multipleOf"],
    ),
    (
        r#"{"enum":[1,2]}"#,
        r#"{"enum":[1,3]}"#,
        &["ENUM_ARRAY_CHANGED at #/enum"],
    ),
    (
        r#"{"const":[1]}"#,
        r#"{"const":[1,1]}"#,
        &["ENUM_ARRAY_CHANGED at #/const"],
    ),
    (
        r#"{"type":"object","dependencies":{"a":["b"]}}"#,
        r#"{"type":"object","dependencies":{"a":["c"]}}"#,
        &["DEPENDENCY_ARRAY_CHANGED at #/dependencies/a"],
    ),
    (
        r#"{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}"#,
        r#"{"type":"object","additionalProperties":false}"#,
        &["REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL at #/properties/a"],
    ),
    (
        r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"null"}}"#,
        r#"{"type":"object","additionalProperties":{"type":"null"}}"#,
        &[
            "TYPE_CHANGED at #/properties/a",
            "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL at #/properties/a",
        ],
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"null"}}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"null"}}"#,
        &[
            "TYPE_CHANGED at #/properties/a",
            "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL at #/properties/a",
        ],
    ),
    (
        r#"{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"null"}}"#,
        r#"{"type":"array","items":[],"additionalItems":{"type":"null"}}"#,
        &[
            "TYPE_CHANGED at #/items/0",
            "ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL at #/items/0",
        ],
    ),
    (
        r#"{"type":"array","items":[],"additionalItems":{"type":"null"}}"#,
        r#"{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"null"}}"#,
        &[
            "TYPE_CHANGED at #/items/0",
            "ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL at #/items/0",
        ],
    ),
];

#[test]
fn each_kind_is_found_where_it_is() {
    let mut seen = HashSet::new();
    let mut note = |found: &[String]| {
        let words = found.iter().filter_map(|text| text.split(' ').next());
        seen.extend(words.map(str::to_owned));
    };
    for (reader, writer, wanted) in ONE_WAY {
        let differences = found(reader, writer);
        assert_eq!(differences, [*wanted], "{reader} {writer}");
        note(&differences);
        assert_eq!(found(writer, reader), [""; 0], "{writer} {reader}");
    }
    for (reader, writer, wanted) in CHANGED {
        let differences = found(reader, writer);
        assert_eq!(differences, *wanted, "{reader} {writer}");
        note(&differences);
    }
    for kind in DifferenceKind::ALL {
        assert!(seen.contains(kind.word()), "{}", kind.word());
    }
}

#[test]
fn places_lead_through_properties_items_and_references() {
    let text = |ty| {
        format!(
            r##"{{"type":"object","properties":{{"a":{{"type":"array","items":[{{}},{{"$ref":"#/definitions/D"}}]}}}},
                "definitions":{{"D":{{"type":"object","additionalProperties":{{"type":"{ty}"}}}}}}}}"##
        )
    };
    assert_eq!(
        found(&text("string"), &text("null")),
        ["TYPE_CHANGED at #/properties/a/items/1/additionalProperties"]
    );
}

#[test]
fn the_lenient_policy_lets_optional_properties_come_and_go() {
    let all = ONE_WAY
        .iter()
        .map(|(reader, writer, wanted)| (reader, writer, vec![*wanted]));
    let changed = CHANGED
        .iter()
        .map(|(reader, writer, wanted)| (reader, writer, wanted.to_vec()));
    for (reader, writer, mut wanted) in all.chain(changed) {
        wanted.retain(|text| {
            let word = text.split(' ').next().unwrap_or_default();
            let mut kinds = DifferenceKind::ALL.iter();
            kinds.any(|kind| kind.word() == word && !kind.is_lenient())
        });
        let lenient = found_under(CompatibilityPolicy::Lenient, reader, writer);
        assert_eq!(lenient, wanted, "{reader} {writer}");
    }
}

#[test]
fn a_required_property_with_a_default_is_not_missed() {
    let (closed, old) = (
        r#","additionalProperties":false}"#,
        r#"{"type":"object","additionalProperties":false}"#,
    );
    let new = |properties: &str| {
        format!(r#"{{"type":"object","properties":{{{properties}}},"required":["a"]{closed}"#)
    };
    let [with, without] = [
        r#""a":{"type":"null","default":null}"#,
        r#""a":{"type":"null"}"#,
    ];
    assert_eq!(found(&new(with), old), [""; 0]);
    assert_eq!(found(&new(without), old).len(), 1);
    let optional = new(without).replace(r#""required":["a"]"#, r#""required":[]"#);
    assert_eq!(found(&new(with), &optional), [""; 0]);
    assert_eq!(
        found(&new(without), &optional),
        ["REQUIRED_ATTRIBUTE_ADDED at #/required/a"]
    );
    // A name alone counts for nothing.
    assert_eq!(
        found(
            r#"{"type":"object","required":["a"]}"#,
            r#"{"type":"object"}"#
        ),
        [""; 0]
    );
}

/// Each pair fits in this order of its parts only if the first choice is taken back.
#[test]
fn parts_are_matched_as_well_as_can_be() {
    let any = |parts: &[&str]| {
        let parts: Vec<String> = parts
            .iter()
            .map(|ty| format!(r#"{{"type":"{ty}"}}"#))
            .collect();
        format!(r#"{{"anyOf":[{}]}}"#, parts.join(","))
    };
    let wide = r#"{"anyOf":[{"type":"number"},{"type":"integer"},{"type":"null"}]}"#;
    assert_eq!(found(wide, &any(&["integer", "number"])), [""; 0]);
    assert_eq!(
        found(&any(&["number", "integer"]), &any(&["integer", "number"])),
        [""; 0]
    );
    assert_eq!(
        found(&any(&["integer", "null"]), &any(&["null", "string"])),
        ["COMBINED_TYPE_SUBSCHEMAS_CHANGED at #/"]
    );
    assert_eq!(
        found(&any(&["string"]), &any(&["null", "integer"])),
        [
            "SUM_TYPE_NARROWED at #/",
            "COMBINED_TYPE_SUBSCHEMAS_CHANGED at #/"
        ]
    );
}

#[test]
fn combinations_of_other_kinds_are_compared_part_by_part() {
    let fits = |reader: &str, writer: &str| found(reader, writer).is_empty();
    let number = r#"{"type":"number"}"#;
    assert!(fits(number, r#"{"type":["integer","number"]}"#));
    assert!(fits(
        number,
        r#"{"allOf":[{"type":"number"},{"maximum":1}]}"#
    ));
    assert!(!fits(number, r#"{"type":["null","number"]}"#));
    assert!(fits(r#"{"allOf":[{"type":"number"},{}]}"#, number));
    assert!(!fits(
        r#"{"allOf":[{"type":"number"},{"maximum":1}]}"#,
        number
    ));
    let both = r#"{"allOf":[{"type":"string"},{"minLength":1}]}"#;
    let either = r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#;
    assert!(fits(either, both));
    assert_eq!(found(both, either), ["COMBINED_TYPE_CHANGED at #/"]);
    assert!(fits(r#"{"allOf":[{"type":["string","null"]},{}]}"#, either));
}

#[test]
fn schemas_that_contain_themselves_are_compared_once_around() {
    let list = |ty: &str, next: &str| {
        format!(
            r##"{{"definitions":{{"L":{{"type":"object","properties":{{"next":{{"$ref":"#/definitions/L"}},"v":{{"type":"{ty}"}}}}}},
                "M":{{"type":"object","properties":{{"next":{{"$ref":"#/definitions/{next}"}},"v":{{"type":"{ty}"}}}}}}}},
                "$ref":"#/definitions/M"}}"##
        )
    };
    // One goes around in one step, the other in two.
    assert_eq!(found(&list("string", "L"), &list("string", "M")), [""; 0]);
    let changed = found(&list("string", "L"), &list("null", "M"));
    assert!(
        changed.contains(&"TYPE_CHANGED at #/properties/v".to_owned()),
        "{changed:?}"
    );
    // What refers to itself alone says nothing.
    assert_eq!(found(r##"{"$ref":"#"}"##, r#"{"type":"string"}"#), [""; 0]);
    assert_eq!(
        found(r#"{"type":"string"}"#, r##"{"$ref":"#"}"##),
        ["TYPE_CHANGED at #/"]
    );
}

/// A pair counts as fitting while it is tried. That must not outlive the trial if it turns out not to fit.
#[test]
fn what_was_taken_for_fitting_on_the_way_is_not_remembered() {
    let tree = |leaf: &str| {
        format!(
            r##"{{"definitions":{{
                "A":{{"type":"object","properties":{{"b":{{"$ref":"#/definitions/B"}},"leaf":{{"type":"{leaf}"}}}},"additionalProperties":false}},
                "B":{{"type":"object","properties":{{"a":{{"$ref":"#/definitions/A"}}}},"additionalProperties":false}}}},
                "type":"object","properties":{{
                "x":{{"oneOf":[{{"$ref":"#/definitions/A"}},{{"type":"null"}}]}},
                "y":{{"oneOf":[{{"$ref":"#/definitions/B"}},{{"type":"null"}}]}}}},"additionalProperties":false}}"##
        )
    };
    assert_eq!(found(&tree("string"), &tree("string")), [""; 0]);
    assert_eq!(
        found(&tree("string"), &tree("integer")),
        [
            "COMBINED_TYPE_SUBSCHEMAS_CHANGED at #/properties/x",
            "COMBINED_TYPE_SUBSCHEMAS_CHANGED at #/properties/y"
        ]
    );
}

#[test]
fn properties_are_covered_by_patterns_that_match_them() {
    let object = |rest: &str| format!(r#"{{"type":"object",{rest},"additionalProperties":false}}"#);
    let pattern = |pattern: &str| {
        object(&format!(
            r#""patternProperties":{{"{pattern}":{{"type":"string"}}}}"#
        ))
    };
    let property = |ty: &str| object(&format!(r#""properties":{{"ab":{{"type":"{ty}"}}}}"#));
    assert_eq!(found(&pattern("^a"), &property("string")), [""; 0]);
    assert_eq!(
        found(&pattern("^a"), &property("null")),
        [
            "TYPE_CHANGED at #/properties/ab",
            "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL at #/properties/ab"
        ]
    );
    let removed = "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL at #/properties/ab";
    assert_eq!(found(&pattern("^b"), &property("string")), [removed]);
    assert_eq!(found(&property("null"), &pattern("^b")), [""; 0]);
    // Java reads this expression and we do not: it may match, and it may not.
    assert_eq!(found(&pattern("^(?=a)"), &property("string")), [removed]);
    assert_eq!(found(&property("null"), &pattern("^(?=a)")).len(), 2);
}

fn nested(levels: usize, ty: &str) -> String {
    let mut text = format!(r#"{{"type":"{ty}"}}"#);
    for _ in 0..levels {
        text = format!(r#"{{"type":"array","items":{text}}}"#);
    }
    text
}

#[test]
fn what_is_too_deep_or_takes_too_long_is_refused() {
    let deepest = JSON_SCHEMA_PAIR_DEPTH_MAX - 1;
    assert_eq!(
        found(&nested(deepest, "string"), &nested(deepest, "null")).len(),
        1
    );
    let (to, from) = (nested(deepest + 1, "string"), nested(deepest + 1, "null"));
    assert!(refusal(&to, &from).contains("too deep"));
    let sum = |part: fn(usize) -> String| {
        let parts: Vec<String> = (0..1_100).map(part).collect();
        format!(r#"{{"anyOf":[{}]}}"#, parts.join(","))
    };
    let texts = sum(|number| format!(r#"{{"type":"string","maxLength":{number}}}"#));
    let constants = sum(|number| format!(r#"{{"const":{number}}}"#));
    assert!(refusal(&texts, &constants).contains("steps of comparison"));
    // As many parts that are alike are no trouble.
    assert_eq!(found(&texts, &texts), [""; 0]);
}

/// Properties that all lead along one long chain to one large enum.
#[test]
fn chains_of_references_are_followed_once() {
    let chain = |last: &str| {
        let mut text = String::from(r#"{"definitions":{"#);
        for link in 0..2_000 {
            let next = link + 1;
            let _ = write!(text, r##""{link}":{{"$ref":"#/definitions/{next}"}},"##);
        }
        let values: Vec<String> = (0..1_000).map(|value| value.to_string()).collect();
        let _ = write!(text, r#""2000":{{"enum":[{},{last}]}}"#, values.join(","));
        text.push_str(r#"},"type":"object","properties":{"#);
        for property in 0..500 {
            let _ = write!(text, r##""{property}":{{"$ref":"#/definitions/0"}},"##);
        }
        text + r#""last":{}}}"#
    };
    assert_eq!(found(&chain("true"), &chain("true")), [""; 0]);
    assert_eq!(found(&chain("true"), &chain("false")).len(), 500);
}

/// Definitions that each use the one before twice: 2^40 places, but 40 pairs.
#[test]
fn shared_definitions_are_compared_once() {
    let doubling = |ty: &str| {
        let mut text = format!(r#"{{"definitions":{{"d0":{{"type":"{ty}"}}"#);
        for level in 1..=40 {
            let one = format!(r##"{{"$ref":"#/definitions/d{}"}}"##, level - 1);
            let _ = write!(
                text,
                r#","d{level}":{{"type":"object","properties":{{"a":{one},"b":{one}}},"additionalProperties":false}}"#
            );
        }
        text + r##"},"$ref":"#/definitions/d40"}"##
    };
    assert_eq!(found(&doubling("string"), &doubling("string")), [""; 0]);
    let many = found(&doubling("string"), &doubling("null"));
    assert_eq!(many.len(), JSON_SCHEMA_DIFFERENCES_MAX);
}

#[test]
fn numbers_are_compared_by_value() {
    use std::cmp::Ordering;

    use super::number::{Multiple, multiple, number};
    let order = [
        "-1e9999999",
        "-2",
        "-1.5",
        "-0.01",
        "0",
        "1E-9999999",
        "0.1",
        "1",
        "9",
        "10",
        "1e2",
    ];
    for (i, a) in order.iter().enumerate() {
        for (j, b) in order.iter().enumerate() {
            assert_eq!(number(a).cmp(&number(b)), i.cmp(&j), "{a} {b}");
        }
    }
    for (a, b) in [
        ("1", "1.00"),
        ("0", "-0.0"),
        ("100", "1e2"),
        ("0.010", "1E-2"),
    ] {
        assert_eq!(number(a).cmp(&number(b)), Ordering::Equal, "{a} {b}");
    }
    for (from, to, wanted) in [
        ("2", "4", Multiple::Expanded),
        ("4", "2.0", Multiple::Reduced),
        ("0.3", "0.1", Multiple::Reduced),
        ("2", "3", Multiple::Neither),
        ("0", "3", Multiple::Neither),
        ("1", "1e99999", Multiple::Neither),
    ] {
        assert_eq!(multiple(&number(from), &number(to)), wanted, "{from} {to}");
    }
}

#[test]
fn the_words_are_the_registrys() {
    let difference = |kind| JsonDifference {
        kind,
        path: "#/a".into(),
    };
    let text = |kind| difference(kind).worded("new", "old").message;
    assert_eq!(
        text(DifferenceKind::SchemaAdded),
        r#"{errorType:"SCHEMA_ADDED", description:"'}"#
    );
    assert_eq!(
        text(DifferenceKind::PatternChanged),
        r#"{errorType:"PATTERN_CHANGED", description:"The value at path '#/a' is different between the new and old schema'}"#
    );
}
