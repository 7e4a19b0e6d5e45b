//! The one error of the runtime, sorted by fault, and the one place that turns a fault into a decision.

mod stage;

use std::borrow::Cow;
use std::fmt;

pub use ferroconnect_converters::Fault;
pub use stage::Stage;

use crate::ids::TopicPartition;
use crate::kafka;

/// What went wrong, with which record, and what to do about it. One word wide; the text never holds record values or secrets.
///
/// ```
/// use ferroconnect_runtime::{Error, Fault};
/// let error = Error::new(Fault::Config, "topic 'a b' has no legal name").next_step("choose a name without spaces");
/// assert_eq!(error.fault(), Fault::Config);
/// assert_eq!(error.to_string(), "topic 'a b' has no legal name (choose a name without spaces)");
/// ```
pub struct Error(Box<Parts>);

struct Parts {
    fault: Fault,
    message: Cow<'static, str>,
    stage: Option<Stage>,
    place: Option<Place>,
    next_step: Option<Cow<'static, str>>,
    class: Option<Box<str>>,
    trace: Option<Box<str>>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Where a record lies that an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A record of a topic.
    Record {
        /// Its partition.
        partition: TopicPartition,
        /// Its offset.
        offset: i64,
    },
    /// A record of a source batch that is not written yet: number of the batch since the start of the task, and row.
    SourceRow {
        /// Number of the batch.
        batch: u64,
        /// Row in the batch, from 0.
        row: u32,
        /// The topic it was meant for.
        topic: Box<str>,
    },
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    /// An error of this fault.
    #[cold]
    pub fn new(fault: Fault, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Parts {
            fault,
            message: message.into(),
            stage: None,
            place: None,
            next_step: None,
            class: None,
            trace: None,
            cause: None,
        }))
    }

    /// Something that this program should have made impossible.
    #[cold]
    pub fn bug(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Fault::Bug, message)
    }

    /// The same error, caused by another one.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The same error, met in this stage.
    #[must_use]
    pub fn in_stage(mut self, stage: Stage) -> Self {
        self.0.stage = Some(stage);
        self
    }

    /// The same error, about this record.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// The same error with advice.
    #[must_use]
    pub fn next_step(mut self, step: impl Into<Cow<'static, str>>) -> Self {
        self.0.next_step = Some(step.into());
        self
    }

    /// The same error with the class and trace that a foreign task reported.
    #[must_use]
    pub fn foreign(mut self, class: Option<Box<str>>, trace: Option<Box<str>>) -> Self {
        self.0.class = class;
        self.0.trace = trace;
        self
    }

    /// Who is to blame, which decides what happens next.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// The stage it was met in.
    pub fn stage(&self) -> Option<Stage> {
        self.0.stage
    }

    /// The record it is about.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// What the person in front of it can do.
    pub fn advice(&self) -> Option<&str> {
        self.0.next_step.as_deref()
    }

    /// The error class that a foreign task named, for example a Java class.
    pub fn class(&self) -> Option<&str> {
        self.0.class.as_deref()
    }

    /// The stack trace that a foreign task sent; shown on request only.
    pub fn trace(&self) -> Option<&str> {
        self.0.trace.as_deref()
    }

    /// What to do about it.
    pub fn decision(&self) -> Decision {
        decision(self.0.fault)
    }
}

/// What the runtime does about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "every caller must decide for each")]
pub enum Decision {
    /// Try the same again after a pause.
    Retry,
    /// The connector's `errors.tolerance` decides: skip the record, or fail the task.
    Tolerate,
    /// Fail the task; the others go on.
    FailTask,
}

/// The only mapping from a fault to what happens next.
pub fn decision(fault: Fault) -> Decision {
    match fault {
        Fault::Transient => Decision::Retry,
        Fault::Data | Fault::Plugin => Decision::Tolerate,
        Fault::Config | Fault::Fenced | Fault::Bug => Decision::FailTask,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &*self.0;
        if let Some(stage) = parts.stage {
            write!(f, "{stage}: ")?;
        }
        f.write_str(&parts.message)?;
        if let Some(place) = &parts.place {
            write!(f, ", {place}")?;
        }
        if let Some(cause) = &parts.cause {
            write!(f, ": {cause}")?;
        }
        if let Some(step) = &parts.next_step {
            write!(f, " ({step})")?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record { partition, offset } => write!(f, "record {partition}@{offset}"),
            Self::SourceRow { batch, row, topic } => {
                write!(f, "row {row} of source batch {batch} for topic {topic}")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.fault)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<kafka::Error> for Error {
    fn from(error: kafka::Error) -> Self {
        Self::new(kafka_fault(error.class()), error.to_string())
    }
}

/// How the classes of the Kafka ports sort into faults.
fn kafka_fault(class: kafka::Class) -> Fault {
    use kafka::Class;
    match class {
        Class::Retriable | Class::TimedOut | Class::Wakeup => Fault::Transient,
        Class::Fenced => Fault::Fenced,
        Class::InvalidRecord => Fault::Data,
        Class::Auth
        | Class::Fatal
        | Class::AlreadyExists
        | Class::NotFound
        | Class::GroupInUse
        | Class::InvalidRequest
        | Class::Unsupported
        | Class::Abortable => Fault::Config,
    }
}

impl From<ferroconnect_converters::Error> for Error {
    fn from(error: ferroconnect_converters::Error) -> Self {
        Self::new(error.fault(), error.to_string())
    }
}

impl From<ferroconnect_converters::config::Problem> for Error {
    fn from(problem: ferroconnect_converters::config::Problem) -> Self {
        Self::new(Fault::Config, problem.to_string())
    }
}

impl From<ferroconnect_converters::config::Problems> for Error {
    fn from(problems: ferroconnect_converters::config::Problems) -> Self {
        Self::new(Fault::Config, problems.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_one_decision() {
        assert_eq!(decision(Fault::Transient), Decision::Retry);
        assert_eq!(decision(Fault::Data), Decision::Tolerate);
        assert_eq!(decision(Fault::Plugin), Decision::Tolerate);
        assert_eq!(decision(Fault::Config), Decision::FailTask);
        assert_eq!(decision(Fault::Fenced), Decision::FailTask);
        assert_eq!(decision(Fault::Bug), Decision::FailTask);
    }

    #[test]
    fn an_error_names_stage_record_cause_and_next_step() {
        let error = Error::new(Fault::Data, "cannot be read")
            .in_stage(Stage::ValueConverter)
            .at(Place::Record {
                partition: TopicPartition::new("orders", 3),
                offset: 17,
            })
            .next_step("look at the record");
        assert_eq!(
            error.to_string(),
            "VALUE_CONVERTER: cannot be read, record orders-3@17 (look at the record)"
        );
    }

    #[test]
    fn trouble_of_the_cluster_is_never_bad_data() {
        assert_eq!(kafka_fault(kafka::Class::Retriable), Fault::Transient);
        assert_eq!(kafka_fault(kafka::Class::TimedOut), Fault::Transient);
        assert_eq!(kafka_fault(kafka::Class::InvalidRecord), Fault::Data);
    }
}
