//! [`Connections`]: the schema registries that the converters of a worker ask.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_converters::avro::AvroFormat;

use ferroconnect_registry_client::AsyncRegistry;
use ferroconnect_registry_client::cache::{CachingRegistry, scope_of};
use ferroconnect_registry_client::client::config::Address;
use ferroconnect_registry_client::client::{ClientConfig, Node, RegistryClient};
use ferroconnect_registry_client::server::{InProcess, Languages};

use crate::config::RawConfig;
use crate::error::{Error, Fault};
use crate::plugins::RegistryFactory;
use crate::registry::EmbeddedRegistry;

/// Opens registries by `schema.registry.url` and its companions. Converters with equal settings share one client and its
/// caches, whatever connector they belong to.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Connection>>,
    /// The worker's own folder, for `embedded:` without a path.
    folder: Option<PathBuf>,
    /// Registries in this process by their folders: one each, whatever the other settings say.
    embedded: Mutex<Vec<(PathBuf, EmbeddedRegistry)>>,
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
    /// For a worker that keeps its topics in this folder, if it does.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            ..Self::default()
        }
    }

    fn connect(&self, settings: ClientConfig) -> Result<CachingRegistry<RegistryClient>, Error> {
        let config = |problem: String| Error::new(Fault::Config, problem);
        match &settings.address {
            Address::Http(_) => {
                CachingRegistry::connect(settings).map_err(|error| config(error.to_string()))
            }
            Address::Embedded(path) => {
                let folder = self.folder_of(path)?;
                let node = Node {
                    transport: Arc::new(InProcess::new(
                        Arc::new(self.embedded(&folder)?),
                        &format!("embedded registry in {}", folder.display()),
                    )),
                    user: None,
                };
                let (cache, scope) = (settings.cache.clone(), scope_of(&settings));
                let client = RegistryClient::with(settings, vec![node], None);
                let client = client.map_err(|error| config(error.to_string()))?;
                Ok(CachingRegistry::new(client, &cache, &scope))
            }
            Address::Mock(_) => Err(config(
                "mock:// registries are for tests of Java programs; write embedded:PATH for one in this process".into(),
            )),
        }
    }

    fn folder_of(&self, path: &str) -> Result<PathBuf, Error> {
        let named = (!path.is_empty()).then(|| PathBuf::from(path));
        named.or_else(|| self.folder.clone()).ok_or_else(|| {
            let problem = "schema.registry.url=embedded: needs a folder where topics are in Kafka: write embedded:PATH";
            Error::new(Fault::Config, problem)
        })
    }

    fn embedded(&self, folder: &Path) -> Result<EmbeddedRegistry, Error> {
        let mut embedded = self.embedded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = embedded.iter().find(|(path, _)| path == folder) {
            return Ok(known.clone());
        }
        let languages = Languages::built(&[Arc::new(AvroFormat)]);
        let opened = EmbeddedRegistry::open(folder, languages)
            .map_err(|error| Error::new(Fault::Config, error.to_string()))?;
        embedded.push((folder.to_owned(), opened.clone()));
        Ok(opened)
    }
}
