//! What a walk found, held against the truth.

use crate::generator::Program;
use crate::truth::Truth;
use pessimum_entry::{CostModel, Invocation, Sizes};
use pessimum_explore::{Budget, Nobody, Options, Outcome, Plan, explore};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module, Setup};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Work that one walk may take; a program that needs more is left out, and counted.
const WORK: u64 = 20_000_000;

/// What came of a comparison without a disagreement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Walks that were called exact, and so were held to the worst cost.
    pub exact: u32,
    /// Walks that were not.
    pub open: u32,
    /// Exact walks whose number of paths was held to the number of traces.
    pub counted: u32,
    /// Paths of the exact walks.
    pub paths: u64,
}

/// How a program is explored in a cost model, with selects split or kept whole.
pub fn plan(program: &Program, model: &CostModel, split: bool) -> Result<Plan, String> {
    let module = Module::load(&program.wasm, model).map_err(|e| e.to_string())?;
    Ok(Plan {
        module: Arc::new(module),
        setup: Setup {
            invocation: Invocation::Call(program.call.clone()),
            sizes: Sizes::of(0),
            seed: 0,
            limits: Limits { split_branches: split, ..Limits::default() },
        },
        over: None,
        options: Options {
            max_tests: 100_000,
            budget: Budget { work: Some(WORK), ..Budget::default() },
            ..Options::default()
        },
        workers: 1,
    })
}

/// Explores a program in each model of [`Truth::MODELS`], with selects split and kept whole, and
/// holds what was found against the truth.
pub fn compare(program: &Program, truth: &Truth) -> Result<Compared, String> {
    let mut compared = Compared::default();
    for (index, model) in Truth::MODELS.iter().enumerate() {
        for split in [true, false] {
            let plan = plan(program, model, split)?;
            let (found, _) = explore(&plan, &Unguided, || Nobody).map_err(|e| e.to_string())?;
            let here = |wrong: String| format!("{model}, split {split}: {wrong}\n{found:?}");
            let counted = compare_outcome(program, truth, index, split, &found).map_err(here)?;
            if found.is_exact() {
                compared.exact += 1;
                compared.paths += found.paths;
                compared.counted += u32::from(counted);
            } else {
                compared.open += 1;
            }
        }
    }
    Ok(compared)
}

/// Holds what a walk found against the truth; answers whether the number of paths could be held to
/// the number of traces. `model` is the index in [`Truth::MODELS`]; `split` whether selects were
/// split.
pub fn compare_outcome(
    program: &Program,
    truth: &Truth,
    model: usize,
    split: bool,
    found: &Outcome,
) -> Result<bool, String> {
    tests_are_runs(truth, model, found)?;
    if !found.is_exact() {
        return Ok(false);
    }
    let agree = |what: &str, found: String, truth: String| match found == truth {
        true => Ok(()),
        false => Err(format!("{what}: found {found}, and the truth is {truth}")),
    };
    let extremes = truth.extremes(model);
    let show = |cost: Option<u64>| format!("{cost:?}");
    agree("the worst cost", show(found.worst_cost()), show(extremes.map(|e| e.1)))?;
    agree("the least cost", show(found.least_cost), show(extremes.map(|e| e.0)))?;
    let any = |count: u64| if count > 0 { "some" } else { "none" }.to_owned();
    let trapped = truth.trapped_traces();
    agree("paths that trap", any(found.trapped), any(trapped))?;
    if program.shared_labels {
        return Ok(false);
    }
    // A path has one trace, but for forks by value, which the walk tells apart by their traces.
    let traces = truth.traces();
    if found.paths < traces || found.trapped < trapped {
        return Err(format!(
            "{} paths and {} that trap, but {traces} and {trapped} different traces",
            found.paths, found.trapped
        ));
    }
    // Only a split makes more paths than traces.
    let counted = !split && program.plain_addresses && found.address_forks == 0;
    if counted {
        agree("the number of paths", found.paths.to_string(), traces.to_string())?;
    }
    Ok(counted)
}

/// Whether each test is what a run with its input does.
fn tests_are_runs(truth: &Truth, model: usize, found: &Outcome) -> Result<(), String> {
    let bits =
        |input: &pessimum_entry::InputValues| -> Vec<u64> { input.iter().map(|v| v.1).collect() };
    let runs: BTreeMap<Vec<u64>, usize> =
        truth.runs.iter().enumerate().map(|(i, run)| (bits(&run.input), i)).collect();
    for test in &found.tests {
        let Some(input) = &test.input else { continue };
        let Some(run) = runs.get(&bits(input)).map(|i| &truth.runs[*i]) else {
            return Err(format!("a test outside of the domain: {input:?}"));
        };
        if test.trap.is_some() != run.trap.is_some()
            || (test.trap.is_none() && test.cost != run.costs[model])
        {
            return Err(format!("a test that is no run: {test:?}, but {run:?}"));
        }
    }
    Ok(())
}
