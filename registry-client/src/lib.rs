//! Schema Registry vocabulary, the [`Registry`] port and (feature `testing`) an in-memory registry.
//!
//! ```text
//!   ids, schema  <-  error, guid  <-  registry (the port)  <-  fake
//! ```
//!
//! Three things live here, from the inside out:
//!
//! * **Vocabulary**: [`SchemaId`], [`SchemaGuid`], [`Version`], [`Subject`], [`RegisteredSchema`]. Two
//!   integers of the same width never meet, and a value that exists is valid.
//! * **The port**: [`Registry`] for whoever may ask and wait, and its other half, [`Lookup`] and
//!   [`Resolved`], for whoever may not. A converter is synchronous and never waits for a network: it
//!   hands out `Lookup`s, somebody else (blocking or asynchronous) finds the answers, and the answers
//!   come back as `Resolved`.
//! * **The fake**: `fake::FakeRegistry`, a real registry without a network, for tests.
//!
//! No network code is in this crate: a client is an adapter that answers [`Lookup`]s.
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
