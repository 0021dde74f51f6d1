//! The full repair: values are pushed along the edges until everything fits or nothing can.
//!
//! Let every constraint hold but the new `x ≤ y + k`. Lowering x to y + k and whoever depends on it
//! either comes back to y, and then the edges form a negative cycle, or ends. If it ends with some node
//! below its lower bound by d, then y is too low by d in every model: y is raised by the greatest such d
//! with whoever depends on it, and if that breaks an upper bound there is no model. Lowering x afterwards
//! succeeds. All moves are forced ones, so the answer is exact for edges and bounds.

use super::{Atom, Graph, GraphAnswer, NONE, View, at_most, encode};
use crate::difference::decode;
use std::cmp::Reverse;

/// How pushing values ended.
enum Push {
    /// Everything fits, but for lower bounds that are missed by so much.
    Settled { deficit: i64 },
    /// It came back to where it started from, or hit an upper bound.
    Blocked,
    /// A number did not fit.
    Overflow,
}

impl Graph {
    /// [`Graph::find`] by adding the constraint, repairing, and taking both back.
    #[cold]
    pub(super) fn find_by_repair(&mut self, atom: &Atom) -> GraphAnswer {
        let mark = self.mark();
        self.log.clear();
        let found = match self.impose(atom) {
            GraphAnswer::Sat => self.settle(),
            other => other,
        };
        self.delta.clear();
        if found == GraphAnswer::Sat {
            let touched = self.touched();
            self.delta.extend(touched.iter().map(|&n| (n, self.nodes[n as usize].value)));
        }
        self.revert(0);
        self.undo_to(mark);
        found
    }

    /// Adds a constraint and moves values until it holds; disequalities and sets are left to
    /// [`Graph::settle`].
    pub(super) fn impose(&mut self, atom: &Atom) -> GraphAnswer {
        let ends = match *atom {
            Atom::Le { x, y, .. } | Atom::Eq { x, y, .. } | Atom::Ne { x, y, .. } => {
                [Some(x.0), Some(y.0)]
            }
            Atom::Within { x, .. } | Atom::Not { x, .. } => [Some(x.0), None],
            Atom::In { v, .. } => {
                [v.0 << 1, v.0 << 1 | 1].map(|n| (!self.nodes[n as usize].is_bare()).then_some(n))
            }
        };
        let first_edge = self.edges.len();
        match *atom {
            Atom::Le { x, y, k } => {
                self.push_edge(x.0, y.0, k, 0, false);
            }
            Atom::Eq { x, y, k } => {
                // Both lie between the same two nodes, so the argument for one edge holds for them.
                self.push_edge(x.0, y.0, k, 0, false);
                self.push_edge(y.0, x.0, -k, 0, false);
            }
            Atom::Ne { x, y, k } => {
                self.push_ne(x.0, y.0, k, 0);
                // Not moved, but to be looked at by `settle`.
                self.set_value(x.0, self.nodes[x.index()].value);
            }
            Atom::Not { x, k } => {
                self.push_ne(x.0, NONE, k, 0);
                self.set_value(x.0, self.nodes[x.index()].value);
            }
            Atom::Within { x, lo, hi } => self.push_bounds(x.0, lo, hi),
            Atom::In { v, set } => {
                self.push_set_only(v.0, &set);
                for n in ends.into_iter().flatten() {
                    self.set_value(n, self.nodes[n as usize].value);
                }
            }
        }
        let mut found = self.repair_edges(first_edge);
        for n in ends.into_iter().flatten() {
            if found == GraphAnswer::Sat {
                found = self.repair_bounds(n);
            }
            if found == GraphAnswer::Sat {
                let first_edge = self.edges.len();
                self.link(n);
                found = self.repair_edges(first_edge);
            }
        }
        found
    }

    fn repair_edges(&mut self, first: usize) -> GraphAnswer {
        for at in first..self.edges.len() {
            let e = self.edges[at];
            let (vx, vy) = (self.nodes[e.x as usize].value, self.nodes[e.y as usize].value);
            if !at_most(vx, vy, e.k) {
                match self.repair_edge(e.x, e.y, e.k) {
                    GraphAnswer::Sat => {}
                    other => return other,
                }
            }
        }
        GraphAnswer::Sat
    }

    fn repair_edge(&mut self, x: u32, y: u32, k: i64) -> GraphAnswer {
        let start = self.log.len();
        let Some(target) = self.nodes[y as usize].value.checked_add(k) else {
            return GraphAnswer::Unknown;
        };
        let deficit = match self.lower(x, target, y) {
            Push::Settled { deficit: 0 } => return GraphAnswer::Sat,
            Push::Settled { deficit } => deficit,
            Push::Blocked => return GraphAnswer::Unsat,
            Push::Overflow => return GraphAnswer::Unknown,
        };
        self.revert(start);
        let Some(raised) = self.nodes[y as usize].value.checked_add(deficit) else {
            return GraphAnswer::Unsat;
        };
        match self.raise(y, raised) {
            Push::Settled { .. } => {}
            Push::Blocked => return GraphAnswer::Unsat,
            Push::Overflow => return GraphAnswer::Unknown,
        }
        let target = raised + k;
        if self.nodes[x as usize].value <= target {
            return GraphAnswer::Sat;
        }
        match self.lower(x, target, y) {
            Push::Settled { deficit: 0 } => GraphAnswer::Sat,
            _ => {
                debug_assert!(false, "lowering succeeds once y is high enough");
                GraphAnswer::Unknown
            }
        }
    }

    fn repair_bounds(&mut self, n: u32) -> GraphAnswer {
        let node = self.nodes[n as usize];
        if node.lo > node.hi {
            return GraphAnswer::Unsat;
        }
        let pushed = if node.value > node.hi {
            self.lower(n, node.hi, NONE)
        } else if node.value < node.lo {
            self.raise(n, node.lo)
        } else {
            return GraphAnswer::Sat;
        };
        match pushed {
            Push::Settled { deficit: 0 } => GraphAnswer::Sat,
            Push::Settled { .. } | Push::Blocked => GraphAnswer::Unsat,
            Push::Overflow => GraphAnswer::Unknown,
        }
    }

    /// Lowers `n` to `target` and whoever depends on it as far as needed, lower bounds disregarded.
    ///
    /// Every edge but the new one holds, so a dependent never has to move further than the node it
    /// depends on: taking the longest move first settles each node once (Dijkstra's argument).
    fn lower(&mut self, n: u32, target: i64, stop: u32) -> Push {
        let mut deficit = 0;
        let mut end = None;
        if !self.request(n, self.nodes[n as usize].value, target) {
            return Push::Overflow;
        }
        'walk: while let Some((distance, n)) = self.next_move() {
            let value = self.nodes[n as usize].value - distance;
            match shortfall(self.nodes[n as usize].lo, value) {
                Some(short) => deficit = deficit.max(short),
                None => {
                    end = Some(Push::Overflow);
                    break;
                }
            }
            self.set_value(n, value);
            let mut at = self.nodes[n as usize].down;
            while at != NONE {
                let e = self.edges[at as usize];
                self.work += 1;
                at = e.next_down;
                let Some(bound) = value.checked_add(e.k) else {
                    if e.k < 0 {
                        end = Some(Push::Overflow);
                        break 'walk;
                    }
                    continue;
                };
                let old = self.nodes[e.x as usize].value;
                if old > bound {
                    if e.x == stop {
                        end = Some(Push::Blocked);
                        break 'walk;
                    }
                    if !self.request(e.x, old, bound) {
                        end = Some(Push::Overflow);
                        break 'walk;
                    }
                }
            }
        }
        self.clear_moves();
        end.unwrap_or(Push::Settled { deficit })
    }

    /// Raises `n` to `target` and whoever depends on it as far as needed.
    fn raise(&mut self, n: u32, target: i64) -> Push {
        if target > self.nodes[n as usize].hi {
            return Push::Blocked;
        }
        let mut end = Push::Settled { deficit: 0 };
        if !self.request(n, target, self.nodes[n as usize].value) {
            return Push::Overflow;
        }
        'walk: while let Some((distance, n)) = self.next_move() {
            let value = self.nodes[n as usize].value + distance;
            self.set_value(n, value);
            let mut at = self.nodes[n as usize].up;
            while at != NONE {
                let e = self.edges[at as usize];
                self.work += 1;
                at = e.next_up;
                let Some(bound) = value.checked_sub(e.k) else {
                    if e.k < 0 {
                        end = Push::Blocked;
                        break 'walk;
                    }
                    continue;
                };
                let node = &self.nodes[e.y as usize];
                let old = node.value;
                if old < bound {
                    if bound > node.hi {
                        end = Push::Blocked;
                        break 'walk;
                    }
                    if !self.request(e.y, bound, old) {
                        end = Push::Overflow;
                        break 'walk;
                    }
                }
            }
        }
        self.clear_moves();
        end
    }

    /// Asks that `n` move by `from − to`, which is positive; false when that does not fit.
    fn request(&mut self, n: u32, from: i64, to: i64) -> bool {
        let Some(distance) = from.checked_sub(to) else { return false };
        if distance > self.wanted[n as usize] {
            self.wanted[n as usize] = distance;
            self.moves.push((distance, Reverse(n)));
        }
        true
    }

    /// The longest move asked for, ties by node.
    fn next_move(&mut self) -> Option<(i64, u32)> {
        while let Some((distance, Reverse(n))) = self.moves.pop() {
            if self.wanted[n as usize] == distance {
                self.wanted[n as usize] = 0;
                return Some((distance, n));
            }
        }
        None
    }

    fn clear_moves(&mut self) {
        for (_, Reverse(n)) in self.moves.drain() {
            self.wanted[n as usize] = 0;
        }
    }

    pub(super) fn enqueue(&mut self, n: u32) {
        if !self.queued[n as usize] {
            self.queued[n as usize] = true;
            self.queue.push_back(n);
        }
    }

    pub(super) fn clear_queue(&mut self) {
        while let Some(n) = self.queue.pop_front() {
            self.queued[n as usize] = false;
        }
    }

    /// The nodes that the repair under way looked at, each once, in increasing order.
    pub(super) fn touched(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.log.iter().map(|entry| entry.0).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Brings the other readings of the touched variables in line; false when they cannot follow.
    pub(super) fn sync_twins(&mut self) -> bool {
        let touched = self.touched();
        let mut followers = Vec::new();
        for &n in &touched {
            let var = self.vars[n as usize >> 1];
            if var.unified {
                continue;
            }
            let bits = decode(n as usize, var.width, self.nodes[n as usize].value);
            let view = if n & 1 == 0 { View::Unsigned } else { View::Signed };
            let value = encode(view, var.width, bits);
            if self.nodes[n as usize ^ 1].value == value {
                continue;
            }
            if touched.binary_search(&(n ^ 1)).is_ok() {
                // Both moved, and not to the same bits.
                return false;
            }
            self.set_value(n ^ 1, value);
            followers.push(n ^ 1);
        }
        followers.iter().all(|&n| {
            let node = &self.nodes[n as usize];
            node.lo <= node.value
                && node.value <= node.hi
                && (node.is_bare()
                    || (self.suits_edges(n, node.value) && !self.clashes(n, node.value)))
        })
    }
}

/// By how much a value is below a bound.
fn shortfall(lo: i64, value: i64) -> Option<i64> {
    if value >= lo { Some(0) } else { lo.checked_sub(value) }
}
