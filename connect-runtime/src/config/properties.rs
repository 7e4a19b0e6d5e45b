//! Java's `.properties` syntax, in full (the grammar of `java.util.Properties.load`).
//!
//! One deliberate difference: Java reads the bytes as ISO-8859-1, so a UTF-8 file comes out garbled. Here a file that is valid UTF-8
//! is read as UTF-8, and only another one as ISO-8859-1; files written for Java (ASCII and `\uXXXX`) mean the same in both.

use std::borrow::Cow;
use std::fmt;

use ferroconnect_converters::config::RawConfig;

/// Reads a whole file. Keys that occur twice keep their last value. Any bytes are an answer or an error, never a panic.
///
/// ```
/// use ferroconnect_runtime::config::properties;
/// let raw = properties::parse(b"# comment\nname = orders\nlong=one,\\\n     two\nuni\\u0063ode: \\u00e9\n")?;
/// assert_eq!(raw["name"], "orders");
/// assert_eq!(raw["long"], "one,two");
/// assert_eq!(raw["unicode"], "é");
/// # Ok::<(), properties::SyntaxError>(())
/// ```
///
/// # Errors
/// A `\u` that is not followed by four hexadecimal digits.
pub fn parse(bytes: &[u8]) -> Result<RawConfig, SyntaxError> {
    let text = decode(bytes);
    let mut raw = RawConfig::new();
    let mut lines = LogicalLines {
        rest: &text,
        line: 0,
    };
    while let Some((line, logical)) = lines.next_line() {
        let (key, value) = split(&logical);
        let at = |()| SyntaxError { line };
        raw.insert(unescape(key).map_err(at)?, unescape(value).map_err(at)?);
    }
    Ok(raw)
}

/// A file that Java would not read either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Line of the file where the entry begins, from 1.
    pub line: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: Malformed \\uxxxx encoding.", self.line)
    }
}

impl std::error::Error for SyntaxError {}

fn decode(bytes: &[u8]) -> Cow<'_, str> {
    // A byte order mark is what some editors add; Java would make it part of the first key.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

const BLANK: [char; 3] = [' ', '\t', '\u{c}'];

/// Joins lines that end in an odd number of backslashes with the next one, and drops comments and blank lines.
struct LogicalLines<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> LogicalLines<'a> {
    fn next_line(&mut self) -> Option<(usize, Cow<'a, str>)> {
        loop {
            let natural = self.natural_line()?.trim_start_matches(BLANK);
            let first_line = self.line;
            if natural.is_empty() || natural.starts_with(['#', '!']) {
                continue;
            }
            let mut logical = Cow::Borrowed(natural);
            while ends_in_continuation(&logical) {
                let joined = logical.to_mut();
                joined.pop();
                match self.natural_line() {
                    Some(next) => joined.push_str(next.trim_start_matches(BLANK)),
                    None => break,
                }
            }
            if !logical.is_empty() {
                return Some((first_line, logical));
            }
        }
    }

    fn natural_line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix(['\n', '\r']))
            .unwrap_or(rest);
        Some(line)
    }
}

fn ends_in_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Splits at the first unescaped `=`, `:` or blank; blanks around one separator belong to it.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line
        .char_indices()
        .find(|(_, c)| {
            let ends = !escaped && (matches!(c, '=' | ':') || BLANK.contains(c));
            escaped = *c == '\\' && !escaped;
            ends
        })
        .map_or(line.len(), |(at, _)| at);
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(BLANK);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(BLANK))
}

fn unescape(text: &str) -> Result<String, ()> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    // Escapes name UTF-16 units, so a character outside the basic plane arrives as two of them.
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = if c == '\\' {
            escape(&mut chars)?
        } else {
            Unit::Char(c)
        };
        match plain {
            Unit::Char(c) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            Unit::Code(unit) => units.push(unit),
            Unit::Nothing => {}
        }
    }
    Ok(String::from_utf16_lossy(&units))
}

enum Unit {
    Char(char),
    Code(u16),
    Nothing,
}

fn escape(chars: &mut std::str::Chars<'_>) -> Result<Unit, ()> {
    Ok(match chars.next() {
        None => Unit::Nothing,
        Some('t') => Unit::Char('\t'),
        Some('n') => Unit::Char('\n'),
        Some('r') => Unit::Char('\r'),
        Some('f') => Unit::Char('\u{c}'),
        Some('u') => {
            let mut code = 0_u16;
            for _ in 0..4 {
                let digit = chars.next().and_then(|c| c.to_digit(16)).ok_or(())?;
                code = code << 4 | u16::try_from(digit).map_err(|_| ())?;
            }
            Unit::Code(code)
        }
        Some(other) => Unit::Char(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &[u8]) -> Vec<(String, String)> {
        parse(text).unwrap().into_iter().collect()
    }

    fn one(text: &str) -> (String, String) {
        let mut all = pairs(text.as_bytes());
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn separators_are_equals_colon_and_blank() {
        for text in [
            "k=v", "k:v", "k v", "k = v", "k\t:\tv", "  k   v", "k =v", "k\u{c}v",
        ] {
            assert_eq!(one(text), ("k".into(), "v".into()), "{text:?}");
        }
        assert_eq!(
            one("k==v"),
            ("k".into(), "=v".into()),
            "only one separator is taken"
        );
        assert_eq!(one("k = : v"), ("k".into(), ": v".into()));
        assert_eq!(one("k"), ("k".into(), String::new()));
        assert_eq!(one("=v"), (String::new(), "v".into()));
    }

    #[test]
    fn trailing_blanks_of_a_value_are_kept() {
        assert_eq!(one("k=v  "), ("k".into(), "v  ".into()));
    }

    #[test]
    fn separators_can_be_escaped_in_keys() {
        assert_eq!(one(r"a\=b\:c\ d=v"), ("a=b:c d".into(), "v".into()));
        assert_eq!(one(r"a\\=v"), (r"a\".into(), "v".into()));
    }

    #[test]
    fn comments_and_blank_lines_are_dropped_and_never_continued() {
        assert_eq!(
            pairs(b"# a=1\\\n  ! b=2\n\n \t\nc=3\n"),
            [("c".into(), "3".into())]
        );
        assert_eq!(
            one("k=v # not a comment"),
            ("k".into(), "v # not a comment".into())
        );
    }

    #[test]
    fn an_odd_number_of_backslashes_continues_the_line() {
        assert_eq!(one("k=a,\\\n   b,\\\r\n\tc"), ("k".into(), "a,b,c".into()));
        assert_eq!(
            pairs(b"k=a\\\\\nl=b").len(),
            2,
            "two backslashes are one backslash"
        );
        assert_eq!(
            one("k=a\\\n# b"),
            ("k".into(), "a# b".into()),
            "a continuation is no comment"
        );
        assert_eq!(
            one("k=a\\"),
            ("k".into(), "a".into()),
            "at the end of the file it is dropped"
        );
        assert_eq!(
            pairs(b"k=a\\\n\nl=b").len(),
            2,
            "a blank line ends a continuation"
        );
        assert_eq!(one("\\\n\nk=v"), ("k".into(), "v".into()));
    }

    #[test]
    fn line_ends_are_those_of_three_systems() {
        assert_eq!(pairs(b"a=1\rb=2\r\nc=3\n").len(), 3);
    }

    #[test]
    fn escapes_are_javas() {
        assert_eq!(
            one(r"k=\t\n\r\f\z\\\u0041"),
            ("k".into(), "\t\n\r\u{c}z\\A".into())
        );
        assert_eq!(one(r"k=\ud83d\ude00"), ("k".into(), "\u{1f600}".into()));
        assert_eq!(
            one(r"k=\ud83d!"),
            ("k".into(), "\u{fffd}!".into()),
            "half a character has no text"
        );
    }

    #[test]
    fn a_broken_escape_names_its_line() {
        let error = parse(b"a=1\n\nb=\\u12g4\n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: Malformed \\uxxxx encoding.");
        assert!(parse(b"k=\\u12").is_err());
    }

    #[test]
    fn utf_8_is_read_as_utf_8_and_anything_else_as_latin_1() {
        assert_eq!(
            pairs("k=é\u{1f600}".as_bytes()),
            [("k".into(), "é\u{1f600}".into())]
        );
        assert_eq!(pairs(b"k=\xe9"), [("k".into(), "é".into())]);
        assert_eq!(pairs(b"\xef\xbb\xbfk=v"), [("k".into(), "v".into())]);
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        assert_eq!(pairs(b"k=1\nk=2"), [("k".into(), "2".into())]);
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..16)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let alphabet = b"\\\n\r \t=:#!u0aFk\xff\xe9";
                    alphabet[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            let _ = parse(&bytes);
        }
    }
}
