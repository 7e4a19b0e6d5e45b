//! Names and numbers of the worker as types, so that two of the same width never meet.

use std::fmt;
use std::sync::Arc;

/// A partition of a topic. Cloning counts a reference, it does not copy the name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TopicPartition {
    /// Topic name as the cluster knows it.
    pub topic: Arc<str>,
    /// Partition number, from 0.
    pub partition: i32,
}

impl TopicPartition {
    /// Names partition `partition` of `topic`.
    pub fn new(topic: impl Into<Arc<str>>, partition: i32) -> Self {
        Self {
            topic: topic.into(),
            partition,
        }
    }
}

impl fmt::Display for TopicPartition {
    /// `topic-partition`, the way Kafka writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// The name of a connector: not blank and without control characters (the rule of the `name` key in
/// Kafka Connect's connector configuration).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectorName(Arc<str>);

impl ConnectorName {
    /// Checks and takes `name`; `None` if it is blank or has a control character.
    ///
    /// ```
    /// use ferroconnect_runtime::ids::ConnectorName;
    /// assert_eq!(ConnectorName::new("orders").map(|name| name.to_string()).as_deref(), Some("orders"));
    /// assert!(ConnectorName::new(" ").is_none());
    /// assert!(ConnectorName::new("a\nb").is_none());
    /// ```
    pub fn new(name: &str) -> Option<Self> {
        let legal = !name.trim().is_empty() && !name.chars().any(char::is_control);
        legal.then(|| Self(name.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConnectorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One task of a connector. Shown as `connector-index`, as in Kafka Connect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId {
    /// The connector it belongs to.
    pub connector: ConnectorName,
    /// Index of the task, from 0.
    pub index: u32,
}

impl TaskId {
    /// Names task `index` of `connector`.
    pub const fn new(connector: ConnectorName, index: u32) -> Self {
        Self { connector, index }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.connector, self.index)
    }
}
