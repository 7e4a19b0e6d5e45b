//! [`Json`]: a JSON value as Java's libraries hold one.

mod read;
mod write;

use std::fmt;

use num_bigint::BigInt;

pub(crate) use read::{Comments, Document, document, read};

/// A JSON value with Jackson's kinds of numbers; members keep their order.
///
/// Schema texts live on it: which kind of number a value has decides how it is printed (`1e10` is read as a double
/// and printed as `1.0E10`). `Display` gives the text that Avro's Java library prints.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number without point and exponent that fits into 64 bits (`IntNode`, `LongNode`).
    Integer(i64),
    /// A longer one (`BigIntegerNode`).
    BigInteger(BigInt),
    /// A number with a point or an exponent (`DoubleNode`).
    Double(f64),
    /// A 32-bit number; no reader makes one, Connect defaults do (`FloatNode`).
    Float(f32),
    /// Text.
    Text(Box<str>),
    /// Values in order.
    Array(Vec<Self>),
    /// Members in order; no two have one name.
    Object(Vec<(Box<str>, Self)>),
}

impl Json {
    /// A member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .find(|(key, _)| &**key == name)
            .map(|(_, value)| value)
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::BigInteger(_)
            | Self::Double(_)
            | Self::Float(_)
            | Self::Array(_)
            | Self::Object(_) => None,
        }
    }

    /// The number, if it is an integer of 32 bits (`IntNode`).
    #[must_use]
    pub fn as_i32(&self) -> Option<i32> {
        match self {
            Self::Integer(value) => i32::try_from(*value).ok(),
            Self::Null
            | Self::Boolean(_)
            | Self::BigInteger(_)
            | Self::Double(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Array(_)
            | Self::Object(_) => None,
        }
    }

    /// Appends the text without white space, as `Schema.toString` writes values: numbers in Java's form, in texts
    /// `"`, `\` and control characters escaped and nothing else, numbers that are not finite in quotes.
    pub fn write(&self, out: &mut String) {
        write::json(self, out);
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// Appends a JSON string with its quotes, escaped as Jackson's character writer does.
pub(crate) fn write_text(text: &str, out: &mut String) {
    write::text(text, out);
}
