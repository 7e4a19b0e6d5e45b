//! Which test programs hold tests that need a Kafka node: asked, so that no list can be out of date.

use crate::steps::{Outcome, Steps};

/// A test program and how many of its tests need a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) tests: usize,
}

/// Asks every test program for the tests that are ignored by default: those that need a node.
pub(super) fn that_need_kafka(steps: &Steps, filter: Option<&str>) -> Outcome<Vec<Suite>> {
    let line = ["test", "--workspace", "--tests"].into_iter().chain(filter);
    let line: Vec<&str> = line.chain(["--", "--ignored", "--list"]).collect();
    let (lists, programs) = steps.read("cargo", &line)?;
    Ok(suites(&lists, &programs))
}

/// Each program is announced on standard error and ends its list on standard output with a count, in the same
/// order.
fn suites(lists: &str, programs: &str) -> Vec<Suite> {
    let names = programs.lines().filter_map(program);
    let counts = lists.lines().filter_map(count);
    names
        .zip(counts)
        .filter(|(_, tests)| *tests > 0)
        .map(|(name, tests)| Suite { name, tests })
        .collect()
}

/// `ports` in `Running tests/ports/main.rs (target/debug/deps/ports-0123456789abcdef)`.
fn program(line: &str) -> Option<String> {
    let (_, path) = line.trim().strip_prefix("Running ")?.rsplit_once('(')?;
    let file = path.trim_end_matches(')').rsplit('/').next()?;
    let (name, _) = file.rsplit_once('-')?;
    Some(name.to_owned())
}

/// 3 in `3 tests, 0 benchmarks`.
fn count(line: &str) -> Option<usize> {
    let (tests, rest) = line.split_once(" test")?;
    let count = tests.parse().ok()?;
    rest.contains("benchmark").then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_their_counts_belong_together() {
        let programs = "   Compiling x\n    Finished `test` profile\n     \
            Running unittests src/lib.rs (target/debug/deps/xtask-0123)\n     \
            Running tests/ports/main.rs (target/debug/deps/ports-4567)\n     \
            Running tests/life.rs (target/debug/deps/life-89ab)\n";
        let lists = "0 tests, 0 benchmarks\nkafka::a: test\nkafka::b: test\n\n2 tests, 0 benchmarks\n\
            it_lives: test\n\n1 test, 0 benchmarks\n";
        let suite = |name: &str, tests| Suite {
            name: name.to_owned(),
            tests,
        };
        assert_eq!(
            suites(lists, programs),
            [suite("ports", 2), suite("life", 1)]
        );
    }
}
