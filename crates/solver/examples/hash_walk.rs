//! The path on which n different keys fall into one bucket of a hash table, and an input for it.
//!
//! `cargo run --release -p pessimum-solver --example hash_walk -- bernstein 300`, or `affine`, `fnv`, `remainder`.

#![allow(clippy::print_stdout)]

use pessimum_solver::{Answer, Solver, canonical_model};
use pessimum_term::{Arena, Domain, Op, TermId, Width};
use std::time::Instant;

/// Byte by byte: times 33 and add, or exclusive or and times a prime.
fn bytewise(arena: &mut Arena, key: TermId, fnv: bool) -> TermId {
    let (start, times) = if fnv { (0x811c_9dc5, 0x0100_0193) } else { (5381, 33) };
    let mut hash = arena.constant(Width::W32, start);
    for low in [0, 8, 16, 24] {
        let byte = arena.extract(key, low, Width::W8);
        let byte = arena.zero_extend(Width::W32, byte);
        let times = arena.constant(Width::W32, times);
        hash = if fnv {
            let mixed = arena.binary(Op::Xor, hash, byte);
            arena.binary(Op::Mul, mixed, times)
        } else {
            let product = arena.binary(Op::Mul, hash, times);
            arena.binary(Op::Add, product, byte)
        };
    }
    hash
}

/// The bucket of a key, of 64 or, by remainder, of 61.
fn bucket(arena: &mut Arena, name: &str, key: TermId) -> TermId {
    let hash = match name {
        "bernstein" | "fnv" => bytewise(arena, key, name == "fnv"),
        _ => {
            let times = arena.constant(Width::W32, 0x9e37_79b1);
            let more = arena.constant(Width::W32, 12345);
            let product = arena.binary(Op::Mul, key, times);
            arena.binary(Op::Add, product, more)
        }
    };
    let (op, by) = if name == "remainder" { (Op::URem, 61) } else { (Op::And, 63) };
    let by = arena.constant(Width::W32, by);
    arena.binary(op, hash, by)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "bernstein".into());
    let n: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(300);
    let (mut arena, mut solver) = (Arena::new(), Solver::new());
    let (mut keys, mut first): (Vec<TermId>, Option<TermId>) = (Vec::new(), None);
    let start = Instant::now();
    for _ in 0..n {
        let key = arena.variable(Width::W32, Domain::full(Width::W32));
        let bucket = bucket(&mut arena, &name, key);
        let here = *first.get_or_insert(bucket);
        if here != bucket {
            let same = arena.binary(Op::Eq, bucket, here);
            let other = arena.not(same);
            assert_eq!(solver.check(&mut arena, other), Answer::Sat);
            assert_eq!(solver.assert(&mut arena, same), Answer::Sat);
        }
        // Along the chain, newest first.
        for &other in keys.iter().rev() {
            let same = arena.binary(Op::Eq, key, other);
            let apart = arena.not(same);
            assert_eq!(solver.check(&mut arena, same), Answer::Sat);
            assert_eq!(solver.assert(&mut arena, apart), Answer::Sat);
        }
        keys.push(key);
    }
    let walked = start.elapsed().as_secs_f64();
    let path = solver.assertions().to_vec();
    let (answer, _) = canonical_model(&mut arena, &path);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name} n {n}  walked in {walked:.3} s, with an input after {seconds:.3} s: {answer:?}"
    );
    println!("{:?}", solver.stats());
}
