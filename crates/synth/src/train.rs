//! From a program to a model: explores small sizes, keeps their worst paths, learns.

use crate::model::{Model, SizePaths, WhyNot};
use crate::trace::Trace;
use pessimum_entry::{Entry, Let, Sizes};
use pessimum_explore::{Budget, Options, Outcome, Plan, Trainer, explore};
use pessimum_learn::{
    BranchPolicy, Guide, HistoryLimit, HistoryOptions, Unguided, WiseGuide, WiseSummary,
    WorstPaths, candidate_policies, find_good_generator,
};
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

/// How much to spend on small sizes.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// The largest size to look at.
    pub largest: u64,
    /// Sizes with more paths than this are not explored exhaustively.
    pub exhaustive_paths: u64,
    /// Guided explorations with more paths than this are given up.
    pub guided_paths: u64,
    /// Sizes that take more work than this, in the units of [`Budget::work`], are given up.
    pub work: u64,
    /// Other limits of each exploration.
    pub budget: Budget,
    /// Seed of the program's own random source.
    pub seed: u64,
    /// Limits of one path.
    pub limits: Limits,
}

impl Default for TrainOptions {
    fn default() -> Self {
        TrainOptions {
            largest: 10,
            exhaustive_paths: 6000,
            guided_paths: 400,
            work: 20_000_000,
            budget: Budget::default(),
            seed: 0,
            limits: Limits::default(),
        }
    }
}

/// A path of a small size with more decisions than this grows too fast to be modelled.
const LONGEST: usize = 20_000;

/// Explores small sizes of a program and models its worst paths. The cost is the one that the module
/// was loaded for.
pub fn train_and_model(
    module: &Arc<Module>,
    entry: &Entry,
    lets: &[Let],
    options: &TrainOptions,
) -> Result<Model, WhyNot> {
    let at = |n: u64| -> Result<Setup, WhyNot> {
        let training = |e: pessimum_entry::SpecError| WhyNot::Training(e.to_string());
        let sizes = Sizes::at(n, lets).map_err(training)?;
        let invocation = entry.at(&sizes).map_err(training)?;
        Ok(Setup { invocation, sizes, seed: options.seed, limits: options.limits.clone() })
    };
    Model::learn(&worst_paths(module, &at, options)?)
}

/// The worst paths of the sizes from 1 on: exhaustively while that is cheap, then guided by what was
/// learned.
pub fn worst_paths(
    module: &Arc<Module>,
    setup: &dyn Fn(u64) -> Result<Setup, WhyNot>,
    options: &TrainOptions,
) -> Result<Vec<SizePaths>, WhyNot> {
    let school = School { module, setup, options };
    let mut learned: Vec<Learned> = Vec::new();
    let mut n = 1;
    while n <= options.largest {
        match school.size(n, &Unguided, options.exhaustive_paths)? {
            Some(size) => learned.push(size),
            None => break,
        }
        n += 1;
    }
    if n <= options.largest {
        let mut guided = school.guided(n, &learned)?;
        learned.append(&mut guided);
    }
    learned.iter().map(|size| school.trace(size)).collect()
}

/// What one size taught.
struct Learned {
    n: u64,
    wise: WiseSummary,
    worst: WorstPaths,
    cost: u64,
}

/// What may lead to worst paths of larger sizes: the policy that prunes most, the policies of single
/// worst paths of the largest size, the most modest first, and short histories.
fn guides(learned: &[Learned]) -> Vec<Box<dyn Guide + Sync>> {
    let mut guides: Vec<Box<dyn Guide + Sync>> = Vec::new();
    let summaries: Vec<WiseSummary> = learned.iter().map(|l| l.wise.clone()).collect();
    if let Some(generator) = find_good_generator(&summaries) {
        guides.push(Box::new(WiseGuide::from(&generator)));
    }
    if let Some(last) = summaries.last() {
        let seen = last.sites();
        let mut policies: Vec<&BranchPolicy> = last.worst_policies().map(|(p, _)| p).collect();
        policies.sort_by_key(|p| p.raised());
        for policy in policies.into_iter().take(6) {
            guides.push(Box::new(WiseGuide::new(policy, seen)));
        }
    }
    let sizes: Vec<(u64, &WorstPaths)> = learned.iter().map(|l| (l.n, &l.worst)).collect();
    let ways = [1, 2, 3].map(|h| HistoryOptions::new(HistoryLimit::Fixed(h)));
    for candidate in candidate_policies(&sizes, &ways).into_iter().take(6) {
        guides.push(Box::new(candidate.policy));
    }
    guides
}

struct School<'a> {
    module: &'a Arc<Module>,
    setup: &'a dyn Fn(u64) -> Result<Setup, WhyNot>,
    options: &'a TrainOptions,
}

impl School<'_> {
    /// Explores one size; `None` when it has more paths than allowed, or none.
    fn size<G: Guide + Sync>(
        &self,
        n: u64,
        guide: &G,
        paths: u64,
    ) -> Result<Option<Learned>, WhyNot> {
        let limits = &self.options.budget;
        let work = limits.work.map_or(self.options.work, |work| work.min(self.options.work));
        let budget = Budget { paths: Some(paths), work: Some(work), ..limits.clone() };
        let plan = Plan {
            module: Arc::clone(self.module),
            setup: (self.setup)(n)?,
            over: None,
            options: Options { budget, ..Options::default() },
            workers: 1,
        };
        let training = |e: pessimum_machine::LoadError| WhyNot::Training(e.to_string());
        let (outcome, trainers) = explore(&plan, guide, Trainer::default).map_err(training)?;
        let Outcome { complete, .. } = outcome;
        let Some(cost) = outcome.worst_cost().filter(|_| complete) else { return Ok(None) };
        let mut worst: Option<WorstPaths> = None;
        let mut wise = WiseSummary::new();
        for trainer in trainers {
            wise.merge(&trainer.wise.summary());
            match &mut worst {
                Some(all) => all.merge(trainer.worst),
                None => worst = Some(trainer.worst),
            }
        }
        Ok(worst.map(|worst| Learned { n, wise, worst, cost }))
    }

    /// The sizes from `n` on, by every policy that reaches the worst cost where it is known. Each
    /// follows its own family of paths, and not every family has a generator, so the worst paths of
    /// all of them are kept.
    fn guided(&self, n: u64, learned: &[Learned]) -> Result<Vec<Learned>, WhyNot> {
        let mut found: Vec<Learned> = Vec::new();
        for guide in guides(learned) {
            if !self.reaches_the_worst(&guide, learned)? {
                continue;
            }
            for size in n..=self.options.largest {
                let Some(new) = self.size(size, &guide, self.options.guided_paths)? else { break };
                match found.iter_mut().find(|known| known.n == size) {
                    Some(known) => {
                        known.cost = known.cost.max(new.cost);
                        known.worst.merge(new.worst);
                    }
                    None => found.push(new),
                }
            }
        }
        found.sort_by_key(|size| size.n);
        Ok(found)
    }

    /// Whether a guide finds the worst cost at the last two sizes where it is known. One that does
    /// not would lead to a model of paths that are not the worst.
    fn reaches_the_worst<G: Guide + Sync>(
        &self,
        guide: &G,
        learned: &[Learned],
    ) -> Result<bool, WhyNot> {
        for known in learned.iter().rev().take(2) {
            let reached = self.size(known.n, guide, self.options.guided_paths)?;
            if reached.is_none_or(|r| r.cost < known.cost) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn trace(&self, size: &Learned) -> Result<SizePaths, WhyNot> {
        let setup = (self.setup)(size.n)?;
        let follow = |path: &pessimum_learn::WorstPath| {
            let decisions = path.decisions();
            let short = decisions.len() <= LONGEST;
            short.then(|| Trace::follow(self.module, &setup, decisions).ok()).flatten()
        };
        let paths = size.worst.paths().iter().filter_map(follow).collect();
        Ok(SizePaths { n: size.n, cost: size.cost, paths })
    }
}
