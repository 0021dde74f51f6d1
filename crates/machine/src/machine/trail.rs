//! Marks, and how the state goes back to one.
//!
//! *Cost of a choice point*: [`Machine::mark`] copies the top frame. Frames below are copied when
//! control returns into them, and only once per mark; memory and globals log what they overwrite.
//! Without a mark nothing is logged, so a guided run that never forks uses memory for its live
//! state alone.

use super::{Counters, Machine, Mark, Pending, Rare, SavedFrame};
use crate::stop::{End, Stop, Trap};
use crate::value::Value;
use pessimum_entry::CostModel;
use pessimum_entry::host::MAX_TABLE_ELEMENTS;
use pessimum_term::{Arena, TermId};

impl Machine {
    /// Remembers the present point. Marks are undone in the reverse of the order they were set,
    /// each once.
    pub fn mark(&mut self) -> Mark {
        let mark = Mark {
            saved: self.saved.len() as u32,
            frames: self.frames.len() as u32,
            pc: self.pc,
            globals: self.global_log.len() as u32,
            rare: self.rare_log.len() as u32,
            inputs: self.inputs.len() as u32,
            stored_at: self.stored_at.len() as u32,
            calls: self.calls_returned(),
            standing: self.stand(),
            memory: self.memory.mark(),
            counters: self.counters,
            wasi: self.wasi,
            pending: self.pending,
            trace: self.trace,
        };
        self.epoch += 1;
        self.spoil_calls();
        let regs = std::mem::take(&mut self.regs);
        self.save_top(&regs);
        self.regs = regs;
        mark
    }

    /// Goes back to the point of a mark and removes the mark.
    pub fn undo_to(&mut self, mark: &Mark) {
        while self.saved.len() > mark.saved as usize {
            let Some(saved) = self.saved.pop() else { break };
            let index = saved.index as usize;
            if index < self.frames.len() {
                self.frames[index] = saved.frame;
            } else {
                self.frames.push(saved.frame);
            }
            let base = saved.frame.base as usize;
            let kept = &self.saved_regs[saved.regs as usize..];
            self.regs[base..base + kept.len()].copy_from_slice(kept);
            self.saved_regs.truncate(saved.regs as usize);
        }
        self.frames.truncate(mark.frames as usize);
        while self.global_log.len() > mark.globals as usize {
            if let Some((index, old)) = self.global_log.pop() {
                self.globals[index as usize] = old;
            }
        }
        while self.rare_log.len() > mark.rare as usize {
            match self.rare_log.pop() {
                Some(Rare::Table { table, index, old }) => {
                    self.tables[table as usize][index as usize] = old;
                }
                Some(Rare::TableLen { table, len }) => {
                    self.tables[table as usize].truncate(len as usize);
                }
                Some(Rare::DataDropped(i)) => self.data_dropped[i as usize] = false,
                Some(Rare::ElemDropped(i)) => self.elem_dropped[i as usize] = false,
                None => {}
            }
        }
        self.memory.undo_to(mark.memory);
        self.inputs.truncate(mark.inputs as usize);
        self.stored_at.truncate(mark.stored_at as usize);
        self.forget_calls(mark.calls);
        self.fall_to(mark.standing);
        self.pc = mark.pc;
        self.counters = mark.counters;
        self.wasi = mark.wasi;
        self.pending = mark.pending;
        self.trace = mark.trace;
        self.guards_passed = 0;
        self.region.clear();
        self.epoch -= 1;
        self.look_afresh();
    }

    /// Whether a mark is set, so that overwritten values must be logged.
    #[inline]
    pub(crate) fn logging(&self) -> bool {
        self.epoch > 0
    }

    /// Copies the top frame to the trail unless that was done since the last mark.
    #[inline]
    pub(crate) fn save_top(&mut self, regs: &[Value]) {
        let Some(index) = self.frames.len().checked_sub(1) else { return };
        let frame = self.frames[index];
        if frame.epoch == self.epoch {
            return;
        }
        let slots = self.module.functions[frame.function as usize].slots as usize;
        let base = frame.base as usize;
        let start = self.saved_regs.len() as u32;
        self.saved_regs.extend_from_slice(&regs[base..base + slots]);
        self.saved.push(SavedFrame { index: index as u32, frame, regs: start });
        self.frames[index].epoch = self.epoch;
    }

    pub(crate) fn set_global(&mut self, index: u32, value: Value) -> Result<(), Stop> {
        self.put_global(index, value);
        match self.stack_floor {
            Some((global, low, high)) if global == index && value.term == 0 => {
                if value.bits < low || value.bits > high {
                    return Err(Stop::End(End::Trap(Trap::ShadowStack)));
                }
                if self.counters.active != 0 && *self.module.cost_model() == CostModel::StackBytes {
                    let drop = self.counters.region_sp.saturating_sub(value.bits);
                    self.counters.cost = self.counters.cost.max(drop);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes a global, as one that has been looked at.
    pub(crate) fn put_global(&mut self, index: u32, value: Value) {
        if let Some(recorder) = &mut self.recorder {
            recorder.global_write(index);
        }
        if self.logging() {
            self.global_log.push((index, self.globals[index as usize]));
        }
        self.globals[index as usize] = value;
    }

    pub(crate) fn set_table_entry(&mut self, table: u32, index: u32, value: u64) {
        self.spoil_all_calls();
        let entry = &mut self.tables[table as usize][index as usize];
        let old = std::mem::replace(entry, value);
        if self.epoch > 0 {
            self.rare_log.push(Rare::Table { table, index, old });
        }
    }

    pub(crate) fn grow_table(&mut self, table: u32, by: u32, value: u64) -> Option<u32> {
        self.spoil_all_calls();
        let max = self.module.tables[table as usize].max;
        let entries = &mut self.tables[table as usize];
        let old = entries.len() as u32;
        let new = old.checked_add(by).filter(|n| *n <= max && *n <= MAX_TABLE_ELEMENTS)?;
        entries.resize(new as usize, value);
        if self.epoch > 0 {
            self.rare_log.push(Rare::TableLen { table, len: old });
        }
        Some(old)
    }

    pub(crate) fn drop_data(&mut self, segment: u32) {
        self.spoil_all_calls();
        if !std::mem::replace(&mut self.data_dropped[segment as usize], true) && self.epoch > 0 {
            self.rare_log.push(Rare::DataDropped(segment));
        }
    }

    pub(crate) fn drop_elem(&mut self, segment: u32) {
        self.spoil_all_calls();
        if !std::mem::replace(&mut self.elem_dropped[segment as usize], true) && self.epoch > 0 {
            self.rare_log.push(Rare::ElemDropped(segment));
        }
    }

    /// Stops with [`Stop::Assume`] for each condition, in order, before the next instruction: what
    /// is known of inputs that were made from outside.
    pub fn assume_first(&mut self, conditions: impl IntoIterator<Item = TermId>) {
        self.assumptions = conditions.into_iter().collect();
        self.assumptions.reverse();
    }

    /// The next assumption to be made before anything runs.
    pub(crate) fn next_assumption(&mut self, arena: &Arena) -> Option<Stop> {
        if std::mem::take(&mut self.assuming) {
            // The assumption was no guard of the instruction the machine stands at.
            self.guards_passed = 0;
        }
        let condition = self.assumptions.pop()?;
        // An input that is none: nobody has to be asked.
        if arena.as_const(condition) == Some(0) {
            return Some(Stop::End(End::Excluded));
        }
        self.assuming = true;
        self.pending = Pending::Guard;
        Some(Stop::Assume { condition })
    }

    /// Forgets what was counted, as if nothing had run.
    pub(crate) fn reset_counters(&mut self) {
        self.counters = Counters::default();
    }

    /// The least value that a global had before one of its changes since `mark`.
    pub(crate) fn lowest_global(&self, mark: &Mark, global: Option<u32>) -> Option<u64> {
        let log = self.global_log[mark.globals as usize..].iter();
        log.filter(|g| Some(g.0) == global).map(|g| g.1.bits).min()
    }

    /// Whether a global other than `except`, a table or a segment changed since `mark`.
    pub(crate) fn wrote_global_or_table(&self, mark: &Mark, except: Option<u32>) -> bool {
        self.rare_log.len() > mark.rare as usize
            || self.global_log[mark.globals as usize..].iter().any(|g| Some(g.0) != except)
    }
}
