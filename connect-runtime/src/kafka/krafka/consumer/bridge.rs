//! From the library's rebalance callbacks to the listener of the running poll.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use krafka::consumer::{ConsumerRebalanceListener, TopicPartition as Place};
use tokio::sync::{mpsc, oneshot};

use crate::ids::TopicPartition;

/// What happened to partitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Assigned,
    Revoked,
    Lost,
}

/// A callback that waits for its answer.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) change: Change,
    pub(super) partitions: Vec<TopicPartition>,
    done: oneshot::Sender<()>,
}

impl Event {
    /// The listener was told: the library goes on.
    pub(super) fn answer(self) {
        // Nobody waits any more when the consumer was closed meanwhile.
        let _ = self.done.send(());
    }
}

/// The listener that the library has. It passes callbacks on and waits until they are answered.
#[derive(Debug)]
pub(super) struct Bridge {
    events: mpsc::Sender<Event>,
    is_closed: AtomicBool,
}

impl Bridge {
    /// With the end that receives the events. The library calls one callback at a time.
    pub(super) fn new() -> (Self, mpsc::Receiver<Event>) {
        let (events, receiver) = mpsc::channel(1);
        let is_closed = AtomicBool::new(false);
        (Self { events, is_closed }, receiver)
    }

    /// From now on callbacks go nowhere.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    async fn pass(&self, change: Change, places: &[Place]) {
        if self.is_closed.load(Ordering::Acquire) {
            return;
        }
        let mut partitions = Vec::with_capacity(places.len());
        let mut topic: Option<Arc<str>> = None;
        for place in places {
            let name = match &topic {
                Some(name) if **name == *place.topic => Arc::clone(name),
                Some(_) | None => Arc::from(place.topic.as_str()),
            };
            topic = Some(Arc::clone(&name));
            partitions.push(TopicPartition::new(name, place.partition));
        }
        let (done, answered) = oneshot::channel();
        let event = Event {
            change,
            partitions,
            done,
        };
        // Either end is gone only with the consumer itself.
        if self.events.send(event).await.is_ok() {
            let _ = answered.await;
        }
    }
}

impl ConsumerRebalanceListener for Bridge {
    async fn on_partitions_assigned(&self, places: &[Place]) {
        self.pass(Change::Assigned, places).await;
    }

    async fn on_partitions_revoked(&self, places: &[Place]) {
        self.pass(Change::Revoked, places).await;
    }

    async fn on_partitions_lost(&self, places: &[Place]) {
        self.pass(Change::Lost, places).await;
    }
}
