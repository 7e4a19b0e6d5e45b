//! [`Tokens`]: a text cut at its delimiters.

use std::borrow::Cow;

/// Cuts a text at every delimiter that no backslash escapes; a delimiter is a token of its own.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    /// Where reading goes on.
    at: usize,
    /// A token that was looked at but not taken; it ends at `at`.
    peeked: Option<&'t str>,
}

impl<'t> Tokens<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            peeked: None,
        }
    }

    /// Where the next token begins.
    pub(super) fn mark(&self) -> usize {
        self.at - self.peeked.map_or(0, str::len)
    }

    /// Goes back to a mark.
    pub(super) fn rewind(&mut self, mark: usize) {
        self.at = mark;
        self.peeked = None;
    }

    pub(super) fn has_next(&self) -> bool {
        self.peeked.is_some() || self.at < self.text.len()
    }

    /// What follows the tokens that were taken.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.mark()..).unwrap_or_default()
    }

    /// Takes a token; at the end it is empty.
    pub(super) fn next(&mut self) -> &'t str {
        match self.peeked.take() {
            Some(token) => token,
            None => self.cut(),
        }
    }

    /// Takes `count` tokens as one text; takes none when there are fewer.
    pub(super) fn next_joined(&mut self, count: usize) -> Option<&'t str> {
        let start = self.mark();
        for _ in 0..count {
            if !self.has_next() {
                self.rewind(start);
                return None;
            }
            self.next();
        }
        self.text.get(start..self.at)
    }

    /// Takes the next token when it is `expected`; blanks around it do not matter.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        while let Some(token) = self.peek() {
            if !trim(token).is_empty() || self.at >= self.text.len() {
                break;
            }
            self.peeked = None;
        }
        self.take_if(|token| trim(token) == expected)
    }

    /// Takes the next token when it is exactly `expected`.
    pub(super) fn take_exactly(&mut self, expected: &str) -> bool {
        self.take_if(|token| token == expected)
    }

    fn take_if(&mut self, is_expected: impl FnOnce(&str) -> bool) -> bool {
        let taken = self.peek().is_some_and(is_expected);
        if taken {
            self.peeked = None;
        }
        taken
    }

    fn peek(&mut self) -> Option<&'t str> {
        if self.peeked.is_none() && self.at < self.text.len() {
            self.peeked = Some(self.cut());
        }
        self.peeked
    }

    fn cut(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut escaped = false;
        let mut end = rest.len();
        for (index, byte) in rest.bytes().enumerate() {
            match byte {
                b'\\' => escaped = !escaped,
                b':' | b',' | b'{' | b'}' | b'[' | b']' | b'"' if !escaped => {
                    end = index.max(1);
                    break;
                }
                _ => escaped = false,
            }
        }
        self.at += end;
        // Delimiters are ASCII, so a cut lies on a character boundary.
        rest.get(..end).unwrap_or_default()
    }
}

/// `String.trim`: everything up to and including the space.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// The zeros of the decimal digits that `Character.isDigit` knows in the basic plane, beyond ASCII.
const ZEROS: [u32; 36] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
    0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// `Character.digit(c, 10)`.
pub(super) fn digit(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c);
    }
    let code = u32::from(c);
    let zero = ZEROS
        .iter()
        .find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

/// The text with digits of all scripts as ASCII ones, as Java's number parsers read them.
pub(super) fn ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| digit(c).unwrap_or(c)).collect()
}
