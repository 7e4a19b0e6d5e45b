//! Which modules of its own crate a source names.

/// The module of a file inside its crate: `json::encode` for `json/encode.rs`, nothing for `lib.rs`.
pub(super) fn module_path(inside_src: &str) -> Vec<&str> {
    let stem = inside_src.strip_suffix(".rs").unwrap_or(inside_src);
    let mut parts: Vec<&str> = stem.split('/').collect();
    if matches!(parts.last(), Some(&"mod" | &"lib" | &"main")) {
        parts.pop();
    }
    parts
}

/// Every path into the own crate that `code` (without comments and strings) names, as parts from the crate
/// root, with its line. `crate::`, `super::` and `self::` are resolved, and so are braces.
pub(super) fn named_paths(module: &[&str], code: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (number, rest) in occurrences(code) {
        let mut base: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
        let mut rest = rest;
        if let Some(after) = rest.strip_prefix("crate::") {
            base.clear();
            rest = after;
        } else if let Some(after) = rest.strip_prefix("self::") {
            rest = after;
        }
        while let Some(after) = rest.strip_prefix("super::") {
            base.pop();
            rest = after;
        }
        expand(&base, rest, &mut |path| found.push((number, path)));
    }
    found
}

/// Where a path into the own crate begins, and the text from there.
fn occurrences(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut line = 1;
    let mut before = ' ';
    code.char_indices().filter_map(move |(at, first)| {
        let part_of_word = before.is_alphanumeric() || before == '_' || before == ':';
        before = first;
        line += usize::from(first == '\n');
        if part_of_word || !matches!(first, 'c' | 's') {
            return None;
        }
        let rest = &code[at..];
        let path = ["crate::", "super::", "self::"]
            .iter()
            .any(|word| rest.starts_with(word));
        path.then_some((line, rest))
    })
}

/// Follows `a::b`, and every branch of `a::{b, c::d}`.
fn expand(base: &[String], text: &str, found: &mut impl FnMut(Vec<String>)) {
    let text = text.trim_start();
    if let Some(inside) = text.strip_prefix('{') {
        for branch in branches(inside) {
            expand(base, branch, found);
        }
        return;
    }
    let length = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let mut path = base.to_vec();
    if length > 0 && &text[..length] != "self" {
        path.push(text[..length].to_owned());
    }
    match text[length..].strip_prefix("::") {
        Some(rest) if length > 0 => expand(&path, rest, found),
        Some(_) | None => found(path),
    }
}

/// The parts between commas, up to the brace that closes.
fn branches(inside: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in inside.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&inside[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(module: &[&str], code: &str) -> Vec<String> {
        named_paths(module, code)
            .into_iter()
            .map(|(_, path)| path.join("::"))
            .collect()
    }

    #[test]
    fn files_have_modules() {
        assert_eq!(module_path("lib.rs"), Vec::<&str>::new());
        assert_eq!(module_path("json/mod.rs"), ["json"]);
        assert_eq!(module_path("json/encode.rs"), ["json", "encode"]);
    }

    #[test]
    fn braces_are_followed() {
        let code = "use crate::{data::{Schema, value::Value}, wire, error::{self, Error}};";
        let paths = [
            "data::Schema",
            "data::value::Value",
            "wire",
            "error",
            "error::Error",
        ];
        assert_eq!(named(&[], code), paths);
    }

    #[test]
    fn super_climbs_from_the_module_of_the_file() {
        assert_eq!(
            named(&["json", "encode"], "super::plan::Node"),
            ["json::plan::Node"]
        );
        assert_eq!(
            named(&["json", "encode"], "super::super::avro::x()"),
            ["avro::x"]
        );
        assert_eq!(named(&["json"], "super::avro::x()"), ["avro::x"]);
    }

    #[test]
    fn only_whole_words_count_and_lines_are_right() {
        assert!(named(&[], "mycrate::x other::super::y").is_empty());
        assert_eq!(named_paths(&[], "a\nb(crate::wire::x)")[0].0, 2);
    }
}
