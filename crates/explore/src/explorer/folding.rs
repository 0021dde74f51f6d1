//! Assertions that are dropped for a later one that says more, while no choice point stands between them.

use super::Explorer;
use crate::observer::Observer;
use pessimum_learn::Guide;
use pessimum_term::TermId;

/// An assertion of a condition that nobody else holds, with no choice point since.
#[derive(Clone, Copy)]
pub(super) struct Foldable {
    /// Before it was asserted, and before its terms were built.
    solver: pessimum_solver::Mark,
    terms: pessimum_term::Mark,
    /// After both.
    end: pessimum_term::Mark,
}

impl<G: Guide, O: Observer> Explorer<'_, G, O> {
    /// As [`Explorer::assert`] for the only side of a branch that a guide follows. What such a path asserts is
    /// mostly an order that says more than the one before: of a million the last few are needed.
    pub(super) fn assert_only_side(&mut self, condition: TermId) {
        let (solver, earlier) = (self.solver.mark(), self.foldable);
        self.assert(condition);
        let Some(terms) = self.machine.before_the_condition() else { return };
        if self.merger.is_some() {
            return;
        }
        let mut here = Foldable { solver, terms, end: terms };
        if let Some(earlier) = earlier
            && earlier.end == terms
            && self.solver.fold_last(&mut self.arena, earlier.solver, earlier.terms)
        {
            // Ids that were evaluated stand for other terms now.
            self.start.forget();
            here = earlier;
        }
        self.foldable = Some(Foldable { end: self.arena.mark(), ..here });
    }
}
