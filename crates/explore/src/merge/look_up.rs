//! Open decisions: is the state known, and what does it mean to use what is known of it?

use super::key::Hash128;
use super::misses::Nearest;
use super::needs::Needs;
use super::table::{Below, END};
use super::{Expected, Frame, Hit, Look, Merge, Merger, Meter, Reuse, STATE_WORK, join, squared};
use pessimum_machine::{Footprint, Machine, Written};
use pessimum_solver::{Difference, Number, Projection, Solver};
use pessimum_term::{Arena, TermId};

impl Merger {
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
        let counting = self.counts(at.total);
        if !machine.is_comparable() {
            self.misses.incomparable += 1;
        } else if let Some(hit) = self.find(machine, arena, solver, asked, at.cost, counting)
            && most_instructions.is_none_or(|most| self.ends_within(&hit, at, most))
        {
            self.hits += 1;
            self.table.entries[hit.entry as usize].uses += 1;
            let below = &self.table.entries[hit.entry as usize].below;
            if self.mode == Merge::Verify {
                self.reuses += 1;
                expected = Some(Expected { below: below.clone(), reuse: hit.reuse });
            } else if most_instructions.is_none() || (counting && unsure(below, arena)) {
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

    pub(super) fn ends_within(&self, hit: &Hit, at: Meter, most: u64) -> bool {
        at.instructions + self.table.entries[hit.entry as usize].below.instructions <= most
    }

    #[allow(clippy::too_many_arguments)] // the parts of the walk, which it owns
    pub(super) fn push(
        &mut self,
        machine: &mut Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
        meter: Meter,
        keyed: bool,
        expected: Option<Expected>,
    ) {
        self.fitted += STATE_WORK;
        let mut lead = std::mem::take(&mut self.found);
        lead.accesses = Some(machine.take_accesses());
        let closed = solver.close(arena);
        self.frames.push(Frame {
            inputs: closed.inputs(),
            positions: closed.active().count() + 1,
            hull: None,
            way: None,
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

    pub(super) fn find(
        &mut self,
        machine: &Machine,
        arena: &Arena,
        solver: &mut Solver,
        asked: &[TermId],
        cost: u64,
        counting: bool,
    ) -> Option<Hit> {
        let Some(point) = self.point(machine, asked) else {
            self.misses.incomparable += 1;
            return None;
        };
        let cells = &mut self.cells;
        let places = self.table.places_of(point, |index| held(machine, index, cells));
        self.looks += u64::from(!places.is_empty());
        let mut nearest = if places.is_empty() { Nearest::Control } else { Nearest::Cells };
        let found = places.into_iter().rev().find_map(|place| {
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
            nearest = Nearest::Condition;
            let order = self.writer.order().to_vec();
            if !counting {
                let (mut tried, mut fitted) = (0, 0);
                let found = alike.iter().rev().find_map(|&at| {
                    tried += 1;
                    let entry = &self.table.entries[at as usize];
                    if !entry.implies_needs(&order, solver.close(arena)) {
                        return None;
                    }
                    fitted += 1;
                    if entry.allows_worst(arena, solver, &order) {
                        return Some((at, Reuse::Worst));
                    }
                    let most = cost + entry.below.most().unwrap_or(0);
                    self.is_surpassed(most).then_some((at, Reuse::Bound))
                });
                self.fitted += NEEDS_WORK * tried + fitted * order.len() as u64;
                if let Some((entry, reuse)) = found {
                    self.table.promote(place, shape, entry);
                    return Some(Hit { place, entry, order, nodes, reuse });
                }
            }
            if !counting && equal.is_empty() {
                return None;
            }
            let projection = solver.project(arena, &order)?;
            self.fitted += projected(&projection);
            let closed = solver.close(arena);
            if counting && projection.simple {
                let mut tried = 0;
                let found = alike.iter().rev().copied().find(|&at| {
                    tried += 1;
                    let entry = &self.table.entries[at as usize];
                    entry.implies_needs(&order, closed) && entry.has_same_paths(&order, closed)
                });
                self.fitted += tried * squared(order.len()) / 2;
                if let Some(entry) = found {
                    return Some(Hit { place, entry, order, nodes, reuse: Reuse::Whole });
                }
            }
            if equal.is_empty() {
                return None;
            }
            self.writer.context(arena, &projection, closed);
            let entry = *equal.get(&self.writer.hash())?;
            let below = &self.table.entries[entry as usize].below;
            let reuse = match below.is_attained() {
                true if below.worst_only => Reuse::Worst,
                true => Reuse::Whole,
                false if self.is_surpassed(cost + below.most().unwrap_or(0)) => Reuse::Bound,
                false => return None,
            };
            Some(Hit { place, entry, order, nodes, reuse })
        });
        if found.is_none() {
            self.misses.note(nearest);
        }
        found
    }

    /// Whether no term that was written down has the address of a node in it that is named.
    pub(super) fn has_names(&self, machine: &Machine, fixed: &[u64]) -> bool {
        let Some(pools) = machine.pools() else { return true };
        let nodes = self.writer.numbers().iter().filter_map(|number| pools.node(*number));
        nodes.into_iter().all(|node| fixed.binary_search(&node).is_ok())
    }

    /// The hash of the control; fills [`Merger::control`].
    pub(super) fn point(&mut self, machine: &Machine, asked: &[TermId]) -> Option<Hash128> {
        machine.control(&mut self.live, asked, &mut self.control);
        if !Machine::fits(&self.control) {
            return None;
        }
        let mut hash = Hash128::default();
        hash.words(&self.control.words);
        Some(hash)
    }

    /// The hash of everything that a state holds at the cells that were written down.
    pub(super) fn shape(&mut self, arena: &Arena, point: Hash128) -> Hash128 {
        self.writer.begin(arena, point);
        self.writer.words(&self.cells.words);
        self.writer.words(&self.cells.names);
        for &t in self.control.terms.iter().chain(&self.cells.terms) {
            self.writer.term(arena, t);
        }
        self.writer.domains(arena, 0);
        self.writer.hash()
    }

    pub(super) fn reuse(&mut self, arena: &Arena, solver: &mut Solver, hit: &Hit, at: Meter) {
        self.reuses += 1;
        let entry = &self.table.entries[hit.entry as usize];
        let below = &entry.below;
        self.saved = self.saved.saturating_add(below.work);
        if hit.reuse != Reuse::Whole || unsure(below, arena) {
            self.counted = false;
        }
        if hit.reuse == Reuse::Bound {
            let bound = Below { bound: below.most(), worst: None, ..below.clone() };
            self.found.add(&bound, at, END, || None);
        } else {
            self.best = self.best.max(below.worst.map(|(more, _)| at.cost + more));
            let path = below.worst.map_or(END, |worst| worst.1);
            let way = || entry.room.as_ref()?.way.as_ref().map(|way| way.at(&hit.order));
            self.found.add(below, at, path, way);
        }
        self.found.below.worst_only |= hit.reuse != Reuse::Whole;
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
        for need in &room.needs.apart {
            let (x, y) = (renamed(need.x), renamed(need.y));
            self.found.needs.apart(Difference { x, y, k: need.k });
        }
        if let Some(hull) = &room.hull
            && self.counted
            && !self.found.untraced
        {
            let closed = solver.close(arena);
            let hull = hull.extended(&hit.order, closed, frame.inputs, frame.positions);
            self.fitted += 2 * squared(frame.positions);
            join(&mut self.found.hull, hull);
        }
    }
}

/// About what it takes to ask whether needs hold: most that do not fail soon.
const NEEDS_WORK: u64 = 8;

/// The work of finding out what a path condition says, where that is not all differences.
pub(super) fn projected(projection: &Projection) -> u64 {
    let Projection { kept, others, disequalities, .. } = projection;
    40 * (kept.len() + others.len() + disequalities.len()) as u64
}

/// Whether the number of paths below a state may differ in another: which parts of a value are
/// decided, and in which order, depends on terms that are gone.
fn unsure(below: &Below, arena: &Arena) -> bool {
    below.regions && arena.has_tags()
}

/// A hash of the numbers that a state holds somewhere, and of where it holds terms.
pub(super) fn held(machine: &Machine, at: &Footprint, cells: &mut Written) -> Hash128 {
    machine.cells(at, cells);
    let mut hash = Hash128::default();
    hash.words(&cells.words);
    hash
}
