//! The depth-first walk.
//!
//! *Cost of a node*: two feasibility questions, of which the present model answers one by
//! evaluation; a mark of the machine (a copy of the top frame), of the arena and of the solver
//! (two integers each); one assertion. Nothing is kept of a path once the walk has left it.

mod decisions;
mod folding;
mod leaves;
mod merging;
mod sharing;

pub(crate) use merging::Ended;

use crate::budget::{Budget, Cut, Progress};

use crate::merge::{Merge, Merger, adds_up};
use crate::observer::Observer;
use crate::outcome::Outcome;
use crate::subtree::{Left, Route, Share};
use pessimum_entry::CostModel;
use pessimum_learn::{
    Advice, Branch, ChoiceSet, Decision, FrequencyCounter, Guide, Openness, Reads, SiteId,
};
use pessimum_machine::{End, Machine, Stop};
use pessimum_solver::{Answer, Config, Solver};
use pessimum_term::{Arena, Domain, Evaluator, TermId};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How to walk.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tests to keep, in the order of the tree.
    pub max_tests: usize,
    /// Most values of a term that are followed one by one.
    pub max_values: usize,
    /// Whether a path that traps can be the worst.
    pub include_traps: bool,
    /// Whether histories link forced decisions as well, even where no guide reads them.
    pub history_all: bool,
    /// How often a path may decide where the guide leaves it several sides. The walk ends with the
    /// first path that keeps to all of it.
    pub counter: Option<FrequencyCounter>,
    /// Whether the decisions of the path are kept: for histories and for whoever learns.
    pub keep_path: bool,
    /// Whether open decisions are the cost, whatever the module is priced for.
    pub count_decisions: bool,
    /// Leave subtrees below this many open decisions to others.
    pub split_depth: Option<u32>,
    /// Choices at open decisions, first to last: the walk stays below them.
    pub prefix: Vec<Turn>,
    /// What must be met along the prefix. The walk then counts from the last of these choices on; without it, from the
    /// first open decision behind them.
    pub route: Option<Route>,
    /// Without a route: the digest of all decisions before the first that is open behind the prefix.
    pub arrival: Option<u128>,
    /// Leave to others what goes beyond this.
    pub share: Option<Share>,
    /// Whether what lies below a state is walked once, and a call that was made on the path is not made
    /// again. A walk that has a guide, that somebody observes or that wants all tests follows every path
    /// in any case.
    pub merge: Merge,
    /// Work up to which a walk that merges counts the paths. Beyond it, a state whose greatest cost is known is
    /// not walked again, even if the number of paths below it is not.
    pub counted_work: u64,
    /// Work after which it is first asked whether merging pays.
    pub judged_from: u64,
    /// Bytes that states may take; half of the memory where nothing is said.
    pub table_bytes: Option<u64>,
    /// A cost that some input is known to have: where paths are not counted, states below which everything
    /// costs less are left out.
    pub reached: Option<u64>,
    /// Limits.
    pub budget: Budget,
    /// Counters to keep up to date.
    pub progress: Option<Arc<Progress>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_tests: 0,
            max_values: 4096,
            include_traps: false,
            history_all: false,
            counter: None,
            keep_path: true,
            count_decisions: false,
            split_depth: None,
            prefix: Vec::new(),
            route: None,
            arrival: None,
            share: None,
            merge: Merge::Off,
            counted_work: 1 << 28,
            judged_from: 1 << 20,
            table_bytes: None,
            reached: None,
            budget: Budget::default(),
            progress: None,
        }
    }
}

/// Instructions that take about as long as one unit of solver work.
const SOLVER_WEIGHT: u64 = 2;

/// Instructions that take about as long as one term to be rewritten.
pub(crate) const REWRITE_WEIGHT: u64 = 4;

/// Instructions that take about as long as one place of many that an address may name.
pub(crate) const PLACE_WEIGHT: u64 = 2;

/// Work after which the clock is looked at, however few steps it was done in: a step that asks a
/// strong solver can take as long as a million others.
const CLOCK_WORK: u64 = 1_000_000;

/// What the solver may take.
fn solver_limits(budget: &Budget) -> Config {
    let (blast_work, deadline) = (budget.one_question(), budget.deadline.clone());
    Config { blast_work, deadline, ..Config::default() }
}

/// A subtree left to others.
pub(crate) struct Job {
    /// What was found between the job before and this one.
    pub(crate) before: Outcome,
    /// Choices at the open decisions that lead to it.
    pub(crate) prefix: Vec<Turn>,
    /// Of all decisions that lead to it.
    pub(crate) digest: u128,
}

/// A choice at an open decision of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Turn {
    /// Decisions of the path before it, open or not.
    pub decided: u32,
    /// The side that is taken.
    pub choice: u32,
}

/// A choice point on the way down.
struct Node {
    machine: pessimum_machine::Mark,
    arena: pessimum_term::Mark,
    solver: pessimum_solver::Mark,
    observer: u64,
    path: u32,
    state: PathState,
    pending: Pending,
}

/// What belongs to a point of the path and is put back with it.
#[derive(Clone, Copy, Debug)]
struct PathState {
    open: u32,
    measured_open: u64,
    forks: u32,
    hash: u128,
    /// Conditions that the first of all inputs does not meet.
    turns: u64,
    /// The part of the tree that is below, if the sides of every node are parts of the same size.
    weight: f64,
}

impl PathState {
    const START: PathState =
        PathState { open: 0, measured_open: 0, forks: 0, hash: 0, turns: 0, weight: 1.0 };
}

/// What is still to be followed at a node.
enum Pending {
    /// The other side of a binary decision.
    Side { site: SiteId, condition: TermId, choice: bool, openness: Openness, kind: Binary },
    /// Arms of a switch, last first.
    Arms { site: SiteId, conditions: Vec<TermId>, arms: Vec<u32>, openness: Openness },
    /// Values of a term, last first.
    Values { term: TermId, values: Vec<u64> },
    /// Nothing: all sides of the decision above were followed, and what was found can be kept.
    Finish,
}

#[derive(Clone, Copy, PartialEq)]
enum Binary {
    Branch,
    Split,
}

/// Walks the subtree of one machine.
pub struct Explorer<'g, G, O> {
    machine: Machine,
    arena: Arena,
    solver: Solver,
    /// Evaluates conditions at the first of all inputs.
    start: Evaluator,
    guide: &'g G,
    observer: O,
    options: Options,
    path: Vec<Decision>,
    nodes: Vec<Node>,
    state: PathState,
    outcome: Outcome,
    jobs: Vec<Job>,
    ticks: u32,
    /// The work done when the clock was last looked at.
    clocked: u64,
    needs_openness: bool,
    /// The part of the tree that was walked, as [`PathState::weight`] has it.
    explored: f64,
    /// Whether the walk is still on its way to the subtree it is to explore.
    on_prefix: bool,
    /// Choices of the prefix that were taken.
    taken: usize,
    /// The decision at which the route turned out to be another one.
    strayed: Option<u32>,
    /// Subtrees left to others, last first, and the work after which more are.
    left: Vec<Left>,
    sharing_from: u64,
    /// What lies below the states walked so far.
    merger: Option<Box<Merger>>,
    /// The last assertion, while it may be dropped for a later one that says more.
    foldable: Option<folding::Foldable>,
}

impl<'g, G: Guide, O: Observer> Explorer<'g, G, O> {
    /// An explorer for a machine that stands at its entry; the arena holds its inputs.
    pub fn new(
        mut machine: Machine,
        arena: Arena,
        guide: &'g G,
        observer: O,
        options: Options,
    ) -> Self {
        let count_decisions =
            options.count_decisions || *machine.module().cost_model() == CostModel::Decisions;
        let reads = guide.reads();
        let needs_openness =
            reads == Reads::OpenDecisions || count_decisions || options.counter.is_some();
        let history_all = options.history_all || reads == Reads::AllDecisions;
        let on_prefix = !options.prefix.is_empty();
        let sharing_from = options.share.map_or(u64::MAX, |share| share.begin);
        let unseen = guide.follows_all() && !observer.watches() && options.counter.is_none();
        let guided = !guide.follows_all() || options.counter.is_some();
        let adds_up = adds_up(machine.module().cost_model()) && !count_decisions;
        // Jobs for others are told by their decisions, so whoever shares them out has to see all.
        let shares = options.split_depth.is_some();
        if options.merge != Merge::Off && unseen && !history_all && adds_up && !shares {
            machine.remember_calls();
        }
        Explorer {
            machine,
            arena,
            solver: Solver::with_config(solver_limits(&options.budget)),
            start: Evaluator::new(),
            guide,
            observer,
            options: Options { count_decisions, history_all, ..options },
            path: Vec::new(),
            nodes: Vec::new(),
            state: PathState::START,
            explored: 0.0,
            outcome: Outcome { guided, ..Outcome::new() },
            jobs: Vec::new(),
            ticks: 0,
            clocked: 0,
            needs_openness,
            on_prefix,
            taken: 0,
            strayed: None,
            left: Vec::new(),
            sharing_from,
            merger: None,
            foldable: None,
        }
    }

    /// Follows every path of the subtree, or as many as the budget allows, whatever
    /// [`Options::merge`] says: that is for [`explore`](crate::explore).
    pub fn run(self) -> (Outcome, O) {
        let (_, outcome, observer) = self.run_parts();
        (outcome, observer)
    }

    /// Walks as [`Explorer::run`] does, and estimates how much work the whole tree takes: what was
    /// walked is a part of it that the decisions on its way suggest.
    pub(crate) fn run_estimating(mut self) -> (Outcome, O, f64) {
        self.walk();
        let whole = self.outcome.work as f64 / self.explored;
        (self.outcome, self.observer, whole)
    }

    /// Walks with [`Options::merge`]; the outcome has no worst path yet, only its cost.
    pub(crate) fn run_merged(mut self) -> (Outcome, Option<Ended>) {
        self.begin_merging();
        self.walk();
        let ended = self.end_merging();
        (self.outcome, ended)
    }

    /// Walks as [`Explorer::run`] does; subtrees left to others come first, each with what was
    /// found before it.
    pub(crate) fn run_parts(mut self) -> (Vec<Job>, Outcome, O) {
        self.walk();
        (self.jobs, self.outcome, self.observer)
    }

    fn walk(&mut self) {
        loop {
            let before = self.machine.counters().executed();
            let settled = self.machine.settled_branches();
            let stop = self.machine.run(&mut self.arena);
            self.outcome.instructions += self.machine.counters().executed() - before;
            self.count_calls(2 * (self.machine.settled_branches() - settled));
            let go_on = match stop {
                Stop::Branch { site, condition } => {
                    self.binary(SiteId(site.0), condition, Binary::Branch)
                }
                Stop::Split { site, condition } => {
                    self.binary(SiteId(site.0), condition, Binary::Split)
                }
                Stop::Switch { site, arms } => self.switch(SiteId(site.0), arms),
                Stop::Guard { condition, trap } => self.guard(condition, trap),
                Stop::Assume { condition } => self.assume(condition),
                Stop::Choose { term, purpose } => self.choose(term, purpose),
                Stop::End(end) => {
                    self.leaf(end);
                    if self.keeps_to_the_counts(end) {
                        break;
                    }
                    false
                }
            };
            if !go_on {
                self.explored += self.state.weight;
                if !self.backtrack() {
                    break;
                }
            }
            if let Some(cut) = self.cut() {
                self.outcome.complete = false;
                self.outcome.cut_by = Some(cut);
                break;
            }
            if self.merger.as_ref().is_some_and(|merger| merger.is_abandoned()) {
                break;
            }
        }
        self.outcome.work += self.work();
        self.outcome.missing_calls.extend(self.machine.missing_calls().iter().cloned());
    }

    /// A node with so many sides, one of which is followed now and the others later.
    fn push_choice(&mut self, sides: usize, pending: Pending) {
        let whole = self.state.weight;
        let part = whole / sides as f64;
        self.state.weight = whole - part;
        self.push_node(pending);
        self.state.weight = part;
    }

    fn push_node(&mut self, pending: Pending) {
        self.foldable = None;
        let node = Node {
            machine: self.machine.mark(),
            arena: self.arena.mark(),
            solver: self.solver.mark(),
            observer: self.observer.mark(),
            path: self.path.len() as u32,
            state: self.state,
            pending,
        };
        self.nodes.push(node);
    }

    /// A node whose sides differ by the value of an address alone. Paths below it are told apart by
    /// the branches they take, those on concrete conditions included.
    fn push_fork(&mut self, sides: usize, pending: Pending) {
        // Such paths are told apart after they have ended, wherever they are in the tree.
        self.leave_merging();
        self.machine.keep_trace();
        self.push_choice(sides, pending);
        self.state.forks += 1;
    }

    /// Comes back to the last node with something left to follow, and follows it.
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.nodes.pop() {
            if self.go_back(node) {
                return true;
            }
        }
        false
    }

    /// Goes back to a node and follows what is left there, if anything is.
    fn go_back(&mut self, node: Node) -> bool {
        self.foldable = None;
        self.machine.undo_to(&node.machine);
        self.solver.undo_to(node.solver);
        self.arena.undo_to(node.arena);
        self.start.forget();
        self.observer.undo_to(node.observer);
        if let Some(counter) = &mut self.options.counter {
            self.path[node.path as usize..].iter().rev().for_each(|d| counter.pop(d));
        }
        self.path.truncate(node.path as usize);
        self.state = node.state;
        if let Some(merger) = &mut self.merger {
            merger.fold(&mut self.machine, &self.arena, &mut self.solver);
        }
        match node.pending {
            Pending::Finish => {
                let walking = self.walking();
                if let Some(merger) = &mut self.merger {
                    merger.finish(&mut self.machine, &self.arena, &mut self.solver, walking);
                }
                let keeping = self.keeping();
                if let Some(merger) = &mut self.merger {
                    merger.judge(keeping, walking);
                }
                return false;
            }
            Pending::Side { site, condition, choice, openness, kind } => {
                self.follows(u32::from(choice));
                let side = if choice { condition } else { self.arena.not(condition) };
                self.assert(side);
                self.follow_side(site, choice, openness, kind);
            }
            Pending::Arms { site, conditions, mut arms, openness } => {
                let Some(arm) = arms.pop() else { return true };
                self.follows(arm);
                let total = conditions.len() as u32;
                let condition = conditions[arm as usize];
                if !arms.is_empty() {
                    let sides = arms.len() + 1;
                    self.push_choice(sides, Pending::Arms { site, conditions, arms, openness });
                }
                self.follow_arm(site, arm, total, condition, openness);
            }
            Pending::Values { term, mut values } => {
                let Some(value) = values.pop() else { return true };
                if !values.is_empty() {
                    self.push_choice(values.len() + 1, Pending::Values { term, values });
                }
                self.state.forks += 1;
                self.follow_value(term, value, true);
            }
        }
        true
    }

    fn advice(&mut self, site: SiteId, arms: u32) -> Advice {
        let prev = self.machine.cookie();
        let advice = self.guide.advise(site, arms, &self.path, prev);
        if advice == Advice::Unseen {
            if !self.guide.knows_site(site) {
                self.outcome.unseen.insert(site);
            }
            return Advice::Only(ChoiceSet::all(arms));
        }
        if let (Some(counter), Advice::Only(set)) = (&self.options.counter, &advice)
            && set.len() > 1
        {
            let kept = set.iter().filter(|&choice| counter.may_take(Branch { site, choice }));
            return Advice::Only(kept.collect());
        }
        advice
    }

    /// Whether the path that ended here is one the counts describe.
    fn keeps_to_the_counts(&self, end: End) -> bool {
        matches!(end, End::Return | End::Exit(_))
            && self.options.counter.as_ref().is_some_and(FrequencyCounter::holds)
    }

    /// Puts a decision on the path.
    #[inline]
    fn decide(&mut self, site: SiteId, choice: u32, arms: u32, openness: Openness) {
        let prev = self.machine.cookie();
        let decision = Decision { site, choice, arms, openness, prev };
        if self.options.keep_path {
            self.path.push(decision);
        }
        self.observer.push(&decision);
        if O::LEARNS
            && let Some(merger) = &mut self.merger
        {
            merger.decided(&decision);
        }
        if let Some(counter) = &mut self.options.counter {
            counter.push(&decision);
        }
        if openness.is_open() {
            self.state.open += 1;
            if self.machine.measuring() {
                self.state.measured_open += 1;
            }
        }
        if self.options.keep_path && (openness.is_open() || self.options.history_all) {
            self.machine.set_cookie(self.path.len() as u32);
        }
    }

    fn mix_in_arm(&mut self, site: SiteId, arm: u32) {
        if self.state.forks == 0 {
            self.mix_in(site, arm);
        }
    }

    #[inline]
    fn mix_in(&mut self, site: SiteId, choice: u32) {
        self.state.hash = mix(self.state.hash, u128::from(site.0) << 32 | u128::from(choice));
    }

    fn check(&mut self, condition: TermId) -> Answer {
        let answer = self.solver.check(&mut self.arena, condition);
        if let Answer::Unknown(reason) = answer {
            self.outcome.uncertain = true;
            self.leave_merging();
            self.note_undecided(reason, condition);
        }
        answer
    }

    /// Adds to the path condition; `false` when that is known to be impossible.
    fn assert(&mut self, condition: TermId) -> bool {
        self.foldable = None;
        if O::READS_TURNS && !self.holds_at_the_start(condition) {
            self.state.turns += 1;
        }
        self.machine.look_afresh();
        let possible = !self.solver.assert(&mut self.arena, condition).is_unsat();
        self.merged_assert(condition);
        possible
    }

    /// Whether the input whose values are all zero, or the least there are, meets a condition. Unlike the
    /// model at hand, that does not depend on the way the walk came.
    fn holds_at_the_start(&mut self, condition: TermId) -> bool {
        let arena = &self.arena;
        let start = |v| {
            let Domain { lo, hi } = arena.domain(v);
            if lo <= 0 && 0 <= hi { 0 } else { lo as u64 & arena.width(arena.var_term(v)).mask() }
        };
        self.start.value(arena, condition, start) != 0
    }

    fn count_calls(&mut self, calls: u64) {
        if !self.on_prefix {
            self.outcome.solver_calls += calls;
        }
    }

    /// Decisions of the path so far, open or not, those in calls that were not made again included.
    fn decided(&self) -> u32 {
        self.machine.counters().decided as u32
    }

    /// Whether the subtree here is left to another worker.
    fn leave_to_others(&mut self) -> bool {
        if self.options.split_depth != Some(self.state.open)
            || self.state.forks > 0
            || !self.options.keep_path
        {
            return false;
        }
        let open = self.path.iter().zip(0..).filter(|(d, _)| d.openness.is_open());
        let prefix = open.map(|(d, decided)| Turn { decided, choice: d.choice }).collect();
        // What was found so far comes before the job in the order of the tree. The node itself
        // belongs to whoever takes the job, its questions included.
        let before = std::mem::replace(&mut self.outcome, Outcome::new());
        self.jobs.push(Job { before, prefix, digest: self.state.hash });
        true
    }

    fn cut(&mut self) -> Option<Cut> {
        if let Some(limit) = self.options.budget.paths
            && self.outcome.paths + self.outcome.trapped + self.outcome.cut >= limit
            && !self.nodes.is_empty()
        {
            return Some(Cut::Paths);
        }
        // Some way before the last term there is: the machine makes many until it is asked again.
        if self.arena.len() > Arena::MOST_TERMS / 8 * 7 {
            return Some(Cut::Memory);
        }
        self.ticks += 1;
        let work = self.work();
        if self.options.budget.work.is_some_and(|limit| work > limit) {
            return Some(Cut::Work);
        }
        if work > self.sharing_from {
            self.leave_the_rest(work);
        }
        let slow = work.saturating_sub(self.clocked) > CLOCK_WORK;
        // A step may take far longer than its work says: time is looked at more often than the rest.
        if self.ticks & 0xf == 0
            && let Some(cut) = self.options.budget.stopped_by()
        {
            return Some(cut);
        }
        if self.ticks & 0x3ff != 0 && !slow {
            return None;
        }
        self.clocked = work;
        if let Some(progress) = &self.options.progress {
            progress.depth.store(self.path.len() as u64, Ordering::Relaxed);
        }
        self.options.budget.exhausted()
    }

    fn work(&self) -> u64 {
        self.walking() + self.keeping()
    }

    /// Work of walking: what a walk that follows every path does.
    fn walking(&self) -> u64 {
        self.outcome.instructions
            + self.solver.work() * SOLVER_WEIGHT
            + self.machine.rewritten() * REWRITE_WEIGHT
            + self.machine.looked_at() * PLACE_WEIGHT
    }
}

/// A hash of a path, one step on.
#[inline]
fn mix(hash: u128, word: u128) -> u128 {
    ((hash ^ word) | 1 << 127)
        .wrapping_mul(0x2d99_787c_8bf0_ebd6_9b9a_16b1_4c1e_9d4f)
        .rotate_left(61)
}
