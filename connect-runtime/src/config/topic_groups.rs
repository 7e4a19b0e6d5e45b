//! `topic.creation.*`: how the topics of a source connector are created (KIP-158).

use std::collections::BTreeMap;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Settings, Validator, Width,
    prefixed,
};
use regex::Regex;

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

    /// Reads the groups; `None` when the connector says nothing about topics, which leaves them to the cluster.
    pub(super) fn parse(raw: &RawConfig, names: &[String]) -> Result<Option<Self>, Problems> {
        if !raw.keys().any(|key| key.starts_with(PREFIX)) {
            return Ok(None);
        }
        let mut problems = Problems::new();
        let default = problems.collect(TopicGroup::parse(
            raw,
            DEFAULT,
            topic_group_def(DEFAULT, None),
        ));
        // What a group does not say, the default group says; while that is wrong, only the groups' own keys are checked.
        let (partitions, replication) = default.as_ref().map_or((-1, -1), |group| {
            (
                group.partitions.map_or(-1, i64::from),
                group.replication.map_or(-1, i64::from),
            )
        });
        let mut groups = Vec::new();
        for name in names.iter().filter(|name| *name != DEFAULT) {
            let def = topic_group_def(name, Some((partitions, replication)));
            groups.extend(problems.collect(TopicGroup::parse(raw, name, def)));
        }
        groups.extend(default);
        problems.into_result().map(|()| Some(Self { groups }))
    }

    /// What Kafka says about keys that are allowed and have no effect.
    pub(super) fn warnings(raw: &RawConfig, groups: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        let listed = |name: &str| groups.split(',').any(|group| group.trim() == name);
        if listed(DEFAULT) {
            warnings.push(format!(
                "'{PREFIX}groups' names the group '{DEFAULT}', which is always there, and last"
            ));
        }
        for part in ["include", "exclude"] {
            let key = format!("{PREFIX}{DEFAULT}.{part}");
            if raw.contains_key(&key) {
                warnings.push(format!(
                    "'{key}' has no effect: the default group takes every topic that no other group takes"
                ));
            }
        }
        let of_nobody = raw.keys().filter_map(|key| {
            let (group, _) = key.strip_prefix(PREFIX)?.split_once('.')?;
            (group != DEFAULT && !listed(group)).then_some((key, group))
        });
        for (key, group) in of_nobody {
            warnings.push(format!(
                "'{key}' has no effect: '{PREFIX}groups' does not name the group '{group}'"
            ));
        }
        warnings
    }
}

impl TopicGroup {
    fn parse(raw: &RawConfig, name: &str, def: ConfigDef) -> Result<Self, Problems> {
        let prefix = format!("{PREFIX}{name}.");
        let own = prefixed(raw, &prefix);
        let of_file = |problems: Problems| {
            let mut renamed = Problems::new();
            problems
                .into_iter()
                .for_each(|problem| renamed.push(problem.under(&prefix)));
            renamed
        };
        let settings = def.parse(&own).map_err(of_file)?;
        let read = || -> Result<Self, Problem> {
            let partitions: i32 = settings.get(PARTITION_COUNT)?;
            let replication: i16 = settings.get(REPLICATION)?;
            Ok(Self {
                name: name.to_owned(),
                partitions: u32::try_from(partitions).ok(),
                replication: u16::try_from(replication).ok(),
                configs: own
                    .iter()
                    .filter(|(key, _)| def.key(key).is_none())
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
                include: patterns(&settings, INCLUDE)?,
                exclude: patterns(&settings, EXCLUDE)?,
            })
        };
        read().map_err(|problem| of_file(problem.into()))
    }
}

fn patterns(settings: &Settings, key: &str) -> Result<Vec<Regex>, Problem> {
    let list: Vec<String> = settings.get(key)?;
    list.iter()
        .filter(|pattern| !pattern.is_empty())
        .map(|pattern| whole(key, pattern))
        .collect()
}

/// A pattern that has to match the whole name.
pub(super) fn whole(key: &str, pattern: &str) -> Result<Regex, Problem> {
    Regex::new(&format!("^(?:{pattern})$"))
        .map_err(|error| Problem::invalid(key, pattern, format!("Invalid regex: {error}")))
}

/// The keys of one group, without prefix (`TopicCreationConfig`). `defaults` are partitions and replicas of the default group, which
/// itself must name both.
pub fn topic_group_def(group: &str, defaults: Option<(i64, i64)>) -> ConfigDef {
    let is_default = group == DEFAULT;
    let (all, check) = if is_default {
        (".*", ANY_LIST)
    } else {
        ("", PATTERNS)
    };
    let number = |name: &str, kind: Kind, doc: &str, default: Option<i64>| {
        let key = Key::new(name, kind, Importance::Low, doc);
        match default {
            Some(number) => key.default(&number.to_string()),
            None => key,
        }
    };
    ConfigDef::new()
        .define(
            Key::new(
                INCLUDE,
                Kind::List,
                Importance::Low,
                "Patterns of the topics in the group.",
            )
            .default(all)
            .check(check)
            .group(group, 1, Width::Long)
            .shown_as(&format!("Inclusion Topic Pattern for {group}")),
        )
        .define(
            Key::new(
                EXCLUDE,
                Kind::List,
                Importance::Low,
                "Patterns of the topics not in the group.",
            )
            .default("")
            .check(check)
            .group(group, 2, Width::Long)
            .shown_as(&format!("Exclusion Topic Pattern for {group}")),
        )
        .define(
            number(
                REPLICATION,
                Kind::Short,
                "Replicas of each partition; -1 is the broker's choice.",
                defaults.map(|(_, n)| n),
            )
            .check(REPLICAS)
            .group(group, 3, Width::Long)
            .shown_as(&format!("Replication Factor for Topics in {group}")),
        )
        .define(
            number(
                PARTITION_COUNT,
                Kind::Int,
                "Partitions of each topic; -1 is the broker's choice.",
                defaults.map(|(n, _)| n),
            )
            .check(PARTITIONS)
            .group(group, 4, Width::Long)
            .shown_as(&format!("Partition Count for Topics in {group}")),
        )
}

/// A number of partitions.
pub(super) const PARTITIONS: Validator = Validator::Custom {
    text: "Positive number, or -1 to use the broker's default",
    check: |value| {
        positive_or_default(
            value.as_integer(),
            "Number of partitions must be positive, or -1 to use the broker's default",
        )
    },
};

/// A number of replicas.
pub(super) const REPLICAS: Validator = Validator::Custom {
    text: "Positive number not larger than the number of brokers in the Kafka cluster, or -1 to use the broker's default",
    check: |value| {
        positive_or_default(
            value.as_integer(),
            "Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, or -1 to use the \
             broker's default",
        )
    },
};

fn positive_or_default(value: Option<i64>, said: &str) -> Result<(), String> {
    match value {
        Some(number) if number < 1 && number != -1 => Err(said.to_owned()),
        Some(_) | None => Ok(()),
    }
}

/// Kafka prints the text of another check here.
const PATTERNS: Validator = Validator::Custom {
    text: "Positive number, or -1 to use the broker's default",
    check: |value| {
        let list = value.as_list().unwrap_or_default();
        list.iter().try_for_each(|pattern| {
            whole("", pattern)
                .map(drop)
                .map_err(|_| "Property requires a valid regular expression".to_owned())
        })
    },
};

/// The default group's patterns are never used, and so never checked.
const ANY_LIST: Validator = Validator::Custom {
    text: "non-null string",
    check: |_| Ok(()),
};

const PREFIX: &str = "topic.creation.";
const DEFAULT: &str = "default";
const INCLUDE: &str = "include";
const EXCLUDE: &str = "exclude";
const REPLICATION: &str = "replication.factor";
const PARTITION_COUNT: &str = "partitions";

#[cfg(test)]
mod tests {
    use crate::config::{RawConfig, SourceConfig};

    fn raw(pairs: &[(&str, &str)]) -> RawConfig {
        let own = [("name", "c"), ("connector.class", "X")];
        own.iter()
            .chain(pairs)
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
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
        assert!(
            text.contains("Property requires a valid regular expression"),
            "{text}"
        );
    }
}
