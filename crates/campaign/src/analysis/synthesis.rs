//! Path conditions that are written down instead of executed.

use super::generating::is_by_policy;
use super::job::{Found, Job, add_findings};
use crate::error::Error;
use crate::schedule::{Part, WORK_PER_SECOND, a_part_of, work_of};
use pessimum_explore::{Budget, Outcome, PathTest, Witness, run_concrete};
use pessimum_machine::End;
use pessimum_report::document;
use pessimum_synth::{Model, TrainOptions, WhyNot, train_and_model};
use std::time::Instant;

/// From this size on it is asked whether synthesis is the shorter way. Below, executing takes next
/// to nothing.
const LARGE: u64 = 100;

impl Job {
    /// Writes the worst path condition of a size down and solves it; kept only if a concrete run
    /// has the predicted cost.
    pub(super) fn synthesise(&mut self, n: u64) -> Result<Option<Found>, Error> {
        let begun = Instant::now();
        let finding = |message: String| document::Finding {
            kind: "not_modelled".to_owned(),
            message,
            at: None,
            n: Some(n),
            input: None,
        };
        if self.options.program.grows_otherwise() {
            let message = "path conditions are written down as functions of n alone".to_owned();
            add_findings(&mut self.findings, vec![finding(message)]);
            return Ok(None);
        }
        let model = match self.model()? {
            Ok(model) => model,
            Err(why) => {
                let message =
                    format!("the worst paths follow no pattern that can be written down: {why}");
                add_findings(&mut self.findings, vec![finding(message)]);
                return Ok(None);
            }
        };
        let input = match model.input(n) {
            Ok(input) => input,
            Err(why) => {
                add_findings(&mut self.findings, vec![finding(format!("n = {n}: {why}"))]);
                return Ok(None);
            }
        };
        let predicted = model.predict_cost(n);
        let setup = self.options.program.setup(n)?;
        let (end, machine) = run_concrete(&self.module, &setup, input.clone(), |_| ())?;
        let counters = machine.counters();
        if predicted != Some(counters.cost) {
            let predicted = predicted.map_or_else(|| "no cost".to_owned(), |c| c.to_string());
            let message = format!(
                "n = {n}: the synthesised input was predicted {predicted} and costs {}; it is thrown away",
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
        Ok(Some(Found { outcome, method: "synth".into(), exact: false, seconds }))
    }

    /// Synthesis in the place of a policy whose run would be long, where both are known to come to
    /// the same: the model predicts every cost that was found, some of them beyond its training.
    pub(super) fn shortcut(&mut self, n: u64, budget: &Budget) -> Result<Option<Found>, Error> {
        let validated = self.trials.first().is_some_and(|t| t.policy.validated);
        if n < LARGE || !validated || self.options.program.grows_otherwise() {
            return Ok(None);
        }
        let followed = self.found.range(..n).rev().find(|(_, f)| is_by_policy(f));
        let known = followed.map(|(m, f)| (*m, f.outcome.work, f.outcome.worst_cost()));
        let (m, work, cost) = match known.filter(|(m, ..)| 8 * m >= LARGE) {
            Some(known) => known,
            None => {
                let m = LARGE / 4;
                let run = self.best_of(m, budget)?;
                if !run.outcome.complete {
                    return Ok(None);
                }
                (m, run.outcome.work, run.outcome.worst_cost())
            }
        };
        // Each step of a longer path has more before it to agree with.
        let longer = (n / m).saturating_mul(n / m);
        if work.saturating_mul(longer) < WORK_PER_SECOND {
            return Ok(None);
        }
        let found = self.found.iter().map(|(n, f)| (*n, f.outcome.worst_cost()));
        let costs: Vec<(u64, Option<u64>)> = found.chain([(m, cost)]).collect();
        let Ok(model) = self.model()? else { return Ok(None) };
        let agrees = |&(n, cost): &(u64, Option<u64>)| {
            n < *model.trained_on().start() || model.predict_cost(n) == cost
        };
        if m <= *model.trained_on().end() || !costs.iter().all(agrees) {
            return Ok(None);
        }
        self.synthesise(n)
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
                let (seed, limits) = (program.random_seed(), program.path_limits());
                let options =
                    TrainOptions { budget, work, seed, limits, ..TrainOptions::default() };
                let entry = program.entry()?;
                train_and_model(&self.module, &entry, program.lets(), &options)
            }
        };
        Ok(self.model.insert(model))
    }
}
