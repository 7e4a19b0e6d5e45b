//! Characters and words of a `.proto` text.

use crate::error::{Error, protobuf_schema::Kind};

/// A cursor over a text. Space and comments are skipped in front of whatever is read.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Where the cursor is: an offset in bytes.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// Moves the cursor to where it was.
    pub(super) const fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error at the cursor.
    pub(super) fn error(&self, what: impl Into<Box<str>>) -> Error {
        self.error_at(self.at, what)
    }

    /// An error at an offset.
    #[cold]
    pub(super) fn error_at(&self, at: usize, what: impl Into<Box<str>>) -> Error {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].encode_utf16().count() + 1;
        let what = what.into();
        Kind::Syntax { line, column, what }.into()
    }

    /// Whether nothing but space and comments is left.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Error> {
        self.skip()?;
        Ok(self.rest().is_empty())
    }

    fn skip(&mut self) -> Result<(), Error> {
        loop {
            let space = [' ', '\t', '\r', '\n'];
            let rest = self.rest().trim_start_matches(space);
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('/') {
                return Ok(());
            }
            self.comment()?;
        }
    }

    fn comment(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(body) = rest.strip_prefix("/*") {
            match body.find("*/") {
                Some(end) => end + 4,
                None => return Err(self.error("unterminated comment")),
            }
        } else {
            return Err(self.error("unexpected '/'"));
        };
        self.at += length;
        Ok(())
    }

    /// The next character, which is left in place.
    pub(super) fn peek(&mut self) -> Result<char, Error> {
        self.skip()?;
        let next = self.rest().chars().next();
        next.ok_or_else(|| self.error("unexpected end of file"))
    }

    /// Consumes the next character.
    pub(super) fn character(&mut self) -> Result<char, Error> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Ok(next)
    }

    /// Consumes the next character if it is `wanted`.
    pub(super) fn eat(&mut self, wanted: char) -> Result<bool, Error> {
        let found = self.peek()? == wanted;
        if found {
            self.at += wanted.len_utf8();
        }
        Ok(found)
    }

    pub(super) fn require(&mut self, wanted: char) -> Result<(), Error> {
        match self.character()? {
            found if found == wanted => Ok(()),
            found => Err(self.error(format!("expected '{wanted}' but was '{found}'"))),
        }
    }

    /// Letters, digits, `_`, `-` and `.`: names, numbers and keywords alike.
    pub(super) fn word(&mut self) -> Result<&'a str, Error> {
        self.skip()?;
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error("expected a word"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// A word that does not begin with a digit: the name of a field or an enum value.
    pub(super) fn identifier(&mut self) -> Result<&'a str, Error> {
        let word = self.word()?;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let at = self.at - word.len();
            let what = "field and constant names cannot start with a digit";
            return Err(self.error_at(at, what));
        }
        Ok(word)
    }

    /// A word that may stand in parentheses or brackets.
    pub(super) fn name(&mut self) -> Result<&'a str, Error> {
        let close = match self.peek()? {
            '(' => ')',
            '[' => ']',
            _ => return self.word(),
        };
        self.at += 1;
        let word = self.word()?;
        if self.character()? == close {
            Ok(word)
        } else {
            Err(self.error(format!("expected '{close}'")))
        }
    }

    /// A number of 32 bits. A leading 0 means nothing; `0x` means base 16.
    pub(super) fn int(&mut self) -> Result<i32, Error> {
        let word = self.word()?;
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let number = match hex {
            Some(digits) => i32::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| self.error(format!("expected an integer but was {word}")))
    }

    /// The last number of a range: `max` or a decimal number.
    pub(super) fn range_end(&mut self, max: i32) -> Result<i32, Error> {
        match self.word()? {
            "max" => Ok(max),
            word => word
                .parse()
                .map_err(|_| self.error(format!("expected an integer but was {word}"))),
        }
    }

    /// A quoted text without its escapes; adjacent ones are one.
    pub(super) fn quoted(&mut self) -> Result<String, Error> {
        let mut quote = self.character()?;
        if !matches!(quote, '"' | '\'') {
            return Err(self.error("expected a quoted string"));
        }
        let mut out = String::new();
        loop {
            let Some(next) = self.raw() else {
                return Err(self.error("unterminated string"));
            };
            if next == quote {
                match self.peek()? {
                    again @ ('"' | '\'') => {
                        self.at += 1;
                        quote = again;
                    }
                    _ => return Ok(out),
                }
            } else if next == '\\' {
                out.push(self.escape()?);
            } else {
                out.push(next);
            }
        }
    }

    /// The next character as it is, inside of quotes.
    fn raw(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn escape(&mut self) -> Result<char, Error> {
        let Some(escaped) = self.raw() else {
            return Err(self.error("unexpected end of file"));
        };
        Ok(match escaped {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' | 'X' => self.numeric(16, 2)?,
            '0'..='7' => {
                self.at -= 1;
                self.numeric(8, 3)?
            }
            other => other,
        })
    }

    fn numeric(&mut self, radix: u32, most: usize) -> Result<char, Error> {
        let digits = self.rest().chars().take(most);
        let digits: Vec<u32> = digits.map_while(|c| c.to_digit(radix)).collect();
        self.at += digits.len();
        let value = digits.iter().fold(0, |value, digit| value * radix + digit);
        char::from_u32(value)
            .filter(|_| !digits.is_empty())
            .ok_or_else(|| self.error("expected a digit after \\x or \\X"))
    }

    /// A comment behind a statement on its line. A `/* */` one ends the line: nothing else may follow there.
    pub(super) fn trailing_comment(&mut self) -> Result<(), Error> {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        self.at = self.text.len() - rest.len();
        if !rest.starts_with('/') {
            return Ok(());
        }
        self.comment()?;
        if rest.starts_with("//") {
            return Ok(());
        }
        let rest = self.rest().trim_start_matches([' ', '\t']);
        self.at = self.text.len() - rest.len();
        match rest.chars().next() {
            None | Some('\n') => Ok(()),
            Some(_) => Err(self.error("no syntax may follow trailing comment")),
        }
    }
}
