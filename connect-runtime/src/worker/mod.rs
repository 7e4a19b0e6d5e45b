//! Starts and stops connectors and their tasks.

mod clients;
mod connector;
mod events;
mod owner;
mod running;
mod status;
mod tasks;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;
use tracing::{info, warn};

use crate::config::providers::{Providers, ReloadSchedule};
use crate::config::{CheckedAgainst, ConnectorDefinition, InitialState, RawConfig, WorkerConfig};
use crate::error::{Error, Fault};
use crate::ids::{ConnectorName, TaskId};
use crate::kafka::Cluster;
use crate::plugins::{Catalog, RegistryFactory};
use crate::store::offsets::OffsetStore;
use crate::task::Target;
use crate::time::{Clock, Mono, Span};
pub use owner::{WorkerHandle, own};
use running::RunningConnector;
pub use status::{ConnectorState, ConnectorStatus};

/// The connectors and tasks of this process. Its calls come one after the other; [`own`] sees to that.
#[derive(Debug)]
pub struct Worker {
    surroundings: Surroundings,
    connectors: BTreeMap<ConnectorName, RunningConnector>,
    schedule: ReloadSchedule,
    /// Rung by connectors that ask for something.
    bell: Arc<Notify>,
}

/// What every connector of a worker shares.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The worker's settings.
    pub config: Arc<WorkerConfig>,
    /// What can be named.
    pub catalog: Arc<Catalog>,
    /// Where values of placeholders come from.
    pub providers: Arc<Providers>,
    /// Where records go and come from.
    pub cluster: Arc<dyn Cluster>,
    /// Where source offsets are.
    pub offsets: OffsetStore,
    /// Where converters ask for schemas.
    pub registries: Arc<dyn RegistryFactory>,
    /// The clock of all tasks.
    pub clock: Arc<dyn Clock>,
}

/// What a restart takes in (KIP-745).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "the two flags of the REST call")]
pub struct Restart {
    /// Its tasks too, not only the connector.
    pub include_tasks: bool,
    /// Only what has failed.
    pub only_failed: bool,
}

impl Surroundings {
    /// What connectors are checked against.
    pub fn checked(&self) -> CheckedAgainst<'_> {
        CheckedAgainst {
            raw: &self.config.raw,
            providers: &self.providers,
            catalog: &self.catalog,
        }
    }
}

impl Worker {
    /// A worker without connectors.
    pub fn new(surroundings: Surroundings) -> Self {
        Self {
            surroundings,
            connectors: BTreeMap::new(),
            schedule: ReloadSchedule::default(),
            bell: Arc::new(Notify::new()),
        }
    }

    /// Starts a connector and its tasks. Tasks that fail later fail alone.
    ///
    /// # Errors
    /// There is one of this name, or the connector itself does not start; it stays then, as failed.
    pub async fn start(
        &mut self,
        definition: ConnectorDefinition,
        first: InitialState,
    ) -> Result<(), Error> {
        let name = definition.planned.connector().name.clone();
        if self.connectors.contains_key(&name) {
            return Err(Error::new(
                Fault::Config,
                format!("Connector {name} already exists"),
            ));
        }
        let target = match first {
            InitialState::Running => Target::Running,
            InitialState::Paused => Target::Paused,
            InitialState::Stopped => Target::Stopped,
        };
        self.plan_reload(&definition);
        let bell = Arc::clone(&self.bell);
        let running = RunningConnector::new(definition, target, bell);
        let running = self.connectors.entry(name).or_insert(running);
        running.bring_up(&self.surroundings).await
    }

    /// Gives a connector another configuration: stops it and all its tasks, and starts it anew in the state it was told to be in. One
    /// that does not exist is created.
    ///
    /// # Errors
    /// The connector does not start; it stays then, as failed.
    pub async fn put(&mut self, definition: ConnectorDefinition) -> Result<(), Error> {
        let name = definition.planned.connector().name.clone();
        let Some(running) = self.connectors.get_mut(&name) else {
            let first = definition.original.initial_state;
            return self.start(definition, first).await;
        };
        running.shut_down(&self.surroundings).await;
        running.define(definition.clone());
        let result = running.bring_up(&self.surroundings).await;
        self.plan_reload(&definition);
        result
    }

    /// Stops a connector and its tasks and forgets it. Its offsets stay.
    ///
    /// # Errors
    /// There is no such connector.
    pub async fn remove(&mut self, name: &ConnectorName) -> Result<(), Error> {
        let Some(mut running) = self.connectors.remove(name) else {
            return Err(not_found(name));
        };
        self.schedule.forget(name);
        running.shut_down(&self.surroundings).await;
        Ok(())
    }

    /// Tells a connector and its tasks to run, to pause, or to stop, which removes the tasks.
    ///
    /// # Errors
    /// There is no such connector, it has failed before and can only be stopped, or it does not start.
    pub async fn set_target(&mut self, name: &ConnectorName, target: Target) -> Result<(), Error> {
        let running = find(&mut self.connectors, name)?;
        running.set_target(&self.surroundings, target).await
    }

    /// Stops and starts a connector, its tasks, or those of them that have failed. The configuration is resolved anew, and tasks whose
    /// configuration changes by that are restarted in any case.
    ///
    /// # Errors
    /// There is no such connector, or something does not start.
    pub async fn restart(&mut self, name: &ConnectorName, restart: Restart) -> Result<(), Error> {
        let running = find(&mut self.connectors, name)?;
        let again = running.definition().again(self.surroundings.checked());
        let definition = again.map_err(|found| Error::new(Fault::Config, found.to_string()))?;
        running.define(definition.clone());
        let result = running.restart(&self.surroundings, restart).await;
        self.plan_reload(&definition);
        result
    }

    /// Stops and starts one task.
    ///
    /// # Errors
    /// There is no such task.
    pub async fn restart_task(&mut self, task: &TaskId) -> Result<(), Error> {
        let running = find(&mut self.connectors, &task.connector)?;
        running.restart_task(&self.surroundings, task.index).await
    }

    /// Restarts connectors whose values from config providers have run out, and asks those again for task configurations that wait for
    /// another attempt.
    pub async fn catch_up(&mut self, now: Mono) {
        for name in self.schedule.take_due(now) {
            self.reload(&name, now).await;
        }
        for (name, running) in &mut self.connectors {
            if running.retry_at().is_some_and(|at| at <= now)
                && let Err(error) = running.reconfigure(&self.surroundings).await
            {
                warn!(connector = %name, "{error}");
            }
        }
    }

    /// As Kafka does: the connector is restarted whenever a time is over, its tasks only if something has changed.
    async fn reload(&mut self, name: &ConnectorName, now: Mono) {
        let Some(running) = self.connectors.get_mut(name) else {
            return;
        };
        info!(connector = %name, "values of config providers have run out; the connector is restarted");
        match running.definition().again(self.surroundings.checked()) {
            Ok(definition) => {
                running.define(definition.clone());
                if let Err(error) = running
                    .restart(&self.surroundings, Restart::default())
                    .await
                {
                    warn!(connector = %name, "{error}");
                }
                self.plan_reload(&definition);
            }
            Err(found) => {
                warn!(connector = %name, "the connector goes on with the values it has: {found}");
                let ttls = running.definition().ttls.clone();
                self.schedule.started(name, &ttls, now);
            }
        }
    }

    fn plan_reload(&mut self, definition: &ConnectorDefinition) {
        let connector = definition.planned.connector();
        if connector.reload {
            let now = self.surroundings.clock.now();
            self.schedule
                .started(&connector.name, &definition.ttls, now);
        } else {
            self.schedule.forget(&connector.name);
        }
    }

    /// Does what connectors have asked for.
    pub async fn answer_connectors(&mut self) {
        for (name, running) in &mut self.connectors {
            if let Err(error) = running.answer(&self.surroundings).await {
                warn!(connector = %name, "{error}");
            }
        }
    }

    /// When [`catch_up`](Self::catch_up) has something to do next.
    pub fn next_wake(&self) -> Option<Mono> {
        let retries = self
            .connectors
            .values()
            .filter_map(RunningConnector::retry_at);
        retries.chain(self.schedule.next()).min()
    }

    /// Rings when [`answer_connectors`](Self::answer_connectors) has something to do.
    pub fn bell(&self) -> Arc<Notify> {
        Arc::clone(&self.bell)
    }

    /// All connectors, in order of their names.
    pub fn statuses(&self) -> Vec<ConnectorStatus> {
        self.connectors
            .values()
            .map(|running| running.status(&self.surroundings))
            .collect()
    }

    /// The configurations as they were asked for, placeholders in place.
    pub fn originals(&self) -> BTreeMap<ConnectorName, RawConfig> {
        let of = |running: &RunningConnector| running.definition().original.config.clone();
        self.connectors
            .iter()
            .map(|(name, running)| (name.clone(), of(running)))
            .collect()
    }

    /// The clock of all tasks.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.surroundings.clock)
    }

    /// Stops everything: all tasks together within the worker's graceful time, connectors, the store of offsets. What is not done in
    /// time is given up. When the worker is dropped after this, nothing of it uses the cluster any more.
    pub async fn stop(&mut self) {
        for running in self.connectors.values() {
            running.tell(Target::Stopped);
        }
        let clock = self.clock();
        let deadline = clock
            .now()
            .plus(self.surroundings.config.graceful_stop)
            .plus(SLACK);
        for running in self.connectors.values_mut() {
            running.join_tasks(deadline, &*clock).await;
        }
        let deadline = clock.now().plus(CONNECTOR_STOP);
        for running in self.connectors.values_mut() {
            running.stop_instance(deadline.since(clock.now())).await;
        }
        self.connectors.clear();
        self.surroundings.offsets.close().await;
    }
}

fn find<'a>(
    connectors: &'a mut BTreeMap<ConnectorName, RunningConnector>,
    name: &ConnectorName,
) -> Result<&'a mut RunningConnector, Error> {
    connectors.get_mut(name).ok_or_else(|| not_found(name))
}

fn not_found(name: &ConnectorName) -> Error {
    Error::new(Fault::Config, format!("Unknown connector {name}"))
}

/// Tasks have their own deadline; this much later they are given up.
const SLACK: Span = Span::millis(500);
/// Time for all connectors together to stop, as in Kafka Connect.
const CONNECTOR_STOP: Span = Span::secs(5);
