//! Inputs of one size that are made from the costliest, or from those that run some block most often.

use super::at_one_size::SizeSearch;
use super::queue::{self, Material};
use crate::ahead::Taken;
use crate::collide::colliding;
use crate::evolve::FOLLOWING;
use crate::groups::{Group, Groups, divided};
use crate::pattern::{below, some_value};
use crate::sample::random_value;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, adversary};
use pessimum_machine::LoadError;

/// Variants in a row that were run before until a search ends.
const IDLE: u32 = 200;

impl SizeSearch<'_> {
    /// Changes the costliest inputs here and there for as long as the work allows.
    pub(super) fn vary(&mut self, words: &[u64], random: &mut Seeded) -> Result<(), LoadError> {
        if self.shape.iter().all(|g| g.len == 0) {
            return Ok(());
        }
        let start = self.random(random);
        self.run(start)?;
        let variant = |search: &Self, random: &mut Seeded| {
            // The best more often than the others.
            let among = 1 + below(random, search.pool.len().max(1));
            let parent = search.pool.get(below(random, among))?;
            let mut groups = parent.groups.clone();
            for _ in 0..1 + below(random, 3) {
                mutate(&search.shape, &mut groups, words, random);
            }
            Some(groups)
        };
        let mut idle = 0;
        while !self.is_over() && idle < IDLE {
            if !self.vary_until(u64::MAX, &mut idle, random, variant)? {
                break;
            }
        }
        Ok(())
    }

    /// Changes the costliest inputs, and those that run some block most often, for as long as the work allows.
    /// A fifth of it goes to sending keys to one place.
    pub(super) fn vary_records(
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
        self.meet_in_lists(material, meeting, random)?;
        let variant = |search: &Self, random: &mut Seeded| {
            let queue = search.queue.as_ref()?;
            let (parent, other) = (queue.choose(random)?, queue.holder(random)?);
            let mut groups = Groups::clone(&parent);
            queue::vary(&mut groups, &other, &search.shape, material, random);
            Some(groups)
        };
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
            if !self.vary_until(next, &mut idle, random, variant)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs variants, one at least, until so many instructions were executed, or it is over, or too many in a row were run
    /// before. Says whether there was anything to vary.
    fn vary_until(
        &mut self,
        instructions: u64,
        idle: &mut u32,
        random: &mut Seeded,
        variant: impl Fn(&Self, &mut Seeded) -> Option<Groups>,
    ) -> Result<bool, LoadError> {
        loop {
            // Each with the chance as it is after it.
            let mut ahead = *random;
            let (mut variants, mut after) = (Vec::new(), Vec::new());
            let until = instructions.saturating_sub(self.done.instructions);
            for _ in 0..self.room(until) {
                let Some(groups) = variant(self, &mut ahead) else { return Ok(false) };
                variants.push(groups);
                after.push(ahead);
            }
            let (mut used, all) = (0, variants.len());
            for (run, after) in self.run_ahead(variants).into_iter().zip(after) {
                *random = after;
                used += 1;
                let taken = self.take_in(run)?;
                *idle = if taken == Taken::Known { *idle + 1 } else { 0 };
                // Where all variants are known there is nothing left to do.
                if self.done.instructions >= instructions || self.is_over() || *idle >= IDLE {
                    return Ok(true);
                }
                if taken == Taken::Kept {
                    break;
                }
            }
            self.ahead.learn(used, all);
        }
    }

    /// Sends the keys of lists of names to one place: names of one length at random, and one word behind each. Of each
    /// length those lists come first that cost most, since in them the word ends a name and each name is looked up.
    fn meet_in_lists(
        &mut self,
        material: Material<'_>,
        meeting: u64,
        random: &mut Seeded,
    ) -> Result<(), LoadError> {
        let longest = (0..self.shape.len()).max_by_key(|&i| self.shape[i].len);
        let Some(array) = longest.filter(|&i| self.shape[i].slot.ty.bits() == 8) else {
            return Ok(());
        };
        let Some(start) = self.pool.first().map(|seed| seed.groups.clone()) else { return Ok(()) };
        let single = |token: &Vec<u64>| (token.len() == 1).then(|| token[0]);
        let singles = material.tokens.iter().filter_map(single);
        let words: Vec<u64> = singles.chain(material.words.iter().copied()).collect();
        let inputs: usize = self.shape.iter().map(|g| g.len).sum();
        let mut ranked: Vec<(usize, Groups)> = Vec::new();
        for name in NAMES {
            let with = |list: Vec<u64>| {
                let mut groups = start.clone();
                groups[array] = list;
                groups
            };
            let lists = lists_of_names(self.shape[array], name, &words, random);
            let mut tried: Vec<(Option<u64>, Groups)> = Vec::new();
            for run in self.run_ahead(lists.into_iter().map(with).collect()) {
                tried.push((run.cost(inputs), run.groups.clone()));
                self.take_in(run)?;
            }
            tried.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
            ranked.extend(tried.into_iter().enumerate().map(|(rank, (_, groups))| (rank, groups)));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        let until = self.done.instructions + 2 * meeting;
        for (_, groups) in ranked {
            if self.is_over() || self.done.instructions >= until {
                break;
            }
            self.collide(&groups, meeting, random)?;
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
        let at = (&self.at, &*self.shape);
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

    /// Values at random.
    fn random(&self, random: &mut Seeded) -> Groups {
        let array = |g: &Group| (0..g.len).map(|_| random_value(random, g.slot)).collect();
        self.shape.iter().map(array).collect()
    }
}

/// Most words that end a name, and the lengths of names.
const ENDS: usize = 40;
const NAMES: std::ops::RangeInclusive<usize> = 2..=6;

/// Lists of names at random that have so many letters and none of the words in them, for each word that may be behind
/// a name; none where two names do not fit.
fn lists_of_names(group: Group, name: usize, words: &[u64], random: &mut Seeded) -> Vec<Vec<u64>> {
    let is_letter = |bits: &u64| group.slot.admits(*bits) && !words.contains(bits);
    let letters: Vec<u64> = (0..=u64::from(u8::MAX)).filter(is_letter).collect();
    if letters.len() < 2 || group.len < 2 * (name + 1) {
        return Vec::new();
    }
    let mut ends: Vec<u64> = Vec::new();
    for word in words.iter().filter(|word| group.slot.admits(**word)) {
        if ends.len() < ENDS && !ends.contains(word) {
            ends.push(*word);
        }
    }
    let mut list = |end: u64| {
        let value = |i: usize| match i % (name + 1) == name {
            true => end,
            false => letters[below(random, letters.len())],
        };
        (0..group.len).map(value).collect()
    };
    ends.into_iter().map(&mut list).collect()
}

/// One change to an input.
fn mutate(shape: &[Group], groups: &mut [Vec<u64>], words: &[u64], random: &mut Seeded) {
    let total: usize = groups.iter().map(Vec::len).sum();
    let mut place = below(random, total);
    let Some((group, values)) = shape.iter().zip(groups.iter_mut()).find(|(_, values)| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::{Slot, Type};

    #[test]
    fn names_of_a_list_have_one_length_and_no_word_in_them() {
        let group = Group { slot: Slot::any(Type::U8), len: 10, text: false };
        let lists = lists_of_names(group, 3, &[32, 300, 10, 32], &mut Seeded::new(1));
        assert_eq!(lists.len(), 2, "one for each word that fits, once");
        for (list, end) in lists.iter().zip([32, 10]) {
            assert_eq!((list.len(), list[3], list[7]), (10, end, end));
            let names = list.iter().enumerate().filter(|(i, _)| i % 4 != 3);
            assert!(names.into_iter().all(|(_, value)| ![10, 32].contains(value)), "{list:?}");
        }
        assert!(lists_of_names(group, 5, &[32], &mut Seeded::new(1)).is_empty());
    }
}
