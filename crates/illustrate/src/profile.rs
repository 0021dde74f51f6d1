//! Where a run spends its cost, as the independent engine counts it.

use pessimum_campaign::{AnalysisResult, Error, Program};
use pessimum_clock::Deadline;
use pessimum_entry::{CostModel, InputValues};
use pessimum_machine::Module;
use pessimum_replay::{
    End, Input, Instrumented, Limits, OperatorCost, ReplayError, Replayer, RunOutcome,
};
use pessimum_report::document::{DiffPlace, SourceLine};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions above which a size is not run once more.
const PROFILED: u64 = 20_000_000;

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
    ) -> Result<BTreeMap<(String, u32), u64>, Error> {
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
/// that no engine counts. `None` without debug information.
///
/// ```
/// use pessimum_campaign::{Analysis, Program};
/// use pessimum_illustrate::hotspot;
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let result = Analysis::of(program.clone()).sizes([8, 12]).run()?;
/// let line = hotspot(&program, &result)?.expect("it was compiled with -g");
/// assert!(line.file.ends_with("insertion_sort.c"));
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
pub fn hotspot(program: &Program, result: &AnalysisResult) -> Result<Option<SourceLine>, Error> {
    let module = &result.module;
    let largest = result.inputs.iter().rev().find(|(n, _)| is_short(result, **n));
    let Some((&n, (input, _))) = largest else { return Ok(None) };
    for cost in [module.cost_model(), &CostModel::Instructions] {
        let lines = Profiler::new(program, module, cost)?.lines(program, module, n, input)?;
        if let Some(place) = heaviest(lines) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The line with the greatest cost; of equal ones the first in the source.
fn heaviest(lines: BTreeMap<(String, u32), u64>) -> Option<SourceLine> {
    let most = *lines.values().max()?;
    let ((file, line), _) = lines.into_iter().find(|(_, cost)| *cost == most)?;
    Some(SourceLine { file, line })
}
