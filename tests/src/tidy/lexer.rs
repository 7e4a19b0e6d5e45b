//! Just enough of Rust's lexical rules to tell code from comments, strings and tests.

/// A source with parts blanked out: same lines, same columns, spaces where the rest stood.
pub(super) struct Views {
    /// Without comments, strings and `#[cfg(test)]` modules.
    pub(super) code: String,
    /// Without strings.
    pub(super) code_and_comments: String,
}

/// Splits a source into its views.
pub(super) fn views(text: &str) -> Views {
    let bytes = text.as_bytes();
    let (mut code, mut both) = (bytes.to_vec(), bytes.to_vec());
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = token(bytes, at);
        match kind {
            Kind::Code => {}
            Kind::Comment => blank(&mut code[at..end]),
            Kind::Text => {
                blank(&mut code[at..end]);
                blank(&mut both[at..end]);
            }
        }
        at = end;
    }
    blank_test_modules(&mut code);
    // Blanking replaces whole tokens, so no character is cut in two.
    Views {
        code: String::from_utf8_lossy(&code).into_owned(),
        code_and_comments: String::from_utf8_lossy(&both).into_owned(),
    }
}

enum Kind {
    Code,
    Comment,
    Text,
}

/// The kind of what stands at `at`, and where it ends.
fn token(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        return (Kind::Comment, at + length);
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment(rest));
    }
    if let Some(length) = raw_string(bytes, at) {
        return (Kind::Text, at + length);
    }
    match rest[0] {
        b'"' => (Kind::Text, at + quoted(rest, b'"')),
        b'\'' if rest.get(1) == Some(&b'\\') => (Kind::Text, at + quoted(rest, b'\'')),
        // 'x' is a character and 'x is a lifetime.
        b'\'' => match rest.iter().skip(1).take(5).position(|b| *b == b'\'') {
            Some(length) if length == 1 || rest[1] >= 0x80 => (Kind::Text, at + length + 2),
            Some(_) | None => (Kind::Code, at + 1),
        },
        _ => (Kind::Code, at + 1),
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The length of `r"…"`, `r#"…"#`, with or without a leading `b`, when one begins here.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let inside_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    let rest = &bytes[at..];
    let letters = if rest.starts_with(b"br") { 2 } else { 1 };
    if inside_word || !(rest.starts_with(b"r") || letters == 2) {
        return None;
    }
    let hashes = rest[letters..].iter().take_while(|b| **b == b'#').count();
    let open = letters + hashes;
    if rest.get(open) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let body = &rest[open + 1..];
    let length = body
        .windows(close.len())
        .position(|window| window == close.as_slice());
    Some(length.map_or(rest.len(), |length| open + 1 + length + close.len()))
}

/// The length of a quoted token with backslash escapes.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Blanks `#[cfg(test)] mod name { … }`; comments and strings are blank already.
fn blank_test_modules(code: &mut [u8]) {
    let attribute = b"#[cfg(test)]";
    let mut at = 0;
    while let Some(found) = find(&code[at..], attribute) {
        let start = at + found;
        let after = start + attribute.len();
        let Some(open) = code[after..].iter().position(|b| *b == b'{' || *b == b';') else {
            return;
        };
        let open = after + open;
        let end = if code[open] == b'{' {
            matching_brace(code, open)
        } else {
            open
        };
        blank(&mut code[start..end]);
        at = end;
    }
}

/// Just past the brace that closes the one at `open`.
fn matching_brace(code: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn blank(bytes: &mut [u8]) {
    bytes
        .iter_mut()
        .filter(|b| **b != b'\n')
        .for_each(|b| *b = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        views(text)
            .code
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        assert_eq!(code("a /* b /* c */ d */ e // f\ng"), "a e g");
        assert_eq!(code(r#"let s = "x \" y"; z"#), "let s = ; z");
        assert_eq!(code("r#\"a \" b\"# c br\"d\" e"), "c e");
    }

    #[test]
    fn characters_are_text_and_lifetimes_are_code() {
        assert_eq!(code("'{' 'a' '\\'' 'ü' &'a str"), "&'a str");
        assert_eq!(
            code("fn f<'a>(x: &'a str, y: &'a str)"),
            "fn f<'a>(x: &'a str, y: &'a str)"
        );
    }

    #[test]
    fn a_word_that_ends_in_r_does_not_open_a_raw_string() {
        assert_eq!(code("for\"x\" y"), "for y");
    }

    #[test]
    fn test_modules_are_left_out_and_lines_stay() {
        let text = "a\n#[cfg(test)]\nmod tests { fn x() { if y {} } }\nb";
        assert_eq!(code(text), "a b");
        assert_eq!(views(text).code.lines().count(), 4);
        assert_eq!(code("#[cfg(test)]\nmod tests;\nuse x;"), "; use x;");
    }

    #[test]
    fn the_comment_view_keeps_comments() {
        assert!(
            views("// here\n\"there\"")
                .code_and_comments
                .contains("here")
        );
        assert!(
            !views("// here\n\"there\"")
                .code_and_comments
                .contains("there")
        );
    }
}
