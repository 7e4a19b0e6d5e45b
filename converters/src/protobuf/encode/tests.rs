//! Bytes of values, as protobuf-java writes them.

use super::*;
use crate::data::{Builder, Decimal, Knot, SchemaAndValue, SchemaBuilder, logical};
use crate::differs::Difference;
use crate::error::Error;
use crate::protobuf::from_connect::{convert, words};
use crate::protobuf::{ProtoFile, ProtobufDataConfig};
use crate::registered::Written;

const NOTHING: [u8; 0] = [];

fn structure(name: &str) -> SchemaBuilder {
    SchemaBuilder::structure().name(name)
}

fn built(schema: SchemaBuilder) -> Schema {
    schema.build().unwrap()
}

fn plan(schema: &Schema, registered: Option<&str>) -> Result<EncodePlan, Error> {
    let config = ProtobufDataConfig::default();
    let registered = registered.map(|text| [ProtoFile::parse(text).unwrap()]);
    let generated = convert(Some(schema), &config)?;
    EncodePlan::compile(
        &generated,
        registered.as_ref().map(|files| &files[..]),
        &config,
    )
}

fn write(data: &SchemaAndValue) -> Result<Vec<u8>, Error> {
    let plan = plan(data.schema().unwrap(), None)?;
    let mut scratch = Scratch::default();
    let mut out = vec![0xaa];
    assert_eq!(plan.run(data, &mut scratch, &mut out)?, Written::Bytes);
    let first = out.split_off(1);
    // The second time the buffer is long enough.
    assert_eq!(plan.run(data, &mut scratch, &mut out)?, Written::Bytes);
    assert_eq!(out.split_off(1), first);
    Ok(first)
}

/// A struct with one field.
fn one(field: Schema, fill: impl FnOnce(&mut Builder) -> &mut Builder) -> SchemaAndValue {
    let schema = built(structure("M").field("f", field));
    let mut builder = Builder::new(Some(schema.clone()));
    builder.begin_struct(&schema);
    fill(&mut builder);
    builder.end_struct();
    builder.finish().unwrap()
}

fn field(field: Schema, fill: impl FnOnce(&mut Builder) -> &mut Builder) -> Result<Vec<u8>, Error> {
    write(&one(field, fill))
}

#[test]
fn scalars_have_the_form_of_their_type_and_zeros_are_left_out() {
    let typed = |schema: SchemaBuilder, ty| built(schema.parameter(words::TYPE, ty));
    let int32 = |ty, v| field(typed(SchemaBuilder::int32(), ty), |b| b.int32(v)).unwrap();
    let int64 = |ty, v| field(typed(SchemaBuilder::int64(), ty), |b| b.int64(v)).unwrap();
    assert_eq!(
        int32("int32", -1),
        [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
    );
    assert_eq!(int32("sint32", -2), [8, 3]);
    assert_eq!(int32("uint32", -1), [8, 255, 255, 255, 255, 15]);
    assert_eq!(int32("sfixed32", -2), [13, 254, 255, 255, 255]);
    assert_eq!(int32("int32", 0), NOTHING);
    assert_eq!(
        int64("uint32", 3_000_000_000),
        [8, 0x80, 0xbc, 0xc1, 0x96, 0x0b]
    );
    assert_eq!(int64("sint64", -1), [8, 1]);
    assert_eq!(int64("fixed64", 1), [9, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        field(Schema::float64(), |b| b.float64(0.0)).unwrap(),
        NOTHING
    );
    let minus_zero = field(Schema::float64(), |b| b.float64(-0.0)).unwrap();
    assert_eq!(minus_zero, [9, 0, 0, 0, 0, 0, 0, 0, 0x80]);
}

#[test]
fn logical_types_are_messages() {
    let decimal = |unscaled, scale| {
        let schema = built(logical::decimal(2));
        field(schema, |b| b.decimal(Decimal::new(unscaled, scale).view())).unwrap()
    };
    assert_eq!(decimal(156, 2), [10, 8, 10, 2, 0, 156, 16, 3, 24, 2]);
    assert_eq!(decimal(0, 0), [10, 5, 10, 1, 0, 16, 1]);
    assert_eq!(decimal(5, -3)[..7], [10, 16, 10, 1, 5, 16, 1]);
    assert_eq!(decimal(i128::MAX, 2)[..4], [10, 22, 10, 16]);
    let date = |days: i64| {
        let millis = days * logical::MILLIS_PER_DAY;
        field(built(logical::date()), |b| b.date(millis))
    };
    assert_eq!(date(0).unwrap(), [10, 7, 8, 0xb2, 15, 16, 1, 24, 1]);
    // Julian before the reform.
    assert_eq!(date(-719_162).unwrap(), [10, 6, 8, 1, 16, 1, 24, 3]);
    let error = date(-800_000).unwrap_err();
    assert_eq!(error.difference(), Some(Difference::EraLost));
    let time = |millis| field(built(logical::time()), |b| b.time(millis));
    assert_eq!(time(86_400_000).unwrap(), [10, 0]);
    assert!(time(86_400_001).is_err());
    let timestamp = |millis| field(built(logical::timestamp()), |b| b.timestamp(millis));
    assert_eq!(timestamp(0).unwrap(), [10, 0]);
    assert_eq!(
        timestamp(999).unwrap(),
        [10, 6, 16, 0xc0, 0x8f, 0xae, 0xdc, 3]
    );
    assert_eq!(timestamp(-1).unwrap().len(), 2 + 11 + 6);
    assert!(timestamp(253_402_300_800_000).is_err());
}

#[test]
fn numbers_are_not_told_apart_so_long_as_nothing_is_lost() {
    let of = |schema: Schema, fill: fn(&mut Builder) -> &mut Builder| {
        let mut builder = Builder::new(Some(schema));
        fill(&mut builder);
        write(&builder.finish().unwrap())
    };
    assert_eq!(of(Schema::int8(), |b| b.int32(300)).unwrap(), [8, 0xac, 2]);
    assert_eq!(of(Schema::int64(), |b| b.int32(1)).unwrap(), [8, 1]);
    let float = of(Schema::float32(), |b| b.float64(1.5)).unwrap();
    assert_eq!(float, [13, 0, 0, 0xc0, 0x3f]);
    for error in [
        of(Schema::int32(), |b| b.int64(1 << 40)),
        of(Schema::int64(), |b| b.float64(1.5)),
        of(Schema::float32(), |b| b.float64(0.1)),
    ] {
        assert_eq!(
            error.unwrap_err().difference(),
            Some(Difference::NumberNarrowed)
        );
    }
    let error = of(Schema::boolean(), |b| b.int32(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid type for BOOLEAN: class java.lang.Integer"
    );
}

#[test]
fn lists_are_packed_and_hold_no_nulls() {
    let numbers = built(SchemaBuilder::array(built(
        SchemaBuilder::int32().optional(),
    )));
    let packed = field(numbers.clone(), |b| {
        b.begin_array().int32(5).int32(0).end_array()
    });
    assert_eq!(packed.unwrap(), [10, 2, 5, 0]);
    assert_eq!(
        field(numbers.clone(), |b| b.begin_array().end_array()).unwrap(),
        NOTHING
    );
    let error = field(numbers, |b| b.begin_array().int32(1).null().end_array()).unwrap_err();
    assert_eq!(error.field_path(), "f[1]");
    let texts = built(SchemaBuilder::array(Schema::string()));
    let texts = field(texts, |b| {
        b.begin_array().string("").string("a").end_array()
    });
    assert_eq!(texts.unwrap(), [10, 0, 10, 1, b'a']);
}

#[test]
fn maps_are_entries_and_nulls_in_them_stay_away() {
    let value = built(SchemaBuilder::int32().default_value(7i32));
    let key = built(SchemaBuilder::string().optional());
    let schema = built(SchemaBuilder::map(key, value));
    let bytes = field(schema, |b| {
        b.begin_map()
            .string("b")
            .int32(1)
            .null()
            .int32(0)
            .string("a")
            .null()
            .end_map()
    });
    assert_eq!(
        bytes.unwrap(),
        [10, 5, 10, 1, b'b', 16, 1, 10, 0, 10, 3, 10, 1, b'a']
    );
}

#[test]
fn lengths_of_more_than_one_byte_come_in_place() {
    let inner = built(
        structure("I")
            .field("a", Schema::string())
            .field("b", Schema::int32()),
    );
    let schema = built(
        structure("O")
            .field("i", inner.clone())
            .field("j", inner.clone()),
    );
    let mut builder = Builder::new(Some(schema.clone()));
    let long = "x".repeat(200);
    builder.begin_struct(&schema);
    builder
        .begin_struct(&inner)
        .string(&long)
        .int32(1)
        .end_struct();
    builder
        .begin_struct(&inner)
        .string("y")
        .int32(2)
        .end_struct();
    builder.end_struct();
    let outer = builder.finish().unwrap();
    let mut expected = vec![10, 0xcd, 1, 10, 0xc8, 1];
    expected.extend(long.as_bytes());
    expected.extend([16, 1, 18, 5, 10, 1, b'y', 16, 2]);
    assert_eq!(write(&outer).unwrap(), expected);
}

fn union(name: &str, numbers: [&str; 2]) -> Schema {
    let member =
        |schema: SchemaBuilder, number| built(schema.optional().parameter(words::TAG, number));
    built(
        structure(&format!("{}{name}", words::UNION_PREFIX))
            .optional()
            .field("s", member(SchemaBuilder::string(), numbers[0]))
            .field("n", member(SchemaBuilder::int32(), numbers[1])),
    )
}

/// A message with a union around a field of number 2.
fn with_union(
    numbers: [&str; 2],
    member: fn(&mut Builder) -> &mut Builder,
) -> Result<Vec<u8>, Error> {
    let union = union("c", numbers);
    let middle = SchemaBuilder::int32().parameter(words::TAG, "2");
    let schema = built(
        structure("M")
            .field("c_0", union.clone())
            .field("m", built(middle)),
    );
    let mut builder = Builder::new(Some(schema.clone()));
    builder.begin_struct(&schema).begin_struct(&union);
    member(&mut builder);
    builder.end_struct().int32(9).end_struct();
    write(&builder.finish().unwrap())
}

#[test]
fn the_first_member_that_is_set_is_written_by_its_number() {
    let text: fn(&mut Builder) -> &mut Builder = |b| b.string("x").int32(5);
    let number: fn(&mut Builder) -> &mut Builder = |b| b.null().int32(0);
    assert_eq!(with_union(["3", "4"], text).unwrap(), [16, 9, 26, 1, b'x']);
    assert_eq!(with_union(["3", "4"], number).unwrap(), [16, 9, 32, 0]);
    // Another field between the members.
    assert_eq!(with_union(["3", "1"], text).unwrap(), [16, 9, 26, 1, b'x']);
    assert_eq!(with_union(["3", "1"], number).unwrap(), [8, 0, 16, 9]);
    for numbers in [["3", "4"], ["3", "1"]] {
        let error = with_union(numbers, |b| b.null().null()).unwrap_err();
        assert!(
            error.to_string().starts_with("Cannot find non-null field"),
            "{error}"
        );
    }
}

#[test]
fn symbols_and_numbers_of_enums() {
    let schema = |schema: SchemaBuilder| {
        let parameters = [("", "Status"), (".A", "0"), (".B", "5")];
        let schema = schema.name("Status");
        built(parameters.iter().fold(schema, |schema, (name, value)| {
            schema.parameter(&format!("{}{name}", words::ENUM), value)
        }))
    };
    let symbol = |symbol: &str| field(schema(SchemaBuilder::string()), |b| b.string(symbol));
    let number = |number| field(schema(SchemaBuilder::int32()), |b| b.int32(number));
    assert_eq!(symbol("B").unwrap(), [8, 5]);
    assert_eq!(symbol("A").unwrap(), NOTHING);
    assert_eq!(number(5).unwrap(), [8, 5]);
    for error in [symbol("X"), number(1)] {
        assert!(error.unwrap_err().is_data());
    }
}

#[test]
fn a_null_is_its_default_unless_the_settings_say_no() {
    let schema = built(SchemaBuilder::string().default_value("d"));
    let data = one(schema, |b| b.null());
    assert_eq!(write(&data).unwrap(), [10, 1, b'd']);
    let config = ProtobufDataConfig {
        ignore_default_for_nullables: true,
        ..ProtobufDataConfig::default()
    };
    let generated = convert(data.schema(), &config).unwrap();
    let plan = EncodePlan::compile(&generated, None, &config).unwrap();
    let mut out = Vec::new();
    plan.run(&data, &mut Scratch::default(), &mut out).unwrap();
    assert_eq!(out, NOTHING);
}

#[test]
fn what_the_jvm_writes_and_nobody_reads_is_refused() {
    let decimal = Decimal::new(156, 2);
    let mut builder = Builder::new(Some(built(logical::decimal(2))));
    builder.decimal(decimal.view());
    let error = write(&builder.finish().unwrap()).unwrap_err();
    assert_eq!(error.difference(), Some(Difference::Unreadable));
    let schema = built(SchemaBuilder::int32().parameter(words::TAG, "536870912"));
    let error = field(schema, |b| b.int32(1)).unwrap_err();
    assert_eq!(error.difference(), Some(Difference::Unreadable));
}

#[test]
fn a_null_at_the_root_is_a_null_whatever_the_schema() {
    for schema in [
        None,
        Some(Schema::int32()),
        Some(built(logical::date())),
        Some(built(structure("M"))),
    ] {
        let config = ProtobufDataConfig::default();
        let generated = convert(schema.as_ref(), &config).unwrap();
        let plan = EncodePlan::compile(&generated, None, &config).unwrap();
        let data = SchemaAndValue::null_of(schema);
        let mut out = Vec::new();
        let written = plan.run(&data, &mut Scratch::default(), &mut out).unwrap();
        assert_eq!((written, out.len()), (Written::Null, 0));
    }
}

#[test]
fn a_message_may_contain_itself() {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let rest = knot.reference(id, true);
    let list = built(
        structure("L")
            .field("v", Schema::int32())
            .field("next", rest),
    );
    let list = knot.define(id, list);
    let list = knot.tie(list).unwrap();
    let next = list.fields()[1].schema().clone();
    let mut builder = Builder::new(Some(list.clone()));
    builder.begin_struct(&list).int32(1);
    builder.begin_struct(&next).int32(2).null().end_struct();
    builder.end_struct();
    assert_eq!(
        write(&builder.finish().unwrap()).unwrap(),
        [8, 1, 18, 2, 8, 2]
    );
}

#[test]
fn messages_are_nested_as_deep_as_readers_go() {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let rest = knot.reference(id, true);
    let list = knot.define(id, built(structure("L").field("next", rest)));
    let list = knot.tie(list).unwrap();
    let nested = |levels: usize| {
        let mut schemas = vec![list.clone()];
        for level in 1..=levels {
            schemas.push(schemas[level - 1].fields()[0].schema().clone());
        }
        let mut builder = Builder::new(Some(list.clone()));
        for schema in &schemas {
            builder.begin_struct(schema);
        }
        builder.null();
        for _ in &schemas {
            builder.end_struct();
        }
        write(&builder.finish().unwrap())
    };
    let max = crate::limits::PROTO_VALUE_DEPTH_MAX;
    let bytes = nested(max).unwrap();
    assert_eq!(bytes[bytes.len() - 4..], [10, 2, 10, 0]);
    // Beyond 64 levels a length takes two bytes.
    assert_eq!(bytes.len(), 2 * max + (max - 64));
    let error = nested(max + 1).unwrap_err();
    assert_eq!(error.difference(), Some(Difference::Unreadable));
}

#[test]
fn another_schema_of_the_registry_gives_the_place_and_must_mean_the_same() {
    let schema = built(structure("p.M").field("a", Schema::int32()).field(
        "t",
        built(SchemaBuilder::map(Schema::string(), Schema::int64())),
    ));
    let place = |body: &str| {
        let text = format!("syntax = \"proto3\"; package p; {body}");
        let plan = plan(&schema, Some(&text)).unwrap();
        match plan.root {
            Root::Nothing(kind) => Err(kind.to_string()),
            Root::Message(_) | Root::Wrapper(_) => Ok(plan.indexes.encoded().to_vec()),
        }
    };
    let same = [
        (
            "message M { int32 a = 1; map<string, int64> t = 2; int64 more = 3; }",
            &[0][..],
        ),
        ("message Z {} message M { int64 a = 1; }", &[2, 2]),
        ("message M { oneof o { E a = 1; } } enum E { X = 0; }", &[0]),
        (
            "message M { repeated N t = 2; message N { string key = 1; bool value = 2; } }",
            &[0],
        ),
    ];
    for (body, indexes) in same {
        assert_eq!(place(body).as_deref(), Ok(indexes), "{body}");
    }
    let other = [
        "message N { int32 a = 1; }",
        "message O { message M { int32 a = 1; } }",
        "message M { int32 a = 3; }",
        "message M { int32 b = 1; }",
        "message M { sint32 a = 1; }",
        "message M { string a = 1; }",
        "message M { repeated int32 a = 1; }",
        "message M { map<string, string> t = 2; }",
        "message M { google.protobuf.Int32Value a = 1; }",
    ];
    for body in other {
        let refused = place(body).unwrap_err();
        assert!(
            refused.contains("the registry's schema"),
            "{body}: {refused}"
        );
    }
}
