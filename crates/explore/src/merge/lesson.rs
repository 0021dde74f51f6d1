//! What can be learned of the paths below a state, without any of them being walked again.
//!
//! The least policy of a path is the join of what its decisions need, and the join of two pieces of a path is that
//! of both. So a state keeps the least policies of what lies below it, with how many paths have each, their
//! greatest cost and least effort, and a stretch that leads to the state joins its own decisions to each.

use pessimum_learn::{Branch, BranchPolicy, Cost, Decision, Level, Tally, WiseSummary};
use rustc_hash::FxHashMap;

/// The paths below a state by the number of their least policy ([`Policies`]), in ascending order. Costs and efforts are
/// counted from the state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Lesson {
    tallies: Vec<(u32, Tally)>,
}

/// The number of the policy that allows nothing.
const BOTTOM: u32 = 0;

impl Lesson {
    /// Of a path that ends here.
    pub(super) fn end() -> Lesson {
        Lesson { tallies: vec![(BOTTOM, Tally { count: 1, cost: Cost(0), effort: 0 })] }
    }

    /// Adds what lies so much further down. What is new is put in its place in one pass from behind: one by one would move all
    /// that is known each time, and there may be as many of the one as of the other.
    pub(super) fn add(&mut self, later: &Lesson, cost: u64, effort: u64) {
        let mut new: Vec<(u32, Tally)> = Vec::new();
        for &(policy, tally) in &later.tallies {
            let (cost, effort) = (Cost(tally.cost.0 + cost), tally.effort + effort);
            let tally = Tally { cost, effort, ..tally };
            match self.tallies.binary_search_by_key(&policy, |known| known.0) {
                Ok(at) => self.tallies[at].1.merge(tally),
                Err(_) => new.push((policy, tally)),
            }
        }
        let mut known = self.tallies.len();
        self.tallies.extend_from_slice(&new);
        let mut end = self.tallies.len();
        while let Some(&(policy, tally)) = new.last() {
            end -= 1;
            if known > 0 && self.tallies[known - 1].0 > policy {
                known -= 1;
                self.tallies[end] = self.tallies[known];
            } else {
                self.tallies[end] = (policy, tally);
                new.pop();
            }
        }
    }

    /// Counts from a point at which so much had been counted.
    pub(super) fn relative(mut self, cost: u64, effort: u64) -> Lesson {
        for (_, tally) in &mut self.tallies {
            tally.cost.0 -= cost;
            tally.effort -= effort;
        }
        self
    }

    /// Of tallies in any order, several of one policy among them.
    fn of(mut tallies: Vec<(u32, Tally)>) -> Lesson {
        tallies.sort_unstable_by_key(|known| known.0);
        tallies.dedup_by(|next, known| {
            let is_same = next.0 == known.0;
            if is_same {
                known.1.merge(next.1);
            }
            is_same
        });
        Lesson { tallies }
    }

    /// Bytes on the heap, about.
    pub(super) fn heap(&self) -> usize {
        self.tallies.capacity() * std::mem::size_of::<(u32, Tally)>()
    }
}

/// What the decisions of a stretch need.
#[derive(Debug, Default)]
pub(super) struct Decided {
    levels: Vec<(Branch, Level)>,
}

impl Decided {
    pub(super) fn push(&mut self, decision: &Decision) {
        let (branch, level) = (decision.branch(), Level::needed_by(decision.openness));
        match self.levels.iter_mut().find(|known| known.0 == branch) {
            Some(known) => known.1 = known.1.max(level),
            None => self.levels.push((branch, level)),
        }
    }
}

/// Policies by number: each is kept once, and joined once with each other.
#[derive(Debug)]
pub(super) struct Policies {
    list: Vec<BranchPolicy>,
    numbers: FxHashMap<BranchPolicy, u32>,
    joined: FxHashMap<(u32, u32), u32>,
    bytes: usize,
    work: u64,
}

/// What it takes to join two policies: to find those that were joined before, to make new ones, and for each level of these, in about
/// the units of a walk.
const KNOWN_WORK: u64 = 4;
const NEW_WORK: u64 = 16;
const LEVEL_WORK: u64 = 2;

impl Default for Policies {
    fn default() -> Policies {
        let bottom = BranchPolicy::bottom();
        Policies {
            list: vec![bottom.clone()],
            numbers: [(bottom, BOTTOM)].into_iter().collect(),
            joined: FxHashMap::default(),
            bytes: 0,
            work: 0,
        }
    }
}

impl Policies {
    fn number(&mut self, policy: BranchPolicy) -> u32 {
        let next = self.list.len() as u32;
        *self.numbers.entry(policy).or_insert_with_key(|policy| {
            self.bytes += 96 + 32 * policy.levels().len();
            self.list.push(policy.clone());
            next
        })
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == BOTTOM {
            return a;
        }
        self.work += KNOWN_WORK;
        if let Some(&known) = self.joined.get(&(a, b)) {
            return known;
        }
        let both = self.list[a as usize].join(&self.list[b as usize]);
        self.work += NEW_WORK + LEVEL_WORK * both.levels().len() as u64;
        let both = self.number(both);
        self.joined.insert((a, b), both);
        both
    }

    /// What lies below the beginning of a stretch that leads to this.
    pub(super) fn led_to(&mut self, decided: Decided, lesson: Lesson) -> Lesson {
        if decided.levels.is_empty() {
            return lesson;
        }
        let first = self.number(decided.levels.into_iter().collect());
        let led = lesson.tallies.into_iter();
        Lesson::of(led.map(|(policy, tally)| (self.join(first, policy), tally)).collect())
    }

    /// The lesson of a whole tree.
    pub(super) fn summary(&self, lesson: &Lesson, least: Option<u64>) -> WiseSummary {
        let tallies = lesson.tallies.iter();
        let named = tallies.map(|&(policy, tally)| (self.list[policy as usize].clone(), tally));
        WiseSummary::of(named, least.map(Cost))
    }

    /// What joining them took, in about the units of a walk.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + 24 * self.joined.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Tallies of some policies among the first dozen.
    fn some(seed: u64) -> Vec<(u32, Tally)> {
        let of = |k: u64| {
            let mixed = (seed * 16 + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let tally = Tally { count: mixed >> 60, cost: Cost(mixed >> 4 & 3), effort: mixed & 7 };
            ((mixed >> 32) as u32 % 12, tally)
        };
        (0..seed % 9).map(of).collect()
    }

    fn one_by_one(tallies: impl IntoIterator<Item = (u32, Tally)>) -> Vec<(u32, Tally)> {
        let mut all: BTreeMap<u32, Tally> = BTreeMap::new();
        for (policy, tally) in tallies {
            all.entry(policy).and_modify(|known| known.merge(tally)).or_insert(tally);
        }
        all.into_iter().collect()
    }

    #[test]
    fn adding_is_noting_one_by_one() {
        for seed in 0..200 {
            let (first, later) = (some(seed), Lesson::of(some(seed * 7 + 3)));
            let mut lesson = Lesson::of(first.clone());
            assert_eq!(lesson.tallies, one_by_one(first.iter().copied()), "{seed}");
            lesson.add(&later, 5, 1);
            let further = later.tallies.iter().map(|&(policy, tally)| {
                (policy, Tally { cost: Cost(tally.cost.0 + 5), effort: tally.effort + 1, ..tally })
            });
            assert_eq!(lesson.tallies, one_by_one(first.into_iter().chain(further)), "{seed}");
        }
    }
}
