//! When a question is asked again, and how long to wait before that. Pure: time and chance are arguments.

use std::time::Duration;

use super::failover::Nodes;

/// `max.retries`, `retries.wait.ms`, `retries.max.wait.ms`.
///
/// The wait before retry `n` is random between nothing and `first_wait` × 2ⁿ ("full jitter"), as in the Java client's `RetryExecutor`.
///
/// ```
/// use std::time::Duration;
/// use ferroconnect_registry_client::client::RetryPolicy;
/// let policy = RetryPolicy { retries: 3, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(20) };
/// assert!(policy.wait(2, None, 12345) <= Duration::from_secs(4));
/// // A registry that says when to come back is believed, up to the longest wait.
/// assert_eq!(policy.wait(0, Some(Duration::from_secs(7)), 0), Duration::from_secs(7));
/// assert_eq!(policy.wait(0, Some(Duration::from_secs(999)), 0), Duration::from_secs(20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the three keys of the Java client"
)]
pub struct RetryPolicy {
    /// Tries after the first one. A try is one round over all nodes.
    pub retries: u32,
    /// What the wait before the first retry is at most.
    pub first_wait: Duration,
    /// What every wait is at most.
    pub longest_wait: Duration,
}

impl RetryPolicy {
    /// The wait before retry `retry`, counted from 0. `asked` is what the registry asked for, `random` any number.
    pub fn wait(&self, retry: u32, asked: Option<Duration>, random: u64) -> Duration {
        let factor = 1_u32.checked_shl(retry).unwrap_or(u32::MAX);
        let most = self
            .first_wait
            .saturating_mul(factor)
            .min(self.longest_wait);
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let jittered = match nanos.checked_add(1) {
            Some(width) => Duration::from_nanos(random % width),
            None => Duration::from_nanos(random),
        };
        let asked = asked.unwrap_or_default().min(self.longest_wait);
        jittered.max(asked)
    }
}

/// Whether the same request may have a good answer later: the statuses of the Java client.
pub(super) const fn is_retriable(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// `Retry-After` in seconds (RFC 9110, section 10.2.3). A date says nothing here, since no clock of the day is read.
pub(super) fn retry_after(value: Option<&str>) -> Option<Duration> {
    let seconds: u32 = value?.trim().parse().ok()?;
    Some(Duration::from_secs(u64::from(seconds)))
}

/// What to do next for one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Ask this node.
    Try(usize),
    /// Every node was asked: wait so long, then go on.
    Wait(Duration),
    /// Tell the last error.
    Stop,
}

/// The tries of one question.
#[derive(Debug)]
pub(super) struct Attempts {
    policy: RetryPolicy,
    deadline: Duration,
    retries: u32,
    tried: Vec<bool>,
    asked: Option<Duration>,
    /// No node of this round failed in a way that may pass.
    is_hopeless: bool,
}

impl Attempts {
    /// For a client with `nodes` nodes. `deadline` is a point in time.
    pub(super) fn new(policy: RetryPolicy, nodes: usize, deadline: Duration) -> Self {
        Self {
            policy,
            deadline,
            retries: 0,
            tried: vec![false; nodes],
            asked: None,
            is_hopeless: true,
        }
    }

    pub(super) fn next(&mut self, nodes: &Nodes, now: Duration, random: u64) -> Step {
        if now >= self.deadline {
            return Step::Stop;
        }
        if let Some(node) = nodes.next(&self.tried, now) {
            self.tried[node] = true;
            return Step::Try(node);
        }
        if self.retries >= self.policy.retries || self.is_hopeless {
            return Step::Stop;
        }
        let wait = self.policy.wait(self.retries, self.asked.take(), random);
        self.retries += 1;
        self.tried.fill(false);
        self.is_hopeless = true;
        if now.saturating_add(wait) >= self.deadline {
            return Step::Stop;
        }
        Step::Wait(wait)
    }

    /// A node failed in a way that may pass; the longest of what nodes ask for counts.
    pub(super) fn failed(&mut self, retry_after: Option<Duration>) {
        self.is_hopeless = false;
        self.asked = self.asked.max(retry_after);
    }

    /// The same node is asked once more in this round.
    pub(super) fn again(&mut self, node: usize) {
        self.tried[node] = false;
    }

    /// What all nodes need is away: none of them is asked in this round.
    pub(super) fn failed_for_all(&mut self) {
        self.is_hopeless = false;
        self.tried.fill(true);
    }

    /// How long the next request may take at most.
    pub(super) fn left(&self, now: Duration) -> Duration {
        self.deadline.saturating_sub(now)
    }
}
