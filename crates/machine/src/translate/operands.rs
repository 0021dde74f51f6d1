//! The operand stack, as it is followed at translation time.

use super::{Operand, Translator, destination};
use crate::code::{Code, Slot};
use crate::module::SiteKind;
use crate::numeric::{BinOp, UnOp};
use crate::opcodes::{immediate, swapped};

impl Translator<'_> {
    pub(super) fn own_slot(&self, position: usize) -> Slot {
        // Too many slots are reported once the whole body is known.
        (self.locals + position) as Slot
    }

    pub(super) fn note_height(&mut self) {
        self.max_slots = self.max_slots.max(self.locals + self.stack.len());
    }

    /// A new temporary on top; its slot.
    pub(super) fn push(&mut self) -> Slot {
        self.stack.push(Operand::Settled);
        self.note_height();
        self.own_slot(self.stack.len() - 1)
    }

    pub(super) fn push_const(&mut self, value: u64) {
        self.stack.push(Operand::Const(value));
        self.note_height();
        self.fresh = None;
    }

    pub(super) fn pop(&mut self) -> Operand {
        self.fresh = None;
        self.stack.pop().unwrap_or(Operand::Const(0))
    }

    /// The slot that holds the operand at a position, made to hold it if it is a constant.
    pub(super) fn slot_at(&mut self, position: usize) -> Slot {
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

    pub(super) fn pop_slot(&mut self) -> Slot {
        let slot = self.slot_at(self.stack.len() - 1);
        self.pop();
        slot
    }

    pub(super) fn pop2(&mut self) -> (Slot, Slot) {
        let height = self.stack.len();
        let a = self.slot_at(height - 2);
        let b = self.slot_at(height - 1);
        self.pop();
        self.pop();
        (a, b)
    }

    pub(super) fn settle(&mut self, position: usize) {
        let d = self.own_slot(position);
        match self.stack[position] {
            Operand::Settled => return,
            Operand::Local(a) => self.emit(Code::Copy { d, a }),
            Operand::Const(value) => self.emit(Code::Const { d, value }),
        }
        self.stack[position] = Operand::Settled;
    }

    pub(super) fn settle_all(&mut self) {
        for position in 0..self.stack.len() {
            self.settle(position);
        }
    }

    /// Pops operands that must lie in consecutive slots; the first slot.
    pub(super) fn pop_settled(&mut self, count: usize) -> Slot {
        let position = self.stack.len() - count;
        for p in position..self.stack.len() {
            self.settle(p);
        }
        self.stack.truncate(position);
        self.fresh = None;
        self.own_slot(position)
    }

    pub(super) fn set_local(&mut self, local: Slot) {
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

    pub(super) fn binary(&mut self, op: BinOp) {
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

    pub(super) fn emit_binary_k(&mut self, op: BinOp, a: Slot, k: i32) {
        let d = self.push();
        let code = match op {
            BinOp::Add32 => Code::I32AddK { d, a, k },
            _ => Code::BinK { op, d, a, k },
        };
        self.emit_result(code, op);
    }

    pub(super) fn emit_result(&mut self, code: Code, op: BinOp) {
        let site = if op.is_comparison() { self.site(SiteKind::Comparison) } else { 0 };
        self.emit_at(code, site);
        self.fresh = Some(self.code.len() - 1);
    }

    pub(super) fn unary(&mut self, op: UnOp) {
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
}
