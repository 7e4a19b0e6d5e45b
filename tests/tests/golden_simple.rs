//! Every recorded case of the converters without a schema language.

mod golden;

#[test]
fn all_cases_but_the_named_differences() {
    golden::check(
        "simple.jsonl",
        711,
        &[
            "input-buffer-window",
            "input-lone-surrogate",
            "trailing-header-text",
        ],
    );
}
