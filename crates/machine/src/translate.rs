//! Function bodies: from Wasm's operand stack to slots.
//!
//! The operand stack is followed at translation time. An operand is a constant, a local that has
//! not been copied, or a temporary in the slot of its own stack position. Operands are moved to
//! their own slots ("settled") where control flow meets, so every path into a label agrees on
//! where things are. A local that is about to be overwritten is settled wherever it still stands
//! on the stack.

mod control;
mod operands;
mod output;

use crate::code::{Code, JumpTable, Slot};
use crate::error::LoadError;
use crate::load::{invalid, val_type};
use crate::module::{Block, Module, Site, SiteKind, ValType};
use crate::numeric::UnOp;
use crate::opcodes::{binary, conversion, division, float, load, store, unary};
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
    kind: ControlKind,
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
enum ControlKind {
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
        kind: ControlKind::Function,
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
