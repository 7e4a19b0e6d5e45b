//! Documents by plan and by definition, as executed on a JVM where no difference is named.

use super::testing::JsonSchemaDecoder;
use crate::data::{SchemaAndValue, Value};
use crate::differs::Difference;
use crate::error::Error;
use crate::json_schema::JsonSchemaDataConfig;

fn decoder(schema: &str) -> JsonSchemaDecoder {
    with(schema, &JsonSchemaDataConfig::default())
}

fn with(schema: &str, config: &JsonSchemaDataConfig) -> JsonSchemaDecoder {
    JsonSchemaDecoder::new(schema, &[], config, Some(1)).unwrap_or_else(|e| panic!("{e}: {schema}"))
}

/// Reads both ways; what the plan answers is what the definition answers.
fn read(decoder: &mut JsonSchemaDecoder, document: &str) -> Result<SchemaAndValue, Error> {
    let (defined, _) = decoder.by_definition(document.as_bytes());
    if let Some(fast) = decoder.by_plan(document.as_bytes()) {
        assert_eq!(Some(&fast), defined.as_ref().ok(), "{document}");
    }
    defined
}

fn shown(decoder: &mut JsonSchemaDecoder, document: &str) -> String {
    let data = read(decoder, document).unwrap_or_else(|e| panic!("{e}: {document}"));
    format!("{:?}", data.value())
}

const RECORD: &str = r#"{"type":"object","title":"R","properties":{
    "a":{"type":"integer","connect.index":1},"b":{"type":"string","connect.index":0},
    "c":{"oneOf":[{"type":"null"},{"type":"number"}],"connect.index":2},
    "d":{"type":"string","default":"none","connect.index":3}}}"#;

#[test]
fn properties_are_read_in_any_order_and_may_be_missing() {
    let mut record = decoder(RECORD);
    for (document, expected) in [
        (
            r#"{"b":"x","a":1,"c":1.5,"d":"y"}"#,
            r#"R { b: "x", a: int64 1, c: float64 1.5, d: "y" }"#,
        ),
        (
            r#" { "c" : null , "zz" : {"a":[1]} , "a" : 2 } "#,
            r#"R { b: null, a: int64 2, c: null, d: "none" }"#,
        ),
        ("{}", r#"R { b: null, a: null, c: null, d: "none" }"#),
        (
            r#"{"a":1,"a":2,"d":null}x"#,
            r#"R { b: null, a: int64 2, c: null, d: "none" }"#,
        ),
    ] {
        assert_eq!(shown(&mut record, document), expected, "{document}");
    }
    for (document, words) in [
        (
            r#"{"a":null}"#,
            "Invalid null value for required INT64 field",
        ),
        (
            "[1]",
            "Structs should be encoded as JSON objects, but found ARRAY",
        ),
        ("null", "Invalid null value for required STRUCT field"),
        (r#"{"a":"#, "the document ends"),
    ] {
        let said = read(&mut record, document).unwrap_err().to_string();
        assert!(said.contains(words), "{document}: {said}");
    }
}

/// What is common needs no definition.
#[test]
fn records_of_every_type_are_read_by_plan() {
    let mut record = decoder(
        r#"{"type":"object","title":"Order","properties":{
            "zip":{"type":"object","connect.type":"map","additionalProperties":{"type":"string"},"connect.index":9},
            "id":{"type":"integer","connect.index":0,"connect.type":"int64"},
            "name":{"type":"string","connect.index":1},
            "active":{"connect.index":2,"type":"boolean"},
            "amount":{"type":"number","connect.index":3,"connect.type":"float64"},
            "quantity":{"type":"integer","connect.index":4,"connect.type":"int32"},
            "created":{"type":"integer","title":"org.apache.kafka.connect.data.Timestamp","connect.index":5,
                "connect.version":1,"connect.type":"int64"},
            "price":{"type":"string","title":"org.apache.kafka.connect.data.Decimal","connect.index":6,
                "connect.version":1,"connect.type":"bytes","connect.parameters":{"scale":"2"}},
            "tags":{"type":"array","connect.index":7,"items":{"type":"string"}},
            "address":{"type":"object","title":"Address","connect.index":8,"properties":{
                "city":{"connect.index":0,"oneOf":[{"type":"null"},{"type":"string","default":"none"}]},
                "note":{"enum":["a","b"],"connect.index":1}}}}}"#,
    );
    for document in [
        r#"{"id":1,"name":"n","active":true,"amount":1.5,"quantity":2,"created":17,"price":"AJw=","tags":["a","b"],"address":{"city":"c","note":"a"},"zip":{"k1":"v","zeta":"w"}}"#,
        r#"{"address":{"note":"b"},"unknown":[{"x":1}],"price":1.56}"#,
        "{}",
    ] {
        read(&mut record, document).unwrap_or_else(|e| panic!("{e}: {document}"));
        assert!(record.by_plan(document.as_bytes()).is_some(), "{document}");
    }
}

/// The JVM checks a struct when it is put into a field.
#[test]
fn a_required_property_is_missed_only_inside_another_struct() {
    let mut nested = decoder(
        r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",
            "properties":{"a":{"type":"string"}}}}}}"#,
    );
    let said = read(&mut nested, r#"{"l":[{}]}"#).unwrap_err().to_string();
    assert!(
        said.contains("Invalid null value for required STRING field"),
        "{said}"
    );
    let mut outside = decoder(
        r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}"#,
    );
    assert_eq!(shown(&mut outside, "[{}]"), "[Struct { a: null }]");
}

#[test]
fn a_value_goes_to_the_first_member_that_it_fits() {
    let mut union = decoder(
        r#"{"type":["integer","number","string","boolean","null","array"],"items":{"type":"integer"}}"#,
    );
    for (document, field) in [("5", 0), ("1.5", 1), ("\"x\"", 2), ("true", 3), ("[1]", 4)] {
        let data = read(&mut union, document).unwrap();
        let value = data.value().as_struct().unwrap();
        for (index, held) in value.values().enumerate() {
            assert_eq!(held.is_null(), index != field, "{document}");
        }
        assert!(
            union.by_plan(document.as_bytes()).is_some(),
            "{document} by plan"
        );
    }
    assert!(read(&mut union, "null").unwrap().is_null());
    assert!(
        read(&mut union, "{}")
            .unwrap_err()
            .to_string()
            .contains("matching oneof field")
    );

    let mut structs = decoder(
        r#"{"oneOf":[{"type":"object","title":"A","properties":{"a":{"type":"integer"}}},
            {"type":"object","title":"B","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}]}"#,
    );
    for (document, expected) in [
        (r#"{"a":1}"#, "A { a: int64 1 }"),
        (r#"{"c":[],"b":"x","a":1}"#, r#"B { a: int64 1, b: "x" }"#),
    ] {
        let shown = shown(&mut structs, document);
        assert!(shown.contains(expected), "{document}: {shown}");
        assert!(
            structs.by_plan(document.as_bytes()).is_some(),
            "{document} by plan"
        );
    }
    assert!(read(&mut structs, r#"{"c":1}"#).is_err());
    let mut bytes =
        decoder(r#"{"oneOf":[{"type":"string","connect.type":"bytes"},{"type":"integer"}]}"#);
    assert!(read(&mut bytes, "\"AQ==\"").is_err());
}

#[test]
fn maps_are_objects_or_lists_of_entries() {
    let mut object = decoder(
        r#"{"type":"object","connect.type":"map","additionalProperties":{"type":"integer"}}"#,
    );
    assert_eq!(
        shown(&mut object, r#"{"z":1,"y":2,"a":3,"a":4}"#),
        r#"{"a": int64 4, "y": int64 2, "z": int64 1}"#
    );
    assert!(
        read(&mut object, "[]")
            .unwrap_err()
            .to_string()
            .contains("JSON objects")
    );
    let mut entries = decoder(
        r#"{"type":"array","connect.type":"map","items":{"type":"object","properties":{
            "key":{"type":"integer"},"value":{"type":"string"}}}}"#,
    );
    assert_eq!(
        shown(
            &mut entries,
            r#"[{"key":17,"value":"b"},{"value":"c","key":1},{"key":17,"value":"a"}]"#
        ),
        r#"{int64 17: "a", int64 1: "c"}"#
    );
    for (bad, words) in [
        ("{}", "JSON array of objects, but found OBJECT"),
        ("[1]", "instead of object: NUMBER"),
        (r#"[{"key":1}]"#, "expected length 2 but found :1"),
        (
            r#"[{"key":1,"x":2}]"#,
            "Invalid null value for required STRING field",
        ),
    ] {
        let said = read(&mut entries, bad).unwrap_err().to_string();
        assert!(said.contains(words), "{bad}: {said}");
    }
}

#[test]
fn other_properties_are_kept_as_variants() {
    let keep = JsonSchemaDataConfig {
        preserve_additional_properties: true,
        ..JsonSchemaDataConfig::default()
    };
    let mut open = with(
        r#"{"type":"object","title":"R","properties":{"a":{"type":"integer"}}}"#,
        &keep,
    );
    let none = shown(&mut open, r#"{"a":1}"#);
    assert_eq!(
        none,
        "R { a: int64 1, __connect_additional_properties__: null }"
    );
    let some = read(&mut open, r#"{"a":1,"z":{"k":[1,2.5]},"n":null}"#).unwrap();
    let record = some.value().as_struct().unwrap();
    let others = record.get("__connect_additional_properties__").unwrap();
    let Value::Map(others) = others else {
        panic!("{others:?}");
    };
    let names: Vec<Value<'_>> = others.iter().map(|(name, _)| name).collect();
    assert_eq!(names, [Value::String("z"), Value::String("n")]);
    let said = read(&mut open, r#"{"__connect_additional_properties__":5}"#).unwrap_err();
    assert!(
        said.to_string()
            .contains("collides with the reserved field"),
        "{said}"
    );
}

#[test]
fn variants_hold_any_json() {
    let mut any = decoder("{}");
    for (document, metadata, value) in [
        ("5", "010000", "1405000000"),
        ("4294967297", "010000", "180100000001000000"),
        ("\"x\"", "010000", "0578"),
        ("[]", "010000", "030000"),
        ("[1,2]", "010000", "030200050a14010000001402000000"),
        ("null", "010000", "00"),
        (
            r#"{"a":[1,2.5,"x",null,true]}"#,
            "0101000161",
            "0201000017030500050b0d0e0f140100000020011900000005780004",
        ),
        // Fields by name, names as they are met.
        (r#"{"b":1,"a":2}"#, "01020001026261", "02020100050"),
    ] {
        let data = read(&mut any, document).unwrap();
        let variant = data.value().as_struct().unwrap();
        let bytes = |name| {
            let Some(Value::Bytes(bytes)) = variant.get(name) else {
                panic!("{name}");
            };
            bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()
        };
        assert_eq!(bytes("metadata"), metadata, "{document}");
        assert!(
            bytes("value").starts_with(value),
            "{document}: {}",
            bytes("value")
        );
    }
}

#[test]
fn recursion_is_read_by_plan_as_deep_as_plans_go() {
    let mut list = decoder(
        r##"{"type":"object","title":"T","properties":{"v":{"type":"integer","connect.index":0},
            "next":{"oneOf":[{"type":"null"},{"$ref":"#"}],"connect.index":1}}}"##,
    );
    for depth in [0, 1, 20, 300] {
        let document = format!(
            "{}null{}",
            r#"{"v":1,"next":"#.repeat(depth + 1),
            "}".repeat(depth + 1)
        );
        read(&mut list, &document).unwrap();
        assert_eq!(
            list.by_plan(document.as_bytes()).is_some(),
            depth < 60,
            "{depth}"
        );
    }
}

#[test]
fn numbers_may_be_words() {
    let mut numbers = decoder(r#"{"type":"array","items":{"type":"number"}}"#);
    assert_eq!(
        shown(&mut numbers, "[NaN, Infinity, -INF, 1]"),
        "[float64 NaN, float64 inf, float64 -inf, float64 1.0]"
    );
    assert!(read(&mut numbers, "[NaNs]").is_err());
    assert!(read(&mut decoder(r#"{"type":"integer"}"#), "NaN").is_err());
}

/// The JVM takes 0, false, null, the low bits or the later property.
#[test]
fn what_the_jvm_would_lose_is_refused_or_kept_by_name() {
    for (schema, document, difference) in [
        (
            r#"{"type":"integer"}"#,
            "\"12\"",
            Difference::TokenOfWrongKind,
        ),
        (r#"{"type":"number"}"#, "  ", Difference::TokenOfWrongKind),
        (r#"{"enum":["a",5]}"#, "5", Difference::TokenOfWrongKind),
        (
            r#"{"type":"integer","connect.type":"int8"}"#,
            "300",
            Difference::IntegerOutOfRange,
        ),
        (
            r#"{"type":"string"}"#,
            "\"\\ud83d\"",
            Difference::LoneSurrogate,
        ),
    ] {
        let error = decoder(schema)
            .by_definition(document.as_bytes())
            .0
            .unwrap_err();
        assert_eq!(
            error.difference(),
            Some(difference),
            "{document} under {schema}"
        );
    }
    let shared = r#"{"properties":{"a":{"type":"integer","connect.index":0},"b":{"type":"integer","connect.index":0}}}"#;
    let (data, differences) = decoder(shared).by_definition(br#"{"a":1,"b":2}"#);
    assert_eq!(
        data.unwrap().value().as_struct().unwrap().values().count(),
        2
    );
    assert!(differences.contains(Difference::PropertyIndexShared));
}
