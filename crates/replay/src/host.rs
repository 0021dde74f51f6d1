//! The functions that a program can import, in terms of the engine.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use pessimum_entry::host::{Errno, PessimumImport, Reply, Wasi, WasiCall, Word, Write};
use pessimum_entry::{InputError, InputValues, Slot, Type, WasmType};
use wasmi::{
    AsContext, AsContextMut, Caller, Error, ExternType, F32, F64, FuncType, Global, Linker, Memory,
    Module, Val,
};

use crate::ReplayError;
use crate::feed::Feed;
use crate::instrument::door;

/// What the host functions know of a run.
pub(crate) struct World {
    pub(crate) feed: Feed,
    pub(crate) n: u64,
    pub(crate) wasi: Wasi,
    /// The words that started a WASI program.
    pub(crate) words: Arc<[String]>,
    /// The symbolic bytes of standard input or of the argument.
    pub(crate) stream: Vec<u8>,
    pub(crate) output: Vec<u8>,
    /// Whether the measured region is active; the copy's own global says the same.
    pub(crate) active: bool,
    /// Bytes written inside the measured region.
    pub(crate) measured_output: u64,
    /// What a step of a function that copies costs.
    pub(crate) step_price: u32,
    pub(crate) warnings: BTreeSet<String>,
    pub(crate) limits: wasmi::StoreLimits,
}

impl World {
    pub(crate) fn into_parts(mut self) -> (InputValues, Vec<u8>, Vec<String>) {
        if let Some(leftover) = self.feed.leftover() {
            self.warnings.insert(leftover);
        }
        (self.feed.into_made(), self.output, self.warnings.into_iter().collect())
    }
}

/// A host function ends the run.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    Exit(u32),
    AssumeFailed,
    Input(InputError),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Exit(code) => write!(f, "exit with code {code}"),
            Stop::AssumeFailed => f.write_str("assume met a false condition"),
            Stop::Input(error) => write!(f, "{error}"),
        }
    }
}

impl wasmi::errors::HostError for Stop {}

/// The counters of a copy as the engine knows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) cost: Global,
    active: Global,
    depth: Global,
    stack_base: Global,
    stack_pointer: Option<Global>,
    pub(crate) trace: Global,
}

impl Counters {
    /// Finds the counters by the names they are exported under.
    pub(crate) fn find(global: impl Fn(&str) -> Option<Global>) -> Option<Self> {
        Some(Self {
            cost: global(door::COST)?,
            active: global(door::ACTIVE)?,
            depth: global(door::DEPTH)?,
            stack_base: global(door::STACK_BASE)?,
            stack_pointer: global(door::STACK_POINTER),
            trace: global(door::TRACE)?,
        })
    }

    /// Begins the measured region, unless one is active. The depth already reached counts.
    pub(crate) fn begin<C: AsContextMut<Data = World>>(
        self,
        mut store: C,
        raises_to_depth: bool,
    ) -> Result<(), Error> {
        if std::mem::replace(&mut store.as_context_mut().data_mut().active, true) {
            return Ok(());
        }
        self.active.set(&mut store, Val::I64(1))?;
        if let Some(pointer) = self.stack_pointer {
            let now = pointer.get(&store);
            self.stack_base.set(&mut store, now)?;
        }
        if raises_to_depth {
            let (depth, cost) = (long(self.depth, &store), long(self.cost, &store));
            self.cost.set(&mut store, Val::I64(cost.max(depth)))?;
        }
        Ok(())
    }

    /// Ends the measured region, if one is active.
    pub(crate) fn end<C: AsContextMut<Data = World>>(self, mut store: C) -> Result<(), Error> {
        store.as_context_mut().data_mut().active = false;
        self.active.set(&mut store, Val::I64(0))?;
        Ok(())
    }
}

/// The value of an `i64` global.
pub(crate) fn long(global: Global, store: impl AsContext) -> i64 {
    match global.get(store) {
        Val::I64(value) => value,
        _ => 0,
    }
}

/// The Wasm type of an engine's type.
pub(crate) fn wasm_type(ty: wasmi::ValType) -> WasmType {
    match ty {
        wasmi::ValType::I32 => WasmType::I32,
        wasmi::ValType::I64 => WasmType::I64,
        wasmi::ValType::F32 => WasmType::F32,
        wasmi::ValType::F64 => WasmType::F64,
        _ => WasmType::Other,
    }
}

/// The bit pattern of a value; 0 for references.
pub(crate) fn bits(value: &Val) -> u64 {
    match value {
        Val::I32(value) => u64::from(*value as u32),
        Val::I64(value) => *value as u64,
        Val::F32(value) => u64::from(value.to_bits()),
        Val::F64(value) => value.to_bits(),
        _ => 0,
    }
}

/// The value of a type with this bit pattern.
pub(crate) fn value(ty: WasmType, bits: u64) -> Val {
    match ty {
        WasmType::I32 | WasmType::Other => Val::I32(bits as i32),
        WasmType::I64 => Val::I64(bits as i64),
        WasmType::F32 => Val::F32(F32::from_bits(bits as u32)),
        WasmType::F64 => Val::F64(F64::from_bits(bits)),
    }
}

/// Provides everything that the module imports, or says what nobody provides.
/// `depth_is_cost` tells the regions of the model `stack` from those of all others.
pub(crate) fn link(
    linker: &mut Linker<World>,
    module: &Module,
    depth_is_cost: bool,
) -> Result<(), ReplayError> {
    let mut provided = BTreeSet::new();
    for import in module.imports() {
        let (from, name) = (import.module().to_owned(), import.name().to_owned());
        let unknown = || ReplayError::Import { module: from.clone(), name: name.clone() };
        let mistyped = || ReplayError::ImportType { module: from.clone(), name: name.clone() };
        let ExternType::Func(ty) = import.ty() else { return Err(unknown()) };
        if !provided.insert((from.clone(), name.clone())) {
            continue;
        }
        let params: Vec<_> = ty.params().iter().map(|&ty| wasm_type(ty)).collect();
        let results: Vec<_> = ty.results().iter().map(|&ty| wasm_type(ty)).collect();
        let defined = if from == PessimumImport::MODULE {
            let function = PessimumImport::parse(&name).ok_or_else(unknown)?;
            if !function.accepts(&params, &results) {
                return Err(mistyped());
            }
            linker.func_new(&from, &name, ty.clone(), move |caller, args, out| {
                pessimum(caller, function, args, out, depth_is_cost)
            })
        } else if WasiCall::MODULES.contains(&&*from) {
            match WasiCall::parse(&name) {
                Some(call) => {
                    let returns =
                        if call == WasiCall::ProcExit { &[][..] } else { &[WasmType::I32] };
                    if params.len() != call.params() || results != returns {
                        return Err(mistyped());
                    }
                    linker.func_new(&from, &name, ty.clone(), move |caller, args, out| {
                        wasi(caller, call, args, out)
                    })
                }
                None => unsupported(linker, &from, &name, ty),
            }
        } else {
            return Err(unknown());
        };
        defined.map_err(|error| ReplayError::Module(error.to_string()))?;
    }
    Ok(())
}

type Linked<'l> = Result<&'l mut Linker<World>, wasmi::errors::LinkerError>;

fn unsupported<'l>(
    linker: &'l mut Linker<World>,
    from: &str,
    name: &str,
    ty: &FuncType,
) -> Linked<'l> {
    let warning = format!("`{name}` of WASI is not supported and answers ENOSYS");
    linker.func_new(from, name, ty.clone(), move |mut caller: Caller<'_, World>, _, out| {
        caller.data_mut().warnings.insert(warning.clone());
        if let [Val::I32(errno)] = out {
            *errno = Errno::Nosys.code() as i32;
        }
        Ok(())
    })
}

fn pessimum(
    mut caller: Caller<'_, World>,
    function: PessimumImport,
    args: &[Val],
    out: &mut [Val],
    depth_is_cost: bool,
) -> Result<(), Error> {
    let arg = |index: usize| args.get(index).map_or(0, bits);
    let mut give = |ty: WasmType, bits: u64| {
        if let Some(place) = out.first_mut() {
            *place = value(ty, bits);
        }
    };
    match function {
        PessimumImport::Input(ty) => {
            let made = next_input(&mut caller, Slot::any(ty))?;
            give(ty.wasm(), ty.widen(made));
        }
        PessimumImport::InputRange(ty) => {
            let slot = PessimumImport::range_slot(ty, arg(0), arg(1))
                .ok_or_else(|| Error::host(Stop::AssumeFailed))?;
            let made = next_input(&mut caller, slot)?;
            give(ty.wasm(), made);
        }
        PessimumImport::InputBytes => {
            let (at, len) = (arg(0), arg(1));
            let memory = memory(&caller).ok_or_else(out_of_bounds)?;
            if at + len > memory.data_size(&caller) as u64 {
                return Err(out_of_bounds());
            }
            for offset in 0..len {
                let byte = next_input(&mut caller, Slot::any(Type::U8))?;
                memory.data_mut(&mut caller)[(at + offset) as usize] = byte as u8;
            }
            charge_copy(&mut caller, len)?;
        }
        PessimumImport::Size => {
            let n = caller.data().n;
            match out {
                [Val::I64(place)] => *place = n as i64,
                [Val::I32(place)] => *place = n as i32,
                _ => {}
            }
        }
        PessimumImport::Assume => {
            if arg(0) == 0 {
                return Err(Error::host(Stop::AssumeFailed));
            }
        }
        PessimumImport::MeasureBegin | PessimumImport::MeasureEnd => {
            let find = |name: &str| caller.get_export(name).and_then(|export| export.into_global());
            let counters =
                Counters::find(find).ok_or_else(|| Error::new("the copy has lost its counters"))?;
            if function == PessimumImport::MeasureBegin {
                counters.begin(&mut caller, depth_is_cost)?;
            } else {
                counters.end(&mut caller)?;
            }
        }
    }
    Ok(())
}

fn wasi(
    mut caller: Caller<'_, World>,
    call: WasiCall,
    args: &[Val],
    out: &mut [Val],
) -> Result<(), Error> {
    let args: Vec<u64> = args.iter().map(bits).collect();
    let memory = memory(&caller);
    let (mut world, words) = (caller.data().wasi, Arc::clone(&caller.data().words));
    let reply = {
        let data = memory.map_or(&[][..], |memory| memory.data(&caller));
        world.call_as(&words, call, &args, |at| {
            let word = data.get(at as usize..).and_then(|rest| rest.first_chunk());
            word.map_or(Word::Outside, |word| Word::Known(u32::from_le_bytes(*word)))
        })
    };
    caller.data_mut().wasi = world;
    let errno = match reply {
        Reply::Exit(code) => return Err(Error::host(Stop::Exit(code))),
        // Every word is known here.
        Reply::Unknown { .. } => Errno::Fault,
        Reply::Return { errno, writes } => {
            let done =
                writes.into_iter().try_for_each(|write| carry_out(&mut caller, memory, write));
            match (done, call) {
                (None, _) => Errno::Fault,
                (Some(()), WasiCall::FdRead) if errno == Errno::Success => {
                    // What was read is what the call says it has read.
                    let read = args.get(3).and_then(|&at| word_at(&caller, memory, at));
                    charge_copy(&mut caller, u64::from(read.unwrap_or(0)))?;
                    errno
                }
                (Some(()), WasiCall::RandomGet) if errno == Errno::Success => {
                    charge_copy(&mut caller, args.get(1).copied().unwrap_or(0))?;
                    errno
                }
                (Some(()), _) => errno,
            }
        }
        Reply::Output { pieces, bytes, written_at, .. } => {
            // The number of bytes must have a place as well, or nothing is written.
            let place = gather(&caller, memory, &[(written_at, 4)]);
            match place.and_then(|_| gather(&caller, memory, &pieces)) {
                None => Errno::Fault,
                Some(written) => {
                    let world = caller.data_mut();
                    world.output.extend_from_slice(&written);
                    if world.active {
                        world.measured_output += written.len() as u64;
                    }
                    let bytes = bytes.to_le_bytes().to_vec();
                    let count = Write::Bytes { at: written_at, bytes };
                    if carry_out(&mut caller, memory, count).is_some() {
                        charge_copy(&mut caller, written.len() as u64)?;
                        Errno::Success
                    } else {
                        Errno::Fault
                    }
                }
            }
        }
    };
    if let Some(place) = out.first_mut() {
        *place = Val::I32(errno.code() as i32);
    }
    Ok(())
}

/// Whether an imported function copies as many bytes as it is asked to, and charges for it.
pub(crate) fn copies(from: &str, name: &str) -> bool {
    if from == PessimumImport::MODULE {
        return PessimumImport::parse(name) == Some(PessimumImport::InputBytes);
    }
    WasiCall::MODULES.contains(&from)
        && matches!(
            WasiCall::parse(name),
            Some(WasiCall::FdRead | WasiCall::FdWrite | WasiCall::RandomGet)
        )
}

/// Adds the steps of a copy of so many bytes to the cost, inside the measured region.
fn charge_copy(caller: &mut Caller<'_, World>, bytes: u64) -> Result<(), Error> {
    let price = u64::from(caller.data().step_price);
    let steps = bytes / 8 + u64::from(!bytes.is_multiple_of(8));
    if !caller.data().active || price * steps == 0 {
        return Ok(());
    }
    let cost = caller
        .get_export(door::COST)
        .and_then(|export| export.into_global())
        .ok_or_else(|| Error::new("the copy has lost its counters"))?;
    let so_far = long(cost, &*caller);
    cost.set(caller, Val::I64(so_far + (price * steps) as i64))?;
    Ok(())
}

/// The number at an address of memory; none if that is outside.
fn word_at(caller: &Caller<'_, World>, memory: Option<Memory>, at: u64) -> Option<u32> {
    let word = memory?.data(caller).get(usize::try_from(at).ok()?..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}

/// Writes to memory; none if that is outside.
fn carry_out(caller: &mut Caller<'_, World>, memory: Option<Memory>, write: Write) -> Option<()> {
    let (data, world) = memory?.data_and_store_mut(caller);
    let (at, bytes) = match &write {
        Write::Bytes { at, bytes } => (*at, &bytes[..]),
        Write::Input { at, range } => {
            (*at, world.stream.get(range.start as usize..range.end as usize)?)
        }
    };
    let end = (at as usize).checked_add(bytes.len())?;
    data.get_mut(at as usize..end)?.copy_from_slice(bytes);
    Some(())
}

/// The pieces of memory one after the other; none if one is outside.
fn gather(
    caller: &Caller<'_, World>,
    memory: Option<Memory>,
    pieces: &[(u32, u32)],
) -> Option<Vec<u8>> {
    let data = memory?.data(caller);
    let mut bytes = Vec::new();
    for &(at, len) in pieces {
        bytes.extend_from_slice(data.get(at as usize..(at as usize).checked_add(len as usize)?)?);
    }
    Some(bytes)
}

fn next_input(caller: &mut Caller<'_, World>, slot: Slot) -> Result<u64, Error> {
    caller.data_mut().feed.next(slot).map_err(|error| Error::host(Stop::Input(error)))
}

fn memory(caller: &Caller<'_, World>) -> Option<Memory> {
    caller.get_export(door::MEMORY)?.into_memory()
}

fn out_of_bounds() -> Error {
    wasmi::TrapCode::MemoryOutOfBounds.into()
}
