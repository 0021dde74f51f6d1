//! A search by running: costly inputs of smaller sizes are stretched, and the best are varied.
//!
//! A policy needs small sizes that can be explored in full, and a solver that decides every branch
//! along a path of a large size. Running an input needs neither, and takes a thousandth of the time
//! of following its path with terms. So inputs are tried where there is no policy, and beside every
//! policy that may not be the worst. What is found is a lower bound.

mod queue;

use self::queue::{Material, Queue};
use crate::at_size::AtSize;
use crate::collide::colliding;
use crate::dictionary::Dictionary;
use crate::evolve::FOLLOWING;
use crate::groups::{Group, Groups, bytes, divided, joined, read, shape};
use crate::orders::orders;
use crate::pattern::{Pattern, below, some_value};
use crate::sample::random_value;
use crate::stretch::{Recipe, SHORTER, recipes};
use pessimum_entry::CostModel;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, PathTest, adversary};
use pessimum_machine::{End, LoadError, Machine};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;

/// Instructions of concrete runs that a second is reckoned as.
pub const INSTRUCTIONS_PER_SECOND: u64 = 100_000_000;

/// What starting a run is reckoned as.
pub const START: u64 = 10_000;

/// Inputs kept of each size, and sizes whose inputs are stretched.
const KEPT: usize = 6;
const SIZES: usize = 3;

/// Variants in a row that were run before until a search ends.
const IDLE: u32 = 200;

/// Words of the dictionary of which every pair is tried.
const PAIRED: usize = 40;

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
}

impl Mutator {
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
            shape,
            budget,
            left: effort.instructions,
            seen: HashSet::new(),
            pool: self.seeds.remove(&n).unwrap_or_default(),
            done: Searched::default(),
            queue: (effort.vary && effort.aim == Aim::Worst).then(Queue::default),
        };
        search.run_given(&self.given)?;
        search.run_likeliest(&self.seeds, self.patterns.first())?;
        // Any other input of our own making that takes longer than the whole search is not waited for.
        search.at = search.at.limited(2 * effort.instructions, budget);
        let share = if effort.vary { effort.instructions / 2 } else { 0 };
        search.shrink(&self.seeds, n)?;
        search.pad(&self.seeds, n)?;
        search.lay_out(&self.patterns)?;
        search.fill_one(self.dictionary.words(), effort.instructions / 4)?;
        search.stretch(&self.seeds, n, share)?;
        if effort.vary {
            search.order(effort.instructions / 8)?;
            search.fill(self.dictionary.words(), effort.instructions / 4)?;
            let seed = seed ^ n.rotate_left(32) ^ effort.round.rotate_left(48);
            let (words, tokens) = (self.dictionary.words(), self.dictionary.tokens());
            let random = &mut Seeded::new(seed);
            if effort.ends == Ends::WithTime {
                search.left = u64::MAX;
            }
            match effort.aim {
                Aim::Growth => search.vary(words, random)?,
                Aim::Worst => {
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

/// One size being searched.
struct SizeSearch<'a> {
    at: AtSize,
    shape: Vec<Group>,
    budget: &'a Budget,
    /// Instructions that may still be executed.
    left: u64,
    /// Digests of the inputs that were run: of a few hundred thousand long ones there is no room for more. Where two
    /// are the same, an input is not run.
    seen: HashSet<u64>,
    /// The costliest inputs of this size, the costliest first.
    pool: Vec<Seed>,
    /// What was done, but for the best input.
    done: Searched,
    /// Who runs each block most often, where that is of use.
    queue: Option<Queue>,
}

impl SizeSearch<'_> {
    /// Runs what is most likely to be costly, however long it takes: what explains the costliest input of the next smaller
    /// size, and the best pattern. Where runs are long, there may be no others.
    fn run_likeliest(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        pattern: Option<&Pattern>,
    ) -> Result<(), LoadError> {
        self.at = self.at.limited(u64::MAX, self.budget);
        let smaller = seeds.range(..self.at.n).next_back();
        if let Some(seed) = smaller.and_then(|(_, seeds)| seeds.first()) {
            let longest = seed.groups.iter().map(Vec::len).max().unwrap_or(0);
            let likely = recipes(longest).into_iter().find(|recipe| self.explains(*recipe, seed));
            if let Some(groups) = likely.and_then(|recipe| self.stretched(recipe, &seed.groups)) {
                self.run(groups)?;
            }
        }
        match pattern.and_then(|pattern| pattern.groups(&self.shape)) {
            Some(groups) if !self.is_over() => self.run(groups).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Runs inputs made from those of smaller sizes, the likely ones first; stops when no more than
    /// `share` instructions are left.
    fn stretch(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        n: u64,
        share: u64,
    ) -> Result<(), LoadError> {
        for likely in [true, false] {
            for (_, seeds) in seeds.range(..n).rev().take(SIZES) {
                for seed in seeds {
                    let longest = seed.groups.iter().map(Vec::len).max().unwrap_or(0);
                    for recipe in recipes(longest) {
                        if self.explains(recipe, seed) != likely {
                            continue;
                        }
                        if self.left <= share || self.is_over() {
                            return Ok(());
                        }
                        if let Some(groups) = self.stretched(recipe, &seed.groups) {
                            self.run(groups)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs inputs made from that of the next larger size, if it was searched before.
    fn shrink(&mut self, seeds: &BTreeMap<u64, Vec<Seed>>, n: u64) -> Result<(), LoadError> {
        let larger = (Bound::Excluded(n), Bound::Unbounded);
        let Some((_, seeds)) = seeds.range(larger).next() else { return Ok(()) };
        for seed in seeds {
            for recipe in SHORTER {
                if !self.is_over()
                    && let Some(groups) = self.stretched(recipe, &seed.groups)
                {
                    self.run(groups)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the costliest input of the next smaller size with its last or its first value over and over. Many
    /// programs do not look at what comes behind, so that a larger size costs no less.
    fn pad(&mut self, seeds: &BTreeMap<u64, Vec<Seed>>, n: u64) -> Result<(), LoadError> {
        let Some(seed) = seeds.range(..n).next_back().and_then(|(_, seeds)| seeds.first()) else {
            return Ok(());
        };
        for at in [usize::MAX, 0] {
            if !self.is_over()
                && let Some(groups) = self.stretched(Recipe::Pump { at }, &seed.groups)
            {
                self.run(groups)?;
            }
        }
        Ok(())
    }

    /// Runs the inputs of patterns.
    fn lay_out(&mut self, patterns: &[Pattern]) -> Result<(), LoadError> {
        for pattern in patterns {
            if self.is_over() {
                break;
            }
            if let Some(groups) = pattern.groups(&self.shape) {
                self.run(groups)?;
            }
        }
        Ok(())
    }

    /// Runs inputs whose arrays are in a plain order, for so many instructions; single values are the
    /// first of it.
    fn order(&mut self, instructions: u64) -> Result<(), LoadError> {
        let share = self.left.saturating_sub(instructions);
        for order in orders() {
            if self.left <= share || self.is_over() {
                break;
            }
            let arrays = self.shape.iter().map(|g| order.array(g.slot, g.len));
            if let Some(groups) = arrays.collect() {
                self.run(groups)?;
            }
        }
        Ok(())
    }

    fn explains(&self, recipe: Recipe, seed: &Seed) -> bool {
        let mut arrays = self.shape.iter().zip(&seed.groups).filter(|(g, _)| g.len > 1);
        arrays.all(|(group, values)| recipe.explains(values, group.slot))
    }

    fn stretched(&self, recipe: Recipe, groups: &Groups) -> Option<Groups> {
        if groups.len() != self.shape.len() {
            return None;
        }
        let pairs = self.shape.iter().zip(groups);
        pairs.map(|(g, values)| recipe.stretch(values, g.slot, g.len)).collect()
    }

    /// Runs what the user gave, drawn out or cut to this size.
    fn run_given(&mut self, given: &[(u64, Groups)]) -> Result<(), LoadError> {
        for (own, groups) in given {
            let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
            let again = Recipe::Repeat { prefix: 0, period: longest, suffix: 0, drift: false };
            let last = Recipe::Pump { at: longest.saturating_sub(1) };
            let recipes: &[Recipe] = match own.cmp(&self.at.n) {
                Ordering::Equal => &[Recipe::End],
                Ordering::Greater => &SHORTER,
                Ordering::Less => &[again, last, Recipe::Scale],
            };
            for recipe in recipes {
                if self.budget.is_over() {
                    return Ok(());
                }
                if let Some(groups) = self.stretched(*recipe, groups) {
                    self.run(groups)?;
                }
            }
        }
        Ok(())
    }

    /// Runs inputs of one value, for so many instructions. They are few, and the plainest there are.
    fn fill_one(&mut self, words: &[u64], instructions: u64) -> Result<(), LoadError> {
        let share = self.left.saturating_sub(instructions);
        for &word in words {
            if self.left <= share || self.is_over() {
                break;
            }
            if self.shape.iter().all(|g| g.slot.admits(word)) {
                self.run(self.shape.iter().map(|g| vec![word; g.len]).collect())?;
            }
        }
        Ok(())
    }

    /// Runs inputs of one value but for the first or the last.
    fn fill(&mut self, words: &[u64], share: u64) -> Result<(), LoadError> {
        let mut fills: Vec<(u64, u64, bool)> = Vec::new();
        // Pairs of what was met early come before pairs with what was met late.
        let paired = &words[..words.len().min(PAIRED)];
        for sum in 1..(2 * paired.len()).saturating_sub(2) {
            for i in sum.saturating_sub(paired.len() - 1)..=sum.min(paired.len() - 1) {
                let (one, other) = (paired[i], paired[sum - i]);
                if one != other {
                    fills.extend([(one, other, false), (one, other, true)]);
                }
            }
        }
        for (one, other, last) in fills {
            if self.left <= share || self.is_over() {
                break;
            }
            let admitted = |g: &Group| g.slot.admits(one) && g.slot.admits(other);
            if self.shape.iter().all(admitted) {
                let filled = |g: &Group| {
                    let mut values = vec![one; g.len];
                    if g.len > 1 {
                        values[if last { g.len - 1 } else { 0 }] = other;
                    }
                    values
                };
                let groups = self.shape.iter().map(filled).collect();
                self.run(groups)?;
            }
        }
        Ok(())
    }

    /// Values at random.
    fn random(&self, random: &mut Seeded) -> Groups {
        let array = |g: &Group| (0..g.len).map(|_| random_value(random, g.slot)).collect();
        self.shape.iter().map(array).collect()
    }

    /// Changes the costliest inputs here and there for as long as the work allows.
    fn vary(&mut self, words: &[u64], random: &mut Seeded) -> Result<(), LoadError> {
        if self.shape.iter().all(|g| g.len == 0) {
            return Ok(());
        }
        let start = self.random(random);
        self.run(start)?;
        let mut idle = 0;
        while !self.is_over() && idle < IDLE {
            // The best more often than the others.
            let among = 1 + below(random, self.pool.len().max(1));
            let Some(parent) = self.pool.get(below(random, among)) else { return Ok(()) };
            let mut groups = parent.groups.clone();
            for _ in 0..1 + below(random, 3) {
                self.mutate(&mut groups, words, random);
            }
            // Where all variants are known there is nothing left to do.
            idle = if self.run(groups)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Runs an input whose keys are sent to one place, for so many instructions.
    fn collide(
        &mut self,
        groups: &Groups,
        instructions: u64,
        random: &mut Seeded,
    ) -> Result<(), LoadError> {
        let at = (&self.at, self.shape.as_slice());
        let limit = instructions.min(self.left);
        let (made, took) = colliding(at, groups, limit, self.budget, random)?;
        self.left = self.left.saturating_sub(took);
        self.done.instructions += took;
        made.into_iter().try_for_each(|groups| self.run(groups).map(drop))
    }

    /// Runs what is made up against the program while it compares, if that takes no more than so many instructions.
    fn outwit(&mut self, instructions: u64) -> Result<(), LoadError> {
        let work = instructions.min(self.left) / FOLLOWING;
        let budget = Budget { work: Some(work), ..self.budget.clone() };
        let made = adversary(&self.at.module, &self.at.setup, &budget)?;
        let took = FOLLOWING * made.as_ref().map_or(work, |made| made.work);
        self.left = self.left.saturating_sub(took);
        self.done.instructions += took;
        let groups = made.and_then(|made| divided(&self.shape, &made.input));
        groups.into_iter().try_for_each(|groups| self.run_unseen(groups).map(drop))
    }

    /// Changes the costliest inputs, and those that run some block most often, for as long as the work allows.
    /// A fifth of it goes to sending keys to one place.
    fn vary_records(
        &mut self,
        material: Material<'_>,
        meeting: u64,
        random: &mut Seeded,
    ) -> Result<(), LoadError> {
        if self.shape.iter().all(|g| g.len == 0) {
            return Ok(());
        }
        // What is known of the size was run by others.
        let known: Vec<Groups> = self.pool.iter().map(|seed| seed.groups.clone()).collect();
        for groups in known.into_iter().chain([self.random(random)]) {
            self.run_unseen(groups)?;
        }
        self.outwit(meeting)?;
        let mut idle = 0;
        let mut next = 0;
        while !self.is_over() && idle < IDLE {
            let before = self.done.instructions;
            if before >= next {
                if let Some(parent) = self.queue.as_ref().and_then(|q| q.choose(random)) {
                    self.collide(&parent, meeting, random)?;
                }
                let took = self.done.instructions - before;
                next = self.done.instructions + 4 * took;
            }
            let Some(queue) = &self.queue else { return Ok(()) };
            let (Some(parent), Some(other)) = (queue.choose(random), queue.holder(random)) else {
                return Ok(());
            };
            let mut groups = Groups::clone(&parent);
            queue::vary(&mut groups, &other, &self.shape, material, random);
            idle = if self.run(groups)? { 0 } else { idle + 1 };
        }
        Ok(())
    }

    fn mutate(&self, groups: &mut [Vec<u64>], words: &[u64], random: &mut Seeded) {
        let total: usize = groups.iter().map(Vec::len).sum();
        let mut place = below(random, total);
        let Some((group, values)) = self.shape.iter().zip(groups.iter_mut()).find(|(_, values)| {
            let here = place < values.len();
            if !here {
                place -= values.len();
            }
            here
        }) else {
            return;
        };
        let end = place + 1 + below(random, values.len() - place);
        let other = below(random, values.len());
        match below(random, 8) {
            0 | 1 => values[place] = some_value(values, group.slot, words, random),
            2 => {
                let value = some_value(values, group.slot, words, random);
                values[place..end].fill(value);
            }
            3 => {
                let len = (end - place).min(values.len() - other);
                values.copy_within(place..place + len, other);
            }
            4 => {
                let period = 1 + below(random, 4);
                for i in place + period..end {
                    values[i] = values[i - period];
                }
            }
            5 => values.swap(place, other),
            6 => values[place..end].reverse(),
            _ => values[place..].rotate_left(1),
        }
    }

    /// Runs an input that was not run before, and keeps it if it is among the costliest.
    fn run(&mut self, groups: Groups) -> Result<bool, LoadError> {
        let is_new = self.seen.insert(digest(&groups));
        if is_new {
            self.run_unseen(groups)?;
        }
        Ok(is_new)
    }

    fn run_unseen(&mut self, groups: Groups) -> Result<(), LoadError> {
        let input = joined(&self.shape, &groups);
        let (end, machine) = match self.queue {
            Some(_) => self.at.run_profiled(input)?,
            None => self.at.run(input)?,
        };
        let cost = self.account(end, &machine);
        if let Some(queue) = &mut self.queue {
            queue.note(&groups, machine.block_counts(), cost);
        }
        if let Some(cost) = cost {
            let instructions = machine.counters().instructions;
            keep(&mut self.pool, Seed { groups, cost, instructions });
        }
        Ok(())
    }

    /// Counts a run; answers its cost, if it came to its end.
    fn account(&mut self, end: End, machine: &Machine) -> Option<u64> {
        let counters = machine.counters();
        let took = counters.all_instructions + START;
        self.left = self.left.saturating_sub(took);
        self.done.runs += 1;
        self.done.instructions += took;
        self.done.unended += u64::from(matches!(end, End::OutOfInstructions | End::Endless));
        // A program that asks for its inputs may have asked for others.
        let asked: usize = self.shape.iter().map(|g| g.len).sum();
        let ended = matches!(end, End::Return | End::Exit(_)) && machine.inputs().len() == asked;
        let cost = ended.then_some(counters.cost)?;
        let (least, most) = self.done.costs.unwrap_or((cost, cost));
        self.done.costs = Some((least.min(cost), most.max(cost)));
        Some(cost)
    }

    fn test(&self, seed: &Seed) -> PathTest {
        PathTest {
            input: Some(joined(&self.shape, &seed.groups)),
            cost: seed.cost,
            instructions: seed.instructions,
            trap: None,
        }
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.budget.is_over()
    }
}

fn digest(groups: &Groups) -> u64 {
    let mut hasher = DefaultHasher::new();
    groups.hash(&mut hasher);
    hasher.finish()
}

/// Adds an input to the costliest; of equal ones the first stays in front.
fn keep(pool: &mut Vec<Seed>, seed: Seed) {
    if pool.iter().any(|s| s.groups == seed.groups) {
        return;
    }
    let at = pool.partition_point(|s| s.cost >= seed.cost);
    if at < KEPT {
        pool.insert(at, seed);
        pool.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests;
