use std::sync::Arc;

use super::security::Security;
use crate::time::Span;

/// How a client connects: the keys that producers, consumers and admin clients share.
///
/// [`ConnectionSettings::default`] is Kafka's default for all of them: plaintext, to the cluster's own servers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectionSettings {
    /// `bootstrap.servers`, each `host:port`. Empty: those of the [`Cluster`](crate::kafka::Cluster) that makes the client.
    pub bootstrap: Vec<String>,
    /// `security.protocol`, `ssl.*`, `sasl.*`.
    pub security: Arc<Security>,
    /// `request.timeout.ms`: how long one request may wait for its answer.
    pub request_timeout: Span,
    /// `socket.connection.setup.timeout.ms`: how long one connection may take to come about.
    pub connect_timeout: Span,
    /// `default.api.timeout.ms` of consumers and admin clients: how long one call may take, retries included.
    pub api_timeout: Span,
    /// `metadata.max.age.ms`.
    pub metadata_max_age: Span,
    /// `metadata.max.idle.ms` of producers: a topic unused for so long is forgotten.
    pub metadata_max_idle: Span,
    /// `metadata.recovery.strategy` and `metadata.recovery.rebootstrap.trigger.ms`.
    pub metadata_recovery: MetadataRecovery,
    /// `connections.max.idle.ms`; `None` (a negative number) keeps idle connections.
    pub max_idle: Option<Span>,
    /// `send.buffer.bytes`; `None` (-1) leaves it to the operating system.
    pub send_buffer: Option<usize>,
    /// `receive.buffer.bytes`; `None` (-1) leaves it to the operating system.
    pub receive_buffer: Option<usize>,
    /// `retry.backoff.ms`: the first pause before a retry.
    pub retry_backoff: Span,
    /// `enable.metrics.push`: whether brokers that ask are told this client's metrics (KIP-714).
    pub metrics_push: bool,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            bootstrap: Vec::new(),
            security: Arc::default(),
            request_timeout: Span::secs(30),
            connect_timeout: Span::secs(10),
            api_timeout: Span::secs(60),
            metadata_max_age: Span::secs(300),
            metadata_max_idle: Span::secs(300),
            metadata_recovery: MetadataRecovery::default(),
            max_idle: Some(Span::secs(540)),
            send_buffer: Some(128 << 10),
            receive_buffer: Some(64 << 10),
            retry_backoff: Span::millis(100),
            metrics_push: true,
        }
    }
}

/// What a client does when none of the brokers it knows answers (KIP-899, KIP-1102).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the values of Kafka's metadata.recovery.strategy"
)]
pub enum MetadataRecovery {
    /// Goes back to `bootstrap.servers`, at the latest when metadata could not be had for this long.
    Rebootstrap(Span),
    /// Keeps asking the brokers it knows.
    None,
}

impl Default for MetadataRecovery {
    fn default() -> Self {
        Self::Rebootstrap(Span::secs(300))
    }
}
