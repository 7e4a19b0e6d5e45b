//! Kinds of converter configuration.

use std::fmt;

use crate::config::Problems;

#[derive(Debug)]
pub(crate) enum Kind {
    /// Every key that is wrong.
    Problems(Problems),
    /// An encoding name that no Java charset we know has.
    UnsupportedEncoding { name: Box<str> },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) => problems.fmt(f),
            Self::UnsupportedEncoding { name } => write!(
                f,
                "Unsupported encoding {name}. Known are UTF-8, US-ASCII, ISO-8859-1, UTF-16, UTF-16BE, UTF-16LE, \
                 UTF-32 and the Windows, ISO-8859, KOI8, Chinese, Japanese and Korean code pages"
            ),
        }
    }
}
