//! Conditions made of conditions.

use crate::evaluated::Verdict;
use crate::solver::Solver;
use pessimum_term::{Arena, Op, TermId, Width};

/// Conjunctions and disjunctions with more parts are left whole.
const PARTS: usize = 64;

impl Solver {
    /// Answers for a condition that is no single atom.
    pub(crate) fn ask_compound(&mut self, arena: &mut Arena, c: TermId) -> Verdict {
        if let Some(evaluated) = self.present(arena, c) {
            self.stats.by_model += 1;
            return Verdict::Sat(evaluated);
        }
        if let Some(parts) = conjuncts(arena, c) {
            return self.ask_all(arena, c, &parts);
        }
        if let Some(parts) = disjuncts(arena, c) {
            return self.ask_any(arena, c, &parts);
        }
        self.ask_the_strong(arena, c)
    }

    /// One part after the other; the model moves along and in the end satisfies them all.
    fn ask_all(&mut self, arena: &mut Arena, c: TermId, parts: &[TermId]) -> Verdict {
        let mark = self.mark();
        let mut refuted = false;
        for &part in parts {
            match self.fact(part) {
                Some(true) => continue,
                Some(false) => refuted = true,
                None => match self.ask(arena, part) {
                    Verdict::Sat(_) => {
                        self.assert(arena, part);
                        continue;
                    }
                    Verdict::Unsat => refuted = true,
                    Verdict::Unknown(_) => {}
                },
            }
            break;
        }
        self.undo_to(mark);
        if refuted {
            return Verdict::Unsat;
        }
        match self.present(arena, c) {
            Some(evaluated) => Verdict::Sat(evaluated),
            // The parts together may have been too much for what one of them alone can show.
            None => self.ask_the_strong(arena, c),
        }
    }

    fn ask_any(&mut self, arena: &mut Arena, c: TermId, parts: &[TermId]) -> Verdict {
        let mut open = false;
        for &part in parts {
            match self.ask(arena, part) {
                Verdict::Sat(_) => {
                    if let Some(evaluated) = self.hand_on(arena, part, c) {
                        return Verdict::Sat(evaluated);
                    }
                    open = true;
                }
                Verdict::Unsat => {}
                Verdict::Unknown(_) => open = true,
            }
        }
        if open { self.ask_the_strong(arena, c) } else { Verdict::Unsat }
    }

    /// The value of a term in the present model.
    pub(crate) fn evaluate(&mut self, arena: &Arena, t: TermId) -> u64 {
        let graph = &self.graph;
        self.eval.value(arena, t, |v| graph.bits(v))
    }
}

/// The parts of a conjunction, if `c` is one and not too long.
pub(crate) fn conjuncts(arena: &mut Arena, c: TermId) -> Option<Vec<TermId>> {
    flatten(arena, c, true)
}

/// The parts of a disjunction, if `c` is one and not too long.
fn disjuncts(arena: &mut Arena, c: TermId) -> Option<Vec<TermId>> {
    flatten(arena, c, false)
}

/// With `want` the parts of a conjunction, else those of a disjunction.
fn flatten(arena: &mut Arena, c: TermId, want: bool) -> Option<Vec<TermId>> {
    let mut parts = Vec::new();
    // Each with whether it stands under a negation.
    let mut stack = vec![(c, false)];
    let mut steps = 0;
    while let Some((t, negated)) = stack.pop() {
        steps += 1;
        if steps > 4 * PARTS {
            return None;
        }
        let node = *arena.node(t);
        let of_conditions = node.width == Width::BOOL;
        match node.op {
            Op::Not => stack.push((node.arg(0), !negated)),
            Op::And if of_conditions && want != negated => {
                stack.extend([(node.arg(1), negated), (node.arg(0), negated)]);
            }
            Op::Or if of_conditions && want == negated => {
                stack.extend([(node.arg(1), negated), (node.arg(0), negated)]);
            }
            _ if parts.len() == PARTS => return None,
            _ => parts.push(if negated { arena.not(t) } else { t }),
        }
    }
    (parts.len() > 1).then_some(parts)
}
