//! What is known of states that were walked.
//!
//! *Layout*: a point (control) has a short list of footprints; each footprint has its entries by the
//! hash of what a state holds there. A point with more footprints (a program that keeps its counters
//! in memory has one for each of their values) sorts the others by the numbers that a state holds
//! where all of the first ones look ([`Branch`]). An entry takes a few words: its numbers are relative to the
//! state it belongs to, and the decisions of its worst path are a chain of cells shared with the
//! entries below it ([`Chain`]), one cell an entry.

use super::count::Count;
use super::hull::Renamed;
use super::key::Hash128;
use super::lesson::Lesson;
use super::needs::Needs;
use super::way::Way;
use crate::explorer::Turn;
use crate::finding::FindingKind;
use pessimum_machine::{Footprint, NamedFootprint};
use pessimum_solver::{Closed, Solver};
use pessimum_term::{Arena, VarId};
use rustc_hash::FxHashMap;

/// A branch has at most so many footprints: each is tried in turn.
const FOOTPRINTS: usize = 3;

/// Branches below each other.
const DEPTH: u32 = 6;

/// No cell.
pub(super) const END: u32 = u32::MAX;

/// The open decisions of a path, first to last, as cells that lead to the next.
#[derive(Debug, Default)]
pub(super) struct Chain {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    choice: u32,
    next: u32,
    /// Decisions from this one to the next open one.
    gap: u32,
    /// Of this choice and all that follow.
    hash: u64,
}

impl Chain {
    /// A choice before others.
    pub(super) fn before(&mut self, choice: u32, gap: u32, next: u32) -> u32 {
        let rest = self.hash(next);
        let hash = (rest ^ u64::from(choice)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.cells.push(Cell { choice, next, gap, hash });
        self.cells.len() as u32 - 1
    }

    /// A hash of the choices from a cell on.
    pub(super) fn hash(&self, at: u32) -> u64 {
        if at == END { 1 } else { self.cells[at as usize].hash }
    }

    /// The choices from a cell on, which so many decisions come before.
    pub(super) fn turns(&self, decided: u32, from: u32) -> Vec<Turn> {
        let mut turns = Vec::new();
        let (mut decided, mut at) = (decided, from);
        while at != END {
            let cell = self.cells[at as usize];
            turns.push(Turn { decided, choice: cell.choice });
            (decided, at) = (decided + cell.gap, cell.next);
        }
        turns
    }

    pub(super) fn bytes(&self) -> usize {
        self.cells.len() * std::mem::size_of::<Cell>()
    }
}

/// Findings below a state: kind, place, how often.
pub(super) type Traps = Vec<((FindingKind, u32), u64)>;

/// What lies below a state; costs and instructions are counted from there.
#[derive(Clone, Debug, Default)]
pub(super) struct Below {
    /// Paths that end normally.
    pub(super) paths: Count,
    /// Paths that trap.
    pub(super) trapped: Count,
    /// The greatest cost, and the first path of the tree that has it.
    pub(super) worst: Option<(u64, u32)>,
    /// The most that states below may cost that were left out because others cost as much.
    pub(super) bound: Option<u64>,
    /// The least cost.
    pub(super) least: Option<u64>,
    /// Traps by kind and place.
    pub(super) traps: Traps,
    /// Instructions of the longest path, or more.
    pub(super) instructions: u64,
    /// Whether something was read from one of several places.
    pub(super) regions: bool,
    /// Whether the greatest cost is all that is known: of the rest there may be less.
    pub(super) worst_only: bool,
    /// What it takes to walk it.
    pub(super) work: u64,
    /// What can be learned of the paths; nothing where nobody learns.
    pub(super) lesson: Lesson,
}

/// What had been counted at a point of a path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) cost: u64,
    pub(super) instructions: u64,
    /// Conditions that the first of all inputs does not meet.
    pub(super) turns: u64,
}

impl Below {
    /// Adds what lies so much further down, its path being led to by `worst`.
    pub(super) fn add(&mut self, later: &Below, at: Counted, worst: u32) {
        let Counted { cost, instructions, turns } = at;
        self.paths.add(&later.paths);
        self.trapped.add(&later.trapped);
        let more = later.worst.map(|(more, _)| cost + more);
        if self.is_beaten_by(more) {
            self.worst = more.map(|more| (more, worst));
        }
        self.bound = self.bound.max(later.bound.map(|bound| cost + bound));
        let least = later.least.map(|least| cost + least);
        self.least = match (self.least, least) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for &(what, count) in &later.traps {
            match self.traps.iter_mut().find(|known| known.0 == what) {
                Some(known) => known.1 = known.1.saturating_add(count),
                None => self.traps.push((what, count)),
            }
        }
        self.instructions = self.instructions.max(instructions + later.instructions);
        self.regions |= later.regions;
        self.worst_only |= later.worst_only;
        self.lesson.add(&later.lesson, cost, turns);
    }

    /// Counts from a point at which so much had been counted; all numbers are those of the whole path.
    pub(super) fn relative(mut self, at: Counted) -> Below {
        let Counted { cost, instructions, turns } = at;
        self.lesson = self.lesson.relative(cost, turns);
        self.worst = self.worst.map(|(total, path)| (total - cost, path));
        self.bound = self.bound.map(|total| total - cost);
        self.least = self.least.map(|total| total - cost);
        self.instructions = self.instructions.saturating_sub(instructions);
        self
    }

    /// No path costs more.
    pub(super) fn most(&self) -> Option<u64> {
        self.bound.max(self.worst.map(|(cost, _)| cost))
    }

    /// Whether a path that was found costs as much as any.
    pub(super) fn is_attained(&self) -> bool {
        self.most() == self.worst.map(|(cost, _)| cost)
    }

    /// Whether something that costs so much is worse than all of it.
    pub(super) fn is_beaten_by(&self, cost: Option<u64>) -> bool {
        cost.is_some_and(|cost| self.worst.is_none_or(|(mine, _)| cost > mine))
    }

    /// Whether a walk of the same state agrees with what is known of it.
    pub(super) fn agrees(&self, other: &Below, chain: &Chain) -> bool {
        let worst = |below: &Below| below.worst.map(|(cost, path)| (cost, chain.hash(path)));
        let sorted = |traps: &Traps| {
            let mut traps = traps.clone();
            traps.sort_unstable();
            traps
        };
        if self.worst_only || other.worst_only {
            // Decisions that are open in one may be forced in the other.
            let cost = |below: &Below| below.worst.map(|(cost, _)| cost);
            return cost(self) == cost(other) || !self.is_attained() || !other.is_attained();
        }
        self.paths == other.paths
            && self.trapped == other.trapped
            && self.least == other.least
            && worst(self) == worst(other)
            && self.lesson == other.lesson
            // A path that ends in an assumption has left no model, and may be missing.
            && self.instructions >= other.instructions
            && sorted(&self.traps) == sorted(&other.traps)
    }

    pub(super) fn heap(&self) -> usize {
        let counts = self.paths.heap() + self.trapped.heap();
        counts + self.traps.capacity() * 24 + self.lesson.heap()
    }
}

/// What is known of one state.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) below: Below,
    /// What a path condition must allow and imply to have the same tree; without it, it has to be
    /// the same path condition.
    pub(super) room: Option<Room>,
    /// How often it was used.
    pub(super) uses: u32,
}

impl Entry {
    fn new(below: Below, room: Option<Room>) -> Entry {
        Entry { below, room, uses: 0 }
    }

    /// Bytes that it takes, about.
    fn bytes(&self) -> usize {
        let room = self.room.as_ref().map_or(0, Room::heap);
        64 + std::mem::size_of::<Entry>() + self.below.heap() + room
    }

    /// What it has saved, and would save if it were used once more, for each byte.
    fn worth(&self) -> u64 {
        let uses = u64::from(self.uses) + 1;
        self.below.work.saturating_mul(uses) / self.bytes() as u64
    }

    /// Whether a path condition implies the needs.
    pub(super) fn implies_needs(&self, order: &[VarId], closed: Closed<'_>) -> bool {
        let place = |v: VarId| order.get(v.0 as usize).copied();
        self.room.as_ref().is_some_and(|room| room.needs.hold(closed, place))
    }

    /// Whether a path condition that differences and domains are all of, and that implies the needs, has the
    /// same paths below.
    pub(super) fn has_same_paths(&self, order: &[VarId], closed: Closed<'_>) -> bool {
        let Some(room) = &self.room else { return false };
        !self.below.worst_only && room.hull.as_ref().is_none_or(|hull| hull.fits(order, closed))
    }

    /// Whether the path condition, which implies the needs, allows the worst path.
    pub(super) fn allows_worst(&self, arena: &Arena, solver: &mut Solver, order: &[VarId]) -> bool {
        let Some(room) = &self.room else { return false };
        let open = |way: &Way| solver.allows(arena, &way.conditions_at(order));
        self.below.is_attained()
            && (self.below.worst.is_none() || room.way.as_ref().is_some_and(open))
    }
}

/// Path conditions that have the same tree below a state: those that the hull fits into and that
/// imply the needs. Inputs are numbered by their occurrence in the state.
#[derive(Debug)]
pub(super) struct Room {
    /// None where nothing below ends, and where the paths are not counted.
    pub(super) hull: Option<Renamed>,
    pub(super) needs: Needs,
    /// What the worst path asks for, where that is known.
    pub(super) way: Option<Way>,
}

impl Room {
    fn heap(&self) -> usize {
        let hull = self.hull.as_ref().map_or(0, Renamed::heap);
        self.needs.heap() + hull + self.way.as_ref().map_or(0, Way::heap)
    }
}

/// The entries of one footprint of a point.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) footprint: NamedFootprint,
    /// By everything that a state holds and what the path condition says of it.
    pub(super) equal: FxHashMap<Hash128, u32>,
    /// By everything that a state holds.
    pub(super) alike: FxHashMap<Hash128, Vec<u32>>,
}

/// Entries of states that hold the same, each for other path conditions: where paths are counted, all models
/// have to be compared, which takes long, and where they are not, most are told by a need or two.
const ALIKE_COUNTED: usize = 64;
const ALIKE: usize = 4096;

/// Footprints of a point, and where to find more of them.
#[derive(Debug, Default)]
struct Branch {
    places: Vec<u32>,
    /// Where states are told apart, and the branches by what they hold there.
    index: Option<(Footprint, FxHashMap<Hash128, u32>)>,
}

/// All entries.
#[derive(Debug, Default)]
pub(super) struct Table {
    points: FxHashMap<Hash128, u32>,
    branches: Vec<Branch>,
    pub(super) places: Vec<Place>,
    pub(super) entries: Vec<Entry>,
    bytes: usize,
    entry_bytes: usize,
}

impl Table {
    /// The places of a point that may know a state; `held` hashes the numbers that it holds
    /// somewhere.
    pub(super) fn places_of(
        &self,
        point: Hash128,
        mut held: impl FnMut(&Footprint) -> Hash128,
    ) -> Vec<u32> {
        let mut places = Vec::new();
        let mut at = self.points.get(&point).copied();
        while let Some(branch) = at.map(|at| &self.branches[at as usize]) {
            places.extend_from_slice(&branch.places);
            at = branch.index.as_ref().and_then(|(index, more)| more.get(&held(index)).copied());
        }
        places
    }

    /// The place of a footprint, made if the point has room for it.
    pub(super) fn place(
        &mut self,
        point: Hash128,
        footprint: &NamedFootprint,
        mut held: impl FnMut(&Footprint) -> Hash128,
    ) -> Option<u32> {
        let branches = &mut self.branches;
        let mut new = || {
            branches.push(Branch::default());
            branches.len() as u32 - 1
        };
        let mut at = *self.points.entry(point).or_insert_with(&mut new) as usize;
        for _ in 0..DEPTH {
            let same = |place: &&u32| self.places[**place as usize].footprint == *footprint;
            if let Some(&place) = self.branches[at].places.iter().find(same) {
                return Some(place);
            }
            if self.branches[at].places.len() < FOOTPRINTS {
                return Some(self.new_place(at, footprint));
            }
            if self.branches[at].index.is_none() {
                let mut common = footprint.rest.clone();
                for place in &self.branches[at].places {
                    common.intersect(&self.places[*place as usize].footprint.rest);
                }
                self.branches[at].index = Some((common, FxHashMap::default()));
            }
            let next = self.branches.len() as u32;
            let Some((index, more)) = &mut self.branches[at].index else { return None };
            let hash = held(index);
            at = *more.entry(hash).or_insert(next) as usize;
            if at == next as usize {
                self.branches.push(Branch::default());
            }
        }
        None
    }

    fn new_place(&mut self, branch: usize, footprint: &NamedFootprint) -> u32 {
        let place = self.places.len() as u32;
        self.branches[branch].places.push(place);
        let NamedFootprint { rest, nodes } = footprint;
        let words = 2 * rest.memory.lines().len() + rest.fixed.len() + nodes.len();
        self.bytes += 160 + words * 8;
        self.places.push(Place {
            footprint: footprint.clone(),
            equal: FxHashMap::default(),
            alike: FxHashMap::default(),
        });
        place
    }

    /// Keeps what lies below a state for the very same path condition.
    pub(super) fn insert(&mut self, place: u32, key: Hash128, below: Below) {
        let entry = self.push(Entry::new(below, None));
        self.places[place as usize].equal.insert(key, entry);
    }

    /// Keeps what lies below a state for every path condition that has room for it.
    pub(super) fn insert_alike(
        &mut self,
        place: u32,
        shape: Hash128,
        below: Below,
        room: Room,
        counted: bool,
    ) {
        let known = self.places[place as usize].alike.get(&shape).map_or(0, Vec::len);
        if known < if counted { ALIKE_COUNTED } else { ALIKE } {
            let entry = self.push(Entry::new(below, Some(room)));
            self.places[place as usize].alike.entry(shape).or_default().push(entry);
        }
    }

    /// Puts an entry of states that hold the same where it is tried first.
    pub(super) fn promote(&mut self, place: u32, shape: Hash128, entry: u32) {
        if let Some(alike) = self.places[place as usize].alike.get_mut(&shape)
            && let Some(at) = alike.iter().rposition(|known| *known == entry)
        {
            alike[at..].rotate_left(1);
        }
    }

    /// The entries of states that hold the same, those that are tried first last.
    pub(super) fn alike(&self, place: u32, shape: Hash128) -> &[u32] {
        self.places[place as usize].alike.get(&shape).map_or(&[], Vec::as_slice)
    }

    fn push(&mut self, entry: Entry) -> u32 {
        self.entry_bytes += entry.bytes();
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// Drops the entries that are worth least, until half of them, by their bytes, are left. Numbers of entries are
    /// others afterwards.
    pub(super) fn drop_half(&mut self) {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_by_key(|&i| self.entries[i as usize].worth());
        let mut dropped = 0;
        let mut kept = vec![true; self.entries.len()];
        for i in order {
            if 2 * dropped >= self.entry_bytes {
                break;
            }
            dropped += self.entries[i as usize].bytes();
            kept[i as usize] = false;
        }
        self.entry_bytes -= dropped;
        let mut names = Vec::with_capacity(kept.len());
        let mut next = 0;
        for kept in &kept {
            names.push(kept.then_some(next));
            next += u32::from(*kept);
        }
        let mut kept = kept.into_iter();
        self.entries.retain(|_| kept.next().unwrap_or(true));
        let renamed = |entry: &mut u32| match names[*entry as usize] {
            Some(name) => {
                *entry = name;
                true
            }
            None => false,
        };
        for place in &mut self.places {
            place.equal.retain(|_, entry| renamed(entry));
            place.alike.retain(|_, entries| {
                entries.retain_mut(renamed);
                !entries.is_empty()
            });
        }
    }

    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.entry_bytes
    }

    /// Those of them that [`Table::drop_half`] halves.
    pub(super) fn entry_bytes(&self) -> usize {
        self.entry_bytes
    }
}
