//! Stage two: learns and ranks policies within the budget of the job, and keeps them.

use super::PolicyChoice;
use super::Stage;
use super::job::{Job, add_findings};
use super::strategies::GUIDED_PATHS;
use crate::candidates::{self, Held, Known, PolicyKind, Trial};
use crate::error::Error;
use crate::policy::LearnedPolicy;
use crate::schedule::{
    Allowance, WORK_PER_SECOND, a_part_of, all_stages, all_trials, cut_by_now, one_trial,
    one_validation, probes,
};
use crate::sites::Sites;
use crate::train::TrainedSize;
use pessimum_explore::Budget;
use pessimum_learn::saved;
use pessimum_report::document;
use serde::{Deserialize, Serialize};

/// Policies, the best first.
struct Learned {
    trials: Vec<Trial>,
    findings: Vec<document::Finding>,
    /// The last size at which something new was met and learned.
    stage_from: Option<u64>,
    /// An exact size at which a policy leads to more than its worst cost, if there is one.
    contradicted: Option<Shortfall>,
}

/// Policies as they are kept.
#[derive(Serialize, Deserialize)]
struct KeptLearned {
    trials: Vec<KeptTrial>,
    findings: Vec<document::Finding>,
    stage_from: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct KeptTrial {
    policy: String,
    trained_on: Vec<u64>,
    validated_on: Vec<u64>,
    validated: bool,
    staged: bool,
    why: String,
    tested: bool,
    cost: u64,
    complete: bool,
    paths: u64,
    work: u64,
}

impl Job {
    /// Learns from the training sizes, or takes up what an earlier run has learned.
    pub(super) fn learning(
        &mut self,
        kinds: &[PolicyKind],
        trained: &[TrainedSize],
        largest: u64,
    ) -> Result<(), Error> {
        self.tell(Stage::Learning);
        let learned = match self.recall_learned() {
            Some(learned) => learned,
            None => {
                let part = a_part_of(&self.budget);
                let learned = self.learned(kinds, trained, largest, &part)?;
                match cut_by_now(&part) {
                    None if learned.contradicted.is_some() => {}
                    None => self.keep_learned(&learned),
                    Some(cut) => self.cut_by = self.cut_by.or(Some(cut)),
                }
                learned
            }
        };
        (self.trials, self.stage_from) = (learned.trials, learned.stage_from);
        add_findings(&mut self.findings, learned.findings);
        if let Some((n, cost, _)) = learned.contradicted
            && let Some(mut size) = self.found.remove(&n)
        {
            self.contradict(n, &mut size, cost);
            self.found.insert(n, size);
        }
        if let Some(best) = self.trials.first() {
            let (kind, validated) = (best.policy.kind(), best.policy.validated);
            self.tell(Stage::Learned { kind, validated });
        }
        Ok(())
    }

    /// Policies, the best first, with what was found about them.
    fn learned(
        &self,
        kinds: &[PolicyKind],
        trained: &[TrainedSize],
        largest: u64,
        budget: &Budget,
    ) -> Result<Learned, Error> {
        let last = trained.last().map_or(0, |s| s.n);
        let proven = self.proven_costs(last);
        let mut trials = self.learn(kinds, trained, &proven, budget)?;
        let mut stage_from = None;
        let mut allowance = all_stages(self.options.effort_or_time());
        for trial in &mut trials {
            let stage = self.stages(last, largest, trial, (budget, &mut allowance))?;
            stage_from = stage_from.max(stage);
            // Where the best policy meets nothing new, the others need not be looked at.
            if stage_from.is_none() {
                break;
            }
        }
        if let Some(stage) = stage_from {
            let probes = [2 * stage - 1, 2 * stage];
            let all = all_trials(self.options.effort_or_time());
            let budget = (&self.tried(budget), all);
            candidates::rank_again(&self.target, &mut trials, &probes, budget)?;
        }
        let learned_to = last.max(stage_from.unwrap_or(0));
        let held = self.hold_against(&proven, learned_to, &mut trials, budget)?;
        let mut short = self.shortfalls(trained, &trials, budget)?;
        // What policies of smaller sizes reached does not speak for one that has lost it again.
        let lost = short.last().is_some_and(|(n, ..)| n + 1 >= last);
        if let Some(best) = trials.first_mut().filter(|_| lost) {
            best.policy.validated = false;
        }
        short.extend(held.missed);
        let shortfall = trials.first().and_then(|best| shortfall(&best.policy, &short));
        let findings = shortfall.into_iter().collect();
        Ok(Learned { trials, findings, stage_from, contradicted: held.surpassed })
    }

    /// Holds every policy whose validation was tried against the exact sizes that none was learned on.
    /// One that falls short of a single one of them is not validated, and the next one that is comes
    /// before it; one that reaches all is validated, if some of them are larger than all that it was
    /// learned on. Answers how the first one stands.
    fn hold_against(
        &self,
        proven: &[(u64, u64)],
        learned_to: u64,
        trials: &mut [Trial],
        budget: &Budget,
    ) -> Result<Held, Error> {
        let budget = self.validated(budget);
        let mut first = Held::default();
        for (place, trial) in trials.iter_mut().enumerate() {
            let policy = &mut trial.policy;
            let tested = trial.tested || place == 0;
            if proven.is_empty() || policy.trained_on.is_empty() || !tested {
                continue;
            }
            let held = candidates::hold_against(&self.target, policy, proven, &budget)?;
            let beyond = held.reached.iter().filter(|n| **n > learned_to).count();
            policy.validated =
                held.everywhere() && (policy.validated || beyond >= SIZES_THAT_VALIDATE);
            policy.validated_on.extend(&held.reached);
            policy.validated_on.sort_unstable();
            if place == 0 {
                first = held;
            } else {
                first.surpassed = first.surpassed.or(held.surpassed);
            }
        }
        let next = trials.iter().position(|trial| trial.policy.validated);
        if let (Some(&(n, reached, worst)), Some(next)) = (first.missed.last(), next) {
            let refuted = trials[0].policy.kind();
            trials[..=next].rotate_right(1);
            let policy = &mut trials[0].policy;
            policy.why = format!(
                "Chosen: {}, since {refuted} falls short of the exact worst case at n = {n} ({reached} of {worst}).",
                policy.kind()
            );
            first.missed.clear();
        }
        Ok(first)
    }

    /// What trying a policy at one exact size may take.
    pub(super) fn validated(&self, budget: &Budget) -> Budget {
        let work = one_validation(self.options.effort_or_time());
        let paths = Some(self.options.max_paths.unwrap_or(GUIDED_PATHS));
        Budget { work: Some(work), paths, ..budget.clone() }
    }

    fn recall_learned(&self) -> Option<Learned> {
        let kept: KeptLearned = self.recall("policies")?;
        let sites = Sites::new(self.target.module());
        let trials = kept.trials.into_iter().map(|trial| {
            let policy = saved::load(&trial.policy, &sites).ok()?;
            Some(Trial {
                policy: LearnedPolicy {
                    policy,
                    trained_on: trial.trained_on,
                    validated_on: trial.validated_on,
                    validated: trial.validated,
                    staged: trial.staged,
                    why: trial.why,
                },
                tested: trial.tested,
                cost: trial.cost,
                complete: trial.complete,
                paths: trial.paths,
                work: trial.work,
            })
        });
        let trials = trials.collect::<Option<Vec<_>>>()?;
        let (findings, stage_from) = (kept.findings, kept.stage_from);
        Some(Learned { trials, findings, stage_from, contradicted: None })
    }

    fn keep_learned(&self, learned: &Learned) {
        let sites = Sites::new(self.target.module());
        let trials = learned.trials.iter().map(|trial| {
            let policy = &trial.policy;
            Some(KeptTrial {
                policy: saved::save(&policy.policy, &sites).ok()?,
                trained_on: policy.trained_on.clone(),
                validated_on: policy.validated_on.clone(),
                validated: policy.validated,
                staged: policy.staged,
                why: policy.why.clone(),
                tested: trial.tested,
                cost: trial.cost,
                complete: trial.complete,
                paths: trial.paths,
                work: trial.work,
            })
        });
        if let Some(trials) = trials.collect::<Option<Vec<_>>>() {
            let findings = learned.findings.clone();
            self.keep(
                "policies",
                &KeptLearned { trials, findings, stage_from: learned.stage_from },
            );
        }
    }

    fn learn(
        &self,
        kinds: &[PolicyKind],
        trained: &[TrainedSize],
        proven: &[(u64, u64)],
        budget: &Budget,
    ) -> Result<Vec<Trial>, Error> {
        if let PolicyChoice::Given(policy) = &self.options.policy {
            let policy = LearnedPolicy {
                policy: policy.clone(),
                trained_on: Vec::new(),
                validated_on: Vec::new(),
                validated: false,
                staged: false,
                why: "It was given in a file; nothing was learned.".to_owned(),
            };
            return Ok(vec![Trial {
                policy,
                tested: false,
                cost: 0,
                complete: true,
                paths: 0,
                work: 0,
            }]);
        }
        let Some(last) = trained.last() else { return Ok(Vec::new()) };
        // An odd and an even size: programs that halve treat them differently.
        let mut probe = (2 * last.n).max(last.n + 3);
        while probe > last.n + 2 && run_at(trained, probe) > LONGEST_PROBE {
            probe -= 1;
        }
        // Policies are compared by what is measured, however they were learned.
        let probes = [probe - 1, probe];
        let budget = self.tried(budget);
        let effort = self.options.effort_or_time();
        let proven = (proven, one_validation(effort));
        let known = Known { probes: &probes, work: all_trials(effort), proven };
        candidates::rank(&self.target, kinds, trained, known, &budget)
    }

    /// What trying a policy at one size may take: there are many to be tried.
    fn tried(&self, budget: &Budget) -> Budget {
        let work = one_trial(self.options.effort_or_time());
        Budget { work: Some(work), paths: Some(2_000), ..budget.clone() }
    }

    /// Sizes of training at which the policy in use does not reach the worst case.
    fn shortfalls(
        &self,
        trained: &[TrainedSize],
        trials: &[Trial],
        budget: &Budget,
    ) -> Result<Vec<Shortfall>, Error> {
        let Some(best) = trials.first().filter(|t| !t.policy.trained_on.is_empty()) else {
            return Ok(Vec::new());
        };
        let limited = Budget { work: Some(4 * WORK_PER_SECOND), ..budget.clone() };
        candidates::shortfalls(&self.lesson, &best.policy, trained, &limited)
    }

    /// Goes up the ladder, and where a run meets sites that were never seen, learns them at the
    /// first size that meets them. Answers the last such size.
    fn stages(
        &self,
        trained: u64,
        largest: u64,
        trial: &mut Trial,
        (budget, allowance): (&Budget, &mut Allowance),
    ) -> Result<Option<u64>, Error> {
        let budget = Budget { paths: Some(2_000), ..budget.clone() };
        let target = &self.lesson;
        // Whether a size meets something new; `None` when it does not fit, or no work is left.
        let meets_new = |policy: &LearnedPolicy, n: u64, allowance: &mut Allowance| {
            if allowance.is_spent() || cut_by_now(&budget).is_some() {
                return None;
            }
            let guide = policy.guide();
            let limited = Budget { work: Some(allowance.next()), ..budget.clone() };
            let run = candidates::guided(target, n, &*guide, limited).ok()?;
            allowance.spend(run.outcome.work);
            Some(!run.outcome.unseen.is_empty())
        };
        let mut known = trained;
        let mut last_stage = None;
        for probe in probes(trained, largest) {
            while known < probe {
                match meets_new(&trial.policy, probe, allowance) {
                    None => return Ok(last_stage),
                    Some(false) => known = probe,
                    Some(true) => {
                        let mut first = probe;
                        while known + 1 < first {
                            let middle = known.midpoint(first);
                            match meets_new(&trial.policy, middle, allowance) {
                                None => return Ok(last_stage),
                                Some(true) => first = middle,
                                Some(false) => known = middle,
                            }
                        }
                        let policy = &trial.policy;
                        let learned =
                            candidates::learn_stage(target, first, policy, &budget, allowance)?;
                        let Some(policy) = learned else { return Ok(last_stage) };
                        trial.policy = policy;
                        last_stage = Some(first);
                        known = first;
                    }
                }
            }
        }
        Ok(last_stage)
    }
}

/// A size at which a policy does not reach the worst cost: (size, reached, worst).
type Shortfall = (u64, u64, u64);

/// Exact sizes, larger than all that a policy was learned on, that validate it if it reaches the worst
/// case of all: as many as training needs.
const SIZES_THAT_VALIDATE: usize = 2;

/// The kind of finding that says so.
pub(super) const SHORTFALL: &str = "policy_shortfall";

/// That a policy does not reach the worst case where that is known. What follows from it is known in the end.
fn shortfall(policy: &LearnedPolicy, short: &[Shortfall]) -> Option<document::Finding> {
    let (n, reached, worst) = short.last()?;
    let sizes: Vec<String> = short.iter().map(|s| s.0.to_string()).collect();
    Some(document::Finding {
        kind: SHORTFALL.to_owned(),
        message: format!(
            "the {} policy does not reach the worst case at n = {} (at n = {n}: {reached} of {worst})",
            policy.kind(),
            sizes.join(", ")
        ),
        at: None,
        n: Some(*n),
        input: None,
        cause: None,
    })
}

/// Instructions of the longest run that policies are compared by.
const LONGEST_PROBE: f64 = WORK_PER_SECOND as f64 / 4.0;

/// Instructions of the worst run of a size, if runs go on growing as they did from the last training
/// size but one to the last.
fn run_at(trained: &[TrainedSize], n: u64) -> f64 {
    let run = |from_last: usize| {
        let size = trained.iter().rev().nth(from_last)?;
        Some((size.n, size.outcome.worst.as_ref()?.test.instructions.max(1) as f64))
    };
    let (Some((last, longest)), Some((_, before))) = (run(0), run(1)) else { return 0.0 };
    longest * (longest / before).max(1.0).powf(n.saturating_sub(last) as f64)
}
