//! The repository is tidy: the rules of ARCHITECTURE.md and STYLE.md that a program can check.

use std::path::Path;

use ferroconnect_tests::tidy;

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ has a parent");
    let sources = tidy::repository(root).expect("the repository can be read");
    assert!(
        sources.len() > 20,
        "only {} files found: is this the repository?",
        sources.len()
    );
    let findings = tidy::check(&sources);
    let listed: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(
        findings.is_empty(),
        "{} findings:\n{}",
        findings.len(),
        listed.join("\n")
    );
}

/// The rules see real files: a copy of the repository with one bad line is not tidy any more.
#[test]
fn one_bad_line_anywhere_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ has a parent");
    let mut sources = tidy::repository(root).expect("the repository can be read");
    let reader = sources
        .iter_mut()
        .find(|source| source.path == "converters/src/wire/reader.rs")
        .expect("the reader exists");
    reader.text.push_str("\nuse crate::json::JsonConverter;\n");
    let line = reader.text.lines().count();
    let findings = tidy::check(&sources);
    assert!(
        findings
            .iter()
            .any(|f| f.path.ends_with("wire/reader.rs") && f.line == line)
    );
}
