//! The fuzz targets on stable Rust: the committed seeds of every target, then modules of random
//! seeds in both engines until enough instructions have been executed.
//!
//! `cargo run --release --manifest-path fuzz/Cargo.toml --bin soak -- [MILLIONS] [FIRST_SEED]`

use pessimum_fuzz::{Effort, FUEL, compare, from_seed};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (millions, first) = match (args.next().unwrap_or(Ok(10)), args.next().unwrap_or(Ok(0))) {
        (Ok(millions), Ok(first)) => (millions, first),
        _ => {
            eprintln!("usage: soak [MILLIONS] [FIRST_SEED]");
            return ExitCode::from(2);
        }
    };
    for (target, run) in TARGETS {
        println!("{target}: {} seeds of the corpus", seeds(target, run));
    }
    // Panics of wasmi are counted; one of ours still ends the program, with its place.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or("", |l| l.file());
        if !place.contains("wasmi") {
            eprintln!("{panic}");
        }
    }));
    let begun = Instant::now();
    let mut total = Effort::default();
    let (mut modules, mut seed) = (0, first);
    while total.instructions < millions * 1_000_000 {
        if let Some(bytes) = from_seed(seed, FUEL) {
            match compare(&bytes, seed, seed % 2 == 1) {
                Ok(effort) => {
                    modules += 1;
                    total.add(effort);
                }
                Err(e) => {
                    eprintln!("seed {seed}: {e}");
                    return ExitCode::FAILURE;
                }
            }
        }
        seed += 1;
    }
    println!(
        "differential: {modules} modules (seeds {first}..{seed}), {} calls of which {} trapped, \
         {} instructions, no disagreement, {:.1} s; wasmi panicked on {} of the modules",
        total.calls,
        total.traps,
        total.instructions,
        begun.elapsed().as_secs_f64(),
        total.gave_up
    );
    ExitCode::SUCCESS
}

type Run = fn(&[u8]);

const TARGETS: [(&str, Run); 3] = [
    ("differential", |bytes| {
        pessimum_fuzz::differential(bytes);
    }),
    ("loader", pessimum_fuzz::loader),
    ("call_spec", pessimum_fuzz::call_spec),
];

/// Runs a target on its committed seeds; how many there are.
fn seeds(target: &str, run: Run) -> usize {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.iter().filter_map(|p| std::fs::read(p).ok()).map(|bytes| run(&bytes)).count()
}
