//! Finds relations between counts that hold at every training size.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::counter::FrequencyCounter;
use super::formula::Formula;
use crate::decision::{Branch, Decision, SiteId};

/// Something that holds of the open decisions on the worst path of every training size.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// These branches together are taken as often as the formula says.
    Sum {
        /// One branch, or several that only together follow a formula.
        branches: Vec<Branch>,
        /// Their number as a function of the size.
        formula: Formula,
        /// The least size of which that is known: the smallest may be too small to show it.
        from: u64,
    },
    /// One branch is taken so many times more than another, at every size.
    Difference {
        /// The branch taken more often, or as often.
        more: Branch,
        /// The other branch.
        less: Branch,
        /// How many times more.
        by: i64,
    },
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sum { branches, formula, .. } => {
                for (i, branch) in branches.iter().enumerate() {
                    let plus = if i == 0 { "" } else { " + " };
                    write!(f, "{plus}count({branch})")?;
                }
                write!(f, " = {formula}")
            }
            Self::Difference { more, less, by: 0 } => {
                write!(f, "count({more}) = count({less})")
            }
            Self::Difference { more, less, by } => {
                write!(f, "count({more}) = count({less}) + {by}")
            }
        }
    }
}

/// What is invariant in how often worst paths make their open decisions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FrequencyInvariants {
    relations: Vec<Relation>,
}

impl FrequencyInvariants {
    /// Learns from one worst path per size, ascending.
    ///
    /// A branch that no formula fits alone is tried with the others of its site and with one
    /// branch elsewhere; differences are looked for among the rest. What follows from a formula
    /// already found is not repeated.
    pub fn learn<'a>(worst: impl IntoIterator<Item = (u64, &'a [Decision])>) -> Self {
        let mut counts = BTreeMap::<Branch, Vec<u64>>::new();
        let mut sizes = Vec::new();
        for (n, path) in worst {
            for decision in path.iter().filter(|d| d.openness.is_open()) {
                let counts = counts.entry(decision.branch()).or_default();
                counts.resize(sizes.len() + 1, 0);
                counts[sizes.len()] += 1;
            }
            sizes.push(n);
        }
        counts.values_mut().for_each(|c| c.resize(sizes.len(), 0));
        let table = Table { sizes, counts };

        let (mut relations, rest) = table.single();
        let (sums, rest) = table.sites(rest);
        relations.extend(sums);
        let (sums, rest) = table.pairs(rest);
        relations.extend(sums);
        relations.extend(table.differences(&rest));
        relations.sort();
        Self { relations }
    }

    /// What was found elsewhere, in a file say.
    pub fn from_relations(relations: Vec<Relation>) -> Self {
        Self { relations }
    }

    /// The relations that both have.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let both = self.relations.iter().filter(|r| other.relations.contains(r));
        let mut relations: Vec<Relation> = both.cloned().collect();
        relations.sort();
        relations.dedup();
        Self { relations }
    }

    /// The relations found.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Every branch that some relation speaks of.
    pub fn branches(&self) -> impl Iterator<Item = Branch> + '_ {
        self.relations.iter().flat_map(|relation| match relation {
            Relation::Sum { branches, .. } => branches.clone(),
            Relation::Difference { more, less, .. } => vec![*more, *less],
        })
    }

    /// True when nothing was found: no path would ever be pruned.
    pub fn is_empty(&self) -> bool {
        self.relations.is_empty()
    }

    /// A counter for the exploration of size `n`; `None` where some relation gives no count at that
    /// size, since those that are left do not describe a path.
    pub fn counter(&self, n: u64) -> Option<FrequencyCounter> {
        FrequencyCounter::new(self, n)
    }
}

/// Where fewer sizes than that are left, none is left out to find a formula.
const LEAST_SIZES: usize = 6;

struct Table {
    sizes: Vec<u64>,
    counts: BTreeMap<Branch, Vec<u64>>,
}

impl Table {
    /// Pairs of branches are tried only for so many, since there are so many more of them.
    const MOST_PAIRED: usize = 64;

    fn fit(&self, branches: Vec<Branch>) -> Option<Relation> {
        let sum = |i: usize| branches.iter().map(|b| self.counts[b][i]).sum::<u64>();
        let points: Vec<(u64, u64)> = self.sizes.iter().copied().zip((0..).map(sum)).collect();
        // At least half of the sizes, and always some that only confirm.
        let most = points.len().saturating_sub(LEAST_SIZES.max(points.len() / 2));
        (0..=most).find_map(|left_out| {
            let points = &points[left_out..];
            let formula = Formula::through(points)?;
            Some(Relation::Sum { branches: branches.clone(), formula, from: points[0].0 })
        })
    }

    /// Branches with a formula of their own, and the rest.
    fn single(&self) -> (Vec<Relation>, BTreeSet<Branch>) {
        let mut rest = BTreeSet::new();
        let mut found = Vec::new();
        for &branch in self.counts.keys() {
            match self.fit(vec![branch]) {
                Some(relation) => found.push(relation),
                None => {
                    rest.insert(branch);
                }
            }
        }
        (found, rest)
    }

    /// All remaining branches of a site together.
    fn sites(&self, mut rest: BTreeSet<Branch>) -> (Vec<Relation>, BTreeSet<Branch>) {
        let sites: BTreeSet<SiteId> = rest.iter().map(|b| b.site).collect();
        let mut found = Vec::new();
        for site in sites {
            let sides: Vec<Branch> = rest.iter().copied().filter(|b| b.site == site).collect();
            if sides.len() > 1
                && let Some(relation) = self.fit(sides.clone())
            {
                found.push(relation);
                sides.iter().for_each(|side| {
                    rest.remove(side);
                });
            }
        }
        (found, rest)
    }

    /// Two remaining branches together, each branch in one pair at most.
    fn pairs(&self, rest: BTreeSet<Branch>) -> (Vec<Relation>, BTreeSet<Branch>) {
        let mut found = Vec::new();
        let mut unpaired = rest.clone();
        if rest.len() > Self::MOST_PAIRED {
            return (found, rest);
        }
        for &a in &rest {
            for &b in rest.range(a..).skip(1) {
                if unpaired.contains(&a)
                    && unpaired.contains(&b)
                    && let Some(relation) = self.fit(vec![a, b])
                {
                    found.push(relation);
                    unpaired.remove(&a);
                    unpaired.remove(&b);
                }
            }
        }
        (found, unpaired)
    }

    /// Constant differences: branches are grouped by how their counts grow, and each is related
    /// to the first of its group.
    fn differences(&self, rest: &BTreeSet<Branch>) -> Vec<Relation> {
        let mut first = BTreeMap::<Vec<i128>, Branch>::new();
        let mut found = Vec::new();
        if self.sizes.len() < 3 {
            return found;
        }
        for &branch in rest {
            let counts = &self.counts[&branch];
            let base = i128::from(counts[0]);
            let growth = counts.iter().map(|&c| i128::from(c) - base).collect();
            let Some(&other) = first.get(&growth) else {
                first.insert(growth, branch);
                continue;
            };
            let by = base - i128::from(self.counts[&other][0]);
            let (more, less) = if by < 0 { (other, branch) } else { (branch, other) };
            if let Ok(by) = i64::try_from(by.abs()) {
                found.push(Relation::Difference { more, less, by });
            }
        }
        found
    }
}
