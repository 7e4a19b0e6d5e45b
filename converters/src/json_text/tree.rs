//! A JSON document as a tree: the obvious reader.
//!
//! This reader *defines* what a document means; the fast one in `decode.rs` must agree with it wherever it answers at
//! all. It is also the one that words errors, and it reads the schemas of envelopes. It accepts and refuses what
//! Jackson does as `JsonConverter` sets it up: leading zeros are fine, text behind a complete value is not looked at,
//! the last of equal keys wins, UTF-16 and UTF-32 are recognised.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::differs::Difference;
use crate::error::{Error, json::Kind};
use crate::limits::{NAME_CHARS_MAX, NESTING_DEPTH_MAX, NUMBER_CHARS_MAX, STRING_CHARS_MAX};
use crate::wire::recognise;

/// One JSON value.
#[derive(Debug)]
pub(crate) enum Tree {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Text),
    Array(Vec<Self>),
    Object(Vec<(Text, Self)>),
}

/// A number as it was written.
#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) text: Box<str>,
    /// Neither a point nor an exponent.
    pub(crate) integral: bool,
}

/// A string. Java's strings can hold what is no Unicode text: `flaw` says so, and `value` is then not to be used.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) flaw: Option<Difference>,
}

impl Text {
    /// The text, if it is one.
    pub(crate) fn get(&self) -> Result<&str, Error> {
        match self.flaw {
            None => Ok(&self.value),
            Some(Difference::BeyondUnicode) => Err(Kind::BeyondUnicode.into()),
            Some(_) => Err(Kind::LoneSurrogate.into()),
        }
    }
}

impl Tree {
    /// Jackson's `JsonNodeType`.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "BOOLEAN",
            Self::Number(_) => "NUMBER",
            Self::Text(_) => "STRING",
            Self::Array(_) => "ARRAY",
            Self::Object(_) => "OBJECT",
        }
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .find(|(key, _)| key.flaw.is_none() && key.value == name)
            .map(|(_, v)| v)
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// Reads the first value of a document. `None`: there is nothing but white space.
///
/// # Errors
/// Data fault when the document is not what Jackson reads.
pub(crate) fn parse(document: &[u8]) -> Result<Option<Tree>, Error> {
    first_value(document, NumberWords::Refused)
}

/// As [`parse`], for a Jackson that reads words as numbers, too: `NaN`, `Infinity` and their like.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_number_words(document: &[u8]) -> Result<Option<Tree>, Error> {
    first_value(document, NumberWords::Accepted)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberWords {
    Accepted,
    Refused,
}

fn first_value(document: &[u8], words: NumberWords) -> Result<Option<Tree>, Error> {
    let fail = |Flaw { what, at }| {
        Error::from(Kind::Syntax {
            what,
            looks: recognise(document),
        })
        .at(at)
    };
    let bytes = to_utf8(document).map_err(fail)?;
    let mut reader = Reader {
        bytes: &bytes,
        at: 0,
        depth: 0,
        words,
    };
    reader.document().map_err(fail)
}

/// Words that some Jacksons read as numbers, with a text that is the number in Rust.
const NUMBER_WORDS: [(&str, &str); 7] = [
    ("NaN", "NaN"),
    ("INF", "inf"),
    ("+INF", "inf"),
    ("-INF", "-inf"),
    ("Infinity", "inf"),
    ("+Infinity", "inf"),
    ("-Infinity", "-inf"),
];

/// Why a document is refused, and where.
struct Flaw {
    what: &'static str,
    at: usize,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    words: NumberWords,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Option<Tree>, Flaw> {
        self.skip_space();
        if self.peek().is_none() {
            return Ok(None);
        }
        let value = self.value()?;
        if matches!(value, Tree::Number(_))
            && !matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
        {
            return self.fail("a number at the root must be followed by white space");
        }
        Ok(Some(value))
    }

    fn value(&mut self) -> Result<Tree, Flaw> {
        if self.words == NumberWords::Accepted
            && let Some(number) = self.number_word()
        {
            return Ok(Tree::Number(number));
        }
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => {
                self.at += 1;
                self.string().map(Tree::Text)
            }
            Some(b't') => self.word("true", Tree::Boolean(true)),
            Some(b'f') => self.word("false", Tree::Boolean(false)),
            Some(b'n') => self.word("null", Tree::Null),
            Some(b'-' | b'0'..=b'9') => self.number().map(Tree::Number),
            Some(_) => self.fail("expected a value"),
            None => self.fail("the document ends where a value is expected"),
        }
    }

    fn object(&mut self) -> Result<Tree, Flaw> {
        self.open()?;
        let mut members = Members::default();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.close();
            return Ok(Tree::Object(members.list));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.fail("expected a member name in double quotes");
            }
            self.at += 1;
            let name = self.string()?;
            if is_longer(&name.value, NAME_CHARS_MAX) {
                return self.fail("the member name is longer than 50,000 characters");
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return self.fail("expected a colon behind a member name");
            }
            self.at += 1;
            self.skip_space();
            let value = self.value()?;
            members.put(name, value);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.close();
                    return Ok(Tree::Object(members.list));
                }
                _ => return self.fail("expected a comma or the end of the object"),
            }
        }
    }

    fn array(&mut self) -> Result<Tree, Flaw> {
        self.open()?;
        let mut elements = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.close();
            return Ok(Tree::Array(elements));
        }
        loop {
            self.skip_space();
            elements.push(self.value()?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.close();
                    return Ok(Tree::Array(elements));
                }
                _ => return self.fail("expected a comma or the end of the array"),
            }
        }
    }

    fn open(&mut self) -> Result<(), Flaw> {
        self.depth += 1;
        if self.depth > NESTING_DEPTH_MAX {
            return self.fail("the document nests deeper than 1000 levels");
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    fn word(&mut self, word: &'static str, value: Tree) -> Result<Tree, Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return self.fail("expected true, false or null");
        }
        self.at += word.len();
        // Jackson refuses a word that goes on as an identifier.
        match self.peek() {
            Some(b) if b.is_ascii_alphanumeric() || matches!(b, b'_' | 0x7f..) => {
                self.fail("expected true, false or null")
            }
            _ => Ok(value),
        }
    }

    fn number(&mut self) -> Result<Number, Flaw> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits()?;
        let zeros = self.bytes[self.at - whole..self.at]
            .iter()
            .take_while(|b| **b == b'0')
            .count();
        let mut count = whole - zeros.min(whole - 1);
        let mut integral = true;
        if self.peek() == Some(b'.') {
            integral = false;
            self.at += 1;
            count += self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integral = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            count += self.digits()?;
        }
        if count > NUMBER_CHARS_MAX {
            return self.fail("the number is longer than 1000 characters");
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        if !integral && crate::data::Decimal::parse(text).is_none() {
            return self.fail("the number's exponent is out of range");
        }
        Ok(Number {
            text: text.into(),
            integral,
        })
    }

    /// A word that is a number. Whole numbers it is none of.
    fn number_word(&mut self) -> Option<Number> {
        let rest = self.bytes.get(self.at..)?;
        if !matches!(rest.first(), Some(b'N' | b'I' | b'+' | b'-')) {
            return None;
        }
        let words = NUMBER_WORDS.iter();
        let (word, meaning) = words.rev().find(|(word, _)| {
            rest.strip_prefix(word.as_bytes())
                .is_some_and(|behind| !behind.first().is_some_and(u8::is_ascii_alphanumeric))
        })?;
        self.at += word.len();
        Some(Number {
            text: (*meaning).into(),
            integral: false,
        })
    }

    fn digits(&mut self) -> Result<usize, Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return self.fail("expected a digit");
        }
        self.at += count;
        Ok(count)
    }

    /// Reads a string behind its opening quote.
    fn string(&mut self) -> Result<Text, Flaw> {
        let mut text = Text::default();
        // The first half of a surrogate pair that waits for its second, and where it stood.
        let mut high: Option<u32> = None;
        loop {
            let (unit, escaped) = match self.peek() {
                None => return self.fail("the document ends inside a string"),
                Some(b'"') => {
                    self.at += 1;
                    if high.is_some() {
                        text.flaw.get_or_insert(Difference::LoneSurrogate);
                    }
                    if is_longer(&text.value, STRING_CHARS_MAX) {
                        return self.fail("the string is longer than 20,000,000 characters");
                    }
                    return Ok(text);
                }
                Some(b'\\') => (self.escape()?, true),
                Some(0..0x20) => return self.fail("a control character must be escaped"),
                Some(_) => (self.character(&mut text)?, false),
            };
            if escaped && let Some(first) = high.take() {
                if (0xdc00..0xe000).contains(&unit) {
                    let pair = 0x10000 + ((first - 0xd800) << 10) + (unit - 0xdc00);
                    text.value.extend(char::from_u32(pair));
                    continue;
                }
                text.flaw.get_or_insert(Difference::LoneSurrogate);
            } else if high.take().is_some() {
                text.flaw.get_or_insert(Difference::LoneSurrogate);
            }
            match char::from_u32(unit) {
                Some(c) => text.value.push(c),
                None if escaped && (0xd800..0xdc00).contains(&unit) => high = Some(unit),
                None => {
                    text.flaw.get_or_insert(Difference::LoneSurrogate);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u32, Flaw> {
        self.at += 1;
        let plain = match self.peek() {
            Some(b'b') => 8,
            Some(b't') => 9,
            Some(b'n') => 10,
            Some(b'f') => 12,
            Some(b'r') => 13,
            Some(c @ (b'"' | b'\\' | b'/')) => c.into(),
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 1..self.at + 5);
                let unit = digits.and_then(|digits| {
                    digits
                        .iter()
                        .try_fold(0, |sum, b| Some(sum * 16 + char::from(*b).to_digit(16)?))
                });
                let Some(unit) = unit else {
                    return self.fail("expected four hexadecimal digits");
                };
                self.at += 5;
                return Ok(unit);
            }
            _ => return self.fail("unknown escape in a string"),
        };
        self.at += 1;
        Ok(plain)
    }

    /// One character of UTF-8 by Jackson's rules: overlong forms are read, surrogates are not.
    fn character(&mut self, text: &mut Text) -> Result<u32, Flaw> {
        let lead = self.peek().unwrap_or_default();
        let (length, bits) = match lead {
            0..0x80 => (1, u32::from(lead)),
            0xc0..0xe0 => (2, u32::from(lead & 0x1f)),
            0xe0..0xf0 => (3, u32::from(lead & 0x0f)),
            0xf0..0xf8 => (4, u32::from(lead & 0x07)),
            _ => return self.fail("invalid UTF-8 start byte"),
        };
        let Some(tail) = self.bytes.get(self.at + 1..self.at + length) else {
            return self.fail("the document ends inside a character");
        };
        if tail.iter().any(|b| b & 0xc0 != 0x80) {
            return self.fail("invalid UTF-8 middle byte");
        }
        let unit = tail
            .iter()
            .fold(bits, |sum, b| (sum << 6) | u32::from(b & 0x3f));
        if (0xd800..0xe000).contains(&unit) {
            return self.fail("surrogates must not be encoded in UTF-8");
        }
        self.at += length;
        if length == 4 && !(0x10000..0x11_0000).contains(&unit) {
            text.flaw.get_or_insert(Difference::BeyondUnicode);
            return Ok(0);
        }
        Ok(unit)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Flaw> {
        Err(Flaw { what, at: self.at })
    }
}

/// Whether a text has more than `limit` characters as Java counts them: units of UTF-16.
fn is_longer(text: &str, limit: usize) -> bool {
    text.len() > limit && text.encode_utf16().count() > limit
}

/// Members of an object: of equal names the last value stays, at the place of the first.
#[derive(Default)]
struct Members {
    list: Vec<(Text, Tree)>,
    /// Filled once there are too many to look through one by one.
    places: HashMap<String, usize>,
}

/// Up to this many members are compared one by one.
const LINEAR_MEMBERS_MAX: usize = 16;

impl Members {
    fn put(&mut self, name: Text, value: Tree) {
        if name.flaw.is_some() {
            self.list.push((name, value));
            return;
        }
        let known = if self.list.len() <= LINEAR_MEMBERS_MAX {
            self.list
                .iter()
                .position(|(key, _)| key.flaw.is_none() && key.value == name.value)
        } else {
            if self.places.is_empty() {
                let names = self.list.iter().enumerate();
                self.places = names
                    .map(|(place, (key, _))| (key.value.clone(), place))
                    .collect();
            }
            self.places.get(&name.value).copied()
        };
        if let Some(place) = known {
            self.list[place].1 = value;
            return;
        }
        if !self.places.is_empty() {
            self.places.insert(name.value.clone(), self.list.len());
        }
        self.list.push((name, value));
    }
}

/// Finds out the encoding by byte order mark or by the zeros of the first characters, as Jackson does.
fn to_utf8(document: &[u8]) -> Result<Cow<'_, [u8]>, Flaw> {
    const MIXED: Flaw = Flaw {
        what: "UTF-32 with mixed byte order",
        at: 0,
    };
    match document {
        [0, 0, 0xfe, 0xff, rest @ ..] => utf_32(rest, u32::from_be_bytes),
        [0xff, 0xfe, 0, 0, rest @ ..] => utf_32(rest, u32::from_le_bytes),
        [0, 0, 0xff, 0xfe, ..] | [0xfe, 0xff, 0, 0, ..] => Err(MIXED),
        [0xfe, 0xff, rest @ ..] if document.len() >= 4 => Ok(utf_16(rest, u16::from_be_bytes)),
        [0xff, 0xfe, rest @ ..] if document.len() >= 4 => Ok(utf_16(rest, u16::from_le_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] if document.len() >= 4 => Ok(Cow::Borrowed(rest)),
        [0, 0, 0, _, ..] => utf_32(document, u32::from_be_bytes),
        [_, 0, 0, 0, ..] => utf_32(document, u32::from_le_bytes),
        [0, _, 0, 0, ..] | [0, 0, _, 0, ..] => Err(MIXED),
        [0, _, ..] => Ok(utf_16(document, u16::from_be_bytes)),
        [_, 0, ..] => Ok(utf_16(document, u16::from_le_bytes)),
        _ => Ok(Cow::Borrowed(document)),
    }
}

fn utf_16(bytes: &[u8], order: fn([u8; 2]) -> u16) -> Cow<'_, [u8]> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| order(*pair));
    let mut text: String = char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Cow::Owned(text.into_bytes())
}

fn utf_32(bytes: &[u8], order: fn([u8; 4]) -> u32) -> Result<Cow<'_, [u8]>, Flaw> {
    const BAD: &str = "invalid UTF-32";
    let (quads, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Flaw {
            what: BAD,
            at: bytes.len(),
        });
    }
    let text: Option<String> = quads
        .iter()
        .map(|quad| char::from_u32(order(*quad)))
        .collect();
    text.map(|text| Cow::Owned(text.into_bytes()))
        .ok_or(Flaw { what: BAD, at: 0 })
}

/// Length of `{"schema":…,"payload":` in front of the payload, when the document is UTF-8 and begins with that.
pub(crate) fn envelope_front(document: &[u8]) -> Option<usize> {
    if document.first() != Some(&b'{') || document.get(1) == Some(&0) {
        return None;
    }
    let mut reader = Reader {
        bytes: document,
        at: 1,
        depth: 1,
        words: NumberWords::Refused,
    };
    reader.skip_space();
    reader.name("schema")?;
    reader.skip_space();
    reader.value().ok()?;
    reader.skip_space();
    if reader.peek() != Some(b',') {
        return None;
    }
    reader.at += 1;
    reader.skip_space();
    reader.name("payload")?;
    Some(reader.at)
}

impl Reader<'_> {
    /// Steps over that member name and its colon.
    fn name(&mut self, name: &str) -> Option<()> {
        let rest = self
            .bytes
            .get(self.at..)?
            .strip_prefix(b"\"")?
            .strip_prefix(name.as_bytes())?;
        rest.strip_prefix(b"\"")?;
        self.at += name.len() + 2;
        self.skip_space();
        (self.peek() == Some(b':')).then(|| self.at += 1)
    }
}
