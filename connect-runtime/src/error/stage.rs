use std::fmt;

/// The operation on a record that failed. Closed by Kafka Connect (KIP-298); `Display` is Java's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum Stage {
    /// A source task's poll.
    TaskPoll,
    /// A transformation or its predicate.
    Transformation,
    /// The key converter.
    KeyConverter,
    /// The value converter.
    ValueConverter,
    /// The header converter.
    HeaderConverter,
    /// Writing to Kafka.
    KafkaProduce,
    /// Reading from Kafka.
    KafkaConsume,
    /// A sink task's put.
    TaskPut,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TaskPoll => "TASK_POLL",
            Self::Transformation => "TRANSFORMATION",
            Self::KeyConverter => "KEY_CONVERTER",
            Self::ValueConverter => "VALUE_CONVERTER",
            Self::HeaderConverter => "HEADER_CONVERTER",
            Self::KafkaProduce => "KAFKA_PRODUCE",
            Self::KafkaConsume => "KAFKA_CONSUME",
            Self::TaskPut => "TASK_PUT",
        })
    }
}
