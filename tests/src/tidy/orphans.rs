//! Source files that no `mod` line reaches: code that looks alive and is never compiled.

use std::collections::BTreeSet;

use super::{Finding, Source, finding, lexer};

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut reached = BTreeSet::new();
    let mut queue: Vec<&Source> = sources
        .iter()
        .filter(|source| is_root(&source.path))
        .collect();
    while let Some(source) = queue.pop() {
        if reached.insert(source.path.clone()) {
            for path in children(source) {
                queue.extend(sources.iter().filter(|child| child.path == path));
            }
        }
    }
    sources
        .iter()
        .filter(|source| source.path.ends_with(".rs") && !reached.contains(&source.path))
        .map(|source| {
            let message = "no `mod` line leads here: declare it in its parent, or delete it";
            finding(source, 0, message.to_owned())
        })
        .collect()
}

/// Files that cargo compiles by themselves.
fn is_root(whole: &str) -> bool {
    // The crate inside the folder of another.
    let inner = whole.strip_prefix("tests/node/");
    let path = inner.map(|inside| format!("node/{inside}"));
    let parts: Vec<&str> = path.as_deref().unwrap_or(whole).split('/').collect();
    match parts.as_slice() {
        [_, "src", "lib.rs" | "main.rs"] | [_, "build.rs"] | [_, "src", "bin", _] => true,
        [_, "tests" | "benches" | "examples", name] => name.ends_with(".rs"),
        [_, "tests" | "examples", _, "main.rs"] | [_, "src", "bin", _, "main.rs"] => true,
        ["benches", name] | ["fuzz", "targets", name] => name.ends_with(".rs"),
        _ => false,
    }
}

/// The files that the `mod name;` lines of a source may mean, those of its test modules included.
fn children(source: &Source) -> Vec<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let own = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        // The root of a program or a test looks beside itself, any other module into its own folder.
        _ if is_root(&source.path) => folder.to_owned(),
        _ => source.path.trim_end_matches(".rs").to_owned(),
    };
    let code = lexer::views(&source.text).code_and_comments;
    code.lines()
        .filter_map(|line| {
            let line = line.trim();
            let declaration = line.strip_suffix(';')?;
            let (visibility, module) = declaration.rsplit_once("mod ")?;
            let visible = visibility.is_empty() || visibility.ends_with(' ');
            (visible && !line.starts_with("//")).then_some(module.trim())
        })
        .flat_map(|module| {
            [
                format!("{own}/{module}.rs"),
                format!("{own}/{module}/mod.rs"),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_file_without_a_mod_line_is_found() {
        let sources = [
            source(
                "a/src/lib.rs",
                "pub mod b;\n// mod d;\n#[cfg(test)]\nmod tests;\n",
            ),
            source("a/src/tests.rs", ""),
            source("a/src/b.rs", "pub(crate) mod c;"),
            source("a/src/b/c.rs", ""),
            source("a/src/d.rs", ""),
            source("a/tests/one.rs", ""),
            source("a/tests/two/main.rs", "mod part;"),
            source("a/tests/two/part.rs", ""),
            source("a/src/bin/tool.rs", ""),
        ];
        let found: Vec<String> = check(&sources).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["a/src/d.rs"]);
    }
}
