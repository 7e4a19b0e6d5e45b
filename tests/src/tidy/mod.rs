//! The rules of ARCHITECTURE.md and STYLE.md that a program can check.
//!
//! Every rule is a pure function from sources to findings, so every rule has a test that feeds it a bad
//! source. `tests/tests/tidy.rs` runs them all over the repository. A finding says where, what, and what to
//! do instead.

mod calls;
mod crates;
mod ignored;
mod layers;
mod lexer;
mod modules;
mod orphans;
mod shape;
mod words;

use std::fmt;
use std::path::Path;

/// One file of the repository.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path from the root of the repository, with `/` between the parts.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, as in [`Source::path`].
    pub path: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Applies every rule to these files and returns the findings in order of file and line.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(orphans::check(sources));
    for source in sources {
        findings.extend(words::check(source));
        findings.extend(shape::check(source));
        if source.path.ends_with("Cargo.toml") {
            findings.extend(crates::check(source));
        }
        if source.path.ends_with(".rs") {
            findings.extend(layers::check(source));
            findings.extend(calls::check(source));
            findings.extend(ignored::check(source));
        }
    }
    findings.sort();
    findings.dedup();
    findings
}

/// Every text file of the repository at `root`, in order of path; what git ignores and what belongs to the
/// tools is left out.
///
/// # Errors
/// When a folder or a file cannot be read.
pub fn repository(root: &Path) -> std::io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                if !SKIPPED_FOLDERS.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if TEXT_NAMES.iter().any(|end| name.ends_with(end)) {
                let inside = path.strip_prefix(root).unwrap_or(&path);
                let path_text = inside.to_string_lossy().replace('\\', "/");
                sources.push(Source {
                    path: path_text,
                    text: std::fs::read_to_string(&path)?,
                });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// Build output, recorded vectors and fuzz inputs: bytes of others, not our sources.
const SKIPPED_FOLDERS: [&str; 7] = [
    ".git",
    "target",
    "testdata",
    "seeds",
    "corpus",
    "artifacts",
    "proptest-regressions",
];

const TEXT_NAMES: [&str; 9] = [
    ".rs",
    ".toml",
    ".md",
    ".java",
    ".xml",
    ".properties",
    ".json",
    "run",
    ".yml",
];

fn finding(source: &Source, line: usize, message: String) -> Finding {
    Finding {
        path: source.path.clone(),
        line,
        message,
    }
}

#[cfg(test)]
fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}
