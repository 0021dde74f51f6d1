//! Writes the worst path condition of a size down as a formula in n, without executing that size (crate
//! `synth`).

use super::job::{Job, add_findings};
use crate::error::Error;
use crate::evidence::{Claim, Method, SizeEvidence};
use crate::schedule::{Part, WORK_PER_SECOND, a_part_of, work_of};
use pessimum_clock::Instant;
use pessimum_explore::{Budget, Outcome, PathTest, Witness};
use pessimum_machine::{End, Module, SiteIndex};
use pessimum_report::document;
use pessimum_synth::{Cause, Model, TrainOptions, WhyNot, worst_paths};

/// From this size on it is asked whether synthesis is the shorter way. Below, executing takes next
/// to nothing.
const LARGE: u64 = 100;

/// The part of all work that solving the condition of one size may take, at most.
const PART_OF_ONE_SIZE: u64 = 8;

impl Job {
    /// Writes the worst path condition of a size down and solves it; kept only if a concrete run
    /// has the predicted cost.
    pub(super) fn synthesise(&mut self, n: u64) -> Result<Option<SizeEvidence>, Error> {
        let begun = Instant::now();
        let finding = |message: String| document::Finding {
            kind: "not_modelled".to_owned(),
            message,
            at: None,
            n: Some(n),
            input: None,
            cause: None,
        };
        let only = match (self.options.program.grows_otherwise(), self.takes_structure) {
            (true, _) => Some("path conditions are written down as functions of n alone"),
            (_, true) => Some("path conditions are written down over arrays and numbers"),
            _ => None,
        };
        if let Some(message) = only.map(str::to_owned) {
            add_findings(&mut self.findings, vec![finding(message)]);
            return Ok(None);
        }
        let work = Some(work_of(self.options.effort_or_time()) / PART_OF_ONE_SIZE);
        let budget = Budget { work, ..a_part_of(&self.budget) };
        let model = match self.model()? {
            Ok(model) => model,
            Err(why) => {
                let why = why.clone();
                let at = match why {
                    WhyNot::NoGenerator(cause, _) => place(self.target.module(), cause),
                    _ => String::new(),
                };
                let message = format!(
                    "the worst paths follow no pattern that can be written down: {why}{at}"
                );
                add_findings(&mut self.findings, vec![finding(message)]);
                return Ok(None);
            }
        };
        let input = match model.input_within(n, &budget) {
            Ok(input) => input,
            Err(why) => {
                add_findings(&mut self.findings, vec![finding(why.to_string())]);
                return Ok(None);
            }
        };
        let predicted = model.predict_cost(n);
        let (end, machine) = self.target.at(n)?.run(input.clone())?;
        let counters = machine.counters();
        if predicted != Some(counters.cost) {
            let predicted = predicted.map_or_else(|| "no cost".to_owned(), |c| c.to_string());
            let message = format!(
                "the input that was written down should cost {predicted} and costs {}: it is not used",
                counters.cost
            );
            add_findings(&mut self.findings, vec![finding(message)]);
            return Ok(None);
        }
        if !matches!(end, End::Return | End::Exit(_)) {
            return Ok(None);
        }
        let test = PathTest::of_run(input, counters);
        let mut outcome = Outcome::of_one_path(Witness { test, path: Vec::new() });
        outcome.complete = true;
        outcome.solver_calls = 1;
        let seconds = begun.elapsed().as_secs_f64();
        // What is written down is as good as the policy whose costs it foretells.
        let validated = self.is_validated() && self.model_agrees(&[])?;
        Ok(Some(SizeEvidence::followed(outcome, Method::Synth, validated, seconds)))
    }

    /// Synthesis in the place of a policy whose run would be long, where both are known to come to
    /// the same: the model predicts every cost that was found, some of them beyond its training.
    pub(super) fn shortcut(
        &mut self,
        n: u64,
        budget: &Budget,
    ) -> Result<Option<SizeEvidence>, Error> {
        if n < LARGE || !self.is_validated() || self.options.program.grows_otherwise() {
            return Ok(None);
        }
        let followed = self.found.range(..n).rev().find(|(_, f)| is_by_policy(f));
        let known = followed.map(|(m, f)| (*m, f.walk().work, f.worst_cost()));
        let (m, work, cost) = match known.filter(|(m, ..)| 8 * m >= LARGE) {
            Some(known) => known,
            None => {
                let m = LARGE / 4;
                let run = self.best_of(m, budget)?;
                if !run.is_settled() {
                    return Ok(None);
                }
                (m, run.walk().work, run.worst_cost())
            }
        };
        // Each step of a longer path has more before it to agree with.
        let longer = (n / m).saturating_mul(n / m);
        if work.saturating_mul(longer) < WORK_PER_SECOND {
            return Ok(None);
        }
        let beyond_training = match self.model()? {
            Ok(model) => m > *model.trained_on().end(),
            Err(_) => return Ok(None),
        };
        if !beyond_training || !self.model_agrees(&[(m, cost)])? {
            return Ok(None);
        }
        self.synthesise(n)
    }

    /// Whether the model foretells every cost that was found, and these.
    fn model_agrees(&mut self, others: &[(u64, Option<u64>)]) -> Result<bool, Error> {
        let found = self.found.iter().map(|(n, f)| (*n, f.worst_cost()));
        let costs: Vec<(u64, Option<u64>)> = found.chain(others.iter().copied()).collect();
        let Ok(model) = self.model()? else { return Ok(false) };
        let agrees = |&(n, cost): &(u64, Option<u64>)| {
            n < *model.trained_on().start() || model.predict_cost(n) == cost
        };
        Ok(costs.iter().all(agrees))
    }

    /// Whether the policy in use is validated.
    pub(super) fn is_validated(&self) -> bool {
        self.trials.first().is_some_and(|t| t.policy.validated)
    }

    /// The model of the worst paths; it is made when it is first asked for.
    fn model(&mut self) -> Result<&Result<Model, WhyNot>, Error> {
        let model = match self.model.take() {
            Some(model) => model,
            None => {
                let part = Part::Modelling.of(self.options.effort_or_time());
                let work = TrainOptions::default().work.min(work_of(part));
                let budget = a_part_of(&a_part_of(&self.budget));
                let program = &self.options.program;
                let (seed, limits) = (program.random_seed(), program.path_limits().clone());
                let options =
                    TrainOptions { budget, work, seed, limits, ..TrainOptions::default() };
                let setup = |n| program.setup(n).map_err(|e| WhyNot::Training(e.to_string()));
                worst_paths(self.target.module(), &setup, &options)
                    .and_then(|paths| Model::learn(&paths))
            }
        };
        Ok(self.model.insert(model))
    }
}

/// Whether a size was found by following a policy to the end.
fn is_by_policy(found: &SizeEvidence) -> bool {
    matches!(found.claim(), Claim::Followed { policy, .. } if policy != Method::Synth)
}

/// Where a constraint comes from, as the end of a sentence.
fn place(module: &Module, cause: Cause) -> String {
    let at = match cause {
        Cause::Decision { site, .. } => Some(module.describe(SiteIndex(site))),
        Cause::Guard { position } | Cause::Assume { position } | Cause::Value { position } => {
            module.locate(position).map(|location| location.to_string())
        }
    };
    at.map_or(String::new(), |at| format!(", {at}"))
}
