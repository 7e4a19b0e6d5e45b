use super::*;
use crate::data::{Builder, Knot, SchemaBuilder, logical};

fn text_with(schema: &Schema, config: &JsonSchemaDataConfig) -> String {
    let generated = convert(Some(schema), config).unwrap();
    generated.text.text().into()
}

fn text(schema: &Schema) -> String {
    text_with(schema, &JsonSchemaDataConfig::default())
}

fn built(builder: SchemaBuilder) -> Schema {
    builder.build().unwrap()
}

fn error(schema: &Schema) -> Error {
    convert(Some(schema), &JsonSchemaDataConfig::default()).unwrap_err()
}

#[test]
fn kinds_are_said_by_type_and_connect_type() {
    let table = [
        (
            Schema::int8(),
            r#"{"type":"integer","connect.type":"int8"}"#,
        ),
        (
            Schema::float64(),
            r#"{"type":"number","connect.type":"float64"}"#,
        ),
        (Schema::boolean(), r#"{"type":"boolean"}"#),
        (
            Schema::bytes(),
            r#"{"type":"string","connect.type":"bytes"}"#,
        ),
        (
            Schema::optional_string(),
            r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
        ),
        (
            built(logical::timestamp()),
            r#"{"type":"integer","title":"org.apache.kafka.connect.data.Timestamp","connect.version":1,"connect.type":"int64"}"#,
        ),
        (
            built(SchemaBuilder::array(Schema::int32()).optional()),
            r#"{"oneOf":[{"type":"null"},{"type":"array","items":{"type":"integer","connect.type":"int32"}}]}"#,
        ),
        (
            built(SchemaBuilder::map(Schema::string(), Schema::boolean())),
            r#"{"type":"object","connect.type":"map","additionalProperties":{"type":"boolean"}}"#,
        ),
        (
            built(SchemaBuilder::map(
                Schema::optional_string(),
                Schema::boolean(),
            )),
            r#"{"type":"array","connect.type":"map","items":{"type":"object","properties":{"value":{"connect.index":1,"type":"boolean"},"key":{"connect.index":0,"oneOf":[{"type":"null"},{"type":"string"}]}}}}"#,
        ),
        (
            built(SchemaBuilder::structure().name("E")),
            r#"{"type":"object","title":"E"}"#,
        ),
    ];
    for (schema, expected) in table {
        assert_eq!(text(&schema), expected);
    }
}

#[test]
fn what_describes_a_schema_stands_between_its_type_and_its_parts() {
    let schema = SchemaBuilder::int8()
        .name("n.s.X")
        .doc("dd")
        .version(2)
        .parameter("p", "v")
        .parameter("a", "b")
        .default_value(3i8);
    assert_eq!(
        text(&built(schema)),
        r#"{"type":"integer","title":"n.s.X","description":"dd","default":3,"connect.version":2,"connect.type":"int8","connect.parameters":{"p":"v","a":"b"}}"#
    );
}

#[test]
fn an_optional_field_has_its_index_around_it_and_everything_else_inside() {
    let gender = SchemaBuilder::string()
        .optional()
        .doc("g")
        .default_value("M");
    let schema = SchemaBuilder::structure()
        .field("a", Schema::string())
        .field("gender", built(gender));
    assert_eq!(
        text(&built(schema)),
        r#"{"type":"object","properties":{"a":{"type":"string","connect.index":0},"gender":{"connect.index":1,"oneOf":[{"type":"null"},{"type":"string","description":"g","default":"M"}]}}}"#
    );
}

/// Orders that the JVM printed.
#[test]
fn properties_are_in_the_order_of_a_java_hash_map() {
    let names = |list: &str| -> Vec<String> { list.split(", ").map(Into::into).collect() };
    let table = [
        (
            "userid, registertime, regionid, gender, dec, in, in2, arr, tags, ts",
            "arr, dec, registertime, gender, regionid, in, in2, userid, tags, ts",
        ),
        (
            "id, first_name, last_name, email, f1, f2, before, after, op, ts_ms, source, transaction, AaAa, BBBB",
            "op, before, last_name, f1, source, f2, id, after, first_name, email, ts_ms, transaction, AaAa, BBBB",
        ),
    ];
    for (fields, printed) in table {
        let fields = names(fields).into_iter();
        let fields = fields
            .map(|name| (name.into(), Schema::boolean()))
            .collect();
        let text = text(&built(SchemaBuilder::structure().fields(fields)));
        let places: Vec<usize> = names(printed)
            .iter()
            .map(|name| text.find(&format!("\"{name}\":")).unwrap())
            .collect();
        assert!(places.is_sorted(), "{text}");
    }
}

#[test]
fn numbers_of_defaults_lose_what_says_nothing() {
    for (default, printed) in [
        (1.0, "1"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (100.0, "100"),
        (1e21, "1.0E+21"),
        (1e-5, "0.000010"),
        (5e-324, "4.9E-324"),
    ] {
        let schema = built(SchemaBuilder::float64().default_value(default));
        assert!(
            text(&schema).contains(&format!("\"default\":{printed},")),
            "{}",
            text(&schema)
        );
    }
    let decimal = crate::data::Decimal::new(150, 2);
    let mut value = Builder::new(None);
    value.decimal(decimal.view());
    let schema = logical::decimal(2).default_value(value.finish().unwrap());
    let numeric = JsonSchemaDataConfig {
        decimal_format: DecimalFormat::Numeric,
        ..JsonSchemaDataConfig::default()
    };
    let text = text_with(&built(schema), &numeric);
    assert!(
        text.contains(r#""type":"number""#) && text.contains(r#""default":1.5,"#),
        "{text}"
    );
}

#[test]
fn a_default_that_json_cannot_say_is_refused() {
    let nan = built(SchemaBuilder::float32().default_value(f32::NAN));
    let holder = built(SchemaBuilder::structure().field("a", nan));
    assert_eq!(error(&holder).field_path(), "a");
}

#[test]
fn enums_list_the_symbols_of_their_family() {
    let own = |symbols: &[&str]| {
        let mut schema = SchemaBuilder::string().parameter(ENUM, "");
        for symbol in symbols {
            schema = schema.parameter(&format!("{ENUM}.{symbol}"), symbol);
        }
        built(schema.parameter("other", "1"))
    };
    assert_eq!(
        text(&own(&["RED", "BLUE", NULL_SYMBOL])),
        r#"{"enum":["RED",null,"BLUE"],"connect.parameters":{"other":"1"}}"#
    );
    let generalized = JsonSchemaDataConfig {
        generalized_sum_types: true,
        ..JsonSchemaDataConfig::default()
    };
    assert_eq!(
        text_with(&own(&["RED"]), &generalized),
        r#"{"enum":[],"connect.parameters":{"other":"1"}}"#
    );
}

#[test]
fn unions_say_once_that_they_take_nulls() {
    let schema = SchemaBuilder::structure()
        .name("io.confluent.connect.json.OneOf")
        .optional()
        .field(
            "io.confluent.connect.json.OneOf.field.0",
            built(SchemaBuilder::int32().optional()),
        )
        .field(
            "io.confluent.connect.json.OneOf.field.1",
            Schema::optional_string(),
        );
    let schema = built(schema);
    assert_eq!(
        text(&schema),
        r#"{"oneOf":[{"type":"null"},{"type":"integer","connect.index":0,"connect.type":"int32"},{"type":"string","connect.index":1}]}"#
    );
    let generated = convert(Some(&schema), &JsonSchemaDataConfig::default()).unwrap();
    assert_eq!(generated.title, None);
}

#[test]
fn objects_may_be_closed_and_entries_of_maps_are_not() {
    let config = JsonSchemaDataConfig {
        object_additional_properties: false,
        ..JsonSchemaDataConfig::default()
    };
    let map = built(SchemaBuilder::map(Schema::int8(), Schema::int8()));
    let schema = built(SchemaBuilder::structure().name("R").field("m", map));
    let text = text_with(&schema, &config);
    assert!(text.starts_with(r#"{"type":"object","additionalProperties":false,"title":"R","#));
    assert_eq!(text.matches("additionalProperties").count(), 1);
}

#[test]
fn additional_properties_are_no_property_where_they_are_kept() {
    let variant = SchemaBuilder::structure()
        .name("org.apache.kafka.connect.data.Variant")
        .field("metadata", Schema::bytes())
        .field("value", Schema::bytes());
    let rest = built(SchemaBuilder::map(Schema::string(), built(variant)).optional());
    let schema = SchemaBuilder::structure()
        .field("a", Schema::int32())
        .field("__connect_additional_properties__", rest);
    let schema = built(schema);
    let keeping = JsonSchemaDataConfig {
        preserve_additional_properties: true,
        ..JsonSchemaDataConfig::default()
    };
    assert!(!text_with(&schema, &keeping).contains("__connect"));
    assert!(text(&schema).contains("__connect"));
}

#[test]
fn a_schema_with_an_id_is_printed_once() {
    let inner = |optional: bool| {
        let inner = SchemaBuilder::structure()
            .name("N")
            .parameter(ID, "#id1")
            .field("x", Schema::int32());
        built(if optional { inner.optional() } else { inner })
    };
    let schema = SchemaBuilder::structure()
        .field("b", inner(false))
        .field("c", inner(true))
        .field("l", built(SchemaBuilder::array(inner(false))));
    assert_eq!(
        text(&built(schema)),
        r##"{"type":"object","properties":{"b":{"type":"object","title":"N","id":"#id1","connect.index":0,"properties":{"x":{"type":"integer","connect.index":0,"connect.type":"int32"}}},"c":{"connect.index":1,"oneOf":[{"type":"null"},{"$ref":"#id1"}]},"l":{"type":"array","connect.index":2,"items":{"$ref":"#id1"}}}}"##
    );
}

fn linked(id: Option<&str>) -> Schema {
    let mut knot = Knot::new();
    let node = knot.reserve();
    let inner = knot.reference(node, true);
    let mut schema = SchemaBuilder::structure()
        .name("Node")
        .field("value", Schema::int32())
        .field("next", inner);
    if let Some(id) = id {
        schema = schema.parameter(ID, id);
    }
    let schema = knot.define(node, built(schema));
    knot.tie(schema).unwrap()
}

#[test]
fn a_schema_that_contains_itself_needs_an_id() {
    let text = text(&linked(Some("#id1")));
    assert_eq!(
        text,
        r##"{"type":"object","title":"Node","id":"#id1","properties":{"next":{"connect.index":1,"oneOf":[{"type":"null"},{"$ref":"#id1"}]},"value":{"type":"integer","connect.index":0,"connect.type":"int32"}}}"##
    );
    assert!(error(&linked(None)).to_string().contains("contains itself"));
}

#[test]
fn schemas_that_would_fill_the_world_are_refused() {
    let mut deep = Schema::int8();
    for _ in 0..JSON_GENERATED_DEPTH_MAX {
        deep = built(SchemaBuilder::array(deep));
    }
    assert!(error(&deep).to_string().contains("deeper"));
    let mut wide = Schema::int8();
    for _ in 0..40 {
        let fields = vec![("a".into(), wide.clone()), ("b".into(), wide)];
        wide = built(SchemaBuilder::structure().fields(fields));
    }
    assert!(error(&wide).to_string().contains("more than"));
}
