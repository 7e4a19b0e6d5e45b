//! [`Headers`]: the headers of a Connect record, ordered, duplicate names allowed.

use super::{Schema, SchemaAndValue, check};
use crate::error::Error;

/// One header: a name and a datum.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    name: Box<str>,
    datum: SchemaAndValue,
}

impl Header {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Value and schema.
    #[must_use]
    pub const fn datum(&self) -> &SchemaAndValue {
        &self.datum
    }
}

/// Headers of a Connect record: `org.apache.kafka.connect.header.ConnectHeaders`.
///
/// ```
/// use ferroconnect_converters::data::Headers;
///
/// let mut headers = Headers::new();
/// headers.push("trace", "a");
/// headers.push("trace", "b");
/// assert_eq!(headers.last("trace").map(|h| h.datum().value().as_str()), Some(Some("b")));
/// headers.remove("trace");
/// assert!(headers.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers(Vec<Header>);

impl Headers {
    /// No headers; does not allocate.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a header at the end; its datum is taken as it is.
    pub fn push(&mut self, name: &str, datum: impl Into<SchemaAndValue>) -> &mut Self {
        self.0.push(Header {
            name: name.into(),
            datum: datum.into(),
        });
        self
    }

    /// Adds a header whose value is checked against its schema, as `ConnectHeaders.add`.
    ///
    /// # Errors
    /// Data fault when the value does not fit the schema.
    pub fn push_checked(
        &mut self,
        name: &str,
        schema: Schema,
        datum: impl Into<SchemaAndValue>,
    ) -> Result<&mut Self, Error> {
        let datum = datum.into().with_schema(Some(schema.clone()));
        check::check(&schema, datum.value())?;
        Ok(self.push(name, datum))
    }

    /// Number of headers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All headers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Header> {
        self.0.iter()
    }

    /// All headers of a name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Header> {
        self.0.iter().filter(move |header| &*header.name == name)
    }

    /// The newest header of a name.
    #[must_use]
    pub fn last(&self, name: &str) -> Option<&Header> {
        self.0.iter().rev().find(|header| &*header.name == name)
    }

    /// Removes all headers of a name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|header| &*header.name != name);
    }

    /// Keeps only the newest header of a name.
    pub fn retain_latest(&mut self, name: &str) {
        if let Some(last) = self.0.iter().rposition(|header| &*header.name == name) {
            let mut index = 0;
            self.0.retain(|header| {
                index += 1;
                &*header.name != name || index - 1 == last
            });
        }
    }

    /// Removes all headers.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
