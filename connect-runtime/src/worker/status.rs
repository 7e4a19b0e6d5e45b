use std::fmt;
use std::sync::Arc;

use crate::ids::ConnectorName;
use crate::task::TaskStatus;

/// What a connector is doing, in Kafka Connect's words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum ConnectorState {
    /// It was stopped together with its worker.
    Unassigned,
    /// It works.
    Running,
    /// It is stopped; its tasks wait.
    Paused,
    /// It is stopped and has no tasks.
    Stopped,
    /// It ended with an error; its tasks may go on.
    Failed(Arc<str>),
}

impl fmt::Display for ConnectorState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unassigned => "UNASSIGNED",
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Stopped => "STOPPED",
            Self::Failed(_) => "FAILED",
        })
    }
}

/// A connector and its tasks as they are at one moment; task states and counters go on to change.
#[derive(Clone, Debug)]
pub struct ConnectorStatus {
    /// Its name.
    pub name: ConnectorName,
    /// Its class as it was asked for.
    pub class: String,
    /// Its version.
    pub version: String,
    /// Whether it is a source.
    pub is_source: bool,
    /// What it is doing.
    pub state: ConnectorState,
    /// The worker it is on: host and port.
    pub worker_id: Arc<str>,
    /// Its tasks in order.
    pub tasks: Vec<TaskStatus>,
}
