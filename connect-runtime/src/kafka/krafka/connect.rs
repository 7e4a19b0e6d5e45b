//! Connections: one fresh handle of the client library per client. Handles are never shared, because
//! all clients of one share a connection per broker on which requests wait for each other: a fetch
//! that waits for records would hold up a send, a join the heartbeats of the members before it.

use std::time::Duration;

use krafka::auth::AuthConfig;
use krafka::{Kafka, KafkaBuilder, MetadataRecoveryStrategy};

use super::refusal::{is_worth_asking, mismatch, refusal};
use super::{errors, security};
use crate::kafka::client::{ConnectionSettings, MetadataRecovery};
use crate::kafka::error::{Class, Error, Result};
use crate::time::Span;

/// Pause before the second attempt to connect; doubles up to [`PAUSE_MAX`].
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// Longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// What a handle is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Writes records; the broker may create missing topics, as Java's producer asks for.
    Producer,
    /// Reads records.
    Consumer {
        /// Whether the broker may create missing topics (`allow.auto.create.topics`).
        creates_topics: bool,
    },
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
        settings: &ConnectionSettings,
        within: Span,
    ) -> Result<Kafka> {
        check_addresses(operation, &self.servers(settings))?;
        let mut last = None;
        let attempts = async {
            let auth = Box::pin(security::auth(operation, &settings.security)).await?;
            let mut pause = PAUSE_FIRST;
            let mut is_first = true;
            loop {
                match self
                    .builder(role, client_id, settings, auth.clone())
                    .connect()
                    .await
                {
                    Ok(kafka) => return Ok(kafka),
                    Err(error) => {
                        let security = &settings.security;
                        if is_first && is_worth_asking(&error, security) {
                            let servers = self.servers(settings);
                            let tls = auth.as_ref().and_then(AuthConfig::tls_config);
                            // Rare, and a connection of its own: not part of every call's future.
                            let asked = Box::pin(mismatch(operation, &servers, settings, tls));
                            if let Some(mismatch) = asked.await {
                                return Err(mismatch);
                            }
                        }
                        is_first = false;
                        if let Some(refusal) = refusal(operation, &error, security) {
                            return Err(refusal);
                        }
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

    /// Where a client starts: the servers it names itself, else the cluster's.
    fn servers(&self, settings: &ConnectionSettings) -> Vec<String> {
        if settings.bootstrap.is_empty() {
            let servers = self.bootstrap.split(',').map(str::trim);
            let named = servers.filter(|server| !server.is_empty());
            return named.map(str::to_owned).collect();
        }
        settings.bootstrap.clone()
    }

    /// A handle's settings.
    fn builder(
        &self,
        role: Role,
        client_id: &str,
        settings: &ConnectionSettings,
        auth: Option<AuthConfig>,
    ) -> KafkaBuilder {
        let mut builder = Kafka::builder(self.servers(settings).join(","));
        if !client_id.is_empty() {
            builder = builder.client_id(client_id);
        }
        let auto_create = match role {
            Role::Producer => true,
            Role::Consumer { creates_topics } => creates_topics,
            Role::Admin => false,
        };
        let request_timeout = settings.request_timeout.to_duration();
        let builder = match settings.metadata_recovery {
            MetadataRecovery::Rebootstrap(trigger) => builder
                .metadata_recovery_strategy(MetadataRecoveryStrategy::Rebootstrap)
                .metadata_recovery_rebootstrap_trigger(trigger.to_duration()),
            MetadataRecovery::None => {
                builder.metadata_recovery_strategy(MetadataRecoveryStrategy::None)
            }
        };
        let builder = match auth {
            Some(auth) => builder.security(auth),
            None => builder,
        };
        builder
            .request_timeout(request_timeout)
            // The library counts connecting as part of the request, and refuses a longer limit.
            .connect_timeout(settings.connect_timeout.to_duration().min(request_timeout))
            .metadata_max_age(settings.metadata_max_age.to_duration())
            .metadata_topic_cache_ttl(Some(settings.metadata_max_idle.to_duration()))
            .connections_max_idle(settings.max_idle.map(Span::to_duration))
            .socket_send_buffer(settings.send_buffer)
            .socket_receive_buffer(settings.receive_buffer)
            .allow_auto_create_topics(auto_create)
    }
}

/// Refuses what can never be connected to; the library would try it for ever.
fn check_addresses(operation: &'static str, servers: &[String]) -> Result<()> {
    let legal = |server: &String| {
        server
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    };
    let cause = match servers.iter().find(|server| !legal(server)) {
        Some(server) => format!("bootstrap.servers: {server} is not host:port"),
        None if servers.is_empty() => "bootstrap.servers is empty".to_owned(),
        None => return Ok(()),
    };
    let error = Error::new(Class::InvalidRequest, operation, cause);
    Err(error.next_step("name brokers as host:port, separated by commas"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(bootstrap: &str) -> Result<()> {
        let connector = Connector::new(bootstrap.to_owned());
        check_addresses("test", &connector.servers(&ConnectionSettings::default()))
    }

    #[test]
    fn addresses_are_host_and_port() {
        for legal in ["a:1", "a.b-c:9092, d:9093,", "[::1]:9092", "10.0.0.1:65535"] {
            assert!(checked(legal).is_ok(), "{legal}");
        }
        for wrong in [
            "",
            " , ",
            "host",
            "host:",
            ":9092",
            "host:port",
            "a:1,b",
            "a:65536",
        ] {
            let error = checked(wrong).expect_err(wrong);
            assert_eq!(error.class(), Class::InvalidRequest, "{wrong}");
        }
    }
}
