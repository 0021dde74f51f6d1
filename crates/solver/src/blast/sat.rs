//! The embedded SAT solver behind a narrow door: variables, clauses, solving under assumptions
//! with a limit counted in steps. Nothing outside this file names the crate.

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, lbool};
use pessimum_clock::Deadline;
use std::cell::Cell;

/// A literal: a Boolean variable or its negation.
pub(super) type Lit = batsat::Lit;

/// What a run of the solver came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SatAnswer {
    Sat,
    Unsat,
    Limit,
}

/// Counts the solver's steps as they are foreseen, and stops it when they are used up.
///
/// The solver asks before each decision whether to go on and reports each learnt clause: both are
/// functions of its inputs, so a limit cuts at the same point in every run. What it propagates is not
/// told while it runs: see [`Sat::solve`].
#[derive(Debug, Default)]
struct Meter {
    left: Cell<u64>,
    /// What a decision with its propagations costs.
    decision: u64,
    /// When to stop in any case, and what may be spent before the clock is looked at again.
    deadline: Deadline,
    unclocked: Cell<u64>,
}

/// What is spent between two looks at the clock: some hundredths of a second.
const CLOCK: u64 = 4_000_000;

/// What a run costs for each variable, in work units: the assumptions are propagated anew. With
/// these weights a unit comes to about four nanoseconds, on the hash of a word (900 variables) as
/// on a number read to a double (49,000).
const START: u64 = 8;
/// What a decision costs: a part of the variables follow from it, one in dozens.
const DECISION: u64 = 50;
const VARIABLES_PER_UNIT: u64 = 2;
/// What a conflict costs beside: the clause that is learnt.
const CONFLICT: u64 = 1500;
/// What a literal that follows costs: its clauses lie anywhere in memory.
const PROPAGATION: u64 = 25;

/// What is foreseen for the first go of a run; each after it has twice as much.
const FIRST_GO: u64 = 1 << 18;

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.left.set(self.left.get().saturating_sub(CONFLICT));
        }
    }

    fn stop(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(self.decision));
        left == 0 || self.is_late(left)
    }
}

impl Meter {
    /// Whether the time is up. The solver asks again before it believes it.
    fn is_late(&self, left: u64) -> bool {
        if self.deadline.is_never() || left > self.unclocked.get() {
            return false;
        }
        let late = self.deadline.is_over();
        if !late {
            self.unclocked.set(left.saturating_sub(CLOCK));
        }
        late
    }
}

/// The solver, the clauses given so far and the last model.
pub(super) struct Sat {
    solver: Solver<Meter>,
    truth: Lit,
    clause: Vec<Lit>,
    clauses: u64,
}

impl Sat {
    pub(super) fn new() -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Meter::default());
        let truth = Lit::new(solver.new_var_default(), true);
        let mut sat = Sat { solver, truth, clause: Vec::new(), clauses: 0 };
        sat.add(&[truth]);
        sat
    }

    /// The literal that always holds.
    #[inline]
    pub(super) fn truth(&self) -> Lit {
        self.truth
    }

    /// A new variable, as a literal.
    #[inline]
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Asserts that one of `literals` holds.
    pub(super) fn add(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// How many variables there are.
    pub(super) fn size(&self) -> usize {
        self.solver.num_vars() as usize
    }

    /// How many clauses were ever added: the measure of what encoding costs.
    pub(super) fn clauses(&self) -> u64 {
        self.clauses
    }

    /// Looks for a model in which all `assumptions` hold; takes what it spends from `limit`.
    ///
    /// How much follows from a decision is known when a run has ended. So the solver is let go for a while, then for
    /// twice as long, and goes on with what it learnt until what it has really done is as much as the limit.
    pub(super) fn solve(
        &mut self,
        assumptions: &[Lit],
        limit: &mut u64,
        deadline: &Deadline,
    ) -> SatAnswer {
        let variables = self.size() as u64;
        let mut go = FIRST_GO;
        *limit = limit.saturating_sub(START * variables);
        loop {
            let (foreseen, before) = (go.min(*limit), self.done());
            let meter = self.solver.cb_mut();
            meter.decision = DECISION + variables / VARIABLES_PER_UNIT;
            meter.left.set(foreseen);
            meter.deadline.clone_from(deadline);
            meter.unclocked.set(foreseen);
            let outcome = self.solver.solve_limited(assumptions);
            let counted = foreseen - self.solver.cb().left.get();
            *limit = limit.saturating_sub(counted.max(self.done() - before));
            if outcome == lbool::TRUE {
                return SatAnswer::Sat;
            } else if outcome == lbool::FALSE {
                return SatAnswer::Unsat;
            } else if *limit == 0 || deadline.is_over() {
                return SatAnswer::Limit;
            }
            go *= 2;
        }
    }

    /// What the solver has ever done, in work units.
    fn done(&self) -> u64 {
        self.solver.num_propagations() * PROPAGATION + self.solver.num_conflicts() * CONFLICT
    }

    /// Whether the last [`SatAnswer::Unsat`] needs this assumption.
    pub(super) fn is_needed(&self, assumption: Lit) -> bool {
        self.solver.unsat_core_contains_var(assumption.var())
    }

    /// The value of a literal in the last model. A literal made since then, or that the model
    /// leaves open, is false.
    pub(super) fn value(&self, literal: Lit) -> bool {
        let var = literal.var();
        let model = self.solver.get_model();
        let known = model.get(var.idx() as usize).copied();
        let positive = known == Some(lbool::TRUE);
        positive == literal.sign()
    }

    /// The value of up to 64 bits in the last model, the least first.
    pub(super) fn number(&self, bits: &[Lit]) -> u64 {
        bits.iter().rev().fold(0, |sum, bit| sum << 1 | u64::from(self.value(*bit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clauses of three literals, as many as make a question hard.
    fn hard(variables: usize) -> Sat {
        let mut sat = Sat::new();
        let all: Vec<Lit> = (0..variables).map(|_| sat.fresh()).collect();
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        for _ in 0..variables * 43 / 10 {
            let clause = [(); 3].map(|()| {
                let literal = all[next() % variables];
                if next() % 2 == 0 { literal } else { !literal }
            });
            sat.add(&clause);
        }
        sat
    }

    /// What a run has really done is what is held to the limit, not what was foreseen.
    #[test]
    fn a_limit_holds_for_what_is_propagated() {
        let mut sat = hard(400);
        let mut left = 20_000_000;
        let answer = sat.solve(&[], &mut left, &Deadline::NEVER);
        assert_eq!((answer, left), (SatAnswer::Limit, 0));
        assert!((20_000_000..60_000_000).contains(&sat.done()), "{}", sat.done());
    }

    /// Going on in several goes finds what one go finds.
    #[test]
    fn a_question_that_takes_several_goes_is_answered() {
        let mut sat = hard(150);
        let mut left = u64::MAX / 2;
        let answer = sat.solve(&[], &mut left, &Deadline::NEVER);
        assert_ne!(answer, SatAnswer::Limit);
        assert!(sat.done() > 2 * FIRST_GO, "{}", sat.done());
        let again = hard(150).solve(&[], &mut (u64::MAX / 2), &Deadline::NEVER);
        assert_eq!(answer, again);
    }
}
