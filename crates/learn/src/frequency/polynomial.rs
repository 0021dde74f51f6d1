//! Counts as polynomials of the size.

use pessimum_law::{Combination, Rational, Sample, short};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A polynomial of degree at most 2 with rational coefficients: `(c + b·n + a·n²) / d`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Repr")]
pub struct Polynomial {
    coefficients: [i64; 3],
    denominator: i64,
}

impl Polynomial {
    /// The polynomial of least degree through all points. At least one point more than the
    /// degree needs must confirm it, since any two points lie on a line; a constant needs two.
    pub fn through(points: &[(u64, u64)]) -> Option<Self> {
        let samples: Vec<Sample> =
            points.iter().map(|&(n, count)| Sample { n, value: count.into() }).collect();
        let formula = short::polynomial(&samples, 2)?;
        let coefficients = [0, 1, 2].map(|k| formula.coefficient(k));
        let (numerators, denominator) = Rational::over_one_denominator(&coefficients)?;
        let mut coefficients = [0; 3];
        for (small, c) in coefficients.iter_mut().zip(numerators) {
            *small = i64::try_from(c).ok()?;
        }
        Some(Self { coefficients, denominator: i64::try_from(denominator).ok()? })
    }

    /// The value at a size, if it is a count: whole and not negative.
    pub fn count_at(&self, n: u64) -> Option<u64> {
        u64::try_from(self.formula().at(n)?.to_integer()?).ok()
    }

    fn formula(&self) -> Combination {
        // The denominator is not zero: see `TryFrom` below.
        let over = |c: i64| Rational::new(c.into(), self.denominator.into());
        let coefficients = self.coefficients.map(|c| over(c).unwrap_or(Rational::ZERO));
        Combination::polynomial(&coefficients)
    }
}

/// As it is read from a file, where anything may stand.
#[derive(Deserialize)]
struct Repr {
    coefficients: [i64; 3],
    denominator: i64,
}

impl TryFrom<Repr> for Polynomial {
    type Error = &'static str;

    fn try_from(Repr { coefficients, denominator }: Repr) -> Result<Self, Self::Error> {
        match denominator > 0 {
            true => Ok(Self { coefficients, denominator }),
            false => Err("the denominator of a polynomial is at least 1"),
        }
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.formula().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(points: impl IntoIterator<Item = (u64, u64)>) -> Option<String> {
        Polynomial::through(&points.into_iter().collect::<Vec<_>>()).map(|p| p.to_string())
    }

    #[test]
    fn finds_the_least_degree() {
        assert_eq!(through((1..=3).map(|n| (n, 7))).as_deref(), Some("7"));
        assert_eq!(through((1..=3).map(|n| (n, 0))).as_deref(), Some("0"));
        assert_eq!(through((1..=3).map(|n| (n, n - 1))).as_deref(), Some("n - 1"));
        let sort = (1..=5).map(|n| (n, n * (n - 1) / 2));
        assert_eq!(through(sort).as_deref(), Some("1/2*n^2 - 1/2*n"));
        let uneven = [2, 3, 7, 20].map(|n| (n, 3 * n * n + 4));
        assert_eq!(through(uneven).as_deref(), Some("3*n^2 + 4"));
    }

    #[test]
    fn believes_no_formula_that_no_further_point_confirms() {
        assert_eq!(through([(1, 5)]), None);
        assert_eq!(through([(1, 5), (2, 9)]), None);
        assert_eq!(through([(1, 1), (2, 4), (3, 9)]), None);
        assert_eq!(through((1..=6).map(|n| (n, n * n * n))), None);
    }

    #[test]
    fn gives_counts_only() {
        let falling = Polynomial::through(&[(1, 9), (2, 6), (3, 3)]).unwrap();
        assert_eq!(falling.count_at(4), Some(0));
        assert_eq!(falling.count_at(5), None);
        assert_eq!(falling.count_at(u64::MAX), None);
    }
}
