//! Words that do not belong: leftover markers, vague names, paths of one machine.

use super::{Finding, Source, finding, lexer};

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = file_name(source);
    findings.extend(foreign_paths(source));
    if source.path.ends_with(".rs") {
        findings.extend(markers(source));
        findings.extend(type_names(source));
    }
    findings
}

/// Left behind by somebody who meant to come back.
const MARKERS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Calls that mean the same.
const MARKER_CALLS: [&str; 3] = ["dbg!(", "todo!(", "unimplemented!("];

/// Words that say nothing about a thing.
const VAGUE: [&str; 9] = [
    "manager",
    "helper",
    "helpers",
    "util",
    "utils",
    "common",
    "base",
    "impl",
    "processor",
];

/// Words that say nothing at the end of a name.
const VAGUE_LAST: [&str; 2] = ["info", "data"];

fn markers(source: &Source) -> Vec<Finding> {
    let text = lexer::views(&source.text).code_and_comments;
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let word = words.find(|word| MARKERS.contains(word));
        let call = MARKER_CALLS
            .iter()
            .find(|call| line.contains(*call))
            .copied();
        if let Some(marker) = word.or(call) {
            let message = format!("`{marker}`: finish it, or write an issue and delete the line");
            findings.push(finding(source, number, message));
        }
    }
    findings
}

fn file_name(source: &Source) -> Vec<Finding> {
    let code = source.path.ends_with(".rs") || source.path.ends_with(".java");
    let parts = source
        .path
        .split('/')
        .map(|part| part.split('.').next().unwrap_or(part));
    // `data/` is the name of Connect's own package, and a folder name is not a suffix.
    let vague = parts
        .flat_map(|part| part.split(['_', '-']))
        .find(|word| VAGUE.contains(word));
    match vague {
        Some(word) if code => {
            vec![finding(
                source,
                0,
                format!("`{word}` in a file name: say what it does"),
            )]
        }
        Some(_) | None => Vec::new(),
    }
}

fn type_names(source: &Source) -> Vec<Finding> {
    let code = lexer::views(&source.text).code;
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        let Some(name) = declared_type(line) else {
            continue;
        };
        let words = camel_words(name);
        let last = words.len().saturating_sub(1);
        let vague = words.iter().enumerate().find(|(at, word)| {
            let word = word.to_lowercase();
            VAGUE.contains(&word.as_str())
                || (*at == last && last > 0 && VAGUE_LAST.contains(&word.as_str()))
        });
        if let Some((_, word)) = vague {
            let message = format!("`{word}` in the name `{name}`: say what it is or does");
            findings.push(finding(source, number, message));
        }
    }
    findings
}

/// The name of the type or trait that a line declares.
fn declared_type(line: &str) -> Option<&str> {
    let mut words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty());
    let keyword = words.find(|word| !matches!(*word, "pub" | "crate" | "super" | "in"))?;
    matches!(keyword, "struct" | "enum" | "trait" | "type" | "union").then(|| words.next())?
}

fn camel_words(name: &str) -> Vec<&str> {
    let starts: Vec<usize> = name
        .char_indices()
        .filter(|(_, c)| c.is_uppercase())
        .map(|(at, _)| at)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &name[*start..end])
        .collect()
}

/// Paths that exist on one machine only; written in two halves so that this file is tidy itself.
const MACHINE_PATHS: [&str; 4] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/fa", "rm/"),
];

/// The folder of recorded vectors beside the repository: programs may be pointed at it, tests carry copies.
const OUTSIDE: &str = concat!("../sh", "ared");

fn foreign_paths(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        if let Some(path) = MACHINE_PATHS.iter().find(|path| line.contains(**path)) {
            let message =
                format!("`{path}` exists on one machine only: use a path in the repository");
            findings.push(finding(source, number, message));
        }
        if source.path.ends_with(".rs") && line.contains(OUTSIDE) {
            let message = format!("`{OUTSIDE}` is outside: copy what is needed into testdata");
            findings.push(finding(source, number, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&source(path, text))
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn leftover_markers_are_found_in_comments_and_code() {
        let marker = ["TO", "DO"].concat();
        assert_eq!(
            lines("a/src/b.rs", &format!("// {marker}: later\nfn x() {{}}")),
            [1]
        );
        assert_eq!(lines("a/src/b.rs", "fn x() {\n    todo!()\n}"), [2]);
        assert_eq!(lines("a/src/b.rs", "fn x() { dbg!(1); }"), [1]);
        assert!(lines("a/src/b.rs", "let x = \"XXX\"; // MAXXX").is_empty());
    }

    #[test]
    fn vague_names_are_found() {
        assert_eq!(lines("a/src/string_utils.rs", ""), [0]);
        assert_eq!(lines("a/src/helpers/x.rs", ""), [0]);
        assert_eq!(lines("a/src/b.rs", "pub(crate) struct TaskManager;"), [1]);
        assert_eq!(
            lines("a/src/b.rs", "enum TopicInfo {}\ntrait BaseTask {}"),
            [1, 2]
        );
        assert!(
            lines(
                "a/src/data/base64.rs",
                "struct Base64; struct OffsetAndMetadata;"
            )
            .is_empty()
        );
        assert!(lines("a/src/b.rs", "enum Data {}\nimpl X for Y {}").is_empty());
    }

    #[test]
    fn paths_of_one_machine_are_found_in_every_kind_of_file() {
        let path = ["/ro", "ot/x"].concat();
        assert_eq!(lines("README.md", &format!("see\n{path}")), [2]);
        let outside = ["../sh", "ared/golden"].concat();
        assert_eq!(lines("tests/tests/x.rs", &format!("\"{outside}\"")), [1]);
        assert!(lines("README.md", &outside).is_empty());
    }
}
