//! Opens the cluster that the worker's properties name, and the store of source offsets beside it.

use std::path::Path;
use std::sync::Arc;

use tracing::{info, warn};

use crate::backoff::Backoff;
use crate::config::providers::Secrets;
use crate::config::{ClusterLocation, WorkerConfig};
use crate::error::Error;
use crate::kafka::client::ClientKind;
use crate::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use crate::kafka::krafka::KrafkaCluster;
use crate::kafka::{AdminConfig, Cluster, ClusterDescription};
use crate::store::offsets::OffsetStore;
use crate::time::{Clock, Mono, Span};

/// Opens both. A Kafka cluster that is away is waited for; the caller ends the wait by dropping the future.
pub(super) async fn open(
    worker: &WorkerConfig,
    secrets: &Secrets,
    clock: Arc<dyn Clock>,
) -> Result<(Arc<dyn Cluster>, OffsetStore), Error> {
    match &worker.cluster {
        ClusterLocation::Embedded(folder) => {
            let cluster = embedded(folder, clock).await?;
            let offsets = OffsetStore::open_topic(&*cluster, OPEN_WAIT).await?;
            Ok((cluster, offsets))
        }
        ClusterLocation::Kafka(bootstrap) => {
            // What is wrong on this machine is told before anybody waits for another one.
            let file = worker.offsets_file.as_deref().unwrap_or(Path::new(""));
            let offsets = OffsetStore::open_file(file).await?;
            let cluster: Arc<dyn Cluster> = Arc::new(KrafkaCluster::new(bootstrap.clone()));
            let layers = worker.clients.layers(ClientKind::Admin, None);
            let admin = layers.default_when_unset("client.id", CLIENT_ID).admin()?;
            let found = wait_for(&*cluster, &admin.config, &*clock, |error| {
                warn!(
                    "the Kafka cluster at {bootstrap} cannot be reached: {}. The worker starts when it comes; Ctrl-C ends the wait",
                    secrets.hide(error)
                );
            });
            let found = found.await.map_err(|error| {
                let fault = Error::from(error.clone()).fault();
                let text = format!("the Kafka cluster at {bootstrap} refuses this worker");
                Error::new(fault, text).caused_by(error)
            })?;
            info!(
                "connected to Kafka cluster {} ({} brokers)",
                found.id,
                found.brokers.len()
            );
            Ok((cluster, offsets))
        }
    }
}

async fn embedded(folder: &Path, clock: Arc<dyn Clock>) -> Result<Arc<dyn Cluster>, Error> {
    let config = EmbeddedConfig {
        clock,
        ..EmbeddedConfig::new(folder.to_owned())
    };
    let opened = tokio::task::spawn_blocking(move || EmbeddedLog::open(config)).await;
    let log = opened.map_err(|_| Error::bug("opening the embedded log was lost"))??;
    Ok(Arc::new(log))
}

/// Describes the cluster, again and again while no broker answers. A reason is said at once when it is new, else now and then.
///
/// # Errors
/// What no patience helps against, wrong credentials for example.
async fn wait_for(
    cluster: &dyn Cluster,
    admin: &AdminConfig,
    clock: &dyn Clock,
    say: impl Fn(&str),
) -> Result<ClusterDescription, crate::kafka::Error> {
    let mut said: Option<(String, Mono)> = None;
    let mut attempt = 0;
    loop {
        let error = match describe(cluster, admin).await {
            Err(error) if error.is_retriable() => error.to_string(),
            found => return found,
        };
        let now = clock.now();
        let is_old = said
            .as_ref()
            .is_some_and(|(before, at)| *before == error && now.since(*at) < SAY_AGAIN);
        if !is_old {
            say(&error);
            said = Some((error, now));
        }
        tokio::time::sleep(AGAIN.delay(attempt).to_duration()).await;
        attempt = attempt.saturating_add(1);
    }
}

async fn describe(
    cluster: &dyn Cluster,
    admin: &AdminConfig,
) -> Result<ClusterDescription, crate::kafka::Error> {
    let admin = cluster.admin(admin.clone(), ATTEMPT).await?;
    admin.describe_cluster(ATTEMPT).await
}

/// Name of the worker's own client in the logs of brokers.
const CLIENT_ID: &str = "connect-standalone";
/// Time for opening the embedded log and reading the stored offsets.
pub(super) const OPEN_WAIT: Span = Span::secs(60);
/// Time for one attempt at reaching the cluster: after it the reason is shown.
const ATTEMPT: Span = Span::secs(3);
/// Pauses between attempts.
const AGAIN: Backoff = Backoff::new(Span::millis(200), Span::secs(5));
/// A reason that stays is said again after this time.
const SAY_AGAIN: Span = Span::secs(60);
