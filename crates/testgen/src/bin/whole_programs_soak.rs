//! Explores random programs and holds each against brute force:
//! `whole-programs-soak --seed 0 --count 100000`. Ends with code 1 if there was a disagreement.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use pessimum_testgen::{Compared, Truth, compare, random_program};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut seed = 0;
    let mut count = 1000;
    let mut shows = false;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse::<u64>().ok());
        match (flag.as_str(), flag == "--show") {
            ("--seed", _) => seed = number().unwrap_or(seed),
            ("--count", _) => count = number().unwrap_or(count),
            (_, true) => shows = true,
            _ => {
                eprintln!("whole-programs-soak [--seed FIRST] [--count PROGRAMS] [--show]");
                return ExitCode::from(2);
            }
        }
    }
    let mut sum = Sum::default();
    for seed in seed..seed + count {
        let program = random_program(seed);
        if shows {
            println!("; seed {seed}: {}\n{}", program.signature(), program.text);
        }
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let truth = Truth::of(&program)?;
            Ok::<_, String>((compare(&program, &truth)?, truth))
        }));
        match checked {
            Ok(Ok((compared, truth))) => sum.add(compared, &truth),
            Ok(Err(why)) => sum.disagree(seed, &why),
            Err(_) => sum.disagree(seed, "a panic"),
        }
        sum.programs += 1;
        if sum.programs.is_multiple_of(100) {
            eprintln!("{}", sum.line());
        }
    }
    println!("{}", sum.line());
    if sum.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Sum {
    programs: u64,
    runs: u64,
    trapped: u64,
    exact: u64,
    open: u64,
    counted: u64,
    paths: u64,
    wrong: Vec<u64>,
}

impl Sum {
    fn add(&mut self, compared: Compared, truth: &Truth) {
        self.runs += truth.runs.len() as u64;
        self.trapped += truth.runs.iter().filter(|run| run.trap.is_some()).count() as u64;
        self.exact += u64::from(compared.exact);
        self.open += u64::from(compared.open);
        self.counted += u64::from(compared.counted);
        self.paths += compared.paths;
    }

    fn disagree(&mut self, seed: u64, why: &str) {
        println!("seed {seed}: {why}");
        self.wrong.push(seed);
    }

    fn line(&self) -> String {
        format!(
            "{} programs, {} inputs run ({} trap), {} exact walks of {} paths ({} held to the number of traces), \
             {} walks not exact, {} disagreements {:?}",
            self.programs,
            self.runs,
            self.trapped,
            self.exact,
            self.paths,
            self.counted,
            self.open,
            self.wrong.len(),
            self.wrong.iter().take(20).collect::<Vec<_>>()
        )
    }
}
