//! `explore`: every feasible path of a size, one input each.

use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::{Method, cut};
use crate::findings::{Described, describe, disagreement, input_document};
use crate::program::Program;
use crate::structures::show_structures;
use crate::target::Target;
use pessimum_entry::CostModel;
use pessimum_explore::{Budget, Nobody, Options, Outcome, Progress, explore};
use pessimum_learn::Unguided;
use pessimum_report::document;
use pessimum_search::{SearchPlan, search};
use std::sync::Arc;
use std::time::Instant;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// What is counted.
    pub cost: CostModel,
    /// Tests to keep.
    pub max_tests: usize,
    /// Whether a path that traps can be the worst.
    pub include_traps: bool,
    /// Threads.
    pub workers: usize,
    /// Look for costly paths in so many steps instead of following all.
    pub search: Option<u64>,
    /// Seed of the search.
    pub seed: u64,
    /// Inputs that the search begins with, as raw bytes.
    pub seeds: Vec<Vec<u8>>,
    /// Limits.
    pub budget: Budget,
    /// Counters for a display.
    pub progress: Option<Arc<Progress>>,
}

impl Default for Exploration {
    fn default() -> Self {
        Exploration {
            cost: CostModel::Conditionals,
            max_tests: 1000,
            include_traps: false,
            workers: 1,
            search: None,
            seed: 0,
            seeds: Vec::new(),
            budget: Budget::default(),
            progress: None,
        }
    }
}

/// Explores one size exhaustively; the tests come beside the document, with their values.
pub fn explore_size(
    program: &Program,
    n: u64,
    how: &Exploration,
) -> Result<(document::Exploration, Outcome), Error> {
    let begun = Instant::now();
    let target = Target::new(program.clone(), &how.cost)?;
    let at = target.at(n)?;
    let options = Options {
        max_tests: how.max_tests,
        include_traps: how.include_traps,
        budget: how.budget.clone(),
        progress: how.progress.clone(),
        ..Options::default()
    };
    let plan = target.plan(n, options, how.workers)?;
    let outcome = match how.search {
        None => explore(&plan, &Unguided, || Nobody)?.0,
        Some(steps) => search(&plan, SearchPlan { n, steps, seed: how.seed, seeds: &how.seeds })?,
    };
    let confirmer = Confirmer::new(program, target.module())?;
    let Described { mut findings, mismatch } = describe(&at, &confirmer, &outcome)?;
    let mut disagreed = mismatch.is_some();
    let mut tests = Vec::new();
    for test in &outcome.tests {
        let mut replayed = None;
        if let (Some(input), None) = (&test.input, test.trap) {
            match confirmer.confirm(&at, input, test.cost)? {
                Ok(how) => replayed = Some(how),
                Err(mismatch) => {
                    disagreed = true;
                    findings.push(disagreement(n, input, &mismatch));
                }
            }
        }
        tests.push(document::Test {
            input: test.input.as_ref().map(input_document),
            cost: test.cost,
            end: test.trap.map_or_else(|| "normal".to_owned(), |t| t.to_string()),
            replayed,
        });
    }
    let inputs = tests.iter_mut().filter_map(|t| t.input.as_mut());
    let found = findings.iter_mut().filter_map(|f| f.input.as_mut());
    show_structures(program, inputs.chain(found))?;
    let total = outcome.paths + outcome.trapped;
    let document = document::Exploration {
        schema: document::SCHEMA,
        n,
        paths: document::count(outcome.paths),
        paths_exact: Some(outcome.paths.to_string()),
        trapped: document::count(outcome.trapped),
        cut: outcome.cut,
        complete: outcome.complete,
        exact: outcome.is_exact() && !disagreed,
        worst_cost: outcome.worst_cost().filter(|_| !disagreed),
        cost_independent_of_input: outcome.cost_independent_of_input(),
        address_forks: outcome.address_forks,
        solver_calls: outcome.solver_calls,
        seconds: begun.elapsed().as_secs_f64(),
        method: if how.search.is_some() { Method::Search } else { Method::Exhaustive },
        tests_omitted: total.saturating_sub(tests.len() as u64),
        tests,
        findings,
        cut_by: outcome.cut_by.map(cut),
    };
    Ok((document, outcome))
}
