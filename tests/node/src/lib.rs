//! Real Kafka for tests and for people: one broker (KRaft, combined with its controller) as a child process.
//!
//! ```text
//!  Distribution   jars of Kafka 4.3.1 under target/kafka, fetched once by Maven coordinates
//!       |
//!  Builder -> Node   start, stop, kill, start again, suspend, resume
//!       |
//!       |                            Background: a node that stays
//!  settings (server.properties)   jvm (child process and its watchdog)   ports   probe (does it answer?)
//! ```
//!
//! A node belongs to this machine alone: it listens on 127.0.0.1, and every topic it makes for itself has one
//! replica. It dies with its parent, however that ends.
//!
//! # Examples
//!
//! ```
//! use ferroconnect_node::{Node, Protocol};
//!
//! // Nothing is fetched and nothing runs until `start`.
//! let node = Node::builder()
//!     .listener("LOGIN", Protocol::SaslPlaintext, [
//!         ("sasl.enabled.mechanisms", "SCRAM-SHA-256"),
//!         (
//!             "scram-sha-256.sasl.jaas.config",
//!             "org.apache.kafka.common.security.scram.ScramLoginModule required;",
//!         ),
//!     ])
//!     .scram_user("SCRAM-SHA-256", "alice", "her password")
//!     .property("message.max.bytes", "2000000");
//! assert!(format!("{node:?}").contains("LOGIN"));
//! assert!(!format!("{node:?}").contains("her password"));
//! ```
//!
//! ```no_run
//! # fn main() -> Result<(), ferroconnect_node::NodeError> {
//! let mut node = ferroconnect_node::Node::builder().start()?;
//! println!("bootstrap.servers={}", node.bootstrap());
//! node.kill()?; // kill -9
//! node.start()?; // the same ports and data
//! node.suspend()?; // connections stay open, nobody answers
//! node.resume()?;
//! node.stop()?; // its topics stay in node.data_folder()
//! # Ok(())
//! # }
//! ```

mod background;
mod builder;
mod clock;
mod distribution;
mod error;
mod jvm;
mod node;
mod ports;
mod probe;
mod settings;
mod tools;

pub use background::{Background, Up};
pub use builder::{Builder, Protocol};
pub use distribution::Distribution;
pub use error::NodeError;
pub use node::Node;
pub use probe::{answers, create_topic, end_offset};
pub use settings::LOGGING;

/// The version of Kafka that all of this runs.
pub const KAFKA_VERSION: &str = "4.3.1";

/// The variable that names the shared node (`host:port`) to tests that only need some broker.
pub const KAFKA_VARIABLE: &str = "FERROCONNECT_KAFKA";
