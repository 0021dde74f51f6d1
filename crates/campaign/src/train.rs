//! Explores one training size, and summarises it for the learners as it goes.

use crate::error::Error;
use crate::jobs::PartFound;
use crate::target::Target;
use pessimum_clock::Instant;
use pessimum_explore::{
    Budget, Learned, Merge, Options, Outcome, Trainer, TreeParts, explore, explore_by_parts,
    explore_lesson,
};
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

impl Walk {
    fn new(outcome: Outcome, learned: Learned, begun: Instant) -> Walk {
        let Learned { summary, worst } = learned;
        Walk { outcome, summary, worst, seconds: begun.elapsed().as_secs_f64() }
    }
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
    let mut all = Learned::default();
    observers.into_iter().for_each(|trainer| all.merge(trainer.into()));
    Ok(Walk::new(outcome, all, begun))
}

/// Somebody who has the parts of trees walked on other machines.
pub trait Elsewhere: Send {
    /// What was found in each part of the tree of a training size, and learned from it. `lesson` is whether what is learned from
    /// is priced otherwise than what is reported.
    fn walk(&self, size: &SizeElsewhere<'_>) -> Result<Vec<PartFound>, Error>;
}

/// A training size that is walked elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct SizeElsewhere<'a> {
    /// The program.
    pub target: &'a Target,
    /// The size.
    pub n: u64,
    /// Whether histories contain forced decisions too.
    pub history_all: bool,
    /// Work that the size may take.
    pub work: Option<u64>,
    /// The parts of its tree.
    pub tree: &'a TreeParts,
}

/// How a training size is explored.
#[derive(Clone, Copy)]
pub(crate) struct Lesson<'a> {
    /// Whether histories contain forced decisions too.
    pub(crate) history_all: bool,
    /// Threads.
    pub(crate) workers: usize,
    /// Who walks what is worth sharing out, if it is not done here.
    pub(crate) elsewhere: Option<&'a dyn Elsewhere>,
}

/// How every path of a training size is followed.
pub(crate) fn lesson(history_all: bool, budget: Budget) -> Options {
    Options { budget, history_all, max_tests: TESTS, ..Options::default() }
}

/// Explores `n` exhaustively; `None` when the budget did not suffice.
pub(crate) fn train_size(
    target: &Target,
    n: u64,
    how: Lesson<'_>,
    budget: Budget,
) -> Result<Result<TrainedSize, Outcome>, Error> {
    let Lesson { history_all, workers, elsewhere } = how;
    let (begun, work) = (Instant::now(), budget.work);
    let options = lesson(history_all, budget);
    let walk = match elsewhere {
        None => walk(target, n, &Unguided, options, workers)?,
        Some(elsewhere) => {
            let plan = target.plan(n, options, workers)?;
            let (outcome, learned) = explore_by_parts(&plan, |tree| {
                elsewhere.walk(&SizeElsewhere { target, n, history_all, work, tree })
            })?;
            Walk::new(outcome, learned, begun)
        }
    };
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
    use crate::jobs::{JobId, Parts, PartsWanted};
    use crate::program::Program;
    use pessimum_entry::CostModel;
    use std::path::PathBuf;

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

    /// Walks the parts of sizes as files, last to first, each by a process that knows nothing but its folder.
    struct Files(PathBuf);

    impl Elsewhere for Files {
        fn walk(&self, size: &SizeElsewhere<'_>) -> Result<Vec<PartFound>, Error> {
            let SizeElsewhere { target, n, history_all, work, tree } = *size;
            let call = serde_json::Value::Null;
            let wanted = PartsWanted { call, n, history_all, work, tree: tree.clone() };
            let planned = Parts::plan(&self.0, target.program().bytes(), wanted)?;
            assert!(planned.gather()?.is_none(), "nothing is done yet");
            for id in planned.missing()?.into_iter().rev() {
                let parts = Parts::open(planned.folder())?;
                assert!(!parts.run(target, &Budget::default(), &id)?);
                assert!(parts.run(target, &Budget::default(), &id)?, "it is not done twice");
            }
            assert!(planned.missing()?.is_empty());
            Ok(planned.gather()?.expect("all are done"))
        }
    }

    fn quicksort() -> Target {
        let module = include_bytes!("../../pessimum/examples/quicksort.wasm").as_slice();
        let program = Program::new("a.wasm", module).and_then(|p| p.call("sort(&i32[n], n)"));
        let program = program.expect("it can be called");
        Target::new(program, &CostModel::Conditionals).expect("it can be priced")
    }

    /// A folder of a test's own.
    fn folder(name: &str) -> PathBuf {
        let name = format!("pessimum-parts-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    /// Whole or cut: the bytes are those of threads.
    #[test]
    fn parts_that_are_walked_elsewhere_give_what_threads_do() {
        let (target, folder) = (quicksort(), folder("same"));
        let files = Files(folder.clone());
        let trained = |work: Option<u64>, elsewhere: Option<&dyn Elsewhere>| {
            let how = Lesson { history_all: false, workers: 2, elsewhere };
            let budget = Budget { work, ..Budget::default() };
            let size = train_size(&target, 7, how, budget).expect("it can be explored");
            match size {
                Ok(mut size) => {
                    size.seconds = 0.0;
                    serde_json::to_string(&size)
                }
                Err(cut) => serde_json::to_string(&cut),
            }
            .expect("it can be saved")
        };
        let whole = trained(None, None);
        assert!(whole.contains("summary"));
        let saved: TrainedSize = serde_json::from_str(&whole).expect("it was saved");
        let limit = Some(saved.outcome.work * 3 / 4);
        let cut = trained(limit, None);
        assert!(cut.contains("Work") && !cut.contains("summary"), "it is cut");
        for (work, plain) in [(None, whole), (limit, cut)] {
            assert!(trained(work, Some(&files)) == plain, "work {work:?}");
        }
        let folders = std::fs::read_dir(&folder).expect("parts were planned").count();
        assert_eq!(folders, 2, "one folder for each tree");
        let _ = std::fs::remove_dir_all(folder);
    }

    /// A part that was damaged counts as missing; a part of another program is refused.
    #[test]
    fn parts_that_cannot_be_believed_are_not() {
        let (target, folder) = (quicksort(), folder("refused"));
        let options = lesson(false, Budget::default());
        let plan = target.plan(7, options, 1).expect("it can be explored");
        let mut tree = None;
        let seen = explore_by_parts(&plan, |parts| {
            tree = Some(parts.clone());
            Err(Error::Usage("seen".to_owned()))
        });
        assert!(seen.is_err());
        let tree = tree.expect("it is worth sharing out");
        let call = serde_json::Value::Null;
        let wanted = PartsWanted { call, n: 7, history_all: false, work: None, tree };
        let bytes = target.program().bytes();
        let parts = Parts::plan(&folder, bytes, wanted.clone()).expect("it can be planned");
        let first: JobId = "1".parse().expect("a name");
        parts.run(&target, &Budget::default(), &first).expect("it is walked");
        assert!(!parts.missing().expect("they are listed").contains(&first));
        let file = parts.folder().join("done/1.json");
        let mut damaged = std::fs::read(&file).expect("it is done");
        let last = damaged.len() - 2;
        damaged[last] ^= 1;
        std::fs::write(&file, damaged).expect("it can be written");
        assert!(parts.missing().expect("they are listed").contains(&first));
        // Of the same name, at another size: the way there is another one.
        let smaller = PartsWanted { n: 6, ..wanted };
        let parts = Parts::plan(&folder, bytes, smaller).expect("it can be planned");
        let ran = parts.missing().expect("they are listed").into_iter();
        let mut ran = ran.map(|id| parts.run(&target, &Budget::default(), &id));
        let refused = ran.find_map(Result::err).expect("some do not fit").to_string();
        assert!(refused.contains("does not fit the program"), "{refused}");
        let _ = std::fs::remove_dir_all(folder);
    }
}
