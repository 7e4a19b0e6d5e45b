use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::open;
use super::registries::Connections;
use super::{Plan, Runtime, StartError};
use crate::config::files::{self, RawConnector};
use crate::config::providers::{Environment, Providers, Resolved, Secrets};
use crate::config::{
    CheckedAgainst, ConnectorDefinition, Findings, InitialState, RawConfig, WorkerConfig,
    check_worker_clients, check_worker_plugins,
};
use crate::error::Error;
use crate::kafka::Cluster;
use crate::plugins::{
    Catalog, ConfigProviderFactory, ConverterFactory, HeaderConverterFactory, RegistryFactory,
    SinkFactory, SourceFactory,
};
use crate::store::offsets::OffsetStore;
use crate::time::{Clock, SystemClock};
use crate::worker::{Surroundings, Worker, own};

/// Collects what a worker should run.
///
/// ```no_run
/// use ferroconnect_runtime::Runtime;
/// # async fn run() -> Result<(), ferroconnect_runtime::StartError> {
/// let runtime = Runtime::builder()
///     .worker_file("worker.properties")
///     .connector_file("orders.properties")
///     .start()
///     .await?;
/// runtime.until_stopped().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RuntimeBuilder {
    worker: RawConfig,
    worker_place: String,
    connectors: Vec<(String, RawConnector)>,
    catalog: Catalog,
    cluster: Option<Arc<dyn Cluster>>,
    registries: Option<Arc<dyn RegistryFactory>>,
    environment: Environment,
    clock: Arc<dyn Clock>,
    findings: Findings,
    worker_problems: usize,
}

impl fmt::Debug for RuntimeBuilder {
    /// Names the files and connectors and no value: settings may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeBuilder")
            .field("worker", &self.worker_place)
            .field("connectors", &self.connectors)
            .finish_non_exhaustive()
    }
}

impl RuntimeBuilder {
    pub(super) fn new() -> Self {
        Self {
            worker: RawConfig::new(),
            worker_place: "worker".to_owned(),
            connectors: Vec::new(),
            catalog: Catalog::builtin(),
            cluster: None,
            registries: None,
            environment: std::env::vars_os()
                .map(|(name, value)| {
                    (
                        name.to_string_lossy().into_owned(),
                        value.to_string_lossy().into_owned(),
                    )
                })
                .collect(),
            clock: Arc::new(SystemClock::new()),
            findings: Findings::default(),
            worker_problems: 0,
        }
    }

    /// Sets keys of the worker.
    #[must_use]
    pub fn worker<K: Into<String>, V: Into<String>>(
        mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.worker.extend(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value.into())),
        );
        self
    }

    /// Reads the worker's properties from a file. What is wrong with it is told by [`start`](Self::start).
    #[must_use]
    pub fn worker_file(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        self.worker_place = path.display().to_string();
        let read = files::read(path).and_then(|bytes| files::worker(&bytes));
        if let Some(raw) = self.findings.keep(&self.worker_place.clone(), read) {
            self.worker = raw;
        } else {
            self.worker_problems += 1;
        }
        self
    }

    /// Adds a connector.
    #[must_use]
    pub fn connector<K: Into<String>, V: Into<String>>(
        mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let config: RawConfig = pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        let name = config.get("name").cloned().unwrap_or_default();
        let place = format!("connector {name}");
        self.connectors.push((
            place,
            RawConnector {
                name,
                config,
                initial_state: InitialState::Running,
            },
        ));
        self
    }

    /// Adds the connector of a file. What is wrong with it is told by [`start`](Self::start).
    #[must_use]
    pub fn connector_file(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let place = path.display().to_string();
        let read = files::read(path).and_then(|bytes| files::connector(path, &bytes));
        if let Some(connector) = self.findings.keep(&place, read) {
            self.connectors.push((place, connector));
        }
        self
    }

    /// Registers a source connector under a class name.
    #[must_use]
    pub fn source(mut self, class: &str, factory: impl SourceFactory + 'static) -> Self {
        self.catalog = self.catalog.source(class, factory);
        self
    }

    /// Registers a sink connector under a class name.
    #[must_use]
    pub fn sink(mut self, class: &str, factory: impl SinkFactory + 'static) -> Self {
        self.catalog = self.catalog.sink(class, factory);
        self
    }

    /// Registers a converter under a class name.
    #[must_use]
    pub fn converter(mut self, class: &str, factory: impl ConverterFactory + 'static) -> Self {
        self.catalog = self.catalog.converter(class, factory);
        self
    }

    /// Registers a header converter under a class name.
    #[must_use]
    pub fn header_converter(
        mut self,
        class: &str,
        factory: impl HeaderConverterFactory + 'static,
    ) -> Self {
        self.catalog = self.catalog.header_converter(class, factory);
        self
    }

    /// Registers a config provider under a class name.
    #[must_use]
    pub fn config_provider(
        mut self,
        class: &str,
        factory: impl ConfigProviderFactory + 'static,
    ) -> Self {
        self.catalog = self.catalog.config_provider(class, factory);
        self
    }

    /// Uses these variables instead of those of the process for the provider of environment variables.
    #[must_use]
    pub fn environment<K: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.environment = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        self
    }

    /// Uses this cluster instead of the one that `bootstrap.servers` names.
    #[must_use]
    pub fn cluster(mut self, cluster: Arc<dyn Cluster>) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Opens registries this way instead of by `schema.registry.url`.
    #[must_use]
    pub fn registries(mut self, factory: impl RegistryFactory + 'static) -> Self {
        self.registries = Some(Arc::new(factory));
        self
    }

    /// Checks every key of every file and starts nothing. Files that config providers name are read.
    ///
    /// # Errors
    /// All problems together.
    pub fn check(&self) -> Result<Plan, StartError> {
        let mut findings = self.findings.clone();
        let mut worker_problems = self.worker_problems;
        let mut worker = None;
        let mut providers = Providers::default();
        let mut raw = self.worker.clone();
        let mut secrets = Secrets::default();
        if worker_problems == 0 {
            let before = findings.problems.len();
            let loaded = Providers::load(&self.worker, &self.catalog, &self.environment);
            let loaded = findings.keep(&self.worker_place, loaded);
            // Without its providers the rest is checked all the same, with placeholders in place.
            providers = loaded.unwrap_or_default();
            let resolved = providers.resolve_worker(&self.worker);
            if let Some(resolved) = findings.keep(&self.worker_place, resolved) {
                worker = self.check_worker(&resolved, &mut findings);
                raw = resolved.config;
                secrets = resolved.secrets;
            }
            worker_problems = findings.problems.len() - before;
        }
        let against = CheckedAgainst {
            raw: &raw,
            providers: &providers,
            catalog: &self.catalog,
        };
        let mut connectors = Vec::new();
        for (nth, (place, raw)) in self.connectors.iter().enumerate() {
            if self
                .connectors
                .iter()
                .take(nth)
                .any(|(_, other)| other.name == raw.name)
            {
                findings.problem(place, format_args!("Connector {} already exists", raw.name));
            }
            connectors.extend(ConnectorDefinition::check(
                raw,
                place,
                against,
                &mut findings,
            ));
        }
        match worker {
            Some(worker) if findings.problems.is_empty() => Ok(Plan {
                worker,
                connectors,
                providers,
                secrets,
                warnings: findings,
            }),
            Some(_) | None => Err(StartError::config(findings, worker_problems > 0)),
        }
    }

    fn check_worker(&self, resolved: &Resolved, findings: &mut Findings) -> Option<WorkerConfig> {
        let place = &self.worker_place;
        resolved.note(place, findings);
        let raw = &resolved.config;
        let worker = findings.keep(place, WorkerConfig::parse(raw));
        WorkerConfig::warnings(raw, place, findings);
        check_worker_plugins(raw, &self.catalog, place, findings);
        check_worker_clients(raw, place, findings);
        findings.hide(Secrets::default());
        worker
    }

    /// Checks everything, opens the cluster and starts every connector. A Kafka cluster that is away is waited for, and said so in the
    /// log; dropping the future ends the wait.
    ///
    /// # Errors
    /// All problems of the configuration together, or the first thing that does not start. Nothing runs then.
    pub async fn start(self) -> Result<Runtime, StartError> {
        let plan = self.check()?;
        for warning in &plan.warnings.warnings {
            tracing::warn!("{warning}");
        }
        // What came from providers is in no message.
        let failed = |error: Error| {
            let text = plan.secrets.hide(&error.to_string()).into_owned();
            StartError::start(Error::new(error.fault(), text))
        };
        let (cluster, offsets) = match &self.cluster {
            Some(cluster) => {
                let offsets = match &plan.worker.offsets_file {
                    Some(file) => OffsetStore::open_file(file).await,
                    None => OffsetStore::open_topic(&**cluster, open::OPEN_WAIT).await,
                };
                (Arc::clone(cluster), offsets.map_err(failed)?)
            }
            None => open::open(&plan.worker, &plan.secrets, Arc::clone(&self.clock))
                .await
                .map_err(failed)?,
        };
        let registries = self
            .registries
            .unwrap_or_else(|| Arc::new(Connections::new(&plan.worker.cluster)));
        let surroundings = Surroundings {
            config: Arc::new(plan.worker),
            catalog: Arc::new(self.catalog),
            providers: Arc::new(plan.providers),
            cluster,
            offsets,
            registries,
            clock: self.clock,
        };
        let mut worker = Worker::new(surroundings.clone());
        for definition in plan.connectors {
            let name = definition.planned.connector().name.clone();
            let first = definition.original.initial_state;
            let secrets = definition.secrets.clone();
            if let Err(error) = worker.start(definition, first).await {
                worker.stop().await;
                let text = secrets.hide(&error.to_string()).into_owned();
                return Err(StartError::start(Error::new(
                    error.fault(),
                    format!("connector {name} does not start: {text}"),
                )));
            }
        }
        Ok(Runtime::new(own(worker), surroundings))
    }
}
