//! The only place that reads the clock and waits.
#![allow(
    clippy::disallowed_methods,
    reason = "the rule protects the worker's cores; whoever starts a process waits for it, blocking"
)]

use std::time::{Duration, Instant};

/// Looks every few milliseconds until `look` has an answer or an error; `None` when the time is over.
pub(crate) fn wait<T, E>(
    at_most: Duration,
    mut look: impl FnMut() -> Result<Option<T>, E>,
) -> Result<Option<T>, E> {
    let end = Instant::now() + at_most;
    loop {
        if let Some(answer) = look()? {
            return Ok(Some(answer));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(20);
