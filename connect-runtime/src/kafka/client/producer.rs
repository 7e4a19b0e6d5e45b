use ferroconnect_converters::config::{Problem, Problems};

use super::connection::connection;
use super::layers::{Layers, Parsed, Remarks, Values};
use crate::kafka::types::ProducerConfig;
use crate::time::Span;

/// Settings of a producer that its port does not name; see [`ProducerConfig`](crate::kafka::ProducerConfig) for the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProducerSettings {
    /// `acks`.
    pub acks: Acks,
    /// `enable.idempotence`. Connect's default is false (records are in order because one batch per partition is in flight).
    pub idempotence: bool,
    /// `compression.type`.
    pub compression: Compression,
    /// `compression.gzip.level` or `compression.zstd.level`, whichever belongs to [`compression`](Self::compression); `None` is the
    /// codec's own default.
    pub compression_level: Option<i32>,
    /// `max.block.ms`: how long a call may wait for metadata or for buffer space.
    pub block_max: Span,
    /// `transaction.timeout.ms`, when it was set.
    pub transaction_timeout: Option<Span>,
    /// Whether keyless records go to partitions in turn (`partitioner.class=…RoundRobinPartitioner`) instead of sticking to one.
    pub round_robin: bool,
}

impl Default for ProducerSettings {
    /// The defaults of a Connect source task's producer.
    fn default() -> Self {
        Self {
            acks: Acks::All,
            idempotence: false,
            compression: Compression::None,
            compression_level: None,
            block_max: Span::MAX,
            transaction_timeout: None,
            round_robin: false,
        }
    }
}

/// Who must have a record before it counts as written (`acks`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_enums, reason = "the values of Kafka's acks")]
pub enum Acks {
    /// Nobody (`0`).
    None,
    /// The leader (`1`).
    Leader,
    /// All in-sync replicas (`all`, `-1`).
    #[default]
    All,
}

/// How batches are compressed (`compression.type`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::exhaustive_enums,
    missing_docs,
    reason = "the values of Kafka's compression.type, by their names"
)]
pub enum Compression {
    #[default]
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

impl Layers {
    /// The settings of a producer.
    ///
    /// # Errors
    /// Every key that does not fit, and every pair of keys that do not fit together.
    pub fn producer(self) -> Result<Parsed<ProducerConfig>, Problems> {
        self.read(producer)
    }
}

fn producer(values: &Values, remarks: &mut Remarks) -> Result<ProducerConfig, Problem> {
    let compression = compression(values)?;
    let settings = ProducerSettings {
        acks: acks(values)?,
        idempotence: values.get("enable.idempotence")?,
        compression,
        compression_level: compression_level(values, compression)?,
        block_max: values.span("max.block.ms")?,
        transaction_timeout: if values.is_set("transaction.timeout.ms") {
            Some(values.span("transaction.timeout.ms")?)
        } else {
            None
        },
        round_robin: round_robin(values, remarks)?,
    };
    let config = ProducerConfig {
        client_id: values.get("client.id")?,
        buffer_bytes: values.count("buffer.memory")?,
        batch_bytes: values.count("batch.size")?,
        record_bytes_max: values.count("max.request.size")?,
        linger: values.span("linger.ms")?,
        delivery_timeout: values.span("delivery.timeout.ms")?,
        connection: connection(values, remarks)?,
        settings,
        properties: values.properties(),
    };
    together(values, &config, remarks)?;
    Ok(config)
}

/// What Kafka's producer refuses about keys together, in its words.
fn together(
    values: &Values,
    config: &ProducerConfig,
    remarks: &mut Remarks,
) -> Result<(), Problem> {
    let settings = &config.settings;
    if settings.idempotence {
        if settings.acks != Acks::All {
            let text = "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence.";
            remarks.problem(values.invalid("acks", text));
        }
        let key = "max.in.flight.requests.per.connection";
        let current = values.count(key)?;
        if current > IDEMPOTENT_IN_FLIGHT_MAX {
            let text = format!(
                "To use the idempotent producer, {key} must be set to at most 5. Current value is {current}."
            );
            remarks.problem(values.invalid(key, text));
        }
        if values.get::<i32>("retries")? == 0 {
            let text = "Must set retries to non-zero when using the idempotent producer.";
            remarks.problem(values.invalid("retries", text));
        }
    }
    let least = config.linger.as_millis() + config.connection.request_timeout.as_millis();
    if config.delivery_timeout.as_millis() < least {
        let text = "should be equal to or larger than linger.ms + request.timeout.ms";
        remarks.problem(values.invalid("delivery.timeout.ms", text));
    }
    Ok(())
}

fn acks(values: &Values) -> Result<Acks, Problem> {
    let text: String = values.get("acks")?;
    Ok(match text.as_str() {
        "0" => Acks::None,
        "1" => Acks::Leader,
        _ => Acks::All,
    })
}

fn compression(values: &Values) -> Result<Compression, Problem> {
    let text: String = values.get("compression.type")?;
    Ok(match text.as_str() {
        "gzip" => Compression::Gzip,
        "snappy" => Compression::Snappy,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        _ => Compression::None,
    })
}

fn compression_level(values: &Values, codec: Compression) -> Result<Option<i32>, Problem> {
    let key = match codec {
        Compression::Gzip => "compression.gzip.level",
        Compression::Zstd => "compression.zstd.level",
        Compression::None | Compression::Snappy | Compression::Lz4 => return Ok(None),
    };
    if !values.is_set(key) {
        return Ok(None);
    }
    // gzip's -1 is its own default.
    let level: i32 = values.get(key)?;
    Ok(Some(level).filter(|level| codec == Compression::Zstd || *level > 0))
}

fn round_robin(values: &Values, remarks: &mut Remarks) -> Result<bool, Problem> {
    let key = "partitioner.class";
    match values.get::<Option<String>>(key)?.as_deref() {
        None => Ok(false),
        Some(ROUND_ROBIN) => Ok(true),
        Some(_) => {
            let text = format!(
                "not supported: a partitioner is a Java class, which cannot be loaded here; remove it, or use {ROUND_ROBIN}"
            );
            remarks.problem(values.invalid(key, text));
            Ok(false)
        }
    }
}

/// Batches that a broker can put into order by their sequence numbers.
const IDEMPOTENT_IN_FLIGHT_MAX: usize = 5;
/// The one partitioner of Kafka that is more than its default.
const ROUND_ROBIN: &str = "org.apache.kafka.clients.producer.RoundRobinPartitioner";
