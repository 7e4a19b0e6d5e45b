use std::fmt;
use std::sync::Arc;

use ferroconnect_converters::config::{ConfigDef, Problems, RawConfig};

use super::{SinkTask, SourceOffset, SourcePartition, SourceTask};
use crate::error::Error;

/// A source: says which keys it has, and how its work is cut into tasks.
///
/// The calls come in the order `config_def`, `validate`, `initialize`, `start`, `task_configs`, `task` (once per task), `stop`.
pub trait SourceConnector: Send {
    /// The connector's own keys; the framework's are added.
    fn config_def(&self) -> ConfigDef;

    /// Checks what the definition cannot say, after every single key was found well.
    fn validate(&self, _config: &RawConfig) -> Problems {
        Problems::new()
    }

    /// Takes the line to the worker. Keep it only if you use it.
    fn initialize(&mut self, _context: ConnectorContext) {}

    /// Gets ready.
    ///
    /// # Errors
    /// Fails the connector; no task is started.
    fn start(&mut self, _config: &RawConfig) -> Result<(), Error> {
        Ok(())
    }

    /// One configuration per task, at most `max`.
    ///
    /// # Errors
    /// Fails the connector.
    fn task_configs(&self, config: &RawConfig, max: u32) -> Result<Vec<RawConfig>, Error>;

    /// A new task that is not started yet.
    fn task(&self) -> Box<dyn SourceTask>;

    /// Lets go of what [`start`](Self::start) took.
    fn stop(&mut self) {}

    /// Whether the connector can resume exactly where its offsets say.
    fn exactly_once_support(&self, _config: &RawConfig) -> ExactlyOnceSupport {
        ExactlyOnceSupport::Unsupported
    }

    /// Checks offsets that a person wants to set; `true` accepts them, `false` says that this connector does not care.
    ///
    /// # Errors
    /// The offsets make no sense.
    fn alter_offsets(
        &self,
        _config: &RawConfig,
        _offsets: &[(SourcePartition, SourceOffset)],
    ) -> Result<bool, Error> {
        Ok(false)
    }
}

/// A sink: says which keys it has, and how its work is cut into tasks.
///
/// The calls come in the same order as for a [`SourceConnector`].
pub trait SinkConnector: Send {
    /// The connector's own keys; the framework's are added.
    fn config_def(&self) -> ConfigDef;

    /// Checks what the definition cannot say, after every single key was found well.
    fn validate(&self, _config: &RawConfig) -> Problems {
        Problems::new()
    }

    /// Takes the line to the worker. Keep it only if you use it.
    fn initialize(&mut self, _context: ConnectorContext) {}

    /// Gets ready.
    ///
    /// # Errors
    /// Fails the connector; no task is started.
    fn start(&mut self, _config: &RawConfig) -> Result<(), Error> {
        Ok(())
    }

    /// One configuration per task, at most `max`. Usually the connector's own, `max` times: topic partitions are shared out by the
    /// consumer group.
    ///
    /// # Errors
    /// Fails the connector.
    fn task_configs(&self, config: &RawConfig, max: u32) -> Result<Vec<RawConfig>, Error> {
        Ok((0..max).map(|_| config.clone()).collect())
    }

    /// A new task that is not started yet.
    fn task(&self) -> Box<dyn SinkTask>;

    /// Lets go of what [`start`](Self::start) took.
    fn stop(&mut self) {}

    /// Checks consumer offsets that a person wants to set.
    ///
    /// # Errors
    /// The offsets make no sense.
    fn alter_offsets(
        &self,
        _config: &RawConfig,
        _offsets: &crate::kafka::Offsets,
    ) -> Result<bool, Error> {
        Ok(false)
    }
}

/// What a connector can ask of its worker, at any time from any thread.
#[derive(Clone)]
pub struct ConnectorContext(Arc<dyn ConnectorRequests>);

impl ConnectorContext {
    /// A context that passes requests on to `requests`.
    pub fn new(requests: Arc<dyn ConnectorRequests>) -> Self {
        Self(requests)
    }

    /// Asks for `task_configs` to be called again, because there is more or less to do. Tasks are restarted only if it says something
    /// else than before. Returns at once.
    ///
    /// # Errors
    /// This connector was stopped.
    pub fn request_task_reconfiguration(&self) -> Result<(), Error> {
        self.0.reconfigure()
    }

    /// Fails the connector; its tasks go on. Returns at once.
    ///
    /// # Errors
    /// This connector was stopped.
    pub fn raise_error(&self, error: Error) -> Result<(), Error> {
        self.0.fail(error)
    }
}

impl fmt::Debug for ConnectorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConnectorContext")
    }
}

/// The worker's side of a [`ConnectorContext`].
pub trait ConnectorRequests: Send + Sync {
    /// See [`ConnectorContext::request_task_reconfiguration`].
    ///
    /// # Errors
    /// The connector was stopped.
    fn reconfigure(&self) -> Result<(), Error>;

    /// See [`ConnectorContext::raise_error`].
    ///
    /// # Errors
    /// The connector was stopped.
    fn fail(&self, error: Error) -> Result<(), Error>;
}

/// Whether a source can resume exactly where its offsets say (KIP-618).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum ExactlyOnceSupport {
    /// It can.
    Supported,
    /// It cannot.
    Unsupported,
}
