//! The five ports: what the runtime asks of Kafka.
//!
//! Rules that hold for every adapter, and that the table of port tests checks:
//!
//! - Every call that may wait takes `within`, a length of time counted from the call.
//! - Dropping the future of a call that waits loses nothing: a batch not yet accepted stays with the
//!   caller, a record not yet returned comes with the next poll.
//! - An acknowledged record is durable. Every row of an accepted batch is acknowledged or reported
//!   as failed exactly once.
//! - Records of one producer and one partition land in the order of the `send` calls.
//! - Errors are classified by the adapter ([`Class`](super::Class)).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::batch::RecordBatch;
use super::error::Result;
use super::types::{
    Acknowledgement, AdminConfig, ClusterDescription, ConsumerConfig, Isolation, NewTopic,
    OffsetSpec, Offsets, PartitionBatch, ProducerConfig, Subscription, TopicDescription,
};
use crate::ids::TopicPartition;
use crate::time::Span;

/// A Kafka cluster, or what stands for one. Each client it makes has connections of its own.
#[async_trait]
pub trait Cluster: Send + Sync + fmt::Debug {
    /// A producer without transactions.
    ///
    /// # Errors
    /// `Retriable` or `TimedOut` if the cluster does not answer, `Auth`, `InvalidRequest`.
    async fn producer(&self, config: ProducerConfig, within: Span) -> Result<Arc<dyn Producer>>;

    /// A producer with transactional id `id`. Fences every older producer with that id and aborts
    /// its open transaction before this returns.
    ///
    /// # Errors
    /// As [`Cluster::producer`].
    async fn txn_producer(
        &self,
        config: ProducerConfig,
        id: &str,
        within: Span,
    ) -> Result<Arc<dyn TxnProducer>>;

    /// A consumer that reads nothing yet.
    ///
    /// # Errors
    /// As [`Cluster::producer`].
    async fn consumer(&self, config: ConsumerConfig, within: Span) -> Result<Arc<dyn Consumer>>;

    /// The administrative calls.
    ///
    /// # Errors
    /// As [`Cluster::producer`].
    async fn admin(&self, config: AdminConfig, within: Span) -> Result<Arc<dyn Admin>>;
}

/// Writes records, a batch at a time.
#[async_trait]
pub trait Producer: Send + Sync + fmt::Debug {
    /// Hands over `batch`, waiting while the buffer is full or thousands of acknowledgements are
    /// unread. On success the batch is left empty (with memory to reuse or none); on an error, or
    /// when the future is dropped, it is untouched. Success means accepted; what becomes of the rows
    /// is told by [`Producer::acknowledged`].
    ///
    /// # Errors
    /// `TimedOut` while the buffer stays full, `Fenced`, `Fatal` after [`Producer::close`]. Trouble
    /// with single rows (too large, no such partition) is not an error here but their outcome.
    async fn send(&self, batch: &mut RecordBatch, within: Span) -> Result<()>;

    /// Outcomes since the last call, in sending order per partition; waits for at least one, and
    /// gives an empty list when `within` is over. [`Span::ZERO`] asks without waiting.
    ///
    /// One caller at a time.
    ///
    /// # Errors
    /// `Fatal` if the producer broke and there is nothing left to tell.
    async fn acknowledged(&self, within: Span) -> Result<Vec<Acknowledgement>>;

    /// Waits until everything accepted before has an outcome (not until it is read).
    ///
    /// # Errors
    /// `TimedOut`; sending goes on.
    async fn flush(&self, within: Span) -> Result<()>;

    /// Waits for what was accepted, at most `within`, then ends the producer; rows without an outcome
    /// by then get a failed one. Outcomes can still be read. [`Span::ZERO`] ends it at once.
    ///
    /// # Errors
    /// `TimedOut` if rows were given up.
    async fn close(&self, within: Span) -> Result<()>;
}

/// A producer whose rows become visible together.
///
/// By the time [`TxnProducer::commit`] or [`TxnProducer::abort`] returns, every row of the
/// transaction has an outcome; a row acknowledged before that is durable only if the commit
/// succeeds. After any error that is `Abortable`, call `abort`; if that fails with `Fenced`, another
/// instance took over.
#[async_trait]
pub trait TxnProducer: Producer {
    /// Starts a transaction; batches are sent only inside one.
    ///
    /// # Errors
    /// `InvalidRequest` if one is open, `Fenced`.
    fn begin(&self) -> Result<()>;

    /// Makes offsets of consumer group `group` part of the transaction.
    ///
    /// # Errors
    /// `InvalidRequest` outside a transaction, `Fenced`, `Abortable`.
    async fn send_offsets(&self, group: &str, offsets: &Offsets, within: Span) -> Result<()>;

    /// Makes everything since `begin` visible and durable, or nothing.
    ///
    /// # Errors
    /// `Abortable` if a row failed (call `abort`), `Fenced`, `TimedOut` (the outcome is unknown).
    async fn commit(&self, within: Span) -> Result<()>;

    /// Drops everything since `begin`.
    ///
    /// # Errors
    /// `Fenced`, `TimedOut`, `InvalidRequest` if no transaction is open.
    async fn abort(&self, within: Span) -> Result<()>;
}

/// Reads records. All methods take `&self` so that a rebalance listener, called inside
/// [`Consumer::poll`], can use the consumer; only one `poll` runs at a time.
#[async_trait]
pub trait Consumer: Send + Sync + fmt::Debug {
    /// Joins the group with `subscription`; replaces an earlier one.
    ///
    /// # Errors
    /// `InvalidRequest` without a group or after `assign`.
    async fn subscribe(&self, subscription: Subscription, within: Span) -> Result<()>;

    /// Reads exactly `partitions`, without group membership; replaces an earlier assignment.
    ///
    /// # Errors
    /// `InvalidRequest` after `subscribe`, `NotFound` for unknown partitions.
    async fn assign(&self, partitions: &[TopicPartition], within: Span) -> Result<()>;

    /// The partitions this consumer has now.
    fn assignment(&self) -> Vec<TopicPartition>;

    /// Up to `records_max` records, grouped by partition; waits for the first at most `within` and
    /// then gives an empty list. Keeps the group membership alive and calls `listener` when the
    /// assignment changes. Positions move past what is returned.
    ///
    /// # Errors
    /// `Wakeup`, `Retriable`, `Auth`; `NotFound` for a position that is not there under
    /// [`OffsetReset::Fail`](super::OffsetReset::Fail); `Fatal` for a damaged log.
    async fn poll(
        &self,
        records_max: usize,
        within: Span,
        listener: &mut dyn RebalanceListener,
    ) -> Result<Vec<PartitionBatch>>;

    /// Makes the running `poll`, or else the next one, end with class `Wakeup`.
    fn wakeup(&self);

    /// The next poll reads `partition` from `offset`.
    ///
    /// # Errors
    /// `InvalidRequest` if the partition is not assigned or the offset negative.
    fn seek(&self, partition: &TopicPartition, offset: i64) -> Result<()>;

    /// Polls leave out `partitions` until they are resumed.
    ///
    /// # Errors
    /// `InvalidRequest` if one is not assigned.
    fn pause(&self, partitions: &[TopicPartition]) -> Result<()>;

    /// Undoes [`Consumer::pause`].
    ///
    /// # Errors
    /// As [`Consumer::pause`].
    fn resume(&self, partitions: &[TopicPartition]) -> Result<()>;

    /// Offset of the next record `poll` would return for `partition`.
    ///
    /// # Errors
    /// `InvalidRequest` if it is not assigned, `TimedOut`.
    async fn position(&self, partition: &TopicPartition, within: Span) -> Result<i64>;

    /// Committed offsets of the group for `partitions`; those without one are left out.
    ///
    /// # Errors
    /// `InvalidRequest` without a group, `TimedOut`.
    async fn committed(&self, partitions: &[TopicPartition], within: Span) -> Result<Offsets>;

    /// Commits `offsets` for the group. A commit that failed changed nothing, or what it was asked to:
    /// committed offsets never go back.
    ///
    /// # Errors
    /// `InvalidRequest` without a group, `Fenced` if this member was thrown out or the group moved
    /// on, `GroupInUse` if this is no member of a group that has some, `Retriable` during a rebalance,
    /// `TimedOut`.
    async fn commit(&self, offsets: &Offsets, within: Span) -> Result<()>;

    /// Leaves the group. Does not commit and does not call a listener.
    ///
    /// # Errors
    /// `TimedOut`.
    async fn close(&self, within: Span) -> Result<()>;
}

/// Told about changes of the assignment, inside [`Consumer::poll`]. Trouble of its own it keeps and
/// raises after the poll.
///
/// With eager dealing everything is revoked before each rebalance and assigned behind it; with
/// cooperative dealing (KIP-429) and dealing by the broker (KIP-848) only what moves is. Whoever drops
/// a poll in the middle of a call is called again with it.
#[async_trait]
pub trait RebalanceListener: Send {
    /// `partitions` were added (maybe none).
    async fn assigned(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]);
    /// `partitions` are about to be taken; committing them still works.
    async fn revoked(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]);
    /// `partitions` are gone already and may have another owner; committing fails.
    async fn lost(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]);
}

/// A listener for consumers that do not care.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreRebalance;

#[async_trait]
impl RebalanceListener for IgnoreRebalance {
    async fn assigned(&mut self, _: &dyn Consumer, _: &[TopicPartition]) {}
    async fn revoked(&mut self, _: &dyn Consumer, _: &[TopicPartition]) {}
    async fn lost(&mut self, _: &dyn Consumer, _: &[TopicPartition]) {}
}

/// Administrative calls.
#[async_trait]
pub trait Admin: Send + Sync + fmt::Debug {
    /// Creates `topic`.
    ///
    /// # Errors
    /// `AlreadyExists`, `InvalidRequest` (name, partitions, a setting), `Auth`.
    async fn create_topic(&self, topic: &NewTopic, within: Span) -> Result<()>;

    /// Describes those of `topics` that exist; with an empty list, all.
    ///
    /// # Errors
    /// `Auth`, `Retriable`, `TimedOut`.
    async fn describe_topics(&self, topics: &[&str], within: Span)
    -> Result<Vec<TopicDescription>>;

    /// Settings of `topic` by name, defaults included as far as the adapter knows them.
    ///
    /// # Errors
    /// `NotFound`.
    async fn describe_configs(&self, topic: &str, within: Span)
    -> Result<BTreeMap<String, String>>;

    /// Offsets of `partitions` as `spec` asks, as a reader of `isolation` sees them.
    ///
    /// # Errors
    /// `NotFound` for an unknown partition.
    async fn list_offsets(
        &self,
        partitions: &[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
        within: Span,
    ) -> Result<BTreeMap<TopicPartition, i64>>;

    /// Everything committed by `group`; empty if there is no such group.
    ///
    /// # Errors
    /// `Auth`, `TimedOut`.
    async fn group_offsets(&self, group: &str, within: Span) -> Result<Offsets>;

    /// Sets committed offsets of `group`, which must have no live members.
    ///
    /// # Errors
    /// `GroupInUse`.
    async fn alter_group_offsets(&self, group: &str, offsets: &Offsets, within: Span)
    -> Result<()>;

    /// Forgets committed offsets of `group` for `partitions`, which no live member may read.
    ///
    /// # Errors
    /// `GroupInUse`, `NotFound` if there is no such group.
    async fn delete_group_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
        within: Span,
    ) -> Result<()>;

    /// Forgets `group` and its offsets.
    ///
    /// # Errors
    /// `GroupInUse`, `NotFound`.
    async fn delete_group(&self, group: &str, within: Span) -> Result<()>;

    /// Drops records before the given offsets; the space may be freed later.
    ///
    /// # Errors
    /// `NotFound`, `InvalidRequest` beyond the end.
    async fn delete_records(
        &self,
        before: &BTreeMap<TopicPartition, i64>,
        within: Span,
    ) -> Result<()>;

    /// Fences every producer that uses one of these transactional ids.
    ///
    /// # Errors
    /// `Auth`, `TimedOut`.
    async fn fence(&self, transactional_ids: &[&str], within: Span) -> Result<()>;

    /// Names the cluster and its brokers.
    ///
    /// # Errors
    /// `TimedOut`.
    async fn describe_cluster(&self, within: Span) -> Result<ClusterDescription>;
}
