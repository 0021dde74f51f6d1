//! The whole job for one size: set up, walk, on as many threads as asked.

use crate::budget::{Budget, Cut};
use crate::explorer::{Explorer, Options};
use crate::merge::{Merge, adds_up};
use crate::observer::{Nobody, Observer, Pupil};
use crate::outcome::Outcome;
use crate::shared::Shared;
use crate::threads::{on_big_stack, side_by_side};
use pessimum_entry::InputValues;
use pessimum_learn::{Guide, Unguided, WiseSummary};
use pessimum_machine::{End, Inputs, LoadError, Machine, Module, Restart, Setup, Stop, Structures};
use pessimum_term::Arena;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What to explore.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub module: Arc<Module>,
    /// How it is entered.
    pub setup: Setup,
    /// The structures it is entered with, if it takes one: each has a tree of its own, and they
    /// are explored one after the other as if they were one.
    pub over: Option<Arc<dyn Structures>>,
    /// How to walk.
    pub options: Options,
    /// Threads.
    pub workers: usize,
}

/// Explores one size. Each part of the tree gets an observer from `observer`; they come back in
/// the order of the tree. The result does not depend on the number of workers.
pub fn explore<G, O>(
    plan: &Plan,
    guide: &G,
    observer: impl Fn() -> O + Sync,
) -> Result<(Outcome, Vec<O>), LoadError>
where
    G: Guide + Sync,
    O: Observer + Send,
{
    let enter = |inputs: Inputs, observer: O, options: Options| -> Result<_, LoadError> {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, inputs, &mut arena)?;
        Ok(Explorer::new(machine, arena, guide, observer, options))
    };
    if let Some(structures) = &plan.over {
        let enter = |index: usize, observer: O, options: Options| {
            enter(Inputs::Over(Arc::clone(structures), index), observer, options)
        };
        return on_big_stack(plan.workers, || {
            explore_structures(plan, structures.count(), enter, &observer)
        });
    }
    let explorer = |options: Options| enter(Inputs::Symbolic, observer(), options);
    on_big_stack(plan.workers, || {
        let merges = can_merge(plan) && guide.follows_all() && !observer().watches();
        let merge = if merges { plan.options.merge } else { Merge::Off };
        let mut tried = 0;
        if matches!(merge, Merge::On | Merge::Verify) {
            match explore_merged(plan, &explorer, Outcome::new())? {
                Merging::Done { outcome, .. } => return Ok((*outcome, vec![observer()])),
                Merging::GaveUp { work } => tried = work,
            }
        }
        let limit = plan.options.budget.work;
        let (outcome, estimate) = match small(plan, &explorer)? {
            Small::Done(outcome, observer) => return Ok((outcome, vec![observer])),
            Small::Large { outcome, estimate } => (outcome, estimate),
        };
        let before = outcome.work;
        // The first tests that were wanted may be there already: then no part makes any.
        let wanted = plan.options.max_tests;
        let tests = (outcome.tests.len() >= wanted).then(|| outcome.tests.clone());
        let part_tests = if tests.is_some() { 0 } else { wanted };
        let options = Options { max_tests: part_tests, ..plan.options.clone() };
        let plan_of_parts = &Plan { options, ..plan.clone() };
        let taken = |parts: &mut Shared<O>| {
            let (mut outcome, observers) = parts.take(part_tests);
            outcome.tests.extend(tests.iter().flatten().cloned());
            (outcome, observers)
        };
        let mut shared = None;
        if merge == Merge::Auto && outcome.address_forks == 0 && !outcome.uncertain {
            let mut size = estimate;
            if estimate < UNEVEN * WORTH_A_TRY as f64 {
                let most = limit.map_or(WORTH_A_TRY, |limit| limit.min(WORTH_A_TRY));
                let parts = shared.insert(Shared::new(plan_of_parts, &explorer, before)?);
                if parts.walk(plan_of_parts, &explorer, Some(most))? || Some(most) == limit {
                    return Ok(taken(parts));
                }
                tried += parts.lost();
                size = most as f64;
            }
            // Trying takes a small part of what walking would.
            let judged_from = plan.options.judged_from.max((size / TRIED as f64) as u64);
            let options = Options { judged_from, ..plan.options.clone() };
            let plan = &Plan { options, ..plan.clone() };
            match explore_merged(plan, &explorer, outcome.clone())? {
                Merging::Done { outcome, .. } => return Ok((*outcome, vec![observer()])),
                Merging::GaveUp { work } => tried += work,
            }
            // Where they need not be counted, the states may still merge.
            match explore_merged(&uncounted(plan, 0), &explorer, outcome)? {
                Merging::Done { outcome: mut known, .. } => {
                    known.work += tried;
                    let most = plan.options.counted_work / 4;
                    let counted = match known.is_exact() && estimate <= most as f64 {
                        true => count_plainly(plan, &explorer, before, most)?,
                        false => None,
                    };
                    let Some((mut all, observers)) = counted else {
                        return Ok((*known, vec![observer()]));
                    };
                    all.work += known.work;
                    return Ok((all, observers));
                }
                Merging::GaveUp { work } => tried += work,
            }
        }
        // What it took to find out that states do not merge is not taken from the walk's limit: the
        // tree that a plain walk would go through is gone through.
        let mut parts = match shared {
            Some(parts) => parts,
            None => Shared::new(plan_of_parts, &explorer, before)?,
        };
        parts.walk(plan_of_parts, &explorer, limit)?;
        let (mut outcome, observers) = taken(&mut parts);
        outcome.work += tried;
        Ok((outcome, observers))
    })
}

/// Explores one size by its states alone; where they do not merge and the program calls itself, by its
/// paths, on which no call is made twice. `None` where merging does not know how to do what is asked. Where
/// neither comes to its end, the outcome is not complete, and says what it took to find out. One walk does
/// it all, whatever the number of workers.
pub fn explore_states(plan: &Plan) -> Result<Option<Outcome>, LoadError> {
    if plan.over.is_some() || !can_merge(plan) {
        return Ok(None);
    }
    let explorer = |options: Options| -> Result<_, LoadError> {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
        Ok(Explorer::new(machine, arena, &Unguided, Nobody, options))
    };
    on_big_stack(plan.workers, || {
        let mut tried = 0;
        for counted in [true, false] {
            let plan = if counted { plan } else { &uncounted(plan, tried) };
            match explore_merged(plan, &explorer, Outcome::new())? {
                Merging::Done { mut outcome, .. } => {
                    outcome.work += tried;
                    return Ok(Some(*outcome));
                }
                Merging::GaveUp { work } => tried += work,
            }
        }
        let given_up = |work: u64| Ok(Some(Outcome { work, ..Outcome::default() }));
        if !plan.module.recurses() {
            return given_up(tried);
        }
        let left = plan.options.budget.work.map(|work| work.saturating_sub(tried) / 2);
        let budget = Budget { work: left, ..plan.options.budget.clone() };
        let (outcome, _) = explorer(Options { budget, ..plan.options.clone() })?.run();
        let work = outcome.work + tried;
        match outcome.cut_by {
            Some(Cut::Work) => given_up(work),
            _ => Ok(Some(Outcome { work, ..outcome })),
        }
    })
}

/// Explores one size by its states alone, and learns from them what a plain walk would: least policies with their counts,
/// costs and efforts. `None` where states do not merge, or not all of them, or not within the budget. What is known of
/// the worst paths is the first of them.
pub fn explore_lesson(plan: &Plan) -> Result<Option<(Outcome, WiseSummary)>, LoadError> {
    if plan.over.is_some() || !can_merge(plan) {
        return Ok(None);
    }
    let explorer = |options: Options| -> Result<_, LoadError> {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
        Ok(Explorer::new(machine, arena, &Unguided, Pupil, options))
    };
    on_big_stack(plan.workers, || match explore_merged(plan, &explorer, Outcome::new())? {
        Merging::Done { outcome, lesson } => {
            Ok(lesson.filter(|_| outcome.is_exact()).map(|lesson| (*outcome, lesson)))
        }
        Merging::GaveUp { .. } => Ok(None),
    })
}

/// A tree of which a first part was walked.
pub(crate) enum Small<O> {
    /// It is not worth sharing out, or may not be.
    Done(Outcome, O),
    /// It is.
    Large {
        /// What was found in the first part.
        outcome: Outcome,
        /// The work that all of it takes, as far as that can be told.
        estimate: f64,
    },
}

/// Walks a tree as if it were small.
pub(crate) fn small<'g, G: Guide + 'g, O: Observer>(
    plan: &Plan,
    explorer: &impl Fn(Options) -> Result<Explorer<'g, G, O>, LoadError>,
) -> Result<Small<O>, LoadError> {
    let budget = &plan.options.budget;
    if budget.paths.is_some() || budget.work.is_some_and(|limit| limit <= SMALL) {
        let (outcome, observer) = explorer(plan.options.clone())?.run();
        return Ok(Small::Done(outcome, observer));
    }
    let budget = Budget { work: Some(SMALL), ..budget.clone() };
    let options = Options { budget, progress: None, ..plan.options.clone() };
    let (outcome, observer, estimate) = explorer(options)?.run_estimating();
    let ended = outcome.complete && !outcome.uncertain;
    Ok(match ended || outcome.cut_by.is_some_and(|cut| cut != Cut::Work) {
        true => Small::Done(outcome, observer),
        false => Small::Large { outcome, estimate },
    })
}

/// Work of a tree that is walked in one piece, and plainly.
const SMALL: u64 = 1_000_000;

/// The part of a tree's work, as far as it is known, after which it is asked whether merging pays. There are two tries,
/// and each may overrun its part by a half: together they are less than a twentieth.
const TRIED: u64 = 64;

/// Work of a tree of which such a part is enough to tell ([`Options::judged_from`]).
const WORTH_A_TRY: u64 = TRIED << 20;

/// A tree can be so many times smaller than its first part suggests. Up to there it is walked plainly first.
const UNEVEN: f64 = 16.0;

/// Whether merging knows how to do what is asked.
fn can_merge(plan: &Plan) -> bool {
    let options = &plan.options;
    options.merge != Merge::Off
        && options.max_tests < usize::MAX
        && adds_up(plan.module.cost_model())
        && !options.count_decisions
        && !options.include_traps
        && options.counter.is_none()
        && options.prefix.is_empty()
        && options.budget.paths.is_none()
}

/// How a walk that merges states ended.
enum Merging {
    Done {
        outcome: Box<Outcome>,
        /// What can be learned, if somebody learns.
        lesson: Option<WiseSummary>,
    },
    /// Every path has to be followed, or it takes less.
    GaveUp {
        /// What it took to find that out.
        work: u64,
    },
}

/// Follows every path, if that takes no more than so much work. `before` is the work that was done already.
fn count_plainly<'g, G, O>(
    plan: &Plan,
    explorer: &(impl Fn(Options) -> Result<Explorer<'g, G, O>, LoadError> + Sync),
    before: u64,
    most: u64,
) -> Result<Option<(Outcome, Vec<O>)>, LoadError>
where
    G: Guide + Sync + 'g,
    O: Observer + Send,
{
    let most = plan.options.budget.work.map_or(most, |limit| limit.min(most));
    let budget = Budget { work: Some(most), ..plan.options.budget.clone() };
    let plan = Plan { options: Options { budget, ..plan.options.clone() }, ..plan.clone() };
    let mut parts = Shared::new(&plan, explorer, before)?;
    parts.walk(&plan, explorer, Some(most))?;
    let (all, observers) = parts.take(plan.options.max_tests);
    Ok(all.is_exact().then_some((all, observers)))
}

/// The same, without the paths being counted or shown, after so much work.
fn uncounted(plan: &Plan, work: u64) -> Plan {
    let budget = plan.options.budget.without(&Outcome { work, ..Outcome::new() });
    let options = Options { counted_work: 0, max_tests: 0, budget, ..plan.options.clone() };
    Plan { options, ..plan.clone() }
}

/// Walks each state once, then follows the worst path for its input. `before` is what a plain walk
/// has found in the first part of the tree.
fn explore_merged<'g, G, O>(
    plan: &Plan,
    explorer: &impl Fn(Options) -> Result<Explorer<'g, G, O>, LoadError>,
    before: Outcome,
) -> Result<Merging, LoadError>
where
    G: Guide + 'g,
    O: Observer,
{
    let budget = plan.options.budget.without(&Outcome { work: before.work, ..Outcome::new() });
    let reached = plan.options.reached.max(before.worst_cost());
    let options = Options { budget, reached, ..plan.options.clone() };
    let (mut outcome, ended) = explorer(options)?.run_merged();
    let Some(ended) = ended.filter(|ended| !ended.abandoned) else {
        return Ok(Merging::GaveUp { work: outcome.work });
    };
    if let Some(cost) = ended.worst {
        let budget = Budget {
            deadline: plan.options.budget.deadline.but_after(GRACE),
            work: None,
            ..plan.options.budget.clone()
        };
        let prefix = ended.worst_path;
        // One path, of which every decision is wanted.
        let (merge, progress) = (Merge::Off, None);
        let options =
            Options { prefix, max_tests: 0, merge, progress, budget, ..plan.options.clone() };
        let (followed, _) = explorer(options)?.run();
        outcome.instructions += followed.instructions;
        outcome.work += followed.work;
        match followed.worst {
            Some(witness) if witness.test.cost == cost => outcome.worst = Some(witness),
            // The path that was merged is not the one that is there.
            _ if outcome.cut_by.is_none() && followed.cut_by.is_none() => {
                return Ok(Merging::GaveUp { work: outcome.work });
            }
            _ => outcome.complete = false,
        }
    }
    outcome.work += before.work;
    // A walk that was cut may not have come as far, or not have had the time for its worst path.
    if outcome.worst_cost() < before.worst_cost() {
        outcome.worst = before.worst;
        outcome.greatest_cost = outcome.greatest_cost.max(before.greatest_cost);
    }
    if outcome.tests.len() < before.tests.len() {
        outcome.tests = before.tests;
    }
    Ok(Merging::Done { outcome: Box::new(outcome), lesson: ended.lesson })
}

/// Time that the worst path has to be followed in when there is none left: it is one of all that
/// were walked.
const GRACE: Duration = Duration::from_millis(500);

/// Structures that a worker takes at a time: few enough to share them out, and enough that what is
/// kept of each group does not count.
const GROUP: usize = 32;

/// Explores the program with each of `count` structures. The result does not depend on the number
/// of workers.
fn explore_structures<'g, G, O>(
    plan: &Plan,
    count: usize,
    enter: impl Fn(usize, O, Options) -> Result<Explorer<'g, G, O>, LoadError> + Sync,
    observer: &(impl Fn() -> O + Sync),
) -> Result<(Outcome, Vec<O>), LoadError>
where
    G: Guide + Sync + 'g,
    O: Observer + Send,
{
    let max_tests = plan.options.max_tests;
    let budget = &plan.options.budget;
    let group = |range: Range<usize>| -> Part<O> {
        let mut outcome = Outcome::new();
        let mut watching = observer();
        let root = watching.mark();
        for index in range {
            if let Some(cut) = budget.exhausted().or(budget.used_up(&outcome)) {
                outcome.complete = false;
                outcome.cut_by = Some(cut);
                break;
            }
            let rest = budget.without(&outcome);
            let options = Options { budget: rest, ..plan.options.clone() };
            let (mut part, back) = enter(index, watching, options)?.run();
            watching = back;
            watching.undo_to(root);
            // Paths of other structures are other paths, whatever their decisions.
            part.forked.clear();
            outcome.merge(part, max_tests);
        }
        Ok((outcome, watching))
    };
    // A limit on everything together is kept by one worker.
    if plan.workers <= 1 || budget.paths.is_some() || budget.work.is_some() {
        let (outcome, observer) = group(0..count)?;
        return Ok((outcome, vec![observer]));
    }
    let groups: Vec<Range<usize>> =
        (0..count).step_by(GROUP).map(|i| i..count.min(i + GROUP)).collect();
    let parts = side_by_side(plan.workers, groups.len(), |i| group(groups[i].clone()));
    let mut outcome = Outcome::new();
    let mut observers = Vec::new();
    for part in parts {
        let (part, observer) = part?;
        outcome.merge(part, max_tests);
        observers.push(observer);
    }
    Ok((outcome, observers))
}

/// What a worker found in a subtree.
type Part<O> = Result<(Outcome, O), LoadError>;

/// Runs the program on one concrete input.
pub fn run_concrete(
    module: &Arc<Module>,
    setup: &Setup,
    input: InputValues,
    prepare: impl FnOnce(&mut Machine),
) -> Result<(End, Machine), LoadError> {
    let mut arena = Arena::new();
    let mut machine = Machine::start(module, setup, Inputs::Concrete(input), &mut arena)?;
    prepare(&mut machine);
    Ok((to_its_end(&mut machine, &mut arena)?, machine))
}

/// The same, with what every run begins with made once.
pub fn run_again(
    restart: &Restart,
    setup: &Setup,
    input: InputValues,
    prepare: impl FnOnce(&mut Machine),
) -> Result<(End, Machine), LoadError> {
    let mut arena = Arena::new();
    let mut machine = restart.start(setup, input, &mut arena)?;
    prepare(&mut machine);
    Ok((to_its_end(&mut machine, &mut arena)?, machine))
}

fn to_its_end(machine: &mut Machine, arena: &mut Arena) -> Result<End, LoadError> {
    match machine.run(arena) {
        Stop::End(end) => Ok(end),
        other => Err(LoadError::Unsupported { what: format!("{other:?} on a concrete input") }),
    }
}
