//! The only source of *sat*: a model that was evaluated.
//!
//! Every link of the chain may be wrong about what it calls a model. None of them can say *sat*: that takes
//! an [`Evaluated`], and this room alone makes one, by evaluating the terms themselves on the values in
//! question. A link that offers values which do not pass has no answer, and the next link is asked.
//!
//! What has to be evaluated is the question and whatever mentions an input that moved: the rest of the path
//! condition is as true as it was, and so is an order of two inputs of which the lower fell. A condition on one byte is evaluated by its table, which the evaluator
//! filled; everything else as the term that it is.

use crate::answer::{Answer, Reason};
use crate::component::Component;
use crate::difference::{ByteSet, Graph};
use crate::solver::{NONE, Solver};
use pessimum_term::{Arena, Evaluator, Node, Op, TermId, VarId};

/// That the terms in question were evaluated on a model, and are true.
#[derive(Debug)]
#[must_use]
pub(crate) struct Evaluated(());

/// An [`Answer`] in the making: *sat* comes with its evaluation.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Sat, by a model that was evaluated.
    Sat(Evaluated),
    /// Unsat, by a theory that encodes what it was given in full.
    Unsat,
    /// Nobody could tell.
    Unknown(Reason),
}

impl From<Verdict> for Answer {
    #[inline]
    fn from(verdict: Verdict) -> Answer {
        match verdict {
            Verdict::Sat(Evaluated(())) => Answer::Sat,
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

impl Evaluated {
    /// Evaluates `terms` on a whole assignment, every variable of the arena within its domain.
    pub(crate) fn all(
        arena: &Arena,
        terms: &[TermId],
        value: impl Fn(VarId) -> u64,
    ) -> Option<Evaluated> {
        let mut eval = Evaluator::new();
        let inside = (0..arena.var_count()).map(VarId).all(|v| in_domain(arena, v, value(v)));
        let holds = inside && terms.iter().all(|t| eval.value(arena, *t, &value) == 1);
        holds.then_some(Evaluated(()))
    }
}

/// Whether the domain of a variable has these bits.
#[inline]
pub(crate) fn in_domain(arena: &Arena, v: VarId, bits: u64) -> bool {
    arena.admits(v, bits)
}

impl Solver {
    /// The present model satisfies the path condition: every value in it was evaluated when it came.
    #[inline]
    pub(crate) fn standing(&self) -> Option<Evaluated> {
        self.broken.is_empty().then_some(Evaluated(()))
    }

    /// What is pending was evaluated when it was found, and nothing has moved since.
    #[inline]
    pub(crate) fn found_before(&self, c: TermId) -> Option<Evaluated> {
        (self.pending == Some(c)).then_some(Evaluated(()))
    }

    /// Evaluates `c` on the present model, which satisfies the path condition.
    #[inline]
    pub(crate) fn present(&mut self, arena: &Arena, c: TermId) -> Option<Evaluated> {
        let standing = self.standing()?;
        self.is_true(arena, c).then_some(standing)
    }

    /// As [`Solver::present`] for a condition on the byte `v`, given its table: the values that satisfy it.
    #[inline]
    pub(crate) fn present_in_table(&self, v: VarId, table: &ByteSet) -> Option<Evaluated> {
        let standing = self.standing()?;
        table.contains(self.graph.bits(v)).then_some(standing)
    }

    /// Whether the present model, changed as `witness` says, is a model of the path condition and of `c`.
    /// If so, `c` is pending with that witness. The model stays as it is.
    ///
    /// Where assertions are broken, `component` has to name all that hangs together with them.
    #[inline]
    pub(crate) fn try_witness(
        &mut self,
        arena: &Arena,
        c: TermId,
        component: Option<&Component>,
    ) -> Option<Evaluated> {
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        for &(n, _) in &self.witness {
            let v = VarId(n >> 1);
            before.push((v, self.graph.bits(v)));
        }
        self.graph.apply(&self.witness);
        self.eval.forget();
        let good = self.is_true(arena, c)
            && match component {
                Some(component)
                    if !self.broken.is_empty() || 8 * before.len() > component.vars.len() =>
                {
                    before.iter().all(|&(v, _)| in_domain(arena, v, self.graph.bits(v)))
                        && component.assertions.iter().all(|&i| {
                            let t = self.assertions[i as usize];
                            self.is_true(arena, t)
                        })
                }
                _ => {
                    // Orders that the only move cannot have broken need no second look.
                    let alone = before.len() == 1;
                    self.broken.is_empty()
                        && before
                            .iter()
                            .all(|&(v, old)| self.all_hold(arena, v, alone.then_some(old)))
                }
            };
        for &(v, bits) in before.iter().rev() {
            self.graph.set_bits(v, bits);
        }
        self.before = before;
        self.eval.forget();
        self.pending = good.then_some(c);
        good.then_some(Evaluated(()))
    }

    #[inline]
    fn is_true(&mut self, arena: &Arena, c: TermId) -> bool {
        order(arena, &self.graph, c).unwrap_or_else(|| self.evaluate(arena, c) != 0)
    }

    /// Hands the model that was found for `part` on to `whole`, if it satisfies that as well.
    pub(crate) fn hand_on(
        &mut self,
        arena: &Arena,
        part: TermId,
        whole: TermId,
    ) -> Option<Evaluated> {
        if self.pending == Some(part) {
            self.try_witness(arena, whole, None)
        } else {
            self.present(arena, whole)
        }
    }

    /// Whether the present values satisfy every assertion on `v`, and its domain; `old` are its bits in a
    /// model of all that differs from this one nowhere else.
    fn all_hold(&mut self, arena: &Arena, v: VarId, old: Option<u64>) -> bool {
        if !in_domain(arena, v, self.graph.bits(v)) {
            return false;
        }
        // The tables of all conditions on this byte alone.
        if self.graph.set_of(v).is_some_and(|set| !set.contains(self.graph.bits(v))) {
            return false;
        }
        let touched = self.touched[v.0 as usize];
        let (mut at, mut left) = (touched.head, touched.terms);
        while at != NONE && left > 0 {
            let touch = self.touches[at as usize];
            if !touch.table {
                left -= 1;
                let t = self.assertions[touch.assertion as usize];
                if !self.is_true(arena, t) {
                    return false;
                }
            }
            at = touch.next;
        }
        self.looked_at += u64::from(touched.terms);
        let (graph, eval, assertions) = (&self.graph, &mut self.eval, &self.assertions);
        let looked_at = &mut self.looked_at;
        graph.origins(v, old, |assertion| {
            *looked_at += 1;
            let t = assertions[assertion as usize];
            order(arena, graph, t).unwrap_or_else(|| eval.value(arena, t, |v| graph.bits(v)) != 0)
        })
    }
}

/// Whether a term is an order of two inputs as they are.
#[inline]
pub(crate) fn is_order(arena: &Arena, t: TermId) -> bool {
    let node = arena.node(t);
    matches!(node.op, Op::Slt | Op::Sle | Op::Ult | Op::Ule)
        && arena.node(node.arg(0)).op == Op::Var
        && arena.node(node.arg(1)).op == Op::Var
}

/// The value of an order of two inputs, which most assertions are, or of whether they are the same.
#[inline(always)]
fn order(arena: &Arena, graph: &Graph, t: TermId) -> Option<bool> {
    let node = arena.node(t);
    if node.op == Op::Not {
        let inner = arena.node(node.arg(0));
        return if inner.op == Op::Eq {
            comparison(arena, graph, inner).map(|is| !is)
        } else {
            None
        };
    }
    comparison(arena, graph, node)
}

#[inline(always)]
fn comparison(arena: &Arena, graph: &Graph, node: &Node) -> Option<bool> {
    if !matches!(node.op, Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Eq) {
        return None;
    }
    let x = arena.node(node.arg(0)).as_var()?;
    let y = arena.node(node.arg(1)).as_var()?;
    Some(match node.op {
        Op::Slt => graph.signed(x) < graph.signed(y),
        Op::Sle => graph.signed(x) <= graph.signed(y),
        Op::Ult => graph.bits(x) < graph.bits(y),
        Op::Eq => graph.bits(x) == graph.bits(y),
        _ => graph.bits(x) <= graph.bits(y),
    })
}
