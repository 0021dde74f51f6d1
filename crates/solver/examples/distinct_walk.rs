//! The path of a duplicate search on which all inputs differ: half a million disequalities of a thousand inputs.
//!
//! `cargo run --release -p pessimum-solver --example distinct_walk -- 1000`

#![allow(clippy::print_stdout)]

use pessimum_solver::{Answer, Solver, canonical_model};
use pessimum_term::{Arena, Domain, Op, TermId, Width};
use std::time::Instant;

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let (mut arena, mut solver) = (Arena::new(), Solver::new());
    let full = Domain::full(Width::W32);
    let inputs: Vec<TermId> = (0..n).map(|_| arena.variable(Width::W32, full)).collect();
    let start = Instant::now();
    for i in 1..n {
        for j in 0..i {
            let same = arena.binary(Op::Eq, inputs[i], inputs[j]);
            let apart = arena.not(same);
            // Both sides are possible, as whoever counts open decisions has to know.
            assert_eq!(solver.check(&mut arena, same), Answer::Sat);
            assert_eq!(solver.check(&mut arena, apart), Answer::Sat);
            assert_eq!(solver.assert(&mut arena, apart), Answer::Sat);
        }
    }
    let walked = start.elapsed().as_secs_f64();
    let path = solver.assertions().to_vec();
    let (answer, values) = canonical_model(&mut arena, &path);
    assert_eq!(answer, Answer::Sat);
    let greatest = values.iter().max().copied().unwrap_or(0);
    let seconds = start.elapsed().as_secs_f64();
    println!("n {n}  walked in {walked:.3} s, with an input after {seconds:.3} s");
    println!("work {}  greatest value {greatest}", solver.work());
    println!("{:?}", solver.stats());
}
