//! Counts the feasible paths of a program: `count_paths MODULE CALL N [WORKERS
//! [off|auto|on|verify [COUNTED [SECONDS]]]]`, where N may be several, `3,4,5`, COUNTED is the work up to which a
//! walk that merges counts the paths, and SECONDS ends a walk. A second line says why states were walked.
#![allow(clippy::print_stdout)]

use pessimum_clock::{Deadline, Instant};
use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
use pessimum_explore::{Merge, Nobody, Options, Plan, explore};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, call, n, rest @ ..] = args.as_slice() else {
        return Err(
            "usage: count_paths MODULE CALL N [WORKERS [off|auto|on|verify [COUNTED [SECONDS]]]]"
                .into(),
        );
    };
    let bytes = std::fs::read(file)?;
    let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals)?);
    let spec = CallSpec::parse(call)?;
    let entry = if spec.args.is_empty() {
        Entry::Program { export: spec.function.clone() }
    } else {
        Entry::Call(spec)
    };
    let workers = rest.first().map_or(Ok(1), |w| w.parse())?;
    let merge = match rest.get(1).map(String::as_str) {
        Some("on") => Merge::On,
        Some("auto") => Merge::Auto,
        Some("verify") => Merge::Verify,
        _ => Merge::Off,
    };
    for n in n.split(',') {
        let sizes = Sizes::of(n.parse()?);
        let invocation = entry.at(&sizes)?;
        let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
        let mut options = Options { merge, ..Options::default() };
        if let Some(counted) = rest.get(2) {
            options.counted_work = counted.parse()?;
        }
        if let Some(seconds) = rest.get(3) {
            let time = std::time::Duration::from_secs(seconds.parse()?);
            options.budget.deadline = Deadline::at(Instant::now() + time);
        }
        let plan = Plan { module: Arc::clone(&module), setup, over: None, options, workers };
        let begun = Instant::now();
        let (outcome, _) = explore(&plan, &Unguided, || Nobody)?;
        let (paths, states) = match &outcome.merged {
            Some(merged) => {
                let paths =
                    merged.paths.as_ref().map_or("not counted".to_owned(), |p| p.to_string());
                let wrong = if merged.wrong > 0 { " WRONG" } else { "" };
                (paths, format!("states={} reuses={}{wrong}", merged.states, merged.reuses))
            }
            None => (outcome.paths.to_string(), "plain".to_owned()),
        };
        println!(
            "n={n} paths={paths} trapped={} cut={} forks={} worst={:?} least={:?} exact={} {states} work={} seconds={:.3}",
            outcome.trapped,
            outcome.cut,
            outcome.address_forks,
            outcome.worst_cost(),
            outcome.least_cost,
            outcome.is_exact(),
            outcome.work,
            begun.elapsed().as_secs_f64()
        );
        if let Some(merged) = &outcome.merged {
            println!("{:?}", merged.misses);
        }
        if let Some(input) = outcome.worst.and_then(|w| w.test.input) {
            println!("{}", input.elided(20));
        }
    }
    Ok(())
}
