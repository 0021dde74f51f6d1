//! Domains with holes.
//!
//! Difference constraints and sets of single variables have a least solution whenever they have one: the
//! minimum of two solutions is a solution. So starting every node of the component at its least member
//! and raising what is too low, each time to the next member, is exact.

use super::{Graph, GraphAnswer, NONE, decode};
use std::collections::VecDeque;

/// How many moves are made before the component is left to a stronger solver.
const MOVES: usize = 20_000;

impl Graph {
    /// Whether the value of `n` is a member of its variable's set.
    #[inline]
    pub(super) fn is_member(&self, n: u32) -> bool {
        let var = &self.vars[n as usize >> 1];
        var.set == NONE || {
            let bits = decode(n as usize, var.width, self.nodes[n as usize].value);
            self.sets[var.set as usize].set.contains(bits)
        }
    }

    /// Puts every node that `start` is tied to by edges on its least possible value.
    pub(super) fn least_solution(&mut self, start: u32) -> GraphAnswer {
        let component = self.component(start);
        for &n in &component {
            let least = self.nodes[n as usize].lo;
            self.set_value(n, least);
            self.enqueue(n);
        }
        let mut moves = 0;
        while let Some(n) = self.queue.pop_front() {
            self.queued[n as usize] = false;
            let from = self.nodes[n as usize].value;
            let mut at = self.nodes[n as usize].up;
            while at != NONE {
                let e = self.edges[at as usize];
                at = e.next_up;
                self.work += 1;
                let bound = match from.checked_sub(e.k) {
                    Some(bound) => bound,
                    None if e.k > 0 => continue,
                    None => {
                        self.clear_queue();
                        return GraphAnswer::Unsat;
                    }
                };
                if self.nodes[e.y as usize].value >= bound {
                    continue;
                }
                let Some(value) = self.next_member(e.y, bound) else {
                    self.clear_queue();
                    return GraphAnswer::Unsat;
                };
                self.set_value(e.y, value);
                self.enqueue(e.y);
                moves += 1;
                if moves > MOVES {
                    self.clear_queue();
                    return GraphAnswer::Unknown;
                }
            }
        }
        GraphAnswer::Sat
    }

    /// The least value of the domain that is no less than `bound`.
    fn next_member(&self, n: u32, bound: i64) -> Option<i64> {
        let node = &self.nodes[n as usize];
        let var = &self.vars[n as usize >> 1];
        let bound = bound.max(node.lo);
        if bound > node.hi {
            return None;
        }
        if var.set == NONE {
            return Some(bound);
        }
        let set = &self.sets[var.set as usize].set;
        (bound..=node.hi).find(|value| set.contains(decode(n as usize, var.width, *value)))
    }

    /// The least value of the domain of node number `n` that is no less than `from` and that nobody forbids.
    pub(crate) fn next_in_domain(
        &self,
        n: u32,
        from: i64,
        forbidden: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let mut value = self.next_member(n, from)?;
        while forbidden(value) {
            value = self.next_member(n, value.checked_add(1)?)?;
        }
        Some(value)
    }

    /// Puts the nodes that the touched ones are tied to by edges on their least values that differ from
    /// whatever they must differ from, one after the other from below: one pass, for domains that are large.
    /// Sat if that works out; it says nothing if it does not.
    pub(super) fn spread(&mut self) -> GraphAnswer {
        let touched = self.touched();
        let mut nodes: Vec<u32> = Vec::new();
        let mut inside = vec![false; self.nodes.len()];
        for n in touched {
            if !inside[n as usize] {
                let found = self.component(n);
                found.iter().for_each(|n| inside[*n as usize] = true);
                nodes.extend(found);
            }
        }
        nodes.sort_unstable();
        let mut before = vec![0u32; self.nodes.len()];
        for &n in &nodes {
            self.each_up(n, |y, _| before[y as usize] += 1);
        }
        let mut queue: VecDeque<u32> =
            nodes.iter().copied().filter(|n| before[*n as usize] == 0).collect();
        let mut least: Vec<i64> = self.nodes.iter().map(|node| node.lo).collect();
        let mut left = nodes.len();
        while let Some(n) = queue.pop_front() {
            // Those of the component that have no place yet come later, and keep away by themselves.
            let taken = self.taken_by(n, |other| !inside[other as usize]);
            let free = |value: i64| taken.binary_search(&value).is_ok();
            let Some(value) = self.next_in_domain(n, least[n as usize], free) else {
                return GraphAnswer::Unknown;
            };
            self.set_value(n, value);
            inside[n as usize] = false;
            left -= 1;
            let mut fits = true;
            self.each_up(n, |y, k| {
                match value.checked_sub(k) {
                    Some(bound) => least[y as usize] = least[y as usize].max(bound),
                    None => fits &= k > 0,
                }
                before[y as usize] -= 1;
                if before[y as usize] == 0 {
                    queue.push_back(y);
                }
            });
            if !fits {
                return GraphAnswer::Unknown;
            }
        }
        // What is left is on cycles.
        if left == 0 && self.sync_twins() { GraphAnswer::Sat } else { GraphAnswer::Unknown }
    }

    /// Visits the edges `n ≤ y + k`.
    fn each_up(&self, n: u32, mut visit: impl FnMut(u32, i64)) {
        let mut at = self.nodes[n as usize].up;
        while at != NONE {
            let e = &self.edges[at as usize];
            visit(e.y, e.k);
            at = e.next_up;
        }
    }

    fn component(&self, start: u32) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut found = vec![start];
        seen[start as usize] = true;
        let mut done = 0;
        while done < found.len() {
            let node = &self.nodes[found[done] as usize];
            done += 1;
            let (mut down, mut up) = (node.down, node.up);
            let mut reach = |n: u32| {
                if !std::mem::replace(&mut seen[n as usize], true) {
                    found.push(n);
                }
            };
            while down != NONE {
                let e = &self.edges[down as usize];
                reach(e.x);
                down = e.next_down;
            }
            while up != NONE {
                let e = &self.edges[up as usize];
                reach(e.y);
                up = e.next_up;
            }
        }
        found
    }
}
