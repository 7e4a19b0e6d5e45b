//! Faults that a test orders from the fake.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kafka::error::{Class, Error};
use crate::kafka::local::Account;
use crate::kafka::types::Acknowledgement;

/// Outcomes that are kept back.
pub(super) type Held = (Arc<Account>, usize, Vec<Acknowledgement>);

#[derive(Debug, Default)]
pub(super) struct Script {
    /// By topic: how many more batches fail, and how.
    failing: BTreeMap<String, (u32, Class)>,
    pub(super) hold_acks: bool,
    pub(super) held: Vec<Held>,
    pub(super) disconnected: bool,
    pub(super) buffer_bytes_max: Option<usize>,
}

impl Script {
    pub(super) fn fail(&mut self, topic: &str, batches: u32, class: Class) {
        self.failing.insert(topic.to_owned(), (batches, class));
    }

    /// Uses one failure for `topic` up, if there is one.
    pub(super) fn next_failure(&mut self, topic: &str) -> Option<Error> {
        let (left, class) = self.failing.get_mut(topic)?;
        *left = left.checked_sub(1)?;
        Some(Error::new(
            *class,
            "send",
            format!("scripted failure for topic {topic}"),
        ))
    }
}
