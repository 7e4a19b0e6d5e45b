//! The transactional producer on a Kafka cluster.
//!
//! Which error means that another instance took over is known only at the end of a transaction: a
//! send or a commit that fails because of a newer epoch asks for `abort` ([`Class::Abortable`]), and
//! only if the coordinator refuses that too the producer is [`Class::Fenced`] (a transaction that
//! merely timed out can be aborted, and the producer goes on).

use std::fmt;
use std::sync::Mutex;

use async_trait::async_trait;
use krafka::Kafka;
use krafka::producer::{TransactionState, TransactionalProducer};

use super::producer::{KrafkaProducer, builder};
use super::queue::{Client, Flow};
use super::{errors, raw};
use crate::kafka::batch::RecordBatch;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::local::{Account, bounded, lock};
use crate::kafka::port::{Producer, TxnProducer};
use crate::kafka::types::{Acknowledgement, Offsets, ProducerConfig};
use crate::time::Span;

/// A producer whose rows become visible together.
pub(super) struct KrafkaTxnProducer {
    kafka: Kafka,
    producer: KrafkaProducer,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    /// The producer cannot go on.
    broken: Option<Error>,
}

impl fmt::Debug for KrafkaTxnProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KrafkaTxnProducer")
            .field("state", &*lock(&self.state))
            .finish_non_exhaustive()
    }
}

impl KrafkaTxnProducer {
    /// A producer with transactional id `id` on `kafka`, which nobody else uses; fences older ones.
    ///
    /// # Errors
    /// As [`Cluster::txn_producer`](crate::kafka::Cluster::txn_producer).
    pub(super) async fn new(
        kafka: &Kafka,
        config: &ProducerConfig,
        id: &str,
        within: Span,
    ) -> Result<Self> {
        // Transactions need both, and Java's producer insists on them too.
        let mut builder = builder(kafka, config)
            .idempotent(true)
            .acks(krafka::producer::Acks::All);
        if let Some(timeout) = config.settings.transaction_timeout {
            builder = builder.transaction_timeout(timeout.to_duration());
        }
        let initialise = builder.build_transactional(id);
        let client = errors::bounded(super::INITIALISE, within, initialise).await?;
        let account = Account::new(config, config.buffer_bytes);
        Ok(Self {
            kafka: kafka.clone(),
            producer: KrafkaProducer::over(
                kafka.clone(),
                account,
                Client::Transactional(Box::new(client)),
            ),
            state: Mutex::default(),
        })
    }

    fn client(&self) -> Option<&TransactionalProducer> {
        match &*self.producer.queue().client {
            Client::Transactional(client) => Some(client),
            Client::Plain(_) => None,
        }
    }

    fn check_usable(&self) -> Result<()> {
        lock(&self.state).broken.clone().map_or(Ok(()), Err)
    }

    fn check_open(&self, operation: &'static str) -> Result<()> {
        let state = lock(&self.state);
        if let Some(error) = &state.broken {
            return Err(error.clone());
        }
        if state.open {
            return Ok(());
        }
        let cause = "no transaction is open";
        Err(Error::new(Class::InvalidRequest, operation, cause))
    }

    /// The outcome in our words; one that ends the producer is remembered.
    fn told<T>(
        &self,
        operation: &'static str,
        outcome: Result<T, krafka::KrafkaError>,
    ) -> Result<T> {
        outcome.map_err(|reported| {
            let error = errors::error(operation, &reported);
            let client_is_done = self
                .client()
                .is_some_and(|client| client.state() == TransactionState::Fatal);
            if !client_is_done {
                return error;
            }
            let error = match error.class() {
                // There is nothing left to abort with.
                Class::Abortable => Error::new(Class::Fatal, operation, reported.to_string())
                    .next_step("the transaction is lost; restart, and it is done again"),
                Class::Retriable
                | Class::TimedOut
                | Class::Fenced
                | Class::Fatal
                | Class::Wakeup
                | Class::InvalidRecord
                | Class::Auth
                | Class::AlreadyExists
                | Class::NotFound
                | Class::GroupInUse
                | Class::InvalidRequest
                | Class::Unsupported => error,
            };
            let mut state = lock(&self.state);
            state.broken.get_or_insert_with(|| error.clone());
            error
        })
    }

    async fn commit_all(&self) -> Result<()> {
        const OPERATION: &str = "commit";
        let queue = self.producer.queue();
        self.producer.idle(OPERATION, Span::MAX).await?;
        if queue.has_failed() {
            let cause = "a record of the transaction was not written";
            return Err(Error::new(Class::Abortable, OPERATION, cause));
        }
        match self.client() {
            Some(client) if queue.is_touched() => self.told(OPERATION, client.commit().await),
            // The coordinator knows nothing of an empty transaction and would refuse to end it.
            _ => Ok(()),
        }
    }

    async fn abort_all(&self) -> Result<()> {
        const OPERATION: &str = "abort";
        let queue = self.producer.queue();
        queue.set_flow(Flow::Discard);
        queue.drain().await;
        if let Some(client) = self.client()
            && queue.is_touched()
        {
            self.told(OPERATION, client.abort().await)?;
        }
        self.producer.idle(OPERATION, Span::MAX).await?;
        queue.set_flow(Flow::Run);
        Ok(())
    }
}

#[async_trait]
impl Producer for KrafkaTxnProducer {
    async fn send(&self, batch: &mut RecordBatch, within: Span) -> Result<()> {
        let check = || self.check_open("send");
        self.producer.send_if(batch, within, &check).await
    }

    async fn acknowledged(&self, within: Span) -> Result<Vec<Acknowledgement>> {
        self.producer.acknowledged(within).await
    }

    async fn flush(&self, within: Span) -> Result<()> {
        self.producer.flush(within).await
    }

    async fn close(&self, within: Span) -> Result<()> {
        let open = std::mem::take(&mut lock(&self.state).open);
        self.producer.queue().account.close();
        let aborted = if open && self.check_usable().is_ok() {
            bounded("close", within, self.abort_all()).await
        } else {
            Ok(())
        };
        // Nothing that could not even be aborted is waited for again.
        let rest = if aborted.is_ok() { within } else { Span::ZERO };
        let closed = self.producer.close(rest).await;
        aborted.and(closed)
    }
}

#[async_trait]
impl TxnProducer for KrafkaTxnProducer {
    fn begin(&self) -> Result<()> {
        const OPERATION: &str = "begin";
        self.check_usable()?;
        let mut state = lock(&self.state);
        if state.open {
            let cause = "a transaction is open already";
            return Err(Error::new(Class::InvalidRequest, OPERATION, cause));
        }
        // The client still has the last transaction open if nothing was ever sent in it.
        if let Some(client) = self.client()
            && client.state() != TransactionState::Open
        {
            client
                .begin()
                .map_err(|error| errors::error(OPERATION, &error))?;
        }
        self.producer.queue().clear_marks();
        state.open = true;
        Ok(())
    }

    /// The committer is no member of the group: nothing but the transaction fences it.
    async fn send_offsets(&self, group: &str, offsets: &Offsets, within: Span) -> Result<()> {
        const OPERATION: &str = "send offsets";
        self.check_open(OPERATION)?;
        let Some(client) = self.client() else {
            return Ok(());
        };
        self.producer.queue().touch();
        let add = raw::commit_offsets_in_transaction(&self.kafka, client, group, offsets);
        errors::bounded(OPERATION, within, add).await
    }

    async fn commit(&self, within: Span) -> Result<()> {
        self.check_open("commit")?;
        bounded("commit", within, self.commit_all()).await?;
        lock(&self.state).open = false;
        Ok(())
    }

    async fn abort(&self, within: Span) -> Result<()> {
        self.check_open("abort")?;
        bounded("abort", within, self.abort_all()).await?;
        lock(&self.state).open = false;
        Ok(())
    }
}
