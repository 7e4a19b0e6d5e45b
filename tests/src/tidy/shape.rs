//! Size of files.

use super::{Finding, Source, finding};

/// Lines of a source file, tests included.
const FILE_LINES_MAX: usize = 700;

/// Lines of a crate root: documentation, module list, re-exports.
const ROOT_LINES_MAX: usize = 200;

/// Files that were too long when the rule came, with the length they may not exceed. It only shrinks.
const RATCHET: [(&str, usize); 0] = [];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let root = source.path.ends_with("/src/lib.rs");
    let allowed = RATCHET
        .iter()
        .find(|(path, _)| *path == source.path)
        .map(|(_, max)| *max);
    let usual = if root { ROOT_LINES_MAX } else { FILE_LINES_MAX };
    let max = allowed.unwrap_or(usual);
    let code = source.path.ends_with(".rs") || source.path.ends_with(".java");
    if !code || lines <= max {
        return Vec::new();
    }
    let advice = if root {
        "move code into a module"
    } else {
        "split it along its parts"
    };
    vec![finding(
        source,
        max + 1,
        format!("{lines} lines, at most {max}: {advice}"),
    )]
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_long_file_and_a_long_root_are_found_at_the_first_line_too_many() {
        let lines = |count: usize| "x\n".repeat(count);
        assert!(check(&source("a/src/b.rs", &lines(700))).is_empty());
        assert_eq!(check(&source("a/src/b.rs", &lines(701)))[0].line, 701);
        assert_eq!(check(&source("a/src/lib.rs", &lines(201)))[0].line, 201);
        assert!(check(&source("a/README.md", &lines(2_000))).is_empty());
    }
}
