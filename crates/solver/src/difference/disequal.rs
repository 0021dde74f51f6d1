//! Disequalities: a small search over their two strict sides, the pigeonhole bound that spares it the hopeless
//! cases, and one pass over everything where the domains are large ([`Graph::spread`]).

use super::{Atom, Graph, GraphAnswer, NONE, NodeId};
use std::collections::HashSet;

/// How many times one question may branch.
const BRANCHES: u32 = 200;

impl Graph {
    /// Given that edges and bounds hold, makes sets, disequalities and both readings hold as well.
    pub(super) fn settle(&mut self) -> GraphAnswer {
        let (mut branches, start) = (BRANCHES, self.log.len());
        let found = self.settle_within(&mut branches, true);
        if found != GraphAnswer::Unknown {
            return found;
        }
        // The search keeps to what is near; perhaps everything has a place if all may move.
        self.revert(start);
        let found = self.spread();
        if found != GraphAnswer::Sat {
            self.revert(start);
        }
        found
    }

    fn settle_within(&mut self, branches: &mut u32, outermost: bool) -> GraphAnswer {
        let touched = self.touched();
        // One least solution settles a whole component; a second look finds those of other components.
        for &n in &touched {
            if !self.is_member(n) {
                match self.least_solution(n) {
                    GraphAnswer::Sat => {}
                    other => return other,
                }
            }
        }
        let touched = self.touched();
        let Some(at) = touched.iter().find_map(|&n| self.violated(n)) else {
            return if self.sync_twins() { GraphAnswer::Sat } else { GraphAnswer::Unknown };
        };
        let ne = self.nes[at as usize];
        if outermost && self.pigeonhole(ne.x) {
            return GraphAnswer::Unsat;
        }
        if *branches == 0 {
            return GraphAnswer::Unknown;
        }
        *branches -= 1;
        let mut best = GraphAnswer::Unsat;
        for above in [false, true] {
            let Some(side) = self.strict_side(ne.x, ne.y, ne.k, above) else { continue };
            let (mark, start) = (self.mark(), self.log.len());
            let found = match self.impose(&side) {
                GraphAnswer::Sat => self.settle_within(branches, false),
                other => other,
            };
            match found {
                GraphAnswer::Sat => return GraphAnswer::Sat,
                GraphAnswer::Unknown => best = GraphAnswer::Unknown,
                GraphAnswer::Unsat => {}
            }
            self.revert(start);
            self.undo_to(mark);
        }
        best
    }

    /// x < y + k, or x > y + k; none when no number is beyond.
    fn strict_side(&self, x: u32, y: u32, k: i64, above: bool) -> Option<Atom> {
        if y == NONE {
            let node = &self.nodes[x as usize];
            let (lo, hi) =
                if above { (k.checked_add(1)?, node.hi) } else { (node.lo, k.checked_sub(1)?) };
            return Some(Atom::Within { x: NodeId(x), lo, hi });
        }
        Some(if above {
            Atom::Le { x: NodeId(y), y: NodeId(x), k: k.checked_neg()?.checked_sub(1)? }
        } else {
            Atom::Le { x: NodeId(x), y: NodeId(y), k: k.checked_sub(1)? }
        })
    }

    /// A disequality of `n` that the present values violate.
    fn violated(&self, n: u32) -> Option<u32> {
        let mut at = self.nodes[n as usize].ne;
        while at != NONE {
            let ne = &self.nes[at as usize];
            let other = if ne.y == NONE { 0 } else { self.nodes[ne.y as usize].value };
            if super::equal(self.nodes[ne.x as usize].value, other, ne.k) {
                return Some(at);
            }
            at = if ne.x == n { ne.next_x } else { ne.next_y };
        }
        None
    }

    /// Whether some nodes around `x` that differ pairwise have too few values between them.
    fn pigeonhole(&mut self, x: u32) -> bool {
        if self.rivals(x).len() < self.room(x) {
            return false;
        }
        let mut clique = vec![x];
        for candidate in self.rivals(x) {
            let others: HashSet<u32> = self.rivals(candidate).into_iter().collect();
            self.work += others.len() as u64;
            if clique.iter().all(|member| others.contains(member)) {
                clique.push(candidate);
            }
        }
        let lo = clique.iter().map(|n| self.nodes[*n as usize].lo).min();
        let hi = clique.iter().map(|n| self.nodes[*n as usize].hi).max();
        let (Some(lo), Some(hi)) = (lo, hi) else { return false };
        let hull = i128::from(hi) - i128::from(lo) + 1;
        if (clique.len() as i128) > hull {
            return true;
        }
        // Sets speak of bit patterns: they can be united when all are read alike.
        let alike = |n: &u32| {
            let (a, b) = (&self.vars[*n as usize >> 1], &self.vars[x as usize >> 1]);
            a.set != NONE && a.width == b.width && (*n ^ x) & 1 == 0
        };
        if !clique.iter().all(alike) {
            return false;
        }
        let union = clique
            .iter()
            .map(|n| self.sets[self.vars[*n as usize >> 1].set as usize].set)
            .fold(super::ByteSet::EMPTY, |all, set| all.union(&set));
        clique.len() > union.len() as usize
    }

    /// How many values `n` can take.
    fn room(&self, n: u32) -> usize {
        let node = &self.nodes[n as usize];
        match self.vars[n as usize >> 1].set {
            NONE => {
                usize::try_from(i128::from(node.hi) - i128::from(node.lo) + 1).unwrap_or(usize::MAX)
            }
            set => self.sets[set as usize].set.len() as usize,
        }
    }

    /// The nodes that `n` differs from, each once, in increasing order.
    fn rivals(&self, n: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = self.nodes[n as usize].ne;
        while at != NONE {
            let ne = &self.nes[at as usize];
            let (other, next) = if ne.x == n { (ne.y, ne.next_x) } else { (ne.x, ne.next_y) };
            if ne.k == 0 && other != NONE {
                found.push(other);
            }
            at = next;
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
