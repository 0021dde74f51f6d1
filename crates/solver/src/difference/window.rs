//! The cheap repair: one node moves into the window that its neighbours leave open.
//!
//! Almost every question of an exploration is settled here, with one pass over one list. To keep it that
//! way a moved node does not stop at the edge of its window but leaves a gap, so that the next value that
//! has to fit in between moves alone, too.

use super::{Atom, Graph, GraphAnswer, NONE, NodeId, View, at_most, decode, encode, equal};

/// How many values are tried before a window full of forbidden ones is given up.
const TRIES: usize = 300;

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Graph {
    /// Whether some model of the graph satisfies `atom`, which the present one does not. Values and
    /// constraints stay; after [`GraphAnswer::Sat`] the other model is in [`Graph::delta`].
    pub(crate) fn find(&mut self, atom: &Atom) -> GraphAnswer {
        self.delta.clear();
        let moved = match *atom {
            Atom::Le { x, y, k } => self.move_apart(x.0, y.0, k),
            Atom::Eq { x, y, k } => self.move_together(x.0, y.0, k),
            Atom::Ne { x, y, k } => {
                let (vx, vy) = (self.nodes[x.index()].value, self.nodes[y.index()].value);
                debug_assert!(equal(vx, vy, k));
                let (first, second) =
                    if self.degree(y.0) < self.degree(x.0) { (y.0, x.0) } else { (x.0, y.0) };
                self.move_away(first)
                    || self.move_away(second)
                    || self.move_off(x.0, vx)
                    || self.move_off(y.0, vy)
            }
            Atom::Within { x, lo, hi } => self.move_into(x, lo, hi),
            Atom::Not { x, k } => self.move_off(x.0, k),
            Atom::In { v, set } => {
                let width = self.width(v);
                let bare = [View::Signed, View::Unsigned]
                    .iter()
                    .all(|view| self.nodes[(v.0 as usize) << 1 | *view as usize].is_bare());
                let known = self.set_of(v).map(|s| s.intersect(&set));
                match known {
                    Some(set) if set.is_empty() => return GraphAnswer::Unsat,
                    Some(set) if bare => {
                        let here = self.bits(v);
                        let start = if self.tight { 0 } else { here };
                        let best = set.iter().find(|b| *b >= start).or_else(|| set.iter().last());
                        if let Some(bits) = best {
                            self.delta.push((v.0 << 1, encode(View::Signed, width, bits)));
                        }
                        true
                    }
                    _ => false,
                }
            }
        };
        self.work += 1;
        if moved { GraphAnswer::Sat } else { self.find_by_repair(atom) }
    }

    /// Makes x ≤ y + k true by lowering x alone or raising y alone.
    fn move_apart(&mut self, x: u32, y: u32, k: i64) -> bool {
        let (vx, vy) = (self.nodes[x as usize].value, self.nodes[y as usize].value);
        let raise_first = self.tight;
        for turn in [raise_first, !raise_first] {
            if turn {
                let Some(lo) = vx.checked_sub(k) else { continue };
                let hi = self.ceiling(y, lo);
                if lo <= hi && self.move_to(y, lo, hi, lo.saturating_add(self.step(y, lo, hi))) {
                    return true;
                }
            } else {
                let Some(hi) = vy.checked_add(k) else { continue };
                let lo = self.floor(x, hi);
                if lo <= hi && self.move_to(x, lo, hi, hi.saturating_sub(self.step(x, lo, hi))) {
                    return true;
                }
            }
        }
        false
    }

    fn move_together(&mut self, x: u32, y: u32, k: i64) -> bool {
        let (vx, vy) = (self.nodes[x as usize].value, self.nodes[y as usize].value);
        let mut ways = [(x, vy.checked_add(k)), (y, vx.checked_sub(k))];
        // Whoever moves is held against all that it differs from.
        if self.degree(y) < self.degree(x) {
            ways.swap(0, 1);
        }
        for (n, target) in ways {
            if let Some(target) = target
                && self.floor(n, target) <= target
                && self.ceiling(n, target) >= target
                && self.move_to(n, target, target, target)
            {
                return true;
            }
        }
        false
    }

    fn move_into(&mut self, x: NodeId, lo: i64, hi: i64) -> bool {
        let value = self.nodes[x.index()].value;
        let lo = lo.max(self.floor(x.0, hi));
        let hi = hi.min(self.ceiling(x.0, lo));
        lo <= hi && self.move_to(x.0, lo, hi, value.clamp(lo, hi))
    }

    /// Moves a node to any other value than `here`.
    fn move_off(&mut self, n: u32, here: i64) -> bool {
        let (lo, hi) = (self.floor(n, i64::MAX), self.ceiling(n, i64::MIN));
        let up = here.checked_add(1).is_some_and(|v| v <= hi && self.move_to(n, v, hi, v));
        up || here.checked_sub(1).is_some_and(|v| v >= lo && self.move_to(n, lo, v, v))
    }

    /// How many disequalities a node has.
    #[inline]
    fn degree(&self, n: u32) -> u32 {
        self.nodes[n as usize].rivals
    }

    /// How many disequalities a variable has.
    pub(crate) fn rivals_of(&self, v: pessimum_term::VarId) -> u32 {
        self.degree(v.0 << 1) + self.degree(v.0 << 1 | 1)
    }

    /// Moves a node that differs from several others to a place in its window that is its own, so that it
    /// differs from whoever comes next as well. Places are spread by the golden ratio: those of so many
    /// inputs are about as far apart as so many can be. Any value but the present one will do.
    fn move_away(&mut self, n: u32) -> bool {
        if self.tight || self.degree(n) == 0 || self.vars[n as usize >> 1].set != NONE {
            return false;
        }
        let (lo, hi) = (self.floor(n, i64::MAX), self.ceiling(n, i64::MIN));
        if lo > hi {
            return false;
        }
        let part = u64::from(n >> 1).wrapping_add(1).wrapping_mul(GOLDEN);
        let span = hi.wrapping_sub(lo) as u64;
        let along = (u128::from(part) * u128::from(span)) >> 64;
        let home = lo.wrapping_add(along as i64);
        if home == self.nodes[n as usize].value || !self.accepts(n, home) {
            return false;
        }
        self.delta.push((n, home));
        true
    }

    /// How far from the edge of its window a node should land.
    #[inline]
    fn step(&self, n: u32, lo: i64, hi: i64) -> i64 {
        if self.tight {
            return 0;
        }
        let node = &self.nodes[n as usize];
        let gap = (node.hi.wrapping_sub(node.lo) as u64) >> 16;
        let room = (hi.wrapping_sub(lo) as u64) >> 1;
        gap.min(room) as i64
    }

    /// The least value that what lies below `n` allows; the look ends once it is above `enough`.
    #[inline]
    fn floor(&mut self, n: u32, enough: i64) -> i64 {
        let node = &self.nodes[n as usize];
        let mut lo = node.lo;
        let mut at = node.down;
        while at != NONE && lo <= enough {
            let e = &self.edges[at as usize];
            lo = lo.max(self.nodes[e.x as usize].value.saturating_sub(e.k));
            at = e.next_down;
            self.work += 1;
        }
        lo
    }

    /// The greatest value that what lies above `n` allows; the look ends once it is below `enough`.
    #[inline]
    fn ceiling(&mut self, n: u32, enough: i64) -> i64 {
        let node = &self.nodes[n as usize];
        let mut hi = node.hi;
        let mut at = node.up;
        while at != NONE && hi >= enough {
            let e = &self.edges[at as usize];
            hi = hi.min(self.nodes[e.y as usize].value.saturating_add(e.k));
            at = e.next_up;
            self.work += 1;
        }
        hi
    }

    /// Moves one node into `lo..=hi`, as near to `want` as its set, its disequalities and its other
    /// reading allow.
    fn move_to(&mut self, n: u32, lo: i64, hi: i64, want: i64) -> bool {
        if self.accepts(n, want) {
            self.delta.push((n, want));
            return true;
        }
        if self.nodes[n as usize].ne == NONE && self.vars[n as usize >> 1].set == NONE {
            return false;
        }
        let taken = self.taken(n);
        let (mut below, mut above) = (want, want);
        // Each disequality forbids one value.
        for _ in 0..TRIES + taken.len() {
            let mut left = false;
            if below > lo {
                below -= 1;
                left = true;
                if taken.binary_search(&below).is_err() && self.accepts(n, below) {
                    self.delta.push((n, below));
                    return true;
                }
            }
            if above < hi {
                above += 1;
                left = true;
                if taken.binary_search(&above).is_err() && self.accepts(n, above) {
                    self.delta.push((n, above));
                    return true;
                }
            }
            if !left {
                return false;
            }
        }
        false
    }

    /// The values that the disequalities of `n` forbid, in increasing order.
    fn taken(&mut self, n: u32) -> Vec<i64> {
        self.taken_by(n, |_| true)
    }

    /// As [`Graph::taken`], but by constants and by those nodes alone that `counts` lets count.
    pub(super) fn taken_by(&mut self, n: u32, counts: impl Fn(u32) -> bool) -> Vec<i64> {
        let mut taken = Vec::with_capacity(self.degree(n) as usize);
        let mut at = self.nodes[n as usize].ne;
        while at != NONE {
            let ne = &self.nes[at as usize];
            if ne.x == n {
                if ne.y == NONE {
                    taken.push(ne.k);
                } else if counts(ne.y) {
                    taken.extend(self.nodes[ne.y as usize].value.checked_add(ne.k));
                }
                at = ne.next_x;
            } else {
                if counts(ne.x) {
                    taken.extend(self.nodes[ne.x as usize].value.checked_sub(ne.k));
                }
                at = ne.next_y;
            }
        }
        self.work += taken.len() as u64;
        taken.sort_unstable();
        taken
    }

    /// Whether a value, known to suit the edges of `n`, suits everything else that hangs on it.
    #[inline]
    fn accepts(&self, n: u32, value: i64) -> bool {
        let var = &self.vars[n as usize >> 1];
        let node = &self.nodes[n as usize];
        if node.ne != NONE && self.clashes(n, value) {
            return false;
        }
        if var.unified && var.set == NONE {
            return true;
        }
        let bits = decode(n as usize, var.width, value);
        if var.set != NONE && !self.sets[var.set as usize].set.contains(bits) {
            return false;
        }
        var.unified || self.twin_accepts(n, bits)
    }

    /// Whether a disequality of `n` forbids the value.
    pub(super) fn clashes(&self, n: u32, value: i64) -> bool {
        let mut at = self.nodes[n as usize].ne;
        while at != NONE {
            let ne = &self.nes[at as usize];
            let (clash, next) = if ne.x == n {
                let other = if ne.y == NONE { 0 } else { self.nodes[ne.y as usize].value };
                (equal(value, other, ne.k), ne.next_x)
            } else {
                (equal(self.nodes[ne.x as usize].value, value, ne.k), ne.next_y)
            };
            if clash {
                return true;
            }
            at = next;
        }
        false
    }

    /// Whether the other reading of the variable could have these bits, everyone else staying put.
    pub(super) fn twin_accepts(&self, n: u32, bits: u64) -> bool {
        let twin = n ^ 1;
        let view = if twin & 1 == 0 { View::Signed } else { View::Unsigned };
        let value = encode(view, self.vars[n as usize >> 1].width, bits);
        let node = &self.nodes[twin as usize];
        if value < node.lo || value > node.hi {
            return false;
        }
        node.is_bare() || (self.suits_edges(twin, value) && !self.clashes(twin, value))
    }

    /// Whether a value of `n` satisfies its edges; edges to the other reading are not looked at.
    pub(super) fn suits_edges(&self, n: u32, value: i64) -> bool {
        let node = &self.nodes[n as usize];
        let mut at = node.down;
        while at != NONE {
            let e = &self.edges[at as usize];
            if e.x != n ^ 1 && !at_most(self.nodes[e.x as usize].value, value, e.k) {
                return false;
            }
            at = e.next_down;
        }
        at = node.up;
        while at != NONE {
            let e = &self.edges[at as usize];
            if e.y != n ^ 1 && !at_most(value, self.nodes[e.y as usize].value, e.k) {
                return false;
            }
            at = e.next_up;
        }
        true
    }
}
