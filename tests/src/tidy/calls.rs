//! Pure modules do no I/O, read no clock and know no scheduler.

use super::{Finding, Source, finding, lexer};

/// What a pure module never names, and what it does instead.
const BANNED: [(&str, &str); 12] = [
    ("tokio", "an async shell calls the core, not the other way"),
    ("rusqlite", "storage lies behind a port"),
    ("std::fs", "the caller reads and passes bytes"),
    ("std::net", "connections lie behind a port"),
    ("std::process", "processes belong to adapters"),
    ("std::thread", "the caller owns threads"),
    ("std::env", "configuration is an argument"),
    ("File::open", "the caller reads and passes bytes"),
    ("TcpStream", "connections lie behind a port"),
    ("Instant::now", "take `now` as an argument"),
    ("SystemTime::now", "take `now` as an argument"),
    ("thread_rng", "take a seed as an argument"),
];

/// Modules of `connect-runtime` that are pure throughout: everything in folders ending in `/`, else one file.
const PURE_RUNTIME: [&str; 15] = [
    "ids.rs",
    "backoff.rs",
    "error.rs",
    "error/",
    "api/",
    "plugins/",
    "transforms/",
    "config/",
    "kafka/port.rs",
    "kafka/types.rs",
    "kafka/batch",
    "kafka/client/",
    "kafka/assignors",
    "kafka/local/groups",
    "group/assignor/",
];

/// The files in the folders above that read files for the others.
const SHELLS: [&str; 2] = ["config/files.rs", "config/providers/builtin.rs"];

/// The files of `registry-client` that send, read, wait and read the clock for the others.
const REGISTRY_SHELLS: [&str; 10] = [
    "cache/disk.rs",
    "cache/flight.rs",
    "cache/mod.rs",
    "client/auth.rs",
    "client/driver.rs",
    "client/http.rs",
    "client/tls.rs",
    "fake/http.rs",
    "fake/http_tests.rs",
    "server/http.rs",
];

/// File names that are pure wherever they stand in `connect-runtime`.
const PURE_NAMES: [&str; 14] = [
    "core.rs",
    "states.rs",
    "state.rs",
    "record.rs",
    "writer.rs",
    "protocol.rs",
    "inflight.rs",
    "boundary.rs",
    "lifecycle.rs",
    "pause.rs",
    "tolerance.rs",
    "stage.rs",
    "offsets.rs",
    "signature.rs",
];

/// Folders that do I/O by nature, whatever their files are called.
const ADAPTERS: [&str; 7] = [
    "kafka/embedded/",
    "kafka/fake/",
    "kafka/krafka/",
    "kafka/local/",
    "kafka/wire/",
    "connectors/",
    "registry/",
];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !is_pure(&source.path) {
        return Vec::new();
    }
    let code = lexer::views(&source.text).code;
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        for (name, instead) in BANNED {
            if names(line, name) {
                let message = format!("`{name}` in a pure module: {instead}");
                findings.push(finding(source, number, message));
            }
        }
    }
    findings
}

fn is_pure(path: &str) -> bool {
    if path.ends_with("/tests.rs") || path.contains("/tests/") {
        return false;
    }
    if let Some(inside) = path.strip_prefix("registry-client/src/") {
        return !REGISTRY_SHELLS.contains(&inside);
    }
    if path.starts_with("converters/src/") {
        return true;
    }
    let Some(inside) = path.strip_prefix("connect-runtime/src/") else {
        return false;
    };
    if SHELLS.contains(&inside) {
        return false;
    }
    let name = inside.rsplit('/').next().unwrap_or(inside);
    PURE_RUNTIME.iter().any(|pure| inside.starts_with(pure))
        || (PURE_NAMES.contains(&name) && !ADAPTERS.iter().any(|folder| inside.starts_with(folder)))
}

/// Whether `line` names `path` as whole words.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let before = line[..at].chars().next_back().is_some_and(word);
        let after = line[at + path.len()..].chars().next().is_some_and(word);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_core_that_reads_the_clock_is_found() {
        let bad = "fn x() {\n    let now = Instant::now();\n}\n";
        let findings = check(&source("connect-runtime/src/herder/core.rs", bad));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 2);
        assert!(findings[0].message.contains("take `now` as an argument"));
    }

    #[test]
    fn shells_and_adapters_may_do_io() {
        let code = "use tokio::fs;\nuse std::fs::File;\n";
        assert!(check(&source("connect-runtime/src/task/source/run.rs", code)).is_empty());
        assert!(check(&source("connect-runtime/src/kafka/embedded/log.rs", code)).is_empty());
        assert_eq!(
            check(&source("converters/src/json/decode.rs", code)).len(),
            2
        );
    }

    #[test]
    fn words_comments_strings_and_tests_do_not_count() {
        let fine = "fn tokio_like() {}\n// tokio\nlet x = \"std::fs\";\n#[cfg(test)]\nmod t { use std::fs; }";
        assert!(check(&source("connect-runtime/src/backoff.rs", fine)).is_empty());
        assert!(check(&source("converters/src/json/tests.rs", "use std::fs;")).is_empty());
    }
}
