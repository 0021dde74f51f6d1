//! A search at one size: what is run there, and what is kept of it.

use super::queue::Queue;
use super::{KEPT, START, Searched, Seed, keep};
use crate::ahead::{Ahead, Ran, Taken};
use crate::at_size::AtSize;
use crate::groups::{Group, Groups, joined};
use crate::orders::orders;
use crate::pattern::Pattern;
use crate::stretch::{Recipe, SHORTER, recipes};
use pessimum_explore::{Budget, PathTest};
use pessimum_machine::{End, LoadError};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

/// Sizes whose inputs are stretched.
const SIZES: usize = 3;

/// Words of the dictionary of which every pair is tried.
const PAIRED: usize = 40;

/// Numbers of letters that are tried far from each other.
const GIVEN: usize = 16;

/// One size being searched.
pub(super) struct SizeSearch<'a> {
    pub(super) at: AtSize,
    pub(super) shape: Arc<[Group]>,
    pub(super) budget: &'a Budget,
    /// Instructions that may still be executed.
    pub(super) left: u64,
    /// Digests of the inputs that were run: of a few hundred thousand long ones there is no room for more. Where two
    /// are the same, an input is not run.
    pub(super) seen: HashSet<u64>,
    /// The costliest inputs of this size, the costliest first.
    pub(super) pool: Vec<Seed>,
    /// What was done, but for the best input.
    pub(super) done: Searched,
    /// Who runs each block most often, where that is of use.
    pub(super) queue: Option<Queue>,
    /// How many inputs are run side by side.
    pub(super) ahead: Ahead,
}

/// An input with its digest, and what a run of it came to, if it was not run before. The values of one that will not be kept are gone.
pub(super) struct RunAhead {
    pub(super) groups: Groups,
    digest: u64,
    ran: Option<Result<Ran, LoadError>>,
}

impl RunAhead {
    /// What it cost, if it was run, came to its end and took so many inputs.
    pub(super) fn cost(&self, inputs: usize) -> Option<u64> {
        self.ran.as_ref()?.as_ref().ok()?.cost(inputs)
    }
}

/// What runs inputs on any thread.
#[derive(Clone, Copy)]
struct Running<'a> {
    at: &'a AtSize,
    shape: &'a [Group],
    profiled: bool,
    /// Digests of inputs that are not run.
    seen: Option<&'a HashSet<u64>>,
    /// What an input has to cost more than to be kept, if that is known.
    beaten: Option<u64>,
    ahead: Ahead,
}

impl Running<'_> {
    fn one(&self, groups: Groups) -> RunAhead {
        let digest = digest(&groups);
        let is_wanted = self.seen.is_none_or(|seen| !seen.contains(&digest));
        let run = || Ran::of(self.at, joined(self.shape, &groups), self.profiled);
        let ran = is_wanted.then(run);
        // What will not be kept is given back by the thread that made it: memory that wanders between threads costs them more.
        let cost = ran.as_ref().and_then(|ran| self.cost_of(ran.as_ref().ok()?));
        let is_kept = self.beaten.is_none_or(|beaten| cost > Some(beaten));
        RunAhead { groups: if is_kept { groups } else { Groups::new() }, digest, ran }
    }

    fn cost_of(&self, ran: &Ran) -> Option<u64> {
        ran.cost(self.shape.iter().map(|g| g.len).sum())
    }

    /// Runs inputs side by side.
    fn all(&self, inputs: Vec<Groups>) -> Vec<RunAhead> {
        let inputs: Vec<Mutex<Groups>> = inputs.into_iter().map(Mutex::new).collect();
        self.ahead.each(inputs.len(), |i| {
            let mut groups = inputs[i].lock().unwrap_or_else(PoisonError::into_inner);
            self.one(std::mem::take(&mut groups))
        })
    }
}

impl SizeSearch<'_> {
    /// Runs what is most likely to be costly, however long it takes: what explains the costliest input of the next smaller
    /// size, and the best pattern. Where runs are long, there may be no others.
    pub(super) fn run_likeliest(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        pattern: Option<&Pattern>,
    ) -> Result<(), LoadError> {
        self.at = self.at.limited(u64::MAX, self.budget);
        let smaller = seeds.range(..self.at.n).next_back();
        if let Some(seed) = smaller.and_then(|(_, seeds)| seeds.first()) {
            let longest = seed.groups.iter().map(Vec::len).max().unwrap_or(0);
            let explains = |recipe: &Recipe| explains(&self.shape, *recipe, seed);
            let likely = recipes(longest).into_iter().find(explains);
            if let Some(groups) = likely.and_then(|r| stretched(&self.shape, r, &seed.groups)) {
                self.run(groups)?;
            }
        }
        match pattern.and_then(|pattern| pattern.groups(&self.shape)) {
            Some(groups) if !self.is_over() => self.run(groups).map(drop),
            _ => Ok(()),
        }
    }

    /// Runs inputs made from those of smaller sizes, the likely ones first; stops when no more than
    /// `share` instructions are left.
    pub(super) fn stretch(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        n: u64,
        share: u64,
    ) -> Result<(), LoadError> {
        let shape = &*Arc::clone(&self.shape);
        let seeds = || seeds.range(..n).rev().take(SIZES).flat_map(|(_, seeds)| seeds);
        let made = [true, false].into_iter().flat_map(|likely| {
            seeds().flat_map(move |seed| {
                let longest = seed.groups.iter().map(Vec::len).max().unwrap_or(0);
                let recipes = recipes(longest).into_iter();
                let wanted = recipes.filter(move |r| explains(shape, *r, seed) == likely);
                wanted.filter_map(|recipe| stretched(shape, recipe, &seed.groups))
            })
        });
        self.run_each(made, share)
    }

    /// Runs inputs made from that of the next larger size, if it was searched before.
    pub(super) fn shrink(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        n: u64,
    ) -> Result<(), LoadError> {
        let larger = (Bound::Excluded(n), Bound::Unbounded);
        let Some((_, seeds)) = seeds.range(larger).next() else { return Ok(()) };
        let shape = &*Arc::clone(&self.shape);
        let made = seeds.iter().flat_map(|seed| {
            SHORTER.into_iter().filter_map(|recipe| stretched(shape, recipe, &seed.groups))
        });
        self.run_each(made, 0)
    }

    /// Runs the costliest input of the next smaller size with its last or its first value over and over. Many
    /// programs do not look at what comes behind, so that a larger size costs no less.
    pub(super) fn pad(
        &mut self,
        seeds: &BTreeMap<u64, Vec<Seed>>,
        n: u64,
    ) -> Result<(), LoadError> {
        let Some(seed) = seeds.range(..n).next_back().and_then(|(_, seeds)| seeds.first()) else {
            return Ok(());
        };
        let shape = &*Arc::clone(&self.shape);
        let pumped = [usize::MAX, 0].into_iter().map(|at| Recipe::Pump { at });
        self.run_each(pumped.filter_map(|recipe| stretched(shape, recipe, &seed.groups)), 0)
    }

    /// Runs the inputs of patterns.
    pub(super) fn lay_out(&mut self, patterns: &[Pattern]) -> Result<(), LoadError> {
        let shape = &*Arc::clone(&self.shape);
        self.run_each(patterns.iter().filter_map(|pattern| pattern.groups(shape)), 0)
    }

    /// Gives the names of the costliest pattern that has some more letters, each that makes it costlier: names are shorter, and more of them
    /// fit. At smaller sizes there may be letters enough without those. Then takes away each that makes it costlier to be without.
    pub(super) fn choose_letters(&mut self, patterns: &[Pattern]) -> Result<(), LoadError> {
        let shape = &*Arc::clone(&self.shape);
        let named = patterns.iter().filter(|p| p.has_names());
        let laid_out = named.filter_map(|p| Some((p, p.groups(shape)?)));
        let (patterns, inputs): (Vec<&Pattern>, Vec<Groups>) = laid_out.unzip();
        let costs = self.costs(inputs)?.into_iter().zip(patterns);
        let Some((Some(mut most), best)) = costs.max_by_key(|(cost, _)| *cost) else {
            return Ok(());
        };
        let mut best = best.clone();
        // With one letter more the last name may be cut off elsewhere, so that it takes several until they pay: those that alone do
        // the least harm are given first, one after the other.
        let letters: Vec<u64> = best.no_letters().into_iter().collect();
        let alone = self.costs_of(letters.iter().map(|letter| best.with_letter(*letter)))?;
        let mut ranked: Vec<(Option<u64>, u64)> = alone.into_iter().zip(letters).collect();
        ranked.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        let mut more = vec![best.clone()];
        for (_, letter) in &ranked {
            more.push(more[more.len() - 1].with_letter(*letter));
        }
        // How many of them to give: some numbers far from each other, then those near the best of these.
        let (mut from, mut to) = (0, more.len() - 1);
        while from < to {
            let step = (to - from).div_ceil(GIVEN).max(1);
            let numbers: Vec<usize> = (from..to).step_by(step).chain([to]).collect();
            let costs = self.costs_of(numbers.iter().map(|number| more[*number].clone()))?;
            let (cost, number) = costs.into_iter().zip(numbers).max().unwrap_or_default();
            if let Some(cost) = cost.filter(|cost| *cost > most) {
                (most, best) = (cost, more[number].clone());
            }
            if step == 1 || self.is_over() {
                break;
            }
            (from, to) = (number.saturating_sub(step - 1).max(from), (number + step - 1).min(to));
        }
        for letter in best.no_letters() {
            let more = best.with_letter(letter);
            let cost = self.costs_of([more.clone()].into_iter())?[0];
            if let Some(cost) = cost.filter(|cost| *cost > most) {
                (most, best) = (cost, more);
            }
        }
        // What ends a name is no letter of one, but the program may go on for a while with such names.
        let letters: Vec<u64> = (0..=u64::from(u8::MAX)).collect();
        let alone = self.costs_of(letters.iter().map(|letter| best.without_letter(*letter)))?;
        let mut ranked: Vec<(Option<u64>, u64)> = alone.into_iter().zip(letters).collect();
        ranked.retain(|(cost, _)| *cost > Some(most));
        ranked.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        for (_, letter) in ranked {
            let less = best.without_letter(letter);
            let cost = self.costs_of([less.clone()].into_iter())?[0];
            if let Some(cost) = cost.filter(|cost| *cost > most) {
                (most, best) = (cost, less);
            }
        }
        Ok(())
    }

    /// What patterns cost; nothing where they make no input or come to no end.
    fn costs_of(
        &mut self,
        patterns: impl Iterator<Item = Pattern>,
    ) -> Result<Vec<Option<u64>>, LoadError> {
        let shape = &*Arc::clone(&self.shape);
        let made: Vec<Option<Groups>> = patterns.map(|pattern| pattern.groups(shape)).collect();
        let is_made: Vec<bool> = made.iter().map(Option::is_some).collect();
        let mut costs = self.costs(made.into_iter().flatten().collect())?.into_iter();
        Ok(is_made.into_iter().map(|made| if made { costs.next()? } else { None }).collect())
    }

    /// Runs inputs whose arrays are in a plain order, for so many instructions; single values are the
    /// first of it.
    pub(super) fn order(&mut self, instructions: u64) -> Result<(), LoadError> {
        let share = self.left.saturating_sub(instructions);
        let shape = &*Arc::clone(&self.shape);
        let made = orders().into_iter().filter_map(|order| {
            shape.iter().map(|g| order.array(g.slot, g.len)).collect::<Option<Groups>>()
        });
        self.run_each(made, share)
    }

    /// Runs what the user gave, drawn out or cut to this size.
    pub(super) fn run_given(&mut self, given: &[(u64, Groups)]) -> Result<(), LoadError> {
        let (shape, n) = (&*Arc::clone(&self.shape), self.at.n);
        let made = given.iter().flat_map(|(own, groups)| {
            let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
            let again = Recipe::Repeat { prefix: 0, period: longest, suffix: 0, drift: false };
            let last = Recipe::Pump { at: longest.saturating_sub(1) };
            let recipes = match own.cmp(&n) {
                Ordering::Equal => vec![Recipe::End],
                Ordering::Greater => SHORTER.to_vec(),
                Ordering::Less => vec![again, last, Recipe::Scale],
            };
            recipes.into_iter().filter_map(|recipe| stretched(shape, recipe, groups))
        });
        // They are run whatever the effort is.
        self.run_until(made, |search| search.budget.is_over())
    }

    /// Runs inputs of one value, for so many instructions. They are few, and the plainest there are.
    pub(super) fn fill_one(&mut self, words: &[u64], instructions: u64) -> Result<(), LoadError> {
        let share = self.left.saturating_sub(instructions);
        let shape = &*Arc::clone(&self.shape);
        let admitted = words.iter().filter(|word| shape.iter().all(|g| g.slot.admits(**word)));
        let made = admitted.map(|word| shape.iter().map(|g| vec![*word; g.len]).collect());
        self.run_each(made, share)
    }

    /// Runs inputs of one value but for the first or the last.
    pub(super) fn fill(&mut self, words: &[u64], share: u64) -> Result<(), LoadError> {
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
        let shape = &*Arc::clone(&self.shape);
        let made = fills.into_iter().filter_map(|(one, other, last)| {
            let admitted = |g: &Group| g.slot.admits(one) && g.slot.admits(other);
            let filled = |g: &Group| {
                let mut values = vec![one; g.len];
                if g.len > 1 {
                    values[if last { g.len - 1 } else { 0 }] = other;
                }
                values
            };
            shape.iter().all(admitted).then(|| shape.iter().map(filled).collect())
        });
        self.run_each(made, share)
    }

    /// Runs inputs one after the other until no more than `share` instructions are left.
    pub(super) fn run_each(
        &mut self,
        inputs: impl Iterator<Item = Groups>,
        share: u64,
    ) -> Result<(), LoadError> {
        self.run_until(inputs, |search| search.left <= share || search.is_over())
    }

    /// Runs inputs that do not depend on each other until it is over.
    fn run_until(
        &mut self,
        mut inputs: impl Iterator<Item = Groups>,
        is_over: impl Fn(&Self) -> bool,
    ) -> Result<(), LoadError> {
        while !is_over(self) {
            let next: Vec<Groups> = inputs.by_ref().take(self.room(u64::MAX)).collect();
            let all = next.len();
            if all == 0 {
                break;
            }
            for run in self.run_ahead(next) {
                if is_over(self) {
                    return Ok(());
                }
                self.take_in(run)?;
            }
            self.ahead.learn(all, all);
        }
        Ok(())
    }

    /// How many inputs to run next, where no more than so many instructions are wanted.
    pub(super) fn room(&self, instructions: u64) -> usize {
        self.ahead.room(self.left.min(instructions), self.done.instructions, self.done.runs)
    }

    /// Runs inputs side by side, those that were not run before.
    pub(super) fn run_ahead(&self, inputs: Vec<Groups>) -> Vec<RunAhead> {
        self.running(Some(&self.seen)).all(inputs)
    }

    /// Makes so many inputs and runs them, side by side, those that were not run before; `None` where one cannot be made.
    pub(super) fn run_made(
        &self,
        count: usize,
        make: impl Fn(usize) -> Option<Groups> + Sync,
    ) -> Option<Vec<RunAhead>> {
        let run = self.running(Some(&self.seen));
        self.ahead.each(count, |i| make(i).map(|groups| run.one(groups))).into_iter().collect()
    }

    /// Runs inputs side by side, whether they were run before or not, until it is over; what each cost, if it ended.
    pub(super) fn costs(&mut self, inputs: Vec<Groups>) -> Result<Vec<Option<u64>>, LoadError> {
        let values: usize = self.shape.iter().map(|g| g.len).sum();
        self.run_all(inputs, |run| run.cost(values))
    }

    /// The same, and how often each block ran; nothing where it was over.
    pub(super) fn counts(&mut self, inputs: Vec<Groups>) -> Result<Vec<Vec<u64>>, LoadError> {
        let counts = |run: &RunAhead| Some(run.ran.as_ref()?.as_ref().ok()?.counts.clone());
        let all = self.run_all(inputs, counts)?;
        Ok(all.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Runs inputs side by side, whether they were run before or not, until it is over; of each what is asked for.
    fn run_all<T>(
        &mut self,
        inputs: Vec<Groups>,
        ask: impl Fn(&RunAhead) -> Option<T>,
    ) -> Result<Vec<Option<T>>, LoadError> {
        let mut all = Vec::new();
        let mut inputs = inputs.into_iter();
        loop {
            let next: Vec<Groups> = inputs.by_ref().take(self.room(u64::MAX)).collect();
            if next.is_empty() || self.is_over() {
                all.extend(next.iter().chain(inputs.as_slice()).map(|_| None));
                return Ok(all);
            }
            for run in self.running(None).all(next) {
                // As if they were run one after the other.
                all.push(ask(&run).filter(|_| !self.is_over()));
                if !self.is_over() {
                    self.take_in(run)?;
                }
            }
        }
    }

    /// What runs inputs, but for those that were seen.
    fn running<'a>(&'a self, seen: Option<&'a HashSet<u64>>) -> Running<'a> {
        let profiled = self.queue.is_some();
        // The costliest only become costlier. A queue may keep any input, for what it runs.
        let last = self.pool.get(KEPT - 1).filter(|_| !profiled);
        let beaten = last.map(|seed| seed.cost);
        Running { at: &self.at, shape: &self.shape, profiled, seen, beaten, ahead: self.ahead }
    }

    /// Takes in what a run came to.
    pub(super) fn take_in(&mut self, run: RunAhead) -> Result<Taken, LoadError> {
        let RunAhead { groups, digest, ran } = run;
        // One may have been run twice in a round.
        match (self.seen.insert(digest), ran) {
            (true, Some(ran)) => Ok(self.note(groups, ran?)),
            _ => Ok(Taken::Known),
        }
    }

    /// Runs an input that was not run before, and keeps it if it is among the costliest.
    pub(super) fn run(&mut self, groups: Groups) -> Result<Taken, LoadError> {
        let digest = digest(&groups);
        match self.seen.insert(digest) {
            true => self.run_unseen(groups),
            false => Ok(Taken::Known),
        }
    }

    pub(super) fn run_unseen(&mut self, groups: Groups) -> Result<Taken, LoadError> {
        let input = joined(&self.shape, &groups);
        let ran = Ran::of(&self.at, input, self.queue.is_some())?;
        Ok(self.note(groups, ran))
    }

    /// Counts a run, and keeps its input if it holds a record or is among the costliest: what inputs are varied from is what there
    /// is a queue of, or else the pool.
    fn note(&mut self, groups: Groups, ran: Ran) -> Taken {
        let cost = self.account(&ran);
        let queue = self.queue.as_mut();
        let holds_record = queue.map(|queue| queue.note(&groups, &ran.counts, cost));
        let instructions = ran.counters.instructions;
        let is_kept =
            cost.is_some_and(|cost| keep(&mut self.pool, Seed { groups, cost, instructions }));
        if holds_record.unwrap_or(is_kept) { Taken::Kept } else { Taken::Nothing }
    }

    /// Counts a run; answers its cost, if it came to its end.
    fn account(&mut self, ran: &Ran) -> Option<u64> {
        let took = ran.counters.all_instructions + START;
        self.left = self.left.saturating_sub(took);
        self.done.runs += 1;
        self.done.instructions += took;
        self.done.unended += u64::from(matches!(ran.end, End::OutOfInstructions | End::Endless));
        let cost = ran.cost(self.shape.iter().map(|g| g.len).sum())?;
        let (least, most) = self.done.costs.unwrap_or((cost, cost));
        self.done.costs = Some((least.min(cost), most.max(cost)));
        Some(cost)
    }

    pub(super) fn test(&self, seed: &Seed) -> PathTest {
        PathTest {
            input: Some(joined(&self.shape, &seed.groups)),
            cost: seed.cost,
            instructions: seed.instructions,
            trap: None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.budget.is_over()
    }
}

fn explains(shape: &[Group], recipe: Recipe, seed: &Seed) -> bool {
    let mut arrays = shape.iter().zip(&seed.groups).filter(|(g, _)| g.len > 1);
    arrays.all(|(group, values)| recipe.explains(values, group.slot))
}

fn stretched(shape: &[Group], recipe: Recipe, groups: &Groups) -> Option<Groups> {
    if groups.len() != shape.len() {
        return None;
    }
    let pairs = shape.iter().zip(groups);
    pairs.map(|(g, values)| recipe.stretch(values, g.slot, g.len)).collect()
}

fn digest(groups: &Groups) -> u64 {
    let mut hasher = DefaultHasher::new();
    groups.hash(&mut hasher);
    hasher.finish()
}
