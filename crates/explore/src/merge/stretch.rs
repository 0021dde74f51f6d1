//! Between two decisions: ends of paths, and what the path condition is found to say there.

use super::count::Count;
use super::hull::Hull;
use super::lesson::Lesson;
use super::needs::{Extent, subset};
use super::table::{Below, END, Traps};
use super::way::Way;
use super::{Merger, Meter, join, squared};
use crate::finding::FindingKind;
use pessimum_learn::Decision;
use pessimum_solver::{Difference, Number, Simple, Solver};
use pessimum_term::{Arena, TermId, Width};

impl Merger {
    /// A path ended normally.
    pub(crate) fn leaf(&mut self, arena: &Arena, solver: &mut Solver, at: Meter) {
        self.model(arena, solver);
        let end = Below {
            paths: Count::from(1),
            worst: Some((0, END)),
            least: Some(0),
            lesson: if self.policies.is_some() { Lesson::end() } else { Lesson::default() },
            ..Below::default()
        };
        self.best = self.best.max(Some(at.cost));
        self.found.add(&end, at, END, || Some(Way::default()));
    }

    /// A path trapped.
    pub(crate) fn trap(
        &mut self,
        arena: &Arena,
        solver: &mut Solver,
        at: Meter,
        kind: FindingKind,
        position: u32,
    ) {
        self.model(arena, solver);
        let traps: Traps = vec![((kind, position), 1)];
        let end = Below { trapped: Count::from(1), traps, ..Below::default() };
        self.found.below.add(&end, at.counted(), END);
    }

    /// A path ended that is none: nothing is counted, but it took its instructions.
    pub(crate) fn dead_end(&mut self, at: Meter) {
        self.found.below.add(&Below::default(), at.counted(), END);
    }

    /// A decision was made.
    #[inline]
    pub(crate) fn decided(&mut self, decision: &Decision) {
        if self.policies.is_some() {
            self.found.decided.push(decision);
        }
    }

    /// Something happened that later states may not rely on.
    pub(crate) fn taint(&mut self) {
        self.found.tainted = true;
    }

    /// A value was split: which parts of it are decided, and in which order, depends on the terms there are,
    /// and this walk makes some that a plain one does not. So there is no use in counting paths.
    pub(crate) fn split(&mut self) {
        self.counted = false;
    }

    /// Something may have been read from one of several places, which the path condition told.
    pub(crate) fn region(&mut self) {
        self.found.below.regions = true;
        self.found.untraced = true;
    }

    /// Keeps the present model: it leads to the leaf that the walk stands at.
    pub(super) fn model(&mut self, arena: &Arena, solver: &mut Solver) {
        let Some(frame) = self.frames.last() else { return };
        if !solver.has_model() {
            self.found.tainted = true;
        } else if self.counted && !self.found.untraced {
            let plain = solver.is_plain(arena);
            let closed = solver.close(arena);
            self.fitted += squared(closed.active().count()) / 2;
            let point = Hull::point(closed, plain, frame.inputs, frame.positions);
            join(&mut self.found.hull, point);
        }
    }

    /// A condition was asserted.
    pub(crate) fn asserts(&mut self, arena: &mut Arena, solver: &mut Solver, condition: TermId) {
        if self.frames.is_empty() || self.found.untraced {
            return;
        }
        solver.spread(arena, condition);
        let Some(parts) = solver.simple(arena, condition) else {
            self.found.asserted.goes_beyond();
            return;
        };
        for part in parts {
            match part {
                Simple::Difference(edge) => {
                    self.domains(arena, edge);
                    self.found.asserted.edges.push(edge);
                    self.found.asserted.mention(arena, edge);
                }
                Simple::Member(v, set) => self.found.asserted.members.push((v, set)),
                Simple::Apart(apart) => {
                    // With an order that is known, it makes the order strict.
                    let closed = solver.close(arena);
                    for weak in [Some(apart), turned(apart)].into_iter().flatten() {
                        if closed.at(weak.x, weak.y) == weak.k.saturating_sub(1) {
                            self.domains(arena, weak);
                            self.found.asserted.need(weak);
                            self.found.asserted.edges.push(strict(weak));
                        }
                    }
                    self.found.asserted.differ(arena, apart, closed);
                }
            }
        }
    }

    /// How much was asserted, to take back what is asserted for a while.
    pub(crate) fn extent(&self) -> Extent {
        self.found.asserted.extent()
    }

    /// Takes back what was asserted since.
    pub(crate) fn back_to(&mut self, extent: Extent) {
        self.found.asserted.back_to(extent);
    }

    /// A condition was found to be implied, so that its opposite was not followed.
    pub(crate) fn forced(&mut self, arena: &mut Arena, solver: &mut Solver, condition: TermId) {
        if self.frames.is_empty() || self.found.untraced {
            return;
        }
        match solver.simple(arena, condition) {
            Some(parts) => self.implied(arena, solver, parts),
            None => self.implied_by_others(arena, solver, condition),
        }
    }

    /// A condition that is no difference was found to be implied. What implies it is needed in its place, where that
    /// is simple.
    fn implied_by_others(&mut self, arena: &mut Arena, solver: &mut Solver, condition: TermId) {
        let opposite = arena.not(condition);
        let Some(reasons) = solver.explain(arena, opposite) else {
            self.found.untraced = true;
            return;
        };
        for reason in reasons {
            let reason = solver.assertions()[reason as usize];
            let Some(parts) = solver.simple(arena, reason) else {
                self.found.untraced = true;
                return;
            };
            self.implied(arena, solver, parts);
        }
    }

    /// Simple conditions that the path condition implies are needed.
    fn implied(&mut self, arena: &Arena, solver: &mut Solver, parts: Vec<Simple>) {
        let closed = solver.close(arena);
        for part in parts {
            match part {
                Simple::Difference(need) if closed.at(need.x, need.y) <= need.k => {
                    self.found.asserted.need(need);
                    self.domains(arena, need);
                }
                Simple::Member(v, set)
                    if closed.members(v).is_some_and(|members| subset(&members, &set)) =>
                {
                    self.found.asserted.member_need(v, set);
                }
                Simple::Apart(apart) if closed.are_apart(apart) => {
                    let sides = [Some(apart), turned(apart)].into_iter().flatten().map(strict);
                    if let Some(need) = sides.into_iter().find(|d| closed.at(d.x, d.y) <= d.k) {
                        self.found.asserted.need(need);
                        self.domains(arena, need);
                    }
                }
                Simple::Apart(apart) => match closed.why_apart(apart) {
                    Some((known, links)) => {
                        self.found.asserted.apart_need(known);
                        for link in links {
                            self.found.asserted.need(link);
                            self.domains(arena, link);
                        }
                    }
                    None => self.found.untraced = true,
                },
                // Something else than differences has forced it.
                _ => self.found.untraced = true,
            }
        }
    }

    /// Notes the static bounds of inputs that are newer than the last node.
    pub(super) fn domains(&mut self, arena: &Arena, of: Difference) {
        let inputs = self.frames.last().map_or(0, |frame| frame.inputs);
        for n in [of.x, of.y] {
            let Some(v) = n.input().filter(|v| v.0 >= inputs) else { continue };
            let range = arena.range(arena.var_term(v));
            if arena.width(arena.var_term(v)) == Width::W64 {
                self.found.untraced = true;
                continue;
            }
            let (lo, hi) = if n == Number::readings(v)[0] {
                (range.smin, range.smax)
            } else {
                (range.umin as i64, range.umax as i64)
            };
            let zero = Number::ZERO;
            let bounds =
                [Difference { x: n, y: zero, k: hi }, Difference { x: zero, y: n, k: -lo }];
            for bound in bounds {
                if !self.found.asserted.domains.contains(&bound) {
                    self.found.asserted.domains.push(bound);
                }
            }
        }
    }
}

/// `x < y + k` for `x ≤ y + k`.
pub(super) fn strict(of: Difference) -> Difference {
    Difference { k: of.k.saturating_sub(1), ..of }
}

/// `y ≤ x − k` for `x ≤ y + k`: the other side of an equation.
pub(super) fn turned(of: Difference) -> Option<Difference> {
    Some(Difference { x: of.y, y: of.x, k: of.k.checked_neg()? })
}
