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
mod needs;
mod table;

pub use count::Count;

use self::hull::Hull;
use self::key::{Hash128, Writer};
pub(crate) use self::needs::Extent;
use self::needs::{Asserted, Needs, subset};
use self::table::{Below, Chain, END, Room, Table, Traps};
use crate::finding::FindingKind;
use pessimum_entry::CostModel;
use pessimum_machine::{Accesses, Footprint, LiveSlots, Machine, Written};
use pessimum_solver::{Difference, Number, Projection, Simple, Solver};
use pessimum_term::{Arena, TermId, VarId, Width};
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
    /// Work of walking done so far, whatever was undone since.
    pub(crate) work: u64,
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
    /// Whether needs are not known: then only the very same path condition has the same tree.
    untraced: bool,
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
    expected: Option<u32>,
    looked_at: u64,
    /// What had been saved when the node was met.
    saved: u64,
    /// Inputs, and numbers in differences, that there were at the node.
    inputs: u32,
    positions: usize,
    hull: Option<Hull>,
    needs: Needs,
    untraced: bool,
}

/// An entry that a state may use, and the inputs of the state in the order of the entry.
#[derive(Debug)]
struct Hit {
    place: u32,
    entry: u32,
    order: Vec<VarId>,
    /// The nodes of the state in the order of their names.
    nodes: Vec<u64>,
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
    counted: bool,
    states: u64,
    reuses: u64,
    wrong: u64,
    /// Looks at points that something was stored for.
    looks: u64,
    /// States that were stored.
    stored: u64,
    /// Differences that were compared, and locations that were added up.
    fitted: u64,
    /// Work of walking that reuses have saved.
    saved: u64,
    /// The work at which it is next asked whether that pays.
    judged_at: u64,
}

/// Work before it is asked for the first time whether merging pays, and for the last time.
const FIRST_JUDGED: u64 = 1 << 20;
const LAST_JUDGED: u64 = 1 << 26;

/// Work up to which states are walked again where a reuse would leave the paths uncounted.
const COUNTED_WORK: u64 = 1 << 25;

/// About as long as it takes to walk so much takes a frame with what is collected in it.
const STATE_WORK: u64 = 300;

/// Looks from which something can be told.
const LEAST_LOOKS: u64 = 128;

/// The least that the table may take.
const LEAST_MEMORY: u64 = 64 << 20;

impl Merger {
    pub(crate) fn new(mode: Merge, memory: Option<u64>) -> Merger {
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
            memory: (memory.unwrap_or(4 << 30) / 2).max(LEAST_MEMORY) as usize,
            abandoned: false,
            counted: true,
            states: 0,
            reuses: 0,
            wrong: 0,
            looks: 0,
            stored: 0,
            fitted: 0,
            saved: 0,
            judged_at: FIRST_JUDGED,
        }
    }

    // --- what happens along a stretch -----------------------------------------------------------

    /// A path ended normally.
    pub(crate) fn leaf(&mut self, arena: &Arena, solver: &mut Solver, at: Meter) {
        self.model(arena, solver);
        let end = Below {
            paths: Count::from(1),
            worst: Some((0, END)),
            least: Some(0),
            ..Below::default()
        };
        self.found.below.add(&end, at.cost, at.instructions, END);
    }

    /// A path trapped.
    pub(crate) fn trap(
        &mut self,
        arena: &Arena,
        solver: &mut Solver,
        at: Meter,
        kind: FindingKind,
        position: u32,
    ) {
        self.model(arena, solver);
        let traps: Traps = vec![((kind, position), 1)];
        let end = Below { trapped: Count::from(1), traps, ..Below::default() };
        self.found.below.add(&end, at.cost, at.instructions, END);
    }

    /// A path ended that is none: nothing is counted, but it took its instructions.
    pub(crate) fn dead_end(&mut self, at: Meter) {
        self.found.below.add(&Below::default(), at.cost, at.instructions, END);
    }

    /// Something happened that later states may not rely on.
    pub(crate) fn taint(&mut self) {
        self.found.tainted = true;
    }

    /// A value was split.
    pub(crate) fn split(&mut self) {
        self.found.below.splits = true;
    }

    /// Something may have been read from one of several places, which the path condition told.
    pub(crate) fn region(&mut self) {
        self.found.below.regions = true;
        self.found.untraced = true;
    }

    /// Keeps the present model: it leads to the leaf that the walk stands at.
    fn model(&mut self, arena: &Arena, solver: &mut Solver) {
        let Some(frame) = self.frames.last() else { return };
        if !solver.has_model() {
            self.found.tainted = true;
        } else if !self.found.untraced {
            let plain = solver.is_plain(arena);
            let closed = solver.close(arena);
            self.fitted += squared(closed.active().count()) / 2;
            let point = Hull::point(closed, plain, frame.inputs, frame.positions);
            join(&mut self.found.hull, point);
        }
    }

    /// A condition was asserted.
    pub(crate) fn asserts(&mut self, arena: &mut Arena, solver: &mut Solver, condition: TermId) {
        if self.frames.is_empty() || self.found.untraced {
            return;
        }
        solver.spread(arena, condition);
        for part in solver.simple(arena, condition).into_iter().flatten() {
            match part {
                Simple::Difference(edge) => {
                    self.domains(arena, edge);
                    self.found.asserted.edges.push(edge);
                }
                Simple::Member(v, set) => self.found.asserted.members.push((v, set)),
                Simple::Apart(apart) => {
                    // With an order that is known, it makes the order strict.
                    let closed = solver.close(arena);
                    for weak in [Some(apart), turned(apart)].into_iter().flatten() {
                        if closed.at(weak.x, weak.y) == weak.k.saturating_sub(1) {
                            self.domains(arena, weak);
                            self.found.asserted.need(weak);
                            let strict = Difference { k: weak.k.saturating_sub(1), ..weak };
                            self.found.asserted.edges.push(strict);
                        }
                    }
                }
            }
        }
    }

    /// How much was asserted, to take back what is asserted for a while.
    pub(crate) fn extent(&self) -> Extent {
        self.found.asserted.extent()
    }

    /// Takes back what was asserted since.
    pub(crate) fn back_to(&mut self, extent: Extent) {
        self.found.asserted.back_to(extent);
    }

    /// A condition was found to be implied, so that its opposite was not followed.
    pub(crate) fn forced(&mut self, arena: &mut Arena, solver: &mut Solver, condition: TermId) {
        if self.frames.is_empty() || self.found.untraced {
            return;
        }
        let Some(parts) = solver.simple(arena, condition) else {
            self.found.untraced = true;
            return;
        };
        let closed = solver.close(arena);
        for part in parts {
            match part {
                Simple::Difference(need) if closed.at(need.x, need.y) <= need.k => {
                    self.found.asserted.need(need);
                    self.domains(arena, need);
                }
                Simple::Member(v, set)
                    if closed.members(v).is_some_and(|members| subset(&members, &set)) =>
                {
                    self.found.asserted.member_need(v, set);
                }
                Simple::Apart(apart) if closed.are_apart(apart) => {
                    let strict =
                        |weak: Difference| Difference { k: weak.k.saturating_sub(1), ..weak };
                    let sides = [Some(apart), turned(apart)].into_iter().flatten().map(strict);
                    if let Some(need) = sides.into_iter().find(|d| closed.at(d.x, d.y) <= d.k) {
                        self.found.asserted.need(need);
                        self.domains(arena, need);
                    }
                }
                // Something else than differences has forced it.
                _ => self.found.untraced = true,
            }
        }
    }

    /// Notes the static bounds of inputs that are newer than the last node.
    fn domains(&mut self, arena: &Arena, of: Difference) {
        let inputs = self.frames.last().map_or(0, |frame| frame.inputs);
        for n in [of.x, of.y] {
            let Some(v) = n.input().filter(|v| v.0 >= inputs) else { continue };
            let range = arena.range(arena.var_term(v));
            if arena.width(arena.var_term(v)) == Width::W64 {
                self.found.untraced = true;
                continue;
            }
            let (lo, hi) = if n == Number::readings(v)[0] {
                (range.smin, range.smax)
            } else {
                (range.umin as i64, range.umax as i64)
            };
            let zero = Number::ZERO;
            let bounds =
                [Difference { x: n, y: zero, k: hi }, Difference { x: zero, y: n, k: -lo }];
            for bound in bounds {
                if !self.found.asserted.domains.contains(&bound) {
                    self.found.asserted.domains.push(bound);
                }
            }
        }
    }

    /// The walk has met something that only a plain walk can do.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    // --- open decisions -------------------------------------------------------------------------

    /// Looks the present state up, which waits for a decision on `asked`. What is below may be left
    /// out if it takes no more than so many instructions in all; without a number every path is to
    /// be met. After [`Look::Walk`] the decision has a frame, and the walk has to come back to it
    /// with [`Merger::finish`].
    pub(crate) fn look(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
        at: Meter,
        most_instructions: Option<u64>,
    ) -> Look {
        let mut expected = None;
        let mut keyed = true;
        if machine.is_comparable()
            && let Some(hit) = self.find(machine, arena, solver, asked)
            && most_instructions.is_none_or(|most| self.ends_within(&hit, at, most))
        {
            let below = &self.table.entries[hit.entry as usize].below;
            let counting = self.counted && at.work < COUNTED_WORK && unsure(below, arena);
            if self.mode == Merge::Verify {
                self.reuses += 1;
                expected = Some(hit.entry);
            } else if most_instructions.is_none() || counting {
                // Paths are to be met, or are still few enough to be counted one by one.
                self.saved = self.saved.saturating_add(below.work);
                keyed = false;
            } else {
                self.reuse(arena, solver, &hit, at);
                return Look::Known;
            }
        }
        self.push(machine, arena, solver, asked, at, keyed, expected);
        self.states += 1;
        Look::Walk
    }

    fn ends_within(&self, hit: &Hit, at: Meter, most: u64) -> bool {
        at.instructions + self.table.entries[hit.entry as usize].below.instructions <= most
    }

    /// A node that is no state to be compared.
    pub(crate) fn push_plain(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        at: Meter,
    ) {
        self.push(machine, arena, solver, &[], at, false, None);
    }

    #[allow(clippy::too_many_arguments)] // the parts of the walk, which it owns
    fn push(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
        meter: Meter,
        keyed: bool,
        expected: Option<u32>,
    ) {
        self.fitted += STATE_WORK;
        let mut lead = std::mem::take(&mut self.found);
        lead.accesses = Some(machine.take_accesses());
        let closed = solver.close(arena);
        self.frames.push(Frame {
            inputs: closed.inputs(),
            positions: closed.active().count() + 1,
            hull: None,
            needs: Needs::default(),
            untraced: false,
            asked: asked.to_vec(),
            meter,
            lead,
            below: Below::default(),
            footprint: Footprint::default(),
            tainted: false,
            choice: 0,
            keyed,
            expected,
            looked_at: machine.looked_at(),
            saved: self.saved,
        });
    }

    /// Says which side of the last decision is followed now.
    pub(crate) fn follow(&mut self, choice: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.choice = choice;
        }
    }

    fn find(
        &mut self,
        machine: &Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
    ) -> Option<Hit> {
        let point = self.point(machine, asked)?;
        let cells = &mut self.cells;
        let places = self.table.places_of(point, |index| held(machine, index, cells));
        self.looks += u64::from(!places.is_empty());
        places.into_iter().rev().find_map(|place| {
            let footprint = &self.table.places[place as usize].footprint;
            let nodes = machine.cells_named(footprint, &self.control, &mut self.cells)?;
            let shape = self.shape(arena, point);
            let footprint = &self.table.places[place as usize].footprint;
            if !self.has_names(machine, &footprint.rest.fixed) {
                return None;
            }
            let alike = self.table.alike(place, shape);
            let equal = &self.table.places[place as usize].equal;
            if alike.is_empty() && equal.is_empty() {
                return None;
            }
            let order = self.writer.order().to_vec();
            let projection = solver.project(arena, &order)?;
            self.fitted += projected(&projection);
            let closed = solver.close(arena);
            if projection.simple {
                let fits = |entry: &&u32| {
                    let Some(room) = &self.table.entries[**entry as usize].room else {
                        return false;
                    };
                    room.needs.hold(closed, |v| order.get(v.0 as usize).copied())
                        && room.hull.as_ref().is_none_or(|hull| hull.fits(&order, closed))
                };
                let found = alike.iter().rev().position(|entry| fits(&entry));
                let tried = found.map_or(alike.len(), |at| at + 1);
                self.fitted += tried as u64 * squared(order.len()) / 2;
                if let Some(&entry) = found.and_then(|at| alike.iter().rev().nth(at)) {
                    return Some(Hit { place, entry, order, nodes });
                }
            }
            if equal.is_empty() {
                return None;
            }
            self.writer.context(arena, &projection, closed);
            let entry = *equal.get(&self.writer.hash())?;
            Some(Hit { place, entry, order, nodes })
        })
    }

    /// Whether no term that was written down has the address of a node in it that is named.
    fn has_names(&self, machine: &Machine, fixed: &[u64]) -> bool {
        let Some(pools) = machine.pools() else { return true };
        let nodes = self.writer.numbers().iter().filter_map(|number| pools.node(*number));
        nodes.into_iter().all(|node| fixed.binary_search(&node).is_ok())
    }

    /// The hash of the control; fills [`Merger::control`].
    fn point(&mut self, machine: &Machine, asked: &[TermId]) -> Option<Hash128> {
        machine.control(&mut self.live, asked, &mut self.control);
        if !Machine::fits(&self.control) {
            return None;
        }
        let mut hash = Hash128::default();
        hash.words(&self.control.words);
        Some(hash)
    }

    /// The hash of everything that a state holds at the cells that were written down.
    fn shape(&mut self, arena: &Arena, point: Hash128) -> Hash128 {
        self.writer.begin(arena, point);
        self.writer.words(&self.cells.words);
        self.writer.words(&self.cells.names);
        for &t in self.control.terms.iter().chain(&self.cells.terms) {
            self.writer.term(arena, t);
        }
        self.writer.domains(arena, 0);
        self.writer.hash()
    }

    fn reuse(&mut self, arena: &Arena, solver: &mut Solver, hit: &Hit, at: Meter) {
        self.reuses += 1;
        let entry = &self.table.entries[hit.entry as usize];
        let below = &entry.below;
        self.saved = self.saved.saturating_add(below.work);
        if unsure(below, arena) {
            self.counted = false;
        }
        let path = below.worst.map_or(END, |worst| worst.1);
        self.found.below.add(below, at.cost, at.instructions, path);
        self.found.footprint = self.table.places[hit.place as usize].footprint.at(&hit.nodes);
        let Some(frame) = self.frames.last() else { return };
        let Some(room) = &entry.room else {
            self.found.untraced = true;
            return;
        };
        let renamed = |n: Number| n.input().map_or(n, |c| n.of(hit.order[c.0 as usize]));
        for need in &room.needs.differences {
            let (x, y) = (renamed(need.x), renamed(need.y));
            self.found.needs.difference(Difference { x, y, k: need.k });
        }
        for (c, set) in &room.needs.members {
            self.found.needs.member(hit.order[c.0 as usize], *set);
        }
        if let Some(hull) = &room.hull
            && !self.found.untraced
        {
            let closed = solver.close(arena);
            let hull = hull.extended(&hit.order, closed, frame.inputs, frame.positions);
            self.fitted += 2 * squared(frame.positions);
            join(&mut self.found.hull, hull);
        }
    }

    // --- the way back ---------------------------------------------------------------------------

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
        if frame.untraced {
            frame.hull = None;
            frame.needs = Needs::default();
        } else if let Some(hull) = found.hull {
            join(&mut frame.hull, hull);
        }
        let Meter { cost, instructions, .. } = frame.meter;
        let path = match found.below.worst {
            Some((_, path)) => self.chain.before(frame.choice, path),
            None => END,
        };
        let mut below = found.below;
        below.worst = below.worst.map(|(total, path)| (total - cost, path));
        below.least = below.least.map(|total| total - cost);
        below.instructions = below.instructions.saturating_sub(instructions);
        frame.below.add(&below, 0, 0, path);
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
        if let Some(expected) = frame.expected {
            let known = &self.table.entries[expected as usize].below;
            self.wrong += u64::from(frame.tainted || !known.agrees(&frame.below, &self.chain));
        } else if frame.keyed && !frame.tainted && !self.abandoned {
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
        self.found.below.add(&below, meter.cost, meter.instructions, path);
        self.found.footprint = footprint;
        self.found.tainted |= tainted;
    }

    fn store(&mut self, machine: &Machine, arena: &Arena, solver: &mut Solver, frame: &Frame) {
        if !machine.is_comparable() || self.table.bytes() + self.chain.bytes() > self.memory {
            return;
        }
        let Some(point) = self.point(machine, &frame.asked) else { return };
        self.stored += 1;
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
        let Some(projection) = solver.project(arena, &order) else { return };
        self.fitted += projected(&projection);
        if projection.simple
            && !frame.untraced
            && let Some(needs) = renamed(&frame.needs, &order)
        {
            let hull = frame.hull.as_ref().map(|hull| hull.renamed(&order));
            self.fitted += squared(order.len());
            let room = Room { hull, needs };
            self.table.insert_alike(place, shape, frame.below.clone(), room);
            return;
        }
        self.writer.context(arena, &projection, solver.close(arena));
        self.table.insert(place, self.writer.hash(), frame.below.clone());
    }

    /// The end of the walk, or where it was cut: everything that was found, and the open decisions
    /// of the first path with the greatest cost.
    pub(crate) fn end(&mut self) -> (Totals, Vec<u32>) {
        while let Some(mut frame) = self.frames.pop() {
            // A walk that was cut has a stretch that was not folded.
            let found = std::mem::take(&mut self.found);
            let path = match found.below.worst {
                Some((_, path)) => self.chain.before(frame.choice, path),
                None => END,
            };
            let mut below = found.below;
            below.worst = below.worst.map(|(total, path)| (total - frame.meter.cost, path));
            below.least = below.least.map(|total| total - frame.meter.cost);
            frame.below.add(&below, 0, 0, path);
            self.pass_on(frame);
        }
        let below = std::mem::take(&mut self.found.below);
        let choices = below.worst.map_or_else(Vec::new, |worst| self.chain.choices(worst.1));
        // Which parts of a value are split depends on the terms there are, and this walk makes some
        // that a plain one does not.
        let counted = self.counted && !below.splits;
        let totals = Totals {
            merged: Merged {
                paths: counted.then_some(below.paths),
                trapped: counted.then_some(below.trapped),
                states: self.states,
                reuses: self.reuses,
                wrong: self.wrong,
            },
            worst: below.worst.map(|worst| worst.0),
            least: below.least,
            traps: below.traps,
        };
        (totals, choices)
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
        self.judged_at = work + work / 2;
        if self.looks.max(self.stored) >= LEAST_LOOKS {
            self.abandoned |= !self.pays(keeping);
        }
    }

    /// Whether reusing states has saved more than the work of keeping them.
    pub(crate) fn pays(&self, keeping: u64) -> bool {
        self.saved >= keeping
    }

    /// Work of keeping states done so far, in about the units of a walk.
    pub(crate) fn work(&self) -> u64 {
        self.writer.work() + self.fitted
    }
}

fn squared(count: usize) -> u64 {
    (count * count) as u64
}

/// The work of finding out what a path condition says, where that is not all differences.
fn projected(projection: &Projection) -> u64 {
    let Projection { kept, others, disequalities, .. } = projection;
    40 * (kept.len() + others.len() + disequalities.len()) as u64
}

/// Whether the number of paths below a state may differ in another: which parts of a value are
/// decided, and in which order, depends on terms that are gone.
fn unsure(below: &Below, arena: &Arena) -> bool {
    below.splits || (below.regions && arena.has_tags())
}

/// A hash of the numbers that a state holds somewhere, and of where it holds terms.
fn held(machine: &Machine, at: &Footprint, cells: &mut Written) -> Hash128 {
    machine.cells(at, cells);
    let mut hash = Hash128::default();
    hash.words(&cells.words);
    hash
}

/// `y ≤ x − k` for `x ≤ y + k`: the other side of an equation.
fn turned(of: Difference) -> Option<Difference> {
    Some(Difference { x: of.y, y: of.x, k: of.k.checked_neg()? })
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
    Some(out)
}

/// What a walk found in all.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) merged: Merged,
    pub(crate) worst: Option<u64>,
    pub(crate) least: Option<u64>,
    pub(crate) traps: Traps,
}
