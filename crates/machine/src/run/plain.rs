//! The loop for runs without terms: nothing is undone, nothing is recorded, and every value is a number.
//!
//! What a run may change in few places only, the memory and the counters, is held in variables of the loop and put back wherever
//! something outside of the loop may look at it (`out!`, `back!`). A frame is a window of as many registers as a slot can name, so
//! that no slot is outside of it.
//!
//! *Cost of a step*: a load of 16 bytes, one dispatch, and eight bytes for each operand; a block is an addition and a comparison.

use crate::addresses::index;
use crate::code::{Code, LoadKind};
use crate::machine::{Inputs, MAX_SLOTS, Machine};
use crate::memory::Memory;
use crate::module::Module;
use crate::numeric::BinOp;
use crate::plain::{PlainOp, families};
use crate::stop::{End, Stop, Trap};
use crate::value::Value;
use pessimum_entry::Bulk;
use pessimum_term::{Arena, Width};

/// Slots that an operation can name.
const WINDOW: usize = 1 << 16;

impl Machine {
    /// Whether no value of the run is a term or becomes one, and nobody asked for more than counts of blocks.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.source, Inputs::Concrete(_))
            && !self.logging()
            && self.trace.is_none()
            && self.counts_blocks_at_most()
            && self.recorder.is_none()
            && self.summaries.is_none()
            && self.settled.is_none()
            && self.watch.is_none()
            && !self.memory.has_shadow()
            && self.globals.iter().chain(&self.regs).all(|value| value.as_concrete().is_some())
    }

    /// Runs to the end.
    pub(super) fn run_plain(&mut self, arena: &mut Arena) -> End {
        let mut slots = std::mem::take(&mut self.slots.0);
        let entry = self.frames.get(self.floor as usize).map(|frame| frame.function);
        let end = self.execute_plain(arena, &mut slots);
        let results = entry.map_or(0, |entry| self.module.functions[entry as usize].results);
        self.regs.clear();
        self.regs.extend(slots.iter().take(results as usize).map(|bits| Value::concrete(*bits)));
        self.slots.0 = slots;
        end
    }

    fn execute_plain(&mut self, arena: &mut Arena, slots: &mut Vec<u64>) -> End {
        let module = self.module_handle();
        let module: &Module = &module;
        let plain = module.plain();
        let ops: &[PlainOp] = &plain.ops;
        let mut pc = self.pc as usize;
        let mut base = self.frames.last().map_or(0, |f| f.base as usize);
        reserve(slots, base.max(self.regs.len()));
        for (slot, value) in slots.iter_mut().zip(&self.regs) {
            *slot = value.bits;
        }
        let mut frame = window(slots, base);
        let (mut bytes, mut written) = self.memory.take_plain();
        let mut counts = self.take_block_counts();
        // Instructions until the run is looked at: as many as there were when the counters were right, and as there are; and the
        // cost since then.
        let mut room = self.cycles.at.saturating_sub(self.counters.all_instructions);
        let (mut left, mut cost_passed) = (room, 0u64);
        macro_rules! r {
            ($slot:expr) => {
                frame[$slot as usize]
            };
        }
        macro_rules! out {
            () => {{
                self.pc = pc as u32;
                self.memory.put_plain(std::mem::take(&mut bytes), std::mem::take(&mut written));
                self.counters.pass(room.wrapping_sub(left), cost_passed);
            }};
        }
        macro_rules! back {
            () => {{
                (bytes, written) = self.memory.take_plain();
                room = self.cycles.at.saturating_sub(self.counters.all_instructions);
                (left, cost_passed) = (room, 0);
            }};
        }
        macro_rules! end {
            ($end:expr) => {{
                let end = $end;
                out!();
                self.put_block_counts(counts);
                return end;
            }};
        }
        // Something outside of the loop, which may end the run.
        macro_rules! outside {
            ($e:expr) => {{
                out!();
                match $e {
                    Ok(result) => {
                        back!();
                        result
                    }
                    Err(stop) => {
                        self.put_block_counts(counts);
                        return ended(stop);
                    }
                }
            }};
        }
        macro_rules! count {
            ($block:expr) => {
                if let Some(count) = counts.get_mut($block as usize) {
                    *count += 1;
                }
            };
        }
        // The block at `pc` is entered. Where the run is to be looked at before, the loop is left: a copy of that behind every jump
        // would take the registers from the rest.
        macro_rules! account {
            ($instructions:expr, $cost:expr, $block:expr) => {{
                let (rest, is_over) = left.overflowing_sub(u64::from($instructions));
                left = rest;
                cost_passed = cost_passed.wrapping_add(u64::from($cost));
                if is_over {
                    break;
                }
                count!($block);
            }};
        }
        macro_rules! enter {
            ($at:expr) => {{
                pc = $at;
                if let PlainOp::Block { instructions, cost, block } = ops[pc] {
                    account!(instructions, cost, block);
                    pc += 1;
                }
                continue;
            }};
        }
        // What is not taken goes on to the next operation. A place that is chosen by value would have to be waited for.
        macro_rules! jump {
            ($holds:expr, $to:expr) => {{
                if $holds {
                    enter!($to as usize)
                }
            }};
        }
        macro_rules! call {
            ($func:expr, $at:expr) => {{
                let func: u32 = $func;
                let info = &plain.callees[func as usize];
                let callee = base + $at as usize;
                let full = self.frames.len() as u32 >= self.limits.depth;
                if full || callee + info.slots as usize > MAX_SLOTS {
                    end!(End::OutOfStack)
                }
                reserve(slots, callee);
                base = callee;
                frame = window(slots, base);
                let own = &mut frame[info.params as usize..info.locals as usize];
                if let Some((first, rest)) = own.split_first_mut() {
                    *first = 0;
                    // Most have few.
                    if !rest.is_empty() {
                        rest.fill(0);
                    }
                }
                self.open_frame(func, pc as u32 + 1, base as u32);
                if info.counted {
                    let args = info.params.max(1).min(info.slots) as usize;
                    let args: Vec<Value> =
                        frame[..args].iter().map(|bits| Value::concrete(*bits)).collect();
                    let allocates = module.functions[func as usize].allocates;
                    outside!(self.enter_counted(&args, allocates));
                }
                enter!(info.entry as usize)
            }};
        }
        macro_rules! at {
            ($a:expr, $offset:expr) => {
                // Where a machine has fewer addresses, what is beyond them is outside of every memory.
                index(r!($a) + u64::from($offset)).unwrap_or(usize::MAX)
            };
        }
        macro_rules! sum {
            ($x:expr, $y:expr) => {
                u64::from(($x as u32).wrapping_add($y as u32))
            };
        }
        macro_rules! load {
            ($bytes:literal, $at:expr) => {
                match bytes.get($at..).and_then(|place| place.first_chunk::<$bytes>()) {
                    Some(found) => *found,
                    None => end!(End::Trap(Trap::MemoryOutOfBounds)),
                }
            };
        }
        macro_rules! store {
            ($at:expr, $value:expr) => {{
                let (at, value) = ($at, $value.to_le_bytes());
                match bytes.get_mut(at..).and_then(|place| place.first_chunk_mut()) {
                    Some(place) => *place = value,
                    None => end!(End::Trap(Trap::MemoryOutOfBounds)),
                }
                Memory::note_written(&mut written, at, value.len());
            }};
        }
        macro_rules! interpret {
            (
                binary: { $($op:ident $op_k:ident),* }
                compare: { $($cmp:ident $jump:ident $jump_k:ident),* }
                joined: {
                    $($with:ident $with_jump:ident $with_jump_k:ident $copy_jump:ident $copy_jump_k:ident $load_jump:ident $byte_jump:ident $add_jump:ident),*
                }
                load: { $($load:ident $kind:ident $bytes:literal),* }
                store: { $($store:ident $ty:ident),* }
            ) => {
                match ops[pc] {
                    PlainOp::Block { instructions, cost, block } => {
                        account!(instructions, cost, block);
                    }
                    PlainOp::Const { d, value } => r!(d) = value,
                    PlainOp::Copy { d, a } => r!(d) = r!(a),
                    PlainOp::Copies { d, a, e, b } => {
                        r!(d) = r!(a);
                        r!(e) = r!(b);
                        pc += 1;
                    }
                    PlainOp::ThreeCopies { d, a, e, b, f, c } => {
                        r!(d) = r!(a);
                        r!(e) = r!(b);
                        r!(f) = r!(c);
                        pc += 2;
                    }
                    PlainOp::AddCopy { d, a, k, e, b } => {
                        r!(d) = sum!(r!(a), k);
                        r!(e) = r!(b);
                        pc += 1;
                    }
                    PlainOp::TwoAdds { d, a, k, e, b, l } => {
                        r!(d) = sum!(r!(a), k);
                        r!(e) = sum!(r!(b), l);
                        pc += 1;
                    }
                    PlainOp::ShlAdd { d, a, k, e, b, c } => {
                        r!(d) = BinOp::Shl32.apply(r!(a), k as u64);
                        r!(e) = sum!(r!(b), r!(c));
                        pc += 1;
                    }
                    PlainOp::AddStore32 { d, a, k, at, v, offset } => {
                        r!(d) = sum!(r!(a), k);
                        pc += 1;
                        store!(at!(at, offset), r!(v) as u32);
                    }
                    PlainOp::Store32Add { at, v, offset, d, a, k } => {
                        store!(at!(at, offset), r!(v) as u32);
                        r!(d) = sum!(r!(a), k);
                        pc += 1;
                    }
                    PlainOp::AddLoadU8 { d, a, b, e, offset } => {
                        r!(d) = sum!(r!(a), r!(b));
                        pc += 1;
                        r!(e) = number(load!(1, at!(d, offset)));
                    }
                    PlainOp::AddLoadU32 { d, a, b, e, offset } => {
                        r!(d) = sum!(r!(a), r!(b));
                        pc += 1;
                        r!(e) = number(load!(4, at!(d, offset)));
                    }
                    PlainOp::AddKLoadU8 { d, a, k, e, offset } => {
                        r!(d) = sum!(r!(a), k);
                        pc += 1;
                        r!(e) = number(load!(1, at!(d, offset)));
                    }
                    PlainOp::AddKLoadU32 { d, a, k, e, offset } => {
                        r!(d) = sum!(r!(a), k);
                        pc += 1;
                        r!(e) = number(load!(4, at!(d, offset)));
                    }
                    PlainOp::AndJumpIf { d, a, k, to } => {
                        r!(d) = r!(a) & u64::from(k as u32);
                        pc += 1;
                        jump!(r!(d) != 0, to)
                    }
                    PlainOp::AndJumpUnless { d, a, k, to } => {
                        r!(d) = r!(a) & u64::from(k as u32);
                        pc += 1;
                        jump!(r!(d) == 0, to)
                    }
                    PlainOp::LoadU8JumpIf { d, a, offset, to } => {
                        r!(d) = number(load!(1, at!(a, offset)));
                        pc += 1;
                        jump!(r!(d) != 0, to)
                    }
                    PlainOp::LoadU8JumpUnless { d, a, offset, to } => {
                        r!(d) = number(load!(1, at!(a, offset)));
                        pc += 1;
                        jump!(r!(d) == 0, to)
                    }
                    PlainOp::LoadU32JumpIf { d, a, offset, to } => {
                        r!(d) = number(load!(4, at!(a, offset)));
                        pc += 1;
                        jump!(r!(d) != 0, to)
                    }
                    PlainOp::LoadU32JumpUnless { d, a, offset, to } => {
                        r!(d) = number(load!(4, at!(a, offset)));
                        pc += 1;
                        jump!(r!(d) == 0, to)
                    }
                    PlainOp::CopyJumpIf { d, a, c, to } => {
                        r!(d) = r!(a);
                        pc += 1;
                        jump!(r!(c) as u32 != 0, to)
                    }
                    PlainOp::CopyJumpUnless { d, a, c, to } => {
                        r!(d) = r!(a);
                        pc += 1;
                        jump!(r!(c) as u32 == 0, to)
                    }
                    PlainOp::CopyJump { d, a, to } => {
                        r!(d) = r!(a);
                        enter!(to as usize)
                    }
                    PlainOp::AddJumpIf { d, a, k, to } => {
                        let next = sum!(r!(a), k);
                        r!(d) = next;
                        pc += 1;
                        jump!(next != 0, to)
                    }
                    PlainOp::AddJumpUnless { d, a, k, to } => {
                        let next = sum!(r!(a), k);
                        r!(d) = next;
                        pc += 1;
                        jump!(next == 0, to)
                    }
                    PlainOp::AddJump { d, a, k, to } => {
                        r!(d) = sum!(r!(a), k);
                        enter!(to as usize)
                    }
                    PlainOp::SumJump { d, a, b, to } => {
                        r!(d) = sum!(r!(a), r!(b));
                        enter!(to as usize)
                    }
                    $(
                        PlainOp::$add_jump { d, a, k, b, to } => {
                            let next = sum!(r!(a), k);
                            r!(d) = next;
                            pc += 1;
                            jump!(BinOp::$with.apply(next, r!(b)) != 0, to)
                        }
                        PlainOp::$copy_jump { d, e, a, b, to } => {
                            r!(d) = r!(e);
                            pc += 1;
                            jump!(BinOp::$with.apply(r!(a), r!(b)) != 0, to)
                        }
                        PlainOp::$copy_jump_k { d, e, a, k, to } => {
                            r!(d) = r!(e);
                            pc += 1;
                            jump!(BinOp::$with.apply(r!(a), constant(BinOp::$with, k)) != 0, to)
                        }
                        PlainOp::$load_jump { d, a, offset, b, to } => {
                            let found = number(load!(4, at!(a, offset)));
                            r!(d) = found;
                            pc += 1;
                            jump!(BinOp::$with.apply(found, r!(b)) != 0, to)
                        }
                        PlainOp::$byte_jump { d, a, offset, k, to } => {
                            let found = number(load!(1, at!(a, offset)));
                            r!(d) = found;
                            pc += 1;
                            jump!(BinOp::$with.apply(found, constant(BinOp::$with, k)) != 0, to)
                        }
                    )*
                    $(
                        PlainOp::$op { d, a, b } => r!(d) = BinOp::$op.apply(r!(a), r!(b)),
                        PlainOp::$op_k { d, a, k } => {
                            r!(d) = BinOp::$op.apply(r!(a), constant(BinOp::$op, k));
                        }
                    )*
                    $(
                        PlainOp::$jump { a, b, to } => {
                            jump!(BinOp::$cmp.apply(r!(a), r!(b)) != 0, to)
                        }
                        PlainOp::$jump_k { a, k, to } => {
                            jump!(BinOp::$cmp.apply(r!(a), constant(BinOp::$cmp, k)) != 0, to)
                        }
                    )*
                    $(
                        PlainOp::$load { d, a, offset } => {
                            let found = number(load!($bytes, at!(a, offset)));
                            r!(d) = LoadKind::$kind.extend(found);
                        }
                    )*
                    $(
                        PlainOp::$store { a, v, offset } => {
                            store!(at!(a, offset), r!(v) as $ty);
                        }
                    )*
                    PlainOp::Un { op, d, a } => r!(d) = op.apply(r!(a)),
                    PlainOp::Div { op, d, a, b } => match op.apply(r!(a), r!(b)) {
                        Ok(result) => r!(d) = result,
                        Err(trap) => end!(End::Trap(trap)),
                    },
                    PlainOp::Float { op, d, a, b } => r!(d) = op.apply(r!(a), r!(b)),
                    PlainOp::Conv { op, d, a } => match op.apply(r!(a)) {
                        Ok(result) => r!(d) = result,
                        Err(trap) => end!(End::Trap(trap)),
                    },
                    PlainOp::GlobalGet { d, global } => {
                        r!(d) = self.globals[global as usize].bits;
                    }
                    PlainOp::GlobalSet { a, global } => {
                        if let Err(stop) = self.set_global(global, Value::concrete(r!(a))) {
                            end!(ended(stop))
                        }
                    }
                    PlainOp::Select { d, c, a, b } => {
                        r!(d) = if r!(c) as u32 != 0 { r!(a) } else { r!(b) };
                    }
                    PlainOp::Jump { to } => enter!(to as usize),
                    PlainOp::JumpIf { c, to } => jump!(r!(c) as u32 != 0, to),
                    PlainOp::JumpUnless { c, to } => jump!(r!(c) as u32 == 0, to),
                    PlainOp::Switch { index, table } => {
                        let jumps = &module.jump_tables[table as usize];
                        let last = jumps.arm_of_index.len() - 1;
                        let arm = jumps.arm_of_index[(r!(index) as usize).min(last)];
                        enter!(jumps.targets[arm as usize] as usize)
                    }
                    PlainOp::Call { func, base: at } => call!(func, at),
                    PlainOp::CallIndirect { ty, table, index, base: at } => {
                        let func = match self.table_function(module, r!(index), ty, table) {
                            Ok(func) => func,
                            Err(trap) => end!(End::Trap(trap)),
                        };
                        if module.functions[func as usize].host.is_none() {
                            call!(func, at)
                        }
                        outside!(self.host_plain(arena, func, &mut frame[at as usize..]));
                    }
                    PlainOp::CallHost { func, base: at } => {
                        outside!(self.host_plain(arena, func, &mut frame[at as usize..]));
                    }
                    PlainOp::Return { from, count } => {
                        match count {
                            0 => {}
                            1 => frame[0] = r!(from),
                            _ => frame.copy_within(from as usize..from as usize + count as usize, 0),
                        }
                        let Some(done) = self.frames.pop() else { end!(End::Return) };
                        if done.allocator {
                            self.counters.in_allocator = false;
                        }
                        if self.frames.len() as u32 <= self.floor {
                            end!(End::Return)
                        }
                        base = self.frames.last().map_or(0, |f| f.base as usize);
                        frame = window(slots, base);
                        enter!(done.return_pc as usize)
                    }
                    PlainOp::Unreachable => end!(End::Trap(Trap::Unreachable)),
                    PlainOp::MemoryCopy { base: at } => {
                        let [to, from, len] = [0, 1, 2].map(|i| r!(at + i));
                        if to.max(from) + len > bytes.len() as u64 {
                            end!(End::Trap(Trap::MemoryOutOfBounds))
                        }
                        out!();
                        self.memory.copy_within(to, from, len, false);
                        self.count_bytes(Bulk::MemoryCopy, len);
                        back!();
                    }
                    PlainOp::MemoryFill { base: at } => {
                        let [to, value, len] = [0, 1, 2].map(|i| r!(at + i));
                        if to + len > bytes.len() as u64 {
                            end!(End::Trap(Trap::MemoryOutOfBounds))
                        }
                        out!();
                        self.memory.fill(arena, to, Value::concrete(value), len, false);
                        self.count_bytes(Bulk::MemoryFill, len);
                        back!();
                    }
                    PlainOp::Other => {
                        let function = self.frames.last().map_or(0, |f| f.function as usize);
                        let count = plain.callees[function].slots as usize;
                        let code = module.code[pc];
                        outside!(self.rare_plain(module, arena, code, &mut frame[..count]));
                    }
                }
            };
        }
        loop {
            loop {
                families!(interpret);
                pc += 1;
            }
            // A block for which there is no room.
            out!();
            if let Some(end) = self.look(&*slots) {
                self.put_block_counts(counts);
                return end;
            }
            back!();
            frame = window(slots, base);
            if let PlainOp::Block { block, .. } = ops[pc] {
                count!(block);
            }
            pc += 1;
        }
    }

    /// Calls a function of the host, whose arguments come first in `frame`.
    fn host_plain(&mut self, arena: &mut Arena, func: u32, frame: &mut [u64]) -> Result<(), Stop> {
        let info = &self.module().functions[func as usize];
        let room = info.params.max(info.results) as usize;
        self.with_values(&mut frame[..room], |machine, values| {
            machine.begin_instruction();
            machine.call_host(arena, func, values)
        })
    }

    fn rare_plain(
        &mut self,
        module: &Module,
        arena: &mut Arena,
        code: Code,
        frame: &mut [u64],
    ) -> Result<(), Stop> {
        self.with_values(frame, |machine, values| machine.rare(module, arena, code, values))
    }

    /// Does something with the values of registers.
    fn with_values(
        &mut self,
        frame: &mut [u64],
        run: impl FnOnce(&mut Machine, &mut [Value]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut values: Vec<Value> = frame.iter().map(|bits| Value::concrete(*bits)).collect();
        run(self, &mut values)?;
        for (slot, value) in frame.iter_mut().zip(values) {
            debug_assert_eq!(value.term, 0, "a term in a run without terms");
            *slot = value.bits;
        }
        Ok(())
    }
}

/// Room for a frame at a place.
#[inline(always)]
fn reserve(slots: &mut Vec<u64>, base: usize) {
    if slots.len() < base + WINDOW {
        make_room(slots, base);
    }
}

#[cold]
#[inline(never)]
fn make_room(slots: &mut Vec<u64>, base: usize) {
    if slots.is_empty() {
        // Pages of the operating system, which are zero and cost nothing until they are used.
        *slots = vec![0; base + WINDOW];
    } else {
        slots.resize((base + WINDOW).max(2 * slots.len()), 0);
    }
}

#[inline(always)]
fn window(slots: &mut [u64], base: usize) -> &mut [u64; WINDOW] {
    match slots[base..].first_chunk_mut() {
        Some(window) => window,
        None => unreachable!("room was made when the frame was opened"),
    }
}

#[inline(always)]
fn constant(op: BinOp, k: i32) -> u64 {
    if op.width() == Width::W32 { u64::from(k as u32) } else { k as i64 as u64 }
}

#[inline(always)]
fn number<const N: usize>(bytes: [u8; N]) -> u64 {
    let mut all = [0; 8];
    all[..N].copy_from_slice(&bytes);
    u64::from_le_bytes(all)
}

fn ended(stop: Stop) -> End {
    match stop {
        Stop::End(end) => end,
        _ => {
            debug_assert!(false, "{stop:?} where every value is a number");
            End::Excluded
        }
    }
}
