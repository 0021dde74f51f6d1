//! One shot at a large conjunction of order and difference constraints.
//!
//! The path condition of a large size comes as a stream of millions of constraints of a few kinds:
//! `x ≤ y + k`, `x = y + k`, `x ≠ y + k`, and bounds and holes of one variable. There is nothing to undo
//! and only one question, so no incremental solver is needed: the least solution above a floor is the
//! longest path in the graph of the constraints, computed once in topological order.

use std::collections::VecDeque;

/// Collects constraints over variables that are integers within bounds.
#[derive(Debug)]
pub(crate) struct OneShot {
    low: Vec<i64>,
    high: Vec<i64>,
    /// `to ≥ from + by`
    edges: Vec<Edge>,
    /// Edges that are left out until they are found violated.
    loose: Vec<Edge>,
    /// x ≠ y + k
    unequal: Vec<(u32, u32, i64)>,
    /// Values that a variable must not have.
    holes: Vec<(u32, i64)>,
    /// The latest hole of each variable: constraints come again and again.
    last_hole: Vec<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    by: i32,
}

impl Edge {
    fn holds(&self, values: &[i64]) -> bool {
        values[self.to as usize] >= values[self.from as usize].saturating_add(i64::from(self.by))
    }
}

/// What a shot found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shot {
    /// The least values above the floor.
    Hit(Vec<i64>),
    /// No solution above the floor, or none was found.
    Miss,
}

impl OneShot {
    /// Variables with these bounds.
    pub(crate) fn new(bounds: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let (low, high): (Vec<i64>, Vec<i64>) = bounds.into_iter().unzip();
        let last_hole = vec![i64::MIN; low.len()];
        let (edges, loose) = (Vec::new(), Vec::new());
        OneShot { low, high, edges, loose, unequal: Vec::new(), holes: Vec::new(), last_hole }
    }

    /// Number of variables.
    pub(crate) fn len(&self) -> usize {
        self.low.len()
    }

    /// x ≤ y + k; `false` when k is too large for a constraint of this kind.
    #[inline]
    pub(crate) fn at_most(&mut self, x: u32, y: u32, k: i64) -> bool {
        let Ok(by) = i32::try_from(k.saturating_neg()) else { return false };
        self.edges.push(Edge { from: x, to: y, by });
        true
    }

    /// As [`OneShot::at_most`], for a constraint that the least values will hardly violate: an upper
    /// bound on a difference. Such constraints close circles with the lower bounds, and would keep
    /// nearly everything out of the topological order.
    #[inline]
    pub(crate) fn at_most_loosely(&mut self, x: u32, y: u32, k: i64) -> bool {
        let Ok(by) = i32::try_from(k.saturating_neg()) else { return false };
        self.loose.push(Edge { from: x, to: y, by });
        true
    }

    /// x ≠ y + k
    pub(crate) fn differ(&mut self, x: u32, y: u32, k: i64) {
        self.unequal.push((x, y, k));
    }

    /// x ≥ k
    #[inline]
    pub(crate) fn raise(&mut self, x: u32, k: i64) {
        let low = &mut self.low[x as usize];
        *low = (*low).max(k);
    }

    /// x ≤ k
    #[inline]
    pub(crate) fn lower(&mut self, x: u32, k: i64) {
        let high = &mut self.high[x as usize];
        *high = (*high).min(k);
    }

    /// x ≠ k
    #[inline]
    pub(crate) fn exclude(&mut self, x: u32, k: i64) {
        if self.last_hole[x as usize] != k {
            self.last_hole[x as usize] = k;
            self.holes.push((x, k));
        }
    }

    /// Solves. With `small`, negative values are only used where nothing else is allowed, so that
    /// the signed and the unsigned reading of a value agree.
    pub(crate) fn solve(&mut self, small: bool) -> Shot {
        self.holes.sort_unstable();
        self.holes.dedup();
        let mut graph = Graph::new(self.len(), &self.edges);
        let floor =
            |(low, high): (&i64, &i64)| if small && *high >= 0 { (*low).max(0) } else { *low };
        let mut values: Vec<i64> = self.low.iter().zip(&self.high).map(floor).collect();
        for (x, value) in values.iter_mut().enumerate() {
            *value = self.above_holes(x, *value);
        }
        if !self.raise_in_order(&graph, &mut values) {
            return Shot::Miss;
        }
        for _ in 0..100 {
            let violated: Vec<Edge> =
                self.loose.iter().copied().filter(|e| !e.holds(&values)).collect();
            if !violated.is_empty() {
                let from = violated.iter().map(|e| e.from).collect();
                self.edges.extend(violated);
                graph = Graph::new(self.len(), &self.edges);
                if !self.settle(&graph, &mut values, from) {
                    return Shot::Miss;
                }
                continue;
            }
            // Least values that happen to be equal where they must differ: raise one of them.
            let clash = |&&(x, y, k): &&(u32, u32, i64)| {
                values[x as usize] == values[y as usize].saturating_add(k)
            };
            let clashes: Vec<u32> = self.unequal.iter().filter(clash).map(|c| c.0).collect();
            if clashes.is_empty() {
                return Shot::Hit(values);
            }
            for &x in &clashes {
                values[x as usize] = self.above_holes(x as usize, values[x as usize] + 1);
            }
            if !self.settle(&graph, &mut values, clashes.into()) {
                return Shot::Miss;
            }
        }
        Shot::Miss
    }

    fn above_holes(&self, x: usize, mut value: i64) -> i64 {
        if self.last_hole[x] == i64::MIN {
            return value;
        }
        let mut at = self.holes.partition_point(|h| *h < (x as u32, value));
        while self.holes.get(at) == Some(&(x as u32, value)) {
            value += 1;
            at += 1;
        }
        value
    }

    /// First every variable once, after all that push it; then, where constraints go in circles,
    /// whatever is left.
    fn raise_in_order(&self, graph: &Graph, values: &mut [i64]) -> bool {
        let mut before = vec![0u32; values.len()];
        for to in &graph.to {
            before[*to as usize] += 1;
        }
        let mut ready: Vec<u32> =
            (0..values.len() as u32).filter(|x| before[*x as usize] == 0).collect();
        while let Some(x) = ready.pop() {
            for (to, by) in graph.of(x) {
                let pushed = values[x as usize].saturating_add(i64::from(by));
                if pushed > values[to as usize] {
                    values[to as usize] = self.above_holes(to as usize, pushed);
                }
                before[to as usize] -= 1;
                if before[to as usize] == 0 {
                    ready.push(to);
                }
            }
        }
        let circles = (0..values.len() as u32).filter(|x| before[*x as usize] > 0);
        let within = values.iter().zip(&self.high).all(|(v, h)| v <= h);
        within && self.settle(graph, values, circles.collect())
    }

    /// Raises until every constraint holds; `false` when a bound is in the way. Without a bound a
    /// circle that pushes itself would go on for ever, but every variable has one; patience ends
    /// where reaching it would take too long.
    fn settle(&self, graph: &Graph, values: &mut [i64], mut queue: VecDeque<u32>) -> bool {
        let mut queued = vec![false; values.len()];
        queue.iter().for_each(|x| queued[*x as usize] = true);
        let mut patience = 50 * graph.to.len() as u64 + 10_000;
        while let Some(x) = queue.pop_front() {
            queued[x as usize] = false;
            for (to, by) in graph.of(x) {
                let at = to as usize;
                let pushed = values[x as usize].saturating_add(i64::from(by));
                if pushed > values[at] {
                    values[at] = self.above_holes(at, pushed);
                    if !std::mem::replace(&mut queued[at], true) {
                        queue.push_back(to);
                    }
                }
                patience -= 1;
                if patience == 0 {
                    return false;
                }
            }
            if values[x as usize] > self.high[x as usize] {
                return false;
            }
        }
        values.iter().zip(&self.high).all(|(v, h)| v <= h)
    }
}

/// The edges by the variable they start from.
struct Graph {
    first: Vec<u32>,
    to: Vec<u32>,
    by: Vec<i32>,
}

impl Graph {
    fn new(len: usize, edges: &[Edge]) -> Graph {
        let mut first = vec![0u32; len + 1];
        for e in edges {
            first[e.from as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let (mut to, mut by) = (vec![0; edges.len()], vec![0; edges.len()]);
        for e in edges {
            let at = &mut next[e.from as usize];
            to[*at as usize] = e.to;
            by[*at as usize] = e.by;
            *at += 1;
        }
        Graph { first, to, by }
    }

    fn of(&self, x: u32) -> impl Iterator<Item = (u32, i32)> + '_ {
        let range = self.first[x as usize] as usize..self.first[x as usize + 1] as usize;
        self.to[range.clone()].iter().copied().zip(self.by[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_takes_the_least_values() {
        let mut shot = OneShot::new([(-100, 100); 3]);
        shot.at_most(0, 1, -1);
        shot.at_most(1, 2, -1);
        assert_eq!(shot.solve(true), Shot::Hit(vec![0, 1, 2]));
        assert_eq!(shot.solve(false), Shot::Hit(vec![-100, -99, -98]));
    }

    #[test]
    fn a_circle_that_pushes_itself_is_a_miss() {
        let mut shot = OneShot::new([(0, 100); 2]);
        shot.at_most(0, 1, -1);
        shot.at_most(1, 0, 0);
        assert_eq!(shot.solve(true), Shot::Miss);
    }

    #[derive(Clone, Debug)]
    enum Constraint {
        AtMost(u32, u32, i64),
        AtMostLoosely(u32, u32, i64),
        Differ(u32, u32, i64),
        Exclude(u32, i64),
        Raise(u32, i64),
        Lower(u32, i64),
    }

    impl Constraint {
        fn holds(&self, v: &[i64]) -> bool {
            match *self {
                Constraint::AtMost(x, y, k) | Constraint::AtMostLoosely(x, y, k) => {
                    v[x as usize] <= v[y as usize] + k
                }
                Constraint::Differ(x, y, k) => v[x as usize] != v[y as usize] + k,
                Constraint::Exclude(x, k) => v[x as usize] != k,
                Constraint::Raise(x, k) => v[x as usize] >= k,
                Constraint::Lower(x, k) => v[x as usize] <= k,
            }
        }

        fn put(&self, shot: &mut OneShot) {
            match *self {
                Constraint::AtMost(x, y, k) => assert!(shot.at_most(x, y, k)),
                Constraint::AtMostLoosely(x, y, k) => assert!(shot.at_most_loosely(x, y, k)),
                Constraint::Differ(x, y, k) => shot.differ(x, y, k),
                Constraint::Exclude(x, k) => shot.exclude(x, k),
                Constraint::Raise(x, k) => shot.raise(x, k),
                Constraint::Lower(x, k) => shot.lower(x, k),
            }
        }
    }

    fn constraint() -> impl Strategy<Value = Constraint> {
        (0u8..5, 0u32..4, 1u32..4, -2i64..4).prop_map(|(kind, x, step, k)| {
            let y = (x + step) % 4;
            match kind {
                0 => Constraint::AtMost(x, y, k),
                1 => Constraint::AtMostLoosely(x, y, k),
                2 => Constraint::Differ(x, y, k),
                3 => Constraint::Exclude(x, k),
                _ if k < 1 => Constraint::Raise(x, k),
                _ => Constraint::Lower(x, k),
            }
        })
    }

    proptest! {
        #[test]
        fn hits_satisfy_and_misses_have_no_solution(
            constraints in prop::collection::vec(constraint(), 0..12),
        ) {
            let mut shot = OneShot::new([(0, 4); 4]);
            constraints.iter().for_each(|c| c.put(&mut shot));
            match shot.solve(true) {
                Shot::Hit(values) => {
                    prop_assert!(values.iter().all(|v| (0..=4).contains(v)));
                    prop_assert!(constraints.iter().all(|c| c.holds(&values)), "{values:?}");
                }
                // Disequations of two variables are not searched through.
                Shot::Miss if constraints.iter().any(|c| matches!(c, Constraint::Differ(..))) => {}
                Shot::Miss => {
                    let all = (0..625).map(|i| [i / 125, i / 25 % 5, i / 5 % 5, i % 5]);
                    for values in all {
                        prop_assert!(!constraints.iter().all(|c| c.holds(&values)), "{values:?}");
                    }
                }
            }
        }
    }
}
