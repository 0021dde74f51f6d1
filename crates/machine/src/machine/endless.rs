//! Runs that come back to a state they were in, and so never end.
//!
//! A run is deterministic: where its whole state comes back, and the path condition has not grown in
//! between, it goes round for ever. A long run is therefore looked at from time to time: a snapshot of the
//! state is taken when the number of instructions passes a power of two, and compared at the same place for
//! a sixty-fourth as many instructions (Brent's way to find a cycle). What is not a cycle, such as a loop that
//! counts up, is left to the limit of instructions.

use super::{Frame, Limits, Machine};
use crate::stop::End;
use crate::value::Value;
use pessimum_clock::Deadline;
use pessimum_entry::host::Wasi;

/// Instructions before a run is looked at for the first time.
const FIRST_LOOK: u64 = 1 << 20;

/// The part of the instructions up to now for which a snapshot is compared.
const WATCHED: u64 = 64;

/// Instructions between two looks at the clock: some hundredths of a second.
const CLOCK: u64 = 1 << 22;

/// Places of memory that reads at addresses with terms look at between two looks at the clock: each is
/// as much as some dozens of instructions.
const PLACES: u64 = CLOCK / 64;

/// Memories larger than this are not copied.
const LARGEST: u64 = 64 << 20;

/// When to look at a run, and what it looked like.
#[derive(Clone, Debug)]
pub(crate) struct CycleDetector {
    /// The number of instructions, skipped ones included, beyond which [`Machine::look`] is called at every
    /// block. All other numbers are of instructions that were executed.
    pub(crate) at: u64,
    /// The number of instructions beyond which the next snapshot is taken.
    next: u64,
    /// The number of instructions from which the clock is looked at again.
    clock: u64,
    /// Places of memory that accesses looked at since the clock was, and calls of the host.
    places: u64,
    snapshot: Option<Box<Snapshot>>,
}

/// Everything that what happens next depends on, but for the path condition. What was counted, and
/// whether the measured region is active, decides no branch.
#[derive(Clone, Debug)]
struct Snapshot {
    /// The number of instructions up to which it is compared.
    until: u64,
    pc: u32,
    frames: Vec<Frame>,
    regs: Vec<Value>,
    globals: Vec<Value>,
    tables: Vec<Vec<u64>>,
    data_dropped: Vec<bool>,
    elem_dropped: Vec<bool>,
    memory: crate::memory::Snapshot,
    inputs: usize,
    stored_at: usize,
    wasi: Wasi,
}

impl CycleDetector {
    pub(crate) fn new(limits: &Limits) -> CycleDetector {
        let next = next_look(0, limits);
        CycleDetector { at: next, next, clock: 0, places: 0, snapshot: None }
    }
}

/// When a run of so many instructions is looked at next.
fn next_look(instructions: u64, limits: &Limits) -> u64 {
    (instructions + 1).next_power_of_two().max(FIRST_LOOK).min(limits.instructions)
}

impl Machine {
    /// Says that something became known of the inputs, or that the run was set back: what was seen
    /// before does not foretell what comes.
    #[inline]
    pub fn look_afresh(&mut self) {
        self.spoil_calls();
        // While no snapshot is taken the next look is at a limit, which going back may have changed.
        if self.cycles.snapshot.is_some() || self.cycles.at > FIRST_LOOK {
            self.cycles.snapshot = None;
            self.wait();
        }
    }

    /// Looks at the run as one that begins now.
    pub(crate) fn look_from_the_start(&mut self) {
        self.cycles = CycleDetector::new(&self.limits);
    }

    /// Ends the run at that time in any case.
    pub fn limit_time(&mut self, until: &Deadline) {
        self.limit(u64::MAX, until);
    }

    /// Ends the run after so many instructions, if it had no lower limit, and at that time in any case.
    pub fn limit(&mut self, instructions: u64, until: &Deadline) {
        self.limits.instructions = self.limits.instructions.min(instructions);
        self.limits.deadline.clone_from(until);
        self.wait();
    }

    /// Says that an access looked at so many places of memory: few instructions can take long.
    pub(crate) fn note_places(&mut self, places: u64) {
        self.looked_at += places;
        self.note_slow(places);
    }

    /// Says that an instruction took as long as so many places of memory take to be looked at.
    pub(crate) fn note_slow(&mut self, places: u64) {
        self.cycles.places += places;
        if self.cycles.places > PLACES && !self.limits.deadline.is_never() {
            self.cycles.places = 0;
            (self.cycles.clock, self.cycles.at) = (0, 0);
        }
    }

    /// Leaves the run alone for a while.
    fn wait(&mut self) {
        self.cycles.next = next_look(self.counters.executed(), &self.limits);
        let mut at = self.cycles.next;
        if !self.limits.deadline.is_never() {
            at = at.min(self.cycles.clock.max(FIRST_LOOK));
        }
        self.cycles.at = at.saturating_add(self.counters.skipped);
    }

    /// Looks at a run that has become long, at the beginning of a block.
    #[cold]
    pub(crate) fn look(&mut self, regs: &impl Registers) -> Option<End> {
        let now = self.counters.executed();
        if now > self.limits.instructions {
            return Some(End::OutOfInstructions);
        }
        if now >= self.cycles.clock && !self.limits.deadline.is_never() {
            if self.limits.deadline.is_over() {
                return Some(End::OutOfTime);
            }
            self.cycles.clock = now + CLOCK;
        }
        if self.cycles.snapshot.is_none() && now <= self.cycles.next {
            // It was the clock alone that was due.
            let next = self.cycles.next.min(self.cycles.clock);
            self.cycles.at = next.saturating_add(self.counters.skipped);
            return None;
        }
        match self.cycles.snapshot.take() {
            Some(mut snapshot) if now <= snapshot.until => {
                if snapshot.pc == self.pc && self.looks_like(&mut snapshot, regs) {
                    self.wait();
                    return Some(End::Endless);
                }
                self.cycles.snapshot = Some(snapshot);
            }
            None if self.memory.size() <= LARGEST => {
                self.cycles.snapshot = Some(Box::new(self.snapshot(regs)));
                self.cycles.at = 0;
            }
            _ => self.wait(),
        }
        None
    }

    fn snapshot(&self, regs: &impl Registers) -> Snapshot {
        let now = self.counters.executed();
        Snapshot {
            until: now + now / WATCHED,
            pc: self.pc,
            frames: self.frames.clone(),
            regs: regs.kept(self.live()),
            globals: self.globals.clone(),
            tables: self.tables.clone(),
            data_dropped: self.data_dropped.clone(),
            elem_dropped: self.elem_dropped.clone(),
            memory: self.memory.snapshot(),
            inputs: self.inputs.len(),
            stored_at: self.stored_at.len(),
            wasi: self.wasi,
        }
    }

    fn looks_like(&self, snapshot: &mut Snapshot, regs: &impl Registers) -> bool {
        let same = |(a, b): (&Frame, &Frame)| {
            (a.function, a.return_pc, a.base) == (b.function, b.return_pc, b.base)
        };
        snapshot.inputs == self.inputs.len()
            && snapshot.stored_at == self.stored_at.len()
            && snapshot.frames.len() == self.frames.len()
            && regs.are(&snapshot.regs, self.live())
            && snapshot.globals == self.globals
            && snapshot.frames.iter().zip(&self.frames).all(same)
            && snapshot.wasi == self.wasi
            && snapshot.tables == self.tables
            && snapshot.data_dropped == self.data_dropped
            && snapshot.elem_dropped == self.elem_dropped
            && self.memory.looks_like(&mut snapshot.memory)
    }

    /// How many registers all activations have, without what calls that returned have left behind.
    fn live(&self) -> usize {
        self.frames.last().map_or(0, |f| {
            f.base as usize + self.module.functions[f.function as usize].slots as usize
        })
    }
}

/// The registers of a run.
pub(crate) trait Registers {
    /// A copy of the first so many.
    fn kept(&self, count: usize) -> Vec<Value>;

    /// Whether the first so many are those of a copy.
    fn are(&self, copy: &[Value], count: usize) -> bool;
}

impl Registers for Vec<Value> {
    fn kept(&self, count: usize) -> Vec<Value> {
        self[..count.min(self.len())].to_vec()
    }

    fn are(&self, copy: &[Value], count: usize) -> bool {
        copy == &self[..count.min(self.len())]
    }
}

impl Registers for Vec<u64> {
    fn kept(&self, count: usize) -> Vec<Value> {
        self.iter().take(count).map(|bits| Value::concrete(*bits)).collect()
    }

    fn are(&self, copy: &[Value], count: usize) -> bool {
        copy.len() == count.min(self.len())
            && copy.iter().zip(self).all(|(value, bits)| value.as_concrete() == Some(*bits))
    }
}
