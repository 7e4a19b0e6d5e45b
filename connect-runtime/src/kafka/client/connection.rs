use std::sync::Arc;

use ferroconnect_converters::config::Problem;

use super::layers::{Remarks, Values};
use super::security::{self, Security};
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

/// Reads what every client has.
pub(super) fn connection(
    values: &Values,
    remarks: &mut Remarks,
) -> Result<ConnectionSettings, Problem> {
    let max_idle: i64 = values.get("connections.max.idle.ms")?;
    Ok(ConnectionSettings {
        bootstrap: bootstrap(values, remarks)?,
        security: Arc::new(security::security(values, remarks)?),
        request_timeout: values.span("request.timeout.ms")?,
        connect_timeout: values.span("socket.connection.setup.timeout.ms")?,
        metadata_max_age: values.span("metadata.max.age.ms")?,
        metadata_max_idle: if values.knows("metadata.max.idle.ms") {
            values.span("metadata.max.idle.ms")?
        } else {
            ConnectionSettings::default().metadata_max_idle
        },
        metadata_recovery: recovery(values)?,
        max_idle: u64::try_from(max_idle).ok().map(Span::millis),
        send_buffer: buffer(values, "send.buffer.bytes")?,
        receive_buffer: buffer(values, "receive.buffer.bytes")?,
        retry_backoff: values.span("retry.backoff.ms")?,
        metrics_push: values.get("enable.metrics.push")?,
    })
}

fn recovery(values: &Values) -> Result<MetadataRecovery, Problem> {
    let strategy: String = values.get("metadata.recovery.strategy")?;
    let trigger = values.span("metadata.recovery.rebootstrap.trigger.ms")?;
    Ok(if strategy.eq_ignore_ascii_case("none") {
        MetadataRecovery::None
    } else {
        MetadataRecovery::Rebootstrap(trigger)
    })
}

fn buffer(values: &Values, key: &str) -> Result<Option<usize>, Problem> {
    let bytes: i32 = values.get(key)?;
    Ok(usize::try_from(bytes).ok().filter(|bytes| *bytes > 0))
}

fn bootstrap(values: &Values, remarks: &mut Remarks) -> Result<Vec<String>, Problem> {
    let key = "bootstrap.servers";
    let servers: Vec<String> = values.get(key)?;
    for server in &servers {
        if !is_address(server) {
            let text = format!("Invalid url in bootstrap.servers: {server}");
            remarks.problem(
                values.invalid(key, format!("{text}; write host:port, separated by commas")),
            );
        }
    }
    Ok(servers)
}

/// Whether this is `host:port`, where the host may be an IPv6 address in brackets and have a protocol in front, as Java takes it.
pub(crate) fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    let host = host.rsplit_once("://").map_or(host, |(_, host)| host);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let is_host = match bracketed {
        Some(inside) => {
            inside.contains(':')
                && inside
                    .chars()
                    .all(|c| is_plain(c) || matches!(c, ':' | '%'))
        }
        // Without brackets an IPv6 address and its port cannot be told apart, but Java reads the last part as the port.
        None => host.chars().all(|c| is_plain(c) || c == ':'),
    };
    !host.is_empty() && is_host && port.parse::<u16>().is_ok()
}
