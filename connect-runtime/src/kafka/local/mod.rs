//! A cluster inside the process: producers, consumers, groups and transactions over some
//! [`Storage`](storage::Storage). The fake keeps records in memory, the embedded log in a file; all
//! that can be the same for both is here.

mod account;
mod admin;
pub(in crate::kafka) mod codec;
mod consumer;
mod groups;
mod member;
pub(in crate::kafka) mod partitioner;
mod producer;
mod storage;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::sync::watch;

pub(in crate::kafka) use account::{
    Account, BATCHES_OUTSTANDING_MAX, Identity, Outcomes, Refusal, Submission, lock, wait_for,
};
pub(in crate::kafka) use admin::check_topic_name;
pub(in crate::kafka) use producer::bounded;
pub(in crate::kafka) use storage::{
    End, Fetched, GroupOffsets, Reader, Storage, StoredBatch, Topics,
};

use groups::Groups;

use super::error::Result;
use super::port::{Admin, Cluster, Consumer, Producer, TxnProducer};
use super::types::{AdminConfig, ConsumerConfig, ProducerConfig};
use crate::time::{Mono, Span};

/// A handle to the cluster; clones are the same cluster.
#[derive(Clone, Debug)]
pub(in crate::kafka) struct Local {
    storage: Arc<dyn Storage>,
    coordinator: Arc<Coordinator>,
}

/// The groups, and a way to wait for changes of them.
#[derive(Debug)]
struct Coordinator {
    groups: Mutex<Groups>,
    changes: watch::Sender<u64>,
    start: tokio::time::Instant,
}

impl Coordinator {
    /// The moment on tokio's clock, so that paused time in tests moves groups too.
    fn now(&self) -> Mono {
        let elapsed = tokio::time::Instant::now().saturating_duration_since(self.start);
        Mono::from_millis(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Groups, Mono) -> T) -> T {
        let now = self.now();
        change(&mut lock(&self.groups), now)
    }

    fn announce(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl Local {
    pub(in crate::kafka) fn new(storage: Arc<dyn Storage>) -> Self {
        let coordinator = Coordinator {
            groups: Mutex::default(),
            changes: watch::Sender::new(0),
            start: tokio::time::Instant::now(),
        };
        Self {
            storage,
            coordinator: Arc::new(coordinator),
        }
    }

    fn groups_in_use(&self, group: &str) -> bool {
        self.coordinator
            .with(|groups, now| groups.in_use(group, now))
    }

    /// Throws every member of `group` out.
    #[cfg(feature = "testing")]
    pub(in crate::kafka) fn expel_all(&self, group: &str) {
        self.coordinator.with(|groups, _| groups.expel_all(group));
        self.coordinator.announce();
    }
}

#[async_trait]
impl Cluster for Local {
    async fn producer(&self, config: ProducerConfig, _within: Span) -> Result<Arc<dyn Producer>> {
        self.storage.reachable("create a producer")?;
        let storage = Arc::clone(&self.storage);
        Ok(Arc::new(producer::LocalProducer::new(
            storage, &config, None,
        )))
    }

    async fn txn_producer(
        &self,
        config: ProducerConfig,
        id: &str,
        within: Span,
    ) -> Result<Arc<dyn TxnProducer>> {
        const OPERATION: &str = "initialise transactions";
        self.storage.reachable(OPERATION)?;
        let identity = bounded(OPERATION, within, self.storage.init_transactions(id));
        let identity = identity.await?;
        let storage = Arc::clone(&self.storage);
        Ok(Arc::new(producer::LocalProducer::new(
            storage,
            &config,
            Some(identity),
        )))
    }

    async fn consumer(&self, config: ConsumerConfig, _within: Span) -> Result<Arc<dyn Consumer>> {
        self.storage.reachable("create a consumer")?;
        let reader = Arc::clone(&self.storage).reader()?;
        Ok(Arc::new(consumer::LocalConsumer::new(
            self.clone(),
            config,
            reader,
        )))
    }

    async fn admin(&self, _config: AdminConfig, _within: Span) -> Result<Arc<dyn Admin>> {
        self.storage.reachable("create an admin client")?;
        Ok(Arc::new(admin::LocalAdmin {
            local: self.clone(),
        }))
    }
}
