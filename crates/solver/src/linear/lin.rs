//! Linear expressions over integer variables.

/// An integer variable of one [`Linear`](super::Linear).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// `a₁·x₁ + … + aₖ·xₖ + c`, terms sorted by variable, no zero coefficient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lin {
    terms: Vec<(Var, i64)>,
    constant: i128,
}

impl Lin {
    /// The expression without variables.
    pub fn constant(value: i128) -> Lin {
        Lin { terms: Vec::new(), constant: value }
    }

    /// The expression that is one variable.
    pub fn var(var: Var) -> Lin {
        Lin { terms: vec![(var, 1)], constant: 0 }
    }

    /// The terms, sorted by variable.
    pub fn terms(&self) -> &[(Var, i64)] {
        &self.terms
    }

    /// The constant part.
    pub fn offset(&self) -> i128 {
        self.constant
    }

    /// Adds `coefficient · var`. `None`, and no change, when the sum of coefficients does not fit.
    #[must_use = "None means that the expression could not be formed"]
    pub fn add_term(&mut self, var: Var, coefficient: i64) -> Option<()> {
        match self.terms.binary_search_by_key(&var, |term| term.0) {
            Ok(at) => {
                let sum = self.terms[at].1.checked_add(coefficient)?;
                if sum == 0 {
                    self.terms.remove(at);
                } else {
                    self.terms[at].1 = sum;
                }
            }
            Err(at) if coefficient != 0 => self.terms.insert(at, (var, coefficient)),
            Err(_) => {}
        }
        Some(())
    }

    /// Adds a constant. `None`, and no change, when the sum does not fit.
    #[must_use = "None means that the expression could not be formed"]
    pub fn add_constant(&mut self, value: i128) -> Option<()> {
        self.constant = self.constant.checked_add(value)?;
        Some(())
    }

    /// `self + factor · other`. `None` when a coefficient does not fit.
    ///
    /// ```
    /// # use pessimum_solver::linear::{Lin, Var};
    /// let (x, y) = (Lin::var(Var(0)), Lin::var(Var(1)));
    /// let difference = x.plus(&y, -1).unwrap();
    /// assert_eq!(difference.terms(), [(Var(0), 1), (Var(1), -1)]);
    /// assert_eq!(difference.plus(&difference, -1).unwrap(), Lin::constant(0));
    /// ```
    #[must_use]
    pub fn plus(&self, other: &Lin, factor: i64) -> Option<Lin> {
        let scaled = other.constant.checked_mul(i128::from(factor))?;
        let constant = self.constant.checked_add(scaled)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let (var, sum) = match (left.first(), right.first()) {
                (None, None) => break,
                (Some(&l), r) if r.is_none_or(|r| l.0 < r.0) => {
                    left = &left[1..];
                    l
                }
                (Some(&l), Some(&r)) if l.0 == r.0 => {
                    (left, right) = (&left[1..], &right[1..]);
                    (l.0, l.1.checked_add(r.1.checked_mul(factor)?)?)
                }
                (_, Some(&r)) => {
                    right = &right[1..];
                    (r.0, r.1.checked_mul(factor)?)
                }
                (Some(_), None) => unreachable!("the first arm takes a left term without a rival"),
            };
            if sum != 0 {
                terms.push((var, sum));
            }
        }
        Some(Lin { terms, constant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stay_sorted_and_zero_free() {
        let mut lin = Lin::constant(3);
        for (var, coefficient) in [(5, 2), (1, -1), (5, -2), (3, 0), (0, 7)] {
            lin.add_term(Var(var), coefficient).unwrap();
        }
        assert_eq!(lin.terms(), [(Var(0), 7), (Var(1), -1)]);
        assert_eq!(lin.offset(), 3);
    }

    #[test]
    fn sums_merge_by_variable() {
        let mut a = Lin::constant(1);
        let mut b = Lin::constant(-4);
        for (var, coefficient) in [(0, 1), (2, 2), (4, 3)] {
            a.add_term(Var(var), coefficient).unwrap();
        }
        for (var, coefficient) in [(1, 1), (2, 1), (5, 1)] {
            b.add_term(Var(var), coefficient).unwrap();
        }
        let sum = a.plus(&b, -2).unwrap();
        assert_eq!(sum.terms(), [(Var(0), 1), (Var(1), -2), (Var(4), 3), (Var(5), -2)]);
        assert_eq!(sum.offset(), 9);
    }

    #[test]
    fn a_coefficient_that_does_not_fit_is_refused() {
        let mut lin = Lin::var(Var(0));
        assert_eq!(lin.add_term(Var(0), i64::MAX), None);
        assert_eq!(lin, Lin::var(Var(0)));
        assert_eq!(Lin::var(Var(0)).plus(&Lin::var(Var(0)), i64::MAX), None);
        assert_eq!(Lin::constant(i128::MAX).plus(&Lin::constant(1), 1), None);
    }
}
