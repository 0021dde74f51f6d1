//! What it takes to write numbers down.
//!
//! A description is as long as a code that a receiver could read back. The codes here are
//! Rissanen's universal code of the integers and sums of it: they favour no scale, so no number
//! has to be chosen for them.

use crate::rational::Rational;

/// Normalises Rissanen's code: the sum of 2^-log*(j) over j ≥ 1.
const NORMAL: f64 = 2.865_064;

/// Bits of a number ≥ 0 by Rissanen's universal code.
pub fn natural(x: u128) -> f64 {
    let mut bits = NORMAL.log2();
    let mut rest = (x as f64 + 1.0).log2();
    while rest > 0.0 {
        bits += rest;
        rest = rest.log2();
    }
    bits
}

/// Bits of an integer: its size and, unless it is zero, its sign.
pub fn integer(x: i128) -> f64 {
    natural(x.unsigned_abs()) + if x == 0 { 0.0 } else { 1.0 }
}

/// Bits of the coefficients of a law: their common denominator once, then the numerators over it.
pub fn fractions(coefficients: &[Rational]) -> f64 {
    match Rational::over_one_denominator(coefficients) {
        Some((numerators, common)) => {
            let numerators = numerators.into_iter().map(integer).sum::<f64>();
            natural(common.unsigned_abs() - 1) + numerators
        }
        // What does not fit is never the shortest.
        None => f64::INFINITY,
    }
}

/// Bits of a choice among so many that are as good as each other.
pub fn choice(of: usize) -> f64 {
    (of.max(1) as f64).log2()
}

/// Bits of each value without any law: by how much it differs from the one before.
pub fn raw(values: impl IntoIterator<Item = i128>) -> Vec<f64> {
    let mut before = 0i128;
    let step = |value: i128| {
        let jump = value.saturating_sub(before);
        before = value;
        integer(jump)
    };
    values.into_iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_can_be_read_back() {
        // Kraft: the lengths of a prefix code add up to at most 1.
        let sum: f64 = (0..200_000).map(|x| (-natural(x)).exp2()).sum();
        assert!(sum <= 1.0, "{sum}");
        let signed: f64 = (-100_000..100_000).map(|x| (-integer(x)).exp2()).sum();
        assert!(signed <= 1.0, "{signed}");
    }

    #[test]
    fn greater_numbers_take_longer() {
        assert!(
            natural(0) < natural(1) && natural(1) < natural(7) && natural(7) < natural(1 << 70)
        );
        let of = |num, den| fractions(&[Rational::new(num, den).unwrap()]);
        assert!(of(421, 1) > of(1, 2));
    }

    #[test]
    fn a_common_denominator_is_stated_once() {
        let of = |numbers: &[(i128, i128)]| {
            let all: Vec<_> = numbers.iter().map(|&(n, d)| Rational::new(n, d).unwrap()).collect();
            fractions(&all)
        };
        assert_eq!(of(&[(1, 2), (-1, 2)]), natural(1) + integer(1) + integer(-1));
        assert_eq!(
            of(&[(1, 2), (1, 3), (0, 1)]),
            natural(5) + integer(3) + integer(2) + integer(0)
        );
        assert_eq!(of(&[(2, 1), (1, 1)]), natural(0) + integer(2) + integer(1));
        let prime = i128::MAX;
        assert_eq!(of(&[(1, prime), (1, prime - 1)]), f64::INFINITY);
    }
}
