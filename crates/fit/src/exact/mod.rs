//! Formulas that meet the costs exactly, and also at sizes they were not made from.
//!
//! A formula with k unknowns meets any k costs, so meeting them proves nothing. What counts is
//! what is left over: the sizes that played no part in finding it. A rule is accepted when
//! enough is left over for its own complexity ([`Evidence`]), and when it gives a whole,
//! non-negative number at every size in and around the range, as a cost must be.

mod closed;
mod field;
mod halving;
mod linear;
mod term;

use crate::class::Class;
use crate::points::Sample;
use closed::Ansatz;
use halving::Halving;
use linear::LinearRecurrence;
use term::Combination;

/// An exact rule for the cost.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Closed(Combination),
    Halving(Halving),
    Linear(LinearRecurrence),
}

impl Rule {
    /// The cost at `n` if the rule can be evaluated there exactly.
    pub(crate) fn at(&self, n: u64) -> Option<i128> {
        match self {
            Rule::Closed(c) => c.at(n)?.to_integer(),
            Rule::Halving(h) => h.at(n),
            Rule::Linear(r) => r.at(n),
        }
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Rule::Closed(c) => c.class(),
            Rule::Halving(h) => h.class(),
            Rule::Linear(r) => r.class(),
        }
    }

    pub(crate) fn formula(&self) -> String {
        match self {
            Rule::Closed(c) => c.to_string(),
            Rule::Halving(h) => h.to_string(),
            Rule::Linear(r) => r.to_string(),
        }
    }
}

/// A rule and why it is believed.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub rule: Rule,
    /// The least size given at which the rule holds; smaller ones do not follow it.
    pub holds_from: u64,
    /// The sizes it was not made from and yet meets.
    pub checked_at: Vec<u64>,
}

/// The simplest exact rule with enough evidence. `samples` are in order of n.
///
/// A rule for all sizes comes before one that disowns some of them, unless the latter is as
/// plain as a polynomial.
pub(crate) fn search(samples: &[Sample]) -> Option<Found> {
    let ansatzes = closed::all();
    let (plain, fancy): (Vec<_>, Vec<_>) = ansatzes.iter().partition(|a| a.is_plain());
    let all: Vec<_> = ansatzes.iter().collect();
    closed_form(samples, &all, false)
        .or_else(|| closed_form(samples, &plain, true))
        .or_else(|| halving::search(samples))
        .or_else(|| linear::search(samples))
        .or_else(|| closed_form(samples, &fancy, true))
}

/// How far the sizes left over speak for a rule.
struct Evidence {
    /// How many there are.
    checks: usize,
    /// About how many bits of surprise it is that they were met: a cost that jumped by 90 since
    /// the size before could have been any of some 90 numbers, one that stayed put says little.
    bits: f64,
}

impl Evidence {
    fn of(samples: &[Sample], is_check: impl Fn(usize) -> bool) -> Evidence {
        let mut evidence = Evidence { checks: 0, bits: 0.0 };
        for i in (0..samples.len()).filter(|&i| is_check(i)) {
            let before = if i == 0 { 0 } else { samples[i - 1].cost };
            let jump = samples[i].cost.abs_diff(before).max(1);
            evidence.checks += 1;
            evidence.bits += (1.0 + jump as f64).log2();
        }
        evidence
    }
}

/// Is every value around the sampled range one that a cost can have?
fn looks_like_a_cost(rule: &Rule, from: u64, last: u64) -> bool {
    let whole = |n: u64| rule.at(n).is_some_and(|c| c >= 0);
    let window =
        (from..=last.min(from.saturating_add(64))).chain(last.saturating_sub(16).max(from)..=last);
    // Past the range the value may be too large to compute, but not negative or broken.
    let beyond = [2, 3, 4, 16].map(|k| last.saturating_mul(k).saturating_add(k % 2));
    window.into_iter().all(whole)
        && match rule {
            Rule::Closed(c) => beyond
                .into_iter()
                .all(|n| c.at(n).is_none_or(|v| v.to_integer().is_some_and(|c| c >= 0))),
            Rule::Halving(_) | Rule::Linear(_) => true,
        }
}

/// Thresholds of library sorts go up to some fifty elements.
const MOST_DISOWNED: usize = 64;

/// Tries every ansatz on every tail of the sizes, in order of unknowns plus sizes given up:
/// only sizes 0 and 1, which are often a case of their own, or (`disowning`) others as well,
/// as when a program switches algorithms at a threshold.
fn closed_form(samples: &[Sample], ansatzes: &[&Ansatz], disowning: bool) -> Option<Found> {
    let last = samples.last()?.n;
    let mut trials: Vec<(usize, usize, usize)> = Vec::new();
    let mut special = 0;
    for (start, first) in samples.iter().enumerate() {
        let irregular = start - special;
        // To disown many sizes needs a range of others well beyond them.
        let too_many = irregular > MOST_DISOWNED || first.n.saturating_mul(4) > last;
        if irregular > 0 && (!disowning || too_many) {
            break;
        }
        if disowning == (irregular > 0) {
            let kept = samples.len() - start;
            for (i, a) in ansatzes.iter().enumerate() {
                let unknowns = a.terms.len();
                let left_over = unknowns.div_ceil(2).max(2) + irregular.div_ceil(2);
                if kept >= unknowns + left_over {
                    let simplicity = 2 * unknowns + 2 * a.surprise as usize;
                    trials.push((simplicity + special + 2 * irregular, i, start));
                }
            }
        }
        special += usize::from(first.n <= 1);
    }
    trials.sort_unstable();
    // The more has been tried, and the freer the choice, the more is met by luck.
    trials.into_iter().enumerate().find_map(|(tried, (_, i, start))| {
        let a = &ansatzes[i];
        let given_up = if disowning { start } else { 0 };
        let freedom = 2 * (a.terms.len().saturating_sub(2) + given_up);
        let luck = (1.0 + tried as f64).log2() + freedom as f64;
        try_closed(a, &samples[start..], if a.is_plain() { 0.0 } else { luck })
    })
}

fn try_closed(ansatz: &Ansatz, tail: &[Sample], bits_needed: f64) -> Option<Found> {
    let last = tail.last()?.n;
    let equation = |s: &Sample| {
        let values = ansatz.terms.iter().map(|t| t.at(s.n));
        Some((values.collect::<Option<Vec<_>>>()?, s.cost.into()))
    };
    let solution = field::solve(ansatz.terms.len(), tail.iter().map(equation))?;
    let evidence = Evidence::of(tail, |i| !solution.used[i]);
    if evidence.bits < bits_needed {
        return None;
    }
    let sum = Combination::new(&solution.coefficients, &ansatz.terms);
    if sum.sinks() {
        return None;
    }
    // "Constant" on 5, 6, 7 is also what a logarithm looks like.
    let narrow = tail[0].n.saturating_mul(4) > last;
    let flat = tail.iter().all(|s| s.cost == tail[0].cost);
    match sum.class() {
        Class::Constant if narrow => return None,
        // And a logarithm on a plateau is a constant for all that is known.
        class if class != Class::Constant && flat => return None,
        _ => {}
    }
    let rule = Rule::Closed(sum);
    let meets_all = tail.iter().all(|s| rule.at(s.n) == Some(s.cost.into()));
    let checked_at = unused(tail, &solution.used);
    (meets_all && looks_like_a_cost(&rule, tail[0].n, last)).then_some(Found {
        rule,
        holds_from: tail[0].n,
        checked_at,
    })
}

/// The sizes whose equations did not determine the solution.
fn unused(samples: &[Sample], used: &[bool]) -> Vec<u64> {
    samples.iter().zip(used).filter(|(_, used)| !**used).map(|(s, _)| s.n).collect()
}
