//! A budget in work units. Choices never depend on the clock, so the same calls give the same answers.

/// Units of work that may still be spent. One unit is about one touched coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    left: u64,
    spent: u64,
}

impl Work {
    /// A budget of so many units.
    pub fn new(units: u64) -> Work {
        Work { left: units, spent: 0 }
    }

    /// A budget that does not run out.
    pub fn unlimited() -> Work {
        Work::new(u64::MAX)
    }

    /// Takes units away; false when the budget is used up.
    #[inline]
    pub fn spend(&mut self, units: u64) -> bool {
        self.spent = self.spent.saturating_add(units);
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

    #[test]
    fn a_budget_runs_out_once() {
        let mut work = Work::new(5);
        assert!(work.spend(3));
        assert!(work.spend(2));
        assert!(!work.spend(1));
        assert_eq!((work.left(), work.spent()), (0, 6));
    }
}
