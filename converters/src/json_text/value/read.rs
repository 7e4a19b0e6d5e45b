//! JSON texts to [`Json`], as Jackson reads a `String` into a tree.
//!
//! Beside `tree`, which reads records: no leading zeros, comments on demand, nothing may follow the value. Of equal keys the last value stays, at the place of the first.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::Json;
use crate::limits::{NAME_CHARS_MAX, NESTING_DEPTH_MAX, NUMBER_CHARS_MAX, STRING_CHARS_MAX};

/// Whether `/* */` and `//` count as white space. They do not behind the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comments {
    Accepted,
    Refused,
}

/// Why a text is refused, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flaw {
    pub(crate) what: &'static str,
    /// Byte in the text.
    pub(crate) at: usize,
}

/// A JSON value with numbers as they were written.
#[derive(Clone, Debug)]
pub(crate) enum Document {
    Null,
    Boolean(bool),
    Number {
        text: Box<str>,
        /// Neither a point nor an exponent.
        integral: bool,
    },
    Text(Box<str>),
    Array(Vec<Self>),
    /// Members in order; no two have one name.
    Object(Vec<(Box<str>, Self)>),
}

impl Document {
    /// The value with Jackson's usual kinds of numbers.
    fn into_json(self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Boolean(value) => Json::Boolean(value),
            // Beyond the range of doubles it is an infinity, in Java too.
            Self::Number {
                text,
                integral: false,
            } => Json::Double(text.parse().unwrap_or(f64::NAN)),
            Self::Number { text, .. } => match text.parse() {
                Ok(value) => Json::Integer(value),
                Err(_) => Json::BigInteger(text.parse::<BigInt>().unwrap_or_default()),
            },
            Self::Text(text) => Json::Text(text),
            Self::Array(values) => Json::Array(values.into_iter().map(Self::into_json).collect()),
            Self::Object(members) => {
                let members = members.into_iter();
                Json::Object(
                    members
                        .map(|(name, value)| (name, value.into_json()))
                        .collect(),
                )
            }
        }
    }
}

/// Reads a text that is one value.
///
/// # Errors
/// As [`document`].
pub(crate) fn read(text: &str, comments: Comments) -> Result<Json, Flaw> {
    document(text, comments).map(Document::into_json)
}

/// Reads a text that is one value, and leaves its numbers alone.
///
/// # Errors
/// What Jackson refuses, text behind the value, and halves of surrogate pairs, which are no text.
pub(crate) fn document(text: &str, comments: Comments) -> Result<Document, Flaw> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        comments,
    };
    reader.skip_space()?;
    if reader.peek().is_none() {
        return reader.fail("the text is empty");
    }
    let value = reader.value()?;
    let rest = text.get(reader.at..).unwrap_or_default();
    // `String.trim` is applied to the rest.
    if let Some(at) = rest.find(|c: char| c > ' ') {
        reader.at += at;
        return reader.fail("there is text behind the end of the value");
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    comments: Comments,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Document, Flaw> {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self
                .string(STRING_CHARS_MAX)
                .map(|text| Document::Text(text.into())),
            Some(b't') => self.word("true", Document::Boolean(true)),
            Some(b'f') => self.word("false", Document::Boolean(false)),
            Some(b'n') => self.word("null", Document::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.fail("expected a value"),
            None => self.fail("the text ends where a value is expected"),
        }
    }

    fn object(&mut self) -> Result<Document, Flaw> {
        self.open()?;
        let mut members = Members::default();
        self.skip_space()?;
        if self.takes(b'}') {
            self.depth -= 1;
            return Ok(Document::Object(members.list));
        }
        loop {
            self.skip_space()?;
            if self.peek() != Some(b'"') {
                return self.fail("expected a member name in double quotes");
            }
            let name = self.string(NAME_CHARS_MAX)?;
            self.skip_space()?;
            if !self.takes(b':') {
                return self.fail("expected a colon behind a member name");
            }
            self.skip_space()?;
            let value = self.value()?;
            members.put(name.into(), value);
            self.skip_space()?;
            if self.takes(b'}') {
                self.depth -= 1;
                return Ok(Document::Object(members.list));
            }
            if !self.takes(b',') {
                return self.fail("expected a comma or the end of the object");
            }
        }
    }

    fn array(&mut self) -> Result<Document, Flaw> {
        self.open()?;
        let mut values = Vec::new();
        self.skip_space()?;
        if self.takes(b']') {
            self.depth -= 1;
            return Ok(Document::Array(values));
        }
        loop {
            self.skip_space()?;
            values.push(self.value()?);
            self.skip_space()?;
            if self.takes(b']') {
                self.depth -= 1;
                return Ok(Document::Array(values));
            }
            if !self.takes(b',') {
                return self.fail("expected a comma or the end of the array");
            }
        }
    }

    fn open(&mut self) -> Result<(), Flaw> {
        self.depth += 1;
        if self.depth > NESTING_DEPTH_MAX {
            return self.fail("the text nests deeper than 1000 levels");
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str, value: Document) -> Result<Document, Flaw> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return self.fail("expected true, false or null");
        }
        self.at += word.len();
        match self.peek() {
            Some(b) if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..) => {
                self.fail("expected true, false or null")
            }
            _ => Ok(value),
        }
    }

    fn number(&mut self) -> Result<Document, Flaw> {
        let start = self.at;
        self.takes(b'-');
        let leads_with_zero = self.peek() == Some(b'0');
        let whole = self.digits()?;
        if leads_with_zero && whole > 1 {
            return self.fail("a number must not begin with zeros");
        }
        let mut integral = true;
        if self.takes(b'.') {
            integral = false;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integral = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if text.len() > NUMBER_CHARS_MAX {
            return self.fail("the number is longer than 1000 characters");
        }
        Ok(Document::Number {
            text: text.into(),
            integral,
        })
    }

    fn digits(&mut self) -> Result<usize, Flaw> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return self.fail("expected a digit");
        }
        self.at += count;
        Ok(count)
    }

    /// Reads a string from its opening quote on.
    fn string(&mut self, chars_max: usize) -> Result<String, Flaw> {
        let mut value = String::new();
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest
                .bytes()
                .position(|b| matches!(b, b'"' | b'\\' | 0..0x20))
                .unwrap_or(rest.len());
            value.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                None => return self.fail("the text ends inside a string"),
                Some(b'"') => break,
                Some(b'\\') => value.push(self.escape()?),
                Some(_) => return self.fail("a control character must be escaped"),
            }
        }
        self.at += 1;
        if value.len() > chars_max && value.encode_utf16().count() > chars_max {
            return self.fail("a name or text is longer than Jackson reads");
        }
        Ok(value)
    }

    fn escape(&mut self) -> Result<char, Flaw> {
        self.at += 1;
        let plain = match self.peek() {
            Some(b'b') => '\u{8}',
            Some(b't') => '\t',
            Some(b'n') => '\n',
            Some(b'f') => '\u{c}',
            Some(b'r') => '\r',
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'u') => return self.unicode_escape(),
            _ => return self.fail("unknown escape in a string"),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Flaw> {
        const HALF: &str = "half a surrogate pair is no text";
        let first = self.unit()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        if first >= 0xdc00 || !rest.starts_with("\\u") {
            return self.fail(HALF);
        }
        self.at += 1;
        let second = self.unit()?;
        if !(0xdc00..0xe000).contains(&second) {
            return self.fail(HALF);
        }
        let pair = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(pair).map_or_else(|| self.fail(HALF), Ok)
    }

    /// The four digits behind a `u`.
    fn unit(&mut self) -> Result<u32, Flaw> {
        let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
        let unit = digits.and_then(|digits| {
            digits
                .iter()
                .try_fold(0, |sum, b| Some(sum * 16 + char::from(*b).to_digit(16)?))
        });
        let Some(unit) = unit else {
            return self.fail("expected four hexadecimal digits");
        };
        self.at += 5;
        Ok(unit)
    }

    fn skip_space(&mut self) -> Result<(), Flaw> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') if self.comments == Comments::Accepted => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Flaw> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let length = match rest.as_bytes().first() {
            Some(b'*') => match rest[1..].find("*/") {
                Some(end) => end + 4,
                None => return self.fail("the text ends inside a comment"),
            },
            Some(b'/') => rest.find(['\n', '\r']).unwrap_or(rest.len()) + 1,
            _ => return self.fail("expected a value or a comment"),
        };
        self.at += length;
        Ok(())
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Flaw> {
        Err(Flaw { what, at: self.at })
    }
}

/// Members of an object on their way.
#[derive(Default)]
struct Members {
    list: Vec<(Box<str>, Document)>,
    /// Filled once there are too many to look through one by one.
    places: HashMap<Box<str>, usize>,
}

/// Up to this many members are compared one by one.
const LINEAR_MEMBERS_MAX: usize = 16;

impl Members {
    fn put(&mut self, name: Box<str>, value: Document) {
        let known = if self.list.len() <= LINEAR_MEMBERS_MAX {
            self.list.iter().position(|(key, _)| *key == name)
        } else {
            if self.places.is_empty() {
                let names = self.list.iter().enumerate();
                self.places = names
                    .map(|(place, (key, _))| (key.clone(), place))
                    .collect();
            }
            self.places.get(&name).copied()
        };
        if let Some(place) = known {
            self.list[place].1 = value;
            return;
        }
        if !self.places.is_empty() {
            self.places.insert(name.clone(), self.list.len());
        }
        self.list.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> String {
        read(text, Comments::Accepted)
            .unwrap_or_else(|flaw| panic!("{flaw:?} in {text}"))
            .to_string()
    }

    fn flaw(text: &str) -> &'static str {
        read(text, Comments::Accepted).unwrap_err().what
    }

    #[test]
    fn numbers_are_printed_as_java_does() {
        assert_eq!(
            again("[1, -0, 1e10, 1.50, -0.0, 1e400, 9223372036854775808, 1E-5, 0.001]"),
            r#"[1,0,1.0E10,1.5,-0.0,"Infinity",9223372036854775808,1.0E-5,0.001]"#
        );
        for bad in ["01", "+1", "1.", ".5", "-", "NaN", "1e"] {
            assert!(read(bad, Comments::Accepted).is_err(), "{bad}");
        }
    }

    #[test]
    fn strings_keep_everything_but_control_characters_and_quotes() {
        assert_eq!(
            again(r#""\u00e9\/\ud83d\ude80🚀\u0001\b\t\n\f\r\"\\<&>""#),
            "\"é/🚀🚀\\u0001\\b\\t\\n\\f\\r\\\"\\\\<&>\""
        );
        assert_eq!(flaw(r#""\ud83d""#), "half a surrogate pair is no text");
        assert_eq!(
            flaw(r#""\ude80\ud83d""#),
            "half a surrogate pair is no text"
        );
        assert_eq!(flaw("\"\t\""), "a control character must be escaped");
        assert_eq!(flaw(r#""\x""#), "unknown escape in a string");
    }

    #[test]
    fn the_last_of_equal_keys_wins_at_the_place_of_the_first() {
        assert_eq!(again(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
        let many: Vec<String> = (0..40).map(|i| format!("\"k{}\":{i}", i % 20)).collect();
        let text = again(&format!("{{{}}}", many.join(",")));
        assert!(text.starts_with(r#"{"k0":20,"k1":21,"#), "{text}");
    }

    #[test]
    fn comments_are_white_space_where_asked_for_and_never_behind_the_value() {
        assert_eq!(again("/* a */ // b\n [1,/**/2] \u{1} "), "[1,2]");
        assert!(read("/**/1", Comments::Refused).is_err());
        assert_eq!(flaw("[] // b"), "there is text behind the end of the value");
        assert_eq!(flaw("/*/"), "the text ends inside a comment");
        assert_eq!(flaw(" "), "the text is empty");
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(1000), Comments::Refused).is_ok());
        assert!(read(&nested(1001), Comments::Refused).is_err());
        assert!(read(&"[".repeat(100_000), Comments::Refused).is_err());
    }
}
