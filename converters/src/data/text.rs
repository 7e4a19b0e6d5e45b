//! The text form of values and its tolerant parser: `org.apache.kafka.connect.data.Values`, what header values travel as.
//!
//! [`write()`] prints any value; [`parse()`] guesses what a text stands for. The guess is the JVM's: digits become the narrowest integer,
//! fractions a float, `[…]` and `{…}` arrays and maps, three exact patterns dates and times (in UTC), and everything else stays text.
//! The parser is total: whatever it cannot read is text.
//!
//! One deliberate difference, [`TrailingHeaderText`](crate::differs::Difference::TrailingHeaderText): where the JVM reads a
//! prefix and drops the rest (`8080:80` becomes 8080), the whole text stays text.

pub mod convert;
mod parse;
mod temporal;
mod tokens;
mod write;

pub use parse::{Parsed, parse};
pub use write::write;

#[cfg(test)]
mod tests;
