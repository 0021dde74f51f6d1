//! Where a run stands in code and registers, as addresses: the one room of the machine with `unsafe` in it.
//!
//! An index into code or registers is held against a length at each use, and takes a register for that length. The loop over indices ran at 0.40 to
//! 0.55 of wasmi's speed, code that is threaded over these addresses at more than half (`bench/results/concrete_speed.txt`).
//!
//! *Invariants*, of which each function below uses the ones it names:
//!
//! 1. **Code.** An [`Ip`] is made by [`Ip::of`] from a place inside of the operations, and moved by what [`Threaded::of`](super::Threaded::of) wrote into
//!    them: to the operation behind a joined one, to the target of a jump of the same function. It never passes the end, since the last operation
//!    goes nowhere ([`Threaded::of`](super::Threaded::of) puts an `Unreachable` there). The operations belong to a module that
//!    whoever runs them holds, and do not change.
//! 2. **Registers.** A [`Frame`] is made by [`Frame::of`] with a [`WINDOW`] of registers behind it, which is as many as a slot of 16 bits can
//!    name, or moved by [`Frame::at`] to a place that has one, too: a call holds the new base against a place that has
//!    ([`Registers::last`]), and a return goes to the base of a call that is still open. While there is a frame nothing else reads or writes
//!    the registers, nor moves them: whatever does is done by the loop around the operations, which makes a new one after it.

#![allow(unsafe_code)]

use super::{Op, Run};
use crate::code::Slot;
use crate::machine::MAX_SLOTS;

/// Slots that an operation can name.
pub(crate) const WINDOW: usize = 1 << 16;

/// An operation of the code.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Ip(*const Op);

impl Ip {
    /// The operation at a place.
    pub(crate) fn of(ops: &[Op], place: usize) -> Ip {
        assert!(place < ops.len(), "a place in the code");
        // SAFETY: the place is inside.
        Ip(unsafe { ops.as_ptr().add(place) })
    }

    /// The place of the operation.
    pub(crate) fn place(self, ops: &[Op]) -> usize {
        (self.0.addr() - ops.as_ptr().addr()) / size_of::<Op>()
    }

    #[inline(always)]
    fn op(&self) -> &Op {
        // SAFETY: invariant 1.
        unsafe { &*self.0 }
    }

    /// The function that carries it out.
    #[inline(always)]
    pub(super) fn run(self) -> Run {
        self.op().run
    }

    /// A slot of it.
    #[inline(always)]
    pub(super) fn slot(self, i: usize) -> Slot {
        self.op().slots[i]
    }

    /// A number of it.
    #[inline(always)]
    pub(super) fn word(self, i: usize) -> u32 {
        self.op().words[i]
    }

    /// Both numbers as one.
    #[inline(always)]
    pub(super) fn long(self) -> u64 {
        u64::from(self.word(0)) | u64::from(self.word(1)) << 32
    }

    /// So many operations ahead.
    #[inline(always)]
    pub(super) fn ahead(self, count: usize) -> Ip {
        // SAFETY: invariant 1.
        Ip(unsafe { self.0.add(count) })
    }

    /// The target of a jump, which is so many bytes away.
    #[inline(always)]
    pub(super) fn target(self) -> Ip {
        // SAFETY: invariant 1.
        Ip(unsafe { self.0.byte_offset(self.word(1) as i32 as isize) })
    }
}

/// The registers of an activation.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Frame(*mut u64);

impl Frame {
    /// All registers, and those from a place on.
    pub(crate) fn of(slots: &mut [u64], base: usize) -> (Registers, Frame) {
        let room = slots.len();
        assert!(base + WINDOW <= room, "room was made when the frame was opened");
        let all = Registers { first: slots.as_mut_ptr(), room, last: room.min(MAX_SLOTS) - WINDOW };
        (all, Frame::at(&all, base))
    }

    /// The registers from a place on, which has room.
    #[inline(always)]
    pub(super) fn at(all: &Registers, base: usize) -> Frame {
        debug_assert!(base + WINDOW <= all.room, "a frame has room");
        // SAFETY: invariant 2.
        Frame(unsafe { all.first.add(base) })
    }

    /// Where it begins.
    #[inline(always)]
    pub(super) fn base(self, all: &Registers) -> usize {
        (self.0.addr() - all.first.addr()) / size_of::<u64>()
    }

    #[inline(always)]
    pub(super) fn get(self, slot: Slot) -> u64 {
        // SAFETY: invariant 2.
        unsafe { *self.0.add(slot as usize) }
    }

    #[inline(always)]
    pub(super) fn set(self, slot: Slot, value: u64) {
        // SAFETY: invariant 2.
        unsafe { *self.0.add(slot as usize) = value }
    }
}

/// All registers of a run.
#[derive(Clone, Copy)]
pub(crate) struct Registers {
    first: *mut u64,
    room: usize,
    /// The last place for which it needs no look whether there is a window of registers behind it, and whether that many may be used.
    pub(super) last: usize,
}
