//! The history policy ρ(c, last h decisions in the same activation) and its unification.

use std::collections::{BTreeMap, BTreeSet};

use super::rank::Rank;
use super::trie::Trie;
use crate::choice_set::ChoiceSet;
use crate::decision::{Branch, Decision, SiteId};
use crate::frequency::{FrequencyCounter, FrequencyInvariants};
use crate::guide::{Advice, Guide, Reads};

/// How far back a policy looks. In ascending order of what the policy has to remember.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HistoryLimit {
    /// At most this many decisions; 0 is the memoryless policy.
    Fixed(u32),
    /// For each site the smallest number that resolves it, or, if none does, the smallest that
    /// resolves as much of it as can be.
    Adaptive,
    /// As far back as any training path went at the site: the height of its trie.
    Unlimited,
}

/// How a policy is learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryOptions {
    /// How far back the policy looks.
    pub limit: HistoryLimit,
    /// The paper's variant, whose histories contain forced decisions too. The links of the
    /// paths must then run over all decisions of the activation.
    pub all: bool,
    /// Histories are cut at this length whatever the limit says, because the space they need
    /// grows with the square of the longest.
    pub longest: u32,
}

impl HistoryOptions {
    /// Histories of open decisions within a limit.
    pub const fn new(limit: HistoryLimit) -> Self {
        Self { limit, all: false, longest: 256 }
    }

    fn cut(&self) -> u32 {
        match self.limit {
            HistoryLimit::Fixed(h) => h.min(self.longest),
            HistoryLimit::Adaptive | HistoryLimit::Unlimited => self.longest,
        }
    }
}

/// What was learned about one site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteHistory {
    /// The histories as they were seen.
    evidence: Trie,
    /// The evidence cut to the length in use.
    used: Trie,
    height: u32,
}

impl SiteHistory {
    fn new(evidence: Trie, limit: HistoryLimit) -> Self {
        let (used, height) = match limit {
            HistoryLimit::Fixed(h) => (evidence.truncated(h), h),
            HistoryLimit::Adaptive => {
                let h = evidence.enough();
                (evidence.truncated(h), h)
            }
            HistoryLimit::Unlimited => (evidence.clone(), evidence.height()),
        };
        Self { evidence, used, height }
    }

    /// The histories in use with the choices after them.
    pub fn trie(&self) -> &Trie {
        &self.used
    }

    /// How many decisions back the site looks.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether every history seen leads to one choice.
    pub fn is_deterministic(&self) -> bool {
        self.used.undecided() == 0
    }
}

/// Two policies that cannot be unified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnifyError {
    /// A history of open decisions and one of all decisions are different things.
    #[error("one policy's histories contain forced decisions, the other's do not")]
    DifferentHistories,
    /// A branch policy and a history policy say different things.
    #[error("the policies are of different kinds")]
    DifferentKinds,
}

/// A map from a site and the recent decisions of its activation to choices.
///
/// ```
/// use pessimum_learn::{
///     Advice, ChoiceSet, Decision, Guide, HistoryLimit, HistoryOptions, HistoryPolicy, Openness,
///     SiteId,
/// };
/// // A worst path that alternates: no side is always right, but the last decision tells.
/// let path: Vec<Decision> = (0..6)
///     .map(|i| Decision {
///         site: SiteId(0),
///         choice: i % 2,
///         arms: 2,
///         openness: Openness::Open,
///         prev: i,
///     })
///     .collect();
/// let options = HistoryOptions::new(HistoryLimit::Adaptive);
/// let policy = HistoryPolicy::learn([&path[..]], options);
/// let next = policy.advise(SiteId(0), 2, &path, 6);
/// assert_eq!(next, Advice::Only(ChoiceSet::only(0)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryPolicy {
    limit: HistoryLimit,
    all: bool,
    /// By site; `None` for a site without an open decision in training, never at the end.
    sites: Vec<Option<SiteHistory>>,
    /// How often decisions are made on a path, where that is known.
    counts: FrequencyInvariants,
    /// Sites met in training, worst paths or not: where nothing is advised at one, every side is followed.
    seen: BTreeSet<SiteId>,
}

impl HistoryPolicy {
    /// A policy that knows nothing: guided by it, exploration is exhaustive.
    pub fn empty(limit: HistoryLimit, all: bool) -> Self {
        Self::from_evidence(BTreeMap::new(), limit, all)
    }

    /// The policy of one or several paths (procedure 2 of the paper, with histories).
    ///
    /// Only open decisions are recorded, since forced ones are followed in any case.
    pub fn learn<'a>(
        paths: impl IntoIterator<Item = &'a [Decision]>,
        options: HistoryOptions,
    ) -> Self {
        let mut evidence = BTreeMap::<SiteId, Trie>::new();
        for path in paths {
            for decision in path.iter().filter(|d| d.openness.is_open()) {
                let history = history(path, decision.prev).take(options.cut() as usize);
                let trie = evidence.entry(decision.site).or_default();
                trie.insert(history, decision.choice);
            }
        }
        Self::from_evidence(evidence, options.limit, options.all)
    }

    /// The policy that sees what the tries have seen.
    pub fn from_evidence(evidence: BTreeMap<SiteId, Trie>, limit: HistoryLimit, all: bool) -> Self {
        let width = evidence.keys().next_back().map_or(0, |site| site.index() + 1);
        let mut sites = vec![None; width];
        for (site, trie) in evidence {
            sites[site.index()] = Some(SiteHistory::new(trie, limit));
        }
        let (counts, seen) = (FrequencyInvariants::default(), BTreeSet::new());
        Self { limit, all, sites, counts, seen }
    }

    /// The policy with what is known of how often paths make their decisions: a path that it leaves
    /// several sides is held to that.
    #[must_use]
    pub fn with_counts(self, counts: FrequencyInvariants) -> Self {
        Self { counts, ..self }
    }

    /// The policy with more sites that were met in training.
    #[must_use]
    pub fn with_seen(mut self, sites: impl IntoIterator<Item = SiteId>) -> Self {
        let unadvised: Vec<SiteId> =
            sites.into_iter().filter(|site| self.site(*site).is_none()).collect();
        self.seen.extend(unadvised);
        self
    }

    /// The sites that are known to have been met in training, beside those that something is advised at.
    pub fn seen(&self) -> impl Iterator<Item = SiteId> {
        self.seen.iter().copied()
    }

    /// How often decisions are made.
    pub fn counts(&self) -> &FrequencyInvariants {
        &self.counts
    }

    /// How far back the policy looks.
    pub fn limit(&self) -> HistoryLimit {
        self.limit
    }

    /// Whether histories contain forced decisions.
    pub fn history_all(&self) -> bool {
        self.all
    }

    /// What is known about each site.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &SiteHistory)> {
        (0..).zip(&self.sites).filter_map(|(site, history)| Some((SiteId(site), history.as_ref()?)))
    }

    /// What is known about one site.
    #[inline]
    pub fn site(&self, site: SiteId) -> Option<&SiteHistory> {
        self.sites.get(site.index())?.as_ref()
    }

    /// The histories as seen, before any limit was applied that can still be changed.
    pub fn evidence(&self) -> impl Iterator<Item = (SiteId, &Trie)> {
        self.sites().map(|(site, history)| (site, &history.evidence))
    }

    /// The choices at a site after a history, most recent decision first. Only as much of the
    /// history as the site looks at is read.
    pub fn choices(
        &self,
        site: SiteId,
        history: impl IntoIterator<Item = Branch>,
    ) -> Option<&ChoiceSet> {
        let known = self.site(site)?;
        known.used.get(history.into_iter().take(known.height as usize))
    }

    /// Everything either policy has seen. Of two limits the lesser holds, because what it forgot
    /// cannot be brought back; so unification is commutative, associative and idempotent. Of the
    /// counts those remain that both know.
    pub fn unify(&self, other: &Self) -> Result<Self, UnifyError> {
        if self.all != other.all {
            return Err(UnifyError::DifferentHistories);
        }
        let limit = self.limit.min(other.limit);
        let mut evidence = BTreeMap::<SiteId, Trie>::new();
        for (site, trie) in self.evidence().chain(other.evidence()) {
            evidence.entry(site).or_default().union_with(trie);
        }
        if let HistoryLimit::Fixed(h) = limit {
            for trie in evidence.values_mut() {
                *trie = trie.truncated(h);
            }
        }
        let counts = self.counts.common(&other.counts);
        let unified = Self::from_evidence(evidence, limit, self.all).with_counts(counts);
        Ok(unified.with_seen(self.seen().chain(other.seen())))
    }

    /// The same evidence under another limit; a limit beyond what was remembered changes nothing
    /// but the name.
    #[must_use]
    pub fn with_limit(&self, limit: HistoryLimit) -> Self {
        let cut = |trie: &Trie| match limit {
            HistoryLimit::Fixed(h) => trie.truncated(h),
            HistoryLimit::Adaptive | HistoryLimit::Unlimited => trie.clone(),
        };
        let evidence = self.evidence().map(|(site, trie)| (site, cut(trie)));
        let limited = Self::from_evidence(evidence.collect(), limit, self.all);
        limited.with_counts(self.counts.clone()).with_seen(self.seen())
    }

    /// Whether guided exploration will meet one path as long as it meets nothing unseen.
    pub fn is_deterministic(&self) -> bool {
        self.sites().all(|(_, site)| site.is_deterministic())
    }

    /// κ: how much the policy resolves.
    pub fn rank(&self) -> Rank {
        self.sites().fold(Rank::default(), |rank, (_, site)| {
            rank.plus_site(site.used.len(), site.used.undecided())
        })
    }
}

impl Guide for HistoryPolicy {
    #[inline]
    fn advise(&self, site: SiteId, _: u32, path: &[Decision], prev: u32) -> Advice {
        match self.choices(site, history(path, prev)) {
            Some(choices) => Advice::Only(choices.clone()),
            None => Advice::Unseen,
        }
    }

    /// Histories of open decisions cannot be read off a path that does not tell which they are.
    fn reads(&self) -> Reads {
        match self.sites().any(|(_, site)| site.height > 0) {
            false => Reads::Nothing,
            true if self.all => Reads::AllDecisions,
            true => Reads::OpenDecisions,
        }
    }

    fn counter(&self, n: u64) -> Option<FrequencyCounter> {
        if self.counts.is_empty() { None } else { self.counts.counter(n) }
    }

    fn knows_site(&self, site: SiteId) -> bool {
        self.site(site).is_some() || self.seen.contains(&site)
    }
}

/// The branches along the links of a path from `prev` on, most recent first. Links that do not
/// lead strictly back end the history instead of looping.
pub(super) fn history(path: &[Decision], prev: u32) -> impl Iterator<Item = Branch> + '_ {
    let mut next = prev;
    std::iter::from_fn(move || {
        let at = next.checked_sub(1)?;
        let decision = path.get(at as usize)?;
        next = if decision.prev <= at { decision.prev } else { 0 };
        Some(decision.branch())
    })
}
