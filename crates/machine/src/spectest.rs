//! The host module of the official test suite, for scripts that import from it.

use crate::error::LoadError;
use crate::host::HostFunction;
use crate::load::val_type;
use crate::module::{ConstExpr, FuncType, Global, MemoryDecl, Module, TableDecl, ValType};
use wasmparser as wp;

/// The module's name.
pub(crate) const MODULE: &str = "spectest";

const TABLE: TableDecl = TableDecl { min: 10, max: 20, init: None };
const MEMORY: MemoryDecl = MemoryDecl { min: 1, max: 2 };

/// What an import that is not a function gets; functions are resolved by [`function`].
pub(crate) fn provide(module: &mut Module, import: &wp::Import<'_>) -> Result<(), LoadError> {
    let fits = |min: u64, max: Option<u64>, has_min: u32, has_max: u32| {
        min <= u64::from(has_min) && max.is_none_or(|max| max >= u64::from(has_max))
    };
    match (import.name, import.ty) {
        ("memory", wp::TypeRef::Memory(m))
            if fits(m.initial, m.maximum, MEMORY.min, MEMORY.max) && module.memory.is_none() =>
        {
            module.memory = Some(MEMORY);
        }
        ("table", wp::TypeRef::Table(t))
            if fits(t.initial, t.maximum, TABLE.min, TABLE.max) && t.element_type.is_func_ref() =>
        {
            module.tables.push(TABLE);
        }
        (name, wp::TypeRef::Global(g)) if !g.mutable => {
            let (ty, bits) = global(name).ok_or_else(|| nobody(import))?;
            if val_type(g.content_type) != Ok(ty) {
                return Err(nobody(import));
            }
            module.globals.push(Global { init: ConstExpr::Value(bits) });
        }
        _ => return Err(nobody(import)),
    }
    Ok(())
}

/// The function of an import: the suite's functions print, which is nothing to us.
pub(crate) fn function(import: &wp::Import<'_>, ty: &FuncType) -> Result<HostFunction, LoadError> {
    use ValType::{F32, F64, I32, I64};
    let params: &[ValType] = match import.name {
        "print" => &[],
        "print_i32" => &[I32],
        "print_i64" => &[I64],
        "print_f32" => &[F32],
        "print_f64" => &[F64],
        "print_i32_f32" => &[I32, F32],
        "print_f64_f64" => &[F64, F64],
        _ => return Err(nobody(import)),
    };
    if ty.params == params && ty.results.is_empty() {
        Ok(HostFunction::Ignore)
    } else {
        Err(nobody(import))
    }
}

fn global(name: &str) -> Option<(ValType, u64)> {
    Some(match name {
        "global_i32" => (ValType::I32, 666),
        "global_i64" => (ValType::I64, 666),
        "global_f32" => (ValType::F32, u64::from(666.6f32.to_bits())),
        "global_f64" => (ValType::F64, 666.6f64.to_bits()),
        _ => return None,
    })
}

fn nobody(import: &wp::Import<'_>) -> LoadError {
    LoadError::Import { module: import.module.to_owned(), name: import.name.to_owned() }
}
