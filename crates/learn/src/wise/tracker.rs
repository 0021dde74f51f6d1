//! The least policy of the present path, kept up to date along a depth-first walk.

use super::policy::{BranchPolicy, Level};
use crate::decision::{Branch, Decision, SiteId};

/// A point of the walk to come back to; see [`WiseTracker::mark`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(u32);

/// The least policy of the path from the root to the present node.
///
/// A step down is [`push`](Self::push), a step back is [`undo_to`](Self::undo_to). Most
/// decisions repeat what the path has done before and change nothing, so a step is usually one
/// comparison. The policy is identified by a 128-bit hash that is updated with it: a leaf is
/// counted without reading the policy.
///
/// ```
/// use pessimum_learn::{Decision, Openness, SiteId, WiseTracker, least_policy};
/// let step = |choice, openness| Decision { site: SiteId(7), choice, arms: 2, openness, prev: 0 };
/// let mut tracker = WiseTracker::new();
/// tracker.push(&step(1, Openness::Open));
/// let mark = tracker.mark();
/// tracker.push(&step(0, Openness::Forced));
/// tracker.undo_to(mark);
/// assert_eq!(tracker.policy(), least_policy(&[step(1, Openness::Open)]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct WiseTracker {
    /// By site: where its branches lie in `levels` and `keys`.
    rows: Vec<Row>,
    levels: Vec<Level>,
    keys: Vec<[u128; 2]>,
    /// The rises of level to take back, oldest first.
    trail: Vec<Rise>,
    hash: u128,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    base: u32,
    arms: u32,
}

#[derive(Clone, Copy, Debug)]
struct Rise {
    slot: u32,
    from: Level,
}

impl WiseTracker {
    /// A tracker at the root, where nothing was decided.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes one decision down.
    #[inline]
    pub fn push(&mut self, decision: &Decision) {
        let slot = match self.rows.get(decision.site.index()) {
            Some(row) if decision.choice < row.arms => row.base + decision.choice,
            _ => self.make_room(decision),
        };
        let needed = Level::needed_by(decision.openness);
        let level = &mut self.levels[slot as usize];
        if needed > *level {
            let keys = &self.keys[slot as usize];
            self.hash ^= key_of(keys, *level) ^ key_of(keys, needed);
            self.trail.push(Rise { slot, from: *level });
            *level = needed;
        }
    }

    /// The present point of the walk, to be given to [`undo_to`](Self::undo_to) later.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len() as u32)
    }

    /// Goes back to a point above the present one.
    #[inline]
    pub fn undo_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 as usize {
            let Some(rise) = self.trail.pop() else { return };
            let keys = &self.keys[rise.slot as usize];
            let level = &mut self.levels[rise.slot as usize];
            self.hash ^= key_of(keys, *level) ^ key_of(keys, rise.from);
            *level = rise.from;
        }
    }

    /// Identifies the least policy: equal policies have equal hashes in every process, and two
    /// different ones share a hash with a chance of 2⁻¹²⁸ per pair.
    #[inline]
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// The least policy itself; for the first leaf with a new hash, not for every leaf.
    pub fn policy(&self) -> BranchPolicy {
        let row_levels = |(site, row): (usize, &Row)| {
            let (site, base) = (SiteId(site as u32), row.base);
            (0..row.arms).map(move |choice| (Branch { site, choice }, base + choice))
        };
        self.rows
            .iter()
            .enumerate()
            .flat_map(row_levels)
            .map(|(branch, slot)| (branch, self.levels[slot as usize]))
            .collect()
    }

    /// Gives a site met for the first time (or with more arms than it was said to have) its
    /// slots, and returns the slot of the decision.
    #[cold]
    fn make_room(&mut self, decision: &Decision) -> u32 {
        let site = decision.site.index();
        if site >= self.rows.len() {
            self.rows.resize(site + 1, Row::default());
        }
        let old = self.rows[site];
        let new =
            Row { base: self.levels.len() as u32, arms: decision.arms.max(decision.choice + 1) };
        for choice in 0..new.arms {
            let known = (choice < old.arms).then(|| self.levels[(old.base + choice) as usize]);
            self.levels.push(known.unwrap_or_default());
            self.keys.push(zobrist_keys(Branch { site: decision.site, choice }));
        }
        for rise in &mut self.trail {
            if (old.base..old.base + old.arms).contains(&rise.slot) {
                rise.slot = rise.slot - old.base + new.base;
            }
        }
        self.rows[site] = new;
        new.base + decision.choice
    }
}

#[inline]
fn key_of(keys: &[u128; 2], level: Level) -> u128 {
    match level {
        Level::Never => 0,
        Level::IfForced => keys[0],
        Level::Always => keys[1],
    }
}

/// Random-looking words for a branch at 1/2 and at 1. They depend on the branch alone, never on
/// the order in which a worker meets branches, so that workers agree on hashes.
fn zobrist_keys(branch: Branch) -> [u128; 2] {
    let seed = u64::from(branch.site.0) << 32 | u64::from(branch.choice);
    [1, 2].map(|level| {
        let high = mix(mix(seed) ^ level);
        let low = mix(mix(seed ^ 0x6a09_e667_f3bc_c909) ^ level << 32);
        u128::from(high) << 64 | u128::from(low)
    })
}

/// A bijective scrambler of 64-bit words (the finaliser of SplitMix64).
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
