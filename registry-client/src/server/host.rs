//! Whoever owns a registry and answers requests for it.

use std::fmt;

use bytes::Bytes;

use super::{Request, Response};

/// Answers requests, one after the other or many at a time: a registry with its journal, or one that plays a part in a test.
#[async_trait::async_trait]
pub trait Host: Send + Sync + fmt::Debug {
    /// Answers a request. What it changed is kept before the answer is there.
    ///
    /// Dropping the future is allowed at any time and takes nothing back.
    async fn answer(&self, request: OwnedRequest) -> Delivery;
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "what a connection can do")]
pub enum Delivery {
    /// It is answered.
    Answer(Response),
    /// The connection is cut without an answer.
    Cut,
}

/// A [`Request`] that owns its parts.
#[derive(Clone, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "fixed by HTTP")]
pub struct OwnedRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query as they came, percent-encoded.
    pub target: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body; empty without one.
    pub body: Bytes,
}

impl OwnedRequest {
    /// Hands the request out without its parts.
    pub fn with<T>(&self, see: impl FnOnce(&Request<'_>) -> T) -> T {
        let headers = self.headers.iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        see(&Request {
            method: &self.method,
            target: &self.target,
            headers: &headers,
            body: &self.body,
        })
    }
}

/// Shows no header values: credentials are among them.
impl fmt::Debug for OwnedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedRequest")
            .field("method", &self.method)
            .field("target", &self.target)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
