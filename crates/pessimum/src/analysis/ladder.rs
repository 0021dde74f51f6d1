//! Sizes worth looking at.

use super::job::Found;
use crate::train::TrainedSize;
use std::collections::BTreeMap;

/// Sizes below the largest that was asked for, so that a fit has something to go by.
pub(super) fn between(found: &BTreeMap<u64, Found>, stage_from: Option<u64>) -> Vec<u64> {
    let reached = found.iter().rev().find(|(_, f)| f.outcome.worst.is_some());
    let largest = reached.map_or(0, |(n, _)| *n);
    let from = stage_from.unwrap_or(1);
    // Every one of the smallest: a program that few sizes can be had of grows fast.
    let all = (from..from + LADDER[0]).chain(LADDER.into_iter().filter(|n| *n >= from + LADDER[0]));
    all.filter(|n| *n < largest && !found.contains_key(n)).collect()
}

/// Sizes above all that were run, for costs that leave two classes open; none once they were run.
pub(super) fn beyond(found: &BTreeMap<u64, Found>) -> Vec<u64> {
    let largest = found.keys().next_back().copied().unwrap_or(0);
    // Where the ladder was not climbed to its end there is no climbing on.
    if largest != LADDER[LADDER.len() - 1] {
        return Vec::new();
    }
    vec![400, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000]
}

/// Sizes that grow by about a third at each step.
pub(super) const LADDER: [u64; 14] = [8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300];

/// Sizes worth looking at: those around the training sizes and on to a few hundred.
pub(super) fn ladder(trained: &[TrainedSize]) -> Vec<u64> {
    let last = trained.last().map_or(1, |s| s.n);
    LADDER.into_iter().filter(|n| *n > last.min(9)).collect()
}

/// Sizes worth looking at where every size is explored in full: the larger half of those that were,
/// and further ones as far as a quarter of the work goes, if they go on growing as the last did.
pub(super) fn ladder_in_full(trained: &[TrainedSize], work: u64) -> Vec<u64> {
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
