//! Where a run spends its cost, as the independent engine counts it.

use pessimum_campaign::{AnalysisResult, Error, Program};
use pessimum_clock::Deadline;
use pessimum_entry::{CostModel, InputValues};
use pessimum_explore::run_concrete;
use pessimum_machine::{FlowEnd, Module, OwnPlace};
use pessimum_replay::{
    End, Input, Instrumented, Limits, OperatorCost, ReplayError, Replayer, RunOutcome,
};
use pessimum_report::document::{DiffPlace, SourceLine};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Instructions above which a size is not run once more.
const PROFILED: u64 = 20_000_000;

/// Cost by file and line.
pub(crate) type Lines = BTreeMap<(String, u32), u64>;

/// Runs inputs with a counter for every stretch of code.
pub(crate) struct Profiler {
    replayer: Replayer,
    until: Deadline,
}

impl Profiler {
    /// For a program and what is counted; `module` is the one priced for it.
    pub(crate) fn new(
        program: &Program,
        module: &Module,
        cost: &CostModel,
    ) -> Result<Profiler, Error> {
        let wrong = |e: &dyn std::fmt::Display| Error::Replay(e.to_string());
        let copy = Instrumented::profiled(program.bytes(), cost, module.line_points())
            .map_err(|e| wrong(&e))?;
        let limits = Limits { seed: program.random_seed(), ..Limits::default() };
        let replayer = Replayer::new(&copy, limits).map_err(|e| wrong(&e))?;
        Ok(Profiler { replayer, until: Deadline::NEVER })
    }

    /// The same; what is not known by then is not told.
    pub(crate) fn until(self, until: Deadline) -> Profiler {
        Profiler { until, ..self }
    }

    /// The cost of an input by file and line, where debug information tells them.
    pub(crate) fn lines(
        &self,
        program: &Program,
        module: &Module,
        n: u64,
        input: &InputValues,
    ) -> Result<Lines, Error> {
        let mut lines = BTreeMap::new();
        for entry in self.run(program, n, input)? {
            if let Some(at) = module.locate(entry.offset) {
                *lines.entry((at.file.to_string(), at.line)).or_default() += entry.cost;
            }
        }
        Ok(lines)
    }

    /// The cost of an input by place: file and line, or function where no debug information tells them.
    fn places(
        &self,
        program: &Program,
        module: &Module,
        n: u64,
        input: &InputValues,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let mut places = BTreeMap::new();
        for entry in self.run(program, n, input)? {
            let at = match module.locate(entry.offset) {
                Some(at) => format!("{}:{}", at.file, at.line),
                None => module.function_name(entry.function),
            };
            *places.entry(at).or_default() += entry.cost;
        }
        Ok(places)
    }

    fn run(
        &self,
        program: &Program,
        n: u64,
        input: &InputValues,
    ) -> Result<Vec<OperatorCost>, Error> {
        let setup = program.setup(n)?;
        let (invocation, sizes) = (&setup.invocation, &setup.sizes);
        match self.replayer.run_until(invocation, sizes, Input::Values(input), &self.until) {
            Ok(RunOutcome { end: End::OutOfTime, .. }) | Err(ReplayError::OutOfTime { .. }) => {
                Ok(Vec::new())
            }
            Ok(outcome) => Ok(outcome.profile),
            Err(error) => Err(Error::Replay(error.to_string())),
        }
    }
}

/// Places that a comparison names.
const CHANGED: usize = 8;

/// Where the worst input of the largest size that both builds have costs more or less in the new one, the
/// greatest change first.
pub fn changed_places(
    old: (&Program, &AnalysisResult),
    new: (&Program, &AnalysisResult),
) -> Result<Vec<DiffPlace>, Error> {
    let both = |n: &u64| old.1.inputs.contains_key(n);
    let short = |n: &u64| is_short(old.1, *n) && is_short(new.1, *n);
    let Some(n) = new.1.inputs.keys().copied().rfind(|n| both(n) && short(n)) else {
        return Ok(Vec::new());
    };
    let profile = |(program, result): (&Program, &AnalysisResult)| {
        let module = &result.module;
        let Some((input, _)) = result.inputs.get(&n) else { return Ok(BTreeMap::new()) };
        Profiler::new(program, module, module.cost_model())?.places(program, module, n, input)
    };
    let (before, now) = (profile(old)?, profile(new)?);
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let place = |at: &&String| {
        let cost = |of: &BTreeMap<String, u64>| of.get(*at).copied().unwrap_or(0);
        DiffPlace { at: (*at).clone(), old: cost(&before), new: cost(&now) }
    };
    let mut places: Vec<DiffPlace> =
        names.iter().map(place).filter(|place| place.old != place.new).collect();
    places.sort_by_key(|place| Reverse(place.old.abs_diff(place.new)));
    places.truncate(CHANGED);
    Ok(places)
}

/// Whether the worst input of a size is short enough to be run once more.
pub(crate) fn is_short(result: &AnalysisResult, n: u64) -> bool {
    instructions(result, n) <= PROFILED
}

/// What the worst input of a size executes; 0 where that was not counted.
pub(crate) fn instructions(result: &AnalysisResult, n: u64) -> u64 {
    let sizes = result.document.sizes.iter().chain(&result.document.training);
    let executed = sizes.filter(|s| s.n == n).filter_map(|s| s.instructions).map(|i| i.worst);
    executed.max().unwrap_or(0)
}

/// The line that the largest worst input spends most of its cost on; by instructions for a cost
/// that no engine counts. Of the lines of files that `is_own` holds of, each with what is called from it elsewhere (a C
/// library), if the input spends anything there; else of all. `None` without debug information.
///
/// ```
/// use pessimum_campaign::{Analysis, Program};
/// use pessimum_illustrate::hotspot;
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let result = Analysis::of(program.clone()).sizes([8, 12]).run()?;
/// let is_own = |file: &str| file.ends_with("insertion_sort.c");
/// let line = hotspot(&program, &result, is_own)?.expect("it was compiled with -g");
/// assert!(line.file.ends_with("insertion_sort.c"));
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
pub fn hotspot(
    program: &Program,
    result: &AnalysisResult,
    is_own: impl Fn(&str) -> bool,
) -> Result<Option<SourceLine>, Error> {
    let largest = result.inputs.iter().rev().find(|(n, _)| is_short(result, **n));
    let Some((&n, (input, _))) = largest else { return Ok(None) };
    Ok(hottest_line(program, &result.module, (n, input), is_own)?.map(|(line, _)| line))
}

/// The line that an input spends most of its cost on, and its part of the whole: see [`hotspot`].
pub(crate) fn hottest_line(
    program: &Program,
    module: &Arc<Module>,
    (n, input): (u64, &InputValues),
    is_own: impl Fn(&str) -> bool,
) -> Result<Option<(SourceLine, f64)>, Error> {
    for cost in [module.cost_model(), &CostModel::Instructions] {
        let module = match cost == module.cost_model() {
            true => Arc::clone(module),
            false => program.module(cost)?,
        };
        let own = own_lines(program, &module, n, input, &is_own)?;
        let lines = match own.is_empty() {
            true => Profiler::new(program, &module, cost)?.lines(program, &module, n, input)?,
            false => own,
        };
        if let Some(place) = heaviest(lines) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The cost of an input by file and line, of one's own files alone: what is called from a line and lies elsewhere counts
/// for the line. The independent engine keeps no stack that can be looked at, so this is counted by ours.
fn own_lines(
    program: &Program,
    module: &Arc<Module>,
    n: u64,
    input: &InputValues,
    is_own: &dyn Fn(&str) -> bool,
) -> Result<Lines, Error> {
    let files = module.source_files().into_iter();
    let files: BTreeSet<String> = files.filter(|file| is_own(file)).collect();
    let place = |offset: u32| module.locate(offset).filter(|at| files.contains(&*at.file));
    // A function is where most of it is: what the compiler put into it may come from anywhere.
    let mut blocks_in: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for block in module.blocks() {
        let (own, all) = blocks_in.entry(block.function).or_default();
        *own += u64::from(place(block.first).is_some());
        *all += u64::from(module.locate(block.first).is_some());
    }
    blocks_in.retain(|_, (own, all)| *own > 0 && 2 * *own >= *all);
    let setup = program.setup(n)?;
    let is_own = |function: u32| blocks_in.contains_key(&function);
    let (_, machine) = run_concrete(module, &setup, input.clone(), |m| m.profile_own(is_own))?;
    let mut blocks = BlockPlaces::new(module);
    let mut lines = BTreeMap::new();
    for (at, cost) in machine.own_costs() {
        let offset = match at {
            OwnPlace::Block(block) => blocks.offset(block),
            OwnPlace::Call(offset) => Some(offset),
        };
        if let Some(at) = offset.and_then(place) {
            let line: &mut u64 = lines.entry((at.file.to_string(), at.line)).or_default();
            *line = line.saturating_add(cost);
        }
    }
    Ok(lines)
}

/// Where the cost of blocks is spent.
#[derive(Debug)]
pub struct BlockPlaces<'a> {
    module: &'a Module,
    /// By function and block: the branch that the block ends with.
    known: BTreeMap<u32, BTreeMap<u32, u32>>,
}

impl BlockPlaces<'_> {
    /// Of the blocks of a module.
    pub fn new(module: &Module) -> BlockPlaces<'_> {
        BlockPlaces { module, known: BTreeMap::new() }
    }

    /// The file offset of a block's only conditional, where conditionals are counted; else of its first instruction.
    pub fn offset(&mut self, number: u32) -> Option<u32> {
        let block = self.module.blocks().get(number as usize)?;
        if *self.module.cost_model() != CostModel::Conditionals {
            return Some(block.first);
        }
        let flow = || {
            let blocks = self.module.flow(block.function).blocks;
            let ends = blocks.iter().filter(|b| matches!(b.end, FlowEnd::Branch(_)));
            ends.filter_map(|b| Some((*b.parts.last()?, b.last))).collect()
        };
        let ends = self.known.entry(block.function).or_insert_with(flow);
        Some(ends.get(&number).copied().unwrap_or(block.first))
    }
}

/// The line with the greatest cost and its part of all; of equal ones the first in the source.
fn heaviest(lines: Lines) -> Option<(SourceLine, f64)> {
    let most = *lines.values().max()?;
    let all: f64 = lines.values().map(|cost| *cost as f64).sum();
    let ((file, line), _) = lines.into_iter().find(|(_, cost)| *cost == most)?;
    Some((SourceLine { file, line }, most as f64 / all.max(1.0)))
}
