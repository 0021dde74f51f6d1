//! The loop for runs without terms: nothing is undone, nothing is recorded, and every value is a number.
//!
//! Operations are carried out by functions that call each other ([`crate::threaded`]), and return here when a chunk of them is over, for what is
//! rare, and at the end. What a run may change in few places only, the memory and the counters, is held in variables of the loop and put back
//! wherever something outside of it may look at it (`out!`, `back!`). A frame is a window of as many registers as a slot can name,
//! so that no slot is outside of it.

use crate::code::Code;
use crate::machine::{Inputs, MAX_SLOTS, Machine};
use crate::module::Module;
use crate::stop::{End, Stop, Trap};
use crate::threaded::cursor::{Frame, Ip, WINDOW};
use crate::threaded::{Exit, Loop, begin, ended, passed};
use crate::value::Value;
use pessimum_entry::{Bulk, CostModel};
use pessimum_term::Arena;

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
        let code = &plain.threaded;
        let mut pc = self.pc as usize;
        let mut base = self.frames.last().map_or(0, |f| f.base as usize);
        reserve(slots, base.max(self.regs.len()));
        for (slot, value) in slots.iter_mut().zip(&self.regs) {
            *slot = value.bits;
        }
        let (mut bytes, mut written) = self.memory.take_plain();
        let mut counts = self.take_block_counts();
        macro_rules! out {
            () => {{
                self.pc = pc as u32;
                self.memory.put_plain(std::mem::take(&mut bytes), std::mem::take(&mut written));
            }};
        }
        macro_rules! back {
            () => {
                (bytes, written) = self.memory.take_plain()
            };
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
                let result: Result<(), Stop> = $e;
                back!();
                if let Err(stop) = result {
                    end!(ended(stop))
                }
            }};
        }
        macro_rules! host {
            ($func:expr, $at:expr) => {{
                let frame = &mut slots[base + $at as usize..];
                outside!(self.host_plain(arena, $func, frame));
                pc += 1;
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
                slots[base + info.params as usize..base + info.locals as usize].fill(0);
                self.open_frame(func, pc as u32 + 1, base as u32);
                if info.counted {
                    let args = info.params.max(1).min(info.slots) as usize;
                    let args = slots[base..base + args].iter();
                    let args: Vec<Value> = args.map(|bits| Value::concrete(*bits)).collect();
                    let allocates = module.functions[func as usize].allocates;
                    outside!(self.enter_counted(&args, allocates));
                }
                pc = info.entry as usize;
            }};
        }
        let counts_stack = *module.cost_model() == CostModel::StackBytes;
        let mut run = code.run_at(pc);
        loop {
            let room = self.cycles.at.saturating_sub(self.counters.all_instructions);
            let begun = begin(room);
            let (registers, frame) = Frame::of(slots, base);
            let mut all = Loop {
                machine: &mut *self,
                module,
                code,
                callees: &plain.callees,
                counts: &mut counts,
                written: &mut written,
                registers,
                counts_stack,
                ip: Ip::of(&code.ops, pc),
                account: begun,
                end: End::Return,
            };
            let ip = all.ip;
            let exit = run(&mut all, ip, frame, &mut bytes, begun);
            let (ip, account, end) = (all.ip, all.account, all.end);
            pc = ip.place(&code.ops);
            let (instructions, cost) = passed(begun, account);
            self.counters.pass(instructions, cost);
            // Without a frame the run is over.
            base = self.frames.last().map_or(0, |f| f.base as usize);
            match exit {
                Exit::End => end!(end),
                Exit::Rest => {
                    run = code.behind_rest(pc);
                    continue;
                }
                Exit::Chunk => {
                    let Code::Block { instructions, cost, block } = module.code[pc] else {
                        unreachable!("a chunk ends before a block")
                    };
                    let (instructions, cost) = (u64::from(instructions), u64::from(cost));
                    let room = self.cycles.at.saturating_sub(self.counters.all_instructions);
                    self.counters.pass(instructions, cost);
                    if instructions > room {
                        out!();
                        let end = self.look(&*slots);
                        back!();
                        if let Some(end) = end {
                            end!(end)
                        }
                    }
                    if let Some(count) = counts.get_mut(block as usize) {
                        *count += 1;
                    }
                    pc += 1;
                }
                Exit::Outside => match module.code[pc] {
                    Code::Call { func, base: at } => call!(func, at),
                    Code::CallIndirect { ty, table, index, base: at } => {
                        let index = slots[base + index as usize];
                        let func = match self.table_function(module, index, ty, table) {
                            Ok(func) => func,
                            Err(trap) => end!(End::Trap(trap)),
                        };
                        if module.functions[func as usize].host.is_some() {
                            host!(func, at)
                        } else {
                            call!(func, at)
                        }
                    }
                    Code::CallHost { func, base: at } => host!(func, at),
                    Code::GlobalSet { a, global } => {
                        let value = Value::concrete(slots[base + a as usize]);
                        if let Err(stop) = self.set_global(global, value) {
                            end!(ended(stop))
                        }
                        pc += 1;
                    }
                    Code::MemoryCopy { base: at } => {
                        let [to, from, len] = [0, 1, 2].map(|i| slots[base + at as usize + i]);
                        if to.max(from) + len > bytes.len() as u64 {
                            end!(End::Trap(Trap::MemoryOutOfBounds))
                        }
                        out!();
                        self.memory.copy_within(to, from, len, false);
                        self.count_bytes(Bulk::MemoryCopy, len);
                        back!();
                        pc += 1;
                    }
                    Code::MemoryFill { base: at } => {
                        let [to, value, len] = [0, 1, 2].map(|i| slots[base + at as usize + i]);
                        if to + len > bytes.len() as u64 {
                            end!(End::Trap(Trap::MemoryOutOfBounds))
                        }
                        out!();
                        self.memory.fill(arena, to, Value::concrete(value), len, false);
                        self.count_bytes(Bulk::MemoryFill, len);
                        back!();
                        pc += 1;
                    }
                    rare => {
                        let function = self.frames.last().map_or(0, |f| f.function as usize);
                        let count = plain.callees[function].slots as usize;
                        let frame = &mut slots[base..base + count];
                        outside!(self.rare_plain(module, arena, rare, frame));
                        pc += 1;
                    }
                },
            }
            run = code.run_at(pc);
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
