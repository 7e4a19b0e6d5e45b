use ferroconnect_converters::config::{ConfigDef, RawConfig};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};

use crate::api::port::{SinkTaskPort, SourceTaskPort};
use crate::api::{SinkConnector, SourceConnector};

/// Makes source connectors. A function that makes one is a factory.
pub trait SourceFactory: Send + Sync {
    /// A new connector.
    fn connector(&self) -> Box<dyn SourceConnector>;

    /// A task that lives elsewhere; `None` runs the connector's own task on a thread of the worker.
    fn port(&self) -> Option<Box<dyn SourceTaskPort>> {
        None
    }
}

impl<F: Fn() -> Box<dyn SourceConnector> + Send + Sync> SourceFactory for F {
    fn connector(&self) -> Box<dyn SourceConnector> {
        self()
    }
}

/// Makes sink connectors. A function that makes one is a factory.
pub trait SinkFactory: Send + Sync {
    /// A new connector.
    fn connector(&self) -> Box<dyn SinkConnector>;

    /// A task that lives elsewhere; `None` runs the connector's own task on a thread of the worker.
    fn port(&self) -> Option<Box<dyn SinkTaskPort>> {
        None
    }
}

impl<F: Fn() -> Box<dyn SinkConnector> + Send + Sync> SinkFactory for F {
    fn connector(&self) -> Box<dyn SinkConnector> {
        self()
    }
}

/// Makes converters of keys and values.
pub trait ConverterFactory: Send + Sync {
    /// The converter's keys, without prefix.
    fn config_def(&self) -> ConfigDef;

    /// A converter for one role of one task.
    ///
    /// # Errors
    /// All problems of its settings.
    fn build(&self, role: Role, settings: &RawConfig) -> Result<Box<dyn Converter>, Error>;
}

/// Makes converters of header values.
pub trait HeaderConverterFactory: Send + Sync {
    /// The converter's keys, without prefix.
    fn config_def(&self) -> ConfigDef;

    /// A header converter for one task.
    ///
    /// # Errors
    /// All problems of its settings.
    fn build(&self, settings: &RawConfig) -> Result<Box<dyn HeaderConverter>, Error>;
}
