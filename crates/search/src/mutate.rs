//! A search by running: costly inputs of smaller sizes are stretched, and the best are varied.
//!
//! A policy needs small sizes that can be explored in full, and a solver that decides every branch
//! along a path of a large size. Running an input needs neither, and takes a thousandth of the time
//! of following its path with terms. So inputs are tried where there is no policy, and beside every
//! policy that may not be the worst. What is found is a lower bound.

mod at_one_size;
mod bits;
mod lists;
mod queue;
mod repeated;
mod vary;

use self::at_one_size::SizeSearch;
use self::queue::{Material, Queue};
use crate::ahead::Ahead;
use crate::at_size::AtSize;
use crate::dictionary::Dictionary;
use crate::evolve::pairs::Tellings;
use crate::groups::{Group, Groups, bytes, divided, read, shape};
use crate::pattern::Pattern;
use pessimum_entry::CostModel;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, PathTest};
use pessimum_machine::LoadError;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Instructions of concrete runs that a second is reckoned as.
pub const INSTRUCTIONS_PER_SECOND: u64 = 100_000_000;

/// What starting a run is reckoned as: some microseconds, and a few hundredths of one for each input
/// (`examples/runs_per_second.rs`).
pub const START: u64 = 1_000;

/// Inputs kept of each size.
const KEPT: usize = 6;

/// Values group by group, with what they cost.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seed {
    groups: Groups,
    cost: u64,
    instructions: u64,
}

/// What a search at a size is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// To tell how the cost grows: inputs that other sizes have as well.
    Growth,
    /// The costliest input of this very size, whatever it looks like.
    Worst,
}

/// What ends a search at a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// The instructions that it has.
    WithWork,
    /// The time that it has: once everything was tried for its instructions, inputs are varied for as long as that lasts.
    WithTime,
}

/// How much to try at a size.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Instructions, all runs together.
    pub instructions: u64,
    /// Whether inputs are also varied, and not just stretched.
    pub vary: bool,
    /// How often the size was searched before.
    pub round: u64,
    /// What inputs are varied for.
    pub aim: Aim,
    /// What ends the search.
    pub ends: Ends,
}

/// What a search at one size came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Searched {
    /// The costliest input that is known of the size; `None` when none was run to its end.
    pub best: Option<PathTest>,
    /// Inputs that were run.
    pub runs: u64,
    /// Instructions they took.
    pub instructions: u64,
    /// The least and the greatest cost of those that ended normally.
    pub costs: Option<(u64, u64)>,
    /// Inputs that were stopped before their end, or never come to one.
    pub unended: u64,
}

/// Costly inputs by size, and what to make others of.
#[derive(Clone, Default, Debug)]
pub struct Mutator {
    seeds: BTreeMap<u64, Vec<Seed>>,
    /// Inputs that the user gave, each with its own size.
    given: Vec<(u64, Groups)>,
    dictionary: Dictionary,
    /// Inputs for every size, which are run wherever something is searched.
    patterns: Vec<Pattern>,
    /// Pairs of words at a size, by name, that were run: each once, however often there is a search.
    pub(crate) paired: HashSet<u64>,
    /// What those came to.
    pub(crate) told: Tellings,
    /// Threads that inputs are run on.
    workers: usize,
}

impl Mutator {
    /// One that runs inputs on so many threads. What it finds does not depend on how many there are.
    pub fn with_workers(workers: usize) -> Mutator {
        Mutator { workers, ..Mutator::default() }
    }

    /// Threads that inputs are run on.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Takes in an input that was found to be costly in another way.
    pub fn note(&mut self, at: &AtSize, test: &PathTest) -> Result<(), LoadError> {
        let Some(input) = &test.input else { return Ok(()) };
        self.dictionary.learn(input);
        let Some(shape) = shape(at)? else { return Ok(()) };
        if let Some(groups) = divided(&shape, input) {
            let seed = Seed { groups, cost: test.cost, instructions: test.instructions };
            keep(self.seeds.entry(at.n).or_default(), seed);
        }
        Ok(())
    }

    /// Takes in an input as raw bytes. It is run at every size that is searched: unchanged at its own,
    /// made longer or shorter at the others. Returns its own size, the first that has room for all bytes;
    /// `None` where inputs are not plain values, or no size up to `most` has room.
    pub fn give<E: From<LoadError>>(
        &mut self,
        raw: &[u8],
        most: u64,
        at: impl Fn(u64) -> Result<Arc<AtSize>, E>,
    ) -> Result<Option<u64>, E> {
        let room = |n: u64| -> Result<Option<Vec<Group>>, E> { Ok(shape(&*at(n)?)?) };
        // Inputs grow with the size, so the first with enough room is found by halving.
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low.midpoint(high);
            match room(middle) {
                Ok(None) => return Ok(None),
                Ok(Some(shape)) if bytes(&shape) < raw.len() => low = middle + 1,
                // A call without a meaning at a large size (`in 0..=255` of bytes) has its own below.
                Ok(Some(_)) | Err(_) => high = middle,
            }
        }
        let Ok(Some(shape)) = room(low) else { return Ok(None) };
        if bytes(&shape) < raw.len() {
            return Ok(None);
        }
        self.given.push((low, read(&shape, raw)));
        Ok(Some(low))
    }

    /// The values that inputs are made of.
    pub fn dictionary(&mut self) -> &mut Dictionary {
        &mut self.dictionary
    }

    /// The words of the dictionary.
    pub(crate) fn words(&self) -> &[u64] {
        self.dictionary.words()
    }

    /// The sequences of values of the dictionary.
    pub(crate) fn tokens(&self) -> Vec<Vec<u64>> {
        self.dictionary.tokens().to_vec()
    }

    /// What the user gave.
    pub(crate) fn given(&self) -> impl Iterator<Item = &Groups> {
        self.given.iter().map(|(_, groups)| groups)
    }

    /// Inputs for every size that were evolved.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Takes these patterns in place of those it has.
    pub fn set_patterns(&mut self, patterns: Vec<Pattern>) {
        self.patterns = patterns;
    }

    /// The costliest input of each size, the smallest size first.
    pub(crate) fn costliest(&self) -> impl Iterator<Item = &Groups> {
        self.seeds.values().filter_map(|seeds| Some(&seeds.first()?.groups))
    }

    /// Looks for a costly input of size `n`. What the user gave is run whatever the effort is.
    pub fn search(
        &mut self,
        at: &AtSize,
        effort: Effort,
        seed: u64,
        budget: &Budget,
    ) -> Result<Searched, LoadError> {
        // Open decisions are not counted where nothing is open.
        if *at.module.cost_model() == CostModel::Decisions {
            return Ok(Searched::default());
        }
        let Some(shape) = shape(at)? else { return Ok(Searched::default()) };
        let n = at.n;
        let mut search = SizeSearch {
            at: at.clone(),
            shape: shape.into(),
            budget,
            left: effort.instructions,
            seen: HashSet::new(),
            pool: self.seeds.remove(&n).unwrap_or_default(),
            done: Searched::default(),
            queue: (effort.vary && effort.aim == Aim::Worst).then(Queue::default),
            ahead: Ahead::new(self.workers),
        };
        search.run_given(&self.given)?;
        search.run_likeliest(&self.seeds, self.patterns.first())?;
        // Any other input of our own making that takes longer than the whole search is not waited for.
        search.at = search.at.limited(2 * effort.instructions, budget);
        let share = if effort.vary { effort.instructions / 2 } else { 0 };
        search.shrink(&self.seeds, n)?;
        search.pad(&self.seeds, n)?;
        // Where runs are long there is time for few inputs: of orders there are few, and the plainest.
        let is_hunt = effort.vary && effort.aim == Aim::Worst;
        if is_hunt {
            search.order(effort.instructions / 8)?;
        }
        search.lay_out(&self.patterns)?;
        search.fill_one(self.dictionary.words(), effort.instructions / 4)?;
        search.stretch(&self.seeds, n, share)?;
        if effort.vary {
            if !is_hunt {
                search.order(effort.instructions / 8)?;
            }
            search.fill(self.dictionary.words(), effort.instructions / 4)?;
            let seed = seed ^ n.rotate_left(32) ^ effort.round.rotate_left(48);
            let (words, tokens) = (self.dictionary.words(), self.dictionary.tokens());
            let random = &mut Seeded::new(seed);
            if effort.ends == Ends::WithTime {
                search.left = u64::MAX;
            }
            search.slide_seams(effort.instructions / 8)?;
            match effort.aim {
                Aim::Growth => search.vary(words, random)?,
                Aim::Worst => {
                    search.choose_letters(&self.patterns)?;
                    let meeting = effort.instructions / 8;
                    search.vary_records(Material { words, tokens }, meeting, random)?;
                }
            }
        }
        let best = search.pool.first().map(|seed| search.test(seed));
        // Only the best goes on, which is what a run that is taken up again knows as well.
        search.pool.truncate(1);
        if !search.pool.is_empty() {
            self.seeds.insert(n, search.pool);
        }
        Ok(Searched { best, ..search.done })
    }
}

/// Adds an input to the costliest; of equal ones the first stays in front. Whether it is one of them.
fn keep(pool: &mut Vec<Seed>, seed: Seed) -> bool {
    let at = pool.partition_point(|s| s.cost >= seed.cost);
    if at >= KEPT || pool.iter().any(|s| s.groups == seed.groups) {
        return false;
    }
    pool.insert(at, seed);
    pool.truncate(KEPT);
    true
}

#[cfg(test)]
mod tests;
