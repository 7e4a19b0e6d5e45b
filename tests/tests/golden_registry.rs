//! Everything that was recorded of a Schema Registry server.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

use std::collections::BTreeSet;
use std::path::Path;

use ferroconnect_tests::conformance::{Kit, run_text};

/// Nothing fails, nothing is left out, and exactly these differences are met.
fn check(file: &str, cases: usize, differences: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../registry-client/testdata")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let report = run_text(&Kit::bundled(), file, &text);
    let failed: Vec<&str> = report.failed().collect();
    assert!(failed.is_empty(), "{} failed: {failed:?}", failed.len());
    assert_eq!(report.not_supported() + report.not_known(), 0);
    assert_eq!(report.passed() + report.differ(), cases);
    assert_eq!(
        report.differences(),
        BTreeSet::from_iter(differences.iter().copied())
    );
}

#[test]
fn all_steps_of_the_transcripts_but_the_named_differences() {
    let differences = [
        "guid-of-another-context",
        "missing-mode",
        "nameless-subject",
        "negative-offset",
        "not-built: json",
        "not-built: json compatibility",
        "not-built: protobuf compatibility",
        "unknown-id-schema",
        "unknown-tagged-entity",
    ];
    check("transcripts.jsonl", 1653, &differences);
}

#[test]
fn all_canonical_texts() {
    check("canonical.jsonl", 83, &[]);
}

#[test]
fn all_compatibility_decisions_on_avro() {
    let differences = [
        "not-built: json",
        "not-built: json compatibility",
        "not-built: protobuf compatibility",
    ];
    check("compat.jsonl", 1244, &differences);
}
