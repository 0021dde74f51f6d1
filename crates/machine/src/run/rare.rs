//! Instructions that are rare, or long in themselves: of memory as a whole, of tables, of segments.

use crate::code::{Code, Slot};
use crate::machine::Machine;
use crate::module::Module;
use crate::stop::{End, Purpose, Stop, Trap};
use crate::value::Value;
use pessimum_entry::Bulk;
use pessimum_term::Arena;

impl Machine {
    /// Runs one of them. The machine stands at it; `frame` begins with the slots of the activation.
    pub(super) fn rare(
        &mut self,
        module: &Module,
        arena: &mut Arena,
        code: Code,
        frame: &mut [Value],
    ) -> Result<(), Stop> {
        let three = |at: Slot| [0, 1, 2].map(|i| frame[at as usize + i]);
        match code {
            Code::MemorySize { d } => {
                frame[d as usize] = Value::concrete(u64::from(self.memory.pages()));
            }
            Code::MemoryGrow { d, a } => {
                let v = frame[a as usize];
                let pages = self.number(arena, v, Purpose::Length)?;
                self.spoil_calls();
                let old = self.memory.grow(pages as u32);
                if old.is_some() {
                    self.count_steps(Bulk::MemoryGrow, pages);
                }
                frame[d as usize] = Value::concrete(u64::from(old.unwrap_or(u32::MAX)));
            }
            Code::MemoryCopy { base: at } => {
                let [to, from, len] = self.numbers(arena, &three(at))?;
                if !self.memory.in_bounds(to, len) || !self.memory.in_bounds(from, len) {
                    return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
                }
                let log = self.logging();
                self.note_read(from, len);
                self.note_write(to, len);
                self.memory.copy_within(to, from, len, log);
                self.count_bytes(Bulk::MemoryCopy, len);
            }
            Code::MemoryFill { base: at } => {
                let [to, value, len] = three(at);
                let zero = Value::concrete(0);
                let [to, _, len] = self.numbers(arena, &[to, zero, len])?;
                if !self.memory.in_bounds(to, len) {
                    return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
                }
                let log = self.logging();
                self.note_write(to, len);
                self.memory.fill(arena, to, value, len, log);
                self.count_bytes(Bulk::MemoryFill, len);
            }
            Code::MemoryInit { base: at, segment } => {
                let [to, from, len] = self.numbers(arena, &three(at))?;
                let data = &module.data[segment as usize].bytes;
                let dropped = self.data_dropped[segment as usize];
                let available = if dropped { 0 } else { data.len() as u64 };
                if from + len > available || !self.memory.in_bounds(to, len) {
                    return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
                }
                let log = self.logging();
                self.note_write(to, len);
                self.memory.write_bytes(to, &data[from as usize..(from + len) as usize], log);
                self.count_bytes(Bulk::MemoryInit, len);
            }
            Code::DataDrop { segment } => self.drop_data(segment),
            Code::TableGet { d, a, table } => {
                let v = frame[a as usize];
                let index = self.number(arena, v, Purpose::CallTarget)?;
                let entry = self.tables[table as usize].get(index as usize).copied();
                let entry = entry.ok_or(Stop::End(End::Trap(Trap::TableOutOfBounds)))?;
                frame[d as usize] = Value::concrete(entry);
            }
            Code::TableSet { a, v, table } => {
                let (a, v) = (frame[a as usize], frame[v as usize]);
                let index = self.number(arena, a, Purpose::CallTarget)?;
                let value = self.number(arena, v, Purpose::CallTarget)?;
                if index >= self.tables[table as usize].len() as u64 {
                    return Err(Stop::End(End::Trap(Trap::TableOutOfBounds)));
                }
                self.set_table_entry(table, index as u32, value);
            }
            Code::TableSize { d, table } => {
                frame[d as usize] = Value::concrete(self.tables[table as usize].len() as u64);
            }
            Code::TableGrow { d, table } => {
                let zero = Value::concrete(0);
                let [value, by, _] =
                    self.numbers(arena, &[frame[d as usize], frame[d as usize + 1], zero])?;
                let old = self.grow_table(table, by as u32, value);
                if old.is_some() {
                    self.count_steps(Bulk::TableGrow, by);
                }
                frame[d as usize] = Value::concrete(u64::from(old.unwrap_or(u32::MAX)));
            }
            Code::TableFill { base: at, table } => {
                let [to, value, len] = self.numbers(arena, &three(at))?;
                if to + len > self.tables[table as usize].len() as u64 {
                    return Err(Stop::End(End::Trap(Trap::TableOutOfBounds)));
                }
                for i in to..to + len {
                    self.set_table_entry(table, i as u32, value);
                }
                self.count_steps(Bulk::TableFill, len);
            }
            Code::TableCopy { base: at, to: to_table, from: from_table } => {
                let [to, from, len] = self.numbers(arena, &three(at))?;
                let (target, source) = (u32::from(to_table), from_table as usize);
                if to + len > self.tables[target as usize].len() as u64
                    || from + len > self.tables[source].len() as u64
                {
                    return Err(Stop::End(End::Trap(Trap::TableOutOfBounds)));
                }
                let entries = self.tables[source][from as usize..(from + len) as usize].to_vec();
                for (i, entry) in entries.into_iter().enumerate() {
                    self.set_table_entry(target, (to + i as u64) as u32, entry);
                }
                self.count_steps(Bulk::TableCopy, len);
            }
            Code::TableInit { base: at, table, segment } => {
                let [to, from, len] = self.numbers(arena, &three(at))?;
                self.init_table(u32::from(table), segment, to, from, len)?;
                self.count_steps(Bulk::TableInit, len);
            }
            Code::ElemDrop { segment } => self.drop_elem(segment),
            _ => debug_assert!(false, "an instruction of the loop"),
        }
        Ok(())
    }

    /// The number that an operand is.
    fn number(&mut self, arena: &mut Arena, value: Value, purpose: Purpose) -> Result<u64, Stop> {
        self.begin_instruction();
        let number = self.concrete(arena, value, purpose)?;
        self.end_instruction();
        Ok(number)
    }

    /// The numbers that three operands are.
    fn numbers(&mut self, arena: &mut Arena, values: &[Value; 3]) -> Result<[u64; 3], Stop> {
        self.begin_instruction();
        let numbers = self.three(arena, values)?;
        self.end_instruction();
        Ok(numbers)
    }
}
