//! The worst paths of a size, as many as are worth keeping.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

use crate::decision::{Cost, Decision};
use crate::history::{PathRanker, Rank};

/// Collects the decision strings of the costliest paths.
///
/// Ties are broken by rank, then by the lexicographically least string of decisions; the best of
/// them are kept and all are counted. What is kept depends on which paths were shown, not on
/// their order, so parts explored apart can be merged.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Repr", into = "Repr")]
pub struct WorstPaths {
    keep: usize,
    /// The history lengths that paths are ranked by, in order of weight.
    lengths: Vec<u32>,
    ranker: PathRanker,
    cost: Option<Cost>,
    tied: u64,
    /// Best first.
    kept: Vec<WorstPath>,
}

/// A path of the greatest cost seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorstPath {
    ranks: Vec<Rank>,
    path: Vec<Decision>,
}

impl WorstPath {
    /// The decisions from the first to the last.
    pub fn decisions(&self) -> &[Decision] {
        &self.path
    }

    /// The rank for each history length asked for.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// Better paths are less.
    fn compare(&self, other: &Self) -> Ordering {
        (other.ranks.cmp(&self.ranks)).then_with(|| compare_strings(&self.path, &other.path))
    }
}

impl Default for WorstPaths {
    /// Keeps 64 paths, ranked as memoryless policies first and then with short histories: where
    /// no path is resolved without memory, as in a merge, the shortest history decides.
    fn default() -> Self {
        Self::new(64, &[0, 1, 2])
    }
}

impl WorstPaths {
    /// Keeps up to `keep` paths, ranked by the policies with these history lengths in turn.
    pub fn new(keep: usize, lengths: &[u32]) -> Self {
        Self {
            keep: keep.max(1),
            lengths: lengths.to_vec(),
            ranker: PathRanker::new(),
            cost: None,
            tied: 0,
            kept: Vec::new(),
        }
    }

    /// Takes note of a path that ended.
    #[inline]
    pub fn leaf(&mut self, cost: Cost, path: &[Decision]) {
        if Some(cost) < self.cost {
            return;
        }
        self.worst_leaf(cost, path);
    }

    fn worst_leaf(&mut self, cost: Cost, path: &[Decision]) {
        if Some(cost) > self.cost {
            self.cost = Some(cost);
            self.tied = 0;
            self.kept.clear();
        }
        self.tied = self.tied.saturating_add(1);
        if let Some(candidate) = self.candidate(path) {
            self.insert(candidate);
        }
    }

    /// The path with its ranks, unless it is no better than the last of a full list. Ranks cost
    /// more the more history they look at, so they are computed one by one.
    fn candidate(&mut self, path: &[Decision]) -> Option<WorstPath> {
        let full = self.kept.len() >= self.keep;
        let mut rival = self.kept.last().filter(|_| full);
        let mut ranks = Vec::with_capacity(self.lengths.len());
        for (i, &h) in self.lengths.iter().enumerate() {
            let rank = self.ranker.rank(path, h);
            ranks.push(rank);
            match rival.map(|last| rank.cmp(&last.ranks[i])) {
                Some(Ordering::Less) => return None,
                Some(Ordering::Greater) => rival = None,
                Some(Ordering::Equal) | None => {}
            }
        }
        let beaten = rival.is_some_and(|last| compare_strings(path, &last.path).is_ge());
        (!beaten).then(|| WorstPath { ranks, path: path.to_vec() })
    }

    fn insert(&mut self, candidate: WorstPath) {
        if let Err(at) = self.kept.binary_search_by(|known| known.compare(&candidate)) {
            self.kept.insert(at, candidate);
            self.kept.truncate(self.keep);
        }
    }

    /// Adds what another collector saw. Both must have been made with the same arguments.
    pub fn merge(&mut self, other: Self) {
        match other.cost.cmp(&self.cost) {
            Ordering::Less => {}
            Ordering::Greater => {
                self.cost = other.cost;
                self.tied = other.tied;
                self.kept = other.kept;
            }
            Ordering::Equal => {
                self.tied = self.tied.saturating_add(other.tied);
                other.kept.into_iter().for_each(|path| self.insert(path));
            }
        }
        self.kept.truncate(self.keep);
    }

    /// The greatest cost; `None` when no path was seen.
    pub fn cost(&self) -> Option<Cost> {
        self.cost
    }

    /// How many paths have it.
    pub fn tied(&self) -> u64 {
        self.tied
    }

    /// The paths kept, best first.
    pub fn paths(&self) -> &[WorstPath] {
        &self.kept
    }

    /// The best of the worst paths.
    pub fn best(&self) -> Option<&[Decision]> {
        self.kept.first().map(WorstPath::decisions)
    }
}

/// The saved form; ranks are computed from the paths on loading.
#[derive(Serialize, Deserialize)]
struct Repr {
    keep: usize,
    lengths: Vec<u32>,
    cost: Option<Cost>,
    tied: u64,
    paths: Vec<Vec<Decision>>,
}

impl From<WorstPaths> for Repr {
    fn from(worst: WorstPaths) -> Self {
        Self {
            keep: worst.keep,
            lengths: worst.lengths,
            cost: worst.cost,
            tied: worst.tied,
            paths: worst.kept.into_iter().map(|kept| kept.path).collect(),
        }
    }
}

impl From<Repr> for WorstPaths {
    fn from(repr: Repr) -> Self {
        let mut worst = Self::new(repr.keep, &repr.lengths);
        if let Some(cost) = repr.cost {
            repr.paths.iter().for_each(|path| worst.leaf(cost, path));
        }
        // All of them were counted, not only those that were kept.
        worst.tied = worst.tied.max(repr.tied);
        worst
    }
}

/// Two collectors are equal when they would report the same.
impl PartialEq for WorstPaths {
    fn eq(&self, other: &Self) -> bool {
        (self.cost, self.tied, &self.kept) == (other.cost, other.tied, &other.kept)
    }
}

/// Paths of one tree differ first in a choice; sites only matter to paths of different trees.
fn compare_strings(a: &[Decision], b: &[Decision]) -> Ordering {
    a.iter().map(|d| (d.choice, d.site)).cmp(b.iter().map(|d| (d.choice, d.site)))
}
