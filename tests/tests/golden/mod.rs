//! Runs the copies of the recorded cases.

use std::collections::BTreeSet;
use std::path::Path;

use ferroconnect_tests::conformance::{Kit, run_text};

/// Runs a file, whose path begins at the top of the project: nothing fails, nothing is left out, and exactly these differences are met. One that disappears fails too: then it is
/// time to take it out of the table.
pub(crate) fn check(path: &str, cases: usize, differences: &[&str]) {
    let (_, file) = path.rsplit_once('/').unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
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
