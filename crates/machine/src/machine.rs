//! The state of a run.

mod counting;
mod endless;
mod resume;
mod state;
mod trail;

pub use state::{LiveSlots, Written};

use crate::loops::{LoopTrail, NestLevel};
use crate::memory::{Memory, MemoryMark};
use crate::module::{INVERTED, Module};
use crate::own::{OwnCosts, OwnPlace};
use crate::settled::{Asked, Settled};
use crate::stacks::{StackCost, StackCosts};
use crate::stop::{End, Stop};
use crate::value::Value;
use pessimum_clock::Deadline;
use pessimum_entry::host::Wasi;
use pessimum_entry::{InputValues, Slot, TraceDigest};
use pessimum_term::{Arena, Domain, TermId, Width};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Slots of all activations together: 2 GiB. A million activations may have 134 slots each. In a browser, where all
/// memory together is twice that, an eighth of it.
pub(crate) const MAX_SLOTS: usize = if usize::BITS > 32 { 1 << 27 } else { 1 << 24 };

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
    /// Instructions of the whole run.
    pub all_instructions: u64,
    /// Those of them that were not executed, since the call they are in had been made before.
    pub skipped: u64,
    /// Decisions: branches on terms, open or not, and splits.
    pub decided: u64,
    /// All ones inside the measured region, else zero.
    pub(crate) active: u64,
    /// The shadow stack pointer when the region began.
    pub(crate) region_sp: u64,
    pub(crate) in_allocator: bool,
}

impl Counters {
    /// Adds the instructions of blocks that ran, and what they cost.
    #[inline]
    pub(crate) fn pass(&mut self, instructions: u64, cost: u64) {
        self.all_instructions += instructions;
        self.instructions += instructions & self.active;
        // The entry's own call is taken off before its body is charged.
        self.cost = self.cost.wrapping_add(cost & self.active);
    }

    /// Instructions that were executed: what a run has taken, and what its limit is for.
    pub fn executed(&self) -> u64 {
        self.all_instructions - self.skipped
    }
}

/// How a pending instruction goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Nothing,
    Branch {
        taken: u32,
        other: u32,
        asked: Asked,
        /// Whether it goes to `taken` where what is asked holds.
        straight: bool,
    },
    Switch {
        index: TermId,
        table: u32,
    },
    /// `word` is the place in memory that holds the term, if no register does.
    Split {
        condition: TermId,
        word: Option<u32>,
    },
    Guard,
    Choose {
        term: TermId,
        word: Option<u32>,
    },
}

/// What is kept of the blocks that ran, if asked for.
#[derive(Clone, Debug, Default)]
struct Profile {
    counts: Vec<u64>,
    loops: Option<LoopTrail>,
    stacks: Option<StackCosts>,
    own: Option<OwnCosts>,
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
    stored_at: u32,
    calls: u32,
    standing: u32,
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
    /// These values, in order; when they run out, zero or what is nearest to it in the domain.
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
#[derive(Clone, Debug)]
pub struct Limits {
    /// Instructions of one path.
    pub instructions: u64,
    /// Activations at one moment.
    pub depth: u32,
    /// Whether terms that reach a branch are split on the selects and comparisons inside.
    pub split_branches: bool,
    /// Greatest number of values of an address that are read as one if-then-else; with none every address is asked for.
    pub region: u64,
    /// When a run ends in any case. It is looked at every few million instructions.
    pub deadline: Deadline,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            instructions: 1_000_000_000,
            depth: 1_000_000,
            split_branches: true,
            region: 256,
            deadline: Deadline::NEVER,
        }
    }
}

/// A module that machines on several threads run. Each of them has it in a place of its own, on a cache line of its own: a handle is
/// taken at every decision, and threads that count handles at one place wait for each other.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Shared(Arc<Module>);

impl Deref for Shared {
    type Target = Arc<Module>;

    fn deref(&self) -> &Arc<Module> {
        &self.0
    }
}

/// What a machine has its module by. A copy of the machine has it in another place.
#[derive(Debug)]
pub(crate) struct Handle(Arc<Shared>);

impl Handle {
    fn new(module: Arc<Module>) -> Handle {
        Handle(Arc::new(Shared(module)))
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        Handle::new(Arc::clone(&self.0))
    }
}

impl Deref for Handle {
    type Target = Arc<Module>;

    fn deref(&self) -> &Arc<Module> {
        &self.0
    }
}

/// Registers of runs without terms: room that the next one uses again. What is in it belongs to no run that has ended, so a copy
/// of a machine has none.
#[derive(Debug, Default)]
pub(crate) struct Slots(pub(crate) Vec<u64>);

impl Clone for Slots {
    fn clone(&self) -> Slots {
        Slots::default()
    }
}

/// A module in execution.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) module: Handle,
    pub(crate) regs: Vec<Value>,
    pub(crate) slots: Slots,
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
    /// The words that started a WASI program.
    pub(crate) words: Arc<[String]>,
    pub(crate) size: u64,
    pub(crate) missing_calls: Vec<String>,
    pub(crate) counters: Counters,
    pub(crate) limits: Limits,
    pub(crate) cycles: endless::CycleDetector,
    /// The number of frames below the entry.
    pub(crate) floor: u32,
    pub(crate) stack_floor: Option<(u32, u64, u64)>,
    profile: Option<Profile>,
    pub(crate) trace: Option<TraceDigest>,
    epoch: u32,
    saved: Vec<SavedFrame>,
    saved_regs: Vec<Value>,
    global_log: Vec<(u32, Value)>,
    rare_log: Vec<Rare>,
    pending: Pending,
    /// The arena before the condition of the pending branch was built, if nothing else holds what was built since.
    alone: Option<pessimum_term::Mark>,
    /// Guards of the present instruction that have been passed.
    guards_passed: u8,
    guards_seen: u8,
    /// Addresses to read over, for the present instruction.
    pub(crate) region: Vec<u64>,
    /// Where stores went whose address was a term, in the order they were made.
    pub(crate) stored_at: Vec<crate::region::Stored>,
    /// What is read and written, if somebody asked.
    pub(crate) recorder: Option<Box<crate::footprint::Recorder>>,
    /// What calls did that were made on the path, if they are remembered.
    pub(crate) summaries: Option<Box<crate::summaries::Summaries>>,
    pub(crate) settled: Option<Box<Settled>>,
    /// Who is told of calls and of accesses outside of memory.
    pub(crate) watch: Option<Box<crate::watch::Watch>>,
    /// What is assumed before the first instruction, last first.
    assumptions: Vec<TermId>,
    assuming: bool,
    /// Terms looked at to put what became known into the values of an activation.
    rewritten: u64,
    /// Places looked at for addresses that are terms.
    pub(crate) looked_at: u64,
}

impl Machine {
    /// A machine with the module's initial memory, tables and globals still to be filled.
    pub(crate) fn blank(module: Arc<Module>, limits: Limits, wasi: Wasi, size: u64) -> Machine {
        Machine {
            regs: Vec::new(),
            slots: Slots::default(),
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
            words: Arc::default(),
            size,
            missing_calls: Vec::new(),
            counters: Counters::default(),
            cycles: endless::CycleDetector::new(&limits),
            limits,
            floor: 0,
            stack_floor: None,
            profile: None,
            trace: None,
            epoch: 0,
            saved: Vec::new(),
            saved_regs: Vec::new(),
            global_log: Vec::new(),
            rare_log: Vec::new(),
            pending: Pending::Nothing,
            alone: None,
            guards_passed: 0,
            guards_seen: 0,
            region: Vec::new(),
            stored_at: Vec::new(),
            recorder: None,
            summaries: None,
            settled: None,
            watch: None,
            assumptions: Vec::new(),
            assuming: false,
            rewritten: 0,
            looked_at: 0,
            module: Handle::new(module),
        }
    }

    /// The module that runs.
    pub fn module(&self) -> &Module {
        &self.module
    }

    pub(crate) fn module_handle(&self) -> Arc<Shared> {
        Arc::clone(&self.module.0)
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

    /// The values of the inputs made so far, if all are numbers: what a run took, whatever it was given. One that asks for more is
    /// given zeros.
    pub fn taken(&self) -> Option<InputValues> {
        self.inputs.iter().map(|input| Some((input.slot, input.value.as_concrete()?))).collect()
    }

    /// The limits of a run.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Calls of WASI that answered ENOSYS.
    pub fn missing_calls(&self) -> &[String] {
        &self.missing_calls
    }

    /// Values the entry returned, after [`End::Return`].
    pub fn results(&self, count: usize) -> &[Value] {
        &self.regs[..count.min(self.regs.len())]
    }

    /// Counts what each call stack costs from now on.
    pub fn profile_stacks(&mut self) {
        self.profile.get_or_insert_default().stacks = Some(StackCosts::default());
    }

    /// What each call stack has cost; empty without [`Machine::profile_stacks`].
    pub fn stack_costs(&self) -> Vec<StackCost> {
        let stacks = self.profile.as_ref().and_then(|profile| profile.stacks.as_ref());
        stacks.map_or(Vec::new(), |stacks| stacks.all(self.counters.cost))
    }

    /// Counts from now on what the functions cost that `is_own` holds of, with what is called from them.
    pub fn profile_own(&mut self, is_own: impl Fn(u32) -> bool) {
        let own = (0..self.module.function_count()).map(is_own).collect();
        self.profile.get_or_insert_default().own = Some(OwnCosts::new(own));
    }

    /// What each place of one's own has cost; empty without [`Machine::profile_own`].
    pub fn own_costs(&self) -> Vec<(OwnPlace, u64)> {
        let own = self.profile.as_ref().and_then(|profile| profile.own.as_ref());
        own.map_or(Vec::new(), |own| own.all(self.counters.cost))
    }

    /// Counts how often each block runs from now on.
    pub fn profile_blocks(&mut self) {
        self.profile.get_or_insert_default().counts = vec![0; self.module.blocks.len()];
    }

    /// Whether nothing is kept of the blocks that run, but for how often each does.
    pub(crate) fn counts_blocks_at_most(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| {
            profile.loops.is_none() && profile.stacks.is_none() && profile.own.is_none()
        })
    }

    /// Hands out the counts of blocks for the time of a run; none where they are not kept.
    pub(crate) fn take_block_counts(&mut self) -> Vec<u64> {
        self.profile.as_mut().map_or(Vec::new(), |profile| std::mem::take(&mut profile.counts))
    }

    /// Takes the counts of blocks back.
    pub(crate) fn put_block_counts(&mut self, counts: Vec<u64>) {
        if let Some(profile) = &mut self.profile {
            profile.counts = counts;
        }
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
    pub fn places(&self) -> &[NestLevel] {
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

    /// Makes the next input.
    pub(crate) fn new_input(&mut self, arena: &mut Arena, slot: Slot) -> Result<Value, Stop> {
        let value = match &self.source {
            Inputs::Concrete(values) => {
                let given = values.iter().nth(self.inputs.len());
                let next = given.map_or_else(|| slot.nearest_to_zero(), |v| v.1);
                if !slot.admits(next) {
                    return Err(Stop::End(End::Excluded));
                }
                Value::concrete(next)
            }
            Inputs::Symbolic | Inputs::Over(..) => {
                let t = input_variable(arena, slot);
                match slot.domain {
                    Some((low, high)) if low == high => Value::concrete(slot.nearest_to_zero()),
                    _ => Value::of_term(arena, t),
                }
            }
        };
        self.inputs.push(Input { slot, value });
        Ok(value)
    }
}

/// A new variable with the values of an input.
pub fn input_variable(arena: &mut Arena, slot: Slot) -> TermId {
    let width = Width::new(slot.ty.bits());
    match slot.domain.or(slot.ty.range()) {
        Some((low, high)) if slot.ty.is_float() => {
            let [low, high] = [low, high].map(|rank| slot.ty.bits_of_rank(rank).unwrap_or(0));
            arena.float_variable(width, low, high)
        }
        Some((lo, hi)) => arena.variable(width, Domain { lo, hi }),
        None => arena.variable(width, Domain::full(width)),
    }
}
