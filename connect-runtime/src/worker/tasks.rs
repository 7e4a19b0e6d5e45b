//! Tasks of connectors: made, watched, stopped.

use std::sync::Arc;

use ferroconnect_converters::Role;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use tracing::{error, warn};

use super::Surroundings;
use super::clients;
use super::connector::Instance;
use crate::config::{PlannedConnector, PluginConfig, RawConfig, SinkConfig, SourceConfig, Topics};
use crate::error::{Error, Fault};
use crate::ids::TaskId;
use crate::kafka::Subscription;
use crate::pipeline::{Converters, SinkPipeline, SourcePipeline};
use crate::task::sink::{SinkParts, SinkRun};
use crate::task::source::{SourceParts, SourceRun};
use crate::task::{Control, TaskState, TaskStatus};
use crate::time::Span;

/// A task that was started.
#[derive(Debug)]
pub(super) struct RunningTask {
    status: TaskStatus,
    loop_handle: AbortHandle,
    watcher: JoinHandle<()>,
}

impl RunningTask {
    pub(super) fn status(&self) -> TaskStatus {
        self.status.clone()
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

/// Makes a task and sets it going.
pub(super) async fn spawn(
    surroundings: &Surroundings,
    planned: &PlannedConnector,
    instance: &Instance,
    index: u32,
    config: Arc<RawConfig>,
    control: Control,
) -> Result<RunningTask, Error> {
    let is_source = matches!(planned, PlannedConnector::Source(_));
    let status = TaskStatus::new(
        TaskId::new(planned.connector().name.clone(), index),
        is_source,
    );
    let running = match planned {
        PlannedConnector::Source(source) => {
            let parts = source_parts(
                surroundings,
                source,
                instance,
                config,
                control,
                status.clone(),
            )
            .await?;
            tokio::spawn(SourceRun::new(parts).run())
        }
        PlannedConnector::Sink(sink) => {
            let parts = sink_parts(
                surroundings,
                sink,
                instance,
                config,
                control,
                status.clone(),
            )
            .await?;
            tokio::spawn(SinkRun::new(parts).run())
        }
    };
    let loop_handle = running.abort_handle();
    let watcher = tokio::spawn(watch(running, status.clone()));
    Ok(RunningTask {
        status,
        loop_handle,
        watcher,
    })
}

/// Says how a task ended. The only place that logs the failure of a task.
async fn watch(running: JoinHandle<Result<(), Error>>, status: TaskStatus) {
    let failure = match running.await {
        Ok(Ok(())) => return status.set(TaskState::Unassigned),
        Ok(Err(failure)) => failure,
        Err(lost) if lost.is_panic() => Error::bug("the task's loop panicked; please report this"),
        Err(_) => return status.set(TaskState::Unassigned),
    };
    error!(task = %status.id(), "task {} FAILED, the others go on: {failure}", status.id());
    if let Some(trace) = failure.trace() {
        tracing::debug!(task = %status.id(), "trace of the failed task: {trace}");
    }
    status.set(TaskState::Failed(failure.to_string().into()));
}

async fn source_parts(
    surroundings: &Surroundings,
    source: &SourceConfig,
    instance: &Instance,
    config: Arc<RawConfig>,
    control: Control,
    status: TaskStatus,
) -> Result<SourceParts, Error> {
    let Surroundings {
        config: worker,
        cluster,
        offsets,
        clock,
        ..
    } = surroundings;
    let name = &source.connector.name;
    let port = instance
        .source_port(Arc::clone(clock))?
        .ok_or_else(|| Error::bug("a source without a source task"))?;
    let producer = clients::producer(worker, &source.connector.raw, status.id())?;
    let topics = match source
        .topic_creation
        .clone()
        .filter(|_| worker.topic_creation)
    {
        Some(creation) => Some((
            cluster
                .admin(
                    clients::admin(worker, &source.connector.raw, status.id())?,
                    CLIENT_WAIT,
                )
                .await?,
            creation,
        )),
        None => None,
    };
    Ok(SourceParts {
        port,
        config,
        pipeline: SourcePipeline::new(converters(surroundings, &source.connector)?),
        producer: cluster.producer(producer, CLIENT_WAIT).await?,
        topics,
        offsets: offsets.connector(name.as_str()),
        errors: source.connector.errors,
        control,
        status,
        clock: Arc::clone(clock),
        flush_interval: worker.offset_flush_interval,
        flush_timeout: worker.offset_flush_timeout,
        graceful_stop: worker.graceful_stop,
    })
}

async fn sink_parts(
    surroundings: &Surroundings,
    sink: &SinkConfig,
    instance: &Instance,
    config: Arc<RawConfig>,
    control: Control,
    status: TaskStatus,
) -> Result<SinkParts, Error> {
    let Surroundings {
        config: worker,
        cluster,
        clock,
        ..
    } = surroundings;
    let port = instance
        .sink_port()?
        .ok_or_else(|| Error::bug("a sink without a sink task"))?;
    let consumer = clients::consumer(worker, &sink.connector.raw, status.id())?;
    let poll_records = consumer.settings.poll_records;
    // Java's sinks have no such client of their own, so a connector cannot override its settings.
    let admin = clients::admin(worker, &RawConfig::new(), status.id())?;
    let subscription = match &sink.topics {
        Topics::List(topics) => Subscription::Topics(topics.clone()),
        Topics::Pattern(pattern) => Subscription::Pattern(pattern.clone()),
    };
    Ok(SinkParts {
        port,
        config,
        pipeline: SinkPipeline::new(converters(surroundings, &sink.connector)?),
        consumer: cluster.consumer(consumer, CLIENT_WAIT).await?,
        admin: cluster.admin(admin, CLIENT_WAIT).await?,
        subscription,
        poll_records,
        errors: sink.connector.errors,
        control,
        status,
        clock: Arc::clone(clock),
        flush_interval: worker.offset_flush_interval,
        flush_timeout: worker.offset_flush_timeout,
        graceful_stop: worker.graceful_stop,
    })
}

/// The connector's own converters, else the worker's.
fn converters(
    surroundings: &Surroundings,
    connector: &crate::config::ConnectorConfig,
) -> Result<Converters, Error> {
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
        Ok::<_, Error>(factory.build(role, &plugin.settings)?)
    };
    let header = connector
        .header_converter
        .as_ref()
        .unwrap_or(&worker.header_converter);
    Ok(Converters {
        key: build(Role::Key, &connector.key_converter, &worker.key_converter)?,
        value: build(
            Role::Value,
            &connector.value_converter,
            &worker.value_converter,
        )?,
        header: catalog
            .find_header_converter(&header.class)
            .map_err(unknown)?
            .factory()
            .build(&header.settings)?,
    })
}

/// Time for an aborted loop to let go.
const ABORT_WAIT: Span = Span::millis(500);
/// Time for making a client.
const CLIENT_WAIT: Span = Span::secs(60);
