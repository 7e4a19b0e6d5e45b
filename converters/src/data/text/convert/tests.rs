//! Java's conversions between values.

use super::*;
use crate::data::SchemaBuilder;

#[test]
fn numbers_are_cut_like_java_casts() {
    let long = |value| to_long(None, value).unwrap();
    assert_eq!(to_byte(None, Value::Int32(300)).unwrap(), 44);
    assert_eq!(to_short(None, Value::Int32(-40_000)).unwrap(), 25_536);
    assert_eq!(to_integer(None, Value::Int64(1 << 32 | 5)).unwrap(), 5);
    assert_eq!(long(Value::Float64(-1.9)), -1);
    assert_eq!(long(Value::Float64(f64::INFINITY)), i64::MAX);
    assert_eq!(long(Value::Float32(f32::NAN)), 0);
    assert_eq!(long(Value::String("1.99")), 1);
    assert_eq!(long(Value::String("-1.99e1")), -19);
    assert_eq!(long(Value::String("18446744073709551617")), 1);
    assert_eq!(long(Value::String("-18446744073709551617")), -1);
    assert_eq!(long(Value::String("1e64")), 0);
    assert_eq!(long(Value::String("1e-999999999")), 0);
    assert_eq!(long(Value::Decimal(Decimal::new(-199, 2).view())), -1);
    assert_eq!(to_float(None, Value::String("0.1")).unwrap(), 0.1);
    assert_eq!(
        to_double(None, Value::Int64(i64::MAX)).unwrap(),
        9.223_372_036_854_776e18
    );
    assert_eq!(
        to_decimal(None, Value::Float64(0.1)).unwrap(),
        Decimal::new(1, 1)
    );
    assert_eq!(
        to_decimal(None, Value::String("1.50")).unwrap(),
        Decimal::new(150, 2)
    );
}

#[test]
fn dates_are_numbers_in_the_unit_of_their_schema() {
    let long = |schema: SchemaBuilder, value| to_long(Some(&schema.build().unwrap()), value);
    assert_eq!(long(logical::date(), Value::Date(864_000_000)).unwrap(), 10);
    assert_eq!(long(logical::time(), Value::Time(5)).unwrap(), 5);
    assert_eq!(
        long(logical::timestamp(), Value::Timestamp(-5)).unwrap(),
        -5
    );
    assert!(long(logical::date(), Value::Date(1)).is_err());
    let error = to_long(None, Value::Timestamp(5)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Unable to convert a value (class java.util.Date) to a number"
    );
}

#[test]
fn what_is_no_number_is_refused_without_showing_it() {
    for value in [
        Value::String("secret"),
        Value::Boolean(true),
        Value::Bytes(b"x"),
    ] {
        let error = to_long(None, value).unwrap_err();
        assert!(
            error.is_data() && !error.to_string().contains("secret"),
            "{error}"
        );
    }
    let error = to_double(None, Value::Null).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Unable to convert a null value to a schema that requires a value"
    );
    assert!(to_decimal(None, Value::Float64(f64::NAN)).is_err());
}

#[test]
fn truth() {
    let truth = |value| to_boolean(None, value);
    assert!(truth(Value::Boolean(true)).unwrap());
    assert!(truth(Value::Int8(-1)).unwrap());
    assert!(!truth(Value::Float64(0.5)).unwrap(), "cut to a long first");
    assert!(truth(Value::String(" true ")).unwrap());
    assert!(!truth(Value::String("false")).unwrap());
    for value in [
        Value::String("TRUE"),
        Value::String("1"),
        Value::Null,
        Value::Bytes(b""),
    ] {
        assert!(truth(value).is_err());
    }
}
