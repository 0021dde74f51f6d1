//! All differences that the graph implies, kept up to date along the path.
//!
//! *Layout*: every reading of a variable that is in an edge has a position, in the order in which it
//! came; position 0 stands for the number zero, so that bounds are differences too. Entry (i, j) is
//! the least k with `i ≤ j + k`. Entries lie in shells: those with max(i, j) = t come after those
//! with a smaller one, so what is known of the first positions is a prefix of the list, and two
//! lists of different length agree on where an entry is.
//!
//! *Cost*: an edge is O(m²) comparisons at worst for m positions, and mostly O(m), since only the
//! pairs that it brings closer are visited. What it changes is logged; going back writes it back.
//! Nothing happens unless somebody asks: [`Closure::sync`] reads what the trail of the graph has
//! got since the last time.

use super::{Graph, NONE, Undo};

/// A bound that says nothing.
pub(crate) const NO_BOUND: i64 = 1 << 62;

/// The closure up to some point of the graph's trail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closure {
    /// Position of each node, or [`NONE`].
    position: Vec<u32>,
    /// Node at each position but the first.
    active: Vec<u32>,
    entries: Vec<i64>,
    log: Vec<(u32, i64)>,
    /// Points to go back to, oldest first.
    points: Vec<Point>,
    here: Point,
    column: Vec<i64>,
    row: Vec<i64>,
    work: u64,
}

/// How much of the graph and of the log there was.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    trail: u32,
    edges: u32,
    bounds: u32,
    log: u32,
    active: u32,
}

/// Where entry (i, j) is.
#[inline]
pub(crate) fn entry_of(i: usize, j: usize) -> usize {
    if i >= j { i * i + j } else { j * j + j + 1 + i }
}

impl Closure {
    /// Brings the closure up to date with the graph. `low` is the shortest that the trail has been
    /// since the last call.
    pub(super) fn sync(&mut self, graph: &Graph, low: u32) {
        if self.entries.is_empty() {
            self.entries.push(0);
        }
        while self.here.trail > low {
            self.go_back();
        }
        let now = graph.trail.len() as u32;
        if now == self.here.trail {
            return;
        }
        self.points.push(self.here);
        let (mut edges, mut bounds) = (self.here.edges, self.here.bounds);
        for step in &graph.trail[self.here.trail as usize..] {
            match step {
                Undo::Edge => {
                    let e = graph.edges[edges as usize];
                    edges += 1;
                    let (x, y) = (self.activate(graph, e.x), self.activate(graph, e.y));
                    self.add(x, y, e.k);
                }
                Undo::Bounds => {
                    let n = graph.bounds[bounds as usize].node;
                    bounds += 1;
                    if let Some(&at) = self.position.get(n as usize)
                        && at != NONE
                    {
                        let node = &graph.nodes[n as usize];
                        self.add(at as usize, 0, limited(node.hi));
                        self.add(0, at as usize, limited_below(node.lo));
                    }
                }
                Undo::Var | Undo::Ne | Undo::Set | Undo::Link => {}
            }
        }
        while !graph.nes.is_empty() && self.part(graph) {}
        let (log, active) = (self.log.len() as u32, self.active.len() as u32);
        self.here = Point { trail: now, edges, bounds, log, active };
    }

    /// Brings numbers apart that are known to differ and not to be further than that: of integers,
    /// `x ≤ y + k` and `x ≠ y + k` make `x ≤ y + k − 1`. Whether anything changed.
    fn part(&mut self, graph: &Graph) -> bool {
        let mut changed = false;
        for ne in &graph.nes {
            let x = self.position.get(ne.x as usize).copied().unwrap_or(NONE);
            let y = match ne.y {
                NONE => 0,
                y => self.position.get(y as usize).copied().unwrap_or(NONE),
            };
            if x == NONE || y == NONE {
                continue;
            }
            let (x, y) = (x as usize, y as usize);
            let Some(minus) = ne.k.checked_neg() else { continue };
            if self.at(x, y) == ne.k {
                self.add(x, y, ne.k - 1);
                changed = true;
            }
            if self.at(y, x) == minus {
                self.add(y, x, minus - 1);
                changed = true;
            }
        }
        changed
    }

    fn go_back(&mut self) {
        let Some(to) = self.points.pop() else {
            debug_assert!(false, "the first point is at the beginning of the trail");
            self.here = Point::default();
            return;
        };
        while self.log.len() > to.log as usize {
            if let Some((at, old)) = self.log.pop()
                && let Some(entry) = self.entries.get_mut(at as usize)
            {
                *entry = old;
            }
        }
        while self.active.len() > to.active as usize {
            if let Some(n) = self.active.pop() {
                self.position[n as usize] = NONE;
            }
        }
        let positions = self.active.len() + 1;
        self.entries.truncate(positions * positions);
        self.here = to;
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.active.len() + 1
    }

    /// The nodes that have a position, from position 1 on.
    pub(crate) fn active(&self) -> &[u32] {
        &self.active
    }

    /// The position of a node.
    #[inline]
    pub(crate) fn position(&self, n: u32) -> Option<usize> {
        self.position.get(n as usize).filter(|at| **at != NONE).map(|at| *at as usize)
    }

    /// The least k with `i ≤ j + k`.
    #[inline]
    pub(crate) fn at(&self, i: usize, j: usize) -> i64 {
        self.entries[entry_of(i, j)]
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    fn activate(&mut self, graph: &Graph, n: u32) -> usize {
        if self.position.len() <= n as usize {
            self.position.resize(graph.nodes.len().max(n as usize + 1), NONE);
        }
        if self.position[n as usize] != NONE {
            return self.position[n as usize] as usize;
        }
        let t = self.active.len() + 1;
        self.position[n as usize] = t as u32;
        self.active.push(n);
        let node = &graph.nodes[n as usize];
        let (hi, lo) = (limited(node.hi), limited_below(node.lo));
        for j in 0..t {
            let entry = sum(hi, self.at(0, j));
            self.entries.push(entry);
        }
        self.entries.push(0);
        for i in 0..t {
            let entry = sum(self.at(i, 0), lo);
            self.entries.push(entry);
        }
        debug_assert_eq!(self.entries.len(), (t + 1) * (t + 1));
        self.work += t as u64;
        t
    }

    /// Adds `x ≤ y + k`.
    fn add(&mut self, x: usize, y: usize, k: i64) {
        if k >= self.at(x, y) || x == y {
            return;
        }
        let m = self.len();
        // Those whose distance to y shrinks by way of x, and those that x gets closer to.
        let (mut column, mut row) =
            (std::mem::take(&mut self.column), std::mem::take(&mut self.row));
        column.clear();
        row.clear();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for i in 0..m {
            let by_x = sum(self.at(i, x), k);
            if by_x < self.at(i, y) {
                above.push(i);
                column.push(by_x);
            }
            let by_y = sum(k, self.at(y, i));
            if by_y < self.at(x, i) {
                below.push(i);
                row.push(self.at(y, i));
            }
        }
        for (&i, &to_y) in above.iter().zip(&column) {
            for (&j, &from_y) in below.iter().zip(&row) {
                let at = entry_of(i, j);
                let new = sum(to_y, from_y);
                if new < self.entries[at] {
                    self.log.push((at as u32, self.entries[at]));
                    self.entries[at] = new;
                }
            }
        }
        self.work += (m + above.len() * below.len()) as u64 / 8 + 1;
        (self.column, self.row) = (column, row);
    }
}

#[inline]
fn sum(a: i64, b: i64) -> i64 {
    // Beyond what 32 bits can be apart nothing is claimed to be exact.
    if a >= NO_BOUND || b >= NO_BOUND {
        NO_BOUND
    } else {
        a.saturating_add(b).clamp(-NO_BOUND, NO_BOUND)
    }
}

/// A lower bound of a node as a difference from zero.
fn limited_below(bound: i64) -> i64 {
    bound.checked_neg().map_or(NO_BOUND, limited)
}

/// A bound of a node, or none where it is out of reach.
fn limited(bound: i64) -> i64 {
    if bound.unsigned_abs() >= 1 << 60 { NO_BOUND } else { bound }
}

#[cfg(test)]
mod tests {
    use super::super::{Atom, Graph, View};
    use super::*;
    use pessimum_term::{Range, VarId, Width};

    /// The plainest way to the same numbers.
    fn floyd_warshall(graph: &Graph, nodes: &[u32]) -> Vec<Vec<i64>> {
        let m = nodes.len() + 1;
        let mut d = vec![vec![NO_BOUND; m]; m];
        for (i, &n) in nodes.iter().enumerate() {
            d[i + 1][0] = graph.nodes[n as usize].hi;
            d[0][i + 1] = -graph.nodes[n as usize].lo;
        }
        for (i, row) in d.iter_mut().enumerate() {
            row[i] = 0;
        }
        for e in &graph.edges {
            let at = |n: u32| nodes.iter().position(|m| *m == n).map(|i| i + 1);
            if let (Some(x), Some(y)) = (at(e.x), at(e.y)) {
                d[x][y] = d[x][y].min(e.k);
            }
        }
        for via in 0..m {
            for i in 0..m {
                for j in 0..m {
                    d[i][j] = d[i][j].min(sum(d[i][via], d[via][j]));
                }
            }
        }
        d
    }

    #[test]
    fn the_closure_is_that_of_floyd_and_warshall_after_every_step_to_and_fro() {
        let mut state = 11u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut graph = Graph::new(false);
        for _ in 0..8 {
            graph.push_var(Width::W32, Range::signed(Width::W32, -1000, 1000));
        }
        let mut closure = Closure::default();
        let mut marks = Vec::new();
        let mut checked = 0;
        for step in 0..4000 {
            if random(4) == 0 && !marks.is_empty() {
                let keep = random(marks.len() as u64) as usize;
                graph.undo_to(marks[keep]);
                marks.truncate(keep);
            } else {
                marks.push(graph.mark());
                let node = |v: u64| graph.node(VarId(v as u32), View::Signed);
                let (x, y) = (random(8), random(8));
                let atom = if x == y {
                    let lo = random(400) as i64 - 300;
                    Atom::Within { x: node(x), lo, hi: lo + 100 + random(900) as i64 }
                } else {
                    Atom::Le { x: node(x), y: node(y), k: random(60) as i64 - 8 }
                };
                // Keep to what has a model: a negative cycle has no closure.
                let holds = graph.holds(&atom);
                if !holds {
                    if graph.find(&atom) != super::super::GraphAnswer::Sat {
                        marks.pop();
                        continue;
                    }
                    let delta = graph.delta().to_vec();
                    graph.apply(&delta);
                }
                graph.add(&atom, 1);
            }
            if step % 3 == 0 {
                let low = graph.take_low();
                closure.sync(&graph, low);
                let expected = floyd_warshall(&graph, closure.active());
                for (i, row) in expected.iter().enumerate() {
                    for (j, entry) in row.iter().enumerate() {
                        assert_eq!(closure.at(i, j), *entry, "({i}, {j}) after step {step}");
                    }
                }
                checked += 1;
            }
        }
        assert!(checked > 500);
    }
}
