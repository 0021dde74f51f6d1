//! Random conjunctions against brute force, bit-blasting and Z3, as many as one likes.
//!
//! `cargo run --release -p pessimum-solver --example conjunctions_soak -- --count 1000000 --seed 0`; with
//! `--features z3` a part of the questions goes to Z3. Ends with exit code 1 at the first disagreement, and says
//! which seed it was: `--seed S --count 1` asks it again.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/conjunctions/mod.rs"]
#[allow(dead_code)]
mod conjunctions;

use conjunctions::{Source, Tally, session};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut count = 100_000u64;
    let mut seed = 0u64;
    let mut go_on = false;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let mut number = || args.next().and_then(|word| word.parse().ok());
        match (flag.as_str(), flag == "--go-on") {
            (_, true) => go_on = true,
            ("--count", _) => count = number().unwrap_or(count),
            ("--seed", _) => seed = number().unwrap_or(seed),
            _ => {
                eprintln!("soak [--count CONJUNCTIONS] [--seed FIRST] [--go-on]");
                return ExitCode::from(2);
            }
        }
    }
    let first = seed;
    let mut tally = Tally::default();
    let mut wrong = 0u64;
    while tally.conjunctions < count {
        if let Err(what) = session(&mut Source::Seed(seed), &mut tally) {
            wrong += 1;
            println!("seed {seed}: {what}");
        }
        seed += 1;
        if wrong > 0 && !go_on {
            break;
        }
        if seed.is_multiple_of(5000) {
            eprintln!("{} conjunctions, seed {seed}", tally.conjunctions);
        }
    }
    println!("seeds {first}..{seed}: {wrong} disagreements in {} conjunctions", tally.conjunctions);
    println!("{tally:#?}");
    ExitCode::from(u8::from(wrong > 0))
}
