//! The producer of a local cluster: a bounded buffer in front of the storage.

use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::account::{Account, Identity, Refusal, Submission, lock, wait_for};
use super::storage::{End, GroupOffsets, Storage};
use crate::kafka::batch::RecordBatch;
use crate::kafka::error::{Class, Error, Result};
use crate::kafka::port::{Producer, TxnProducer};
use crate::kafka::types::{Acknowledgement, Offsets, ProducerConfig};
use crate::time::Span;

/// Runs `call`, at most `within`.
pub(in crate::kafka) async fn bounded<T>(
    operation: &'static str,
    within: Span,
    call: impl Future<Output = Result<T>>,
) -> Result<T> {
    match tokio::time::timeout(within.to_duration(), call).await {
        Ok(answer) => answer,
        Err(_) => Err(Error::timed_out(operation, within)),
    }
}

/// A producer, with transactions if it has an identity.
pub(super) struct LocalProducer {
    storage: Arc<dyn Storage>,
    account: Arc<Account>,
    identity: Option<Arc<Identity>>,
    transaction: Mutex<Option<Open>>,
    /// Held from the reservation to the append, so that batches land in the order of the calls.
    order: Mutex<()>,
}

/// What an open transaction will commit beside its records.
#[derive(Debug, Default)]
struct Open {
    offsets: GroupOffsets,
}

impl fmt::Debug for LocalProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalProducer")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl LocalProducer {
    pub(super) fn new(
        storage: Arc<dyn Storage>,
        config: &ProducerConfig,
        identity: Option<Identity>,
    ) -> Self {
        let account = Account::new(config, storage.buffer_bytes(config));
        let identity = identity.map(Arc::new);
        let (transaction, order) = (Mutex::default(), Mutex::default());
        Self {
            storage,
            account,
            identity,
            transaction,
            order,
        }
    }

    fn try_send(&self, batch: &mut RecordBatch) -> Result<(), Refusal> {
        let _order = lock(&self.order);
        if let Some(identity) = &self.identity {
            if lock(&self.transaction).is_none() {
                let cause = "no transaction is open";
                return Err(Refusal::Failed(Error::new(
                    Class::InvalidRequest,
                    "send",
                    cause,
                )));
            }
            self.storage
                .check(identity, "send")
                .map_err(Refusal::Failed)?;
        }
        self.storage.reachable("send").map_err(Refusal::Failed)?;
        if batch.is_empty() {
            return Ok(());
        }
        match self.account.reserve(batch.memory_bytes()) {
            Ok(()) => {}
            Err(Refusal::Full)
                if self.identity.is_some() && self.storage.buffers_transactions() =>
            {
                let cause = format!(
                    "the open transaction fills the buffer: {}",
                    self.account.describe()
                );
                let error = Error::new(Class::InvalidRequest, "send", cause)
                    .next_step("end transactions more often, or raise buffer.memory");
                return Err(Refusal::Failed(error));
            }
            Err(refusal) => return Err(refusal),
        }
        let id = batch.id();
        let successor = batch.successor(id);
        self.storage.append(Submission {
            account: Arc::clone(&self.account),
            batch: std::mem::replace(batch, successor),
            transaction: self.identity.clone(),
        });
        Ok(())
    }

    fn identity(&self, operation: &'static str) -> Result<&Arc<Identity>> {
        self.identity.as_ref().ok_or_else(|| {
            Error::new(
                Class::InvalidRequest,
                operation,
                "the producer has no transactional id",
            )
        })
    }

    /// The open transaction is over, however it went.
    async fn end(&self, operation: &'static str, end: End, within: Span) -> Result<()> {
        let identity = Arc::clone(self.identity(operation)?);
        self.storage.check(&identity, operation)?;
        self.storage.reachable(operation)?;
        bounded(
            operation,
            within,
            self.storage.end_transaction(identity, end),
        )
        .await?;
        lock(&self.transaction).take();
        Ok(())
    }

    fn must_be_open(&self, operation: &'static str) -> Result<GroupOffsets> {
        let transaction = lock(&self.transaction);
        let open = transaction.as_ref().ok_or_else(|| not_open(operation))?;
        Ok(open.offsets.clone())
    }
}

#[cold]
fn not_open(operation: &'static str) -> Error {
    Error::new(Class::InvalidRequest, operation, "no transaction is open")
}

#[async_trait]
impl Producer for LocalProducer {
    async fn send(&self, batch: &mut RecordBatch, within: Span) -> Result<()> {
        let accepted = wait_for(self.account.changed(), within, || {
            match self.try_send(batch) {
                Ok(()) => Some(Ok(())),
                Err(Refusal::Failed(error)) => Some(Err(error)),
                Err(Refusal::Full) => None,
            }
        });
        accepted.await.unwrap_or_else(|| {
            let cause = format!("no room within {within}: {}", self.account.describe());
            Err(Error::new(Class::TimedOut, "send", cause))
        })
    }

    async fn acknowledged(&self, within: Span) -> Result<Vec<Acknowledgement>> {
        let outcome = wait_for(self.account.changed(), within, || {
            let outcomes = self.account.take_outcomes();
            if !outcomes.is_empty() {
                return Some(Ok(outcomes));
            }
            self.account
                .broken()
                .filter(|_| self.account.is_idle())
                .map(Err)
        });
        outcome.await.unwrap_or_else(|| Ok(Vec::new()))
    }

    async fn flush(&self, within: Span) -> Result<()> {
        if self.identity.is_some() && self.storage.buffers_transactions() {
            // What an open transaction holds has its outcome when the transaction ends.
            return Ok(());
        }
        let idle = || self.account.is_idle().then_some(());
        let done = wait_for(self.account.changed(), within, idle).await;
        done.ok_or_else(|| Error::timed_out("flush", within))
    }

    async fn close(&self, within: Span) -> Result<()> {
        self.account.close();
        if let Some(identity) = &self.identity
            && lock(&self.transaction).take().is_some()
            && self.storage.check(identity, "close").is_ok()
        {
            let abort = self
                .storage
                .end_transaction(Arc::clone(identity), End::Abort);
            bounded("close", within, abort).await?;
        }
        let idle = || self.account.is_idle().then_some(());
        let done = wait_for(self.account.changed(), within, idle).await;
        done.ok_or_else(|| Error::timed_out("close", within))
    }
}

#[async_trait]
impl TxnProducer for LocalProducer {
    fn begin(&self) -> Result<()> {
        self.storage.check(self.identity("begin")?, "begin")?;
        let mut transaction = lock(&self.transaction);
        if transaction.is_some() {
            let cause = "a transaction is open already";
            return Err(Error::new(Class::InvalidRequest, "begin", cause));
        }
        *transaction = Some(Open::default());
        Ok(())
    }

    async fn send_offsets(&self, group: &str, offsets: &Offsets, _within: Span) -> Result<()> {
        self.storage
            .check(self.identity("send offsets")?, "send offsets")?;
        self.storage.reachable("send offsets")?;
        let mut transaction = lock(&self.transaction);
        let open = transaction
            .as_mut()
            .ok_or_else(|| not_open("send offsets"))?;
        open.offsets.push((group.to_owned(), offsets.clone()));
        Ok(())
    }

    async fn commit(&self, within: Span) -> Result<()> {
        let offsets = self.must_be_open("commit")?;
        self.end("commit", End::Commit(offsets), within).await
    }

    async fn abort(&self, within: Span) -> Result<()> {
        self.must_be_open("abort")?;
        self.end("abort", End::Abort, within).await
    }
}

impl Drop for LocalProducer {
    fn drop(&mut self) {
        self.account.close();
        if let Some(identity) = &self.identity {
            self.storage.abandon(identity);
        }
    }
}
