//! The library's settings from those of the port.

use std::time::Duration;

use krafka::Kafka;
use krafka::consumer::{
    AutoOffsetReset, ConsumerBuilder, GroupProtocol as KrafkaProtocol, IsolationLevel,
};

use crate::kafka::client::GroupProtocol;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::types::{ConsumerConfig, Isolation, OffsetReset};
use crate::time::Span;

/// Fetched records that the library keeps for the next polls. What does not fit is thrown away and
/// fetched again: with its default of 500 the same bytes were read 13 times, beyond 50,000 there was
/// nothing left to gain (measured: 2 million records of 200 bytes, 5,598 MB against 432 MB).
const BUFFERED_RECORDS: usize = 50_000;

/// How often the library looks whether something can be fetched when nothing can (all partitions are
/// paused): what a resumed partition waits at most.
const IDLE_PAUSE: Duration = Duration::from_millis(50);

/// Settings for a consumer of the library, a member of `group` or of none.
pub(super) fn builder(
    kafka: &Kafka,
    group: Option<&str>,
    config: &ConsumerConfig,
) -> ConsumerBuilder {
    let settings = &config.settings;
    let builder = match group {
        Some(group) => kafka.consumer(group),
        None => kafka.consumer_without_group(),
    };
    let mut builder = builder
        .auto_offset_reset(match config.reset {
            OffsetReset::Earliest => AutoOffsetReset::Earliest,
            OffsetReset::Latest => AutoOffsetReset::Latest,
            OffsetReset::Fail => AutoOffsetReset::None,
        })
        .isolation_level(match config.isolation {
            Isolation::ReadUncommitted => IsolationLevel::ReadUncommitted,
            Isolation::ReadCommitted => IsolationLevel::ReadCommitted,
        })
        .enable_auto_commit(false)
        .fetch_min_bytes(clamped(
            settings.fetch_bytes_min.min(config.fetch_bytes_max),
        ))
        .fetch_max_bytes(clamped(config.fetch_bytes_max))
        .max_partition_fetch_bytes(clamped(settings.partition_fetch_bytes_max))
        .fetch_max_wait(settings.fetch_wait_max.to_duration())
        .max_poll_records(clamped(settings.poll_records.max(1)))
        .max_buffered_records(clamped(settings.poll_records.max(BUFFERED_RECORDS)))
        .max_poll_interval(config.poll_interval_max.to_duration())
        .session_timeout(config.session_timeout.to_duration())
        .idle_poll_backoff(IDLE_PAUSE)
        .metrics_push(config.connection.metrics_push);
    if let Some(rack) = &settings.rack {
        builder = builder.client_rack(rack);
    }
    if let Some(instance) = &settings.instance_id {
        builder = builder.group_instance_id(instance);
    }
    // The broker tells how often; the library only checks that this is below the session's. The
    // classic protocol is not the library's business.
    builder = builder.heartbeat_interval(config.session_timeout.to_duration() / 3);
    if let GroupProtocol::Consumer { assignor } = &settings.protocol {
        builder = builder.group_protocol(KrafkaProtocol::Consumer);
        if let Some(assignor) = assignor {
            builder = builder.group_remote_assignor(assignor);
        }
    }
    builder
}

/// Whether a member of a classic group can be made of `config`.
///
/// # Errors
/// `InvalidRequest` without an assignor, or with heartbeats rarer than sessions last.
pub(super) fn check_group(config: &ConsumerConfig) -> Result<()> {
    let GroupProtocol::Classic {
        assignors,
        heartbeat,
    } = &config.settings.protocol
    else {
        return Ok(());
    };
    let invalid = |cause: &str| Err(Error::new(Class::InvalidRequest, "subscribe", cause));
    if assignors.is_empty() {
        return invalid("partition.assignment.strategy names no assignor");
    }
    if *heartbeat >= config.session_timeout || *heartbeat == Span::ZERO {
        return invalid("heartbeat.interval.ms must be above 0 and below session.timeout.ms");
    }
    Ok(())
}

/// Numbers of the protocol have 31 bits.
fn clamped(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
