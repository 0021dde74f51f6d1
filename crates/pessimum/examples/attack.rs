//! Attacks every claim of every program of the corpus and of the real ones, for as long as the
//! analysis itself took: `cargo run --release -p pessimum --example attack -- SECONDS [NAME…]`.
#![allow(clippy::print_stdout, reason = "a measurement prints its result")]

#[path = "../tests/attack/mod.rs"]
mod attack;

use attack::targets::{corpus_programs, real_programs};
use attack::{Attacker, claims};
use pessimum::Analysis;
use std::time::{Duration, Instant};

/// Inputs that are run against a claim in the first round; each round has twice as many.
const ROUND: u64 = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let seconds: u64 = words.next().unwrap_or_else(|| "10".to_owned()).parse()?;
    let names: Vec<String> = words.collect();
    let (mut all_claims, mut all_runs, mut all_fallen) = (0, 0, 0);
    println!("{:44} {:>7} {:>9} {:>7}  fallen", "program", "claims", "runs", "seconds");
    for (name, program) in corpus_programs().into_iter().chain(real_programs()) {
        if !names.is_empty() && !names.iter().any(|n| name.starts_with(n.as_str())) {
            continue;
        }
        let begun = Instant::now();
        let result = match Analysis::of(program.clone()).time(Duration::from_secs(seconds)).run() {
            Ok(result) => result,
            Err(error) => {
                println!("{name:44} {error}");
                continue;
            }
        };
        let took = begun.elapsed().max(Duration::from_secs(1));
        let mut attacker = Attacker::new(&program, &result, 1)?;
        let mut claims = claims(&result);
        let number = claims.len();
        let begun = Instant::now();
        let mut fallen = Vec::new();
        let mut round = ROUND;
        while begun.elapsed() < took && !claims.is_empty() {
            let mut standing = Vec::new();
            for claim in claims {
                match attacker.attack(&claim, round)? {
                    Some(broken) => fallen.push(broken),
                    None => standing.push(claim),
                }
                if begun.elapsed() >= took {
                    break;
                }
            }
            claims = standing;
            round *= 2;
        }
        let spent = begun.elapsed().as_secs_f64();
        println!("{name:44} {number:>7} {:>9} {spent:>7.1}  {}", attacker.runs, fallen.len());
        fallen.iter().for_each(|broken| println!("    {broken}"));
        all_claims += number;
        all_runs += attacker.runs;
        all_fallen += fallen.len();
    }
    println!("\n{all_claims} claims, {all_runs} runs, {all_fallen} fallen");
    Ok(())
}
