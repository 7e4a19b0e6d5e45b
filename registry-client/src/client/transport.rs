//! [`Transport`]: one request to one registry, and its answer.

use std::fmt;

use bytes::Bytes;

/// How a request gets to a registry and its answer back: over HTTP, or within the process.
///
/// A transport belongs to one registry node and tries once; turning to another node, waiting and trying again are the client's.
#[async_trait::async_trait]
pub trait Transport: Send + Sync + fmt::Debug {
    /// Sends a request and waits for the whole answer. Any HTTP status is an answer.
    ///
    /// Dropping the future is allowed at any time and takes nothing back.
    ///
    /// # Errors
    /// No answer, or one that cannot be taken whole.
    async fn send(&self, request: Request) -> Result<Response, TransportError>;

    /// The node's name in messages: host and port, never with credentials.
    fn node(&self) -> &str;
}

/// A request of the registry's REST interface.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "fixed by HTTP")]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Path and query, percent-encoded, from the slash on: `/subjects/a%2Fb/versions?normalize=false`.
    pub target: String,
    /// Names and values. A name stands once; names are compared without regard to case.
    pub headers: Vec<(String, String)>,
    /// The body, JSON; empty for none.
    pub body: Bytes,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// Shows no header values: credentials are among them.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("target", &self.target)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// What a registry answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "fixed by HTTP")]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Names and values; values that are no text are left out.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
}

impl Response {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut found = headers.iter();
    found
        .find(|(given, _)| given.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// The methods that the registry's REST interface knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[expect(clippy::exhaustive_enums, reason = "those of the registry's interface")]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `DELETE`.
    Delete,
}

impl Method {
    /// The name in a request line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "what the client tells apart")]
pub enum TransportError {
    /// Refused, cut, timed out: another try or another node may help. What happened, without the node's name.
    Broken(String),
    /// The answer is longer than so many bytes.
    TooLarge(usize),
    /// The node is not whom the client trusts, or does not trust the client: an operator must change something.
    Untrusted(String),
}
