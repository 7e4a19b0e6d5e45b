//! A schema registry: its words, the ports through which it is asked, a client, and caches.
//!
//! ```text
//!   ids, schema  <-  error, guid  <-  registry (the ports)  <-  references
//!                                            ^        ^
//!                             client (feature http)   fake (feature testing)
//!                                    ^
//!                             cache (feature http)
//! ```
//!
//! From the inside out:
//!
//! * **Vocabulary**: [`SchemaId`], [`SchemaGuid`], [`Version`], [`Subject`], [`RegisteredSchema`]. Two
//!   integers of the same width never meet, and a value that exists is valid.
//! * **The ports**: [`Registry`] and [`AsyncRegistry`] for whoever may ask and wait, and [`Lookup`] and
//!   [`Resolved`] for whoever may not. A converter is synchronous and never waits for a network: it
//!   hands out `Lookup`s, somebody else (blocking or asynchronous) finds the answers, and the answers
//!   come back as `Resolved`.
//! * **The client**: `client::RegistryClient` asks a registry over HTTP, or over any `client::Transport`.
//! * **Caches**: `cache::CachingRegistry` asks nothing twice, and goes on during an outage.
//! * **The fake**: `fake::FakeRegistry`, a real registry without a network, for tests.
//!
//! Beside them, for whoever talks to Kafka and its registries: [`keystore`] reads Java's key stores, [`jaas`] its log-in texts.
//!
//! ```
//! use ferroconnect_registry_client::{SchemaId, Subject, Version};
//!
//! let subject = Subject::new(":.eu:orders-value").ok_or("not a subject")?;
//! assert_eq!(subject.context(), Some("eu"));
//! assert_eq!(subject.unqualified(), "orders-value");
//! assert_eq!(SchemaId::new(-1), None); // no registry hands out a negative id
//! assert_eq!(Version::new(0), None); // versions count from 1
//! # Ok::<(), &str>(())
//! ```

#[cfg(any(feature = "http", feature = "server"))]
pub mod body;
#[cfg(feature = "http")]
pub mod cache;
#[cfg(feature = "http")]
pub mod client;
mod compat;
mod error;
#[cfg(feature = "testing")]
pub mod fake;
pub mod format;
mod guid;
mod ids;
pub mod jaas;
pub mod keystore;
pub mod references;
mod registry;
mod schema;
mod secret;
#[cfg(feature = "server")]
pub mod server;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

pub use compat::{CompatibilityLevel, Mode};
pub use error::{Error, Fault, RegistryCode};
pub use ids::{SchemaGuid, SchemaId, Subject, Version};
pub use registry::{
    Answer, AsyncRegistry, Lookup, LookupFlags, LookupId, Question, Registry, Resolved, TopicPart,
};
pub use schema::{Metadata, Reference, RegisteredSchema, RuleSet, SchemaText, SchemaType};
pub use secret::{HIDDEN, Secret};
