//! `diff`: two builds of one program side by side.

use super::Failure;
use super::analyze::{contradicted, ended_with, illustrate, run_analysis, save_result};
use super::args::DiffArgs;
use super::exit::end;
use super::files::{Beside, Out, check_places, write};
use super::gate::{places, tell_ci, verdict_code};
use super::limits::Limits;
use super::module::{Build, open};
use super::options::program;
use super::progress::Watcher;
use super::sources::{Sources, from_here};
use pessimum::document::{SourceLine, Verdict};

/// `diff`
pub(super) fn diff(args: &DiffArgs, out: &Out) -> Result<u8, Failure> {
    check_places(
        &places(&args.job.run, &args.gate),
        &[("the old module", args.old.as_path()), ("the new module", &args.job.program.module)],
    )?;
    let sources = Sources::new(&args.job.program.module, &args.source.source)?;
    let build = Build::of(&args.job.program, &args.build, args.job.run.time, args.job.run.quiet);
    let (old, new) = (open(&args.old, &build, out)?, open(&args.job.program.module, &build, out)?);
    let limits = Limits::start(args.job.run.time, args.job.run.memory);
    let _guard = limits.guard(out);
    let mut job = args.job.clone();
    job.program.module.clone_from(&args.old);
    let (old_program, new_program) =
        (program(&job.program, &old)?, program(&args.job.program, &new)?);
    pessimum::comparable(&old_program, &new_program)?;
    // Half of the time each: like is compared with like.
    job.run.time = args.job.run.time / 2;
    job.run.effort = args.job.run.effort.map(|effort| effort / 2);
    let watcher = Watcher::new(out, args.job.run.quiet, "before: ", limits);
    let old = run_analysis(old_program.clone(), &job, limits, watcher)?;
    let sizes = old.document.training.iter().chain(&old.document.sizes);
    job.run.known_inputs = sizes.filter_map(|size| size.input.as_ref()?.raw()).collect();
    if job.learn.sizes.is_none() {
        job.learn.compared = old.document.sizes.iter().map(|size| size.n).collect();
    }
    job.program.module.clone_from(&args.job.program.module);
    let watcher = Watcher::new(out, args.job.run.quiet, "now: ", limits);
    let mut new = run_analysis(new_program.clone(), &job, limits, watcher)?;
    let is_own = |file: &str| sources.read(file).is_some();
    let at = pessimum::hotspot(&new_program, &new, is_own).unwrap_or(None);
    let at = at.map(|at| SourceLine { file: from_here(&at.file), ..at });
    let (mut found, checked) = pessimum::diff((&old_program, &old), &new, args.tolerance, at)?;
    // No place is no reason to fail: the numbers stand without it.
    found.places =
        pessimum::changed_places((&old_program, &old), (&new_program, &new)).unwrap_or_default();
    let mut beside = Beside::default();
    let worse = |n| found.sizes.iter().any(|s| s.n == n && s.verdict == Verdict::Worse);
    save_result(&new, &new_program, &args.job, worse, &mut beside);
    let json_only = beside.json(out, args.job.run.json.as_deref(), &found);
    if !json_only {
        out.print(&pessimum_report::render_diff(&found, out.style()));
    }
    if let Some(file) = &args.gate.html {
        illustrate(&mut new, &new_program, limits.drawing(true), &sources)?;
        let page = pessimum_report::html_diff(&found, Some(&new.document));
        beside.attempt(write(file, page.as_bytes()));
    }
    let markdown = || pessimum_report::markdown_diff(&found);
    beside.attempt(tell_ci(&args.gate, &checked, markdown, json_only, out));
    let verdict = verdict_code(found.verdict, &args.gate);
    end(beside, out, [verdict, ended_with(&old), ended_with(&new), contradicted(&found.findings)])
}
