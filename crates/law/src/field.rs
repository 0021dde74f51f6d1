//! Linear equations over the integers modulo the prime 2^127 − 1.
//!
//! Elimination over the rationals makes numbers of hundreds of digits out of costs like 20!.
//! Modulo a prime nothing grows. The rational solution, if it is one a person would write down
//! (numerator up to 2^64, denominator up to 2^61), is recovered from its residue; the caller then
//! checks it in exact arithmetic at every point, so an accident of the modulus can hide a
//! formula but never make one up.

use crate::rational::Rational;

/// A residue modulo 2^127 − 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Residue(u128);

const P: u128 = (1 << 127) - 1;

impl Residue {
    const ZERO: Residue = Residue(0);

    fn new(x: i128) -> Residue {
        let r = x.unsigned_abs() % P;
        if x < 0 && r != 0 { Residue(P - r) } else { Residue(r) }
    }

    fn add(self, other: Residue) -> Residue {
        let s = self.0 + other.0;
        Residue(if s >= P { s - P } else { s })
    }

    fn sub(self, other: Residue) -> Residue {
        Residue(if self.0 >= other.0 { self.0 - other.0 } else { self.0 + P - other.0 })
    }

    fn mul(self, other: Residue) -> Residue {
        const LOW: u128 = u64::MAX as u128;
        let (a1, a0) = (self.0 >> 64, self.0 & LOW);
        let (b1, b0) = (other.0 >> 64, other.0 & LOW);
        // a1, b1 < 2^63, so neither cross product nor their sum leaves 128 bits.
        let cross = a1 * b0 + b1 * a0;
        let (low, carry) = (a0 * b0).overflowing_add(cross << 64);
        let high = a1 * b1 + (cross >> 64) + u128::from(carry);
        // 2^128 ≡ 2 and 2^127 ≡ 1.
        let folded = (high << 1) + (low & P) + (low >> 127);
        let folded = (folded & P) + (folded >> 127);
        Residue(if folded >= P { folded - P } else { folded })
    }

    /// The inverse of a non-zero residue, by Fermat.
    fn inverse(self) -> Residue {
        let (mut base, mut e, mut result) = (self, P - 2, Residue(1));
        while e != 0 {
            if e & 1 == 1 {
                result = result.mul(base);
            }
            base = base.mul(base);
            e >>= 1;
        }
        result
    }

    /// The fraction with small numerator and denominator that has this residue.
    fn to_rational(self) -> Option<Rational> {
        // Unique since twice the product of the bounds stays below the modulus; a cost may be
        // as large as 64 bits hold.
        const NUMERATOR: u128 = 1 << 64;
        const DENOMINATOR: u128 = 1 << 61;
        let (mut r0, mut r1) = (P, self.0);
        let (mut t0, mut t1) = (0i128, 1i128);
        while r1 > NUMERATOR {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 % r1);
            (t0, t1) = (t1, t0 - i128::try_from(q).ok()?.checked_mul(t1)?);
        }
        if t1.unsigned_abs() > DENOMINATOR {
            return None;
        }
        Rational::new(i128::try_from(r1).ok()?, t1)
    }
}

/// The unique solution of a linear system and which equations determined it.
#[derive(Debug)]
pub(crate) struct Solution {
    /// One coefficient per unknown.
    pub coefficients: Vec<Rational>,
    /// For each equation: did it determine the solution (else it merely agreed)?
    pub used: Vec<bool>,
}

/// One linear equation: the factors of the unknowns and what they add up to.
pub(crate) type Equation = (Vec<i128>, i128);

/// Solves the equations, taking them in the order given until they determine the unknowns; the
/// others must agree. `None` when they contradict each other, leave an unknown open, have a
/// solution no one would write down, or when an equation is itself missing.
///
/// Equations are asked for one by one, since the first few mostly contradict each other.
pub(crate) fn solve(
    unknowns: usize,
    equations: impl IntoIterator<Item = Option<Equation>>,
) -> Option<Solution> {
    // Rows in echelon form, with the right side as the last entry.
    let mut pivots: Vec<(usize, Vec<Residue>)> = Vec::with_capacity(unknowns);
    let mut used = Vec::new();
    for equation in equations {
        let (factors, sum) = equation?;
        let mut row: Vec<Residue> = Vec::with_capacity(unknowns + 1);
        row.extend(factors.iter().map(|&x| Residue::new(x)));
        row.push(Residue::new(sum));
        for (lead, pivot) in &pivots {
            let factor = row[*lead];
            if factor != Residue::ZERO {
                // Crosswise, because an inverse costs two hundred products.
                for (x, &p) in row.iter_mut().zip(pivot) {
                    *x = x.mul(pivot[*lead]).sub(factor.mul(p));
                }
            }
        }
        match row[..unknowns].iter().position(|&x| x != Residue::ZERO) {
            Some(lead) => {
                pivots.push((lead, row));
                used.push(true);
            }
            None if row[unknowns] != Residue::ZERO => return None,
            None => used.push(false),
        }
    }
    if pivots.len() < unknowns {
        return None;
    }
    // A pivot row has zeros at the leads before it, so the last one is solved first.
    let mut x = vec![Residue::ZERO; unknowns];
    for (lead, row) in pivots.iter().rev() {
        let others = (0..unknowns)
            .filter(|j| j != lead)
            .fold(Residue::ZERO, |sum, j| sum.add(row[j].mul(x[j])));
        x[*lead] = row[unknowns].sub(others).mul(row[*lead].inverse());
    }
    let coefficients = x.into_iter().map(Residue::to_rational).collect::<Option<_>>()?;
    Some(Solution { coefficients, used })
}

/// A column of a linear system modulo the prime 2^61 − 1: small, so that most systems are told
/// from those with a solution at a fraction of the price. `None` where a value is missing.
pub(crate) type Column = Vec<Option<u64>>;

const Q: u64 = (1 << 61) - 1;

/// The values modulo 2^61 − 1.
pub(crate) fn column(values: impl Iterator<Item = Option<i128>>) -> Column {
    values.map(|v| v.map(|v| v.rem_euclid(i128::from(Q)) as u64)).collect()
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product & u128::from(Q)) as u64 + (product >> 61) as u64;
    if folded >= Q { folded - Q } else { folded }
}

/// The first row, from `from` on, that contradicts the rows before it, or that cannot be stated;
/// `from` where the rows up to it leave an unknown open. A true answer is never missed: what holds
/// over the rationals holds modulo a prime. A false one is caught by [`solve`].
pub(crate) fn holds_until(columns: &[&Column], values: &Column, from: usize) -> usize {
    const MOST: usize = 24;
    let unknowns = columns.len();
    if unknowns + 1 > MOST {
        return from;
    }
    let mut pivots: Vec<(usize, [u64; MOST])> = Vec::with_capacity(unknowns);
    let mut end = from;
    'rows: for i in from..values.len() {
        let mut row = [0; MOST];
        for (x, column) in row.iter_mut().zip(columns.iter().copied().chain([values])) {
            match column[i] {
                Some(value) => *x = value,
                None => break 'rows,
            }
        }
        for (lead, pivot) in &pivots {
            let factor = row[*lead];
            if factor != 0 {
                for (x, &p) in row[..=unknowns].iter_mut().zip(pivot) {
                    let (a, b) = (times(*x, pivot[*lead]), times(factor, p));
                    *x = if a >= b { a - b } else { a + Q - b };
                }
            }
        }
        match row[..unknowns].iter().position(|&x| x != 0) {
            Some(lead) => pivots.push((lead, row)),
            None if row[unknowns] != 0 => break,
            None => {}
        }
        end = i + 1;
    }
    if pivots.len() < unknowns { from } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn solves_with_fractions_and_names_the_equations_used() {
        // 1/2 n^2 - 1/2 n at 1, 1, 3, 10.
        let equations = |costs: &[i128]| -> Vec<Option<Equation>> {
            let sizes = [1, 1, 3, 10];
            let row = |(&n, &c): (&i128, &i128)| Some((vec![n * n, n], c));
            sizes.iter().zip(costs).map(row).collect()
        };
        let s = solve(2, equations(&[0, 0, 3, 45])).unwrap();
        let half = |x| Rational::new(x, 2).unwrap();
        assert_eq!(s.coefficients, [half(1), half(-1)]);
        assert_eq!(s.used, [true, false, true, false]);
        assert!(solve(2, equations(&[0, 0, 3, 46])).is_none());
        assert!(solve(2, equations(&[0, 0])).is_none());
        assert!(solve(2, [None]).is_none());
    }

    #[test]
    fn a_contradiction_is_found_where_it_is() {
        let n = column((1..=9).map(Some));
        let one = column((1..=9).map(|_| Some(1)));
        let bent = column((1..=9).map(|n| Some(if n < 7 { 3 * n - 40 } else { 5 })));
        assert_eq!(holds_until(&[&n, &one], &bent, 0), 6);
        assert_eq!(holds_until(&[&n, &one], &bent, 6), 9);
        assert_eq!(holds_until(&[&n, &one], &bent, 8), 8);
    }

    proptest! {
        #[test]
        fn field_laws(a in any::<i128>(), b in any::<i128>(), c in any::<i128>()) {
            let (a, b, c) = (Residue::new(a), Residue::new(b), Residue::new(c));
            prop_assert_eq!(a.mul(b.add(c)), a.mul(b).add(a.mul(c)));
            prop_assert_eq!(a.mul(b).mul(c), a.mul(b.mul(c)));
            prop_assert_eq!(a.sub(b).add(b), a);
            if a != Residue::ZERO {
                prop_assert_eq!(a.mul(a.inverse()), Residue(1));
            }
        }

        #[test]
        fn products_agree_with_i128(a in any::<i64>(), b in any::<i64>()) {
            let (a, b) = (i128::from(a), i128::from(b));
            prop_assert_eq!(Residue::new(a).mul(Residue::new(b)), Residue::new(a * b));
        }

        #[test]
        fn fractions_come_back(num in -1_000_000_000_000i128..1_000_000_000_000, den in 1i128..1_000_000_000) {
            let residue = Residue::new(num).mul(Residue::new(den).inverse());
            prop_assert_eq!(residue.to_rational(), Rational::new(num, den));
        }
    }
}
