//! From a module to a machine that stands at the entry: instantiation, arguments, inputs.

use crate::addresses::WASM_PAGE;
use crate::error::LoadError;
use crate::host::wasm_type;
use crate::machine::{Inputs, Limits, Machine};
use crate::memory::Memory;
use crate::module::{ConstExpr, Module, ValType};
use crate::stop::{End, Stop};
use crate::value::Value;
use pessimum_entry::host::{INITIALIZE, Layout, MALLOC, Stream, Wasi};
use pessimum_entry::{
    Arg, Call, Content, CostModel, InputValues, Invocation, Sizes, Slot, Tree, TreeLayout,
    TreeSource, Type, text,
};
use pessimum_term::{Arena, TermId, Width};
use std::sync::Arc;

/// Everything a run starts from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How the program is entered.
    pub invocation: Invocation,
    /// The sizes it was made for.
    pub sizes: Sizes,
    /// Seed of the program's random source.
    pub seed: u64,
    /// Limits of a path.
    pub limits: Limits,
}

impl Machine {
    /// A machine that stands at the first instruction of the entry, its inputs made.
    pub fn start(
        module: &Arc<Module>,
        setup: &Setup,
        inputs: Inputs,
        arena: &mut Arena,
    ) -> Result<Machine, LoadError> {
        Machine::ready(module, setup, inputs, arena)?.enter(setup, arena)
    }

    /// A machine before its arguments are made: what the module does by itself is done.
    pub(crate) fn ready(
        module: &Arc<Module>,
        setup: &Setup,
        inputs: Inputs,
        arena: &mut Arena,
    ) -> Result<Machine, LoadError> {
        let stream = match setup.invocation {
            Invocation::Stdin { len, .. } => Stream::Stdin(len),
            Invocation::Argv { len, .. } => Stream::Argv(len),
            _ => Stream::None,
        };
        let wasi = Wasi::new(stream, setup.seed);
        let mut machine =
            Machine::instantiate(Arc::clone(module), setup.limits.clone(), wasi, setup.sizes.n())?;
        machine.source = inputs;
        machine.words = setup.invocation.words();
        machine.initialize(arena)?;
        Ok(machine)
    }

    /// Makes the arguments and goes to the first instruction of the entry.
    pub(crate) fn enter(mut self, setup: &Setup, arena: &mut Arena) -> Result<Machine, LoadError> {
        let module = self.module_handle();
        let machine = &mut self;
        let name = setup.invocation.export();
        let function = module.exported_function(name)?;
        if module.functions[function as usize].host.is_some() {
            return Err(LoadError::ImportedEntry { name: name.to_owned() });
        }
        let args = match &setup.invocation {
            Invocation::Call(call) => machine.arguments(arena, function, call)?,
            Invocation::Stdin { .. } | Invocation::Argv { .. } => {
                for slot in setup.invocation.slots() {
                    machine.input(arena, slot)?;
                }
                Vec::new()
            }
            Invocation::Program { .. } => Vec::new(),
        };
        let params = module.type_of(function).params.len();
        if params != args.len() {
            return Err(LoadError::ArgumentCount {
                function: name.to_owned(),
                expected: params,
                found: args.len(),
            });
        }
        machine.counters = Default::default();
        machine.look_from_the_start();
        machine.watch_stack();
        if !module.measures_itself(function) {
            machine.begin_region();
        }
        machine.push_entry(function, &args)?;
        if matches!(module.cost_model(), CostModel::Calls(_)) {
            // The host's own call of the entry is not one of the program's.
            machine.skip_entry_price(function);
        }
        Ok(self)
    }

    /// Memory, tables and globals as the module declares them; no code has run.
    pub fn instantiate(
        module: Arc<Module>,
        limits: Limits,
        wasi: Wasi,
        size: u64,
    ) -> Result<Machine, LoadError> {
        let mut machine = Machine::blank(Arc::clone(&module), limits, wasi, size);
        for global in &module.globals {
            let value = machine.constant_value(global.init);
            machine.globals.push(Value::concrete(value));
        }
        if let Some(memory) = module.memory {
            machine.memory = Memory::new(memory.min, memory.max).ok_or_else(|| {
                let what = format!("{} pages of memory to begin with, for which there is no room here (a browser has less than the command `pessimum`)", memory.min);
                LoadError::Unsupported { what }
            })?;
        }
        for table in &module.tables {
            let init = table.init.map_or(0, |e| machine.constant_value(e));
            machine.tables.push(vec![init; table.min as usize]);
        }
        let trapped =
            |what: &str, trap: String| LoadError::StartTrapped { what: what.to_owned(), trap };
        for (i, elem) in module.elems.iter().enumerate() {
            if let Some((table, offset)) = elem.target {
                let to = machine.constant_value(offset) as u32;
                let len = elem.items.len() as u64;
                machine.init_table(table, i as u32, u64::from(to), 0, len).map_err(|_| {
                    trapped("an element segment", "out of bounds table access".into())
                })?;
            }
            if elem.target.is_some() || elem.declared {
                machine.elem_dropped[i] = true;
            }
        }
        for (i, data) in module.data.iter().enumerate() {
            if let Some(offset) = data.offset {
                let to = u64::from(machine.constant_value(offset) as u32);
                if !machine.memory.in_bounds(to, data.bytes.len() as u64) {
                    return Err(trapped("a data segment", "out of bounds memory access".into()));
                }
                machine.memory.write_bytes(to, &data.bytes, false);
                machine.data_dropped[i] = true;
            }
        }
        Ok(machine)
    }

    /// The start function, then `_initialize` of a reactor.
    pub fn initialize(&mut self, arena: &mut Arena) -> Result<(), LoadError> {
        let module = self.module_handle();
        if let Some(start) = module.start {
            self.call_concrete(arena, start, &[], "the start function")?;
        }
        if let Ok(init) = module.exported_function(INITIALIZE)
            && module.type_of(init).params.is_empty()
        {
            self.call_concrete(arena, init, &[], INITIALIZE)?;
        }
        Ok(())
    }

    /// Runs a function to its end without any decision: before the program is entered.
    fn call_concrete(
        &mut self,
        arena: &mut Arena,
        function: u32,
        args: &[Value],
        what: &str,
    ) -> Result<Vec<Value>, LoadError> {
        let trapped = |trap: String| LoadError::StartTrapped { what: what.to_owned(), trap };
        let ended = |why: &'static str| LoadError::StartEnded { what: what.to_owned(), why };
        let module = self.module_handle();
        let results = module.type_of(function).results.len();
        let stop = match module.functions[function as usize].host {
            Some(_) => {
                let mut values = args.to_vec();
                values.resize(args.len().max(results), Value::concrete(0));
                match self.call_host(arena, function, &mut values) {
                    Ok(()) => return Ok(values[..results].to_vec()),
                    Err(stop) => stop,
                }
            }
            None => {
                self.push_entry(function, args)?;
                self.run(arena)
            }
        };
        match stop {
            Stop::End(End::Return) => Ok(self.results(results).to_vec()),
            Stop::End(End::Trap(trap)) => Err(trapped(trap.to_string())),
            Stop::End(End::Exit(code)) => Err(trapped(format!("it exited with code {code}"))),
            Stop::End(End::OutOfStack) => Err(ended(
                "its calls go deeper than 1,000,000, or their locals take more memory than they may (2 GiB, in a browser 256 MiB)",
            )),
            Stop::End(End::OutOfInstructions) => {
                Err(ended("it used up its instructions (--max-instructions raises them)"))
            }
            Stop::End(End::Endless) => Err(ended("it never ends")),
            Stop::End(End::OutOfTime) => Err(LoadError::OutOfTime { what: what.to_owned() }),
            _ => Err(ended("it asked for an input")),
        }
    }

    /// Says that no input will be a term: one that the program asks for is zero, or what is nearest to it. Such a run takes
    /// the loop for numbers.
    pub fn expect_numbers(&mut self) {
        self.source = Inputs::Concrete(InputValues::new());
    }

    /// Calls an exported function with concrete values; for tests and engines that compare.
    pub fn invoke(
        &mut self,
        arena: &mut Arena,
        export: &str,
        args: &[u64],
    ) -> Result<(End, Vec<u64>), LoadError> {
        let module = self.module_handle();
        let function = module.exported_function(export)?;
        let ty = module.type_of(function);
        if ty.params.len() != args.len() {
            return Err(LoadError::ArgumentCount {
                function: export.to_owned(),
                expected: ty.params.len(),
                found: args.len(),
            });
        }
        let results = ty.results.len();
        let args: Vec<Value> = args.iter().map(|a| Value::concrete(*a)).collect();
        if module.functions[function as usize].host.is_some() {
            return Ok((End::Return, Vec::new()));
        }
        self.frames.clear();
        self.push_entry(function, &args)?;
        match self.run(arena) {
            Stop::End(end) => {
                let values = self.results(results).iter().map(|v| v.bits).collect();
                Ok((end, values))
            }
            _ => Err(LoadError::Unsupported { what: "an input in a concrete call".to_owned() }),
        }
    }

    pub(crate) fn push_entry(&mut self, function: u32, args: &[Value]) -> Result<(), LoadError> {
        if self.module.functions[function as usize].host.is_some() {
            return Err(LoadError::ImportedEntry { name: self.module.function_name(function) });
        }
        let mut regs = std::mem::take(&mut self.regs);
        regs.clear();
        regs.extend_from_slice(args);
        // What a call that trapped left behind is gone.
        self.frames.clear();
        self.floor = 0;
        let pushed = self.push_frame(&mut regs, function, 0, 0);
        self.regs = regs;
        pushed.map_err(|_| LoadError::Unsupported { what: "a call depth of zero".to_owned() })
    }

    fn input(&mut self, arena: &mut Arena, slot: Slot) -> Result<Value, LoadError> {
        self.new_input(arena, slot).map_err(|_| LoadError::Unsupported {
            what: format!("an input outside its domain ({slot})"),
        })
    }

    fn arguments(
        &mut self,
        arena: &mut Arena,
        function: u32,
        call: &Call,
    ) -> Result<Vec<Value>, LoadError> {
        let module = self.module_handle();
        let ty = module.type_of(function);
        let params: Option<Vec<_>> = ty.params.iter().map(|t| wasm_type(*t)).collect();
        let params = params.ok_or_else(|| LoadError::Unsupported {
            what: format!("a reference as a parameter of {}", call.function),
        })?;
        call.check(&params).map_err(|e| LoadError::Call { message: e.to_string() })?;
        let (tree, mut conditions) = self.take_tree(arena, call)?;
        let blocks = |arg: &Arg| match (arg, &tree) {
            (Arg::Tree(layout), Some(tree)) => tree.blocks(layout),
            _ => arg.allocation().into_iter().collect(),
        };
        let sizes: Vec<u64> = call.args.iter().flat_map(blocks).collect();
        let addresses = self.allocate(arena, &sizes)?;
        let mut next = addresses.into_iter();
        let mut args = Vec::new();
        for (arg, ty) in call.args.iter().zip(&ty.params) {
            let value = match arg {
                Arg::Const(k) => Value::concrete(truncate(*ty, *k)),
                Arg::Scalar(slot) => {
                    let value = self.input(arena, *slot)?;
                    crate::host::widen(arena, slot.ty, value)
                }
                Arg::Array { slot, len } => {
                    let at = next.next().unwrap_or(0);
                    let bytes = slot.ty.bytes();
                    for i in 0..*len {
                        let value = self.input(arena, *slot)?;
                        let address = at + i * u64::from(bytes);
                        self.memory.store(arena, address, bytes, value, false);
                    }
                    Value::concrete(at)
                }
                Arg::Records { record, len } => {
                    let at = next.next().unwrap_or(0);
                    let zeros = vec![0; (len * u64::from(record.bytes)) as usize];
                    self.memory.write_bytes(at, &zeros, false);
                    for (offset, slot) in record.inputs(*len) {
                        let value = self.input(arena, slot)?;
                        self.memory.store(arena, at + offset, slot.ty.bytes(), value, false);
                    }
                    Value::concrete(at)
                }
                Arg::Named { ty, .. } => {
                    return Err(LoadError::Unsupported {
                        what: format!("`&{ty}[…]` whose layout nobody looked up"),
                    });
                }
                Arg::Text { len } => {
                    let at = next.next().unwrap_or(0);
                    let mut bytes = Vec::new();
                    for i in 0..*len {
                        let value = self.input(arena, Slot::any(Type::U8))?;
                        self.memory.store(arena, at + i, 1, value, false);
                        bytes.push(value);
                    }
                    conditions.extend(utf8(arena, &bytes));
                    Value::concrete(at)
                }
                Arg::CString { slot, len } => {
                    let at = next.next().unwrap_or(0);
                    for i in 0..*len {
                        let value = self.input(arena, *slot)?;
                        self.memory.store(arena, at + i, slot.ty.bytes(), value, false);
                    }
                    self.memory.write_bytes(at + len, &[0], false);
                    Value::concrete(at)
                }
                Arg::Bytes(bytes) => {
                    let at = next.next().unwrap_or(0);
                    self.memory.write_bytes(at, bytes, false);
                    Value::concrete(at)
                }
                Arg::Tree(layout) => match &tree {
                    Some(tree) => self.place_tree(arena, layout, tree, &mut next),
                    None => Value::concrete(0),
                },
                Arg::Structure { ty, predicate } => {
                    return Err(LoadError::Unsupported {
                        what: format!("`&{ty} where {predicate}` whose layout nobody looked up"),
                    });
                }
            };
            args.push(value);
        }
        self.assume_first(conditions);
        Ok(args)
    }

    /// Makes the inputs of the structure that the call passes, if it passes one, and says what must
    /// hold of them.
    fn take_tree(
        &mut self,
        arena: &mut Arena,
        call: &Call,
    ) -> Result<(Option<Tree<Value>>, Vec<TermId>), LoadError> {
        let Some(layout) = call.tree() else { return Ok((None, Vec::new())) };
        let over = match &self.source {
            Inputs::Over(structures, index) => Some((Arc::clone(structures), *index)),
            _ => None,
        };
        let slots = over.as_ref().map(|(structures, index)| structures.slots(*index).into_iter());
        let first = self.inputs().len();
        let tree = layout.read(&mut TreeInputs { machine: self, arena, slots })?;
        let Some((structures, index)) = over else { return Ok((Some(tree), Vec::new())) };
        let made = self.inputs()[first..].iter();
        let terms: Vec<TermId> =
            made.map(|i| i.value.to_term(arena, Width::new(i.slot.ty.bits()))).collect();
        Ok((Some(tree), structures.condition(index, arena, &terms)))
    }

    /// Writes a structure into the next of the blocks that were allocated; the pointer to it.
    fn place_tree(
        &mut self,
        arena: &mut Arena,
        layout: &TreeLayout,
        tree: &Tree<Value>,
        addresses: &mut impl Iterator<Item = u64>,
    ) -> Value {
        let blocks = tree.blocks(layout);
        let at: Vec<u64> = addresses.take(blocks.len()).collect();
        for (address, bytes) in at.iter().zip(&blocks) {
            self.memory.write_bytes(*address, &vec![0; *bytes as usize], false);
        }
        for (block, offset, part) in tree.parts(layout) {
            let address = at[block] + u64::from(offset);
            let (bytes, value) = match part {
                Content::Field(ty, value) => (ty.bytes(), *value),
                Content::Pointer(to) => (4, Value::concrete(at[to])),
            };
            self.memory.store(arena, address, bytes, value, false);
        }
        Value::concrete(at.first().copied().unwrap_or(0))
    }

    /// Room for arguments of these sizes: from the module's own allocator, else in fresh pages.
    fn allocate(&mut self, arena: &mut Arena, sizes: &[u64]) -> Result<Vec<u64>, LoadError> {
        if sizes.is_empty() {
            return Ok(Vec::new());
        }
        let module = self.module_handle();
        let total = sizes.iter().fold(0u64, |sum, s| sum.saturating_add(*s));
        if module.memory.is_none() {
            return Err(LoadError::NoMemory { bytes: total });
        }
        let too_large =
            LoadError::DoesNotFit { bytes: total, limit: u64::from(self.memory.max_pages()) };
        if let Some(allocator) = module.summary.allocator {
            let mut addresses = Vec::new();
            for size in sizes {
                let Some(asked) = allocator.arguments(*size) else { return Err(too_large) };
                let asked: Vec<Value> =
                    asked.into_iter().map(|a| Value::concrete(u64::from(a))).collect();
                let result = self.call_concrete(arena, allocator.function, &asked, MALLOC)?;
                let at = result.first().map_or(0, |v| v.bits);
                if at == 0 {
                    return Err(LoadError::MallocFailed { bytes: *size });
                }
                if !self.memory.in_bounds(at, *size) {
                    return Err(too_large);
                }
                addresses.push(at);
            }
            return Ok(addresses);
        }
        let pages = self.memory.size() / WASM_PAGE;
        let Ok(layout) = Layout::fresh(pages, sizes) else {
            return Err(too_large);
        };
        if self.memory.grow(layout.grow_by).is_none() {
            return Err(too_large);
        }
        Ok(layout.addresses.into_iter().map(u64::from).collect())
    }

    /// The value of an initialiser; functions are their index + 1, null is 0.
    pub(crate) fn constant_value(&self, expr: ConstExpr) -> u64 {
        match expr {
            ConstExpr::Value(v) => v,
            ConstExpr::Global(i) => self.globals.get(i as usize).map_or(0, |v| v.bits),
            ConstExpr::Func(f) => u64::from(f) + 1,
        }
    }

    /// Notes where the shadow stack may go: from its initial pointer down to the data below it.
    pub(crate) fn watch_stack(&mut self) {
        let module = self.module_handle();
        let Some(global) = module.summary.stack_pointer else { return };
        let Some(top) = self.globals.get(global as usize).and_then(|v| v.as_concrete()) else {
            return;
        };
        let below = module.data.iter().filter_map(|d| {
            let at = u64::from(self.constant_value(d.offset?) as u32);
            let end = at + d.bytes.len() as u64;
            (end <= top).then_some(end)
        });
        let low = below.max().unwrap_or(0);
        self.stack_floor = Some((global, low, top));
    }

    fn skip_entry_price(&mut self, function: u32) {
        if let crate::price::Price::Entries(functions) = &self.module_handle().price
            && functions.contains(&function)
            && self.counters.active != 0
        {
            self.counters.cost = self.counters.cost.wrapping_sub(1);
        }
    }
}

/// The inputs of a structure as the machine makes them; with a shape to follow, from its slots.
struct TreeInputs<'m> {
    machine: &'m mut Machine,
    arena: &'m mut Arena,
    slots: Option<std::vec::IntoIter<Slot>>,
}

impl TreeInputs<'_> {
    fn next(&mut self, wanted: Slot) -> Result<Value, LoadError> {
        let slot = match &mut self.slots {
            None => wanted,
            Some(slots) => slots.next().filter(|s| s.ty == wanted.ty).ok_or_else(|| {
                LoadError::Unsupported { what: "a structure of another layout".to_owned() }
            })?,
        };
        self.machine.input(self.arena, slot)
    }
}

impl TreeSource for TreeInputs<'_> {
    type Value = Value;
    type Error = LoadError;

    fn shape(&mut self, slot: Slot) -> Result<u64, LoadError> {
        self.next(slot)?.as_concrete().ok_or_else(|| LoadError::Unsupported {
            what: "a structure of unknown shape".to_owned(),
        })
    }

    fn field(&mut self, slot: Slot) -> Result<Value, LoadError> {
        self.next(slot)
    }
}

/// What must hold for these bytes to be UTF-8.
fn utf8(arena: &mut Arena, bytes: &[Value]) -> Vec<TermId> {
    let known: Option<Vec<u8>> =
        bytes.iter().map(|value| value.as_concrete().map(|bits| bits as u8)).collect();
    match known {
        Some(bytes) if text::check(&bytes).is_ok() => Vec::new(),
        Some(_) => vec![arena.bool(false)],
        None => {
            let terms: Vec<TermId> =
                bytes.iter().map(|value| value.to_term(arena, Width::new(8))).collect();
            crate::text::conditions(arena, &terms)
        }
    }
}

fn truncate(ty: ValType, k: i128) -> u64 {
    match ty {
        ValType::I32 => u64::from(k as u32),
        ValType::F32 => u64::from((k as f32).to_bits()),
        ValType::F64 => (k as f64).to_bits(),
        _ => k as u64,
    }
}
