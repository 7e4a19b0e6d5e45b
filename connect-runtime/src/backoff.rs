//! How long to wait before the next attempt: exponential with seeded jitter, and pure.

use crate::time::Span;

/// An exponential delay with jitter. The same seed and attempt give the same delay.
///
/// ```
/// use ferroconnect_runtime::{backoff::Backoff, time::Span};
/// let backoff = Backoff::new(Span::millis(100), Span::secs(10)).seeded(7);
/// assert!(backoff.delay(0) <= Span::millis(120));
/// assert!(backoff.delay(60) <= Span::secs(10));
/// assert_eq!(backoff.delay(3), backoff.delay(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    first: Span,
    longest: Span,
    seed: u64,
}

/// How far jitter moves a delay up or down, in percent (the 20 % of Kafka's clients, KIP-580).
pub const JITTER_PERCENT: u64 = 20;

impl Backoff {
    /// Delays that start at `first`, double with every attempt and never exceed `longest`.
    pub const fn new(first: Span, longest: Span) -> Self {
        Self {
            first,
            longest,
            seed: 0,
        }
    }

    /// The same delays with the jitter of `seed`: two clients with different seeds do not move in
    /// step.
    #[must_use]
    pub const fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The delay before attempt `attempt` is repeated, counted from 0.
    pub fn delay(&self, attempt: u32) -> Span {
        let factor = 1_u64.checked_shl(attempt).unwrap_or(u64::MAX);
        let plain = self
            .first
            .as_millis()
            .saturating_mul(factor)
            .min(self.longest.as_millis());
        let width = plain / 100 * JITTER_PERCENT + plain % 100 * JITTER_PERCENT / 100;
        let roll = mix(self.seed ^ u64::from(attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let moved = plain - width + roll % (2 * width + 1);
        Span::millis(moved.min(self.longest.as_millis()))
    }
}

/// SplitMix64's finaliser: a well-mixed function of its argument.
const fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_within_the_jitter_and_stop_at_the_longest() {
        for seed in 0..50 {
            let backoff = Backoff::new(Span::millis(100), Span::millis(1_000)).seeded(seed);
            for attempt in 0..80 {
                let plain = 100_u64.saturating_mul(1 << attempt.min(30)).min(1_000);
                let delay = backoff.delay(attempt).as_millis();
                assert!(
                    delay >= plain * 80 / 100,
                    "seed {seed} attempt {attempt}: {delay}"
                );
                assert!(
                    delay <= (plain * 120 / 100).min(1_000),
                    "seed {seed} attempt {attempt}"
                );
            }
        }
    }

    #[test]
    fn seeds_differ() {
        let delays: std::collections::BTreeSet<_> = (0..20)
            .map(|seed| {
                Backoff::new(Span::secs(1), Span::secs(60))
                    .seeded(seed)
                    .delay(2)
            })
            .collect();
        assert!(delays.len() > 10);
    }

    #[test]
    fn a_zero_delay_stays_zero() {
        assert_eq!(Backoff::new(Span::ZERO, Span::secs(1)).delay(5), Span::ZERO);
    }
}
