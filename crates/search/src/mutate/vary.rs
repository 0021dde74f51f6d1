//! Inputs of one size that are made from the costliest, or from those that run some block most often.

use super::at_one_size::SizeSearch;
use super::queue::{self, Material};
use crate::ahead::Taken;
use crate::collide::{Collided, LEADS, colliding};
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
    /// A fifth of it goes to sending keys to one place, and as much, at most, to how often words are repeated.
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
        let (mut meet, mut stretch) = (0, 0);
        let mut stretched = None;
        while !self.is_over() && idle < IDLE {
            let before = self.done.instructions;
            if before >= meet {
                if let Some(parent) = self.queue.as_ref().and_then(|q| q.choose(random)) {
                    self.collide(&parent, meeting, random)?;
                }
                let took = self.done.instructions - before;
                meet = self.done.instructions + 4 * took;
            }
            let costliest = self.queue.as_ref().and_then(|q| q.costliest());
            let before = self.done.instructions;
            if before >= stretch
                && let Some(parent) = costliest.filter(|parent| Some(parent) != stretched.as_ref())
            {
                self.stretch_repeated(&parent)?;
                stretched = self.queue.as_ref().and_then(|q| q.costliest());
                let took = self.done.instructions - before;
                stretch = self.done.instructions + 4 * took;
            }
            if !self.vary_until(meet, &mut idle, random, variant)? {
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
        variant: impl Fn(&Self, &mut Seeded) -> Option<Groups> + Sync,
    ) -> Result<bool, LoadError> {
        loop {
            // Each has a chance of its own, so that any thread can make it; and the chance as it is after it.
            let mut ahead = *random;
            let until = instructions.saturating_sub(self.done.instructions);
            let room = self.room(until);
            let chances: Vec<(Seeded, Seeded)> =
                (0..room).map(|_| (Seeded::new(ahead.next_u64()), ahead)).collect();
            let variant = |i: usize| variant(self, &mut { chances[i].0 });
            let Some(runs) = self.run_made(room, variant) else { return Ok(false) };
            let (mut used, all) = (0, runs.len());
            for (run, (_, after)) in runs.into_iter().zip(chances) {
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

    /// Runs inputs whose keys are sent to one place, for so many instructions; each with what it costs, if it ends.
    pub(super) fn collide(
        &mut self,
        groups: &Groups,
        instructions: u64,
        random: &mut Seeded,
    ) -> Result<Vec<(Option<u64>, Collided)>, LoadError> {
        let at = (&self.at, &*self.shape);
        let limit = instructions.min(self.left);
        let (made, took) = colliding(at, groups, &LEADS, limit, self.budget, random)?;
        self.left = self.left.saturating_sub(took);
        self.done.instructions += took;
        let inputs = made.iter().map(|made| made.groups.clone()).collect();
        let costs = self.costs(inputs)?;
        Ok(costs.into_iter().zip(made).collect())
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
