//! Public cases of other people's trouble that concern JsonConverter, by id. Inputs are ours.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{
    Decimal, Schema, SchemaAndValue, SchemaBuilder, Value, logical,
};
use ferroconnect_converters::differs::{Difference, Differences};
use ferroconnect_converters::json::JsonConverter;
use ferroconnect_converters::{Converter, Error, RecordContext, Role};

const ENVELOPE: &[(&str, &str)] = &[("schemas.enable", "true")];
const PLAIN: &[(&str, &str)] = &[("schemas.enable", "false")];
const PLAIN_NUMERIC: &[(&str, &str)] =
    &[("schemas.enable", "false"), ("decimal.format", "NUMERIC")];
const NUMERIC: &[(&str, &str)] = &[("decimal.format", "NUMERIC")];

fn converter(config: &[(&str, &str)]) -> JsonConverter {
    let entries = config
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let config: RawConfig = entries.collect();
    JsonConverter::configure(&config, Role::Value).unwrap()
}

fn write(config: &[(&str, &str)], datum: &SchemaAndValue) -> Option<String> {
    let mut out = Vec::new();
    let mut ctx = RecordContext::new("orders", Role::Value);
    let range = converter(config)
        .from_connect(&mut ctx, datum, &mut out)
        .into_result()
        .unwrap();
    range.map(|range| String::from_utf8(out[range].to_vec()).unwrap())
}

fn read_noting(
    config: &[(&str, &str)],
    text: &str,
) -> (Result<SchemaAndValue, Error>, Differences) {
    let mut ctx = RecordContext::new("orders", Role::Value);
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    let result = converter(config)
        .to_connect(&mut ctx, Some(&bytes))
        .into_result();
    (result, ctx.differences())
}

fn read(config: &[(&str, &str)], text: &str) -> Result<SchemaAndValue, Error> {
    read_noting(config, text).0
}

fn decimal(unscaled: i128, scale: i32) -> SchemaAndValue {
    let schema = logical::decimal(scale).build().unwrap();
    SchemaAndValue::from(&Decimal::new(unscaled, scale)).with_schema(Some(schema))
}

/// KAFKA-3832: deletes must stay deletes.
#[test]
fn c001_no_schema_and_no_value_is_a_null_record_value() {
    assert_eq!(write(ENVELOPE, &SchemaAndValue::NULL), None);
    assert_eq!(write(PLAIN, &SchemaAndValue::NULL), None);
    let typed_null = SchemaAndValue::null_of(Some(Schema::optional_string()));
    assert_eq!(
        write(ENVELOPE, &typed_null).as_deref(),
        Some(r#"{"schema":{"type":"string","optional":true},"payload":null}"#)
    );
    for config in [ENVELOPE, PLAIN] {
        let mut ctx = RecordContext::new("orders", Role::Value);
        let read = converter(config)
            .to_connect(&mut ctx, None)
            .into_result()
            .unwrap();
        assert_eq!(read, SchemaAndValue::NULL);
    }
}

/// KAFKA-4183: null is decided before the logical type.
#[test]
fn c003_null_of_a_logical_type() {
    let message = |schema: &str| format!(r#"{{"schema":{schema},"payload":null}}"#);
    let name = "org.apache.kafka.connect.data";
    let optional = message(&format!(
        r#"{{"type":"bytes","name":"{name}.Decimal","version":1,"optional":true,"parameters":{{"scale":"2"}}}}"#
    ));
    assert!(read(ENVELOPE, &optional).unwrap().is_null());
    let defaulted = message(&format!(
        r#"{{"type":"bytes","name":"{name}.Decimal","version":1,"optional":false,"default":"AJw=","parameters":{{"scale":"2"}}}}"#
    ));
    let value = Decimal::new(156, 2);
    assert_eq!(
        read(ENVELOPE, &defaulted).unwrap().value(),
        Value::Decimal(value.view())
    );
    for kind in [
        "int32\",\"name\":\"Date",
        "int32\",\"name\":\"Time",
        "int64\",\"name\":\"Timestamp",
    ] {
        let kind = kind.replace("name\":\"", &format!("name\":\"{name}."));
        let required = message(&format!(
            r#"{{"type":"{kind}","version":1,"optional":false}}"#
        ));
        assert!(read(ENVELOPE, &required).unwrap_err().is_data());
        let optional = message(&format!(
            r#"{{"type":"{kind}","version":1,"optional":true}}"#
        ));
        assert!(read(ENVELOPE, &optional).unwrap().is_null());
    }
}

/// A number keeps its scale: 1.230 is not 1.23.
#[test]
fn c004_numeric_decimals_keep_their_scale() {
    for (unscaled, scale, text) in [(1230, 3, "1.230"), (1000, 2, "10.00"), (0, 9, "0E-9")] {
        let datum = decimal(unscaled, scale);
        assert_eq!(write(PLAIN_NUMERIC, &datum).as_deref(), Some(text));
        let envelope = write(NUMERIC, &datum).unwrap();
        assert!(
            envelope.ends_with(&format!(r#","payload":{text}}}"#)),
            "{envelope}"
        );
        assert_eq!(read(NUMERIC, &envelope).unwrap(), datum);
    }
    for (text, value) in [("1.230", 1.23), ("10.00", 10.0), ("0E-9", 0.0)] {
        assert_eq!(read(PLAIN, text).unwrap().value(), Value::Float64(value));
    }
}

/// Negative amounts are sign-extended.
#[test]
fn c006_decimals_in_base64_keep_their_sign() {
    for (scale, base64, unscaled) in [
        (3, "z8c=", -12_345i128),
        (2, "/w==", -1),
        (0, "AP8=", 255),
        (0, "AIAAAAAAAAAA", 9_223_372_036_854_775_808),
    ] {
        let message = format!(
            r#"{{"schema":{{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{{"scale":"{scale}"}}}},"payload":"{base64}"}}"#
        );
        let datum = read(ENVELOPE, &message).unwrap();
        assert_eq!(datum, decimal(unscaled, scale), "{base64}");
        assert_eq!(write(ENVELOPE, &datum), Some(message));
    }
}

/// KAFKA-15012: numbers with leading zeros.
#[test]
fn c007_leading_zeros_are_accepted() {
    let datum = read(PLAIN, r#"{"zip":00042,"t":-007,"r":01.50}"#).unwrap();
    let Value::Map(map) = datum.value() else {
        panic!("{datum:?}")
    };
    assert_eq!(map.get("zip"), Some(Value::Int64(42)));
    assert_eq!(map.get("t"), Some(Value::Int64(-7)));
    assert_eq!(map.get("r"), Some(Value::Float64(1.5)));
}

/// kafka-connect-hdfs 208: the most common question; the error must say what is wrong.
#[test]
fn c009_what_is_no_envelope_is_explained() {
    let envelope = "JsonConverter with schemas.enable requires \"schema\" and \"payload\" fields";
    for (message, said) in [
        (r#"{"f1":"a"}"#, envelope),
        (
            r#"{"schema":{"type":"record","name":"r","fields":[{"name":"f1","type":"string"}]},"payload":{"f1":"a"}}"#,
            "Unknown schema type: record",
        ),
        (
            r#"{"schema":{"type":"struct","fields":[{"name":"f1","type":"string"}]},"payload":{"f1":"a"}}"#,
            "Struct schema's field name not specified properly",
        ),
        (
            r#"{"schema":{"type":"struct","fields":[{"field":"f1","type":"string"}]},"payload":{"f1":"a"},"ts":1}"#,
            envelope,
        ),
        ("[1,2]", envelope),
    ] {
        let error = read(ENVELOPE, message).unwrap_err();
        assert!(
            error.is_data() && error.to_string().contains(said),
            "{message}: {error}"
        );
    }
    let avro = r#"{"schema":{"type":"record","name":"r","fields":[]},"payload":{}}"#;
    assert!(
        read(ENVELOPE, avro)
            .unwrap_err()
            .to_string()
            .contains("Avro")
    );
}

/// spooldir 76: doubles survive bit for bit, whatever their spelling.
#[test]
fn c010_doubles_keep_their_bits() {
    let bits = [
        (0.0004f64, "4.0E-4", 0x3f3a_36e2_eb1c_432d_u64),
        (1e21, "1.0E21", 0x444b_1ae4_d6e2_ef50),
        (-0.0, "-0.0", 0x8000_0000_0000_0000),
        (0.1, "0.1", 0x3fb9_9999_9999_999a),
    ];
    for (number, text, expected) in bits {
        let datum = SchemaAndValue::from(number).with_schema(Some(Schema::float64()));
        let written = write(ENVELOPE, &datum).unwrap();
        assert!(
            written.ends_with(&format!(r#""payload":{text}}}"#)),
            "{written}"
        );
        let (back, differences) = read_noting(ENVELOPE, &written);
        let back = back.unwrap();
        assert!(
            matches!(back.value(), Value::Float64(v) if v.to_bits() == expected),
            "{text}"
        );
        // The JVM loses the sign of zero; that we keep it is a difference by name.
        assert_eq!(
            differences.contains(Difference::NegativeZero),
            text == "-0.0"
        );
    }
}

/// A record value without bytes is no delete.
#[test]
fn c012_an_empty_document() {
    let datum = read(PLAIN, "").unwrap();
    assert_eq!(datum, SchemaAndValue::NULL);
    assert!(read(ENVELOPE, "").unwrap_err().is_data());
}

/// risingwave 13047: a number that does not fit is neither narrowed nor dropped.
#[test]
fn c013_numbers_that_do_not_fit_are_refused_with_their_field() {
    for (message, field) in [
        (r#"{"n":36893488147419103233,"m":1}"#, "n"),
        (r#"{"n":1,"m":18446744073709551615}"#, "m"),
        (r#"{"m":9223372036854775808}"#, "m"),
    ] {
        let error = read(PLAIN, message).unwrap_err();
        assert!(error.is_data(), "{error}");
        assert_eq!(error.difference(), Some(Difference::IntegerOutOfRange));
        assert!(
            error.field_path() == field,
            "{message}: {}",
            error.field_path()
        );
        assert!(
            !error.to_string().contains("3689"),
            "values never show: {error}"
        );
    }
    for (kind, number) in [
        ("int8", "300"),
        ("int16", "-32769"),
        ("int32", "4294967301"),
        ("int64", "36893488147419103233"),
    ] {
        let schema = format!(
            r#"{{"type":"struct","optional":false,"fields":[{{"field":"n","type":"{kind}","optional":false}}]}}"#
        );
        let error = read(
            ENVELOPE,
            &format!(r#"{{"schema":{schema},"payload":{{"n":{number}}}}}"#),
        )
        .unwrap_err();
        assert_eq!(
            error.difference(),
            Some(Difference::IntegerOutOfRange),
            "{error}"
        );
        assert_eq!(error.field_path(), "payload.n");
    }
    // The largest that fit do.
    let schema = SchemaBuilder::int8().build().unwrap();
    let fits = read(
        ENVELOPE,
        r#"{"schema":{"type":"int8","optional":false},"payload":-128}"#,
    )
    .unwrap();
    assert_eq!(fits, SchemaAndValue::from(-128i8).with_schema(Some(schema)));
    let datum = read(PLAIN, "9223372036854775807").unwrap();
    assert_eq!(datum.value(), Value::Int64(i64::MAX));
}
