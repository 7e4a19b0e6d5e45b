//! What a failure of one record leads to: again, skipped, or the end of the task. Pure.
//!
//! One deliberate difference from the JVM: trouble of a remote service is never the record's fault, so when its retries are used up the
//! task fails, and a good record is not skipped even with `errors.tolerance=all`.

use crate::config::{ErrorPolicy, Tolerance};
use crate::error::{Decision, Fault, decision};
use crate::time::Span;

/// What to do about the record that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "every caller must decide for each")]
pub enum Verdict {
    /// Try again after this pause.
    Retry(Span),
    /// Leave the record out and go on.
    Skip,
    /// Fail the task.
    Fail,
}

/// Decides by fault and policy. `attempt` counts from 1, `elapsed` since the first attempt began.
pub fn verdict(policy: &ErrorPolicy, fault: Fault, attempt: u32, elapsed: Span) -> Verdict {
    match decision(fault) {
        Decision::Retry => retry(policy, attempt, elapsed),
        Decision::Tolerate => match policy.tolerance {
            Tolerance::All => Verdict::Skip,
            Tolerance::None => Verdict::Fail,
        },
        Decision::FailTask => Verdict::Fail,
    }
}

fn retry(policy: &ErrorPolicy, attempt: u32, elapsed: Span) -> Verdict {
    let doubled = 1_u64
        .checked_shl(attempt.saturating_sub(1))
        .unwrap_or(u64::MAX);
    let wanted = FIRST_DELAY_MS
        .saturating_mul(doubled)
        .min(policy.retry_delay_max.as_millis());
    let Some(timeout) = policy.retry_timeout else {
        return Verdict::Retry(Span::millis(wanted));
    };
    let left = timeout.as_millis().saturating_sub(elapsed.as_millis());
    if left == 0 {
        Verdict::Fail
    } else {
        Verdict::Retry(Span::millis(wanted.min(left)))
    }
}

/// Pause before the first repetition in milliseconds, as in Kafka Connect.
const FIRST_DELAY_MS: u64 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(tolerance: Tolerance, retry_timeout: Option<u64>) -> ErrorPolicy {
        ErrorPolicy {
            retry_timeout: retry_timeout.map(Span::millis),
            retry_delay_max: Span::secs(60),
            tolerance,
            log: false,
            log_records: false,
        }
    }

    #[test]
    fn bad_data_is_skipped_only_when_tolerated() {
        let fault = Fault::Data;
        assert_eq!(
            verdict(&policy(Tolerance::All, Some(0)), fault, 1, Span::ZERO),
            Verdict::Skip
        );
        assert_eq!(
            verdict(&policy(Tolerance::None, None), fault, 1, Span::ZERO),
            Verdict::Fail
        );
    }

    #[test]
    fn remote_trouble_is_retried_with_growing_pauses_until_the_timeout() {
        let policy = policy(Tolerance::All, Some(1_000));
        let at =
            |attempt, elapsed| verdict(&policy, Fault::Transient, attempt, Span::millis(elapsed));
        assert_eq!(at(1, 0), Verdict::Retry(Span::millis(300)));
        assert_eq!(at(2, 300), Verdict::Retry(Span::millis(600)));
        assert_eq!(
            at(3, 900),
            Verdict::Retry(Span::millis(100)),
            "never past the deadline"
        );
        assert_eq!(at(4, 1_000), Verdict::Fail, "a good record is not skipped");
    }

    #[test]
    fn without_a_timeout_it_is_retried_for_ever_and_no_pause_is_too_long() {
        let verdict = verdict(
            &policy(Tolerance::None, None),
            Fault::Transient,
            500,
            Span::MAX,
        );
        assert_eq!(verdict, Verdict::Retry(Span::secs(60)));
    }

    #[test]
    fn wrong_configuration_and_bugs_are_never_tolerated() {
        for fault in [Fault::Config, Fault::Fenced, Fault::Bug] {
            assert_eq!(
                verdict(&policy(Tolerance::All, None), fault, 1, Span::ZERO),
                Verdict::Fail
            );
        }
    }
}
