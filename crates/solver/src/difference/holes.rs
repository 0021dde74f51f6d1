//! Domains with holes.
//!
//! Difference constraints and sets of single variables have a least solution whenever they have one: the
//! minimum of two solutions is a solution. So starting every node of the component at its least member
//! and raising what is too low, each time to the next member, is exact.

use super::{Graph, GraphAnswer, NONE, decode};

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
