//! Runs that come back to a state they were in, and so never end.
//!
//! A run is deterministic: where its whole state comes back, and the path condition has not grown in
//! between, it goes round for ever. A long run is therefore looked at from time to time: a picture of the
//! state is taken when the number of instructions passes a power of two, and compared at the same place for
//! a sixty-fourth as many instructions (Brent's way to find a cycle). What is not a cycle, such as a loop that
//! counts up, is left to the limit of instructions.

use super::{Frame, Limits, Machine};
use crate::stop::End;
use crate::value::Value;
use pessimum_entry::host::Wasi;
use std::time::Instant;

/// Instructions before a run is looked at for the first time.
const FIRST_LOOK: u64 = 1 << 20;

/// The part of the instructions up to now for which a picture is compared.
const WATCHED: u64 = 64;

/// Instructions between two looks at the clock: some hundredths of a second.
const CLOCK: u64 = 1 << 22;

/// Memories larger than this are not copied.
const LARGEST: u64 = 64 << 20;

/// When to look at a run, and what it looked like.
#[derive(Clone, Debug)]
pub(crate) struct Lookout {
    /// The number of instructions beyond which [`Machine::look`] is called at every block.
    pub(crate) at: u64,
    /// The number of instructions beyond which the next picture is taken.
    next: u64,
    /// The number of instructions from which the clock is looked at again.
    clock: u64,
    picture: Option<Box<Picture>>,
}

/// Everything that what happens next depends on, but for the path condition. What was counted, and
/// whether the measured region is active, decides no branch.
#[derive(Clone, Debug)]
struct Picture {
    /// The number of instructions up to which it is compared.
    until: u64,
    pc: u32,
    frames: Vec<Frame>,
    regs: Vec<Value>,
    globals: Vec<Value>,
    tables: Vec<Vec<u64>>,
    data_dropped: Vec<bool>,
    elem_dropped: Vec<bool>,
    memory: crate::memory::Picture,
    inputs: usize,
    stored_at: usize,
    wasi: Wasi,
}

impl Lookout {
    pub(crate) fn new(limits: &Limits) -> Lookout {
        let next = next_look(0, limits);
        Lookout { at: next, next, clock: 0, picture: None }
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
        // While no picture is taken the next look is at a limit, which going back may have changed.
        if self.lookout.picture.is_some() || self.lookout.at > FIRST_LOOK {
            self.lookout.picture = None;
            self.wait();
        }
    }

    /// Leaves the run alone for a while.
    fn wait(&mut self) {
        self.lookout.next = next_look(self.counters.all_instructions, &self.limits);
        self.lookout.at = self.lookout.next;
        if self.limits.deadline.is_some() {
            self.lookout.at = self.lookout.at.min(self.lookout.clock.max(FIRST_LOOK));
        }
    }

    /// Looks at a run that has become long, at the beginning of a block.
    #[cold]
    pub(crate) fn look(&mut self, regs: &[Value]) -> Option<End> {
        let now = self.counters.all_instructions;
        if now > self.limits.instructions {
            return Some(End::OutOfInstructions);
        }
        if now >= self.lookout.clock
            && let Some(deadline) = self.limits.deadline
        {
            if Instant::now() >= deadline {
                return Some(End::OutOfTime);
            }
            self.lookout.clock = now + CLOCK;
        }
        if self.lookout.picture.is_none() && now <= self.lookout.next {
            // It was the clock alone that was due.
            self.lookout.at = self.lookout.next.min(self.lookout.clock);
            return None;
        }
        match self.lookout.picture.take() {
            Some(mut picture) if now <= picture.until => {
                if picture.pc == self.pc && self.looks_like(&mut picture, regs) {
                    self.wait();
                    return Some(End::Endless);
                }
                self.lookout.picture = Some(picture);
            }
            None if self.memory.size() <= LARGEST => {
                self.lookout.picture = Some(Box::new(self.picture(regs)));
                self.lookout.at = 0;
            }
            _ => self.wait(),
        }
        None
    }

    fn picture(&self, regs: &[Value]) -> Picture {
        let now = self.counters.all_instructions;
        Picture {
            until: now + now / WATCHED,
            pc: self.pc,
            frames: self.frames.clone(),
            regs: self.live(regs).to_vec(),
            globals: self.globals.clone(),
            tables: self.tables.clone(),
            data_dropped: self.data_dropped.clone(),
            elem_dropped: self.elem_dropped.clone(),
            memory: self.memory.picture(),
            inputs: self.inputs.len(),
            stored_at: self.stored_at.len(),
            wasi: self.wasi,
        }
    }

    fn looks_like(&self, picture: &mut Picture, regs: &[Value]) -> bool {
        let same = |(a, b): (&Frame, &Frame)| {
            (a.function, a.return_pc, a.base) == (b.function, b.return_pc, b.base)
        };
        picture.inputs == self.inputs.len()
            && picture.stored_at == self.stored_at.len()
            && picture.frames.len() == self.frames.len()
            && picture.regs == self.live(regs)
            && picture.globals == self.globals
            && picture.frames.iter().zip(&self.frames).all(same)
            && picture.wasi == self.wasi
            && picture.tables == self.tables
            && picture.data_dropped == self.data_dropped
            && picture.elem_dropped == self.elem_dropped
            && self.memory.looks_like(&mut picture.memory)
    }

    /// The registers of all activations, without what calls that returned have left behind.
    fn live<'a>(&self, regs: &'a [Value]) -> &'a [Value] {
        let top = self.frames.last().map_or(0, |f| {
            f.base as usize + self.module.functions[f.function as usize].slots as usize
        });
        &regs[..top.min(regs.len())]
    }
}
