//! The memoised walk: what lies below a state is walked once.
//!
//! At an open decision the walk stands at a *state*: where the program is, what it holds, and what
//! the path condition says. The tree below depends only on the locations that are read below before
//! they are written (the *footprint*), on the inputs that occur there, up to their names, and on
//! what the path condition says of these. So the walk looks the state up by what it holds at each
//! footprint that its point is known to have; if it is known, its costs and counts are added and
//! nothing below is walked. Else the state is walked, and an entry is stored on the way back, when
//! machine, solver and arena stand at it again.
//!
//! *Layout*: beside every node of the walk there is a [`Frame`], which collects what lies below it,
//! relative to it. Between two nodes there is a *stretch*: what was read and written there, and what
//! was found at its end. When the walk comes back to a node, the stretch is folded into its frame:
//! `F = reads ∪ (F(below) − writes)`.
//!
//! *Cost of an open decision*: one more mark; the control words (live slots) hashed once; for each
//! footprint of the point (mostly one) its cells and terms hashed, and the closure of the
//! differences among the inputs that occur, O(m²) for m of them. Twice, since the way back stores.
//! Nothing but the control is computed at a point that no entry was stored for.

mod count;
mod hull;
mod key;
mod lesson;
mod look_up;
mod misses;
mod needs;
mod stretch;
mod table;
mod way;

pub use count::Count;
pub use misses::Misses;

use self::hull::Hull;
use self::key::Writer;
use self::lesson::{Decided, Policies};
use self::look_up::{held, projected};
use self::needs::{Asserted, Needs};
use self::table::{Below, Chain, Counted, END, Room, Table, Traps};
use self::way::Way;
use crate::explorer::Turn;
use pessimum_clock::Deadline;
use pessimum_entry::CostModel;
use pessimum_learn::WiseSummary;
use pessimum_machine::{Accesses, Footprint, LiveSlots, Machine, Written};
use pessimum_solver::{Difference, Number, Solver};
use pessimum_term::{Arena, TermId, VarId};
use serde::{Deserialize, Serialize};

/// Whether a walk remembers what lies below a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// Every path is walked.
    #[default]
    Off,
    /// Every path is walked while they are few; then what is known is not walked again, for as long
    /// as that takes less than walking.
    Auto,
    /// What is known is not walked again.
    On,
    /// What is known is walked again and compared.
    Verify,
}

/// What a merged walk found and did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Merged {
    /// Paths that ended normally; `None` where they were not counted.
    pub paths: Option<Count>,
    /// Paths that trapped.
    pub trapped: Option<Count>,
    /// States that were walked.
    pub states: u64,
    /// States that were known.
    pub reuses: u64,
    /// Reuses that were walked again and found wrong: a bug of ours.
    pub wrong: u64,
    /// Why states were walked.
    #[serde(default)]
    pub misses: Misses,
}

/// Whether costs in a model add up along a path.
pub(crate) fn adds_up(model: &CostModel) -> bool {
    !matches!(
        model,
        CostModel::Stack | CostModel::StackBytes | CostModel::Heap | CostModel::Decisions
    )
}

/// What a point of the walk has counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    pub(crate) cost: u64,
    pub(crate) instructions: u64,
    /// Conditions that the first of all inputs does not meet, where somebody learns.
    pub(crate) turns: u64,
    /// Decisions, open or not.
    pub(crate) decided: u32,
    /// Work of walking done so far, whatever was undone since.
    pub(crate) work: u64,
    /// The same with the work of keeping states.
    pub(crate) total: u64,
}

impl Meter {
    fn counted(&self) -> Counted {
        Counted { cost: self.cost, instructions: self.instructions, turns: self.turns }
    }
}

/// What is found at the end of a stretch, and on its way; costs are those of the whole path.
#[derive(Debug, Default)]
struct Found {
    below: Below,
    /// What is read below the end of the stretch.
    footprint: Footprint,
    /// Whether nothing may be concluded from it.
    tainted: bool,
    /// The accesses of the stretch, if they were taken already.
    accesses: Option<Accesses>,
    /// What the stretch has asserted and needs.
    asserted: Asserted,
    /// What its end needs.
    needs: Needs,
    /// Models that lead to the leaves.
    hull: Option<Hull>,
    /// What the worst path asks for from the end of the stretch on; `None` where that cannot be said.
    way: Option<Way>,
    /// Decisions before the first open one of the worst path below the end of the stretch.
    turns_at: u32,
    /// Whether needs are not known: then only the very same path condition has the same tree.
    untraced: bool,
    /// What the decisions of the stretch need of a policy, where somebody learns.
    decided: Decided,
}

impl Found {
    /// Adds what lies below a point; `way` is asked for if it is worse than what was found.
    fn add(&mut self, below: &Below, at: Meter, path: u32, way: impl FnOnce() -> Option<Way>) {
        if self.below.is_beaten_by(below.worst.map(|(more, _)| at.cost + more)) {
            self.way = way();
            self.turns_at = at.decided;
        }
        self.below.add(below, at.counted(), path);
    }
}

/// A node of the walk with what lies below it.
#[derive(Debug)]
struct Frame {
    /// The terms that the decision asks about.
    asked: Vec<TermId>,
    meter: Meter,
    /// The stretch that led here.
    lead: Found,
    /// What lies below, relative to the node.
    below: Below,
    footprint: Footprint,
    tainted: bool,
    /// The side that is followed.
    choice: u32,
    /// Whether an entry is stored on the way back.
    keyed: bool,
    /// The entry that the walk must agree with.
    expected: Option<Expected>,
    looked_at: u64,
    /// What had been saved when the node was met.
    saved: u64,
    /// Inputs, and numbers in differences, that there were at the node.
    inputs: u32,
    positions: usize,
    hull: Option<Hull>,
    way: Option<Way>,
    needs: Needs,
    untraced: bool,
}

/// An entry that a walk is compared with.
#[derive(Debug)]
struct Expected {
    below: Below,
    reuse: Reuse,
}

/// What of an entry holds for another path condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reuse {
    /// The same paths are below.
    Whole,
    /// No other paths are below, and the worst one is.
    Worst,
    /// No other paths are below, and none of them costs more than one that was found.
    Bound,
}

/// An entry that a state may use, and the inputs of the state in the order of the entry.
#[derive(Debug)]
struct Hit {
    place: u32,
    entry: u32,
    order: Vec<VarId>,
    /// The nodes of the state in the order of their names.
    nodes: Vec<u64>,
    reuse: Reuse,
}

/// What a look at the table says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Nothing below has to be walked.
    Known,
    /// Walk, with a frame.
    Walk,
}

/// The memory of a walk.
#[derive(Debug)]
pub(crate) struct Merger {
    mode: Merge,
    live: LiveSlots,
    control: Written,
    cells: Written,
    writer: Writer,
    table: Table,
    chain: Chain,
    frames: Vec<Frame>,
    found: Found,
    /// Bytes that the table may take.
    memory: usize,
    /// Set when the walk meets something that merging does not know: it has to be walked plainly.
    abandoned: bool,
    /// Whether every reuse so far has as many paths as the state it stands for.
    counted: bool,
    /// The cost of the costliest path so far.
    best: Option<u64>,
    /// A cost that some path has.
    reached: Option<u64>,
    /// Work up to which states are walked where a reuse would leave the paths uncounted.
    counted_work: u64,
    /// The same by the clock, if there is a time at which the walk has to end.
    counted_until: Deadline,
    states: u64,
    reuses: u64,
    wrong: u64,
    misses: Misses,
    /// Looks at points that something was stored for.
    looks: u64,
    /// Looks that found something.
    hits: u64,
    /// States that were stored.
    stored: u64,
    /// Differences that were compared, and locations that were added up.
    fitted: u64,
    /// Work of walking that reuses have saved.
    saved: u64,
    /// The work at which it is next asked whether that pays.
    judged_at: u64,
    is_judged: bool,
    /// The policies of lessons, if somebody learns.
    policies: Option<Policies>,
}

/// Work after which it is asked for the last time whether merging pays.
const LAST_JUDGED: u64 = 1 << 26;

/// About as long as it takes to walk so much takes a frame with what is collected in it.
const STATE_WORK: u64 = 300;

/// Looks from which something can be told.
const LEAST_LOOKS: u64 = 128;

impl Merger {
    pub(crate) fn new(mode: Merge, memory: u64, counted_work: u64) -> Merger {
        Merger {
            mode,
            live: LiveSlots::default(),
            control: Written::default(),
            cells: Written::default(),
            writer: Writer::default(),
            table: Table::default(),
            chain: Chain::default(),
            frames: Vec::new(),
            found: Found::default(),
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            abandoned: false,
            counted: true,
            counted_work,
            counted_until: Deadline::NEVER,
            best: None,
            reached: None,
            states: 0,
            reuses: 0,
            wrong: 0,
            misses: Misses::default(),
            looks: 0,
            hits: 0,
            stored: 0,
            fitted: 0,
            saved: 0,
            judged_at: 0,
            is_judged: false,
            policies: None,
        }
    }

    /// Keeps what can be learned of the paths, all of which count then.
    pub(crate) fn learning(mut self) -> Merger {
        self.policies = Some(Policies::default());
        (self.counted_work, self.counted_until) = (u64::MAX, Deadline::NEVER);
        self
    }

    /// Asks for the first time after so much work whether it pays.
    pub(crate) fn judged_from(mut self, work: u64) -> Merger {
        self.judged_at = work.min(LAST_JUDGED / 16);
        self
    }

    /// Some path is known to cost so much: states below which all cost less are left out where paths are not
    /// counted.
    pub(crate) fn reaches(mut self, cost: Option<u64>) -> Merger {
        self.reached = cost;
        self
    }

    /// Counts paths for half of the time that is left.
    pub(crate) fn until(mut self, deadline: &Deadline) -> Merger {
        self.counted_until = deadline.first_of(2);
        self
    }

    /// Whether the paths are still to be counted after so much work.
    fn counts(&mut self, work: u64) -> bool {
        // The clock is looked at now and then.
        if (self.states + self.reuses) & 0x3f == 0 && self.counted_until.is_over() {
            self.counted_work = 0;
        }
        self.counted && work < self.counted_work
    }

    /// Whether nothing that costs so much at most is worth being walked.
    fn is_surpassed(&self, most: u64) -> bool {
        self.best.is_some_and(|best| most <= best) || self.reached.is_some_and(|cost| most < cost)
    }

    /// The walk has met something that only a plain walk can do.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    /// The walk is back at the last node: what was found since goes to its frame.
    pub(crate) fn fold(&mut self, machine: &mut Machine, arena: &Arena, solver: &mut Solver) {
        let found = std::mem::take(&mut self.found);
        let Some(frame) = self.frames.last_mut() else {
            self.found = found;
            return;
        };
        let accesses = found.accesses.unwrap_or_else(|| machine.take_accesses());
        self.fitted += squared(frame.positions) / 4 + frame.footprint.memory.lines().len() as u64;
        frame.untraced |= found.untraced;
        if !frame.untraced {
            let closed = solver.close(arena);
            let needs = found.asserted.traced(&found.needs, closed, frame.inputs, &mut frame.needs);
            frame.untraced = needs.is_none();
        }
        if frame.untraced || !self.counted {
            frame.hull = None;
        }
        if frame.untraced {
            frame.needs = Needs::default();
        } else if let Some(hull) = found.hull.filter(|_| self.counted) {
            join(&mut frame.hull, hull);
        }
        let path = match found.below.worst {
            Some((_, path)) => {
                let gap = found.turns_at - frame.meter.decided;
                self.chain.before(frame.choice, gap, path)
            }
            None => END,
        };
        let mut below = found.below.relative(frame.meter.counted());
        if let Some(policies) = &mut self.policies {
            below.lesson = policies.led_to(found.decided, std::mem::take(&mut below.lesson));
        }
        if frame.below.is_beaten_by(below.worst.map(|worst| worst.0)) {
            frame.way = found.way.and_then(|way| way.after(&found.asserted, frame.inputs));
        }
        frame.below.add(&below, Counted::default(), path);
        frame.tainted |= found.tainted || accesses.opaque;
        let mut footprint = found.footprint;
        footprint.precede(&accesses);
        frame.footprint.add(&footprint);
    }

    /// All sides of the last node were followed, and the walk stands at it again.
    /// `work` has been done by now.
    pub(crate) fn finish(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        work: u64,
    ) {
        let Some(mut frame) = self.frames.pop() else { return };
        let walked = work.saturating_sub(frame.meter.work);
        frame.below.work = walked.saturating_add(self.saved - frame.saved);
        frame.below.regions |= machine.looked_at() > frame.looked_at;
        if let Some(expected) = frame.expected.take() {
            let mut known = expected.below;
            known.worst_only |= expected.reuse != Reuse::Whole;
            let agrees = match expected.reuse {
                Reuse::Bound => frame.below.most() <= known.most(),
                _ => known.agrees(&frame.below, &self.chain),
            };
            self.wrong += u64::from(frame.tainted || !agrees);
        } else if frame.tainted {
            self.misses.uncertain += 1;
        } else if frame.keyed && !self.abandoned {
            self.store(machine, arena, solver, &frame);
        }
        self.pass_on(frame);
    }

    /// What lies below a node is what the stretch that led to it found.
    fn pass_on(&mut self, frame: Frame) {
        let Frame { meter, lead, below, footprint, tainted, .. } = frame;
        self.found = lead;
        self.found.untraced |= frame.untraced;
        self.found.needs = frame.needs;
        if let (Some(mut hull), Some(above)) = (frame.hull, self.frames.last())
            && !self.found.untraced
        {
            hull.restrict(above.inputs, above.positions);
            join(&mut self.found.hull, hull);
        }
        let path = below.worst.map_or(END, |worst| worst.1);
        self.found.add(&below, meter, path, || frame.way);
        self.found.footprint = footprint;
        self.found.tainted |= tainted;
    }

    fn store(&mut self, machine: &Machine, arena: &Arena, solver: &mut Solver, frame: &Frame) {
        if !machine.is_comparable() {
            return;
        }
        let policies = self.policies.as_ref().map_or(0, Policies::bytes);
        if self.table.bytes() + self.chain.bytes() + policies > self.memory {
            // Points and paths are not dropped: where they fill the memory, nothing more is kept.
            if 2 * self.table.entry_bytes() < self.memory {
                return;
            }
            self.table.drop_half();
        }
        let Some(point) = self.point(machine, &frame.asked) else { return };
        self.stored += 1;
        self.misses.untraced += u64::from(frame.untraced);
        let (mut named, _) = machine.named(&frame.footprint, &self.control, &mut self.cells);
        let mut shape = self.shape(arena, point);
        if !self.has_names(machine, &named.rest.fixed) {
            // A term has the address of a node in it, or a number that looks like one.
            let mut footprint = frame.footprint.clone();
            footprint.fix(self.writer.numbers().iter().filter_map(|n| machine.pools()?.node(*n)));
            (named, _) = machine.named(&footprint, &self.control, &mut self.cells);
            shape = self.shape(arena, point);
            if !self.has_names(machine, &named.rest.fixed) {
                return;
            }
        }
        let cells = &mut self.cells;
        let held = |index: &Footprint| held(machine, index, cells);
        let Some(place) = self.table.place(point, &named, held) else { return };
        let order = self.writer.order().to_vec();
        let needs = if frame.untraced { None } else { renamed(&frame.needs, &order) };
        let way = frame.way.as_ref().and_then(|way| way.renamed(&order));
        if !self.counted
            && let Some(needs) = &needs
        {
            let room = Room { hull: None, needs: needs.clone(), way };
            self.table.insert_alike(place, shape, frame.below.clone(), room, false);
            return;
        }
        let Some(projection) = solver.project(arena, &order) else { return };
        self.fitted += projected(&projection);
        if let Some(needs) = needs.filter(|_| projection.simple) {
            let hull = frame.hull.as_ref().map(|hull| hull.renamed(&order));
            self.fitted += squared(order.len());
            let room = Room { hull, needs, way };
            self.table.insert_alike(place, shape, frame.below.clone(), room, true);
            return;
        }
        self.writer.context(arena, &projection, solver.close(arena));
        self.table.insert(place, self.writer.hash(), frame.below.clone());
    }

    /// The end of the walk, or where it was cut: everything that was found, and the open decisions
    /// of the first path with the greatest cost.
    pub(crate) fn end(&mut self) -> (Totals, Vec<Turn>) {
        while let Some(mut frame) = self.frames.pop() {
            // A walk that was cut has a stretch that was not folded.
            let found = std::mem::take(&mut self.found);
            let path = match found.below.worst {
                Some((_, path)) => {
                    let gap = found.turns_at - frame.meter.decided;
                    self.chain.before(frame.choice, gap, path)
                }
                None => END,
            };
            let mut below = found.below.relative(frame.meter.counted());
            if let Some(policies) = &mut self.policies {
                below.lesson = policies.led_to(found.decided, std::mem::take(&mut below.lesson));
            }
            frame.below.add(&below, Counted::default(), path);
            self.pass_on(frame);
        }
        let mut found = std::mem::take(&mut self.found);
        let lesson = self.policies.as_mut().map(|policies| {
            let below = std::mem::take(&mut found.below.lesson);
            let all = policies.led_to(found.decided, below);
            policies.summary(&all, found.below.least)
        });
        let (below, first) = (found.below, found.turns_at);
        let turns = below.worst.map_or_else(Vec::new, |worst| self.chain.turns(first, worst.1));
        // Where the paths were not walked, the least cost is a bound; if it is the greatest one, all cost that.
        let worst = below.worst.map(|worst| worst.0);
        let attained = below.is_attained();
        let least = below.least.filter(|least| !below.worst_only || Some(*least) == worst);
        let totals = Totals {
            merged: Merged {
                paths: self.counted.then_some(below.paths),
                trapped: self.counted.then_some(below.trapped),
                states: self.states,
                reuses: self.reuses,
                wrong: self.wrong,
                misses: self.misses,
            },
            worst,
            least,
            attained,
            traps: below.traps,
            lesson: lesson.filter(|_| self.counted),
        };
        (totals, turns)
    }

    /// Gives up where keeping states takes more work than reusing them has saved, if that is to be
    /// judged: `keeping` and `walking` have taken so much. Looks that could not have found anything
    /// say nothing: entries are stored on the way back. Late in a long walk it is too late: all would
    /// have to be walked again.
    pub(crate) fn judge(&mut self, keeping: u64, walking: u64) {
        let work = keeping + walking;
        if self.mode != Merge::Auto || work < self.judged_at || work > LAST_JUDGED {
            return;
        }
        // Where there is too little to tell by, a little more is waited for; but not for long.
        let enough = self.looks.max(self.stored) >= LEAST_LOOKS || self.is_judged;
        self.is_judged = true;
        self.judged_at = work + work / 2;
        if enough {
            self.abandoned |= !self.pays(keeping);
        }
    }

    /// Whether reusing states has saved more than the work of keeping them, or will: the first states that
    /// are met again are the last of their paths, and save little, but if most are met again, so are those
    /// further up.
    pub(crate) fn pays(&self, keeping: u64) -> bool {
        let tried = if self.looks < LEAST_LOOKS / 2 { self.stored } else { self.looks };
        self.saved >= keeping || 2 * self.hits >= tried
    }

    /// Work of keeping states done so far, in about the units of a walk.
    pub(crate) fn work(&self) -> u64 {
        self.writer.work() + self.fitted + self.policies.as_ref().map_or(0, Policies::work)
    }
}

fn squared(count: usize) -> u64 {
    (count * count) as u64
}

fn join(into: &mut Option<Hull>, hull: Hull) {
    match into {
        Some(known) => known.join(&hull),
        None => *into = Some(hull),
    }
}

/// Needs in terms of inputs numbered by their places in a list; `None` if one is not in it.
fn renamed(needs: &Needs, order: &[VarId]) -> Option<Needs> {
    let place = |v: VarId| order.iter().position(|u| *u == v).map(|c| VarId(c as u32));
    let number = |n: Number| match n.input() {
        Some(v) => place(v).map(|c| n.of(c)),
        None => Some(n),
    };
    let mut out = Needs::default();
    for need in &needs.differences {
        out.difference(Difference { x: number(need.x)?, y: number(need.y)?, k: need.k });
    }
    for (v, set) in &needs.members {
        out.member(place(*v)?, *set);
    }
    for need in &needs.apart {
        out.apart(Difference { x: number(need.x)?, y: number(need.y)?, k: need.k });
    }
    Some(out)
}

/// What a walk found in all.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) merged: Merged,
    pub(crate) worst: Option<u64>,
    pub(crate) least: Option<u64>,
    /// Whether nothing that was left out may cost more.
    pub(crate) attained: bool,
    pub(crate) traps: Traps,
    /// What can be learned, if that was asked for and every path counts.
    pub(crate) lesson: Option<WiseSummary>,
}
