use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Tells a task that blocks that it should end. Clones share the signal.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    /// A signal that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it for good and wakes everybody who waits.
    pub fn raise(&self) {
        // A panic while the lock was held cannot leave a boolean half written.
        *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is raised, at most `limit`; tells whether it is.
    pub fn wait(&self, limit: Duration) -> bool {
        let raised = self.0.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .changed
            .wait_timeout_while(raised, limit, |raised| !*raised);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_signal_ends_every_wait() {
        let signal = StopSignal::new();
        assert!(!signal.wait(Duration::from_millis(1)));
        let other = signal.clone();
        let waiter = std::thread::spawn(move || other.wait(Duration::from_secs(60)));
        signal.raise();
        assert!(waiter.join().unwrap());
        assert!(signal.is_raised());
    }
}
