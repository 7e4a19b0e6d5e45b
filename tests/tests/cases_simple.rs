//! Public cases of other people's trouble that concern the simple converters and headers, by id. Inputs are ours.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Schema, SchemaAndValue, Value, logical};
use ferroconnect_converters::differs::Difference;
use ferroconnect_converters::simple::{
    ByteArrayConverter, LongConverter, SimpleHeaderConverter, StringConverter,
};
use ferroconnect_converters::{Converter, HeaderContext, HeaderConverter, RecordContext, Role};

fn guess(text: &str) -> (SchemaAndValue, Vec<Difference>) {
    let mut converter = SimpleHeaderConverter::configure(&RawConfig::new()).unwrap();
    let mut ctx = HeaderContext::new("orders", "h1");
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    let datum = converter.to_connect_header(&mut ctx, Some(&bytes)).unwrap();
    (datum, ctx.differences().iter().collect())
}

/// KAFKA-20892: a literal counts only when it takes up the whole text.
#[test]
fn c101_nothing_of_a_header_is_dropped_behind_what_looks_like_a_number() {
    for text in ["1::2", "1:2:3", "8080:80", "9092:tcp", "7,5"] {
        let (datum, differences) = guess(text);
        assert_eq!(
            datum,
            SchemaAndValue::from(text).with_schema(Some(Schema::string()))
        );
        assert_eq!(differences, [Difference::TrailingHeaderText]);
    }
    for text in ["true:x", "[1, 2", "abc", "10.0.0.1", "10.0.0.1:9092"] {
        let (datum, differences) = guess(text);
        assert_eq!(datum.value(), Value::String(text));
        assert!(differences.is_empty(), "the JVM keeps this text too");
    }
    let (datum, differences) = guess("2020-01-01T00:00:00.000Z");
    assert_eq!(datum.schema(), Some(&logical::timestamp().build().unwrap()));
    assert_eq!(datum.value(), Value::Timestamp(1_577_836_800_000));
    assert!(differences.is_empty());
}

/// kafka-connect-ably 155: digits become numbers; the way out is another converter.
#[test]
fn c103_simple_header_converter_guesses_and_the_others_keep_every_byte() {
    for (text, value) in [
        ("007", Value::Int8(7)),
        ("1.0", Value::Int8(1)),
        ("00e1", Value::Int8(0)),
        ("  7", Value::Int8(7)),
        (" 7 ", Value::Int8(7)),
        ("+7", Value::Int8(7)),
        ("1e3", Value::Int16(1000)),
        ("100000.0", Value::Int32(100_000)),
        ("1.5", Value::Float32(1.5)),
        ("0x1", Value::String("0x1")),
        ("NaN", Value::String("NaN")),
        ("null", Value::Null),
        ("", Value::String("")),
    ] {
        let (datum, differences) = guess(text);
        assert_eq!(datum.value(), value, "{text:?}");
        assert!(differences.is_empty());

        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let mut ctx = HeaderContext::new("orders", "h1");
        let mut strings = StringConverter::configure(&RawConfig::new(), Role::Value).unwrap();
        let mut raw = ByteArrayConverter::configure(&RawConfig::new(), Role::Value).unwrap();
        let exact: [&mut dyn HeaderConverter; 2] = [&mut strings, &mut raw];
        for converter in exact {
            let datum = converter.to_connect_header(&mut ctx, Some(&bytes)).unwrap();
            let mut back = Vec::new();
            converter
                .from_connect_header(&mut ctx, &datum, &mut back)
                .unwrap();
            assert_eq!(back, text.as_bytes());
        }
        let datum = strings.to_connect_header(&mut ctx, Some(&bytes)).unwrap();
        assert_eq!(datum.value(), Value::String(text));
    }
}

/// A record value that is null (a tombstone) is not a record value without bytes: as in case C012 for the simple converters.
#[test]
fn c012_a_tombstone_is_not_an_empty_value() {
    let config = RawConfig::new();
    let mut strings = StringConverter::configure(&config, Role::Value).unwrap();
    let mut raw = ByteArrayConverter::configure(&config, Role::Value).unwrap();
    let mut longs = LongConverter::configure(&config, Role::Value).unwrap();
    let mut ctx = RecordContext::new("orders", Role::Value);
    let empty = Bytes::new();
    let converters: [&mut dyn Converter; 3] = [&mut strings, &mut raw, &mut longs];
    for converter in converters {
        assert!(
            converter
                .to_connect(&mut ctx, None)
                .into_result()
                .unwrap()
                .is_null()
        );
        let written = converter.from_connect(&mut ctx, &SchemaAndValue::NULL, &mut Vec::new());
        assert_eq!(written.into_result().unwrap(), None);
    }
    let datum = strings
        .to_connect(&mut ctx, Some(&empty))
        .into_result()
        .unwrap();
    assert_eq!(datum.value(), Value::String(""));
    let datum = raw
        .to_connect(&mut ctx, Some(&empty))
        .into_result()
        .unwrap();
    assert_eq!(datum.value(), Value::Bytes(b""));
    assert!(
        longs
            .to_connect(&mut ctx, Some(&empty))
            .into_result()
            .unwrap_err()
            .is_data()
    );
}
