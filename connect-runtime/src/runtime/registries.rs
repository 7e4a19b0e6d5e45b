//! [`Connections`]: the schema registries that the converters of a worker ask.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_registry_client::AsyncRegistry;
use ferroconnect_registry_client::cache::CachingRegistry;
use ferroconnect_registry_client::client::config::Address;
use ferroconnect_registry_client::client::{ClientConfig, RegistryClient};

use crate::config::RawConfig;
use crate::error::{Error, Fault};
use crate::plugins::RegistryFactory;

/// Opens registries by `schema.registry.url` and its companions. Converters with equal settings share one client and its
/// caches, whatever connector they belong to.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Connection>>,
}

/// One registry as one set of settings reaches it.
struct Connection {
    settings: ClientConfig,
    registry: CachingRegistry<RegistryClient>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.registry.fmt(f)
    }
}

impl RegistryFactory for Connections {
    fn open(&self, settings: &RawConfig) -> Result<Arc<dyn AsyncRegistry>, Error> {
        let pairs = settings.iter().map(|(key, value)| (&**key, &**value));
        let settings = ClientConfig::parse(pairs)
            .map_err(|problems| Error::new(Fault::Config, problems.to_string()))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.iter().find(|known| known.settings == settings) {
            return Ok(Arc::new(known.registry.clone()));
        }
        let registry = self.connect(settings.clone())?;
        open.push(Connection {
            settings,
            registry: registry.clone(),
        });
        Ok(Arc::new(registry))
    }
}

impl Connections {
    fn connect(&self, settings: ClientConfig) -> Result<CachingRegistry<RegistryClient>, Error> {
        match &settings.address {
            Address::Http(_) => CachingRegistry::connect(settings)
                .map_err(|error| Error::new(Fault::Config, error.to_string())),
            Address::Embedded(_) | Address::Mock(_) => Err(Error::new(
                Fault::Config,
                "the embedded registry is not there yet",
            )),
        }
    }
}
