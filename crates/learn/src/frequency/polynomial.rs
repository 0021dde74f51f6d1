//! Counts as polynomials of the size.

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
        (0..=2)
            .filter(|degree| points.len() >= degree + 2)
            .filter_map(|degree| Self::of_degree(degree, points))
            .find(|p| points.iter().all(|&(n, count)| p.count_at(n) == Some(count)))
    }

    /// Through the first `degree + 1` points, by Lagrange's formula.
    fn of_degree(degree: usize, points: &[(u64, u64)]) -> Option<Self> {
        let basis = &points[..=degree];
        let (mut sum, mut denominator) = ([0i128; 3], 1i128);
        for (i, &(at, count)) in basis.iter().enumerate() {
            // count · Π (n − root) / Π (at − root) over the other points.
            let mut term = [i128::from(count), 0, 0];
            let mut divisor = 1i128;
            for &(root, _) in basis.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, p)| p) {
                let root = i128::from(root);
                let mut product = [0i128; 3];
                for (k, &c) in term.iter().enumerate() {
                    product[k] = product[k].checked_sub(c.checked_mul(root)?)?;
                    if let Some(higher) = product.get_mut(k + 1) {
                        *higher = higher.checked_add(c)?;
                    }
                }
                term = product;
                divisor = divisor.checked_mul(i128::from(at).checked_sub(root)?)?;
            }
            for (ours, theirs) in sum.iter_mut().zip(term) {
                let theirs = theirs.checked_mul(denominator)?;
                *ours = ours.checked_mul(divisor)?.checked_add(theirs)?;
            }
            denominator = denominator.checked_mul(divisor)?;
        }
        if denominator == 0 {
            return None;
        }
        let common = sum.iter().fold(denominator, |g, &c| gcd(g, c));
        let common = common.abs() * denominator.signum();
        let mut coefficients = [0; 3];
        for (small, c) in coefficients.iter_mut().zip(sum) {
            *small = i64::try_from(c / common).ok()?;
        }
        Some(Self { coefficients, denominator: i64::try_from(denominator / common).ok()? })
    }

    /// The value at a size, if it is a count: whole and not negative.
    pub fn count_at(&self, n: u64) -> Option<u64> {
        let n = i128::from(n);
        let horner = |sum: Option<i128>, &c: &i64| sum?.checked_mul(n)?.checked_add(c.into());
        let sum = self.coefficients.iter().rev().fold(Some(0), horner)?;
        let denominator = i128::from(self.denominator);
        (sum % denominator == 0).then(|| u64::try_from(sum / denominator).ok()).flatten()
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

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (k, &c) in self.coefficients.iter().enumerate().rev() {
            if c == 0 {
                continue;
            }
            let (over, under) = (i128::from(c), i128::from(self.denominator));
            let common = gcd(over, under).abs();
            let (numerator, denominator) = (over.abs() / common, under / common);
            let sign = match (first, c < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let power = ["", "n", "n^2"][k];
            f.write_str(sign)?;
            match (numerator, denominator, power) {
                (1, 1, "n" | "n^2") => f.write_str(power)?,
                (p, 1, "") => write!(f, "{p}")?,
                (p, 1, _) => write!(f, "{p}*{power}")?,
                (p, q, "") => write!(f, "{p}/{q}")?,
                (p, q, _) => write!(f, "{p}/{q}*{power}")?,
            }
            first = false;
        }
        if first { f.write_str("0") } else { Ok(()) }
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
