//! Walks the computation tree of insertion sort natively, with nothing but the solver beneath: what one
//! path costs when the interpreter costs nothing.
//!
//! `cargo run --release -p pessimum-solver --example insertion_walk -- 10` visits all n! paths;
//! with a second argument `worst` only the path that shifts at every comparison.

#![allow(clippy::print_stdout)]

use pessimum_solver::{Answer, Solver, canonical_model};
use pessimum_term::{Arena, Domain, Op, TermId, Width};
use std::time::Instant;

struct Walk {
    arena: Arena,
    solver: Solver,
    /// The array as the program has it now.
    a: Vec<TermId>,
    worst_only: bool,
    paths: u64,
    checks: u64,
}

impl Walk {
    /// Takes out `a[i]` and goes through the rest of the sort.
    fn outer(&mut self, i: usize) {
        if i >= self.a.len() {
            self.paths += 1;
            return;
        }
        let x = self.a[i];
        self.inner(i, i, x);
    }

    /// `x` goes to `a[j]` or further left; the values from `j` on were shifted.
    fn inner(&mut self, i: usize, mut j: usize, x: TermId) {
        let start = j;
        while j > 0 {
            let arena_mark = self.arena.mark();
            let shift = self.arena.binary(Op::Slt, x, self.a[j - 1]);
            let stay = self.arena.not(shift);
            self.checks += 2;
            let can_shift = self.solver.check(&mut self.arena, shift);
            let can_stay = self.solver.check(&mut self.arena, stay);
            match (can_shift, can_stay) {
                (Answer::Sat, Answer::Sat) if self.worst_only => {
                    self.solver.assert(&mut self.arena, shift);
                }
                (Answer::Sat, Answer::Sat) => {
                    let mark = self.solver.mark();
                    self.solver.assert(&mut self.arena, stay);
                    self.a[j] = x;
                    self.outer(i + 1);
                    self.solver.undo_to(mark);
                    self.solver.assert(&mut self.arena, shift);
                    self.a[j] = self.a[j - 1];
                    self.inner(i, j - 1, x);
                    self.solver.undo_to(mark);
                    self.a[j - 1] = self.a[j];
                    self.arena.undo_to(arena_mark);
                    for k in j..start {
                        self.a[k] = self.a[k + 1];
                    }
                    self.a[start] = x;
                    return;
                }
                (Answer::Sat, Answer::Unsat) => {}
                (Answer::Unsat, Answer::Sat) => break,
                other => panic!("order atoms are always decided, not {other:?}"),
            }
            self.a[j] = self.a[j - 1];
            j -= 1;
        }
        self.a[j] = x;
        self.outer(i + 1);
        for k in j..start {
            self.a[k] = self.a[k + 1];
        }
        self.a[start] = x;
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(8);
    let worst_only = args.next().is_some_and(|word| word == "worst");
    let mut arena = Arena::new();
    let a = (0..n).map(|_| arena.variable(Width::W32, Domain::full(Width::W32))).collect();
    let mut walk = Walk { arena, solver: Solver::new(), a, worst_only, paths: 0, checks: 0 };
    let start = Instant::now();
    walk.outer(1);
    let seconds = start.elapsed().as_secs_f64();
    println!("n {n}  paths {}  checks {}  seconds {seconds:.3}", walk.paths, walk.checks);
    println!("{:?}", walk.solver.stats());
    if worst_only {
        let start = Instant::now();
        let (answer, values) = canonical_model(&mut walk.arena, walk.solver.assertions());
        let seconds = start.elapsed().as_secs_f64();
        println!("afresh {answer:?} in {seconds:.3} s, from {:?} down", values.first());
    }
}
