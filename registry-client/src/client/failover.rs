//! Which of several nodes is asked. Pure: time is an argument.

use std::time::Duration;

/// The nodes of one registry, as far as a client knows their health.
///
/// All questions go to one node until it fails. Then the next one is asked, and the failed one rests: others are asked before it, until
/// its rest is over. When all rest, they are asked all the same, the one first whose rest ends first.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    current: usize,
    rests_until: Vec<Option<Duration>>,
}

/// How long a node that failed is asked only when no other is left. Longer than a restart's few refused connections, short enough that
/// load comes back soon.
pub(super) const COOL_DOWN: Duration = Duration::from_secs(10);

impl Nodes {
    /// `count` healthy nodes, of which number `start` is asked first.
    pub(super) fn new(count: usize, start: usize) -> Self {
        Self {
            current: start % count.max(1),
            rests_until: vec![None; count],
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.rests_until.len()
    }

    /// The node to ask, of those that are not yet `tried`.
    pub(super) fn next(&self, tried: &[bool], now: Duration) -> Option<usize> {
        let from_current = (0..self.len()).map(|step| (self.current + step) % self.len());
        from_current
            .filter(|node| tried.get(*node) != Some(&true))
            .min_by_key(|node| self.rest(*node, now))
    }

    /// Until when a node rests; nothing when it does not.
    fn rest(&self, node: usize, now: Duration) -> Option<Duration> {
        let until = self.rests_until.get(node).copied().flatten();
        until.filter(|until| *until > now)
    }

    /// A node answered: it stays the one to ask.
    pub(super) fn succeeded(&mut self, node: usize) {
        self.current = node;
        if let Some(rest) = self.rests_until.get_mut(node) {
            *rest = None;
        }
    }

    /// A node failed. If it was the one to ask, the next one is.
    pub(super) fn failed(&mut self, node: usize, now: Duration) {
        if let Some(rest) = self.rests_until.get_mut(node) {
            *rest = Some(now.saturating_add(COOL_DOWN));
        }
        if self.current == node && self.len() > 0 {
            self.current = (node + 1) % self.len();
        }
    }

    /// Whether every node failed lately.
    pub(super) fn all_rest(&self, now: Duration) -> bool {
        (0..self.len()).all(|node| self.rest(node, now).is_some())
    }
}
