//! What is written is read back: a type with a field of every kind, generated.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Line, Shape};
use crate::data::{self, Value, logical};
use crate::typed::{ByteBuf, Date, Decimal, Time, Timestamp, from_connect, schema_of, to_connect};

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Colour {
    Red,
    #[serde(rename = "dark-green")]
    Green,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Everything {
    flag: bool,
    tiny: i8,
    small: u8,
    short: i16,
    half: u16,
    int: i32,
    wide: u32,
    long: i64,
    single: f32,
    double: f64,
    letter: char,
    text: String,
    blob: ByteBuf,
    raw: Vec<u8>,
    digest: [u8; 4],
    pair: (i64, i64),
    amount: Decimal<4>,
    day: Date,
    time: Time,
    at: Timestamp,
    colour: Colour,
    shape: Shape,
    maybe: Option<String>,
    lines: Vec<Line>,
    gaps: Vec<Option<i32>>,
    by_name: BTreeMap<String, Line>,
    by_number: BTreeMap<i32, Option<Colour>>,
    set: BTreeSet<i64>,
    tree: Tree,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Tree {
    label: String,
    left: Option<Box<Self>>,
    children: Vec<Self>,
}

fn line() -> impl Strategy<Value = Line> {
    (".*", any::<u16>()).prop_map(|(sku, count)| Line { sku, count })
}

fn shape() -> impl Strategy<Value = Shape> {
    let number = -1e9..1e9f64;
    prop_oneof![
        Just(Shape::Point),
        number.clone().prop_map(Shape::Circle),
        (number.clone(), number.clone()).prop_map(|(width, height)| Shape::Box { width, height }),
        (number.clone(), number).prop_map(|(a, b)| Shape::Line(a, b)),
    ]
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::Red), Just(Colour::Green)]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = ".{0,3}".prop_map(|label| Tree {
        label,
        left: None,
        children: vec![],
    });
    leaf.prop_recursive(4, 12, 3, |inner| {
        (
            ".{0,3}",
            proptest::option::of(inner.clone()),
            vec(inner, 0..3),
        )
            .prop_map(|(label, left, children)| Tree {
                label,
                left: left.map(Box::new),
                children,
            })
    })
}

pub(super) fn everything() -> impl Strategy<Value = Everything> {
    let numbers = (
        any::<bool>(),
        any::<i8>(),
        any::<u8>(),
        any::<i16>(),
        any::<u16>(),
        any::<i32>(),
        any::<u32>(),
        any::<i64>(),
    );
    let texts = (
        -1e30f32..1e30,
        -1e300..1e300f64,
        any::<char>(),
        ".*",
        vec(any::<u8>(), 0..9),
        any::<[u8; 4]>(),
    );
    let logical = (
        any::<i128>(),
        any::<i32>(),
        0..=86_400_000i32,
        any::<i64>(),
        colour(),
        shape(),
    );
    let parts = (
        proptest::option::of(".*"),
        vec(line(), 0..4),
        vec(any::<Option<i32>>(), 0..4),
        btree_map(".{0,4}", line(), 0..4),
        btree_map(any::<i32>(), proptest::option::of(colour()), 0..4),
        btree_set(any::<i64>(), 0..4),
        tree(),
    );
    (numbers, texts, logical, parts).prop_map(|(n, t, l, p)| Everything {
        flag: n.0,
        tiny: n.1,
        small: n.2,
        short: n.3,
        half: n.4,
        int: n.5,
        wide: n.6,
        long: n.7,
        single: t.0,
        double: t.1,
        letter: t.2,
        text: t.3,
        blob: ByteBuf(t.4.clone()),
        raw: t.4,
        digest: t.5,
        pair: (n.7, l.3),
        amount: Decimal::new(l.0),
        day: Date::from_days(l.1),
        time: Time::from_millis(l.2).unwrap(),
        at: Timestamp::from_millis(l.3),
        colour: l.4,
        shape: l.5,
        maybe: p.0,
        lines: p.1,
        gaps: p.2,
        by_name: p.3,
        by_number: p.4,
        set: p.5,
        tree: p.6,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn what_is_written_is_read_back(value in everything()) {
        let schema = schema_of::<Everything>().unwrap();
        let datum = to_connect(&value, &schema).unwrap();
        prop_assert_eq!(datum.schema(), Some(&schema));
        prop_assert_eq!(from_connect::<Everything>(&datum).unwrap(), value);
    }

    #[test]
    fn any_decimal_keeps_its_value(unscaled in any::<i128>(), zeros in 0..20i32) {
        let decimal = data::Decimal::new(unscaled, zeros);
        let schema = logical::decimal(zeros + 3).build().unwrap();
        let datum = to_connect(&decimal.to_string(), &schema).unwrap();
        let Value::Decimal(stored) = datum.value() else { panic!() };
        prop_assert_eq!(crate::typed::logical::rescaled(stored, zeros).unwrap(), decimal);
    }
}
