use std::sync::Arc;

use ferroconnect_converters::config::{ConfigDef, Problems, RawConfig};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};

use crate::api::port::{SinkTaskPort, SourceTaskPort};
use crate::api::{SinkConnector, SourceConnector};
use crate::config::providers::{ConfigProvider, Environment};

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

/// Makes config providers. A function that makes one is a factory.
pub trait ConfigProviderFactory: Send + Sync {
    /// A provider with these parameters, without prefix.
    ///
    /// # Errors
    /// All parameters that make no sense.
    fn build(
        &self,
        params: &RawConfig,
        environment: &Environment,
    ) -> Result<Arc<dyn ConfigProvider>, Problems>;
}

impl<F> ConfigProviderFactory for F
where
    F: Fn(&RawConfig, &Environment) -> Result<Arc<dyn ConfigProvider>, Problems> + Send + Sync,
{
    fn build(
        &self,
        params: &RawConfig,
        environment: &Environment,
    ) -> Result<Arc<dyn ConfigProvider>, Problems> {
        self(params, environment)
    }
}
