use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

mod formats;
mod round_trip;

use super::*;
use crate::Fault;
use crate::data::{self, Builder, SchemaBuilder, StructBuilder, Value, logical};

fn under<T: Serialize>(value: &T, schema: &Schema) -> SchemaAndValue {
    to_connect(value, schema).unwrap()
}

/// Why a value cannot be written, and where.
fn refused<T: Serialize>(value: &T, schema: &Schema) -> (String, String) {
    let error = to_connect(value, schema).unwrap_err();
    assert_eq!(error.fault(), Fault::Data, "{error}");
    (error.field_path(), error.to_string())
}

fn one_field(name: &str, schema: Schema) -> Schema {
    SchemaBuilder::structure()
        .field(name, schema)
        .build()
        .unwrap()
}

fn scalar(schema: Schema, put: impl FnOnce(&mut Builder)) -> SchemaAndValue {
    let mut out = Builder::new(Some(schema));
    put(&mut out);
    out.finish().unwrap()
}

#[test]
fn integers_go_where_they_fit() {
    assert_eq!(under(&7u64, &Schema::int8()).value(), Value::Int8(7));
    assert_eq!(under(&-7i8, &Schema::int64()).value(), Value::Int64(-7));
    assert_eq!(under(&200u8, &Schema::int16()).value(), Value::Int16(200));
    assert_eq!(
        under(&u128::from(u32::MAX), &Schema::int64()).value(),
        Value::Int64(i64::from(u32::MAX))
    );
    for (number, schema) in [
        (128, Schema::int8()),
        (-32_769, Schema::int16()),
        (1 << 31, Schema::int32()),
        (1 << 63, Schema::int64()),
    ] {
        let (_, text) = refused(&number, &schema);
        assert!(
            text.contains(&format!("does not fit {}", schema.kind().name())),
            "{text}"
        );
        let _: i128 = number;
    }
    assert!(
        refused(&u128::MAX, &Schema::int64())
            .1
            .contains("does not fit int64")
    );
    assert!(
        refused(&1, &Schema::float64())
            .1
            .contains("float64 expected, but found integer")
    );
}

#[test]
fn integers_are_read_where_they_fit() {
    let datum = SchemaAndValue::from(300i64);
    assert_eq!(from_connect::<i16>(&datum).unwrap(), 300);
    assert_eq!(from_connect::<u128>(&datum).unwrap(), 300);
    let error = from_connect::<i8>(&datum).unwrap_err();
    assert_eq!(error.to_string(), "the number does not fit i8");
    let error = from_connect::<u64>(&SchemaAndValue::from(-1i8)).unwrap_err();
    assert!(!error.to_string().contains("-1"), "{error}");
    assert!(from_connect::<i64>(&SchemaAndValue::from(1.0)).is_err());
}

#[test]
fn floats_lose_no_digit() {
    assert_eq!(
        under(&0.5f64, &Schema::float32()).value(),
        Value::Float32(0.5)
    );
    assert_eq!(
        under(&0.1f32, &Schema::float64()).value(),
        Value::Float64(f64::from(0.1f32))
    );
    assert_eq!(
        under(&f64::NAN, &Schema::float32()).value(),
        Value::Float32(f32::NAN)
    );
    assert!(refused(&0.1f64, &Schema::float32()).1.contains("exactly"));
    assert!(refused(&1e300, &Schema::float32()).1.contains("exactly"));

    assert_eq!(
        from_connect::<f32>(&SchemaAndValue::from(0.5f64)).unwrap(),
        0.5
    );
    assert!(from_connect::<f32>(&SchemaAndValue::from(0.1f64)).is_err());
    assert_eq!(
        from_connect::<f64>(&SchemaAndValue::from(1i64 << 53)).unwrap(),
        9_007_199_254_740_992.0
    );
    assert!(from_connect::<f64>(&SchemaAndValue::from((1i64 << 53) + 1)).is_err());
    assert!(from_connect::<f64>(&SchemaAndValue::from(i64::MIN)).is_err());
}

#[test]
fn bytes_come_in_many_forms() {
    let schema = Schema::bytes();
    let datum = under(&ByteBuf(vec![0, 255]), &schema);
    assert_eq!(datum.value(), Value::Bytes(&[0, 255]));
    assert_eq!(under(&vec![0u8, 255], &schema), datum);
    assert_eq!(under(&[0u8, 255], &schema), datum);
    assert_eq!(from_connect::<&[u8]>(&datum).unwrap(), [0, 255]);
    assert_eq!(
        from_connect::<ByteBuf>(&datum).unwrap(),
        ByteBuf(vec![0, 255])
    );
    assert_eq!(from_connect::<Vec<u8>>(&datum).unwrap(), [0, 255]);
    assert_eq!(from_connect::<[u8; 2]>(&datum).unwrap(), [0, 255]);
    assert!(from_connect::<[u8; 1]>(&datum).is_err());
    assert!(from_connect::<[u8; 3]>(&datum).is_err());
    assert_eq!(refused(&vec![1, 256], &schema).0, "[1]");
    assert!(
        refused(&vec!["a"], &schema)
            .1
            .contains("int16 expected, but found string")
    );
    assert!(
        refused(&ByteBuf(vec![]), &Schema::string())
            .1
            .contains("found bytes")
    );
}

#[test]
fn text_and_bytes_are_borrowed_from_the_record() {
    #[derive(Serialize, Deserialize)]
    struct Borrowed<'a> {
        text: &'a str,
        bytes: &'a [u8],
    }
    let schema = schema_of::<Borrowed<'_>>().unwrap();
    let datum = to_connect(
        &Borrowed {
            text: "é",
            bytes: &[1],
        },
        &schema,
    )
    .unwrap();
    let Value::String(inside) = datum.value().as_struct().unwrap().at(0) else {
        panic!()
    };
    let read: Borrowed<'_> = from_connect(&datum).unwrap();
    assert_eq!(read.text.as_ptr(), inside.as_ptr());
    assert_eq!(read.bytes, [1]);
}

#[test]
fn logical_types_go_through_their_wrappers() {
    for (datum, value) in [
        (
            under(&Date::from_days(-1), &logical::date().build().unwrap()),
            Value::Date(-86_400_000),
        ),
        (
            under(
                &Time::from_millis(5).unwrap(),
                &logical::time().build().unwrap(),
            ),
            Value::Time(5),
        ),
        (
            under(
                &Timestamp::from_millis(-5),
                &logical::timestamp().build().unwrap(),
            ),
            Value::Timestamp(-5),
        ),
    ] {
        assert_eq!(datum.value(), value);
    }
    let decimal = logical::decimal(2).build().unwrap();
    let datum = under(&Decimal::<2>::new(-150), &decimal);
    assert_eq!(
        datum.value(),
        Value::Decimal(data::Decimal::new(-150, 2).view())
    );
    assert_eq!(
        from_connect::<Decimal<2>>(&datum).unwrap(),
        Decimal::new(-150)
    );
    assert_eq!(
        from_connect::<Decimal<5>>(&datum).unwrap(),
        Decimal::new(-150_000)
    );
    assert_eq!(
        from_connect::<Decimal<1>>(&datum).unwrap(),
        Decimal::new(-15)
    );
    assert!(from_connect::<Decimal<0>>(&datum).is_err());
    assert_eq!(from_connect::<String>(&datum).unwrap(), "-1.50");
}

#[test]
fn plain_numbers_and_text_stand_for_logical_types() {
    let date = logical::date().build().unwrap();
    assert_eq!(under(&3, &date).value(), Value::Date(3 * 86_400_000));
    assert_eq!(from_connect::<i32>(&under(&3, &date)).unwrap(), 3);
    let time = logical::time().build().unwrap();
    assert!(refused(&-1, &time).1.contains("Time values must use"));
    let timestamp = logical::timestamp().build().unwrap();
    assert_eq!(from_connect::<u64>(&under(&5u8, &timestamp)).unwrap(), 5);
    let decimal = logical::decimal(2).build().unwrap();
    assert_eq!(
        under(&"1.5", &decimal),
        under(&Decimal::<2>::new(150), &decimal)
    );
    assert_eq!(
        under(&3, &decimal),
        under(&Decimal::<2>::new(300), &decimal)
    );
    assert!(
        refused(&"1.505", &decimal)
            .1
            .contains("exactly with scale 2")
    );
    assert!(refused(&"ten", &decimal).1.contains("no decimal number"));
    assert!(
        refused(&1.5, &decimal)
            .1
            .contains("Decimal expected, but found float")
    );
    let huge = logical::decimal(i32::MIN).build().unwrap();
    assert!(refused(&"1", &huge).1.contains("exactly"));
}

#[test]
fn a_date_is_no_timestamp() {
    let timestamp = logical::timestamp().build().unwrap();
    let (_, text) = refused(&Date::from_days(1), &timestamp);
    assert_eq!(text, "the type is a Date and the schema a Timestamp");
    let datum = under(&Timestamp::from_millis(0), &timestamp);
    assert!(from_connect::<Date>(&datum).is_err());
    assert!(from_connect::<Decimal<0>>(&datum).is_err());
    // Java has one class for all of them: the schema decides which one a value is.
    let shared = scalar(logical::date().build().unwrap(), |out| {
        out.timestamp(86_400_000);
    });
    assert_eq!(from_connect::<Date>(&shared).unwrap(), Date::from_days(1));
    assert_eq!(from_connect::<i32>(&shared).unwrap(), 1);
}

#[test]
fn decimals_are_their_text_in_other_formats() {
    let text: String = from_connect(&under(&Decimal::<3>::new(5), &Schema::string())).unwrap();
    assert_eq!(text, "0.005");
    let datum = SchemaAndValue::from("0.50");
    assert_eq!(from_connect::<Decimal<1>>(&datum).unwrap(), Decimal::new(5));
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Line {
    sku: String,
    count: u16,
}

#[test]
fn a_field_that_the_schema_lacks_is_an_error_and_one_that_the_type_lacks_is_not() {
    let line = Line {
        sku: "a".into(),
        count: 1,
    };
    let narrow = one_field("sku", Schema::string());
    assert_eq!(refused(&line, &narrow).1, "count is not a valid field name");

    let wide = SchemaBuilder::structure()
        .field(
            "more",
            SchemaBuilder::array(Schema::string())
                .optional()
                .build()
                .unwrap(),
        )
        .field("count", Schema::int64())
        .field("sku", Schema::string());
    let datum = to_connect(&line, &wide.build().unwrap()).unwrap();
    assert_eq!(from_connect::<Line>(&datum).unwrap(), line);

    let (path, text) = refused(
        &line,
        &SchemaBuilder::structure()
            .field("sku", Schema::string())
            .field("count", Schema::int64())
            .field("must", Schema::int8())
            .build()
            .unwrap(),
    );
    assert_eq!(path, "must");
    assert!(text.contains("null used for required field"), "{text}");
}

#[test]
fn errors_name_the_path_and_no_value() {
    #[derive(Serialize, Deserialize, Debug)]
    struct Deep {
        lines: Vec<HashMap<String, Line>>,
    }
    let line = SchemaBuilder::structure()
        .field("sku", Schema::string())
        .field("count", Schema::int8())
        .build()
        .unwrap();
    let map = SchemaBuilder::map(Schema::string(), line).build().unwrap();
    let schema = one_field("lines", SchemaBuilder::array(map).build().unwrap());
    let deep = Deep {
        lines: vec![
            HashMap::new(),
            HashMap::from([(
                "k".into(),
                Line {
                    sku: "secret".into(),
                    count: 999,
                },
            )]),
        ],
    };
    let (path, text) = refused(&deep, &schema);
    assert_eq!(path, "lines[1]{value 0}.count");
    assert!(!text.contains("999") && !text.contains("secret"), "{text}");

    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "never read")]
    struct Other {
        lines: Vec<HashMap<String, OtherLine>>,
    }
    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "never read")]
    struct OtherLine {
        sku: i32,
    }
    let deep = Deep {
        lines: vec![HashMap::from([(
            "k".into(),
            Line {
                sku: "secret".into(),
                count: 9,
            },
        )])],
    };
    let datum = to_connect(&deep, &schema).unwrap();
    let error = from_connect::<Other>(&datum).unwrap_err();
    assert_eq!(error.field_path(), "lines[0]{value 0}.sku");
    assert_eq!(
        error.to_string(),
        "integer expected, but found string (at lines[0]{value 0}.sku)"
    );
}

#[test]
fn a_null_field_was_never_set() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Both {
        a: Option<i32>,
        #[serde(default)]
        b: i32,
    }
    let schema = SchemaBuilder::structure()
        .field("a", Schema::optional_int32())
        .field("b", Schema::optional_int32())
        .build()
        .unwrap();
    let empty = StructBuilder::new(&schema).unwrap().finish().unwrap();
    assert_eq!(
        from_connect::<Both>(&empty).unwrap(),
        Both { a: None, b: 0 }
    );
    let error = from_connect::<Strict>(&empty).unwrap_err();
    assert!(
        error.to_string().starts_with("field a has no value"),
        "{error}"
    );
    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "never read")]
    struct Strict {
        a: i32,
    }
}

#[test]
fn a_null_that_the_schema_forbids_is_its_default() {
    let five = |builder: SchemaBuilder| builder.default_value(5i32).build().unwrap();
    let schema = SchemaBuilder::structure()
        .field("forbids", five(SchemaBuilder::int32()))
        .field("allows", five(SchemaBuilder::int32().optional()))
        .build()
        .unwrap();
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Two {
        forbids: Option<i32>,
        allows: Option<i32>,
    }
    let datum = to_connect(
        &Two {
            forbids: None,
            allows: None,
        },
        &schema,
    )
    .unwrap();
    let read: Two = from_connect(&datum).unwrap();
    assert_eq!(
        read,
        Two {
            forbids: Some(5),
            allows: None
        }
    );
}

#[test]
fn skipped_fields_are_null() {
    #[derive(Serialize)]
    struct Skips {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        #[serde(skip)]
        _cache: i32,
    }
    let tags = SchemaBuilder::array(Schema::string());
    let schema = one_field("tags", tags.optional().build().unwrap());
    let skips = Skips {
        tags: vec![],
        _cache: 1,
    };
    assert_eq!(
        under(&skips, &schema).value().as_struct().unwrap().at(0),
        Value::Null
    );
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
enum Shape {
    Point,
    Circle(f64),
    Box { width: f64, height: f64 },
    Line(f64, f64),
}

#[test]
fn an_enum_with_content_is_a_struct_with_one_field_set() {
    let schema = schema_of::<Shape>().unwrap();
    let names: Vec<_> = schema.fields().iter().map(data::Field::name).collect();
    assert_eq!(names, ["Point", "Circle", "Box", "Line"]);
    for shape in [
        Shape::Point,
        Shape::Circle(1.5),
        Shape::Box {
            width: 1.0,
            height: 2.0,
        },
        Shape::Line(1.0, 2.0),
    ] {
        let datum = under(&shape, &schema);
        let set = datum
            .value()
            .as_struct()
            .unwrap()
            .values()
            .filter(|v| !v.is_null())
            .count();
        assert_eq!(set, 1);
        assert_eq!(from_connect::<Shape>(&datum).unwrap(), shape);
    }
}

#[test]
fn an_enum_with_no_or_two_variants_set_is_refused() {
    let schema = schema_of::<Shape>().unwrap();
    let none = StructBuilder::new(&schema).unwrap().finish().unwrap();
    let error = from_connect::<Shape>(&none).unwrap_err();
    assert_eq!(
        error.to_string(),
        "exactly one variant expected, but 0 are set"
    );
    let two = StructBuilder::new(&schema)
        .unwrap()
        .set("Point", true)
        .unwrap()
        .set("Circle", 1.0)
        .unwrap();
    assert!(from_connect::<Shape>(&two.finish().unwrap()).is_err());
    let error = from_connect::<Shape>(&SchemaAndValue::from("secret")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the variant is none of Point, Circle, Box, Line"
    );
    assert!(from_connect::<Shape>(&SchemaAndValue::from(1i32)).is_err());
    assert!(
        refused(&Shape::Circle(1.0), &Schema::string())
            .1
            .contains("variant with content")
    );
}

#[test]
fn other_representations_of_enums_work_under_a_schema_made_by_hand() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "type")]
    enum Event {
        Opened { by: String },
        Closed { code: i32 },
    }
    let schema = SchemaBuilder::structure()
        .field("type", Schema::string())
        .field("by", Schema::optional_string())
        .field("code", Schema::optional_int32())
        .build()
        .unwrap();
    for event in [
        Event::Opened { by: "Ada".into() },
        Event::Closed { code: 3 },
    ] {
        assert_eq!(
            from_connect::<Event>(&under(&event, &schema)).unwrap(),
            event
        );
    }
}

#[test]
fn flattened_fields_are_fields() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Outer {
        id: i32,
        #[serde(flatten)]
        line: Line,
        #[serde(flatten)]
        rest: BTreeMap<String, Option<String>>,
    }
    let schema = SchemaBuilder::structure()
        .field("id", Schema::int32())
        .field("sku", Schema::string())
        .field("count", Schema::int32())
        .field("colour", Schema::optional_string())
        .build()
        .unwrap();
    let outer = Outer {
        id: 1,
        line: Line {
            sku: "a".into(),
            count: 2,
        },
        rest: BTreeMap::from([("colour".into(), Some("red".into()))]),
    };
    assert_eq!(
        from_connect::<Outer>(&under(&outer, &schema)).unwrap(),
        outer
    );
}

#[test]
fn structs_and_maps_stand_for_each_other() {
    let numbers = SchemaBuilder::map(Schema::string(), Schema::int32())
        .build()
        .unwrap();
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Xy {
        x: i32,
        y: i32,
    }
    let datum = under(&Xy { x: 1, y: 2 }, &numbers);
    assert_eq!(from_connect::<Xy>(&datum).unwrap(), Xy { x: 1, y: 2 });
    assert_eq!(
        from_connect::<BTreeMap<&str, i64>>(&datum).unwrap(),
        BTreeMap::from([("x", 1), ("y", 2)])
    );

    let schema = schema_of::<Xy>().unwrap();
    let datum = under(&BTreeMap::from([("y", 2), ("x", 1)]), &schema);
    assert_eq!(from_connect::<Xy>(&datum).unwrap(), Xy { x: 1, y: 2 });
    assert!(
        refused(&BTreeMap::from([("z", 2)]), &schema)
            .1
            .contains("z is not a valid field name")
    );
    assert!(
        refused(&BTreeMap::from([(1, 2)]), &schema)
            .1
            .contains("string expected, but found integer")
    );
}

#[test]
fn keys_of_maps_have_a_schema() {
    let schema = SchemaBuilder::map(Schema::int16(), Schema::optional_string())
        .build()
        .unwrap();
    let map = BTreeMap::from([(1i64, None), (2, Some("b".to_owned()))]);
    assert_eq!(
        from_connect::<BTreeMap<i64, Option<String>>>(&under(&map, &schema)).unwrap(),
        map
    );
    let (path, _) = refused(&BTreeMap::from([(1i64 << 40, "")]), &schema);
    assert_eq!(path, "{key 0}");
}

#[test]
fn an_array_is_never_cut() {
    let schema = SchemaBuilder::array(Schema::int32()).build().unwrap();
    let datum = under(&[1, 2, 3], &schema);
    assert_eq!(from_connect::<(i32, i64, u8)>(&datum).unwrap(), (1, 2, 3));
    assert!(
        from_connect::<(i32, i32)>(&datum)
            .unwrap_err()
            .to_string()
            .contains("2 elements expected, but found 3")
    );
    assert!(from_connect::<[i32; 4]>(&datum).is_err());
    assert_eq!(refused(&(1, "a"), &schema).0, "[1]");
}

#[test]
fn a_schema_without_its_parts_takes_no_values() {
    let open = SchemaBuilder::open_array(None).build().unwrap();
    assert!(
        refused(&[1], &open)
            .1
            .contains("No schema defined for element of array value")
    );
}

#[test]
fn nesting_has_a_limit_in_both_directions() {
    #[derive(Serialize, Deserialize)]
    struct Chain {
        next: Option<Box<Self>>,
    }
    let chain = |length| (0..length).fold(None, |next, _| Some(Box::new(Chain { next })));
    let schema = schema_of::<Option<Box<Chain>>>().unwrap();
    let fits = under(&chain(crate::limits::TYPED_DEPTH_MAX / 2), &schema);
    assert!(from_connect::<Option<Box<Chain>>>(&fits).is_ok());
    let error = to_connect(&chain(1_000), &schema).unwrap_err();
    assert!(error.to_string().contains("nests deeper"), "{error}");

    let mut out = Builder::new(Some(schema.clone()));
    let mut inner = Some(&schema);
    let mut schemas = Vec::new();
    while schemas.len() < 900 {
        let Some(schema) = inner else { break };
        schemas.push(schema);
        inner = schema.fields().first().map(data::Field::schema);
    }
    schemas.iter().for_each(|schema| {
        out.begin_struct(schema);
    });
    schemas.iter().for_each(|_| {
        out.end_struct();
    });
    let deep = out.finish().unwrap();
    assert!(from_connect::<Option<Box<Chain>>>(&deep).is_err());
}

#[test]
fn a_type_made_of_nothing_but_itself_does_not_hang() {
    #[derive(Deserialize)]
    struct Onion(#[expect(dead_code, reason = "never read")] Option<Box<Self>>);
    assert!(from_connect::<Onion>(&SchemaAndValue::from(1i32)).is_err());
    assert!(from_connect::<Onion>(&SchemaAndValue::NULL).is_ok());
}
