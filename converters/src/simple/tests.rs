//! The upstream test lists of the simple converters, and what they promise beyond.

use ::bytes::Bytes;

use super::*;
use crate::config::RawConfig;
use crate::data::{Builder, Schema, SchemaAndValue, Type, Value};
use crate::{Converter, Error, HeaderContext, HeaderConverter, RecordContext, Role};

fn config(entries: &[(&str, &str)]) -> RawConfig {
    entries
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn write(converter: &mut dyn Converter, datum: &SchemaAndValue) -> Result<Option<Vec<u8>>, Error> {
    let mut out = b"before".to_vec();
    let mut ctx = RecordContext::new("topic", Role::Value);
    let result = converter
        .from_connect(&mut ctx, datum, &mut out)
        .into_result();
    assert!(out.starts_with(b"before"));
    assert!(
        result.is_ok() || out.len() == 6,
        "a failure leaves nothing behind"
    );
    result.map(|range| range.map(|range| out[range].to_vec()))
}

fn read(converter: &mut dyn Converter, bytes: Option<&[u8]>) -> Result<SchemaAndValue, Error> {
    let bytes = bytes.map(Bytes::copy_from_slice);
    let mut ctx = RecordContext::new("topic", Role::Value);
    converter.to_connect(&mut ctx, bytes.as_ref()).into_result()
}

fn typed(schema: Schema, value: impl Into<SchemaAndValue>) -> SchemaAndValue {
    value.into().with_schema(Some(schema))
}

/// Samples back and forth through the data and the header side; other lengths and classes fail.
fn check_numbers<N: Number + PartialEq>(samples: &[(N, &[u8])], schema: &Schema, name: &str) {
    let mut converter = NumberConverter::<N>::configure(&RawConfig::new(), Role::Key).unwrap();
    for (number, bytes) in samples {
        let datum: SchemaAndValue = (*number).into();
        assert_eq!(
            write(&mut converter, &datum).unwrap().as_deref(),
            Some(*bytes)
        );
        let back = read(&mut converter, Some(bytes)).unwrap();
        assert_eq!(back, datum.with_schema(Some(schema.clone())));

        let mut ctx = HeaderContext::new("topic", "h");
        let mut out = Vec::new();
        converter
            .from_connect_header(&mut ctx, &datum, &mut out)
            .unwrap();
        assert_eq!(out, *bytes);
        let header = converter
            .to_connect_header(&mut ctx, Some(&Bytes::from(out)))
            .unwrap();
        assert_eq!(header, back);
    }
    let size = samples[0].1.len();
    for length in [0, size - 1, size + 1, 100] {
        let error = read(&mut converter, Some(&vec![1; length])).unwrap_err();
        let text = format!("Failed to deserialize {name}: Size of data received by ");
        assert!(
            error.to_string().starts_with(&text) && error.is_data(),
            "{error}"
        );
    }
    let error = write(&mut converter, &"5".into()).unwrap_err();
    assert!(
        error.to_string().starts_with(&format!(
            "Failed to serialize to {name} (was class java.lang.String): "
        )),
        "{error}"
    );
    assert_eq!(write(&mut converter, &SchemaAndValue::NULL).unwrap(), None);
    assert_eq!(
        read(&mut converter, None).unwrap(),
        SchemaAndValue::null_of(Some(schema.clone()))
    );
}

#[test]
fn shorts() {
    let samples: [(i16, &[u8]); 4] = [
        (i16::MIN, b"\x80\0"),
        (-1, b"\xff\xff"),
        (0, b"\0\0"),
        (i16::MAX, b"\x7f\xff"),
    ];
    check_numbers(&samples, &Schema::optional_int16(), "short");
}

#[test]
fn integers() {
    let samples: [(i32, &[u8]); 3] = [
        (i32::MIN, b"\x80\0\0\0"),
        (1, b"\0\0\0\x01"),
        (i32::MAX, b"\x7f\xff\xff\xff"),
    ];
    check_numbers(&samples, &Schema::optional_int32(), "integer");
}

#[test]
fn longs() {
    let samples: [(i64, &[u8]); 2] = [
        (i64::MIN, b"\x80\0\0\0\0\0\0\0"),
        (258, b"\0\0\0\0\0\0\x01\x02"),
    ];
    check_numbers(&samples, &Schema::optional_int64(), "long");
}

#[test]
fn floats() {
    let samples: [(f32, &[u8]); 3] = [
        (1.5, b"\x3f\xc0\0\0"),
        (-0.0, b"\x80\0\0\0"),
        (f32::MAX, b"\x7f\x7f\xff\xff"),
    ];
    check_numbers(&samples, &Schema::optional_float32(), "float");
}

#[test]
fn doubles() {
    let samples: [(f64, &[u8]); 2] = [
        (1.5, b"\x3f\xf8\0\0\0\0\0\0"),
        (f64::MIN_POSITIVE, b"\0\x10\0\0\0\0\0\0"),
    ];
    check_numbers(&samples, &Schema::optional_float64(), "double");
}

#[test]
fn a_float_keeps_the_bits_of_a_nan_and_a_double_does_not() {
    let mut float = FloatConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    let nan = SchemaAndValue::from(f32::from_bits(0x7fc0_0001));
    assert_eq!(
        write(&mut float, &nan).unwrap().as_deref(),
        Some(&b"\x7f\xc0\0\x01"[..])
    );
    let mut double = DoubleConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    let nan = SchemaAndValue::from(f64::from_bits(0xfff8_0000_0000_0001));
    assert_eq!(
        write(&mut double, &nan).unwrap().as_deref(),
        Some(&b"\x7f\xf8\0\0\0\0\0\0"[..])
    );
}

#[test]
fn numbers_do_not_look_at_the_schema() {
    let mut converter = IntegerConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    let datum = typed(Schema::string(), 5);
    assert_eq!(
        write(&mut converter, &datum).unwrap().as_deref(),
        Some(&b"\0\0\0\x05"[..])
    );
}

#[test]
fn booleans() {
    let mut converter = BooleanConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    for (truth, byte) in [(true, 1u8), (false, 0)] {
        for datum in [truth.into(), typed(Schema::boolean(), truth)] {
            assert_eq!(write(&mut converter, &datum).unwrap(), Some(vec![byte]));
        }
        let back = read(&mut converter, Some(&[byte])).unwrap();
        assert_eq!(back, typed(Schema::optional_boolean(), truth));
    }
    assert_eq!(write(&mut converter, &SchemaAndValue::NULL).unwrap(), None);
    let null = SchemaAndValue::null_of(Some(Schema::optional_boolean()));
    assert_eq!(read(&mut converter, None).unwrap(), null);

    let refused = [
        (
            typed(Schema::string(), true),
            "Invalid schema type for BooleanConverter: STRING",
        ),
        // The schema is looked at first, even with a null.
        (
            SchemaAndValue::null_of(Some(Schema::string())),
            "Invalid schema type for BooleanConverter: STRING",
        ),
        (
            "true".into(),
            "BooleanConverter is not compatible with objects of type class java.lang.String",
        ),
    ];
    for (datum, text) in refused {
        let error = write(&mut converter, &datum).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
    for (bytes, text) in [
        (
            &b""[..],
            "Failed to deserialize boolean: Size of data received by BooleanDeserializer is not 1",
        ),
        (
            b"\x01\x01",
            "Failed to deserialize boolean: Size of data received by BooleanDeserializer is not 1",
        ),
        (
            b"\x02",
            "Failed to deserialize boolean: Unexpected byte received by BooleanDeserializer: 2",
        ),
    ] {
        assert_eq!(
            read(&mut converter, Some(bytes)).unwrap_err().to_string(),
            text
        );
    }
}

#[test]
fn bytes_pass_as_they_are() {
    let mut converter = ByteArrayConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    for bytes in [&b""[..], b"\0\xff"] {
        for datum in [
            bytes.to_vec().into(),
            typed(Schema::bytes(), bytes.to_vec()),
        ] {
            assert_eq!(
                write(&mut converter, &datum).unwrap().as_deref(),
                Some(bytes)
            );
        }
        let back = read(&mut converter, Some(bytes)).unwrap();
        assert_eq!(back, typed(Schema::optional_bytes(), bytes.to_vec()));
    }
    assert_eq!(write(&mut converter, &SchemaAndValue::NULL).unwrap(), None);
    let error = write(&mut converter, &typed(Schema::string(), "x")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Invalid schema type for ByteArrayConverter: STRING"),
        "{error}"
    );
    let error = write(&mut converter, &"x".into()).unwrap_err();
    let text = "ByteArrayConverter is not compatible with objects of type class java.lang.String";
    assert!(error.to_string().starts_with(text), "{error}");
}

#[test]
fn reading_bytes_copies_nothing() {
    let mut converter = ByteArrayConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    let record = Bytes::from(vec![7; 1000]);
    let mut ctx = RecordContext::new("topic", Role::Value);
    let datum = converter
        .to_connect(&mut ctx, Some(&record))
        .into_result()
        .unwrap();
    assert_eq!(
        datum.as_shared_bytes().map(|bytes| bytes.as_ptr()),
        Some(record.as_ptr())
    );
}

#[test]
fn strings() {
    let mut converter = StringConverter::configure(&RawConfig::new(), Role::Value).unwrap();
    assert_eq!(
        write(&mut converter, &"grüße".into()).unwrap().as_deref(),
        Some("grüße".as_bytes())
    );
    // Any value, and the schema does not matter.
    assert_eq!(
        write(&mut converter, &true.into()).unwrap().as_deref(),
        Some(&b"true"[..])
    );
    let ignored = typed(Schema::boolean(), "x");
    assert_eq!(
        write(&mut converter, &ignored).unwrap().as_deref(),
        Some(&b"x"[..])
    );
    let mut list = Builder::new(None);
    list.begin_array().int32(1).string("a").null().end_array();
    let list = list.finish().unwrap();
    assert_eq!(
        write(&mut converter, &list).unwrap().as_deref(),
        Some(&b"[1, a, null]"[..])
    );
    assert_eq!(write(&mut converter, &SchemaAndValue::NULL).unwrap(), None);

    let back = read(&mut converter, Some("grüße".as_bytes())).unwrap();
    assert_eq!(back, typed(Schema::optional_string(), "grüße"));
    assert_eq!(
        read(&mut converter, Some(b"")).unwrap().value(),
        Value::String("")
    );
    assert!(read(&mut converter, None).unwrap().is_null());
    assert_eq!(
        read(&mut converter, Some(b"\xff")).unwrap().value(),
        Value::String("\u{fffd}")
    );
    assert!(write(&mut converter, &b"x".to_vec().into()).is_err());
}

#[test]
fn what_is_no_text_is_encoded_too() {
    let utf16 = config(&[("converter.encoding", "UTF-16")]);
    let mut converter = StringConverter::configure(&utf16, Role::Value).unwrap();
    assert_eq!(
        write(&mut converter, &7.into()).unwrap().as_deref(),
        Some(&b"\xfe\xff\x007"[..])
    );
    // The buffer of the record before must not show.
    assert_eq!(
        write(&mut converter, &true.into())
            .unwrap()
            .map(|b| b.len()),
        Some(10)
    );
}

#[test]
fn the_more_specific_encoding_wins_on_its_own_side_only() {
    let raw = config(&[
        ("converter.encoding", "UTF-8"),
        ("key.serializer.encoding", "ISO-8859-1"),
        ("value.deserializer.encoding", "UTF-16BE"),
        // Overwritten by converter.encoding, set or not.
        ("serializer.encoding", "US-ASCII"),
    ]);
    let mut key = StringConverter::configure(&raw, Role::Key).unwrap();
    let mut value = StringConverter::configure(&raw, Role::Value).unwrap();
    assert_eq!(
        write(&mut key, &"é".into()).unwrap().as_deref(),
        Some(&b"\xe9"[..])
    );
    assert_eq!(
        write(&mut value, &"é".into()).unwrap().as_deref(),
        Some("é".as_bytes())
    );
    assert_eq!(
        read(&mut key, Some("é".as_bytes())).unwrap().value(),
        Value::String("é")
    );
    assert_eq!(
        read(&mut value, Some(b"\0a")).unwrap().value(),
        Value::String("a")
    );
}

#[test]
fn an_unknown_encoding_is_a_config_error_on_either_side() {
    for key in [
        "converter.encoding",
        "value.serializer.encoding",
        "value.deserializer.encoding",
    ] {
        let error =
            StringConverter::configure(&config(&[(key, "utf-ate")]), Role::Value).unwrap_err();
        assert_eq!(error.fault(), crate::Fault::Config);
        assert!(
            error
                .to_string()
                .starts_with("Unsupported encoding utf-ate"),
            "{error}"
        );
    }
    // The key side does not look at the value side's settings.
    let other_side = config(&[("value.serializer.encoding", "utf-ate")]);
    assert!(StringConverter::configure(&other_side, Role::Key).is_ok());
}

fn header(text: &str) -> SchemaAndValue {
    let mut converter = SimpleHeaderConverter::configure(&RawConfig::new()).unwrap();
    let mut ctx = HeaderContext::new("topic", "h");
    converter
        .to_connect_header(&mut ctx, Some(&Bytes::copy_from_slice(text.as_bytes())))
        .unwrap()
}

#[test]
fn simple_headers_round_trip() {
    let mut converter = SimpleHeaderConverter::configure(&RawConfig::new()).unwrap();
    let mut ctx = HeaderContext::new("topic", "h");
    for text in [
        "simple",
        "",
        "three\"blind\\\"mice",
        "{ an odd : \"text",
        "[1,2",
        "a:b,c",
    ] {
        let mut out = Vec::new();
        let range = converter
            .from_connect_header(&mut ctx, &text.into(), &mut out)
            .unwrap();
        assert_eq!(range, Some(0..text.len()));
        assert_eq!(header(text), typed(Schema::string(), text));
    }
    for (text, kind) in [
        ("{\"a\":1,\"b\":2}", Type::Map),
        ("{ \"a\" : 3000 , \"b\" : 2 }", Type::Map),
        ("{}", Type::Map),
        ("[\"a\",\"b\"]", Type::Array),
        ("[1,\"b\"]", Type::Array),
        ("[]", Type::Array),
    ] {
        assert_eq!(
            header(text).schema().map(Schema::kind),
            Some(kind),
            "{text}"
        );
    }
    assert_eq!(
        converter
            .from_connect_header(&mut ctx, &SchemaAndValue::NULL, &mut Vec::new())
            .unwrap(),
        None
    );
    assert_eq!(
        converter.to_connect_header(&mut ctx, None).unwrap(),
        SchemaAndValue::NULL
    );
    assert!(ctx.differences().is_empty());
}

#[test]
fn a_header_that_is_not_utf8_is_text_with_replacements() {
    let mut converter = SimpleHeaderConverter::configure(&RawConfig::new()).unwrap();
    let mut ctx = HeaderContext::new("topic", "h");
    let datum = converter
        .to_connect_header(&mut ctx, Some(&Bytes::from_static(b"1\xff")))
        .unwrap();
    assert_eq!(datum.value(), Value::String("1\u{fffd}"));
}

#[test]
fn the_tables_of_keys_are_documented() {
    let table = StringConfig::def().table();
    for key in [
        "converter.encoding",
        "key.serializer.encoding",
        "value.deserializer.encoding",
    ] {
        assert!(table.contains(key), "{table}");
    }
    assert!(type_only_def().table().contains("converter.type"));
}
