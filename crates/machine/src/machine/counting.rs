//! What a run costs, and the activations it is counted in.

use super::{Frame, MAX_SLOTS, Machine};
use crate::module::INVERTED;
use crate::stop::{End, Stop};
use crate::value::Value;
use pessimum_entry::host::AllocationSize;
use pessimum_entry::{Bulk, CostModel};

impl Machine {
    pub(crate) fn begin_region(&mut self) {
        if self.counters.active == 0 {
            self.counters.active = u64::MAX;
            if let Some((global, ..)) = self.stack_floor {
                self.counters.region_sp = self.globals[global as usize].bits;
            }
            if *self.module.cost_model() == CostModel::Stack {
                self.count_depth();
            }
        }
    }

    pub(crate) fn end_region(&mut self) {
        self.counters.active = 0;
    }

    pub(crate) fn count_output(&mut self, bytes: u64) {
        if *self.module.cost_model() == CostModel::Output {
            self.counters.cost += bytes & self.counters.active;
        }
    }

    /// Adds the steps of the loop that a bulk operation stands for, which has been carried out.
    /// They are instructions like any others, for the limit of a run as well.
    pub(crate) fn count_steps(&mut self, bulk: Bulk, steps: u64) {
        let price = u64::from(self.module.cost_model().step_price(bulk));
        let counters = &mut self.counters;
        counters.all_instructions += steps;
        counters.instructions += steps & counters.active;
        counters.cost = counters.cost.saturating_add((steps * price) & counters.active);
    }

    /// As [`Machine::count_steps`], for bytes of memory.
    pub(crate) fn count_bytes(&mut self, bulk: Bulk, bytes: u64) {
        self.count_steps(bulk, bytes.div_ceil(8));
    }

    pub(super) fn count_depth(&mut self) {
        let depth = u64::from(self.frames.len() as u32 - self.floor);
        self.counters.cost = self.counters.cost.max(depth & self.counters.active);
    }

    /// Opens an activation. The arguments lie at `base`; `regs` is the register file.
    #[inline]
    pub(crate) fn push_frame(
        &mut self,
        regs: &mut Vec<Value>,
        function: u32,
        base: usize,
        return_pc: u32,
    ) -> Result<(), Stop> {
        if self.frames.len() as u32 >= self.limits.depth {
            return Err(Stop::End(End::OutOfStack));
        }
        let info = &self.module.functions[function as usize];
        let (params, locals, slots) =
            (info.params as usize, info.locals as usize, info.slots as usize);
        let allocates = info.allocates;
        self.pc = info.entry;
        if regs.len() < base + slots {
            if base + slots > MAX_SLOTS {
                return Err(Stop::End(End::OutOfStack));
            }
            let room = (base + slots).max(regs.len() * 2).min(MAX_SLOTS);
            regs.resize(room, Value::default());
        }
        for reg in &mut regs[base + params..base + locals] {
            *reg = Value::default();
        }
        self.open_frame(function, return_pc, base as u32);
        if allocates.is_some() || matches!(self.module.cost_model(), CostModel::Stack) {
            self.enter_counted(&regs[base..base + params.max(1).min(slots)], allocates)?;
        }
        Ok(())
    }

    /// A new activation, whose registers are made ready.
    #[inline]
    pub(crate) fn open_frame(&mut self, function: u32, return_pc: u32, base: u32) {
        let epoch = self.epoch;
        let frame = Frame { function, return_pc, base, cookie: 0, epoch, allocator: false };
        self.frames.push(frame);
    }

    /// Counts that a function is entered, where the cost model does.
    #[cold]
    pub(crate) fn enter_counted(
        &mut self,
        args: &[Value],
        allocates: Option<AllocationSize>,
    ) -> Result<(), Stop> {
        match self.module.cost_model() {
            CostModel::Stack => self.count_depth(),
            CostModel::Heap if !self.counters.in_allocator => {
                let arg = |i: u32| args.get(i as usize).map_or(0, |v| v.bits);
                let bytes = match allocates {
                    None => return Ok(()),
                    Some(AllocationSize::Param(i)) => arg(i),
                    Some(AllocationSize::Product(i, j)) => arg(i).saturating_mul(arg(j)),
                };
                self.counters.cost =
                    self.counters.cost.saturating_add(bytes & self.counters.active);
                self.counters.in_allocator = true;
                if let Some(frame) = self.frames.last_mut() {
                    frame.allocator = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the outcome of the conditional that the machine stands at to the fingerprint.
    pub(super) fn trace_outcome(&mut self, outcome: u32) {
        let offset = self.module.meta[self.pc as usize].0 & !INVERTED;
        self.trace = self.trace.map(|t| t.after(offset, outcome));
    }

    /// Adds a conditional to the fingerprint: whether its jump was taken.
    #[cold]
    pub(crate) fn trace_jump(&mut self, pc: usize, jumped: bool) {
        let offset = self.module.meta[pc].0;
        let outcome = jumped != (offset & INVERTED != 0);
        self.trace = self.trace.map(|t| t.after(offset & !INVERTED, u32::from(outcome)));
    }

    #[inline]
    pub(crate) fn count_block(&mut self, block: u32, cost: u32) {
        if self.profile.is_some() {
            self.profile_block(block, cost);
        }
    }

    #[cold]
    pub(super) fn profile_block(&mut self, block: u32, cost: u32) {
        let Some(profile) = &mut self.profile else { return };
        if let Some(count) = profile.counts.get_mut(block as usize) {
            *count += 1;
        }
        if let Some(stacks) = &mut profile.stacks {
            let own = u64::from(cost) & self.counters.active;
            let function = self.module.blocks[block as usize].function;
            let depth = (self.frames.len() as u32).saturating_sub(self.floor) as usize;
            stacks.enter(block, own, self.counters.cost, function, depth);
        }
        if let Some(costs) = &mut profile.own {
            let own = u64::from(cost) & self.counters.active;
            let function = self.module.blocks[block as usize].function;
            let open = &self.frames[self.floor as usize..];
            let caller = |at: usize| {
                let call = self.module.meta.get(open[at].return_pc.wrapping_sub(1) as usize);
                (open[at - 1].function, call.map_or(0, |m| m.0 & !INVERTED))
            };
            costs.enter((function, block), (own, self.counters.cost), open.len(), caller);
        }
        if let Some(loops) = &mut profile.loops {
            let kind = self.module.blocks[block as usize].kind;
            let call = self.frames.last().map_or((0, 0), |f| (f.function, f.return_pc));
            let caller = call.1.wrapping_sub(1) as usize;
            let depth = self.module.loop_depths.get(caller).copied().unwrap_or(0);
            loops.pass(kind, block, self.frames.len() as u32, call, depth);
        }
    }
}
