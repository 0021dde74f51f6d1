//! A loaded module: validated, translated into the machine's code, with its sites and names.

use crate::code::{Code, JumpTable};
use crate::error::LoadError;
use crate::host::HostFunction;
use crate::names::written;
use crate::plain::PlainCode;
use crate::price::Price;
use crate::source::{Location, SourceMap};
use pessimum_entry::host::AllocationSize;
use pessimum_entry::{CostModel, ModuleSummary};
use std::fmt;
use std::sync::OnceLock;
use wasmparser as wp;

/// A branch, select or comparison of the module, as an index into [`Module::sites`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteIndex(pub u32);

/// Where something can be decided: a function and an instruction in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The function, in the module's index space.
    pub function: u32,
    /// Offset of the instruction from the start of the function's body.
    pub offset: u32,
    /// Offset of the instruction from the start of the file.
    pub file_offset: u32,
    /// What stands there.
    pub kind: SiteKind,
}

/// What stands at a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the instructions of these names
pub enum SiteKind {
    If,
    BrIf,
    BrTable { arms: u32 },
    Select,
    Comparison,
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ValType {
    I32,
    I64,
    F32,
    F64,
    FuncRef,
    ExternRef,
}

impl fmt::Display for ValType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValType::I32 => "i32",
            ValType::I64 => "i64",
            ValType::F32 => "f32",
            ValType::F64 => "f64",
            ValType::FuncRef => "funcref",
            ValType::ExternRef => "externref",
        })
    }
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FuncType {
    /// Types of the parameters.
    pub params: Vec<ValType>,
    /// Types of the results.
    pub results: Vec<ValType>,
}

impl fmt::Display for FuncType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |v: &[ValType]| v.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "({}) -> ({})", list(&self.params), list(&self.results))
    }
}

/// A function of the module or of the host.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) ty: u32,
    pub(crate) params: u16,
    pub(crate) results: u16,
    /// Parameters and locals.
    pub(crate) locals: u16,
    /// Locals and operand stack.
    pub(crate) slots: u16,
    pub(crate) entry: u32,
    pub(crate) host: Option<HostFunction>,
    pub(crate) allocates: Option<AllocationSize>,
    pub(crate) body_start: u32,
    pub(crate) body_end: u32,
    pub(crate) body_hash: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) init: ConstExpr,
}

/// An initialiser, resolved when the module is instantiated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConstExpr {
    Value(u64),
    /// A sum of imported or earlier globals and constants was not needed by any compiler so far.
    Global(u32),
    Func(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct DataSegment {
    /// Where an active segment goes.
    pub(crate) offset: Option<ConstExpr>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct ElemSegment {
    pub(crate) target: Option<(u32, ConstExpr)>,
    pub(crate) declared: bool,
    pub(crate) items: Vec<ConstExpr>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TableDecl {
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) init: Option<ConstExpr>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryDecl {
    pub(crate) min: u32,
    pub(crate) max: u32,
}

/// A basic block of a function.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The function it belongs to.
    pub function: u32,
    /// File offset of its first instruction.
    pub first: u32,
    /// Number of Wasm instructions.
    pub instructions: u32,
    /// What begins with it.
    pub kind: BlockKind,
}

/// What begins with a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// Nothing in particular.
    Plain,
    /// The function.
    Entry,
    /// A loop, nested this deep in its function, from 1.
    LoopHead {
        /// How deep.
        depth: u16,
    },
}

/// A WebAssembly module, ready to be instantiated.
#[derive(Debug)]
pub struct Module {
    pub(crate) code: Vec<Code>,
    /// For each instruction of `code`: file offset with [`INVERTED`], and 1 + the site or 0.
    pub(crate) meta: Vec<(u32, u32)>,
    /// For each instruction of `code`: how many loops of its function it is in.
    pub(crate) loop_depths: Vec<u16>,
    pub(crate) jump_tables: Vec<JumpTable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) types: Vec<FuncType>,
    pub(crate) globals: Vec<Global>,
    pub(crate) memory: Option<MemoryDecl>,
    pub(crate) tables: Vec<TableDecl>,
    pub(crate) data: Vec<DataSegment>,
    pub(crate) elems: Vec<ElemSegment>,
    pub(crate) exports: Vec<(String, wp::ExternalKind, u32)>,
    pub(crate) start: Option<u32>,
    /// What the module offers, and what its code does.
    pub(crate) summary: ModuleSummary,
    pub(crate) sites: Vec<Site>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) line_points: Vec<(u32, u32)>,
    pub(crate) names: Vec<Option<String>>,
    pub(crate) global_names: Vec<Option<String>>,
    pub(crate) source: SourceMap,
    pub(crate) price: Price,
    pub(crate) cost_model: CostModel,
    /// The code for runs without terms, once there was one.
    pub(crate) plain: OnceLock<PlainCode>,
}

/// Set in the offset of a jump that is taken when the Wasm instruction's condition does not hold.
pub(crate) const INVERTED: u32 = 1 << 31;

/// What a loader may take for granted beyond the ordinary.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Provide the imports of the official test suite's host module.
    pub spectest: bool,
}

impl Module {
    /// Reads and validates a module; its blocks are priced for `cost`.
    pub fn load(bytes: &[u8], cost: &CostModel) -> Result<Module, LoadError> {
        Self::load_with(bytes, cost, LoadOptions::default())
    }

    /// [`Module::load`] with options.
    pub fn load_with(
        bytes: &[u8],
        cost: &CostModel,
        options: LoadOptions,
    ) -> Result<Module, LoadError> {
        if bytes.is_empty() {
            return Err(LoadError::Empty);
        }
        if bytes.starts_with(b"!<arch>") {
            return Err(LoadError::Archive);
        }
        if !bytes.starts_with(b"\0asm") {
            return Err(LoadError::NotWasm);
        }
        crate::load::load(bytes, cost, options)
    }

    /// The code for runs without terms.
    pub(crate) fn plain(&self) -> &PlainCode {
        self.plain.get_or_init(|| PlainCode::of(self))
    }

    /// The cost model its blocks are priced for.
    pub fn cost_model(&self) -> &CostModel {
        &self.cost_model
    }

    /// Every site.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Readable texts in the data of the module, of `least` to `most` bytes: keywords, names, messages.
    pub fn texts(&self, least: usize, most: usize) -> impl Iterator<Item = &[u8]> {
        let fits = move |text: &&[u8]| (least..=most).contains(&text.len());
        let is_other = |byte: &u8| !(b' '..=b'~').contains(byte);
        self.data.iter().flat_map(move |segment| segment.bytes.split(is_other)).filter(fits)
    }

    /// The basic blocks, by the number the profile uses.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Instructions at which a visit of the `visits:FILE:LINE` model is counted: (function, file
    /// offset).
    pub fn line_points(&self) -> &[(u32, u32)] {
        &self.line_points
    }

    /// The name of a function: from the name section, as it was written in the source, an export, or its number.
    pub fn function_name(&self, function: u32) -> String {
        if let Some(Some(name)) = self.names.get(function as usize) {
            return written(name).unwrap_or_else(|| name.clone());
        }
        for (name, kind, index) in &self.exports {
            if *kind == wp::ExternalKind::Func && *index == function {
                return name.clone();
            }
        }
        format!("func[{function}]")
    }

    /// The function that an instruction was written in: the one it stands in, or one that a compiler inlined there.
    pub fn function_at(&self, function: u32, file_offset: u32) -> String {
        let moved = self.source.moved_from(file_offset).map(str::to_owned);
        moved.unwrap_or_else(|| self.function_name(function))
    }

    /// Hash of a function's body: with an offset in it, a key for a site that survives changes
    /// elsewhere in the module.
    pub fn body_hash(&self, function: u32) -> u64 {
        self.functions.get(function as usize).map_or(0, |f| f.body_hash)
    }

    /// Source position of a file offset, if the module has debug information.
    pub fn locate(&self, file_offset: u32) -> Option<Location> {
        self.source.locate(file_offset)
    }

    /// Source positions of the instructions from one file offset to another, both included; none
    /// without debug information.
    pub fn locate_all(&self, first: u32, last: u32) -> Vec<Location> {
        self.source.locate_all(first, last)
    }

    /// The source files that the debug information names; none without it.
    pub fn source_files(&self) -> Vec<String> {
        self.source.files().iter().map(ToString::to_string).collect()
    }

    /// Where a site is, in words: `sort.c:6:12`, or `sort+0x1f` without debug information.
    pub fn describe(&self, site: SiteIndex) -> String {
        match self.sites.get(site.0 as usize) {
            None => format!("site {}", site.0),
            Some(s) => match self.locate(s.file_offset) {
                Some(location) => location.to_string(),
                None => format!("{}+{:#x}", self.function_name(s.function), s.offset),
            },
        }
    }

    /// Whether the module imports functions that make inputs: a run may then have more than it was called with.
    pub fn asks_for_input(&self) -> bool {
        let asks = |host: &HostFunction| matches!(host, HostFunction::Pessimum(import) if import.makes_input());
        self.functions.iter().filter_map(|function| function.host.as_ref()).any(asks)
    }

    /// Number of functions, imports included.
    pub fn function_count(&self) -> u32 {
        self.functions.len() as u32
    }

    /// Names of the exported functions.
    pub fn exported_functions(&self) -> impl Iterator<Item = (&str, &FuncType)> {
        self.exports.iter().filter(|e| e.1 == wp::ExternalKind::Func).map(|(name, _, index)| {
            let ty = self.functions[*index as usize].ty;
            (name.as_str(), &self.types[ty as usize])
        })
    }

    pub(crate) fn exported_function(&self, name: &str) -> Result<u32, LoadError> {
        self.exports
            .iter()
            .find(|e| e.0 == name && e.1 == wp::ExternalKind::Func)
            .map(|e| e.2)
            .ok_or_else(|| LoadError::NoExport {
                name: name.to_owned(),
                exports: self.exported_functions().map(|e| e.0.to_owned()).collect(),
            })
    }

    /// Whether a run that enters this function marks its measured regions itself.
    pub(crate) fn measures_itself(&self, function: u32) -> bool {
        self.summary.function_measures_itself(function)
    }

    pub(crate) fn type_of(&self, function: u32) -> &FuncType {
        &self.types[self.functions[function as usize].ty as usize]
    }
}
