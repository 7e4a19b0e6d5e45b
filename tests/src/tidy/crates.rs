//! Crate edges: who may depend on whom, read from the manifests.

use super::{Finding, Source, finding};

/// Our crates by folder: package name, and the packages of ours it may name.
const EDGES: [(&str, &[&str]); 8] = [
    ("registry-client", &[]),
    ("converters", &[REGISTRY]),
    ("connect-runtime", &[REGISTRY, CONVERTERS]),
    ("benches", &[REGISTRY, CONVERTERS, RUNTIME]),
    ("tests", &[REGISTRY, CONVERTERS, RUNTIME, NODE]),
    ("tests/node", &[]),
    ("fuzz", &[REGISTRY, CONVERTERS, RUNTIME, TESTS]),
    ("xtask", &[NODE]),
];

const REGISTRY: &str = "ferroconnect-registry-client";
const CONVERTERS: &str = "ferroconnect-converters";
const RUNTIME: &str = "ferroconnect-runtime";
const TESTS: &str = "ferroconnect-tests";
const NODE: &str = "ferroconnect-node";

/// Crates that do I/O or schedule: the libraries that must stay synchronous never name them.
const NOT_FOR_LIBRARIES: [&str; 12] = [
    "tokio",
    "async-std",
    "smol",
    "futures",
    "reqwest",
    "hyper",
    "axum",
    "ureq",
    "rusqlite",
    "krafka",
    "rdkafka",
    "kafka-protocol",
];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let Some(folder) = source.path.strip_suffix("/Cargo.toml") else {
        return Vec::new();
    };
    let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == folder) else {
        let message = format!("crate folder `{folder}` has no place; add it to tidy/crates.rs");
        return vec![finding(source, 0, message)];
    };
    let library = folder == "converters";
    let mut findings = Vec::new();
    let mut table = String::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        if let Some(header) = line.trim().strip_prefix('[') {
            table = header.trim_end_matches([']', ' ']).to_owned();
            continue;
        }
        let Some(name) = dependency(&table, line) else {
            continue;
        };
        if name.starts_with("ferroconnect-") && !allowed.contains(&name) {
            let message =
                format!("`{folder}` must not depend on `{name}`; move what is shared down");
            findings.push(finding(source, number, message));
        }
        // Tests of a library may use a runtime; the library itself may not.
        if library && table == "dependencies" && NOT_FOR_LIBRARIES.contains(&name) {
            let message = format!("`{folder}` does no I/O: `{name}` belongs behind a port");
            findings.push(finding(source, number, message));
        }
    }
    findings
}

/// The package that a line of a dependency table names.
fn dependency<'a>(table: &str, line: &'a str) -> Option<&'a str> {
    let dependencies = table.ends_with("dependencies") && !table.starts_with("workspace");
    let name = line.split(['=', '.']).next()?.trim();
    (dependencies && !name.is_empty() && !name.starts_with('#')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn an_arrow_against_the_direction_is_found_with_its_line() {
        let bad = "[dependencies]\nbytes.workspace = true\nferroconnect-runtime.workspace = true\n";
        let findings = check(&source("converters/Cargo.toml", bad));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 3);
        assert!(check(&source("tests/Cargo.toml", bad)).is_empty());
    }

    #[test]
    fn a_library_never_names_a_runtime_but_its_tests_may() {
        let bad = "[dependencies]\ntokio = { version = \"1\" }\n";
        assert_eq!(check(&source("converters/Cargo.toml", bad)).len(), 1);
        assert!(check(&source("connect-runtime/Cargo.toml", bad)).is_empty());
        let tests = "[dev-dependencies]\ntokio = \"1\"\n";
        assert!(check(&source("converters/Cargo.toml", tests)).is_empty());
    }

    #[test]
    fn a_new_crate_must_be_given_a_place() {
        assert_eq!(
            check(&source("surprise/Cargo.toml", "[package]\n")).len(),
            1
        );
        assert!(check(&source("Cargo.toml", "[workspace]\n")).is_empty());
    }
}
