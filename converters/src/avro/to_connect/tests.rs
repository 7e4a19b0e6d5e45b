use super::to_connect_schema;
use crate::avro::{AvroDataConfig, AvroSchema};
use crate::data::{Schema, SchemaBuilder, Type, Value, logical};
use crate::error::Error;

fn convert(text: &str, config: AvroDataConfig, version: Option<i32>) -> Result<Schema, Error> {
    let avro = AvroSchema::parse(text).unwrap();
    to_connect_schema(&avro, &config, version).map(|schema| schema.expect("not schemaless"))
}

fn plain(text: &str) -> Schema {
    convert(text, AvroDataConfig::default(), None).unwrap()
}

fn refused(text: &str) -> String {
    let error = convert(text, AvroDataConfig::default(), None).unwrap_err();
    assert!(error.is_data());
    error.to_string()
}

#[test]
fn logical_types_of_connect_are_read_and_others_are_left_to_their_base() {
    let date = logical::date().build().unwrap();
    assert_eq!(plain(r#"{"type":"int","logicalType":"date"}"#), date);
    let micros = plain(r#"{"type":"long","logicalType":"timestamp-micros"}"#);
    assert_eq!(micros, Schema::int64());
    let decimal = plain(r#"{"type":"bytes","logicalType":"decimal","precision":64}"#);
    assert_eq!(decimal, logical::decimal(0).build().unwrap());
    let narrow = plain(r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#);
    assert_eq!(narrow.parameter("connect.decimal.precision"), Some("9"));
}

#[test]
fn the_registrys_version_is_the_roots_unless_it_names_its_own_or_is_optional() {
    let versions = [
        ("\"int\"", Some(7)),
        (r#"{"type":"int","connect.version":3}"#, Some(3)),
        (r#"["null","int"]"#, None),
        (r#"["int"]"#, None),
        (r#"["null","int","string"]"#, Some(7)),
    ];
    for (text, version) in versions {
        let schema = convert(text, AvroDataConfig::default(), Some(7)).unwrap();
        assert_eq!(schema.version(), version, "{text}");
    }
    // A logical type has a version of its own, with which another one quarrels.
    let date = r#"{"type":"int","logicalType":"date"}"#;
    assert!(convert(date, AvroDataConfig::default(), Some(1)).is_ok());
    let error = convert(date, AvroDataConfig::default(), Some(2)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("(1) differs from version in source schema (2)")
    );
}

#[test]
fn docs_and_defaults_of_fields_become_parameters_unless_told_otherwise() {
    let text = r#"{"type":"record","name":"R","doc":"rd","fields":[
        {"name":"a","type":"int","doc":"fd","default":3}]}"#;
    let kept = plain(text);
    assert_eq!(
        kept.parameter("io.confluent.connect.avro.record.doc"),
        Some("rd")
    );
    assert_eq!(
        kept.parameter("io.confluent.connect.avro.field.doc.a"),
        Some("fd")
    );
    let field = kept.fields()[0].schema();
    assert_eq!(field.default_value(), Some(Value::Int32(3)));
    assert_eq!(
        field.parameter("io.confluent.connect.avro.field.default"),
        Some("true")
    );

    let discards = AvroDataConfig {
        discard_type_doc_default: true,
        ..AvroDataConfig::default()
    };
    let schema = convert(text, discards, None).unwrap();
    assert_eq!(
        (schema.doc(), schema.fields()[0].schema().doc()),
        (Some("rd"), Some("fd"))
    );
    assert_eq!(schema.fields()[0].schema().parameters(), None);

    let bare = AvroDataConfig {
        connect_meta_data: false,
        ..AvroDataConfig::default()
    };
    assert_eq!(convert(text, bare, None).unwrap().parameters(), None);
}

#[test]
fn unions_are_structs_with_a_field_for_each_branch() {
    let text = r#"["null","int",{"type":"record","name":"n.A","fields":[]}]"#;
    let names = |config| {
        let schema = convert(text, config, None).unwrap();
        assert!(schema.is_optional());
        let fields = schema.fields().iter();
        (
            schema.name().unwrap().to_owned(),
            fields.map(|f| f.name().to_owned()).collect::<Vec<_>>(),
        )
    };
    let union = "io.confluent.connect.avro.Union".to_owned();
    assert_eq!(
        names(AvroDataConfig::default()),
        (union.clone(), vec!["int".into(), "A".into()])
    );
    let enhanced = AvroDataConfig {
        enhanced_schemas: true,
        ..AvroDataConfig::default()
    };
    assert_eq!(names(enhanced), (union, vec!["int".into(), "n.A".into()]));
    let generalized = AvroDataConfig {
        generalized_sum_types: true,
        ..AvroDataConfig::default()
    };
    let fields = vec![
        "connect_union_field_1".into(),
        "connect_union_field_2".into(),
    ];
    assert_eq!(names(generalized), ("connect_union_0".into(), fields));

    let clash = r#"[{"type":"record","name":"a.X","fields":[]},{"type":"record","name":"b.X","fields":[]}]"#;
    assert!(
        refused(clash).contains("Multiple union schemas map to the Connect union field name X")
    );
}

#[test]
fn a_record_that_contains_itself_is_a_schema_that_does() {
    let list = plain(
        r#"{"type":"record","name":"L","fields":[
            {"name":"v","type":"int"},{"name":"next","type":["null","L"]},{"name":"all","type":{"type":"array","items":"L"}}]}"#,
    );
    let next = list.field("next").unwrap().schema();
    assert!(next.is_optional() && !list.is_optional());
    assert_eq!(next.recursion(), list.recursion());
    assert_eq!(next.field("v").unwrap().schema(), &Schema::int32());
    let all = list.field("all").unwrap().schema().value_schema().unwrap();
    assert!(!all.is_optional());
    assert_eq!(all.name(), Some("L"));
}

#[test]
fn a_struct_may_have_a_default_that_fills_in_its_fields_own() {
    let schema = plain(
        r#"{"type":"record","name":"D","fields":[{"name":"in","type":{"type":"record","name":"In","fields":[
            {"name":"x","type":"int"},{"name":"y","type":"string","default":"yy"}]},"default":{"x":1}}]}"#,
    );
    let inner = schema.fields()[0].schema();
    let default = inner.default_value().unwrap();
    let default = default.as_struct().unwrap();
    assert_eq!(default.schema(), inner);
    assert_eq!(
        (default.get("x"), default.get("y")),
        (Some(Value::Int32(1)), Some(Value::String("yy")))
    );
}

#[test]
fn entries_are_a_map_by_name_or_by_attribute() {
    let entry = |name: &str, more: &str| {
        format!(
            r#"{{"type":"array","items":{{"type":"record","name":"{name}","fields":[{{"name":"key","type":"int"}},{{"name":"value","type":"string"}}]{more}}}}}"#
        )
    };
    let map = SchemaBuilder::map(Schema::int32(), Schema::string())
        .build()
        .unwrap();
    assert_eq!(plain(&entry("io.confluent.connect.avro.MapEntry", "")), map);
    assert_eq!(
        plain(&entry("X", r#","connect.internal.type":"MapEntry""#)),
        map
    );
    assert_eq!(plain(&entry("MapEntry", "")).kind(), Type::Array);
}

#[test]
fn what_connect_has_no_place_for_is_refused_in_javas_words() {
    for (text, words) in [
        (
            "\"null\"",
            "Standalone null schemas are not supported by this converter",
        ),
        (
            r#"{"type":"int","connect.type":"int64"}"#,
            "Connect type annotation for Avro int field is null",
        ),
        (
            r#"{"type":"int","connect.version":"x"}"#,
            "Invalid Connect version found",
        ),
        (r#"{"type":"int","connect.name":5}"#, "Invalid schema name"),
        (
            r#"{"type":"int","connect.parameters":[]}"#,
            "Expected JSON object for schema parameters",
        ),
        (
            r#"{"type":"int","connect.parameters":{"a":1}}"#,
            "Expected schema parameter values to be strings",
        ),
        (
            r#"{"type":"int","logicalType":"date","connect.name":"foo"}"#,
            "Mismatched names",
        ),
        (
            r#"{"type":"array","items":"int","connect.default":5}"#,
            "Invalid JSON for array default value",
        ),
    ] {
        let refused = refused(text);
        assert!(refused.contains(words), "{text}: {refused}");
    }
}

#[test]
fn names_that_use_each_other_twice_cost_no_more_than_their_text() {
    let mut fields = String::new();
    let mut last = String::from("\"int\"");
    for n in 0..150 {
        let record = format!(
            r#"{{"type":"record","name":"R{n}","fields":[{{"name":"a","type":{last}}}{}]}}"#,
            match n {
                0 => String::new(),
                _ => format!(r#",{{"name":"b","type":"R{}"}}"#, n - 1),
            }
        );
        last = record;
    }
    fields.push_str(&last);
    let schema = plain(&fields);
    assert_eq!(schema.name(), Some("R149"));

    // Where each occurrence has a name of its own they are counted.
    let generalized = AvroDataConfig {
        generalized_sum_types: true,
        ..AvroDataConfig::default()
    };
    let error = convert(&fields, generalized, None).unwrap_err();
    assert!(
        error.to_string().contains("more than 100000 types"),
        "{error}"
    );
}
