//! Where a run spends its cost, as the independent engine counts it.

use pessimum_campaign::{AnalysisResult, Error, Program};
use pessimum_entry::{CostModel, InputValues};
use pessimum_machine::Module;
use pessimum_replay::{Input, Instrumented, Limits, Replayer};
use pessimum_report::document::SourceLine;
use std::collections::BTreeMap;

/// Instructions above which a size is not run once more.
const PROFILED: u64 = 20_000_000;

/// Runs inputs with a counter for every stretch of code.
pub(crate) struct Profiler {
    replayer: Replayer,
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
        Ok(Profiler { replayer })
    }

    /// The cost of an input by file and line, where debug information tells them.
    pub(crate) fn lines(
        &self,
        program: &Program,
        module: &Module,
        n: u64,
        input: &InputValues,
    ) -> Result<BTreeMap<(String, u32), u64>, Error> {
        let setup = program.setup(n)?;
        let outcome = self
            .replayer
            .run(&setup.invocation, &setup.sizes, Input::Values(input))
            .map_err(|e| Error::Replay(e.to_string()))?;
        let mut lines = BTreeMap::new();
        for entry in &outcome.profile {
            if let Some(at) = module.locate(entry.offset) {
                *lines.entry((at.file.to_string(), at.line)).or_default() += entry.cost;
            }
        }
        Ok(lines)
    }
}

/// Whether the worst input of a size is short enough to be run once more.
pub(crate) fn is_short(result: &AnalysisResult, n: u64) -> bool {
    let sizes = result.document.sizes.iter().chain(&result.document.training);
    let executed = sizes.filter(|s| s.n == n).filter_map(|s| s.instructions).map(|i| i.worst);
    executed.max().unwrap_or(0) <= PROFILED
}

/// The line that the largest worst input spends most of its cost on; by instructions for a cost
/// that no engine counts. `None` without debug information.
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
