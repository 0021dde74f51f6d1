//! Linear constraints over bounded integers: exact, incremental, lazy.
//!
//! A [`Linear`] is a stack of variables and constraints. Asserting only records; [`Linear::check`] first tries
//! the models it already has, each on the constraints it has not yet seen, so that a constraint which the
//! current model satisfies costs its own length and nothing more. Only when they all fail does the simplex
//! method with branch and bound run, over just those constraints that some candidate has violated.
//!
//! Numbers are exact. When one does not fit, the answer is [`Answer::Unknown`], never a guess. Nothing depends
//! on the clock, on addresses or on the order of a hash table: the same calls give the same models.
//!
//! ```
//! use pessimum_solver::linear::{Answer, Lin, Linear, Work};
//! let mut linear = Linear::new();
//! let (x, y) = (linear.new_var(0, 10), linear.new_var(0, 10));
//! let mut sum = Lin::constant(-15);                  // 2x + 2y = 15 has no integer solution …
//! for var in [x, y] { sum.add_term(var, 2).unwrap(); }
//! let mark = linear.mark();
//! linear.assert_eq(&sum);
//! assert_eq!(linear.check(&mut Work::new(1000)), Answer::Unsat);
//! linear.undo_to(mark);
//! sum.add_constant(1).unwrap();                      // … 2x + 2y = 14 has
//! linear.assert_eq(&sum);
//! assert_eq!(linear.check(&mut Work::new(1000)), Answer::Sat);
//! assert_eq!(linear.value(x) + linear.value(y), 7);
//! ```

mod arith;
mod dense;
mod lemma;
mod lin;
mod log;
mod matrix;
mod models;
mod search;
mod simplex;
mod sparse;
#[cfg(test)]
mod tests;
mod work;

pub use lin::{Lin, Var};
pub use work::Work;

use dense::Dense;
use lemma::{Lemmas, within};
use log::{Added, Log, Relation};
use matrix::Matrix;
use models::Models;
use search::{Range, Search};
use simplex::{NO_HI, NO_LO, Stop};
use sparse::Sparse;

/// Bounds of variables lie within ± this.
pub const MAX_BOUND: i128 = 1 << 65;

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model; [`Linear::value`] reads it.
    Sat,
    /// There is none.
    Unsat,
    /// Neither was found, for this reason.
    Unknown(&'static str),
}

/// A state of a [`Linear`] to return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    constraints: usize,
    trail: usize,
    variables: usize,
}

/// The store of the rows, by the number of columns in use.
#[derive(Debug)]
enum Engine {
    Small(Search<Dense>),
    Large(Search<Sparse>),
}

impl Engine {
    fn truncate(&mut self, constraints: usize, variables: usize) {
        match self {
            Engine::Small(search) => search.truncate(constraints, variables),
            Engine::Large(search) => search.truncate(constraints, variables),
        }
    }

    fn core(&self) -> &[(lemma::Of, Range)] {
        match self {
            Engine::Small(search) => search.core(),
            Engine::Large(search) => search.core(),
        }
    }
}

/// What undoing has to put back.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A variable had this range before.
    Narrowed(Var, Range),
    /// There is no model from here on.
    Refuted,
    /// From here on a constraint is missing because its numbers do not fit.
    Unfit,
}

/// Bounded integer variables and linear constraints, with a trail.
#[derive(Debug)]
pub struct Linear {
    ranges: Vec<Range>,
    /// How far from zero each variable can be, whatever is asserted.
    limits: Vec<i128>,
    trail: Vec<Change>,
    log: Log,
    models: Models,
    /// Room for the point that a search turns into a model.
    point: Vec<i128>,
    /// How many entries [`Change::Refuted`] and [`Change::Unfit`] the trail has.
    refuted: usize,
    unfit: usize,
    engine: Engine,
    lemmas: Lemmas,
}

impl Default for Linear {
    fn default() -> Linear {
        Linear::new()
    }
}

impl Linear {
    /// No variables, no constraints.
    pub fn new() -> Linear {
        Linear {
            ranges: Vec::new(),
            limits: Vec::new(),
            trail: Vec::new(),
            log: Log::default(),
            models: Models::default(),
            point: Vec::new(),
            refuted: 0,
            unfit: 0,
            engine: Engine::Small(Search::default()),
            lemmas: Lemmas::default(),
        }
    }

    /// A variable between `lo` and `hi`, both included. Without a number between them there is no model;
    /// beyond ±[`MAX_BOUND`] the answer is unknown.
    pub fn new_var(&mut self, lo: i128, hi: i128) -> Var {
        self.new_named(lo, hi, UNNAMED | self.ranges.len() as u32)
    }

    /// As [`Linear::new_var`], for a variable that is called `name` whenever it is made: what was found out about it is
    /// then not lost when it is taken back. Names are below 2^31, and no two variables have the same at one time.
    pub fn new_named(&mut self, lo: i128, hi: i128, name: u32) -> Var {
        self.lemmas.name(name);
        let var = Var(u32::try_from(self.ranges.len()).expect("fewer than 2^32 variables"));
        let fits = lo >= -MAX_BOUND && hi <= MAX_BOUND;
        let range = if fits && lo <= hi { (lo, hi) } else { (0, 0) };
        self.ranges.push(range);
        self.limits.push(range.0.abs().max(range.1.abs()));
        if lo > hi {
            self.refute();
        } else if !fits {
            self.give_up();
        }
        var
    }

    /// How many variables there are.
    pub fn var_count(&self) -> usize {
        self.ranges.len()
    }

    /// How many constraints were asserted, apart from those that hold always or never: the number of the next one.
    pub fn constraint_count(&self) -> usize {
        self.log.len()
    }

    /// What the asserted constraints on this variable alone leave of its bounds.
    pub fn bounds(&self, var: Var) -> (i128, i128) {
        self.ranges[var.0 as usize]
    }

    /// The present state.
    pub fn mark(&self) -> Mark {
        Mark { constraints: self.log.len(), trail: self.trail.len(), variables: self.ranges.len() }
    }

    /// Takes back every assertion and every variable made since the mark.
    pub fn undo_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            match self.trail.pop() {
                Some(Change::Narrowed(var, range)) => self.ranges[var.0 as usize] = range,
                Some(Change::Refuted) => self.refuted -= 1,
                Some(Change::Unfit) => self.unfit -= 1,
                None => break,
            }
        }
        self.log.truncate(mark.constraints);
        self.ranges.truncate(mark.variables);
        self.limits.truncate(mark.variables);
        self.models.truncate(mark.constraints, mark.variables);
        self.engine.truncate(mark.constraints, mark.variables);
        self.lemmas.truncate(mark.constraints, mark.variables);
    }

    /// Demands `lin ≤ 0`.
    pub fn assert_le(&mut self, lin: &Lin) {
        self.assert(lin, Relation::Le);
    }

    /// Demands `lin = 0`.
    pub fn assert_eq(&mut self, lin: &Lin) {
        self.assert(lin, Relation::Eq);
    }

    /// Demands `lin ≠ 0`.
    pub fn assert_ne(&mut self, lin: &Lin) {
        self.assert(lin, Relation::Ne);
    }

    fn assert(&mut self, lin: &Lin, relation: Relation) {
        match self.log.push(lin, relation, |var| self.limits[var.0 as usize]) {
            Ok(Added::Recorded) => {
                self.lemmas.enter(&self.log);
                self.narrow();
            }
            Ok(Added::Trivial) => {}
            Ok(Added::Absurd) => self.refute(),
            Err(_) => self.give_up(),
        }
    }

    /// Turns the last constraint into bounds if it is about one variable.
    fn narrow(&mut self) {
        let last = self.log.len() - 1;
        if let &[(var, 1)] = self.log.terms(last) {
            let old = self.ranges[var.0 as usize];
            let (lo, hi) = self.log.get(last).range(old);
            let new = (lo.max(old.0), hi.min(old.1));
            if new.0 > new.1 {
                self.refute();
            } else if new != old {
                self.trail.push(Change::Narrowed(var, old));
                self.ranges[var.0 as usize] = new;
            }
        }
    }

    fn refute(&mut self) {
        self.trail.push(Change::Refuted);
        self.refuted += 1;
    }

    fn give_up(&mut self) {
        self.trail.push(Change::Unfit);
        self.unfit += 1;
    }

    /// Whether a contradiction that was found before shows that there is no model. It costs next to nothing, and says
    /// nothing when it is false.
    pub fn is_refuted_by_a_lemma(&mut self) -> bool {
        if self.refuted == 0 && self.lemmas.refute(&self.ranges) {
            self.refute();
        }
        self.refuted > 0
    }

    /// Whether a contradiction that was found before shows that there is no model with `lin ≤ 0`. Nothing is asserted.
    pub fn refutes_le(&mut self, lin: &Lin) -> bool {
        self.refutes(lin, Relation::Le)
    }

    /// As [`Linear::refutes_le`], for `lin = 0`.
    pub fn refutes_eq(&mut self, lin: &Lin) -> bool {
        self.refutes(lin, Relation::Eq)
    }

    fn refutes(&mut self, lin: &Lin, relation: Relation) -> bool {
        if self.refuted > 0 {
            return true;
        }
        let len = self.log.len();
        match self.log.push(lin, relation, |var| self.limits[var.0 as usize]) {
            Ok(Added::Recorded) => {
                // One about a single variable would change its bounds: that is left to a real check.
                let found = self.log.terms(len).len() > 1
                    && self.lemmas.would_refute(&self.log, &self.ranges);
                self.log.truncate(len);
                found
            }
            Ok(Added::Absurd) => true,
            Ok(Added::Trivial) | Err(_) => false,
        }
    }

    /// Whether integers within the bounds satisfy every constraint.
    pub fn check(&mut self, work: &mut Work) -> Answer {
        if self.is_refuted_by_a_lemma() {
            return Answer::Unsat;
        }
        let ranges = &self.ranges;
        let fill = |values: &mut Vec<i128>| {
            let known = values.len();
            values.extend(ranges[known..].iter().map(|range| 0.clamp(range.0, range.1)));
        };
        if !self.models.find(&self.log, fill) {
            let mut point = std::mem::take(&mut self.point);
            point.clear();
            point.extend_from_slice(self.models.current());
            fill(&mut point);
            let found = self.search(&mut point, work);
            if found == Ok(true) {
                self.models.install(&mut point, self.log.len());
            }
            self.point = point;
            match found {
                Ok(true) => {}
                Ok(false) => {
                    let core = self.engine.core();
                    if !core.is_empty() {
                        self.lemmas.learn(&self.log, core);
                    }
                    self.refute();
                    return Answer::Unsat;
                }
                Err(Stop::Work) => return Answer::Unknown("work budget"),
                Err(_) => {
                    self.engine = Engine::Small(Search::default());
                    return Answer::Unknown(OVERFLOW);
                }
            }
        }
        if self.unfit > 0 { Answer::Unknown(OVERFLOW) } else { Answer::Sat }
    }

    /// Constraints, by number in the order of [`Linear::constraint_count`], that have no model by themselves: the rows
    /// and bounds of a contradictory row (Farkas). None where there is a model, and where it took a case distinction to
    /// see that there is none.
    pub fn into_conflict(mut self, work: &mut Work) -> Option<Vec<usize>> {
        let mut point: Vec<i128> =
            self.ranges.iter().map(|range| 0.clamp(range.0, range.1)).collect();
        if self.refuted > 0 || self.search(&mut point, work) != Ok(false) {
            return None;
        }
        let core = self.engine.core();
        let mut conflict = Vec::new();
        for &(of, range) in core {
            match of {
                lemma::Of::Constraint(index) => conflict.push(index),
                lemma::Of::Variable(var) => conflict.extend(self.narrowed_to(var, range)?),
            }
        }
        (!core.is_empty()).then_some(conflict)
    }

    /// The constraint that keeps a variable within a range; `Some(None)` if it was made so.
    fn narrowed_to(&self, var: Var, range: Range) -> Option<Option<usize>> {
        let first = self.trail.iter().find_map(|change| match *change {
            Change::Narrowed(of, made) if of == var => Some(made),
            _ => None,
        });
        if within(first.unwrap_or(self.ranges[var.0 as usize]), range) {
            return Some(None);
        }
        let keeps = |index: &usize| {
            matches!(self.log.terms(*index), &[(of, 1)] if of == var)
                && within(self.log.get(*index).range((NO_LO, NO_HI)), range)
        };
        (0..self.log.len()).find(keeps).map(Some)
    }

    /// Searches; if cuts made the numbers grow too large, once more from the start and without them.
    fn search(&mut self, point: &mut [i128], work: &mut Work) -> Result<bool, Stop> {
        match self.search_with(point, true, work) {
            Err(Stop::Overflow) => {
                self.engine = Engine::Small(Search::default());
                self.search_with(point, false, work)
            }
            answer => answer,
        }
    }

    fn search_with(
        &mut self,
        point: &mut [i128],
        cuts: bool,
        work: &mut Work,
    ) -> Result<bool, Stop> {
        let stale = match &self.engine {
            Engine::Small(search) => search.is_stale(),
            Engine::Large(search) => search.is_stale() || self.ranges.len() < Dense::MAX_COLUMNS,
        };
        if stale {
            self.engine = Engine::Small(Search::default());
        }
        if let Engine::Small(search) = &mut self.engine {
            match search.run(&self.log, &self.ranges, point, cuts, work) {
                Err(Stop::Columns) => self.engine = Engine::Large(Search::default()),
                answer => return answer,
            }
        }
        match &mut self.engine {
            Engine::Large(search) => search.run(&self.log, &self.ranges, point, cuts, work),
            Engine::Small(_) => Err(Stop::Columns),
        }
    }

    /// The value of a variable in the model of the last check, if that said [`Answer::Sat`].
    pub fn value(&self, var: Var) -> i128 {
        let known = self.models.current().get(var.0 as usize).copied();
        known.unwrap_or_else(|| {
            let (lo, hi) = self.ranges[var.0 as usize];
            0.clamp(lo, hi)
        })
    }
}

/// A name that nobody gave.
const UNNAMED: u32 = 1 << 31;

const OVERFLOW: &str = "coefficient overflow";
