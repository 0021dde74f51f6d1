//! Steps of the loop that may stop: divisions, conversions, and whatever needs a number where a term is.

use crate::machine::Machine;
use crate::module::Module;
use crate::numeric::{ConvKind, ConvOp, DivOp};
use crate::stop::{End, Purpose, Stop, Trap};
use crate::symbolic;
use crate::value::Value;
use pessimum_entry::CostModel;
use pessimum_entry::host::AllocationSize;
use pessimum_term::{Arena, Op};

impl Machine {
    pub(super) fn divide(
        &mut self,
        arena: &mut Arena,
        op: DivOp,
        a: Value,
        b: Value,
    ) -> Result<Value, Stop> {
        let width = op.width();
        if a.term | b.term != 0 {
            let y = b.to_term(arena, width);
            let zero = arena.is_zero(y);
            self.guard(arena, zero, Trap::DivisionByZero)?;
            if op.is_signed_div() {
                let x = a.to_term(arena, width);
                let least = arena.constant(width, width.sign_bit());
                let minus_one = arena.constant(width, width.mask());
                let overflow_a = arena.binary(Op::Eq, x, least);
                let overflow_b = arena.binary(Op::Eq, y, minus_one);
                let overflow = arena.binary(Op::And, overflow_a, overflow_b);
                self.guard(arena, overflow, Trap::IntegerOverflow)?;
            }
            return Ok(symbolic::divide(arena, op, a, b, self.position()));
        }
        let quotient = op.apply(a.bits, b.bits);
        quotient.map(Value::concrete).map_err(|trap| Stop::End(End::Trap(trap)))
    }

    pub(super) fn convert(
        &mut self,
        arena: &mut Arena,
        op: ConvOp,
        a: Value,
    ) -> Result<Value, Stop> {
        if a.term != 0 {
            if matches!(op.kind, ConvKind::TruncS | ConvKind::TruncU) {
                let (nan, outside) = symbolic::conversion_traps(arena, op, a);
                self.guard(arena, nan, Trap::InvalidConversion)?;
                self.guard(arena, outside, Trap::IntegerOverflow)?;
            }
            return Ok(symbolic::convert(arena, op, a, self.position()));
        }
        op.apply(a.bits).map(Value::concrete).map_err(|trap| Stop::End(End::Trap(trap)))
    }

    pub(crate) fn concrete(
        &mut self,
        arena: &mut Arena,
        v: Value,
        purpose: Purpose,
    ) -> Result<u64, Stop> {
        match v.as_term() {
            None => Ok(v.bits),
            Some(t) => {
                self.split_first(arena, t)?;
                Err(self.stop_choose(t, purpose))
            }
        }
    }

    pub(super) fn three(
        &mut self,
        arena: &mut Arena,
        values: &[Value; 3],
    ) -> Result<[u64; 3], Stop> {
        let mut out = [0; 3];
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = self.concrete(arena, *value, Purpose::Length)?;
        }
        Ok(out)
    }

    pub(super) fn call_target(
        &mut self,
        module: &Module,
        arena: &mut Arena,
        index: Value,
        ty: u32,
        table: u16,
    ) -> Result<u32, Stop> {
        let index = self.concrete(arena, index, Purpose::CallTarget)?;
        self.table_function(module, index, ty, table).map_err(|trap| Stop::End(End::Trap(trap)))
    }

    /// The function at an index of a table, if it has that type.
    pub(super) fn table_function(
        &self,
        module: &Module,
        index: u64,
        ty: u32,
        table: u16,
    ) -> Result<u32, Trap> {
        let entry = self.tables[table as usize].get(index as usize);
        let entry = *entry.ok_or(Trap::TableOutOfBounds)?;
        let func = entry.checked_sub(1).ok_or(Trap::NullElement)? as u32;
        let info = module.functions.get(func as usize).ok_or(Trap::NullElement)?;
        if info.ty != ty && module.types[info.ty as usize] != module.types[ty as usize] {
            return Err(Trap::SignatureMismatch);
        }
        Ok(func)
    }

    /// Stops if the `heap` cost model needs the value of an allocator's argument.
    #[cold]
    pub(super) fn know_allocation(
        &mut self,
        module: &Module,
        func: u32,
        args: &[Value],
    ) -> Result<(), Stop> {
        if *module.cost_model() != CostModel::Heap {
            return Ok(());
        }
        let sized = match module.functions[func as usize].allocates {
            None => return Ok(()),
            Some(AllocationSize::Param(i)) => [i, i],
            Some(AllocationSize::Product(i, j)) => [i, j],
        };
        for i in sized {
            if let Some(t) = args.get(i as usize).and_then(|v| v.as_term()) {
                return Err(self.stop_choose(t, Purpose::Length));
            }
        }
        Ok(())
    }

    pub(crate) fn init_table(
        &mut self,
        table: u32,
        segment: u32,
        to: u64,
        from: u64,
        len: u64,
    ) -> Result<(), Stop> {
        let module = self.module_handle();
        let items = &module.elems[segment as usize].items;
        let available = if self.elem_dropped[segment as usize] { 0 } else { items.len() as u64 };
        if from + len > available || to + len > self.tables[table as usize].len() as u64 {
            return Err(Stop::End(End::Trap(Trap::TableOutOfBounds)));
        }
        for i in 0..len {
            let entry = self.constant_value(items[(from + i) as usize]);
            self.set_table_entry(table, (to + i) as u32, entry);
        }
        Ok(())
    }
}
