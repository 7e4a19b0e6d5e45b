//! The consumer on a Kafka cluster.
//!
//! The library's `poll` runs as one future that outlives the polls of the port ([`drive`]): a port
//! call that ends at its deadline, is woken up or is dropped leaves it where it is, in the middle of a
//! rebalance or of a fetch, and the next one goes on with it. Of classic groups we are a member
//! ourselves ([`membership`], [`wire`], [`follow`]); of those the broker deals for, the library is
//! one, and its callbacks come through a channel ([`bridge`]). So the listener runs inside the port's
//! `poll`, with no lock held, and may use the consumer. Records beyond what a poll asked for are kept here ([`held`]). Where partitions start is
//! decided here ([`place`]), for the library goes to the end of the log with a position that lies
//! beyond it, whatever the reset policy says. New topics of a subscription are looked for here, too
//! ([`scout`]).

mod bridge;
mod commits;
mod drive;
mod follow;
mod held;
mod membership;
mod place;
mod scout;
mod settings;
mod view;
mod wire;

use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use krafka::admin::AdminClient;
use krafka::consumer::{Consumer as Client, TopicPartition as Place};
use krafka::error::KrafkaError;
use krafka::{CloseOptions, Kafka};
use tokio::sync::Notify;

use self::bridge::Bridge;
use self::drive::Driver;
use self::membership::Membership;
use self::scout::Scout;
use self::view::View;
use self::wire::Wire;
use super::errors;
use crate::ids::TopicPartition;
use crate::kafka::client::GroupProtocol;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::bounded;
use crate::kafka::port::{Consumer, RebalanceListener};
use crate::kafka::types::{ConsumerConfig, Offsets, PartitionBatch, Subscription};
use crate::time::Span;

/// A consumer with a handle of its own.
pub(super) struct KrafkaConsumer {
    shared: Arc<Shared>,
    /// What polls drive. Whoever holds the lock is the one that polls.
    driver: tokio::sync::Mutex<Driver>,
    bridge: Arc<Bridge>,
    woken: Notify,
}

/// What polls of the library, which outlive those of the port, use as well.
struct Shared {
    kafka: Kafka,
    admin: AdminClient,
    config: ConsumerConfig,
    state: Mutex<State>,
}

/// What synchronous calls see and change.
#[derive(Debug, Default)]
struct State {
    mode: Mode,
    view: View,
    is_woken: bool,
    is_closed: bool,
}

/// How partitions come to the consumer. The library wants to know when it makes one.
#[derive(Clone, Default)]
enum Mode {
    #[default]
    Idle,
    Assigned(Arc<Client>),
    /// A member of a classic group; the library's consumer is assigned what the group gives.
    Member(Arc<Client>, Arc<Scout>, Arc<Membership>),
    /// The library is the member (KIP-848).
    Broker(Arc<Client>, Arc<Scout>),
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "Idle",
            Self::Assigned(_) => "Assigned",
            Self::Member(..) => "Member",
            Self::Broker(..) => "Broker",
        })
    }
}

impl Mode {
    const fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::Idle => None,
            Self::Assigned(client) | Self::Member(client, ..) | Self::Broker(client, _) => {
                Some(client)
            }
        }
    }
}

impl fmt::Debug for KrafkaConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KrafkaConsumer")
            .field("client", &self.shared.config.client_id)
            .finish_non_exhaustive()
    }
}

/// Partition numbers by topic, as the library takes them.
fn by_topic<'a>(
    partitions: impl IntoIterator<Item = &'a TopicPartition>,
) -> BTreeMap<Arc<str>, Vec<i32>> {
    let mut topics: BTreeMap<Arc<str>, Vec<i32>> = BTreeMap::new();
    for partition in partitions {
        let numbers = topics.entry(Arc::clone(&partition.topic)).or_default();
        numbers.push(partition.partition);
    }
    topics
}

/// The answer of a call of the library that is asynchronous by its signature only.
fn at_once<T>(operation: &'static str, call: impl Future<Output = T>) -> Result<T> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Ok(answer),
        Poll::Pending => {
            let cause = "the client library waits where it never waited";
            Err(Error::new(Class::Fatal, operation, cause).next_step("report this"))
        }
    }
}

/// `partition` in the words of the library.
fn place_of(partition: &TopicPartition) -> Place {
    Place::new(&*partition.topic, partition.partition)
}

impl Shared {
    /// The state. A holder that panicked left it whole: nothing panics between two changes of it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mode(&self) -> Mode {
        self.state().mode.clone()
    }

    fn group(&self, operation: &'static str) -> Result<&str> {
        self.config.group.as_deref().ok_or_else(|| {
            let cause = "the consumer has no group.id";
            Error::new(Class::InvalidRequest, operation, cause)
        })
    }

    /// Makes the library leave `partitions` out, or fetch them (again).
    fn set_fetching(
        &self,
        operation: &'static str,
        partitions: &[TopicPartition],
        is_fetching: bool,
    ) -> Result<()> {
        let Some(client) = self.mode().client().cloned() else {
            return Ok(());
        };
        for (topic, numbers) in &by_topic(partitions) {
            if is_fetching {
                at_once(operation, client.resume(topic, numbers))?;
            } else {
                at_once(operation, client.pause(topic, numbers))?;
            }
        }
        Ok(())
    }
}

impl KrafkaConsumer {
    /// A consumer with `config` on `kafka`, which nobody else uses.
    pub(super) fn new(kafka: Kafka, config: ConsumerConfig) -> Self {
        let (bridge, events) = Bridge::new();
        let shared = Shared {
            admin: kafka.admin(),
            kafka,
            config,
            state: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
            driver: tokio::sync::Mutex::new(Driver::new(events)),
            bridge: Arc::new(bridge),
            woken: Notify::new(),
        }
    }

    /// A consumer of the library that takes part in the group, or reads what it is given.
    async fn build(&self, operation: &'static str, group: Option<&str>) -> Result<Arc<Client>> {
        let builder = settings::builder(&self.shared.kafka, group, &self.shared.config);
        let client = builder
            .rebalance_listener(Arc::clone(&self.bridge))
            .build()
            .await;
        let client = client.map_err(|error| errors::error(operation, &error))?;
        Ok(Arc::new(client))
    }

    /// Says that all `partitions` exist.
    async fn check_existence(&self, client: &Client, partitions: &[TopicPartition]) -> Result<()> {
        for (topic, numbers) in by_topic(partitions) {
            let described = match client.fetch_metadata(Some(&topic)).await {
                Ok(metadata) => metadata.topics.into_iter().next(),
                Err(KrafkaError::UnknownTopic { .. }) => None,
                Err(error) => return Err(errors::error("assign", &error)),
            };
            let exists = |number: &i32| {
                let topic = described.as_ref();
                topic.is_some_and(|topic| topic.partition(*number).is_some())
            };
            if let Some(missing) = numbers.iter().find(|number| !exists(number)) {
                let place = TopicPartition::new(topic, *missing);
                let cause = "there is no such partition";
                return Err(Error::new(Class::NotFound, "assign", cause).at(&place));
            }
        }
        Ok(())
    }

    /// Becomes a member of `group`; the first poll joins.
    async fn join(&self, group: &str, scout: Arc<Scout>) -> Result<Mode> {
        let config = &self.shared.config;
        match &config.settings.protocol {
            GroupProtocol::Consumer { .. } => Ok(Mode::Broker(
                self.build("subscribe", Some(group)).await?,
                scout,
            )),
            GroupProtocol::Classic {
                assignors,
                heartbeat,
            } => {
                settings::check_group(config)?;
                let client = self.build("subscribe", None).await?;
                let membership = Membership::start(
                    Wire::new(&self.shared.kafka, group, config),
                    assignors.clone(),
                    heartbeat.to_duration(),
                    config.poll_interval_max.to_duration(),
                );
                Ok(Mode::Member(client, scout, membership))
            }
        }
    }

    async fn assign_to(&self, partitions: &[TopicPartition]) -> Result<()> {
        let client = match self.shared.mode() {
            Mode::Idle => self.build("assign", None).await?,
            Mode::Assigned(client) => client,
            Mode::Member(..) | Mode::Broker(..) => {
                let cause = "the consumer is subscribed";
                return Err(Error::new(Class::InvalidRequest, "assign", cause));
            }
        };
        self.check_existence(&client, partitions).await?;
        let mut topics = by_topic(partitions);
        for gone in by_topic(&self.shared.state().view.assignment()).into_keys() {
            topics.entry(gone).or_default();
        }
        for (topic, numbers) in topics {
            let assigned = client.assign(&topic, numbers).await;
            assigned.map_err(|error| errors::error("assign", &error))?;
        }
        let fresh = {
            let mut state = self.shared.state();
            state.mode = Mode::Assigned(client);
            state.view.replace(partitions)
        };
        self.shared.set_fetching("assign", &fresh, false)
    }
}

#[async_trait]
impl Consumer for KrafkaConsumer {
    async fn subscribe(&self, subscription: Subscription, within: Span) -> Result<()> {
        let group = self.shared.group("subscribe")?;
        let scout = Arc::new(Scout::new(subscription, &self.shared.config));
        let mode = match self.shared.mode() {
            Mode::Idle => bounded("subscribe", within, self.join(group, scout)).await?,
            Mode::Member(client, _, membership) => Mode::Member(client, scout, membership),
            Mode::Broker(client, _) => Mode::Broker(client, scout),
            Mode::Assigned(_) => {
                let cause = "partitions were assigned by hand";
                return Err(Error::new(Class::InvalidRequest, "subscribe", cause));
            }
        };
        self.shared.state().mode = mode;
        Ok(())
    }

    async fn assign(&self, partitions: &[TopicPartition], within: Span) -> Result<()> {
        bounded("assign", within, self.assign_to(partitions)).await
    }

    fn assignment(&self) -> Vec<TopicPartition> {
        self.shared.state().view.assignment()
    }

    async fn poll(
        &self,
        records_max: usize,
        within: Span,
        listener: &mut dyn RebalanceListener,
    ) -> Result<Vec<PartitionBatch>> {
        self.drive(records_max, within, listener).await
    }

    fn wakeup(&self) {
        self.shared.state().is_woken = true;
        self.woken.notify_waiters();
    }

    fn seek(&self, partition: &TopicPartition, offset: i64) -> Result<()> {
        if offset < 0 {
            let cause = format!("offset {offset} is negative");
            return Err(Error::new(Class::InvalidRequest, "seek", cause).at(partition));
        }
        self.shared.state().view.seek(partition, offset)
    }

    fn pause(&self, partitions: &[TopicPartition]) -> Result<()> {
        self.shared.state().view.pause(partitions)?;
        self.shared.set_fetching("pause", partitions, false)
    }

    fn resume(&self, partitions: &[TopicPartition]) -> Result<()> {
        let fetchable = self.shared.state().view.resume(partitions)?;
        self.shared.set_fetching("resume", &fetchable, true)
    }

    async fn position(&self, partition: &TopicPartition, within: Span) -> Result<i64> {
        bounded("position", within, self.shared.position(partition)).await
    }

    async fn committed(&self, partitions: &[TopicPartition], within: Span) -> Result<Offsets> {
        bounded("committed", within, self.shared.committed(partitions)).await
    }

    async fn commit(&self, offsets: &Offsets, within: Span) -> Result<()> {
        bounded("commit", within, self.shared.commit(offsets)).await
    }

    async fn close(&self, within: Span) -> Result<()> {
        let mode = {
            let mut state = self.shared.state();
            state.is_closed = true;
            std::mem::take(&mut state.mode)
        };
        self.woken.notify_waiters();
        self.bridge.close();
        let leave = async {
            // Whoever polls sees that it is over and lets go; what it was doing is not needed any more.
            self.driver.lock().await.stop();
            self.shared.state().view.replace(&[]);
            let left = match &mode {
                Mode::Member(_, _, membership) => membership.close().await,
                Mode::Idle | Mode::Assigned(_) | Mode::Broker(..) => Ok(()),
            };
            let Some(client) = mode.client() else {
                return Ok(());
            };
            let options = CloseOptions::new().timeout(within.to_duration());
            let closed = client.close_with(options).await;
            left.and(closed.map_err(|error| errors::error("close", &error)))
        };
        bounded("close", within, leave).await
    }
}
