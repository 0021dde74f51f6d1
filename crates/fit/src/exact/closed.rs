//! The closed formulas that are tried, simplest first.

use super::term::Term;

/// A set of terms whose rational combination might be the cost.
#[derive(Debug, Clone)]
pub(crate) struct Ansatz {
    pub terms: Vec<Term>,
    /// How much less expected than a plain polynomial with as many terms.
    pub surprise: u32,
}

impl Ansatz {
    /// Plain polynomials are what costs mostly are, and need the least evidence.
    pub(crate) fn is_plain(&self) -> bool {
        self.surprise == 0
    }
}

/// Every ansatz; of two as simple as each other the likelier comes first.
pub(crate) fn all() -> Vec<Ansatz> {
    let mut out = Vec::new();
    polynomials(&mut out);
    logarithmic(&mut out);
    sparse_polynomials(&mut out);
    quasi_polynomials(&mut out);
    roots(&mut out);
    exponential(&mut out);
    factorial(&mut out);
    out
}

fn powers_down_from(degree: u32) -> Vec<Term> {
    (0..=degree).rev().map(Term::Power).collect()
}

fn polynomials(out: &mut Vec<Ansatz>) {
    for degree in 0..=6 {
        out.push(Ansatz { terms: powers_down_from(degree), surprise: 0 });
    }
}

/// Polynomials of few terms need fewer sizes to be recognised.
fn sparse_polynomials(out: &mut Vec<Ansatz>) {
    for degree in 1..=5 {
        // n and 1 together are the whole polynomial already.
        for lower in (0..degree).filter(|_| degree > 1) {
            out.push(Ansatz { terms: vec![Term::Power(degree), Term::Power(lower)], surprise: 1 });
        }
        out.push(Ansatz { terms: vec![Term::Power(degree)], surprise: 1 });
    }
}

fn quasi_polynomials(out: &mut Vec<Ansatz>) {
    // The whole polynomial up to `degree`, and the part that depends on n mod m up to `swing`.
    for m in 2..=4 {
        for degree in 0..=3 {
            for swing in 0..=degree {
                let mut terms = powers_down_from(degree);
                terms.extend(
                    (0..=swing).flat_map(|k| (1..m).map(move |r| Term::Residue { k, m, r })),
                );
                out.push(Ansatz { terms, surprise: 1 });
            }
        }
    }
    // Loops that step by m: so many whole steps, so many left over.
    for m in [2, 3, 4, 5, 8, 10, 16, 32] {
        let steps = Term::FloorDiv { k: 0, m };
        let product = Term::FloorDiv { k: 1, m };
        for terms in [
            vec![steps],
            vec![steps, Term::Power(0)],
            vec![steps, Term::Power(1)],
            vec![steps, Term::Power(1), Term::Power(0)],
            vec![product, steps, Term::Power(0)],
            vec![product, steps, Term::Power(1), Term::Power(0)],
        ] {
            out.push(Ansatz { terms, surprise: 2 });
        }
    }
}

fn logarithmic(out: &mut Vec<Ansatz>) {
    for shift in [0, -1, 1] {
        let lg = |k| Term::FloorLg { k, shift };
        let pool = [lg(0), lg(1), Term::PowerOfTwoBelow { shift }, Term::Power(0), Term::Power(1)];
        subsets(&pool, 3, 1, out);
        let pool = [lg(2), Term::Power(2), lg(1), Term::Power(1), Term::Power(0)];
        subsets(&pool, 1, 2, out);
    }
}

fn roots(out: &mut Vec<Ansatz>) {
    let root = |k| Term::FloorSqrt { k };
    subsets(&[root(1), root(0), Term::Power(1), Term::Power(0)], 2, 2, out);
}

fn exponential(out: &mut Vec<Ansatz>) {
    for base in 2..=4 {
        let exp = |k| Term::Exp { k, base };
        let pool = [exp(1), exp(0), Term::Power(2), Term::Power(1), Term::Power(0)];
        subsets(&pool, 2, 1, out);
    }
    for base in 5..=64 {
        let pool = [Term::Exp { k: 0, base }, Term::Power(1), Term::Power(0)];
        subsets(&pool, 1, 2, out);
    }
}

fn factorial(out: &mut Vec<Ansatz>) {
    let pool = [
        Term::TourNodes { k: 1 },
        Term::TourNodes { k: 0 },
        Term::Factorial { back: 0 },
        Term::Factorial { back: 1 },
        Term::FactorialSum,
        Term::Power(1),
        Term::Power(0),
    ];
    subsets(&pool, 5, 1, out);
}

/// Every subset of the pool of at most five terms with one of its first `leading` terms.
fn subsets(pool: &[Term], leading: u32, surprise: u32, out: &mut Vec<Ansatz>) {
    for mask in 1u32..1 << pool.len() {
        if mask & ((1 << leading) - 1) == 0 || mask.count_ones() > 5 {
            continue;
        }
        let terms = (0..pool.len()).filter(|i| mask >> i & 1 == 1).map(|i| pool[i]).collect();
        out.push(Ansatz { terms, surprise });
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
