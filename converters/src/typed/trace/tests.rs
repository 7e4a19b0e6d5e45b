use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;

use crate::Fault;
use crate::data::{Schema, SchemaBuilder, Type, logical};
use crate::typed::{ByteBuf, Date, Decimal, Symbols, Time, Timestamp, schema_of, schema_with};

fn of<T: for<'de> Deserialize<'de>>() -> Schema {
    schema_of::<T>().unwrap()
}

fn refused<T: for<'de> Deserialize<'de>>() -> String {
    let error = schema_of::<T>().unwrap_err();
    assert_eq!(error.fault(), Fault::Plugin, "{error}");
    error.to_string()
}

#[test]
fn scalars() {
    assert_eq!(of::<bool>(), Schema::boolean());
    assert_eq!(of::<i8>(), Schema::int8());
    assert_eq!(of::<u8>(), Schema::int16());
    assert_eq!(of::<i16>(), Schema::int16());
    assert_eq!(of::<u16>(), Schema::int32());
    assert_eq!(of::<i32>(), Schema::int32());
    assert_eq!(of::<u32>(), Schema::int64());
    assert_eq!(of::<i64>(), Schema::int64());
    assert_eq!(of::<u64>(), Schema::int64());
    assert_eq!(of::<f32>(), Schema::float32());
    assert_eq!(of::<f64>(), Schema::float64());
    assert_eq!(of::<char>(), Schema::string());
    assert_eq!(of::<String>(), Schema::string());
    assert_eq!(schema_of::<&str>().unwrap(), Schema::string());
    assert_eq!(schema_of::<&[u8]>().unwrap(), Schema::bytes());
    assert_eq!(of::<ByteBuf>(), Schema::bytes());
    assert_eq!(of::<Vec<u8>>(), Schema::bytes());
    assert_eq!(of::<[u8; 16]>(), Schema::bytes());
    assert_eq!(of::<Option<Vec<u8>>>(), Schema::optional_bytes());
}

#[test]
fn logical_types_and_their_scales() {
    assert_eq!(of::<Date>(), logical::date().build().unwrap());
    assert_eq!(of::<Time>(), logical::time().build().unwrap());
    assert_eq!(of::<Timestamp>(), logical::timestamp().build().unwrap());
    assert_eq!(of::<Decimal<0>>(), logical::decimal(0).build().unwrap());
    assert_eq!(of::<Decimal<-3>>(), logical::decimal(-3).build().unwrap());
    assert_eq!(
        of::<Decimal<{ i32::MIN }>>(),
        logical::decimal(i32::MIN).build().unwrap()
    );
    assert_eq!(
        of::<Option<Decimal<38>>>(),
        logical::decimal(38).optional().build().unwrap()
    );
}

#[test]
fn containers_and_options() {
    let array = |schema| SchemaBuilder::array(schema).build().unwrap();
    assert_eq!(of::<Vec<i32>>(), array(Schema::int32()));
    assert_eq!(of::<Vec<Option<i32>>>(), array(Schema::optional_int32()));
    assert_eq!(of::<Option<Option<i32>>>(), Schema::optional_int32());
    assert_eq!(of::<(f64, f64)>(), array(Schema::float64()));
    assert_eq!(of::<[String; 3]>(), array(Schema::string()));
    assert_eq!(of::<Vec<Vec<u8>>>(), array(Schema::bytes()));
    let map = SchemaBuilder::map(Schema::int16(), array(Schema::boolean()))
        .build()
        .unwrap();
    assert_eq!(of::<BTreeMap<i16, Vec<bool>>>(), map);
}

#[test]
fn types_that_are_picky_about_samples_are_followed() {
    assert_eq!(of::<NonZeroU32>(), Schema::int64());
    assert_eq!(of::<IpAddr>(), Schema::string());
    assert_eq!(of::<Duration>().fields().len(), 2);

    #[derive(Deserialize)]
    #[serde(try_from = "String")]
    struct Day(#[expect(dead_code, reason = "never read")] String);
    impl TryFrom<String> for Day {
        type Error = &'static str;
        fn try_from(text: String) -> Result<Self, Self::Error> {
            if text.len() == 10 {
                Ok(Self(text))
            } else {
                Err("no day")
            }
        }
    }
    assert_eq!(of::<Day>(), Schema::string());
}

#[test]
fn names_come_from_serde() {
    #[derive(Deserialize)]
    #[serde(rename = "com.example.Order", rename_all = "camelCase")]
    #[expect(dead_code, reason = "never read")]
    struct Order {
        order_id: Id,
        #[serde(rename = "t")]
        total: Option<f32>,
        #[serde(skip)]
        cache: i32,
        #[serde(alias = "a_alias", alias = "z_alias")]
        main: String,
        #[serde(default)]
        count: i32,
    }
    #[derive(Deserialize)]
    struct Id(#[expect(dead_code, reason = "never read")] i64);
    let wanted = SchemaBuilder::structure()
        .name("com.example.Order")
        .field("orderId", Schema::int64())
        .field("t", Schema::optional_float32())
        .field("main", Schema::string())
        .field("count", Schema::int32());
    assert_eq!(of::<Order>(), wanted.build().unwrap());
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    Red,
    #[serde(rename = "dark-green")]
    Green,
}

#[test]
fn symbols_are_strings() {
    assert_eq!(of::<Colour>(), Schema::string());
    assert_eq!(of::<Option<Colour>>(), Schema::optional_string());
    let keys = SchemaBuilder::map(Schema::string(), Schema::int32());
    assert_eq!(of::<BTreeMap<Colour, i32>>(), keys.build().unwrap());
}

#[test]
fn symbols_are_told_as_each_format_wants_them() {
    for (symbols, parameter, name, first, second) in [
        (
            Symbols::Avro,
            "io.confluent.connect.avro.Enum",
            "Colour",
            "Red",
            "dark-green",
        ),
        (
            Symbols::Protobuf,
            "io.confluent.connect.protobuf.Enum",
            "Colour",
            "0",
            "1",
        ),
        (
            Symbols::Json,
            "io.confluent.connect.json.Enum",
            "",
            "Red",
            "dark-green",
        ),
        (
            Symbols::Generalized,
            "org.apache.kafka.connect.data.Enum",
            "Colour",
            "0",
            "1",
        ),
    ] {
        let wanted = || {
            SchemaBuilder::string()
                .name("Colour")
                .parameter(parameter, name)
                .parameter(&format!("{parameter}.Red"), first)
                .parameter(&format!("{parameter}.dark-green"), second)
        };
        assert_eq!(
            schema_with::<Colour>(symbols).unwrap(),
            wanted().build().unwrap()
        );
        let optional = wanted().optional().build().unwrap();
        assert_eq!(schema_with::<Option<Colour>>(symbols).unwrap(), optional);
    }
}

#[test]
fn every_variant_is_found_at_any_depth() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    enum Outer {
        Nothing,
        Inner(Vec<Inner>),
        Fields {
            colour: Option<Colour>,
            inner: Inner,
        },
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    enum Inner {
        One(i32),
        Two(String, String),
        Three(Option<Box<Outer>>),
    }
    let schema = of::<HashMap<String, Option<Outer>>>();
    let outer = schema.value_schema().unwrap();
    assert!(outer.is_optional() && outer.is_recursive());
    let kind = |schema: &Schema, name: &str| schema.field(name).unwrap().schema().clone();
    assert_eq!(kind(outer, "Nothing"), Schema::optional_boolean());
    let fields = kind(outer, "Fields");
    assert_eq!(
        (fields.name(), fields.is_optional()),
        (Some("Outer.Fields"), true)
    );
    assert_eq!(kind(&fields, "colour"), Schema::optional_string());
    let inner = kind(&fields, "inner");
    assert_eq!(inner.name(), Some("Inner"));
    assert_eq!(&inner, kind(outer, "Inner").value_schema().unwrap());
    assert_eq!(kind(&inner, "Two").value_schema(), Some(&Schema::string()));
    assert_eq!(kind(&inner, "Three").recursion(), outer.recursion());
}

#[test]
fn types_that_contain_themselves() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct List {
        next: Option<Box<Self>>,
        value: i32,
    }
    let list = of::<List>();
    let next = list.field("next").unwrap().schema();
    assert!(next.is_optional());
    assert_eq!(next.recursion(), list.recursion());
    assert_eq!(next.field("value").unwrap().schema(), &Schema::int32());

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    enum Expression {
        Sum(Box<Self>, Box<Self>),
        Number(f64),
        All(HashMap<String, Self>),
    }
    let expression = of::<Expression>();
    let sum = expression.field("Sum").unwrap().schema();
    assert_eq!(sum.kind(), Type::Array);
    assert_eq!(
        sum.value_schema().unwrap().recursion(),
        expression.recursion()
    );

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct A {
        b: Option<Box<B>>,
        again: Vec<B>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct B {
        a: Vec<A>,
        list: List,
        lists: Option<List>,
    }
    let a = of::<A>();
    let b = a.field("b").unwrap().schema();
    assert_eq!(
        b.field("a")
            .unwrap()
            .schema()
            .value_schema()
            .unwrap()
            .recursion(),
        a.recursion()
    );
    assert_eq!(b.field("list").unwrap().schema(), &list);
    assert!(b.field("lists").unwrap().schema().is_optional());
}

#[test]
fn a_type_is_known_by_more_than_its_name() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct Page<T> {
        items: Vec<T>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct Two {
        numbers: Page<i32>,
        texts: Page<String>,
    }
    assert!(refused::<Two>().contains("two types of different shape have the name Page"));

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct Same {
        first: Page<i32>,
        second: Option<Page<i32>>,
    }
    let same = of::<Same>();
    assert!(same.fields()[1].schema().is_optional());
    assert_eq!(
        same.fields()[1].schema().fields(),
        same.fields()[0].schema().fields()
    );
}

#[test]
fn what_does_not_show_itself_is_refused_with_the_reason() {
    #[derive(Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "never read")]
    enum Untagged {
        Number(i32),
        Text(String),
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct Holder {
        inside: Vec<Untagged>,
    }
    let text = refused::<Holder>();
    assert!(
        text.contains("values of any kind") && text.contains("(at inside[0])"),
        "{text}"
    );

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "never read")]
    struct Flat {
        #[serde(flatten)]
        rest: HashMap<String, i32>,
    }
    assert!(refused::<Flat>().contains("flatten"));
    #[derive(Deserialize)]
    struct Endless {
        #[expect(dead_code, reason = "never read")]
        inside: Box<Self>,
    }
    assert!(refused::<Endless>().contains("contains itself"));
    #[derive(Deserialize)]
    #[serde(try_from = "String")]
    struct Never;
    impl TryFrom<String> for Never {
        type Error = &'static str;
        fn try_from(_: String) -> Result<Self, Self::Error> {
            Err("never")
        }
    }
    assert!(refused::<Never>().contains("takes no sample value (never)"));
    assert!(refused::<(i32, String)>().contains("different types"));
    assert!(refused::<u128>().contains("128 bits"));
    assert!(refused::<()>().contains("no Connect type"));
    assert!(refused::<BTreeMap<Vec<i32>, i32>>().contains("keys of a map are of the type array"));
}
