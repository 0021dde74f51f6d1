//! The three-valued branch policy and its lattice (section 5.1 of the WISE paper).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decision::{Branch, Decision, Openness, SiteId};

/// When a branch may be taken.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub enum Level {
    /// 0: no path that the policy was learned from took it.
    #[default]
    #[serde(rename = "0")]
    Never,
    /// 1/2: only where nothing else is feasible.
    #[serde(rename = "1/2")]
    IfForced,
    /// 1: whenever it is feasible.
    #[serde(rename = "1")]
    Always,
}

impl Level {
    /// The least level at which a decision of this openness conforms.
    #[inline]
    pub fn needed_by(openness: Openness) -> Self {
        match openness {
            Openness::Forced => Self::IfForced,
            Openness::Open | Openness::Unknown => Self::Always,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "0",
            Self::IfForced => "1/2",
            Self::Always => "1",
        })
    }
}

/// A map from branches to [`Level`]s; a branch that is not mentioned is at [`Level::Never`].
///
/// The order that matters to learning is the partial one of [`BranchPolicy::is_within`]. `Ord`
/// is only some total order that makes sets of policies print and break ties the same way
/// everywhere.
///
/// ```
/// use pessimum_learn::{Branch, BranchPolicy, Level, SiteId};
/// let on = |choice, level| (Branch { site: SiteId(0), choice }, level);
/// let a: BranchPolicy = [on(0, Level::IfForced), on(1, Level::Always)].into_iter().collect();
/// let b: BranchPolicy = [on(0, Level::Always)].into_iter().collect();
/// assert!(!a.is_within(&b) && !b.is_within(&a));
/// assert!(a.is_within(&a.join(&b)) && b.is_within(&a.join(&b)));
/// assert_eq!(a.to_string(), "#0/0: 1/2, #0/1: 1");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(Branch, Level)>", into = "Vec<(Branch, Level)>")]
pub struct BranchPolicy {
    /// Sorted by branch, without duplicates and without `Never`: equal policies are equal bytes.
    levels: Vec<(Branch, Level)>,
}

impl BranchPolicy {
    /// The policy ⊥ that allows no branch.
    pub fn bottom() -> Self {
        Self::default()
    }

    /// The level of a branch.
    pub fn level(&self, branch: Branch) -> Level {
        match self.levels.binary_search_by_key(&branch, |&(b, _)| b) {
            Ok(at) => self.levels[at].1,
            Err(_) => Level::Never,
        }
    }

    /// The branches above [`Level::Never`], in order.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = (Branch, Level)> + '_ {
        self.levels.iter().copied()
    }

    /// The branches of one site that are above [`Level::Never`], in order of choice.
    pub fn levels_at(&self, site: SiteId) -> impl Iterator<Item = (u32, Level)> + '_ {
        let from = self.levels.partition_point(|(b, _)| b.site < site);
        self.levels[from..]
            .iter()
            .take_while(move |(b, _)| b.site == site)
            .map(|&(b, level)| (b.choice, level))
    }

    /// The sites of which some branch is above [`Level::Never`].
    pub fn sites(&self) -> BTreeSet<SiteId> {
        self.levels.iter().map(|(b, _)| b.site).collect()
    }

    /// How far the policy stands above ⊥: one for each 1/2, two for each 1.
    pub fn raised(&self) -> u64 {
        self.levels.iter().map(|&(_, level)| level as u64).sum()
    }

    /// The partial order of the paper: whether `other` admits every path this policy admits.
    pub fn is_within(&self, other: &Self) -> bool {
        let mut theirs = other.levels.iter().peekable();
        self.levels.iter().all(|&(branch, level)| {
            while theirs.next_if(|(b, _)| *b < branch).is_some() {}
            matches!(theirs.peek(), Some(&&(b, l)) if b == branch && l >= level)
        })
    }

    /// Compares in the partial order; `None` when neither policy is within the other.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self.is_within(other), other.is_within(self)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
        }
    }

    /// The least policy that both policies are within.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        self.levels().chain(other.levels()).collect()
    }

    /// Whether a path conforms in the paper's sense, where even a forced branch must not be at
    /// [`Level::Never`]. (The explorer's [`Guide`](crate::Guide) is more lenient: it follows
    /// every forced branch.)
    pub fn admits(&self, path: &[Decision]) -> bool {
        path.iter().all(|d| self.level(d.branch()) >= Level::needed_by(d.openness))
    }
}

/// Where a branch is named twice the higher level counts.
impl FromIterator<(Branch, Level)> for BranchPolicy {
    fn from_iter<I: IntoIterator<Item = (Branch, Level)>>(levels: I) -> Self {
        let mut least = BTreeMap::<Branch, Level>::new();
        for (branch, level) in levels {
            if level > Level::Never {
                let known = least.entry(branch).or_default();
                *known = level.max(*known);
            }
        }
        Self { levels: least.into_iter().collect() }
    }
}

impl From<Vec<(Branch, Level)>> for BranchPolicy {
    fn from(levels: Vec<(Branch, Level)>) -> Self {
        levels.into_iter().collect()
    }
}

impl From<BranchPolicy> for Vec<(Branch, Level)> {
    fn from(policy: BranchPolicy) -> Self {
        policy.levels
    }
}

impl fmt::Display for BranchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (branch, level)) in self.levels.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{branch}: {level}")?;
        }
        Ok(())
    }
}

/// The least policy that admits a path.
///
/// It is 0 on a branch the path never takes, 1/2 where the path took it only when forced, and 1
/// where the path took it at least once although another side was feasible. This is the plain
/// version; [`WiseTracker`](super::WiseTracker) computes the same along a depth-first walk.
pub fn least_policy(path: &[Decision]) -> BranchPolicy {
    path.iter().map(|d| (d.branch(), Level::needed_by(d.openness))).collect()
}
