//! The whole job: train, learn, validate, generate, confirm, fit.

use crate::candidates::{self, AUTO, Kind, Trial};
use crate::climb::{Climber, Effort, INSTRUCTIONS_PER_SECOND};
use crate::confirm::Confirmer;
use crate::error::Error;
use crate::findings::{describe, input_document};
use crate::kept::Kept;
use crate::over::show_structures;
use crate::policy::LearnedPolicy;
use crate::program::Program;
use crate::sample::sample;
use crate::search::search;
use crate::sites::Sites;
use crate::train::{TrainedSize, WORK_PER_SECOND, train_size};
use pessimum_entry::{CostModel, InputValues, Slot};
use pessimum_explore::{Budget, Outcome, PathTest, Witness, run_concrete};
use pessimum_fit::{Basis, Class, Confidence, Fit, Point, fit};
use pessimum_learn::{Guide, HistoryLimit, SavedPolicy, Unguided, saved};
use pessimum_machine::{Module, fingerprint};
use pessimum_report::document;
use pessimum_synth::{Model, TrainOptions, WhyNot, train_and_model};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Which policy guides the large sizes.
#[derive(Clone, Debug, Default)]
pub enum PolicyChoice {
    /// Whatever reaches most.
    #[default]
    Auto,
    /// A WISE branch policy.
    Wise,
    /// No memory.
    Memoryless,
    /// The last h decisions; adaptive when `None`.
    History(Option<u32>),
    /// No policy: the path condition of a size is written down from those of small sizes.
    Synth,
    /// This one; nothing is learned.
    Given(SavedPolicy),
}

/// What an analysis is doing, for whoever shows it.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Exploring a training size.
    Training {
        /// The size.
        n: u64,
    },
    /// A training size is done.
    Trained {
        /// The size.
        n: u64,
        /// Its paths.
        paths: u64,
        /// Its worst cost.
        worst: Option<u64>,
    },
    /// Learning and trying policies.
    Learning,
    /// The policy was chosen.
    Learned {
        /// Its kind.
        kind: String,
        /// Whether it was validated.
        validated: bool,
    },
    /// Generating the worst input of a size.
    Generating {
        /// The size.
        n: u64,
    },
    /// Running random inputs and confirming.
    Confirming,
}

/// An analysis to be run.
///
/// ```
/// use pessimum::{Analysis, Program};
///
/// let wat_free_module = include_bytes!("../examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", wat_free_module.as_slice())?.call("sort(&i32[n], n)")?;
/// let result = Analysis::of(program).sizes([8, 12, 16]).run()?;
/// assert_eq!(result.class().map(|c| c.big_o()).as_deref(), Some("O(n^2)"));
/// # Ok::<(), pessimum::Error>(())
/// ```
pub struct Analysis {
    program: Program,
    cost: CostModel,
    learn_cost: Option<CostModel>,
    sizes: Option<Vec<u64>>,
    train: Option<RangeInclusive<u64>>,
    train_budget: Option<Duration>,
    policy: PolicyChoice,
    time: Duration,
    memory: Option<u64>,
    max_paths: Option<u64>,
    seed: u64,
    seeds: Vec<Vec<u8>>,
    samples: u64,
    cancel: Option<Arc<AtomicBool>>,
    watch: Box<dyn FnMut(Stage)>,
    save: Option<PathBuf>,
    kept: Option<Kept>,
    /// The synthesised model, once it was asked for.
    model: Option<Result<Model, WhyNot>>,
    /// Costly inputs found so far, from which larger ones are made.
    climber: Climber,
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct AnalysisResult {
    /// The document of the contract.
    pub document: document::Analysis,
    /// The worst inputs by size.
    pub inputs: BTreeMap<u64, (InputValues, u64)>,
    /// The fit.
    pub fit: Fit,
    /// The policy in use.
    pub policy: Option<LearnedPolicy>,
    /// The module, for naming sites.
    pub module: Arc<Module>,
}

impl AnalysisResult {
    /// The class, if one was found.
    pub fn class(&self) -> Option<Class> {
        self.fit.class
    }
}

/// One size on its way to the document.
#[derive(Clone, Serialize, Deserialize)]
struct Found {
    outcome: Outcome,
    method: Cow<'static, str>,
    exact: bool,
    seconds: f64,
}

/// A size that was generated, as it is kept.
#[derive(Serialize, Deserialize)]
struct Generated {
    found: Found,
    findings: Vec<document::Finding>,
}

/// Policies, the best first.
struct Learned {
    trials: Vec<Trial>,
    findings: Vec<document::Finding>,
    /// The last size at which something new was met and learned.
    stage_from: Option<u64>,
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
    cost: u64,
    complete: bool,
    paths: u64,
    work: u64,
}

impl Found {
    /// A size nobody has looked at.
    fn nothing() -> Found {
        Found { outcome: Outcome::default(), method: "search".into(), exact: false, seconds: 0.0 }
    }
}

/// What of the work is for following policies, and how much of it the next size gets.
#[derive(Clone, Copy, Debug)]
struct Share {
    left: u64,
    /// The part of what is left that one size may take.
    part: u64,
}

impl Share {
    fn new(total: u64) -> Share {
        Share { left: total, part: 3 }
    }

    /// The limit of the next size; none where there is none for all of them.
    fn next(&self) -> Option<u64> {
        (self.left < u64::MAX).then_some(self.left / self.part)
    }

    /// Takes off what a size took. A policy that leads to many paths, or to less than a search
    /// found, gets less and less of what is left.
    fn spend(&mut self, work: u64, straight: bool) {
        if self.left < u64::MAX {
            self.left = self.left.saturating_sub(work);
            self.part = if straight { 3 } else { self.part.saturating_mul(4) };
        }
    }

    /// Whether too little is left for a policy to get anywhere.
    fn is_spent(&self) -> bool {
        self.next().is_some_and(|work| work < WORK_PER_SECOND / 200)
    }
}

/// The growth of work from one training size to the next that is still believed.
const STEEPEST_GROWTH: u64 = 32;

/// Paths that a search follows.
const SEARCH_STEPS: u64 = 60;

/// Sizes beyond a switch of algorithm from which its growth is told without those below.
const SIZES_OF_A_STAGE: usize = 6;

/// Searches by running that fit into the time.
const CLIMBS: u64 = 40;

/// Paths a guided run follows before it settles for the worst it saw.
const GUIDED_PATHS: u64 = 20_000;

impl Analysis {
    /// An analysis of a program with everything by default.
    pub fn of(program: Program) -> Analysis {
        Analysis {
            program,
            cost: CostModel::Conditionals,
            learn_cost: None,
            sizes: None,
            train: None,
            train_budget: None,
            policy: PolicyChoice::Auto,
            time: Duration::from_secs(60),
            memory: None,
            max_paths: None,
            seed: 0,
            seeds: Vec::new(),
            samples: 100,
            cancel: None,
            watch: Box::new(|_| ()),
            save: None,
            kept: None,
            model: None,
            climber: Climber::default(),
        }
    }

    /// What is counted.
    pub fn cost(mut self, cost: CostModel) -> Self {
        self.cost = cost;
        self
    }

    /// What is learned from, when it is not what is counted.
    pub fn learn_cost(mut self, cost: CostModel) -> Self {
        self.learn_cost = Some(cost);
        self
    }

    /// Sizes to report.
    pub fn sizes(mut self, sizes: impl IntoIterator<Item = u64>) -> Self {
        self.sizes = Some(sizes.into_iter().collect());
        self
    }

    /// Sizes to train on.
    pub fn train(mut self, sizes: RangeInclusive<u64>) -> Self {
        self.train = Some(sizes);
        self
    }

    /// Time's worth of work for training; a tenth of the whole by default.
    pub fn train_budget(mut self, budget: Duration) -> Self {
        self.train_budget = Some(budget);
        self
    }

    /// Which policy.
    pub fn policy(mut self, policy: PolicyChoice) -> Self {
        self.policy = policy;
        self
    }

    /// Hard stop.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Limit of resident memory in bytes.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Limit of paths of each guided size.
    pub fn max_paths(mut self, paths: u64) -> Self {
        self.max_paths = Some(paths);
        self
    }

    /// Seed of the random samples.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Inputs, as raw bytes, that a search begins with where nothing can be learned.
    pub fn seeds(mut self, seeds: Vec<Vec<u8>>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Random samples per size.
    pub fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Stops early when set.
    pub fn cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Is told what the analysis is doing.
    pub fn watch(mut self, watch: impl FnMut(Stage) + 'static) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Keeps what it has done in a folder as it goes, and begins with what an earlier run of the
    /// same analysis has kept there.
    pub fn save(mut self, folder: impl Into<PathBuf>) -> Self {
        self.save = Some(folder.into());
        self
    }

    /// Runs it.
    pub fn run(mut self) -> Result<AnalysisResult, Error> {
        let begun = Instant::now();
        let deadline = begun + self.time;
        let budget = Budget {
            deadline: Some(deadline),
            memory: self.memory,
            cancel: self.cancel.clone(),
            ..Budget::default()
        };
        let module = self.program.module(&self.cost)?;
        let learned_from = match &self.learn_cost {
            Some(cost) => self.program.module(cost)?,
            None => Arc::clone(&module),
        };
        // Errors of the call come before any work.
        let first = self.sizes.iter().flatten().copied().min().unwrap_or(1);
        self.program.setup(first)?;
        if let Some(folder) = self.save.take() {
            self.kept = Some(Kept::new(folder, self.identity()?));
        }
        let mut findings: Vec<document::Finding> = Vec::new();
        let mut cut_by: Option<String> = None;

        let over = self.program.structure()?.is_some();
        if over && matches!(self.policy, PolicyChoice::Synth) {
            let why = "--policy synth writes down path conditions, not structures: leave it out for a call that passes one";
            return Err(Error::Usage(why.to_owned()));
        }
        // No policy says which shapes to leave out: every size is explored in full.
        let kinds = if over { Vec::new() } else { self.kinds() };
        let told = over || self.train.is_some() || self.train_budget.is_some();
        let a_part = if told { budget.clone() } else { a_part_of(&budget) };
        let trained = self.training(&learned_from, &kinds, &a_part, &mut findings, &mut cut_by)?;
        let mut found: BTreeMap<u64, Found> = BTreeMap::new();
        self.note_training(&module, &learned_from, &trained, &budget, &mut found, &mut findings)?;

        let independent = independent_of_input(&trained);
        let mut sizes = self.sizes.clone().unwrap_or_else(|| match over {
            true => ladder_in_full(&trained, work_of(self.time)),
            false => ladder(&trained),
        });
        let mut trials = Vec::new();
        let mut stage_from = None;
        if !independent {
            (self.watch)(Stage::Learning);
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let learned = match self.recall_learned(&module) {
                Some(learned) => learned,
                None => {
                    let part = a_part_of(&budget);
                    let learned =
                        self.learned(&module, &learned_from, &kinds, &trained, largest, &part)?;
                    match cut_by_now(&part) {
                        None => self.keep_learned(&module, &learned),
                        Some(cut) => cut_by = cut_by.or(Some(cut.to_owned())),
                    }
                    learned
                }
            };
            (trials, stage_from) = (learned.trials, learned.stage_from);
            add_findings(&mut findings, learned.findings);
            if let Some(best) = trials.first() {
                (self.watch)(Stage::Learned {
                    kind: best.policy.kind(),
                    validated: best.policy.validated,
                });
            }
        }
        let mut next = Some((sizes.clone(), self.sizes.is_some()));
        let mut tried: BTreeSet<u64> = BTreeSet::new();
        while let Some((now, asked)) = next.take() {
            tried.extend(&now);
            self.generate(
                &module,
                &now,
                asked,
                independent,
                &trials,
                &budget,
                &mut found,
                &mut findings,
                &mut cut_by,
            )?;
            if cut_by_now(&budget).is_some() {
                break;
            }
            let fit = fit(&points_of(&found, stage_from));
            let too_few = fit.confidence == Confidence::TooFewSizes;
            let mut more = match asked {
                true if !fit.is_exact() => between(&found, stage_from),
                _ if too_few => between(&found, stage_from),
                false if self.sizes.is_none() && fit.confidence == Confidence::Unsure => {
                    let beyond = beyond(&found);
                    sizes.extend(&beyond);
                    beyond
                }
                _ => Vec::new(),
            };
            more.retain(|n| !tried.contains(n));
            next = (!more.is_empty()).then_some((more, false));
        }
        (self.watch)(Stage::Confirming);
        self.finish(
            module,
            sizes,
            trained,
            trials,
            found,
            findings,
            cut_by,
            independent,
            stage_from,
        )
    }

    /// What the results depend on, as one number.
    fn identity(&self) -> Result<u64, Error> {
        let entry = self.program.entry()?;
        let train_budget = self.train_budget.unwrap_or(self.time / 10);
        let asked = format!(
            "{} {:016x} {entry} {:?} {} {:?} {:?} {:?} {train_budget:?} {:?} {:?} {} {} {:?}",
            env!("CARGO_PKG_VERSION"),
            fingerprint(self.program.bytes()),
            self.program.settings(),
            self.cost,
            self.learn_cost,
            self.sizes,
            self.train,
            self.policy,
            self.max_paths,
            self.seed,
            self.samples,
            self.seeds,
        );
        Ok(fingerprint(asked.as_bytes()))
    }

    fn recall<T: for<'a> Deserialize<'a>>(&self, step: &str) -> Option<T> {
        self.kept.as_ref()?.recall(step)
    }

    fn keep<T: Serialize>(&self, step: &str, done: &T) {
        if let Some(kept) = &self.kept {
            kept.keep(step, done);
        }
    }

    fn kinds(&self) -> Vec<Kind> {
        match &self.policy {
            PolicyChoice::Auto => AUTO.to_vec(),
            PolicyChoice::Wise => vec![Kind::Wise],
            PolicyChoice::Memoryless => vec![Kind::History(HistoryLimit::Fixed(0))],
            PolicyChoice::History(Some(h)) => vec![
                Kind::History(HistoryLimit::Fixed(*h)),
                Kind::LastSize(HistoryLimit::Fixed(*h)),
            ],
            PolicyChoice::History(None) => {
                vec![Kind::History(HistoryLimit::Adaptive), Kind::LastSize(HistoryLimit::Adaptive)]
            }
            PolicyChoice::Given(_) | PolicyChoice::Synth => Vec::new(),
        }
    }

    /// Exhaustive sizes, until the policy is validated on sizes that are not tiny, or the budget
    /// is used up.
    fn training(
        &mut self,
        module: &Arc<Module>,
        kinds: &[Kind],
        budget: &Budget,
        findings: &mut Vec<document::Finding>,
        cut_by: &mut Option<String>,
    ) -> Result<Vec<TrainedSize>, Error> {
        let over = self.program.structure()?.is_some();
        // Entering with one structure after the other takes longer than its work says.
        let share = if over { 5 } else { 10 };
        let time = self.train_budget.unwrap_or(self.time / share);
        let total = work_of(time);
        let range = self.train.clone().unwrap_or(1..=u64::MAX);
        let fixed = self.train.is_some();
        let mut trained: Vec<TrainedSize> = Vec::new();
        let mut spent = 0u64;
        for n in range {
            (self.watch)(Stage::Training { n });
            let work = if fixed { None } else { Some(total.saturating_sub(spent).max(1)) };
            let limited = Budget { work, paths: self.max_paths, ..budget.clone() };
            let size = match self.train_or_recall(module, n, limited) {
                Ok(size) => size,
                // A size that does not fit ends training; the first one is an error of the call.
                Err(error) if trained.is_empty() => return Err(error),
                Err(error) => {
                    *cut_by = error.cut_by().map(str::to_owned);
                    break;
                }
            };
            match size {
                Ok(size) => {
                    let size_work = size.outcome.work;
                    spent += size_work;
                    (self.watch)(Stage::Trained {
                        n,
                        paths: size.outcome.paths,
                        worst: size.worst_cost(),
                    });
                    trained.push(size);
                    if fixed {
                        continue;
                    }
                    // Sizes grow in work by some factor: do not begin one that will not be done.
                    // The first sizes tell it badly: one may be all set-up, the next the first to
                    // decide anything.
                    let before = trained.iter().rev().nth(1).map_or(size_work, |s| s.outcome.work);
                    let growth = (size_work / before.max(1)).clamp(1, STEEPEST_GROWTH);
                    let next = size_work.saturating_mul(growth);
                    if spent.saturating_add(next / 2) > total || n >= 40 {
                        break;
                    }
                    if self.trained_enough(module, kinds, &trained, budget, total, spent)? {
                        break;
                    }
                }
                Err(outcome) => {
                    let cut = outcome.cut_by.map(|c| c.name());
                    if matches!(cut, Some("time" | "memory" | "interrupt")) {
                        *cut_by = cut.map(str::to_owned);
                    }
                    self.learn_words(&outcome);
                    if trained.is_empty() {
                        // Not even the first size could be finished: what was found still counts.
                        findings.extend(describe(module, n, &outcome));
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
        module: &Arc<Module>,
        n: u64,
        budget: Budget,
    ) -> Result<Result<TrainedSize, Outcome>, Error> {
        let step = format!("training {} {n}", module.cost_model()).replace(['/', ' ', ':'], "-");
        if let Some(size) = self.recall(&step) {
            return Ok(Ok(size));
        }
        let size = train_size(&self.program, module, n, budget)?;
        if let Ok(size) = &size {
            self.keep(&step, size);
        }
        Ok(size)
    }

    fn trained_enough(
        &self,
        module: &Arc<Module>,
        kinds: &[Kind],
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
            let (_, validated) =
                candidates::validate(&self.program, module, *kind, trained, &budget)?;
            if validated {
                return Ok(true);
            }
        }
        Ok(spent >= total / 2)
    }

    fn note_training(
        &mut self,
        module: &Arc<Module>,
        learned_from: &Arc<Module>,
        trained: &[TrainedSize],
        budget: &Budget,
        found: &mut BTreeMap<u64, Found>,
        findings: &mut Vec<document::Finding>,
    ) -> Result<(), Error> {
        for size in trained {
            let (outcome, seconds) = if Arc::ptr_eq(module, learned_from) {
                (size.outcome.clone(), size.seconds)
            } else {
                match self.train_or_recall(module, size.n, budget.clone())? {
                    Ok(again) => (again.outcome, size.seconds + again.seconds),
                    Err(_) => continue,
                }
            };
            add_findings(findings, describe(module, size.n, &outcome));
            self.learn_words(&outcome);
            if let Some(worst) = &outcome.worst {
                self.climber.note(&self.program, module, size.n, &worst.test)?;
            }
            let exact = outcome.is_exact();
            found.insert(size.n, Found { outcome, method: "exhaustive".into(), exact, seconds });
        }
        Ok(())
    }

    /// Policies, the best first, with what was found about them.
    fn learned(
        &mut self,
        module: &Arc<Module>,
        learned_from: &Arc<Module>,
        kinds: &[Kind],
        trained: &[TrainedSize],
        largest: u64,
        budget: &Budget,
    ) -> Result<Learned, Error> {
        let mut trials = self.learn(module, kinds, trained, budget)?;
        let mut findings = Vec::new();
        self.note_shortfalls(learned_from, trained, &trials, budget, &mut findings)?;
        let last = trained.last().map_or(0, |s| s.n);
        let mut stage_from = None;
        for trial in &mut trials {
            let stage = self.stages(learned_from, last, largest, trial, budget)?;
            stage_from = stage_from.max(stage);
            // Where the best policy meets nothing new, the others need not be looked at.
            if stage_from.is_none() {
                break;
            }
        }
        if let Some(stage) = stage_from {
            let probes = [2 * stage - 1, 2 * stage];
            candidates::rank_again(&self.program, module, &mut trials, &probes, &tried(budget))?;
        }
        Ok(Learned { trials, findings, stage_from })
    }

    fn recall_learned(&self, module: &Module) -> Option<Learned> {
        let kept: KeptLearned = self.recall("policies")?;
        let sites = Sites::new(module);
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
                cost: trial.cost,
                complete: trial.complete,
                paths: trial.paths,
                work: trial.work,
            })
        });
        let trials = trials.collect::<Option<Vec<_>>>()?;
        Some(Learned { trials, findings: kept.findings, stage_from: kept.stage_from })
    }

    fn keep_learned(&self, module: &Module, learned: &Learned) {
        let sites = Sites::new(module);
        let trials = learned.trials.iter().map(|trial| {
            let policy = &trial.policy;
            Some(KeptTrial {
                policy: saved::save(&policy.policy, &sites).ok()?,
                trained_on: policy.trained_on.clone(),
                validated_on: policy.validated_on.clone(),
                validated: policy.validated,
                staged: policy.staged,
                why: policy.why.clone(),
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
        &mut self,
        module: &Arc<Module>,
        kinds: &[Kind],
        trained: &[TrainedSize],
        budget: &Budget,
    ) -> Result<Vec<Trial>, Error> {
        if let PolicyChoice::Given(policy) = &self.policy {
            let policy = LearnedPolicy {
                policy: policy.clone(),
                trained_on: Vec::new(),
                validated_on: Vec::new(),
                validated: false,
                staged: false,
                why: "It was given in a file; nothing was learned.".to_owned(),
            };
            return Ok(vec![Trial { policy, cost: 0, complete: true, paths: 0, work: 0 }]);
        }
        let Some(last) = trained.last() else { return Ok(Vec::new()) };
        // An odd and an even size: programs that halve treat them differently.
        let probe = (2 * last.n).max(last.n + 3);
        // Policies are compared by what is measured, however they were learned.
        let probes = [probe - 1, probe];
        candidates::rank(&self.program, module, kinds, trained, &probes, &tried(budget))
    }

    /// Says where the policy in use is known not to reach the worst case.
    fn note_shortfalls(
        &self,
        module: &Arc<Module>,
        trained: &[TrainedSize],
        trials: &[Trial],
        budget: &Budget,
        findings: &mut Vec<document::Finding>,
    ) -> Result<(), Error> {
        let Some(best) = trials.first().filter(|t| !t.policy.trained_on.is_empty()) else {
            return Ok(());
        };
        let limited = Budget { work: Some(4 * WORK_PER_SECOND), ..budget.clone() };
        let short = candidates::shortfalls(&self.program, module, &best.policy, trained, &limited)?;
        if let Some((n, reached, worst)) = short.last() {
            let sizes: Vec<String> = short.iter().map(|s| s.0.to_string()).collect();
            findings.push(document::Finding {
                kind: "policy_shortfall".to_owned(),
                message: format!(
                    "the {} policy does not reach the worst case at n = {} (at n = {n}: {reached} of {worst}): costs beyond training are lower bounds",
                    best.policy.kind(),
                    sizes.join(", ")
                ),
                at: None,
                n: Some(*n),
                input: None,
            });
        }
        Ok(())
    }

    /// Stage three: the worst case of each size, under the policies.
    #[allow(clippy::too_many_arguments)]
    fn generate(
        &mut self,
        module: &Arc<Module>,
        sizes: &[u64],
        asked: bool,
        independent: bool,
        trials: &[Trial],
        budget: &Budget,
        found: &mut BTreeMap<u64, Found>,
        findings: &mut Vec<document::Finding>,
        cut_by: &mut Option<String>,
    ) -> Result<(), Error> {
        let over = self.program.structure()?.is_some();
        let mut sizes: Vec<u64> = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        // Among sizes of our own no policy takes the time of all the others.
        let mut share = Share::new(if asked { u64::MAX } else { work_of(self.time / 4) });
        let climbs = !independent && !over && matches!(self.policy, PolicyChoice::Auto);
        for n in sizes {
            if found.contains_key(&n) {
                continue;
            }
            let step = format!("size-{n}");
            if let Some(done) = self.recall::<Generated>(&step) {
                add_findings(findings, done.findings);
                if let Some(worst) = &done.found.outcome.worst {
                    self.climber.note(&self.program, module, n, &worst.test)?;
                }
                found.insert(n, done.found);
                continue;
            }
            if let Some(cut) = cut_by_now(budget) {
                *cut_by = Some(cut.to_owned());
                break;
            }
            // A ladder of our own stops where the next step would take most of what is left. Work is
            // counted for that, not time: the sizes are the same on every machine.
            let total = work_of(self.time);
            let spent: u64 = found.values().map(|f| f.outcome.work).sum();
            let last = found.range(..n).next_back().map_or(0, |(_, f)| f.outcome.work);
            if !asked && last.saturating_mul(6) > total.saturating_sub(spent) {
                break;
            }
            (self.watch)(Stage::Generating { n });
            let noted = findings.len();
            let a_part = if asked { budget.clone() } else { a_part_of(budget) };
            let limited = Budget { work: share.next(), ..a_part };
            let run = if matches!(self.policy, PolicyChoice::Synth) {
                match self.synthesise(module, n, budget, findings)? {
                    Some(run) => Ok(run),
                    None => break,
                }
            } else if over && trials.is_empty() {
                self.every_path(module, n, budget)
            } else if independent {
                self.one_path(module, n, budget)
            } else if climbs && share.is_spent() {
                Ok(Found::nothing())
            } else if trials.is_empty() {
                self.searched(module, n, &limited)
            } else {
                self.best_of(module, n, trials, &limited)
            };
            let mut run = match run {
                Ok(run) => run,
                Err(Error::TooManyStructures(message)) if asked && !found.is_empty() => {
                    *cut_by = Some("structures".to_owned());
                    let kind = "too_many_structures".to_owned();
                    let (at, input) = (None, None);
                    findings.push(document::Finding { kind, message, at, n: Some(n), input });
                    break;
                }
                Err(error) if asked && error.cut_by().is_some() && !found.is_empty() => {
                    *cut_by = error.cut_by().map(str::to_owned);
                    break;
                }
                Err(error) if asked => return Err(error),
                Err(_) => break,
            };
            if let Some(cut) = run.outcome.cut_by
                && matches!(cut.name(), "time" | "interrupt" | "memory")
            {
                *cut_by = Some(cut.name().to_owned());
            }
            if !run.outcome.complete
                && climbs
                && !share.is_spent()
                && cut_by_now(budget).is_none()
                && let Some(other) = self.synthesise(module, n, budget, findings)?
                && other.outcome.worst_cost() > run.outcome.worst_cost()
            {
                run = other;
            }
            if climbs {
                let (straight, work) = (run.outcome.complete, run.outcome.work);
                let sure = straight && trials.first().is_some_and(|t| t.policy.validated);
                let surpassed = self.climb(module, n, &mut run, !sure, budget)?;
                share.spend(work, straight && !surpassed);
            }
            run.exact &= run.outcome.is_exact();
            add_findings(findings, describe(module, n, &run.outcome));
            note_unseen(module, findings, n, &run.outcome);
            if run.outcome.worst.is_none() && (run.outcome.cut_by.is_some() || share.is_spent()) {
                break;
            }
            // Where runs have become too long to be searched among, only cheap ones are found.
            let reached = found.values().filter_map(|f| f.outcome.worst_cost()).max();
            if !asked && !run.outcome.complete && run.outcome.worst_cost() < reached {
                break;
            }
            if !matches!(
                run.outcome.cut_by.map(|c| c.name()),
                Some("time" | "memory" | "interrupt")
            ) {
                let findings = findings[noted..].to_vec();
                self.keep(&step, &Generated { found: run.clone(), findings });
            }
            found.insert(n, run);
        }
        Ok(())
    }

    /// Puts a costlier input in the place of what was found, if one can be found by running; says
    /// whether it was.
    fn climb(
        &mut self,
        module: &Arc<Module>,
        n: u64,
        run: &mut Found,
        vary: bool,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let begun = Instant::now();
        if let Some(worst) = &run.outcome.worst {
            self.climber.note(&self.program, module, n, &worst.test)?;
        }
        let second = INSTRUCTIONS_PER_SECOND / 1000;
        let instructions = (self.time.as_millis() as u64 / CLIMBS).saturating_mul(second);
        let effort = Effort { instructions: instructions.max(second), vary };
        let test = self.climber.climb(&self.program, module, n, effort, self.seed, budget)?;
        run.seconds += begun.elapsed().as_secs_f64();
        match test {
            Some(test) if run.outcome.worst_cost().is_none_or(|cost| test.cost > cost) => {
                run.outcome.worst = Some(Witness { test, path: Vec::new() });
                run.outcome.complete = false;
                run.method = "search".into();
                run.exact = false;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn learn_words(&mut self, outcome: &Outcome) {
        for input in outcome.tests.iter().filter_map(|test| test.input.as_ref()) {
            self.climber.learn_words(input);
        }
    }

    /// Goes up the ladder, and where a run meets sites that were never seen, learns them at the
    /// first size that meets them. Answers the last such size.
    fn stages(
        &mut self,
        module: &Arc<Module>,
        trained: u64,
        largest: u64,
        trial: &mut Trial,
        budget: &Budget,
    ) -> Result<Option<u64>, Error> {
        let budget =
            Budget { work: Some(4 * WORK_PER_SECOND), paths: Some(2_000), ..budget.clone() };
        let mut work = 0;
        // Whether a size meets something new; `None` when it does not fit, or no work is left.
        let mut meets_new = |policy: &LearnedPolicy, n: u64| -> Option<bool> {
            if work > 8 * WORK_PER_SECOND || cut_by_now(&budget).is_some() {
                return None;
            }
            let guide = policy.guide();
            let run = candidates::guided(&self.program, module, n, &*guide, budget.clone()).ok()?;
            work += run.outcome.work;
            Some(!run.outcome.unseen.is_empty())
        };
        let last = LADDER[LADDER.len() - 1].min(largest);
        let ladder = LADDER.into_iter().filter(|n| (trained + 1..last).contains(n));
        let mut known = trained;
        let mut last_stage = None;
        for probe in ladder.chain([last]) {
            while known < probe {
                match meets_new(&trial.policy, probe) {
                    None => return Ok(last_stage),
                    Some(false) => known = probe,
                    Some(true) => {
                        let mut first = probe;
                        while known + 1 < first {
                            let middle = known.midpoint(first);
                            match meets_new(&trial.policy, middle) {
                                None => return Ok(last_stage),
                                Some(true) => first = middle,
                                Some(false) => known = middle,
                            }
                        }
                        let learned = candidates::learn_stage(
                            &self.program,
                            module,
                            first,
                            &trial.policy,
                            &budget,
                        )?;
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

    fn guided_budget(&self, budget: &Budget) -> Budget {
        Budget { paths: Some(self.max_paths.unwrap_or(GUIDED_PATHS)), ..budget.clone() }
    }

    /// The costliest run of the best policies; the second only where the first was cut.
    fn best_of(
        &self,
        module: &Arc<Module>,
        n: u64,
        trials: &[Trial],
        budget: &Budget,
    ) -> Result<Found, Error> {
        let mut best: Option<Found> = None;
        let (mut seconds, mut work) = (0.0, 0u64);
        for trial in trials {
            let guide = trial.policy.guide();
            let left = budget.work.map(|limit| limit.saturating_sub(work));
            let limited = Budget { work: left, ..self.guided_budget(budget) };
            let run = candidates::guided(&self.program, module, n, &*guide, limited)?;
            seconds += run.seconds;
            work = work.saturating_add(run.outcome.work);
            let complete = run.outcome.complete && run.outcome.worst.is_some();
            let better =
                best.as_ref().is_none_or(|b| run.outcome.worst_cost() > b.outcome.worst_cost());
            if better {
                best = Some(Found {
                    outcome: run.outcome,
                    method: trial.policy.method().into(),
                    exact: false,
                    seconds,
                });
            }
            let spent = budget.work.is_some_and(|limit| work >= limit);
            if complete || spent || cut_by_now(budget).is_some() {
                break;
            }
        }
        let mut best = best.ok_or_else(|| Error::Usage("no policy to follow".to_owned()))?;
        best.seconds = seconds;
        Ok(best)
    }

    /// Where nothing could be learned: a search, whose result is a lower bound.
    fn searched(&self, module: &Arc<Module>, n: u64, budget: &Budget) -> Result<Found, Error> {
        let begun = Instant::now();
        let work =
            work_of(self.time / 20).min(WORK_PER_SECOND).min(budget.work.unwrap_or(u64::MAX));
        let limited = Budget { work: Some(work), ..budget.clone() };
        let outcome =
            search(&self.program, module, n, SEARCH_STEPS, self.seed, &self.seeds, &limited)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Found { outcome, method: "search".into(), exact: false, seconds })
    }

    /// Writes the worst path condition of a size down and solves it; kept only if a concrete run
    /// has the predicted cost.
    fn synthesise(
        &mut self,
        module: &Arc<Module>,
        n: u64,
        budget: &Budget,
        findings: &mut Vec<document::Finding>,
    ) -> Result<Option<Found>, Error> {
        let begun = Instant::now();
        let finding = |message: String| document::Finding {
            kind: "not_modelled".to_owned(),
            message,
            at: None,
            n: Some(n),
            input: None,
        };
        if self.program.grows_otherwise() {
            let message = "path conditions are written down as functions of n alone".to_owned();
            add_findings(findings, vec![finding(message)]);
            return Ok(None);
        }
        if self.model.is_none() {
            let work = TrainOptions::default().work.min(work_of(self.time / 30));
            let budget = a_part_of(&a_part_of(budget));
            let options = TrainOptions { budget, work, ..TrainOptions::default() };
            let entry = self.program.entry()?;
            self.model = Some(train_and_model(module, &entry, self.program.lets(), &options));
        }
        let model = match &self.model {
            Some(Ok(model)) => model,
            Some(Err(why)) => {
                let message =
                    format!("the worst paths follow no pattern that can be written down: {why}");
                add_findings(findings, vec![finding(message)]);
                return Ok(None);
            }
            None => return Ok(None),
        };
        let input = match model.input(n) {
            Ok(input) => input,
            Err(why) => {
                add_findings(findings, vec![finding(format!("n = {n}: {why}"))]);
                return Ok(None);
            }
        };
        let setup = self.program.setup(n)?;
        let (end, machine) = run_concrete(module, &setup, input.clone(), |_| ())?;
        let counters = machine.counters();
        if let Err(mismatch) = model.confirm(n, counters.cost) {
            add_findings(findings, vec![finding(format!("{mismatch}; it is thrown away"))]);
            return Ok(None);
        }
        if !matches!(end, pessimum_machine::End::Return | pessimum_machine::End::Exit(_)) {
            return Ok(None);
        }
        let test = PathTest {
            input: Some(input),
            cost: counters.cost,
            instructions: counters.instructions,
            trap: None,
        };
        let mut outcome = Outcome::of_one_path(Witness { test, path: Vec::new() });
        outcome.complete = true;
        outcome.solver_calls = 1;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Some(Found { outcome, method: "synth".into(), exact: false, seconds }))
    }

    /// Every path of a size, as far as the budget goes.
    fn every_path(&self, module: &Arc<Module>, n: u64, budget: &Budget) -> Result<Found, Error> {
        let budget = Budget { paths: self.max_paths, ..budget.clone() };
        let run = candidates::guided(&self.program, module, n, &Unguided, budget)?;
        let (exact, seconds) = (run.outcome.complete, run.seconds);
        Ok(Found { outcome: run.outcome, method: "exhaustive".into(), exact, seconds })
    }

    /// Where the cost does not depend on the input, or nothing could be learned: one path, or all
    /// if that is the only one.
    fn one_path(&self, module: &Arc<Module>, n: u64, budget: &Budget) -> Result<Found, Error> {
        let guide: Box<dyn Guide + Send + Sync> = Box::new(pessimum_learn::Unguided);
        let budget = Budget { paths: Some(1), ..budget.clone() };
        let run = candidates::guided(&self.program, module, n, &*guide, budget)?;
        let complete = run.outcome.complete;
        let method = if complete { "exhaustive" } else { "search" };
        Ok(Found {
            outcome: run.outcome,
            method: method.into(),
            exact: complete,
            seconds: run.seconds,
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        self,
        module: Arc<Module>,
        sizes: Vec<u64>,
        trained: Vec<TrainedSize>,
        trials: Vec<Trial>,
        found: BTreeMap<u64, Found>,
        mut findings: Vec<document::Finding>,
        cut_by: Option<String>,
        independent: bool,
        stage_from: Option<u64>,
    ) -> Result<AnalysisResult, Error> {
        let confirmer = Confirmer::new(&self.program, &module, 0)?;
        let mut inputs = BTreeMap::new();
        let mut documents: BTreeMap<u64, document::Size> = BTreeMap::new();
        for (&n, size) in &found {
            let mut document = size_document(n, size);
            if let Some(witness) = &size.outcome.worst
                && let Some(input) = &witness.test.input
            {
                let cost = witness.test.cost;
                match confirmer.confirm(&self.program, &module, n, input, cost)? {
                    Ok(word) => document.replayed = Some(word.to_owned()),
                    Err(why) => {
                        findings.push(document::Finding {
                            kind: "replay_mismatch".to_owned(),
                            message: format!("n = {n}: {why}; the size is not reported"),
                            at: None,
                            n: Some(n),
                            input: Some(input_document(input)),
                        });
                        document.worst_cost = None;
                        document.exact = false;
                    }
                }
                document.input = Some(input_document(input));
                inputs.insert(n, (input.clone(), cost));
                let slots: Vec<Slot> = input.iter().map(|v| v.0).collect();
                let random =
                    sample(&self.program, &module, n, &slots, self.seed, self.samples, 4_000_000)?;
                document.random_cost = random.and_then(|r| {
                    let (mean, max) = r.cost?;
                    Some(document::RandomCost { mean, max, samples: r.samples })
                });
                document.instructions = Some(document::Instructions {
                    worst: witness.test.instructions,
                    random_mean: random.map(|r| r.instructions),
                });
            }
            documents.insert(n, document);
        }
        let policy = trials.into_iter().next().map(|t| t.policy).filter(|_| !independent);
        let fit = self.fit(&documents, policy.as_ref(), stage_from);
        if documents.values().all(|d| d.worst_cost.is_none()) {
            let why = cut_by.clone().unwrap_or_else(|| "no path ended normally".to_owned());
            if cut_by.is_some() {
                return Err(Error::OutOfBudget(why));
            }
        }
        let mut fit_json = serde_json::to_value(&fit).unwrap_or_default();
        if let Some(object) = fit_json.as_object_mut() {
            object.insert("summary".to_owned(), fit.summary().into());
        }
        let policy_document = policy.as_ref().map(|p| document::Policy {
            kind: p.policy.kind().to_owned(),
            validated: p.validated,
            validated_on: p.validated_on.clone(),
            trained_on: p.trained_on.clone(),
            sites: p.describe(&module),
            why: p.why.clone(),
        });
        let worst = documents.values_mut().filter_map(|d| d.input.as_mut());
        let met = findings.iter_mut().filter_map(|f| f.input.as_mut());
        show_structures(&self.program, worst.chain(met))?;
        let (asked, others): (Vec<_>, Vec<_>) =
            documents.into_values().partition(|d| sizes.contains(&d.n));
        let document = document::Analysis {
            schema: document::SCHEMA,
            program: document::Program {
                module: self.program.name().to_owned(),
                entry: self.program.entry()?.to_string(),
            },
            cost_model: self.cost.to_string(),
            learn_cost: self.learn_cost.as_ref().map(ToString::to_string),
            sizes: asked,
            training: others,
            fit: fit_json,
            policy: policy_document,
            cost_independent_of_input: independent,
            findings,
            cut_by,
            parameters: document::Parameters {
                command: Vec::new(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                seed: self.seed,
            },
            source: Vec::new(),
            tree: None,
            graphs: Vec::new(),
        };
        drop(trained);
        Ok(AnalysisResult { document, inputs, fit, policy, module })
    }

    fn fit(
        &self,
        documents: &BTreeMap<u64, document::Size>,
        policy: Option<&LearnedPolicy>,
        stage_from: Option<u64>,
    ) -> Fit {
        // Sizes below a switch of algorithm say nothing about what comes after it, if enough does.
        let beyond = |from: &u64| documents.range(from..).count() >= SIZES_OF_A_STAGE;
        let from = stage_from.filter(beyond).unwrap_or(0);
        let mut points: Vec<Point> = Vec::new();
        for d in documents.values().filter(|d| d.n >= from) {
            match d.worst_cost {
                Some(cost) if d.exact => points.push(Point::exact(d.n, cost)),
                // A search that did not even reach the cost of a smaller size tells of the search,
                // and nothing of how the program grows.
                Some(cost) if points.iter().all(|p| p.cost <= cost) => {
                    points.push(Point::reached(d.n, cost));
                }
                _ => {}
            }
        }
        let mut found = fit(&points);
        if points.iter().all(|p| p.exact) {
            return found.with_basis(Basis::Proven);
        }
        let validated =
            policy.is_some_and(|p| p.validated) && documents.values().all(follows_policy);
        if validated {
            return found.with_basis(Basis::Validated);
        }
        // A search that finds nothing worse any more does not show that there is nothing; and what
        // may be a step as well as growth is no reason for an alarm, least of all n log n for n.
        let largest = documents.values().rev().find(|d| d.worst_cost.is_some());
        let searched = largest.is_some_and(|d| d.method == "search" && !d.exact);
        let (unsure, clear) = match found.confidence {
            Confidence::Exact | Confidence::Clear => (false, true),
            Confidence::Likely => (false, false),
            Confidence::Unsure | Confidence::TooFewSizes => (true, false),
        };
        // Nor is a bend in what is still little beside a constant.
        let doubled = match points.as_slice() {
            [first, .., last] => last.cost >= first.cost.saturating_mul(2),
            _ => false,
        };
        let doubtful = |c: Class| {
            searched && c < Class::Linear
                || c > Class::Linear && (unsure || !doubled)
                || c == Class::NLogN && searched && !clear
        };
        if !found.is_exact() && found.class.is_some_and(doubtful) {
            found = found.without_class();
        }
        found.with_basis(Basis::LowerBound)
    }
}

fn size_document(n: u64, size: &Found) -> document::Size {
    document::Size {
        n,
        worst_cost: size.outcome.worst_cost(),
        random_cost: None,
        instructions: None,
        exact: size.exact,
        paths: size.outcome.paths,
        solver_calls: size.outcome.solver_calls,
        seconds: size.seconds,
        method: size.method.to_string(),
        input: None,
        replayed: None,
        cut_by: size.outcome.cut_by.map(|c| c.name().to_owned()),
    }
}

/// Whether no explored size has two paths of different cost, though some have several paths, or
/// all have just one.
fn independent_of_input(trained: &[TrainedSize]) -> bool {
    trained.len() >= 2
        && trained.iter().all(|s| s.outcome.cost_independent_of_input() || s.outcome.paths == 0)
        && trained.iter().any(|s| s.outcome.paths > 0)
}

/// What trying a policy at one size may take.
fn tried(budget: &Budget) -> Budget {
    Budget { work: Some(2 * WORK_PER_SECOND), paths: Some(2_000), ..budget.clone() }
}

fn points_of(found: &BTreeMap<u64, Found>, stage_from: Option<u64>) -> Vec<Point> {
    let beyond = |from: &u64| found.range(from..).count() >= SIZES_OF_A_STAGE;
    let from = stage_from.filter(beyond).unwrap_or(0);
    let points = found.range(from..).filter_map(|(&n, size)| {
        let cost = size.outcome.worst_cost()?;
        Some(if size.exact { Point::exact(n, cost) } else { Point::reached(n, cost) })
    });
    points.collect()
}

/// Sizes below the largest that was asked for, so that a fit has something to go by.
fn between(found: &BTreeMap<u64, Found>, stage_from: Option<u64>) -> Vec<u64> {
    let reached = found.iter().rev().find(|(_, f)| f.outcome.worst.is_some());
    let largest = reached.map_or(0, |(n, _)| *n);
    let from = stage_from.unwrap_or(1);
    // Every one of the smallest: a program that few sizes can be had of grows fast.
    let all = (from..from + LADDER[0]).chain(LADDER.into_iter().filter(|n| *n >= from + LADDER[0]));
    all.filter(|n| *n < largest && !found.contains_key(n)).collect()
}

/// Sizes above all that were run, for costs that leave two classes open; none once they were run.
fn beyond(found: &BTreeMap<u64, Found>) -> Vec<u64> {
    let largest = found.keys().next_back().copied().unwrap_or(0);
    // Where the ladder was not climbed to its end there is no climbing on.
    if largest != LADDER[LADDER.len() - 1] {
        return Vec::new();
    }
    vec![400, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000]
}

/// Sizes that grow by about a third at each step.
const LADDER: [u64; 14] = [8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300];

/// Sizes worth looking at: those around the training sizes and on to a few hundred.
fn ladder(trained: &[TrainedSize]) -> Vec<u64> {
    let last = trained.last().map_or(1, |s| s.n);
    LADDER.into_iter().filter(|n| *n > last.min(9)).collect()
}

/// Sizes worth looking at where every size is explored in full: the larger half of those that were,
/// and further ones as far as a quarter of the work goes, if they go on growing as the last did.
fn ladder_in_full(trained: &[TrainedSize], work: u64) -> Vec<u64> {
    let last = trained.last().map_or(0, |s| s.n);
    let work_at = |from_last: usize| {
        let size = trained.iter().rev().nth(from_last);
        size.map_or(1.0, |s| s.outcome.work.max(1) as f64)
    };
    let growth = (work_at(0) / work_at(1)).max(1.0);
    let affordable = |n: &u64| work_at(0) * growth.powf((n - last) as f64) <= work as f64 / 4.0;
    let half = trained.iter().map(|s| s.n).filter(|n| 2 * n > last);
    let further = ladder(trained).into_iter().filter(|n| *n > last).take_while(affordable);
    half.chain(further).collect()
}

/// A time in units of work.
fn work_of(time: Duration) -> u64 {
    (time.as_millis() as u64).saturating_mul(WORK_PER_SECOND / 1000)
}

/// Whether a size is what the policy makes of it: not cut, and not surpassed by a search.
fn follows_policy(size: &document::Size) -> bool {
    size.cut_by.is_none() && size.method != "search"
}

fn add_findings(all: &mut Vec<document::Finding>, new: Vec<document::Finding>) {
    for finding in new {
        if !all.iter().any(|f| f.kind == finding.kind && f.at == finding.at) {
            all.push(finding);
        }
    }
}

fn note_unseen(module: &Module, findings: &mut Vec<document::Finding>, n: u64, outcome: &Outcome) {
    let news = outcome.unseen.iter().map(|site| {
        let at = module.describe(pessimum_machine::SiteId(site.0));
        document::Finding {
            kind: "unseen_site".to_owned(),
            message: format!(
                "n = {n} reaches {at}, which training never met: train on larger sizes"
            ),
            at: Some(at),
            n: Some(n),
            input: None,
        }
    });
    add_findings(findings, news.collect());
}

/// A budget that ends when a third of the time that is left has passed: on a slow machine the work
/// for what comes first must not take the time of all the rest.
fn a_part_of(budget: &Budget) -> Budget {
    let now = Instant::now();
    let deadline = budget.deadline.map(|d| now + d.saturating_duration_since(now) / 3);
    Budget { deadline, ..budget.clone() }
}

fn cut_by_now(budget: &Budget) -> Option<&'static str> {
    if budget.cancel.as_ref().is_some_and(|c| c.load(std::sync::atomic::Ordering::Relaxed)) {
        return Some("interrupt");
    }
    budget.deadline.is_some_and(|d| Instant::now() >= d).then_some("time")
}
