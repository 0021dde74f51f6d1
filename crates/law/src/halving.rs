//! Divide and conquer: W(n) = Σ W(about n/2) + toll(n) from some size on.

use std::collections::BTreeMap;
use std::fmt;

use crate::Sample;
use crate::bits;
use crate::class::Class;
use crate::field;
use crate::rational::Rational;
use crate::search::{Description, Law, family_bits, is_whole, unused};
use crate::term::{Combination, Term};

/// Which halves a call recurses into: (how often, offset) stands for W(⌊(n + offset)/2⌋).
type Shape = &'static [(i128, i8)];

/// Merge sort first, then one branch (searching), then what removes a pivot, then several
/// equal branches (Karatsuba, Strassen).
const SHAPES: [Shape; 14] = [
    &[(1, 0), (1, 1)],
    &[(1, 0)],
    &[(1, 1)],
    &[(1, -1)],
    &[(1, -1), (1, 0)],
    &[(2, 0)],
    &[(2, 1)],
    &[(2, -1)],
    &[(3, 0)],
    &[(3, 1)],
    &[(2, 0), (1, 1)],
    &[(1, 0), (2, 1)],
    &[(4, 0)],
    &[(7, 0)],
];

const ODD: Term = Term::Residue { k: 0, m: 2, r: 1 };

/// What depends on which of the halves are odd, in two levels.
const fn of_four(r: u32) -> Term {
    Term::Residue { k: 0, m: 4, r }
}

/// What a call costs besides its children.
const TOLLS: [&[Term]; 8] = [
    &[Term::Power(1)],
    &[Term::Power(0)],
    &[Term::Power(1), Term::Power(0)],
    &[Term::Power(1), ODD],
    &[Term::Power(1), ODD, Term::Power(0)],
    &[Term::Power(2)],
    &[Term::Power(2), Term::Power(1), Term::Power(0)],
    &[Term::Power(1), Term::Power(0), of_four(1), of_four(2), of_four(3)],
];

/// A recurrence of this kind with its base cases.
#[derive(Debug, Clone)]
pub struct Halving {
    shape: Shape,
    toll: Combination,
    /// The first size that recurses.
    from: u64,
    /// The costs below it, as measured.
    base: BTreeMap<u64, i128>,
}

impl Halving {
    pub(crate) fn at(&self, n: u64) -> Option<i128> {
        let mut memo = BTreeMap::new();
        self.unfold(n, &mut memo)
    }

    /// Each level meets at most two or three neighbouring sizes, so with a memo this is O(log n).
    fn unfold(&self, n: u64, memo: &mut BTreeMap<u64, i128>) -> Option<i128> {
        if n < self.from {
            return self.base.get(&n).copied();
        }
        if let Some(&known) = memo.get(&n) {
            return Some(known);
        }
        let mut sum = self.toll.at(n)?.to_integer()?;
        for &(times, offset) in self.shape {
            let child = self.unfold(half(n, offset), memo)?;
            sum = sum.checked_add(child.checked_mul(times)?)?;
        }
        memo.insert(n, sum);
        Some(sum)
    }

    /// By the master theorem: the branches double the work per level, or the toll does, or both.
    pub(crate) fn class(&self) -> Class {
        let branches: i128 = self.shape.iter().map(|c| c.0).sum();
        let branching = (branches as f64).log2();
        let toll = match self.toll.class() {
            Class::Constant => 0.0,
            Class::Linear => 1.0,
            _ => 2.0,
        };
        if toll > branching {
            return Class::power(toll);
        }
        if toll < branching {
            return Class::power(branching);
        }
        match toll {
            0.0 => Class::Log,
            1.0 => Class::NLogN,
            _ => Class::N2LogN,
        }
    }
}

fn half(n: u64, offset: i8) -> u64 {
    n.saturating_add_signed(offset.into()) / 2
}

impl fmt::Display for Halving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("W(n) = ")?;
        for (i, &(times, offset)) in self.shape.iter().enumerate() {
            if i > 0 {
                f.write_str(" + ")?;
            }
            if times > 1 {
                write!(f, "{times}*")?;
            }
            f.write_str(match offset {
                0 => "W(floor(n/2))",
                1 => "W(ceil(n/2))",
                _ => "W(floor((n-1)/2))",
            })?;
        }
        let toll = self.toll.to_string();
        match toll.strip_prefix('-') {
            Some(rest) => write!(f, " - {rest}")?,
            None => write!(f, " + {toll}")?,
        }
        write!(f, " for n >= {}", self.from)
    }
}

/// W(n) as an affine function of the unknown toll coefficients: the constant first.
struct Unfolding<'a> {
    shape: Shape,
    toll: &'a [Term],
    from: u64,
    base: &'a BTreeMap<u64, i128>,
    memo: BTreeMap<u64, Vec<i128>>,
}

impl Unfolding<'_> {
    fn at(&mut self, n: u64) -> Option<Vec<i128>> {
        if n < self.from {
            let mut row = vec![0; self.toll.len() + 1];
            row[0] = *self.base.get(&n)?;
            return Some(row);
        }
        if let Some(known) = self.memo.get(&n) {
            return Some(known.clone());
        }
        let mut row = vec![0i128];
        for term in self.toll {
            row.push(term.at(n)?);
        }
        for &(times, offset) in self.shape {
            for (x, child) in row.iter_mut().zip(self.at(half(n, offset))?) {
                *x = x.checked_add(child.checked_mul(times)?)?;
            }
        }
        self.memo.insert(n, row.clone());
        Some(row)
    }
}

/// The recurrences that all samples from their base cases on obey.
pub(crate) fn search(samples: &[Sample]) -> Vec<Description> {
    let Some(last) = samples.last().map(|s| s.n) else { return Vec::new() };
    let known: BTreeMap<u64, i128> = samples.iter().map(|s| (s.n, s.value)).collect();
    let mut out = Vec::new();
    // All sizes from half of it on are known, so there are at least that many samples. How many sizes beyond
    // the base cases are enough is a matter of bits.
    for from in 2..=(last / 2).min(2 * samples.len() as u64) {
        // Both halves of the first size that recurses, and all between, must be known.
        if !(from / 2..from).all(|n| known.contains_key(&n)) {
            continue;
        }
        for toll in TOLLS {
            for shape in SHAPES {
                out.extend(attempt(samples, &known, shape, toll, from));
            }
        }
    }
    out
}

fn attempt(
    samples: &[Sample],
    known: &BTreeMap<u64, i128>,
    shape: Shape,
    toll: &'static [Term],
    from: u64,
) -> Option<Description> {
    let mut unfolding = Unfolding { shape, toll, from, base: known, memo: BTreeMap::new() };
    let split = samples.partition_point(|s| s.n < from);
    let tail = &samples[split..];
    let equations = tail.iter().map(|s| {
        let mut row = unfolding.at(s.n)?;
        let constant = row.remove(0);
        Some((row, s.value.checked_sub(constant)?))
    });
    let solution = field::solve(toll.len(), equations)?;
    if solution.coefficients.iter().all(|c| *c == Rational::ZERO) {
        return None;
    }
    // The recurrence speaks of the base cases as well: they are stated as they are.
    let base: BTreeMap<u64, i128> = known.range(..from).map(|(&n, &c)| (n, c)).collect();
    let numbers = bits::fractions(&solution.coefficients);
    let stated: f64 = bits::raw(base.values().copied()).iter().sum();
    let bits = family_bits()
        + bits::choice(SHAPES.len() * TOLLS.len())
        + bits::natural(from.into())
        + numbers
        + stated;
    let law = Law::Halving(Halving {
        shape,
        toll: Combination::new(&solution.coefficients, toll),
        from,
        base,
    });
    let met = samples.iter().all(|s| law.at(s.n) == Some(s.value));
    (met && is_whole(&law, tail)).then(|| Description {
        law,
        from: 0,
        until: samples.len(),
        checked_at: unused(tail, &solution.used),
        bits,
    })
}
