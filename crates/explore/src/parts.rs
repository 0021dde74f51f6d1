//! A tree whose parts are walked, and learned from, by other processes. They are the parts that threads would share out,
//! so what is put together is what threads would have found.

use crate::budget::Cut;
use crate::explorer::{Explorer, Options, Turn};
use crate::job::{Plan, Small, explore, small};
use crate::observer::Trainer;
use crate::outcome::Outcome;
use crate::shared::Shared;
use crate::subtree::{SubtreeError, load_digest, save_digest};
use crate::threads::on_big_stack;
use pessimum_learn::{Unguided, WiseSummary, WorstPaths};
use pessimum_machine::{Inputs, LoadError, Machine};
use pessimum_term::Arena;
use serde::{Deserialize, Serialize};

/// A part of a tree, by the choices at open decisions that lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreePart {
    prefix: Vec<Turn>,
    /// Of all decisions on the way, forced ones included.
    #[serde(serialize_with = "save_digest", deserialize_with = "load_digest")]
    digest: u128,
}

impl TreePart {
    pub(crate) fn new(prefix: Vec<Turn>, digest: u128) -> TreePart {
        TreePart { prefix, digest }
    }
}

/// Parts of one tree, in its order, with what tells which of them do not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeParts {
    /// The parts.
    pub parts: Vec<TreePart>,
    /// Work that was done before any of them.
    before: u64,
    /// Work in the order of the tree beyond which parts do not count.
    limit: Option<u64>,
}

impl TreeParts {
    pub(crate) fn new(parts: Vec<TreePart>, before: u64, limit: Option<u64>) -> TreeParts {
        TreeParts { parts, before, limit }
    }

    /// Whether a part does not count, whatever is in it, since those before it took this much, as far as that is known.
    pub fn is_beyond_limit(&self, taken: impl IntoIterator<Item = u64>) -> bool {
        let spent = taken.into_iter().fold(self.before, u64::saturating_add);
        self.limit.is_some_and(|limit| spent > limit)
    }
}

/// What can be learned from paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// Least policies and their counts.
    pub summary: WiseSummary,
    /// Decision strings of the worst paths.
    pub worst: WorstPaths,
}

impl From<Trainer> for Learned {
    fn from(trainer: Trainer) -> Learned {
        Learned { summary: trainer.wise.summary(), worst: trainer.worst }
    }
}

impl Learned {
    /// Adds what was learned in a later part of the tree.
    pub fn merge(&mut self, later: Learned) {
        self.summary.merge(&later.summary);
        self.worst.merge(later.worst);
    }
}

/// Explores one size, and learns from every path. Where its tree is worth sharing out, `walk` is asked for the parts: what was
/// found in each, `None` for one that was left out. The result is that of [`explore`].
pub fn explore_by_parts<E: From<LoadError>>(
    plan: &Plan,
    walk: impl FnOnce(&TreeParts) -> Result<Vec<Option<(Outcome, Learned)>>, E>,
) -> Result<(Outcome, Learned), E> {
    let found = match shared_out(plan)? {
        Ok(found) => found,
        Err(mut shared) => {
            let parts = shared.parts(plan.options.budget.work);
            shared.put(walk(&parts)?);
            shared.take(plan.options.max_tests)
        }
    };
    let mut learned = Learned::default();
    found.1.into_iter().for_each(|part| learned.merge(part));
    Ok((found.0, learned))
}

/// The outcome of a tree that is not worth sharing out, or the tree.
type SharedOut = Result<(Outcome, Vec<Learned>), Shared<Learned>>;

fn shared_out(plan: &Plan) -> Result<SharedOut, LoadError> {
    if plan.over.is_some() {
        let (outcome, trainers) = explore(plan, &Unguided, Trainer::default)?;
        return Ok(Ok((outcome, trainers.into_iter().map(Learned::from).collect())));
    }
    let explorer = |options: Options| entered(plan, options);
    on_big_stack(plan.workers, || match small(plan, &explorer)? {
        Small::Done(outcome, trainer) => Ok(Ok((outcome, vec![trainer.into()]))),
        Small::Large { outcome, .. } => {
            let shared = Shared::new(plan, &explorer, outcome.work)?;
            Ok(Err(shared.map(Learned::from)))
        }
    })
}

/// Walks a part, and learns from it. One that the program does not come to is an error.
pub fn walk_part(plan: &Plan, part: &TreePart) -> Result<(Outcome, Learned), SubtreeError> {
    let (prefix, arrival) = (part.prefix.clone(), Some(part.digest));
    let options = Options { prefix, arrival, ..plan.options.clone() };
    on_big_stack(plan.workers, || {
        let (outcome, trainer, strayed) = entered(plan, options)?.run_arriving();
        match (strayed, outcome.cut_by) {
            (Some(decided), _) => Err(SubtreeError::Strayed(decided)),
            (None, Some(cut)) if cut != Cut::Work => Err(SubtreeError::Stopped(cut)),
            _ => Ok((outcome, trainer.into())),
        }
    })
}

fn entered(
    plan: &Plan,
    options: Options,
) -> Result<Explorer<'static, Unguided, Trainer>, LoadError> {
    let mut arena = Arena::new();
    let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
    Ok(Explorer::new(machine, arena, &Unguided, Trainer::default(), options))
}
