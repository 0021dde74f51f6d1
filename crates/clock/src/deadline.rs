//! When work has to end: at a moment, at a word from outside, or never.

use crate::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// When work has to end. Everything that can take long is given one, down to a single question to a solver: so the
/// user's word is heard wherever the clock is looked at.
///
/// ```
/// use pessimum_clock::{Deadline, Instant};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// assert!(!Deadline::NEVER.is_over());
/// assert!(Deadline::at(Instant::now()).is_over());
///
/// let stop = Arc::new(AtomicBool::new(false));
/// let until = Deadline::NEVER.or_when(Arc::clone(&stop));
/// assert!(!until.is_over());
/// stop.store(true, Ordering::Relaxed);
/// assert!(until.is_over() && until.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Deadline {
    /// Work may take as long as it wants.
    pub const NEVER: Deadline = Deadline { at: None, cancel: None };

    /// At this moment.
    pub fn at(moment: Instant) -> Deadline {
        Deadline { at: Some(moment), cancel: None }
    }

    /// The same, or as soon as the flag is set.
    pub fn or_when(self, cancel: Arc<AtomicBool>) -> Deadline {
        Deadline { cancel: Some(cancel), ..self }
    }

    /// Whether nothing can end the work: nobody has to look.
    #[inline]
    pub fn is_never(&self) -> bool {
        self.at.is_none() && self.cancel.is_none()
    }

    /// Whether the work has to end now.
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The time that is left, where it is limited.
    pub fn left(&self) -> Option<Duration> {
        if self.is_cancelled() {
            return Some(Duration::ZERO);
        }
        self.at.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// When the first of so many steps of equal length ends, from now on.
    pub fn first_of(&self, steps: u32) -> Deadline {
        let now = Instant::now();
        let at = self.at.map(|at| now + at.saturating_duration_since(now) / steps);
        Deadline { at, cancel: self.cancel.clone() }
    }

    /// When the last of so many steps of equal length begins, from now on.
    pub fn last_of(&self, steps: u32) -> Deadline {
        let now = Instant::now();
        let at = self.at.map(|at| at - at.saturating_duration_since(now) / steps);
        Deadline { at, cancel: self.cancel.clone() }
    }

    /// The same, but not before so much time has passed, whoever asked to stop until now.
    pub fn but_after(&self, grace: Duration) -> Deadline {
        let soonest = Instant::now() + grace;
        match self.is_cancelled() {
            true => Deadline::at(soonest),
            false => Deadline { at: self.at.map(|at| at.max(soonest)), ..self.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_hears_the_same_word() {
        let stop = Arc::new(AtomicBool::new(false));
        let whole = Deadline::at(Instant::now() + Duration::from_secs(3600));
        let part = whole.or_when(Arc::clone(&stop)).first_of(2);
        assert!(!part.is_over());
        assert!(part.left().is_some_and(|left| left <= Duration::from_secs(1800)));
        stop.store(true, Ordering::Relaxed);
        assert!(part.is_over());
        assert_eq!(part.left(), Some(Duration::ZERO));
    }

    #[test]
    fn a_grace_is_given_even_then() {
        let stop = Arc::new(AtomicBool::new(true));
        let over = Deadline::at(Instant::now()).or_when(stop);
        assert!(over.is_over());
        assert!(!over.but_after(Duration::from_secs(3600)).is_over());
    }
}
