//! Sizes of one remainder, for programs that take no others.
//!
//! A decoder of groups of four letters refuses all lengths but every fourth. What its inputs cost at all sizes is two sequences, and
//! tells no class; at the lengths that it takes, it does.

use super::runs::Runs;
use super::{Family, FamilyRecipe};
use crate::at_size::AtSize;
use pessimum_explore::Budget;
use pessimum_machine::LoadError;
use std::sync::Arc;

/// The greatest divisor: blocks of ciphers and hashes have up to 64 bytes.
const GREATEST: u64 = 64;

/// Sizes that leave the same when they are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remainder {
    /// What they are divided by.
    pub divisor: u64,
    /// What is left.
    pub left: u64,
}

impl Remainder {
    /// All sizes.
    pub const ALL: Remainder = Remainder { divisor: 1, left: 0 };

    /// Whether a size is one of them.
    pub fn has(self, n: u64) -> bool {
        n % self.divisor == self.left
    }

    /// The size of an ending that is nearest to this one. Where all are among them, it is odd: nothing that doubles divides it.
    pub(super) fn near(self, n: u64) -> u64 {
        match self {
            Remainder::ALL => n | 1,
            some => some.at_most(n),
        }
    }

    /// The largest of these sizes that is no larger; the least one where there is none.
    pub(super) fn at_most(self, n: u64) -> u64 {
        let beyond = (n % self.divisor + self.divisor - self.left) % self.divisor;
        n.checked_sub(beyond).unwrap_or(self.left)
    }
}

impl Family {
    /// The remainder at which alone the family goes on to cost more: behind its costliest size, the next one that costs as much is of that
    /// remainder. Sizes are run as far as so many instructions go.
    pub fn growing_remainder(
        &self,
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        instructions: u64,
        budget: &Budget,
    ) -> Result<Remainder, LoadError> {
        let costliest = self.costs.iter().max_by_key(|(n, cost)| (*cost, *n));
        let made_by_running =
            !matches!(self.recipe, FamilyRecipe::Adversary | FamilyRecipe::Policy);
        let costliest = costliest.filter(|_| self.is_chosen() && made_by_running);
        let Some(&(n, most)) = costliest else { return Ok(Remainder::ALL) };
        let mut runs = Runs::new(instructions, budget);
        for divisor in 1..=GREATEST {
            match runs.cost_at(n + divisor, &at, &self.recipe)? {
                Some(cost) if cost >= most => return Ok(Remainder { divisor, left: n % divisor }),
                Some(_) => {}
                None => break,
            }
        }
        Ok(Remainder::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_remainder_are_near_every_size() {
        let fourth = Remainder { divisor: 4, left: 3 };
        assert_eq!([0, 3, 6, 7, 8].map(|n| fourth.at_most(n)), [3, 3, 3, 7, 7]);
        assert_eq!([6, 7].map(|n| Remainder::ALL.at_most(n)), [6, 7]);
        assert_eq!([6, 7].map(|n| Remainder::ALL.near(n)), [7, 7]);
        assert!(fourth.has(7) && !fourth.has(8) && Remainder::ALL.has(8));
    }
}
