//! A copy of a module that counts its own cost.

mod body;
mod charge;
mod rewrite;
mod shape;

use std::collections::HashSet;

use pessimum_entry::host::{AllocationSize, allocation_size};
use pessimum_entry::{Bulk, CostModel, Function, ModuleSummary};
use wasm_encoder::reencode::Reencode;

use crate::InstrumentError;
pub(crate) use body::Profiled;
use rewrite::Rewriter;
use shape::Shape;

/// The names under which the copy exports what the replayer needs. A colon keeps them apart from
/// whatever a compiler exports.
pub(crate) mod door {
    /// The cost so far, `i64`.
    pub(crate) const COST: &str = "pessimum:cost";
    /// 1 inside the measured region, else 0, `i64`.
    pub(crate) const ACTIVE: &str = "pessimum:active";
    /// How many activations are on the call stack, `i64`.
    pub(crate) const DEPTH: &str = "pessimum:depth";
    /// The stack pointer at the beginning of the region, `i32`.
    pub(crate) const STACK_BASE: &str = "pessimum:stack-base";
    /// The module's own stack pointer, `i32`.
    pub(crate) const STACK_POINTER: &str = "pessimum:stack-pointer";
    /// The digest of the branches so far, `i64`.
    pub(crate) const TRACE: &str = "pessimum:trace";
    /// Memory 0.
    pub(crate) const MEMORY: &str = "pessimum:memory";

    /// The program's own allocator.
    pub(crate) const ALLOCATOR: &str = "pessimum:allocator";
    /// The start function. The engine would run it in one piece, so the copy has none of its own.
    pub(crate) const START: &str = "pessimum:start";

    /// The counter with this number of a profiled copy, `i64`.
    pub(crate) fn profile(number: u32) -> String {
        format!("pessimum:profile:{number}")
    }
}

/// A copy of a module that counts its own cost.
///
/// It differs from the original only in what it counts: a mutable global holds the cost and grows,
/// at the injected points, by a price times another global that is 1 inside the measured region
/// and 0 outside. Prices of operators are charged once for each straight stretch of code, so that
/// counting every instruction costs little more than counting branches. Stretches end at calls
/// too: a callee may begin or end the region. The steps of a bulk operation are charged behind it,
/// from the length that it was given; those of a function of the host by that function.
#[derive(Debug, Clone)]
pub struct Instrumented {
    bytes: Vec<u8>,
    model: CostModel,
    summary: ModuleSummary,
    /// For `calls:FUNC`: the functions whose activation by the host is not a call.
    counted_entries: Vec<u32>,
    /// What has a counter of its own, each with its function.
    profiled: Vec<(u32, Profiled)>,
}

/// What is injected, and where.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) model: CostModel,
    /// Defined functions whose entry is charged.
    pub(crate) entries: HashSet<u32>,
    /// Operators, by their offset in the module, that are charged.
    pub(crate) points: HashSet<u32>,
    /// Functions that every reference reaches through a wrapper that charges.
    pub(crate) wrapped: Vec<Wrapped>,
    /// The global of the shadow stack, if it is watched.
    pub(crate) stack_pointer: Option<u32>,
    /// Imported functions that copy, and charge for it.
    pub(crate) copying: HashSet<u32>,
}

/// A function that is reached through a wrapper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapped {
    /// The function itself.
    pub(crate) function: u32,
    /// What the wrapper charges: the size asked for, or 1.
    pub(crate) size: Option<AllocationSize>,
}

impl Instrumented {
    /// Copies a module with the counters of a cost model in it.
    ///
    /// `line_points` are the operators that begin the line of `visits:FILE:LINE`, as function index
    /// and byte offset in the module; other models ignore them.
    pub fn new(
        module: &[u8],
        model: &CostModel,
        line_points: &[(u32, u32)],
    ) -> Result<Self, InstrumentError> {
        Self::copy(module, model, line_points, false)
    }

    /// As [`Instrumented::new`], but the copy also counts which operator caused how much of the
    /// cost ([`RunOutcome::profile`](crate::RunOutcome::profile)). It is slower, and only for models
    /// that are sums over operators: `conditionals`, `instructions`, `blocks`, `fuel` and
    /// `visits`; for others the profile is empty.
    pub fn profiled(
        module: &[u8],
        model: &CostModel,
        line_points: &[(u32, u32)],
    ) -> Result<Self, InstrumentError> {
        Self::copy(module, model, line_points, true)
    }

    fn copy(
        module: &[u8],
        model: &CostModel,
        line_points: &[(u32, u32)],
        is_profiled: bool,
    ) -> Result<Self, InstrumentError> {
        let summary = ModuleSummary::read(module)?;
        let plan = Plan::new(&summary, model, line_points)?;
        let (mut bytes, mut rewriter) = rewrite(module, &summary, &plan, 0)?;
        if let Some(&(function, offset)) = line_points.iter().find(|(_, offset)| {
            plan.points.contains(offset) && !rewriter.points_met.contains(offset)
        }) {
            return Err(InstrumentError::NoInstruction { function, offset });
        }
        let mut profiled = Vec::new();
        if is_profiled {
            // Globals come before code in a module: only now is it known how many are needed.
            let count = rewriter.parts.len() as u32;
            (bytes, rewriter) = rewrite(module, &summary, &plan, count)?;
            profiled = rewriter.parts;
        }
        let counted_entries = match model {
            CostModel::Calls(name) => summary.functions_named(name),
            _ => Vec::new(),
        };
        Ok(Self { bytes, model: model.clone(), summary, counted_entries, profiled })
    }

    /// The copy in the binary format.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it counts.
    pub fn model(&self) -> &CostModel {
        &self.model
    }

    /// The original.
    pub fn summary(&self) -> &ModuleSummary {
        &self.summary
    }

    /// What has a counter of its own, in the order of the counters, each with its function.
    pub(crate) fn profiled_parts(&self) -> &[(u32, Profiled)] {
        &self.profiled
    }

    /// Whether the host's own call of that function was counted though it should not be.
    pub(crate) fn counts_entry(&self, function: u32) -> bool {
        self.counted_entries.contains(&function)
    }
}

/// Writes the copy, and says what was met on the way.
fn rewrite<'p>(
    module: &[u8],
    summary: &ModuleSummary,
    plan: &'p Plan,
    profiled: u32,
) -> Result<(Vec<u8>, Rewriter<'p>), InstrumentError> {
    let shape = Shape::read(module).map_err(|error| InstrumentError::Copy(error.to_string()))?;
    let mut rewriter = Rewriter::new(shape, plan, summary, profiled);
    let mut copy = wasm_encoder::Module::new();
    rewriter
        .parse_core_module(&mut copy, wasmparser::Parser::new(0), module)
        .map_err(|error| InstrumentError::Copy(error.to_string()))?;
    let copy =
        without_start(&copy.finish()).map_err(|error| InstrumentError::Copy(error.to_string()))?;
    Ok((copy, rewriter))
}

/// The same module without its start section.
fn without_start(module: &[u8]) -> Result<Vec<u8>, wasmparser::BinaryReaderError> {
    let mut copy = wasm_encoder::Module::new();
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        if let Some((id, range)) = payload?.as_section()
            && id != wasm_encoder::SectionId::Start as u8
        {
            copy.section(&wasm_encoder::RawSection {
                id,
                data: &module[range.start as usize..range.end as usize],
            });
        }
    }
    Ok(copy.finish())
}

impl Plan {
    fn new(
        summary: &ModuleSummary,
        model: &CostModel,
        line_points: &[(u32, u32)],
    ) -> Result<Self, InstrumentError> {
        let mut plan = Plan {
            model: model.clone(),
            entries: HashSet::new(),
            points: HashSet::new(),
            wrapped: Vec::new(),
            stack_pointer: None,
            copying: HashSet::new(),
        };
        if model.step_price(Bulk::Host) > 0 {
            let copies = |(_, function): &(usize, &Function)| {
                function.import.as_ref().is_some_and(|(from, name)| crate::host::copies(from, name))
            };
            let functions = summary.functions.iter().enumerate().filter(copies);
            plan.copying = functions.map(|(index, _)| index as u32).collect();
        }
        match model {
            CostModel::VisitsFunction(name) | CostModel::Calls(name) => {
                let named = summary.functions_named(name);
                if named.is_empty() {
                    return Err(no_function(summary, name));
                }
                for function in named {
                    match summary.functions[function as usize].import {
                        Some(_) => plan.wrapped.push(Wrapped { function, size: None }),
                        None => {
                            plan.entries.insert(function);
                        }
                    }
                }
            }
            CostModel::VisitsLine { file, line } => {
                if line_points.is_empty() {
                    return Err(InstrumentError::NoLine { file: file.clone(), line: *line });
                }
                plan.points = line_points.iter().map(|&(_, offset)| offset).collect();
            }
            CostModel::Heap => {
                for (index, function) in summary.functions.iter().enumerate() {
                    let size = function
                        .names
                        .iter()
                        .find_map(|name| allocation_size(name, &function.params));
                    if size.is_some() {
                        plan.wrapped.push(Wrapped { function: index as u32, size });
                    }
                }
            }
            CostModel::StackBytes => {
                plan.stack_pointer =
                    Some(summary.stack_pointer.ok_or(InstrumentError::NoStackPointer)?);
            }
            CostModel::Conditionals
            | CostModel::Decisions
            | CostModel::Instructions
            | CostModel::Blocks
            | CostModel::Stack
            | CostModel::Output
            | CostModel::Fuel(_) => {}
        }
        Ok(plan)
    }
}

fn no_function(summary: &ModuleSummary, name: &str) -> InstrumentError {
    /// More would not be read.
    const SHOWN: usize = 12;
    let names = || summary.functions.iter().filter_map(|function| function.names.first());
    let mut known: Vec<String> =
        names().filter(|own| own.contains(name)).take(SHOWN).cloned().collect();
    if known.is_empty() {
        known = names().take(SHOWN).cloned().collect();
    }
    InstrumentError::NoFunction { name: name.to_owned(), known }
}
