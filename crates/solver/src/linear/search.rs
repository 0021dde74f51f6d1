//! Integer models by branch and bound, with constraints entering the rows only when a candidate violates them.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::arith::floor_div;
use super::lemma::Of;
use super::lin::Var;
use super::log::{Log, Relation};
use super::matrix::Matrix;
use super::simplex::{NO_HI, NO_LO, Quantity, Simplex, Stop};
use super::work::Work;

/// Bounds of a variable.
pub(super) type Range = (i128, i128);

/// How many constraints get a row at a time: those that a candidate violates most.
const ROWS_PER_ROUND: usize = 4;
/// After how many rounds that number doubles.
const PATIENT_ROUNDS: usize = 16;
/// How many constraints per variable may have rows before those that hold with room to spare lose theirs.
const IDLE_FACTOR: usize = 2;
/// How often cuts are tried in one search before it only branches.
const CUT_ROUNDS: usize = 100;
/// How many cuts are added at a time.
const CUTS_PER_ROUND: usize = 2;

const FREE: Range = (NO_LO, NO_HI);
const ABSENT: Quantity = Quantity::MAX;

/// One decision of branch and bound.
#[derive(Debug)]
struct Branch {
    quantity: Quantity,
    range: Range,
    /// The side that is still to be tried.
    other: Option<Range>,
}

/// The rows that were needed so far, and the search over them.
///
/// The rows outlive the constraints that brought them: a form whose constraints are gone is merely unbounded,
/// and finds its row again when the walk returns to it (as it does for the other side of each decision).
#[derive(Debug, Default)]
pub(super) struct Search<M> {
    simplex: Simplex<M>,
    /// The quantity of each variable that has one, by variable.
    quantity_of: Vec<Quantity>,
    variables: Vec<(Var, Quantity)>,
    forms: HashMap<Box<[(Var, i64)]>, Quantity>,
    /// Constraints whose form has a row and is bounded by them.
    active: Vec<(usize, Quantity)>,
    is_active: Vec<bool>,
    /// The shortest the log has been since `active` was last looked through.
    low_water: usize,
    /// The bounds of each quantity that the constraints give, without those of branching.
    base: Vec<Range>,
    branches: Vec<Branch>,
    /// How often this search has looked for violated constraints.
    rounds: usize,
    /// Room for [`Search::repair`]: by how much a constraint is violated, and which.
    violated: Vec<(i128, Reverse<usize>)>,
    /// Why there is no model, if that was seen without a branch.
    core: Vec<(Of, Range)>,
}

impl<M: Matrix> Search<M> {
    /// Follows an undo of the log and of the variables.
    pub(super) fn truncate(&mut self, constraints: usize, variables: usize) {
        self.low_water = self.low_water.min(constraints);
        if variables < self.quantity_of.len() {
            self.quantity_of.truncate(variables);
            let known = self.variables.len();
            self.variables.retain(|entry| (entry.0.0 as usize) < variables);
            if self.variables.len() < known {
                self.forms
                    .retain(|terms, _| terms.iter().all(|term| (term.0.0 as usize) < variables));
            }
        }
    }

    /// Whether most columns belong to variables that are gone.
    pub(super) fn is_stale(&self) -> bool {
        self.simplex.column_count() > 2 * self.variables.len() + 32
    }

    /// Turns `point` into a model of the whole log within the ranges. `Ok(false)`: there is none.
    pub(super) fn run(
        &mut self,
        log: &Log,
        ranges: &[Range],
        point: &mut [i128],
        cuts: bool,
        work: &mut Work,
    ) -> Result<bool, Stop> {
        self.prepare(log, ranges);
        self.core.clear();
        for (value, range) in point.iter_mut().zip(ranges) {
            *value = (*value).clamp(range.0, range.1);
        }
        self.repair(log, ranges, point, true)?;
        let mut tried_inside = false;
        let mut cut_rounds = if cuts { CUT_ROUNDS } else { 0 };
        loop {
            if !self.simplex.solve(work)? {
                if self.branches.is_empty() {
                    self.explain(log);
                    return Ok(false);
                }
                if !self.backtrack() {
                    return Ok(false);
                }
                continue;
            }
            let fraction = self.read(point, Rounding::Down);
            if !work.spend(log.len() as u64 + self.variables.len() as u64) {
                return Err(Stop::Work);
            }
            match (self.repair(log, ranges, point, fraction.is_none())?, fraction) {
                (Verdict::Repaired, _) => {}
                (Verdict::Model, _) => return Ok(true),
                (Verdict::Equal(index), None) => {
                    let quantity = self.quantity(log.terms(index), ranges, point)?;
                    let value = log.get(index).bound;
                    self.branch(quantity, (NO_LO, value - 1), (value + 1, NO_HI));
                }
                (_, Some((quantity, floor))) => {
                    if self.simplex.row_without_integers()? {
                        if !self.backtrack() {
                            return Ok(false);
                        }
                    } else if !tried_inside {
                        tried_inside = true;
                        if self.find_inside(log, ranges, point, work)? {
                            return Ok(true);
                        }
                        continue;
                    } else if cut_rounds == 0 || !self.cut()? {
                        self.branch(quantity, (NO_LO, floor), (floor + 1, NO_HI));
                    }
                    cut_rounds = cut_rounds.saturating_sub(1);
                }
                (Verdict::Broken, None) => {
                    unreachable!("an integer solution of the rows satisfies what they say")
                }
            }
        }
    }

    /// Writes down why the rows have no solution, without a branch or a cut on the way.
    fn explain(&mut self, log: &Log) {
        self.core.clear();
        for &(quantity, upper) in self.simplex.conflict() {
            let (lo, hi) = self.base[quantity];
            let range = if upper { (NO_LO, hi) } else { (lo, NO_HI) };
            let var = self.variables.iter().find(|entry| entry.1 == quantity);
            // Several constraints may bound one sum: the one that gives this end of it.
            let bounds = |index: usize| {
                let own = log.get(index).range(FREE);
                if upper { own.1 == hi } else { own.0 == lo }
            };
            let row = || self.active.iter().find(|entry| entry.1 == quantity && bounds(entry.0));
            let of = match var {
                Some(&(var, _)) => Of::Variable(var),
                None => match row() {
                    Some(&(index, _)) if log.terms(index).len() > 1 => Of::Constraint(index),
                    _ => {
                        debug_assert!(false, "what has a bound is a variable or a constraint");
                        self.core.clear();
                        return;
                    }
                },
            };
            self.core.push((of, range));
        }
    }

    /// After [`Search::run`] found that there is no model: ranges of variables and of constraints that contradict
    /// each other, if that was seen at once.
    pub(super) fn core(&self) -> &[(Of, Range)] {
        &self.core
    }

    /// Brings rows and bounds in line with the log as it is now.
    fn prepare(&mut self, log: &Log, ranges: &[Range]) {
        let low_water = std::mem::replace(&mut self.low_water, log.len());
        self.active.retain(|entry| entry.0 < low_water);
        if self.active.len() > IDLE_FACTOR * self.variables.len() + 16 {
            // Most of them hold with room to spare; those that matter will be violated again.
            self.active.retain(|entry| self.simplex.is_nonbasic(entry.1));
        }
        self.quantity_of.resize(ranges.len(), ABSENT);
        self.branches.clear();
        self.rounds = 0;
        self.is_active.clear();
        self.is_active.resize(log.len(), false);
        self.base.fill(FREE);
        for &(index, quantity) in &self.active {
            self.is_active[index] = true;
            let (lo, hi) = log.get(index).range(FREE);
            let base = &mut self.base[quantity];
            *base = (base.0.max(lo), base.1.min(hi));
        }
        for &(var, quantity) in &self.variables {
            self.base[quantity] = ranges[var.0 as usize];
        }
        if self.simplex.row_count() > 2 * self.active.len() + 16 {
            self.drop_idle_rows();
        }
        for (quantity, &(lo, hi)) in self.base.iter().enumerate() {
            self.simplex.set_bounds(quantity, lo, hi);
        }
    }

    /// Removes the rows of forms that no constraint bounds any more.
    fn drop_idle_rows(&mut self) {
        let base = &mut self.base;
        let mut dropped = vec![false; base.len()];
        self.simplex.retain_rows(|quantity| {
            dropped[quantity] = base[quantity] == FREE;
            !dropped[quantity]
        });
        self.forms.retain(|_, quantity| !dropped[*quantity]);
    }

    /// The quantity of a form; makes its row when it has none.
    fn quantity(
        &mut self,
        terms: &[(Var, i64)],
        ranges: &[Range],
        point: &[i128],
    ) -> Result<Quantity, Stop> {
        for &(var, _) in terms {
            let index = var.0 as usize;
            if self.quantity_of[index] == ABSENT {
                let quantity = self.simplex.new_column(point[index])?;
                self.register(quantity, ranges[index]);
                self.quantity_of[index] = quantity;
                self.variables.push((var, quantity));
            }
        }
        if let &[(var, 1)] = terms {
            return Ok(self.quantity_of[var.0 as usize]);
        }
        if let Some(&quantity) = self.forms.get(terms) {
            return Ok(quantity);
        }
        let parts =
            terms.iter().map(|&(var, coefficient)| (self.quantity_of[var.0 as usize], coefficient));
        let quantity = self.simplex.new_row(parts)?;
        self.register(quantity, FREE);
        self.forms.insert(terms.into(), quantity);
        Ok(quantity)
    }

    fn register(&mut self, quantity: Quantity, range: Range) {
        if quantity == self.base.len() {
            self.base.push(range);
        } else {
            self.base[quantity] = range;
        }
        self.simplex.set_bounds(quantity, range.0, range.1);
    }

    /// Copies the solution of the rows into the point, fractions rounded. Returns the first quantity of a
    /// variable that is a fraction, with its floor.
    fn read(&self, point: &mut [i128], rounding: Rounding) -> Option<(Quantity, i128)> {
        let mut fraction = None;
        for &(var, quantity) in &self.variables {
            let (num, den) = self.simplex.value(quantity);
            let floor = floor_div(num, den.into());
            point[var.0 as usize] = floor;
            let rest = num - floor * i128::from(den);
            if rest != 0 {
                fraction.get_or_insert((quantity, floor));
                if rounding == Rounding::Nearest && rest > i128::from(den / 2) {
                    point[var.0 as usize] += 1;
                }
            }
        }
        fraction
    }

    /// Looks for a solution so far inside of the constraints that rounding it cannot leave them. Says nothing
    /// when it fails; the bounds are then as before.
    fn find_inside(
        &mut self,
        log: &Log,
        ranges: &[Range],
        point: &mut [i128],
        work: &mut Work,
    ) -> Result<bool, Stop> {
        let mut moved = 0;
        let found = loop {
            for &(index, quantity) in &self.active[moved..] {
                // Each variable moves by a half at most, and the sum of the rounded ones is an integer.
                let margin = log
                    .terms(index)
                    .iter()
                    .map(|term| i128::from(term.1.unsigned_abs()))
                    .sum::<i128>()
                    / 2;
                let (lo, hi) = log.get(index).range(FREE);
                let lo = if lo == NO_LO { lo } else { lo.saturating_add(margin) };
                let hi = if hi == NO_HI { hi } else { hi.saturating_sub(margin) };
                self.simplex.tighten(quantity, lo, hi);
            }
            moved = self.active.len();
            if !self.simplex.solve(work)? {
                break false;
            }
            self.read(point, Rounding::Nearest);
            if !work.spend(log.len() as u64 + self.variables.len() as u64) {
                return Err(Stop::Work);
            }
            match self.repair(log, ranges, point, false)? {
                Verdict::Repaired => {}
                Verdict::Model => break true,
                Verdict::Equal(_) | Verdict::Broken => break false,
            }
        };
        if !found {
            for (quantity, &(lo, hi)) in self.base.iter().enumerate() {
                self.simplex.set_bounds(quantity, lo, hi);
            }
            for branch in &self.branches {
                self.simplex.tighten(branch.quantity, branch.range.0, branch.range.1);
            }
        }
        Ok(found)
    }

    /// Looks for what the point violates; gives rows to the constraints among it that have none.
    fn repair(
        &mut self,
        log: &Log,
        ranges: &[Range],
        point: &[i128],
        exact: bool,
    ) -> Result<Verdict, Stop> {
        let mut verdict = Verdict::Model;
        let mut violated = std::mem::take(&mut self.violated);
        violated.clear();
        for index in 0..log.len() {
            if (exact && self.is_active[index]) || log.holds(index, point) {
                continue;
            }
            if log.get(index).relation == Relation::Ne {
                if verdict == Verdict::Model {
                    verdict = Verdict::Equal(index);
                }
            } else if self.is_active[index] {
                if verdict != Verdict::Repaired {
                    verdict = Verdict::Broken;
                }
            } else {
                verdict = Verdict::Repaired;
                violated.push((log.get(index).excess(log.sum(index, point)), Reverse(index)));
            }
        }
        let most = ROWS_PER_ROUND << (self.rounds / PATIENT_ROUNDS).min(16);
        self.rounds += 1;
        if violated.len() > most {
            violated.select_nth_unstable_by(most, |a, b| b.cmp(a));
            violated.truncate(most);
            violated.sort_unstable_by_key(|entry| Reverse(entry.1));
        }
        for &(_, Reverse(index)) in &violated {
            let quantity = self.quantity(log.terms(index), ranges, point)?;
            let (lo, hi) = log.get(index).range(FREE);
            let base = &mut self.base[quantity];
            *base = (base.0.max(lo), base.1.min(hi));
            self.simplex.tighten(quantity, lo, hi);
            self.active.push((index, quantity));
            self.is_active[index] = true;
        }
        self.violated = violated;
        Ok(verdict)
    }

    fn branch(&mut self, quantity: Quantity, range: Range, other: Range) {
        self.simplex.tighten(quantity, range.0, range.1);
        self.branches.push(Branch { quantity, range, other: Some(other) });
    }

    /// Adds cuts that the present values violate, valid below the present branch; false when none was found.
    fn cut(&mut self) -> Result<bool, Stop> {
        let mut cuts = Vec::new();
        self.simplex.cuts(CUTS_PER_ROUND, &mut cuts);
        for cut in &cuts {
            let quantity = self.simplex.new_row(cut.terms.iter().copied())?;
            self.register(quantity, FREE);
            let range = (cut.bound, NO_HI);
            self.simplex.tighten(quantity, range.0, range.1);
            self.branches.push(Branch { quantity, range, other: None });
        }
        Ok(!cuts.is_empty())
    }

    /// Goes to the next side that is still to be tried; false when there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(Branch { quantity, other, .. }) = self.branches.pop() {
            let (lo, hi) = self.base[quantity];
            self.simplex.set_bounds(quantity, lo, hi);
            for branch in self.branches.iter().filter(|branch| branch.quantity == quantity) {
                self.simplex.tighten(quantity, branch.range.0, branch.range.1);
            }
            if let Some(range) = other {
                self.simplex.tighten(quantity, range.0, range.1);
                self.branches.push(Branch { quantity, range, other: None });
                return true;
            }
        }
        false
    }
}

/// Where a fraction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    Down,
    Nearest,
}

/// What a candidate point is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Everything holds.
    Model,
    /// Constraints without rows were violated, and now have rows.
    Repaired,
    /// Only disequalities are violated; this is the first.
    Equal(usize),
    /// A constraint with a row is violated, by the rounding.
    Broken,
}
