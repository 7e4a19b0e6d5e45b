//! The grammar of placeholders: `${provider:key}` and `${provider:path:key}`.

use std::sync::LazyLock;

use regex::Regex;

/// One placeholder in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placeholder<'a> {
    /// As it stands there.
    pub(super) text: &'a str,
    /// Where it begins, in bytes.
    pub(super) at: usize,
    pub(super) provider: &'a str,
    /// Empty when there is none.
    pub(super) path: &'a str,
    pub(super) key: &'a str,
}

/// All placeholders of a text, from left to right.
pub(super) fn all(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    PATTERN.captures_iter(text).map(|found| {
        let part = |n: usize| found.get(n).map_or("", |part| part.as_str());
        Placeholder {
            text: part(0),
            at: found.get(0).map_or(0, |whole| whole.start()),
            provider: part(1),
            path: part(3),
            key: part(4),
        }
    })
}

/// The text with every placeholder replaced that `value` knows. What comes in is not looked at again.
pub(super) fn replace(
    text: &str,
    mut value: impl FnMut(Placeholder<'_>) -> Option<String>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for found in all(text) {
        out.push_str(&text[done..found.at]);
        match value(found) {
            Some(value) => out.push_str(&value),
            None => out.push_str(found.text),
        }
        done = found.at + found.text.len();
    }
    out.push_str(&text[done..]);
    out
}

/// Kafka's own pattern (`ConfigTransformer.DEFAULT_PATTERN`).
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}")
        .expect("a constant pattern that tests compile")
});

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, &str, &str)> {
        all(text)
            .map(|found| (found.provider, found.path, found.key))
            .collect()
    }

    #[test]
    fn with_and_without_a_path() {
        assert_eq!(parts("${env:USER}"), [("env", "", "USER")]);
        assert_eq!(
            parts("${file:/etc/s.properties:db.password}"),
            [("file", "/etc/s.properties", "db.password")]
        );
    }

    #[test]
    fn several_in_one_text() {
        assert_eq!(
            parts("jdbc:${env:A}/${dir:/d:B}?x=${env:C}"),
            [("env", "", "A"), ("dir", "/d", "B"), ("env", "", "C")]
        );
    }

    #[test]
    fn colons_behind_the_second_belong_to_the_key() {
        assert_eq!(parts("${p:a:b:c}"), [("p", "a", "b:c")]);
    }

    #[test]
    fn what_is_none() {
        for text in ["", "${env}", "$env:X", "{env:X}", "${env:X", "$ {env:X}"] {
            assert_eq!(parts(text), [], "{text}");
        }
        assert_eq!(parts("${:}"), [("", "", "")]);
    }

    #[test]
    fn no_nesting_and_one_pass() {
        assert_eq!(parts("${a:${b:c}}"), [("a", "${b", "c")]);
        let once = replace("${p:x} ${q:y}", |found| {
            (found.provider == "p").then(|| "${q:y}".to_owned())
        });
        assert_eq!(once, "${q:y} ${q:y}", "what came in is not replaced again");
    }

    #[test]
    fn text_around_stays() {
        let text = "é${p:x}\n${p:x}$";
        assert_eq!(replace(text, |_| Some("1".to_owned())), "é1\n1$");
        assert_eq!(replace(text, |_| None), text);
    }
}
