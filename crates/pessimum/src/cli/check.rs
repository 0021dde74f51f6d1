//! `check`: the growth held against what is allowed.

use super::Failure;
use super::analyze::{contradicted, ended_with, illustrate, run_analysis, save_result};
use super::args::CheckArgs;
use super::exit::end;
use super::files::{Beside, Out, check_places, write};
use super::gate::{places, tell_ci, verdict_code};
use super::limits::Limits;
use super::module::{Build, open};
use super::options::{cost_model, program};
use super::progress::Watcher;
use super::report::read_baseline;
use super::sources::{Sources, from_here};
use super::values::SizeList;
use pessimum::document::{SourceLine, Verdict};
use pessimum::{Baseline, Class, Requirement};

/// `check`
pub(super) fn check(args: &CheckArgs, out: &Out) -> Result<u8, Failure> {
    let mut read = vec![("the module", args.job.program.module.as_path())];
    read.extend(args.baseline.as_deref().map(|file| ("the baseline", file)));
    check_places(&places(&args.job.run, &args.gate), &read)?;
    let sources = Sources::new(&args.job.program.module, &args.source.source)?;
    let module = open(
        &args.job.program.module,
        &Build::of(&args.job.program, &args.build, args.job.run.time, args.job.run.quiet),
        out,
    )?;
    let limits = Limits::start(args.job.run.time, args.job.run.memory);
    let _guard = limits.guard(out);
    let at_most = match &args.at_most {
        None => None,
        Some(text) => Some(class_of(text)?),
    };
    let (max_cost, tolerance) = (args.max_cost.clone(), args.tolerance);
    let mut requirement = Requirement { at_most, max_cost, tolerance, baseline: None };
    let program = program(&args.job.program, &module)?;
    if at_most.is_none() && args.max_cost.is_empty() && args.baseline.is_none() {
        requirement.at_most = match program.declared()?.and_then(|target| target.at_most) {
            Some(class) => Some(class_of(&class)?),
            None => None,
        };
    }
    if let Some(file) = &args.baseline {
        let baseline = Baseline::of(&read_baseline(file)?);
        baseline.fits(&program, &cost_model(&args.job.program.cost)?)?;
        requirement.baseline = Some(baseline);
    }
    if requirement.at_most.is_none() && requirement.max_cost.is_empty() && args.baseline.is_none() {
        return Err(Failure::usage(
            "nothing to check: give --at-most 'n*log(n)', --max-cost n=100:5000 or --baseline result.json",
        ));
    }
    // Sizes that a rule speaks of are run.
    let named: Vec<u64> = requirement.max_cost.iter().map(|m| m.0).collect();
    // What was found before is tried again.
    let known_inputs = requirement.baseline.iter().flat_map(Baseline::inputs).cloned().collect();
    let mut job = args.job.clone();
    job.run.known_inputs = known_inputs;
    if job.learn.sizes.is_none() {
        job.learn.compared = requirement.baseline.iter().flat_map(Baseline::sizes).collect();
        job.learn.sizes = (!named.is_empty()).then_some(SizeList(named));
    }
    let watcher = Watcher::new(out, args.job.run.quiet, "", limits);
    let mut result = run_analysis(program.clone(), &job, limits, watcher)?;
    let mut beside = Beside::default();
    // No line is no reason to fail: the verdict stands without it.
    let is_own = |file: &str| sources.read(file).is_some();
    let at = pessimum::hotspot(&program, &result, is_own).unwrap_or(None);
    let at = at.map(|at| SourceLine { file: from_here(&at.file), ..at });
    let found = pessimum::check(&result, &requirement, at);
    let worse = |n| found.sizes.iter().any(|s| s.n == n && s.verdict == Some(Verdict::Worse));
    save_result(&result, &program, &args.job, worse, &mut beside);
    let json_only = beside.json(out, args.job.run.json.as_deref(), &found);
    if !json_only {
        out.print(&pessimum_report::render_check(&found, out.style()));
    }
    if let Some(file) = &args.gate.html {
        illustrate(&mut result, &program, limits.drawing(true), &sources)?;
        let page = pessimum_report::html_check(&found, Some(&result.document));
        beside.attempt(write(file, page.as_bytes()));
    }
    let markdown = || pessimum_report::markdown_check(&found);
    beside.attempt(tell_ci(&args.gate, &found, markdown, json_only, out));
    let verdict = verdict_code(found.verdict, &args.gate);
    end(beside, out, [verdict, ended_with(&result), contradicted(&found.findings)])
}

fn class_of(text: &str) -> Result<Class, Failure> {
    text.parse::<Class>().map_err(|e| Failure::usage(e.to_string()))
}
