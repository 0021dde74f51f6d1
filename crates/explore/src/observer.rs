//! Who watches a walk.

use pessimum_entry::InputValues;
use pessimum_learn::{Cost, Decision, WiseCollector, WiseTracker, WorstPaths};
use pessimum_machine::End;

/// A path that ended normally and is known to be taken by some input.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// Its cost.
    pub cost: u64,
    /// Instructions in the measured region.
    pub instructions: u64,
    /// How it ended.
    pub end: End,
    /// Its decisions.
    pub path: &'a [Decision],
    /// An input that takes it, where one was solved: for the worst so far, and for as many as tests were
    /// asked for.
    pub input: Option<&'a InputValues>,
    /// How many of its conditions the first of all inputs does not meet; 0 if no observer
    /// [reads it](Observer::READS_TURNS).
    pub turns: u64,
}

/// Sees every decision and every leaf of a depth-first walk.
pub trait Observer {
    /// Whether [`Leaf::turns`] is to be counted.
    const READS_TURNS: bool = false;

    /// Whether a walk that merges states is to keep what can be learned of them.
    const LEARNS: bool = false;

    /// Whether it has to see every path. Else states may be merged ([`Merge`](crate::Merge)), and
    /// nothing is shown to it.
    fn watches(&self) -> bool {
        true
    }
    /// A decision was made.
    fn push(&mut self, decision: &Decision);
    /// The present point.
    fn mark(&self) -> u64;
    /// Back to a point.
    fn undo_to(&mut self, mark: u64);
    /// A path ended normally. One that no input is known to take is not shown: nothing can be
    /// learned from it.
    fn leaf(&mut self, leaf: &Leaf<'_>);
}

/// Does not watch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn watches(&self) -> bool {
        false
    }
    #[inline]
    fn push(&mut self, _: &Decision) {}
    #[inline]
    fn mark(&self) -> u64 {
        0
    }
    #[inline]
    fn undo_to(&mut self, _: u64) {}
    #[inline]
    fn leaf(&mut self, _: &Leaf<'_>) {}
}

/// Learns from states that are walked once: least policies alone. It sees none of the paths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pupil;

impl Observer for Pupil {
    const READS_TURNS: bool = true;
    const LEARNS: bool = true;

    #[inline]
    fn push(&mut self, _: &Decision) {}
    #[inline]
    fn mark(&self) -> u64 {
        0
    }
    #[inline]
    fn undo_to(&mut self, _: u64) {}
    #[inline]
    fn leaf(&mut self, _: &Leaf<'_>) {}
}

/// Learns from every path: least policies and the worst paths.
#[derive(Clone, Debug, Default)]
pub struct Trainer {
    tracker: WiseTracker,
    marks: Vec<pessimum_learn::Mark>,
    /// Least policies and their counts.
    pub wise: WiseCollector,
    /// Decision strings of the worst paths.
    pub worst: WorstPaths,
}

impl Observer for Trainer {
    const READS_TURNS: bool = true;

    #[inline]
    fn push(&mut self, decision: &Decision) {
        self.marks.push(self.tracker.mark());
        self.tracker.push(decision);
    }

    #[inline]
    fn mark(&self) -> u64 {
        self.marks.len() as u64
    }

    #[inline]
    fn undo_to(&mut self, mark: u64) {
        if let Some(&back) = self.marks.get(mark as usize) {
            self.tracker.undo_to(back);
            self.marks.truncate(mark as usize);
        }
    }

    #[inline]
    fn leaf(&mut self, leaf: &Leaf<'_>) {
        self.wise.leaf_with_effort(&self.tracker, Cost(leaf.cost), leaf.turns);
        self.worst.leaf(Cost(leaf.cost), leaf.path);
    }
}
