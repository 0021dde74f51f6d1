//! Blocks, branches and calls.

use super::{Control, ControlKind, Operand, Translator, Wait, patch};
use crate::code::{Code, JumpTable, Slot};
use crate::error::LoadError;
use crate::load::invalid;
use crate::module::{BlockKind, INVERTED, SiteKind};
use crate::numeric::{BinOp, UnOp};
use wasmparser::{self as wp, Operator};

impl Translator<'_> {
    pub(super) fn top(&mut self) -> &mut Control {
        let last = self.control.len() - 1;
        &mut self.control[last]
    }

    pub(super) fn die(&mut self) {
        self.block = None;
        self.fresh = None;
        self.top().dead = true;
    }

    pub(super) fn enter(&mut self, op: &Operator<'_>, ty: wp::BlockType) -> Result<(), LoadError> {
        let (params, results) = match ty {
            wp::BlockType::Empty => (0, 0),
            wp::BlockType::Type(_) => (0, 1),
            wp::BlockType::FuncType(index) => {
                let ty = &self.module.types[index as usize];
                (ty.params.len(), ty.results.len())
            }
        };
        let kind = match op {
            Operator::Block { .. } => ControlKind::Block,
            Operator::Loop { .. } => ControlKind::Loop,
            _ => ControlKind::If,
        };
        let mut to_else = None;
        if kind == ControlKind::If {
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
        if kind == ControlKind::Loop {
            self.loop_depth += 1;
            self.open_block();
            if let Some(block) = self.blocks.last_mut() {
                block.kind = BlockKind::LoopHead { depth: self.loop_depth };
            }
        }
        Ok(())
    }

    pub(super) fn begin_else(&mut self) {
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
        self.top().kind = ControlKind::Else;
        self.top().dead = !live;
        self.stack.truncate(height);
        for _ in 0..params {
            self.push();
        }
        self.block = None;
        self.fresh = None;
        self.open_block();
    }

    pub(super) fn leave(&mut self) {
        let Some(control) = self.control.last() else { return };
        let (kind, height, results) = (control.kind, control.height, control.results);
        let dead = control.dead;
        if kind == ControlKind::Function {
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
        if kind == ControlKind::Loop {
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

    pub(super) fn resolve(&mut self, waiting: Vec<Wait>, here: u32) {
        for wait in waiting {
            match wait {
                Wait::Jump(at) => patch(&mut self.code[at], here),
                Wait::Table { table, arm } => self.jump_tables[table].targets[arm] = here,
            }
        }
    }

    pub(super) fn label(&mut self, depth: u32) -> &mut Control {
        let index = self.control.len() - 1 - depth as usize;
        &mut self.control[index]
    }

    /// Number of values a branch to the label carries, and the height they go to.
    pub(super) fn label_arity(&mut self, depth: u32) -> (usize, usize) {
        let label = self.label(depth);
        let arity = if label.kind == ControlKind::Loop { label.params } else { label.results };
        (arity, label.height)
    }

    /// Whether the branch's values already lie where the label wants them.
    pub(super) fn results_in_place(&mut self, depth: u32) -> bool {
        let (arity, height) = self.label_arity(depth);
        arity == 0
            || (self.stack.len() - arity == height
                && self.stack[height..].iter().all(|o| *o == Operand::Settled))
    }

    pub(super) fn move_results(&mut self, depth: u32) {
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

    pub(super) fn jump(&mut self, depth: u32) {
        let at = self.code.len();
        self.emit(Code::Jump { to: u32::MAX });
        self.await_label(depth, at);
    }

    pub(super) fn await_label(&mut self, depth: u32, at: usize) {
        let label = self.label(depth);
        if label.kind == ControlKind::Loop {
            let start = label.start;
            patch(&mut self.code[at], start);
        } else {
            label.waiting.push(Wait::Jump(at));
        }
    }

    pub(super) fn branch_if(&mut self, depth: u32) {
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
    pub(super) fn emit_condition(&mut self, site: u32, inverted: bool) -> usize {
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

    pub(super) fn branch_table(&mut self, targets: &wp::BrTable<'_>) -> Result<(), LoadError> {
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
                if label.kind == ControlKind::Loop {
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

    pub(super) fn emit_return(&mut self) {
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

    pub(super) fn settle_args(&mut self, params: usize) -> Slot {
        let position = self.stack.len() - params;
        for p in position..self.stack.len() {
            self.settle(p);
        }
        self.own_slot(position)
    }

    pub(super) fn call(&mut self, func: u32) {
        let callee = &self.module.functions[func as usize];
        let (params, results) = (callee.params as usize, callee.results as usize);
        let host = callee.host.is_some();
        let base = self.settle_args(params);
        self.emit(if host { Code::CallHost { func, base } } else { Code::Call { func, base } });
        self.finish_call(params, results);
    }

    pub(super) fn finish_call(&mut self, params: usize, results: usize) {
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
}
