//! Kinds of the faces that ask the registry for a converter.

use std::fmt;

use super::Fault;

#[derive(Debug)]
pub(crate) enum Kind {
    /// A converter that is never satisfied.
    TooManyRounds { limit: usize },
    /// A converter that misses something and does not say what.
    NotListed,
}

impl Kind {
    #[expect(clippy::unused_self, reason = "the kinds of all modules answer this")]
    pub(crate) const fn fault(&self) -> Fault {
        Fault::Plugin
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyRounds { limit } => write!(
                f,
                "the converter still asks the schema registry for more after {limit} rounds of answers"
            ),
            Self::NotListed => f.write_str(
                "the converter misses an answer of the schema registry and does not list the question",
            ),
        }
    }
}
