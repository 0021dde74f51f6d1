//! Functions the host provides: which import is which, and what each does.

use crate::error::LoadError;
use crate::machine::Machine;
use crate::module::{FuncType, ValType};
use crate::stop::{End, Purpose, Stop, Trap};
use crate::value::Value;
use pessimum_entry::host::{Errno, PessimumImport, Reply, WasiCall, Word, Write};
use pessimum_entry::{Bulk, Slot, Type, WasmType};
use pessimum_term::{Arena, Width};

/// An imported function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HostFunction {
    Pessimum(PessimumImport),
    Wasi(WasiCall),
    /// A call of WASI that answers ENOSYS.
    Missing(String),
    /// Does nothing and answers nothing (the test suite's `print`).
    Ignore,
}

impl HostFunction {
    pub(crate) fn resolve(
        module: &str,
        name: &str,
        found: &FuncType,
    ) -> Result<HostFunction, LoadError> {
        let convert = |types: &[ValType]| -> Option<Vec<WasmType>> {
            types.iter().map(|t| wasm_type(*t)).collect()
        };
        let types = convert(&found.params).zip(convert(&found.results));
        let wrong = |expected: String| LoadError::ImportType {
            module: module.to_owned(),
            name: name.to_owned(),
            found: found.to_string(),
            expected,
        };
        if module == PessimumImport::MODULE
            && let Some(import) = PessimumImport::parse(name)
        {
            return match types {
                Some((params, results)) if import.accepts(&params, &results) => {
                    Ok(HostFunction::Pessimum(import))
                }
                _ => Err(wrong(format!("{import:?} of pessimum.h"))),
            };
        }
        if WasiCall::MODULES.contains(&module) {
            return match WasiCall::parse(name) {
                Some(call) if found.params.len() == call.params() => Ok(HostFunction::Wasi(call)),
                Some(call) => Err(wrong(format!("a function of {} parameters", call.params()))),
                None => Ok(HostFunction::Missing(name.to_owned())),
            };
        }
        Err(LoadError::Import { module: module.to_owned(), name: name.to_owned() })
    }
}

pub(crate) fn wasm_type(ty: ValType) -> Option<WasmType> {
    Some(match ty {
        ValType::I32 => WasmType::I32,
        ValType::I64 => WasmType::I64,
        ValType::F32 => WasmType::F32,
        ValType::F64 => WasmType::F64,
        ValType::FuncRef | ValType::ExternRef => return None,
    })
}

impl Machine {
    /// Runs a function of the host on the values in `args`; results go to the front of `args`.
    pub(crate) fn call_host(
        &mut self,
        arena: &mut Arena,
        function: u32,
        args: &mut [Value],
    ) -> Result<(), Stop> {
        self.spoil_calls();
        self.note_slow(1);
        let module = self.module_handle();
        let info = &module.functions[function as usize];
        match &info.host {
            Some(HostFunction::Pessimum(import)) => self.call_pessimum(arena, *import, args),
            Some(HostFunction::Wasi(call)) => {
                let params = info.params as usize;
                let mut concrete = [0; 8];
                for (slot, value) in concrete.iter_mut().zip(&args[..params]) {
                    *slot = self.known(arena, *value)?;
                }
                self.call_wasi(arena, *call, &concrete[..params.min(8)], args)
            }
            Some(HostFunction::Missing(name)) => {
                if !self.missing_calls.contains(name) {
                    self.missing_calls.push(name.clone());
                }
                if let Some(first) = args.first_mut() {
                    *first = Value::concrete(u64::from(Errno::Nosys.code()));
                }
                Ok(())
            }
            Some(HostFunction::Ignore) | None => Ok(()),
        }
    }

    /// The bits of a host function's argument; a term has to be chosen a value for.
    fn known(&mut self, arena: &mut Arena, value: Value) -> Result<u64, Stop> {
        self.concrete(arena, value, Purpose::HostArgument)
    }

    fn call_pessimum(
        &mut self,
        arena: &mut Arena,
        import: PessimumImport,
        args: &mut [Value],
    ) -> Result<(), Stop> {
        match import {
            PessimumImport::Input(ty) => {
                let value = self.new_input(arena, Slot::any(ty))?;
                args[0] = widen(arena, ty, value);
            }
            PessimumImport::InputRange(ty) => {
                let (low, high) = (self.known(arena, args[0])?, self.known(arena, args[1])?);
                let slot = PessimumImport::range_slot(ty, low, high);
                let slot = slot.ok_or(Stop::End(End::Excluded))?;
                args[0] = self.new_input(arena, slot)?;
            }
            PessimumImport::InputBytes => {
                let (at, len) = (self.known(arena, args[0])?, self.known(arena, args[1])?);
                if !self.memory.in_bounds(at, len) {
                    return Err(Stop::End(End::Trap(Trap::MemoryOutOfBounds)));
                }
                for i in 0..len {
                    let value = self.new_input(arena, Slot::any(Type::U8))?;
                    self.note_bytes_written(at + i, 1);
                    self.memory.store(arena, at + i, 1, value, self.logging());
                }
                self.count_bytes(Bulk::Host, len);
            }
            PessimumImport::Size => args[0] = Value::concrete(self.size),
            PessimumImport::Assume => {
                if let Some(t) = args[0].as_term() {
                    let condition = arena.is_nonzero(t);
                    match arena.as_const(condition) {
                        Some(0) => return Err(Stop::End(End::Excluded)),
                        Some(_) => {}
                        None if self.take_guard() => {}
                        None => return Err(Stop::Assume { condition }),
                    }
                } else if args[0].bits == 0 {
                    return Err(Stop::End(End::Excluded));
                }
            }
            PessimumImport::MeasureBegin => self.begin_region(),
            PessimumImport::MeasureEnd => self.end_region(),
        }
        Ok(())
    }

    fn call_wasi(
        &mut self,
        arena: &mut Arena,
        call: WasiCall,
        concrete: &[u64],
        results: &mut [Value],
    ) -> Result<(), Stop> {
        let log = self.logging();
        let memory = &self.memory;
        let mut recorder = self.recorder.take();
        let read = |at: u32| {
            if let Some(recorder) = &mut recorder {
                recorder.read(u64::from(at), 4);
            }
            if !memory.in_bounds(u64::from(at), 4) {
                return Word::Outside;
            }
            memory.load_concrete(u64::from(at), 4).map_or(Word::Unknown, |v| Word::Known(v as u32))
        };
        let reply = self.wasi.call_as(&self.words, call, concrete, read);
        self.recorder = recorder;
        let errno = match reply {
            Reply::Exit(code) => return Err(Stop::End(End::Exit(code))),
            Reply::Unknown { at } => return Err(self.stop_word(arena, at)),
            Reply::Return { errno, writes } => {
                let copied = copied(call, &writes);
                let done = writes.into_iter().all(|write| self.carry_out(arena, write, log));
                if done && errno == Errno::Success {
                    self.count_bytes(Bulk::Host, copied);
                }
                if done { errno } else { Errno::Fault }
            }
            Reply::Output { pieces, bytes, written_at, .. } => {
                let mut all = pieces.iter().map(|(at, len)| (u64::from(*at), u64::from(*len)));
                if all.all(|(at, len)| self.memory.in_bounds(at, len))
                    && self.memory.in_bounds(u64::from(written_at), 4)
                {
                    self.note_bytes_written(u64::from(written_at), 4);
                    self.memory.store_concrete(u64::from(written_at), 4, u64::from(bytes), log);
                    self.count_output(u64::from(bytes));
                    self.count_bytes(Bulk::Host, u64::from(bytes));
                    Errno::Success
                } else {
                    Errno::Fault
                }
            }
        };
        if let Some(first) = results.first_mut() {
            *first = Value::concrete(u64::from(errno.code()));
        }
        Ok(())
    }
}

impl Machine {
    /// Writes to memory; `false` if that is outside.
    fn carry_out(&mut self, arena: &mut Arena, write: Write, log: bool) -> bool {
        let (at, len) = match &write {
            Write::Bytes { at, bytes } => (u64::from(*at), bytes.len() as u64),
            Write::Input { at, range } => (u64::from(*at), u64::from(range.end - range.start)),
        };
        if !self.memory.in_bounds(at, len) {
            return false;
        }
        self.note_bytes_written(at, len);
        match write {
            Write::Bytes { bytes, .. } => self.memory.write_bytes(at, &bytes, log),
            Write::Input { range, .. } => {
                for (at, input) in (at..).zip(range) {
                    let value = self.inputs[input as usize].value;
                    if let Some(recorder) = &mut self.recorder {
                        recorder.input(input);
                    }
                    self.memory.store(arena, at, 1, value, log);
                }
            }
        }
        true
    }
}

/// How many bytes a call that reads copies into memory; the count that `fd_read` leaves is none.
fn copied(call: WasiCall, writes: &[Write]) -> u64 {
    let len = |write: &Write| match (call, write) {
        (WasiCall::FdRead, Write::Input { range, .. }) => u64::from(range.end - range.start),
        (WasiCall::RandomGet, Write::Bytes { bytes, .. }) => bytes.len() as u64,
        _ => 0,
    };
    writes.iter().map(len).sum()
}

/// An input of a narrow type as Wasm passes it.
pub(crate) fn widen(arena: &mut Arena, ty: Type, value: Value) -> Value {
    match value.as_term() {
        None => Value::concrete(ty.widen(value.bits)),
        Some(t) if ty.bits() >= 32 => Value::of_term(arena, t),
        Some(t) => {
            let wide = if ty.is_signed() {
                arena.sign_extend(Width::W32, t)
            } else {
                arena.zero_extend(Width::W32, t)
            };
            Value::of_term(arena, wide)
        }
    }
}
