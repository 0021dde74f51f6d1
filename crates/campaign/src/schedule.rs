//! The schedule of an analysis: its ladder of sizes, and how work and time are shared out.

use crate::evidence::Cut;
use crate::train::TrainedSize;
use pessimum_explore::Budget;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Work units that a second is reckoned as. Only ratios of budgets depend on it, never results on
/// the speed of the machine.
pub const WORK_PER_SECOND: u64 = 20_000_000;

/// Sizes below the largest that was asked for, so that a fit has something to go by.
/// `known` are those that were run, `largest` is the largest with an answer.
pub(crate) fn between(known: &BTreeSet<u64>, largest: u64, stage_from: Option<u64>) -> Vec<u64> {
    let from = stage_from.unwrap_or(1);
    // Every one of the smallest: a program that few sizes can be had of grows fast.
    let all = (from..from + LADDER[0]).chain(LADDER.into_iter().filter(|n| *n >= from + LADDER[0]));
    all.filter(|n| *n < largest && !known.contains(n)).collect()
}

/// Sizes above all that were run, for costs that leave two classes open; none once they were run.
pub(crate) fn beyond(largest: u64) -> Vec<u64> {
    // Where the ladder was not climbed to its end there is no climbing on.
    if largest != LADDER[LADDER.len() - 1] {
        return Vec::new();
    }
    vec![400, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000]
}

/// Sizes that grow by about a third at each step.
pub(crate) const LADDER: [u64; 14] = [8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300];

/// Sizes worth looking at: those around the training sizes and on to a few hundred.
pub(crate) fn ladder(trained: &[TrainedSize]) -> Vec<u64> {
    let last = trained.last().map_or(1, |s| s.n);
    LADDER.into_iter().filter(|n| *n > last.min(9)).collect()
}

/// Sizes worth looking at where every size is explored in full: the larger half of those that were,
/// and further ones as far as a quarter of the work goes, if they go on growing as the last did.
pub(crate) fn ladder_in_full(trained: &[TrainedSize], work: u64) -> Vec<u64> {
    let last = trained.last().map_or(0, |s| s.n);
    let work_at = |from_last: usize| {
        let size = trained.iter().rev().nth(from_last);
        size.map_or(1.0, |s| s.outcome.work.max(1) as f64)
    };
    let growth = (work_at(0) / work_at(1)).max(1.0);
    let affordable = |n: &u64| work_at(0) * growth.powf((n - last) as f64) <= work as f64 / 4.0;
    let half = trained.iter().map(|s| s.n).filter(|n| 2 * n > last);
    let further = ladder(trained).into_iter().filter(|n| *n > last).take_while(affordable);
    half.chain(further).collect()
}

/// A run that takes less than this part of what is left is cheap.
const CHEAP: u64 = 64;

/// What of the work is for following policies, and how much of it the next size gets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Share {
    left: u64,
    /// The part of what is left that one size may take.
    part: u64,
}

impl Share {
    pub(crate) fn new(total: u64) -> Share {
        Share { left: total, part: 3 }
    }

    /// The limit of the next size; none where there is none for all of them.
    pub(crate) fn next(&self) -> Option<u64> {
        (self.left < u64::MAX).then_some(self.left / self.part)
    }

    /// Takes off what a size took. A policy that leads to many paths, or to less than a search
    /// found, gets less and less of what is left; one that takes next to nothing may go on.
    pub(crate) fn spend(&mut self, work: u64, straight: bool, surpassed: bool) {
        if self.left < u64::MAX {
            self.left = self.left.saturating_sub(work);
            let cheap = work.saturating_mul(CHEAP) < self.left;
            let worth_it = straight && (cheap || !surpassed);
            self.part = if worth_it { 3 } else { self.part.saturating_mul(4) };
        }
    }

    /// Whether too little is left for a policy to get anywhere.
    pub(crate) fn is_spent(&self) -> bool {
        self.next().is_some_and(|work| work < WORK_PER_SECOND / 200)
    }
}

/// A time in units of work.
pub(crate) fn work_of(time: Duration) -> u64 {
    (time.as_millis() as u64).saturating_mul(WORK_PER_SECOND / 1000)
}

/// A budget that ends when a third of the time that is left has passed: on a slow machine the work
/// for what comes first must not take the time of all the rest.
pub(crate) fn a_part_of(budget: &Budget) -> Budget {
    one_of(budget, 3)
}

/// A budget for the first of so many steps of equal length.
pub(crate) fn one_of(budget: &Budget, steps: u32) -> Budget {
    let now = Instant::now();
    let deadline = budget.deadline.map(|d| now + d.saturating_duration_since(now) / steps);
    Budget { deadline, ..budget.clone() }
}

/// What ends the run at this moment, if anything.
pub(crate) fn cut_by_now(budget: &Budget) -> Option<Cut> {
    if budget.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed)) {
        return Some(Cut::Interrupt);
    }
    budget.deadline.is_some_and(|d| Instant::now() >= d).then_some(Cut::Time)
}
