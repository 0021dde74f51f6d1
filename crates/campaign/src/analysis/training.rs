//! Stage one: decides which small sizes to train on, and explores them.

use super::job::Job;
use super::{Stage, independent_of_input, is_from_outside};
use crate::candidates::{self, PolicyKind};
use crate::error::Error;
use crate::evidence::{SizeEvidence, cut};
use crate::schedule::{Part, work_of};
use crate::target::Target;
use crate::train::{Lesson, TrainedSize, train_size};
use pessimum_explore::{Budget, Outcome};
use std::sync::Arc;

/// The growth of work from one training size to the next that is still believed.
const STEEPEST_GROWTH: u64 = 32;

/// Sizes that are begun however much work they are expected to be.
const FEWEST_SIZES: usize = 4;

impl Job {
    /// Exhaustive sizes, until the policy is validated on sizes that are not tiny, or the budget
    /// is used up.
    pub(super) fn training(
        &mut self,
        kinds: &[PolicyKind],
        budget: &Budget,
    ) -> Result<Vec<TrainedSize>, Error> {
        let target = Arc::clone(&self.lesson);
        let effort = self.options.effort_or_time();
        let mut part = Part::Training.of(effort);
        // No policy is learned for structures: every size is explored in full.
        if self.takes_structure {
            part += Part::Learning.of(effort);
        }
        let time = self.options.train_budget.unwrap_or(part);
        let total = work_of(time);
        let range = self.options.train.clone().unwrap_or(1..=u64::MAX);
        let fixed = self.options.train.is_some();
        let mut trained: Vec<TrainedSize> = Vec::new();
        let mut spent = 0u64;
        for n in range {
            self.tell(Stage::Training { n });
            let work = if fixed { None } else { Some(total.saturating_sub(spent).max(1)) };
            let limited = Budget { work, paths: self.options.max_paths, ..budget.clone() };
            let size = match self.train_or_recall(&target, n, limited) {
                Ok(size) => size,
                // A size that does not fit ends training; the first one is an error of the call.
                Err(error) if trained.is_empty() => return Err(error),
                Err(error) => {
                    self.cut_by = error.cut_by();
                    break;
                }
            };
            match size {
                Ok(size) => {
                    let size_work = size.outcome.work;
                    spent += size_work;
                    if Arc::ptr_eq(&target, &self.target) {
                        let shown = SizeEvidence::explored(size.outcome.clone(), size.seconds);
                        self.tell_answer(n, &shown);
                    }
                    trained.push(size);
                    if fixed {
                        continue;
                    }
                    // Sizes grow in work by some factor: do not begin one that will not be done.
                    // The first sizes tell it badly (one may be all set-up, the next the first to
                    // decide anything), and there is nothing to learn from one or two.
                    let before = trained.iter().rev().nth(1).map_or(size_work, |s| s.outcome.work);
                    let growth = (size_work / before.max(1)).clamp(1, STEEPEST_GROWTH);
                    let next = size_work.saturating_mul(growth);
                    let too_much = spent.saturating_add(next / 2) > total;
                    if too_much && trained.len() >= FEWEST_SIZES || n >= 40 {
                        break;
                    }
                    if self.trained_enough(kinds, &trained, budget, total, spent)? {
                        break;
                    }
                }
                Err(outcome) => {
                    let by = outcome.cut_by.map(cut);
                    self.cut_by = by.filter(|by| is_from_outside(*by)).or(self.cut_by);
                    self.learn_words(&outcome);
                    self.depends = shows_dependence(&outcome, &trained);
                    if trained.is_empty() {
                        // Not even the first size could be finished: what was found still counts.
                        let mut unfinished = SizeEvidence::explored(outcome, 0.0);
                        self.note_findings(n, &mut unfinished)?;
                    }
                    break;
                }
            }
        }
        Ok(trained)
    }

    /// Explores a size, unless an earlier run has done so.
    fn train_or_recall(
        &self,
        target: &Target,
        n: u64,
        budget: Budget,
    ) -> Result<Result<TrainedSize, Outcome>, Error> {
        let cost = target.module().cost_model();
        let step = format!("training {cost} {n}").replace(['/', ' ', ':'], "-");
        if let Some(size) = self.recall(&step) {
            return Ok(Ok(size));
        }
        let lesson =
            Lesson { history_all: self.options.history_all, workers: self.options.workers };
        let size = train_size(target, n, lesson, budget)?;
        if let Ok(size) = &size {
            self.keep(&step, size);
        }
        Ok(size)
    }

    fn trained_enough(
        &self,
        kinds: &[PolicyKind],
        trained: &[TrainedSize],
        budget: &Budget,
        total: u64,
        spent: u64,
    ) -> Result<bool, Error> {
        let Some(last) = trained.last() else { return Ok(false) };
        if trained.len() < 3 {
            return Ok(false);
        }
        let sizeable = last.outcome.paths >= 5_000 || last.n >= 12 || spent >= total / 4;
        if !sizeable {
            return Ok(false);
        }
        if independent_of_input(trained) {
            return Ok(true);
        }
        let budget = Budget { work: Some(total), ..budget.clone() };
        for kind in kinds.iter().take(2) {
            let (_, validated) = candidates::validate(&self.lesson, *kind, trained, &budget)?;
            if validated {
                return Ok(true);
            }
        }
        Ok(spent >= total / 2)
    }

    /// Takes the training sizes over into what was found; they are explored again where they were
    /// learned from by another cost.
    pub(super) fn note_training(&mut self, trained: &[TrainedSize]) -> Result<(), Error> {
        let target = Arc::clone(&self.target);
        for size in trained {
            let (outcome, seconds) = if Arc::ptr_eq(&target, &self.lesson) {
                (size.outcome.clone(), size.seconds)
            } else {
                match self.train_or_recall(&target, size.n, self.budget.clone())? {
                    Ok(again) => (again.outcome, size.seconds + again.seconds),
                    Err(_) => continue,
                }
            };
            self.learn_words(&outcome);
            if let Some(worst) = &outcome.worst {
                self.mutator.note(&*self.target.at(size.n)?, &worst.test)?;
            }
            let mut found = SizeEvidence::explored(outcome, seconds);
            self.note_findings(size.n, &mut found)?;
            if !Arc::ptr_eq(&self.target, &self.lesson) {
                self.tell_answer(size.n, &found);
            }
            self.found.insert(size.n, found);
        }
        Ok(())
    }
}

/// Whether a size that was not finished shows what those before it did not: that the cost depends on the
/// input. Sizes of one path each say nothing of one that has to be decided about.
fn shows_dependence(unfinished: &Outcome, trained: &[TrainedSize]) -> bool {
    let one_path = trained.iter().all(|s| s.outcome.paths <= 1);
    unfinished.least_cost != unfinished.greatest_cost || one_path && unfinished.solver_calls > 0
}
