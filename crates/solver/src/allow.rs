//! Whether a path condition would allow some more conditions, without taking them in.

use crate::difference::{Atom, ByteSet, Graph, GraphAnswer, NodeId, View};
use crate::project::{Closed, Difference, Number, Simple};
use crate::solver::Solver;
use pessimum_term::{Arena, VarId};

impl Solver {
    /// Whether the whole path condition consists of differences, bounds and sets of small inputs.
    pub fn is_all_differences(&self) -> bool {
        self.broken.is_empty() && self.others == 0
    }

    /// Whether the path condition and all of these have a model together, as far as the graph of the
    /// differences can tell. Path condition and model stay as they are. Nobody may take this for a model: the
    /// values are not evaluated.
    pub fn allows(&mut self, arena: &Arena, asked: &[Simple]) -> bool {
        self.sync(arena);
        if !self.is_all_differences() {
            return false;
        }
        let mark = self.graph.mark();
        let mut before: Vec<(VarId, u64)> = Vec::new();
        let allowed = asked.iter().all(|simple| match atom_of(&self.graph, simple) {
            Some(atom) => admit(&mut self.graph, &atom, &mut before),
            None => false,
        });
        self.graph.undo_to(mark);
        for (v, bits) in before.into_iter().rev() {
            self.graph.set_bits(v, bits);
        }
        allowed
    }
}

/// Moves the values so that a constraint holds, and adds it; whether that was possible.
fn admit(graph: &mut Graph, atom: &Atom, before: &mut Vec<(VarId, u64)>) -> bool {
    if !graph.holds(atom) {
        if graph.find(atom) != GraphAnswer::Sat {
            return false;
        }
        let delta = graph.delta().to_vec();
        let moved = delta.iter().map(|(n, _)| VarId(n >> 1));
        before.extend(moved.map(|v| (v, graph.bits(v))));
        graph.apply(&delta);
    }
    graph.add(atom, 0);
    graph.holds(atom)
}

fn atom_of(graph: &Graph, simple: &Simple) -> Option<Atom> {
    let node = |n: Number| {
        let v = n.input()?;
        let view = if n == Number::readings(v)[0] { View::Signed } else { View::Unsigned };
        Some(graph.node(v, view))
    };
    match *simple {
        Simple::Member(v, words) => {
            graph.set_of(v)?;
            let has = |bits: u64| words[(bits >> 6) as usize & 3] >> (bits & 63) & 1 == 1;
            Some(Atom::In { v, set: ByteSet::filter(graph.width(v), has) })
        }
        Simple::Difference(Difference { x, y, k }) => match (node(x), node(y)) {
            (Some(x), Some(y)) => Some(Atom::Le { x, y, k }),
            (Some(x), None) => bound(graph, x, |value| value <= k, (i64::MIN, k)),
            (None, Some(y)) => {
                let least = k.checked_neg()?;
                bound(graph, y, |value| value >= least, (least, i64::MAX))
            }
            (None, None) => None,
        },
        Simple::Apart(Difference { x, y, k }) => match (node(x), node(y)) {
            (Some(x), Some(y)) => Some(Atom::Ne { x, y, k }),
            (Some(x), None) if graph.set_of(x.var()).is_none() => Some(Atom::Not { x, k }),
            (Some(x), None) => bound(graph, x, |value| value != k, (0, 0)),
            (None, Some(y)) if graph.set_of(y.var()).is_none() => {
                Some(Atom::Not { x: y, k: k.checked_neg()? })
            }
            (None, Some(y)) => {
                let k = k.checked_neg()?;
                bound(graph, y, |value| value != k, (0, 0))
            }
            (None, None) => None,
        },
    }
}

/// A bound of a number: of a small input, the set of the values that satisfy it.
fn bound(
    graph: &Graph,
    x: NodeId,
    holds: impl Fn(i64) -> bool,
    (least, greatest): (i64, i64),
) -> Option<Atom> {
    if graph.set_of(x.var()).is_some() {
        let set = ByteSet::filter(graph.width(x.var()), |bits| holds(graph.value_of(x, bits)));
        return (!set.is_empty()).then_some(Atom::In { v: x.var(), set });
    }
    let (lo, hi) = graph.limits(x);
    let (lo, hi) = (lo.max(least), hi.min(greatest));
    (lo <= hi).then_some(Atom::Within { x, lo, hi })
}

impl Closed<'_> {
    /// Why two numbers that the differences leave a common value for differ nevertheless: numbers that were
    /// asserted to differ, and the differences that make these two equal to them, up to constants.
    pub fn why_apart(&self, of: Difference) -> Option<(Difference, Vec<Difference>)> {
        let Difference { x, y, k } = of;
        self.disequalities().find_map(|known| {
            let Difference { x: a, y: b, k: c } = known;
            // x = a + p and y = b + q: x ≠ y + k exactly if a ≠ b + (q + k − p).
            let straight = || {
                let (p, q) = (self.distance(x, a)?, self.distance(y, b)?);
                (q.checked_add(k)?.checked_sub(p)? == c).then(|| vec![(x, a, p), (y, b, q)])
            };
            // x = b + p and y = a + q: x ≠ y + k exactly if a ≠ b + (p − q − k).
            let crossed = || {
                let (p, q) = (self.distance(x, b)?, self.distance(y, a)?);
                (p.checked_sub(q)?.checked_sub(k)? == c).then(|| vec![(x, b, p), (y, a, q)])
            };
            let equal = straight().or_else(crossed)?;
            let mut links = Vec::new();
            for (x, a, p) in equal.into_iter().filter(|(x, a, _)| x != a) {
                links.push(Difference { x, y: a, k: p });
                links.push(Difference { x: a, y: x, k: p.checked_neg()? });
            }
            Some((known, links))
        })
    }

    /// The p with `x = y + p`, if that is known.
    fn distance(&self, x: Number, y: Number) -> Option<i64> {
        let (to, from) = (self.at(x, y), self.at(y, x));
        (to != i64::MAX && from.checked_neg() == Some(to)).then_some(to)
    }
}
