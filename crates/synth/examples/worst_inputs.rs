//! Models the worst paths of a program and checks the predicted costs by replay:
//! `worst_inputs MODULE CALL COST N…`. Prints the model, and a line for each size.
#![allow(clippy::print_stdout)]

use pessimum_entry::{CallSpec, CostModel, Entry, Sizes};
use pessimum_machine::Module;
use pessimum_replay::{Input, Instrumented, Limits, Replayer};
use pessimum_synth::{Cause, TrainOptions, train_and_model};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, call, cost, sizes @ ..] = args.as_slice() else {
        return Err("usage: worst_inputs MODULE CALL COST N...".into());
    };
    let bytes = std::fs::read(file)?;
    let cost = CostModel::parse(cost, |name| std::fs::read(name).map_err(|e| e.to_string()))?;
    let begun = Instant::now();
    let module = Arc::new(Module::load(&bytes, &cost)?);
    let spec = CallSpec::parse(call)?;
    let entry = if spec.args.is_empty() {
        Entry::Program { export: spec.function.clone() }
    } else {
        Entry::Call(spec)
    };
    let model = match train_and_model(&module, &entry, &[], &TrainOptions::default()) {
        Ok(model) => model,
        Err(why) => {
            println!("not modelled: {why} ({:.2} s)", begun.elapsed().as_secs_f64());
            return Ok(());
        }
    };
    let training = begun.elapsed().as_secs_f64();
    println!(
        "cost {}, from sizes {:?}, paths {:?}",
        model.cost(),
        model.trained_on(),
        model.family()
    );
    let place = |cause: Cause| match cause {
        Cause::Decision { site, choice } => {
            format!("{} = {choice}", module.describe(pessimum_machine::SiteIndex(site)))
        }
        other => format!("{other:?}"),
    };
    for line in model.describe(place) {
        println!("  {line}");
    }
    let replayer =
        Replayer::new(&Instrumented::new(&bytes, &cost, module.line_points())?, Limits::default())?;
    for n in sizes {
        let n: u64 = n.parse()?;
        let begun = Instant::now();
        let input = match model.input(n) {
            Ok(input) => input,
            Err(why) => {
                println!("n={n} {why}");
                continue;
            }
        };
        let solved = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let sizes = Sizes::of(n);
        let outcome = replayer.run(&entry.at(&sizes)?, &sizes, Input::Values(&input))?;
        let predicted = model.predict_cost(n);
        let verdict = if predicted == outcome.cost { "equal" } else { "MISMATCH" };
        println!(
            "n={n} constraints={} predicted={predicted:?} replayed={:?} {verdict} training={training:.2}s synthesis={solved:.2}s replay={:.2}s",
            model.constraint_count(n)?,
            outcome.cost,
            begun.elapsed().as_secs_f64()
        );
        println!("  {}", input.elided(12));
    }
    Ok(())
}
