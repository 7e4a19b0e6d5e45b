//! ConnectHeadersTest.

use ferroconnect_converters::data::{
    Decimal, Headers, Schema, SchemaAndValue, SchemaBuilder, Value, logical,
};

use crate::{built, text};

fn names(headers: &Headers) -> Vec<(&str, Option<i64>)> {
    headers
        .iter()
        .map(|h| (h.name(), h.datum().value().as_i64()))
        .collect()
}

fn three() -> Headers {
    let mut headers = Headers::new();
    headers.push("k", 1i32).push("other", 2i32).push("k", 3i32);
    headers
}

#[test]
fn headers_are_ordered_and_names_repeat() {
    let headers = three();
    assert_eq!((headers.len(), headers.is_empty()), (3, false));
    assert_eq!(
        names(&headers),
        [("k", Some(1)), ("other", Some(2)), ("k", Some(3))]
    );
    assert_eq!(headers.all("k").count(), 2);
    assert_eq!(
        headers.last("k").map(|h| h.datum().value()),
        Some(Value::Int32(3))
    );
    assert!(headers.last("K").is_none(), "names are case-sensitive");
}

#[test]
fn values_and_schemas_may_be_missing() {
    let mut headers = Headers::new();
    headers.push("null", SchemaAndValue::NULL).push("text", "x");
    assert!(headers.last("null").unwrap().datum().is_null());
    assert!(headers.last("text").unwrap().datum().schema().is_none());
}

#[test]
fn removing() {
    let mut headers = three();
    headers.remove("nothing");
    assert_eq!(headers, three());
    headers.remove("k");
    assert_eq!(names(&headers), [("other", Some(2))]);
    headers.clear();
    assert!(headers.is_empty());
    headers.remove("k");
    assert!(headers.is_empty());
}

#[test]
fn keeping_the_latest() {
    let mut headers = three();
    headers.retain_latest("k");
    assert_eq!(names(&headers), [("other", Some(2)), ("k", Some(3))]);
    headers.retain_latest("nothing");
    assert_eq!(headers.len(), 2);
    let mut empty = Headers::new();
    empty.retain_latest("k");
    assert!(empty.is_empty());
}

#[test]
fn copies_are_equal_and_independent() {
    let original = three();
    let mut copy = original.clone();
    assert_eq!(copy, original);
    copy.push("more", true);
    assert_ne!(copy, original);
    assert_eq!(original.len(), 3);
}

#[test]
fn checked_headers_take_values_that_fit() {
    let mut headers = Headers::new();
    headers.push_checked("int8", Schema::int8(), 1i8).unwrap();
    headers
        .push_checked("null", Schema::optional_string(), SchemaAndValue::NULL)
        .unwrap();
    headers
        .push_checked("date", built(logical::date()), Value::Date(86_400_000))
        .unwrap();
    headers
        .push_checked("time", built(logical::time()), Value::Time(5))
        .unwrap();
    headers
        .push_checked("stamp", built(logical::timestamp()), Value::Timestamp(5))
        .unwrap();
    headers
        .push_checked("decimal", built(logical::decimal(2)), &Decimal::new(156, 2))
        .unwrap();
    assert_eq!(headers.len(), 6);
    assert_eq!(
        headers.last("int8").unwrap().datum().schema(),
        Some(&Schema::int8())
    );
}

#[test]
fn checked_headers_refuse_the_rest() {
    let mut headers = Headers::new();
    let list = built(SchemaBuilder::array(Schema::int8()));
    for (schema, value) in [
        (Schema::int8(), SchemaAndValue::from(1i16)),
        (Schema::string(), 1i8.into()),
        (Schema::bytes(), "x".into()),
        (Schema::boolean(), "true".into()),
        (list, 1i8.into()),
        (built(logical::decimal(2)), 1i64.into()),
        (built(logical::timestamp()), 1i64.into()),
    ] {
        assert!(
            headers.push_checked("h", schema.clone(), value).is_err(),
            "{schema}"
        );
    }
    let message = text(
        headers
            .push_checked("h", Schema::int8(), SchemaAndValue::NULL)
            .map(|_| ()),
    );
    assert!(
        message.starts_with("Invalid value: null used for required value"),
        "{message}"
    );
    assert!(headers.is_empty(), "nothing was added");
}
