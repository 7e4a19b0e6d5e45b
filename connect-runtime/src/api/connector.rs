use ferroconnect_converters::config::{ConfigDef, Problems, RawConfig};

use super::{SinkTask, SourceOffset, SourcePartition, SourceTask};
use crate::error::Error;

/// A source: says which keys it has, and how its work is cut into tasks.
///
/// The calls come in the order `config_def`, `validate`, `start`, `task_configs`, `task` (once per task), `stop`.
pub trait SourceConnector: Send {
    /// The connector's own keys; the framework's are added.
    fn config_def(&self) -> ConfigDef;

    /// Checks what the definition cannot say, after every single key was found well.
    fn validate(&self, _config: &RawConfig) -> Problems {
        Problems::new()
    }

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

/// Whether a source can resume exactly where its offsets say (KIP-618).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum ExactlyOnceSupport {
    /// It can.
    Supported,
    /// It cannot.
    Unsupported,
}
