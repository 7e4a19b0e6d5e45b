//! [`Connections`]: the schema registries that the converters of a worker ask.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ferroconnect_converters::avro::AvroFormat;
use ferroconnect_converters::json_schema::JsonSchemaFormat;
use ferroconnect_converters::protobuf::ProtobufFormat;
use ferroconnect_registry_client::AsyncRegistry;
use ferroconnect_registry_client::cache::{CachingRegistry, scope_of};
use ferroconnect_registry_client::client::config::Address;
use ferroconnect_registry_client::client::{ClientConfig, Node, RegistryClient};
use ferroconnect_registry_client::server::{InProcess, Languages};

use crate::config::{ClusterLocation, RawConfig};
use crate::error::{Error, Fault};
use crate::plugins::RegistryFactory;
use crate::registry::{EmbeddedRegistry, OpenError};

/// Opens registries by `schema.registry.url` and its companions. Converters with equal settings share one client and its
/// caches, whatever connector they belong to; `embedded:` and `mock://` are registries in this process, one per folder or
/// scope.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Where `embedded:` without a folder keeps its schemas: beside the embedded log.
    beside_log: Option<PathBuf>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    connections: Vec<Connection>,
    /// Registries in this process, by their address.
    embedded: BTreeMap<String, EmbeddedRegistry>,
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

/// The schema languages that our registries know.
pub(crate) fn languages() -> Languages {
    Languages::built(&[
        Arc::new(AvroFormat),
        Arc::new(JsonSchemaFormat),
        Arc::new(ProtobufFormat),
    ])
}

impl Connections {
    pub(super) fn new(cluster: &ClusterLocation) -> Self {
        let beside_log = match cluster {
            ClusterLocation::Embedded(folder) => Some(folder.join(FOLDER)),
            ClusterLocation::Kafka(_) => None,
        };
        Self {
            beside_log,
            open: Mutex::default(),
        }
    }

    fn connect(
        &self,
        settings: ClientConfig,
        embedded: &mut BTreeMap<String, EmbeddedRegistry>,
    ) -> Result<CachingRegistry<RegistryClient>, Error> {
        let wrong = |error: ferroconnect_registry_client::Error| {
            Error::new(Fault::Config, error.to_string())
        };
        let (address, host) = match &settings.address {
            Address::Http(_) => return CachingRegistry::connect(settings).map_err(wrong),
            Address::Embedded(rest) => {
                let folder = self.folder(rest)?;
                let address = format!("embedded:{}", folder.display());
                let open = || EmbeddedRegistry::open(&folder, languages());
                (address.clone(), host(embedded, &address, open)?)
            }
            Address::Mock(scope) => {
                let address = format!("mock://{scope}");
                let open = || EmbeddedRegistry::in_memory(languages());
                (address.clone(), host(embedded, &address, open)?)
            }
        };
        let node = Node {
            transport: Arc::new(InProcess::new(Arc::new(host), &address)),
            user: None,
        };
        let (cache, scope) = (settings.cache.clone(), scope_of(&settings));
        let client = RegistryClient::with(settings, vec![node], None).map_err(wrong)?;
        Ok(CachingRegistry::new(client, &cache, &scope))
    }

    fn folder(&self, rest: &str) -> Result<PathBuf, Error> {
        match (&self.beside_log, rest) {
            (Some(folder), "") => Ok(folder.clone()),
            (None, "") => Err(Error::new(
                Fault::Config,
                "schema.registry.url=embedded: names no folder, and there is no embedded log to keep the schemas beside",
            )
            .next_step("write schema.registry.url=embedded:FOLDER, or run `ferroconnect registry` and name its URL")),
            (_, rest) => Ok(PathBuf::from(rest)),
        }
    }
}

/// The registry of an address; opened when it is asked for the first time.
fn host(
    embedded: &mut BTreeMap<String, EmbeddedRegistry>,
    address: &str,
    open: impl FnOnce() -> Result<EmbeddedRegistry, OpenError>,
) -> Result<EmbeddedRegistry, Error> {
    if let Some(known) = embedded.get(address) {
        return Ok(known.clone());
    }
    let opened = open().map_err(|error| Error::new(Fault::Config, error.to_string()))?;
    embedded.insert(address.to_owned(), opened.clone());
    Ok(opened)
}

impl RegistryFactory for Connections {
    fn open(&self, settings: &RawConfig) -> Result<Arc<dyn AsyncRegistry>, Error> {
        let pairs = settings.iter().map(|(key, value)| (&**key, &**value));
        let settings = ClientConfig::parse(pairs)
            .map_err(|problems| Error::new(Fault::Config, problems.to_string()))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open
            .connections
            .iter()
            .find(|known| known.settings == settings);
        if let Some(known) = known {
            return Ok(Arc::new(known.registry.clone()));
        }
        let registry = self.connect(settings.clone(), &mut open.embedded)?;
        open.connections.push(Connection {
            settings,
            registry: registry.clone(),
        });
        Ok(Arc::new(registry))
    }
}

/// The folder of the schemas in the folder of the embedded log.
const FOLDER: &str = "registry";
