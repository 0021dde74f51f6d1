//! What results promise of the programs of the corpus holds against an attacker who tries to refute
//! it, and the attacker is good enough to refute what is false.
//!
//! `bench/attackers.sh` does the same for longer, over the real programs as well.

use crate::attack;

use attack::targets::corpus_programs;
use attack::{Attacker, Claim, claims};
use pessimum::{Analysis, AnalysisResult, Error, Program};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Inputs that are run against each claim.
const RUNS: u64 = 12;

/// A result of a fixed amount of work, however busy the machine is.
fn result(program: &Program) -> Result<AnalysisResult, Error> {
    let analysis = Analysis::of(program.clone()).effort(Duration::from_millis(200));
    analysis.time(Duration::from_secs(600)).samples(0).run()
}

/// How many claims of a program were attacked, and those that fell.
fn attacked(name: &str, program: &Program) -> (usize, Vec<String>) {
    let result = match result(program) {
        Ok(result) => result,
        Err(Error::OutOfBudget(_)) => return (0, Vec::new()),
        Err(error) => panic!("{name}: {error}"),
    };
    let mut attacker = Attacker::new(program, &result, 1).unwrap_or_else(|e| panic!("{name}: {e}"));
    let claims = claims(&result);
    let fallen = claims.iter().filter_map(|claim| {
        let broken = attacker.attack(claim, RUNS).unwrap_or_else(|e| panic!("{name}: {e}"));
        broken.map(|b| format!("{name}: {b}"))
    });
    let fallen = fallen.collect();
    (claims.len(), fallen)
}

#[test]
fn no_claim_falls() {
    let programs = corpus_programs();
    let next = AtomicUsize::new(0);
    let all = Mutex::new((0, Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, program)) = programs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let (tried, fallen) = attacked(name, program);
                    let mut all = all.lock().expect("no thread panicked");
                    all.0 += tried;
                    all.1.extend(fallen);
                }
            });
        }
    });
    let (tried, mut fallen) = all.into_inner().expect("no thread panicked");
    fallen.sort();
    assert!(tried > 200, "only {tried} claims to attack");
    assert!(fallen.is_empty(), "\n{}", fallen.join("\n"));
}

/// An attacker that refutes nothing proves nothing.
#[test]
fn a_false_claim_falls() {
    let programs = corpus_programs();
    let (_, program) =
        programs.iter().find(|(name, _)| name == "insertion_sort").expect("it is in the corpus");
    let result = result(program).expect("it is analysed");
    let mut attacker = Attacker::new(program, &result, 1).expect("it can be run");
    let exact = claims(&result).into_iter().filter(|c| c.promise == "exact");
    let truth = exact.max_by_key(|c| c.n).expect("small sizes are exact");
    let claim = Claim { at_most: truth.at_most - 1, ..truth };
    let broken = attacker.attack(&claim, 200).expect("it can be run");
    assert!(broken.is_some_and(|b| b.cost == Some(claim.at_most + 1)));
}
