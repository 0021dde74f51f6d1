//! Counts the feasible paths of a program: `count_paths MODULE CALL N [WORKERS]`.
#![allow(clippy::print_stdout)]

use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
use pessimum_explore::{Nobody, Options, Plan, explore};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, call, n, rest @ ..] = args.as_slice() else {
        return Err("usage: count_paths MODULE CALL N [WORKERS]".into());
    };
    let bytes = std::fs::read(file)?;
    let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals)?);
    let spec = CallSpec::parse(call)?;
    let entry = if spec.args.is_empty() {
        Entry::Program { export: spec.function.clone() }
    } else {
        Entry::Call(spec)
    };
    let sizes = Sizes::of(n.parse()?);
    let setup = Setup { invocation: entry.at(&sizes)?, sizes, seed: 0, limits: Limits::default() };
    let workers = rest.first().map_or(Ok(1), |w| w.parse())?;
    let plan = Plan { module, setup, over: None, options: Options::default(), workers };
    let begun = std::time::Instant::now();
    let (outcome, _) = explore(&plan, &Unguided, || Nobody)?;
    println!(
        "n={n} paths={} trapped={} cut={} forks={} worst={:?} least={:?} exact={} calls={} seconds={:.3}",
        outcome.paths,
        outcome.trapped,
        outcome.cut,
        outcome.address_forks,
        outcome.worst_cost(),
        outcome.least_cost,
        outcome.is_exact(),
        outcome.solver_calls,
        begun.elapsed().as_secs_f64()
    );
    if let Some(input) = outcome.worst.and_then(|w| w.test.input) {
        println!("{}", input.elided(20));
    }
    Ok(())
}
