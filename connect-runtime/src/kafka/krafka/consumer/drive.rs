//! The poll loop.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use krafka::consumer::{Consumer as Client, ConsumerRecord};
use krafka::error::{ErrorCode, KrafkaError, ProtocolErrorKind};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::super::errors;
use super::bridge::{Change, Event};
use super::follow::Turn;
use super::held::{Room, group};
use super::place::no_position;
use super::{KrafkaConsumer, Mode, Shared};
use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::port::RebalanceListener;
use crate::kafka::types::PartitionBatch;
use crate::time::Span;

type Outcome = Result<Vec<ConsumerRecord>>;
type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What outlives single polls.
pub(super) struct Driver {
    /// A poll of the library. It is never dropped half way, except at the end: what a join brought
    /// would be lost with it.
    running: Option<Running>,
    events: mpsc::Receiver<Event>,
    /// What the listener has not heard to its end.
    event: Option<Event>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("is_running", &self.running.is_some())
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}

impl Driver {
    pub(super) const fn new(events: mpsc::Receiver<Event>) -> Self {
        Self {
            running: None,
            events,
            event: None,
        }
    }

    /// Gives up what runs.
    pub(super) fn stop(&mut self) {
        self.running = None;
        self.event = None;
    }
}

/// What came first.
enum Next {
    Event(Event),
    Records(Outcome),
    /// The group, or somebody who wakes.
    Changed,
    Deadline,
}

/// What one call of poll knows.
struct Call {
    deadline: Instant,
    room: Room,
    /// Whether the group was asked by this call: records of an older one wait until it was, for their
    /// partitions may belong to somebody else by now.
    is_current: bool,
    /// Whether what is in hand may be returned.
    is_settled: bool,
    is_first: bool,
}

impl KrafkaConsumer {
    /// [`Consumer::poll`](crate::kafka::port::Consumer::poll).
    pub(super) async fn drive(
        &self,
        records_max: usize,
        within: Span,
        listener: &mut dyn RebalanceListener,
    ) -> Result<Vec<PartitionBatch>> {
        let Ok(mut driver) = self.driver.try_lock() else {
            let cause = "another poll of this consumer is running";
            return Err(Error::new(Class::InvalidRequest, "poll", cause));
        };
        let mode = self.shared.mode();
        let membership = match &mode {
            Mode::Member(_, _, membership) => Some(membership),
            Mode::Idle | Mode::Assigned(_) | Mode::Broker(..) => None,
        };
        let _polling = membership.map(|membership| membership.polling());
        let mut call = Call {
            deadline: Instant::now() + within.to_duration(),
            room: self.room(records_max),
            // Our own membership tells at once what changed.
            is_current: driver.running.is_none() || membership.is_some(),
            is_settled: false,
            is_first: true,
        };
        loop {
            let mut woken = pin!(self.woken.notified());
            woken.as_mut().enable();
            let mut changed = pin!(membership.map(|membership| membership.changed.notified()));
            if let Some(changed) = changed.as_mut().as_pin_mut() {
                changed.enable();
            }
            self.check()?;
            if self.hand_over(&mut driver, listener).await {
                continue;
            }
            if let Mode::Member(client, _, membership) = &mode {
                match self
                    .follow(client, membership, listener, call.deadline)
                    .await?
                {
                    Turn::Go => call.is_settled = true,
                    Turn::Again => continue,
                    Turn::Late => return Ok(Vec::new()),
                }
            }
            if driver.running.is_none()
                && let Some(batches) = self.start(&mut driver, &mode, &mut call)
            {
                return Ok(batches);
            }
            call.is_first = false;
            let Driver {
                running, events, ..
            } = &mut *driver;
            let next = tokio::select! {
                biased;
                Some(event) = events.recv() => Next::Event(event),
                outcome = finished(running) => Next::Records(outcome),
                () = woken => Next::Changed,
                Some(()) = maybe(changed) => Next::Changed,
                () = tokio::time::sleep_until(call.deadline) => Next::Deadline,
            };
            match next {
                Next::Event(event) => driver.event = Some(event),
                Next::Changed => {}
                Next::Deadline => return Ok(Vec::new()),
                Next::Records(outcome) => {
                    driver.running = None;
                    if let Some(batches) = self.take(outcome?, &mut call) {
                        return Ok(batches);
                    }
                }
            }
        }
    }

    /// Starts a poll of the library, one that only asks the group if there are records in hand. Or
    /// else gives what the call returns: what is in hand, or nothing when its time is over.
    fn start(
        &self,
        driver: &mut Driver,
        mode: &Mode,
        call: &mut Call,
    ) -> Option<Vec<PartitionBatch>> {
        let holds = self.shared.state().view.is_ready();
        if holds && call.is_settled {
            return Some(self.shared.state().view.take(call.room));
        }
        if !call.is_first && Instant::now() >= call.deadline {
            return Some(Vec::new());
        }
        call.is_settled = holds;
        driver.running = self.run(mode, holds, call.deadline);
        None
    }

    /// Takes records that came. Gives those that may be returned as they are, and holds others.
    fn take(&self, records: Vec<ConsumerRecord>, call: &mut Call) -> Option<Vec<PartitionBatch>> {
        let mut batches = group(records);
        let mut state = self.shared.state();
        state.view.sift(&mut batches);
        let was_current = std::mem::replace(&mut call.is_current, true);
        if batches.is_empty() {
            return None;
        }
        if was_current && !state.view.is_ready() && call.room.fits(&batches) {
            return Some(batches);
        }
        call.is_settled |= was_current;
        state.view.hold(batches);
        None
    }

    fn room(&self, records_max: usize) -> Room {
        let config = &self.shared.config;
        let whole_partition = config.settings.partition_fetch_bytes_max;
        Room {
            records: records_max.max(1),
            bytes: config.fetch_bytes_max.max(whole_partition),
        }
    }

    fn check(&self) -> Result<()> {
        let mut state = self.shared.state();
        if state.is_closed {
            return Err(Error::new(Class::Fatal, "poll", "the consumer is closed"));
        }
        if std::mem::take(&mut state.is_woken) {
            return Err(Error::wakeup("poll"));
        }
        Ok(())
    }

    fn run(&self, mode: &Mode, holds: bool, deadline: Instant) -> Option<Running> {
        let shared = Arc::clone(&self.shared);
        let mode = mode.clone();
        let client = Arc::clone(mode.client()?);
        let wait = shared.config.settings.fetch_wait_max.to_duration();
        let wait = wait.min(deadline.saturating_duration_since(Instant::now()));
        Some(Box::pin(async move {
            if let Mode::Member(_, scout, _) | Mode::Broker(_, scout) = &mode {
                let look = scout.look(&shared, &mode).await;
                look.map_err(|error| poll_error(&error))?;
            }
            shared.place().await?;
            if let Mode::Member(_, _, membership) = &mode
                && membership.take_return()
            {
                shared.fetch_at_once(&client).await;
            }
            let polled = if holds {
                ask_group(&client, &shared).await?
            } else {
                client.poll(wait).await
            };
            polled.map_err(|error| poll_error(&error))
        }))
    }

    /// Tells the listener what the library waits for it to hear, if there is something.
    async fn hand_over(&self, driver: &mut Driver, listener: &mut dyn RebalanceListener) -> bool {
        let Some(event) = &driver.event else {
            return false;
        };
        self.tell(event, listener).await;
        if let Some(event) = driver.event.take() {
            event.answer();
        }
        true
    }

    async fn tell(&self, event: &Event, listener: &mut dyn RebalanceListener) {
        let partitions = event.partitions.as_slice();
        let shared = &self.shared;
        match event.change {
            Change::Assigned => {
                self.add(partitions).await;
                listener.assigned(self, partitions).await;
            }
            Change::Revoked => {
                listener.revoked(self, partitions).await;
                shared.state().view.remove(partitions);
            }
            Change::Lost => {
                shared.state().view.remove(partitions);
                listener.lost(self, partitions).await;
            }
        }
    }
}

/// The outcome of what runs; never, if nothing does.
async fn finished(running: &mut Option<Running>) -> Outcome {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}

/// The end of what is waited for, if anything is.
async fn maybe<F: Future<Output = ()>>(waiting: Pin<&mut Option<F>>) -> Option<()> {
    match waiting.as_pin_mut() {
        Some(waiting) => {
            waiting.await;
            Some(())
        }
        None => None,
    }
}

/// Lets the library follow its group without fetching anything: everything is paused meanwhile.
async fn ask_group(
    client: &Client,
    shared: &Shared,
) -> Result<std::result::Result<Vec<ConsumerRecord>, KrafkaError>> {
    let assigned = shared.state().view.assignment();
    shared.set_fetching("poll", &assigned, false)?;
    let polled = client.poll(Duration::ZERO).await;
    let fetchable = shared.state().view.fetchable();
    shared.set_fetching("poll", &fetchable, true)?;
    Ok(polled)
}

/// The error of a poll.
#[cold]
fn poll_error(error: &KrafkaError) -> Error {
    if let KrafkaError::NoOffset { partitions } = error
        && let Some((topic, number)) = partitions.first()
    {
        return no_position(&TopicPartition::new(topic.as_str(), *number));
    }
    if let KrafkaError::Protocol { kind, message } = error
        && let Some((place, offset)) = damaged_at(message)
    {
        return damage(*kind, &place, offset);
    }
    let joins_anew = matches!(
        errors::code(error),
        Some(
            ErrorCode::UnknownMemberId
                | ErrorCode::IllegalGeneration
                | ErrorCode::FencedMemberEpoch
                | ErrorCode::StaleMemberEpoch
        )
    );
    // The member joins anew by itself at the next poll; it cannot while it is leaving.
    if joins_anew || matches!(error, KrafkaError::IllegalState { .. }) {
        return Error::new(Class::Retriable, "poll", error.to_string());
    }
    errors::error("poll", error)
}

#[cold]
fn damage(kind: ProtocolErrorKind, place: &TopicPartition, offset: i64) -> Error {
    Error::new(
        Class::Fatal,
        "poll",
        format!("the stored batch is damaged ({kind:?})"),
    )
    .at(place)
    .at_offset(offset)
    .next_step("restore the partition from a replica, or seek behind the offset to skip it")
}

/// Where a batch is damaged. The library has it in its text only; the version is pinned, and a table
/// case holds on to it.
fn damaged_at(message: &str) -> Option<(TopicPartition, i64)> {
    let rest = message.strip_prefix("undecodable record batch at ")?;
    let (place, rest) = rest.split_once(" offset ")?;
    let (topic, number) = place.rsplit_once('-')?;
    let digits = rest.split(|end: char| !end.is_ascii_digit()).next()?;
    let place = TopicPartition::new(topic, number.parse().ok()?);
    Some((place, digits.parse().ok()?))
}
