//! Every recorded case of JsonConverter.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod golden;

#[test]
fn all_cases_but_the_named_differences() {
    let differences = [
        "beyond-unicode",
        "input-buffer-window",
        "input-lone-surrogate",
        "integer-out-of-range",
        "lone-surrogate",
        "negative-zero",
        "not-a-number-text",
        "token-of-wrong-kind",
    ];
    golden::check("converters/testdata/json.jsonl", 1548, &differences);
}
