//! A number that depends on the size, fitted exactly.
//!
//! Anything that no formula of [`pessimum_law::short`] explains is refused, never approximated.

use std::fmt;

use pessimum_law::{Combination, Rational, Sample, short};

/// The highest degree of a polynomial, and of one with a term for odd sizes.
const DEGREE: u32 = 4;
const DEGREE_OF_HALVES: u32 = 2;

/// A number as a function of the size n: a polynomial, perhaps with a term for odd sizes, or a
/// logarithm.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Param(Combination);

impl Param {
    /// The same number for every size.
    pub fn constant(value: i64) -> Param {
        Param::linear(0, value)
    }

    /// `slope·n + offset`
    pub fn linear(slope: i64, offset: i64) -> Param {
        let coefficients = [offset, slope].map(|c| Rational::whole(c.into()));
        Param(Combination::polynomial(&coefficients))
    }

    /// The value at a size; `None` where it is no integer or does not fit 64 bits.
    pub fn at(&self, n: u64) -> Option<i64> {
        i64::try_from(self.0.at(n)?.to_integer()?).ok()
    }

    /// The simplest form that meets all values, which belong to the sizes `first`, `first + 1`, …
    ///
    /// Polynomials come first, the lowest degree that fits, confirmed by at least one value more
    /// than it has coefficients. Then polynomials with a term for odd sizes, and logarithms, both
    /// confirmed by at least two values more.
    ///
    /// ```
    /// use pessimum_synth::Param;
    ///
    /// assert_eq!(Param::fit(3, &[1, 2, 3]).unwrap().to_string(), "n-2");
    /// assert_eq!(Param::fit(3, &[3, 6, 10, 15]).unwrap().to_string(), "1/2*n^2-1/2*n");
    /// // Two values are on a line whatever they are.
    /// assert_eq!(Param::fit(3, &[1, 2]), None);
    /// // ⌊n/2⌋ is on no line, and 2^n on no polynomial.
    /// assert_eq!(Param::fit(3, &[1, 2, 2, 3, 3]).unwrap().to_string(), "floor(n/2)");
    /// assert_eq!(Param::fit(3, &[8, 16, 32, 64, 128, 256]), None);
    /// ```
    pub fn fit(first: u64, values: &[i64]) -> Option<Param> {
        let samples = samples(first, values);
        short::polynomial(&samples, DEGREE)
            .or_else(|| short::halves(&samples, DEGREE_OF_HALVES))
            .or_else(|| short::logarithm(&samples, 3))
            .map(Param)
    }

    /// Whether some form may explain the values once more of them are known. Used to give up a
    /// family of paths early; it errs on the side of going on.
    pub(crate) fn may_fit(first: u64, values: &[i64]) -> bool {
        /// With fewer values than this nearly everything fits something.
        const TELLING: usize = 5;
        values.len() < TELLING
            || Param::fit(first, values).is_some()
            || short::logarithm(&samples(first, values), 1).is_some()
    }
}

fn samples(first: u64, values: &[i64]) -> Vec<Sample> {
    (first..).zip(values).map(|(n, &value)| Sample { n, value: value.into() }).collect()
}

/// Without spaces around signs, since it stands inside other formulas: `x[n-1]`.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(" + ", "+").replace(" - ", "-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(first: u64, count: u64, f: impl Fn(i64) -> i64) -> Vec<i64> {
        (first..first + count).map(|n| f(n as i64)).collect()
    }

    fn shown(first: u64, values: &[i64]) -> Option<String> {
        Param::fit(first, values).map(|p| p.to_string())
    }

    #[test]
    fn known_forms_are_shown_as_people_write_them() {
        let show = |f: fn(i64) -> i64| shown(3, &table(3, 8, f)).unwrap();
        assert_eq!(show(|_| -4), "-4");
        assert_eq!(show(|n| 2 * n - 1), "2*n-1");
        assert_eq!(show(|n| 5 - n), "-n+5");
        assert_eq!(show(|n| n * n - n - 1), "n^2-n-1");
        assert_eq!(show(|n| n / 2), "floor(n/2)");
        assert_eq!(show(|n| (n + 1) / 2 - 3), "n-floor(n/2)-3");
        assert_eq!(show(|n| n + n / 2), "n+floor(n/2)");
        assert_eq!(show(|n| n % 2), "(n mod 2)");
        assert_eq!(show(|n| n * n / 4), "1/4*n^2-1/4*(n mod 2)");
        assert_eq!(show(|n| i64::from(n.ilog2())), "floor(log2(n))");
        assert_eq!(show(|n| 2 * i64::from((n - 1).ilog2()) + 1), "2*floor(log2(n-1))+1");
    }

    #[test]
    fn nothing_is_taken_that_no_further_size_confirms() {
        assert_eq!(Param::fit(2, &[7]), None);
        assert_eq!(Param::fit(2, &[7, 8]), None);
        assert_eq!(Param::fit(2, &[1, 4, 9]), None);
        assert!(Param::fit(2, &[1, 4, 9, 16]).is_some());
        // Short stretches of ⌊n/2⌋ and ⌊lg n⌋ that are on no line are left alone.
        assert_eq!(Param::fit(3, &[1, 2, 2]), None);
        assert_eq!(Param::fit(3, &[1, 2, 2, 3]), None);
        assert_eq!(Param::fit(3, &[1, 2, 2, 2, 2]), None);
    }

    #[test]
    fn powers_of_two_are_refused_at_any_length() {
        for count in 2..12 {
            assert_eq!(Param::fit(1, &table(1, count, |n| 1 << n)), None, "{count}");
        }
    }

    proptest! {
        #[test]
        fn polynomials_are_recovered_and_extrapolate(
            first in 0u64..10,
            coefficients in prop::collection::vec(-9i64..10, 1..5),
            extra in 1u64..4,
        ) {
            let f = |n: i64| coefficients.iter().rev().fold(0, |sum, c| sum * n + c);
            let values = table(first, coefficients.len() as u64 + extra, f);
            let fitted = Param::fit(first, &values).expect("a polynomial fits itself");
            prop_assert_eq!(fitted.at(1000), Some(f(1000)));
        }

        #[test]
        fn halves_are_recovered_and_extrapolate(
            first in 0u64..10, slope in -9i64..10, offset in -9i64..10, add in 0i64..2,
        ) {
            let f = |n: i64| slope * n + (n + add).div_euclid(2) + offset;
            let fitted = Param::fit(first, &table(first, 6, f)).expect("halves fit");
            for n in [100, 101, 5000] {
                prop_assert_eq!(fitted.at(n), Some(f(n as i64)));
            }
        }

        #[test]
        fn a_fit_meets_every_value_it_was_given(
            first in 0u64..10, values in prop::collection::vec(-3i64..4, 1..8),
        ) {
            if let Some(fitted) = Param::fit(first, &values) {
                for (n, &v) in (first..).zip(&values) {
                    prop_assert_eq!(fitted.at(n), Some(v));
                }
            }
        }
    }
}
