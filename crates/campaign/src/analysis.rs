//! The whole job: train, learn, validate, generate, confirm, fit.

mod beyond;
mod finishing;
mod generating;
mod job;
mod learning;
mod progress;
mod proving;
mod refuting;
mod strategies;
mod synthesis;
mod training;

use crate::candidates::{AUTO, PolicyKind};
use crate::error::Error;
use crate::evidence::Cut;
use crate::judge::{Evidence, Judgement, Standing};
use crate::policy::LearnedPolicy;
use crate::program::Program;
use crate::train::{Elsewhere, TrainedSize};
use job::Job;
use pessimum_entry::{CostModel, InputValues};
use pessimum_explore::{Merge, on_big_stack};
use pessimum_fit::Class;
use pessimum_learn::{HistoryLimit, HistoryOptions, SavedPolicy};
use pessimum_machine::{Module, fingerprint};
use pessimum_report::document;
use pessimum_search::Family;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

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
    /// The last decisions of an activation, as far back as the limit says.
    History(HistoryLimit),
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
    /// Walking every state of a size that is too large for every path.
    Proving {
        /// The size.
        n: u64,
    },
    /// The worst case of a size, as the result will have it unless something worse is found.
    Answer {
        /// The size.
        n: u64,
        /// Paths that were followed; `None` where they are more than a word holds, or were not counted.
        paths: Option<u64>,
        /// Its worst cost; `None` if no path ended normally.
        worst: Option<u64>,
        /// Whether the worst cost is a promise.
        exact: bool,
        /// How the costs up to here grow, once they tell.
        so_far: Option<Class>,
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
/// # use pessimum_campaign as pessimum;
/// use pessimum::{Analysis, Program};
///
/// let wat_free_module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
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
    compared: Vec<u64>,
    train: Option<RangeInclusive<u64>>,
    train_budget: Option<Duration>,
    policy: PolicyChoice,
    history_all: bool,
    time: Duration,
    effort: Option<Duration>,
    memory: Option<u64>,
    max_paths: Option<u64>,
    seed: u64,
    seeds: Vec<Vec<u8>>,
    dictionary: Vec<Vec<u8>>,
    samples: u64,
    merge: Merge,
    workers: usize,
    cancel: Option<Arc<AtomicBool>>,
    watch: Option<Box<dyn FnMut(Stage) + Send>>,
    save: Option<PathBuf>,
    elsewhere: Option<Box<dyn Elsewhere>>,
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct AnalysisResult {
    /// The document of the contract.
    pub document: document::Analysis,
    /// The worst inputs by size.
    pub inputs: BTreeMap<u64, (InputValues, u64)>,
    /// What the claims rest on.
    pub evidence: Evidence,
    /// What they come to: the same for `analyze`, `check` and the page.
    pub judgement: Judgement,
    /// The family of inputs that growth is read from, where costs were only reached.
    pub family: Option<Family>,
    /// The policy in use.
    pub policy: Option<LearnedPolicy>,
    /// The module, for naming sites.
    pub module: Arc<Module>,
}

impl AnalysisResult {
    /// The class, if one was found.
    pub fn class(&self) -> Option<Class> {
        self.judgement.class()
    }

    /// How the program stands to a class it may not exceed: *within* for proven and validated answers
    /// alone, *worse* with inputs that show it.
    pub fn at_most(&self, bound: Class) -> Standing {
        self.judgement.at_most(&self.evidence, bound)
    }
}

impl Analysis {
    /// An analysis of a program with everything by default.
    pub fn of(program: Program) -> Analysis {
        Analysis {
            program,
            cost: CostModel::Conditionals,
            learn_cost: None,
            sizes: None,
            compared: Vec::new(),
            train: None,
            train_budget: None,
            policy: PolicyChoice::Auto,
            history_all: false,
            time: Duration::from_secs(60),
            effort: None,
            memory: None,
            max_paths: None,
            seed: 0,
            seeds: Vec::new(),
            dictionary: Vec::new(),
            samples: 100,
            merge: Merge::Auto,
            workers: 1,
            cancel: None,
            watch: None,
            save: None,
            elsewhere: None,
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

    /// Sizes that another run has an answer for: they get one beside those that are reported anyway, so that the two can be
    /// compared.
    pub fn compared(mut self, sizes: impl IntoIterator<Item = u64>) -> Self {
        self.compared = sizes.into_iter().collect();
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

    /// Lets histories contain forced decisions too, as those of the SPF-WCA paper do.
    pub fn history_all(mut self, all: bool) -> Self {
        self.history_all = all;
        self
    }

    /// Hard stop.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Work to be done, as the time that it takes on a usual machine; by default what the hard stop
    /// leaves room for. With a hard stop that lies well beyond it, the same is done on a slow machine
    /// as on a fast one: what a test wants.
    pub fn effort(mut self, effort: Duration) -> Self {
        self.effort = Some(effort);
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

    /// Words that inputs are made of, as bytes: keywords of a grammar.
    pub fn dictionary(mut self, words: Vec<Vec<u8>>) -> Self {
        self.dictionary = words;
        self
    }

    /// Random samples per size.
    pub fn samples(mut self, samples: u64) -> Self {
        self.samples = samples;
        self
    }

    /// Whether sizes beyond training are proven, as far as that goes, by walks that follow each state
    /// once.
    pub fn merge(mut self, merge: Merge) -> Self {
        self.merge = merge;
        self
    }

    /// Threads that explore, follow, search and confirm; the result does not depend on how many there are.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Stops early when set.
    pub fn cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Is told what the analysis is doing, and every answer as soon as there is one.
    ///
    /// ```
    /// # use pessimum_campaign as pessimum;
    /// use pessimum::{Analysis, Program, Stage};
    ///
    /// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
    /// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
    /// let (sender, answers) = std::sync::mpsc::channel();
    /// Analysis::of(program)
    ///     .sizes([8])
    ///     .watch(move |stage| {
    ///         if let Stage::Answer { n, worst, exact, .. } = stage {
    ///             let _ = sender.send((n, worst, exact));
    ///         }
    ///     })
    ///     .run()?;
    /// assert_eq!(answers.iter().nth(1), Some((2, Some(4), true)));
    /// # Ok::<(), pessimum::Error>(())
    /// ```
    pub fn watch(mut self, watch: impl FnMut(Stage) + Send + 'static) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Keeps what it has done in a folder as it goes, and begins with what an earlier run of the
    /// same analysis has kept there.
    pub fn save(mut self, folder: impl Into<PathBuf>) -> Self {
        self.save = Some(folder.into());
        self
    }

    /// Has the trees of training sizes walked on other machines, where they are worth it. The result is the same.
    pub fn elsewhere(mut self, elsewhere: impl Elsewhere + 'static) -> Self {
        self.elsewhere = Some(Box::new(elsewhere));
        self
    }

    /// Runs it.
    pub fn run(self) -> Result<AnalysisResult, Error> {
        on_big_stack(self.workers, || Job::new(self)?.run())
    }

    /// What the results depend on, as one number.
    fn identity(&self) -> Result<u64, Error> {
        let entry = self.program.entry()?;
        let train_budget = self.train_budget.unwrap_or(self.effort_or_time());
        let asked = format!(
            "{} {:016x} {entry} {:?} {} {:?} {:?} {:?} {:?} {train_budget:?} {:?} {} {:?} {} {} {:?} {:?} {:?}",
            env!("CARGO_PKG_VERSION"),
            fingerprint(self.program.bytes()),
            self.program.settings(),
            self.cost,
            self.learn_cost,
            self.sizes,
            self.compared,
            self.train,
            self.policy,
            self.history_all,
            self.max_paths,
            self.seed,
            self.samples,
            self.seeds,
            self.dictionary,
            self.merge,
        );
        Ok(fingerprint(asked.as_bytes()))
    }

    /// What work is measured out by.
    fn effort_or_time(&self) -> Duration {
        self.effort.unwrap_or(self.time)
    }

    fn kinds(&self) -> Vec<PolicyKind> {
        let histories = |limit: HistoryLimit| {
            let options = HistoryOptions::new(limit);
            vec![
                PolicyKind::History(options),
                PolicyKind::LastSize(options),
                PolicyKind::Counted(options),
            ]
        };
        let kinds = match &self.policy {
            PolicyChoice::Auto => AUTO.to_vec(),
            PolicyChoice::Wise => vec![PolicyKind::Wise],
            PolicyChoice::Memoryless => {
                let options = HistoryOptions::new(HistoryLimit::Fixed(0));
                vec![PolicyKind::History(options), PolicyKind::Counted(options)]
            }
            PolicyChoice::History(limit) => histories(*limit),
            PolicyChoice::Given(_) | PolicyChoice::Synth => Vec::new(),
        };
        match self.history_all {
            true => kinds.into_iter().map(PolicyKind::with_forced_decisions).collect(),
            false => kinds,
        }
    }
}

/// Whether another time, or another machine, would have let a run go on.
fn is_from_outside(cut: Cut) -> bool {
    matches!(cut, Cut::Time | Cut::Memory | Cut::Interrupt)
}

/// Whether no explored size has two paths of different cost, though some have several paths, or
/// all have just one.
fn independent_of_input(trained: &[TrainedSize]) -> bool {
    // A path that was cut off agrees with nothing.
    let same = |s: &TrainedSize| s.outcome.is_exact() && s.outcome.cost_independent_of_input();
    trained.len() >= 2
        && trained.iter().all(|s| same(s) || s.outcome.paths == 0)
        && trained.iter().any(|s| s.outcome.paths > 0)
}
