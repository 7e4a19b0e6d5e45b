//! [`CachingRegistry`]: what a registry said once is not asked again.
//!
//! ```text
//!   ask  ->  memory (moka, no lock on a hit)  ->  one flight per question  ->  the registry
//!                                     no answer there: what was known before, else the folder
//! ```
//!
//! What an id, a GUID, a version or a registration means never changes, so it is kept for as long as there is room. Which version is the
//! newest, and which subjects a topic has, is believed for a configured time. When the registry gives no answer, an older answer serves
//! on: from memory, or from the folder in which every answer survives a restart.

mod counters;
mod disk;
mod epochs;
mod flight;
mod life;
mod outage;
mod shelf;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

pub use counters::CacheCounts;
use counters::{Counters, count};
use disk::Folder;
use epochs::Epochs;
use flight::{Flight, Flights, Landing};
use outage::Outage;
use shelf::{Entry, Shelves};

use crate::client::RegistryClient;
use crate::client::config::{Address, Auth, CacheConfig, ClientConfig};
use crate::{Answer, AsyncRegistry, Error, Question, SchemaText};

/// Remembers what a registry answers. Clones share everything; ask from as many tasks as you like.
///
/// Of the same question only one request is under way at a time. Dropping a future that waits for it takes nothing from the others, and
/// the request goes on.
///
/// Must be used within a tokio runtime.
pub struct CachingRegistry<R> {
    core: Arc<Core<R>>,
    /// Flights stop when the last of these is gone.
    alive: Arc<watch::Sender<()>>,
}

impl<R> Clone for CachingRegistry<R> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            alive: Arc::clone(&self.alive),
        }
    }
}

impl<R: fmt::Debug> fmt::Debug for CachingRegistry<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachingRegistry")
            .field("registry", &self.core.registry)
            .field("counts", &self.core.counters.read())
            .finish_non_exhaustive()
    }
}

struct Core<R> {
    registry: R,
    config: CacheConfig,
    shelves: Shelves,
    epochs: Epochs,
    flights: Flights,
    seats: Semaphore,
    outage: Mutex<Outage>,
    counters: Counters,
    folder: Option<Folder>,
    clock: Clock,
    patience: Duration,
}

/// Time since some moment.
type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// Requests under way to one registry at most: enough for the start of many tasks, and no burden to a registry.
pub const REQUESTS_IN_FLIGHT_MAX: usize = 32;

/// How long who has an old answer waits for a new one. The request goes on behind it.
pub const PATIENCE: Duration = Duration::from_secs(5);

impl CachingRegistry<RegistryClient> {
    /// A client over HTTP with caches before it, as configured.
    ///
    /// # Errors
    /// As [`RegistryClient::connect`]; a folder that cannot be used is only warned about.
    pub fn connect(config: ClientConfig) -> Result<Self, Error> {
        let (cache, scope) = (config.cache.clone(), scope_of(&config));
        Ok(Self::new(RegistryClient::connect(config)?, &cache, &scope))
    }
}

/// What tells one registry from another in a folder: its addresses, in any order, and the cluster behind them.
pub fn scope_of(config: &ClientConfig) -> String {
    let mut parts: Vec<String> = match &config.address {
        Address::Http(nodes) => nodes.iter().map(|node| node.url.clone()).collect(),
        Address::Embedded(rest) => vec![format!("embedded:{rest}")],
        Address::Mock(scope) => vec![format!("mock://{scope}")],
    };
    parts.sort_unstable();
    if let Auth::Bearer(bearer) = &config.auth
        && let Some(cluster) = &bearer.cluster
    {
        parts.push(format!("cluster={cluster}"));
    }
    parts.join(",")
}

impl<R: AsyncRegistry + 'static> CachingRegistry<R> {
    /// Caches before any registry. `scope` names the registry in the folder, so that two never mix; without a folder it has no meaning.
    pub fn new(registry: R, config: &CacheConfig, scope: &str) -> Self {
        let start = Instant::now();
        let clock = Box::new(move || start.elapsed());
        Self::timed(registry, config, scope, (clock, PATIENCE))
    }

    /// With the clock and the patience of a test.
    fn timed(
        registry: R,
        config: &CacheConfig,
        scope: &str,
        (clock, patience): (Clock, Duration),
    ) -> Self {
        let folder = config
            .folder
            .as_deref()
            .and_then(|path| Folder::open(path, scope));
        Self {
            core: Arc::new(Core {
                registry,
                shelves: Shelves::new(config),
                config: config.clone(),
                epochs: Epochs::default(),
                flights: Flights::default(),
                seats: Semaphore::new(REQUESTS_IN_FLIGHT_MAX),
                outage: Mutex::new(Outage::default()),
                counters: Counters::default(),
                folder,
                clock,
                patience,
            }),
            alive: Arc::new(watch::channel(()).0),
        }
    }

    /// The registry behind the caches.
    pub fn registry(&self) -> &R {
        &self.core.registry
    }

    /// What was counted so far.
    pub fn counts(&self) -> CacheCounts {
        self.core.counters.read()
    }

    /// The answer, if it is in memory and still counts. Never waits.
    pub fn peek(&self, question: &Question) -> Option<Result<Answer, Error>> {
        self.core.fresh(question, (self.core.clock)())
    }

    /// Asks all of these at once, and waits until each has its answer. The answers come in the order of the questions.
    pub async fn prefetch(
        &self,
        questions: impl IntoIterator<Item = Question>,
    ) -> Vec<Result<Answer, Error>> {
        let mut seats = Vec::new();
        for question in questions {
            let seat = match self.peek(&question) {
                Some(answer) => {
                    self.core.counters.hit(seats.len() as u64);
                    Err(answer)
                }
                None => {
                    count(&self.core.counters.misses);
                    Ok(self.board(question))
                }
            };
            seats.push(seat);
        }
        let mut answers = Vec::with_capacity(seats.len());
        for seat in seats {
            answers.push(match seat {
                Ok(seat) => landed(seat).await,
                Err(answer) => answer,
            });
        }
        answers
    }

    /// A seat in the flight of a question; starts it if there is none.
    fn board(&self, question: Question) -> watch::Receiver<Landing> {
        let core = &self.core;
        let epoch = core.epochs.of(life::may_come_with(&question));
        let (seat, started) = core.flights.join((question, epoch));
        if let Some(flight) = started {
            let core = Arc::clone(core);
            let mut alive = self.alive.subscribe();
            tokio::spawn(async move {
                tokio::select! {
                    () = core.fly(flight, epoch) => {}
                    _ = alive.changed() => {}
                }
            });
        }
        seat
    }
}

async fn landed(mut seat: watch::Receiver<Landing>) -> Result<Answer, Error> {
    match seat.wait_for(Option::is_some).await {
        Ok(landing) => landing.clone().unwrap_or_else(|| Err(lost())),
        Err(_) => Err(lost()),
    }
}

#[cold]
fn lost() -> Error {
    Error::unreachable("the client was closed while it waited for an answer")
}

#[async_trait::async_trait]
impl<R: AsyncRegistry + 'static> AsyncRegistry for CachingRegistry<R> {
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let core = &self.core;
        if let Some(answer) = core.fresh(question, (core.clock)()) {
            // The address of the future differs between tasks.
            core.counters
                .hit(std::ptr::from_ref(question).addr() as u64 >> 4);
            return answer;
        }
        count(&core.counters.misses);
        let Some(old) = core.old(question).await else {
            return landed(self.board(question.clone())).await;
        };
        if !core.outage().asks((core.clock)()) {
            return Ok(core.serve_old(old));
        }
        let seat = self.board(question.clone());
        match tokio::time::timeout(core.patience, landed(seat)).await {
            Ok(answer) => answer,
            Err(_) => {
                core.failed(&Error::unreachable(format!(
                    "no answer within {} ms",
                    core.patience.as_millis()
                )));
                Ok(core.serve_old(old))
            }
        }
    }
}

impl<R: AsyncRegistry + 'static> Core<R> {
    fn outage(&self) -> MutexGuard<'_, Outage> {
        // Nothing panics while it holds the lock.
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self, question: &Question, now: Duration) -> Option<Result<Answer, Error>> {
        if let Some(entry) = self.shelves.answer(question)
            && entry.epoch == self.epochs.of(life::changes_with(question))
            && life::of_answer(question, &self.config).covers(entry.since, now)
        {
            return Some(Ok(entry.what));
        }
        let (entry, life) = self.shelves.missing(question)?;
        let counts = entry.epoch == self.epochs.of(life::may_come_with(question));
        (counts && life.covers(entry.since, now)).then_some(Err(entry.what))
    }

    /// What was known before, if nothing was registered since that makes it wrong.
    async fn old(&self, question: &Question) -> Option<Answer> {
        let epoch = self.epochs.of(life::changes_with(question));
        if let Some(entry) = self.shelves.answer(question) {
            return (entry.epoch == epoch).then_some(entry.what);
        }
        if epoch != 0 {
            return None;
        }
        self.folder.as_ref()?.read(question).await
    }

    fn serve_old(&self, answer: Answer) -> Answer {
        count(&self.counters.stale);
        answer
    }

    /// Asks the registry, remembers, tells everybody.
    async fn fly(&self, flight: Flight, epoch: u64) {
        let question = flight.question();
        // Never closed, and a permit that is missing only means one request more.
        let _seat = self.seats.acquire().await;
        count(&self.counters.requests);
        let asked = self.registry.ask(question).await;
        let result = match asked {
            Ok(answer) => {
                self.answered();
                self.remember(question, &answer, epoch).await;
                Ok(answer)
            }
            Err(error) if error.is_retriable() => {
                self.failed(&error);
                match self.old(question).await {
                    Some(old) => Ok(self.serve_old(old)),
                    None => Err(error),
                }
            }
            Err(error) => {
                if error.status().is_some() {
                    self.answered();
                }
                if let Some(life) = life::of_missing(question, &error, &self.config) {
                    let entry = self.entry(error.clone(), epoch);
                    self.shelves.put_missing(question.clone(), entry, life);
                }
                Err(error)
            }
        };
        flight.land(result);
    }

    fn entry<T>(&self, what: T, epoch: u64) -> Entry<T> {
        Entry {
            what,
            since: (self.clock)(),
            epoch,
        }
    }

    async fn remember(&self, question: &Question, answer: &Answer, epoch: u64) {
        if let Question::Register { subject, .. } = question {
            self.epochs.advance(subject);
        }
        let epoch = match life::changes_with(question) {
            Some(_) => epoch,
            None => 0,
        };
        let entry = self.entry(answer.clone(), epoch);
        self.shelves.put_answer(question.clone(), entry);
        if let Some(folder) = &self.folder {
            folder.keep(question, answer).await;
        }
    }

    fn answered(&self) {
        if self.outage().answered() {
            tracing::info!("the schema registry answers again");
        }
    }

    fn failed(&self, error: &Error) {
        if self.outage().failed((self.clock)()) {
            tracing::warn!(
                "{error}; what it said before serves on, and it is asked again now and then"
            );
        }
    }
}

/// Bytes that a schema takes in memory, about.
fn weight(schema: &SchemaText) -> usize {
    let parts = [
        schema.text().len(),
        schema.metadata().map_or(0, |metadata| metadata.0.len()),
        schema.rule_set().map_or(0, |rules| rules.0.len()),
        schema.references().len() * 128,
    ];
    parts.iter().sum()
}
