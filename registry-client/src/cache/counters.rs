//! What caches count.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counted since the cache was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CacheCounts {
    /// Questions answered from memory.
    pub hits: u64,
    /// Questions that were not; several may have waited for one request.
    pub misses: u64,
    /// Questions put to the registry.
    pub requests: u64,
    /// Questions answered with what was known before, because the registry gave no answer.
    pub stale: u64,
}

/// The counters themselves, spread so that tasks that only hit do not share a cache line.
#[derive(Debug, Default)]
pub(super) struct Counters {
    hits: [Lane; LANES],
    pub(super) misses: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) stale: AtomicU64,
}

const LANES: usize = 16;

#[derive(Debug, Default)]
#[repr(align(128))]
struct Lane(AtomicU64);

impl Counters {
    /// Counts a hit. `spread` is any number that differs between tasks or questions.
    pub(super) fn hit(&self, spread: u64) {
        let lane = usize::try_from(spread % LANES as u64).unwrap_or_default();
        self.hits[lane].0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> CacheCounts {
        let hits = self.hits.iter();
        CacheCounts {
            hits: hits.map(|lane| lane.0.load(Ordering::Relaxed)).sum(),
            misses: self.misses.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
            stale: self.stale.load(Ordering::Relaxed),
        }
    }
}

/// Counts one.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
