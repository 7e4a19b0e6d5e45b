//! Every recorded case of AvroConverter.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod golden;

#[test]
fn all_cases_but_the_named_differences() {
    golden::check(
        "converters/testdata/avro.jsonl",
        1636,
        &["fixed-cut-short", "input-lone-surrogate", "name-redefined"],
    );
}
