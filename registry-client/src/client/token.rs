//! When a token is used, and when it is renewed. Pure: time is an argument.

use std::time::Duration;

use crate::Secret;

/// A token as it was got.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// What stands in the header.
    pub(super) value: Secret,
    /// When it was got.
    pub(super) from: Duration,
    /// When it ends.
    pub(super) end: Duration,
}

/// The token at hand.
#[derive(Debug, Default)]
pub(super) struct Held {
    token: Option<Token>,
    renew_at: Duration,
}

impl Held {
    /// The token, if it need not be renewed yet.
    pub(super) fn fresh(&self, now: Duration) -> Option<Secret> {
        let token = self.token.as_ref().filter(|_| now < self.renew_at)?;
        Some(token.value.clone())
    }

    /// The token, if it has not ended.
    pub(super) fn valid(&self, now: Duration) -> Option<Secret> {
        let token = self.token.as_ref().filter(|token| now < token.end)?;
        Some(token.value.clone())
    }

    /// Keeps a token, to be renewed so long before its end. One that lives shorter than that is used for half of its life, so that not
    /// every request asks for another.
    pub(super) fn put(&mut self, token: Token, renew_before: Duration) -> Secret {
        let life = token.end.saturating_sub(token.from);
        let used = life.checked_sub(renew_before).unwrap_or_default();
        self.renew_at = token.from + used.max(life / 2);
        let value = token.value.clone();
        self.token = Some(token);
        value
    }

    /// The registry does not take it.
    pub(super) fn forget(&mut self) {
        self.token = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn token(from: u64, end: u64) -> Token {
        Token {
            value: Secret::new("Bearer t"),
            from: at(from),
            end: at(end),
        }
    }

    #[test]
    fn a_token_is_renewed_before_its_end_and_serves_until_then() {
        let mut held = Held::default();
        assert_eq!(held.fresh(at(0)), None);
        held.put(token(100, 3_700), at(300));
        assert!(held.fresh(at(3_399)).is_some());
        assert!(held.fresh(at(3_400)).is_none());
        assert!(held.valid(at(3_699)).is_some());
        assert!(held.valid(at(3_700)).is_none());
    }

    #[test]
    fn a_token_shorter_than_the_buffer_is_not_asked_for_with_every_request() {
        let mut held = Held::default();
        held.put(token(0, 60), at(300));
        assert!(held.fresh(at(29)).is_some());
        assert!(held.fresh(at(30)).is_none());
    }

    #[test]
    fn a_refused_token_is_not_shown_again() {
        let mut held = Held::default();
        held.put(token(0, 60), at(0));
        held.forget();
        assert_eq!((held.fresh(at(1)), held.valid(at(1))), (None, None));
    }
}
