//! The producer on a Kafka cluster: a bounded buffer in front of the client library.

use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use krafka::producer::{ProducerBuilder, RoundRobinPartitioner};
use krafka::{Compression as Codec, Kafka};

use super::errors;
use super::queue::{Client, Flow, GIVE_UP, Queue};
use crate::kafka::batch::RecordBatch;
use crate::kafka::client::{Acks, Compression};
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::{Account, Refusal, lock, wait_for};
use crate::kafka::port::Producer;
use crate::kafka::types::{Acknowledgement, ProducerConfig};
use crate::time::Span;

/// Buffer of the client library, which never waits for it: what is accepted is bounded before it.
const CLIENT_BUFFER_BYTES: usize = 1 << 40;
/// The client counts about 90 bytes per record that the log does not hold. Up to this size its
/// batches are allowed twice `batch.size`, so that batches of small records are as large as in Java.
const COMPENSATED_BATCH_BYTES_MAX: usize = 512 << 10;
/// Room in a request beside the payload of one record.
const REQUEST_SLACK_BYTES: usize = 64 << 10;

/// A producer without transactions.
pub(super) struct KrafkaProducer {
    queue: Queue,
    /// Held from the reservation to the hand-over, so that batches go in the order of the calls.
    order: Mutex<()>,
}

impl fmt::Debug for KrafkaProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KrafkaProducer").finish_non_exhaustive()
    }
}

/// A client library's producer with the settings of `config`.
pub(super) fn builder(kafka: &Kafka, config: &ProducerConfig) -> ProducerBuilder {
    let settings = &config.settings;
    let batch = config.batch_bytes.max(1);
    let batch = batch.max((2 * batch).min(COMPENSATED_BATCH_BYTES_MAX));
    // Bounds a whole request; the limit per record is checked before.
    let request = config.record_bytes_max.saturating_add(REQUEST_SLACK_BYTES);
    let request = request.saturating_add(config.record_bytes_max / 4);
    let mut builder = kafka
        .producer()
        .acks(match settings.acks {
            Acks::None => krafka::producer::Acks::None,
            Acks::Leader => krafka::producer::Acks::Leader,
            Acks::All => krafka::producer::Acks::All,
        })
        .idempotent(settings.idempotence)
        .compression(match settings.compression {
            Compression::None => Codec::None,
            Compression::Gzip => Codec::Gzip,
            Compression::Snappy => Codec::Snappy,
            Compression::Lz4 => Codec::Lz4,
            Compression::Zstd => Codec::Zstd,
        })
        .compression_level(settings.compression_level)
        .batch_size(batch)
        .linger(config.linger.to_duration())
        .delivery_timeout(config.delivery_timeout.to_duration())
        .retry_backoff(config.connection.retry_backoff.to_duration())
        .max_request_size(request.max(batch))
        .max_block(settings.block_max.to_duration())
        .buffer_memory(CLIENT_BUFFER_BYTES)
        .metrics_push(config.connection.metrics_push);
    if settings.round_robin {
        builder = builder.partitioner(RoundRobinPartitioner::new());
    }
    builder
}

impl KrafkaProducer {
    /// A producer with `config` on `kafka`, which nobody else uses.
    ///
    /// # Errors
    /// As [`Cluster::producer`](crate::kafka::Cluster::producer).
    pub(super) async fn new(kafka: &Kafka, config: &ProducerConfig, within: Span) -> Result<Self> {
        const OPERATION: &str = "create a producer";
        let build = builder(kafka, config).build();
        let producer = errors::bounded(OPERATION, within, build).await?;
        let account = Account::new(config, config.buffer_bytes);
        let client = Client::Plain(Box::new(producer));
        Ok(Self::over(kafka.clone(), account, client))
    }

    pub(super) fn over(kafka: Kafka, account: Arc<Account>, client: Client) -> Self {
        Self {
            queue: Queue::start(kafka, account, client),
            order: Mutex::default(),
        }
    }

    pub(super) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Accepts `batch` if `check` allows it and there is room.
    pub(super) fn try_send(
        &self,
        batch: &mut RecordBatch,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<(), Refusal> {
        let _order = lock(&self.order);
        check().map_err(Refusal::Failed)?;
        if batch.is_empty() {
            return Ok(());
        }
        self.queue.account.reserve(batch.memory_bytes())?;
        let successor = batch.successor(batch.id());
        self.queue.push(std::mem::replace(batch, successor));
        Ok(())
    }

    /// [`Producer::send`] under the condition `check`.
    pub(super) async fn send_if(
        &self,
        batch: &mut RecordBatch,
        within: Span,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        let account = &self.queue.account;
        let accepted = wait_for(account.changed(), within, || {
            match self.try_send(batch, check) {
                Ok(()) => Some(Ok(())),
                Err(Refusal::Failed(error)) => Some(Err(error)),
                Err(Refusal::Full) => None,
            }
        });
        accepted.await.unwrap_or_else(|| {
            let cause = format!("no room within {within}: {}", account.describe());
            Err(Error::new(Class::TimedOut, "send", cause))
        })
    }

    /// Waits until every accepted row has an outcome, and makes the client send at once.
    pub(super) async fn idle(&self, operation: &'static str, within: Span) -> Result<()> {
        let account = &self.queue.account;
        if account.is_idle() {
            return Ok(());
        }
        let idle = async {
            self.queue.drain().await;
            wait_for(account.changed(), Span::MAX, || {
                account.is_idle().then_some(())
            })
            .await;
        };
        let done = tokio::time::timeout(within.to_duration(), idle).await;
        done.map_err(|_| Error::timed_out(operation, within))
    }
}

#[async_trait]
impl Producer for KrafkaProducer {
    async fn send(&self, batch: &mut RecordBatch, within: Span) -> Result<()> {
        self.send_if(batch, within, &|| Ok(())).await
    }

    async fn acknowledged(&self, within: Span) -> Result<Vec<Acknowledgement>> {
        let account = &self.queue.account;
        let outcome = wait_for(account.changed(), within, || {
            let outcomes = account.take_outcomes();
            if !outcomes.is_empty() {
                return Some(Ok(outcomes));
            }
            account.broken().filter(|_| account.is_idle()).map(Err)
        });
        outcome.await.unwrap_or_else(|| Ok(Vec::new()))
    }

    async fn flush(&self, within: Span) -> Result<()> {
        self.idle("flush", within).await
    }

    async fn close(&self, within: Span) -> Result<()> {
        self.queue.account.close();
        let done = self.idle("close", within).await;
        self.queue.set_flow(Flow::End);
        let rest = async {
            self.queue.client.end(Span::ZERO).await;
            // Given up rows get their outcomes now.
            self.idle("close", Span::MAX).await
        };
        match tokio::time::timeout(GIVE_UP, rest).await {
            Ok(ended) => done.and(ended),
            Err(_) => done.and(Err(Error::timed_out("close", within))),
        }
    }
}

impl Drop for KrafkaProducer {
    fn drop(&mut self) {
        self.queue.account.close();
        self.queue.set_flow(Flow::End);
    }
}
