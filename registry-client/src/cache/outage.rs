//! When a registry that gave no answer is asked again by those who have an old answer to go on with. Pure: time is an argument.

use std::time::Duration;

/// Whether the registry is away, as far as anybody noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Outage {
    /// It answers.
    #[default]
    None,
    /// It gave no answer; at this time somebody may try again.
    Until(Duration),
}

/// How often one of those who have an old answer tries whether the registry is back.
pub(super) const PROBE_EVERY: Duration = Duration::from_secs(5);

impl Outage {
    /// No answer came. Says whether this begins an outage.
    pub(super) const fn failed(&mut self, now: Duration) -> bool {
        let begins = matches!(self, Self::None);
        *self = Self::Until(now.saturating_add(PROBE_EVERY));
        begins
    }

    /// An answer came. Says whether this ends an outage.
    pub(super) const fn answered(&mut self) -> bool {
        let ends = matches!(self, Self::Until(_));
        *self = Self::None;
        ends
    }

    /// Whether who has an old answer asks all the same. Of those who come during an outage, one does now and then.
    pub(super) fn asks(&mut self, now: Duration) -> bool {
        match self {
            Self::None => true,
            Self::Until(until) if now >= *until => {
                *until = now.saturating_add(PROBE_EVERY);
                true
            }
            Self::Until(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn during_an_outage_one_asks_now_and_then() {
        let mut outage = Outage::default();
        assert!(outage.asks(at(0)));
        assert!(outage.failed(at(10)));
        assert!(!outage.asks(at(14)));
        assert!(outage.asks(at(15)));
        assert!(!outage.asks(at(15)), "only one of them");
        assert!(!outage.failed(at(16)), "it is the same outage");
        assert!(outage.answered());
        assert!(!outage.answered());
        assert!(outage.asks(at(16)));
    }
}
