//! The consumer on a Kafka cluster.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use krafka::Kafka;

use crate::ids::TopicPartition;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::port::{Consumer, RebalanceListener};
use crate::kafka::types::{ConsumerConfig, Offsets, PartitionBatch, Subscription};
use crate::time::Span;

/// A consumer with a handle of its own.
pub(super) struct KrafkaConsumer {
    _kafka: Kafka,
}

impl fmt::Debug for KrafkaConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KrafkaConsumer").finish_non_exhaustive()
    }
}

#[cold]
fn unsupported<T>(operation: &'static str) -> Result<T> {
    let cause = "reading from a Kafka cluster is not built yet";
    Err(Error::new(Class::Unsupported, operation, cause))
}

impl KrafkaConsumer {
    /// A consumer with `config` on `kafka`, which nobody else uses.
    pub(super) async fn new(
        _kafka: Kafka,
        _config: ConsumerConfig,
        _within: Span,
    ) -> Result<Arc<dyn Consumer>> {
        unsupported("create a consumer")
    }
}

#[async_trait]
impl Consumer for KrafkaConsumer {
    async fn subscribe(&self, _subscription: Subscription, _within: Span) -> Result<()> {
        unsupported("subscribe")
    }

    async fn assign(&self, _partitions: &[TopicPartition], _within: Span) -> Result<()> {
        unsupported("assign")
    }

    fn assignment(&self) -> Vec<TopicPartition> {
        Vec::new()
    }

    async fn poll(
        &self,
        _records_max: usize,
        _within: Span,
        _listener: &mut dyn RebalanceListener,
    ) -> Result<Vec<PartitionBatch>> {
        unsupported("poll")
    }

    fn wakeup(&self) {}

    fn seek(&self, _partition: &TopicPartition, _offset: i64) -> Result<()> {
        unsupported("seek")
    }

    fn pause(&self, _partitions: &[TopicPartition]) -> Result<()> {
        unsupported("pause")
    }

    fn resume(&self, _partitions: &[TopicPartition]) -> Result<()> {
        unsupported("resume")
    }

    async fn position(&self, _partition: &TopicPartition, _within: Span) -> Result<i64> {
        unsupported("position")
    }

    async fn committed(&self, _partitions: &[TopicPartition], _within: Span) -> Result<Offsets> {
        unsupported("committed")
    }

    async fn commit(&self, _offsets: &Offsets, _within: Span) -> Result<()> {
        unsupported("commit")
    }

    async fn close(&self, _within: Span) -> Result<()> {
        Ok(())
    }
}
