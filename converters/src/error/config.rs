//! Kinds of converter configuration.

use std::fmt;

use crate::config::Problems;
use crate::differs::Difference;

#[derive(Debug)]
pub(crate) enum Kind {
    /// Every key that is wrong.
    Problems(Problems),
    /// Keys that are known and need what only a JVM has.
    Unsupported(Problems),
    /// An encoding name that no Java charset we know has.
    UnsupportedEncoding { name: Box<str> },
}

impl Kind {
    pub(crate) const fn difference(&self) -> Option<Difference> {
        match self {
            Self::Unsupported(_) => Some(Difference::UnsupportedSetting),
            Self::Problems(_) | Self::UnsupportedEncoding { .. } => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) | Self::Unsupported(problems) => problems.fmt(f),
            Self::UnsupportedEncoding { name } => write!(
                f,
                "Unsupported encoding {name}. Known are UTF-8, US-ASCII, ISO-8859-1, UTF-16, UTF-16BE, UTF-16LE, \
                 UTF-32 and the Windows, ISO-8859, KOI8, Chinese, Japanese and Korean code pages"
            ),
        }
    }
}
