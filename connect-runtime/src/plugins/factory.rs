use std::fmt;
use std::sync::Arc;

use ferroconnect_converters::config::{ConfigDef, Problems, RawConfig};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};
use ferroconnect_registry_client::AsyncRegistry;

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

    /// Whether its converters ask a schema registry. How to reach that registry stands in their settings.
    fn needs_registry(&self) -> bool {
        false
    }
}

/// Opens schema registries for converters.
pub trait RegistryFactory: Send + Sync {
    /// The registry that a converter's settings name (`schema.registry.url` and its companions). Nothing is asked yet.
    ///
    /// # Errors
    /// Config fault: settings that make no sense.
    fn open(&self, settings: &RawConfig) -> Result<Arc<dyn AsyncRegistry>, crate::error::Error>;
}

impl fmt::Debug for dyn RegistryFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegistryFactory")
    }
}

impl<F> RegistryFactory for F
where
    F: Fn(&RawConfig) -> Result<Arc<dyn AsyncRegistry>, crate::error::Error> + Send + Sync,
{
    fn open(&self, settings: &RawConfig) -> Result<Arc<dyn AsyncRegistry>, crate::error::Error> {
        self(settings)
    }
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
