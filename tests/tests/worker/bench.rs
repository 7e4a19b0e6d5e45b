//! What the tests share: an embedded worker, and waiting.

use std::path::Path;
use std::time::Duration;

use ferroconnect_runtime::{Runtime, RuntimeBuilder};

/// Longer than anything here may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so.
///
/// # Panics
/// It is not so within [`PATIENCE`].
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(waited.await.is_ok(), "waited in vain for {what}");
}

/// A worker on an embedded log in `folder`, with string converters and a short commit interval.
#[must_use]
pub(crate) fn embedded(folder: &Path) -> RuntimeBuilder {
    let log = format!("embedded:{}", folder.join("log").display());
    Runtime::builder().worker([
        ("bootstrap.servers", log.as_str()),
        (
            "key.converter",
            "org.apache.kafka.connect.storage.StringConverter",
        ),
        (
            "value.converter",
            "org.apache.kafka.connect.storage.StringConverter",
        ),
        ("offset.flush.interval.ms", "50"),
        ("task.shutdown.graceful.timeout.ms", "5000"),
    ])
}

/// The lines of a file; none when it does not exist.
#[must_use]
pub(crate) fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}
