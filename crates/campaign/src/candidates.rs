//! Learns policies from the training sizes, tries them against each other, and says which to trust.

use crate::ahead::Ahead;
use crate::error::Error;
use crate::policy::LearnedPolicy;
use crate::schedule::Allowance;
use crate::target::Target;
use crate::train::{TrainedSize, Walk, walk};
use pessimum_clock::{Deadline, Instant};
use pessimum_explore::{Budget, Cut, Nobody, Options, Outcome, explore};
use pessimum_learn::{
    Advice, ChoiceSet, Decision, FrequencyInvariants, Generator, GeneratorOptions, Guide,
    HistoryLimit, HistoryOptions, HistoryPolicy, Reads, SavedPolicy, SiteId, WorstPaths,
    candidate_policies, find_good_generator_with, least_policy, tied_generators, unified_policy,
};
use pessimum_search::SidePreference;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A way to learn a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PolicyKind {
    Wise,
    History(HistoryOptions),
    /// From the largest size alone: sizes may contradict each other.
    LastSize(HistoryOptions),
    /// With how often decisions are made, where histories leave several sides.
    Counted(HistoryOptions),
}

impl PolicyKind {
    /// The way whose histories contain forced decisions, if it has any.
    pub(crate) fn with_forced_decisions(self) -> PolicyKind {
        let all = |options: HistoryOptions| HistoryOptions { all: true, ..options };
        match self {
            PolicyKind::Wise => PolicyKind::Wise,
            PolicyKind::History(options) => PolicyKind::History(all(options)),
            PolicyKind::LastSize(options) => PolicyKind::LastSize(all(options)),
            PolicyKind::Counted(options) => PolicyKind::Counted(all(options)),
        }
    }
}

/// The ways `auto` tries, simplest first.
pub(crate) const AUTO: [PolicyKind; 10] = [
    PolicyKind::Wise,
    PolicyKind::History(HistoryOptions::new(HistoryLimit::Fixed(0))),
    PolicyKind::History(HistoryOptions::new(HistoryLimit::Fixed(1))),
    PolicyKind::History(HistoryOptions::new(HistoryLimit::Fixed(2))),
    PolicyKind::History(HistoryOptions::new(HistoryLimit::Fixed(3))),
    PolicyKind::History(HistoryOptions::new(HistoryLimit::Adaptive)),
    PolicyKind::LastSize(HistoryOptions::new(HistoryLimit::Fixed(1))),
    PolicyKind::LastSize(HistoryOptions::new(HistoryLimit::Adaptive)),
    PolicyKind::Counted(HistoryOptions::new(HistoryLimit::Fixed(0))),
    PolicyKind::Counted(HistoryOptions::new(HistoryLimit::Adaptive)),
];

/// Learns from these sizes; `None` when there is nothing to learn.
pub(crate) fn learn(
    kind: PolicyKind,
    sizes: &[TrainedSize],
    deadline: &Deadline,
) -> Option<SavedPolicy> {
    let met = || sizes.iter().flat_map(|size| size.summary.sites()).copied();
    let policy = match kind {
        PolicyKind::Wise => {
            let summaries: Vec<_> = sizes.iter().map(|s| s.summary.clone()).collect();
            let generator = find_good_generator_with(&summaries, &until(deadline))?;
            SavedPolicy::Wise { policy: generator.policy, seen: generator.seen }
        }
        PolicyKind::History(options) => {
            SavedPolicy::History(history(sizes, options)?.with_seen(met()))
        }
        PolicyKind::LastSize(options) => {
            let last = sizes.iter().rposition(|size| size.worst.best().is_some())?;
            SavedPolicy::History(history(&sizes[last..], options)?.with_seen(met()))
        }
        PolicyKind::Counted(options) => {
            // Where histories leave nothing open there is nothing to count for.
            let policy = history(sizes, options).filter(|p| !p.is_deterministic())?;
            let policy = policy.with_seen(met());
            let worst = sizes.iter().filter_map(|s| Some((s.n, s.worst.best()?)));
            let counts = FrequencyInvariants::learn(worst);
            (!counts.is_empty()).then(|| SavedPolicy::History(policy.with_counts(counts)))?
        }
    };
    Some(policy)
}

/// The usual bounds, and this end.
fn until(deadline: &Deadline) -> GeneratorOptions {
    GeneratorOptions { deadline: deadline.clone(), ..GeneratorOptions::default() }
}

fn history(sizes: &[TrainedSize], options: HistoryOptions) -> Option<HistoryPolicy> {
    let policy = unified_policy(sizes.iter().map(|s| &s.worst), options);
    policy.sites().next()?;
    Some(policy)
}

/// What a guided run found.
pub(crate) struct Guided {
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

/// Follows a guide at a size, all conforming paths within the budget.
pub(crate) fn guided(
    target: &Target,
    n: u64,
    guide: &(dyn Guide + Send + Sync),
    budget: Budget,
) -> Result<Guided, Error> {
    guided_on(target, n, guide, budget, 1)
}

/// The same, by so many threads where all paths are followed.
pub(crate) fn guided_on(
    target: &Target,
    n: u64,
    guide: &(dyn Guide + Send + Sync),
    budget: Budget,
    workers: usize,
) -> Result<Guided, Error> {
    let begun = Instant::now();
    let counter = guide.counter(n);
    let keep_path = guide.reads() != Reads::Nothing || counter.is_some();
    let options = Options { budget, keep_path, counter, ..Options::default() };
    let plan = target.plan(n, options, workers)?;
    let (outcome, _) = explore(&plan, &guide, || Nobody)?;
    Ok(Guided { outcome, seconds: begun.elapsed().as_secs_f64() })
}

/// A budget for following a policy at a size of training. It cannot leave more paths than there are: where all were counted, no
/// limit is needed, and several threads may follow them.
fn no_more_paths(size: &TrainedSize, budget: &Budget) -> Budget {
    let found = &size.outcome;
    let counted = found.is_exact() && found.merged.is_none();
    let paths = (!counted).then_some(found.paths.saturating_add(1));
    Budget { paths, ..budget.clone() }
}

/// Sizes at which the policy learned on smaller ones reaches the exhaustive worst cost, and whether
/// that is enough to trust the policy learned on all.
fn validate(
    target: &Target,
    kind: PolicyKind,
    sizes: &[TrainedSize],
    budget: &Budget,
) -> Result<(Vec<u64>, bool), Error> {
    let mut reached = Vec::new();
    let mut unseen_at_last = false;
    let runs = target.each(sizes.len().saturating_sub(1), |before| {
        let (before, size) = (&sizes[..=before], &sizes[before + 1]);
        let policy = learn(kind, before, &budget.deadline)?;
        let budget = no_more_paths(size, budget);
        Some(guided_on(target, size.n, &*policy.guide(), budget, target.workers()))
    });
    for (i, run) in (1..).zip(runs) {
        let Some(run) = run.transpose()? else { continue };
        // A size of which the worst cost is not known for sure, or that has none, is not reached.
        let worst = sizes[i].worst_cost().filter(|_| sizes[i].outcome.is_exact());
        if worst.is_some() && run.outcome.worst_cost() == worst {
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

/// Validations of several ways to learn, which are asked for in order. As many as there are threads are made at a time: whether a
/// later one is asked for depends on those before it, and what it comes to does not.
pub(crate) struct Validations<'a> {
    target: &'a Target,
    ways: &'a [PolicyKind],
    sizes: &'a [TrainedSize],
    budget: &'a Budget,
    made: VecDeque<Result<(Vec<u64>, bool), Error>>,
}

impl<'a> Validations<'a> {
    pub(crate) fn new(
        target: &'a Target,
        ways: &'a [PolicyKind],
        sizes: &'a [TrainedSize],
        budget: &'a Budget,
    ) -> Self {
        Validations { target, ways, sizes, budget, made: VecDeque::new() }
    }

    /// That of the next way; of none once there are no more.
    pub(crate) fn next(&mut self) -> Result<(Vec<u64>, bool), Error> {
        if self.made.is_empty() {
            let (now, later) = self.ways.split_at(self.target.workers().min(self.ways.len()));
            let validated = |i: usize| validate(self.target, now[i], self.sizes, self.budget);
            self.made = self.target.each(now.len(), validated).into();
            self.ways = later;
        }
        self.made.pop_front().unwrap_or_else(|| Ok((Vec::new(), false)))
    }
}

/// How a policy stands to exact sizes that it was not learned on.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Sizes at which it reaches the worst cost.
    pub(crate) reached: Vec<u64>,
    /// Sizes at which it leads to its end and to less: (size, reached, worst).
    pub(crate) missed: Vec<(u64, u64, u64)>,
    /// A size at which it leads to more than the worst of all paths: (size, reached, worst). That is a
    /// bug of ours.
    pub(crate) surpassed: Option<(u64, u64, u64)>,
    /// Whether a run was cut before it had reached the worst cost, or met a site that was never seen.
    pub(crate) open: bool,
}

impl Held {
    /// Whether it reaches every one of them.
    pub(crate) fn everywhere(&self) -> bool {
        self.missed.is_empty() && self.surpassed.is_none() && !self.open
    }
}

/// Follows a policy at each exact size, (size, worst cost), that it was not learned on. The budget is that
/// of one run, and six times as much for all.
pub(crate) fn hold_against(
    target: &Target,
    policy: &LearnedPolicy,
    proven: &[(u64, u64)],
    budget: &Budget,
) -> Result<Held, Error> {
    let mut held = Held::default();
    let mut left = budget.work.map(|work| work.saturating_mul(6));
    let guide = policy.guide();
    let held_out = proven.iter().filter(|(n, _)| !policy.trained_on.contains(n)).copied();
    let held_out: Vec<(u64, u64)> = held_out.collect();
    let mut ahead = Ahead::new(target, held_out.len(), |i, budget| {
        guided(target, held_out[i].0, &*guide, budget)
    });
    for &(n, worst) in &held_out {
        let limited = Budget { work: budget.work.min(left), ..budget.clone() };
        let run = ahead.next(&limited)?.outcome;
        left = left.map(|left| left.saturating_sub(run.work));
        let reached = run.worst_cost().unwrap_or(0);
        if reached == worst && run.unseen.is_empty() {
            held.reached.push(n);
        } else if reached > worst {
            held.surpassed = Some((n, reached, worst));
        } else if run.complete && run.unseen.is_empty() {
            held.missed.push((n, reached, worst));
        } else {
            held.open = true;
        }
    }
    Ok(held)
}

/// A policy with its trial at sizes beyond training.
pub(crate) struct Trial {
    pub(crate) policy: LearnedPolicy,
    /// Whether its validation was tried.
    pub(crate) tested: bool,
    /// Costs it reached, added up.
    pub(crate) cost: u64,
    pub(crate) complete: bool,
    pub(crate) paths: u64,
    /// What that took, in work units.
    pub(crate) work: u64,
}

impl Trial {
    /// Takes in what following the policy at some sizes came to; whether more work could have led further.
    fn take(&mut self, runs: impl Iterator<Item = Result<Guided, Error>>) -> Result<bool, Error> {
        let mut was_cut = false;
        (self.cost, self.complete, self.paths, self.work) = (0, true, 0, 0);
        for run in runs {
            let outcome = run?.outcome;
            self.cost += outcome.worst_cost().unwrap_or(0);
            self.complete &= outcome.complete;
            self.paths += outcome.paths;
            self.work += outcome.work;
            was_cut |= outcome.cut_by == Some(Cut::Work);
        }
        Ok(was_cut)
    }

    /// The better, the less.
    fn order(&self) -> impl Ord + use<> {
        let reached = (self.cost, self.policy.validated, self.complete);
        (std::cmp::Reverse(reached), self.paths, self.work)
    }
}

/// How many policies of one kind are tried, and how many of all are kept.
const TRIED_PER_KIND: usize = 8;
const KEPT: usize = 4;

/// How many branch policies are tried that small sizes cannot tell from the first.
const TIED_TRIED: usize = 3;

/// Where policies are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Sizes at which they are compared.
    pub(crate) probes: &'a [u64],
    /// What comparing them may take.
    pub(crate) work: u64,
    /// Exact sizes beyond training with their worst costs, and what one run there may take.
    pub(crate) proven: (&'a [(u64, u64)], u64),
}

/// Learns by each of the ways, tries each at the sizes of `probes`, and puts the best first: by the
/// cost it reaches there, then by how far it can be trusted, then by the paths it leaves and the work
/// they are.
pub(crate) fn rank(
    target: &Target,
    kinds: &[PolicyKind],
    sizes: &[TrainedSize],
    known: Known<'_>,
    budget: &Budget,
) -> Result<Vec<Trial>, Error> {
    let Known { probes, work, proven } = known;
    let mut trials: Vec<(PolicyKind, Trial)> = Vec::new();
    for (kind, policy, trained_on) in proposals(kinds, sizes, &budget.deadline) {
        if trials.iter().any(|(_, t)| t.policy.policy == policy) {
            continue;
        }
        let trial = Trial {
            policy: LearnedPolicy {
                policy,
                trained_on,
                validated_on: Vec::new(),
                validated: false,
                staged: false,
                why: String::new(),
            },
            tested: false,
            cost: 0,
            complete: true,
            paths: 0,
            work: 0,
        };
        trials.push((kind, trial));
    }
    try_in_rounds(target, trials.iter_mut().map(|(_, trial)| trial), probes, (budget, work))?;
    trials.sort_by_key(|(_, t)| t.order());
    let mut trials = one_of_each_kind(trials);
    let rest = trials.split_off(KEPT.min(trials.len()));
    let most = trials.iter().map(|(_, t)| t.cost).max();
    let ways: Vec<PolicyKind> = trials.iter().map(|(kind, _)| *kind).collect();
    let mut validations = Validations::new(target, &ways, sizes, budget);
    for (_, trial) in &mut trials {
        let (validated_on, validated) = validations.next()?;
        trial.policy.validated_on = validated_on;
        trial.policy.validated = validated;
        trial.tested = true;
        // Those behind it are no better, validated or not, unless it falls short of what is proven.
        if validated && Some(trial.cost) == most {
            let (proven, work) = proven;
            let budget = Budget { work: Some(work), ..budget.clone() };
            if hold_against(target, &trial.policy, proven, &budget)?.missed.is_empty() {
                break;
            }
        }
    }
    let mut trials: Vec<Trial> = trials.into_iter().map(|(_, t)| t).collect();
    trials.sort_by_key(Trial::order);
    let others: Vec<&Trial> = trials.iter().chain(rest.iter().map(|(_, t)| t)).collect();
    let why = why(&others, probes);
    trials.iter_mut().for_each(|trial| trial.policy.why.clone_from(&why));
    Ok(trials)
}

/// Tries every policy at the probes: with little work first, and those that did not come to their end again with twice
/// as much, up to what one try may take, for as long as a whole round of them fits into what there is for all. So none
/// is behind another for having come later.
fn try_in_rounds<'a>(
    target: &Target,
    trials: impl Iterator<Item = &'a mut Trial>,
    probes: &[u64],
    (budget, all): (&Budget, u64),
) -> Result<(), Error> {
    let mut open: Vec<&mut Trial> = trials.collect();
    let most = budget.work.unwrap_or(u64::MAX);
    let runs = |trials: usize| (trials * probes.len()).max(1) as u64;
    let mut left = all;
    let mut work = (all / 4 / runs(open.len())).clamp(1, most);
    loop {
        let budget = Budget { work: Some(work), ..budget.clone() };
        let mut cut = Vec::new();
        let guides: Vec<_> = open.iter().map(|trial| trial.policy.guide()).collect();
        let mut ran = target.each(open.len() * probes.len(), |i| {
            let (guide, probe) = (&guides[i / probes.len()], probes[i % probes.len()]);
            guided(target, probe, &**guide, budget.clone())
        });
        let mut ran = ran.drain(..);
        for trial in open {
            let was_cut = trial.take(ran.by_ref().take(probes.len()))?;
            left = left.saturating_sub(trial.work);
            if was_cut {
                cut.push(trial);
            }
        }
        open = cut;
        let next = work.saturating_mul(2).min(most);
        if open.is_empty() || next == work || next.saturating_mul(runs(open.len())) > left {
            return Ok(());
        }
        work = next;
    }
}

/// Tries policies again, at other sizes, and puts the best first.
pub(crate) fn rank_again(
    target: &Target,
    trials: &mut [Trial],
    probes: &[u64],
    budget: (&Budget, u64),
) -> Result<(), Error> {
    try_in_rounds(target, trials.iter_mut(), probes, budget)?;
    trials.sort_by_key(Trial::order);
    let why = why(&trials.iter().collect::<Vec<_>>(), probes);
    for trial in trials {
        // What came after the reason, on branches that were learned later, still holds.
        let notes = trial.policy.why.split_once(". ").map(|(_, notes)| format!(" {notes}"));
        trial.policy.why = format!("{why}{}", notes.unwrap_or_default());
    }
    Ok(())
}

/// The first of each kind, then the others.
fn one_of_each_kind(trials: Vec<(PolicyKind, Trial)>) -> Vec<(PolicyKind, Trial)> {
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    let (mut first, others): (Vec<_>, Vec<_>) =
        trials.into_iter().partition(|(_, t)| kinds.insert(t.policy.kind()));
    first.extend(others);
    first
}

/// Every policy worth trying, with how it was learned and from which sizes.
fn proposals(
    kinds: &[PolicyKind],
    sizes: &[TrainedSize],
    deadline: &Deadline,
) -> Vec<(PolicyKind, SavedPolicy, Vec<u64>)> {
    let all: Vec<u64> = sizes.iter().map(|s| s.n).collect();
    let known = sizes.iter().filter(|size| size.worst.best().is_some());
    let worst: Vec<(u64, &WorstPaths)> = known.map(|s| (s.n, &s.worst)).collect();
    let mut proposals = Vec::new();
    for &kind in kinds {
        if deadline.is_over() {
            break;
        }
        if let Some(policy) = learn(kind, sizes, deadline) {
            proposals.push((kind, policy, all.clone()));
        }
        if kind == PolicyKind::Wise {
            let summaries: Vec<_> = sizes.iter().map(|s| s.summary.clone()).collect();
            let tied = tied_generators(&summaries, TIED_TRIED, &until(deadline)).into_iter();
            proposals.extend(tied.map(|generator| {
                let Generator { policy, seen, .. } = generator;
                (kind, SavedPolicy::Wise { policy, seen }, all.clone())
            }));
        }
        // Sizes may contradict each other; then one of them is right about larger ones.
        if let PolicyKind::History(options) = kind {
            let found = candidate_policies(&worst, &[options]).into_iter().take(TRIED_PER_KIND);
            proposals.extend(found.map(|candidate| {
                let alone = candidate.sizes.start() == candidate.sizes.end();
                let kind = if alone { PolicyKind::LastSize(options) } else { kind };
                let from = all.iter().copied().filter(|n| candidate.sizes.contains(n)).collect();
                let met = sizes.iter().flat_map(|size| size.summary.sites()).copied();
                (kind, SavedPolicy::History(candidate.policy.with_seen(met)), from)
            }));
        }
    }
    proposals
}

/// Which policy was chosen and why, in one sentence. It comes first.
fn why(trials: &[&Trial], probes: &[u64]) -> String {
    let Some((best, others)) = trials.split_first() else { return String::new() };
    let kind = best.policy.kind();
    let sizes: Vec<String> = probes.iter().map(ToString::to_string).collect();
    let sizes = sizes.join(" and ");
    // The best of each other kind, in the order of how well they did.
    let mut rivals: Vec<&Trial> = Vec::new();
    for other in others {
        let name = other.policy.kind();
        if name != kind && rivals.iter().all(|r| r.policy.kind() != name) {
            rivals.push(other);
        }
    }
    let Some(next) = rivals.first() else {
        return format!("{kind} was the only policy to try.");
    };
    let next_kind = next.policy.kind();
    if best.cost > next.cost {
        return format!(
            "Chosen: {kind}, with a cost of {} at n = {sizes} together; {next_kind}, the next best, reached {}.",
            best.cost, next.cost
        );
    }
    let equals: Vec<&&Trial> = rivals.iter().filter(|r| r.cost == best.cost).collect();
    let reason = if best.policy.validated && equals.iter().all(|r| r.tested && !r.policy.validated)
    {
        "the only validated one"
    } else if equals.iter().all(|r| r.paths == best.paths) {
        "the simplest"
    } else if equals.iter().all(|r| r.paths >= best.paths) {
        "the one with the fewest paths to follow"
    } else {
        "the most to be trusted"
    };
    let all = equals.len() + 1;
    format!("Chosen: {kind}, {reason} of {all} policies that reached the same cost at n = {sizes}.")
}

/// Training sizes at which a policy falls short of the exhaustive worst cost, with both costs.
pub(crate) fn shortfalls(
    target: &Target,
    policy: &LearnedPolicy,
    sizes: &[TrainedSize],
    budget: &Budget,
) -> Result<Vec<(u64, u64, u64)>, Error> {
    let mut short = Vec::new();
    let known: Vec<(&TrainedSize, u64)> =
        sizes.iter().filter_map(|size| Some((size, size.worst_cost()?))).collect();
    let runs = target.each(known.len(), |i| {
        let (size, guide) = (known[i].0, policy.guide());
        guided_on(target, size.n, &*guide, no_more_paths(size, budget), target.workers())
    });
    for ((size, worst), run) in known.into_iter().zip(runs) {
        let run = run?;
        let reached = run.outcome.worst_cost().unwrap_or(0);
        // A run that was stopped tells nothing of the policy.
        let stopped = run.outcome.cut_by.is_some_and(|cut| cut != Cut::Paths);
        if reached < worst && !stopped {
            short.push((size.n, reached, worst));
        }
    }
    Ok(short)
}

/// Learns what to do at sites that training had not met, at the first size that meets them: they
/// are explored freely there, and with a preference for each side in turn or for both by turns,
/// everything else as the policy says.
pub(crate) fn learn_stage(
    target: &Target,
    n: u64,
    base: &LearnedPolicy,
    budget: &Budget,
    allowance: &mut Allowance,
) -> Result<Option<LearnedPolicy>, Error> {
    let free = walk(target, n, &base.guide(), within(budget, allowance), 1)?;
    allowance.spend(free.outcome.work);
    let new: Vec<SiteId> = free.outcome.unseen.iter().copied().collect();
    if new.is_empty() {
        return Ok(None);
    }
    // With few new sites every combination of preferences is one short run. What a simple preference
    // reaches is better learned from than what many paths happened to contain.
    let mut best: Option<(u64, Vec<Decision>)> = None;
    let preferences: &[SidePreference] = match new.len() {
        0..=4 => &[SidePreference::Side(0), SidePreference::Side(1), SidePreference::Alternate],
        5..=6 => &[SidePreference::Side(0), SidePreference::Side(1)],
        _ => &[],
    };
    let combinations = preferences.len().pow(new.len() as u32);
    let mut ahead = Ahead::new(target, combinations, |mut number, budget| {
        let of_site = new.iter().map(|site| {
            let preference = preferences[number % preferences.len()];
            number /= preferences.len();
            (*site, preference)
        });
        let guide = Preferring { base: base.guide(), preferences: of_site.collect() };
        walk(target, n, &guide, Options { budget, ..Options::default() }, 1)
    });
    for _ in 0..combinations {
        if allowance.is_spent() {
            break;
        }
        let limited = Budget { paths: Some(50), work: Some(allowance.next()), ..budget.clone() };
        let run = ahead.next(&limited)?;
        allowance.spend(run.outcome.work);
        if let Some((cost, path)) = best_path(&run)
            && best.as_ref().is_none_or(|(most, _)| cost > *most)
        {
            best = Some((cost, path));
        }
    }
    if let Some((cost, path)) = best_path(&free)
        && best.as_ref().is_none_or(|(most, _)| cost > *most)
    {
        best = Some((cost, path));
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
            let options =
                HistoryOptions { all: policy.history_all(), ..HistoryOptions::new(policy.limit()) };
            let learned = HistoryPolicy::learn([path.as_slice()], options);
            // The counts of the sizes before still hold of the sites that were known then.
            match policy.unify(&learned) {
                Ok(unified) => {
                    let unified = unified.with_counts(policy.counts().clone());
                    SavedPolicy::History(unified.with_seen(new.iter().copied()))
                }
                Err(_) => return Ok(None),
            }
        }
    };
    let why = met_later(&base.why, new.len(), n);
    Ok(Some(LearnedPolicy { policy, staged: true, validated: false, why, ..base.clone() }))
}

/// Says that so many branches were first met at a size, in one sentence for all sizes.
fn met_later(why: &str, branches: usize, n: u64) -> String {
    const MET: &str = " first met beyond training, at n = ";
    const LEARNED: &str = ": learned there.";
    let before = why.strip_suffix(LEARNED).and_then(|text| text.rsplit_once(MET));
    let (head, branches, mut sizes) = match before {
        None => (why, branches, Vec::new()),
        Some((text, sizes)) => {
            let mut words = text.rsplitn(3, ' ').skip(1);
            let met = words.next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
            (words.next().unwrap_or(""), met + branches, sizes.split(", ").collect())
        }
    };
    let n = n.to_string();
    sizes.push(&n);
    // The first and the last say enough.
    if sizes.len() > 4 {
        sizes.splice(2..sizes.len() - 1, ["…"]);
    }
    let word = if branches == 1 { "branch" } else { "branches" };
    format!("{head} {branches} {word}{MET}{}{LEARNED}", sizes.join(", "))
}

fn within(budget: &Budget, allowance: &Allowance) -> Options {
    let budget = Budget { work: Some(allowance.next()), ..budget.clone() };
    Options { budget, ..Options::default() }
}

fn best_path(walk: &Walk) -> Option<(u64, Vec<Decision>)> {
    let cost = walk.outcome.worst_cost()?;
    let path = walk.worst.best()?;
    Some((cost, path.to_vec()))
}

/// A policy that also has preferences at some new sites.
struct Preferring {
    base: Box<dyn Guide + Send + Sync>,
    preferences: BTreeMap<SiteId, SidePreference>,
}

impl Guide for Preferring {
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], prev: u32) -> Advice {
        match self.preferences.get(&site) {
            None => self.base.advise(site, arms, path, prev),
            Some(side) => Advice::Only(ChoiceSet::only(side.choose(site, arms, path))),
        }
    }

    fn reads(&self) -> Reads {
        self.base.reads()
    }

    fn knows_site(&self, site: SiteId) -> bool {
        self.preferences.contains_key(&site) || self.base.knows_site(site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_met_later_are_one_sentence() {
        let said = (1..=6).fold("Chosen.".to_owned(), |why, i| met_later(&why, 1, 10 * i));
        let sentence = "6 branches first met beyond training, at n = 10, 20, …, 60: learned there.";
        assert_eq!(said, format!("Chosen. {sentence}"));
    }
    use crate::program::Program;
    use crate::train::{Lesson, train_size};
    use pessimum_entry::CostModel;

    /// A policy is held against sizes whose worst cost is known for sure, and no others.
    #[test]
    fn sizes_that_are_not_exact_validate_nothing() {
        let bytes = include_bytes!("../../pessimum/examples/insertion_sort.wasm").as_slice();
        let program = Program::new("insertion_sort", bytes).expect("the example is a module");
        let program = program.call("sort(&i32[n], n)").expect("it sorts");
        let target = Target::new(program, &CostModel::Conditionals).expect("it can be priced");
        let train = |n| {
            let lesson = Lesson { history_all: false, workers: 1, elsewhere: None };
            let trained = train_size(&target, n, lesson, Budget::default()).expect("it runs");
            trained.expect("small sizes are finished")
        };
        let mut sizes: Vec<TrainedSize> = (1..=5).map(train).collect();
        let validated = |sizes: &[TrainedSize]| {
            validate(&target, PolicyKind::Wise, sizes, &Budget::default()).expect("it runs")
        };
        let (on, enough) = validated(&sizes);
        assert!(enough && on.ends_with(&[4, 5]), "{on:?}");
        for size in &mut sizes {
            size.outcome.uncertain = true;
        }
        assert_eq!(validated(&sizes), (Vec::new(), false));
    }
}
