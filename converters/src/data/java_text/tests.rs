use super::*;
use crate::data::{Builder, Decimal, Schema, SchemaBuilder, StructBuilder};
use crate::differs::Difference;

fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write_java_text(value, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn scalars_print_as_their_java_classes_do() {
    let decimal = Decimal::new(150, 2);
    for (value, expected) in [
        (Value::Null, "null"),
        (Value::Boolean(false), "false"),
        (Value::Int8(-1), "-1"),
        (Value::Int64(3), "3"),
        (Value::Float32(-0.0), "-0.0"),
        (Value::Float64(1e10), "1.0E10"),
        (Value::String("as it is \""), "as it is \""),
        (Value::Decimal(decimal.view()), "1.50"),
    ] {
        assert_eq!(text(value), expected);
    }
}

#[test]
fn dates_print_in_utc_with_english_names() {
    for (millis, expected) in [
        (0, "Thu Jan 01 00:00:00 UTC 1970"),
        (1_566_570_894_346, "Fri Aug 23 14:34:54 UTC 2019"),
        (-1, "Wed Dec 31 23:59:59 UTC 1969"),
        (951_782_400_000, "Tue Feb 29 00:00:00 UTC 2000"),
        (253_402_300_800_000, "Sat Jan 01 00:00:00 UTC 10000"),
        // The last Julian day and the first Gregorian one.
        (-12_219_292_800_001, "Thu Oct 04 23:59:59 UTC 1582"),
        (-12_219_292_800_000, "Fri Oct 15 00:00:00 UTC 1582"),
    ] {
        assert_eq!(text(Value::Timestamp(millis)), expected);
        assert_eq!(text(Value::Date(millis)), expected);
    }
}

#[test]
fn containers() {
    let schema = SchemaBuilder::structure()
        .field("a", Schema::int32())
        .field("b", Schema::optional_string())
        .field(
            "c",
            SchemaBuilder::int32().default_value(3).build().unwrap(),
        )
        .build()
        .unwrap();
    let mut out = Builder::new(None);
    out.begin_array();
    out.begin_array().int32(1).int32(2).end_array();
    out.begin_struct(&schema).int32(5).end_struct();
    out.begin_map()
        .string("k")
        .begin_array()
        .string("v")
        .end_array()
        .string("n")
        .null()
        .end_map();
    out.null().end_array();
    let datum = out.finish().unwrap();
    assert_eq!(
        text(datum.value()),
        "[[1, 2], Struct{a=5}, {k=[v], n=null}, null]"
    );
    let empty = StructBuilder::new(&SchemaBuilder::structure().build().unwrap()).unwrap();
    assert_eq!(text(empty.finish().unwrap().value()), "Struct{}");
}

#[test]
fn bytes_are_refused_at_any_level_and_leave_nothing_behind() {
    let schema = SchemaBuilder::structure()
        .field("id", Schema::int32())
        .field("photo", Schema::bytes())
        .build()
        .unwrap();
    let mut out = Builder::new(None);
    out.begin_array()
        .int32(1)
        .begin_struct(&schema)
        .int32(7)
        .bytes(b"x")
        .end_struct()
        .end_array();
    let datum = out.finish().unwrap();
    let mut text = b"before".to_vec();
    let error = write_java_text(datum.value(), &mut text).unwrap_err();
    assert_eq!(text, b"before");
    assert_eq!(error.difference(), Some(Difference::IdentityText));
    assert_eq!(error.field_path(), "[1].photo");
    assert!(error.to_string().contains("ByteArrayConverter"), "{error}");
    assert!(write_java_text(Value::Bytes(b""), &mut text).is_err());
}
