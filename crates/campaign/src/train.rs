//! Explores one training size, and summarises it for the learners as it goes.

use crate::error::Error;
use crate::target::Target;
use pessimum_clock::Instant;
use pessimum_explore::{Budget, Merge, Options, Outcome, Trainer, explore, explore_lesson};
use pessimum_learn::{Guide, Unguided, WiseSummary, WorstPaths};
use serde::{Deserialize, Serialize};

/// A size that was explored to its end. Of one whose states were walked once, no worst paths are known but the
/// first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TrainedSize {
    pub(crate) n: u64,
    pub(crate) outcome: Outcome,
    pub(crate) summary: WiseSummary,
    pub(crate) worst: WorstPaths,
    pub(crate) seconds: f64,
}

impl TrainedSize {
    pub(crate) fn worst_cost(&self) -> Option<u64> {
        self.outcome.worst_cost()
    }
}

/// One exploration with what can be learned from it.
pub(crate) struct Walk {
    pub(crate) outcome: Outcome,
    pub(crate) summary: WiseSummary,
    pub(crate) worst: WorstPaths,
    pub(crate) seconds: f64,
}

/// Inputs kept of a training size: what they are made of is tried at larger ones.
const TESTS: usize = 64;

/// Explores a size under a guide, learning from every path.
pub(crate) fn walk<G: Guide + Sync>(
    target: &Target,
    n: u64,
    guide: &G,
    options: Options,
    workers: usize,
) -> Result<Walk, Error> {
    let begun = Instant::now();
    let plan = target.plan(n, options, workers)?;
    let (outcome, observers) = explore(&plan, guide, Trainer::default)?;
    let mut summary = WiseSummary::new();
    let mut worst = WorstPaths::default();
    for trainer in observers {
        summary.merge(&trainer.wise.summary());
        worst.merge(trainer.worst);
    }
    Ok(Walk { outcome, summary, worst, seconds: begun.elapsed().as_secs_f64() })
}

/// How a training size is explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lesson {
    /// Whether histories contain forced decisions too.
    pub(crate) history_all: bool,
    /// Threads.
    pub(crate) workers: usize,
}

/// Explores `n` exhaustively; `None` when the budget did not suffice.
pub(crate) fn train_size(
    target: &Target,
    n: u64,
    lesson: Lesson,
    budget: Budget,
) -> Result<Result<TrainedSize, Outcome>, Error> {
    let Lesson { history_all, workers } = lesson;
    let options = Options { budget, history_all, max_tests: TESTS, ..Options::default() };
    let walk = walk(target, n, &Unguided, options, workers)?;
    if !walk.outcome.complete {
        return Ok(Err(walk.outcome));
    }
    Ok(Ok(TrainedSize {
        n,
        outcome: walk.outcome,
        summary: walk.summary,
        worst: walk.worst,
        seconds: walk.seconds,
    }))
}

/// Learns from the states of `n`, each of which is walked once: least policies alone, since the worst paths are not met one by one.
/// `None` where states do not merge within the budget.
pub(crate) fn train_by_states(
    target: &Target,
    n: u64,
    merge: Merge,
    budget: Budget,
) -> Result<Option<TrainedSize>, Error> {
    let begun = Instant::now();
    let options = Options { budget, merge, max_tests: 0, ..Options::default() };
    let learned = explore_lesson(&target.plan(n, options, 1)?)?;
    Ok(learned.map(|(outcome, summary)| TrainedSize {
        n,
        outcome,
        summary,
        worst: WorstPaths::default(),
        seconds: begun.elapsed().as_secs_f64(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;
    use pessimum_entry::CostModel;

    /// What is learned depends on the paths, not on the order in which workers came to them.
    #[test]
    fn any_number_of_workers_learns_the_same() {
        for (module, call) in [
            (
                include_bytes!("../../pessimum/examples/insertion_sort.wasm").as_slice(),
                "sort(&i32[n], n)",
            ),
            (
                include_bytes!("../../pessimum/examples/quicksort.wasm").as_slice(),
                "sort(&i32[n], n)",
            ),
            (
                include_bytes!("../../pessimum/examples/merge_sort.wasm").as_slice(),
                "sort(&i32[n], n)",
            ),
        ] {
            let program = Program::new("a.wasm", module).and_then(|p| p.call(call));
            let program = program.expect("it can be called");
            let target = Target::new(program, &CostModel::Conditionals).expect("it can be priced");
            let learned = |workers| {
                let walk = walk(&target, 7, &Unguided, Options::default(), workers);
                let walk = walk.expect("it can be explored");
                let worst = walk.worst.best().map(<[_]>::to_vec);
                (walk.summary, worst)
            };
            let one = learned(1);
            assert!(one.0.leaves() > 1, "there is nothing to learn");
            for workers in [2, 3] {
                assert_eq!(learned(workers), one, "{call} with {workers} workers");
            }
        }
    }
}
