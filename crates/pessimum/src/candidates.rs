//! Stage two: policies from what training saw, and which of them to trust.

use crate::error::Error;
use crate::policy::LearnedPolicy;
use crate::program::Program;
use crate::train::{TrainedSize, Walk, walk};
use pessimum_explore::{Budget, Nobody, Options, Outcome, Plan, explore};
use pessimum_learn::{
    Decision, Guide, HistoryLimit, HistoryOptions, HistoryPolicy, SavedPolicy, SiteId,
    find_good_generator, least_policy, unified_policy,
};
use pessimum_machine::Module;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// A way to learn a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Wise,
    History(HistoryLimit),
    /// From the largest size alone: sizes may contradict each other.
    LastSize(HistoryLimit),
}

/// The ways `auto` tries, simplest first.
pub(crate) const AUTO: [Kind; 8] = [
    Kind::Wise,
    Kind::History(HistoryLimit::Fixed(0)),
    Kind::History(HistoryLimit::Fixed(1)),
    Kind::History(HistoryLimit::Fixed(2)),
    Kind::History(HistoryLimit::Fixed(3)),
    Kind::History(HistoryLimit::Adaptive),
    Kind::LastSize(HistoryLimit::Fixed(1)),
    Kind::LastSize(HistoryLimit::Adaptive),
];

/// Learns from these sizes; `None` when there is nothing to learn.
pub(crate) fn learn(kind: Kind, sizes: &[TrainedSize]) -> Option<SavedPolicy> {
    let policy = match kind {
        Kind::Wise => {
            let summaries: Vec<_> = sizes.iter().map(|s| s.summary.clone()).collect();
            let generator = find_good_generator(&summaries)?;
            SavedPolicy::Wise { policy: generator.policy, seen: generator.seen }
        }
        Kind::History(limit) => history(sizes, limit)?,
        Kind::LastSize(limit) => history(&sizes[sizes.len().checked_sub(1)?..], limit)?,
    };
    Some(policy)
}

fn history(sizes: &[TrainedSize], limit: HistoryLimit) -> Option<SavedPolicy> {
    let policy = unified_policy(sizes.iter().map(|s| &s.worst), HistoryOptions::new(limit));
    policy.sites().next()?;
    Some(SavedPolicy::History(policy))
}

/// What a guided run found.
pub(crate) struct Guided {
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

/// Follows a guide at a size, all conforming paths within the budget.
pub(crate) fn guided(
    program: &Program,
    module: &Arc<Module>,
    n: u64,
    guide: &(dyn Guide + Send + Sync),
    budget: Budget,
) -> Result<Guided, Error> {
    let begun = Instant::now();
    let keep_path = guide.needs_openness();
    let options = Options { budget, keep_path, ..Options::default() };
    let plan = Plan { module: Arc::clone(module), setup: program.setup(n)?, options, workers: 1 };
    let (outcome, _) = explore(&plan, &guide, || Nobody)?;
    Ok(Guided { outcome, seconds: begun.elapsed().as_secs_f64() })
}

/// Sizes at which the policy learned on smaller ones reaches the exhaustive worst cost, and whether
/// that is enough to trust the policy learned on all.
pub(crate) fn validate(
    program: &Program,
    module: &Arc<Module>,
    kind: Kind,
    sizes: &[TrainedSize],
    budget: &Budget,
) -> Result<(Vec<u64>, bool), Error> {
    let mut reached = Vec::new();
    let mut unseen_at_last = false;
    for i in 1..sizes.len() {
        let Some(policy) = learn(kind, &sizes[..i]) else { continue };
        let budget = Budget { paths: Some(sizes[i].outcome.paths + 1), ..budget.clone() };
        let run = guided(program, module, sizes[i].n, &*policy.guide(), budget)?;
        if run.outcome.worst_cost() == sizes[i].worst_cost() {
            reached.push(sizes[i].n);
        }
        if i + 1 == sizes.len() {
            unseen_at_last = !run.outcome.unseen.is_empty();
        }
    }
    let needed = match sizes.last() {
        Some(last) if last.n <= 4 => 1,
        _ => 2,
    };
    let last: Vec<u64> = sizes.iter().rev().take(needed).map(|s| s.n).collect();
    let enough = sizes.len() > needed && last.iter().all(|n| reached.contains(n));
    Ok((reached, enough && !unseen_at_last))
}

/// A policy with its trial at a size beyond training.
pub(crate) struct Trial {
    pub(crate) policy: LearnedPolicy,
    pub(crate) cost: Option<u64>,
    pub(crate) complete: bool,
    pub(crate) paths: u64,
}

/// Learns by each of the ways, tries each at size `probe`, and puts the best first: by the cost it
/// reaches there, then by how far it can be trusted, then by the paths it leaves.
pub(crate) fn rank(
    program: &Program,
    module: &Arc<Module>,
    kinds: &[Kind],
    sizes: &[TrainedSize],
    probe: u64,
    budget: &Budget,
) -> Result<Vec<Trial>, Error> {
    let mut trials: Vec<Trial> = Vec::new();
    for &kind in kinds {
        let Some(policy) = learn(kind, sizes) else { continue };
        if trials.iter().any(|t| t.policy.policy == policy) {
            continue;
        }
        let (validated_on, validated) = validate(program, module, kind, sizes, budget)?;
        let run = guided(program, module, probe, &*policy.guide(), budget.clone())?;
        trials.push(Trial {
            cost: run.outcome.worst_cost(),
            complete: run.outcome.complete,
            paths: run.outcome.paths,
            policy: LearnedPolicy {
                policy,
                trained_on: sizes.iter().map(|s| s.n).collect(),
                validated_on,
                validated,
                staged: false,
                why: String::new(),
            },
        });
    }
    trials.sort_by_key(|t| {
        std::cmp::Reverse((t.cost, t.policy.validated, t.complete, std::cmp::Reverse(t.paths)))
    });
    let summary: Vec<String> = trials
        .iter()
        .map(|t| {
            let cost = t.cost.map_or_else(|| "nothing".to_owned(), |c| c.to_string());
            let more = if t.complete { "" } else { ", cut" };
            format!("{} reaches {cost} with {} path(s){more}", t.policy.kind(), t.paths)
        })
        .collect();
    for trial in &mut trials {
        trial.policy.why = format!("at n = {probe}: {}", summary.join("; "));
    }
    Ok(trials)
}

/// Learns what to do at sites that training had not met, at the first size that meets them: they
/// are explored freely there, and with a preference for each side in turn, everything else as the
/// policy says.
pub(crate) fn learn_stage(
    program: &Program,
    module: &Arc<Module>,
    n: u64,
    base: &LearnedPolicy,
    budget: &Budget,
) -> Result<Option<LearnedPolicy>, Error> {
    let free = walk(program, module, n, &base.guide(), budget.clone())?;
    let new: Vec<SiteId> = free.outcome.unseen.iter().copied().collect();
    if new.is_empty() {
        return Ok(None);
    }
    let mut best: Option<(u64, Vec<Decision>)> = best_path(&free);
    // With few new sites every combination of preferences is one short run.
    let combinations = if new.len() <= 6 { 1u32 << new.len() } else { 0 };
    for bits in 0..combinations {
        let guide = Preferring { base: base.guide(), new: &new, bits };
        let budget = Budget { paths: Some(50), ..budget.clone() };
        let run = walk(program, module, n, &guide, budget)?;
        if let Some((cost, path)) = best_path(&run)
            && best.as_ref().is_none_or(|(most, _)| cost > *most)
        {
            best = Some((cost, path));
        }
    }
    let Some((_, path)) = best else { return Ok(None) };
    let policy = match &base.policy {
        SavedPolicy::Wise { policy, seen } => {
            let news: BTreeSet<SiteId> = new.iter().copied().collect();
            let at_new: Vec<Decision> =
                path.iter().filter(|d| news.contains(&d.site)).copied().collect();
            let seen = seen | &path.iter().map(|d| d.site).collect::<BTreeSet<_>>();
            let seen = &seen | &news;
            SavedPolicy::Wise { policy: policy.join(&least_policy(&at_new)), seen }
        }
        SavedPolicy::History(policy) => {
            let options = HistoryOptions::new(policy.limit());
            let learned = HistoryPolicy::learn([path.as_slice()], options);
            match policy.unify(&learned) {
                Ok(unified) => SavedPolicy::History(unified),
                Err(_) => return Ok(None),
            }
        }
    };
    let mut why = base.why.clone();
    why.push_str(&format!("; {} site(s) first met at n = {n} were learned there", new.len()));
    Ok(Some(LearnedPolicy { policy, staged: true, validated: false, why, ..base.clone() }))
}

fn best_path(walk: &Walk) -> Option<(u64, Vec<Decision>)> {
    let cost = walk.outcome.worst_cost()?;
    let path = walk.worst.best()?;
    Some((cost, path.to_vec()))
}

/// A policy that also prefers a side at each of some new sites.
struct Preferring<'a> {
    base: Box<dyn Guide + Send + Sync>,
    new: &'a [SiteId],
    bits: u32,
}

impl Guide for Preferring<'_> {
    fn advise(
        &self,
        site: SiteId,
        arms: u32,
        path: &[Decision],
        prev: u32,
    ) -> pessimum_learn::Advice {
        match self.new.iter().position(|s| *s == site) {
            Some(i) => {
                pessimum_learn::Advice::Only(pessimum_learn::ChoiceSet::only((self.bits >> i) & 1))
            }
            None => self.base.advise(site, arms, path, prev),
        }
    }

    fn needs_openness(&self) -> bool {
        self.base.needs_openness()
    }

    fn knows_site(&self, site: SiteId) -> bool {
        self.new.contains(&site) || self.base.knows_site(site)
    }
}
