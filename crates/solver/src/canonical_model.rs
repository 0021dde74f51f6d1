//! The canonical model of a bare list of constraints, whatever path led to it.
//!
//! Reported inputs must not depend on how the exploration went, so they are solved afresh: in the order
//! given, by a new solver, preferring small numbers. A start is computed for all order constraints at once
//! (the least non-negative solution, each value the least that differs from those it must differ from); for
//! comparison programs it usually is the model already, and no solver is needed at all. That takes one pass
//! over the constraints, in a topological order of the inputs, however many disequalities there are.

use crate::answer::{Answer, Reason};
use crate::atom::{self, Reading, SetCache};
use crate::difference::{Atom, Graph, NodeId};
use crate::evaluated::{Evaluated, Verdict};
use crate::solver::{Config, Solver};
use pessimum_clock::Deadline;
use pessimum_term::{Arena, TermId, VarId};
use std::collections::VecDeque;

/// Solves `constraints` from nothing. The values are those of all variables of the arena, in order; they
/// are a model when the answer is sat, and otherwise merely lie in their domains.
///
/// ```
/// use pessimum_solver::{Answer, canonical_model};
/// use pessimum_term::{Arena, Domain, Op, Width};
///
/// let mut arena = Arena::new();
/// let [x, y, z] = [(); 3].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
/// let first = arena.binary(Op::Slt, z, y);
/// let second = arena.binary(Op::Slt, y, x);
/// assert_eq!(canonical_model(&mut arena, &[first, second]), (Answer::Sat, vec![2, 1, 0]));
/// ```
pub fn canonical_model(arena: &mut Arena, constraints: &[TermId]) -> (Answer, Vec<u64>) {
    canonical_model_until(arena, constraints, &Deadline::NEVER)
}

/// As [`canonical_model`], but the answer is unknown once the time is up: thousands of constraints that are
/// more than order take a while, and a single one may.
pub fn canonical_model_until(
    arena: &mut Arena,
    constraints: &[TermId],
    deadline: &Deadline,
) -> (Answer, Vec<u64>) {
    canonical_model_within(arena, constraints, deadline, u64::MAX)
}

/// As [`canonical_model_until`], and unknown as well once it has taken so much work.
pub fn canonical_model_within(
    arena: &mut Arena,
    constraints: &[TermId],
    deadline: &Deadline,
    work: u64,
) -> (Answer, Vec<u64>) {
    let (answer, values, _) = solved(arena, constraints, (deadline, work), SetCache::default());
    (answer, values)
}

impl Solver {
    /// The canonical model of all assertions, as [`canonical_model_until`] has it. Conditions that this solver has
    /// read are not read again: on a long path that is most of the time.
    pub fn canonical_model(
        &mut self,
        arena: &mut Arena,
        deadline: &Deadline,
    ) -> (Answer, Vec<u64>) {
        let sets = std::mem::take(&mut self.sets);
        let (known, terms, computed) = (sets.len(), arena.len() as u32, sets.computed());
        let limits = (deadline, u64::MAX);
        let (answer, values, mut sets) = solved(arena, &self.assertions, limits, sets);
        // What a walk takes does not depend on how many of its inputs are wanted.
        sets.set_computed(computed);
        // Terms made on the way are taken back by whoever asked.
        sets.undo_to(known, terms);
        self.sets = sets;
        (answer, values)
    }
}

/// Solves `constraints` from nothing but what is known of the values of single bytes, and gives that back.
fn solved(
    arena: &mut Arena,
    constraints: &[TermId],
    (deadline, work): (&Deadline, u64),
    sets: SetCache,
) -> (Answer, Vec<u64>, SetCache) {
    let usual = Config::default();
    let mut solver = Solver::with_config(Config {
        tight: true,
        deadline: deadline.clone(),
        linear_work: usual.linear_work.min(work),
        blast_work: usual.blast_work.min(work),
        ..usual
    });
    solver.sync(arena);
    solver.sets = sets;
    start_small(arena, &mut solver.graph, &mut solver.sets, constraints);
    let mut found = Evaluated::all(arena, constraints, |v| solver.var_value(v));
    let mut otherwise = Verdict::Unknown(Reason::Incomplete);
    if found.is_none() {
        for &c in constraints {
            if deadline.is_over() || solver.work() > work {
                otherwise = Verdict::Unknown(Reason::Work);
                break;
            }
            match solver.assert(arena, c) {
                Answer::Unsat => {
                    otherwise = Verdict::Unsat;
                    break;
                }
                // A later assertion may bring the strong solvers to a model of all.
                Answer::Unknown(reason) => otherwise = Verdict::Unknown(reason),
                Answer::Sat => {}
            }
        }
        if solver.has_model() {
            found = Evaluated::all(arena, constraints, |v| solver.var_value(v));
        }
    }
    let values = (0..arena.var_count()).map(|v| solver.var_value(VarId(v))).collect();
    let sets = std::mem::take(&mut solver.sets);
    (found.map_or(otherwise, Verdict::Sat).into(), values, sets)
}

/// x ≤ y + k, seen from x: y is at least x − k.
#[derive(Clone, Copy)]
struct Push {
    x: u32,
    y: u32,
    k: i64,
}

/// `x ≠ y + k`, seen from x; without a `y` it is `x ≠ k`.
#[derive(Clone, Copy)]
struct Apart {
    x: u32,
    y: Option<u32>,
    k: i64,
}

/// What has a first place by node: `of(n)` are those of a list that is sorted by node.
struct ByNode<T> {
    list: Vec<T>,
    first: Vec<u32>,
}

impl<T> ByNode<T> {
    fn new(mut list: Vec<T>, nodes: usize, node: impl Fn(&T) -> u32) -> ByNode<T> {
        list.sort_by_key(&node);
        let mut first = vec![0u32; nodes + 1];
        for entry in &list {
            first[node(entry) as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        ByNode { list, first }
    }

    fn of(&self, n: usize) -> &[T] {
        &self.list[self.first[n] as usize..self.first[n + 1] as usize]
    }
}

/// Gives the inputs the least non-negative values that the order constraints allow, as far as their
/// domains go. Only a start: whoever uses it looks whether it is a model.
fn start_small(arena: &Arena, graph: &mut Graph, sets: &mut SetCache, constraints: &[TermId]) {
    let (mut pushes, mut aparts) = (Vec::new(), Vec::new());
    let mut used: Vec<bool> = vec![false; graph.var_count() as usize * 2];
    let mark = graph.mark();
    for &c in constraints {
        let Reading::Atom(atom) = atom::read(arena, graph, sets, c) else { continue };
        match atom {
            Atom::Le { x, y, k } => {
                pushes.push(Push { x: x.index() as u32, y: y.index() as u32, k })
            }
            Atom::Eq { x, y, k } => {
                pushes.push(Push { x: x.index() as u32, y: y.index() as u32, k });
                pushes.push(Push { x: y.index() as u32, y: x.index() as u32, k: -k });
            }
            Atom::Within { x, .. } => {
                graph.add(&atom, 0);
                used[x.index()] = true;
                continue;
            }
            Atom::In { v, .. } => {
                graph.add(&atom, 0);
                let least = graph.set_of(v).and_then(|set| set.iter().next());
                if let Some(bits) = least {
                    graph.set_bits(v, bits);
                }
                continue;
            }
            Atom::Ne { x, y, k } => {
                let (x, y) = (x.index() as u32, y.index() as u32);
                aparts.push(Apart { x, y: Some(y), k });
                aparts.extend(k.checked_neg().map(|k| Apart { x: y, y: Some(x), k }));
                (used[x as usize], used[y as usize]) = (true, true);
                continue;
            }
            Atom::Not { x, k } => {
                aparts.push(Apart { x: x.index() as u32, y: None, k });
                used[x.index()] = true;
                continue;
            }
        }
        if let Some(last) = pushes.last() {
            used[last.x as usize] = true;
            used[last.y as usize] = true;
        }
    }
    let mut values: Vec<i64> = (0..used.len()).map(|n| graph.nearest_to_zero(n)).collect();
    let pushes = ByNode::new(pushes, used.len(), |p| p.x);
    let aparts = ByNode::new(aparts, used.len(), |a| a.x);
    raise_all(&pushes, &aparts, graph, &mut values);
    let nodes: Vec<NodeId> = graph.nodes().collect();
    for n in nodes {
        if used[n.index()] {
            graph.start_at(n, values[n.index()]);
        }
    }
    graph.undo_to(mark);
}

/// Raises values until every push is satisfied, or too much was done: first once in topological order,
/// which is enough without cycles, then whatever is left in rounds. A value that comes to its place in the
/// first pass is raised past those that were there before and that it must differ from.
fn raise_all(pushes: &ByNode<Push>, aparts: &ByNode<Apart>, graph: &Graph, values: &mut [i64]) {
    let mut before = vec![0u32; values.len()];
    for p in &pushes.list {
        before[p.y as usize] += 1;
    }
    let mut queue: VecDeque<u32> =
        (0..values.len() as u32).filter(|n| before[*n as usize] == 0).collect();
    let mut placed = vec![false; values.len()];
    while let Some(n) = queue.pop_front() {
        values[n as usize] = least_free(aparts.of(n as usize), graph, n, values, &placed);
        placed[n as usize] = true;
        for p in pushes.of(n as usize) {
            let y = p.y as usize;
            values[y] = values[y].max(values[n as usize].saturating_sub(p.k));
            before[y] -= 1;
            if before[y] == 0 {
                queue.push_back(p.y);
            }
        }
    }
    queue.extend((0..values.len() as u32).filter(|n| before[*n as usize] > 0));
    let mut queued: Vec<bool> = before.iter().map(|left| *left > 0).collect();
    let mut left = 20 * pushes.list.len() + 1000;
    while let Some(n) = queue.pop_front() {
        queued[n as usize] = false;
        for p in pushes.of(n as usize) {
            let bound = values[n as usize].saturating_sub(p.k);
            if values[p.y as usize] < bound {
                values[p.y as usize] = bound;
                if !std::mem::replace(&mut queued[p.y as usize], true) {
                    queue.push_back(p.y);
                }
            }
            left -= 1;
            if left == 0 {
                return;
            }
        }
    }
}

/// The least value from the present one of `n` on that its domain has and nobody forbids who has a place;
/// the present one where there is none.
fn least_free(aparts: &[Apart], graph: &Graph, n: u32, values: &[i64], placed: &[bool]) -> i64 {
    let here = values[n as usize];
    if aparts.is_empty() {
        return here;
    }
    let forbidden = |a: &Apart| match a.y {
        None => Some(a.k),
        Some(y) if placed[y as usize] => values[y as usize].checked_add(a.k),
        Some(_) => None,
    };
    let mut taken: Vec<i64> = aparts.iter().filter_map(forbidden).collect();
    taken.sort_unstable();
    graph.next_in_domain(n, here, |value| taken.binary_search(&value).is_ok()).unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_clock::Instant;
    use pessimum_term::{Domain, Op, Width};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_descending_chain_counts_down_to_zero() {
        let mut arena = Arena::new();
        let vars: Vec<TermId> =
            (0..50).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        let mut constraints = Vec::new();
        for i in 1..50 {
            for j in 0..i {
                constraints.push(arena.binary(Op::Slt, vars[i], vars[j]));
            }
        }
        let (answer, values) = canonical_model(&mut arena, &constraints);
        assert_eq!(answer, Answer::Sat);
        assert_eq!(values, (0..50).rev().collect::<Vec<u64>>());
    }

    /// A product that no byte pair has takes a search, which is given up when the work is used up.
    #[test]
    fn no_more_work_is_done_than_there_is() {
        let mut arena = Arena::new();
        let vars: Vec<TermId> =
            (0..4).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        let product = vars[1..].iter().fold(vars[0], |all, v| arena.binary(Op::Mul, all, *v));
        let number = arena.constant(Width::W32, 0xfff1_2345);
        let two = arena.constant(Width::W32, 2);
        let mut constraints: Vec<TermId> =
            vars.iter().map(|v| arena.binary(Op::Ult, two, *v)).collect();
        constraints.push(arena.binary(Op::Eq, product, number));
        let within = |arena: &mut Arena, work| {
            canonical_model_within(arena, &constraints, &Deadline::NEVER, work).0
        };
        assert_eq!(within(&mut arena, 10), Answer::Unknown(Reason::Work));
        assert_eq!(within(&mut arena, u64::MAX), Answer::Sat);
    }

    /// Orders, inputs that differ and numbers that are ruled out: the least values, without a search.
    #[test]
    fn inputs_that_differ_have_the_least_values() {
        let mut arena = Arena::new();
        let vars: Vec<TermId> =
            (0..40).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
        let mut constraints = Vec::new();
        for i in 1..40 {
            for j in 0..i {
                let same = arena.binary(Op::Eq, vars[i], vars[j]);
                constraints.push(arena.not(same));
            }
        }
        let (answer, values) = canonical_model(&mut arena, &constraints);
        assert_eq!((answer, values), (Answer::Sat, (0..40).collect()));
        constraints.push(arena.binary(Op::Slt, vars[39], vars[0]));
        let three = arena.constant(Width::W32, 3);
        let is_three = arena.binary(Op::Eq, vars[39], three);
        constraints.push(arena.not(is_three));
        let (answer, values) = canonical_model(&mut arena, &constraints);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        assert_eq!((answer, values.len()), (Answer::Sat, 40));
        assert!(sorted.windows(2).all(|w| w[0] < w[1]) && values[39] < values[0], "{values:?}");
    }

    #[test]
    fn bounds_and_equations_are_met_too() {
        let mut arena = Arena::new();
        let [x, y, z] = [(); 3].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        let minus = arena.constant(Width::W32, -7i64 as u64);
        let constraints = [
            arena.binary(Op::Slt, x, minus),
            arena.binary(Op::Slt, y, x),
            arena.binary(Op::Eq, z, y),
        ];
        let (answer, values) = canonical_model(&mut arena, &constraints);
        assert_eq!(answer, Answer::Sat);
        assert_eq!(values.iter().map(|v| *v as i32).collect::<Vec<_>>(), [-8, -9, -9]);
    }

    #[test]
    fn when_the_user_has_stopped_a_hard_question_is_left() {
        let stop = Arc::new(AtomicBool::new(true));
        let deadline = Deadline::NEVER.or_when(Arc::clone(&stop));
        let mut solver = Solver::with_config(Config { deadline, ..Config::default() });
        let mut arena = Arena::new();
        let [x, y] =
            [(); 2].map(|()| arena.variable(Width::W64, Domain { lo: 2, hi: 0xffff_ffff }));
        let (product, primes) = (
            arena.binary(Op::Mul, x, y),
            arena.constant(Width::W64, 4_294_967_291 * 4_294_967_279),
        );
        let question = arena.binary(Op::Eq, product, primes);
        assert_eq!(solver.assert(&mut arena, question), Answer::Unknown(Reason::Work));
        assert!(solver.strong_work < 1_000_000, "{}", solver.strong_work);
    }

    #[test]
    fn when_the_time_is_up_it_does_not_know() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W32, Domain::full(Width::W32)));
        // More than order, so that the least values are no model.
        let (ten, sum) = (arena.constant(Width::W32, 10), arena.binary(Op::Add, x, y));
        let constraints = [arena.binary(Op::Eq, sum, ten), arena.binary(Op::Slt, x, y)];
        let (answer, values) =
            canonical_model_until(&mut arena, &constraints, &Deadline::at(Instant::now()));
        assert_eq!(answer, Answer::Unknown(Reason::Work));
        assert_eq!(values.len(), 2);
        assert_eq!(canonical_model(&mut arena, &constraints).0, Answer::Sat);
        // What the least values satisfy is known without a look at the clock.
        let order = &constraints[1..];
        assert_eq!(
            canonical_model_until(&mut arena, order, &Deadline::at(Instant::now())).0,
            Answer::Sat
        );
    }

    #[test]
    fn no_model_is_said_to_be_none() {
        let mut arena = Arena::new();
        let [x, y] = [(); 2].map(|()| arena.variable(Width::W8, Domain { lo: 3, hi: 9 }));
        let constraints = [arena.binary(Op::Ult, x, y), arena.binary(Op::Ult, y, x)];
        let (answer, values) = canonical_model(&mut arena, &constraints);
        assert_eq!(answer, Answer::Unsat);
        assert!(values.iter().all(|v| (3..=9).contains(v)));
    }
}
