//! A part of a tree that somebody else can walk: another process, later, on another machine.
//!
//! It is named by the choices at the open decisions that lead to it. What a walk leaves to others it has not looked at:
//! whoever takes it counts from the last of these choices on. Each choice carries its site, and all decisions on the
//! way, forced ones included, have a digest: a walk that comes to something else says so and ends.

use crate::budget::Cut;
use crate::explorer::{Explorer, Options, Turn};
use crate::job::Plan;
use crate::merge::Merge;
use crate::observer::Nobody;
use crate::outcome::Outcome;
use crate::threads::on_big_stack;
use pessimum_learn::{Decision, SiteId, Unguided};
use pessimum_machine::{Inputs, LoadError, Machine};
use pessimum_term::Arena;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Bound;

/// A part of a tree, by the choices that lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Subtree {
    /// Choices at open decisions, first to last.
    steps: Vec<Step>,
    /// Of all decisions that lead to it.
    #[serde(serialize_with = "save_digest", deserialize_with = "load_digest")]
    digest: u128,
}

/// A choice at an open decision: how many decisions come before it, its site, the side that is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Step(u32, SiteId, u32);

/// What must be met on the way along a prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// The site of each choice.
    pub(crate) sites: Vec<SiteId>,
    /// Of all decisions, up to the last choice.
    pub(crate) digest: u128,
}

impl Subtree {
    /// The whole tree.
    pub fn whole() -> Subtree {
        Subtree { steps: Vec::new(), digest: 0 }
    }

    /// What lies below one more choice on a path.
    pub(crate) fn below(path: &[Decision], site: SiteId, choice: u32, digest: u128) -> Subtree {
        let open = path.iter().zip(0..).filter(|(d, _)| d.openness.is_open());
        let steps = open.map(|(d, decided)| Step(decided, d.site, d.choice));
        let last = Step(path.len() as u32, site, choice);
        Subtree { steps: steps.chain([last]).collect(), digest }
    }

    fn prefix(&self) -> Vec<Turn> {
        self.steps.iter().map(|step| Turn { decided: step.0, choice: step.2 }).collect()
    }

    fn route(&self) -> Route {
        Route { sites: self.steps.iter().map(|step| step.1).collect(), digest: self.digest }
    }
}

/// Work after which a walk begins to leave to others what it has not come to, and after which it leaves all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// From here on whatever looks like more than half of this is left to others.
    pub begin: u64,
    /// From here on everything is.
    pub end: u64,
}

impl Share {
    /// A share of so much work; up to twice as much is done rather than leave small parts behind.
    pub fn of(work: u64) -> Share {
        let begin = work.max(1);
        Share { begin, end: begin.saturating_mul(2) }
    }

    /// After so much work all is left to others.
    fn at_once(work: u64) -> Share {
        Share { begin: work, end: work }
    }
}

/// A subtree that was left to others, and the work it may take as far as that can be told.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Left {
    /// Where it is.
    pub subtree: Subtree,
    /// The work it may take, from how much the part of the tree that was walked took.
    pub estimate: u64,
}

/// A part of a tree: one that was walked, or one that was left to others.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// What was found there.
    Found(Box<Outcome>),
    /// Where it is.
    Left(Left),
}

/// Why a subtree was not walked.
#[derive(Debug, thiserror::Error)]
pub enum SubtreeError {
    /// The program cannot be run.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The program does not take the choices that lead to it.
    #[error("the program does not come to where the job begins: its decision {0} is another one")]
    Strayed(u32),
    /// Time, memory or the user ended the walk: what it found is not all.
    #[error("the walk was ended before it was done ({})", .0.name())]
    Stopped(Cut),
    /// There is no one tree.
    #[error(
        "a call over structures has a tree for each of them, and jobs share out one: use `pessimum explore`, which shares the structures out among the cores of this machine"
    )]
    ManyTrees,
}

/// Walks a subtree. What goes beyond the share comes back as subtrees, in the order of the tree; what was found comes
/// before all of them. Every path is followed, whatever [`Options::merge`] says.
pub fn explore_subtree(
    plan: &Plan,
    subtree: &Subtree,
    share: Option<Share>,
) -> Result<(Outcome, Vec<Left>), SubtreeError> {
    walk_subtree(plan, subtree, share, 0)
}

/// Walks a subtree as [`explore_subtree`] does, where so many tests are known that come before it in the order of the tree:
/// only the rest of those that are wanted is made. An input for a test takes longer than the walk to its path.
fn walk_subtree(
    plan: &Plan,
    subtree: &Subtree,
    share: Option<Share>,
    tests_before: usize,
) -> Result<(Outcome, Vec<Left>), SubtreeError> {
    if plan.over.is_some() {
        return Err(SubtreeError::ManyTrees);
    }
    // No decision leads to the whole tree, and nothing else has none.
    if subtree.steps.is_empty() && *subtree != Subtree::whole() {
        return Err(SubtreeError::Strayed(0));
    }
    let options = Options {
        prefix: subtree.prefix(),
        route: Some(subtree.route()),
        share,
        max_tests: plan.options.max_tests.saturating_sub(tests_before),
        merge: Merge::Off,
        ..plan.options.clone()
    };
    on_big_stack(plan.workers, || {
        let mut arena = Arena::new();
        let machine = Machine::start(&plan.module, &plan.setup, Inputs::Symbolic, &mut arena)?;
        let walked = Explorer::new(machine, arena, &Unguided, Nobody, options).run_sharing();
        if let Some(cut) = walked.outcome.cut_by {
            return Err(SubtreeError::Stopped(cut));
        }
        match walked.strayed {
            Some(decided) => Err(SubtreeError::Strayed(decided)),
            None => Ok((walked.outcome, walked.left)),
        }
    })
}

/// Walks the parts of a job that were not walked, first to last, until the share is used up. What was found comes back
/// with what is left, in the order of the tree; what was found comes before all of that.
pub fn explore_pieces(
    plan: &Plan,
    pieces: Vec<Piece>,
    share: Option<u64>,
) -> Result<(Outcome, Vec<Piece>), SubtreeError> {
    // One thread for all pieces: there may be many small ones.
    on_big_stack(plan.workers, || walk_pieces(plan, pieces, share))
}

fn walk_pieces(
    plan: &Plan,
    pieces: Vec<Piece>,
    share: Option<u64>,
) -> Result<(Outcome, Vec<Piece>), SubtreeError> {
    let max_tests = plan.options.max_tests;
    let mut found = Outcome::new();
    let mut pieces = pieces.into_iter();
    let (mut left, mut spent) = (Vec::new(), 0u64);
    while left.is_empty() && share.is_none_or(|share| spent < share) {
        match pieces.next() {
            None => break,
            Some(Piece::Found(part)) => found.merge(*part, max_tests),
            Some(Piece::Left(part)) => {
                // A share that is nearly used up would leave crumbs.
                let rest = share.map(|share| Share::of((share - spent).max(share / 4)));
                let (outcome, parts) = walk_subtree(plan, &part.subtree, rest, found.tests.len())?;
                spent = spent.saturating_add(outcome.work);
                found.merge(outcome, max_tests);
                left = parts.into_iter().map(Piece::Left).collect();
            }
        }
    }
    left.extend(pieces);
    // What was found already is no work for anybody.
    while left.first().is_some_and(|piece| matches!(piece, Piece::Found(_))) {
        if let Piece::Found(part) = left.remove(0) {
            found.merge(*part, max_tests);
        }
    }
    Ok((found, left))
}

/// A look at a subtree that is to be shared out takes this part of what a job looks like, within bounds: enough to tell
/// large ones from small ones, and no more than one process should do for all.
const LOOK: u128 = 256;

/// Work of a look.
const LOOK_WORK: (u64, u64) = (1 << 10, 1 << 17);

/// A subtree is split until it looks smaller than this part of a job, or than so many looks.
const FINE: u64 = 4;

/// Looks for each job, at most: a tree that looks larger at every look is not looked at for ever.
const LOOKS: usize = 16;

/// Shares a tree out into at most so many jobs that look alike, in the order of the tree.
pub fn split(plan: &Plan, jobs: usize) -> Result<Vec<Vec<Piece>>, SubtreeError> {
    if plan.over.is_some() {
        return Err(SubtreeError::ManyTrees);
    }
    // One thread for all looks: to make it takes longer than a short look.
    on_big_stack(plan.workers, || look_and_pack(plan, jobs))
}

fn look_and_pack(plan: &Plan, jobs: usize) -> Result<Vec<Vec<Piece>>, SubtreeError> {
    // How much it is nobody knows yet.
    let whole = Left { subtree: Subtree::whole(), estimate: 1 << 20 };
    let jobs = jobs.max(1);
    if jobs == 1 {
        return Ok(vec![vec![Piece::Left(whole)]]);
    }
    // Parts of a part stand behind its number: their order is that of the tree.
    let root: Vec<usize> = vec![0];
    let mut largest = BinaryHeap::from([(whole.estimate, Reverse(root.clone()))]);
    let mut total = u128::from(whole.estimate);
    let mut pieces = BTreeMap::from([(root, Piece::Left(whole))]);
    for _ in 0..jobs.saturating_mul(LOOKS) {
        let Some((estimate, Reverse(place))) = largest.pop() else { break };
        let look = u64::try_from(total / (jobs as u128 * LOOK)).unwrap_or(u64::MAX);
        let look = look.clamp(LOOK_WORK.0, LOOK_WORK.1);
        let fine = u128::from(estimate) * u128::from(FINE) * (jobs as u128) < total;
        if fine || estimate < look * FINE {
            break;
        }
        let Some(Piece::Left(left)) = pieces.remove(&place) else { break };
        let share = Some(Share::at_once(look));
        let tests = tests_before(&pieces, &place, plan.options.max_tests);
        let (found, parts) = walk_subtree(plan, &left.subtree, share, tests)?;
        total -= u128::from(estimate);
        let behind = |number: usize| [place.as_slice(), &[number]].concat();
        pieces.insert(behind(0), Piece::Found(Box::new(found)));
        for (number, left) in (1..).zip(parts) {
            let place = behind(number);
            total += u128::from(left.estimate);
            largest.push((left.estimate, Reverse(place.clone())));
            pieces.insert(place, Piece::Left(left));
        }
    }
    let each = u64::try_from(total.div_ceil(jobs as u128)).unwrap_or(u64::MAX);
    Ok(packed(pieces.into_values(), each))
}

/// How many tests are known that come before a place, as far as more than so many make no difference.
fn tests_before(pieces: &BTreeMap<Vec<usize>, Piece>, place: &[usize], wanted: usize) -> usize {
    let mut tests = 0;
    for piece in pieces.range::<[usize], _>((Bound::Unbounded, Bound::Excluded(place))) {
        if tests >= wanted {
            break;
        }
        if let (_, Piece::Found(found)) = piece {
            tests += found.tests.len();
        }
    }
    tests
}

fn estimated(piece: &Piece) -> u64 {
    match piece {
        Piece::Found(_) => 0,
        Piece::Left(left) => left.estimate,
    }
}

/// Jobs of about so much work each, or of one part that is larger. None consists of what was found alone, unless there
/// is nothing else.
pub fn packed(pieces: impl IntoIterator<Item = Piece>, work: u64) -> Vec<Vec<Piece>> {
    let mut jobs: Vec<Vec<Piece>> = Vec::new();
    // Work of all jobs so far, and how much of it is due before the next begins: what one has too much another has less.
    let (mut spent, mut due) = (0u64, 0u64);
    for piece in pieces {
        let begins = matches!(piece, Piece::Left(_)) && spent >= due;
        spent = spent.saturating_add(estimated(&piece));
        match jobs.last_mut() {
            Some(job) if !begins || due == 0 => job.push(piece),
            _ => jobs.push(vec![piece]),
        }
        if begins {
            due = due.saturating_add(work.max(1));
        }
    }
    jobs
}

pub(crate) fn save_digest<S: Serializer>(digest: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{digest:032x}"))
}

pub(crate) fn load_digest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    let text = String::deserialize(deserializer)?;
    u128::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
}
