//! The embedded registry: Confluent's REST interface over one folder, or over memory.
//!
//! What it promises, and what its tests show:
//!
//! - What was answered survives `kill -9` and, as far as the disk keeps its word about `fsync`, a power failure: the records
//!   of a request are in the journal (SQLite, write-ahead log, `synchronous=FULL`) before its answer is sent.
//! - What was not kept is not shown: an answer never tells of a change that a crash could take back.
//! - One process owns the folder; a second gets an error.
//! - One handle serves the worker's own clients and an HTTP listener at the same time.
//!
//! Requests that change something go to one thread, which keeps all that wait with one `fsync`. The others are answered where
//! they come from.

mod error;
mod journal;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use ferroconnect_registry_client::server::{
    Delivery, Host, Languages, Options, OwnedRequest, Response, Server,
};
use tokio::sync::{RwLock, mpsc, oneshot};

pub use error::OpenError;
use journal::Journal;
use writer::{Job, Writer};

/// A registry in this process. Clones are the same registry; the folder is free again when the last one is dropped.
#[derive(Clone, Debug)]
pub struct EmbeddedRegistry(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// None when the journal could not be read after it could not be written.
    server: Arc<RwLock<Option<Server>>>,
    jobs: Option<mpsc::Sender<Job>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl EmbeddedRegistry {
    /// Takes a folder, made if need be, and reads what is in it. Blocks on the disk for a moment.
    ///
    /// # Errors
    /// The folder belongs to another process, cannot be written, or holds something else.
    pub fn open(folder: &Path, languages: Languages) -> Result<Self, OpenError> {
        Self::over(Journal::open(folder)?, languages)
    }

    /// A registry that forgets everything when it is dropped.
    ///
    /// # Errors
    /// SQLite has no memory.
    pub fn in_memory(languages: Languages) -> Result<Self, OpenError> {
        Self::over(Journal::in_memory()?, languages)
    }

    fn over(journal: Journal, languages: Languages) -> Result<Self, OpenError> {
        let mut server = Server::new(Options::default(), languages.clone());
        journal.replay(&mut server)?;
        let server = Arc::new(RwLock::new(Some(server)));
        let (jobs, queue) = mpsc::channel(MOST_WAITING);
        let writer = Writer::new(Arc::clone(&server), journal, languages);
        let thread = std::thread::Builder::new().name("registry-journal".into());
        let thread = thread
            .spawn(move || writer.run(queue))
            .map_err(|error| OpenError::thread(&error))?;
        Ok(Self(Arc::new(Inner {
            server,
            jobs: Some(jobs),
            writer: Mutex::new(Some(thread)),
        })))
    }

    async fn answered(&self, request: OwnedRequest) -> Option<Response> {
        let inner = &self.0;
        let read = {
            let server = inner.server.read().await;
            let server = server.as_ref()?;
            request.with(|request| server.read(request))
        };
        if let Some(response) = read {
            return Some(response);
        }
        let (answer, answered) = oneshot::channel();
        let job = Job { request, answer };
        inner.jobs.as_ref()?.send(job).await.ok()?;
        answered.await.ok()
    }
}

#[async_trait::async_trait]
impl Host for EmbeddedRegistry {
    async fn answer(&self, request: OwnedRequest) -> Delivery {
        match self.answered(request).await {
            Some(response) => Delivery::Answer(response),
            // The writer is gone, so this registry is as good as unreachable.
            None => Delivery::Cut,
        }
    }
}

/// Waits until what was accepted is kept and the folder is free.
impl Drop for Inner {
    fn drop(&mut self) {
        self.jobs = None;
        let writer = self
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}

/// Requests that may wait for the writer; more wait in their connections.
const MOST_WAITING: usize = 256;
