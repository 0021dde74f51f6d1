//! The other engine, in the machine's own words.

use pessimum_machine::{End, Trap, ValType};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wasmi::{Config, Engine, Error, Instance, Linker, Module, Store, TrapCode, Val};

/// What is said of a call on which wasmi panics.
pub const GAVE_UP: &str = "wasmi gave up";

/// An instance in wasmi.
pub struct Other {
    store: Store<()>,
    instance: Instance,
}

/// How an instance came to be, or not.
pub enum Started {
    Ready(Box<Other>),
    Trapped(String),
    TooDeep,
}

impl Other {
    /// Instantiates a module without imports and runs its start function.
    pub fn start(bytes: &[u8], depth: usize) -> Result<Started, String> {
        let mut config = Config::default();
        config.set_max_recursion_depth(depth).set_max_stack_height(1 << 30);
        let engine = Engine::new(&config);
        let module =
            Module::new(&engine, super::defuse::defused(bytes)?).map_err(|e| e.to_string())?;
        let mut store = Store::new(&engine, ());
        let linker = Linker::new(&engine);
        let start = AssertUnwindSafe(|| linker.instantiate_and_start(&mut store, &module));
        match catch_unwind(start).map_err(|_| GAVE_UP.to_owned())? {
            Ok(instance) => Ok(Started::Ready(Box::new(Other { store, instance }))),
            Err(e) if is_too_deep(&e) => Ok(Started::TooDeep),
            Err(e) => Ok(Started::Trapped(trap(&e)?.to_string())),
        }
    }

    /// Calls an export; references come back as zero when null, else as one.
    pub fn call(
        &mut self,
        export: &str,
        params: &[ValType],
        args: &[u64],
    ) -> Result<(End, Vec<u64>), String> {
        let function = self
            .instance
            .get_func(&self.store, export)
            .ok_or_else(|| format!("wasmi has no function {export}"))?;
        let args: Vec<Val> = params.iter().zip(args).map(|(ty, bits)| value(*ty, *bits)).collect();
        let results = function.ty(&self.store).results().to_vec();
        let mut results: Vec<Val> = results.into_iter().map(Val::default_for_ty).collect();
        // wasmi's own assertions fail on some functions when it comes to translate them.
        let store = &mut self.store;
        let call = AssertUnwindSafe(|| function.call(store, &args, &mut results));
        match catch_unwind(call).map_err(|_| GAVE_UP.to_owned())? {
            Ok(()) => Ok((End::Return, results.iter().map(bits).collect())),
            Err(e) if is_too_deep(&e) => Ok((End::OutOfStack, Vec::new())),
            Err(e) => Ok((End::Trap(trap(&e)?), Vec::new())),
        }
    }

    /// The exported memory, if there is one.
    pub fn memory(&self) -> Option<&[u8]> {
        let mut exports = self.instance.exports(&self.store);
        let memory = exports.find_map(|e| e.into_memory())?;
        Some(memory.data(&self.store))
    }

    /// Every exported global: name and bits.
    pub fn globals(&self) -> Vec<(String, u64)> {
        let exports = self.instance.exports(&self.store);
        exports
            .filter_map(|e| {
                let name = e.name().to_owned();
                let global = e.into_global()?;
                Some((name, bits(&global.get(&self.store))))
            })
            .collect()
    }
}

fn value(ty: ValType, bits: u64) -> Val {
    match ty {
        ValType::I32 => Val::I32(bits as i32),
        ValType::I64 => Val::I64(bits as i64),
        ValType::F32 => Val::F32(wasmi::F32::from_bits(bits as u32)),
        ValType::F64 => Val::F64(wasmi::F64::from_bits(bits)),
        ValType::FuncRef => Val::default_for_ty(wasmi::ValType::FuncRef),
        ValType::ExternRef => Val::default_for_ty(wasmi::ValType::ExternRef),
    }
}

fn bits(value: &Val) -> u64 {
    match value {
        Val::I32(v) => u64::from(*v as u32),
        Val::I64(v) => *v as u64,
        Val::F32(v) => u64::from(v.to_bits()),
        Val::F64(v) => v.to_bits(),
        Val::FuncRef(r) => u64::from(!r.is_null()),
        Val::ExternRef(r) => u64::from(!r.is_null()),
        Val::V128(_) => u64::MAX,
    }
}

fn is_too_deep(error: &Error) -> bool {
    error.as_trap_code() == Some(TrapCode::StackOverflow)
}

fn trap(error: &Error) -> Result<Trap, String> {
    Ok(match error.as_trap_code() {
        Some(TrapCode::UnreachableCodeReached) => Trap::Unreachable,
        Some(TrapCode::MemoryOutOfBounds) => Trap::MemoryOutOfBounds,
        Some(TrapCode::TableOutOfBounds) => Trap::TableOutOfBounds,
        Some(TrapCode::IndirectCallToNull) => Trap::NullElement,
        Some(TrapCode::IntegerDivisionByZero) => Trap::DivisionByZero,
        Some(TrapCode::IntegerOverflow) => Trap::IntegerOverflow,
        Some(TrapCode::BadConversionToInteger) => Trap::InvalidConversion,
        Some(TrapCode::BadSignature) => Trap::SignatureMismatch,
        // Segments that do not fit come as words.
        None if error.to_string().starts_with("out of bounds table access") => {
            Trap::TableOutOfBounds
        }
        None if error.to_string().starts_with("out of bounds memory access") => {
            Trap::MemoryOutOfBounds
        }
        _ => return Err(error.to_string()),
    })
}
