//! Connect schemas of JSON Schemas, as executed on a JVM.

use super::to_connect_schema;
use crate::data::Schema;
use crate::differs::Difference;
use crate::json_schema::JsonSchemaDataConfig;
use crate::json_schema::schema::JsonSchema;

fn converted(text: &str, config: &JsonSchemaDataConfig) -> Schema {
    let schema = JsonSchema::parse(text, &[], false).unwrap_or_else(|e| panic!("{e}: {text}"));
    let (schema, _) =
        to_connect_schema(&schema, config, Some(3)).unwrap_or_else(|e| panic!("{e}: {text}"));
    schema
}

fn refused(text: &str, config: &JsonSchemaDataConfig) -> String {
    let schema = JsonSchema::parse(text, &[], false).unwrap_or_else(|e| panic!("{e}: {text}"));
    let error = to_connect_schema(&schema, config, None).expect_err(text);
    assert!(error.is_data());
    error.to_string()
}

/// A schema in short: types, `?` for optional, names, versions and what they hold.
fn short(schema: &Schema) -> String {
    let mut out = schema.kind().name().to_ascii_lowercase();
    if schema.is_optional() {
        out.push('?');
    }
    if let Some(name) = schema.name() {
        out.push('=');
        out.push_str(name.rsplit('.').next().unwrap_or_default());
    }
    if let Some(version) = schema.version() {
        out.push_str(&format!(" v{version}"));
    }
    if let Some(default) = schema.default_value() {
        out.push_str(&format!(" default {default:?}"));
    }
    for (name, value) in schema.parameters().unwrap_or_default() {
        let name = name
            .strip_prefix("io.confluent.connect.json.")
            .unwrap_or(name);
        out.push_str(&format!(" {name}:{value}"));
    }
    if let Some(value) = schema.value_schema() {
        out.push_str(&format!("<{}>", short(value)));
    }
    if !schema.fields().is_empty() && !schema.is_recursive() {
        let fields = schema.fields().iter();
        let fields: Vec<String> = fields
            .map(|f| {
                let name = f.name().strip_prefix("io.confluent.connect.json.");
                format!("{} {}", name.unwrap_or(f.name()), short(f.schema()))
            })
            .collect();
        out.push_str(&format!("{{{}}}", fields.join(", ")));
    }
    out
}

#[test]
fn types_are_those_of_connect_type_or_the_widest() {
    let config = JsonSchemaDataConfig::default();
    for (text, expected) in [
        (r#"{"type":"integer"}"#, "int64 v3"),
        (r#"{"type":"number"}"#, "float64 v3"),
        (r#"{"type":"integer","connect.type":"int8"}"#, "int8 v3"),
        (r#"{"type":"string","connect.type":"bytes"}"#, "bytes v3"),
        (
            r#"{"type":"string","format":"date","connect.version":7}"#,
            "string v7",
        ),
        (
            r#"{"type":"array","items":{"type":"boolean"}}"#,
            "array v3<boolean>",
        ),
        (r#"{"minLength":1}"#, "string v3"),
        (
            r#"{"type":"integer","title":"n.A","default":5}"#,
            "int64=A v3 default int64 5",
        ),
        (
            r#"{"type":"object","connect.type":"map","additionalProperties":{"type":"integer"}}"#,
            "map v3<int64>",
        ),
        (
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            "struct v3",
        ),
        ("{}", "struct=Variant v3{metadata bytes, value bytes}"),
        (r#"{"const":5}"#, "string v3 Enum: Enum.5:5"),
        (
            r#"{"enum":["a",null,{"x":[1,true]}]}"#,
            "string v3 Enum: Enum.a:a Enum.<NULL>:<NULL> Enum.{x=[1, true]}:{x=[1, true]}",
        ),
        // In the order of a map of two, copied from one of sixteen.
        (
            r#"{"type":"integer","connect.parameters":{"b":"1","a":2}}"#,
            "int64 v3 a:2 b:1",
        ),
    ] {
        assert_eq!(short(&converted(text, &config)), expected, "{text}");
    }
}

#[test]
fn unions_with_null_are_optional_and_others_are_structs() {
    let config = JsonSchemaDataConfig::default();
    let general = JsonSchemaDataConfig {
        generalized_sum_types: true,
        ..config
    };
    let kept = JsonSchemaDataConfig {
        flatten_singleton_unions: false,
        ..config
    };
    let two = r#"{"oneOf":[{"type":"null"},{"type":"integer"},{"type":"string"}],"title":"T"}"#;
    for (text, config, expected) in [
        (
            r#"{"type":["string","null"],"default":"lost"}"#,
            &config,
            "string? v3",
        ),
        (
            r#"{"oneOf":[{"type":"null"},{"type":"string","title":"T","default":"q"}]}"#,
            &config,
            "string?=T v3 default \"q\"",
        ),
        (r#"{"anyOf":[{"type":"string"}]}"#, &config, "string"),
        (
            r#"{"anyOf":[{"type":"string"}]}"#,
            &kept,
            "struct=OneOf v3{OneOf.field.0 string?}",
        ),
        (
            two,
            &config,
            "struct?=OneOf v3{OneOf.field.0 int64?, OneOf.field.1 string?}",
        ),
        (
            r#"{"properties":{"a":{"type":["null","string"]},"b":{"type":["integer","string"]}}}"#,
            &general,
            "struct v3{a string?, b struct=connect_union_1 \
             org.apache.kafka.connect.data.Union:connect_union_1\
             {connect_union_field_0 int64?, connect_union_field_1 string?}}",
        ),
    ] {
        assert_eq!(short(&converted(text, config)), expected, "{text}");
    }
    let null = r#"{"oneOf":[{"type":"null"}]}"#;
    assert!(refused(null, &config).contains("NullSchema"));
    assert!(refused(null, &kept).contains("NullSchema"));
}

#[test]
fn all_of_is_one_struct_or_the_schema_that_says_most() {
    let config = JsonSchemaDataConfig::default();
    for (text, expected) in [
        (
            r#"{"allOf":[{"properties":{"b":{"type":"integer"}}},{"properties":{"a":{"type":"string"}}}]}"#,
            "struct{b int64, a string}",
        ),
        (
            r#"{"type":"object","title":"Lost","properties":{"a":{"type":"integer"}},
                "oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
            "struct{a int64}",
        ),
        (
            r#"{"allOf":[{"type":"string"},{"const":"x"}]}"#,
            "string v3",
        ),
        (
            r#"{"type":"string","enum":["x"]}"#,
            "string v3 Enum: Enum.x:x",
        ),
        (r#"{"type":"integer","enum":[1,2]}"#, "int64 v3"),
        (
            r#"{"type":["string","null"],"enum":["a",null]}"#,
            "string? v3",
        ),
        (
            r#"{"allOf":[{"type":"integer"},{"type":"string"}]}"#,
            "int64 v3",
        ),
        (
            r##"{"allOf":[{"$ref":"#/d"}],"d":{"type":"boolean","title":"B"}}"##,
            "boolean=B v3",
        ),
    ] {
        assert_eq!(short(&converted(text, &config)), expected, "{text}");
    }
    assert!(
        refused(r#"{"allOf":[{"type":"string"}]}"#, &config)
            .contains("Unsupported criterion allOf")
    );
}

#[test]
fn fields_are_in_the_order_of_their_index_or_of_a_hash_map() {
    let config = JsonSchemaDataConfig::default();
    let text = r#"{"properties":{"k1":{"type":"integer"},"zeta":{"type":"integer"}}}"#;
    assert_eq!(
        short(&converted(text, &config)),
        "struct v3{zeta int64, k1 int64}"
    );
    let text = r#"{"properties":{"a":{"type":"integer","connect.index":7},
        "b":{"type":"string","connect.index":2}},"required":["a"]}"#;
    let optional = JsonSchemaDataConfig {
        optional_for_nonrequired: true,
        ..config
    };
    assert_eq!(
        short(&converted(text, &optional)),
        "struct v3{b string?, a int64}"
    );
}

/// The JVM keeps the later property only.
#[test]
fn no_property_is_lost_to_another_with_its_index() {
    let text = r#"{"properties":{"a":{"type":"integer","connect.index":0},
        "b":{"type":"string","connect.index":0},"c":{"type":"boolean"}}}"#;
    let schema = JsonSchema::parse(text, &[], false).unwrap();
    let config = JsonSchemaDataConfig::default();
    let (schema, differences) = to_connect_schema(&schema, &config, None).unwrap();
    assert_eq!(short(&schema), "struct{a int64, b string, c boolean}");
    assert!(differences.contains(Difference::PropertyIndexShared));
}

#[test]
fn what_is_referred_to_again_has_the_last_number() {
    let config = JsonSchemaDataConfig::default();
    let text = r##"{"d":{"type":"object","title":"N","properties":{"v":{"type":"integer"}}},"type":"object",
        "properties":{"a":{"$ref":"#/d"},"b":{"$ref":"#/d"},"l":{"type":"array","items":{"$ref":"#/d"}}}}"##;
    assert_eq!(
        short(&converted(text, &config)),
        "struct v3{a struct=N{v int64}, b struct=N Id:#id2{v int64}, l array<struct=N Id:#id2{v int64}>}"
    );
    // Types other than structs are not known again.
    let text = r##"{"d":{"type":"integer"},"type":"object","properties":{"a":{"$ref":"#/d"},"b":{"$ref":"#/d"}}}"##;
    assert_eq!(
        short(&converted(text, &config)),
        "struct v3{a int64, b int64}"
    );
}

#[test]
fn an_object_may_contain_itself_and_nothing_else_may() {
    let config = JsonSchemaDataConfig::default();
    let text = r##"{"type":"object","title":"T","properties":{"v":{"type":"integer","connect.index":0},
        "next":{"oneOf":[{"type":"null"},{"$ref":"#"}],"connect.index":1}}}"##;
    let root = converted(text, &config);
    assert_eq!((root.name(), root.parameters()), (Some("T"), None));
    let mut at = root;
    for _ in 0..5 {
        let next = at.field("next").unwrap().schema().clone();
        assert!(next.is_optional());
        assert_eq!(next.parameter("io.confluent.connect.json.Id"), Some("#id1"));
        at = next;
    }
    for bad in [
        r##"{"type":"array","items":{"$ref":"#"}}"##,
        r##"{"$ref":"#"}"##,
        r##"{"oneOf":[{"type":"null"},{"$ref":"#"}]}"##,
    ] {
        assert!(refused(bad, &config).contains("contains itself"), "{bad}");
    }
}

#[test]
fn what_connect_has_no_place_for_is_refused() {
    let keep = JsonSchemaDataConfig {
        preserve_additional_properties: true,
        ..JsonSchemaDataConfig::default()
    };
    for (text, words) in [
        (
            r#"{"type":"null"}"#,
            "Unsupported schema type org.everit.json.schema.NullSchema",
        ),
        (r#"{"not":{}}"#, "NotSchema"),
        (r#"{"if":{}}"#, "ConditionalSchema"),
        ("false", "FalseSchema"),
        (
            r#"{"type":"array"}"#,
            "Array schema did not specify the items type",
        ),
        (
            r#"{"type":"integer","connect.type":"foo"}"#,
            "Unsupported type foo",
        ),
        (
            r#"{"type":"integer","default":null}"#,
            "Invalid null value for required INT64 field",
        ),
        (
            r#"{"type":"integer","connect.version":1.5}"#,
            "connect.version",
        ),
        (
            r#"{"properties":{"a":{"type":"string","connect.index":"x"}}}"#,
            "connect.index",
        ),
        (
            r#"{"type":"object","connect.type":"map","additionalProperties":true}"#,
            "additionalProperties",
        ),
        (
            r#"{"properties":{"__connect_additional_properties__":{"type":"string"}}}"#,
            "collides with the reserved field",
        ),
    ] {
        let said = refused(text, &keep);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn open_structs_have_a_field_for_other_properties() {
    let keep = JsonSchemaDataConfig {
        preserve_additional_properties: true,
        ..JsonSchemaDataConfig::default()
    };
    let open = converted(r#"{"properties":{"a":{"type":"string"}}}"#, &keep);
    assert_eq!(
        short(&open),
        "struct v3{a string, __connect_additional_properties__ map?<struct=Variant{metadata bytes, value bytes}>}"
    );
    let closed = r#"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#;
    assert_eq!(short(&converted(closed, &keep)), "struct v3{a string}");
}
