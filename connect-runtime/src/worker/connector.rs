//! A connector's instance. Its code is not ours: it runs where it may block, and a panic in it is only its own.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::Surroundings;
use super::events::InstanceEvents;
use crate::api::port::{SinkTaskPort, SourceTaskPort};
use crate::api::{ConnectorContext, SinkConnector, SourceConnector};
use crate::config::{ConnectorConfig, PlannedConnector, RawConfig};
use crate::error::{Error, Fault};
use crate::plugins::{ConnectorPlugin, SinkFactory, SourceFactory};
use crate::task::guarded;
use crate::task::in_process::{SinkThread, SourceThread};
use crate::time::{Clock, Span};

/// A connector that was started. Clones are the same connector.
#[derive(Clone)]
pub(super) struct Instance {
    name: String,
    /// What its code asks for.
    pub(super) events: Arc<InstanceEvents>,
    /// Used by one blocking call after the other; the lock is never held across an await.
    code: Arc<Mutex<Code>>,
}

enum Code {
    Source(Arc<dyn SourceFactory>, Box<dyn SourceConnector>),
    Sink(Arc<dyn SinkFactory>, Box<dyn SinkConnector>),
}

impl Instance {
    pub(super) async fn start(
        surroundings: &Surroundings,
        planned: &PlannedConnector,
        bell: Arc<Notify>,
    ) -> Result<Self, Error> {
        let connector = planned.connector();
        let unknown =
            |error: crate::plugins::UnknownPlugin| Error::new(Fault::Config, error.to_string());
        let code = match surroundings
            .catalog
            .connector(connector.class.trim())
            .map_err(unknown)?
            .factory()
        {
            ConnectorPlugin::Source(factory) => {
                Code::Source(Arc::clone(factory), factory.connector())
            }
            ConnectorPlugin::Sink(factory) => Code::Sink(Arc::clone(factory), factory.connector()),
        };
        let events = Arc::new(InstanceEvents::new(connector.name.as_str(), bell));
        let instance = Self {
            name: connector.name.to_string(),
            events: Arc::clone(&events),
            code: Arc::new(Mutex::new(code)),
        };
        let config = connector.raw.clone();
        let context = ConnectorContext::new(events);
        instance
            .call("start", move |code| match code {
                Code::Source(_, connector) => {
                    connector.initialize(context);
                    connector.start(&config)
                }
                Code::Sink(_, connector) => {
                    connector.initialize(context);
                    connector.start(&config)
                }
            })
            .await??;
        Ok(instance)
    }

    /// The configuration of each task.
    pub(super) async fn task_configs(
        &self,
        planned: &PlannedConnector,
    ) -> Result<Vec<RawConfig>, Error> {
        let ConnectorConfig {
            name,
            tasks_max,
            tasks_max_enforced,
            raw,
            ..
        } = planned.connector().clone();
        let configs = self
            .call("taskConfigs", move |code| match code {
                Code::Source(_, connector) => connector.task_configs(&raw, tasks_max),
                Code::Sink(_, connector) => connector.task_configs(&raw, tasks_max),
            })
            .await??;
        let count = configs.len();
        if u32::try_from(count).unwrap_or(u32::MAX) > tasks_max {
            let text = format!(
                "The connector {name} has generated {count} tasks, which is greater than {tasks_max}, the maximum number of tasks it is \
                 configured to create."
            );
            if tasks_max_enforced {
                return Err(Error::new(Fault::Plugin, text).next_step(TOO_MANY_TASKS));
            }
            tracing::warn!("{text}");
        }
        Ok(configs)
    }

    /// A new source task; `None` when this is a sink.
    pub(super) fn source_port(
        &self,
        clock: Arc<dyn Clock>,
    ) -> Result<Option<Box<dyn SourceTaskPort>>, Error> {
        match &*self.idle_code()? {
            Code::Sink(..) => Ok(None),
            Code::Source(factory, connector) => match factory.port() {
                Some(port) => Ok(Some(port)),
                None => Ok(Some(Box::new(SourceThread::new(
                    guarded("task", || connector.task())?,
                    clock,
                )))),
            },
        }
    }

    /// A new sink task; `None` when this is a source.
    pub(super) fn sink_port(&self) -> Result<Option<Box<dyn SinkTaskPort>>, Error> {
        match &*self.idle_code()? {
            Code::Source(..) => Ok(None),
            Code::Sink(factory, connector) => match factory.port() {
                Some(port) => Ok(Some(port)),
                None => Ok(Some(Box::new(SinkThread::new(guarded("task", || {
                    connector.task()
                })?)))),
            },
        }
    }

    pub(super) async fn stop(&self, within: Span) {
        self.events.close();
        let stopped = self.call("stop", |code| match code {
            Code::Source(_, connector) => connector.stop(),
            Code::Sink(_, connector) => connector.stop(),
        });
        match timeout(within.to_duration(), stopped).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(connector = %self.name, "stopping the connector failed: {error}")
            }
            Err(_) => {
                tracing::warn!(connector = %self.name, "the connector did not stop within {within} and is left to itself")
            }
        }
    }

    /// The code, unless a call of it hangs: nobody waits for that.
    fn idle_code(&self) -> Result<MutexGuard<'_, Code>, Error> {
        match self.code.try_lock() {
            Ok(code) => Ok(code),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Error::new(
                Fault::Plugin,
                format!(
                    "the code of connector {} does not return from a call",
                    self.name
                ),
            )
            .next_step("restart the connector")),
        }
    }

    async fn call<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Code) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let code = Arc::clone(&self.code);
        let blocking = move || {
            guarded(doing, || {
                work(&mut code.lock().unwrap_or_else(PoisonError::into_inner))
            })
        };
        tokio::task::spawn_blocking(blocking)
            .await
            .map_err(|_| Error::bug("a blocking call was lost"))?
    }
}

/// The advice that tells this error from others.
pub(super) const TOO_MANY_TASKS: &str = "raise tasks.max";

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
