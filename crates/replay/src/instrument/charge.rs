//! The code that is injected. Every piece leaves the operand stack as it found it.

use pessimum_entry::TraceDigest;
use pessimum_entry::host::AllocationSize;
use wasm_encoder::{BlockType, Function, Instruction, ValType};

/// What the length of a bulk operation counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes, eight of which are a step.
    Bytes,
    /// Elements of a table, each a step.
    Elements,
    /// Pages or elements, each a step, of an operation that may answer -1 and do nothing.
    Grown,
}

/// The globals that the copy has in addition, by their index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    /// `i64`: the cost so far.
    pub(crate) cost: u32,
    /// `i64`: 1 inside the measured region, else 0.
    pub(crate) active: u32,
    /// `i64`: how many activations are on the call stack.
    pub(crate) depth: u32,
    /// `i32`: the stack pointer at the beginning of the region.
    pub(crate) stack_base: u32,
    /// `i32`: how many allocator functions are active.
    pub(crate) allocators: u32,
    /// `i64`: the digest of the branches so far.
    pub(crate) trace: u32,
    /// `i32`: the length of the bulk operation that is being carried out. Such an operation calls
    /// nothing, so one global does for all frames.
    length: u32,
    /// `i32`: what it answered.
    answer: u32,
    /// `i64`: the cost before the operator whose part of it is being counted.
    before: u32,
}

impl Counters {
    /// How many globals that makes.
    pub(crate) const COUNT: u32 = 9;

    /// The counters that follow `first` globals of the module's own.
    pub(crate) fn after(first: u32) -> Self {
        Self {
            cost: first,
            active: first + 1,
            depth: first + 2,
            stack_base: first + 3,
            allocators: first + 4,
            trace: first + 5,
            length: first + 6,
            answer: first + 7,
            before: first + 8,
        }
    }

    /// The types of the counters, in the order of their indices.
    pub(crate) const TYPES: [ValType; Self::COUNT as usize] = [
        ValType::I64,
        ValType::I64,
        ValType::I64,
        ValType::I32,
        ValType::I32,
        ValType::I64,
        ValType::I32,
        ValType::I32,
        ValType::I64,
    ];

    /// `cost += active * price`.
    pub(crate) fn charge(self, price: u64, out: &mut Function) {
        if price == 0 {
            return;
        }
        out.instruction(&Instruction::GlobalGet(self.cost));
        out.instruction(&Instruction::GlobalGet(self.active));
        if price != 1 {
            out.instruction(&Instruction::I64Const(price as i64));
            out.instruction(&Instruction::I64Mul);
        }
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalSet(self.cost));
    }

    /// Remembers the length of a bulk operation, which is on top of the stack and stays there.
    pub(crate) fn before_bulk(self, out: &mut Function) {
        out.instruction(&Instruction::GlobalSet(self.length));
        out.instruction(&Instruction::GlobalGet(self.length));
    }

    /// `cost += active * price * steps` for the bulk operation that has just been carried out: one
    /// that traps does not come here. One that answers -1 has done nothing, and takes no steps.
    pub(crate) fn after_bulk(self, unit: Unit, price: u64, out: &mut Function) {
        let answers = matches!(unit, Unit::Grown);
        if answers {
            out.instruction(&Instruction::GlobalSet(self.answer));
        }
        out.instruction(&Instruction::GlobalGet(self.cost));
        out.instruction(&Instruction::GlobalGet(self.length));
        out.instruction(&Instruction::I64ExtendI32U);
        match unit {
            Unit::Bytes => {
                out.instruction(&Instruction::I64Const(7));
                out.instruction(&Instruction::I64Add);
                out.instruction(&Instruction::I64Const(3));
                out.instruction(&Instruction::I64ShrU);
            }
            Unit::Elements => {}
            Unit::Grown => {
                out.instruction(&Instruction::GlobalGet(self.answer));
                out.instruction(&Instruction::I32Const(-1));
                out.instruction(&Instruction::I32Ne);
                out.instruction(&Instruction::I64ExtendI32U);
                out.instruction(&Instruction::I64Mul);
            }
        }
        out.instruction(&Instruction::I64Const(price as i64));
        out.instruction(&Instruction::I64Mul);
        out.instruction(&Instruction::GlobalGet(self.active));
        out.instruction(&Instruction::I64Mul);
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalSet(self.cost));
        if answers {
            out.instruction(&Instruction::GlobalGet(self.answer));
        }
    }

    /// `before = cost`, ahead of an operator whose part of the cost is only known behind it.
    pub(crate) fn before_part(self, out: &mut Function) {
        out.instruction(&Instruction::GlobalGet(self.cost));
        out.instruction(&Instruction::GlobalSet(self.before));
    }

    /// `global += cost - before`.
    pub(crate) fn after_part(self, global: u32, out: &mut Function) {
        out.instruction(&Instruction::GlobalGet(global));
        out.instruction(&Instruction::GlobalGet(self.cost));
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalGet(self.before));
        out.instruction(&Instruction::I64Sub);
        out.instruction(&Instruction::GlobalSet(global));
    }

    /// `global += active`, for the counter of one stretch.
    pub(crate) fn visit(self, global: u32, out: &mut Function) {
        out.instruction(&Instruction::GlobalGet(global));
        out.instruction(&Instruction::GlobalGet(self.active));
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalSet(global));
    }

    /// `depth += 1; cost = max(cost, active * depth)`.
    pub(crate) fn enter(self, out: &mut Function) {
        self.step_depth(1, out);
        self.raise(out, |out| {
            out.instruction(&Instruction::GlobalGet(self.depth));
        });
    }

    /// `depth -= 1`.
    pub(crate) fn leave(self, out: &mut Function) {
        self.step_depth(-1, out);
    }

    /// `cost = max(cost, active * (stack_base - stack_pointer))`.
    pub(crate) fn watch_stack(self, stack_pointer: u32, out: &mut Function) {
        self.raise(out, |out| {
            out.instruction(&Instruction::GlobalGet(self.stack_base));
            out.instruction(&Instruction::GlobalGet(stack_pointer));
            out.instruction(&Instruction::I32Sub);
            out.instruction(&Instruction::I64ExtendI32S);
        });
    }

    /// Adds the branch to the digest, see [`TraceDigest::after`]. The condition is on the stack and
    /// stays there; `scratch` is a spare `i32` local. `targets` is the number of listed targets of
    /// a `br_table`, none for a two-way branch.
    pub(crate) fn trace(self, offset: u32, targets: Option<u32>, scratch: u32, out: &mut Function) {
        out.instruction(&Instruction::LocalTee(scratch));
        out.instruction(&Instruction::GlobalGet(self.trace));
        out.instruction(&Instruction::I64Const(((u64::from(offset) << 32) + 1) as i64));
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::LocalGet(scratch));
        match targets {
            None => {
                out.instruction(&Instruction::I32Eqz);
                out.instruction(&Instruction::I32Eqz);
            }
            Some(count) => {
                out.instruction(&Instruction::I32Const(count as i32));
                out.instruction(&Instruction::LocalGet(scratch));
                out.instruction(&Instruction::I32Const(count as i32));
                out.instruction(&Instruction::I32LtU);
                out.instruction(&Instruction::Select);
            }
        }
        out.instruction(&Instruction::I64ExtendI32U);
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::I64Const(TraceDigest::MULTIPLIER as i64));
        out.instruction(&Instruction::I64Mul);
        out.instruction(&Instruction::I64Const(29));
        out.instruction(&Instruction::I64Rotl);
        out.instruction(&Instruction::GlobalSet(self.trace));
    }

    /// The body of a function that charges for a call and passes it on to `function`, which has
    /// these parameters.
    pub(crate) fn wrapper(
        self,
        function: u32,
        size: Option<AllocationSize>,
        params: &[wasmparser::ValType],
    ) -> Function {
        let mut out = Function::new([]);
        let pass_on = |out: &mut Function| {
            (0..params.len() as u32).for_each(|index| {
                out.instruction(&Instruction::LocalGet(index));
            });
            out.instruction(&Instruction::Call(function));
        };
        let Some(size) = size else {
            self.charge(1, &mut out);
            pass_on(&mut out);
            out.instruction(&Instruction::End);
            return out;
        };
        out.instruction(&Instruction::GlobalGet(self.allocators));
        out.instruction(&Instruction::I32Eqz);
        out.instruction(&Instruction::If(BlockType::Empty));
        out.instruction(&Instruction::GlobalGet(self.cost));
        let operand = |index: u32, out: &mut Function| {
            out.instruction(&Instruction::LocalGet(index));
            if params.get(index as usize) == Some(&wasmparser::ValType::I32) {
                out.instruction(&Instruction::I64ExtendI32U);
            }
        };
        match size {
            AllocationSize::Param(index) => operand(index, &mut out),
            AllocationSize::Product(a, b) => {
                operand(a, &mut out);
                operand(b, &mut out);
                out.instruction(&Instruction::I64Mul);
            }
        }
        out.instruction(&Instruction::GlobalGet(self.active));
        out.instruction(&Instruction::I64Mul);
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalSet(self.cost));
        out.instruction(&Instruction::End);
        self.step_allocators(1, &mut out);
        pass_on(&mut out);
        self.step_allocators(-1, &mut out);
        out.instruction(&Instruction::End);
        out
    }

    /// `cost = max(cost, active * value)`, where `value` leaves one `i64` on the stack. It is
    /// computed twice rather than kept: a local more in every frame would cost deep recursions
    /// memory.
    fn raise(self, out: &mut Function, value: impl Fn(&mut Function)) {
        let measured = |out: &mut Function| {
            value(out);
            out.instruction(&Instruction::GlobalGet(self.active));
            out.instruction(&Instruction::I64Mul);
        };
        measured(out);
        out.instruction(&Instruction::GlobalGet(self.cost));
        measured(out);
        out.instruction(&Instruction::GlobalGet(self.cost));
        out.instruction(&Instruction::I64GtS);
        out.instruction(&Instruction::Select);
        out.instruction(&Instruction::GlobalSet(self.cost));
    }

    fn step_depth(self, by: i64, out: &mut Function) {
        out.instruction(&Instruction::GlobalGet(self.depth));
        out.instruction(&Instruction::I64Const(by));
        out.instruction(&Instruction::I64Add);
        out.instruction(&Instruction::GlobalSet(self.depth));
    }

    fn step_allocators(self, by: i32, out: &mut Function) {
        out.instruction(&Instruction::GlobalGet(self.allocators));
        out.instruction(&Instruction::I32Const(by));
        out.instruction(&Instruction::I32Add);
        out.instruction(&Instruction::GlobalSet(self.allocators));
    }
}
