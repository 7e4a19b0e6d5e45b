//! The one owner of a [`Worker`]: requests come to it over a queue, and so one after the other.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{CONNECTOR_STOP, ConnectorStatus, Restart, Worker};
use crate::config::{ConnectorDefinition, RawConfig};
use crate::error::{Error, Fault};
use crate::ids::{ConnectorName, TaskId};
use crate::task::Target;
use crate::time::Span;

/// A line to the owner of a worker. Dropping it stops the worker.
#[derive(Debug)]
pub struct WorkerHandle {
    requests: mpsc::Sender<(Request, oneshot::Sender<Result<(), Error>>)>,
    view: watch::Receiver<View>,
    stop: watch::Sender<bool>,
    owner: JoinHandle<()>,
}

/// What can be seen from outside; made anew after every request.
#[derive(Clone, Default)]
struct View {
    connectors: Arc<[ConnectorStatus]>,
    originals: Arc<BTreeMap<ConnectorName, RawConfig>>,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.connectors.fmt(f)
    }
}

#[derive(Debug)]
enum Request {
    Put(Box<ConnectorDefinition>),
    Remove(ConnectorName),
    SetTarget(ConnectorName, Target),
    Restart(ConnectorName, Restart),
    RestartTask(TaskId),
}

/// Hands a worker to its owner.
pub fn own(worker: Worker) -> WorkerHandle {
    let (requests, waiting) = mpsc::channel(REQUESTS_MAX);
    let (show, view) = watch::channel(view_of(&worker));
    let (stop, stopping) = watch::channel(false);
    let owner = tokio::spawn(serve(worker, waiting, show, stopping));
    WorkerHandle {
        requests,
        view,
        stop,
        owner,
    }
}

impl WorkerHandle {
    /// Creates a connector, or gives an existing one another configuration.
    ///
    /// # Errors
    /// It does not start, or the worker is stopping.
    pub async fn put(&self, definition: ConnectorDefinition) -> Result<(), Error> {
        self.ask(Request::Put(Box::new(definition))).await
    }

    /// Stops and forgets a connector.
    ///
    /// # Errors
    /// There is no such connector, or the worker is stopping.
    pub async fn remove(&self, name: &ConnectorName) -> Result<(), Error> {
        self.ask(Request::Remove(name.clone())).await
    }

    /// Tells a connector and its tasks what to do.
    ///
    /// # Errors
    /// There is no such connector, it does not start, or the worker is stopping.
    pub async fn set_target(&self, name: &ConnectorName, target: Target) -> Result<(), Error> {
        self.ask(Request::SetTarget(name.clone(), target)).await
    }

    /// Restarts a connector.
    ///
    /// # Errors
    /// There is no such connector, it does not start, or the worker is stopping.
    pub async fn restart(&self, name: &ConnectorName, restart: Restart) -> Result<(), Error> {
        self.ask(Request::Restart(name.clone(), restart)).await
    }

    /// Restarts a task.
    ///
    /// # Errors
    /// There is no such task, or the worker is stopping.
    pub async fn restart_task(&self, task: &TaskId) -> Result<(), Error> {
        self.ask(Request::RestartTask(task.clone())).await
    }

    /// All connectors with their tasks, in order of their names.
    pub fn connectors(&self) -> Arc<[ConnectorStatus]> {
        Arc::clone(&self.view.borrow().connectors)
    }

    /// A connector's configuration as it was asked for.
    pub fn original(&self, name: &ConnectorName) -> Option<RawConfig> {
        self.view.borrow().originals.get(name).cloned()
    }

    /// Stops everything in order. A request that is running gets a little time to end.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        // The owner ends when it is told to; what it waits for has deadlines.
        let _ = self.owner.await;
    }

    async fn ask(&self, request: Request) -> Result<(), Error> {
        let (answer, answered) = oneshot::channel();
        let closed = || {
            Error::new(Fault::Transient, "Worker is shutting down")
                .next_step("ask the worker that runs next")
        };
        let sent = self.requests.send((request, answer)).await;
        sent.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

async fn serve(
    mut worker: Worker,
    mut requests: mpsc::Receiver<(Request, oneshot::Sender<Result<(), Error>>)>,
    show: watch::Sender<View>,
    mut stopping: watch::Receiver<bool>,
) {
    let bell = worker.bell();
    let clock = worker.clock();
    loop {
        let now = clock.now();
        let wait = worker.next_wake().map_or(LONG, |at| at.since(now));
        let mut event = tokio::select! {
            biased;
            _ = stopping.wait_for(|stop| *stop) => break,
            request = requests.recv() => match request {
                Some((request, answer)) => Event::Asked(request, answer),
                None => break,
            },
            () = bell.notified() => Event::Rung,
            () = tokio::time::sleep(wait.to_duration()) => Event::Due,
        };
        {
            let mut handling = pin!(handle(&mut worker, &mut event));
            let is_stopped = tokio::select! {
                () = &mut handling => false,
                _ = stopping.wait_for(|stop| *stop) => true,
            };
            // A connector whose code hangs must not keep the worker from stopping.
            if is_stopped
                && timeout(CONNECTOR_STOP.to_duration(), handling)
                    .await
                    .is_err()
            {
                tracing::warn!("a request was given up because the worker stops");
            }
        }
        show.send_replace(view_of(&worker));
        if let Event::Answered(result, answer) = event {
            // Somebody who does not wait any more does not care.
            let _ = answer.send(result);
        }
    }
    worker.stop().await;
}

enum Event {
    Asked(Request, oneshot::Sender<Result<(), Error>>),
    Answered(Result<(), Error>, oneshot::Sender<Result<(), Error>>),
    Rung,
    Due,
}

/// Does what the event asks for; an answer is sent after the view shows what was done.
async fn handle(worker: &mut Worker, event: &mut Event) {
    match std::mem::replace(event, Event::Due) {
        Event::Rung => worker.answer_connectors().await,
        Event::Due => worker.catch_up(worker.clock().now()).await,
        Event::Answered(..) => {}
        Event::Asked(request, answer) => {
            let result = match request {
                Request::Put(definition) => worker.put(*definition).await,
                Request::Remove(name) => worker.remove(&name).await,
                Request::SetTarget(name, target) => worker.set_target(&name, target).await,
                Request::Restart(name, restart) => worker.restart(&name, restart).await,
                Request::RestartTask(task) => worker.restart_task(&task).await,
            };
            *event = Event::Answered(result, answer);
        }
    }
}

fn view_of(worker: &Worker) -> View {
    View {
        connectors: worker.statuses().into(),
        originals: Arc::new(worker.originals()),
    }
}

/// Requests that wait, at most.
const REQUESTS_MAX: usize = 64;
/// How long the owner sleeps when nothing is due.
const LONG: Span = Span::secs(3_600);
