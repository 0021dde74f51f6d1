//! Stage one: decides which small sizes to train on, and explores them.

use super::job::Job;
use super::{Analysis, Stage, independent_of_input, is_from_outside};
use crate::candidates::{PolicyKind, Validations};
use crate::error::Error;
use crate::evidence::{SizeEvidence, cut};
use crate::schedule::{Part, work_of};
use crate::target::Target;
use crate::train::{Lesson, TrainedSize, train_by_states, train_size};
use pessimum_explore::{self as explore, Budget, Outcome};
use std::sync::Arc;

/// The growth of work from one training size to the next that is still believed.
const STEEPEST_GROWTH: u64 = 32;

/// The largest size of training.
const LARGEST: u64 = 40;

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
        let mut goes_on = false;
        for n in range {
            self.tell(Stage::Training { n });
            let work = if fixed { None } else { Some(total.saturating_sub(spent).max(1)) };
            let limited = Budget { work, paths: self.options.max_paths, ..budget.clone() };
            let size = match self.train_or_recall(&target, n, limited) {
                Ok(size) => size,
                // A size that does not fit ends training; the first one is an error of the call.
                Err(error) if trained.is_empty() => return Err(error),
                // What cannot be walked elsewhere is no end of training.
                Err(error @ Error::Elsewhere(_)) => return Err(error),
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
                    if too_much && trained.len() >= FEWEST_SIZES || n >= LARGEST {
                        goes_on = true;
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
                    goes_on = outcome.cut_by == Some(explore::Cut::Work);
                    if trained.is_empty() {
                        // Not even the first size could be finished: what was found still counts.
                        let mut unfinished = SizeEvidence::explored(outcome, 0.0);
                        self.note_findings(n, &mut unfinished)?;
                    }
                    break;
                }
            }
        }
        if goes_on && !trained.is_empty() && !self.takes_structure {
            self.train_by_states(&target, kinds, &mut trained, total, budget)?;
        }
        Ok(trained)
    }

    /// Goes on with sizes whose states are walked once, where walking every path takes too long and the policy is not validated:
    /// in a quarter of the work for training.
    fn train_by_states(
        &mut self,
        target: &Target,
        kinds: &[PolicyKind],
        trained: &mut Vec<TrainedSize>,
        total: u64,
        budget: &Budget,
    ) -> Result<(), Error> {
        let mut left = total / 4;
        let first = trained.last().map_or(1, |size| size.n + 1);
        for n in first..=LARGEST {
            if left == 0 || self.trained_enough(kinds, trained, budget, total, total / 4)? {
                break;
            }
            self.tell(Stage::Training { n });
            let step = step_of("states", target, n);
            let limited = Budget { work: Some(left), ..budget.clone() };
            let size = match self.recall(&step) {
                Some(size) => Some(size),
                None => train_by_states(target, n, self.options.merge, limited)?,
            };
            let Some(size) = size else { break };
            self.keep(&step, &size);
            left = left.saturating_sub(size.outcome.work);
            trained.push(size);
        }
        Ok(())
    }

    /// Explores a size, unless an earlier run has done so.
    fn train_or_recall(
        &self,
        target: &Target,
        n: u64,
        budget: Budget,
    ) -> Result<Result<TrainedSize, Outcome>, Error> {
        let step = step_of("training", target, n);
        if let Some(size) = self.recall(&step) {
            return Ok(Ok(size));
        }
        let Analysis { history_all, workers, elsewhere, .. } = &self.options;
        let (history_all, workers, elsewhere) = (*history_all, *workers, elsewhere.as_deref());
        let lesson = Lesson { history_all, workers, elsewhere };
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
        let kinds = &kinds[..kinds.len().min(2)];
        let mut validations = Validations::new(&self.lesson, kinds, trained, &budget);
        for _ in kinds {
            if validations.next()?.1 {
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
                // What took too long by its paths would again; proofs come later.
                if size.outcome.merged.is_some() {
                    continue;
                }
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

/// The name of what is saved of a size.
fn step_of(what: &str, target: &Target, n: u64) -> String {
    let cost = target.module().cost_model();
    format!("{what} {cost} {n}").replace(['/', ' ', ':'], "-")
}

/// Whether a size that was not finished shows what those before it did not: that the cost depends on the
/// input. Sizes of one path each say nothing of one that has to be decided about.
fn shows_dependence(unfinished: &Outcome, trained: &[TrainedSize]) -> bool {
    let one_path = trained.iter().all(|s| s.outcome.paths <= 1);
    unfinished.least_cost != unfinished.greatest_cost || one_path && unfinished.solver_calls > 0
}
