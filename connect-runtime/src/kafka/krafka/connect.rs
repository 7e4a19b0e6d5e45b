//! Connections: one fresh handle of the client library per client. Handles are never shared, because
//! all clients of one share a connection per broker on which requests wait for each other: a fetch
//! that waits for records would hold up a send, a join the heartbeats of the members before it.

use std::time::Duration;

use krafka::{Kafka, KafkaBuilder};

use super::errors;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::Properties;
use crate::time::Span;

/// Pause before the second attempt to connect; doubles up to [`PAUSE_MAX`].
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// Longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The Java name of the addresses to start from.
const BOOTSTRAP: &str = "bootstrap.servers";

/// What a handle is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Writes records; the broker may create missing topics, as Java's producer asks for.
    Producer,
    /// Reads records.
    Consumer,
    /// Administrative calls.
    Admin,
}

/// Makes handles to one cluster.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    bootstrap: String,
}

impl Connector {
    pub(super) const fn new(bootstrap: String) -> Self {
        Self { bootstrap }
    }

    /// A fresh handle with connections of its own. Trouble that may pass is tried again while
    /// `within` lasts.
    ///
    /// # Errors
    /// `Retriable` or `TimedOut` if no broker answers, `Auth`, `InvalidRequest`.
    pub(super) async fn connect(
        &self,
        operation: &'static str,
        role: Role,
        client_id: &str,
        properties: &Properties,
        within: Span,
    ) -> Result<Kafka> {
        let mut last = None;
        let attempts = async {
            let mut pause = PAUSE_FIRST;
            loop {
                match self.builder(role, client_id, properties)?.connect().await {
                    Ok(kafka) => return Ok(kafka),
                    Err(error) => {
                        let error = errors::error(operation, &error);
                        if !error.is_retriable() {
                            return Err(error);
                        }
                        last = Some(error);
                    }
                }
                tokio::time::sleep(pause).await;
                pause = PAUSE_MAX.min(pause * 2);
            }
        };
        match tokio::time::timeout(within.to_duration(), attempts).await {
            Ok(outcome) => outcome,
            Err(_) => Err(last.unwrap_or_else(|| {
                let cause = format!("no broker of {} answered within {within}", self.bootstrap);
                Error::new(Class::TimedOut, operation, cause)
                    .next_step("check that the brokers run and that bootstrap.servers names them")
            })),
        }
    }

    /// The settings of a handle. The place where typed client settings are applied.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "settings that make no sense will be refused here"
    )]
    fn builder(
        &self,
        role: Role,
        client_id: &str,
        properties: &Properties,
    ) -> Result<KafkaBuilder> {
        let bootstrap = properties.0.get(BOOTSTRAP).unwrap_or(&self.bootstrap);
        let mut builder = Kafka::builder(bootstrap.as_str());
        if !client_id.is_empty() {
            builder = builder.client_id(client_id);
        }
        let auto_create = match role {
            Role::Producer | Role::Consumer => true,
            Role::Admin => false,
        };
        Ok(builder.allow_auto_create_topics(auto_create))
    }
}
