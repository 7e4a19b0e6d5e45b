//! [`RegistryClient`]: a registry behind its REST interface.
//!
//! ```text
//!   api (typed methods)  ->  driver (tries, waits)  ->  Transport (http, or within the process)
//!                 endpoint, answer      retry, failover, token: pure
//! ```
//!
//! The client asks one node until it fails, then the next; when all failed it waits and tries again, with the Java client's numbers. It
//! remembers nothing: put a [`CachingRegistry`](crate::cache::CachingRegistry) before it.

mod answer;
mod api;
mod auth;
pub mod config;
mod driver;
mod endpoint;
mod failover;
mod http;
mod retry;
#[cfg(test)]
mod tests;
mod tls;
mod token;
mod transport;

pub use config::{ClientConfig, ConfigProblems};
pub use driver::{Node, RegistryClient};
pub use endpoint::{AssociationFilter, Deleted, Page, SchemaFilter, VersionName};
pub use http::{HttpConnector, HttpTransport};
pub use retry::RetryPolicy;
pub use transport::{Method, Request, Response, Transport, TransportError};
