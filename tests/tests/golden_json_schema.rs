//! Every recorded case of JsonSchemaConverter.

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
        "lone-surrogate",
        "negative-zero",
        "not-a-number-text",
        "property-index-shared",
        "token-of-wrong-kind",
    ];
    golden::check("converters/testdata/json_schema.jsonl", 1687, &differences);
}
