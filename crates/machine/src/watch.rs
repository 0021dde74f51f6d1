//! Watching a run from outside: accesses to addresses that do not exist, and calls of chosen
//! functions.
//!
//! A generator of structures (crate `shape`) keeps its structures out of the machine's memory: the
//! pointers it hands out lie beyond the end of linear memory, and what is read there is asked of
//! it, field by field. The ordinary fast paths pay nothing for this, since such an access already
//! leaves them; a call pays one test.

use crate::code::Code;
use crate::error::LoadError;
use crate::machine::{Limits, Machine, Mark};
use crate::module::Module;
use crate::stop::{End, Stop, Trap};
use crate::symbolic;
use crate::value::Value;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_term::{Arena, Domain, Width};
use std::sync::Arc;

/// What a watched run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The ordinary reasons to stop.
    Stop(Stop),
    /// A load from an address outside of memory, or below [`Machine::watch`]'s `null_below`; go on
    /// with [`Machine::answer_load`].
    Load {
        /// The first byte.
        address: u64,
        /// How many bytes.
        len: u32,
    },
    /// A store to such an address. There is no going on.
    Store {
        /// The first byte.
        address: u64,
    },
    /// A call of a watched function; go on with [`Machine::enter_call`] or
    /// [`Machine::answer_call`].
    Call {
        /// The callee.
        function: u32,
    },
}

/// What is watched, and what was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    functions: Vec<bool>,
    null_below: u64,
    event: Option<Event>,
    entering: bool,
}

impl Machine {
    /// A machine whose start function has run and that no function has been entered in.
    pub fn prepare(
        module: &Arc<Module>,
        limits: Limits,
        arena: &mut Arena,
    ) -> Result<Machine, LoadError> {
        let wasi = Wasi::new(Stream::None, 0);
        let mut machine = Machine::instantiate(Arc::clone(module), limits, wasi, 0)?;
        machine.initialize(arena)?;
        machine.watch_stack();
        machine.reset_counters();
        Ok(machine)
    }

    /// Watches calls of these functions, every access outside of memory, and loads below
    /// `null_below`, where no object lies.
    pub fn watch(&mut self, arena: &mut Arena, functions: &[u32], null_below: u64) {
        let mut watch = Watch { null_below, ..Watch::default() };
        watch.functions = vec![false; self.module().function_count() as usize];
        for function in functions {
            if let Some(flag) = watch.functions.get_mut(*function as usize) {
                *flag = true;
            }
        }
        // Terms there make loads leave the fast path.
        let poison = arena.variable(Width::W8, Domain::full(Width::W8));
        let poison = Value::of_term(arena, poison);
        for address in 0..null_below.min(self.memory.size()) {
            self.memory.store(arena, address, 1, poison, false);
        }
        self.watch = Some(Box::new(watch));
    }

    /// Enters a function, dropping whatever ran before.
    pub fn begin(&mut self, function: u32, args: &[Value]) -> Result<(), LoadError> {
        self.reset_counters();
        self.push_entry(function, args)
    }

    /// [`Machine::run`], with what is watched reported.
    pub fn run_watched(&mut self, arena: &mut Arena) -> Event {
        let stop = self.run(arena);
        match self.watch.as_mut().and_then(|w| w.event.take()) {
            Some(event) => event,
            None => Event::Stop(stop),
        }
    }

    /// Answers [`Event::Load`] with the bytes that lie there, as a value of that width.
    pub fn answer_load(&mut self, arena: &mut Arena, raw: Value) {
        let module = self.module_handle();
        if let Some(Code::Load { kind, d, .. }) = module.code.get(self.pc as usize).copied() {
            let value = symbolic::extend_loaded(arena, kind, raw);
            let base = self.frames.last().map_or(0, |f| f.base as usize);
            self.regs[base + d as usize] = value;
            self.pc += 1;
            self.end_instruction();
        } else {
            debug_assert!(false, "no load is pending");
        }
    }

    /// The arguments of the call of [`Event::Call`].
    pub fn call_arguments(&self) -> &[Value] {
        match self.module().code.get(self.pc as usize) {
            Some(Code::Call { func, base: at }) => {
                let params = self.module().functions[*func as usize].params as usize;
                let base = self.frames.last().map_or(0, |f| f.base as usize) + *at as usize;
                self.regs.get(base..base + params).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Answers [`Event::Call`]: the function is executed.
    pub fn enter_call(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.entering = true;
        }
    }

    /// Answers [`Event::Call`]: the function returns this without being executed.
    pub fn answer_call(&mut self, results: &[Value]) {
        if let Some(Code::Call { base: at, .. }) = self.module().code.get(self.pc as usize).copied()
        {
            let base = self.frames.last().map_or(0, |f| f.base as usize) + at as usize;
            self.regs[base..base + results.len()].copy_from_slice(results);
            self.pc += 1;
        } else {
            debug_assert!(false, "no call is pending");
        }
    }

    /// Whether anything but the stack of the functions entered since `mark` was written to. Their
    /// stack is what lies between the lowest value its pointer had since, and its present value.
    pub fn wrote_outside_its_stack(&self, mark: &Mark) -> bool {
        let pointer = self.stack_floor.map(|s| s.0);
        let (low, high) = match pointer.and_then(|p| self.globals.get(p as usize)) {
            Some(now) => (self.lowest_global(mark, pointer).unwrap_or(now.bits), now.bits),
            None => (0, 0),
        };
        self.memory.wrote_outside(mark.memory(), low, high)
            || self.wrote_global_or_table(mark, pointer)
    }

    /// Writes bytes into memory, growing it where needed.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), LoadError> {
        let end = u64::from(address) + bytes.len() as u64;
        if end > self.memory.size() {
            let missing = (end - self.memory.size()).div_ceil(crate::addresses::WASM_PAGE);
            if self.memory.grow(missing as u32).is_none() {
                let limit = u64::from(self.memory.max_pages());
                return Err(LoadError::DoesNotFit { bytes: bytes.len() as u64, limit });
            }
        }
        let log = self.logging();
        self.memory.write_bytes(u64::from(address), bytes, log);
        Ok(())
    }

    /// Bytes of memory.
    pub fn memory_size(&self) -> u64 {
        self.memory.size()
    }

    /// Stops at a call of a watched function, unless it was told to go in.
    #[inline]
    pub(crate) fn watch_call(&mut self, function: u32) -> Result<(), Stop> {
        match &mut self.watch {
            None => Ok(()),
            Some(watch) => {
                let entering = std::mem::take(&mut watch.entering);
                if entering || watch.functions.get(function as usize) != Some(&true) {
                    return Ok(());
                }
                watch.event = Some(Event::Call { function });
                Err(Stop::End(End::Excluded))
            }
        }
    }

    /// Stops at a load that somebody outside may answer.
    pub(crate) fn watch_load(&mut self, address: u64, len: u32) -> Result<(), Stop> {
        let outside = !self.memory.in_bounds(address, u64::from(len));
        if let Some(watch) = &mut self.watch
            && (outside || address < watch.null_below)
        {
            watch.event = Some(Event::Load { address, len });
            return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
        }
        Ok(())
    }

    /// Stops at a store that nobody can answer.
    pub(crate) fn watch_store(&mut self, address: u64, len: u32) -> Result<(), Stop> {
        let outside = !self.memory.in_bounds(address, u64::from(len));
        if let Some(watch) = &mut self.watch
            && outside
        {
            watch.event = Some(Event::Store { address });
            return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
        }
        Ok(())
    }
}

impl Module {
    /// The index of an exported function.
    pub fn function(&self, export: &str) -> Result<u32, LoadError> {
        self.exported_function(export)
    }

    /// The type of a function.
    pub fn function_type(&self, function: u32) -> &crate::module::FuncType {
        self.type_of(function)
    }

    /// Functions that a function calls by name, each once, in order; `None` for one of the host.
    pub fn callees(&self, function: u32) -> Option<Vec<u32>> {
        let info = self.functions.get(function as usize).filter(|f| f.host.is_none())?;
        let end = self
            .functions
            .iter()
            .filter(|f| f.host.is_none() && f.entry > info.entry)
            .map(|f| f.entry as usize)
            .min()
            .unwrap_or(self.code.len());
        let mut found = Vec::new();
        for code in &self.code[info.entry as usize..end] {
            if let Code::Call { func, .. } | Code::CallHost { func, .. } = code
                && !found.contains(func)
            {
                found.push(*func);
            }
        }
        Some(found)
    }

    /// File offset of a function's first instruction.
    pub fn function_start(&self, function: u32) -> u32 {
        let entry = self.functions.get(function as usize).map_or(0, |f| f.entry as usize);
        self.meta[entry..]
            .iter()
            .map(|m| m.0 & !crate::module::INVERTED)
            .find(|o| *o != 0)
            .unwrap_or(0)
    }

    /// Where the first object lies, or the end of the address space: nothing is below.
    pub fn lowest_data(&self) -> u64 {
        let offsets = self.data.iter().filter_map(|d| match d.offset? {
            crate::module::ConstExpr::Value(v) => Some(u64::from(v as u32)),
            _ => Some(0),
        });
        offsets.min().unwrap_or(u64::MAX)
    }
}
