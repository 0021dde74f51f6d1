//! Formulas of short sequences: how often a branch is taken, where a loop ends, as functions of n.
//!
//! Policies and path conditions are learned from a handful of sizes, too few to weigh descriptions
//! against each other. The rule here needs none: a formula is taken only if it meets every sample and
//! more samples than it has coefficients, so that at least one of them could have contradicted it.

use crate::Sample;
use crate::bits;
use crate::field;
use crate::term::{Combination, Term};

/// The polynomial of least degree, `most` at most, through all samples. One sample more than it has
/// coefficients must confirm it, since any two lie on a line.
///
/// ```
/// use pessimum_law::{Sample, short};
/// let samples = |values: &[i128]| -> Vec<Sample> {
///     (3..).zip(values).map(|(n, &value)| Sample { n, value }).collect()
/// };
/// let half = short::polynomial(&samples(&[3, 6, 10, 15]), 2).unwrap();
/// assert_eq!(half.to_string(), "1/2*n^2 - 1/2*n");
/// assert_eq!(short::polynomial(&samples(&[1, 2]), 2), None);
/// ```
pub fn polynomial(samples: &[Sample], most: u32) -> Option<Combination> {
    (0..=most).map(powers).find_map(|terms| through(samples, &terms, 1))
}

/// A polynomial of degree `most` at most in which odd sizes have a term of their own, as programs that
/// halve have it. Two samples more than it has coefficients must confirm it.
///
/// ```
/// use pessimum_law::{Sample, short};
/// let samples: Vec<Sample> = (3..9).map(|n| Sample { n, value: i128::from(n / 2) }).collect();
/// assert_eq!(short::halves(&samples, 2).unwrap().to_string(), "floor(n/2)");
/// ```
pub fn halves(samples: &[Sample], most: u32) -> Option<Combination> {
    let remainder = Term::Residue { k: 0, m: 2, r: 1 };
    let half = Term::FloorDiv { k: 0, m: 2 };
    (0..=most).find_map(|degree| {
        let with = |odd: Term| {
            let mut terms = powers(degree);
            terms.insert(terms.len() - 1, odd);
            through(samples, &terms, 2)
        };
        // Beside n either term says the same: the shorter formula is shown.
        let halved = if degree > 0 { with(half) } else { None };
        let bits = |c: &Combination| bits::fractions(&c.coefficients());
        halved.into_iter().chain(with(remainder)).min_by(|a, b| bits(a).total_cmp(&bits(b)))
    })
}

/// `a·⌊lg(n + shift)⌋ + b` with a shift of 0, −1 or 1, through samples of at least `levels` different
/// logarithms: two make a line, a third confirms it.
pub fn logarithm(samples: &[Sample], levels: usize) -> Option<Combination> {
    [0, -1, 1].into_iter().find_map(|shift| {
        let lg = Term::FloorLg { k: 0, shift };
        let mut seen = samples.iter().map(|s| lg.at(s.n)).collect::<Option<Vec<_>>>()?;
        seen.dedup();
        through(samples, &[lg, Term::Power(0)], 0).filter(|_| seen.len() >= levels)
    })
}

fn powers(degree: u32) -> Vec<Term> {
    (0..=degree).rev().map(Term::Power).collect()
}

/// The combination of the terms that meets every sample, of which there are so many more than terms.
fn through(samples: &[Sample], terms: &[Term], more: usize) -> Option<Combination> {
    if samples.len() < terms.len() + more {
        return None;
    }
    let equation = |s: &Sample| {
        let values = terms.iter().map(|t| t.at(s.n));
        Some((values.collect::<Option<Vec<_>>>()?, s.value))
    };
    let solution = field::solve(terms.len(), samples.iter().map(equation))?;
    let found = Combination::new(&solution.coefficients, terms);
    let met = |s: &Sample| found.at(s.n).and_then(|v| v.to_integer()) == Some(s.value);
    samples.iter().all(met).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(first: u64, count: u64, f: impl Fn(i128) -> i128) -> Vec<Sample> {
        (first..first + count).map(|n| Sample { n, value: f(n.into()) }).collect()
    }

    fn shown(formula: Option<Combination>) -> Option<String> {
        formula.map(|c| c.to_string())
    }

    #[test]
    fn the_least_degree_is_found_on_any_sizes() {
        let at = |sizes: &[u64], f: fn(i128) -> i128| {
            let samples: Vec<Sample> =
                sizes.iter().map(|&n| Sample { n, value: f(n.into()) }).collect();
            shown(polynomial(&samples, 4))
        };
        assert_eq!(at(&[1, 2], |_| 0).as_deref(), Some("0"));
        assert_eq!(at(&[2, 3, 7], |n| 5 - n).as_deref(), Some("-n + 5"));
        assert_eq!(at(&[2, 3, 7, 20], |n| 3 * n * n + 4).as_deref(), Some("3*n^2 + 4"));
        assert_eq!(at(&[2, 3, 7], |n| 3 * n * n + 4), None);
        assert_eq!(at(&[0, 1, 2, 3, 4, 5, 6, 7], |n| n.pow(5)), None);
        assert_eq!(at(&[], |n| n), None);
    }

    #[test]
    fn odd_sizes_have_a_term_in_the_shorter_spelling() {
        let show = |f: fn(i128) -> i128| shown(halves(&samples(3, 8, f), 2)).unwrap();
        assert_eq!(show(|n| n / 2), "floor(n/2)");
        assert_eq!(show(|n| n + n / 2 - 3), "n + floor(n/2) - 3");
        assert_eq!(show(|n| n % 2), "(n mod 2)");
        assert_eq!(show(|n| n * n / 4), "1/4*n^2 - 1/4*(n mod 2)");
        assert_eq!(halves(&samples(3, 4, |n| n / 2), 2), None);
    }

    #[test]
    fn a_logarithm_shows_in_three_levels() {
        let lg = |n: i128| i128::from(n.ilog2());
        assert_eq!(shown(logarithm(&samples(3, 6, lg), 3)).as_deref(), Some("floor(log2(n))"));
        assert_eq!(logarithm(&samples(3, 5, lg), 3), None);
        assert!(logarithm(&samples(3, 5, lg), 1).is_some());
        let shifted = samples(2, 8, |n| 2 * lg(n - 1) + 1);
        assert_eq!(shown(logarithm(&shifted, 3)).as_deref(), Some("2*floor(log2(n-1)) + 1"));
    }
}
