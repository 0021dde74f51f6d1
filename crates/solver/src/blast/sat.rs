//! The embedded SAT solver behind a narrow door: variables, clauses, solving under assumptions
//! with a limit counted in steps. Nothing outside this file names the crate.

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;

/// A literal: a Boolean variable or its negation.
pub(super) type Lit = batsat::Lit;

/// What a run of the solver came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Sat,
    Unsat,
    Limit,
}

/// Counts the solver's steps and stops it when they are used up.
///
/// The solver asks before each decision whether to go on and reports each learnt clause: both are
/// functions of its inputs, so a limit cuts at the same point in every run.
#[derive(Debug, Default)]
struct Meter {
    left: Cell<u64>,
}

/// What a decision with its propagations costs, in work units. With these weights a unit came to 3
/// to 8 nanoseconds on the queries of `docs/sat-solver.md`, easy and hard.
const DECISION: u64 = 100;
/// What a conflict costs: the analysis walks a good part of the trail.
const CONFLICT: u64 = 5000;

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.left.set(self.left.get().saturating_sub(CONFLICT));
        }
    }

    fn stop(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(DECISION));
        left == 0
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
    pub(super) fn solve(&mut self, assumptions: &[Lit], limit: &mut u64) -> Outcome {
        self.solver.cb_mut().left.set(*limit);
        let outcome = self.solver.solve_limited(assumptions);
        *limit = self.solver.cb().left.get();
        if outcome == lbool::TRUE {
            Outcome::Sat
        } else if outcome == lbool::FALSE {
            Outcome::Unsat
        } else {
            Outcome::Limit
        }
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
}
