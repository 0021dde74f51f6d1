//! The trail: constraints are pushed on the stack of their kind, and dropped again newest first.

use super::{Bounds, ByteSet, Disequality, Edge, Graph, NONE, SetOf, Undo, View};
use crate::fold::LOOK;
use pessimum_term::Width;

impl Graph {
    /// The present point.
    #[inline]
    pub(crate) fn mark(&self) -> u32 {
        self.trail.len() as u32
    }

    /// Drops what was added since; values stay.
    #[inline]
    pub(crate) fn undo_to(&mut self, mark: u32) {
        self.low = self.low.min(mark);
        while self.trail.len() > mark as usize {
            match self.trail.pop() {
                Some(Undo::Edge) => {
                    if let Some(e) = self.edges.pop() {
                        let y = &mut self.nodes[e.y as usize];
                        y.down = e.next_down;
                        y.mixed_down -= u32::from(e.mixed);
                        let x = &mut self.nodes[e.x as usize];
                        x.up = e.next_up;
                        x.mixed_up -= u32::from(e.mixed);
                    }
                }
                Some(other) => self.undo_rare(other),
                None => {}
            }
        }
    }

    /// Whether all that came since `mark` are two edges, of which the second and an older one imply the first:
    /// `x ≤ y + k` and `y ≤ z + j` are at least as much as `x ≤ z + (k + j)`.
    pub(crate) fn newest_implies_the_one_before(&self, mark: u32) -> bool {
        let [.., first, last] = self.edges.as_slice() else { return false };
        if self.trail.get(mark as usize..) != Some(&[Undo::Edge, Undo::Edge]) {
            return false;
        }
        let Some(most) = first.k.checked_sub(last.k) else { return false };
        let linked = |from: u32, to: u32| {
            let mut at = self.nodes[from as usize].up;
            for _ in 0..LOOK {
                let Some(e) = self.edges.get(at as usize) else { return false };
                if e.y == to && e.k <= most && (at as usize) < self.edges.len() - 2 {
                    return true;
                }
                at = e.next_up;
            }
            false
        };
        (first.x == last.x && linked(last.y, first.y))
            || (first.y == last.y && linked(first.x, last.x))
    }

    /// The shortest that the trail has been since the last call.
    pub(super) fn take_low(&mut self) -> u32 {
        std::mem::replace(&mut self.low, self.trail.len() as u32)
    }

    fn undo_rare(&mut self, step: Undo) {
        match step {
            Undo::Edge => {}
            Undo::Var => {
                if let Some(var) = self.vars.pop()
                    && var.width.bits() <= 8
                {
                    self.sets.pop();
                }
                self.nodes.truncate(self.vars.len() * 2);
                self.queued.truncate(self.vars.len() * 2);
                self.wanted.truncate(self.vars.len() * 2);
            }
            Undo::Ne => {
                if let Some(ne) = self.nes.pop() {
                    if ne.y != NONE {
                        let y = &mut self.nodes[ne.y as usize];
                        (y.ne, y.rivals) = (ne.next_y, y.rivals - 1);
                    }
                    let x = &mut self.nodes[ne.x as usize];
                    (x.ne, x.rivals) = (ne.next_x, x.rivals - 1);
                }
            }
            Undo::Bounds => {
                if let Some(b) = self.bounds.pop() {
                    let node = &mut self.nodes[b.node as usize];
                    (node.lo, node.hi) = (b.lo, b.hi);
                }
            }
            Undo::Set => {
                if let Some(s) = self.sets.pop() {
                    self.vars[s.var as usize].set = s.before;
                }
            }
            Undo::Link => {
                if let Some(var) = self.links.pop() {
                    self.vars[var as usize].linked = false;
                }
            }
        }
    }

    /// Whether there is a new edge.
    pub(super) fn push_edge(&mut self, x: u32, y: u32, k: i64, origin: u32, mixed: bool) -> bool {
        let next_down = self.nodes[y as usize].down;
        let next_up = self.nodes[x as usize].up;
        // The same pair asserted before: the tighter one is enough.
        if next_down == next_up && next_down != NONE && self.edges[next_down as usize].k <= k {
            return false;
        }
        let at = self.edges.len() as u32;
        self.edges.push(Edge { k, x, y, next_down, next_up, origin, mixed });
        let upper = &mut self.nodes[y as usize];
        upper.down = at;
        upper.mixed_down += u32::from(mixed);
        let lower = &mut self.nodes[x as usize];
        lower.up = at;
        lower.mixed_up += u32::from(mixed);
        self.trail.push(Undo::Edge);
        true
    }

    pub(super) fn push_ne(&mut self, x: u32, y: u32, k: i64, origin: u32) {
        let at = self.nes.len() as u32;
        let next_x = std::mem::replace(&mut self.nodes[x as usize].ne, at);
        self.nodes[x as usize].rivals += 1;
        let mut next_y = NONE;
        if y != NONE {
            next_y = std::mem::replace(&mut self.nodes[y as usize].ne, at);
            self.nodes[y as usize].rivals += 1;
        }
        self.nes.push(Disequality { k, x, y, next_x, next_y, origin });
        self.trail.push(Undo::Ne);
    }

    pub(super) fn push_bounds(&mut self, n: u32, lo: i64, hi: i64) {
        let node = &mut self.nodes[n as usize];
        if lo <= node.lo && hi >= node.hi {
            return;
        }
        self.bounds.push(Bounds { node: n, lo: node.lo, hi: node.hi });
        node.lo = node.lo.max(lo);
        node.hi = node.hi.min(hi);
        self.trail.push(Undo::Bounds);
    }

    pub(super) fn push_set(&mut self, v: u32, set: &ByteSet) {
        self.push_set_only(v, set);
        self.link(v << 1);
    }

    pub(super) fn push_set_only(&mut self, v: u32, set: &ByteSet) {
        let before = self.vars[v as usize].set;
        let set = self.sets[before as usize].set.intersect(set);
        self.sets.push(SetOf { var: v, before, set });
        self.vars[v as usize].set = self.sets.len() as u32 - 1;
        self.trail.push(Undo::Set);
        let width = self.vars[v as usize].width;
        let none = (i64::MAX, i64::MIN);
        let (lo, hi) = set.signed_ends(width).unwrap_or(none);
        self.push_bounds(v << 1 | View::Signed as u32, lo, hi);
        let unsigned = set.ends().map(|(lo, hi)| (lo as i64, hi as i64));
        let (lo, hi) = unsigned.unwrap_or(none);
        self.push_bounds(v << 1 | View::Unsigned as u32, lo, hi);
    }

    /// Ties the two readings of a variable by edges once both are in use and the sign is known.
    pub(super) fn link(&mut self, n: u32) {
        let v = n >> 1;
        let var = self.vars[v as usize];
        let (s, u) = (n & !1, n | 1);
        if var.unified
            || var.linked
            || var.width == Width::W64
            || self.nodes[s as usize].is_bare()
            || self.nodes[u as usize].is_bare()
        {
            return;
        }
        let (signed, unsigned) = (&self.nodes[s as usize], &self.nodes[u as usize]);
        let half = var.width.sign_bit() as i64;
        let gap = if signed.lo >= 0 || unsigned.hi < half {
            0
        } else if signed.hi < 0 || unsigned.lo >= half {
            half * 2
        } else {
            return;
        };
        self.push_edge(u, s, gap, 0, false);
        self.push_edge(s, u, -gap, 0, false);
        self.vars[v as usize].linked = true;
        self.links.push(v);
        self.trail.push(Undo::Link);
    }
}
