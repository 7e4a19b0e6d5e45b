//! Settings of a task's own clients, by the rules of [`WorkerClients`](crate::config::WorkerClients).

use crate::config::{RawConfig, WorkerConfig};
use crate::error::{Error, Fault};
use crate::ids::TaskId;
use crate::kafka::client::{ClientKind, Layers};
use crate::kafka::{AdminConfig, ConsumerConfig, ProducerConfig};

/// The producer of a source task.
///
/// # Errors
/// All settings that make no sense, or overrides that the worker's policy does not allow.
pub(super) fn producer(
    worker: &WorkerConfig,
    connector: &RawConfig,
    task: &TaskId,
) -> Result<ProducerConfig, Error> {
    let client_id = format!("connector-producer-{task}");
    let layers = layers(worker, ClientKind::Producer, connector, &client_id)?;
    Ok(layers.producer()?.config)
}

/// The consumer of a sink task.
///
/// # Errors
/// As [`producer`].
pub(super) fn consumer(
    worker: &WorkerConfig,
    connector: &RawConfig,
    task: &TaskId,
) -> Result<ConsumerConfig, Error> {
    let client_id = format!("connector-consumer-{task}");
    let group = format!("connect-{}", task.connector);
    let layers = layers(worker, ClientKind::Consumer, connector, &client_id)?;
    Ok(layers
        .default_when_unset("group.id", &group)
        .default_when_unset("partition.assignment.strategy", COOPERATIVE)
        .consumer()?
        .config)
}

/// The administrative client of a task.
///
/// # Errors
/// As [`producer`].
pub(super) fn admin(
    worker: &WorkerConfig,
    connector: &RawConfig,
    task: &TaskId,
) -> Result<AdminConfig, Error> {
    let client_id = format!("connector-adminclient-{task}");
    let layers = layers(worker, ClientKind::Admin, connector, &client_id)?;
    Ok(layers.admin()?.config)
}

/// Tasks of a sink hand partitions over without stopping each other (KIP-429). Java's consumers offer ranges and this, use ranges among
/// themselves, and agree on this with ours, as in the upgrade that KIP-429 describes.
const COOPERATIVE: &str = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";

fn layers(
    worker: &WorkerConfig,
    kind: ClientKind,
    connector: &RawConfig,
    client_id: &str,
) -> Result<Layers, Error> {
    if let Some(refusal) = worker.override_policy.start_refusal(kind, connector) {
        return Err(Error::new(Fault::Config, refusal));
    }
    let layers = worker.clients.layers(kind, Some(connector));
    Ok(layers.default_when_unset("client.id", client_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;
    use crate::ids::ConnectorName;
    use crate::kafka::OffsetReset;
    use crate::kafka::client::{Acks, Assignor, Compression, GroupProtocol};
    use crate::time::Span;

    fn task() -> TaskId {
        TaskId::new(ConnectorName::new("c").unwrap(), 0)
    }

    fn raw(pairs: &[(&str, &str)]) -> RawConfig {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn worker(bootstrap: &str, pairs: &[(&str, &str)]) -> WorkerConfig {
        let mut raw = raw(pairs);
        raw.insert("bootstrap.servers".to_owned(), bootstrap.to_owned());
        let string = "org.apache.kafka.connect.storage.StringConverter";
        for key in ["key.converter", "value.converter"] {
            raw.insert(key.to_owned(), string.to_owned());
        }
        WorkerConfig::parse(&raw).unwrap()
    }

    fn embedded(pairs: &[(&str, &str)]) -> WorkerConfig {
        worker("embedded:target/x", pairs)
    }

    #[test]
    fn the_connectors_word_counts_more_than_the_workers() {
        let worker = embedded(&[
            ("producer.linger.ms", "5"),
            ("producer.buffer.memory", "1000"),
            ("producer.compression.type", "zstd"),
        ]);
        let own = raw(&[("producer.override.linger.ms", "7")]);
        let config = producer(&worker, &own, &task()).unwrap();
        assert_eq!(config.linger, Span::millis(7));
        assert_eq!(config.buffer_bytes, 1_000);
        assert_eq!(config.settings.compression, Compression::Zstd);
        assert_eq!(config.client_id, "connector-producer-c-0");
    }

    #[test]
    fn producers_have_connects_defaults() {
        let config = producer(&embedded(&[]), &RawConfig::new(), &task()).unwrap();
        let settings = &config.settings;
        assert_eq!((settings.acks, settings.idempotence), (Acks::All, false));
        assert_eq!(settings.block_max, Span::MAX);
        assert_eq!(config.delivery_timeout, Span::millis(2_147_483_647));
        // What the embedded log takes best.
        assert_eq!(
            (config.batch_bytes, config.buffer_bytes),
            (1 << 20, 4 << 20)
        );
    }

    #[test]
    fn consumers_have_connects_group_and_kafkas_defaults() {
        let config = consumer(&embedded(&[]), &RawConfig::new(), &task()).unwrap();
        assert_eq!(config.group.as_deref(), Some("connect-c"));
        assert_eq!(config.reset, OffsetReset::Earliest);
        assert_eq!(config.settings.poll_records, 500);
        assert_eq!(
            config.settings.protocol,
            GroupProtocol::Classic {
                assignors: vec![Assignor::CooperativeSticky],
                heartbeat: Span::secs(3)
            }
        );
        let own = raw(&[
            ("consumer.override.group.id", "g"),
            ("consumer.override.auto.offset.reset", "latest"),
            ("consumer.override.client.id", "me"),
            ("consumer.override.group.protocol", "consumer"),
        ]);
        let config = consumer(&embedded(&[]), &own, &task()).unwrap();
        assert_eq!(config.group.as_deref(), Some("g"));
        assert_eq!(config.reset, OffsetReset::Latest);
        assert_eq!(config.client_id, "me");
        assert_eq!(
            config.settings.protocol,
            GroupProtocol::Consumer { assignor: None }
        );
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let wrong = embedded(&[
            ("consumer.max.poll.records", "0"),
            ("consumer.auto.offset.reset", "middle"),
            ("consumer.isolation.level", "x"),
        ]);
        let error = consumer(&wrong, &RawConfig::new(), &task())
            .unwrap_err()
            .to_string();
        for key in [
            "consumer.max.poll.records",
            "consumer.auto.offset.reset",
            "consumer.isolation.level",
        ] {
            assert!(error.contains(key), "{key} is not in\n{error}");
        }
    }

    #[test]
    fn the_policy_is_asked_again_at_the_start_of_a_task() {
        let worker = embedded(&[("connector.client.config.override.policy", "None")]);
        let own = raw(&[("producer.override.acks", "1")]);
        let error = producer(&worker, &own, &task()).unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        assert!(
            error.to_string().contains(
                "Client Config Overrides not allowed [[acks,1,[],[The 'None' policy does not allow 'acks' to be overridden in the \
                 connector configuration.],true]]"
            ),
            "{error}"
        );
    }

    #[test]
    fn the_admin_client_inherits_what_has_no_prefix() {
        let worker = embedded(&[
            ("request.timeout.ms", "7000"),
            ("admin.retry.backoff.ms", "9"),
            ("producer.request.timeout.ms", "8000"),
        ]);
        let config = admin(&worker, &RawConfig::new(), &task()).unwrap();
        assert_eq!(config.connection.request_timeout, Span::secs(7));
        assert_eq!(config.connection.retry_backoff, Span::millis(9));
        assert_eq!(config.client_id, "connector-adminclient-c-0");
        let config = producer(&worker, &RawConfig::new(), &task()).unwrap();
        assert_eq!(config.connection.request_timeout, Span::secs(8));
        let config = consumer(&worker, &RawConfig::new(), &task()).unwrap();
        assert_eq!(config.connection.request_timeout, Span::secs(30));
    }
}
