//! The only place that reads the clock and waits.
#![allow(
    clippy::disallowed_methods,
    reason = "the rule protects the worker's cores; this program measures from outside and blocks freely"
)]

use std::time::{Duration, Instant};

use crate::steps::{Outcome, Trouble};

/// A moment to measure from.
#[derive(Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

pub(crate) fn pause(length: Duration) {
    std::thread::sleep(length);
}

/// Looks again and again until `look` has an answer; fails when `progress` does not change for `patience`.
pub(crate) fn wait_for<T, P: PartialEq>(
    what: &str,
    patience: Duration,
    mut look: impl FnMut() -> Outcome<(Option<T>, P)>,
) -> Outcome<T> {
    let mut since = Stopwatch::start();
    let mut last = None;
    loop {
        let (answer, progress) = look()?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        if last.as_ref() != Some(&progress) {
            (since, last) = (Stopwatch::start(), Some(progress));
        }
        if since.elapsed() > patience {
            let seconds = patience.as_secs();
            return Err(Trouble::new(format!("{what}: no progress for {seconds} s")));
        }
        pause(LOOK_AGAIN);
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(2);
