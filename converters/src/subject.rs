//! Subject names: under which name a registry keeps the schema of a record.
//!
//! Source: `io.confluent.kafka.serializers.subject`; the associated strategy is the default since platform 8.

use ferroconnect_registry_client::{Subject, TopicPart};

use crate::converter::Role;
use crate::error::{Error, registered::Kind};

/// How a subject is named (`key.subject.name.strategy`, `value.subject.name.strategy`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectStrategy {
    /// `<topic>-key` or `<topic>-value`.
    TopicName,
    /// The full name of the record.
    RecordName,
    /// `<topic>-<full name of the record>`.
    TopicRecordName,
    /// The one subject that the registry associates with the topic; without one, the fall-back.
    Associated(Associated),
}

/// What the associated strategy needs besides the topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Associated {
    /// `subject.name.strategy.kafka.cluster.id`: the namespace of the topic; `None` asks for `-`.
    pub cluster: Option<Box<str>>,
    /// `subject.name.strategy.fallback.type`.
    pub fallback: Fallback,
}

/// What names the subject of a topic that the registry associates with none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// As [`SubjectStrategy::TopicName`].
    #[default]
    Topic,
    /// As [`SubjectStrategy::RecordName`].
    Record,
    /// As [`SubjectStrategy::TopicRecordName`].
    TopicRecord,
    /// Nothing: such a topic is refused.
    None,
}

/// The default of platform 8: associated, by topic otherwise.
impl Default for SubjectStrategy {
    fn default() -> Self {
        Self::Associated(Associated::default())
    }
}

impl SubjectStrategy {
    /// The strategy that a Java class name or its short form names; `RecordNameStrategy`, `RecordName`.
    ///
    /// ```
    /// use ferroconnect_converters::subject::SubjectStrategy;
    /// let class = "io.confluent.kafka.serializers.subject.RecordNameStrategy";
    /// assert_eq!(SubjectStrategy::from_class_name(class), Some(SubjectStrategy::RecordName));
    /// assert_eq!(SubjectStrategy::from_class_name("RecordName"), Some(SubjectStrategy::RecordName));
    /// assert_eq!(SubjectStrategy::from_class_name("com.acme.RecordNameStrategy"), None);
    /// ```
    #[must_use]
    pub fn from_class_name(class: &str) -> Option<Self> {
        let short = class.strip_prefix(PACKAGE).unwrap_or(class);
        match short.strip_suffix("Strategy").unwrap_or(short) {
            "TopicName" => Some(Self::TopicName),
            "RecordName" => Some(Self::RecordName),
            "TopicRecordName" => Some(Self::TopicRecordName),
            "AssociatedName" => Some(Self::default()),
            _ => None,
        }
    }

    /// The Java class.
    #[must_use]
    pub const fn class_name(&self) -> &'static str {
        match self {
            Self::TopicName => "io.confluent.kafka.serializers.subject.TopicNameStrategy",
            Self::RecordName => "io.confluent.kafka.serializers.subject.RecordNameStrategy",
            Self::TopicRecordName => {
                "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy"
            }
            Self::Associated(_) => "io.confluent.kafka.serializers.subject.AssociatedNameStrategy",
        }
    }

    /// What has to be asked about a topic first, if anything.
    #[must_use]
    pub fn question(&self, topic: &str, role: Role) -> Option<TopicPart> {
        match self {
            Self::Associated(associated) => Some(TopicPart {
                topic: topic.into(),
                cluster: associated.cluster.clone(),
                is_key: role == Role::Key,
            }),
            Self::TopicName | Self::RecordName | Self::TopicRecordName => None,
        }
    }

    /// Whether the name of the record decides; with associations, where there is none.
    #[must_use]
    pub const fn needs_record_name(&self) -> bool {
        match self {
            Self::TopicName => false,
            Self::RecordName | Self::TopicRecordName => true,
            Self::Associated(associated) => {
                matches!(
                    associated.fallback,
                    Fallback::Record | Fallback::TopicRecord
                )
            }
        }
    }

    /// The subject. `record` is the full name of the schema, if it is a record and known; `associated` are the
    /// subjects that the registry associates with the topic, where it was asked.
    ///
    /// ```
    /// use ferroconnect_converters::{Role, subject::SubjectStrategy};
    /// let subject = SubjectStrategy::TopicName.subject("orders", Role::Key, None, &[])?;
    /// assert_eq!(subject.as_str(), "orders-key");
    /// assert!(SubjectStrategy::RecordName.subject("orders", Role::Key, None, &[]).is_err());
    /// # Ok::<(), ferroconnect_converters::Error>(())
    /// ```
    ///
    /// # Errors
    /// Data fault: a strategy that needs a record meets another schema; no association and no fall-back, or several
    /// associations; a name that no registry takes.
    pub fn subject(
        &self,
        topic: &str,
        role: Role,
        record: Option<&str>,
        associated: &[Subject],
    ) -> Result<Subject, Error> {
        let form = match self {
            Self::TopicName => Fallback::Topic,
            Self::RecordName => Fallback::Record,
            Self::TopicRecordName => Fallback::TopicRecord,
            Self::Associated(own) => match associated {
                [] => own.fallback,
                [one] => return Ok(one.clone()),
                [_, _, ..] => return Err(Kind::SeveralAssociations(topic.into()).into()),
            },
        };
        let record = || {
            record.ok_or(Kind::NotARecord {
                role: role.name(),
                class: self.class_name(),
            })
        };
        let name = match form {
            Fallback::Topic => format!("{topic}-{}", role.name()),
            Fallback::Record => record()?.to_owned(),
            Fallback::TopicRecord => format!("{topic}-{}", record()?),
            Fallback::None => return Err(Kind::NoAssociation(topic.into()).into()),
        };
        Subject::new(&name).ok_or_else(|| Kind::NotASubject(name.into()).into())
    }
}

impl Fallback {
    /// The fall-back of that name, in any case, as in `subject.name.strategy.fallback.type`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [
            ("TOPIC", Self::Topic),
            ("RECORD", Self::Record),
            ("TOPIC_RECORD", Self::TopicRecord),
            ("NONE", Self::None),
        ]
        .into_iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known))
        .map(|(_, fallback)| fallback)
    }
}

const PACKAGE: &str = "io.confluent.kafka.serializers.subject.";

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects(names: &[&str]) -> Vec<Subject> {
        names.iter().filter_map(|name| Subject::new(name)).collect()
    }

    #[test]
    fn names_follow_the_strategy() {
        let record = Some("com.acme.Order");
        let table = [
            (SubjectStrategy::TopicName, "t-value"),
            (SubjectStrategy::RecordName, "com.acme.Order"),
            (SubjectStrategy::TopicRecordName, "t-com.acme.Order"),
            (SubjectStrategy::default(), "t-value"),
        ];
        for (strategy, name) in table {
            let subject = strategy.subject("t", Role::Value, record, &[]).unwrap();
            assert_eq!(subject.as_str(), name);
        }
    }

    #[test]
    fn one_association_wins_and_several_are_refused() {
        let strategy = SubjectStrategy::default();
        let one = strategy.subject("t", Role::Value, None, &subjects(&["a"]));
        assert_eq!(one.unwrap().as_str(), "a");
        let two = strategy.subject("t", Role::Value, None, &subjects(&["a", "b"]));
        assert!(
            two.unwrap_err()
                .to_string()
                .contains("Multiple associated subjects found for topic t")
        );
    }

    #[test]
    fn without_association_the_fallback_names_or_refuses() {
        let with = |fallback| {
            SubjectStrategy::Associated(Associated {
                fallback,
                ..Associated::default()
            })
        };
        let record = with(Fallback::Record).subject("t", Role::Key, Some("R"), &[]);
        assert_eq!(record.unwrap().as_str(), "R");
        let none = with(Fallback::None).subject("t", Role::Key, Some("R"), &[]);
        assert!(
            none.unwrap_err()
                .to_string()
                .contains("No associated subject found for topic t")
        );
    }

    #[test]
    fn a_record_strategy_refuses_what_is_no_record() {
        let error = SubjectStrategy::RecordName
            .subject("t", Role::Key, None, &[])
            .unwrap_err();
        let text = "In configuration key.subject.name.strategy = \
                    io.confluent.kafka.serializers.subject.RecordNameStrategy, the message key must only be a record schema";
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.is_data());
    }
}
