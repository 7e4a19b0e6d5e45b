//! Everything that was recorded of a Schema Registry server.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

mod golden;

#[test]
fn all_steps_of_the_transcripts_but_the_named_differences() {
    let differences = [
        "guid-of-another-context",
        "missing-mode",
        "nameless-subject",
        "negative-offset",
        "unknown-id-schema",
        "unknown-tagged-entity",
    ];
    golden::check(
        "registry-client/testdata/transcripts.jsonl",
        1653,
        &differences,
    );
}

#[test]
fn all_canonical_texts() {
    golden::check("registry-client/testdata/canonical.jsonl", 83, &[]);
}

#[test]
fn all_compatibility_decisions() {
    let differences = ["exclusive-maximum-decreased"];
    golden::check("registry-client/testdata/compat.jsonl", 1244, &differences);
}
