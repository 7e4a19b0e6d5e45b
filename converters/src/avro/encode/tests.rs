use super::*;
use crate::avro::{AvroDataConfig, AvroSchema, from_connect_schema};
use crate::data::{Builder, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, logical};
use crate::error::Error;

fn plan(schema: &Schema, registered: Option<&str>, config: &AvroDataConfig) -> EncodePlan {
    let generated = from_connect_schema(Some(schema), config).unwrap();
    let registered = registered.map(|text| AvroSchema::parse(text).unwrap());
    EncodePlan::compile(Some(schema), &generated, registered.as_ref(), config).unwrap()
}

fn run(plan: &EncodePlan, data: &SchemaAndValue) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    plan.run(data, &mut Scratch::default(), &mut out)?;
    Ok(out)
}

fn write(schema: &Schema, fill: impl FnOnce(&mut Builder)) -> Result<Vec<u8>, Error> {
    let mut data = Builder::new(Some(schema.clone()));
    fill(&mut data);
    run(
        &plan(schema, None, &AvroDataConfig::default()),
        &data.finish()?,
    )
}

#[test]
fn leaves_are_written_as_avro_has_them() {
    type Fill = fn(&mut Builder) -> &mut Builder;
    let optional = |schema: SchemaBuilder| schema.optional().build().unwrap();
    let table: [(Schema, Fill, &[u8]); 10] = [
        (Schema::int8(), |b| b.int8(5), &[0x0a]),
        (
            Schema::int64(),
            |b| b.int64(-5_000_000_000),
            &[0xff, 0xc7, 0xaf, 0xa0, 0x25],
        ),
        (Schema::string(), |b| b.string("ab"), &[0x04, 0x61, 0x62]),
        // Bytes at the root have no length.
        (Schema::bytes(), |b| b.bytes(&[1, 2]), &[1, 2]),
        (
            optional(SchemaBuilder::bytes()),
            |b| b.bytes(&[1, 2]),
            &[2, 4, 1, 2],
        ),
        (
            Schema::optional_string(),
            |b| b.string("ab"),
            &[0x02, 0x04, 0x61, 0x62],
        ),
        (
            Schema::float32(),
            |b| b.float32(1.5),
            &[0x00, 0x00, 0xc0, 0x3f],
        ),
        (
            logical::date().build().unwrap(),
            |b| b.date(86_400_000),
            &[0x02],
        ),
        (
            optional(logical::decimal(2)),
            |b| b.decimal(crate::data::Decimal::new(156, 2).view()),
            &[0x02, 0x04, 0x00, 0x9c],
        ),
        (Schema::boolean(), |b| b.boolean(true), &[0x01]),
    ];
    for (schema, fill, bytes) in table {
        let written = write(&schema, |b| {
            fill(b);
        });
        assert_eq!(written.unwrap(), bytes, "{schema}");
    }
}

#[test]
fn text_maps_are_in_the_order_of_a_java_hash_map() {
    let schema = SchemaBuilder::map(Schema::string(), Schema::int32())
        .build()
        .unwrap();
    let written = write(&schema, |b| {
        b.begin_map();
        for (key, value) in [("street", 1), ("city", 2), ("zip", 3)] {
            b.string(key);
            b.int32(value);
        }
        b.end_map();
    });
    let text = String::from_utf8_lossy(&written.unwrap()).into_owned();
    let order: Vec<usize> = ["zip", "city", "street"]
        .map(|key| text.find(key).unwrap())
        .into();
    assert!(order.is_sorted(), "{text:?}");
}

#[test]
fn an_unset_field_takes_its_default_unless_told_otherwise() {
    let of = SchemaBuilder::string()
        .optional()
        .default_value("dv")
        .build()
        .unwrap();
    let schema = SchemaBuilder::structure()
        .name("R")
        .field("a", of)
        .build()
        .unwrap();
    let unset = StructBuilder::new(&schema).unwrap().finish().unwrap();
    let usual = plan(&schema, None, &AvroDataConfig::default());
    // The branch of the default comes first.
    assert_eq!(run(&usual, &unset).unwrap(), [0x00, 0x04, b'd', b'v']);
    let ignoring = AvroDataConfig {
        ignore_default_for_nullables: true,
        ..AvroDataConfig::default()
    };
    assert_eq!(
        run(&plan(&schema, None, &ignoring), &unset).unwrap(),
        [0x02]
    );
}

#[test]
fn a_null_for_a_required_value_is_refused_with_its_place() {
    let inner = SchemaBuilder::array(Schema::string()).build().unwrap();
    let schema = SchemaBuilder::structure()
        .field("list", inner)
        .build()
        .unwrap();
    let error = write(&schema, |b| {
        b.begin_struct(&schema);
        b.field(0);
        b.begin_array();
        b.string("x");
        b.null();
        b.end_array();
        b.end_struct();
    })
    .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Found null value for non-optional schema"),
        "{error}"
    );
    assert_eq!(error.field_path(), "list[1]");
}

#[test]
fn bytes_of_another_length_than_their_fixed_are_refused() {
    let fixed = SchemaBuilder::bytes()
        .name("com.acme.Fx")
        .parameter("connect.fixed.size", "2");
    let schema = fixed.build().unwrap();
    assert_eq!(
        write(&schema, |b| {
            b.bytes(&[1, 2]);
        })
        .unwrap(),
        [1, 2]
    );
    let long = write(&schema, |b| {
        b.bytes(&[1, 2, 3]);
    })
    .unwrap_err();
    assert_eq!(long.difference().map(|d| d.name()), Some("fixed-cut-short"));
    let short = write(&schema, |b| {
        b.bytes(&[1]);
    })
    .unwrap_err();
    assert!(short.difference().is_none() && short.is_data());
}

#[test]
fn fields_go_by_name_into_the_registrys_schema() {
    let schema = SchemaBuilder::structure()
        .name("R")
        .field("a", Schema::int32())
        .field("b", Schema::optional_string())
        .build()
        .unwrap();
    let data = StructBuilder::new(&schema)
        .unwrap()
        .set("a", 1)
        .unwrap()
        .set("b", "x")
        .unwrap();
    let data = data.finish().unwrap();
    let config = AvroDataConfig::default();
    let record = |fields: &str| format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#);
    let (a, b) = (
        r#"{"name":"a","type":"long"}"#,
        r#"{"name":"b","type":["null","string"]}"#,
    );

    let turned = plan(&schema, Some(&record(&format!("{b},{a}"))), &config);
    assert_eq!(run(&turned, &data).unwrap(), [2, 2, b'x', 2]);
    let fewer = plan(&schema, Some(&record(a)), &config);
    assert_eq!(run(&fewer, &data).unwrap(), [2]);
    let more = record(&format!(r#"{a},{{"name":"c","type":"int","default":1}}"#));
    let error = run(&plan(&schema, Some(&more), &config), &data).unwrap_err();
    assert!(
        error.to_string().contains("a field c that the data lack"),
        "{error}"
    );
}

#[test]
fn what_is_not_written_must_still_be_right() {
    let schema = SchemaBuilder::structure()
        .name("R")
        .field("a", Schema::int32())
        .field("b", Schema::string())
        .build()
        .unwrap();
    let text = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#;
    let fewer = plan(&schema, Some(text), &AvroDataConfig::default());
    let mut data = Builder::new(Some(schema.clone()));
    data.begin_struct(&schema);
    data.field(0);
    data.int32(1);
    data.field(1);
    data.null();
    data.end_struct();
    let error = run(&fewer, &data.finish().unwrap()).unwrap_err();
    assert_eq!(error.field_path(), "b");
}

#[test]
fn a_struct_of_another_schema_is_refused() {
    let declared = SchemaBuilder::structure()
        .name("A")
        .field("q", Schema::int64())
        .build()
        .unwrap();
    let other = SchemaBuilder::structure()
        .name("A")
        .field("q", Schema::int64())
        .optional();
    let data = StructBuilder::new(&other.build().unwrap())
        .unwrap()
        .set("q", 1i64)
        .unwrap();
    let data = data.finish().unwrap().with_schema(Some(declared.clone()));
    let error = run(&plan(&declared, None, &AvroDataConfig::default()), &data).unwrap_err();
    assert!(
        error.to_string().contains("Mismatching struct schema"),
        "{error}"
    );
}

#[test]
fn one_name_for_two_types_is_refused() {
    let of = |field: &str| {
        let inner = SchemaBuilder::structure()
            .name("Inner")
            .field(field, Schema::int32());
        inner.build().unwrap()
    };
    let schema = SchemaBuilder::structure()
        .name("Outer")
        .field("a", of("x"))
        .field("b", of("y"));
    let error = from_connect_schema(Some(&schema.build().unwrap()), &AvroDataConfig::default());
    assert_eq!(
        error.unwrap_err().difference().map(|d| d.name()),
        Some("name-redefined")
    );
}
