//! A Kafka cluster behind the ports, through the client library `krafka`.
//!
//! ```text
//!   producer, txn -> queue      one task hands rows over, one reads their outcomes; none per record
//!   consumer, admin             calls of the library in our words
//!        |
//!        v
//!   raw                         the few requests the library has no call for
//!   connect -> security         a connection handle per client, bounded in time
//!   errors, refusal             classes by value, never by text
//! ```

mod admin;
mod connect;
mod consumer;
mod errors;
mod probe;
mod producer;
mod queue;
mod raw;
mod refusal;
mod security;
mod txn;

use std::sync::Arc;

use async_trait::async_trait;

use self::admin::KrafkaAdmin;
use self::connect::{Connector, Role};
use self::producer::KrafkaProducer;
use self::txn::KrafkaTxnProducer;
use super::error::Result;
use super::port::{Admin, Cluster, Consumer, Producer, TxnProducer};
use super::types::{AdminConfig, ConsumerConfig, ProducerConfig};
use crate::time::Span;

/// A Kafka cluster. Making one connects to nothing; each client connects when it is made.
///
/// ```
/// use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
/// let cluster = KrafkaCluster::new("broker-1:9092,broker-2:9092");
/// # let _ = cluster;
/// ```
#[derive(Clone, Debug)]
pub struct KrafkaCluster {
    connector: Connector,
}

impl KrafkaCluster {
    /// The cluster that the brokers at `bootstrap` (`host:port`, separated by commas) belong to. A
    /// client whose properties name `bootstrap.servers` starts there instead.
    pub fn new(bootstrap: impl Into<String>) -> Self {
        Self {
            connector: Connector::new(bootstrap.into()),
        }
    }
}

/// What making a transactional producer is called in errors.
const INITIALISE: &str = "initialise transactions";

/// What is left of `within` since `start`.
fn rest(start: tokio::time::Instant, within: Span) -> Span {
    let elapsed = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    Span::millis(within.as_millis().saturating_sub(elapsed))
}

#[async_trait]
impl Cluster for KrafkaCluster {
    async fn producer(&self, config: ProducerConfig, within: Span) -> Result<Arc<dyn Producer>> {
        let start = tokio::time::Instant::now();
        let (id, connection) = (&config.client_id, &config.connection);
        let kafka = self
            .connector
            .connect("create a producer", Role::Producer, id, connection, within)
            .await?;
        let within = rest(start, within);
        Ok(Arc::new(
            KrafkaProducer::new(&kafka, &config, within).await?,
        ))
    }

    async fn txn_producer(
        &self,
        config: ProducerConfig,
        id: &str,
        within: Span,
    ) -> Result<Arc<dyn TxnProducer>> {
        let start = tokio::time::Instant::now();
        let (client, connection) = (&config.client_id, &config.connection);
        let kafka = self
            .connector
            .connect(INITIALISE, Role::Producer, client, connection, within)
            .await?;
        let within = rest(start, within);
        let producer = KrafkaTxnProducer::new(&kafka, &config, id, within).await?;
        Ok(Arc::new(producer))
    }

    async fn consumer(&self, config: ConsumerConfig, within: Span) -> Result<Arc<dyn Consumer>> {
        let (id, connection) = (&config.client_id, &config.connection);
        let role = Role::Consumer {
            creates_topics: config.settings.create_topics,
        };
        let kafka = self
            .connector
            .connect("create a consumer", role, id, connection, within)
            .await?;
        Ok(Arc::new(consumer::KrafkaConsumer::new(kafka, config)))
    }

    async fn admin(&self, config: AdminConfig, within: Span) -> Result<Arc<dyn Admin>> {
        let (id, connection) = (&config.client_id, &config.connection);
        let kafka = self
            .connector
            .connect(
                "create an admin client",
                Role::Admin,
                id,
                connection,
                within,
            )
            .await?;
        Ok(Arc::new(KrafkaAdmin::new(
            kafka,
            self.connector.clone(),
            config,
        )))
    }
}
