//! How often something was registered under a subject.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Subject;

/// A counter per subject, in a fixed number of places: two subjects may share one, which only makes an answer be asked for again.
#[derive(Debug)]
pub(super) struct Epochs {
    places: Box<[AtomicU64]>,
    hasher: RandomState,
}

const PLACES: usize = 1 << 10;

impl Default for Epochs {
    fn default() -> Self {
        Self {
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
        }
    }
}

impl Epochs {
    fn place(&self, subject: &Subject) -> &AtomicU64 {
        let hash = self.hasher.hash_one(subject);
        let place = usize::try_from(hash % PLACES as u64).unwrap_or_default();
        &self.places[place]
    }

    /// The number of registrations so far; none without a subject.
    pub(super) fn of(&self, subject: Option<&Subject>) -> u64 {
        subject.map_or(0, |subject| self.place(subject).load(Ordering::Acquire))
    }

    /// Something was registered.
    pub(super) fn advance(&self, subject: &Subject) {
        self.place(subject).fetch_add(1, Ordering::Release);
    }
}
