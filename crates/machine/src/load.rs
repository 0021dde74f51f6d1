//! From bytes to a [`Module`]: sections in, everything validated, bodies translated.

use crate::error::LoadError;
use crate::host::HostFunction;
use crate::module::{
    ConstExpr, DataSegment, ElemSegment, FuncType, Function, Global, LoadOptions, MemoryDecl,
    Module, TableDecl, ValType,
};
use crate::names::written;
use crate::price::Price;
use crate::source::SourceMap;
use crate::spectest;
use crate::translate::translate;
use pessimum_entry::host::{MAX_TABLE_ELEMENTS, allocation_size};
use pessimum_entry::{CostModel, ModuleSummary, WasmType};
use std::collections::HashMap;
use std::sync::OnceLock;
use wasmparser as wp;

pub(crate) fn load(
    bytes: &[u8],
    cost: &CostModel,
    options: LoadOptions,
) -> Result<Module, LoadError> {
    let mut module = Module {
        code: Vec::new(),
        meta: Vec::new(),
        loop_depths: Vec::new(),
        jump_tables: Vec::new(),
        functions: Vec::new(),
        types: Vec::new(),
        globals: Vec::new(),
        memory: None,
        tables: Vec::new(),
        data: Vec::new(),
        elems: Vec::new(),
        exports: Vec::new(),
        start: None,
        summary: ModuleSummary::default(),
        sites: Vec::new(),
        blocks: Vec::new(),
        line_points: Vec::new(),
        names: Vec::new(),
        global_names: Vec::new(),
        source: SourceMap::default(),
        price: Price::Free,
        cost_model: cost.clone(),
        plain: OnceLock::new(),
    };
    let mut sections: HashMap<&str, &[u8]> = HashMap::new();
    let mut bodies = Vec::new();
    let mut code_start = 0;
    // Everything is let through here so that our own message can name the instruction.
    let mut validator = wp::Validator::new_with_features(wp::WasmFeatures::all());
    for payload in wp::Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|e| invalid(&e))?;
        if let wp::Payload::Version { encoding: wp::Encoding::Component, .. } = payload {
            return Err(LoadError::Component);
        }
        if let wp::ValidPayload::Func(to_validate, body) =
            validator.payload(&payload).map_err(|e| invalid(&e))?
        {
            bodies.push((to_validate, body));
        }
        match payload {
            wp::Payload::CustomSection(section) => {
                if let wp::KnownCustom::Name(names) = section.as_known() {
                    read_names(&mut module, names);
                }
                sections.insert(section.name(), section.data());
            }
            wp::Payload::CodeSectionStart { unchecked_range: range, .. } => {
                code_start = range.start as u32;
            }
            other => read_section(&mut module, other, options)?,
        }
    }
    module.source = SourceMap::read(&sections, code_start);
    let named = |name: &str| {
        let exports = module.exports.iter();
        let exported = exports.filter(|e| e.0 == name && e.1 == wp::ExternalKind::Func);
        let is_it = |own: &str| own == name || written(own).is_some_and(|own| own == name);
        let named = module.names.iter().enumerate().filter(|n| n.1.as_deref().is_some_and(is_it));
        exported.map(|e| e.2).chain(named.map(|n| n.0 as u32)).collect::<Vec<u32>>()
    };
    module.price = Price::new(cost, &named, &module.source)?;
    mark_allocators(&mut module);
    module.summary = ModuleSummary::read(bytes)
        .map_err(|e| LoadError::Invalid { message: e.to_string(), at: 0 })?;

    let imported = (module.functions.len() - bodies.len()) as u32;
    let mut allocations = wp::FuncValidatorAllocations::default();
    for (function, (to_validate, body)) in (imported..).zip(bodies) {
        let mut checker = to_validate.into_validator(allocations);
        let translated = translate(&module, function, &body, &mut checker)?;
        translated.append(&mut module, function);
        let range = body.range();
        let info = &mut module.functions[function as usize];
        info.body_start = range.start as u32;
        info.body_end = range.end as u32;
        info.body_hash = fingerprint(&bytes[range.start as usize..range.end as usize]);
        allocations = checker.into_allocations();
    }
    Ok(module)
}

/// The module's words for an error of the parser or validator.
pub(crate) fn invalid(e: &wp::BinaryReaderError) -> LoadError {
    if e.message().contains("unexpected end") {
        return LoadError::Truncated { at: e.offset() };
    }
    LoadError::Invalid { message: e.message().to_owned(), at: e.offset() }
}

fn read_section(
    module: &mut Module,
    payload: wp::Payload<'_>,
    options: LoadOptions,
) -> Result<(), LoadError> {
    match payload {
        wp::Payload::TypeSection(reader) => {
            for group in reader {
                for ty in group.map_err(|e| invalid(&e))?.into_types() {
                    let wp::CompositeInnerType::Func(f) = &ty.composite_type.inner else {
                        return Err(unsupported("types of the garbage collection proposal"));
                    };
                    let convert = |v: &[wp::ValType]| {
                        v.iter().map(|t| val_type(*t)).collect::<Result<_, _>>()
                    };
                    module.types.push(FuncType {
                        params: convert(f.params()).map_err(|()| unsupported_value())?,
                        results: convert(f.results()).map_err(|()| unsupported_value())?,
                    });
                }
            }
        }
        wp::Payload::ImportSection(reader) => {
            for import in reader.into_imports() {
                let import = import.map_err(|e| invalid(&e))?;
                read_import(module, import, options)?;
            }
        }
        wp::Payload::FunctionSection(reader) => {
            for ty in reader {
                let ty = ty.map_err(|e| invalid(&e))?;
                let (params, results) = arity(module, ty);
                module.functions.push(function(ty, params, results, None));
            }
        }
        wp::Payload::TableSection(reader) => {
            for table in reader {
                let table = table.map_err(|e| invalid(&e))?;
                let init = match &table.init {
                    wp::TableInit::RefNull => None,
                    wp::TableInit::Expr(e) => Some(const_expr(e)?),
                };
                module.tables.push(table_decl(&table.ty, init)?);
            }
        }
        wp::Payload::MemorySection(reader) => {
            for memory in reader {
                add_memory(module, &memory.map_err(|e| invalid(&e))?)?;
            }
        }
        wp::Payload::GlobalSection(reader) => {
            for global in reader {
                let global = global.map_err(|e| invalid(&e))?;
                val_type(global.ty.content_type).map_err(|()| unsupported_value())?;
                module.globals.push(Global { init: const_expr(&global.init_expr)? });
            }
        }
        wp::Payload::ExportSection(reader) => {
            for export in reader {
                let export = export.map_err(|e| invalid(&e))?;
                module.exports.push((export.name.to_owned(), export.kind, export.index));
            }
        }
        wp::Payload::StartSection { func, .. } => module.start = Some(func),
        wp::Payload::ElementSection(reader) => {
            for elem in reader {
                let elem = elem.map_err(|e| invalid(&e))?;
                module.elems.push(element(&elem)?);
            }
        }
        wp::Payload::DataSection(reader) => {
            for data in reader {
                let data = data.map_err(|e| invalid(&e))?;
                let offset = match data.kind {
                    wp::DataKind::Passive => None,
                    wp::DataKind::Active { offset_expr, .. } => Some(const_expr(&offset_expr)?),
                };
                module.data.push(DataSegment { offset, bytes: data.data.to_vec() });
            }
        }
        wp::Payload::TagSection(_) => {
            return Err(unsupported("exceptions (compile with -fno-exceptions)"));
        }
        _ => {}
    }
    Ok(())
}

fn read_import(
    module: &mut Module,
    import: wp::Import<'_>,
    options: LoadOptions,
) -> Result<(), LoadError> {
    let nobody =
        || LoadError::Import { module: import.module.to_owned(), name: import.name.to_owned() };
    let spectest = options.spectest && import.module == spectest::MODULE;
    match import.ty {
        wp::TypeRef::Func(ty) | wp::TypeRef::FuncExact(ty) => {
            let signature = module.types.get(ty as usize).cloned().ok_or_else(nobody)?;
            let host = if spectest {
                spectest::function(&import, &signature)?
            } else {
                HostFunction::resolve(import.module, import.name, &signature)?
            };
            let (params, results) = arity(module, ty);
            module.functions.push(function(ty, params, results, Some(host)));
        }
        _ if spectest => spectest::provide(module, &import)?,
        _ => return Err(nobody()),
    }
    Ok(())
}

fn function(ty: u32, params: u16, results: u16, host: Option<HostFunction>) -> Function {
    Function {
        ty,
        params,
        results,
        locals: 0,
        slots: 0,
        entry: 0,
        host,
        allocates: None,
        body_start: 0,
        body_end: 0,
        body_hash: 0,
    }
}

fn arity(module: &Module, ty: u32) -> (u16, u16) {
    // The validator allows at most 1000 of each.
    module
        .types
        .get(ty as usize)
        .map_or((0, 0), |t| (t.params.len() as u16, t.results.len() as u16))
}

fn table_decl(ty: &wp::TableType, init: Option<ConstExpr>) -> Result<TableDecl, LoadError> {
    if ty.table64 {
        return Err(unsupported("64-bit tables"));
    }
    let max = ty.maximum.unwrap_or(u64::from(u32::MAX)).min(u64::from(u32::MAX));
    // More than ten million entries is no table of a compiler, only a way to exhaust memory.
    let min = u32::try_from(ty.initial).ok().filter(|min| *min <= MAX_TABLE_ELEMENTS);
    let min = min.ok_or_else(|| unsupported("tables of more than 10,000,000 entries"))?;
    Ok(TableDecl { min, max: max as u32, init })
}

fn add_memory(module: &mut Module, ty: &wp::MemoryType) -> Result<(), LoadError> {
    if ty.memory64 {
        return Err(unsupported("64-bit memories (compile for wasm32)"));
    }
    if ty.shared {
        return Err(unsupported("shared memories (compile without -pthread)"));
    }
    if ty.page_size_log2.is_some_and(|p| p != 16) {
        return Err(unsupported("custom page sizes"));
    }
    if module.memory.is_some() {
        return Err(unsupported("more than one memory"));
    }
    let max = ty.maximum.unwrap_or(65536).min(65536);
    module.memory = Some(MemoryDecl { min: ty.initial as u32, max: max as u32 });
    Ok(())
}

fn element(elem: &wp::Element<'_>) -> Result<ElemSegment, LoadError> {
    let (target, declared) = match &elem.kind {
        wp::ElementKind::Passive => (None, false),
        wp::ElementKind::Declared => (None, true),
        wp::ElementKind::Active { table_index, offset_expr } => {
            (Some((table_index.unwrap_or(0), const_expr(offset_expr)?)), false)
        }
    };
    let mut items = Vec::new();
    match &elem.items {
        wp::ElementItems::Functions(reader) => {
            for f in reader.clone() {
                items.push(ConstExpr::Func(f.map_err(|e| invalid(&e))?));
            }
        }
        wp::ElementItems::Expressions(_, reader) => {
            for e in reader.clone() {
                items.push(const_expr(&e.map_err(|e| invalid(&e))?)?);
            }
        }
    }
    Ok(ElemSegment { target, declared, items })
}

/// A constant expression; sums of constants are folded.
fn const_expr(expr: &wp::ConstExpr<'_>) -> Result<ConstExpr, LoadError> {
    let mut stack: Vec<ConstExpr> = Vec::new();
    for op in expr.get_operators_reader() {
        let value = match op.map_err(|e| invalid(&e))? {
            wp::Operator::I32Const { value } => ConstExpr::Value(u64::from(value as u32)),
            wp::Operator::I64Const { value } => ConstExpr::Value(value as u64),
            wp::Operator::F32Const { value } => ConstExpr::Value(u64::from(value.bits())),
            wp::Operator::F64Const { value } => ConstExpr::Value(value.bits()),
            wp::Operator::RefNull { .. } => ConstExpr::Value(0),
            wp::Operator::RefFunc { function_index } => ConstExpr::Func(function_index),
            wp::Operator::GlobalGet { global_index } => ConstExpr::Global(global_index),
            wp::Operator::End => continue,
            wp::Operator::I32Add | wp::Operator::I32Sub | wp::Operator::I32Mul => {
                return Err(unsupported("extended constant expressions"));
            }
            other => {
                return Err(unsupported(&format!("{other:?} in a constant expression")));
            }
        };
        stack.push(value);
    }
    match stack.as_slice() {
        [one] => Ok(*one),
        _ => Err(unsupported("extended constant expressions")),
    }
}

fn read_names(module: &mut Module, names: wp::NameSectionReader<'_>) {
    // A damaged name section is no reason to refuse the module.
    for subsection in names.into_iter().flatten() {
        let (map, into) = match subsection {
            wp::Name::Function(map) => (map, &mut module.names),
            wp::Name::Global(map) => (map, &mut module.global_names),
            _ => continue,
        };
        for naming in map.into_iter().flatten() {
            let index = naming.index as usize;
            if index > 1_000_000 {
                continue;
            }
            if into.len() <= index {
                into.resize(index + 1, None);
            }
            into[index] = Some(naming.name.to_owned());
        }
    }
}

/// Notes which functions are asked for heap memory, for the `heap` cost model.
fn mark_allocators(module: &mut Module) {
    let mut exported: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, export) in module.exports.iter().enumerate() {
        if export.1 == wp::ExternalKind::Func {
            exported.entry(export.2).or_default().push(at);
        }
    }
    for index in 0..module.functions.len() {
        let params: Vec<WasmType> = module
            .type_of(index as u32)
            .params
            .iter()
            .filter_map(|p| match p {
                ValType::I32 => Some(WasmType::I32),
                ValType::I64 => Some(WasmType::I64),
                ValType::F32 => Some(WasmType::F32),
                ValType::F64 => Some(WasmType::F64),
                ValType::FuncRef | ValType::ExternRef => None,
            })
            .collect();
        let exported = exported.get(&(index as u32)).into_iter().flatten();
        let exported = exported.map(|at| module.exports[*at].0.as_str());
        let own = module.names.get(index).and_then(|n| n.as_deref());
        let size = own.into_iter().chain(exported).find_map(|n| allocation_size(n, &params));
        module.functions[index].allocates = size;
    }
}

pub(crate) fn val_type(ty: wp::ValType) -> Result<ValType, ()> {
    Ok(match ty {
        wp::ValType::I32 => ValType::I32,
        wp::ValType::I64 => ValType::I64,
        wp::ValType::F32 => ValType::F32,
        wp::ValType::F64 => ValType::F64,
        wp::ValType::V128 => return Err(()),
        wp::ValType::Ref(r) if r.is_func_ref() => ValType::FuncRef,
        wp::ValType::Ref(r) if r.is_extern_ref() => ValType::ExternRef,
        wp::ValType::Ref(_) => return Err(()),
    })
}

fn unsupported(what: &str) -> LoadError {
    LoadError::Unsupported { what: what.to_owned() }
}

fn unsupported_value() -> LoadError {
    unsupported("vectors (compile without -msimd128) and typed references")
}

/// A fingerprint of bytes (FNV-1a, 64 bits): stable across builds of this tool, unlike the standard
/// hasher.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
