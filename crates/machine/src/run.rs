//! The interpreter loop.
//!
//! Concrete operands take the short way; anything with a term in it goes to a cold function. The
//! register file is moved out of the machine for the time of the loop so that both can be borrowed.
//!
//! The file is long because the loop is one function with an arm for each operation: the compiler
//! makes one jump table of it, and a reader finds every operation in one place.

mod access;
mod plain;
mod rare;
mod steps;

use crate::code::Code;
use crate::machine::Machine;
use crate::module::{INVERTED, Module};
use crate::numeric::BinOp;
use crate::settled::Asked;
use crate::stop::{End, Stop, Trap};
use crate::summaries::MOST_COUNTED;
use crate::symbolic;
use crate::value::Value;
use pessimum_term::{Arena, TermId, Width};
use std::sync::Arc;

impl Machine {
    /// Runs until something has to be decided or the run ends.
    pub fn run(&mut self, arena: &mut Arena) -> Stop {
        if let Some(assumption) = self.next_assumption(arena) {
            return assumption;
        }
        if self.is_plain() {
            return Stop::End(self.run_plain(arena));
        }
        let module = self.module_handle();
        let mut regs = std::mem::take(&mut self.regs);
        let ended = if self.recorder.is_some() || self.summaries.is_some() {
            self.execute::<true>(&module, arena, &mut regs)
        } else {
            self.execute::<false>(&module, arena, &mut regs)
        };
        let stop = match ended {
            Ok(never) => match never {},
            Err(stop) => stop,
        };
        self.regs = regs;
        self.note_stop(stop);
        stop
    }

    /// `RECORD` when [`Machine::record_accesses`] asked for what is read and written.
    fn execute<const RECORD: bool>(
        &mut self,
        module: &Arc<Module>,
        arena: &mut Arena,
        regs: &mut Vec<Value>,
    ) -> Result<Never, Stop> {
        let code: &[Code] = &module.code;
        let watched = RECORD && self.pools().is_some();
        let mut pc = self.pc as usize;
        let mut base = self.frames.last().map_or(0, |f| f.base as usize);
        macro_rules! r {
            ($slot:expr) => {
                regs[base + $slot as usize]
            };
        }
        // Runs a fallible step with the machine standing at the present instruction.
        macro_rules! step {
            ($e:expr) => {{
                self.pc = pc as u32;
                self.begin_instruction();
                let result = $e?;
                self.end_instruction();
                result
            }};
        }
        macro_rules! account {
            ($instructions:expr, $cost:expr, $block:expr) => {{
                self.counters.pass(u64::from($instructions), u64::from($cost));
                if self.counters.all_instructions > self.cycles.at {
                    self.pc = pc as u32;
                    if let Some(end) = self.look(&*regs) {
                        return Err(Stop::End(end));
                    }
                }
                self.count_block($block, $cost);
            }};
        }
        // Goes on where a block begins, most of the time; that saves it a dispatch of its own.
        macro_rules! enter {
            ($at:expr) => {{
                pc = $at;
                if let Code::Block { instructions, cost, block } = code[pc] {
                    account!(instructions, cost, block);
                    pc += 1;
                }
                continue;
            }};
        }
        macro_rules! jump {
            ($jumps:expr, $to:expr) => {{
                let jumps = $jumps;
                if self.trace.is_some() {
                    self.trace_jump(pc, jumps);
                }
                enter!(if jumps { $to as usize } else { pc + 1 })
            }};
        }
        // A comparison of two values that is branched on.
        macro_rules! compare {
            ($op:expr, $x:expr, $y:expr, $to:expr, |$p:ident, $q:ident| $holds:expr) => {{
                let (x, y): (Value, Value) = ($x, $y);
                if x.term | y.term == 0 {
                    let ($p, $q) = (x.bits, y.bits);
                    jump!($holds, $to)
                }
                let asked = Asked { op: Some($op), x, y };
                if let Some(holds) = self.settled_branch(asked) {
                    enter!(if holds { $to as usize } else { pc + 1 })
                }
                self.pc = pc as u32;
                let alone = Some(arena.mark());
                let jumps = symbolic::compare(arena, $op, x, y);
                pc = self.branch(module, arena, jumps, $to, (asked, true, alone))? as usize;
                continue;
            }};
        }
        macro_rules! compare_k {
            ($op:ident, $a:expr, $k:expr, $to:expr, |$p:ident, $q:ident| $holds:expr) => {{
                let k = Value::concrete(u64::from($k as u32));
                compare!(BinOp::$op, r!($a), k, $to, |$p, $q| $holds)
            }};
        }
        macro_rules! arithmetic {
            ($op:ident, $d:expr, $x:expr, $y:expr, |$p:ident, $q:ident| $result:expr) => {{
                let (x, y): (Value, Value) = ($x, $y);
                r!($d) = if x.term | y.term == 0 {
                    let ($p, $q) = (x.bits as u32, y.bits as u32);
                    Value::concrete(u64::from($result))
                } else {
                    symbolic::binary(arena, BinOp::$op, x, y, module.meta[pc])
                };
            }};
        }
        macro_rules! arithmetic_k {
            ($op:ident, $d:expr, $a:expr, $k:expr, |$p:ident, $q:ident| $result:expr) => {{
                let k = Value::concrete(u64::from($k as u32));
                arithmetic!($op, $d, r!($a), k, |$p, $q| $result)
            }};
        }
        loop {
            if RECORD && watched {
                self.watch_addresses(module, code[pc], regs, base);
            }
            match code[pc] {
                Code::Block { instructions, cost, block } => {
                    account!(instructions, cost, block);
                }
                Code::Const { d, value } => r!(d) = Value::concrete(value),
                Code::Copy { d, a } => r!(d) = r!(a),
                Code::I32Add { d, a, b } => {
                    let (x, y) = (r!(a), r!(b));
                    r!(d) = if x.term | y.term == 0 {
                        Value::concrete(u64::from((x.bits as u32).wrapping_add(y.bits as u32)))
                    } else {
                        symbolic::binary(arena, BinOp::Add32, x, y, (0, 0))
                    };
                }
                Code::I32AddK { d, a, k } => {
                    let x = r!(a);
                    r!(d) = if x.term == 0 {
                        Value::concrete(u64::from((x.bits as u32).wrapping_add(k as u32)))
                    } else {
                        symbolic::binary(arena, BinOp::Add32, x, immediate(BinOp::Add32, k), (0, 0))
                    };
                }
                Code::Bin { op, d, a, b } => {
                    let (x, y) = (r!(a), r!(b));
                    r!(d) = if x.term | y.term == 0 {
                        Value::concrete(op.apply(x.bits, y.bits))
                    } else {
                        symbolic::binary(arena, op, x, y, module.meta[pc])
                    };
                }
                Code::BinK { op, d, a, k } => {
                    let x = r!(a);
                    r!(d) = if x.term == 0 {
                        Value::concrete(op.apply(x.bits, k as i64 as u64))
                    } else {
                        symbolic::binary(arena, op, x, immediate(op, k), module.meta[pc])
                    };
                }
                Code::I32Sub { d, a, b } => {
                    arithmetic!(Sub32, d, r!(a), r!(b), |p, q| p.wrapping_sub(q));
                }
                Code::I32Mul { d, a, b } => {
                    arithmetic!(Mul32, d, r!(a), r!(b), |p, q| p.wrapping_mul(q));
                }
                Code::I32And { d, a, b } => {
                    arithmetic!(And32, d, r!(a), r!(b), |p, q| p & q);
                }
                Code::I32Shl { d, a, b } => {
                    arithmetic!(Shl32, d, r!(a), r!(b), |p, q| p.wrapping_shl(q));
                }
                Code::I32ShrU { d, a, b } => {
                    arithmetic!(ShrU32, d, r!(a), r!(b), |p, q| p.wrapping_shr(q));
                }
                Code::I32MulK { d, a, k } => {
                    arithmetic_k!(Mul32, d, a, k, |p, q| p.wrapping_mul(q));
                }
                Code::I32AndK { d, a, k } => {
                    arithmetic_k!(And32, d, a, k, |p, q| p & q);
                }
                Code::I32ShlK { d, a, k } => {
                    arithmetic_k!(Shl32, d, a, k, |p, q| p.wrapping_shl(q));
                }
                Code::I32ShrSK { d, a, k } => {
                    arithmetic_k!(ShrS32, d, a, k, |p, q| (p as i32).wrapping_shr(q) as u32);
                }
                Code::I32ShrUK { d, a, k } => {
                    arithmetic_k!(ShrU32, d, a, k, |p, q| p.wrapping_shr(q));
                }
                Code::Un { op, d, a } => {
                    let x = r!(a);
                    r!(d) = if x.term == 0 {
                        Value::concrete(op.apply(x.bits))
                    } else {
                        symbolic::unary(arena, op, x, module.meta[pc].1)
                    };
                }
                Code::Div { op, d, a, b } => {
                    let (x, y) = (r!(a), r!(b));
                    r!(d) = step!(self.divide(arena, op, x, y));
                }
                Code::Float { op, d, a, b } => {
                    let (x, y) = (r!(a), r!(b));
                    r!(d) = if x.term | y.term == 0 {
                        Value::concrete(op.apply(x.bits, y.bits))
                    } else {
                        symbolic::float(arena, op, x, y, module.meta[pc])
                    };
                }
                Code::Conv { op, d, a } => {
                    let x = r!(a);
                    r!(d) = step!(self.convert(arena, op, x));
                }
                Code::Load { kind, d, a, offset } => {
                    let x = r!(a);
                    let address = x.bits + u64::from(offset);
                    if RECORD && x.term == 0 {
                        self.note_read(address, u64::from(kind.bytes()));
                    }
                    let plain = if x.term == 0 { kind.plain(&self.memory, address) } else { None };
                    r!(d) = match plain {
                        Some(bits) => Value::concrete(bits),
                        None => match self.memory.load_concrete(address, kind.bytes()) {
                            Some(raw) if x.term == 0 => Value::concrete(kind.extend(raw)),
                            _ => step!(self.load(arena, kind, x, offset)),
                        },
                    };
                }
                Code::Store { kind, a, v, offset } => {
                    let (x, v) = (r!(a), r!(v));
                    let address = x.bits + u64::from(offset);
                    let len = kind.bytes();
                    let log = self.logging();
                    if RECORD && x.term == 0 {
                        self.note_write(address, u64::from(len));
                    }
                    let concrete = x.term | v.term == 0;
                    if concrete && !log && kind.store_plain(&mut self.memory, address, v.bits) {
                        pc += 1;
                        continue;
                    }
                    if concrete && self.memory.in_bounds(address, u64::from(len)) {
                        self.memory.store_concrete(address, len, v.bits, log);
                    } else {
                        step!(self.store(arena, kind, x, v, offset));
                    }
                }
                Code::GlobalGet { d, global } => {
                    if RECORD && let Some(recorder) = &mut self.recorder {
                        recorder.global_read(global);
                    }
                    r!(d) = self.globals[global as usize];
                }
                Code::GlobalSet { a, global } => {
                    let v = r!(a);
                    step!(self.set_global(global, v));
                }
                Code::Select { d, c, a, b, wide } => {
                    let c = r!(c);
                    r!(d) = match c.as_term() {
                        None => {
                            if c.bits as u32 != 0 {
                                r!(a)
                            } else {
                                r!(b)
                            }
                        }
                        Some(t) => {
                            let condition = arena.is_nonzero(t);
                            let width = if wide { Width::W64 } else { Width::W32 };
                            let (x, y) = (r!(a), r!(b));
                            let site = module.meta[pc].1;
                            symbolic::select(arena, condition, x, y, width, site)
                        }
                    };
                }
                Code::Jump { to } => enter!(to as usize),
                Code::JumpIf { c, to } => {
                    let c = r!(c);
                    let Some(t) = c.as_term() else { jump!(c.bits as u32 != 0, to) };
                    let asked = Asked { op: None, x: c, y: Value::default() };
                    if let Some(holds) = self.settled_branch(asked) {
                        enter!(if holds { to as usize } else { pc + 1 })
                    }
                    self.pc = pc as u32;
                    let jumps = arena.is_nonzero(t);
                    pc = self.branch(module, arena, jumps, to, (asked, true, None))? as usize;
                    continue;
                }
                Code::JumpUnless { c, to } => {
                    let c = r!(c);
                    let Some(t) = c.as_term() else { jump!(c.bits as u32 == 0, to) };
                    let asked = Asked { op: None, x: c, y: Value::default() };
                    if let Some(holds) = self.settled_branch(asked) {
                        enter!(if !holds { to as usize } else { pc + 1 })
                    }
                    self.pc = pc as u32;
                    let jumps = arena.is_zero(t);
                    pc = self.branch(module, arena, jumps, to, (asked, false, None))? as usize;
                    continue;
                }
                Code::JumpCmp { op, a, b, to } => {
                    compare!(op, r!(a), r!(b), to, |p, q| op.apply(p, q) != 0)
                }
                Code::JumpCmpK { op, a, k, to } => {
                    compare!(op, r!(a), immediate(op, k), to, |p, q| op.apply(p, q) != 0)
                }
                Code::JumpEq { a, b, to } => {
                    compare!(BinOp::Eq32, r!(a), r!(b), to, |p, q| p as u32 == q as u32)
                }
                Code::JumpNe { a, b, to } => {
                    compare!(BinOp::Ne32, r!(a), r!(b), to, |p, q| p as u32 != q as u32)
                }
                Code::JumpLtS { a, b, to } => {
                    compare!(BinOp::LtS32, r!(a), r!(b), to, |p, q| (p as i32) < q as i32)
                }
                Code::JumpLtU { a, b, to } => {
                    compare!(BinOp::LtU32, r!(a), r!(b), to, |p, q| (p as u32) < q as u32)
                }
                Code::JumpLeS { a, b, to } => {
                    compare!(BinOp::LeS32, r!(a), r!(b), to, |p, q| p as i32 <= q as i32)
                }
                Code::JumpLeU { a, b, to } => {
                    compare!(BinOp::LeU32, r!(a), r!(b), to, |p, q| p as u32 <= q as u32)
                }
                Code::JumpEqK { a, k, to } => {
                    compare_k!(Eq32, a, k, to, |p, q| p as u32 == q as u32)
                }
                Code::JumpNeK { a, k, to } => {
                    compare_k!(Ne32, a, k, to, |p, q| p as u32 != q as u32)
                }
                Code::JumpLtSK { a, k, to } => {
                    compare_k!(LtS32, a, k, to, |p, q| (p as i32) < q as i32)
                }
                Code::JumpLtUK { a, k, to } => {
                    compare_k!(LtU32, a, k, to, |p, q| (p as u32) < q as u32)
                }
                Code::JumpGtSK { a, k, to } => {
                    compare_k!(GtS32, a, k, to, |p, q| p as i32 > q as i32)
                }
                Code::JumpGtUK { a, k, to } => {
                    compare_k!(GtU32, a, k, to, |p, q| p as u32 > q as u32)
                }
                Code::JumpLeSK { a, k, to } => {
                    compare_k!(LeS32, a, k, to, |p, q| p as i32 <= q as i32)
                }
                Code::JumpLeUK { a, k, to } => {
                    compare_k!(LeU32, a, k, to, |p, q| p as u32 <= q as u32)
                }
                Code::JumpGeSK { a, k, to } => {
                    compare_k!(GeS32, a, k, to, |p, q| p as i32 >= q as i32)
                }
                Code::JumpGeUK { a, k, to } => {
                    compare_k!(GeU32, a, k, to, |p, q| p as u32 >= q as u32)
                }
                Code::Switch { index, table } => {
                    let v = r!(index);
                    if let Some(t) = v.as_term() {
                        self.pc = pc as u32;
                        return Err(self.stop_switch(arena, t, table));
                    }
                    let jumps = &module.jump_tables[table as usize];
                    let last = jumps.arm_of_index.len() - 1;
                    let index = (v.bits as usize).min(last);
                    let arm = jumps.arm_of_index[index];
                    if let Some(trace) = self.trace {
                        let offset = module.meta[pc].0 & !INVERTED;
                        let exploring = self.logging();
                        let index =
                            if exploring { jumps.first_index_of(arm) } else { index as u32 };
                        self.trace = Some(trace.after(offset, index));
                    }
                    enter!(jumps.targets[arm as usize] as usize)
                }
                Code::Call { func, base: at } => {
                    self.pc = pc as u32;
                    self.watch_call(func)?;
                    let callee = base + at as usize;
                    if module.functions[func as usize].allocates.is_some() {
                        self.know_allocation(module, func, &regs[callee..])?;
                    }
                    if RECORD && self.recalls(module, func, callee, regs)? {
                        enter!(pc + 1)
                    }
                    self.push_frame(regs, func, callee, pc as u32 + 1)?;
                    base = callee;
                    enter!(self.pc as usize)
                }
                Code::CallHost { func, base: at } => {
                    let callee = base + at as usize;
                    let info = &module.functions[func as usize];
                    let room = info.params.max(info.results) as usize;
                    if regs.len() < callee + room {
                        regs.resize(callee + room, Value::default());
                    }
                    step!(self.call_host(arena, func, &mut regs[callee..callee + room]));
                }
                Code::CallIndirect { ty, table, index, base: at } => {
                    let v = r!(index);
                    let func = step!(self.call_target(module, arena, v, ty, table));
                    let callee = base + at as usize;
                    let info = &module.functions[func as usize];
                    if info.host.is_some() {
                        let room = info.params.max(info.results) as usize;
                        if regs.len() < callee + room {
                            regs.resize(callee + room, Value::default());
                        }
                        step!(self.call_host(arena, func, &mut regs[callee..callee + room]));
                    } else {
                        self.pc = pc as u32;
                        if info.allocates.is_some() {
                            self.know_allocation(module, func, &regs[callee..])?;
                        }
                        if RECORD && self.recalls(module, func, callee, regs)? {
                            enter!(pc + 1)
                        }
                        self.push_frame(regs, func, callee, pc as u32 + 1)?;
                        base = callee;
                        pc = self.pc as usize;
                        continue;
                    }
                }
                Code::Return { from, count } => {
                    let from = base + from as usize;
                    match count {
                        0 => {}
                        1 => regs[base] = regs[from],
                        _ => regs.copy_within(from..from + count as usize, base),
                    }
                    if RECORD && self.summaries.is_some() {
                        self.note_return(&regs[base..base + count as usize]);
                    }
                    self.pc = pc as u32;
                    let Some(frame) = self.frames.pop() else {
                        return Err(Stop::End(End::Return));
                    };
                    if frame.allocator {
                        self.counters.in_allocator = false;
                    }
                    if self.frames.len() as u32 <= self.floor {
                        return Err(Stop::End(End::Return));
                    }
                    self.save_top(regs);
                    base = self.frames.last().map_or(0, |f| f.base as usize);
                    enter!(frame.return_pc as usize)
                }
                Code::Unreachable => {
                    self.pc = pc as u32;
                    return Err(Stop::End(End::Trap(Trap::Unreachable)));
                }
                rare => {
                    self.pc = pc as u32;
                    self.rare(module, arena, rare, &mut regs[base..])?;
                }
            }
            pc += 1;
        }
    }

    /// Whether a call was answered from what it did before: then its results are where they belong.
    #[inline]
    fn recalls(
        &mut self,
        module: &Module,
        func: u32,
        callee: usize,
        regs: &mut [Value],
    ) -> Result<bool, Stop> {
        if self.summaries.is_none() {
            return Ok(false);
        }
        let info = &module.functions[func as usize];
        let room = info.params.max(info.results) as usize;
        // The caller has room for what it passes and gets.
        let known = regs.get_mut(callee..callee + room).is_some_and(|regs| self.recall(func, regs));
        // More than can be counted.
        if known && self.counters.all_instructions > MOST_COUNTED {
            return Err(Stop::End(End::OutOfInstructions));
        }
        Ok(known)
    }

    /// Notes that bytes were read, where that is recorded. Bytes out of bounds are as good as any:
    /// such an access ends the run.
    #[inline]
    pub(crate) fn note_read(&mut self, address: u64, len: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.read(address, len);
        }
    }

    /// Notes that bytes were read as bytes, at an address that is no other.
    pub(crate) fn note_bytes_read(&mut self, address: u64, len: u64) {
        self.note_read(address, len);
        if self.pools().is_some() {
            self.fix_bytes(address, len);
        }
    }

    /// Notes that bytes are overwritten as bytes, at an address that is no other.
    pub(crate) fn note_bytes_written(&mut self, address: u64, len: u64) {
        self.note_write(address, len);
        if self.pools().is_some() {
            self.fix_bytes(address, len);
        }
    }

    /// Notes that bytes are overwritten, whatever was there.
    #[inline]
    pub(crate) fn note_write(&mut self, address: u64, len: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(address, len);
        }
    }

    /// A branch on a term: `to` when `jumps` holds. The stop speaks of the instruction's own
    /// condition, which is the opposite of the jump's where the code inverted it.
    #[cold]
    fn branch(
        &mut self,
        module: &Module,
        arena: &mut Arena,
        jumps: TermId,
        to: u32,
        (asked, straight, alone): (Asked, bool, Option<pessimum_term::Mark>),
    ) -> Result<u32, Stop> {
        let next = self.pc + 1;
        let inverted = module.meta[self.pc as usize].0 & INVERTED != 0;
        if inverted {
            let condition = arena.not(jumps);
            self.stop_branch(arena, condition, (next, to), (asked, !straight, alone))
        } else {
            self.stop_branch(arena, jumps, (to, next), (asked, straight, alone))
        }
    }
}

/// A type without values: the loop leaves only by a stop.
enum Never {}

#[inline]
fn immediate(op: BinOp, k: i32) -> Value {
    if op.width() == Width::W32 {
        Value::concrete(u64::from(k as u32))
    } else {
        Value::concrete(k as i64 as u64)
    }
}
