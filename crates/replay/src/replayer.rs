//! Runs a counted copy on an input.

use std::collections::BTreeMap;

use pessimum_clock::Deadline;
use pessimum_entry::host::{Allocator, INITIALIZE, Layout, Stream, Wasi};
use pessimum_entry::{
    Arg, Bulk, Call, Content, CostModel, InputError, Invocation, Sizes, Slot, TraceDigest, Tree,
    TreeLayout, TreeSource, Type, text,
};
use wasmi::{
    CompilationMode, Config, Engine, Func, Instance, Linker, Module, ResumableCall, Store,
    StoreLimitsBuilder, TrapCode, Val,
};

use crate::feed::{Feed, Input};
use crate::host::{self, Counters, Stop, World, long};
use crate::instrument::{Profiled, door};
use crate::{End, Instrumented, OperatorCost, ReplayError, RunOutcome};

/// What a run may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Fuel of the engine, about one unit per executed operator of the copy; unlimited if none.
    pub fuel: Option<u64>,
    /// How many activations may be on the call stack.
    pub call_depth: usize,
    /// How large each memory may become, in bytes.
    pub memory: u64,
    /// The seed of `random_get`.
    pub seed: u64,
}

impl Default for Limits {
    /// The symbolic machine's own limits: a call depth of 1,000,000, a memory of 4 GiB, no fuel.
    fn default() -> Self {
        Self { fuel: None, call_depth: 1_000_000, memory: 1 << 32, seed: 0 }
    }
}

/// The values of all frames together may take this many bytes. It only bounds a stack that grows
/// on demand: 16 KiB for each of a million activations, or an eighth of the addresses there are.
const MAX_STACK_BYTES: usize = {
    let (most, addresses) = (16 << 30_u64, (usize::MAX as u64) / 8);
    (if most < addresses { most } else { addresses }) as usize
};

/// How many elements a table may grow to, as in the symbolic machine.
const MAX_TABLE_ELEMENTS: usize = pessimum_entry::host::MAX_TABLE_ELEMENTS as usize;

/// Fuel between two looks at the clock: some thousandths of a second, or some hundredths where most of
/// it are calls of the host.
const PIECE: u64 = 1 << 18;

/// Runs a counted copy on inputs. Each run is a fresh instance.
pub struct Replayer {
    instrumented: Instrumented,
    module: Module,
    linker: Linker<World>,
    limits: Limits,
    piece: u64,
}

impl Replayer {
    /// Prepares a copy to be run.
    pub fn new(instrumented: &Instrumented, limits: Limits) -> Result<Self, ReplayError> {
        let mut config = Config::default();
        config
            .set_max_stack_height(MAX_STACK_BYTES)
            .set_max_recursion_depth(limits.call_depth)
            .set_max_cached_stacks(1)
            // Translating a function when it is first called takes fuel, and where that is used up the call
            // cannot be resumed.
            .compilation_mode(CompilationMode::Eager)
            .consume_fuel(true);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, instrumented.bytes())
            .map_err(|error| ReplayError::Module(error.to_string()))?;
        let mut linker = Linker::new(&engine);
        host::link(&mut linker, &module, matches!(instrumented.model(), CostModel::Stack))?;
        let instrumented = instrumented.clone();
        Ok(Self { instrumented, module, linker, limits, piece: PIECE })
    }

    /// The same, stopped and resumed after every so much fuel: the shortest pieces show whether the
    /// engine loses anything in between.
    #[must_use]
    pub fn in_pieces_of(self, fuel: u64) -> Self {
        Self { piece: fuel.max(1), ..self }
    }

    /// Runs the program on an input.
    ///
    /// An error is about what lies before the entry's call, or about an input that does not fit;
    /// whatever the entry itself does is a [`RunOutcome`].
    pub fn run(
        &self,
        invocation: &Invocation,
        sizes: &Sizes,
        input: Input<'_>,
    ) -> Result<RunOutcome, ReplayError> {
        self.run_until(invocation, sizes, input, &Deadline::NEVER)
    }

    /// The same, ended soon after the deadline. A run of some thousandths of a second is made in any
    /// case.
    pub fn run_until(
        &self,
        invocation: &Invocation,
        sizes: &Sizes,
        input: Input<'_>,
        until: &Deadline,
    ) -> Result<RunOutcome, ReplayError> {
        let mut run = self.start(invocation, sizes, input, until)?;
        let (entry, args) = self.prepare(&mut run, invocation)?;
        let results = entry.ty(&run.store).results().to_vec();
        let mut results: Vec<Val> = results.into_iter().map(Val::default_for_ty).collect();
        let measures_itself = self.instrumented.summary().measures_itself(invocation.export());
        if !measures_itself {
            run.counters.begin(&mut run.store, false).map_err(set_up("the measured region"))?;
        }
        run.counters
            .trace
            .set(&mut run.store, Val::I64(0))
            .map_err(|error| set_up("the trace")(error.into()))?;
        let end = match run.call(entry, &args, &mut results) {
            Ok(()) => End::Normal,
            Err(Stopped::OutOfTime) => End::OutOfTime,
            Err(Stopped::By(error)) => end_of(&error)?,
        };
        if end != End::Normal {
            results.clear();
        }
        let cost = self.cost(&run, invocation, measures_itself);
        let trace = matches!(self.instrumented.model(), CostModel::Decisions)
            .then(|| TraceDigest::from_value(long(run.counters.trace, &run.store) as u64));
        let profile = self.profile(&run);
        let (inputs, output, warnings) = run.store.into_data().into_parts();
        let results =
            results.iter().map(|value| (host::wasm_type(value.ty()), host::bits(value))).collect();
        Ok(RunOutcome { cost, trace, profile, results, end, output, inputs, warnings })
    }

    /// Makes an instance, which runs its start function, and calls `_initialize`.
    fn start(
        &self,
        invocation: &Invocation,
        sizes: &Sizes,
        input: Input<'_>,
        until: &Deadline,
    ) -> Result<Run, ReplayError> {
        let mut feed = Feed::new(input);
        let (stream, slots) = match invocation {
            Invocation::Stdin { len, .. } => (Stream::Stdin(*len), invocation.slots()),
            Invocation::Argv { len, .. } => (Stream::Argv(*len), invocation.slots()),
            _ => (Stream::None, Vec::new()),
        };
        let bytes = slots.into_iter().map(|slot| feed.next(slot).map(|bits| bits as u8));
        let world = World {
            stream: bytes.collect::<Result<_, _>>()?,
            feed,
            n: sizes.n(),
            wasi: Wasi::new(stream, self.limits.seed),
            words: invocation.words(),
            output: Vec::new(),
            active: false,
            measured_output: 0,
            step_price: self.instrumented.model().step_price(Bulk::Host),
            warnings: Default::default(),
            limits: StoreLimitsBuilder::new()
                .memory_size(usize::try_from(self.limits.memory).unwrap_or(usize::MAX))
                .table_elements(MAX_TABLE_ELEMENTS)
                .build(),
        };
        let mut store = Store::new(self.linker.engine(), world);
        store.limiter(|world| &mut world.limits);
        let instance = self
            .linker
            .instantiate_and_start(&mut store, &self.module)
            .map_err(set_up("the instance"))?;
        let counters = Counters::find(|name| instance.get_global(&store, name))
            .ok_or_else(|| ReplayError::Module("the copy has lost its counters".to_owned()))?;
        let first = self.limits.fuel.map_or(self.piece, |all| all.min(self.piece));
        store.set_fuel(first).map_err(set_up("the fuel"))?;
        let left = self.limits.fuel.map(|all| all - first);
        let fuel = Fuel { left, piece: self.piece, until: until.clone() };
        let mut run = Run { store, instance, counters, fuel };
        if let Some(start) = instance.get_func(&run.store, door::START) {
            run.call_first(start, &[], &mut [], "the start function")?;
        }
        if let Some(initialize) = instance.get_func(&run.store, INITIALIZE) {
            let ty = initialize.ty(&run.store);
            if ty.params().is_empty()
                && ty.results().is_empty()
                && invocation.export() != INITIALIZE
            {
                run.call_first(initialize, &[], &mut [], "`_initialize`")?;
            }
        }
        Ok(run)
    }

    /// The function to be called, and its arguments, their memory filled.
    fn prepare(
        &self,
        run: &mut Run,
        invocation: &Invocation,
    ) -> Result<(Func, Vec<Val>), ReplayError> {
        let name = invocation.export();
        let entry = run.instance.get_func(&run.store, name).ok_or_else(|| {
            let exports =
                self.instrumented.summary().exports.iter().map(|export| export.name.clone());
            ReplayError::NoExport { name: name.to_owned(), exports: exports.collect() }
        })?;
        let params: Vec<_> =
            entry.ty(&run.store).params().iter().map(|&ty| host::wasm_type(ty)).collect();
        let no_arguments = Call { function: name.to_owned(), args: Vec::new() };
        let call = if let Invocation::Call(call) = invocation { call } else { &no_arguments };
        call.check(&params)?;
        // The inputs of a structure come first: its shape says how much memory it takes.
        let tree = match call.tree() {
            Some(layout) => Some(layout.read(run)?),
            None => None,
        };
        let blocks = |arg: &Arg| match (arg, &tree) {
            (Arg::Tree(layout), Some(tree)) => tree.blocks(layout),
            _ => arg.allocation().into_iter().collect(),
        };
        let blocks: Vec<Vec<u64>> = call.args.iter().map(blocks).collect();
        let mut addresses =
            run.allocate(self.instrumented.summary().allocator, &blocks.concat())?.into_iter();
        let mut args = Vec::with_capacity(params.len());
        // How many inputs the arguments before have taken, but for those of a structure.
        let mut taken = 0;
        for ((arg, blocks), &ty) in call.args.iter().zip(&blocks).zip(&params) {
            let at: Vec<u32> = addresses.by_ref().take(blocks.len()).collect();
            args.push(match (arg, at.first().copied()) {
                (Arg::Const(value), _) => {
                    host::value(ty, ty.bits_of_integer(*value).unwrap_or_default())
                }
                (Arg::Scalar(slot), _) => host::value(ty, slot.ty.widen(run.next_input(*slot)?)),
                (Arg::Tree(layout), pointer) => {
                    if let Some(tree) = &tree {
                        run.place(layout, tree, &at)?;
                    }
                    Val::I32(pointer.unwrap_or(0) as i32)
                }
                (Arg::Array { slot, len }, Some(address)) => {
                    let mut bytes = Vec::new();
                    for _ in 0..*len {
                        let bits = run.next_input(*slot)?;
                        bytes.extend_from_slice(&bits.to_le_bytes()[..slot.ty.bytes() as usize]);
                    }
                    run.fill(address, &bytes)?;
                    Val::I32(address as i32)
                }
                (Arg::Records { record, len }, Some(address)) => {
                    let bytes = record.image(*len, |slot| run.next_input(slot))?;
                    run.fill(address, &bytes)?;
                    Val::I32(address as i32)
                }
                (Arg::Text { len }, Some(address)) => {
                    let mut bytes = Vec::new();
                    for _ in 0..*len {
                        bytes.push(run.next_input(Slot::any(Type::U8))? as u8);
                    }
                    text::check(&bytes)
                        .map_err(|wrong| InputError::NotUtf8 { position: taken + wrong + 1 })?;
                    run.fill(address, &bytes)?;
                    Val::I32(address as i32)
                }
                (Arg::CString { slot, len }, Some(address)) => {
                    let mut bytes = Vec::new();
                    for _ in 0..*len {
                        bytes.push(run.next_input(*slot)? as u8);
                    }
                    bytes.push(0);
                    run.fill(address, &bytes)?;
                    Val::I32(address as i32)
                }
                (Arg::Bytes(bytes), Some(address)) => {
                    run.fill(address, bytes)?;
                    Val::I32(address as i32)
                }
                (Arg::Structure { ty, .. } | Arg::Named { ty, .. }, _) => {
                    return Err(ReplayError::Structure { ty: ty.clone() });
                }
                (
                    Arg::Array { .. }
                    | Arg::Records { .. }
                    | Arg::CString { .. }
                    | Arg::Text { .. }
                    | Arg::Bytes(_),
                    None,
                ) => {
                    return Err(ReplayError::NoMemory);
                }
            });
            taken += arg.inputs();
        }
        Ok((entry, args))
    }

    fn profile(&self, run: &Run) -> Vec<OperatorCost> {
        let mut costs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        let mut add = |function: u32, offset: u32, cost: u64| {
            if cost > 0 {
                let sum = costs.entry((function, offset)).or_default();
                *sum = sum.saturating_add(cost);
            }
        };
        for (number, (function, part)) in self.instrumented.profiled_parts().iter().enumerate() {
            let counter = run.instance.get_global(&run.store, &door::profile(number as u32));
            let count = counter.map_or(0, |counter| long(counter, &run.store) as u64);
            match part {
                Profiled::Stretch(stretch) => stretch.prices.iter().for_each(|&(offset, price)| {
                    add(*function, offset, count.saturating_mul(price));
                }),
                Profiled::Steps(offset) => add(*function, *offset, count),
            }
        }
        let cost = |((function, offset), cost)| OperatorCost { function, offset, cost };
        costs.into_iter().map(cost).collect()
    }

    fn cost(&self, run: &Run, invocation: &Invocation, measures_itself: bool) -> Option<u64> {
        let counted = long(run.counters.cost, &run.store) as u64;
        match self.instrumented.model() {
            CostModel::Decisions => None,
            CostModel::Output => Some(run.store.data().measured_output),
            CostModel::Calls(_) if !measures_itself => {
                let entry = self.instrumented.summary().export(invocation.export());
                let by_host =
                    entry.is_some_and(|export| self.instrumented.counts_entry(export.index));
                Some(counted.saturating_sub(u64::from(by_host)))
            }
            _ => Some(counted),
        }
    }
}

/// One instance on its way.
struct Run {
    store: Store<World>,
    instance: Instance,
    counters: Counters,
    fuel: Fuel,
}

/// What keeps a run going.
struct Fuel {
    /// What is left of all, if that is limited.
    left: Option<u64>,
    /// What is handed out at a time.
    piece: u64,
    until: Deadline,
}

impl Fuel {
    /// The next piece, which is enough to go on.
    fn next(&mut self, required: u64) -> Result<u64, Stopped> {
        if self.until.is_over() {
            return Err(Stopped::OutOfTime);
        }
        let piece = self.piece.max(required);
        match &mut self.left {
            Some(left) if *left < required => Err(Stopped::By(TrapCode::OutOfFuel.into())),
            Some(left) => {
                let piece = piece.min(*left);
                *left -= piece;
                Ok(piece)
            }
            None => Ok(piece),
        }
    }
}

/// Why a call did not return.
enum Stopped {
    OutOfTime,
    By(wasmi::Error),
}

impl From<wasmi::Error> for Stopped {
    fn from(error: wasmi::Error) -> Stopped {
        Stopped::By(error)
    }
}

impl Run {
    /// Calls a function, with a look at the clock between pieces of fuel.
    fn call(&mut self, function: Func, args: &[Val], results: &mut [Val]) -> Result<(), Stopped> {
        let mut state = function.call_resumable(&mut self.store, args, results)?;
        loop {
            state = match state {
                ResumableCall::Finished => return Ok(()),
                ResumableCall::HostTrap(trap) => return Err(trap.into_host_error().into()),
                ResumableCall::OutOfFuel(call) => {
                    let had = self.store.get_fuel()?;
                    let piece = self.fuel.next(call.required_fuel().saturating_sub(had))?;
                    self.store.set_fuel(had.saturating_add(piece))?;
                    call.resume(&mut self.store, results)?
                }
            };
        }
    }

    /// Calls what comes before the entry.
    fn call_first(
        &mut self,
        function: Func,
        args: &[Val],
        results: &mut [Val],
        stage: &'static str,
    ) -> Result<(), ReplayError> {
        self.call(function, args, results).map_err(|stopped| match stopped {
            Stopped::OutOfTime => ReplayError::OutOfTime { stage },
            Stopped::By(error) => set_up(stage)(error),
        })
    }

    fn next_input(&mut self, slot: Slot) -> Result<u64, ReplayError> {
        Ok(self.store.data_mut().feed.next(slot)?)
    }

    /// Memory for blocks of these sizes, in order, from the program's own allocator if it has one.
    fn allocate(
        &mut self,
        allocator: Option<Allocator>,
        sizes: &[u64],
    ) -> Result<Vec<u32>, ReplayError> {
        if sizes.is_empty() {
            return Ok(Vec::new());
        }
        let memory =
            self.instance.get_memory(&self.store, door::MEMORY).ok_or(ReplayError::NoMemory)?;
        if let (Some(allocator), Some(function)) =
            (allocator, self.instance.get_func(&self.store, door::ALLOCATOR))
        {
            let mut addresses = Vec::with_capacity(sizes.len());
            for &bytes in sizes {
                let asked = allocator.arguments(bytes).ok_or(ReplayError::Malloc { bytes })?;
                let asked: Vec<Val> = asked.into_iter().map(|a| Val::I32(a as i32)).collect();
                let mut at = [Val::I32(0)];
                self.call_first(function, &asked, &mut at, "`malloc`")?;
                match host::bits(&at[0]) {
                    0 => return Err(ReplayError::Malloc { bytes }),
                    at => addresses.push(at as u32),
                }
            }
            return Ok(addresses);
        }
        let layout = Layout::fresh(memory.size(&self.store), sizes)?;
        memory
            .grow(&mut self.store, u64::from(layout.grow_by))
            .map_err(|_| pessimum_entry::host::LayoutError { bytes: sizes.iter().sum() })?;
        Ok(layout.addresses)
    }

    /// Writes a structure into the blocks that were allocated for it.
    fn place(
        &mut self,
        layout: &TreeLayout,
        tree: &Tree<u64>,
        addresses: &[u32],
    ) -> Result<(), ReplayError> {
        let sizes = tree.blocks(layout);
        let mut blocks: Vec<Vec<u8>> = sizes.iter().map(|bytes| vec![0; *bytes as usize]).collect();
        for (block, offset, part) in tree.parts(layout) {
            let (bytes, bits) = match part {
                Content::Field(ty, bits) => (ty.bytes() as usize, *bits),
                Content::Pointer(to) => (4, u64::from(addresses[to])),
            };
            let offset = offset as usize;
            if let Some(place) = blocks[block].get_mut(offset..offset + bytes) {
                place.copy_from_slice(&bits.to_le_bytes()[..bytes]);
            }
        }
        addresses.iter().zip(&blocks).try_for_each(|(at, bytes)| self.fill(*at, bytes))
    }

    fn fill(&mut self, address: u32, bytes: &[u8]) -> Result<(), ReplayError> {
        let memory =
            self.instance.get_memory(&self.store, door::MEMORY).ok_or(ReplayError::NoMemory)?;
        memory
            .write(&mut self.store, address as usize, bytes)
            .map_err(|error| set_up("an argument")(error.into()))
    }
}

impl TreeSource for Run {
    type Value = u64;
    type Error = ReplayError;

    fn shape(&mut self, slot: Slot) -> Result<u64, ReplayError> {
        self.next_input(slot)
    }

    fn field(&mut self, slot: Slot) -> Result<u64, ReplayError> {
        self.next_input(slot)
    }
}

fn set_up(stage: &'static str) -> impl Fn(wasmi::Error) -> ReplayError {
    move |error| match error.downcast_ref() {
        Some(Stop::Input(input)) => ReplayError::Input(input.clone()),
        _ => ReplayError::SetUp { stage, reason: error.to_string() },
    }
}

/// How the run ended, if that is the program's own doing.
fn end_of(error: &wasmi::Error) -> Result<End, ReplayError> {
    match error.downcast_ref() {
        Some(Stop::Exit(code)) => return Ok(End::Exit(*code)),
        Some(Stop::AssumeFailed) => return Ok(End::AssumeFailed),
        Some(Stop::Input(input)) => return Err(ReplayError::Input(input.clone())),
        None => {}
    }
    Ok(match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => End::OutOfFuel,
        Some(TrapCode::StackOverflow) => End::OutOfStack,
        Some(code) => End::Trap(code.trap_message().to_owned()),
        None => End::Trap(error.to_string()),
    })
}
