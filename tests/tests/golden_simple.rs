//! Every recorded case of the converters without a schema language.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod golden;

#[test]
fn all_cases_but_the_named_differences() {
    golden::check(
        "converters/testdata/simple.jsonl",
        711,
        &[
            "input-buffer-window",
            "input-lone-surrogate",
            "trailing-header-text",
        ],
    );
}
