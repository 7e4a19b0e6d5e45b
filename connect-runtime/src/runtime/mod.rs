//! The composition root: makes the adapters, hands them to the worker, and takes everything down in order.

mod builder;
mod error;
mod open;
mod registries;

use std::sync::Arc;

use tokio::sync::watch;

pub use builder::RuntimeBuilder;
pub use error::StartError;

use crate::config::files::RawConnector;
use crate::config::providers::{Providers, Secrets};
use crate::config::{
    CheckedAgainst, ConnectorDefinition, Findings, InitialState, PlannedConnector, RawConfig,
    WorkerConfig,
};
use crate::error::{Error, Fault};
use crate::ids::{ConnectorName, TaskId};
use crate::plugins::Catalog;
use crate::task::{Target, TaskState, TaskStatus};
use crate::worker::{ConnectorStatus, Restart, Surroundings, WorkerHandle};

/// A configuration that was found well.
#[derive(Clone, Debug)]
pub struct Plan {
    worker: WorkerConfig,
    connectors: Vec<ConnectorDefinition>,
    providers: Providers,
    /// What must not be shown of the worker's properties.
    secrets: Secrets,
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
        self.connectors.iter().map(|definition| &definition.planned)
    }

    /// The connectors together with what was asked for.
    pub fn definitions(&self) -> &[ConnectorDefinition] {
        &self.connectors
    }
}

/// A worker that runs.
#[derive(Debug)]
pub struct Runtime {
    worker: WorkerHandle,
    config: Arc<WorkerConfig>,
    catalog: Arc<Catalog>,
    providers: Arc<Providers>,
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

    fn new(worker: WorkerHandle, surroundings: Surroundings) -> Self {
        let (stop, _) = watch::channel(false);
        // Not its clients: when the worker has stopped, nothing must keep the cluster.
        Self {
            worker,
            config: surroundings.config,
            catalog: surroundings.catalog,
            providers: surroundings.providers,
            stop: Arc::new(stop),
        }
    }

    /// All connectors and their tasks as they are now, in order of their names.
    pub fn connectors(&self) -> Arc<[ConnectorStatus]> {
        self.worker.connectors()
    }

    /// A connector's configuration as it was asked for, placeholders in place; `None` when there is no such connector.
    pub fn connector_config(&self, name: &ConnectorName) -> Option<RawConfig> {
        self.worker.original(name)
    }

    /// All tasks as they are now.
    pub fn tasks(&self) -> Vec<TaskStatus> {
        let connectors = self.connectors();
        connectors
            .iter()
            .flat_map(|connector| connector.tasks.iter().cloned())
            .collect()
    }

    /// Creates a connector, or gives an existing one another configuration: it and all its tasks are stopped and started anew.
    ///
    /// # Errors
    /// All problems of the configuration together; nothing has changed then. Or the connector does not start; it stays, as failed.
    pub async fn put_connector<K: Into<String>, V: Into<String>>(
        &self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), Error> {
        let config: RawConfig = pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        let name = config.get("name").cloned().unwrap_or_default();
        let place = format!("connector {name}");
        let original = RawConnector {
            name,
            config,
            initial_state: InitialState::Running,
        };
        let mut findings = Findings::default();
        let against = CheckedAgainst {
            raw: &self.config.raw,
            providers: &self.providers,
            catalog: &self.catalog,
        };
        let definition = ConnectorDefinition::check(&original, &place, against, &mut findings);
        for warning in &findings.warnings {
            tracing::warn!("{warning}");
        }
        let definition =
            definition.ok_or_else(|| Error::new(Fault::Config, findings.to_string()))?;
        self.worker.put(definition).await
    }

    /// Stops a connector and its tasks and forgets it. Its offsets stay.
    ///
    /// # Errors
    /// There is no such connector.
    pub async fn remove_connector(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.remove(name).await
    }

    /// Pauses a connector: its tasks keep what they hold and wait.
    ///
    /// # Errors
    /// There is no such connector.
    pub async fn pause(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.set_target(name, Target::Paused).await
    }

    /// Lets a connector go on that was paused or stopped.
    ///
    /// # Errors
    /// There is no such connector, or it does not start.
    pub async fn resume(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.set_target(name, Target::Running).await
    }

    /// Stops a connector and removes its tasks; it stays and can be resumed.
    ///
    /// # Errors
    /// There is no such connector.
    pub async fn stop_connector(&self, name: &ConnectorName) -> Result<(), Error> {
        self.worker.set_target(name, Target::Stopped).await
    }

    /// Restarts a connector, its tasks, or those of them that have failed. Placeholders are replaced anew.
    ///
    /// # Errors
    /// There is no such connector, its configuration makes no sense any more, or it does not start.
    pub async fn restart(&self, name: &ConnectorName, restart: Restart) -> Result<(), Error> {
        self.worker.restart(name, restart).await
    }

    /// Restarts one task.
    ///
    /// # Errors
    /// There is no such task.
    pub async fn restart_task(&self, task: &TaskId) -> Result<(), Error> {
        self.worker.restart_task(task).await
    }

    /// Runs until somebody uses the [`ShutdownHandle`], then stops in order. Tells how every task ended.
    pub async fn until_stopped(self) -> Vec<TaskStatus> {
        let mut stop = self.stop.subscribe();
        // The sender lives in `self`, so the wait ends only when it is told to.
        let _ = stop.wait_for(|stop| *stop).await;
        self.stop().await
    }

    /// Stops in order, within the worker's graceful time: connectors, tasks, offsets, log. Tells how every task ended.
    pub async fn stop(self) -> Vec<TaskStatus> {
        let tasks = self.tasks();
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
