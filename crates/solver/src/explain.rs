//! Why not: assertions that suffice to contradict a condition.
//!
//! Asked after *unsat*, and only by those who want to know: answering costs a question nothing. In
//! difference logic the reason is a negative cycle through the condition, found with as few edges as
//! possible; a simple cycle loses nothing, so none of its assertions can be left out. For a byte it is the
//! tables that leave no value. For sums it is the row of the simplex method that no values satisfy (Farkas): what
//! bounds its parts. Where floats are computed from few values it is what fails when all are tried. Else it is the core of bit-blasting, by assumptions, and where that gives up everything that
//! shares inputs with the condition.
//!
//! Conditions are read against the domains alone: a reading that leans on bounds of the path would hide the
//! assertions that these came from.

use crate::answer::Answer;
use crate::atom::{self, Reading, SetCache};
use crate::compound::conjuncts;
use crate::difference::{Atom, ByteSet, Graph, NodeId};
use crate::escalate::BLAST_PER_UNIT;
use crate::linear::Work;
use crate::linearize::LinearStage;
use crate::solver::Solver;
use pessimum_term::{Arena, TermId, VarId};

/// What comes from a domain and needs no assertion.
const DOMAIN: u32 = u32::MAX;

/// x ≤ y + k, by an assertion.
#[derive(Clone, Copy, Debug)]
struct Edge {
    x: usize,
    y: usize,
    k: i128,
    reason: u32,
}

/// The difference constraints of some assertions. The last node stands for zero.
struct Differences {
    edges: Vec<Edge>,
    /// By node: its edges `x ≤ …`, as a part of `edges`.
    first: Vec<usize>,
    zero: usize,
}

impl Solver {
    /// Assertions that contradict `c`, by number and in increasing order: together with `c` they have no
    /// model. None unless [`Solver::check`] says unsat of `c`.
    ///
    /// ```
    /// use pessimum_solver::{Answer, Solver};
    /// use pessimum_term::{Arena, Domain, Op, Width};
    ///
    /// let mut arena = Arena::new();
    /// let mut solver = Solver::new();
    /// let [x, y, z] = [(); 3].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
    /// for (a, b) in [(x, y), (x, z), (y, z)] {
    ///     let less = arena.binary(Op::Slt, a, b);
    ///     assert_eq!(solver.assert(&mut arena, less), Answer::Sat);
    /// }
    /// let back = arena.binary(Op::Slt, z, x);
    /// assert_eq!(solver.check(&mut arena, back), Answer::Unsat);
    /// assert_eq!(solver.explain(&mut arena, back), Some(vec![1]));
    /// ```
    pub fn explain(&mut self, arena: &mut Arena, c: TermId) -> Option<Vec<u32>> {
        self.sync(arena);
        let (mark, terms, last_unsat) = (self.mark(), arena.mark(), self.last_unsat);
        let mut reasons = self.reasons(arena, c);
        // What was built on the way is dropped, and what the solver remembers of it.
        self.undo_to(mark);
        arena.undo_to(terms);
        self.last_unsat = last_unsat;
        if let Some(reasons) = &mut reasons {
            reasons.sort_unstable();
            reasons.dedup();
        }
        reasons
    }

    fn reasons(&mut self, arena: &mut Arena, c: TermId) -> Option<Vec<u32>> {
        if let Some(negation) = arena.find_negation(c)
            && let Some(i) = self.assertions.iter().position(|t| *t == negation)
        {
            return Some(vec![i as u32]);
        }
        let related = self.component(arena, c).assertions;
        let mut reader = Reader::new(arena);
        let asked = reader.read(arena, c);
        if asked.iter().any(|part| matches!(part, Reading::Known(false))) {
            return Some(Vec::new());
        }
        let mut atoms = Vec::new();
        for &i in &related {
            for reading in reader.read(arena, self.assertions[i as usize]) {
                match reading {
                    Reading::Atom(atom) => atoms.push((atom, i)),
                    Reading::Known(false) => return Some(vec![i]),
                    _ => {}
                }
            }
        }
        let differences = Differences::new(&reader.graph, &atoms);
        for part in asked {
            let Reading::Atom(atom) = part else { continue };
            let found = match atom {
                Atom::In { v, set } => no_value_left(&reader.graph, v, set, &atoms),
                _ => differences.refute(&atom),
            };
            if found.is_some() {
                return found;
            }
        }
        let mut work = Work::new(self.config.linear_work).until(self.config.deadline.clone());
        let mut conflict = |of: &[u32]| {
            let conditions = of.iter().map(|&i| (i, self.assertions[i as usize]));
            LinearStage::conflict(arena, &reader.graph, conditions, c, &mut work)
        };
        // Two conditions on one sum are one row, which names only one of them: what explains has to contradict by itself.
        let sums = conflict(&related).filter(|reasons| conflict(reasons).is_some());
        self.strong_work += work.spent();
        sums.or_else(|| self.core(arena, &related, c))
    }

    /// What bit-blasting needs of the related assertions, or all of them.
    fn core(&mut self, arena: &mut Arena, related: &[u32], c: TermId) -> Option<Vec<u32>> {
        let own = related.iter().map(|i| self.assertions[*i as usize]);
        let all: Vec<TermId> = own.chain([c]).collect();
        if all.iter().any(|t| arena.info(*t).has_float)
            && let Some(reasons) = self.fails_with(arena, related, c)
        {
            return Some(reasons);
        }
        let units = self.config.blast_work.saturating_mul(BLAST_PER_UNIT);
        let mut work = Work::new(units).until(self.config.deadline.clone());
        let answer = self.blaster.solve(arena, &all, &mut work);
        self.strong_work += work.spent() / BLAST_PER_UNIT;
        if answer == Answer::Unsat {
            let core = self.blaster.core();
            return Some(core.iter().filter_map(|at| related.get(*at).copied()).collect());
        }
        // Asked again with as little work to spend, the chain might not find out a second time.
        let unsat = self.last_unsat == Some(c) || self.check(arena, c) == Answer::Unsat;
        unsat.then(|| related.to_vec())
    }
}

/// Reads conditions against the domains of the inputs.
struct Reader {
    graph: Graph,
    sets: SetCache,
}

impl Reader {
    fn new(arena: &Arena) -> Reader {
        let mut graph = Graph::new(false);
        for v in (0..arena.var_count()).map(VarId) {
            let t = arena.var_term(v);
            graph.push_var(arena.width(t), arena.range(t));
        }
        Reader { graph, sets: SetCache::default() }
    }

    /// The readings of a condition; of a conjunction one for each part.
    fn read(&mut self, arena: &mut Arena, c: TermId) -> Vec<Reading> {
        match atom::read(arena, &self.graph, &mut self.sets, c) {
            Reading::Other => {}
            reading => return vec![reading],
        }
        let parts = conjuncts(arena, c).unwrap_or_default();
        let read = |part: &TermId| atom::read(arena, &self.graph, &mut self.sets, *part);
        parts.iter().map(read).collect()
    }
}

impl Differences {
    fn new(graph: &Graph, atoms: &[(Atom, u32)]) -> Differences {
        let zero = graph.var_count() as usize * 2;
        let mut edges = Vec::new();
        let mut edge = |x: usize, y: usize, k: i128, reason| edges.push(Edge { x, y, k, reason });
        for n in graph.nodes() {
            let (lo, hi) = graph.limits(n);
            edge(n.index(), zero, i128::from(hi), DOMAIN);
            edge(zero, n.index(), -i128::from(lo), DOMAIN);
        }
        for &(atom, reason) in atoms {
            match atom {
                Atom::Le { x, y, k } => edge(x.index(), y.index(), i128::from(k), reason),
                Atom::Eq { x, y, k } => {
                    edge(x.index(), y.index(), i128::from(k), reason);
                    edge(y.index(), x.index(), -i128::from(k), reason);
                }
                Atom::Within { x, lo, hi } => {
                    edge(x.index(), zero, i128::from(hi), reason);
                    edge(zero, x.index(), -i128::from(lo), reason);
                }
                Atom::In { v, set } => {
                    for n in graph.readings(v) {
                        let values = || set.iter().map(|bits| i128::from(graph.value_of(n, bits)));
                        if let (Some(lo), Some(hi)) = (values().min(), values().max()) {
                            edge(n.index(), zero, hi, reason);
                            edge(zero, n.index(), -lo, reason);
                        }
                    }
                }
                Atom::Ne { .. } | Atom::Not { .. } => {}
            }
        }
        edges.sort_by_key(|e| e.x);
        let mut first = vec![0; zero + 2];
        for e in &edges {
            first[e.x + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        Differences { edges, first, zero }
    }

    /// The reasons of cycles that refute an atom.
    fn refute(&self, atom: &Atom) -> Option<Vec<u32>> {
        let at = |n: NodeId| n.index();
        match *atom {
            Atom::Le { x, y, k } => self.cycle(at(x), at(y), i128::from(k)),
            Atom::Eq { x, y, k } => self
                .cycle(at(x), at(y), i128::from(k))
                .or_else(|| self.cycle(at(y), at(x), -i128::from(k))),
            Atom::Ne { x, y, k } => self.both_sides(at(x), at(y), i128::from(k)),
            Atom::Within { x, lo, hi } if lo <= hi => self
                .cycle(at(x), self.zero, i128::from(hi))
                .or_else(|| self.cycle(self.zero, at(x), -i128::from(lo))),
            Atom::Within { .. } => Some(Vec::new()),
            Atom::Not { x, k } => self.both_sides(at(x), self.zero, i128::from(k)),
            Atom::In { .. } => None,
        }
    }

    /// Why x is not less than y + k, nor greater.
    fn both_sides(&self, x: usize, y: usize, k: i128) -> Option<Vec<u32>> {
        let mut below = self.cycle(x, y, k - 1)?;
        below.extend(self.cycle(y, x, -k - 1)?);
        Some(below)
    }

    /// The reasons along a path y ≤ … ≤ x + d with d + k < 0, which x ≤ y + k closes to a negative cycle. In
    /// round r the distances are those of paths of at most r edges, so the first that is found is short.
    fn cycle(&self, x: usize, y: usize, k: i128) -> Option<Vec<u32>> {
        let mut distance: Vec<Option<i128>> = vec![None; self.zero + 1];
        let mut by: Vec<usize> = vec![usize::MAX; self.zero + 1];
        distance[y] = Some(0);
        let mut frontier = vec![y];
        for _ in 0..=self.zero {
            let mut better: Vec<(usize, i128, usize)> = Vec::new();
            for &n in &frontier {
                let Some(here) = distance[n] else { continue };
                for at in self.first[n]..self.first[n + 1] {
                    let e = self.edges[at];
                    let there = here + e.k;
                    if e.y != y && distance[e.y].is_none_or(|old| there < old) {
                        better.push((e.y, there, at));
                    }
                }
            }
            frontier.clear();
            for (n, there, at) in better {
                if distance[n].is_none_or(|old| there < old) {
                    distance[n] = Some(there);
                    by[n] = at;
                    frontier.push(n);
                }
            }
            if distance[x].is_some_and(|d| d + k < 0) {
                return self.path(&by, y, x);
            }
            if frontier.is_empty() {
                return None;
            }
        }
        None
    }

    fn path(&self, by: &[usize], from: usize, to: usize) -> Option<Vec<u32>> {
        let mut reasons = Vec::new();
        let mut n = to;
        // Without a negative cycle among the assertions the way back has no more edges than there are nodes.
        for _ in 0..=self.zero {
            if n == from {
                return Some(reasons);
            }
            let e = self.edges.get(by[n])?;
            if e.reason != DOMAIN {
                reasons.push(e.reason);
            }
            n = e.x;
        }
        None
    }
}

/// The conditions on the byte `v` alone that leave none of `set`: as few as leaving out one by one gives.
fn no_value_left(graph: &Graph, v: VarId, set: ByteSet, atoms: &[(Atom, u32)]) -> Option<Vec<u32>> {
    let domain = graph.set_of(v)?.intersect(&set);
    let mut tables: Vec<(ByteSet, u32)> = atoms
        .iter()
        .filter_map(|(atom, reason)| match atom {
            Atom::In { v: of, set } if *of == v => Some((*set, *reason)),
            _ => None,
        })
        .collect();
    let left = |tables: &[(ByteSet, u32)]| {
        tables.iter().fold(domain, |left, (table, _)| left.intersect(table)).is_empty()
    };
    if !left(&tables) {
        return None;
    }
    let mut at = tables.len();
    while at > 0 {
        at -= 1;
        let out = tables.remove(at);
        if !left(&tables) {
            tables.insert(at, out);
        }
    }
    Some(tables.into_iter().map(|(_, reason)| reason).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{Domain, Op, Width};

    fn world(n: usize) -> (Arena, Solver, Vec<TermId>) {
        let mut arena = Arena::new();
        let vars = (0..n).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        (arena, Solver::new(), vars)
    }

    /// A cycle has an edge for each step that is needed, and no other.
    #[test]
    fn a_cycle_is_minimal() {
        let (mut arena, mut solver, v) = world(12);
        let less = |arena: &mut Arena, i: usize, j: usize| arena.binary(Op::Slt, v[i], v[j]);
        // A chain with side branches, then what contradicts a part of it.
        for i in 1..10 {
            let step = less(&mut arena, i - 1, i);
            assert_eq!(solver.assert(&mut arena, step), Answer::Sat);
            let aside = less(&mut arena, i, 11);
            assert_eq!(solver.assert(&mut arena, aside), Answer::Sat);
        }
        let back = less(&mut arena, 6, 3);
        let reasons = solver.explain(&mut arena, back).expect("3 < 4 < 5 < 6");
        assert_eq!(reasons, [6, 8, 10]);
        for without in 0..reasons.len() {
            let mut fresh = Solver::new();
            for (i, at) in reasons.iter().enumerate() {
                if i != without {
                    fresh.assert(&mut arena, solver.assertions()[*at as usize]);
                }
            }
            assert_eq!(fresh.check(&mut arena, back), Answer::Sat, "{reasons:?} at {without}");
        }
        let free = less(&mut arena, 10, 3);
        assert_eq!(solver.explain(&mut arena, free), None, "it is possible");
    }

    /// Bounds count as edges to zero, and a disequality needs both of its sides.
    #[test]
    fn bounds_and_disequalities_have_reasons() {
        let (mut arena, mut solver, v) = world(3);
        let five = arena.constant(Width::W32, 5);
        let low = arena.binary(Op::Sle, five, v[0]);
        let aside = arena.binary(Op::Slt, v[2], v[1]);
        let order = arena.binary(Op::Sle, v[0], v[1]);
        let high = arena.binary(Op::Sle, v[1], five);
        for c in [low, aside, order, high] {
            assert_eq!(solver.assert(&mut arena, c), Answer::Sat);
        }
        let equal = arena.binary(Op::Eq, v[0], v[1]);
        let differ = arena.not(equal);
        assert_eq!(solver.check(&mut arena, differ), Answer::Unsat);
        assert_eq!(solver.explain(&mut arena, differ), Some(vec![0, 2, 3]));
        let four = arena.constant(Width::W32, 4);
        let less = arena.binary(Op::Slt, v[1], four);
        assert_eq!(solver.explain(&mut arena, less), Some(vec![0, 2]));
    }

    /// Of many conditions on a byte those that leave nothing; and what no graph reads by its core.
    #[test]
    fn tables_and_bits_have_reasons() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W8, Domain::full(Width::W8)));
        let mut solver = Solver::new();
        for k in 0..6u64 {
            let k = arena.constant(Width::W8, k);
            let same = arena.binary(Op::Eq, x, k);
            let differ = arena.not(same);
            assert_eq!(solver.assert(&mut arena, differ), Answer::Sat);
        }
        let three = arena.constant(Width::W8, 3);
        let small = arena.binary(Op::Ult, x, three);
        assert_eq!(solver.explain(&mut arena, small), Some(vec![0, 1, 2]));
        let product = arena.binary(Op::Mul, x, y);
        let odd = arena.extract(product, 0, Width::BOOL);
        assert_eq!(solver.assert(&mut arena, odd), Answer::Sat);
        let even = arena.extract(y, 0, Width::BOOL);
        let even = arena.not(even);
        assert_eq!(solver.check(&mut arena, even), Answer::Unsat);
        assert_eq!(solver.explain(&mut arena, even), Some(vec![6]));
    }

    /// Of many conditions on sums those that add up to a contradiction; without any bits.
    #[test]
    fn sums_have_reasons() {
        let mut arena = Arena::new();
        let v: Vec<TermId> =
            (0..6).map(|_| arena.variable(Width::W32, Domain { lo: 0, hi: 1000 })).collect();
        let mut solver = Solver::new();
        solver.config.blast_work = 0;
        let sum = |arena: &mut Arena, of: &[usize]| {
            of[1..].iter().fold(v[of[0]], |sum, i| arena.binary(Op::Add, sum, v[*i]))
        };
        let less = |arena: &mut Arena, a: &[usize], b: &[usize]| {
            let (a, b) = (sum(arena, a), sum(arena, b));
            arena.binary(Op::Slt, a, b)
        };
        let asserted: [(&[usize], &[usize]); 4] =
            [(&[0, 1], &[2, 3]), (&[4], &[0, 5]), (&[2], &[4]), (&[3], &[5])];
        for (a, b) in asserted {
            let c = less(&mut arena, a, b);
            assert_eq!(solver.assert(&mut arena, c), Answer::Sat);
        }
        // x0 + x1 < x2 + x3 < x4 + x5, and so not x4 + x5 < x0 + x1.
        let back = less(&mut arena, &[4, 5], &[0, 1]);
        assert_eq!(solver.check(&mut arena, back), Answer::Unsat);
        assert_eq!(solver.explain(&mut arena, back), Some(vec![0, 2, 3]));
        let free = less(&mut arena, &[0, 1], &[4, 5]);
        assert_eq!(solver.explain(&mut arena, free), None);
    }

    /// Two conditions on the same sum: one of them alone explains nothing.
    #[test]
    fn a_sum_that_is_two_numbers_has_both_reasons() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W8, Domain { lo: -128, hi: 10 });
        let y = arena.variable(Width::W8, Domain { lo: 123, hi: 255 });
        let (wide_x, wide_y) = (arena.sign_extend(Width::W32, x), arena.sign_extend(Width::W32, y));
        let sum = arena.binary(Op::Add, wide_y, wide_x);
        let mut solver = Solver::new();
        let k = arena.constant(Width::W32, 0x10);
        let first = arena.binary(Op::Eq, sum, k);
        assert_eq!(solver.assert(&mut arena, first), Answer::Sat);
        let low = arena.extract(sum, 0, Width::W16);
        let k = arena.constant(Width::W16, 0x40);
        let second = arena.binary(Op::Eq, low, k);
        assert_eq!(solver.check(&mut arena, second), Answer::Unsat);
        assert_eq!(solver.explain(&mut arena, second), Some(vec![0]));
    }

    /// With next to nothing to spend a solver that said unsat may not manage to say it twice.
    #[test]
    fn what_was_just_refuted_is_explained_without_work_left() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W16, Domain::full(Width::W16)));
        let mut solver = Solver::new();
        let product = arena.binary(Op::Mul, x, y);
        let odd = arena.extract(product, 0, Width::BOOL);
        assert_eq!(solver.assert(&mut arena, odd), Answer::Sat);
        let bit = arena.extract(y, 0, Width::BOOL);
        let even = arena.not(bit);
        assert_eq!(solver.check(&mut arena, even), Answer::Unsat);
        solver.config.blast_work = 0;
        assert_eq!(solver.explain(&mut arena, even), Some(vec![0]));
        assert_eq!(solver.explain(&mut arena, even), Some(vec![0]), "as often as one likes");
        assert_eq!(solver.explain(&mut arena, bit), None);
    }
}
