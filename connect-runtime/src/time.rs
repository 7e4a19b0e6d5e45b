//! Time as the cores see it: a monotonic moment, a wall-clock moment and a length, all in
//! milliseconds. Only this file and the adapters read a clock; cores take `now` as an argument.

use std::fmt;
use std::time::Duration;

/// A length of time in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span(u64);

impl Span {
    /// No time at all: a call limited by it answers from what it has.
    pub const ZERO: Self = Self(0);
    /// The longest length we wait for: 100 years, which stands for Java's `Long.MAX_VALUE`.
    pub const MAX: Self = Self(100 * 365 * 24 * 60 * 60 * 1_000);

    /// `millis` milliseconds, at most [`Span::MAX`].
    pub const fn millis(millis: u64) -> Self {
        if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// `secs` seconds, at most [`Span::MAX`].
    pub const fn secs(secs: u64) -> Self {
        Self::millis(secs.saturating_mul(1_000))
    }

    /// The length in milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The length as the standard library's type.
    pub const fn to_duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A moment on a clock that never goes back, in milliseconds since an arbitrary start.
///
/// ```
/// use ferroconnect_runtime::time::{Mono, Span};
/// let start = Mono::from_millis(1_000);
/// let due = start.plus(Span::secs(5));
/// assert_eq!(due.since(start), Span::millis(5_000));
/// assert_eq!(start.since(due), Span::ZERO);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Mono(u64);

impl Mono {
    /// The moment `millis` milliseconds after the clock's start.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the clock's start.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The moment `span` later; stays at the end of time on overflow.
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long ago `earlier` was; zero if it lies ahead.
    pub const fn since(self, earlier: Self) -> Span {
        Span::millis(self.0.saturating_sub(earlier.0))
    }
}

/// A moment of the calendar, in milliseconds since 1970-01-01T00:00:00Z; may go back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Wall(i64);

impl Wall {
    /// The moment `millis` milliseconds after the epoch (before it if negative).
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}

/// Where drivers and adapters read the time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Now, on the monotonic clock.
    fn now(&self) -> Mono;
    /// Now, on the calendar.
    fn wall(&self) -> Wall;
}

/// The clocks of the operating system.
#[derive(Clone, Debug)]
pub struct SystemClock {
    start: std::time::Instant,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clocks"
)]
impl SystemClock {
    /// A clock that starts counting now.
    pub fn new() -> Self {
        Self {
            start: std::time::Instant::now(),
        }
    }

    fn elapsed(&self) -> Duration {
        std::time::Instant::now().saturating_duration_since(self.start)
    }

    fn since_epoch() -> i64 {
        let now = std::time::SystemTime::now();
        match now.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
            Err(before) => {
                i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis)
            }
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Mono {
        Mono(u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn wall(&self) -> Wall {
        Wall(Self::since_epoch())
    }
}

/// A clock that moves only when told to.
#[cfg(any(test, feature = "testing"))]
#[derive(Debug, Default)]
pub struct ManualClock {
    mono: std::sync::atomic::AtomicU64,
    wall: std::sync::atomic::AtomicI64,
}

#[cfg(any(test, feature = "testing"))]
impl ManualClock {
    /// A clock that shows `mono` and `wall`.
    pub fn new(mono: Mono, wall: Wall) -> Self {
        Self {
            mono: mono.0.into(),
            wall: wall.0.into(),
        }
    }

    /// Moves both clocks ahead by `span`.
    pub fn advance(&self, span: Span) {
        use std::sync::atomic::Ordering::SeqCst;
        self.mono.fetch_add(span.0, SeqCst);
        self.wall.fetch_add(span.0.cast_signed(), SeqCst);
    }
}

#[cfg(any(test, feature = "testing"))]
impl Clock for ManualClock {
    fn now(&self) -> Mono {
        Mono(self.mono.load(std::sync::atomic::Ordering::SeqCst))
    }

    fn wall(&self) -> Wall {
        Wall(self.wall.load(std::sync::atomic::Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_never_exceeds_its_maximum() {
        assert_eq!(Span::millis(u64::MAX), Span::MAX);
        assert_eq!(Span::secs(u64::MAX), Span::MAX);
        assert_eq!(Span::secs(2).to_duration(), Duration::from_secs(2));
    }

    #[test]
    fn the_end_of_time_is_not_passed() {
        assert_eq!(
            Mono::from_millis(u64::MAX).plus(Span::secs(1)),
            Mono::from_millis(u64::MAX)
        );
    }

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::new(Mono::from_millis(5), Wall::from_millis(-3));
        assert_eq!(
            (clock.now(), clock.wall()),
            (Mono::from_millis(5), Wall::from_millis(-3))
        );
        clock.advance(Span::millis(10));
        assert_eq!(
            (clock.now(), clock.wall()),
            (Mono::from_millis(15), Wall::from_millis(7))
        );
    }

    #[test]
    fn the_system_clock_does_not_go_back() {
        let clock = SystemClock::new();
        let first = clock.now();
        assert!(clock.now() >= first);
        assert!(clock.wall() > Wall::from_millis(1_600_000_000_000));
    }
}
