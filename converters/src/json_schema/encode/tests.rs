use super::super::from_connect;
use super::*;
use crate::data::{Builder, Schema, SchemaBuilder, logical};
use crate::json::DecimalFormat;

fn plan(schema: &Schema, config: &JsonSchemaDataConfig) -> EncodePlan {
    let generated = from_connect::convert(Some(schema), config).unwrap();
    EncodePlan::compile(&generated, config, false).unwrap()
}

fn write_with(
    schema: &Schema,
    config: &JsonSchemaDataConfig,
    fill: impl FnOnce(&mut Builder),
) -> Result<Option<String>, Error> {
    let mut data = Builder::new(Some(schema.clone()));
    fill(&mut data);
    let mut out = Vec::new();
    let data = data.finish().unwrap();
    let written = plan(schema, config).run(&data, &mut Scratch::default(), &mut out)?;
    Ok((written == Written::Bytes).then(|| String::from_utf8(out).unwrap()))
}

fn write(schema: &Schema, fill: impl FnOnce(&mut Builder)) -> Result<Option<String>, Error> {
    write_with(schema, &JsonSchemaDataConfig::default(), fill)
}

fn built(builder: SchemaBuilder) -> Schema {
    builder.build().unwrap()
}

fn variant() -> Schema {
    built(
        SchemaBuilder::structure()
            .name("org.apache.kafka.connect.data.Variant")
            .field("metadata", Schema::bytes())
            .field("value", Schema::bytes()),
    )
}

#[test]
fn a_required_null_leaves_its_field_out_and_an_optional_one_does_not() {
    let schema = SchemaBuilder::structure()
        .field("a", Schema::int32())
        .field("b", Schema::optional_string())
        .field("c", built(SchemaBuilder::int32().default_value(5)))
        .field("d", Schema::boolean());
    let schema = built(schema);
    let empty = |b: &mut Builder| {
        b.begin_struct(&schema);
        b.end_struct();
    };
    assert_eq!(
        write(&schema, empty).unwrap().unwrap(),
        r#"{"b":null,"c":5}"#
    );
    let ignoring = JsonSchemaDataConfig {
        ignore_default_for_nullables: true,
        ..JsonSchemaDataConfig::default()
    };
    let written = write_with(&schema, &ignoring, empty).unwrap();
    assert_eq!(written.unwrap(), r#"{"b":null}"#);
}

#[test]
fn a_root_null_is_a_null_record_unless_the_schema_takes_nulls() {
    let null = |b: &mut Builder| {
        b.null();
    };
    assert_eq!(write(&Schema::int32(), null).unwrap(), None);
    assert_eq!(
        write(&Schema::optional_string(), null).unwrap().unwrap(),
        "null"
    );
    let with_default = built(SchemaBuilder::string().default_value("x\"y"));
    assert_eq!(write(&with_default, null).unwrap().unwrap(), r#""x\"y""#);
    // Elements and values of maps are null all the same.
    let list = built(SchemaBuilder::array(Schema::int32()));
    let written = write(&list, |b| {
        b.begin_array();
        b.null();
        b.end_array();
    });
    assert_eq!(written.unwrap().unwrap(), "[null]");
}

#[test]
fn maps_are_objects_only_where_keys_are_text() {
    let named = built(SchemaBuilder::map(Schema::string(), Schema::int32()));
    let fill = |key: &'static str| {
        move |b: &mut Builder| {
            b.begin_map();
            b.string(key);
            b.int32(1);
            b.end_map();
        }
    };
    assert_eq!(write(&named, fill("a\n")).unwrap().unwrap(), r#"{"a\n":1}"#);
    let entries = built(SchemaBuilder::map(
        Schema::optional_string(),
        Schema::int32(),
    ));
    assert_eq!(
        write(&entries, fill("k")).unwrap().unwrap(),
        r#"[{"key":"k","value":1}]"#
    );
    let error = write(&named, |b| {
        b.begin_map();
        b.null();
        b.int32(1);
        b.end_map();
    });
    assert!(error.unwrap_err().is_data());
}

#[test]
fn a_union_is_its_first_member_that_is_set() {
    let union = |optional: bool| {
        let union = SchemaBuilder::structure()
            .name("io.confluent.connect.json.OneOf")
            .field("a", built(SchemaBuilder::int32().optional()))
            .field("b", Schema::optional_string());
        built(if optional { union.optional() } else { union })
    };
    let fill = |schema: &Schema, set: bool| {
        let schema = schema.clone();
        move |b: &mut Builder| {
            b.begin_struct(&schema);
            if set {
                b.field(1);
                b.string("x");
            }
            b.end_struct();
        }
    };
    let required = union(false);
    assert_eq!(
        write(&required, fill(&required, true)).unwrap().unwrap(),
        "\"x\""
    );
    assert_eq!(write(&required, fill(&required, false)).unwrap(), None);
    let optional = union(true);
    assert_eq!(
        write(&optional, fill(&optional, false)).unwrap().unwrap(),
        "null"
    );
    // A field that holds nothing is left out with its name.
    let holder = built(SchemaBuilder::structure().field("u", required.clone()));
    let written = write(&holder, |b| {
        b.begin_struct(&holder);
        b.begin_struct(&required);
        b.end_struct();
        b.end_struct();
    });
    assert_eq!(written.unwrap().unwrap(), "{}");
}

#[test]
fn decimals_are_base64_or_numbers() {
    let schema = built(logical::decimal(2));
    let value = crate::data::Decimal::new(156, 2);
    let fill = |b: &mut Builder| {
        b.decimal(value.view());
    };
    assert_eq!(write(&schema, fill).unwrap().unwrap(), "\"AJw=\"");
    let numeric = JsonSchemaDataConfig {
        decimal_format: DecimalFormat::Numeric,
        ..JsonSchemaDataConfig::default()
    };
    assert_eq!(
        write_with(&schema, &numeric, fill).unwrap().unwrap(),
        "1.56"
    );
    let other = crate::data::Decimal::new(15, 1);
    let refused = write(&schema, |b| {
        b.decimal(other.view());
    });
    assert!(refused.unwrap_err().is_data());
}

#[test]
fn a_value_of_another_class_is_refused_with_its_place() {
    let inner = built(SchemaBuilder::array(Schema::int8()));
    let schema = built(SchemaBuilder::structure().field("list", inner));
    let error = write(&schema, |b| {
        b.begin_struct(&schema);
        b.begin_array();
        b.int8(1);
        b.int32(2);
        b.end_array();
        b.end_struct();
    })
    .unwrap_err();
    assert_eq!(error.field_path(), "list[1]");
    assert!(
        error
            .to_string()
            .contains("Invalid type for INT8: class java.lang.Integer")
    );
}

fn variant_text(metadata: &[u8], value: &[u8]) -> Result<String, Error> {
    let schema = variant();
    let written = write(&schema, |b| {
        b.begin_struct(&schema);
        b.bytes(metadata);
        b.bytes(value);
        b.end_struct();
    });
    written.map(Option::unwrap)
}

#[test]
fn variants_are_the_json_they_hold() {
    let names = [1, 1, 0, 1, b'a'];
    let table: [(&[u8], &str); 12] = [
        (&[0x00], "null"),
        (&[0x04], "true"),
        (&[0x0c, 0x05], "5"),
        (&[0x14, 0x05, 0, 0, 0], "5"),
        (&[0x20, 1, 0x19, 0, 0, 0], "2.5"),
        (&[0x05, b'x'], "\"x\""),
        (&[0x03, 0, 0], "[]"),
        (&[0x02, 1, 0, 0, 1, 0x04], r#"{"a":true}"#),
        (&[0x3c, 2, 0, 0, 0, 1, 2], "\"AQI=\""),
        // 2024-02-29, then the second before 1970.
        (&[0x2c, 0x46, 0x4d, 0, 0], "\"2024-02-29\""),
        (
            &[0x30, 0xc0, 0xbd, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff],
            "\"1969-12-31T23:59:59Z\"",
        ),
        (&[0x1c, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f], "1.5"),
    ];
    for (value, json) in table {
        assert_eq!(variant_text(&names, value).unwrap(), json);
    }
}

#[test]
fn bytes_that_are_no_variant_are_refused() {
    let names = [1, 1, 0, 1, b'a'];
    for value in [
        &[][..],
        &[0x0c],
        &[0xfc],
        &[0x05],
        &[0x03, 0xff],
        &[0x13, 0xff, 0xff, 0xff, 0xff],
        &[0x02, 1, 9, 0, 1, 0x04],
        &[0x40, 0xff, 0xff, 0xff, 0x7f],
        // An array that holds itself.
        &[0x03, 1, 0, 0],
    ] {
        assert!(variant_text(&names, value).is_err(), "{value:?}");
    }
    assert!(variant_text(&[2, 0, 0], &[0]).is_err());
}

#[test]
fn additional_properties_are_members_of_their_object() {
    let rest = built(SchemaBuilder::map(Schema::string(), variant()).optional());
    let schema = built(
        SchemaBuilder::structure()
            .field("a", Schema::int32())
            .field("__connect_additional_properties__", rest),
    );
    let fill = |key: &'static str| {
        let schema = schema.clone();
        move |b: &mut Builder| {
            b.begin_struct(&schema);
            b.int32(1);
            b.begin_map();
            b.string(key);
            b.begin_struct(&variant());
            b.bytes(&[1, 0, 0]);
            b.bytes(&[0x0c, 5]);
            b.end_struct();
            b.end_map();
            b.end_struct();
        }
    };
    let keeping = JsonSchemaDataConfig {
        preserve_additional_properties: true,
        ..JsonSchemaDataConfig::default()
    };
    let written = write_with(&schema, &keeping, fill("z")).unwrap();
    assert_eq!(written.unwrap(), r#"{"a":1,"z":5}"#);
    let written = write(&schema, fill("z")).unwrap();
    assert_eq!(
        written.unwrap(),
        r#"{"a":1,"__connect_additional_properties__":{"z":5}}"#
    );
    // It would replace the field.
    assert!(write_with(&schema, &keeping, fill("a")).is_err());
}

#[test]
fn only_a_null_goes_without_a_schema() {
    let config = JsonSchemaDataConfig::default();
    let generated = from_connect::convert(None, &config).unwrap();
    let plan = EncodePlan::compile(&generated, &config, false).unwrap();
    let mut out = Vec::new();
    let null = plan.run(&SchemaAndValue::NULL, &mut Scratch::default(), &mut out);
    assert_eq!(null.unwrap(), Written::Null);
    let text = SchemaAndValue::from("x").with_schema(None);
    assert!(plan.run(&text, &mut Scratch::default(), &mut out).is_err());
}

#[test]
fn lines_are_broken_as_jackson_breaks_them() {
    let mut out = Vec::new();
    let compact = r#"{"a":{"b":[1,{"c":"x:,{\"}"},[]],"d":{}},"e":null}"#;
    indent::indent(compact.as_bytes(), &mut Vec::new(), &mut out);
    let expected = r#"{
  "a" : {
    "b" : [ 1, {
      "c" : "x:,{\"}"
    }, [ ] ],
    "d" : { }
  },
  "e" : null
}"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
