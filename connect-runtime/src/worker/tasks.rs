//! Tasks of connectors: made, watched, stopped.

use std::pin::Pin;
use std::sync::Arc;

use ferroconnect_converters::Role;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tracing::{Instrument, error, warn};

use super::Surroundings;
use super::clients;
use super::connector::Instance;
use crate::api::port::{SinkTaskPort, SourceTaskPort};
use crate::backoff::Backoff;
use crate::config::{
    ConnectorDefinition, PlannedConnector, PluginConfig, RawConfig, SinkConfig, SourceConfig,
    TopicCreation, Topics,
};
use crate::error::{Error, Fault};
use crate::ids::TaskId;
use crate::kafka::{
    Admin, AdminConfig, Cluster, Consumer, ConsumerConfig, Producer, ProducerConfig, Subscription,
};
use crate::pipeline::{Converters, SinkPipeline, SourcePipeline};
use crate::task::sink::{SinkParts, SinkRun};
use crate::task::source::{SourceParts, SourceRun};
use crate::task::{Control, Registries, Target, TaskState, TaskStatus};
use crate::time::Span;

/// A task that was started.
#[derive(Debug)]
pub(super) struct RunningTask {
    status: TaskStatus,
    line: watch::Sender<Target>,
    loop_handle: AbortHandle,
    watcher: JoinHandle<()>,
}

impl RunningTask {
    pub(super) fn status(&self) -> TaskStatus {
        self.status.clone()
    }

    /// Tells it what to do.
    pub(super) fn tell(&self, target: Target) {
        self.line.send_replace(target);
    }

    /// Waits until it has ended, at most `within`; gives it up then.
    pub(super) async fn join(mut self, within: Span) {
        if timeout(within.to_duration(), &mut self.watcher)
            .await
            .is_err()
        {
            warn!(task = %self.status.id(), "Graceful stop of task {} failed.", self.status.id());
            self.loop_handle.abort();
            // An aborted loop lets go of its clients at its next wait, which is at once but for a conversion that runs.
            let _ = timeout(ABORT_WAIT.to_duration(), self.watcher).await;
        }
    }
}

/// Makes a task and sets it going. Its clients are made by the task itself: a cluster that is away keeps nobody else.
///
/// # Errors
/// Settings of its clients or converters that make no sense, or the connector's code panics.
pub(super) fn spawn(
    surroundings: &Surroundings,
    definition: Arc<ConnectorDefinition>,
    instance: &Instance,
    (index, config): (u32, Arc<RawConfig>),
    target: Target,
) -> Result<RunningTask, Error> {
    let planned = &definition.planned;
    let is_source = matches!(planned, PlannedConnector::Source(_));
    let id = TaskId::new(planned.connector().name.clone(), index);
    let status = TaskStatus::new(id, is_source);
    let (line, control) = Control::new(target);
    let task = Task {
        surroundings: surroundings.clone(),
        config,
        control,
        status: status.clone(),
    };
    let making = match planned {
        PlannedConnector::Source(source) => {
            let port = instance.source_port(Arc::clone(&surroundings.clock))?;
            let port = port.ok_or_else(|| Error::bug("a source without a source task"))?;
            task.source(source, port)?
        }
        PlannedConnector::Sink(sink) => {
            let port = instance.sink_port()?;
            let port = port.ok_or_else(|| Error::bug("a sink without a sink task"))?;
            task.sink(sink, port)?
        }
    };
    // Every line of the task names it, from the wait for its clients to the last word about it.
    let running = tokio::spawn(making.instrument(status.span()));
    let loop_handle = running.abort_handle();
    let watching = watch(running, status.clone(), definition).instrument(status.span());
    let watcher = tokio::spawn(watching);
    Ok(RunningTask {
        status,
        line,
        loop_handle,
        watcher,
    })
}

/// Says how a task ended. The only place that logs the failure of a task.
async fn watch(
    running: JoinHandle<Result<(), Error>>,
    status: TaskStatus,
    definition: Arc<ConnectorDefinition>,
) {
    let failure = match running.await {
        Ok(Ok(())) => return status.set(TaskState::Unassigned),
        Ok(Err(failure)) => failure,
        Err(lost) if lost.is_panic() => Error::bug("the task's loop panicked; please report this"),
        Err(_) => return status.set(TaskState::Unassigned),
    };
    let text = definition.secrets.hide(&failure.to_string()).into_owned();
    error!("task {} FAILED, the others go on: {text}", status.id());
    if let Some(trace) = failure.trace() {
        let trace = definition.secrets.hide(trace);
        tracing::debug!("trace of the failed task: {trace}");
    }
    status.set(TaskState::Failed(text.into()));
}

/// What both kinds of tasks are made from.
struct Task {
    surroundings: Surroundings,
    config: Arc<RawConfig>,
    control: Control,
    status: TaskStatus,
}

type Making<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;
type Running = Making<()>;

impl Task {
    fn source(
        self,
        source: &SourceConfig,
        port: Box<dyn SourceTaskPort>,
    ) -> Result<Running, Error> {
        let Surroundings {
            config: worker,
            cluster,
            offsets,
            clock,
            ..
        } = self.surroundings.clone();
        let connector = source.connector.clone();
        let id = self.status.id().clone();
        let producer = clients::producer(&worker, &connector.raw, &id)?;
        let (converters, registries) = converters(&self.surroundings, &connector)?;
        let pipeline = SourcePipeline::new(converters);
        let creation = source.topic_creation.clone();
        let creation = match creation.filter(|_| worker.topic_creation) {
            Some(creation) => Some((clients::admin(&worker, &connector.raw, &id)?, creation)),
            None => None,
        };
        Ok(Box::pin(async move {
            let made = self
                .persistently(|| {
                    let (cluster, creation) = (Arc::clone(&cluster), creation.clone());
                    Box::pin(source_clients(cluster, producer.clone(), creation))
                })
                .await?;
            let Some((topics, producer)) = made else {
                return Ok(());
            };
            let parts = SourceParts {
                port,
                config: self.config,
                pipeline,
                registries,
                producer,
                topics,
                offsets: offsets.connector(connector.name.as_str()),
                errors: connector.errors,
                control: self.control,
                status: self.status,
                clock,
                flush_interval: worker.offset_flush_interval,
                flush_timeout: worker.offset_flush_timeout,
                graceful_stop: worker.graceful_stop,
            };
            SourceRun::new(parts).run().await
        }))
    }

    fn sink(self, sink: &SinkConfig, port: Box<dyn SinkTaskPort>) -> Result<Running, Error> {
        let Surroundings {
            config: worker,
            cluster,
            clock,
            ..
        } = self.surroundings.clone();
        let connector = sink.connector.clone();
        let id = self.status.id().clone();
        let consumer = clients::consumer(&worker, &connector.raw, &id)?;
        let poll_records = consumer.settings.poll_records;
        // Java's sinks have no such client of their own, so a connector cannot override its settings.
        let admin = clients::admin(&worker, &RawConfig::new(), &id)?;
        let (converters, registries) = converters(&self.surroundings, &connector)?;
        let pipeline = SinkPipeline::new(converters);
        let subscription = match &sink.topics {
            Topics::List(topics) => Subscription::Topics(topics.clone()),
            Topics::Pattern(pattern) => Subscription::Pattern(pattern.clone()),
        };
        Ok(Box::pin(async move {
            let made = self
                .persistently(|| {
                    Box::pin(sink_clients(
                        Arc::clone(&cluster),
                        consumer.clone(),
                        admin.clone(),
                    ))
                })
                .await?;
            let Some((consumer, admin)) = made else {
                return Ok(());
            };
            let parts = SinkParts {
                port,
                config: self.config,
                pipeline,
                registries,
                consumer,
                admin,
                subscription,
                poll_records,
                errors: connector.errors,
                control: self.control,
                status: self.status,
                clock,
                flush_interval: worker.offset_flush_interval,
                flush_timeout: worker.offset_flush_timeout,
                graceful_stop: worker.graceful_stop,
            };
            SinkRun::new(parts).run().await
        }))
    }

    /// Makes the clients, again and again while the cluster is away; nothing when the task is stopped before that.
    async fn persistently<T>(
        &self,
        make: impl Fn() -> Making<T> + Send,
    ) -> Result<Option<T>, Error> {
        let mut control = self.control.clone();
        let stopped = async {
            while control.target() != Target::Stopped {
                control.changed().await;
            }
        };
        let made = async {
            let mut said = String::new();
            let mut attempt = 0;
            loop {
                match make().await {
                    Err(error) if error.fault() == Fault::Transient => {
                        let text = error.to_string();
                        if said != text {
                            warn!("task {} waits for the cluster: {text}", self.status.id());
                            said = text;
                        }
                    }
                    result => return result.map(Some),
                }
                tokio::time::sleep(AGAIN.delay(attempt).to_duration()).await;
                attempt = attempt.saturating_add(1);
            }
        };
        tokio::select! {
            made = made => made,
            () = stopped => Ok(None),
        }
    }
}

/// The clients of a source task: what creates its topics, if it creates any, and what its records go to.
async fn source_clients(
    cluster: Arc<dyn Cluster>,
    producer: ProducerConfig,
    creation: Option<(AdminConfig, TopicCreation)>,
) -> Result<(Option<(Arc<dyn Admin>, TopicCreation)>, Arc<dyn Producer>), Error> {
    let topics = match creation {
        Some((admin, creation)) => Some((cluster.admin(admin, CLIENT_WAIT).await?, creation)),
        None => None,
    };
    Ok((topics, cluster.producer(producer, CLIENT_WAIT).await?))
}

/// The clients of a sink task: what its records come from, and what tells how many there are.
async fn sink_clients(
    cluster: Arc<dyn Cluster>,
    consumer: ConsumerConfig,
    admin: AdminConfig,
) -> Result<(Arc<dyn Consumer>, Arc<dyn Admin>), Error> {
    let consumer = cluster.consumer(consumer, CLIENT_WAIT).await?;
    let admin = cluster.admin(admin, CLIENT_WAIT).await?;
    Ok((consumer, admin))
}

/// The connector's own converters, else the worker's.
fn converters(
    surroundings: &Surroundings,
    connector: &crate::config::ConnectorConfig,
) -> Result<(Converters, Registries), Error> {
    let Surroundings {
        config: worker,
        catalog,
        ..
    } = surroundings;
    let unknown =
        |error: crate::plugins::UnknownPlugin| Error::new(Fault::Config, error.to_string());
    let build = |role: Role, own: &Option<PluginConfig>, shared: &PluginConfig| {
        let plugin = own.as_ref().unwrap_or(shared);
        let factory = catalog
            .find_converter(&plugin.class)
            .map_err(unknown)?
            .factory();
        let registry = if factory.needs_registry() {
            Some(surroundings.registries.open(&plugin.settings)?)
        } else {
            None
        };
        Ok::<_, Error>((factory.build(role, &plugin.settings)?, registry))
    };
    let header = connector
        .header_converter
        .as_ref()
        .unwrap_or(&worker.header_converter);
    let (key, key_registry) = build(Role::Key, &connector.key_converter, &worker.key_converter)?;
    let (value, value_registry) = build(
        Role::Value,
        &connector.value_converter,
        &worker.value_converter,
    )?;
    let header = catalog
        .find_header_converter(&header.class)
        .map_err(unknown)?
        .factory()
        .build(&header.settings)?;
    let registries = Registries {
        key: key_registry,
        value: value_registry,
    };
    Ok((Converters { key, value, header }, registries))
}

/// Time for an aborted loop to let go.
const ABORT_WAIT: Span = Span::millis(500);
/// Time for one attempt at making a client.
const CLIENT_WAIT: Span = Span::secs(10);
/// Pauses between these attempts.
const AGAIN: Backoff = Backoff::new(Span::millis(100), Span::secs(10));
