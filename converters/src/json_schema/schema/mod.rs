//! [`JsonSchema`]: a schema text with everything it refers to, as the converter and the comparison see it.

use crate::error::Error;

/// A schema and what it refers to.
#[derive(Debug)]
pub struct JsonSchema {}

impl JsonSchema {
    /// Reads a text; `references` are other texts by the names that `$ref` uses.
    pub(crate) fn parse(
        _text: &str,
        _references: &[(&str, &str)],
        _ignore_modern_dialects: bool,
    ) -> Result<Self, Error> {
        Ok(Self {})
    }

    /// `title` of the root.
    pub(crate) const fn title(&self) -> Option<&str> {
        None
    }
}
