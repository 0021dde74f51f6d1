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

    /// Adds what lies so much further down.
    pub(super) fn add(&mut self, later: &Lesson, cost: u64, effort: u64) {
        for &(policy, tally) in &later.tallies {
            let (cost, effort) = (Cost(tally.cost.0 + cost), tally.effort + effort);
            self.note(policy, Tally { cost, effort, ..tally });
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

    fn note(&mut self, policy: u32, tally: Tally) {
        match self.tallies.binary_search_by_key(&policy, |known| known.0) {
            Ok(at) => self.tallies[at].1.merge(tally),
            Err(at) => self.tallies.insert(at, (policy, tally)),
        }
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
}

impl Default for Policies {
    fn default() -> Policies {
        let bottom = BranchPolicy::bottom();
        Policies {
            list: vec![bottom.clone()],
            numbers: [(bottom, BOTTOM)].into_iter().collect(),
            joined: FxHashMap::default(),
            bytes: 0,
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
        if let Some(&known) = self.joined.get(&(a, b)) {
            return known;
        }
        let both = self.list[a as usize].join(&self.list[b as usize]);
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
        let mut led = Lesson::default();
        for (policy, tally) in lesson.tallies {
            led.note(self.join(first, policy), tally);
        }
        led
    }

    /// The lesson of a whole tree.
    pub(super) fn summary(&self, lesson: &Lesson, least: Option<u64>) -> WiseSummary {
        let tallies = lesson.tallies.iter();
        let named = tallies.map(|&(policy, tally)| (self.list[policy as usize].clone(), tally));
        WiseSummary::of(named, least.map(Cost))
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + 24 * self.joined.len()
    }
}
