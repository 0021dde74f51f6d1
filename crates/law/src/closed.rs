//! The closed formulas that are tried, simplest first.

use crate::bits;
use crate::term::Term;

/// A set of terms whose rational combination might be the law.
#[derive(Debug, Clone)]
pub(crate) struct Ansatz {
    pub terms: Vec<Term>,
    /// Bits to name it within its family.
    pub bits: f64,
    family: Family,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Polynomial,
    Sparse,
    Logarithmic,
    Doubling,
    Periodic,
    Steps,
    Root,
    Exponential,
    Factorial,
}

/// How many families there are.
pub(crate) const FAMILIES: usize = 9;

impl Ansatz {
    /// A polynomial with all its terms.
    pub(crate) fn is_plain(&self) -> bool {
        self.family == Family::Polynomial
    }

    /// May the coefficient of this term be zero? Not where another ansatz is that with the others alone.
    pub(crate) fn may_lack(&self, term: Term) -> bool {
        match self.family {
            Family::Polynomial | Family::Periodic => true,
            Family::Doubling => term == Term::Power(0),
            _ => false,
        }
    }

    /// Beyond every polynomial.
    pub(crate) fn is_steep(&self) -> bool {
        matches!(self.family, Family::Exponential | Family::Factorial)
    }
}

/// Every ansatz. Within a family all are as likely as each other, but for the degree of a
/// polynomial, which is stated like any number.
pub(crate) fn all() -> Vec<Ansatz> {
    let mut out: Vec<Ansatz> = (0..=6u32)
        .map(|degree| Ansatz {
            terms: powers_down_from(degree),
            bits: bits::natural(degree.into()),
            family: Family::Polynomial,
        })
        .collect();
    let families: [(Family, Vec<Vec<Term>>); FAMILIES - 1] = [
        (Family::Sparse, sparse_polynomials()),
        (Family::Logarithmic, logarithmic()),
        (Family::Doubling, doubling()),
        (Family::Periodic, quasi_polynomials()),
        (Family::Steps, steps()),
        (Family::Root, roots()),
        (Family::Exponential, exponential()),
        (Family::Factorial, factorial()),
    ];
    for (family, members) in families {
        let bits = bits::choice(members.len());
        out.extend(members.into_iter().map(|terms| Ansatz { terms, bits, family }));
    }
    out
}

fn powers_down_from(degree: u32) -> Vec<Term> {
    (0..=degree).rev().map(Term::Power).collect()
}

/// Polynomials of few terms need fewer sizes to be recognised.
fn sparse_polynomials() -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for degree in 1..=5 {
        // n and 1 together are the whole polynomial already.
        for lower in (0..degree).filter(|_| degree > 1) {
            out.push(vec![Term::Power(degree), Term::Power(lower)]);
        }
        out.push(vec![Term::Power(degree)]);
    }
    out
}

/// The whole polynomial up to a degree, and a part that depends on n mod m.
fn quasi_polynomials() -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for m in 2..=4 {
        for degree in 0..=2 {
            for swing in 0..=degree.min(1) {
                let mut terms = powers_down_from(degree);
                terms.extend(
                    (0..=swing).flat_map(|k| (1..m).map(move |r| Term::Residue { k, m, r })),
                );
                out.push(terms);
            }
        }
    }
    out
}

/// Loops that step by m: so many whole steps, so many left over.
fn steps() -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for m in [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64] {
        let steps = Term::FloorDiv { k: 0, m };
        let product = Term::FloorDiv { k: 1, m };
        out.push(vec![steps]);
        out.push(vec![steps, Term::Power(0)]);
        out.push(vec![steps, Term::Power(1)]);
        out.push(vec![steps, Term::Power(1), Term::Power(0)]);
        out.push(vec![product, steps, Term::Power(0)]);
        out.push(vec![product, steps, Term::Power(1), Term::Power(0)]);
    }
    out
}

fn logarithmic() -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for shift in [0, -1, 1] {
        let lg = |k| Term::FloorLg { k, shift };
        let pool = [lg(0), lg(1), Term::PowerOfTwoBelow { shift }, Term::Power(0), Term::Power(1)];
        subsets(&pool, 3, &mut out);
        let pool = [lg(2), Term::Power(2), lg(1), Term::Power(1), Term::Power(0)];
        subsets(&pool, 1, &mut out);
    }
    out
}

/// A table that doubles whenever it is full, alone or beside something else. Each time costs what is copied, or as much
/// every time, or both.
fn doubling() -> Vec<Vec<Term>> {
    let lg = |k| Term::FloorLg { k, shift: 0 };
    let root = |k| Term::FloorSqrt { k };
    // ⌊lg 1⌋ + … + ⌊lg n⌋.
    let (sum, below) = ([lg(1), lg(0)], Term::PowerOfTwoBelow { shift: 0 });
    let beside: [&[Term]; 17] = [
        &[],
        &[Term::Power(1)],
        &[Term::Power(2)],
        &[Term::Power(2), Term::Power(1)],
        &[Term::Power(3)],
        &[Term::Power(3), Term::Power(2), Term::Power(1)],
        &[Term::Power(4)],
        &[lg(0)],
        &[lg(0), Term::Power(1)],
        &[lg(1)],
        &[lg(1), Term::Power(1)],
        &[lg(2)],
        &[lg(2), Term::Power(2)],
        &[root(0)],
        &[Term::Exp { k: 0, base: 2 }],
        &[sum[0], sum[1], below],
        &[sum[0], sum[1], below, Term::Power(1)],
    ];
    let (copied, again) = (Term::PowerOfTwoAbove, Term::FloorLg { k: 0, shift: -1 });
    let prices: [&[Term]; 3] = [&[copied], &[again], &[copied, again]];
    let mut out = Vec::new();
    for (terms, price) in beside.iter().flat_map(|terms| prices.map(|price| (terms, price))) {
        // ⌈lg n⌉ beside polynomials is a logarithm like any other.
        let is_other = price != [again] || terms.iter().any(|t| !matches!(t, Term::Power(_)));
        if is_other {
            out.push([terms, price, &[Term::Power(0)]].concat());
        }
    }
    out
}

fn roots() -> Vec<Vec<Term>> {
    let root = |k| Term::FloorSqrt { k };
    let mut out = Vec::new();
    subsets(&[root(1), root(0), Term::Power(1), Term::Power(0)], 2, &mut out);
    out
}

fn exponential() -> Vec<Vec<Term>> {
    let mut out = Vec::new();
    for base in 2..=4 {
        let exp = |k| Term::Exp { k, base };
        let pool = [exp(1), exp(0), Term::Power(2), Term::Power(1), Term::Power(0)];
        subsets(&pool, 2, &mut out);
    }
    for base in 5..=64 {
        let pool = [Term::Exp { k: 0, base }, Term::Power(1), Term::Power(0)];
        subsets(&pool, 1, &mut out);
    }
    out
}

fn factorial() -> Vec<Vec<Term>> {
    let pool = [
        Term::TourNodes { k: 1 },
        Term::TourNodes { k: 0 },
        Term::Factorial { back: 0 },
        Term::Factorial { back: 1 },
        Term::FactorialSum,
        Term::Power(1),
        Term::Power(0),
    ];
    let mut out = Vec::new();
    subsets(&pool, 5, &mut out);
    out
}

/// Every subset of the pool of at most five terms with one of its first `leading` terms.
fn subsets(pool: &[Term], leading: u32, out: &mut Vec<Vec<Term>>) {
    for mask in 1u32..1 << pool.len() {
        if mask & ((1 << leading) - 1) == 0 || mask.count_ones() > 5 {
            continue;
        }
        out.push((0..pool.len()).filter(|i| mask >> i & 1 == 1).map(|i| pool[i]).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ansatz_comes_twice() {
        let all = all();
        for (i, a) in all.iter().enumerate() {
            assert!(!a.terms.is_empty());
            for b in &all[..i] {
                assert_ne!(a.terms, b.terms);
            }
        }
    }
}
