//! What is remembered of the exploration of one size (section 5.3, "summarizing executions").

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

use super::policy::BranchPolicy;
use super::tracker::WiseTracker;
use crate::decision::{Cost, SiteId};

/// What is known about the paths that share a least policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// How many paths they are.
    pub count: u64,
    /// The greatest cost among them.
    pub cost: Cost,
    /// The least effort among those of the greatest cost; see
    /// [`WiseCollector::leaf_with_effort`].
    pub effort: u64,
}

impl Tally {
    /// Adds other paths of the same policy.
    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        if other.cost > self.cost {
            (self.cost, self.effort) = (other.cost, other.effort);
        } else if other.cost == self.cost {
            self.effort = self.effort.min(other.effort);
        }
    }
}

/// The summary of all paths of one size: `max_i` and `count_i` of the paper.
///
/// Summaries form a commutative monoid under [`merge`](Self::merge): however the computation
/// tree is divided among workers, the merged summary is the same, and so are its bytes when saved.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Repr", into = "Repr")]
pub struct WiseSummary {
    tallies: BTreeMap<BranchPolicy, Tally>,
    /// The sites of all policies: proposals ask for them again and again.
    sites: BTreeSet<SiteId>,
    leaves: u64,
    least_cost: Option<Cost>,
    max_cost: Option<Cost>,
}

impl WiseSummary {
    /// The summary of no paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// The summary of paths by their least policies. `least` is the least cost of all.
    pub fn of(
        tallies: impl IntoIterator<Item = (BranchPolicy, Tally)>,
        least: Option<Cost>,
    ) -> Self {
        let policies = tallies.into_iter().map(|(policy, tally)| ReprTally { policy, tally });
        Repr { least_cost: least, policies: policies.collect() }.into()
    }

    /// The number of paths summarised.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The worst cost; `None` when there is no path.
    pub fn max_cost(&self) -> Option<Cost> {
        self.max_cost
    }

    /// True when there are paths and all have the same cost: nothing can be learned then.
    pub fn cost_is_independent_of_input(&self) -> bool {
        self.max_cost.is_some() && self.max_cost == self.least_cost
    }

    /// `max_i`: the least policies of the worst paths, in their total order.
    pub fn worst_policies(&self) -> impl Iterator<Item = (&BranchPolicy, &Tally)> {
        let worst = self.max_cost;
        self.tallies.iter().filter(move |(_, tally)| Some(tally.cost) == worst)
    }

    /// `count_i`: every least policy with its tally, in the total order of policies.
    pub fn tallies(&self) -> impl ExactSizeIterator<Item = (&BranchPolicy, &Tally)> {
        self.tallies.iter()
    }

    /// How many of the paths a policy admits.
    pub fn paths_within(&self, policy: &BranchPolicy) -> u64 {
        self.tallies
            .iter()
            .filter(|(least, _)| least.is_within(policy))
            .fold(0, |sum: u64, (_, tally)| sum.saturating_add(tally.count))
    }

    /// Whether a policy admits a worst path.
    pub fn worst_is_within(&self, policy: &BranchPolicy) -> bool {
        self.worst_policies().any(|(least, _)| least.is_within(policy))
    }

    /// Every site that some path of this size met.
    pub fn sites(&self) -> &BTreeSet<SiteId> {
        &self.sites
    }

    /// Adds the paths of another part of the same size.
    pub fn merge(&mut self, other: &Self) {
        for (policy, &tally) in &other.tallies {
            self.note(policy.clone(), tally);
        }
        self.leaves = self.leaves.saturating_add(other.leaves);
        self.max_cost = self.max_cost.max(other.max_cost);
        self.least_cost = least(self.least_cost, other.least_cost);
    }

    fn note(&mut self, policy: BranchPolicy, tally: Tally) {
        match self.tallies.entry(policy) {
            Entry::Occupied(known) => known.into_mut().merge(tally),
            Entry::Vacant(new) => {
                self.sites.extend(new.key().levels().map(|(branch, _)| branch.site));
                new.insert(tally);
            }
        }
    }
}

fn least(a: Option<Cost>, b: Option<Cost>) -> Option<Cost> {
    a.into_iter().chain(b).min()
}

/// The saved form: a list, since JSON has no maps keyed by policies. Totals are computed from
/// it on loading, so a file cannot contradict itself.
#[derive(Serialize, Deserialize)]
struct Repr {
    least_cost: Option<Cost>,
    policies: Vec<ReprTally>,
}

#[derive(Serialize, Deserialize)]
struct ReprTally {
    policy: BranchPolicy,
    #[serde(flatten)]
    tally: Tally,
}

impl From<WiseSummary> for Repr {
    fn from(summary: WiseSummary) -> Self {
        Self {
            least_cost: summary.least_cost,
            policies: summary
                .tallies
                .into_iter()
                .map(|(policy, tally)| ReprTally { policy, tally })
                .collect(),
        }
    }
}

impl From<Repr> for WiseSummary {
    fn from(repr: Repr) -> Self {
        let mut summary = Self::new();
        for ReprTally { policy, tally } in repr.policies {
            summary.leaves = summary.leaves.saturating_add(tally.count);
            summary.max_cost = summary.max_cost.max(Some(tally.cost));
            summary.note(policy, tally);
        }
        summary.least_cost = match summary.max_cost {
            Some(max) => least(repr.least_cost, Some(max)),
            None => None,
        };
        summary
    }
}

/// Takes a note of each leaf of a walk, for one hash-map update each.
#[derive(Clone, Debug, Default)]
pub struct WiseCollector {
    tallies: HashMap<u128, Noted, BuildHasherDefault<AlreadyHashed>>,
    policies: Vec<BranchPolicy>,
    least_cost: Option<Cost>,
}

#[derive(Clone, Copy, Debug)]
struct Noted {
    tally: Tally,
    policy: usize,
}

impl WiseCollector {
    /// A collector that has seen no leaf.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that the path the tracker stands on ends here and costs this much.
    #[inline]
    pub fn leaf(&mut self, tracker: &WiseTracker, cost: Cost) {
        self.leaf_with_effort(tracker, cost, 0);
    }

    /// As [`leaf`](Self::leaf), with a measure of how hard the path was to follow (such as the
    /// number of its conditions that a fixed input does not meet). Among policies that are equally good
    /// otherwise, the generator prefers worst paths of little effort: a path that needs ever
    /// new values may run out of them at a larger size. The measure must depend on the path alone.
    #[inline]
    pub fn leaf_with_effort(&mut self, tracker: &WiseTracker, cost: Cost, effort: u64) {
        if self.least_cost.is_none_or(|least| cost < least) {
            self.least_cost = Some(cost);
        }
        let tally = Tally { count: 1, cost, effort };
        if let Some(noted) = self.tallies.get_mut(&tracker.hash()) {
            noted.tally.merge(tally);
        } else {
            let policy = self.policies.len();
            self.policies.push(tracker.policy());
            self.tallies.insert(tracker.hash(), Noted { tally, policy });
        }
    }

    /// The summary of the leaves noted so far.
    pub fn summary(&self) -> WiseSummary {
        let mut summary = WiseSummary::new();
        for noted in self.tallies.values() {
            summary.leaves = summary.leaves.saturating_add(noted.tally.count);
            summary.max_cost = summary.max_cost.max(Some(noted.tally.cost));
            summary.note(self.policies[noted.policy].clone(), noted.tally);
        }
        summary.least_cost = self.least_cost;
        summary
    }
}

/// The keys are hashes already; hashing them again would cost more than the rest of a leaf.
#[derive(Clone, Copy, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
}
