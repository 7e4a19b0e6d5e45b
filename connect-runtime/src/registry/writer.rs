//! The thread that owns the journal: it answers the requests that may change something, and keeps what they change.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

use ferroconnect_registry_client::server::{
    Languages, Moment, Options, OwnedRequest, Record, Response, Server,
};
use tokio::sync::{RwLock, mpsc, oneshot};
use tracing::error;

use super::journal::Journal;
use crate::time::{Clock as _, SystemClock};

/// A request and whoever waits for its answer.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) request: OwnedRequest,
    pub(super) answer: oneshot::Sender<Response>,
}

#[derive(Debug)]
pub(super) struct Writer {
    server: Arc<RwLock<Option<Server>>>,
    journal: Journal,
    languages: Languages,
    clock: SystemClock,
}

impl Writer {
    pub(super) fn new(
        server: Arc<RwLock<Option<Server>>>,
        journal: Journal,
        languages: Languages,
    ) -> Self {
        Self {
            server,
            journal,
            languages,
            clock: SystemClock::new(),
        }
    }

    /// Works until nobody can ask any more.
    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        let mut jobs = Vec::new();
        while queue.blocking_recv_many(&mut jobs, MOST_AT_ONCE) > 0 {
            self.group(&mut jobs);
        }
    }

    /// Answers all that wait, after one write for all of them. Nobody reads in between, so nobody sees what is not kept.
    fn group(&mut self, jobs: &mut Vec<Job>) {
        let lock = Arc::clone(&self.server);
        let mut place = lock.blocking_write();
        let Some(server) = place.as_mut() else {
            // Without a registry there is no answer: who waits is told so by the end of the channel.
            jobs.clear();
            return;
        };
        let mut records: Vec<Record> = Vec::new();
        let mut answers = Vec::new();
        for Job { request, answer } in jobs.drain(..) {
            let moment = self.moment();
            let (response, new) = request.with(|request| server.handle(request, moment));
            records.extend(new);
            answers.push((answer, response));
        }
        if !records.is_empty()
            && let Err(trouble) = self.journal.append(&records)
        {
            error!(%trouble, "the registry could not keep a change");
            *place = self.kept();
            for (answer, _) in answers {
                let _ = answer.send(not_kept());
            }
            return;
        }
        drop(place);
        for (answer, response) in answers {
            // Whoever no longer waits does not need it.
            let _ = answer.send(response);
        }
    }

    /// The registry that the journal tells of; none if it cannot be read any more.
    fn kept(&self) -> Option<Server> {
        let mut kept = Server::new(Options::default(), self.languages.clone());
        match self.journal.replay(&mut kept) {
            Ok(()) => Some(kept),
            Err(trouble) => {
                error!(%trouble, "the registry cannot read its journal");
                None
            }
        }
    }

    fn moment(&self) -> Moment {
        let half = || u128::from(RandomState::new().build_hasher().finish());
        Moment {
            now: self.clock.wall().as_millis(),
            seed: half() << 64 | half(),
        }
    }
}

/// What everybody in a group is told when it could not be kept.
fn not_kept() -> Response {
    let body = r#"{"error_code":50001,"message":"Error in the backend data store"}"#;
    Response {
        status: 500,
        content_type: Some("application/vnd.schemaregistry.v1+json"),
        headers: Vec::new(),
        body: body.into(),
        differs: None,
    }
}

/// Requests that are kept with one write.
const MOST_AT_ONCE: usize = 128;
