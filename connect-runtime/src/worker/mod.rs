//! Starts and stops connectors and their tasks.

mod clients;
mod connector;
mod tasks;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::config::{InitialState, PlannedConnector, WorkerConfig};
use crate::error::{Error, Fault};
use crate::ids::ConnectorName;
use crate::kafka::Cluster;
use crate::plugins::Catalog;
use crate::store::offsets::OffsetStore;
use crate::task::{Target, TaskStatus};
use crate::time::{Clock, Span};
use connector::Instance;
use tasks::RunningTask;

/// The connectors and tasks of this process.
#[derive(Debug)]
pub struct Worker {
    surroundings: Surroundings,
    connectors: BTreeMap<ConnectorName, RunningConnector>,
}

/// What every connector of a worker shares.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The worker's settings.
    pub config: Arc<WorkerConfig>,
    /// What can be named.
    pub catalog: Arc<Catalog>,
    /// Where records go and come from.
    pub cluster: Arc<dyn Cluster>,
    /// Where source offsets are.
    pub offsets: OffsetStore,
    /// The clock of all tasks.
    pub clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct RunningConnector {
    instance: Instance,
    target: watch::Sender<Target>,
    tasks: Vec<RunningTask>,
}

impl Worker {
    /// A worker without connectors.
    pub fn new(surroundings: Surroundings) -> Self {
        Self {
            surroundings,
            connectors: BTreeMap::new(),
        }
    }

    /// Starts a connector and its tasks. Tasks that fail later fail alone.
    ///
    /// # Errors
    /// There is one of this name, or the connector itself does not start.
    pub async fn start(
        &mut self,
        planned: &PlannedConnector,
        first: InitialState,
    ) -> Result<(), Error> {
        let name = planned.connector().name.clone();
        if self.connectors.contains_key(&name) {
            return Err(Error::new(
                Fault::Config,
                format!("Connector {name} already exists"),
            ));
        }
        let (target, control) = crate::task::Control::new(match first {
            InitialState::Running => Target::Running,
            InitialState::Paused => Target::Paused,
            InitialState::Stopped => Target::Stopped,
        });
        let instance = Instance::start(&self.surroundings, planned).await?;
        let mut tasks = Vec::new();
        if first != InitialState::Stopped {
            for (index, config) in (0_u32..).zip(instance.task_configs(planned).await?) {
                tasks.push(
                    tasks::spawn(
                        &self.surroundings,
                        planned,
                        &instance,
                        index,
                        Arc::new(config),
                        control.clone(),
                    )
                    .await?,
                );
            }
        }
        self.connectors.insert(
            name,
            RunningConnector {
                instance,
                target,
                tasks,
            },
        );
        Ok(())
    }

    /// Tells a connector's tasks to run or to pause.
    ///
    /// # Errors
    /// There is no such connector.
    pub fn set_target(&self, name: &ConnectorName, target: Target) -> Result<(), Error> {
        let connector = self
            .connectors
            .get(name)
            .ok_or_else(|| Error::new(Fault::Config, format!("Unknown connector {name}")))?;
        connector.target.send_replace(target);
        Ok(())
    }

    /// All tasks, in order of their names.
    pub fn tasks(&self) -> Vec<TaskStatus> {
        self.connectors
            .values()
            .flat_map(|connector| connector.tasks.iter().map(RunningTask::status))
            .collect()
    }

    /// Stops everything: all tasks together within the worker's graceful time, connectors, the store of offsets. What is not done in
    /// time is given up. When the worker is dropped after this, nothing of it uses the cluster any more.
    pub async fn stop(&mut self) {
        for connector in self.connectors.values_mut() {
            connector.target.send_replace(Target::Stopped);
        }
        let deadline = self
            .surroundings
            .clock
            .now()
            .plus(self.surroundings.config.graceful_stop)
            .plus(SLACK);
        for connector in std::mem::take(&mut self.connectors).into_values() {
            for task in connector.tasks {
                task.join(deadline.since(self.surroundings.clock.now()))
                    .await;
            }
            connector.instance.stop(CONNECTOR_STOP).await;
        }
        self.surroundings.offsets.close().await;
    }
}

/// Tasks have their own deadline; this much later they are given up.
const SLACK: Span = Span::millis(500);
/// Time for a connector to stop, as in Kafka Connect.
const CONNECTOR_STOP: Span = Span::secs(5);
