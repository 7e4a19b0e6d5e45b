//! `sasl.jaas.config`: the text of one login module with its options.
//!
//! The grammar is that of Kafka's `JaasConfig`, which reads with Java's `StreamTokenizer`: words, quoted texts with escapes, comments
//! with `/`, `//` and `/* */`, and an entry `class flag key="value" … ;`. Every text has an answer, and no answer shows the text: a
//! missing quote must not put a password into a log.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use crate::Secret;

/// A login module with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JaasEntry {
    /// Java class of the login module.
    pub module: String,
    /// Its options; of two with one name the last counts.
    pub options: BTreeMap<String, Secret>,
}

/// Why a text is not the configuration of one login module. Shows nothing of the text but names of options that Kafka itself uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JaasError {
    /// There is no login module.
    NoModule,
    /// The control flag is missing.
    NoControlFlag,
    /// The control flag is none of Java's four.
    WrongControlFlag,
    /// An option has no value, or one that has to be quoted; its name, if Kafka knows it.
    NoValue(Option<&'static str>),
    /// An option's name is not a word.
    NoKey,
    /// The semicolon at the end is missing.
    NotTerminated,
    /// There are several login modules.
    Several(usize),
    /// It is longer than anything sensible.
    TooLong,
}

impl fmt::Display for JaasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModule => f.write_str("Login module not specified in JAAS config"),
            Self::NoControlFlag => f.write_str("Login module control flag not specified in JAAS config; write 'required' after the login module"),
            Self::WrongControlFlag => f.write_str("Invalid login module control flag in JAAS config; write 'required' after the login module"),
            Self::NoValue(Some(key)) => write!(f, "Value not specified for key '{key}' in JAAS config; write {key}=\"…\", in quotes"),
            Self::NoValue(None) => f.write_str("Value not specified for a key in JAAS config; write key=\"value\", in quotes, and a quote within as \\\""),
            Self::NoKey => f.write_str("JAAS config has something other than key=\"value\" after the control flag; check the quotes"),
            Self::NotTerminated => f.write_str("JAAS config entry not terminated by semi-colon; write ; at the end"),
            Self::Several(count) => write!(f, "JAAS config property contains {count} login modules, should be 1 module"),
            Self::TooLong => write!(f, "JAAS config is longer than {JAAS_CHARS_MAX} characters"),
        }
    }
}

impl std::error::Error for JaasError {}

/// Reads the configuration of exactly one login module.
///
/// # Errors
/// Everything that Kafka's `JaasConfig` refuses, and several login modules.
///
/// ```
/// use ferroconnect_registry_client::jaas;
/// let entry = jaas::parse(r#"org.acme.Login required username="me" password="it's \"it\"";"#).unwrap();
/// assert_eq!(entry.module, "org.acme.Login");
/// assert_eq!(entry.options["password"].reveal(), r#"it's "it""#);
/// ```
pub fn parse(text: &str) -> Result<JaasEntry, JaasError> {
    if text.chars().nth(JAAS_CHARS_MAX).is_some() {
        return Err(JaasError::TooLong);
    }
    let mut tokens = Tokens {
        chars: text.chars().peekable(),
    };
    let mut entries = Vec::new();
    while let Some(first) = tokens.next() {
        entries.push(entry(&first, &mut tokens)?);
    }
    let count = entries.len();
    match entries.pop() {
        None => Err(JaasError::NoModule),
        Some(entry) if count == 1 => Ok(entry),
        Some(_) => Err(JaasError::Several(count)),
    }
}

fn entry(first: &Token, tokens: &mut Tokens<'_>) -> Result<JaasEntry, JaasError> {
    let Token::Text(module) = first else {
        return Err(JaasError::NoModule);
    };
    match tokens.next() {
        None => return Err(JaasError::NoControlFlag),
        Some(Token::Text(flag))
            if CONTROL_FLAGS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(&flag)) => {}
        Some(Token::Text(_) | Token::Number | Token::Sign(_)) => {
            return Err(JaasError::WrongControlFlag);
        }
    }
    let mut options = BTreeMap::new();
    loop {
        let key = match tokens.next() {
            None => return Err(JaasError::NotTerminated),
            Some(Token::Sign(';')) => break,
            Some(Token::Text(key)) => key,
            Some(Token::Number | Token::Sign(_)) => return Err(JaasError::NoKey),
        };
        let pair = (tokens.next(), tokens.next());
        let (Some(Token::Sign('=')), Some(Token::Text(value))) = pair else {
            return Err(JaasError::NoValue(known_option(&key)));
        };
        options.insert(key, Secret::new(&value));
    }
    Ok(JaasEntry {
        module: module.clone(),
        options,
    })
}

/// Options that may be named in an error: a text in their place may be a password whose quotes are wrong.
fn known_option(key: &str) -> Option<&'static str> {
    KNOWN_OPTIONS.iter().copied().find(|known| *known == key)
}

/// What `StreamTokenizer` gives.
#[derive(PartialEq, Eq)]
enum Token {
    /// A word or a quoted text.
    Text(String),
    /// A number, which has no text in Java.
    Number,
    /// Any other character.
    Sign(char),
}

struct Tokens<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let c = self.chars.next()?;
            match c {
                '\0'..=' ' => {}
                '/' => self.comment(),
                '"' | '\'' => return Some(Token::Text(self.quoted(c))),
                '0'..='9' | '.' | '-' => {
                    while self
                        .chars
                        .next_if(|c| c.is_ascii_digit() || *c == '.')
                        .is_some()
                    {}
                    return Some(Token::Number);
                }
                c if is_word(c) => {
                    let mut word = String::from(c);
                    while let Some(c) = self
                        .chars
                        .next_if(|c| is_word(*c) || c.is_ascii_digit() || matches!(c, '.' | '-'))
                    {
                        word.push(c);
                    }
                    return Some(Token::Text(word));
                }
                c => return Some(Token::Sign(c)),
            }
        }
    }
}

impl Tokens<'_> {
    /// The slash was read: skips `/* … */`, or else what is left of the line.
    fn comment(&mut self) {
        if self.chars.next_if_eq(&'*').is_some() {
            let mut last = ' ';
            for c in self.chars.by_ref() {
                if last == '*' && c == '/' {
                    return;
                }
                last = c;
            }
            return;
        }
        while self.chars.next_if(|c| !matches!(c, '\n' | '\r')).is_some() {}
    }

    /// The opening quote was read: the text up to the closing one or to the end of the line.
    fn quoted(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| !matches!(c, '\n' | '\r')) {
            match c {
                c if c == quote => break,
                '\\' => match self.chars.next() {
                    Some(escaped) => text.push(self.escape(escaped)),
                    None => break,
                },
                c => text.push(c),
            }
        }
        text
    }

    /// The backslash and `c` were read.
    fn escape(&mut self, c: char) -> char {
        match c {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0'..='7' => {
                // Up to three octal digits, and 377 at most.
                let digits = if c <= '3' { 2 } else { 1 };
                let mut code = c.to_digit(8).unwrap_or(0);
                for _ in 0..digits {
                    match self.chars.next_if(|c| c.is_digit(8)) {
                        Some(next) => code = code * 8 + next.to_digit(8).unwrap_or(0),
                        None => break,
                    }
                }
                char::from_u32(code).unwrap_or('\0')
            }
            other => other,
        }
    }
}

/// Letters of words: `StreamTokenizer`'s own and the three that Kafka adds.
fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$') || c >= '\u{a0}'
}

/// A token of a long-lived service account is a few thousand characters.
const JAAS_CHARS_MAX: usize = 64 * 1024;
const CONTROL_FLAGS: [&str; 4] = ["required", "requisite", "sufficient", "optional"];
const KNOWN_OPTIONS: [&str; 6] = [
    "username",
    "password",
    "tokenauth",
    "clientId",
    "clientSecret",
    "scope",
];

#[cfg(test)]
mod tests;
