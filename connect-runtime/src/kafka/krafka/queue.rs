//! The way of a batch through the client library: one task hands its rows over in order, another
//! waits for their outcomes in the same order. Two tasks per producer, none per record.
//!
//! Outcomes are told in the order of sending. A partition whose leader is away therefore delays the
//! news about records that were sent after, not the records themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use krafka::error::KrafkaError;
use krafka::producer::{DeliveryHandle, Producer, TransactionalProducer};
use krafka::{CloseOptions, Kafka, Record};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::{errors, raw};
use crate::ids::TopicPartition;
use crate::kafka::batch::RecordBatch;
use crate::kafka::batch::shared::{SharedBatch, SharedRow};
use crate::kafka::error::{Class, Error};
use crate::kafka::local::{Account, BATCHES_OUTSTANDING_MAX, Outcomes};
use crate::time::Span;

/// Records inside the client library at once. Each costs it some 500 bytes beside its payload; what
/// waits before it is a row of a batch.
const RECORDS_INSIDE_MAX: u32 = 32_768;
/// Records handed over between two looks at what else is to be done.
const CHUNK_ROWS: usize = 512;
/// How long records wait for a topic of which the cluster says that it does not exist: Kafka's own
/// `max.block.ms`. Connect's is unlimited, which is meant for clusters that do not answer.
const TOPIC_PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at what the cluster says of a topic.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// Chunks on their way at most: each takes room inside the client, but for one per batch.
const CHUNKS_MAX: usize = RECORDS_INSIDE_MAX as usize + BATCHES_OUTSTANDING_MAX;

/// The client, with or without transactions.
pub(super) enum Client {
    Plain(Box<Producer>),
    Transactional(Box<TransactionalProducer>),
}

impl Client {
    async fn enqueue(&self, record: Record) -> Result<DeliveryHandle, KrafkaError> {
        match self {
            Self::Plain(producer) => producer.enqueue(record).await,
            Self::Transactional(producer) => producer.enqueue(record).await,
        }
    }

    /// Sends what is inside without waiting for `linger.ms`.
    async fn nudge(&self) {
        let flush = async {
            match self {
                Self::Plain(producer) => producer.flush().await,
                Self::Transactional(producer) => producer.flush().await,
            }
        };
        // The first poll gives the order; the wait for outcomes is the account's.
        let mut flush = std::pin::pin!(flush);
        std::future::poll_fn(|context| {
            let _ = flush.as_mut().poll(context);
            std::task::Poll::Ready(())
        })
        .await;
    }

    /// Ends the client within `within`; what has no outcome by then fails.
    pub(super) async fn end(&self, within: Span) {
        let options = CloseOptions::new().timeout(within.to_duration());
        let ended = match self {
            Self::Plain(producer) => producer.close_with(options).await,
            Self::Transactional(producer) => producer.close_with(options).await,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a Kafka producer was ended before its work was done");
        }
    }
}

/// What happens to rows that were accepted and not handed over yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// They are handed over.
    Run,
    /// They fail: the transaction is being aborted.
    Discard,
    /// They fail: the producer is given up.
    End,
}

/// The front of the queue.
pub(super) struct Queue {
    pub(super) account: Arc<Account>,
    pub(super) client: Arc<Client>,
    batches: mpsc::Sender<RecordBatch>,
    /// Rows pushed so far.
    pushed: AtomicU64,
    /// Rows handed over (or failed before) so far.
    handed: watch::Receiver<u64>,
    flow: watch::Sender<Flow>,
    marks: Arc<Marks>,
}

/// What a transaction must know about its rows when it ends.
#[derive(Debug, Default)]
struct Marks {
    /// A row was not written.
    failed: AtomicBool,
    /// A row was handed over, so the coordinator may know of the transaction.
    touched: AtomicBool,
}

/// Some rows on their way, in row order.
struct Chunk {
    batch: Arc<BatchState>,
    first_row: u32,
    rows: Vec<Sent>,
    /// Room inside the client that they take.
    room: usize,
    last: bool,
}

/// What all chunks of a batch share.
struct BatchState {
    id: crate::kafka::batch::BatchId,
    /// What the account holds for it.
    bytes: usize,
}

enum Sent {
    On(Arc<str>, DeliveryHandle),
    Refused(Error),
}

impl Queue {
    /// Starts the two tasks of a producer.
    pub(super) fn start(kafka: Kafka, account: Arc<Account>, client: Client) -> Self {
        let client = Arc::new(client);
        let (batches, receiver) = mpsc::channel(BATCHES_OUTSTANDING_MAX);
        let (sent, outcomes) = mpsc::channel(CHUNKS_MAX);
        let (handed, handed_seen) = watch::channel(0);
        let (flow, flow_seen) = watch::channel(Flow::Run);
        let room = Arc::new(Semaphore::new(RECORDS_INSIDE_MAX as usize));
        let marks = Arc::new(Marks::default());
        let feeder = Feeder {
            client: Arc::clone(&client),
            room: Arc::clone(&room),
            flow: flow_seen,
            sent,
            handed,
            marks: Arc::clone(&marks),
            record_bytes_max: account.record_bytes_max,
            kafka,
            missing: None,
            looked: None,
        };
        tokio::spawn(unconstrained(feeder.run(receiver)));
        let reader = Reader {
            account: Arc::clone(&account),
            room,
            flow: flow.subscribe(),
            marks: Arc::clone(&marks),
        };
        tokio::spawn(unconstrained(reader.run(outcomes)));
        Self {
            account,
            client,
            batches,
            pushed: AtomicU64::new(0),
            handed: handed_seen,
            flow,
            marks,
        }
    }

    /// Takes over a batch that the account has room for; one caller at a time.
    pub(super) fn push(&self, batch: RecordBatch) {
        let rows = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        // The account lets in no more batches than there are places here, and the task that takes
        // them ends only after this or with the runtime.
        if self.batches.try_send(batch).is_ok() {
            self.pushed.fetch_add(rows, Ordering::AcqRel);
        }
    }

    /// Waits until everything pushed before was handed over (or failed), and makes the client send
    /// it at once.
    pub(super) async fn drain(&self) {
        let target = self.pushed.load(Ordering::Acquire);
        let mut handed = self.handed.clone();
        loop {
            let done = *handed.borrow_and_update() >= target;
            // What is inside may have to leave before more gets in.
            self.client.nudge().await;
            // An error means that the task is gone, and with it everything that was to come.
            if done || handed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Decides about rows that were not handed over yet.
    pub(super) fn set_flow(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }

    /// A transaction begins: nothing has happened in it.
    pub(super) fn clear_marks(&self) {
        self.marks.failed.store(false, Ordering::Release);
        self.marks.touched.store(false, Ordering::Release);
    }

    /// Whether a row was not written since [`Queue::clear_marks`].
    pub(super) fn has_failed(&self) -> bool {
        self.marks.failed.load(Ordering::Acquire)
    }

    /// Whether the coordinator may know of a transaction since [`Queue::clear_marks`].
    pub(super) fn is_touched(&self) -> bool {
        self.marks.touched.load(Ordering::Acquire)
    }

    /// The coordinator may know of the transaction.
    pub(super) fn touch(&self) {
        self.marks.touched.store(true, Ordering::Release);
    }
}

/// Hands rows over to the client, one by one and in order.
struct Feeder {
    client: Arc<Client>,
    room: Arc<Semaphore>,
    flow: watch::Receiver<Flow>,
    sent: mpsc::Sender<Chunk>,
    handed: watch::Sender<u64>,
    marks: Arc<Marks>,
    record_bytes_max: usize,
    kafka: Kafka,
    /// The last topic that turned out not to exist, and when.
    missing: Option<(Arc<str>, Instant)>,
    /// When the number of partitions of some topic was looked up out of turn.
    looked: Option<Instant>,
}

/// Waits until the cluster has said for [`TOPIC_PATIENCE`] that `topic` does not exist.
async fn stays_missing(kafka: &Kafka, topic: &str) {
    let start = Instant::now();
    let mut warned = false;
    loop {
        tokio::time::sleep(LOOK_PAUSE).await;
        if !raw::is_missing(kafka, topic) {
            continue;
        }
        if start.elapsed() >= TOPIC_PATIENCE {
            return;
        }
        if !warned {
            warned = true;
            tracing::warn!(
                topic,
                "records wait for a topic that does not exist; create it, or let the connector \
                 create it (topic.creation.default.partitions and .replication.factor)"
            );
        }
    }
}

impl Feeder {
    async fn run(mut self, mut batches: mpsc::Receiver<RecordBatch>) {
        while let Some(batch) = batches.recv().await {
            self.feed(batch).await;
        }
        // The producer was dropped: nobody waits for outcomes any more.
        self.client.end(Span::ZERO).await;
    }

    async fn feed(&mut self, batch: RecordBatch) {
        let state = Arc::new(BatchState {
            id: batch.id(),
            bytes: batch.memory_bytes(),
        });
        let total = batch.len();
        let batch: SharedBatch = batch.share();
        let mut rows = batch.rows();
        let mut first = 0;
        while first < total {
            let (count, room) = self.take_room(total - first).await;
            let mut sent = Vec::with_capacity(count);
            for row in rows.by_ref().take(count) {
                let sent_row = if room == 0 {
                    Sent::Refused(discarded(*self.flow.borrow()))
                } else {
                    self.hand_over(row).await
                };
                sent.push(sent_row);
            }
            let chunk = Chunk {
                batch: Arc::clone(&state),
                first_row: u32::try_from(first).unwrap_or(u32::MAX),
                rows: sent,
                room,
                last: first + count == total,
            };
            let _ = self.sent.send(chunk).await;
            first += count;
            let rows = u64::try_from(count).unwrap_or(u64::MAX);
            self.handed.send_modify(|handed| *handed += rows);
            tokio::task::yield_now().await;
        }
    }

    /// How many of the next `rows` rows to take, and the room inside the client that was taken for
    /// them; all of them and none when they are not to be handed over.
    async fn take_room(&mut self, rows: usize) -> (usize, usize) {
        let count = CHUNK_ROWS.min(rows);
        let permits = u32::try_from(count).unwrap_or(RECORDS_INSIDE_MAX);
        tokio::select! {
            biased;
            _ = self.flow.wait_for(|flow| *flow != Flow::Run) => (rows, 0),
            // The semaphore is never closed.
            Ok(permit) = self.room.acquire_many(permits) => {
                permit.forget();
                (count, count)
            }
        }
    }

    async fn hand_over(&mut self, row: SharedRow<'_>) -> Sent {
        let bytes = row.payload_bytes();
        if bytes > self.record_bytes_max {
            return Sent::Refused(too_large(&row, bytes, self.record_bytes_max));
        }
        if self.is_missing(row.topic) {
            return Sent::Refused(missing(&row));
        }
        match self.enqueue(&row).await {
            // The topic may have grown since the client looked.
            Sent::Refused(error)
                if error.class() == Class::InvalidRecord
                    && row.partition.is_some()
                    && self.look_again(row.topic).await =>
            {
                self.enqueue(&row).await
            }
            sent @ (Sent::On(..) | Sent::Refused(_)) => sent,
        }
    }

    async fn enqueue(&mut self, row: &SharedRow<'_>) -> Sent {
        let mut record = Record::tombstone(&**row.topic, Bytes::new());
        record.partition = row.partition;
        record.key.clone_from(&row.key);
        record.value.clone_from(&row.value);
        record.timestamp = row.timestamp;
        record.headers = row.headers().collect();
        let flow = &mut self.flow;
        let enqueue = self.client.enqueue(record);
        let mut enqueue = std::pin::pin!(enqueue);
        // Nearly always done at once; it waits only for the metadata of a topic.
        let first =
            std::future::poll_fn(|context| std::task::Poll::Ready(enqueue.as_mut().poll(context)));
        let outcome = match first.await {
            std::task::Poll::Ready(outcome) => outcome,
            std::task::Poll::Pending => tokio::select! {
                biased;
                outcome = &mut enqueue => outcome,
                seen = flow.wait_for(|flow| *flow != Flow::Run) => {
                    return Sent::Refused(discarded(seen.map_or(Flow::End, |flow| *flow)));
                }
                () = stays_missing(&self.kafka, row.topic) => {
                    self.missing = Some((Arc::clone(row.topic), Instant::now()));
                    return Sent::Refused(missing(row));
                }
            },
        };
        match outcome {
            Ok(handle) => {
                self.marks.touched.store(true, Ordering::Release);
                Sent::On(Arc::clone(row.topic), handle)
            }
            Err(error) => Sent::Refused(refused(row, &error)),
        }
    }

    /// Whether a row was refused lately because its topic does not exist.
    fn is_missing(&mut self, topic: &Arc<str>) -> bool {
        let Some((known, since)) = &self.missing else {
            return false;
        };
        if since.elapsed() >= TOPIC_PATIENCE {
            self.missing = None;
            return false;
        }
        known == topic
    }

    /// Has the client look how many partitions `topic` has, unless it did so just now.
    async fn look_again(&mut self, topic: &str) -> bool {
        let due = self.looked.is_none_or(|at| at.elapsed() >= LOOK_PAUSE);
        if !due {
            return false;
        }
        self.looked = Some(Instant::now());
        let looked = tokio::time::timeout(LOOK_PAUSE, raw::refresh(&self.kafka, topic));
        looked.await.is_ok_and(|outcome| outcome.is_ok())
    }
}

/// Waits for outcomes and books them.
struct Reader {
    account: Arc<Account>,
    room: Arc<Semaphore>,
    flow: watch::Receiver<Flow>,
    marks: Arc<Marks>,
}

impl Reader {
    async fn run(self, mut chunks: mpsc::Receiver<Chunk>) {
        let mut open: Option<Outcomes> = None;
        while let Some(chunk) = chunks.recv().await {
            let outcomes = open.get_or_insert_with(|| Outcomes::new(chunk.batch.id));
            for (row, sent) in (chunk.first_row..).zip(chunk.rows) {
                self.book(outcomes, row, sent).await;
            }
            self.room.add_permits(chunk.room);
            if chunk.last
                && let Some(done) = open.take()
            {
                self.account.complete(chunk.batch.bytes, done.finish());
            }
        }
    }

    async fn book(&self, outcomes: &mut Outcomes, row: u32, sent: Sent) {
        let (topic, handle) = match sent {
            Sent::Refused(error) => {
                self.marks.failed.store(true, Ordering::Release);
                return outcomes.failed(row, error);
            }
            Sent::On(topic, handle) => (topic, handle),
        };
        let partition = handle.partition();
        match handle.await {
            Ok(written) => {
                let place = TopicPartition { topic, partition };
                outcomes.placed(row, &place, written.offset);
            }
            Err(error) => {
                self.marks.failed.store(true, Ordering::Release);
                let flow = *self.flow.borrow();
                let place = TopicPartition { topic, partition };
                outcomes.failed(row, undelivered(flow, &place, &error));
            }
        }
    }
}

/// The outcome of a row that is not handed over any more.
#[cold]
fn discarded(flow: Flow) -> Error {
    match flow {
        Flow::Run | Flow::Discard => Error::new(
            Class::Abortable,
            "send",
            "the transaction was aborted before this record was sent",
        ),
        Flow::End => given_up(),
    }
}

#[cold]
fn given_up() -> Error {
    let cause = "the producer was closed before this record was acknowledged";
    Error::new(Class::TimedOut, "send", cause)
}

/// The outcome of a row that was handed over and not written.
#[cold]
fn undelivered(flow: Flow, place: &TopicPartition, error: &KrafkaError) -> Error {
    if flow == Flow::End && matches!(error, KrafkaError::Closed { .. }) {
        return given_up().at(place);
    }
    errors::error("send", error).at(place)
}

/// The outcome of a row that the client did not take.
#[cold]
fn refused(row: &SharedRow<'_>, error: &KrafkaError) -> Error {
    let told = errors::error("send", error).at(&place(row));
    let class = match (error, told.class()) {
        // What the client calls a configuration error is about this record: it names a partition
        // that is not there, or it is larger than anything may be.
        (KrafkaError::Config { .. }, _) => Class::InvalidRecord,
        // An illegal topic name.
        (KrafkaError::Protocol { .. }, Class::Fatal) => Class::InvalidRecord,
        _ => return told,
    };
    Error::new(class, "send", error.to_string()).at(&place(row))
}

#[cold]
fn missing(row: &SharedRow<'_>) -> Error {
    let cause = format!("topic {} does not exist", row.topic);
    Error::new(Class::NotFound, "send", cause)
        .at(&place(row))
        .next_step("create the topic, or correct its name")
}

#[cold]
fn too_large(row: &SharedRow<'_>, bytes: usize, limit: usize) -> Error {
    let cause = format!("a record of {bytes} bytes; max.request.size is {limit}");
    Error::new(Class::InvalidRecord, "send", cause)
        .at(&place(row))
        .next_step("make the record smaller, or raise max.request.size of the producer")
}

#[cold]
fn place(row: &SharedRow<'_>) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(row.topic),
        partition: row.partition.unwrap_or(-1),
    }
}

/// How long a client may take to fail what it holds when it is given up.
pub(super) const GIVE_UP: Duration = Duration::from_secs(1);
