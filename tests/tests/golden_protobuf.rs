//! Every recorded case of ProtobufConverter.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod golden;

#[test]
fn all_cases_but_the_named_differences() {
    let differences = [
        "input-lone-surrogate",
        "integer-out-of-range",
        "unlike-registered",
        "unreadable",
        "unsupported-setting",
    ];
    golden::check("converters/testdata/protobuf.jsonl", 1568, &differences);
}
