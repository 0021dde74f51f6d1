//! Linear equations over the integers modulo the prime 2^127 − 1.
//!
//! Elimination over the rationals makes numbers of hundreds of digits out of costs like 20!.
//! Modulo a prime nothing grows. The rational solution, if it is one a person would write down
//! (numerator and denominator below 2^62), is recovered from its residue; the caller then
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
        if x < 0 && r != 0 {
            Residue(P - r)
        } else {
            Residue(r)
        }
    }

    fn add(self, other: Residue) -> Residue {
        let s = self.0 + other.0;
        Residue(if s >= P { s - P } else { s })
    }

    fn sub(self, other: Residue) -> Residue {
        Residue(if self.0 >= other.0 {
            self.0 - other.0
        } else {
            self.0 + P - other.0
        })
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
        const BOUND: u128 = 1 << 62;
        let (mut r0, mut r1) = (P, self.0);
        let (mut t0, mut t1) = (0i128, 1i128);
        while r1 > BOUND {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 % r1);
            (t0, t1) = (t1, t0 - i128::try_from(q).ok()?.checked_mul(t1)?);
        }
        if t1.unsigned_abs() > BOUND {
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

/// Solves `rows · x = rhs`, taking equations in the order given until they determine `x`;
/// the others must agree. `None` when they contradict each other, leave `x` open, or have a
/// solution no one would write down.
pub(crate) fn solve(rows: &[Vec<i128>], rhs: &[i128]) -> Option<Solution> {
    let unknowns = rows.first()?.len();
    // Pivot rows in echelon form, each scaled to a leading one; the right side is the last entry.
    let mut pivots: Vec<(usize, Vec<Residue>)> = Vec::with_capacity(unknowns);
    let mut used = Vec::with_capacity(rows.len());
    for (row, &b) in rows.iter().zip(rhs) {
        let mut r: Vec<Residue> = row.iter().map(|&x| Residue::new(x)).collect();
        r.push(Residue::new(b));
        for (lead, pivot) in &pivots {
            let factor = r[*lead];
            if factor != Residue::ZERO {
                for (x, &p) in r.iter_mut().zip(pivot) {
                    *x = x.sub(factor.mul(p));
                }
            }
        }
        let Some(lead) = r[..unknowns].iter().position(|&x| x != Residue::ZERO) else {
            if r[unknowns] != Residue::ZERO {
                return None;
            }
            used.push(false);
            continue;
        };
        let scale = r[lead].inverse();
        for x in &mut r {
            *x = x.mul(scale);
        }
        pivots.push((lead, r));
        used.push(true);
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
        x[*lead] = row[unknowns].sub(others);
    }
    let coefficients = x
        .into_iter()
        .map(Residue::to_rational)
        .collect::<Option<_>>()?;
    Some(Solution { coefficients, used })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn solves_with_fractions_and_names_the_equations_used() {
        // 1/2 n^2 - 1/2 n at 1, 1, 3, 10.
        let rows: Vec<Vec<i128>> = [1, 1, 3, 10].iter().map(|&n| vec![n * n, n]).collect();
        let s = solve(&rows, &[0, 0, 3, 45]).unwrap();
        assert_eq!(
            s.coefficients,
            [Rational::new(1, 2).unwrap(), Rational::new(-1, 2).unwrap()]
        );
        assert_eq!(s.used, [true, false, true, false]);
        assert!(solve(&rows, &[0, 0, 3, 46]).is_none());
        assert!(solve(&rows[..2], &[0, 0]).is_none());
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
