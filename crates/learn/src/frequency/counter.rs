//! Holding a path against the invariants while it grows.

use rustc_hash::FxHashMap;

use super::relation::{FrequencyInvariants, Relation};
use crate::decision::{Branch, Decision};

/// The open decisions a path has made, held against what the invariants allow at one size.
///
/// It follows the walk as the path does: [`push`](Self::push) on the way down,
/// [`pop`](Self::pop) on the way back.
#[derive(Clone, Debug)]
pub struct FrequencyCounter {
    /// What may be reached by the count of some branches: (count, limit).
    sums: Vec<(u64, u64)>,
    /// By branch: the sums it counts in.
    sums_of: FxHashMap<Branch, Vec<u32>>,
    /// Pairs of branches, with how much more often the first is taken.
    differences: Vec<(Branch, Branch, i64)>,
    counts: FxHashMap<Branch, u64>,
}

impl FrequencyCounter {
    pub(super) fn new(invariants: &FrequencyInvariants, n: u64) -> Option<Self> {
        let mut counter = Self {
            sums: Vec::new(),
            sums_of: FxHashMap::default(),
            differences: Vec::new(),
            counts: FxHashMap::default(),
        };
        for relation in invariants.relations() {
            match relation {
                Relation::Sum { branches, formula, from } => {
                    let limit = formula.count_at(n).filter(|_| n >= *from)?;
                    let sum = counter.sums.len() as u32;
                    counter.sums.push((0, limit));
                    for &branch in branches {
                        counter.sums_of.entry(branch).or_default().push(sum);
                    }
                }
                Relation::Difference { more, less, by } => {
                    counter.differences.push((*more, *less, *by));
                }
            }
        }
        Some(counter)
    }

    /// Whether an open decision for this branch leaves every limit kept.
    #[inline]
    pub fn may_take(&self, branch: Branch) -> bool {
        let Some(sums) = self.sums_of.get(&branch) else {
            return true;
        };
        sums.iter().all(|&sum| {
            let (count, limit) = self.sums[sum as usize];
            count < limit
        })
    }

    /// Goes one decision down.
    pub fn push(&mut self, decision: &Decision) {
        if !decision.openness.is_open() {
            return;
        }
        *self.counts.entry(decision.branch()).or_default() += 1;
        for &sum in self.sums_of.get(&decision.branch()).into_iter().flatten() {
            self.sums[sum as usize].0 += 1;
        }
    }

    /// Takes back the last decision pushed, which must be given again.
    pub fn pop(&mut self, decision: &Decision) {
        if !decision.openness.is_open() {
            return;
        }
        if let Some(count) = self.counts.get_mut(&decision.branch()) {
            *count = count.saturating_sub(1);
        }
        for &sum in self.sums_of.get(&decision.branch()).into_iter().flatten() {
            let count = &mut self.sums[sum as usize].0;
            *count = count.saturating_sub(1);
        }
    }

    /// Whether the invariants hold of the path as it stands; the question to ask at a leaf.
    pub fn holds(&self) -> bool {
        let count = |branch| self.counts.get(&branch).copied().unwrap_or(0);
        let differs = |&(more, less, by): &(Branch, Branch, i64)| {
            i128::from(count(more)) - i128::from(count(less)) == i128::from(by)
        };
        self.sums.iter().all(|(count, limit)| count == limit)
            && self.differences.iter().all(differs)
    }
}
