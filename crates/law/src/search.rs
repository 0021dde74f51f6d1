//! The laws that a sequence obeys.

use std::fmt;
use std::sync::LazyLock;

use crate::Sample;
use crate::bits;
use crate::class::Class;
use crate::closed::{self, Ansatz};
use crate::field;
use crate::halving::{self, Halving};
use crate::linear::{self, LinearRecurrence};
use crate::term::{Combination, Term};

/// An exact law.
#[derive(Debug, Clone)]
pub enum Law {
    /// A rational combination of simple functions of n.
    Closed(Combination),
    /// Divide and conquer.
    Halving(Halving),
    /// A recurrence that steps by one.
    Linear(LinearRecurrence),
}

impl Law {
    /// The value at `n`, if the law can be evaluated there and gives an integer.
    pub fn at(&self, n: u64) -> Option<i128> {
        match self {
            Law::Closed(c) => c.at(n)?.to_integer(),
            Law::Halving(h) => h.at(n),
            Law::Linear(r) => r.at(n),
        }
    }

    /// How it grows.
    pub fn class(&self) -> Class {
        match self {
            Law::Closed(c) => c.class(),
            Law::Halving(h) => h.class(),
            Law::Linear(r) => r.class(),
        }
    }

    /// The residues that the law speaks of: it depends on n mod m for these m.
    pub fn moduli(&self) -> Vec<u32> {
        match self {
            Law::Closed(c) => c.moduli(),
            Law::Halving(_) => vec![2],
            Law::Linear(_) => Vec::new(),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Law::Closed(c) => c.fmt(f),
            Law::Halving(h) => h.fmt(f),
            Law::Linear(r) => r.fmt(f),
        }
    }
}

/// A stretch of the sequence, stated by a law.
#[derive(Debug, Clone)]
pub struct Description {
    /// The law.
    pub law: Law,
    /// The index of the first sample that obeys it.
    pub from: usize,
    /// The index of the first sample after it that does not.
    pub until: usize,
    /// The sizes it was not made from and yet meets.
    pub checked_at: Vec<u64>,
    /// The length of the law: which one, and its coefficients.
    pub bits: f64,
}

/// The families of laws, of which one is named first.
const FAMILIES: usize = closed::FAMILIES + 2;

/// Bits to name the family of a law.
pub(crate) fn family_bits() -> f64 {
    bits::choice(FAMILIES)
}

static ANSATZES: LazyLock<Vec<Ansatz>> = LazyLock::new(closed::all);

/// The laws that the sequence obeys, the shortest first: those that hold to its end, from
/// whatever sample on, and the plain ones that hold for a while from its start.
///
/// `samples` are in order of n, each size once.
pub fn search(samples: &[Sample]) -> Vec<Description> {
    let mut out = closed_forms(samples);
    out.extend(halving::search(samples));
    out.extend(linear::search(samples));
    out.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    out
}

/// Every ansatz on every tail that leaves at least two sizes to confirm it.
fn closed_forms(samples: &[Sample]) -> Vec<Description> {
    let mut terms: Vec<Term> = ANSATZES.iter().flat_map(|a| a.terms.iter().copied()).collect();
    terms.sort_unstable();
    terms.dedup();
    let index = |t: &Term| terms.binary_search(t).unwrap_or(0);
    let columns: Vec<field::Column> =
        terms.iter().map(|t| field::column(samples.iter().map(|s| t.at(s.n)))).collect();
    let values = field::column(samples.iter().map(|s| Some(s.value)));
    let mut out = Vec::new();
    for ansatz in ANSATZES.iter() {
        let own: Vec<&field::Column> = ansatz.terms.iter().map(|t| &columns[index(t)]).collect();
        let mut covered = 0;
        for from in 0..samples.len().saturating_sub(ansatz.terms.len() + 1) {
            // Growth that leaves the range of numbers so soon begins with the first sizes, and
            // many terms that hold in less than half of the samples are no law of them.
            let few = ansatz.is_plain() || ansatz.terms.len() <= 3;
            let latest = match (ansatz.is_steep(), few) {
                (true, _) => 2,
                (false, true) => samples.len(),
                (false, false) => samples.len() / 2,
            };
            if from > latest {
                break;
            }
            let until = field::holds_until(&own, &values, from);
            // What holds from an earlier sample on is the longer stretch of the same law.
            if until <= covered || until < from + ansatz.terms.len() + 2 {
                continue;
            }
            covered = until;
            let ends = until == samples.len();
            if ends || (from <= 1 && (ansatz.is_plain() || ansatz.terms.len() <= 2)) {
                out.extend(closed_form(ansatz, samples, from, until));
            }
        }
    }
    out
}

fn closed_form(
    ansatz: &Ansatz,
    samples: &[Sample],
    from: usize,
    until: usize,
) -> Option<Description> {
    let stretch = &samples[from..until];
    let equation = |s: &Sample| {
        let values = ansatz.terms.iter().map(|t| t.at(s.n));
        Some((values.collect::<Option<Vec<_>>>()?, s.value))
    };
    let solution = field::solve(ansatz.terms.len(), stretch.iter().map(equation))?;
    // With a term that is not there it is another ansatz, and a longer name for it.
    let mut parts = solution.coefficients.iter().zip(&ansatz.terms);
    if parts.any(|(c, &t)| c.is_zero() && !ansatz.may_lack(t)) {
        return None;
    }
    let sum = Combination::new(&solution.coefficients, &ansatz.terms);
    // Costs are not negative: the sign of one coefficient follows from those of the others.
    let sign = if solution.coefficients.iter().all(|c| c.is_zero()) { 0.0 } else { 1.0 };
    let numbers = bits::fractions(&solution.coefficients) - sign;
    // A step that was seen once is a change, not growth: two levels lie on a line whatever they are.
    let shown = sum.of_terms(|term| term.levels(stretch.iter().map(|s| s.n)) >= 3);
    if shown.class() != sum.class() {
        return None;
    }
    let law = Law::Closed(sum);
    let met = stretch.iter().all(|s| law.at(s.n) == Some(s.value));
    (met && is_whole(&law, stretch)).then(|| Description {
        law,
        from,
        until,
        checked_at: unused(stretch, &solution.used),
        bits: family_bits() + ansatz.bits + numbers,
    })
}

/// Is the law an integer at the sizes in between as well?
pub(crate) fn is_whole(law: &Law, stretch: &[Sample]) -> bool {
    let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { return false };
    let near = first.n..=last.n.min(first.n.saturating_add(64));
    let far = last.n.saturating_sub(16).max(first.n)..=last.n;
    near.chain(far).all(|n| law.at(n).is_some())
}

/// The sizes whose equations did not determine the solution.
pub(crate) fn unused(samples: &[Sample], used: &[bool]) -> Vec<u64> {
    samples.iter().zip(used).filter(|(_, used)| !**used).map(|(s, _)| s.n).collect()
}
