//! Bit-blasting: conditions become clauses, and an embedded SAT solver decides them.
//!
//! The last and strongest solver of the default build: it understands every operation on integers
//! and on floats.
//! It is incremental: the literals of a term are kept while the term lives, gates even longer,
//! and conditions are passed as assumptions, so that what was learnt on one path helps on the
//! next. `docs/sat-solver.md` says which SAT solver, and why.

mod arithmetic;
mod encode;
mod float;
mod gates;
mod ieee;
mod lazy;
mod sat;
mod shift;
#[cfg(test)]
pub(crate) mod tests;

use crate::answer::{Answer, Reason};
use crate::evaluated::{Evaluated, Verdict};
use crate::linear::Work;
use encode::Encoder;
#[doc(hidden)]
pub use ieee::{FloatCircuit, Input, Step};
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use sat::{Lit, SatAnswer};

/// What adding a clause costs, in work units.
const CLAUSE: u64 = 50;

/// SAT variables that are always affordable.
const SMALL: usize = 1 << 14;

/// Decides conditions over the terms of one arena.
///
/// ```
/// use pessimum_solver::{Answer, Work, blast::Blaster};
/// use pessimum_term::{Arena, Domain, Op, VarId, Width};
///
/// let mut arena = Arena::new();
/// let x = arena.variable(Width::W32, Domain::full(Width::W32));
/// let square = arena.binary(Op::Mul, x, x);
/// let k = arena.constant(Width::W32, 1_522_756);
/// let is_k = arena.binary(Op::Eq, square, k);
///
/// let mut blaster = Blaster::new();
/// assert_eq!(blaster.solve(&arena, &[is_k], &mut Work::unlimited()), Answer::Sat);
/// let root = blaster.value(VarId(0)).unwrap() as u32;
/// assert_eq!(root.wrapping_mul(root), 1_522_756);
/// ```
pub struct Blaster {
    encoder: Encoder,
    assumptions: Vec<Lit>,
    /// Which constraint of the last query each assumption stands for.
    owners: Vec<usize>,
    /// A constraint of the last query that nothing satisfies.
    absurd: Option<usize>,
    /// SAT variables after the first query since the last rebuild.
    base: Option<usize>,
}

impl Default for Blaster {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Blaster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blaster")
            .field("sat_variables", &self.encoder.gates.sat.size())
            .finish_non_exhaustive()
    }
}

impl Blaster {
    /// A solver that knows nothing yet.
    pub fn new() -> Self {
        Blaster {
            encoder: Encoder::new(),
            assumptions: Vec::new(),
            owners: Vec::new(),
            absurd: None,
            base: None,
        }
    }

    /// Forgets the terms with ids at or above `terms`.
    ///
    /// To be called whenever the arena was undone and before it grows again, with
    /// [`Arena::len`] as it then is: the arena gives the same ids to other terms.
    pub fn undo_to(&mut self, terms: usize) {
        self.encoder.undo_to(terms);
    }

    /// Whether all `constraints` can hold at once, each variable within its domain.
    ///
    /// What it costs is taken from `work`; when that runs out the answer is
    /// [`Reason::Work`]. The same calls on a new solver give the same answers and models.
    pub fn solve(&mut self, arena: &Arena, constraints: &[TermId], work: &mut Work) -> Answer {
        self.rebuild_if_bloated();
        if let Err(answer) = self.encode(arena, constraints, work) {
            return answer;
        }
        let answer = self.search(arena, constraints, work);
        let size = self.encoder.gates.sat.size();
        self.base.get_or_insert(size);
        answer
    }

    /// Searches until a model is one, or there is none: float operations whose result the search has made up are computed
    /// from then on.
    fn search(&mut self, arena: &Arena, constraints: &[TermId], work: &mut Work) -> Answer {
        loop {
            let mut left = work.left();
            let sat = &mut self.encoder.gates.sat;
            let outcome = sat.solve(&self.assumptions, &mut left, work.deadline());
            work.spend(work.left() - left);
            match outcome {
                SatAnswer::Unsat => return Answer::Unsat,
                SatAnswer::Limit => return Answer::Unknown(Reason::Work),
                SatAnswer::Sat => {}
            }
            if let Some(evaluated) = self.evaluated(arena, constraints) {
                return Verdict::Sat(evaluated).into();
            }
            let missed = self.missed(arena, constraints, work);
            match self.encoder.refine(arena, missed, work) {
                Some(0) => {
                    debug_assert!(false, "every other operation is encoded");
                    return Answer::Unknown(Reason::Incomplete);
                }
                Some(_) => {}
                None => return Answer::Unknown(Reason::Work),
            }
        }
    }

    /// The constraints that the model does not satisfy.
    fn missed(&self, arena: &Arena, constraints: &[TermId], work: &mut Work) -> Vec<TermId> {
        let mut eval = Evaluator::new();
        let mut missed = constraints.to_vec();
        missed.retain(|t| eval.value(arena, *t, |v| self.value_or_least(arena, v)) != 1);
        work.spend(eval.steps());
        missed
    }

    /// After [`Answer::Unsat`]: constraints of that query that have no model together, by their places in it.
    pub fn core(&self) -> Vec<usize> {
        if let Some(at) = self.absurd {
            return vec![at];
        }
        let needed = |lit: &Lit| self.encoder.gates.sat.is_needed(*lit);
        let assumed = self.assumptions.iter().zip(&self.owners);
        let mut core: Vec<(Lit, usize)> =
            assumed.filter(|(lit, _)| needed(lit)).map(|(lit, at)| (*lit, *at)).collect();
        // Two constraints may be one literal.
        core.sort_unstable();
        core.dedup_by_key(|entry| entry.0);
        core.into_iter().map(|entry| entry.1).collect()
    }

    /// The value of a variable in the model of the last [`Answer::Sat`]; `None` if no query has
    /// mentioned it, and then any value of its domain will do.
    pub fn value(&self, v: VarId) -> Option<u64> {
        Some(self.encoder.gates.sat.number(self.encoder.variable(v)?))
    }

    /// Fills `assumptions`, or says the answer that needs no search.
    fn encode(
        &mut self,
        arena: &Arena,
        constraints: &[TermId],
        work: &mut Work,
    ) -> Result<(), Answer> {
        self.assumptions.clear();
        self.owners.clear();
        self.absurd = None;
        for (at, &t) in constraints.iter().enumerate() {
            let before = self.encoder.gates.sat.clauses();
            let limit = before.saturating_add(work.left() / CLAUSE);
            let literal = self.encoder.condition(arena, t, limit);
            let added = self.encoder.gates.sat.clauses() - before;
            let paid = work.spend(1 + added * CLAUSE);
            let literal = literal.filter(|_| paid);
            let literal = literal.ok_or(Answer::Unknown(Reason::Work))?;
            match self.encoder.gates.constant(literal) {
                Some(true) => {}
                Some(false) => {
                    self.absurd = Some(at);
                    return Err(Answer::Unsat);
                }
                None => {
                    self.assumptions.push(literal);
                    self.owners.push(at);
                }
            }
        }
        Ok(())
    }

    /// Every search assigns every SAT variable, also those of terms long gone: when these are the
    /// greater part by far, a new start is cheaper.
    fn rebuild_if_bloated(&mut self) {
        let base = self.base.unwrap_or(usize::MAX / 8);
        if self.encoder.gates.sat.size() > SMALL + 4 * base {
            *self = Blaster::new();
        }
    }

    fn evaluated(&self, arena: &Arena, constraints: &[TermId]) -> Option<Evaluated> {
        Evaluated::all(arena, constraints, |v| self.value_or_least(arena, v))
    }

    /// Whoever was never mentioned takes any value.
    fn value_or_least(&self, arena: &Arena, v: VarId) -> u64 {
        self.value(v).unwrap_or_else(|| arena.range(arena.var_term(v)).umin)
    }
}
