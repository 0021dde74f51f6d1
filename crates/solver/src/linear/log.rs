//! The constraints in the order they were asserted, in normal form.

use super::arith::{Overflow, ceil_div, floor_div, gcd};
use super::lin::{Lin, Var};

/// How the sum of a constraint relates to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Le,
    Ge,
    Eq,
    Ne,
}

/// `Σ aᵢ·xᵢ  relation  bound`, coefficients coprime, the first one positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint {
    start: usize,
    pub(super) relation: Relation,
    /// The sum fits 64 bits whatever the variables are.
    narrow: bool,
    pub(super) bound: i128,
}

impl Constraint {
    /// Whether the sum may have this value.
    #[inline]
    pub(super) fn allows(&self, sum: i128) -> bool {
        match self.relation {
            Relation::Le => sum <= self.bound,
            Relation::Ge => sum >= self.bound,
            Relation::Eq => sum == self.bound,
            Relation::Ne => sum != self.bound,
        }
    }

    /// How far the sum is from what is allowed.
    pub(super) fn excess(&self, sum: i128) -> i128 {
        (sum - self.bound).abs()
    }

    /// The bounds that the constraint puts on its sum (none for `≠`).
    pub(super) fn range(&self, none: (i128, i128)) -> (i128, i128) {
        match self.relation {
            Relation::Le => (none.0, self.bound),
            Relation::Ge => (self.bound, none.1),
            Relation::Eq => (self.bound, self.bound),
            Relation::Ne => none,
        }
    }
}

/// What became of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It holds always.
    Trivial,
    /// It holds never.
    Absurd,
    /// It was appended.
    Recorded,
}

/// A stack of constraints.
#[derive(Debug, Default)]
pub(super) struct Log {
    constraints: Vec<Constraint>,
    terms: Vec<(Var, i64)>,
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.constraints.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if let Some(first) = self.constraints.get(len) {
            self.terms.truncate(first.start);
            self.constraints.truncate(len);
        }
    }

    pub(super) fn get(&self, index: usize) -> Constraint {
        self.constraints[index]
    }

    #[inline]
    pub(super) fn terms(&self, index: usize) -> &[(Var, i64)] {
        let end = self.constraints.get(index + 1).map_or(self.terms.len(), |next| next.start);
        &self.terms[self.constraints[index].start..end]
    }

    /// Appends `lin relation 0`. `limit` says how far from zero a variable can be.
    pub(super) fn push(
        &mut self,
        lin: &Lin,
        relation: Relation,
        limit: impl Fn(Var) -> i128,
    ) -> Result<Added, Overflow> {
        // Half of the range, so that sums of sums and negations need no test.
        const MOST: i128 = i128::MAX / 4;
        let offset = lin.offset();
        if offset.unsigned_abs() > MOST.unsigned_abs() {
            return Err(Overflow);
        }
        let (mut common, mut reach) = (0, 0_i128);
        for &(var, coefficient) in lin.terms() {
            if coefficient == i64::MIN {
                return Err(Overflow);
            }
            common = gcd(coefficient.unsigned_abs(), common);
            let most = limit(var).checked_mul(coefficient.unsigned_abs().into()).ok_or(Overflow)?;
            reach = reach.checked_add(most).filter(|&reach| reach <= MOST).ok_or(Overflow)?;
        }
        let Some(&(_, first)) = lin.terms().first() else {
            let holds = match relation {
                Relation::Le => offset <= 0,
                Relation::Ge => offset >= 0,
                Relation::Eq => offset == 0,
                Relation::Ne => offset != 0,
            };
            return Ok(if holds { Added::Trivial } else { Added::Absurd });
        };
        let common = i64::try_from(common).map_err(|_| Overflow)?;
        let (divisor, bound, relation) = match (first > 0, relation) {
            (true, _) => (common, -offset, relation),
            (false, Relation::Le) => (-common, offset, Relation::Ge),
            (false, Relation::Ge) => (-common, offset, Relation::Le),
            (false, _) => (-common, offset, relation),
        };
        let (floor, ceil) =
            (floor_div(bound, i128::from(common)), ceil_div(bound, i128::from(common)));
        let bound = match relation {
            Relation::Le => floor,
            Relation::Ge => ceil,
            Relation::Eq if floor != ceil => return Ok(Added::Absurd),
            Relation::Ne if floor != ceil => return Ok(Added::Trivial),
            Relation::Eq | Relation::Ne => floor,
        };
        let start = self.terms.len();
        if divisor == 1 {
            self.terms.extend_from_slice(lin.terms());
        } else {
            self.terms.extend(lin.terms().iter().map(|&(var, a)| (var, a / divisor)));
        }
        let narrow = reach < i128::from(i64::MAX);
        self.constraints.push(Constraint { start, relation, narrow, bound });
        Ok(Added::Recorded)
    }

    /// The value of the sum of a constraint. Never wraps: [`Log::push`] has refused what could.
    #[inline]
    pub(super) fn sum(&self, index: usize, values: &[i128]) -> i128 {
        let terms = self.terms(index);
        if self.constraints[index].narrow {
            terms
                .iter()
                .map(|&(var, a)| a.wrapping_mul(values[var.0 as usize] as i64))
                .sum::<i64>()
                .into()
        } else {
            terms.iter().map(|&(var, a)| i128::from(a).wrapping_mul(values[var.0 as usize])).sum()
        }
    }

    /// Whether the values satisfy a constraint.
    #[inline]
    pub(super) fn holds(&self, index: usize, values: &[i128]) -> bool {
        self.constraints[index].allows(self.sum(index, values))
    }
}
