//! A budget in work units. Until the time is up choices do not depend on the clock, so the same calls
//! give the same answers.

use pessimum_clock::Deadline;

/// Units of work that may still be spent. One unit is about one touched coefficient.
#[derive(Clone, Debug)]
pub struct Work {
    left: u64,
    spent: u64,
    deadline: Deadline,
    /// What was spent when the clock is looked at next.
    next_look: u64,
}

/// Units between two looks at the clock: some hundredths of a second.
const LOOK: u64 = 1 << 20;

impl Work {
    /// A budget of so many units.
    pub fn new(units: u64) -> Work {
        Work { left: units, spent: 0, deadline: Deadline::NEVER, next_look: 0 }
    }

    /// The same budget, and no more when the time is up.
    pub fn until(self, deadline: Deadline) -> Work {
        Work { deadline, ..self }
    }

    /// When the time is up.
    pub fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// A budget that does not run out.
    pub fn unlimited() -> Work {
        Work::new(u64::MAX)
    }

    /// Takes units away; false when the budget or the time is used up.
    #[inline]
    pub fn spend(&mut self, units: u64) -> bool {
        self.spent = self.spent.saturating_add(units);
        if !self.deadline.is_never() && self.spent >= self.next_look && self.is_late() {
            self.left = 0;
            return false;
        }
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }

    #[cold]
    fn is_late(&mut self) -> bool {
        self.next_look = self.spent.saturating_add(LOOK);
        self.deadline.is_over()
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// What was asked for so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_clock::Instant;

    #[test]
    fn a_budget_runs_out_once() {
        let mut work = Work::new(5);
        assert!(work.spend(3));
        assert!(work.spend(2));
        assert!(!work.spend(1));
        assert_eq!((work.left(), work.spent()), (0, 6));
    }

    #[test]
    fn nothing_is_left_when_the_time_is_up() {
        let mut work = Work::unlimited().until(Deadline::at(Instant::now()));
        assert!(!work.spend(1));
        assert_eq!(work.left(), 0);
    }
}
