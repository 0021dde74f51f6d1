//! The functions that carry out operations.
//!
//! Slots of an operation are called 0 to 3 here, the first of which is its result where it has one; words are 0, a constant or an offset, and 1,
//! the way to the target of a jump. [`lower`](super::lower) puts them there.

// A function is called as its operation is.
#![allow(non_snake_case)]

use super::cursor::{Frame, Ip};
use super::{Exit, Loop};
use crate::addresses::index;
use crate::code::{Code, LoadKind, Slot};
use crate::memory::{PAGE, PAGE_BITS};
use crate::numeric::{BinOp, DivOp, FloatOp, UnOp};
use crate::plain::families;
use crate::stop::{End, Trap};
use crate::value::Value;
use pessimum_term::Width;

/// The arguments of a function.
pub(super) struct Cursor<'a, 'r> {
    all: &'a mut Loop<'r>,
    ip: Ip,
    frame: Frame,
    bytes: &'a mut [u8],
    account: u64,
}

impl Cursor<'_, '_> {
    /// Goes on so many operations ahead.
    #[inline(always)]
    fn next(self, count: usize) -> Exit {
        let ip = self.ip.ahead(count);
        (ip.run())(self.all, ip, self.frame, self.bytes, self.account)
    }

    /// Enters a block.
    #[inline(always)]
    fn enter(mut self, block: Ip) -> Exit {
        let added = block.long();
        let (account, is_over) = self.account.overflowing_add(added);
        if is_over {
            return leave(self.all, block, self.account, Exit::Chunk);
        }
        let number = u32::from(block.slot(0)) | u32::from(block.slot(1)) << 16;
        if let Some(count) = self.all.counts.get_mut(number as usize) {
            *count += 1;
        }
        (self.account, self.ip) = (account, block);
        self.next(1)
    }

    /// The target if something holds, else the block that begins so many operations ahead: a place that is chosen by value would have to be
    /// waited for.
    #[inline(always)]
    fn jump(self, holds: bool, count: usize) -> Exit {
        if holds {
            self.go()
        } else {
            let next = self.ip.ahead(count);
            self.enter(next)
        }
    }

    /// As [`Cursor::jump`], where what comes next is no block.
    #[inline(always)]
    fn jump_or_next(self, holds: bool) -> Exit {
        if holds { self.go() } else { self.next(1) }
    }

    #[inline(always)]
    fn go(self) -> Exit {
        let target = self.ip.target();
        self.enter(target)
    }

    #[inline(always)]
    fn get(&self, slot: usize) -> u64 {
        self.frame.get(self.ip.slot(slot))
    }

    #[inline(always)]
    fn set(&self, slot: usize, value: u64) {
        self.frame.set(self.ip.slot(slot), value);
    }

    /// The slot that half of a word names.
    #[inline(always)]
    fn more(&self, half: usize) -> Slot {
        (self.ip.word(half / 2) >> (16 * (half % 2))) as Slot
    }

    /// A constant as an operand.
    #[inline(always)]
    fn constant(&self, op: BinOp) -> u64 {
        let k = self.ip.word(0);
        if op.width() == Width::W32 { u64::from(k) } else { k as i32 as i64 as u64 }
    }

    #[inline(always)]
    fn k(&self) -> u64 {
        u64::from(self.ip.word(0))
    }

    /// The address in a register with an offset.
    #[inline(always)]
    fn at(&self, address: u64, offset: u32) -> usize {
        // Addresses have 32 bits; where a machine has fewer, what is beyond them is outside of every memory.
        index(u64::from(address as u32) + u64::from(offset)).unwrap_or(usize::MAX)
    }

    #[inline(always)]
    fn load<const N: usize>(&self, at: usize) -> Option<u64> {
        let found = self.bytes.get(at..at.wrapping_add(N))?;
        let mut all = [0; 8];
        all[..N].copy_from_slice(found);
        Some(u64::from_le_bytes(all))
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, value: [u8; N]) -> Option<()> {
        self.bytes.get_mut(at..at.wrapping_add(N))?.copy_from_slice(&value);
        self.note_written(at >> PAGE_BITS);
        if at & (PAGE - 1) > PAGE - N {
            self.note_written((at >> PAGE_BITS) + 1);
        }
        Some(())
    }

    #[inline(always)]
    fn note_written(&mut self, page: usize) {
        if let Some(written) = self.all.written.get_mut(page) {
            *written = true;
        }
    }

    /// The run is over, so many operations ahead.
    #[inline(always)]
    fn trap(self, count: usize, trap: Trap) -> Exit {
        end(self.all, self.ip.ahead(count), self.account, End::Trap(trap))
    }

    /// The loop carries this operation out.
    #[inline(always)]
    fn outside(self) -> Exit {
        leave(self.all, self.ip, self.account, Exit::Outside)
    }

    /// Calls a function of the module, or has the loop do it where there is more to it.
    #[inline(always)]
    fn call(mut self, function: u32) -> Exit {
        let callee = &self.all.callees[function as usize];
        let base = self.frame.base(&self.all.registers) + self.ip.slot(0) as usize;
        let machine = &mut *self.all.machine;
        let frames = machine.frames.len();
        if callee.special
            || base > self.all.registers.last
            || frames as u32 >= machine.limits.depth
            || frames == machine.frames.capacity()
        {
            return self.outside();
        }
        machine.open_frame(function, self.ip.word(1), base as u32);
        let (entry, from, to) = (callee.entry, callee.params, callee.locals);
        self.frame = Frame::at(&self.all.registers, base);
        self.ip = Ip::of(&self.all.code.ops, entry as usize);
        // Most have few locals.
        let count = to - from;
        for i in 0..4 {
            if count <= i {
                return self.begin();
            }
            self.frame.set(from + i, 0);
        }
        if count == 4 {
            return self.begin();
        }
        // In the way of a call, so that registers need not be saved for the sake of this one.
        Locals(self.all, self.ip, self.frame, self.bytes, self.account)
    }

    #[inline(always)]
    fn begin(self) -> Exit {
        let block = self.ip;
        self.enter(block)
    }

    /// Makes the fifth local and those behind it zero, and begins the function.
    #[inline(always)]
    fn clear(self) -> Exit {
        let function = self.all.machine.frames.last().map_or(0, |f| f.function);
        let callee = &self.all.callees[function as usize];
        for slot in callee.params + 4..callee.locals {
            self.frame.set(slot, 0);
        }
        self.begin()
    }

    /// Returns from an activation, whose results are where they belong.
    #[inline(always)]
    fn back(mut self) -> Exit {
        let machine = &mut *self.all.machine;
        let Some(done) = machine.frames.pop() else {
            return end(self.all, self.ip, self.account, End::Return);
        };
        if done.allocator {
            machine.counters.in_allocator = false;
        }
        if machine.frames.len() as u32 <= machine.floor {
            return end(self.all, self.ip, self.account, End::Return);
        }
        let base = machine.frames.last().map_or(0, |f| f.base as usize);
        self.frame = Frame::at(&self.all.registers, base);
        let place = Ip::of(&self.all.code.ops, done.return_pc as usize);
        self.enter(place)
    }
}

#[inline(always)]
fn leave(all: &mut Loop<'_>, ip: Ip, account: u64, exit: Exit) -> Exit {
    (all.ip, all.account) = (ip, account);
    exit
}

#[cold]
#[inline(never)]
fn end(all: &mut Loop<'_>, ip: Ip, account: u64, end: End) -> Exit {
    all.end = end;
    leave(all, ip, account, Exit::End)
}

#[inline(always)]
fn sum(x: u64, y: u64) -> u64 {
    BinOp::Add32.apply(x, y)
}

/// Functions, each with what it does to a cursor.
macro_rules! functions {
    ($($name:ident = |$c:ident| $does:expr;)*) => {
        $(
            pub(in crate::threaded) fn $name<'a, 'r>(
                all: &'a mut Loop<'r>,
                ip: Ip,
                frame: Frame,
                bytes: &'a mut [u8],
                account: u64,
            ) -> Exit {
                #[allow(unused_mut)]
                let mut $c = Cursor { all, ip, frame, bytes, account };
                $does
            }
        )*
    };
}

/// What an access found, or the end of the run.
macro_rules! found {
    ($c:ident, $count:expr, $access:expr) => {
        match $access {
            Some(found) => found,
            None => return $c.trap($count, Trap::MemoryOutOfBounds),
        }
    };
}

functions! {
    Block = |c| c.begin();
    Locals = |c| c.clear();
    Rest = |c| leave(c.all, c.ip, c.account, Exit::Rest);
    Outside = |c| c.outside();
    Const = |c| { c.set(0, c.ip.long()); c.next(1) };
    Copy = |c| { c.set(0, c.get(1)); c.next(1) };
    Copies = |c| { c.set(0, c.get(1)); c.set(2, c.get(3)); c.next(2) };
    ThreeCopies = |c| {
        c.set(0, c.get(1));
        c.set(2, c.get(3));
        c.frame.set(c.more(0), c.frame.get(c.more(1)));
        c.next(3)
    };
    AddCopy = |c| { c.set(0, sum(c.get(1), c.k())); c.set(2, c.get(3)); c.next(2) };
    TwoAdds = |c| {
        c.set(0, sum(c.get(1), c.k()));
        c.set(2, sum(c.get(3), u64::from(c.ip.word(1))));
        c.next(2)
    };
    ShlAdd = |c| {
        c.set(0, BinOp::Shl32.apply(c.get(1), c.k()));
        let b = c.frame.get(c.more(2));
        c.set(2, sum(b, c.get(3)));
        c.next(2)
    };
    AddStore32 = |c| {
        c.set(0, sum(c.get(1), c.k()));
        let (at, value) = (c.at(c.get(2), c.ip.word(1)), c.get(3) as u32);
        found!(c, 1, c.store(at, value.to_le_bytes()));
        c.next(2)
    };
    Store32Add = |c| {
        let (at, value) = (c.at(c.get(2), c.ip.word(1)), c.get(3) as u32);
        found!(c, 0, c.store(at, value.to_le_bytes()));
        c.set(0, sum(c.get(1), c.k()));
        c.next(2)
    };
    AddLoadU8 = |c| {
        let address = sum(c.get(1), c.get(2));
        c.set(0, address);
        let found = found!(c, 1, c.load::<1>(c.at(address, c.ip.word(0))));
        c.set(3, found);
        c.next(2)
    };
    AddLoadU32 = |c| {
        let address = sum(c.get(1), c.get(2));
        c.set(0, address);
        let found = found!(c, 1, c.load::<4>(c.at(address, c.ip.word(0))));
        c.set(3, found);
        c.next(2)
    };
    AddKLoadU8 = |c| {
        let address = sum(c.get(1), c.k());
        c.set(0, address);
        let found = found!(c, 1, c.load::<1>(c.at(address, c.ip.word(1))));
        c.set(3, found);
        c.next(2)
    };
    AddKLoadU32 = |c| {
        let address = sum(c.get(1), c.k());
        c.set(0, address);
        let found = found!(c, 1, c.load::<4>(c.at(address, c.ip.word(1))));
        c.set(3, found);
        c.next(2)
    };
    AndJumpIf = |c| {
        let bits = c.get(1) & c.k();
        c.set(0, bits);
        c.jump(bits != 0, 2)
    };
    AndJumpUnless = |c| {
        let bits = c.get(1) & c.k();
        c.set(0, bits);
        c.jump(bits == 0, 2)
    };
    LoadU8JumpIf = |c| {
        let found = found!(c, 0, c.load::<1>(c.at(c.get(1), c.ip.word(0))));
        c.set(0, found);
        c.jump(found != 0, 2)
    };
    LoadU8JumpUnless = |c| {
        let found = found!(c, 0, c.load::<1>(c.at(c.get(1), c.ip.word(0))));
        c.set(0, found);
        c.jump(found == 0, 2)
    };
    LoadU32JumpIf = |c| {
        let found = found!(c, 0, c.load::<4>(c.at(c.get(1), c.ip.word(0))));
        c.set(0, found);
        c.jump(found != 0, 2)
    };
    LoadU32JumpUnless = |c| {
        let found = found!(c, 0, c.load::<4>(c.at(c.get(1), c.ip.word(0))));
        c.set(0, found);
        c.jump(found == 0, 2)
    };
    CopyJumpIf = |c| { c.set(0, c.get(1)); let holds = c.get(2) as u32 != 0; c.jump(holds, 2) };
    CopyJumpUnless = |c| { c.set(0, c.get(1)); let holds = c.get(2) as u32 == 0; c.jump(holds, 2) };
    CopyJump = |c| { c.set(0, c.get(1)); c.go() };
    AddJumpIf = |c| {
        let next = sum(c.get(1), c.k());
        c.set(0, next);
        c.jump(next != 0, 2)
    };
    AddJumpUnless = |c| {
        let next = sum(c.get(1), c.k());
        c.set(0, next);
        c.jump(next == 0, 2)
    };
    AddJump = |c| { c.set(0, sum(c.get(1), c.k())); c.go() };
    SumJump = |c| { c.set(0, sum(c.get(1), c.get(2))); c.go() };
    Conv = |c| {
        let place = c.ip.place(&c.all.code.ops);
        let Code::Conv { op, .. } = c.all.module.code[place] else { return c.outside() };
        match op.apply(c.get(1)) {
            Ok(result) => c.set(0, result),
            Err(trap) => return c.trap(0, trap),
        }
        c.next(1)
    };
    GlobalGet = |c| {
        c.set(0, c.all.machine.globals[c.ip.word(0) as usize].bits);
        c.next(1)
    };
    GlobalSet = |c| {
        let (global, bits) = (c.ip.word(0), c.get(1));
        let machine = &mut *c.all.machine;
        let is_beyond = match machine.stack_floor {
            Some((stack, low, high)) => stack == global && (bits < low || bits > high),
            None => false,
        };
        if is_beyond || c.all.counts_stack {
            return c.outside();
        }
        machine.globals[global as usize] = Value::concrete(bits);
        c.next(1)
    };
    Select = |c| {
        c.set(0, if c.get(1) as u32 != 0 { c.get(2) } else { c.get(3) });
        c.next(1)
    };
    Jump = |c| c.go();
    JumpIf = |c| { let holds = c.get(1) as u32 != 0; c.jump(holds, 1) };
    JumpUnless = |c| { let holds = c.get(1) as u32 == 0; c.jump(holds, 1) };
    JumpIfOrNext = |c| { let holds = c.get(1) as u32 != 0; c.jump_or_next(holds) };
    JumpUnlessOrNext = |c| { let holds = c.get(1) as u32 == 0; c.jump_or_next(holds) };
    Switch = |c| {
        let places = &c.all.code.tables[c.ip.word(0) as usize];
        let place = places[(c.get(1) as usize).min(places.len() - 1)];
        // Some go to where values are moved first, which is no block.
        c.ip = Ip::of(&c.all.code.ops, place as usize);
        c.next(0)
    };
    Call = |c| { let function = c.ip.word(0); c.call(function) };
    CallIndirect = |c| {
        let table = &c.all.machine.tables[c.ip.slot(2) as usize];
        let entry = table.get(c.get(1) as usize).copied().unwrap_or(0);
        let function = entry.wrapping_sub(1) as u32;
        match c.all.callees.get(function as usize) {
            Some(callee) if callee.ty == c.ip.word(0) => c.call(function),
            // A type that is equal and not the same, a function of the host, or a trap.
            _ => c.outside(),
        }
    };
    Return = |c| c.back();
    ReturnOne = |c| { c.frame.set(0, c.get(0)); c.back() };
    ReturnMany = |c| {
        let from = c.ip.slot(0);
        for i in 0..c.ip.slot(1) {
            c.frame.set(i, c.frame.get(from + i));
        }
        c.back()
    };
    Unreachable = |c| c.trap(0, Trap::Unreachable);
}

macro_rules! of_families {
    (
        binary: { $($op:ident $op_k:ident),* }
        compare: { $($cmp:ident $jump:ident $jump_k:ident),* }
        joined: {
            $($with:ident $with_jump:ident $with_jump_k:ident $copy_jump:ident $copy_jump_k:ident $load_jump:ident $byte_jump:ident $add_jump:ident),*
        }
        load: { $($load:ident $kind:ident $bytes:literal),* }
        store: { $($store:ident $ty:ident),* }
    ) => {
        functions! {
            $(
                $op = |c| { c.set(0, BinOp::$op.apply(c.get(1), c.get(2))); c.next(1) };
                $op_k = |c| {
                    c.set(0, BinOp::$op.apply(c.get(1), c.constant(BinOp::$op)));
                    c.next(1)
                };
            )*
            $(
                $jump = |c| {
                    let holds = BinOp::$cmp.apply(c.get(1), c.get(2)) != 0;
                    c.jump(holds, 1)
                };
                $jump_k = |c| {
                    let holds = BinOp::$cmp.apply(c.get(1), c.constant(BinOp::$cmp)) != 0;
                    c.jump(holds, 1)
                };
            )*
            $(
                $copy_jump = |c| {
                    c.set(0, c.get(1));
                    let holds = BinOp::$with.apply(c.get(2), c.get(3)) != 0;
                    c.jump(holds, 2)
                };
                $copy_jump_k = |c| {
                    c.set(0, c.get(1));
                    let holds = BinOp::$with.apply(c.get(2), c.constant(BinOp::$with)) != 0;
                    c.jump(holds, 2)
                };
                $load_jump = |c| {
                    let found = found!(c, 0, c.load::<4>(c.at(c.get(1), c.ip.word(0))));
                    c.set(0, found);
                    let holds = BinOp::$with.apply(found, c.get(2)) != 0;
                    c.jump(holds, 2)
                };
                $byte_jump = |c| {
                    let offset = u32::from(c.ip.slot(2));
                    let found = found!(c, 0, c.load::<1>(c.at(c.get(1), offset)));
                    c.set(0, found);
                    let holds = BinOp::$with.apply(found, c.constant(BinOp::$with)) != 0;
                    c.jump(holds, 2)
                };
                $add_jump = |c| {
                    let next = sum(c.get(1), c.k());
                    c.set(0, next);
                    let holds = BinOp::$with.apply(next, c.get(2)) != 0;
                    c.jump(holds, 2)
                };
            )*
            $(
                $load = |c| {
                    let found = found!(c, 0, c.load::<$bytes>(c.at(c.get(1), c.ip.word(0))));
                    c.set(0, LoadKind::$kind.extend(found));
                    c.next(1)
                };
            )*
            $(
                $store = |c| {
                    let (at, value) = (c.at(c.get(1), c.ip.word(0)), c.get(2) as $ty);
                    found!(c, 0, c.store(at, value.to_le_bytes()));
                    c.next(1)
                };
            )*
        }
    };
}
families!(of_families);

/// Jumps behind which no block begins: some of those that carry values.
pub(super) mod or_next {
    use super::*;

    macro_rules! of_families {
        (
            binary: { $($op:ident $op_k:ident),* }
            compare: { $($cmp:ident $jump:ident $jump_k:ident),* }
            $($rest:tt)*
        ) => {
            functions! {
                $(
                    $jump = |c| {
                        let holds = BinOp::$cmp.apply(c.get(1), c.get(2)) != 0;
                        c.jump_or_next(holds)
                    };
                    $jump_k = |c| {
                        let holds = BinOp::$cmp.apply(c.get(1), c.constant(BinOp::$cmp)) != 0;
                        c.jump_or_next(holds)
                    };
                )*
            }
        };
    }
    families!(of_families);
}

/// Functions for operations that are named by another type, and which of them is for which.
macro_rules! of_type {
    ($module:ident, $ty:ident, |$op:ident, $c:ident| $does:expr, [$($name:ident)*]) => {
        pub(super) mod $module {
            use super::*;
            use crate::threaded::Run;

            functions! {
                $($name = |$c| { let $op = $ty::$name; $does };)*
            }

            pub(in crate::threaded) fn of(op: $ty) -> Run {
                match op { $($ty::$name => $name,)* }
            }
        }
    };
}

of_type!(
    un, UnOp, |op, c| { c.set(0, op.apply(c.get(1))); c.next(1) },
    [
        Eqz32 Eqz64 Clz32 Ctz32 Popcnt32 Clz64 Ctz64 Popcnt64 Wrap ExtendS ExtendU
        Extend8S32 Extend16S32 Extend8S64 Extend16S64 Extend32S64
    ]
);
of_type!(
    div, DivOp,
    |op, c| match op.apply(c.get(1), c.get(2)) {
        Ok(result) => { c.set(0, result); c.next(1) }
        Err(trap) => c.trap(0, trap),
    },
    [DivS32 DivU32 RemS32 RemU32 DivS64 DivU64 RemS64 RemU64]
);
of_type!(
    float, FloatOp, |op, c| { c.set(0, op.apply(c.get(1), c.get(2))); c.next(1) },
    [
        Add32 Sub32 Mul32 Div32 Min32 Max32 Copysign32 Eq32 Ne32 Lt32 Gt32 Le32 Ge32
        Abs32 Neg32 Ceil32 Floor32 Trunc32 Nearest32 Sqrt32
        Add64 Sub64 Mul64 Div64 Min64 Max64 Copysign64 Eq64 Ne64 Lt64 Gt64 Le64 Ge64
        Abs64 Neg64 Ceil64 Floor64 Trunc64 Nearest64 Sqrt64
    ]
);
