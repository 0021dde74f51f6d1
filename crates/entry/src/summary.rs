//! What can be said of a module without running it: its functions, their names, its doors.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::Type;
use crate::bodies::Bodies;
use crate::declared::{self, DeclaredCall};
use crate::host::{Allocator, MALLOC, PessimumImport};
use wasmparser::{
    ElementItems, ExternalKind, KnownCustom, Name, Operator, Parser, Payload, TableInit, TypeRef,
    ValType,
};

/// The type of a Wasm value, as far as entering a program needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum WasmType {
    I32,
    I64,
    F32,
    F64,
    /// A vector or a reference, which no call description can make.
    Other,
}

/// A function of the module, imported or defined, in the order of the function index space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// What it is called: in the name section, by its exports, by its import. No name twice.
    pub names: Vec<String>,
    /// Where it comes from, if it is imported: module and name.
    pub import: Option<(String, String)>,
    /// Its parameters.
    pub params: Vec<WasmType>,
    /// Its results.
    pub results: Vec<WasmType>,
}

/// A function that can be called from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFunction {
    /// The name of the export.
    pub name: String,
    /// Its place in the function index space.
    pub index: u32,
    /// Its parameters.
    pub params: Vec<WasmType>,
    /// Its results.
    pub results: Vec<WasmType>,
}

/// What can be said of a module without running it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleSummary {
    /// The exported functions, in the order of the export section.
    pub exports: Vec<ExportedFunction>,
    /// The imported functions, as module and name, in order.
    pub imports: Vec<(String, String)>,
    /// Every function, imports first.
    pub functions: Vec<Function>,
    /// The global that holds the shadow-stack pointer: the one that the name section or an export
    /// calls `__stack_pointer`; else the one that every function which sets it lowers first and
    /// restores in the end; none if there is no such global.
    pub stack_pointer: Option<u32>,
    /// Whether there is a memory 0.
    pub has_memory: bool,
    /// Whether the code asks how large memory is, or grows it.
    pub sizes_memory: bool,
    /// Its own allocator, if it has one that can be asked for memory.
    pub allocator: Option<Allocator>,
    /// The calls that it describes itself.
    pub declared: Vec<DeclaredCall>,
    /// Of each function whether a call of it can come to `measure_begin`; empty where the module
    /// does not import that.
    measuring: Vec<bool>,
}

/// A file that is not a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    /// It is empty.
    #[error("the file is empty: compile the program to WebAssembly first")]
    Empty,
    /// It does not begin as a module does.
    #[error("this is not a WebAssembly module, which begins with the bytes 00 61 73 6d: {mend}")]
    NotWasm {
        /// What to do instead.
        mend: &'static str,
    },
    /// It is a component, not a core module.
    #[error(
        "this is a WebAssembly component: extract its core module first, or compile for wasm32-wasip1"
    )]
    Component,
    /// It breaks off or is malformed.
    #[error("the module is damaged at byte {offset}: {reason}")]
    Malformed {
        /// Where.
        offset: u64,
        /// Why.
        reason: String,
    },
}

impl WasmType {
    /// The name in the text format.
    pub fn name(self) -> &'static str {
        match self {
            WasmType::I32 => "i32",
            WasmType::I64 => "i64",
            WasmType::F32 => "f32",
            WasmType::F64 => "f64",
            WasmType::Other => "a reference or vector",
        }
    }

    /// The bit pattern in which an integer argument is passed; none if the type cannot hold it.
    /// Both readings of an integer type are welcome: −1 and 4294967295 are the same `i32`. Floats
    /// take the integers that they hold exactly.
    pub fn bits_of_integer(self, value: i128) -> Option<u64> {
        let either = |signed: Type, unsigned: Type| {
            signed.bits_of_integer(value).or(unsigned.bits_of_integer(value))
        };
        match self {
            WasmType::I32 => either(Type::I32, Type::U32),
            WasmType::I64 => either(Type::I64, Type::U64),
            WasmType::F32 => {
                let float = value as f32;
                (float as i128 == value).then(|| u64::from(float.to_bits()))
            }
            WasmType::F64 => {
                let float = value as f64;
                (float as i128 == value).then(|| float.to_bits())
            }
            WasmType::Other => None,
        }
    }
}

impl fmt::Display for WasmType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<ValType> for WasmType {
    fn from(ty: ValType) -> Self {
        match ty {
            ValType::I32 => WasmType::I32,
            ValType::I64 => WasmType::I64,
            ValType::F32 => WasmType::F32,
            ValType::F64 => WasmType::F64,
            ValType::V128 | ValType::Ref(_) => WasmType::Other,
        }
    }
}

impl ModuleSummary {
    /// Reads what a module offers and whom its functions call. It does not validate the code.
    pub fn read(module: &[u8]) -> Result<Self, SummaryError> {
        if module.is_empty() {
            return Err(SummaryError::Empty);
        }
        if !module.starts_with(b"\0asm") {
            let is_text =
                std::str::from_utf8(module).is_ok_and(|text| text.trim_start().starts_with('('));
            let mend = if is_text {
                "it looks like the text format, which wat2wasm or `wasm-tools parse` translates"
            } else {
                "compile the program for wasm32, for example with clang --target=wasm32-wasi"
            };
            return Err(SummaryError::NotWasm { mend });
        }
        Reader::default().read(module)
    }

    /// The exported function of that name.
    pub fn export(&self, name: &str) -> Option<&ExportedFunction> {
        self.exports.iter().find(|export| export.name == name)
    }

    /// The indices of all functions of that name; several when the name section repeats itself.
    pub fn functions_named(&self, name: &str) -> Vec<u32> {
        let named = |(index, function): (usize, &Function)| {
            function.names.iter().any(|own| own == name).then_some(index as u32)
        };
        self.functions.iter().enumerate().filter_map(named).collect()
    }

    /// Whether that function is imported.
    pub fn imports_function(&self, module: &str, name: &str) -> bool {
        self.imports.iter().any(|(m, n)| m == module && n == name)
    }

    /// Whether a run says itself what is to be measured: a call of this export can come to
    /// `measure_begin`. The activation of the entry is then not measured as such, only what lies
    /// between `measure_begin` and `measure_end` (or the end of the run).
    pub fn measures_itself(&self, entry: &str) -> bool {
        self.export(entry).is_some_and(|export| self.function_measures_itself(export.index))
    }

    /// Whether memory that the host places arguments in may be handed out again by an allocator of
    /// the program: one that looks at the size of memory and cannot be asked itself.
    pub fn may_overwrite_arguments(&self) -> bool {
        self.allocator.is_none() && self.sizes_memory
    }

    /// As [`ModuleSummary::measures_itself`], of a function by its index.
    pub fn function_measures_itself(&self, function: u32) -> bool {
        self.measuring.get(function as usize).copied().unwrap_or(false)
    }
}

/// The tables of a module while it is read.
#[derive(Default)]
struct Reader {
    summary: ModuleSummary,
    types: Vec<(Vec<WasmType>, Vec<WasmType>)>,
    /// For each global: whether it is a mutable `i32`.
    globals: Vec<bool>,
    /// The type of each function, as an index into `types`.
    function_types: Vec<u32>,
    bodies: Bodies,
    named_stack_pointer: Option<u32>,
}

impl Reader {
    fn read(mut self, module: &[u8]) -> Result<ModuleSummary, SummaryError> {
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload.map_err(malformed)?;
            if let Payload::Version { encoding: wasmparser::Encoding::Component, .. } = payload {
                return Err(SummaryError::Component);
            }
            self.payload(payload).map_err(malformed)?;
        }
        for function in &mut self.summary.functions {
            without_repeats(&mut function.names);
        }
        self.summary.stack_pointer = self
            .named_stack_pointer
            .filter(|&index| self.globals.get(index as usize) == Some(&true))
            .or_else(|| self.bodies.stack_pointer());
        self.summary.sizes_memory = self.bodies.sizes_memory;
        // A linker puts them in any order.
        self.summary.declared.sort_by(|a, b| a.name.cmp(&b.name));
        let malloc = self.summary.export(MALLOC).map(|export| export.index);
        self.summary.allocator = Allocator::find(&self.summary.functions, malloc);
        self.summary.measuring = self.measuring();
        Ok(self.summary)
    }

    /// Of each function whether it can come to `measure_begin`; empty if nobody can.
    fn measuring(&self) -> Vec<bool> {
        let is_begin = |function: &Function| {
            function.import.as_ref().is_some_and(|(module, name)| {
                module == PessimumImport::MODULE
                    && PessimumImport::parse(name) == Some(PessimumImport::MeasureBegin)
            })
        };
        let functions = self.summary.functions.iter().enumerate();
        let begins: Vec<u32> =
            functions.filter(|(_, f)| is_begin(f)).map(|(index, _)| index as u32).collect();
        if begins.is_empty() {
            return Vec::new();
        }
        // Types are the same if they look the same, whatever their index.
        let mut seen = HashMap::new();
        let classes: Vec<usize> = self
            .types
            .iter()
            .enumerate()
            .map(|(index, ty)| *seen.entry(ty).or_insert(index))
            .collect();
        let class = |ty: u32| classes.get(ty as usize).copied();
        let unknown = classes.len();
        let types: Vec<usize> =
            self.function_types.iter().map(|ty| class(*ty).unwrap_or(unknown)).collect();
        self.bodies.reaching(begins, self.summary.imports.len() as u32, &types, class)
    }

    /// Notes the functions that a constant expression refers to.
    fn references(
        &mut self,
        expr: &wasmparser::ConstExpr<'_>,
    ) -> Result<(), wasmparser::BinaryReaderError> {
        for op in expr.get_operators_reader() {
            if let Operator::RefFunc { function_index } = op? {
                self.bodies.referenced.insert(function_index);
            }
        }
        Ok(())
    }

    /// Notes the functions that the tables of a module may hold.
    fn elements(
        &mut self,
        section: wasmparser::ElementSectionReader<'_>,
    ) -> Result<(), wasmparser::BinaryReaderError> {
        for element in section {
            match element?.items {
                ElementItems::Functions(functions) => {
                    for function in functions {
                        self.bodies.referenced.insert(function?);
                    }
                }
                ElementItems::Expressions(_, expressions) => {
                    for expression in expressions {
                        self.references(&expression?)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn payload(&mut self, payload: Payload<'_>) -> Result<(), wasmparser::BinaryReaderError> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group?.into_types() {
                        self.types.push(match &ty.composite_type.inner {
                            wasmparser::CompositeInnerType::Func(func) => (
                                func.params().iter().map(|&ty| ty.into()).collect(),
                                func.results().iter().map(|&ty| ty.into()).collect(),
                            ),
                            _ => (Vec::new(), Vec::new()),
                        });
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    match import.ty {
                        TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                            let key = (import.module.to_owned(), import.name.to_owned());
                            self.summary.imports.push(key.clone());
                            self.function(ty, Some(key));
                        }
                        TypeRef::Global(ty) => self.global(ty),
                        TypeRef::Memory(_) => self.summary.has_memory = true,
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.function(ty?, None);
                }
            }
            Payload::MemorySection(section) => self.summary.has_memory |= section.count() > 0,
            Payload::GlobalSection(section) => {
                for global in section {
                    let global = global?;
                    self.global(global.ty);
                    self.references(&global.init_expr)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    match export.kind {
                        ExternalKind::Func | ExternalKind::FuncExact => {
                            self.export(export.name, export.index)
                        }
                        ExternalKind::Global if export.name == STACK_POINTER => {
                            self.named_stack_pointer = Some(export.index);
                        }
                        _ => {}
                    }
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    if let TableInit::Expr(init) = table?.init {
                        self.references(&init)?;
                    }
                }
            }
            Payload::ElementSection(section) => self.elements(section)?,
            Payload::CodeSectionEntry(body) => self.bodies.read(&body, &self.globals)?,
            Payload::CustomSection(section) if section.name() == declared::SECTION => {
                self.summary.declared.extend(declared::read(section.data()));
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    // A damaged name section loses names, never the module: it is not part of
                    // what a module means.
                    names.into_iter().map_while(Result::ok).for_each(|names| self.names(names));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn function(&mut self, ty: u32, import: Option<(String, String)>) {
        let (params, results) = self.types.get(ty as usize).cloned().unwrap_or_default();
        let names = import.iter().map(|(_, name)| name.clone()).collect();
        self.function_types.push(ty);
        self.summary.functions.push(Function { names, import, params, results });
    }

    fn global(&mut self, ty: wasmparser::GlobalType) {
        self.globals.push(ty.mutable && ty.content_type == ValType::I32);
    }

    fn export(&mut self, name: &str, index: u32) {
        if let Some(function) = self.summary.functions.get_mut(index as usize) {
            self.summary.exports.push(ExportedFunction {
                name: name.to_owned(),
                index,
                params: function.params.clone(),
                results: function.results.clone(),
            });
            add_name(function, name);
        }
    }

    fn names(&mut self, names: Name<'_>) {
        match names {
            Name::Function(map) => {
                for naming in map.into_iter().map_while(Result::ok) {
                    if let Some(function) = self.summary.functions.get_mut(naming.index as usize) {
                        add_name(function, naming.name);
                    }
                }
            }
            Name::Global(map) => {
                for naming in map.into_iter().map_while(Result::ok) {
                    if naming.name == STACK_POINTER {
                        self.named_stack_pointer = Some(naming.index);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What LLVM's linker calls the global of the shadow stack.
const STACK_POINTER: &str = "__stack_pointer";

fn add_name(function: &mut Function, name: &str) {
    function.names.push(name.to_owned());
}

/// Keeps the first of equal names. All at once in the end: a function may have very many.
fn without_repeats(names: &mut Vec<String>) {
    let mut seen = HashSet::new();
    let first: Vec<bool> = names.iter().map(|name| seen.insert(name.as_str())).collect();
    let mut first = first.into_iter();
    names.retain(|_| first.next() == Some(true));
}

fn malformed(error: wasmparser::BinaryReaderError) -> SummaryError {
    SummaryError::Malformed { offset: error.offset(), reason: error.message().to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_doors_and_the_stack_pointer() {
        let module = wat::parse_str(
            r#"(module
                (import "env" "puts" (func $puts (param i32) (result i32)))
                (global $other (mut i32) (i32.const 0))
                (global $__stack_pointer (mut i32) (i32.const 1024))
                (memory 1)
                (func $inner (export "outer") (param i32 i64) (result f64) (f64.const 0)))"#,
        )
        .unwrap();
        let summary = ModuleSummary::read(&module).unwrap();
        assert_eq!(summary.stack_pointer, Some(1));
        assert!(summary.has_memory);
        assert_eq!(summary.functions_named("puts"), [0]);
        assert_eq!(summary.functions_named("inner"), [1]);
        assert_eq!(summary.functions_named("outer"), [1]);
        let export = summary.export("outer").unwrap();
        assert_eq!((export.index, &*export.params), (1, &[WasmType::I32, WasmType::I64][..]));
        assert!(summary.imports_function("env", "puts"));
    }

    fn summary(text: &str) -> ModuleSummary {
        ModuleSummary::read(&wat::parse_str(text).expect("text")).expect("a module")
    }

    #[test]
    fn a_stack_pointer_without_a_name_is_known_by_its_use() {
        let pointer = |functions: &str| {
            let text = format!(
                "(module (global (mut i32) (i32.const 9)) (global (mut i32) (i32.const 65536)) {functions})"
            );
            summary(&text).stack_pointer
        };
        let optimised = "(func (local i32)
            (global.set 1 (local.tee 0 (i32.sub (global.get 1) (i32.const 16))))
            (if (local.get 0) (then (global.set 1 (i32.add (local.get 0) (i32.const 16))) (return)))
            (global.set 1 (i32.add (local.get 0) (i32.const 16))))";
        let plain = "(func (local i32 i32 i32 i32)
            (local.set 0 (global.get 1)) (local.set 1 (i32.const 16))
            (local.set 2 (i32.sub (local.get 0) (local.get 1))) (global.set 1 (local.get 2))
            (local.set 3 (i32.add (local.get 2) (local.get 1))) (global.set 1 (local.get 3)))";
        let aligned = "(func (param i32) (local i32 i32)
            (local.set 1 (global.get 1))
            (global.set 1 (local.tee 2 (i32.and (i32.sub (local.get 1) (i32.const 100)) (i32.const -64))))
            (global.set 1 (i32.sub (local.get 2) (local.get 0)))
            (global.set 1 (local.get 1)))";
        let panics = "(func (global.set 1 (i32.sub (global.get 1) (i32.const 16))) (unreachable))";
        for function in [optimised, plain, aligned] {
            assert_eq!(pointer(function), Some(1), "{function}");
            assert_eq!(pointer(&format!("{function} {panics}")), Some(1), "{function}");
        }
        // Allocators that count up or down, and a counter.
        let others = [
            "(func (param i32) (result i32) (global.get 1) (global.set 1 (i32.add (global.get 1) (local.get 0))))",
            "(func (param i32) (global.set 1 (i32.sub (global.get 1) (local.get 0))))",
            "(func (result i32) (global.set 1 (i32.sub (global.get 1) (i32.const 16))) (global.get 1))",
            "(func (global.set 1 (i32.add (global.get 1) (i32.const 1))))",
            "(func (param i32) (global.set 1 (local.get 0)))",
        ];
        for function in others {
            assert_eq!(pointer(function), None, "{function}");
            assert_eq!(pointer(&format!("{optimised} {function}")), None, "{function}");
        }
        assert_eq!(pointer(""), None);
    }

    #[test]
    fn only_who_can_reach_measure_begin_measures_itself() {
        let summary = summary(
            r#"(module
                (import "pessimum" "measure_begin" (func $begin))
                (type $other (func (param i32)))
                (table funcref (elem $indirect))
                (func $inner (call $begin))
                (func $indirect (param i32) (call $inner))
                (func (export "directly") (call $inner))
                (func (export "through a table")
                    (call_indirect (type $other) (i32.const 0) (i32.const 0)))
                (func (export "of another type") (call_indirect (i32.const 0)))
                (func (export "alone") (param i32) (if (local.get 0) (then (nop))))
                (func (export "recursive") (call $loops))
                (func $loops (call $loops)))"#,
        );
        let measuring = |name: &str| summary.measures_itself(name);
        assert!(measuring("directly") && measuring("through a table"));
        assert!(!measuring("of another type") && !measuring("alone") && !measuring("recursive"));
        assert!(!measuring("no such export"));
    }

    #[test]
    fn files_that_are_no_module() {
        assert_eq!(ModuleSummary::read(b""), Err(SummaryError::Empty));
        assert!(
            matches!(ModuleSummary::read(b"(module)"), Err(SummaryError::NotWasm { mend }) if mend.contains("text"))
        );
        assert!(matches!(ModuleSummary::read(b"\x7fELF"), Err(SummaryError::NotWasm { .. })));
        assert!(matches!(
            ModuleSummary::read(b"\0asm\x01\0\0\0\x01\x20"),
            Err(SummaryError::Malformed { .. })
        ));
        assert_eq!(ModuleSummary::read(b"\0asm\x0d\0\x01\0"), Err(SummaryError::Component));
    }

    proptest! {
        #[test]
        fn never_panics(tail: Vec<u8>) {
            let _ = ModuleSummary::read(&[b"\0asm\x01\0\0\0", &tail[..]].concat());
        }
    }
}
