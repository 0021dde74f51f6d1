//! Walks the computation trees of the two shortest-path programs natively: where the questions are linear.
//!
//! `cargo run --release -p pessimum-solver --example shortest_walk -- dijkstra 5`
//! (2,592 paths) or `… bellman-ford 4` (184,875 paths).

#![allow(clippy::print_stdout)]

use pessimum_solver::{Answer, Solver};
use pessimum_term::{Arena, Domain, Op, TermId, Width};
use std::time::Instant;

/// A program written as a function that asks for the outcome of each condition.
type Program = fn(&mut Run<'_>, usize);

/// One run along a path: the decisions of the prefix are given, the rest are taken as they come.
struct Run<'a> {
    arena: &'a mut Arena,
    solver: &'a mut Solver,
    weights: &'a [TermId],
    /// Decisions to follow; grows by the first feasible side at each new open condition.
    path: &'a mut Vec<Choice>,
    at: usize,
}

struct Choice {
    outcome: bool,
    /// The other side is feasible and was not visited yet.
    open: bool,
    solver: pessimum_solver::Mark,
    arena: pessimum_term::Mark,
    condition: TermId,
}

impl Run<'_> {
    /// The outcome of `a < b`.
    fn less(&mut self, a: TermId, b: TermId) -> bool {
        let condition = self.arena.binary(Op::Slt, a, b);
        if let Some(value) = self.arena.as_const(condition) {
            return value != 0;
        }
        let at = self.at;
        self.at += 1;
        if let Some(choice) = self.path.get(at) {
            assert_eq!(choice.condition, condition);
            return choice.outcome;
        }
        let negation = self.arena.not(condition);
        let yes = self.solver.check(self.arena, condition);
        let no = self.solver.check(self.arena, negation);
        let (solver, arena) = (self.solver.mark(), self.arena.mark());
        let (outcome, open) = match (yes, no) {
            (Answer::Sat, Answer::Sat) => (true, true),
            (Answer::Sat, Answer::Unsat) => (true, false),
            (Answer::Unsat, Answer::Sat) => (false, false),
            other => panic!("linear conditions are always decided, not {other:?}"),
        };
        if open {
            self.solver.assert(self.arena, condition);
        }
        self.path.push(Choice { outcome, open, solver, arena, condition });
        outcome
    }

    fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.arena.binary(Op::Add, a, b)
    }
}

fn dijkstra(run: &mut Run<'_>, n: usize) {
    let far = run.arena.constant(Width::W32, i32::MAX as u64);
    let mut dist = vec![far; n];
    let mut fixed = vec![false; n];
    dist[0] = run.arena.constant(Width::W32, 0);
    for _ in 0..n {
        let (mut u, mut least) = (usize::MAX, far);
        for v in 0..n {
            if !fixed[v] && run.less(dist[v], least) {
                (u, least) = (v, dist[v]);
            }
        }
        fixed[u] = true;
        for v in 0..n {
            if !fixed[v] {
                let there = run.add(dist[u], run.weights[u * n + v]);
                if run.less(there, dist[v]) {
                    dist[v] = there;
                }
            }
        }
    }
}

fn bellman_ford(run: &mut Run<'_>, n: usize) {
    let far = run.arena.constant(Width::W32, 1_000_000);
    let mut dist = vec![far; n];
    let mut infinite = vec![true; n];
    dist[0] = run.arena.constant(Width::W32, 0);
    infinite[0] = false;
    for _ in 0..n {
        let mut relaxed = false;
        let mut weight = 0;
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let length = run.weights[weight];
                weight += 1;
                if infinite[i] {
                    continue;
                }
                let there = run.add(dist[i], length);
                if run.less(there, dist[j]) {
                    (dist[j], infinite[j], relaxed) = (there, false, true);
                }
            }
        }
        if !relaxed {
            return;
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "dijkstra".into());
    let n: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(4);
    let (program, lo, hi): (Program, i128, i128) =
        if name == "dijkstra" { (dijkstra, 0, 1000) } else { (bellman_ford, -1000, 1000) };
    let mut arena = Arena::new();
    let weights: Vec<TermId> =
        (0..n * n).map(|_| arena.variable(Width::W32, Domain { lo, hi })).collect();
    let mut solver = Solver::new();
    let mut path: Vec<Choice> = Vec::new();
    let mut paths = 0u64;
    let start = Instant::now();
    loop {
        let mut run = Run {
            arena: &mut arena,
            solver: &mut solver,
            weights: &weights,
            path: &mut path,
            at: 0,
        };
        program(&mut run, n);
        paths += 1;
        while path.last().is_some_and(|choice| !choice.open) {
            path.pop();
        }
        let Some(last) = path.last_mut() else { break };
        solver.undo_to(last.solver);
        arena.undo_to(last.arena);
        let negation = arena.not(last.condition);
        assert_eq!(solver.assert(&mut arena, negation), Answer::Sat);
        (last.outcome, last.open) = (false, false);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{name} n {n}  paths {paths}  seconds {seconds:.3}");
    println!("{:?}", solver.stats());
}
