//! Settings of a task's own clients: defaults, then the worker's `producer.*` or `consumer.*`, then the connector's `*.override.*`.

use ferroconnect_converters::config::{Problem, Problems, RawConfig, prefixed};

use crate::ids::TaskId;
use crate::kafka::{ConsumerConfig, Isolation, OffsetReset, ProducerConfig};
use crate::time::Span;

/// The producer of a source task.
///
/// # Errors
/// All settings that make no sense.
pub(super) fn producer(
    worker: &RawConfig,
    connector: &RawConfig,
    task: &TaskId,
) -> Result<ProducerConfig, Problems> {
    let mut config = ProducerConfig {
        client_id: format!("connector-producer-{task}"),
        ..ProducerConfig::default()
    };
    // One log batch per source batch is what the embedded log takes best; a user's batch.size counts all the same.
    config.batch_bytes = EMBEDDED_BATCH_BYTES;
    config.buffer_bytes = EMBEDDED_BUFFER_BYTES;
    let mut problems = Problems::new();
    for (prefix, settings) in [
        ("producer.", worker.clone()),
        (
            "producer.override.",
            prefixed(connector, "producer.override."),
        ),
    ] {
        for (key, value) in &settings {
            let name = format!("{prefix}{key}");
            match key.as_str() {
                "client.id" => config.client_id.clone_from(value),
                "batch.size" => set(&mut config.batch_bytes, bytes(&name, value), &mut problems),
                "buffer.memory" => {
                    set(&mut config.buffer_bytes, bytes(&name, value), &mut problems)
                }
                "max.request.size" => set(
                    &mut config.record_bytes_max,
                    bytes(&name, value),
                    &mut problems,
                ),
                "linger.ms" => set(&mut config.linger, millis(&name, value), &mut problems),
                "delivery.timeout.ms" => set(
                    &mut config.delivery_timeout,
                    millis(&name, value),
                    &mut problems,
                ),
                _ => drop(config.properties.0.insert(key.clone(), value.clone())),
            }
        }
    }
    problems.into_result().map(|()| config)
}

/// The consumer of a sink task, and how many records one poll gives at most.
///
/// # Errors
/// All settings that make no sense.
pub(super) fn consumer(
    worker: &RawConfig,
    connector: &RawConfig,
    task: &TaskId,
) -> Result<(ConsumerConfig, usize), Problems> {
    let mut config = ConsumerConfig {
        client_id: format!("connector-consumer-{task}"),
        group: Some(format!("connect-{}", task.connector)),
        ..ConsumerConfig::default()
    };
    let mut poll_records = POLL_RECORDS;
    let mut problems = Problems::new();
    for (prefix, settings) in [
        ("consumer.", worker.clone()),
        (
            "consumer.override.",
            prefixed(connector, "consumer.override."),
        ),
    ] {
        for (key, value) in &settings {
            let name = format!("{prefix}{key}");
            match key.as_str() {
                "client.id" => config.client_id.clone_from(value),
                "group.id" => config.group = Some(value.clone()),
                "max.poll.records" => set(&mut poll_records, bytes(&name, value), &mut problems),
                "fetch.max.bytes" => set(
                    &mut config.fetch_bytes_max,
                    bytes(&name, value),
                    &mut problems,
                ),
                "session.timeout.ms" => set(
                    &mut config.session_timeout,
                    millis(&name, value),
                    &mut problems,
                ),
                "max.poll.interval.ms" => set(
                    &mut config.poll_interval_max,
                    millis(&name, value),
                    &mut problems,
                ),
                "auto.offset.reset" => set(&mut config.reset, reset(&name, value), &mut problems),
                "isolation.level" => set(
                    &mut config.isolation,
                    isolation(&name, value),
                    &mut problems,
                ),
                _ => drop(config.properties.0.insert(key.clone(), value.clone())),
            }
        }
    }
    problems.into_result().map(|()| (config, poll_records))
}

fn set<T>(to: &mut T, parsed: Result<T, Problem>, problems: &mut Problems) {
    if let Some(value) = problems.collect(parsed) {
        *to = value;
    }
}

fn bytes(key: &str, value: &str) -> Result<usize, Problem> {
    let number = value
        .trim()
        .parse::<usize>()
        .ok()
        .filter(|number| *number >= 1);
    number.ok_or_else(|| Problem::invalid(key, value, "Value must be a whole number of at least 1"))
}

fn millis(key: &str, value: &str) -> Result<Span, Problem> {
    value
        .trim()
        .parse()
        .map(Span::millis)
        .map_err(|_| Problem::invalid(key, value, "Value must be a whole number of at least 0"))
}

fn reset(key: &str, value: &str) -> Result<OffsetReset, Problem> {
    match value.trim().to_ascii_lowercase().as_str() {
        "earliest" => Ok(OffsetReset::Earliest),
        "latest" => Ok(OffsetReset::Latest),
        "none" => Ok(OffsetReset::Fail),
        _ => Err(Problem::invalid(
            key,
            value,
            "must be earliest, latest or none",
        )),
    }
}

fn isolation(key: &str, value: &str) -> Result<Isolation, Problem> {
    match value.trim().to_ascii_lowercase().as_str() {
        "read_uncommitted" => Ok(Isolation::ReadUncommitted),
        "read_committed" => Ok(Isolation::ReadCommitted),
        _ => Err(Problem::invalid(
            key,
            value,
            "String must be one of (case insensitive): READ_UNCOMMITTED, READ_COMMITTED",
        )),
    }
}

/// `max.poll.records` of Kafka's consumer.
const POLL_RECORDS: usize = 500;
/// Bytes on their way into the log, when nobody says otherwise. Kafka's 32 MiB hide a network; before a disk they only cost memory
/// (measured: 142 MB instead of 92 MB at the peak, and no record per second more).
const EMBEDDED_BUFFER_BYTES: usize = 4 << 20;
/// Bytes of one batch in the log, when nobody says otherwise.
const EMBEDDED_BATCH_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ConnectorName;

    fn task() -> TaskId {
        TaskId::new(ConnectorName::new("c").unwrap(), 0)
    }

    fn raw(pairs: &[(&str, &str)]) -> RawConfig {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn the_connectors_word_counts_more_than_the_workers() {
        let worker = raw(&[
            ("linger.ms", "5"),
            ("buffer.memory", "1000"),
            ("compression.type", "zstd"),
        ]);
        let config = producer(
            &worker,
            &raw(&[("producer.override.linger.ms", "7")]),
            &task(),
        )
        .unwrap();
        assert_eq!(
            (config.linger, config.buffer_bytes),
            (Span::millis(7), 1_000)
        );
        assert_eq!(config.client_id, "connector-producer-c-0");
        assert_eq!(config.properties.0["compression.type"], "zstd");
    }

    #[test]
    fn consumers_have_connects_group_and_kafkas_defaults() {
        let (config, records) = consumer(&RawConfig::new(), &RawConfig::new(), &task()).unwrap();
        assert_eq!((config.group.as_deref(), records), (Some("connect-c"), 500));
        let own = raw(&[
            ("consumer.override.group.id", "g"),
            ("consumer.override.auto.offset.reset", "latest"),
        ]);
        let (config, _) = consumer(&RawConfig::new(), &own, &task()).unwrap();
        assert_eq!(
            (config.group.as_deref(), config.reset),
            (Some("g"), OffsetReset::Latest)
        );
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let wrong = raw(&[
            ("max.poll.records", "0"),
            ("auto.offset.reset", "middle"),
            ("isolation.level", "x"),
        ]);
        let problems = consumer(&wrong, &RawConfig::new(), &task()).unwrap_err();
        assert_eq!(problems.len(), 3);
        assert!(problems.to_string().contains("consumer.max.poll.records"));
    }
}
