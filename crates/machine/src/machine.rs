//! The state of a run, its trail, and how it is set going again after a stop.
//!
//! *Cost of a choice point*: [`Machine::mark`] copies the top frame. Frames below are copied when
//! control returns into them, and only once per mark; memory and globals log what they overwrite.
//! Without a mark nothing is logged, so a guided run that never forks uses memory for its live
//! state alone.

use crate::loops::{LoopTrail, Place};
use crate::memory::{Memory, MemoryMark};
use crate::module::{INVERTED, Module, SiteId};
use crate::stop::{End, Stop, Trap};
use crate::value::Value;
use pessimum_entry::host::{AllocationSize, Wasi};
use pessimum_entry::{CostModel, InputValues, Slot, TraceDigest};
use pessimum_term::{Arena, Domain, Op, TermId, Width};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Slots of all activations together: 2 GiB. A million activations may have 134 slots each.
const MAX_SLOTS: usize = 1 << 27;

/// An activation of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    pub(crate) return_pc: u32,
    pub(crate) base: u32,
    /// A word for the explorer (see [`Machine::cookie`]).
    pub(crate) cookie: u32,
    /// The mark since which the frame has been saved or is new.
    epoch: u32,
    /// Whether this activation is the outermost of an allocator.
    pub(crate) allocator: bool,
}

#[derive(Clone, Copy, Debug)]
struct SavedFrame {
    index: u32,
    frame: Frame,
    regs: u32,
}

/// What rarely changes.
#[derive(Clone, Copy, Debug)]
enum Rare {
    Table { table: u32, index: u32, old: u64 },
    TableLen { table: u32, len: u32 },
    DataDropped(u32),
    ElemDropped(u32),
}

/// Counts that belong to a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Cost in the module's cost model, within the measured region.
    pub cost: u64,
    /// Instructions within the measured region.
    pub instructions: u64,
    /// Instructions of the whole run, for the budget.
    pub all_instructions: u64,
    /// All ones inside the measured region, else zero.
    pub(crate) active: u64,
    /// The shadow stack pointer when the region began.
    pub(crate) region_sp: u64,
    pub(crate) in_allocator: bool,
}

/// How a pending instruction goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Nothing,
    Branch { taken: u32, other: u32 },
    Switch { index: TermId, table: u32 },
    Split { condition: TermId },
    Guard,
    Choose { term: TermId },
}

/// What is kept of the blocks that ran, if asked for.
#[derive(Clone, Debug, Default)]
struct Profile {
    counts: Vec<u64>,
    loops: Option<LoopTrail>,
}

/// A point of a run to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    saved: u32,
    frames: u32,
    pc: u32,
    globals: u32,
    rare: u32,
    inputs: u32,
    output: u32,
    stored_at: u32,
    memory: MemoryMark,
    counters: Counters,
    wasi: Wasi,
    pending: Pending,
    trace: Option<TraceDigest>,
}

impl Mark {
    pub(crate) fn memory(&self) -> MemoryMark {
        self.memory
    }
}

/// A symbolic input that was made.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its type and domain.
    pub slot: Slot,
    /// Its value: a variable, or bits when the run is concrete.
    pub value: Value,
}

/// What is handed out when the program asks for an input.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// New variables.
    Symbolic,
    /// These values, in order; zero when they run out.
    Concrete(InputValues),
    /// New variables; those of the structure that is passed are confined to one shape.
    Over(Arc<dyn Structures>, usize),
}

/// Structures that a program can be entered with: each a shape whose fields are open within a
/// condition. Whoever knows which structures are valid provides them.
pub trait Structures: fmt::Debug + Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The inputs of one, as [`TreeLayout::read`](pessimum_entry::TreeLayout::read) takes them; an
    /// input with only one value is part of the shape.
    fn slots(&self, index: usize) -> Vec<Slot>;

    /// What must hold of them; `terms` are the inputs of [`Structures::slots`].
    fn condition(&self, index: usize, arena: &mut Arena, terms: &[TermId]) -> Vec<TermId>;
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions of one path.
    pub instructions: u64,
    /// Activations at one moment.
    pub depth: u32,
    /// Whether terms that reach a branch are split on the selects and comparisons inside.
    pub split_branches: bool,
    /// Greatest number of values of an address that are read as one if-then-else.
    pub region: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { instructions: 1_000_000_000, depth: 1_000_000, split_branches: true, region: 256 }
    }
}

/// A module in execution.
#[derive(Clone, Debug)]
pub struct Machine {
    module: Arc<Module>,
    pub(crate) regs: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pc: u32,
    pub(crate) memory: Memory,
    pub(crate) globals: Vec<Value>,
    pub(crate) tables: Vec<Vec<u64>>,
    pub(crate) data_dropped: Vec<bool>,
    pub(crate) elem_dropped: Vec<bool>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) source: Inputs,
    pub(crate) wasi: Wasi,
    pub(crate) size: u64,
    pub(crate) missing_calls: Vec<String>,
    pub(crate) counters: Counters,
    pub(crate) limits: Limits,
    /// The number of frames below the entry.
    pub(crate) floor: u32,
    pub(crate) stack_floor: Option<(u32, u64, u64)>,
    output: Vec<u8>,
    keeps_output: bool,
    profile: Option<Profile>,
    pub(crate) trace: Option<TraceDigest>,
    epoch: u32,
    saved: Vec<SavedFrame>,
    saved_regs: Vec<Value>,
    global_log: Vec<(u32, Value)>,
    rare_log: Vec<Rare>,
    pending: Pending,
    /// Guards of the present instruction that have been passed.
    guards_passed: u8,
    guards_seen: u8,
    /// Addresses to read over, for the present instruction.
    pub(crate) region: Vec<u64>,
    /// Where stores went whose address was a term, in the order they were made.
    pub(crate) stored_at: Vec<crate::region::StoredAt>,
    /// Who is told of calls and of accesses outside of memory.
    pub(crate) watch: Option<Box<crate::watch::Watch>>,
    /// What is assumed before the first instruction, last first.
    assumptions: Vec<TermId>,
    assuming: bool,
    /// Terms looked at to put what became known into the values of an activation.
    rewritten: u64,
}

impl Machine {
    /// A machine with the module's initial memory, tables and globals still to be filled.
    pub(crate) fn blank(module: Arc<Module>, limits: Limits, wasi: Wasi, size: u64) -> Machine {
        Machine {
            regs: Vec::new(),
            frames: Vec::new(),
            pc: 0,
            memory: Memory::default(),
            globals: Vec::new(),
            tables: Vec::new(),
            data_dropped: vec![false; module.data.len()],
            elem_dropped: vec![false; module.elems.len()],
            inputs: Vec::new(),
            source: Inputs::Symbolic,
            wasi,
            size,
            missing_calls: Vec::new(),
            counters: Counters::default(),
            limits,
            floor: 0,
            stack_floor: None,
            output: Vec::new(),
            keeps_output: false,
            profile: None,
            trace: None,
            epoch: 0,
            saved: Vec::new(),
            saved_regs: Vec::new(),
            global_log: Vec::new(),
            rare_log: Vec::new(),
            pending: Pending::Nothing,
            guards_passed: 0,
            guards_seen: 0,
            region: Vec::new(),
            stored_at: Vec::new(),
            watch: None,
            assumptions: Vec::new(),
            assuming: false,
            rewritten: 0,
            module,
        }
    }

    /// The module that runs.
    pub fn module(&self) -> &Module {
        &self.module
    }

    pub(crate) fn module_handle(&self) -> Arc<Module> {
        Arc::clone(&self.module)
    }

    /// The counts of the path so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the measured region is active.
    #[inline]
    pub fn measuring(&self) -> bool {
        self.counters.active != 0
    }

    /// The inputs made on the path so far.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Calls of WASI that answered ENOSYS.
    pub fn missing_calls(&self) -> &[String] {
        &self.missing_calls
    }

    /// Values the entry returned, after [`End::Return`].
    pub fn results(&self, count: usize) -> &[Value] {
        &self.regs[..count.min(self.regs.len())]
    }

    /// Counts how often each block runs from now on.
    pub fn profile_blocks(&mut self) {
        self.profile.get_or_insert_default().counts = vec![0; self.module.blocks.len()];
    }

    /// How often each block of [`Module::blocks`] ran; empty without
    /// [`Machine::profile_blocks`].
    pub fn block_counts(&self) -> &[u64] {
        self.profile.as_ref().map_or(&[], |p| &p.counts)
    }

    /// Keeps account of [`Machine::places`] from now on; call it before the first instruction.
    /// The account follows one run forward: it is not undone with a mark.
    pub fn trace_loops(&mut self) {
        self.profile.get_or_insert_default().loops = Some(LoopTrail::default());
    }

    /// The activations and loops the run stands in, outermost first; empty without
    /// [`Machine::trace_loops`].
    pub fn places(&self) -> &[Place] {
        let Some(loops) = self.profile.as_ref().and_then(|p| p.loops.as_ref()) else { return &[] };
        let depth = self.module.loop_depths.get(self.pc as usize).copied().unwrap_or(0);
        loops.places(self.frames.len() as u32, depth)
    }

    /// Keeps a fingerprint of the branches taken from now on, on terms or on numbers alike; while a
    /// mark is set, indices of a `br_table` that go to the same label are the same.
    pub fn keep_trace(&mut self) {
        self.trace = Some(self.trace.unwrap_or_default());
    }

    /// The fingerprint of the branches taken since [`Machine::keep_trace`].
    pub fn trace(&self) -> TraceDigest {
        self.trace.unwrap_or_default()
    }

    /// Keeps what the program writes to its standard streams.
    pub fn keep_output_bytes(&mut self) {
        self.keeps_output = true;
    }

    /// What the program wrote; bytes that are terms show as `?`.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The explorer's word on the present activation; zero at its beginning, and put back with the
    /// activation when a mark is undone.
    #[inline]
    pub fn cookie(&self) -> u32 {
        self.frames.last().map_or(0, |f| f.cookie)
    }

    /// Leaves a word on the present activation.
    #[inline]
    pub fn set_cookie(&mut self, cookie: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.cookie = cookie;
        }
    }

    /// Number of activations.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// File offset of the instruction the machine stands at.
    pub fn position(&self) -> u32 {
        self.module.meta.get(self.pc as usize).map_or(0, |m| m.0 & !INVERTED)
    }

    /// The function the machine stands in.
    pub fn function(&self) -> Option<u32> {
        self.frames.last().map(|f| f.function)
    }

    // --- the trail --------------------------------------------------------------------------

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
            output: self.output.len() as u32,
            stored_at: self.stored_at.len() as u32,
            memory: self.memory.mark(),
            counters: self.counters,
            wasi: self.wasi,
            pending: self.pending,
            trace: self.trace,
        };
        self.epoch += 1;
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
        self.output.truncate(mark.output as usize);
        self.stored_at.truncate(mark.stored_at as usize);
        self.pc = mark.pc;
        self.counters = mark.counters;
        self.wasi = mark.wasi;
        self.pending = mark.pending;
        self.trace = mark.trace;
        self.guards_passed = 0;
        self.region.clear();
        self.epoch -= 1;
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
        if self.logging() {
            self.global_log.push((index, self.globals[index as usize]));
        }
        self.globals[index as usize] = value;
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

    pub(crate) fn set_table_entry(&mut self, table: u32, index: u32, value: u64) {
        let entry = &mut self.tables[table as usize][index as usize];
        let old = std::mem::replace(entry, value);
        if self.epoch > 0 {
            self.rare_log.push(Rare::Table { table, index, old });
        }
    }

    pub(crate) fn grow_table(&mut self, table: u32, by: u32, value: u64) -> Option<u32> {
        let max = self.module.tables[table as usize].max;
        let entries = &mut self.tables[table as usize];
        let old = entries.len() as u32;
        let new = old.checked_add(by).filter(|n| *n <= max && *n <= 10_000_000)?;
        entries.resize(new as usize, value);
        if self.epoch > 0 {
            self.rare_log.push(Rare::TableLen { table, len: old });
        }
        Some(old)
    }

    pub(crate) fn drop_data(&mut self, segment: u32) {
        if !std::mem::replace(&mut self.data_dropped[segment as usize], true) && self.epoch > 0 {
            self.rare_log.push(Rare::DataDropped(segment));
        }
    }

    pub(crate) fn drop_elem(&mut self, segment: u32) {
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
    pub(crate) fn next_assumption(&mut self) -> Option<Stop> {
        if std::mem::take(&mut self.assuming) {
            // The assumption was no guard of the instruction the machine stands at.
            self.guards_passed = 0;
        }
        let condition = self.assumptions.pop()?;
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

    // --- going on after a stop --------------------------------------------------------------

    /// Answers [`Stop::Branch`].
    pub fn take(&mut self, condition: bool) {
        if let Pending::Branch { taken, other } = self.pending {
            self.trace_outcome(u32::from(condition));
            self.pc = if condition { taken } else { other };
        } else {
            debug_assert!(false, "no branch is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// The condition under which a pending `br_table` takes an arm.
    pub fn arm_condition(&self, arena: &mut Arena, arm: u32) -> TermId {
        let Pending::Switch { index, table } = self.pending else {
            debug_assert!(false, "no switch is pending");
            return arena.bool(false);
        };
        let arms = &self.module.jump_tables[table as usize].arm_of_index;
        let default = (arms.len() - 1) as u64;
        let mut any = arena.bool(false);
        let mut i = 0;
        while i < arms.len() {
            if arms[i] != arm {
                i += 1;
                continue;
            }
            let first = i;
            while i < arms.len() && arms[i] == arm {
                i += 1;
            }
            let low = arena.constant(Width::W32, first as u64);
            let here = if i as u64 > default {
                // The default takes every index from here on.
                arena.binary(Op::Ule, low, index)
            } else if i - first == 1 {
                arena.binary(Op::Eq, index, low)
            } else {
                let high = arena.constant(Width::W32, i as u64 - 1);
                let above = arena.binary(Op::Ule, low, index);
                let below = arena.binary(Op::Ule, index, high);
                arena.binary(Op::And, above, below)
            };
            any = arena.binary(Op::Or, any, here);
        }
        any
    }

    /// Answers [`Stop::Switch`].
    pub fn take_arm(&mut self, arm: u32) {
        if let Pending::Switch { table, .. } = self.pending {
            let first = self.module.jump_tables[table as usize].first_index_of(arm);
            self.trace_outcome(first);
            self.pc = self.module.jump_tables[table as usize].targets[arm as usize];
        } else {
            debug_assert!(false, "no switch is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Split`]: the condition is known from now on, in every value of the present
    /// activation, and the instruction is tried again.
    pub fn split(&mut self, arena: &mut Arena, value: bool) {
        if let Pending::Split { condition } = self.pending {
            let known = arena.bool(value);
            let opposite = arena.not(condition);
            let unknown = arena.bool(!value);
            let mut memo = HashMap::from([(condition, known), (opposite, unknown)]);
            self.rewrite_frame(arena, &mut memo, true);
        } else {
            debug_assert!(false, "no split is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Guard`] and [`Stop::Assume`]: the instruction goes on.
    pub fn pass_guard(&mut self) {
        self.guards_passed += 1;
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Choose`]: the term is this value from now on, in the present activation.
    pub fn choose(&mut self, arena: &mut Arena, value: u64) {
        if let Pending::Choose { term } = self.pending {
            let constant = arena.constant(arena.width(term), value);
            let mut memo = HashMap::from([(term, constant)]);
            self.rewrite_frame(arena, &mut memo, false);
            // The instruction is tried again on a number, for which guards are not counted: what
            // was passed for the term must not pass for a later instruction.
            self.guards_passed = 0;
        } else {
            debug_assert!(false, "no choice is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Choose`] for a load or a store: the address is one of these, and the access
    /// becomes an if-then-else over them.
    pub fn read_over(&mut self, addresses: &[u64]) {
        self.region.clear();
        self.region.extend_from_slice(addresses);
        self.pending = Pending::Nothing;
    }

    fn rewrite_frame(
        &mut self,
        arena: &mut Arena,
        memo: &mut HashMap<TermId, TermId>,
        only_splits: bool,
    ) {
        let Some(frame) = self.frames.last() else { return };
        let slots = self.module.functions[frame.function as usize].slots as usize;
        let base = frame.base as usize;
        for reg in &mut self.regs[base..base + slots] {
            let Some(t) = reg.as_term() else { continue };
            // A slot may hold what a callee left there: a term that is gone since. Such slots are
            // dead, and so is whatever is written to them.
            if t.index() as usize >= arena.len() || (only_splits && !arena.info(t).has_ite) {
                continue;
            }
            let new = arena.substitute(t, memo);
            *reg = Value::of_term(arena, new);
        }
        self.rewritten += memo.len() as u64;
    }

    /// Terms looked at so far to put what became known into values; never undone. Where a table is
    /// read again and again this is most of the work.
    pub fn rewritten(&self) -> u64 {
        self.rewritten
    }

    /// The machine's answer to a symbolic branch; `taken` is where it goes when the condition
    /// holds.
    #[cold]
    pub(crate) fn stop_branch(
        &mut self,
        arena: &mut Arena,
        condition: TermId,
        taken: u32,
        other: u32,
    ) -> Result<u32, Stop> {
        if let Some(k) = arena.as_const(condition) {
            return Ok(if k != 0 { taken } else { other });
        }
        if self.limits.split_branches {
            self.split_first(arena, condition)?;
        }
        self.pending = Pending::Branch { taken, other };
        Err(Stop::Branch { site: self.site(), condition })
    }

    /// Stops to split if the term has a condition inside.
    pub(crate) fn split_first(&mut self, arena: &mut Arena, t: TermId) -> Result<(), Stop> {
        match crate::split::innermost(arena, t) {
            None => Ok(()),
            Some((condition, tag)) => {
                self.pending = Pending::Split { condition };
                let site = (tag != 0).then(|| SiteId(tag - 1));
                Err(Stop::Split { site, condition })
            }
        }
    }

    pub(crate) fn stop_switch(&mut self, arena: &mut Arena, index: TermId, table: u32) -> Stop {
        if let Err(split) = self.split_first(arena, index) {
            return split;
        }
        self.pending = Pending::Switch { index, table };
        let arms = self.module.jump_tables[table as usize].targets.len() as u32;
        Stop::Switch { site: self.site(), arms }
    }

    pub(crate) fn stop_choose(&mut self, term: TermId, purpose: crate::stop::Purpose) -> Stop {
        self.pending = Pending::Choose { term };
        Stop::Choose { term, purpose }
    }

    /// Notes what an instruction stopped for, when it did not do so itself.
    pub(crate) fn note_stop(&mut self, stop: Stop) {
        match stop {
            Stop::Guard { .. } | Stop::Assume { .. } => self.pending = Pending::Guard,
            Stop::Choose { term, .. } => self.pending = Pending::Choose { term },
            _ => {}
        }
    }

    /// Whether the guard that an instruction comes to has been passed already.
    pub(crate) fn take_guard(&mut self) -> bool {
        self.guards_seen += 1;
        self.guards_seen <= self.guards_passed
    }

    /// Stops if the condition can hold and has not been ruled out yet.
    pub(crate) fn guard(
        &mut self,
        arena: &Arena,
        condition: TermId,
        trap: Trap,
    ) -> Result<(), Stop> {
        match arena.as_const(condition) {
            Some(0) => Ok(()),
            Some(_) => Err(Stop::End(End::Trap(trap))),
            None if self.take_guard() => Ok(()),
            None => Err(Stop::Guard { condition, trap }),
        }
    }

    #[inline]
    pub(crate) fn begin_instruction(&mut self) {
        self.guards_seen = 0;
    }

    #[inline]
    pub(crate) fn end_instruction(&mut self) {
        self.guards_passed = 0;
        if !self.region.is_empty() {
            self.region.clear();
        }
    }

    fn site(&self) -> SiteId {
        let tag = self.module.meta[self.pc as usize].1;
        debug_assert!(tag != 0, "a branch without a site");
        SiteId(tag.wrapping_sub(1))
    }

    // --- counting ---------------------------------------------------------------------------

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

    pub(crate) fn keep_output(&mut self, arena: &mut Arena, _fd: u32, pieces: &[(u32, u32)]) {
        if !self.keeps_output {
            return;
        }
        for (at, len) in pieces {
            for i in 0..*len {
                let byte = self.memory.byte(arena, u64::from(*at) + u64::from(i));
                self.output.push(byte.as_concrete().map_or(b'?', |b| b as u8));
            }
        }
    }

    fn count_depth(&mut self) {
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
            return Err(Stop::End(End::Trap(Trap::CallDepth)));
        }
        let info = &self.module.functions[function as usize];
        let (params, locals, slots) =
            (info.params as usize, info.locals as usize, info.slots as usize);
        let allocates = info.allocates;
        self.pc = info.entry;
        if regs.len() < base + slots {
            if base + slots > MAX_SLOTS {
                return Err(Stop::End(End::Trap(Trap::CallDepth)));
            }
            let room = (base + slots).max(regs.len() * 2).min(MAX_SLOTS);
            regs.resize(room, Value::default());
        }
        for reg in &mut regs[base + params..base + locals] {
            *reg = Value::default();
        }
        self.frames.push(Frame {
            function,
            return_pc,
            base: base as u32,
            cookie: 0,
            epoch: self.epoch,
            allocator: false,
        });
        if allocates.is_some() || matches!(self.module.cost_model(), CostModel::Stack) {
            self.enter_counted(&regs[base..base + params.max(1).min(slots)], allocates)?;
        }
        Ok(())
    }

    #[cold]
    fn enter_counted(
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
    fn trace_outcome(&mut self, outcome: u32) {
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
    pub(crate) fn count_block(&mut self, block: u32) {
        if self.profile.is_some() {
            self.profile_block(block);
        }
    }

    #[cold]
    fn profile_block(&mut self, block: u32) {
        let Some(profile) = &mut self.profile else { return };
        if let Some(count) = profile.counts.get_mut(block as usize) {
            *count += 1;
        }
        if let Some(loops) = &mut profile.loops {
            let kind = self.module.blocks[block as usize].kind;
            let call = self.frames.last().map_or((0, 0), |f| (f.function, f.return_pc));
            let caller = call.1.wrapping_sub(1) as usize;
            let depth = self.module.loop_depths.get(caller).copied().unwrap_or(0);
            loops.pass(kind, block, self.frames.len() as u32, call, depth);
        }
    }

    // --- inputs -----------------------------------------------------------------------------

    /// Makes the next input.
    pub(crate) fn new_input(&mut self, arena: &mut Arena, slot: Slot) -> Result<Value, Stop> {
        let value = match &self.source {
            Inputs::Concrete(values) => {
                let next = values.iter().nth(self.inputs.len()).map_or(0, |v| v.1);
                if !slot.admits(next) {
                    return Err(Stop::End(End::Excluded));
                }
                Value::concrete(next)
            }
            Inputs::Symbolic | Inputs::Over(..) => {
                let width = Width::new(slot.ty.bits());
                let domain = match slot.domain.or(slot.ty.range()) {
                    Some((lo, hi)) => Domain { lo, hi },
                    None => Domain::full(width),
                };
                let t = arena.variable(width, domain);
                if domain.lo == domain.hi {
                    Value::concrete(domain.lo as u64 & width.mask())
                } else {
                    Value::of_term(arena, t)
                }
            }
        };
        self.inputs.push(Input { slot, value });
        Ok(value)
    }
}
