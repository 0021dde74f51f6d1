//! The system's Z3 as a further back end (feature `z3`): it reads floats too, and it is the oracle
//! that the property tests hold the other solvers against.
//!
//! Queries go over as SMT-LIB text, the same that bug reports contain. That costs a parse per
//! query, and saves a second translation that could be wrong in its own ways.

use crate::answer::{Answer, Reason};
use crate::evaluated::{Evaluated, Verdict};
use pessimum_term::{Arena, SmtLib, TermId, VarId};
use z3::ast::BV;
use z3::{Params, SatResult, Solver};

/// Asks Z3, each query from the start.
#[derive(Clone, Copy, Debug)]
pub struct Z3Solver {
    limit: u32,
}

impl Default for Z3Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Z3Solver {
    /// A solver that takes all the steps it needs.
    pub fn new() -> Self {
        Self::with_limit(0)
    }

    /// A solver that gives up after `limit` of Z3's own resource units, which unlike seconds are
    /// the same in every run; zero is no limit.
    pub fn with_limit(limit: u32) -> Self {
        Z3Solver { limit }
    }

    /// Whether all `constraints` can hold at once, and if so a value for every variable of the
    /// arena, in order. A model is evaluated before it is believed.
    pub fn solve(&self, arena: &Arena, constraints: &[TermId]) -> (Answer, Vec<u64>) {
        let text = SmtLib::new(arena, constraints).to_string();
        // Reading the text must not yet run the check it ends with.
        let assertions = text.trim_end().trim_end_matches("(check-sat)");
        let solver = Solver::new();
        if self.limit > 0 {
            let mut params = Params::new();
            params.set_u32("rlimit", self.limit);
            solver.set_params(&params);
        }
        solver.from_string(assertions);
        match solver.check() {
            SatResult::Unsat => (Answer::Unsat, Vec::new()),
            SatResult::Unknown => (Answer::Unknown(Reason::Work), Vec::new()),
            SatResult::Sat => match model(arena, constraints, &solver) {
                Some((evaluated, values)) => (Verdict::Sat(evaluated).into(), values),
                None => (Answer::Unknown(Reason::Incomplete), Vec::new()),
            },
        }
    }
}

/// The values Z3 found, if they satisfy the terms as the evaluator reads them.
fn model(arena: &Arena, constraints: &[TermId], solver: &Solver) -> Option<(Evaluated, Vec<u64>)> {
    let model = solver.get_model()?;
    let value = |v: VarId| {
        let bits = arena.width(arena.var_term(v)).bits();
        let name = BV::new_const(format!("x{}", v.0), bits);
        let found = model.eval(&name, false).and_then(|value| value.as_u64());
        // What no constraint mentions may be anything in its domain.
        found.unwrap_or(arena.domain(v).lo as u64 & (u64::MAX >> (64 - bits)))
    };
    let values: Vec<u64> = (0..arena.var_count()).map(|v| value(VarId(v))).collect();
    let evaluated = Evaluated::all(arena, constraints, |v| values[v.0 as usize])?;
    Some((evaluated, values))
}

#[cfg(test)]
mod tests;
