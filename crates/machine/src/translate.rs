//! Function bodies: from Wasm's operand stack to slots.
//!
//! The operand stack is followed at translation time. An operand is a constant, a local that has
//! not been copied, or a temporary in the slot of its own stack position. Operands are moved to
//! their own slots ("settled") where control flow meets, so every path into a label agrees on
//! where things are. A local that is about to be overwritten is settled wherever it still stands
//! on the stack.

use crate::code::{Code, JumpTable, Slot};
use crate::error::LoadError;
use crate::load::{invalid, val_type};
use crate::module::{Block, BlockKind, INVERTED, Module, Site, SiteKind, ValType};
use crate::numeric::{BinOp, UnOp};
use crate::opcodes::{binary, conversion, division, float, immediate, load, store, swapped, unary};
use crate::price::Price;
use pessimum_entry::LeaderScan;
use wasmparser::{self as wp, Operator};

/// One function's code, with targets relative to its start.
pub(crate) struct Translated {
    code: Vec<Code>,
    meta: Vec<(u32, u32)>,
    loop_depths: Vec<u16>,
    jump_tables: Vec<JumpTable>,
    sites: Vec<Site>,
    blocks: Vec<Block>,
    line_points: Vec<(u32, u32)>,
    locals: usize,
    slots: usize,
}

struct Translator<'m> {
    module: &'m Module,
    function: u32,
    body_start: u32,
    code: Vec<Code>,
    meta: Vec<(u32, u32)>,
    loop_depths: Vec<u16>,
    loop_depth: u16,
    jump_tables: Vec<JumpTable>,
    sites: Vec<Site>,
    blocks: Vec<Block>,
    line_points: Vec<(u32, u32)>,
    stack: Vec<Operand>,
    control: Vec<Control>,
    locals: usize,
    max_slots: usize,
    /// Instruction that computed the operand on top, as long as nothing came between.
    fresh: Option<usize>,
    /// The `Code::Block` of the open block.
    block: Option<usize>,
    /// Tells which operators begin a basic block.
    leaders: LeaderScan,
    /// Whether the present basic block counted its line already.
    line_counted: bool,
    offset: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operand {
    /// In the slot of its own stack position.
    Settled,
    Local(Slot),
    Const(u64),
}

struct Control {
    kind: Kind,
    /// Stack height below the parameters.
    height: usize,
    params: usize,
    results: usize,
    /// Where a loop begins.
    start: u32,
    /// Jumps to the end that wait for its address.
    waiting: Vec<Wait>,
    /// The jump over the `then` arm.
    to_else: Option<usize>,
    /// Whether the code at its start can be reached.
    live: bool,
    /// Nested controls inside dead code.
    dead_depth: usize,
    /// Whether the code here is dead.
    dead: bool,
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Function,
    Block,
    Loop,
    If,
    Else,
}

#[derive(Clone, Copy)]
enum Wait {
    Jump(usize),
    Table { table: usize, arm: usize },
}

/// Translates a function's body, validating it on the way.
pub(crate) fn translate(
    module: &Module,
    function: u32,
    body: &wp::FunctionBody<'_>,
    validator: &mut wp::FuncValidator<wp::ValidatorResources>,
) -> Result<Translated, LoadError> {
    let info = &module.functions[function as usize];
    let mut this = Translator {
        module,
        function,
        body_start: body.range().start as u32,
        code: Vec::new(),
        meta: Vec::new(),
        loop_depths: Vec::new(),
        loop_depth: 0,
        jump_tables: Vec::new(),
        sites: Vec::new(),
        blocks: Vec::new(),
        line_points: Vec::new(),
        stack: Vec::new(),
        control: Vec::new(),
        locals: info.params as usize,
        max_slots: 0,
        fresh: None,
        block: None,
        leaders: LeaderScan::default(),
        line_counted: false,
        offset: 0,
    };
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader).map_err(|e| invalid(&e))?;
    this.locals = validator.len_locals() as usize;
    for i in 0..validator.len_locals() {
        let ty = validator.get_local_type(i);
        if ty.is_none_or(|t| val_type(t).is_err()) {
            return Err(this.unsupported("a local of a vector or reference type"));
        }
    }
    this.max_slots = this.locals.max(info.params as usize).max(info.results as usize);
    this.control.push(Control {
        kind: Kind::Function,
        height: 0,
        params: 0,
        results: info.results as usize,
        start: 0,
        waiting: Vec::new(),
        to_else: None,
        live: true,
        dead_depth: 0,
        dead: false,
    });
    this.open_block();
    let mut operators = wp::OperatorsReader::new(reader);
    while !operators.eof() {
        let offset = operators.original_position();
        let op = operators.read().map_err(|e| invalid(&e))?;
        this.offset = offset as u32;
        // The type of a select's operands is known to the validator alone, and only before it
        // has seen the select.
        let second = validator.get_operand_type(1).flatten();
        validator.op(offset, &op).map_err(|e| invalid(&e))?;
        this.operator(&op, second)?;
    }
    operators.finish().map_err(|e| invalid(&e))?;
    if this.max_slots > usize::from(u16::MAX) {
        let function = module.function_name(function);
        return Err(LoadError::TooManySlots { function, slots: this.max_slots });
    }
    Ok(Translated {
        code: this.code,
        meta: this.meta,
        loop_depths: this.loop_depths,
        jump_tables: this.jump_tables,
        sites: this.sites,
        blocks: this.blocks,
        line_points: this.line_points,
        locals: this.locals,
        slots: this.max_slots,
    })
}

impl Translated {
    /// Appends the code to the module, with absolute targets.
    pub(crate) fn append(self, module: &mut Module, function: u32) {
        let Translated {
            mut code,
            mut meta,
            loop_depths,
            jump_tables,
            sites,
            mut blocks,
            line_points,
            locals,
            slots,
        } = self;
        let base = module.code.len() as u32;
        let table_base = module.jump_tables.len() as u32;
        let site_base = module.sites.len() as u32;
        let block_base = module.blocks.len() as u32;
        for c in &mut code {
            match c {
                Code::Jump { to }
                | Code::JumpIf { to, .. }
                | Code::JumpUnless { to, .. }
                | Code::JumpCmp { to, .. }
                | Code::JumpCmpK { to, .. } => *to += base,
                Code::Switch { table, .. } => *table += table_base,
                Code::Block { block, instructions, .. } => {
                    blocks[*block as usize].instructions = *instructions;
                    *block += block_base;
                }
                _ => {}
            }
        }
        for m in &mut meta {
            if m.1 != 0 {
                m.1 += site_base;
            }
        }
        module.jump_tables.extend(jump_tables.into_iter().map(|mut t| {
            t.targets.iter_mut().for_each(|to| *to += base);
            t
        }));
        module.code.extend(code.into_iter().map(Code::specialized));
        module.meta.extend(meta);
        module.loop_depths.extend(loop_depths);
        module.sites.extend(sites);
        module.blocks.extend(blocks);
        module.line_points.extend(line_points);
        let info = &mut module.functions[function as usize];
        info.entry = base;
        info.locals = locals as u16;
        info.slots = slots as u16;
    }
}

impl<'m> Translator<'m> {
    fn operator(
        &mut self,
        op: &Operator<'_>,
        second: Option<wp::ValType>,
    ) -> Result<(), LoadError> {
        let dead = self.top().dead;
        let leader = self.leaders.is_leader(op);
        match op {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                if dead {
                    self.top().dead_depth += 1;
                    return Ok(());
                }
                if matches!(op, Operator::If { .. }) {
                    self.count(op, leader);
                }
                return self.enter(op, *blockty);
            }
            Operator::Else => {
                if self.top().dead_depth == 0 {
                    self.begin_else();
                }
                return Ok(());
            }
            Operator::End => {
                if self.top().dead_depth > 0 {
                    self.top().dead_depth -= 1;
                } else {
                    self.leave();
                }
                return Ok(());
            }
            _ if dead => return Ok(()),
            _ => {}
        }
        self.count(op, leader);
        self.plain(op, second)
    }

    /// Everything but structure.
    fn plain(&mut self, op: &Operator<'_>, second: Option<wp::ValType>) -> Result<(), LoadError> {
        if let Some(b) = binary(op) {
            self.binary(b);
            return Ok(());
        }
        if let Some(u) = unary(op) {
            self.unary(u);
            return Ok(());
        }
        if let Some(d) = division(op) {
            let (a, b) = self.pop2();
            let d_slot = self.push();
            self.emit(Code::Div { op: d, d: d_slot, a, b });
            return Ok(());
        }
        if let Some((f, args)) = float(op) {
            let (a, b) = if args == 2 {
                self.pop2()
            } else {
                let a = self.pop_slot();
                (a, a)
            };
            let d = self.push();
            let site = if f.is_comparison() { self.site(SiteKind::Comparison) } else { 0 };
            self.emit_at(Code::Float { op: f, d, a, b }, site);
            return Ok(());
        }
        if let Some(c) = conversion(op) {
            let a = self.pop_slot();
            let d = self.push();
            self.emit(Code::Conv { op: c, d, a });
            return Ok(());
        }
        if let Some((kind, memarg)) = load(op) {
            let a = self.pop_slot();
            let d = self.push();
            self.emit(Code::Load { kind, d, a, offset: memarg.offset as u32 });
            self.fresh = Some(self.code.len() - 1);
            return Ok(());
        }
        if let Some((kind, memarg)) = store(op) {
            let (a, v) = self.pop2();
            self.emit(Code::Store { kind, a, v, offset: memarg.offset as u32 });
            return Ok(());
        }
        match *op {
            Operator::Nop => {}
            Operator::Unreachable => {
                self.emit(Code::Unreachable);
                self.die();
            }
            Operator::Drop => {
                self.pop();
            }
            Operator::I32Const { value } => self.push_const(u64::from(value as u32)),
            Operator::I64Const { value } => self.push_const(value as u64),
            Operator::F32Const { value } => self.push_const(u64::from(value.bits())),
            Operator::F64Const { value } => self.push_const(value.bits()),
            Operator::RefNull { .. } => self.push_const(0),
            Operator::RefFunc { function_index } => {
                self.push_const(u64::from(function_index) + 1);
            }
            Operator::RefIsNull => self.unary(UnOp::Eqz64),
            // Bit patterns are kept zero-extended whatever their type.
            Operator::I32ReinterpretF32
            | Operator::I64ReinterpretF64
            | Operator::F32ReinterpretI32
            | Operator::F64ReinterpretI64 => {}
            Operator::LocalGet { local_index } => {
                self.stack.push(Operand::Local(local_index as Slot));
                self.note_height();
                self.fresh = None;
            }
            Operator::LocalSet { local_index } => self.set_local(local_index as Slot),
            Operator::LocalTee { local_index } => {
                self.set_local(local_index as Slot);
                self.stack.push(Operand::Local(local_index as Slot));
                self.note_height();
            }
            Operator::GlobalGet { global_index } => {
                let d = self.push();
                self.emit(Code::GlobalGet { d, global: global_index });
                self.fresh = Some(self.code.len() - 1);
            }
            Operator::GlobalSet { global_index } => {
                let a = self.pop_slot();
                self.emit(Code::GlobalSet { a, global: global_index });
            }
            Operator::Select | Operator::TypedSelect { .. } => {
                let position = self.stack.len() - 3;
                let c = self.slot_at(position + 2);
                let b = self.slot_at(position + 1);
                let a = self.slot_at(position);
                self.stack.truncate(position);
                let d = self.push();
                let ty = second.and_then(|t| val_type(t).ok());
                let wide = !matches!(ty, Some(ValType::I32 | ValType::F32));
                let site = self.site(SiteKind::Select);
                self.emit_at(Code::Select { d, c, a, b, wide }, site);
            }
            Operator::Br { relative_depth } => {
                self.move_results(relative_depth);
                self.jump(relative_depth);
                self.die();
            }
            Operator::BrIf { relative_depth } => self.branch_if(relative_depth),
            Operator::BrTable { ref targets } => self.branch_table(targets)?,
            Operator::Return => {
                self.emit_return();
                self.die();
            }
            Operator::Call { function_index } => self.call(function_index),
            Operator::CallIndirect { type_index, table_index } => {
                let index = self.pop_slot();
                let ty = &self.module.types[type_index as usize];
                let (params, results) = (ty.params.len(), ty.results.len());
                let base = self.settle_args(params);
                // The index may have been in the slot of an argument's result, never of an
                // argument: it stood above them.
                let table = table_index as u16;
                self.emit(Code::CallIndirect { ty: type_index, table, index, base });
                self.finish_call(params, results);
            }
            Operator::MemorySize { .. } => {
                let d = self.push();
                self.emit(Code::MemorySize { d });
            }
            Operator::MemoryGrow { .. } => {
                let a = self.pop_slot();
                let d = self.push();
                self.emit(Code::MemoryGrow { d, a });
            }
            Operator::MemoryCopy { .. } => {
                let base = self.pop_settled(3);
                self.emit(Code::MemoryCopy { base });
            }
            Operator::MemoryFill { .. } => {
                let base = self.pop_settled(3);
                self.emit(Code::MemoryFill { base });
            }
            Operator::MemoryInit { data_index, .. } => {
                let base = self.pop_settled(3);
                self.emit(Code::MemoryInit { base, segment: data_index });
            }
            Operator::DataDrop { data_index } => self.emit(Code::DataDrop { segment: data_index }),
            Operator::TableGet { table } => {
                let a = self.pop_slot();
                let d = self.push();
                self.emit(Code::TableGet { d, a, table });
            }
            Operator::TableSet { table } => {
                let (a, v) = self.pop2();
                self.emit(Code::TableSet { a, v, table });
            }
            Operator::TableSize { table } => {
                let d = self.push();
                self.emit(Code::TableSize { d, table });
            }
            Operator::TableGrow { table } => {
                let base = self.pop_settled(2);
                let d = self.push();
                debug_assert_eq!(d, base);
                self.emit(Code::TableGrow { d, table });
            }
            Operator::TableFill { table } => {
                let base = self.pop_settled(3);
                self.emit(Code::TableFill { base, table });
            }
            Operator::TableCopy { dst_table, src_table } => {
                let base = self.pop_settled(3);
                let (to, from) = (dst_table as u16, src_table as u16);
                self.emit(Code::TableCopy { base, to, from });
            }
            Operator::TableInit { elem_index, table } => {
                let base = self.pop_settled(3);
                self.emit(Code::TableInit { base, table: table as u16, segment: elem_index });
            }
            Operator::ElemDrop { elem_index } => self.emit(Code::ElemDrop { segment: elem_index }),
            ref other => {
                return Err(self.unsupported(&pessimum_entry::opcode_name(other)));
            }
        }
        Ok(())
    }

    fn unsupported(&self, instruction: &str) -> LoadError {
        LoadError::Instruction {
            instruction: instruction.to_owned(),
            function: self.module.function_name(self.function),
        }
    }

    // --- operands -------------------------------------------------------------------------

    fn own_slot(&self, position: usize) -> Slot {
        // Too many slots are reported once the whole body is known.
        (self.locals + position) as Slot
    }

    fn note_height(&mut self) {
        self.max_slots = self.max_slots.max(self.locals + self.stack.len());
    }

    /// A new temporary on top; its slot.
    fn push(&mut self) -> Slot {
        self.stack.push(Operand::Settled);
        self.note_height();
        self.own_slot(self.stack.len() - 1)
    }

    fn push_const(&mut self, value: u64) {
        self.stack.push(Operand::Const(value));
        self.note_height();
        self.fresh = None;
    }

    fn pop(&mut self) -> Operand {
        self.fresh = None;
        self.stack.pop().unwrap_or(Operand::Const(0))
    }

    /// The slot that holds the operand at a position, made to hold it if it is a constant.
    fn slot_at(&mut self, position: usize) -> Slot {
        match self.stack[position] {
            Operand::Settled => self.own_slot(position),
            Operand::Local(slot) => slot,
            Operand::Const(value) => {
                let d = self.own_slot(position);
                self.emit(Code::Const { d, value });
                self.stack[position] = Operand::Settled;
                d
            }
        }
    }

    fn pop_slot(&mut self) -> Slot {
        let slot = self.slot_at(self.stack.len() - 1);
        self.pop();
        slot
    }

    fn pop2(&mut self) -> (Slot, Slot) {
        let height = self.stack.len();
        let a = self.slot_at(height - 2);
        let b = self.slot_at(height - 1);
        self.pop();
        self.pop();
        (a, b)
    }

    fn settle(&mut self, position: usize) {
        let d = self.own_slot(position);
        match self.stack[position] {
            Operand::Settled => return,
            Operand::Local(a) => self.emit(Code::Copy { d, a }),
            Operand::Const(value) => self.emit(Code::Const { d, value }),
        }
        self.stack[position] = Operand::Settled;
    }

    fn settle_all(&mut self) {
        for position in 0..self.stack.len() {
            self.settle(position);
        }
    }

    /// Pops operands that must lie in consecutive slots; the first slot.
    fn pop_settled(&mut self, count: usize) -> Slot {
        let position = self.stack.len() - count;
        for p in position..self.stack.len() {
            self.settle(p);
        }
        self.stack.truncate(position);
        self.fresh = None;
        self.own_slot(position)
    }

    fn set_local(&mut self, local: Slot) {
        let position = self.stack.len() - 1;
        let value = self.stack[position];
        let fresh = self.fresh;
        self.pop();
        let mut copied = false;
        for p in 0..self.stack.len() {
            if self.stack[p] == Operand::Local(local) {
                self.settle(p);
                copied = true;
            }
        }
        match (value, fresh) {
            (Operand::Settled, Some(at)) if !copied => {
                // The value was computed just now: compute it into the local instead.
                let own = self.own_slot(position);
                if let Some(d) = destination(&mut self.code[at])
                    && *d == own
                {
                    *d = local;
                    return;
                }
                self.emit(Code::Copy { d: local, a: own });
            }
            (Operand::Settled, _) => {
                let a = self.own_slot(position);
                self.emit(Code::Copy { d: local, a });
            }
            (Operand::Local(a), _) if a == local => {}
            (Operand::Local(a), _) => self.emit(Code::Copy { d: local, a }),
            (Operand::Const(value), _) => self.emit(Code::Const { d: local, value }),
        }
    }

    fn binary(&mut self, op: BinOp) {
        let height = self.stack.len();
        if let (Operand::Const(_), false, Some(swapped)) = (
            self.stack[height - 2],
            matches!(self.stack[height - 1], Operand::Const(_)),
            swapped(op),
        ) {
            // The constant goes to the right; the other operand moves into its position.
            let b = self.slot_at(height - 1);
            let Operand::Const(k) = self.stack[height - 2] else { return };
            if let Some(k) = immediate(swapped, k) {
                self.pop();
                self.pop();
                self.emit_binary_k(swapped, b, k);
                return;
            }
        }
        if let Operand::Const(k) = self.stack[height - 1]
            && let Some(k) = immediate(op, k)
        {
            let a = self.slot_at(height - 2);
            self.pop();
            self.pop();
            self.emit_binary_k(op, a, k);
            return;
        }
        let (a, b) = self.pop2();
        let d = self.push();
        let code = match op {
            BinOp::Add32 => Code::I32Add { d, a, b },
            _ => Code::Bin { op, d, a, b },
        };
        self.emit_result(code, op);
    }

    fn emit_binary_k(&mut self, op: BinOp, a: Slot, k: i32) {
        let d = self.push();
        let code = match op {
            BinOp::Add32 => Code::I32AddK { d, a, k },
            _ => Code::BinK { op, d, a, k },
        };
        self.emit_result(code, op);
    }

    fn emit_result(&mut self, code: Code, op: BinOp) {
        let site = if op.is_comparison() { self.site(SiteKind::Comparison) } else { 0 };
        self.emit_at(code, site);
        self.fresh = Some(self.code.len() - 1);
    }

    fn unary(&mut self, op: UnOp) {
        // eqz of a comparison is the opposite comparison.
        if op == UnOp::Eqz32
            && let Some(at) = self.fresh
        {
            match &mut self.code[at] {
                Code::Bin { op, .. } | Code::BinK { op, .. } => {
                    if let Some(inverted) = op.inverted() {
                        *op = inverted;
                        return;
                    }
                }
                _ => {}
            }
        }
        let a = self.pop_slot();
        let d = self.push();
        let compares = matches!(op, UnOp::Eqz32 | UnOp::Eqz64);
        let site = if compares { self.site(SiteKind::Comparison) } else { 0 };
        self.emit_at(Code::Un { op, d, a }, site);
        self.fresh = Some(self.code.len() - 1);
    }

    // --- control --------------------------------------------------------------------------

    fn top(&mut self) -> &mut Control {
        let last = self.control.len() - 1;
        &mut self.control[last]
    }

    fn die(&mut self) {
        self.block = None;
        self.fresh = None;
        self.top().dead = true;
    }

    fn enter(&mut self, op: &Operator<'_>, ty: wp::BlockType) -> Result<(), LoadError> {
        let (params, results) = match ty {
            wp::BlockType::Empty => (0, 0),
            wp::BlockType::Type(_) => (0, 1),
            wp::BlockType::FuncType(index) => {
                let ty = &self.module.types[index as usize];
                (ty.params.len(), ty.results.len())
            }
        };
        let kind = match op {
            Operator::Block { .. } => Kind::Block,
            Operator::Loop { .. } => Kind::Loop,
            _ => Kind::If,
        };
        let mut to_else = None;
        if kind == Kind::If {
            // Operands below the condition are settled; where that takes copies, the condition is
            // no longer fused with its comparison.
            let fresh = self.fresh;
            let length = self.code.len();
            for p in 0..self.stack.len() - 1 {
                self.settle(p);
            }
            self.fresh = fresh.filter(|_| self.code.len() == length);
            let site = self.site(SiteKind::If);
            to_else = Some(self.emit_condition(site, true));
            self.block = None;
            self.open_block();
        } else {
            self.settle_all();
        }
        self.fresh = None;
        let height = self.stack.len() - params;
        let start = self.code.len() as u32;
        self.control.push(Control {
            kind,
            height,
            params,
            results,
            start,
            waiting: Vec::new(),
            to_else,
            live: true,
            dead_depth: 0,
            dead: false,
        });
        if kind == Kind::Loop {
            self.loop_depth += 1;
            self.open_block();
            if let Some(block) = self.blocks.last_mut() {
                block.kind = BlockKind::LoopHead { depth: self.loop_depth };
            }
        }
        Ok(())
    }

    fn begin_else(&mut self) {
        if !self.top().dead {
            self.settle_all();
            let at = self.code.len();
            self.emit(Code::Jump { to: u32::MAX });
            self.top().waiting.push(Wait::Jump(at));
        }
        let (height, params) = (self.top().height, self.top().params);
        let here = self.code.len() as u32;
        if let Some(at) = self.top().to_else.take() {
            patch(&mut self.code[at], here);
        }
        let live = self.top().live;
        self.top().kind = Kind::Else;
        self.top().dead = !live;
        self.stack.truncate(height);
        for _ in 0..params {
            self.push();
        }
        self.block = None;
        self.fresh = None;
        self.open_block();
    }

    fn leave(&mut self) {
        let Some(control) = self.control.last() else { return };
        let (kind, height, results) = (control.kind, control.height, control.results);
        let dead = control.dead;
        if kind == Kind::Function {
            if !dead {
                self.emit_return();
            }
            let Some(control) = self.control.pop() else { return };
            // Branches to the function's own label return; their results are settled at the
            // bottom of the stack.
            if !control.waiting.is_empty() {
                let here = self.code.len() as u32;
                self.resolve(control.waiting, here);
                self.block = None;
                self.open_block();
                let from = self.own_slot(0);
                self.emit(Code::Return { from, count: results as u16 });
            }
            return;
        }
        if !dead {
            self.settle_all();
        }
        if kind == Kind::Loop {
            self.loop_depth -= 1;
        }
        let Some(control) = self.control.pop() else { return };
        let mut targeted = !control.waiting.is_empty();
        let here = self.code.len() as u32;
        if let Some(at) = control.to_else {
            patch(&mut self.code[at], here);
            targeted = true;
        }
        self.resolve(control.waiting, here);
        self.stack.truncate(height);
        for _ in 0..results {
            self.push();
        }
        self.fresh = None;
        if targeted {
            self.block = None;
            self.open_block();
        } else if dead {
            // Nothing reaches the code after the end: it stays dead in the enclosing block.
            self.die();
        }
    }

    fn resolve(&mut self, waiting: Vec<Wait>, here: u32) {
        for wait in waiting {
            match wait {
                Wait::Jump(at) => patch(&mut self.code[at], here),
                Wait::Table { table, arm } => self.jump_tables[table].targets[arm] = here,
            }
        }
    }

    fn label(&mut self, depth: u32) -> &mut Control {
        let index = self.control.len() - 1 - depth as usize;
        &mut self.control[index]
    }

    /// Number of values a branch to the label carries, and the height they go to.
    fn label_arity(&mut self, depth: u32) -> (usize, usize) {
        let label = self.label(depth);
        let arity = if label.kind == Kind::Loop { label.params } else { label.results };
        (arity, label.height)
    }

    /// Whether the branch's values already lie where the label wants them.
    fn results_in_place(&mut self, depth: u32) -> bool {
        let (arity, height) = self.label_arity(depth);
        arity == 0
            || (self.stack.len() - arity == height
                && self.stack[height..].iter().all(|o| *o == Operand::Settled))
    }

    fn move_results(&mut self, depth: u32) {
        let (arity, height) = self.label_arity(depth);
        let first = self.stack.len() - arity;
        // A value never moves up, so going from the bottom overwrites nothing that is needed.
        for i in 0..arity {
            let d = self.own_slot(height + i);
            match self.stack[first + i] {
                Operand::Settled => {
                    let a = self.own_slot(first + i);
                    if a != d {
                        self.emit(Code::Copy { d, a });
                    }
                }
                Operand::Local(a) => self.emit(Code::Copy { d, a }),
                Operand::Const(value) => self.emit(Code::Const { d, value }),
            }
        }
    }

    fn jump(&mut self, depth: u32) {
        let at = self.code.len();
        self.emit(Code::Jump { to: u32::MAX });
        self.await_label(depth, at);
    }

    fn await_label(&mut self, depth: u32, at: usize) {
        let label = self.label(depth);
        if label.kind == Kind::Loop {
            let start = label.start;
            patch(&mut self.code[at], start);
        } else {
            label.waiting.push(Wait::Jump(at));
        }
    }

    fn branch_if(&mut self, depth: u32) {
        let site = self.site(SiteKind::BrIf);
        // Is the carried value in place once the condition is gone?
        let condition = self.stack.len() - 1;
        let saved = self.stack[condition];
        let fresh = self.fresh;
        self.stack.truncate(condition);
        let in_place = self.results_in_place(depth);
        self.stack.push(saved);
        self.fresh = fresh;
        if in_place {
            let at = self.emit_condition(site, false);
            self.await_label(depth, at);
        } else {
            let over = self.emit_condition(site, true);
            self.move_results(depth);
            self.jump(depth);
            let here = self.code.len() as u32;
            patch(&mut self.code[over], here);
        }
        self.block = None;
        self.fresh = None;
        self.open_block();
    }

    /// Pops a condition and emits a jump on it (on its opposite if `inverted`), fused with the
    /// comparison that made it. The target is patched later.
    fn emit_condition(&mut self, site: u32, inverted: bool) -> usize {
        let position = self.stack.len() - 1;
        let to = u32::MAX;
        let fused = match self.fresh {
            Some(at) if at + 1 == self.code.len() && self.stack[position] == Operand::Settled => {
                match self.code[at] {
                    Code::Bin { op, a, b, .. } if op.is_comparison() => {
                        let op = if inverted { op.inverted() } else { Some(op) };
                        op.map(|op| Code::JumpCmp { op, a, b, to })
                    }
                    Code::BinK { op, a, k, .. } if op.is_comparison() => {
                        let op = if inverted { op.inverted() } else { Some(op) };
                        op.map(|op| Code::JumpCmpK { op, a, k, to })
                    }
                    Code::Un { op: UnOp::Eqz32, a, .. } if inverted => {
                        Some(Code::JumpIf { c: a, to })
                    }
                    Code::Un { op: UnOp::Eqz32, a, .. } => Some(Code::JumpUnless { c: a, to }),
                    Code::Un { op: UnOp::Eqz64, a, .. } => {
                        let op = if inverted { BinOp::Ne64 } else { BinOp::Eq64 };
                        Some(Code::JumpCmpK { op, a, k: 0, to })
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(jump) = fused {
            self.code.pop();
            self.meta.pop();
            self.pop();
            self.emit_at(jump, site);
        } else {
            let c = self.pop_slot();
            let jump = if inverted { Code::JumpUnless { c, to } } else { Code::JumpIf { c, to } };
            self.emit_at(jump, site);
        }
        let at = self.code.len() - 1;
        if inverted {
            self.meta[at].0 |= INVERTED;
        }
        at
    }

    fn branch_table(&mut self, targets: &wp::BrTable<'_>) -> Result<(), LoadError> {
        let mut depths = Vec::new();
        for depth in targets.targets() {
            depths.push(depth.map_err(|e| invalid(&e))?);
        }
        depths.push(targets.default());
        let mut arms: Vec<u32> = Vec::new();
        let arm_of_index: Vec<u32> = depths
            .iter()
            .map(|depth| {
                let known = arms.iter().position(|a| a == depth);
                known.unwrap_or_else(|| {
                    arms.push(*depth);
                    arms.len() - 1
                }) as u32
            })
            .collect();
        let site = self.site(SiteKind::BrTable { arms: arms.len() as u32 });
        let index = self.pop_slot();
        let table = self.jump_tables.len();
        self.jump_tables.push(JumpTable { arm_of_index, targets: vec![u32::MAX; arms.len()] });
        self.emit_at(Code::Switch { index, table: table as u32 }, site);
        for (arm, depth) in arms.into_iter().enumerate() {
            if self.results_in_place(depth) {
                let label = self.label(depth);
                if label.kind == Kind::Loop {
                    let start = label.start;
                    self.jump_tables[table].targets[arm] = start;
                } else {
                    label.waiting.push(Wait::Table { table, arm });
                }
            } else {
                // A landing place of its own that moves the values.
                self.jump_tables[table].targets[arm] = self.code.len() as u32;
                self.move_results(depth);
                self.jump(depth);
            }
        }
        self.die();
        Ok(())
    }

    fn emit_return(&mut self) {
        let count = self.control[0].results;
        let first = self.stack.len() - count;
        let from = match count {
            0 => 0,
            1 => self.slot_at(first),
            _ => {
                for p in first..self.stack.len() {
                    self.settle(p);
                }
                self.own_slot(first)
            }
        };
        self.emit(Code::Return { from, count: count as u16 });
    }

    fn settle_args(&mut self, params: usize) -> Slot {
        let position = self.stack.len() - params;
        for p in position..self.stack.len() {
            self.settle(p);
        }
        self.own_slot(position)
    }

    fn call(&mut self, func: u32) {
        let callee = &self.module.functions[func as usize];
        let (params, results) = (callee.params as usize, callee.results as usize);
        let host = callee.host.is_some();
        let base = self.settle_args(params);
        self.emit(if host { Code::CallHost { func, base } } else { Code::Call { func, base } });
        self.finish_call(params, results);
    }

    fn finish_call(&mut self, params: usize, results: usize) {
        let position = self.stack.len() - params;
        self.stack.truncate(position);
        for _ in 0..results {
            self.push();
        }
        self.fresh = None;
        // A host call may end the program: what follows is counted on its own.
        self.block = None;
        self.open_block();
    }

    // --- output ---------------------------------------------------------------------------

    fn emit(&mut self, code: Code) {
        self.emit_at(code, 0);
    }

    fn emit_at(&mut self, code: Code, site: u32) {
        self.fresh = None;
        self.code.push(code);
        self.meta.push((self.offset, site));
        self.loop_depths.push(self.loop_depth);
    }

    /// A new site for the present instruction; 1 + its number.
    fn site(&mut self, kind: SiteKind) -> u32 {
        self.sites.push(Site {
            function: self.function,
            offset: self.offset - self.body_start,
            file_offset: self.offset,
            kind,
        });
        self.sites.len() as u32
    }

    /// Starts a stretch of code that is executed as a whole.
    fn open_block(&mut self) {
        let block = self.blocks.len() as u32;
        let kind = if self.code.is_empty() { BlockKind::Entry } else { BlockKind::Plain };
        let (function, first) = (self.function, self.offset);
        self.blocks.push(Block { function, first, instructions: 0, kind });
        let entered = self.code.is_empty()
            && matches!(&self.module.price, Price::Entries(f) if f.contains(&self.function));
        self.block = Some(self.code.len());
        self.emit(Code::Block { instructions: 0, cost: u32::from(entered), block });
    }

    /// Adds the instruction to the open block's account.
    fn count(&mut self, op: &Operator<'_>, leader: bool) {
        if leader {
            self.line_counted = false;
        }
        let price = match &self.module.price {
            Price::Operators(model) => model.operator_price(op).unwrap_or(0),
            Price::Blocks => u32::from(leader),
            // A function of the host has no body to charge its entries to.
            Price::Entries(functions) => match op {
                Operator::Call { function_index: f }
                    if self.module.functions[*f as usize].host.is_some() =>
                {
                    u32::from(functions.contains(f))
                }
                _ => 0,
            },
            Price::Lines(offsets) if offsets.contains(&self.offset) && !self.line_counted => {
                self.line_counted = true;
                self.line_points.push((self.function, self.offset));
                1
            }
            _ => 0,
        };
        let Some(at) = self.block else { return };
        if let Code::Block { instructions, cost, block } = &mut self.code[at] {
            if *instructions == 0 {
                self.blocks[*block as usize].first = self.offset;
            }
            *instructions += 1;
            *cost = cost.saturating_add(price);
        }
    }
}

fn patch(code: &mut Code, target: u32) {
    match code {
        Code::Jump { to }
        | Code::JumpIf { to, .. }
        | Code::JumpUnless { to, .. }
        | Code::JumpCmp { to, .. }
        | Code::JumpCmpK { to, .. } => *to = target,
        _ => unreachable!("only jumps wait for a label"),
    }
}

fn destination(code: &mut Code) -> Option<&mut Slot> {
    match code {
        Code::I32Add { d, .. }
        | Code::I32AddK { d, .. }
        | Code::Bin { d, .. }
        | Code::BinK { d, .. }
        | Code::Un { d, .. }
        | Code::Load { d, .. }
        | Code::GlobalGet { d, .. } => Some(d),
        _ => None,
    }
}
