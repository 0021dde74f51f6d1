//! `explore`: every feasible path of a size, one input each.

use crate::confirm::Confirmer;
use crate::error::Error;
use crate::evidence::{Claim, Method, Replayed, cut, explored};
use crate::findings::{Described, arguments_at_risk, describe, disagreement, input_document};
use crate::program::Program;
use crate::structures::show_structures;
use crate::target::Target;
use pessimum_clock::Instant;
use pessimum_entry::CostModel;
use pessimum_explore::{Budget, Merge, Nobody, Options, Outcome, PathTest, Progress, explore};
use pessimum_learn::Unguided;
use pessimum_report::document;
use pessimum_search::{AtSize, SearchPlan, search};
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

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
    /// Whether what lies below a state is walked once; not where all tests are wanted.
    pub merge: Merge,
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
            merge: Merge::Auto,
            budget: Budget::default(),
            progress: None,
        }
    }
}

impl Exploration {
    /// How a walk of it goes.
    pub(crate) fn options(&self) -> Options {
        Options {
            max_tests: self.max_tests,
            include_traps: self.include_traps,
            merge: self.merge,
            budget: self.budget.clone(),
            progress: self.progress.clone(),
            ..Options::default()
        }
    }
}

/// Explores one size exhaustively; the tests come beside the document, with their values.
///
/// ```
/// use pessimum_campaign::{Exploration, Program, explore_size};
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let (found, outcome) = explore_size(&program, 4, &Exploration::default())?;
/// assert_eq!((found.paths, found.worst_cost), (Some(24), Some(16)));
/// let falling = outcome.worst.and_then(|worst| worst.test.input).expect("an input");
/// assert_eq!(falling.iter().map(|value| value.1).collect::<Vec<_>>(), [3, 2, 1, 0]);
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
pub fn explore_size(
    program: &Program,
    n: u64,
    how: &Exploration,
) -> Result<(document::Exploration, Outcome), Error> {
    let begun = Instant::now();
    let target = Target::new(program.clone(), &how.cost)?.until(how.budget.deadline.clone());
    let plan = target.plan(n, how.options(), how.workers)?;
    let outcome = match how.search {
        None => explore(&plan, &Unguided, || Nobody)?.0,
        Some(steps) => search(&plan, SearchPlan { n, steps, seed: how.seed, seeds: &how.seeds })?,
    };
    let document = publish_walk(&target, n, how, &outcome, begun)?;
    Ok((document, outcome))
}

/// The document of a walk that began then, with its tests and findings confirmed.
pub(crate) fn publish_walk(
    target: &Target,
    n: u64,
    how: &Exploration,
    outcome: &Outcome,
    begun: Instant,
) -> Result<document::Exploration, Error> {
    let program = target.program();
    let at = target.at(n)?;
    let confirmer = Confirmer::new(program, target.module())?;
    let Described { mut findings, mismatch } = describe(program, &at, &confirmer, outcome)?;
    findings.extend(arguments_at_risk(program)?);
    // Where paths were merged, the worst one is shown as well.
    let merged = outcome.merged.as_ref();
    let worst = outcome.worst.as_ref().filter(|_| merged.is_some()).map(|w| &w.test);
    let worst = worst.filter(|test| !outcome.tests.contains(test));
    let shown: Vec<&PathTest> = outcome.tests.iter().chain(worst).collect();
    let confirmed = confirm_tests(&at, &confirmer, how, &shown)?;
    let disagreed = mismatch.is_some() || confirmed.disagreed;
    findings.extend(confirmed.findings);
    let test = |(test, replayed): (&PathTest, Option<Replayed>)| document::Test {
        input: test.input.as_ref().map(input_document),
        cost: test.cost,
        end: test.trap.map_or_else(|| "normal".to_owned(), |t| t.to_string()),
        replayed,
    };
    let mut tests: Vec<document::Test> =
        shown.into_iter().zip(confirmed.replayed).map(test).collect();
    let inputs = tests.iter_mut().filter_map(|t| t.input.as_mut());
    let found = findings.iter_mut().filter_map(|f| f.input.as_mut());
    show_structures(program, inputs.chain(found))?;
    let total = outcome.paths.saturating_add(outcome.trapped);
    let (method, claim) = match how.search {
        None => explored(outcome),
        Some(_) => (Method::Search, Claim::Reached { by: Method::Search }),
    };
    Ok(document::Exploration {
        schema: document::SCHEMA,
        n,
        paths: match merged {
            Some(merged) if merged.paths.is_none() => None,
            _ => document::count(outcome.paths),
        },
        paths_exact: match merged {
            Some(merged) => merged.paths.as_ref().map(ToString::to_string),
            None => Some(outcome.paths.to_string()),
        },
        effort: merged.map(|m| document::MergedStates { states: m.states, reuses: m.reuses }),
        trapped: document::count(outcome.trapped),
        cut: outcome.cut,
        complete: outcome.complete,
        exact: claim.is_exact() && !disagreed,
        worst_cost: outcome.worst_cost().filter(|_| !disagreed),
        cost_independent_of_input: outcome.cost_independent_of_input(),
        address_forks: outcome.address_forks,
        solver_calls: outcome.solver_calls,
        seconds: begun.elapsed().as_secs_f64(),
        method,
        // A walk of states makes one input, and leaves none out.
        tests_omitted: match merged.is_some_and(|m| m.reuses > 0) {
            true => 0,
            false => total.saturating_sub(tests.len() as u64),
        },
        tests,
        findings,
        cut_by: outcome.cut_by.map(cut),
    })
}

/// What the run that confirms the costliest test may take beyond the time.
const MOMENT: Duration = Duration::from_millis(200);

/// What the independent engine confirmed of each test, and what it has to say. The costliest come
/// first: once the time is over, the others are left as they are.
fn confirm_tests(
    at: &AtSize,
    confirmer: &Confirmer,
    how: &Exploration,
    tests: &[&PathTest],
) -> Result<ConfirmedTests, Error> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|place| Reverse(tests[*place].cost));
    let mut all = ConfirmedTests { replayed: vec![None; tests.len()], ..Default::default() };
    let (mut confirmed, mut left) = (0, 0);
    for place in order {
        let test = tests[place];
        let (Some(input), None) = (&test.input, test.trap) else { continue };
        if confirmed > 0 && how.budget.is_over() {
            left += 1;
            continue;
        }
        // The costliest has a moment in any case: an answer is nothing without it.
        let until = match confirmed {
            0 => how.budget.deadline.but_after(MOMENT),
            _ => how.budget.deadline.clone(),
        };
        match confirmer.confirm(at, input, test, &until)? {
            Ok(Replayed::OutOfTime) => {
                all.replayed[place] = Some(Replayed::OutOfTime);
                left += 1;
                continue;
            }
            Ok(replayed) => all.replayed[place] = Some(replayed),
            Err(mismatch) => {
                all.disagreed = true;
                all.findings.push(disagreement(at.n, input, &mismatch));
            }
        }
        confirmed += 1;
    }
    if left > 0 {
        all.findings.push(document::Finding {
            kind: "not_confirmed".to_owned(),
            message: format!(
                "{left} of {} tests were not run again in the independent engine: the time was over",
                confirmed + left
            ),
            at: None,
            n: Some(at.n),
            input: None, cause: None });
    }
    Ok(all)
}

/// What the independent engine says of tests.
#[derive(Default)]
struct ConfirmedTests {
    replayed: Vec<Option<Replayed>>,
    findings: Vec<document::Finding>,
    disagreed: bool,
}
