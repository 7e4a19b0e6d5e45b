//! Why a node could not do what it was told.

use std::fmt;

/// What went wrong, in words for the person who runs the tests.
#[derive(Debug)]
pub struct NodeError(String);

impl NodeError {
    pub(crate) fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for NodeError {}

/// Says what was tried when an input or output operation fails.
pub(crate) trait Trying<T> {
    fn trying(self, what: &str) -> Result<T, NodeError>;
}

impl<T> Trying<T> for std::io::Result<T> {
    fn trying(self, what: &str) -> Result<T, NodeError> {
        self.map_err(|error| NodeError::new(format!("cannot {what}: {error}")))
    }
}
