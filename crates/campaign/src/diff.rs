//! Two builds of one program compared: each is analysed, and each runs the inputs of the other.

use crate::analysis::AnalysisResult;
use crate::check::{Baseline, Requirement, check};
use crate::error::Error;
use crate::findings::contradiction;
use crate::program::Program;
use pessimum_entry::{Entry, InputValues, Invocation, ModuleSummary};
use pessimum_explore::run_concrete;
use pessimum_machine::{End, Module, Setup};
use pessimum_report::document::{self, DiffSide, DiffSize, Verdict};
use pessimum_report::notation;
use std::sync::Arc;

/// Compares the new build with the old one. What the new one was found to cost at a size, the old one may
/// cost on the same input: it is run there. (That the new one runs the inputs of the old one is for whoever
/// analyses it: they are its [seeds](crate::Analysis::seeds).) A cost may be worse by `tolerance`, a part of
/// it; without one by nothing where both are exact, and else by as much as a search misses. `at` is where the new build
/// spends its cost. Beside the comparison comes the check that it rests on: the new build held against the old one.
pub fn diff(
    old: (&Program, &AnalysisResult),
    new: &AnalysisResult,
    tolerance: Option<f64>,
    at: Option<document::SourceLine>,
) -> Result<(document::Diff, document::Check), Error> {
    let (program, old) = old;
    let mut baseline = Baseline::of(&old.document);
    let mut findings = Vec::new();
    for (&n, (input, _)) in &new.inputs {
        // An input of the one may be none of the other.
        let Ok(setup) = program.setup(n) else { continue };
        let ran = run_concrete(&old.module, &setup, input.clone(), |_| {});
        let Ok((End::Return | End::Exit(_), machine)) = ran else { continue };
        let cost = machine.counters().cost;
        if !accepts(program, &old.module, setup, input)? {
            continue;
        }
        if let Some(exact) = baseline.raise(n, cost) {
            let mut found = contradiction(n, exact, cost);
            found.message = format!("before, {}", found.message);
            findings.push(found);
        }
    }
    let costs: Vec<(u64, u64)> = baseline.costs().collect();
    let requirement = Requirement { baseline: Some(baseline), tolerance, ..Requirement::default() };
    let checked = check(new, &requirement, at);
    let contradicted: Vec<u64> = findings.iter().filter_map(|finding| finding.n).collect();
    findings.extend(checked.findings.iter().cloned());
    let exact_before = |n: u64| {
        let all = old.document.training.iter().chain(&old.document.sizes);
        let said = all.into_iter().any(|size| size.n == n && size.exact);
        said && !contradicted.contains(&n)
    };
    let mut sizes: Vec<DiffSize> = Vec::new();
    for size in &checked.sizes {
        let Some(&(_, before)) = costs.iter().find(|(n, _)| *n == size.n) else { continue };
        sizes.push(DiffSize {
            n: size.n,
            old: before,
            new: size.worst_cost,
            exact: size.exact && exact_before(size.n),
            verdict: size.verdict.unwrap_or(Verdict::Inconclusive),
            input: size.input.clone(),
        });
    }
    sizes.sort_by_key(|size| size.n);
    let diff = document::Diff {
        schema: document::SCHEMA,
        cost_model: new.document.cost_model.clone(),
        verdict: checked.verdict,
        summary: summary(&old.document, &new.document, &sizes),
        old: side(&old.document),
        new: side(&new.document),
        sizes,
        places: Vec::new(),
        findings,
    };
    Ok((diff, checked))
}

/// Refuses two builds that are entered in different ways, since their costs are of different things, and builds
/// of which one lacks what is called.
pub fn comparable(old: &Program, new: &Program) -> Result<(), Error> {
    for program in [old, new] {
        let Entry::Call(spec) = program.entry()? else { continue };
        let found = ModuleSummary::read(program.bytes()).ok();
        if found.is_some_and(|module| module.export(&spec.function).is_none()) {
            return Err(Error::Usage(format!(
                "{} exports no function {}: name one that both modules export with --call",
                program.name(),
                spec.function
            )));
        }
    }
    let (before, now) = (old.entry()?.to_string(), new.entry()?.to_string());
    if before == now {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the two modules are entered differently, {before} before and {now} now: name what both have with --call"
    )))
}

/// Whether the predicate of the build accepts the structure of an input, where it takes one.
fn accepts(
    program: &Program,
    module: &Arc<Module>,
    setup: Setup,
    input: &InputValues,
) -> Result<bool, Error> {
    let n = setup.sizes.n();
    let Some(predicate) = program.predicate(n)? else { return Ok(true) };
    let setup = Setup { invocation: Invocation::Call(predicate), ..setup };
    let ran = run_concrete(module, &setup, input.clone(), |_| {});
    Ok(matches!(ran, Ok((End::Return, machine))
        if machine.results(1).first().and_then(|v| v.as_concrete()).is_some_and(|v| v != 0)))
}

fn side(of: &document::Analysis) -> DiffSide {
    DiffSide {
        program: of.program.clone(),
        class: of.fit.class.clone(),
        bound: of.fit.bound,
        formula: of.fit.formula.clone(),
        summary: of.fit.summary.clone(),
    }
}

/// A class with its sign: O(n) where it is that of the worst case, Ω(n) where inputs show it.
pub(crate) fn class_of(fit: &document::Fit) -> Option<String> {
    Some(notation(fit.class.as_ref()?, fit.bound))
}

/// A change of class before anything else, then that of the largest size.
fn summary(old: &document::Analysis, new: &document::Analysis, sizes: &[DiffSize]) -> String {
    let classes = match (class_of(&old.fit), class_of(&new.fit)) {
        (Some(before), Some(now)) if old.fit.class != new.fit.class => format!("{before} → {now}"),
        (Some(before), Some(now)) if before != now => format!("{now}, as before ({before})"),
        (Some(_), Some(now)) => format!("{now}, as before"),
        (Some(before), None) => format!("{before} before, no class now"),
        (None, Some(now)) => format!("{now} now, no class before"),
        (None, None) => "no class, neither before nor now".to_owned(),
    };
    let largest = sizes.iter().rev().find_map(|size| Some((size.n, size.old, size.new?)));
    match largest {
        Some((n, before, now)) if before == now => format!("{classes}; at n = {n} the same cost"),
        Some((n, before, now)) => format!("{classes}; at n = {n} {before} → {now}"),
        None => classes,
    }
}
