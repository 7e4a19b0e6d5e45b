//! A Kafka cluster behind the ports, through the client library `krafka`.
//!
//! Each client has a connection handle of its own ([`connect`]); errors are classified from values
//! ([`errors`]).

mod connect;
mod consumer;
mod errors;

use std::sync::Arc;

use async_trait::async_trait;

use self::connect::{Connector, Role};
use super::error::{Class, Error, Result};
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

#[async_trait]
impl Cluster for KrafkaCluster {
    async fn producer(&self, _config: ProducerConfig, _within: Span) -> Result<Arc<dyn Producer>> {
        not_built("create a producer")
    }

    async fn txn_producer(
        &self,
        _config: ProducerConfig,
        _id: &str,
        _within: Span,
    ) -> Result<Arc<dyn TxnProducer>> {
        not_built("initialise transactions")
    }

    async fn consumer(&self, config: ConsumerConfig, within: Span) -> Result<Arc<dyn Consumer>> {
        let (id, properties) = (&config.client_id, &config.properties);
        let operation = "create a consumer";
        let kafka = self
            .connector
            .connect(operation, Role::Consumer, id, properties, within)
            .await?;
        Ok(Arc::new(consumer::KrafkaConsumer::new(kafka, config)))
    }

    async fn admin(&self, _config: AdminConfig, _within: Span) -> Result<Arc<dyn Admin>> {
        not_built("create an admin client")
    }
}

#[cold]
fn not_built<T>(operation: &'static str) -> Result<T> {
    let cause = "this client is not built yet";
    Err(Error::new(Class::Unsupported, operation, cause))
}
