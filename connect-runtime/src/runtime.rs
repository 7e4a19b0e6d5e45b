//! The composition root: makes the adapters, hands them to the worker, and takes everything down in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

use crate::config::files::{self, RawConnector};
use crate::config::{
    ClusterLocation, Findings, InitialState, PlannedConnector, RawConfig, WorkerConfig,
    check_connector, check_worker_clients, check_worker_plugins,
};
use crate::error::{Error, Fault};
use crate::ids::ConnectorName;
use crate::kafka::Cluster;
use crate::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use crate::plugins::{
    Catalog, ConverterFactory, HeaderConverterFactory, SinkFactory, SourceFactory,
};
use crate::store::offsets::OffsetStore;
use crate::task::{Target, TaskState, TaskStatus};
use crate::time::{Clock, Span, SystemClock};
use crate::worker::{Surroundings, Worker};

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
#[derive(Clone, Debug)]
pub struct RuntimeBuilder {
    worker: RawConfig,
    worker_place: String,
    connectors: Vec<(String, RawConnector)>,
    catalog: Catalog,
    cluster: Option<Arc<dyn Cluster>>,
    clock: Arc<dyn Clock>,
    findings: Findings,
    worker_problems: usize,
}

impl RuntimeBuilder {
    fn new() -> Self {
        Self {
            worker: RawConfig::new(),
            worker_place: "worker".to_owned(),
            connectors: Vec::new(),
            catalog: Catalog::builtin(),
            cluster: None,
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

    /// Uses this cluster instead of the one that `bootstrap.servers` names.
    #[must_use]
    pub fn cluster(mut self, cluster: Arc<dyn Cluster>) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Checks every key of every file and starts nothing.
    ///
    /// # Errors
    /// All problems together.
    pub fn check(&self) -> Result<Plan, StartError> {
        let mut findings = self.findings.clone();
        let mut worker_problems = self.worker_problems;
        let mut worker = None;
        if worker_problems == 0 {
            let before = findings.problems.len();
            worker = findings.keep(&self.worker_place, WorkerConfig::parse(&self.worker));
            WorkerConfig::warnings(&self.worker, &self.worker_place, &mut findings);
            check_worker_plugins(
                &self.worker,
                &self.catalog,
                &self.worker_place,
                &mut findings,
            );
            check_worker_clients(&self.worker, &self.worker_place, &mut findings);
            worker_problems = findings.problems.len() - before;
        }
        let mut planned = Vec::new();
        for (nth, (place, raw)) in self.connectors.iter().enumerate() {
            if self
                .connectors
                .iter()
                .take(nth)
                .any(|(_, other)| other.name == raw.name)
            {
                findings.problem(place, format_args!("Connector {} already exists", raw.name));
            }
            let connector = check_connector(raw, &self.worker, &self.catalog, place, &mut findings);
            planned.extend(connector.map(|connector| (connector, raw.initial_state)));
        }
        match worker {
            Some(worker) if findings.problems.is_empty() => Ok(Plan {
                worker,
                connectors: planned,
                warnings: findings,
            }),
            Some(_) | None => Err(StartError {
                is_worker: worker_problems > 0,
                cause: Cause::Config(findings),
            }),
        }
    }

    /// Checks everything, opens the cluster and starts every connector.
    ///
    /// # Errors
    /// All problems of the configuration together, or the first thing that does not start. Nothing runs then.
    pub async fn start(self) -> Result<Runtime, StartError> {
        let plan = self.check()?;
        for warning in &plan.warnings.warnings {
            tracing::warn!("{warning}");
        }
        let failed = |cause: Error| StartError {
            is_worker: false,
            cause: Cause::Start(cause),
        };
        let cluster = match &self.cluster {
            Some(cluster) => Arc::clone(cluster),
            None => open(&plan.worker.cluster, Arc::clone(&self.clock))
                .await
                .map_err(failed)?,
        };
        let offsets = OffsetStore::open_topic(&*cluster, OPEN_WAIT)
            .await
            .map_err(failed)?;
        let surroundings = Surroundings {
            config: Arc::new(plan.worker),
            catalog: Arc::new(self.catalog),
            cluster,
            offsets,
            clock: self.clock,
        };
        let mut worker = Worker::new(surroundings);
        for (planned, first) in &plan.connectors {
            if let Err(error) = worker.start(planned, *first).await {
                worker.stop().await;
                let name = &planned.connector().name;
                return Err(failed(
                    Error::new(error.fault(), format!("connector {name} does not start"))
                        .caused_by(error),
                ));
            }
        }
        let (stop, _) = watch::channel(false);
        Ok(Runtime {
            worker,
            stop: Arc::new(stop),
        })
    }
}

/// A configuration that was found well.
#[derive(Clone, Debug)]
pub struct Plan {
    worker: WorkerConfig,
    connectors: Vec<(PlannedConnector, InitialState)>,
    warnings: Findings,
}

impl Plan {
    /// The worker's settings.
    pub fn worker(&self) -> &WorkerConfig {
        &self.worker
    }

    /// What is odd, one line each, and does not prevent a start.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// The connectors.
    pub fn connectors(&self) -> impl Iterator<Item = &PlannedConnector> {
        self.connectors.iter().map(|(connector, _)| connector)
    }
}

async fn open(
    location: &ClusterLocation,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Cluster>, Error> {
    match location {
        ClusterLocation::Embedded(folder) => {
            let config = EmbeddedConfig {
                clock,
                ..EmbeddedConfig::new(PathBuf::from(folder))
            };
            let opened = tokio::task::spawn_blocking(move || EmbeddedLog::open(config)).await;
            let log = opened.map_err(|_| Error::bug("opening the embedded log was lost"))??;
            Ok(Arc::new(log))
        }
    }
}

/// Why nothing was started.
pub struct StartError {
    is_worker: bool,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Config(Findings),
    Start(Error),
}

impl StartError {
    /// The exit code of `connect-standalone`: 2 when the worker's own configuration is wrong, 3 when a connector's is or when something
    /// does not start.
    pub fn exit_code(&self) -> u8 {
        match (&self.cause, self.is_worker) {
            (Cause::Config(_), true) => 2,
            (Cause::Config(_), false) | (Cause::Start(_), _) => 3,
        }
    }

    /// The fault.
    pub fn fault(&self) -> Fault {
        match &self.cause {
            Cause::Config(_) => Fault::Config,
            Cause::Start(error) => error.fault(),
        }
    }

    /// What else is odd: often the slip behind a problem.
    pub fn warnings(&self) -> Vec<String> {
        match &self.cause {
            Cause::Config(findings) => findings.warnings.iter().map(ToString::to_string).collect(),
            Cause::Start(_) => Vec::new(),
        }
    }

    /// The problems, one per line.
    pub fn lines(&self) -> Vec<String> {
        match &self.cause {
            Cause::Config(findings) => findings.problems.iter().map(ToString::to_string).collect(),
            Cause::Start(error) => vec![error.to_string()],
        }
    }
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

impl std::fmt::Debug for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for StartError {}

/// A worker that runs.
#[derive(Debug)]
pub struct Runtime {
    worker: Worker,
    stop: Arc<watch::Sender<bool>>,
}

impl Runtime {
    /// Starts to collect what to run; everything compiled in is known already.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    /// A handle that stops this worker from anywhere.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle(Arc::clone(&self.stop))
    }

    /// All tasks as they are now.
    pub fn tasks(&self) -> Vec<TaskStatus> {
        self.worker.tasks()
    }

    /// Pauses a connector: its tasks keep what they hold and wait.
    ///
    /// # Errors
    /// There is no such connector.
    pub fn pause(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.set_target(name, Target::Paused)
    }

    /// Lets a paused connector go on.
    ///
    /// # Errors
    /// There is no such connector.
    pub fn resume(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.set_target(name, Target::Running)
    }

    /// Runs until somebody uses the [`ShutdownHandle`], then stops in order. Tells how every task ended.
    pub async fn until_stopped(self) -> Vec<TaskStatus> {
        let mut stop = self.stop.subscribe();
        // The sender lives in `self`, so the wait ends only when it is told to.
        let _ = stop.wait_for(|stop| *stop).await;
        self.stop().await
    }

    /// Stops in order, within the worker's graceful time: connectors, tasks, offsets, log. Tells how every task ended.
    pub async fn stop(mut self) -> Vec<TaskStatus> {
        let tasks = self.worker.tasks();
        self.worker.stop().await;
        tasks
    }

    /// Whether a task failed.
    pub fn has_failed_tasks(&self) -> bool {
        self.tasks()
            .iter()
            .any(|task| matches!(task.state(), TaskState::Failed(_)))
    }
}

/// Stops a [`Runtime`] from anywhere.
#[derive(Clone, Debug)]
pub struct ShutdownHandle(Arc<watch::Sender<bool>>);

impl ShutdownHandle {
    /// Asks for a stop; returns at once.
    pub fn shutdown(&self) {
        self.0.send_replace(true);
    }
}

/// Time for opening the cluster and reading the stored offsets.
const OPEN_WAIT: Span = Span::secs(60);
