//! Assertions that a later one makes superfluous, dropped for good.
//!
//! The worst path of insertion sort has n²/2 orders, of which n matter: the value that is inserted is less than
//! the greatest of the sorted ones, then less than the next, and each of these says all that the ones before it
//! said. Where no choice point stands between two such assertions nobody comes back to the first, and it need not
//! be kept: neither its edge nor its place in the path condition, nor its term.
//!
//! *Layout*: nothing is marked as dead. The later assertion is taken back together with the earlier one, down to the
//! mark before that, and made again: edges, trail, facts and terms stay stacks without holes, and a path of n² such
//! orders takes the room of n.
//!
//! *Cost of a step*: a look at no more than [`LOOK`] edges of one node, and two assertions undone and one made,
//! none of which asks anything; the model is not touched. Against that, every later pass over a list of edges is over a
//! short one.
//!
//! *Soundness*: what is dropped follows from what stays (`x ≤ y + k` and `y ≤ z + j` with `k + j` at most the bound
//! of the earlier order), so the path condition has the models that it had. A reason for *unsat* that would have named
//! the dropped assertion names those that imply it.

use crate::evaluated::is_order;
use crate::solver::{Mark, Solver};
use pessimum_term::Arena;

/// Edges that are looked at to find the one by which an order follows.
pub(crate) const LOOK: u32 = 16;

impl Solver {
    /// Drops the last assertion but one if it follows from the last one and the rest. Whether it did.
    ///
    /// The two are all that was asserted since `before`, and all that the arena has got since `terms` is known to
    /// nobody but them: their ids are given away again.
    ///
    /// ```
    /// use pessimum_solver::{Answer, Solver};
    /// use pessimum_term::{Arena, Domain, Op, Width};
    ///
    /// let mut arena = Arena::new();
    /// let mut solver = Solver::new();
    /// let [x, y, z] = [(); 3].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
    /// let known = arena.binary(Op::Slt, y, z);
    /// assert_eq!(solver.assert(&mut arena, known), Answer::Sat);
    /// let (before, terms) = (solver.mark(), arena.mark());
    /// for bound in [z, y] {
    ///     let less = arena.binary(Op::Slt, x, bound);
    ///     assert_eq!(solver.assert(&mut arena, less), Answer::Sat);
    /// }
    /// // x < y and y < z make x < z.
    /// assert!(solver.fold_last(&mut arena, before, terms));
    /// assert_eq!(solver.assertions().len(), 2);
    /// ```
    pub fn fold_last(
        &mut self,
        arena: &mut Arena,
        before: Mark,
        terms: pessimum_term::Mark,
    ) -> bool {
        let kept = before.assertions as usize;
        let &[first, last] = self.assertions.get(kept..).unwrap_or_default() else { return false };
        let orders = is_order(arena, first) && is_order(arena, last);
        // With no touches in between, the two are edges and nothing else.
        let edges_alone =
            self.touch_start.get(kept).is_some_and(|at| *at as usize == self.touches.len());
        if !orders
            || !edges_alone
            || !self.broken.is_empty()
            || !self.graph.newest_implies_the_one_before(before.graph)
        {
            return false;
        }
        let node = *arena.node(last);
        if [node.arg(0), node.arg(1)].iter().any(|side| side.index() >= terms.terms()) {
            return false;
        }
        self.undo_to(Mark { terms: before.terms.min(terms.terms()), ..before });
        arena.undo_to(terms);
        let again = arena.binary(node.op, node.arg(0), node.arg(1));
        debug_assert_eq!(*arena.node(again), node, "it was in normal form");
        self.sync(arena);
        self.record(arena, again);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;
    use pessimum_term::{Domain, Op, TermId, VarId, Width};

    /// Random orders asserted with folding and without: the same questions have the same answers, and the folded
    /// path condition is no longer.
    #[test]
    fn a_folded_path_condition_has_the_same_models() {
        let mut state = 3u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let (mut folded, mut asked) = (0, 0);
        for round in 0..400 {
            let width = [Width::W32, Width::W8][round % 2];
            let domain = [Domain::full(width), Domain { lo: 0, hi: 5 }][round / 2 % 2];
            let mut worlds = [(); 2].map(|()| {
                let mut arena = Arena::new();
                let vars: Vec<TermId> = (0..6).map(|_| arena.variable(width, domain)).collect();
                (arena, Solver::new(), vars)
            });
            let mut last = None;
            let (mut op, mut i) = (Op::Slt, 0);
            for _ in 0..40 {
                // As a loop compares: the same input with one after the other.
                if random(5) == 0 {
                    op = [Op::Slt, Op::Sle, Op::Ult][random(3) as usize];
                    i = random(6) as usize;
                }
                let j = random(6) as usize;
                let (i, j) = if round % 3 == 0 { (j, i) } else { (i, j) };
                if i == j {
                    continue;
                }
                let answers = worlds.each_mut().map(|(arena, solver, vars)| {
                    let (before, terms) = (solver.mark(), arena.mark());
                    let c = arena.binary(op, vars[i], vars[j]);
                    let answer = solver.check(arena, c);
                    (answer, before, terms, c)
                });
                asked += 1;
                assert_eq!(answers[0].0, answers[1].0, "round {round}");
                let negated = worlds.each_mut().map(|(arena, solver, vars)| {
                    let mark = arena.mark();
                    let solver_mark = solver.mark();
                    let c = arena.binary(op, vars[i], vars[j]);
                    let no = arena.not(c);
                    let answer = solver.check(arena, no);
                    solver.undo_to(solver_mark);
                    arena.undo_to(mark);
                    answer
                });
                assert_eq!(negated[0], negated[1], "round {round}");
                // Forced sides are not asserted.
                if answers[0].0 != Answer::Sat || negated[0] != Answer::Sat {
                    last = None;
                    continue;
                }
                for ((arena, solver, _), (_, _, _, c)) in worlds.iter_mut().zip(&answers) {
                    assert_eq!(solver.assert(arena, *c), Answer::Sat);
                }
                let (arena, solver, _) = &mut worlds[0];
                let (_, before, terms, _) = answers[0];
                last = match last {
                    Some((old, old_terms, end)) if end == terms => {
                        if solver.fold_last(arena, old, old_terms) {
                            folded += 1;
                            Some((old, old_terms, arena.mark()))
                        } else {
                            Some((before, terms, arena.mark()))
                        }
                    }
                    _ => Some((before, terms, arena.mark())),
                };
                assert!(solver.has_model());
                let value = |v: VarId| solver.var_value(v);
                let path = solver.assertions().to_vec();
                assert!(crate::evaluated::Evaluated::all(arena, &path, value).is_some());
            }
            let [(_, short, _), (arena, long, _)] = &worlds;
            assert!(short.assertions().len() <= long.assertions().len());
            // The model of the shorter list is one of the longer.
            let value = |v: VarId| short.var_value(v);
            assert!(crate::evaluated::Evaluated::all(arena, long.assertions(), value).is_some());
        }
        assert!(asked > 5000 && folded > 100, "{folded} of {asked}");
    }
}
