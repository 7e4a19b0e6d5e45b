use std::collections::BTreeMap;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Settings, Validator, Width,
};
use regex::Regex;

use super::{ConnectorConfig, connector::unique, connector_def};
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

/// `topic.creation.*` (KIP-158): groups in order, the default group last.
#[derive(Clone, Debug)]
pub struct TopicCreation {
    groups: Vec<TopicGroup>,
}

/// Topics that are created alike.
#[derive(Clone, Debug)]
pub struct TopicGroup {
    /// The group's name; `default` for the last.
    pub name: String,
    /// Partitions; `None` is the cluster's default.
    pub partitions: Option<u32>,
    /// Replicas; `None` is the cluster's default.
    pub replication: Option<u16>,
    /// Topic settings by their Kafka names.
    pub configs: BTreeMap<String, String>,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
}

impl TopicCreation {
    /// The first group that takes `topic`; the default group takes every one.
    pub fn group_of(&self, topic: &str) -> Option<&TopicGroup> {
        let hit = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(topic));
        self.groups
            .iter()
            .find(|group| group.name == DEFAULT || (hit(&group.include) && !hit(&group.exclude)))
    }

    fn parse(raw: &RawConfig, names: &[String]) -> Result<Option<Self>, Problems> {
        if !raw.keys().any(|key| key.starts_with(PREFIX)) {
            return Ok(None);
        }
        let mut problems = Problems::new();
        let mut groups = Vec::new();
        let ordered = names
            .iter()
            .map(String::as_str)
            .filter(|name| *name != DEFAULT)
            .chain([DEFAULT]);
        for name in ordered {
            groups.extend(problems.collect(TopicGroup::parse(raw, name)));
        }
        problems.into_result().map(|()| Some(Self { groups }))
    }
}

impl TopicGroup {
    fn parse(raw: &RawConfig, name: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let text = |part: &str| {
            let own = format!("{PREFIX}{name}.{part}");
            let fallback = format!("{PREFIX}{DEFAULT}.{part}");
            let key = if raw.contains_key(&own) {
                own
            } else {
                fallback
            };
            (raw.get(&key).cloned(), key)
        };
        let partitions = problems.collect(count(
            text("partitions"),
            "Value must be at least 1, or -1 to use the broker's default",
        ));
        let replication = problems.collect(count(
            text("replication.factor"),
            "Value must be at least 1 and not larger than the number of brokers, or -1 to use the broker's default",
        ));
        let mut patterns = |part: &str| {
            let key = format!("{PREFIX}{name}.{part}");
            let list = raw.get(&key).map_or("", String::as_str);
            let parts = list
                .split(',')
                .map(str::trim)
                .filter(|pattern| !pattern.is_empty());
            parts
                .filter_map(|pattern| problems.collect(whole(&key, pattern)))
                .collect::<Vec<_>>()
        };
        let (include, exclude) = (patterns("include"), patterns("exclude"));
        let prefix = format!("{PREFIX}{name}.");
        let own = ["include", "exclude", "partitions", "replication.factor"];
        let configs = raw
            .iter()
            .filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)))
            .filter(|(key, _)| !own.contains(key))
            .map(|(key, value)| (key.to_owned(), value.clone()))
            .collect();
        problems.into_result()?;
        let replication = replication.flatten().and_then(|n| u16::try_from(n).ok());
        Ok(Self {
            name: name.to_owned(),
            partitions: partitions.flatten(),
            replication,
            configs,
            include,
            exclude,
        })
    }
}

/// A number of at least 1; -1 is the cluster's choice.
fn count((text, key): (Option<String>, String), reason: &str) -> Result<Option<u32>, Problem> {
    let Some(text) = text else {
        return Err(Problem::missing(&key));
    };
    match text.trim().parse::<i32>() {
        Ok(-1) => Ok(None),
        Ok(number) if number >= 1 => Ok(Some(number.unsigned_abs())),
        Ok(_) | Err(_) => Err(Problem::invalid(&key, &text, reason)),
    }
}

/// A pattern that has to match the whole name.
pub(super) fn whole(key: &str, pattern: &str) -> Result<Regex, Problem> {
    Regex::new(&format!("^(?:{pattern})$"))
        .map_err(|error| Problem::invalid(key, pattern, format!("Invalid regex: {error}")))
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

const PREFIX: &str = "topic.creation.";
const DEFAULT: &str = "default";
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

    #[test]
    fn the_first_matching_group_creates_the_topic_and_the_default_takes_the_rest() {
        let config = SourceConfig::parse(&raw(&[
            ("topic.creation.groups", "big"),
            ("topic.creation.big.include", "orders.*, bills"),
            ("topic.creation.big.exclude", ".*_tmp"),
            ("topic.creation.big.partitions", "12"),
            ("topic.creation.big.cleanup.policy", "compact"),
            ("topic.creation.default.partitions", "1"),
            ("topic.creation.default.replication.factor", "-1"),
        ]))
        .unwrap();
        let creation = config.topic_creation.unwrap();
        let group = |topic| creation.group_of(topic).unwrap();
        assert_eq!(
            (
                group("orders_eu").name.as_str(),
                group("orders_eu").partitions
            ),
            ("big", Some(12))
        );
        assert_eq!(
            group("orders_eu").replication,
            None,
            "taken from the default group"
        );
        assert_eq!(group("orders_eu").configs["cleanup.policy"], "compact");
        assert_eq!(group("bills").name, "big");
        assert_eq!(group("orders_tmp").name, "default");
        assert_eq!(
            group("my_orders").name,
            "default",
            "a pattern matches the whole name"
        );
    }

    #[test]
    fn the_default_group_is_required_once_topics_are_created() {
        let problems = SourceConfig::parse(&raw(&[
            ("topic.creation.groups", "g"),
            ("topic.creation.g.include", "("),
        ]))
        .unwrap_err();
        let text = problems.to_string();
        assert!(text.contains("topic.creation.default.partitions"), "{text}");
        assert!(
            text.contains("topic.creation.default.replication.factor"),
            "{text}"
        );
        assert!(text.contains("Invalid regex"), "{text}");
    }
}
