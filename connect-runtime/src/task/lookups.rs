//! [`Lookups`]: what the converters of a task ask their registries, answered beside the loop.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ferroconnect_converters::Role;
use ferroconnect_registry_client::{
    AsyncRegistry, Error as RegistryError, Lookup, LookupId, Resolved,
};
use tokio::sync::Semaphore;
use tokio::task::{Id, JoinSet};
use tracing::{info, warn};

use super::TaskStatus;
use crate::backoff::Backoff;
use crate::time::{Clock, Mono, Span};

/// The registries of a task's converters; a converter that needs none has none.
#[derive(Clone, Debug, Default)]
pub struct Registries {
    /// Of the key converter.
    pub key: Option<Arc<dyn AsyncRegistry>>,
    /// Of the value converter.
    pub value: Option<Arc<dyn AsyncRegistry>>,
}

/// Open questions and the calls that are under way for them.
///
/// A registry that is away is waited for, as everything that is away: the question is repeated with growing pauses, the
/// task's status says so, and the records wait. `errors.retry.timeout` sets an end when it is given: then the last error
/// goes to the converter, and with it to the record. A definite answer, refusals included, always goes to the converter.
pub(in crate::task) struct Lookups {
    registries: Registries,
    status: TaskStatus,
    clock: Arc<dyn Clock>,
    /// How long to wait for a registry that is away; `None` is for ever.
    patience: Option<Span>,
    /// Asked and not answered yet.
    open: Vec<(Role, Lookup)>,
    calls: JoinSet<(Role, Resolved)>,
    /// What each call asks, for the one that is lost.
    asked: HashMap<Id, (Role, LookupId)>,
    permits: Arc<Semaphore>,
    /// Those that came back with the registry away, to be repeated together.
    away: Vec<(Role, Resolved)>,
    attempt: u32,
    away_since: Option<Mono>,
}

impl fmt::Debug for Lookups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookups")
            .field("open", &self.open.len())
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl Lookups {
    pub(in crate::task) fn new(
        registries: Registries,
        status: TaskStatus,
        clock: Arc<dyn Clock>,
        retry_timeout: Option<Span>,
    ) -> Self {
        Self {
            registries,
            status,
            clock,
            // Zero is Java's default and means that nobody thought about it: an outage fails no task.
            patience: retry_timeout.filter(|timeout| *timeout > Span::ZERO),
            open: Vec::new(),
            calls: JoinSet::new(),
            asked: HashMap::new(),
            permits: Arc::new(Semaphore::new(CALLS_MAX)),
            away: Vec::new(),
            attempt: 0,
            away_since: None,
        }
    }

    /// Whether an answer is awaited.
    pub(in crate::task) fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    /// Starts to ask. What is asked already is not asked again.
    pub(in crate::task) fn ask(&mut self, lookups: Vec<(Role, Lookup)>) {
        for (role, lookup) in lookups {
            self.call(role, lookup.clone(), Span::ZERO);
            self.open.push((role, lookup));
        }
    }

    /// The next answer for a converter. Waits for ever when nothing is open; dropping the future loses nothing.
    pub(in crate::task) async fn answered(&mut self) -> (Role, Resolved) {
        loop {
            if self.calls.is_empty() {
                if self.away.is_empty() {
                    return std::future::pending().await;
                }
                self.repeat();
            }
            let (role, resolved) = match self.calls.join_next_with_id().await {
                None => continue,
                Some(Ok((call, done))) => {
                    self.asked.remove(&call);
                    done
                }
                Some(Err(lost)) => {
                    let Some((role, id)) = self.asked.remove(&lost.id()) else {
                        continue;
                    };
                    let answer = Err(RegistryError::bug(
                        "the call of the registry client was lost",
                    ));
                    (role, Resolved { id, answer })
                }
            };
            let is_away = matches!(&resolved.answer, Err(error) if error.is_retriable());
            if is_away && self.is_patient() {
                self.away.push((role, resolved));
            } else {
                self.close(role, &resolved);
                return (role, resolved);
            }
        }
    }

    fn is_patient(&mut self) -> bool {
        let now = self.clock.now();
        let since = *self.away_since.get_or_insert(now);
        self.patience
            .is_none_or(|patience| now.since(since) < patience)
    }

    fn close(&mut self, role: Role, resolved: &Resolved) {
        self.open
            .retain(|(of, lookup)| *of != role || lookup.id != resolved.id);
        if !matches!(&resolved.answer, Err(error) if error.is_retriable()) {
            self.attempt = 0;
            if self.away_since.take().is_some() && self.status.waits_for(None) {
                info!("the schema registry answers again");
            }
        }
    }

    /// Asks again what was not answered.
    fn repeat(&mut self) {
        let mut pause = BACKOFF.delay(self.attempt);
        if let (Some(patience), Some(since)) = (self.patience, self.away_since) {
            let left = since.plus(patience).since(self.clock.now());
            pause = pause.min(left);
        }
        self.attempt = self.attempt.saturating_add(1);
        self.status.counters().add_retries(1);
        if let Some((
            _,
            Resolved {
                answer: Err(error), ..
            },
        )) = self.away.first()
        {
            let reason = format!("waits for the schema registry: {error}");
            if self.status.waits_for(Some(&reason)) {
                warn!("{reason}; asked again in {pause}");
            }
        }
        for (role, resolved) in std::mem::take(&mut self.away) {
            let asked = self
                .open
                .iter()
                .find(|(of, lookup)| *of == role && lookup.id == resolved.id);
            if let Some((_, lookup)) = asked.cloned() {
                self.call(role, lookup, pause);
            }
        }
    }

    fn call(&mut self, role: Role, lookup: Lookup, pause: Span) {
        let registry = match role {
            Role::Key => self.registries.key.clone(),
            Role::Value => self.registries.value.clone(),
        };
        let Some(registry) = registry else {
            let answer = Err(RegistryError::misconfigured(NO_REGISTRY));
            let resolved = Resolved {
                id: lookup.id,
                answer,
            };
            self.calls.spawn(async move { (role, resolved) });
            return;
        };
        let id = lookup.id;
        let permits = Arc::clone(&self.permits);
        let call = self.calls.spawn(async move {
            if pause > Span::ZERO {
                tokio::time::sleep(pause.to_duration()).await;
            }
            // Nobody closes the semaphore; without a permit there would merely be one call more.
            let _permit = permits.acquire().await;
            (role, registry.answer(&lookup).await)
        });
        self.asked.insert(call.id(), (role, id));
    }
}

/// Pauses between two rounds of questions to a registry that is away.
const BACKOFF: Backoff = Backoff::new(Span::millis(250), Span::secs(10));

/// Calls under way at the same time, per task.
const CALLS_MAX: usize = 16;

const NO_REGISTRY: &str =
    "no schema registry is configured; set schema.registry.url for this converter";
