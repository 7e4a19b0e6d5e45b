use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Settings, Validator, Width,
};

use super::{ConnectorConfig, TopicCreation, connector::unique, connector_def};
use crate::time::Span;

/// A source connector's settings.
#[derive(Clone, Debug)]
pub struct SourceConfig {
    /// What every connector has.
    pub connector: ConnectorConfig,
    /// How its topics are created; `None` leaves them to the cluster.
    pub topic_creation: Option<TopicCreation>,
    /// Whether exactly-once is a must.
    pub exactly_once_required: bool,
    /// Where transactions end, once they are used.
    pub transaction_boundary: TransactionBoundary,
    /// A topic of its own for source offsets.
    pub offsets_topic: Option<String>,
}

/// `transaction.boundary` (KIP-618).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum TransactionBoundary {
    /// After each batch of the task.
    Poll,
    /// At this interval; `None` is the worker's `offset.flush.interval.ms`.
    Interval(Option<Span>),
    /// Where the connector says so.
    Connector,
}

impl SourceConfig {
    /// Reads the framework's keys of a source connector; the connector's own keys are checked by its own definition.
    ///
    /// # Errors
    /// All problems, in the order of the definition.
    pub fn parse(raw: &RawConfig) -> Result<Self, Problems> {
        let settings = source_def().parse(raw)?;
        let groups: Vec<String> = settings.get("topic.creation.groups")?;
        let topic_creation = TopicCreation::parse(raw, &groups)?;
        Ok(Self {
            connector: ConnectorConfig::from_settings(&settings)?,
            topic_creation,
            exactly_once_required: settings
                .get::<String>("exactly.once.support")?
                .eq_ignore_ascii_case("required"),
            transaction_boundary: boundary(&settings)?,
            offsets_topic: settings.get("offsets.storage.topic")?,
        })
    }
}

fn boundary(settings: &Settings) -> Result<TransactionBoundary, Problem> {
    let interval: Option<i64> = settings.get("transaction.boundary.interval.ms")?;
    let interval = interval
        .and_then(|millis| u64::try_from(millis).ok())
        .map(Span::millis);
    Ok(
        match settings
            .get::<String>("transaction.boundary")?
            .to_ascii_lowercase()
            .as_str()
        {
            "interval" => TransactionBoundary::Interval(interval),
            "connector" => TransactionBoundary::Connector,
            _ => TransactionBoundary::Poll,
        },
    )
}

const EXACTLY_ONCE: &str = "Exactly Once Support";

/// Keys of every source connector, in Kafka's order.
#[expect(
    clippy::too_many_lines,
    reason = "a table of keys reads best in one piece"
)]
pub fn source_def() -> ConfigDef {
    use Importance::{Low, Medium};
    connector_def()
        .define(
            Key::new(
                "topic.creation.groups",
                Kind::List,
                Low,
                "Groups of topics that are created alike.",
            )
            .default("")
            .check(Validator::Custom {
                text: "non-null string, unique topic creation groups",
                check: unique,
            })
            .group("Topic Creation", 1, Width::Long)
            .shown_as("Topic Creation Groups"),
        )
        .define(
            Key::new(
                "exactly.once.support",
                Kind::String,
                Medium,
                "Whether exactly-once is a must for this connector.",
            )
            .default("requested")
            .check(Validator::OneOfIgnoreCase(&["REQUIRED", "REQUESTED"]))
            .group(EXACTLY_ONCE, 2, Width::Short)
            .shown_as("Exactly once support"),
        )
        .define(
            Key::new(
                "transaction.boundary",
                Kind::String,
                Medium,
                "Where transactions end.",
            )
            .default("poll")
            .check(Validator::OneOfIgnoreCase(&[
                "INTERVAL",
                "POLL",
                "CONNECTOR",
            ]))
            .group(EXACTLY_ONCE, 3, Width::Short)
            .shown_as("Transaction Boundary"),
        )
        .define(
            Key::new(
                "transaction.boundary.interval.ms",
                Kind::Long,
                Low,
                "Length of a transaction with boundary interval.",
            )
            .optional()
            .check(Validator::Custom {
                text: "[0,...]",
                check: |value| match value.as_integer() {
                    Some(millis) if millis < 0 => Err("Value must be at least 0".to_owned()),
                    Some(_) | None => Ok(()),
                },
            })
            .group(EXACTLY_ONCE, 4, Width::Short)
            .shown_as("Transaction boundary interval"),
        )
        .define(
            Key::new(
                "offsets.storage.topic",
                Kind::String,
                Low,
                "A topic of its own for the connector's offsets.",
            )
            .optional()
            .check(Validator::NonEmpty)
            .group("offsets.topic", 1, Width::Long)
            .shown_as("Offsets topic"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(pairs: &[(&str, &str)]) -> RawConfig {
        let own = [("name", "c"), ("connector.class", "X")];
        own.iter()
            .chain(pairs)
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn topics_are_left_alone_unless_asked_for() {
        assert!(
            SourceConfig::parse(&raw(&[]))
                .unwrap()
                .topic_creation
                .is_none()
        );
    }
}
