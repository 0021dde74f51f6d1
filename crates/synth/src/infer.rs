//! From bracketed sequences at several sizes to a generator (XSTRESSOR, section IV-C).
//!
//! The parse is bottom-up: the innermost lists are replaced by the start and end, or value and
//! count, of each, which leaves two sequences with one level of brackets less. Unlike the paper's,
//! it looks at all sizes at once, because what a level is cannot be told from a small size alone:
//! a list of one number is a start without a direction.

use crate::generator::SequenceGenerator;
use crate::param::Param;

/// A sequence with brackets; every number has the same number of brackets around it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Nest {
    /// A number.
    Number(i64),
    /// What is between a pair of brackets.
    List(Vec<Nest>),
}

impl Nest {
    /// The numbers without the brackets.
    pub fn flatten(&self) -> Vec<i64> {
        let mut out = Vec::new();
        self.numbers(&mut out);
        out
    }

    fn numbers(&self, out: &mut Vec<i64>) {
        match self {
            Nest::Number(v) => out.push(*v),
            Nest::List(items) => items.iter().for_each(|item| item.numbers(out)),
        }
    }

    /// How many brackets are around a number; `None` when that differs or a list is empty.
    fn depth(&self) -> Option<usize> {
        match self {
            Nest::Number(_) => Some(0),
            Nest::List(items) => {
                let depth = items.first()?.depth()?;
                items.iter().all(|i| i.depth() == Some(depth)).then_some(depth + 1)
            }
        }
    }

    /// The innermost lists, in order.
    fn runs(&self) -> Vec<Vec<i64>> {
        let mut out = Vec::new();
        self.collect_runs(&mut out);
        out
    }

    fn collect_runs(&self, out: &mut Vec<Vec<i64>>) {
        let Nest::List(items) = self else { return };
        match items.first() {
            Some(Nest::Number(_)) => out.push(self.flatten()),
            _ => items.iter().for_each(|i| i.collect_runs(out)),
        }
    }

    /// The same brackets with each innermost list replaced by a number.
    fn reduce(&self, f: &impl Fn(&[i64]) -> i64) -> Nest {
        match self {
            Nest::Number(v) => Nest::Number(*v),
            Nest::List(items) => match items.first() {
                Some(Nest::Number(_)) => Nest::Number(f(&self.flatten())),
                _ => Nest::List(items.iter().map(|i| i.reduce(f)).collect()),
            },
        }
    }
}

/// How sure an inferred generator must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trust {
    /// Every number is fitted and confirmed.
    Confirmed,
    /// Nothing speaks against it so far: for families of paths that are still being put together.
    Possible,
    /// As far as can be told every number is linear in n.
    Straight,
}

/// The generator of sequences that belong to the sizes `first`, `first + 1`, …; `None` when the
/// grammar has none, or the sizes are too few to confirm one.
///
/// ```
/// use pessimum_synth::{Nest, infer};
///
/// let list = |v: &[i64]| Nest::List(v.iter().map(|&v| Nest::Number(v)).collect());
/// let at_3 = Nest::List(vec![list(&[0]), list(&[1, 0])]);
/// let at_4 = Nest::List(vec![list(&[0]), list(&[1, 0]), list(&[2, 1, 0])]);
/// let at_5 = Nest::List(vec![list(&[0]), list(&[1, 0]), list(&[2, 1, 0]), list(&[3, 2, 1, 0])]);
/// let found = infer(3, &[at_3, at_4, at_5]).unwrap();
/// assert_eq!(found.to_string(), "incre(incre(0, n-2, 1), const(0, n-1), -1)");
/// ```
pub fn infer(first: u64, sizes: &[Nest]) -> Option<SequenceGenerator> {
    let sizes: Vec<&Nest> = sizes.iter().collect();
    infer_with(first, &sizes, Trust::Confirmed)
}

pub(crate) fn infer_with(first: u64, sizes: &[&Nest], trust: Trust) -> Option<SequenceGenerator> {
    let depth = sizes.first()?.depth()?;
    if !sizes.iter().all(|s| s.depth() == Some(depth)) {
        return None;
    }
    if depth == 0 {
        let values: Vec<i64> = sizes.iter().flat_map(|s| s.flatten()).collect();
        return number(first, &values, trust).map(SequenceGenerator::Number);
    }
    let runs: Vec<Vec<Vec<i64>>> = sizes.iter().map(|s| s.runs()).collect();
    let each = |f: &dyn Fn(&[i64]) -> i64| -> Option<SequenceGenerator> {
        let reduced: Vec<Nest> = sizes.iter().map(|s| s.reduce(&f)).collect();
        let reduced: Vec<&Nest> = reduced.iter().collect();
        infer_with(first, &reduced, trust)
    };
    let all = |f: &dyn Fn(&[i64]) -> bool| runs.iter().flatten().all(|run| f(run));
    if all(&|run| run.len() == 1) {
        return each(&|run| run[0]);
    }
    if all(&|run| run.iter().all(|v| *v == run[0])) {
        let (value, count) = (each(&|run| run[0])?, each(&|run| run.len() as i64)?);
        return Some(SequenceGenerator::repeat(value, count));
    }
    let stride = stride(first, &runs, trust)?;
    let (start, end) = (each(&|run| run[0])?, each(&|run| run[run.len() - 1])?);
    Some(SequenceGenerator::incre(start, end, stride))
}

/// The common stride of all lists of each size.
fn stride(first: u64, runs: &[Vec<Vec<i64>>], trust: Trust) -> Option<Param> {
    let mut known: Vec<(u64, i64)> = Vec::new();
    for (n, lists) in (first..).zip(runs) {
        let mut steps = lists.iter().flat_map(|run| run.windows(2)).map(|w| w[1].checked_sub(w[0]));
        let Some(step) = steps.next() else {
            // Only single numbers: a size that says nothing of the stride. Such sizes come first.
            known.clear();
            continue;
        };
        let step = step.filter(|step| *step != 0)?;
        if !steps.all(|s| s == Some(step)) {
            return None;
        }
        known.push((n, step));
    }
    let values: Vec<i64> = known.iter().map(|k| k.1).collect();
    number(known.first()?.0, &values, trust)
}

fn number(first: u64, values: &[i64], trust: Trust) -> Option<Param> {
    match trust {
        Trust::Confirmed => Param::fit(first, values),
        Trust::Possible => Param::may_fit(first, values).then(|| Param::constant(1)),
        Trust::Straight => is_straight(values).then(|| Param::constant(1)),
    }
}

fn is_straight(values: &[i64]) -> bool {
    values.windows(3).all(|w| w[2].wrapping_sub(w[1]) == w[1].wrapping_sub(w[0]))
}
