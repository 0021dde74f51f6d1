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
mod key;
mod table;

pub use count::Count;

use self::key::{Hash128, Writer};
use self::table::{Below, Chain, END, Table, Traps};
use crate::finding::FindingKind;
use pessimum_entry::CostModel;
use pessimum_machine::{Accesses, Footprint, LiveSlots, Machine, Written};
use pessimum_solver::Solver;
use pessimum_term::{Arena, TermId};
use serde::{Deserialize, Serialize};

/// Whether a walk remembers what lies below a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// Every path is walked.
    #[default]
    Off,
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
}

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
        }
    }

    // --- what happens along a stretch -----------------------------------------------------------

    /// A path ended normally.
    pub(crate) fn leaf(&mut self, at: Meter) {
        let end = Below {
            paths: Count::from(1),
            worst: Some((0, END)),
            least: Some(0),
            ..Below::default()
        };
        self.found.below.add(&end, at.cost, at.instructions, END);
    }

    /// A path trapped.
    pub(crate) fn trap(&mut self, at: Meter, kind: FindingKind, position: u32) {
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

    /// Something may have been read from one of several places.
    pub(crate) fn region(&mut self) {
        self.found.below.regions = true;
    }

    /// The walk has met something that only a plain walk can do.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    // --- open decisions -------------------------------------------------------------------------

    /// Looks the present state up, which waits for a decision on `asked`. After [`Look::Walk`] the
    /// decision has a frame, and the walk has to come back to it with [`Merger::finish`].
    pub(crate) fn look(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
        at: Meter,
        most_instructions: u64,
    ) -> Look {
        let mut expected = None;
        if machine.is_comparable()
            && let Some(entry) = self.find(machine, arena, solver, asked)
            && at.instructions + self.table.entries[entry.1 as usize].instructions
                <= most_instructions
        {
            if self.mode == Merge::On {
                self.reuse(arena, entry, at);
                return Look::Known;
            }
            self.reuses += 1;
            expected = Some(entry.1);
        }
        self.push(machine, asked, at, true, expected);
        self.states += 1;
        Look::Walk
    }

    /// A node that is no state to be compared.
    pub(crate) fn push_plain(&mut self, machine: &mut Machine, at: Meter) {
        self.push(machine, &[], at, false, None);
    }

    fn push(
        &mut self,
        machine: &mut Machine,
        asked: &[TermId],
        meter: Meter,
        keyed: bool,
        expected: Option<u32>,
    ) {
        let mut lead = std::mem::take(&mut self.found);
        lead.accesses = Some(machine.take_accesses());
        self.frames.push(Frame {
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
    ) -> Option<(u32, u32)> {
        let point = self.point(machine, asked)?;
        let places = self.table.places_of(point).to_vec();
        self.looks += u64::from(!places.is_empty());
        places.into_iter().find_map(|place| {
            let footprint = &self.table.places[place as usize].footprint;
            machine.cells(footprint, &mut self.cells);
            let key = self.key(arena, solver, point)?;
            let entry = *self.table.places[place as usize].equal.get(&key)?;
            Some((place, entry))
        })
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
    fn key(&mut self, arena: &Arena, solver: &mut Solver, point: Hash128) -> Option<Hash128> {
        self.writer.begin(arena, point);
        self.writer.words(&self.cells.words);
        for &t in self.control.terms.iter().chain(&self.cells.terms) {
            self.writer.term(arena, t);
        }
        self.writer.domains(arena, 0);
        let projection = solver.project(arena, self.writer.order())?;
        self.writer.context(arena, &projection, solver.close(arena));
        Some(self.writer.hash())
    }

    fn reuse(&mut self, arena: &Arena, (place, entry): (u32, u32), at: Meter) {
        self.reuses += 1;
        let below = &self.table.entries[entry as usize];
        // Which parts of a value are decided, and in which order, depends on terms that are dead.
        if below.splits || (below.regions && arena.has_tags()) {
            self.counted = false;
        }
        let path = below.worst.map_or(END, |worst| worst.1);
        self.found.below.add(below, at.cost, at.instructions, path);
        self.found.footprint = self.table.places[place as usize].footprint.clone();
    }

    // --- the way back ---------------------------------------------------------------------------

    /// The walk is back at the last node: what was found since goes to its frame.
    pub(crate) fn fold(&mut self, machine: &mut Machine) {
        let found = std::mem::take(&mut self.found);
        let accesses = found.accesses.unwrap_or_else(|| machine.take_accesses());
        let Some(frame) = self.frames.last_mut() else {
            self.found = Found { accesses: Some(accesses), ..found };
            return;
        };
        let Meter { cost, instructions } = frame.meter;
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
    pub(crate) fn finish(&mut self, machine: &mut Machine, arena: &Arena, solver: &mut Solver) {
        let Some(mut frame) = self.frames.pop() else { return };
        frame.below.regions |= machine.looked_at() > frame.looked_at;
        if let Some(expected) = frame.expected {
            let known = &self.table.entries[expected as usize];
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
        let Some(place) = self.table.place(point, &frame.footprint) else { return };
        machine.cells(&frame.footprint, &mut self.cells);
        if let Some(key) = self.key(arena, solver, point) {
            self.table.insert(place, key, frame.below.clone());
        }
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
        let totals = Totals {
            merged: Merged {
                paths: self.counted.then_some(below.paths),
                trapped: self.counted.then_some(below.trapped),
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

    /// Work done so far, in about the units of a walk.
    pub(crate) fn work(&self) -> u64 {
        self.writer.work()
    }
}

/// What a walk found in all.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) merged: Merged,
    pub(crate) worst: Option<u64>,
    pub(crate) least: Option<u64>,
    pub(crate) traps: Traps,
}
