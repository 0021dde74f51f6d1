//! Inputs run side by side, with the answer of running one after the other.
//!
//! A search makes an input of what it knows, runs it, and mostly learns nothing from it. So the next inputs are made as if
//! those before them taught nothing, all of them are run side by side, and what they came to is taken in one after the other. As
//! soon as one changes what is known, those behind it are thrown away and made anew.
//!
//! *Architecture invariant*: how many are run ahead changes how long a search takes, and nothing else.

use crate::at_size::AtSize;
use pessimum_entry::InputValues;
use pessimum_explore::side_by_side;
use pessimum_machine::{Counters, End, LoadError};

/// Inputs for each worker that are run ahead, at most; more where runs are so short that they do not take these instructions.
const MOST: usize = 256;
const ROUND: u64 = 100 * WORTH;

/// Instructions that are worth a thread: to wake one takes as long as some short runs.
const WORTH: u64 = 100_000;

/// The part of the inputs between two changes that is run ahead. Half of a round is thrown away at every change: a sixteenth of
/// all runs.
const PART: usize = 8;

/// How many inputs are run ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    workers: usize,
    /// Inputs that were taken in since something changed, and as many as usually are.
    since: usize,
    usual: usize,
}

impl Ahead {
    pub(crate) fn new(workers: usize) -> Ahead {
        let workers = workers.max(1);
        Ahead { workers, since: 0, usual: 0 }
    }

    /// Threads there are.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// How many to run next: no more than fit into the instructions that are left, if they take what those before took.
    pub(crate) fn room(&self, left: u64, instructions: u64, runs: u64) -> usize {
        if self.workers == 1 {
            return 1;
        }
        let one = (instructions / runs.max(1)).max(1);
        let fitting = usize::try_from(left / one).unwrap_or(usize::MAX);
        let likely = self.since.max(self.usual) / PART;
        let most = MOST.max(usize::try_from(ROUND / one).unwrap_or(MOST));
        let next = likely.clamp(self.workers, self.workers * most).min(fitting.saturating_add(1));
        if one.saturating_mul(next as u64) < WORTH { 1 } else { next }
    }

    /// Learns from a round, of which so many were of use.
    pub(crate) fn learn(&mut self, used: usize, all: usize) {
        self.since += used;
        if used < all {
            self.usual = (3 * self.usual + self.since) / 4;
            self.since = 0;
        }
    }

    /// Does jobs on the threads there are, in order of their numbers.
    pub(crate) fn each<T: Send>(&self, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
        side_by_side(self.workers, count, job)
    }
}

/// What is kept of a run that is over.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) end: End,
    pub(crate) counters: Counters,
    /// Inputs that the program took.
    pub(crate) took: usize,
    /// How often each block ran, where that was counted.
    pub(crate) counts: Vec<u64>,
}

impl Ran {
    /// Runs an input, and counts how often each block runs if that is wanted.
    pub(crate) fn of(at: &AtSize, input: InputValues, profiled: bool) -> Result<Ran, LoadError> {
        let (end, machine) = if profiled { at.run_profiled(input)? } else { at.run(input)? };
        let (counters, counts) = (machine.counters(), machine.block_counts().to_vec());
        let took = machine.inputs().len();
        at.give_back(machine);
        Ok(Ran { end, counters, took, counts })
    }

    /// What it cost, if it came to its end and took so many inputs: a program that asks for its inputs may have asked for
    /// others.
    pub(crate) fn cost(&self, inputs: usize) -> Option<u64> {
        let ended = matches!(self.end, End::Return | End::Exit(_)) && self.took == inputs;
        ended.then_some(self.counters.cost)
    }
}

/// What taking in a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// The input was run before.
    Known,
    /// Nothing was learned.
    Nothing,
    /// Nothing was learned, since the run was longer than it may be.
    Cut,
    /// What is known is no longer what the next inputs were made of.
    Kept,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_runs_nothing_ahead() {
        let mut one = Ahead::new(1);
        one.learn(1, 1);
        assert_eq!(one.room(u64::MAX, 0, 0), 1);
    }

    #[test]
    fn more_are_run_ahead_the_longer_nothing_changes() {
        let mut two = Ahead::new(2);
        let room = |ahead: &Ahead| ahead.room(u64::MAX, 10 * WORTH, 10);
        assert_eq!(room(&two), 2);
        two.learn(80, 80);
        assert_eq!(room(&two), 10, "an eighth of them");
        (0..100).for_each(|_| two.learn(room(&two), room(&two)));
        assert_eq!(room(&two), 2 * MOST);
        assert_eq!(two.room(2 * WORTH, 10 * WORTH, 10), 3, "no more than there is work for");
        // Changes that come often make for short rounds.
        (0..100).for_each(|_| two.learn(5, 64));
        assert_eq!(room(&two), 2);
    }

    #[test]
    fn short_runs_are_not_worth_a_thread_until_they_are_many() {
        let mut two = Ahead::new(2);
        let room = |ahead: &Ahead| ahead.room(u64::MAX, WORTH, 100);
        while two.since < 100 * PART {
            assert_eq!(room(&two), 1);
            two.learn(1, 1);
        }
        assert_eq!(room(&two), 100);
        // Of short ones more are run than of long ones.
        (0..100).for_each(|_| two.learn(1000, 1000));
        assert!(room(&two) > 2 * MOST);
        assert_eq!(two.room(u64::MAX, 100 * WORTH, 1), 2 * MOST);
    }
}
