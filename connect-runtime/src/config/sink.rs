use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Settings, Validator, Width,
};
use regex::Regex;

use super::{ConnectorConfig, connector_def, topic_groups::whole};

/// A sink connector's settings.
#[derive(Clone, Debug)]
pub struct SinkConfig {
    /// What every connector has.
    pub connector: ConnectorConfig,
    /// What it reads.
    pub topics: Topics,
    /// Where records go that fail; empty is nowhere.
    pub dead_letter_topic: String,
}

/// What a sink reads.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum Topics {
    /// These topics.
    List(Vec<String>),
    /// Topics whose whole name matches.
    Pattern(Regex),
}

impl SinkConfig {
    /// Reads the framework's keys of a sink connector; the connector's own keys are checked by its own definition.
    ///
    /// # Errors
    /// All problems, in the order of the definition.
    pub fn parse(raw: &RawConfig) -> Result<Self, Problems> {
        let settings = sink_def().parse(raw)?;
        let dead_letter_topic: String = settings.get("errors.deadletterqueue.topic.name")?;
        let topics = topics(&settings, &dead_letter_topic)?;
        Ok(Self {
            connector: ConnectorConfig::from_settings(&settings)?,
            topics,
            dead_letter_topic,
        })
    }
}

fn topics(settings: &Settings, dead_letter_topic: &str) -> Result<Topics, Problem> {
    let list: Vec<String> = settings.get("topics")?;
    let regex: String = settings.get("topics.regex")?;
    let wants_dead_letters = !dead_letter_topic.is_empty();
    match (list.is_empty(), regex.is_empty()) {
        (true, true) => Err(Problem::said(
            "topics",
            "Must configure one of topics or topics.regex",
        )),
        (false, false) => Err(Problem::said(
            "topics.regex",
            "topics and topics.regex are mutually exclusive options, but both are set.",
        )),
        (false, true)
            if wants_dead_letters && list.iter().any(|topic| topic == dead_letter_topic) =>
        {
            Err(Problem::said(
                "errors.deadletterqueue.topic.name",
                format!(
                    "The DLQ topic '{dead_letter_topic}' may not be included in the list of topics ('topics=[{}]') consumed by the connector",
                    list.join(", ")
                ),
            ))
        }
        (false, true) => Ok(Topics::List(list)),
        (true, false) => {
            let pattern = whole("topics.regex", &regex)?;
            if wants_dead_letters && pattern.is_match(dead_letter_topic) {
                return Err(Problem::said(
                    "errors.deadletterqueue.topic.name",
                    format!(
                        "The DLQ topic '{dead_letter_topic}' may not be matched by the regex for the topics ('topics.regex={regex}') consumed \
                         by the connector"
                    ),
                ));
            }
            Ok(Topics::Pattern(pattern))
        }
    }
}

const ERRORS: &str = "Error Handling";

/// Keys of every sink connector, in Kafka's order.
pub fn sink_def() -> ConfigDef {
    use Importance::{High, Medium};
    connector_def()
        .define(
            Key::new("topics", Kind::List, High, "Topics to read.")
                .default("")
                .check(Validator::Distinct {
                    or_empty: true,
                    or_null: false,
                })
                .group("Common", 4, Width::Long)
                .shown_as("Topics"),
        )
        .define(
            Key::new(
                "topics.regex",
                Kind::String,
                High,
                "Pattern of the topics to read.",
            )
            .default("")
            .check(Validator::Custom {
                text: "valid regex",
                check: |value| match value.as_text().map(|text| whole("", text)) {
                    Some(Err(_)) => Err("Invalid regex".to_owned()),
                    Some(Ok(_)) | None => Ok(()),
                },
            })
            .group("Common", 4, Width::Long)
            .shown_as("Topics regex"),
        )
        .define(
            Key::new(
                "errors.deadletterqueue.topic.name",
                Kind::String,
                Medium,
                "Topic for records that fail.",
            )
            .default("")
            .group(ERRORS, 6, Width::Medium)
            .shown_as("Dead Letter Queue Topic Name"),
        )
        .define(
            Key::new(
                "errors.deadletterqueue.topic.replication.factor",
                Kind::Short,
                Medium,
                "Replicas of that topic.",
            )
            .default("3")
            .group(ERRORS, 7, Width::Medium)
            .shown_as("Dead Letter Queue Topic Replication Factor"),
        )
        .define(
            Key::new(
                "errors.deadletterqueue.context.headers.enable",
                Kind::Boolean,
                Medium,
                "Whether headers there say what failed.",
            )
            .default("false")
            .group(ERRORS, 8, Width::Medium)
            .shown_as("Enable Error Context Headers"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<SinkConfig, String> {
        let own = [("name", "c"), ("connector.class", "X")];
        let raw = own
            .iter()
            .chain(pairs)
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        SinkConfig::parse(&raw).map_err(|problems| problems.to_string())
    }

    #[test]
    fn topics_come_from_a_list_or_from_a_pattern() {
        assert!(
            matches!(parse(&[("topics", "a, b")]).unwrap().topics, Topics::List(list) if list == ["a", "b"])
        );
        let Topics::Pattern(pattern) = parse(&[("topics.regex", "a|b")]).unwrap().topics else {
            panic!("a pattern")
        };
        assert!(
            pattern.is_match("a") && !pattern.is_match("ab"),
            "the whole name has to match"
        );
    }

    #[test]
    fn neither_or_both_is_refused_in_javas_words() {
        assert_eq!(
            parse(&[]).unwrap_err(),
            "Must configure one of topics or topics.regex"
        );
        assert_eq!(
            parse(&[("topics", "a"), ("topics.regex", "b")]).unwrap_err(),
            "topics and topics.regex are mutually exclusive options, but both are set."
        );
        assert!(parse(&[("topics.regex", "(")]).is_err());
    }

    #[test]
    fn dead_letters_may_not_be_read_back() {
        let dlq = ("errors.deadletterqueue.topic.name", "dead");
        assert!(
            parse(&[("topics", "a,dead"), dlq])
                .unwrap_err()
                .contains("may not be included")
        );
        assert!(
            parse(&[("topics.regex", "d.*"), dlq])
                .unwrap_err()
                .contains("may not be matched")
        );
        assert_eq!(
            parse(&[("topics", "a"), dlq]).unwrap().dead_letter_topic,
            "dead"
        );
    }
}
