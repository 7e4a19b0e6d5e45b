use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::backing::{OffsetBacking, RawEntry};
use super::file::FileBacking;
use super::record::{Entry, key_bytes, value_bytes};
use super::state::OffsetState;
use super::topic::TopicBacking;
use crate::api::port::OffsetReader;
use crate::api::{SourceOffset, SourcePartition};
use crate::error::{Error, Fault};
use crate::kafka::Cluster;
use crate::time::Span;

/// Source offsets of all connectors of a worker. One task owns them; clones send it requests.
#[derive(Clone, Debug)]
pub struct OffsetStore {
    requests: mpsc::Sender<Request>,
}

#[derive(Debug)]
enum Request {
    Read {
        connector: Arc<str>,
        partitions: Vec<SourcePartition>,
        answer: oneshot::Sender<Vec<Option<SourceOffset>>>,
    },
    Write {
        entries: Vec<Entry>,
        within: Span,
        answer: oneshot::Sender<Result<(), Error>>,
    },
    Close {
        answer: oneshot::Sender<()>,
    },
}

impl OffsetStore {
    /// Keeps offsets in a topic of the cluster: makes it if it is missing, reads it to its end, and starts to serve. The store ends when
    /// its last clone is dropped.
    ///
    /// # Errors
    /// The cluster does not answer `within` the time, or the topic is damaged.
    pub async fn open_topic(cluster: &dyn Cluster, within: Span) -> Result<Self, Error> {
        let (backing, state) = TopicBacking::open(cluster, within).await?;
        Ok(Self::serve(Box::new(backing), state))
    }

    /// Keeps offsets in a file of this machine, in the format of Kafka's standalone worker: reads it, and starts to serve. A missing or
    /// empty file is an empty store.
    ///
    /// # Errors
    /// The file is damaged or something else, its folder cannot be written, or another worker uses it.
    pub async fn open_file(path: &Path) -> Result<Self, Error> {
        let (backing, state) = FileBacking::open(path).await?;
        Ok(Self::serve(Box::new(backing), state))
    }

    fn serve(backing: Box<dyn OffsetBacking>, state: OffsetState) -> Self {
        let (requests, waiting) = mpsc::channel(REQUESTS_MAX);
        tokio::spawn(serve(waiting, state, backing));
        Self { requests }
    }

    /// Ends the store, whoever still holds a clone, and lets go of the cluster. Requests fail from then on.
    pub async fn close(&self) {
        let (answer, closed) = oneshot::channel();
        if self.requests.send(Request::Close { answer }).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// The offsets of one connector.
    pub fn connector(&self, connector: &str) -> ConnectorOffsets {
        ConnectorOffsets {
            store: self.clone(),
            connector: connector.into(),
        }
    }
}

/// The source offsets of one connector.
#[derive(Clone, Debug)]
pub struct ConnectorOffsets {
    store: OffsetStore,
    connector: Arc<str>,
}

impl ConnectorOffsets {
    /// Stores offsets; they are durable when this returns.
    ///
    /// # Errors
    /// They could not be written `within` the time. Whether they were is unknown then; writing them again does no harm.
    pub async fn write(
        &self,
        offsets: impl IntoIterator<Item = (SourcePartition, SourceOffset)>,
        within: Span,
    ) -> Result<(), Error> {
        let entry = |(partition, offset)| Entry {
            connector: self.connector.to_string(),
            partition,
            offset,
        };
        let entries: Vec<Entry> = offsets.into_iter().map(entry).collect();
        let (answer, answered) = oneshot::channel();
        self.store
            .requests
            .send(Request::Write {
                entries,
                within,
                answer,
            })
            .await
            .map_err(|_| closed())?;
        // A disk or a cluster that hangs must not keep the task.
        let Ok(answered) = timeout(within.to_duration(), answered).await else {
            return Err(Error::new(
                Fault::Transient,
                format!("source offsets were not stored within {within}"),
            ));
        };
        answered.map_err(|_| closed())?
    }
}

#[async_trait]
impl OffsetReader for ConnectorOffsets {
    async fn offsets(
        &self,
        partitions: &[SourcePartition],
    ) -> Result<Vec<Option<SourceOffset>>, Error> {
        let (answer, answered) = oneshot::channel();
        let request = Request::Read {
            connector: Arc::clone(&self.connector),
            partitions: partitions.to_vec(),
            answer,
        };
        self.store
            .requests
            .send(request)
            .await
            .map_err(|_| closed())?;
        answered.await.map_err(|_| closed())
    }
}

fn closed() -> Error {
    Error::new(Fault::Transient, "the store of source offsets is closed")
        .next_step("the worker is shutting down")
}

async fn serve(
    mut requests: mpsc::Receiver<Request>,
    mut state: OffsetState,
    mut backing: Box<dyn OffsetBacking>,
) {
    let mut closing = None;
    while let Some(request) = requests.recv().await {
        match request {
            Request::Read {
                connector,
                partitions,
                answer,
            } => {
                let found = partitions
                    .iter()
                    .map(|partition| state.get(&connector, partition).cloned())
                    .collect();
                let _ = answer.send(found);
            }
            Request::Write {
                entries,
                within,
                answer,
            } => {
                let result = write(&mut *backing, &entries, within).await;
                if result.is_ok() {
                    entries.into_iter().for_each(|entry| state.apply(entry));
                }
                // A task that does not wait any more does not care.
                let _ = answer.send(result);
            }
            Request::Close { answer } => {
                closing = Some(answer);
                break;
            }
        }
    }
    backing.close().await;
    if let Some(answer) = closing {
        let _ = answer.send(());
    }
}

async fn write(
    backing: &mut dyn OffsetBacking,
    entries: &[Entry],
    within: Span,
) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let raw: Vec<RawEntry> = entries
        .iter()
        .map(|entry| {
            (
                key_bytes(&entry.connector, &entry.partition),
                value_bytes(&entry.offset),
            )
        })
        .collect();
    backing.write(&raw, within).await
}

/// Requests waiting for the store.
const REQUESTS_MAX: usize = 64;
