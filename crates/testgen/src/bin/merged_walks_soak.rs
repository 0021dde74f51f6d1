//! Walks random programs with states merged and holds each walk against a plain one:
//! `merged-walks-soak --seed 0 --count 20000`. Ends with code 1 if there was a disagreement.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use pessimum_testgen::{compare_merged, random_program};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let number = |flag: &str, default: u64| {
        let at = args.iter().position(|arg| arg == flag);
        at.and_then(|at| args.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("--seed", 0), number("--count", 1000));
    let (mut reused, mut merging, mut wrong) = (0, 0, 0);
    for seed in first..first + count {
        match compare_merged(&random_program(seed)) {
            Ok(reuses) => {
                reused += reuses;
                merging += u64::from(reuses > 0);
            }
            Err(why) => {
                println!("seed {seed}: {why}");
                wrong += 1;
            }
        }
    }
    println!("{count} programs, {merging} with reuses, {reused} reuses, {wrong} disagreements");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
