//! A clock that somebody else reads: the page around a module has one, the module has none.

use std::ops::{Add, Sub};
use std::sync::OnceLock;
use std::time::Duration;

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Says how to read the time: what has passed since some moment, never less than before. The first call counts.
/// Before it no time passes, so no deadline is ever reached.
pub fn set(now: fn() -> Duration) {
    // A second clock could be behind the first.
    let _ = CLOCK.set(now);
}

/// A moment, as [`std::time::Instant`] is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    pub fn now() -> Instant {
        Instant(CLOCK.get().map_or(Duration::ZERO, |now| now()))
    }

    /// What has passed since.
    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    /// What has passed since an earlier moment; nothing since a later one.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The same: no clock is wrong by a panic.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// The moment so much later, if it can be written down.
    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0.saturating_add(time))
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, time: Duration) -> Instant {
        Instant(self.0.saturating_sub(time))
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    static TOLD: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn time_passes_as_it_is_told_and_never_before() {
        let unset = Instant::now();
        assert_eq!(unset.elapsed(), Duration::ZERO);
        set(|| Duration::from_millis(TOLD.load(Ordering::Relaxed)));
        set(|| Duration::MAX);
        let deadline = Instant::now() + Duration::from_millis(30);
        TOLD.store(29, Ordering::Relaxed);
        assert!(Instant::now() < deadline);
        assert_eq!(deadline - Instant::now(), Duration::from_millis(1));
        TOLD.store(31, Ordering::Relaxed);
        assert!(Instant::now() >= deadline);
        assert_eq!(deadline.elapsed(), Duration::from_millis(1));
        assert_eq!(deadline.saturating_duration_since(Instant::now()), Duration::ZERO);
        assert_eq!(deadline.checked_add(Duration::MAX), None);
    }
}
