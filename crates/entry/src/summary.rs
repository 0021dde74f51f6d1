//! What can be said of a module without running it: its functions, their names, its doors.

use std::collections::HashSet;
use std::fmt;

use crate::Type;
use wasmparser::{ExternalKind, KnownCustom, Name, Parser, Payload, TypeRef, ValType};

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
    /// calls `__stack_pointer`; else global 0, if it is a mutable `i32`.
    pub stack_pointer: Option<u32>,
    /// Whether there is a memory 0.
    pub has_memory: bool,
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
    /// Reads the sections that say what a module offers. It does not validate the code.
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

    /// Whether the program says itself what is to be measured: it imports `measure_begin`. The
    /// activation of the entry is then not measured as such, only what lies between
    /// `measure_begin` and `measure_end` (or the end of the run).
    pub fn measures_itself(&self) -> bool {
        self.imports_function("pessimum", "measure_begin")
    }
}

/// The tables of a module while it is read.
#[derive(Default)]
struct Reader {
    summary: ModuleSummary,
    types: Vec<(Vec<WasmType>, Vec<WasmType>)>,
    /// For each global: whether it is a mutable `i32`.
    globals: Vec<bool>,
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
        let fallback = (self.globals.first() == Some(&true)).then_some(0);
        self.summary.stack_pointer = self
            .named_stack_pointer
            .filter(|&index| self.globals.get(index as usize) == Some(&true))
            .or(fallback);
        Ok(self.summary)
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
                    self.global(global?.ty);
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

    #[test]
    fn an_unnamed_first_global_is_the_stack_pointer_if_it_can_be() {
        let pointer =
            |text: &str| ModuleSummary::read(&wat::parse_str(text).unwrap()).unwrap().stack_pointer;
        assert_eq!(pointer("(module (global (mut i32) (i32.const 1)))"), Some(0));
        assert_eq!(pointer("(module (global i32 (i32.const 1)))"), None);
        assert_eq!(pointer("(module (global (mut i64) (i64.const 1)))"), None);
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
