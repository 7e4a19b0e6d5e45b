//! One connector with its tasks.

use std::sync::Arc;

use tokio::sync::Notify;
use tracing::{error, info};

use super::connector::{Instance, TOO_MANY_TASKS};
use super::status::{ConnectorState, ConnectorStatus};
use super::tasks::{self, RunningTask};
use super::{CONNECTOR_STOP, Restart, SLACK, Surroundings};
use crate::backoff::Backoff;
use crate::config::{ConnectorDefinition, PlannedConnector, RawConfig};
use crate::error::{Error, Fault};
use crate::task::{Target, TaskState};
use crate::time::{Clock, Mono, Span};

/// A connector of this worker, whatever its state.
#[derive(Debug)]
pub(super) struct RunningConnector {
    definition: Arc<ConnectorDefinition>,
    /// What it was told to be.
    target: Target,
    state: ConnectorState,
    /// The last one that was started; a stopped one still makes tasks.
    instance: Option<Instance>,
    is_started: bool,
    tasks: Vec<RunningTask>,
    /// What the tasks were made from.
    applied: Option<Applied>,
    /// Task configurations could not be had: when they are asked for again, and how often they were.
    retry: Option<(Mono, u32)>,
    bell: Arc<Notify>,
}

#[derive(PartialEq)]
struct Applied {
    connector: RawConfig,
    tasks: Vec<RawConfig>,
}

impl std::fmt::Debug for Applied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} task configurations", self.tasks.len())
    }
}

impl RunningConnector {
    pub(super) fn new(definition: ConnectorDefinition, target: Target, bell: Arc<Notify>) -> Self {
        Self {
            definition: Arc::new(definition),
            target,
            state: ConnectorState::Unassigned,
            instance: None,
            is_started: false,
            tasks: Vec::new(),
            applied: None,
            retry: None,
            bell,
        }
    }

    pub(super) fn definition(&self) -> &ConnectorDefinition {
        &self.definition
    }

    /// What holds from the next start on.
    pub(super) fn define(&mut self, definition: ConnectorDefinition) {
        self.definition = Arc::new(definition);
    }

    /// When task configurations are asked for again after they could not be had.
    pub(super) fn retry_at(&self) -> Option<Mono> {
        self.retry.map(|(at, _)| at)
    }

    pub(super) fn status(&self, surroundings: &Surroundings) -> ConnectorStatus {
        let connector = self.definition.planned.connector();
        let plugin = surroundings.catalog.connector(connector.class.trim());
        ConnectorStatus {
            name: connector.name.clone(),
            class: connector.class.clone(),
            version: plugin.map_or_else(|_| String::new(), |plugin| plugin.version().to_owned()),
            is_source: matches!(self.definition.planned, PlannedConnector::Source(_)),
            state: self.state.clone(),
            worker_id: surroundings.config.worker_id.as_str().into(),
            tasks: self.tasks.iter().map(RunningTask::status).collect(),
        }
    }

    /// Starts what the target asks for: a connector that is paused or stopped is not started, and has no tasks yet.
    pub(super) async fn bring_up(&mut self, surroundings: &Surroundings) -> Result<(), Error> {
        match self.target {
            Target::Running => {
                self.start_instance(surroundings).await?;
                self.reconfigure(surroundings).await.map(drop)
            }
            Target::Paused => {
                self.state = ConnectorState::Paused;
                Ok(())
            }
            Target::Stopped => {
                self.state = ConnectorState::Stopped;
                Ok(())
            }
        }
    }

    async fn start_instance(&mut self, surroundings: &Surroundings) -> Result<(), Error> {
        let bell = Arc::clone(&self.bell);
        match Instance::start(surroundings, &self.definition.planned, bell).await {
            Ok(instance) => {
                self.instance = Some(instance);
                self.is_started = true;
                self.state = ConnectorState::Running;
                Ok(())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Notes a failure; an earlier one stays.
    fn failed(&mut self, error: Error) -> Error {
        if !matches!(self.state, ConnectorState::Failed(_)) {
            let text = self
                .definition
                .secrets
                .hide(&error.to_string())
                .into_owned();
            self.state = ConnectorState::Failed(text.into());
        }
        error
    }

    /// Asks the connector for task configurations, and restarts the tasks if they, or the connector's own configuration, are not what
    /// the tasks were made from. Tells whether it restarted them.
    pub(super) async fn reconfigure(&mut self, surroundings: &Surroundings) -> Result<bool, Error> {
        let instance = self.instance.clone().filter(|_| self.is_started);
        let Some(instance) = instance.filter(|_| self.target == Target::Running) else {
            self.retry = None;
            return Ok(false);
        };
        let configs = match instance.task_configs(&self.definition.planned).await {
            Ok(configs) => configs,
            Err(error) => {
                let attempt = self.retry.map_or(0, |(_, attempt)| attempt);
                let at = surroundings.clock.now().plus(AGAIN.delay(attempt));
                // More tasks than allowed is an answer that stays.
                self.retry = (error.advice() != Some(TOO_MANY_TASKS)).then_some((at, attempt + 1));
                if self.retry.is_none() {
                    return Err(self.failed(error));
                }
                return Err(error);
            }
        };
        self.retry = None;
        let wanted = Applied {
            connector: self.definition.planned.connector().raw.clone(),
            tasks: configs,
        };
        if self.applied.as_ref() == Some(&wanted) {
            return Ok(false);
        }
        if !self.tasks.is_empty() {
            let name = &self.definition.planned.connector().name;
            info!(connector = %name, "the configuration of tasks changed; they are restarted");
        }
        self.stop_tasks(surroundings).await;
        for (index, config) in (0_u32..).zip(&wanted.tasks) {
            let task = self.spawn(surroundings, &instance, index, config)?;
            self.tasks.push(task);
        }
        self.applied = Some(wanted);
        Ok(true)
    }

    fn spawn(
        &self,
        surroundings: &Surroundings,
        instance: &Instance,
        index: u32,
        config: &RawConfig,
    ) -> Result<RunningTask, Error> {
        let definition = Arc::clone(&self.definition);
        let config = Arc::new(config.clone());
        tasks::spawn(
            surroundings,
            definition,
            instance,
            (index, config),
            self.target,
        )
    }

    /// Does what the connector's code has asked for.
    pub(super) async fn answer(&mut self, surroundings: &Surroundings) -> Result<(), Error> {
        let Some(instance) = &self.instance else {
            return Ok(());
        };
        let failure = instance.events.take_failure();
        let reconfigure = instance.events.take_reconfigure();
        if let Some(failure) = failure {
            let name = self.definition.planned.connector().name.clone();
            let failure = self.failed(failure);
            let text = self
                .definition
                .secrets
                .hide(&failure.to_string())
                .into_owned();
            error!(connector = %name, "connector {name} FAILED, its tasks go on: {text}");
        }
        if reconfigure {
            self.reconfigure(surroundings).await?;
        }
        Ok(())
    }

    /// Tells the tasks.
    pub(super) fn tell(&self, target: Target) {
        self.tasks.iter().for_each(|task| task.tell(target));
    }

    pub(super) async fn set_target(
        &mut self,
        surroundings: &Surroundings,
        target: Target,
    ) -> Result<(), Error> {
        if target == Target::Stopped {
            self.target = target;
            self.shut_down(surroundings).await;
            self.state = ConnectorState::Stopped;
            return Ok(());
        }
        if matches!(self.state, ConnectorState::Failed(_)) {
            let state = match target {
                Target::Running => "STARTED",
                Target::Paused | Target::Stopped => "PAUSED",
            };
            return Err(Error::new(
                Fault::Config,
                format!("Cannot transition connector to {state} since it has failed"),
            )
            .next_step("restart it"));
        }
        self.target = target;
        self.tell(target);
        if target == Target::Paused {
            self.stop_instance(CONNECTOR_STOP).await;
            self.state = ConnectorState::Paused;
            return Ok(());
        }
        if !self.is_started {
            self.start_instance(surroundings).await?;
        }
        self.reconfigure(surroundings).await.map(drop)
    }

    /// Stops and starts the parts that the plan takes in (KIP-745), then applies what the connector says about its tasks.
    pub(super) async fn restart(
        &mut self,
        surroundings: &Surroundings,
        restart: Restart,
    ) -> Result<(), Error> {
        let has_failed = matches!(self.state, ConnectorState::Failed(_));
        let indexes: Vec<u32> = self
            .tasks
            .iter()
            .map(RunningTask::status)
            .filter(|status| {
                restart.include_tasks && (!restart.only_failed || is_failed(&status.state()))
            })
            .map(|status| status.id().index)
            .collect();
        if !restart.only_failed || has_failed {
            self.stop_instance(CONNECTOR_STOP).await;
            self.state = ConnectorState::Unassigned;
            match self.target {
                Target::Running => self.start_instance(surroundings).await?,
                Target::Paused => self.state = ConnectorState::Paused,
                Target::Stopped => self.state = ConnectorState::Stopped,
            }
        }
        if !self.reconfigure(surroundings).await? {
            for index in indexes {
                self.restart_task(surroundings, index).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn restart_task(
        &mut self,
        surroundings: &Surroundings,
        index: u32,
    ) -> Result<(), Error> {
        let name = self.definition.planned.connector().name.clone();
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let config = self
            .applied
            .as_ref()
            .and_then(|applied| applied.tasks.get(at))
            .cloned();
        let (Some(config), Some(instance)) = (config, self.instance.clone()) else {
            return Err(Error::new(
                Fault::Config,
                format!("Task {name}-{index} not found"),
            ));
        };
        if at < self.tasks.len() {
            let deadline = surroundings
                .clock
                .now()
                .plus(surroundings.config.graceful_stop)
                .plus(SLACK);
            let task = self.tasks.remove(at);
            task.tell(Target::Stopped);
            task.join(deadline.since(surroundings.clock.now())).await;
            let task = self.spawn(surroundings, &instance, index, &config)?;
            self.tasks.insert(at, task);
        }
        Ok(())
    }

    /// Stops the tasks and the connector.
    pub(super) async fn shut_down(&mut self, surroundings: &Surroundings) {
        self.stop_tasks(surroundings).await;
        self.stop_instance(CONNECTOR_STOP).await;
        self.state = ConnectorState::Unassigned;
        self.retry = None;
    }

    async fn stop_tasks(&mut self, surroundings: &Surroundings) {
        self.tell(Target::Stopped);
        let deadline = surroundings
            .clock
            .now()
            .plus(surroundings.config.graceful_stop)
            .plus(SLACK);
        self.join_tasks(deadline, &*surroundings.clock).await;
    }

    pub(super) async fn join_tasks(&mut self, deadline: Mono, clock: &dyn Clock) {
        for task in self.tasks.drain(..) {
            task.join(deadline.since(clock.now())).await;
        }
        self.applied = None;
    }

    pub(super) async fn stop_instance(&mut self, within: Span) {
        if std::mem::take(&mut self.is_started)
            && let Some(instance) = &self.instance
        {
            instance.stop(within).await;
        }
    }
}

fn is_failed(state: &TaskState) -> bool {
    matches!(state, TaskState::Failed(_))
}

/// Pauses before task configurations are asked for again, as in Kafka.
const AGAIN: Backoff = Backoff::new(Span::millis(250), Span::secs(60));
