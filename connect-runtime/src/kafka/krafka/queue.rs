//! The way of a batch through the client library: one task hands its rows over in order, another
//! waits for their outcomes in the same order. Two tasks per producer, none per record.
//!
//! Outcomes are told in the order of sending. A partition whose leader is away therefore delays the
//! news about records that were sent after, not the records themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use krafka::error::KrafkaError;
use krafka::producer::{DeliveryHandle, Producer, TransactionalProducer};
use krafka::{CloseOptions, Record};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::unconstrained;

use super::errors;
use crate::ids::TopicPartition;
use crate::kafka::batch::RecordBatch;
use crate::kafka::batch::shared::{SharedBatch, SharedRow};
use crate::kafka::error::{Class, Error};
use crate::kafka::local::{Account, Outcomes};
use crate::time::Span;

/// Records inside the client library at once. Each costs it some 500 bytes beside its payload; what
/// waits before it is a row of a batch.
const RECORDS_INSIDE_MAX: u32 = 32_768;
/// Records handed over between two looks at what else is to be done.
const CHUNK_ROWS: usize = 512;

/// The client, with or without transactions.
pub(super) enum Client {
    Plain(Producer),
    Transactional(Box<TransactionalProducer>),
}

impl Client {
    async fn enqueue(&self, record: Record) -> Result<DeliveryHandle, KrafkaError> {
        match self {
            Self::Plain(producer) => producer.enqueue(record).await,
            Self::Transactional(producer) => producer.enqueue(record).await,
        }
    }

    /// Sends what is buffered without waiting for `linger.ms`.
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

enum Command {
    Batch(RecordBatch),
    Nudge,
    /// Answered when everything before it was handed over.
    Reached(oneshot::Sender<()>),
}

/// The front of the queue.
pub(super) struct Queue {
    pub(super) account: Arc<Account>,
    pub(super) client: Arc<Client>,
    commands: mpsc::UnboundedSender<Command>,
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
    pub(super) fn start(account: Arc<Account>, client: Client) -> Self {
        let client = Arc::new(client);
        let (commands, receiver) = mpsc::unbounded_channel();
        let (sent, outcomes) = mpsc::unbounded_channel();
        let (flow, flow_seen) = watch::channel(Flow::Run);
        let room = Arc::new(Semaphore::new(RECORDS_INSIDE_MAX as usize));
        let marks = Arc::new(Marks::default());
        let feeder = Feeder {
            client: Arc::clone(&client),
            room: Arc::clone(&room),
            flow: flow_seen,
            sent,
            marks: Arc::clone(&marks),
            record_bytes_max: account.record_bytes_max,
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
            commands,
            flow,
            marks,
        }
    }

    /// Takes over a batch that the account has room for.
    pub(super) fn push(&self, batch: RecordBatch) {
        self.order(Command::Batch(batch));
    }

    /// Sends what is waiting for company.
    pub(super) fn nudge(&self) {
        self.order(Command::Nudge);
    }

    /// Waits until everything pushed before was handed over (or failed).
    pub(super) async fn handed_over(&self) {
        let (done, reached) = oneshot::channel();
        self.order(Command::Reached(done));
        // An error means that the task is gone, and with it everything that was to be handed over.
        let _ = reached.await;
    }

    fn order(&self, command: Command) {
        // Fails only while the runtime shuts down.
        let _ = self.commands.send(command);
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
    sent: mpsc::UnboundedSender<Chunk>,
    marks: Arc<Marks>,
    record_bytes_max: usize,
}

impl Feeder {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        while let Some(command) = commands.recv().await {
            match command {
                Command::Batch(batch) => self.feed(batch).await,
                Command::Nudge => self.client.nudge().await,
                Command::Reached(done) => {
                    let _ = done.send(());
                }
            }
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
            let count = CHUNK_ROWS.min(total - first);
            let room = self.take_room(count).await;
            let mut sent = Vec::with_capacity(count);
            for row in rows.by_ref().take(count) {
                sent.push(self.hand_over(row).await);
            }
            let chunk = Chunk {
                batch: Arc::clone(&state),
                first_row: u32::try_from(first).unwrap_or(u32::MAX),
                rows: sent,
                room,
                last: first + count == total,
            };
            let _ = self.sent.send(chunk);
            first += count;
            tokio::task::yield_now().await;
        }
    }

    /// Waits until `count` more records may be inside the client, and gives what was taken: nothing
    /// when they will not be handed over.
    async fn take_room(&mut self, count: usize) -> usize {
        let permits = u32::try_from(count).unwrap_or(RECORDS_INSIDE_MAX);
        tokio::select! {
            biased;
            // The semaphore is never closed.
            Ok(permit) = self.room.acquire_many(permits) => {
                permit.forget();
                count
            }
            _ = self.flow.wait_for(|flow| *flow != Flow::Run) => 0,
            else => 0,
        }
    }

    async fn hand_over(&mut self, mut row: SharedRow<'_>) -> Sent {
        if *self.flow.borrow() != Flow::Run {
            return Sent::Refused(self.discarded());
        }
        let bytes = row.payload_bytes();
        if bytes > self.record_bytes_max {
            return Sent::Refused(too_large(&row, bytes, self.record_bytes_max));
        }
        let mut record = Record::tombstone(&**row.topic, Bytes::new());
        record.partition = row.partition;
        record.key = row.key.take();
        record.value = row.value.take();
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
            },
        };
        match outcome {
            Ok(handle) => {
                self.marks.touched.store(true, Ordering::Release);
                Sent::On(Arc::clone(row.topic), handle)
            }
            Err(error) => Sent::Refused(refused(&row, &error)),
        }
    }

    fn discarded(&self) -> Error {
        discarded(*self.flow.borrow())
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
    async fn run(self, mut chunks: mpsc::UnboundedReceiver<Chunk>) {
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
