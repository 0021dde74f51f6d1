//! `diff`: two builds of one program side by side.

use super::Failure;
use super::analyze::{ended_with, run_analysis};
use super::args::{DiffArgs, LearnArgs, ProgramArgs, RunArgs};
use super::exit::{self, end};
use super::files::{Beside, Out, check_places, write};
use super::limits::Limits;
use super::module::{Build, open};
use super::options::program;
use super::progress::Watcher;
use super::values::SizeList;
use pessimum::document::Verdict;

/// `diff`
pub(super) fn diff(args: &DiffArgs, out: &Out) -> Result<u8, Failure> {
    check_places(
        &[("--json", args.run.json.as_deref()), ("--markdown", args.markdown.as_deref())],
        &[("the old module", args.old.as_path()), ("the new module", &args.program.module)],
    )?;
    let build = Build::of(&args.program, &args.build, args.run.time, args.run.quiet);
    let (old, new) = (open(&args.old, &build, out)?, open(&args.program.module, &build, out)?);
    let limits = Limits::start(args.run.time, args.run.memory);
    let _guard = limits.guard(out);
    let before = ProgramArgs { module: args.old.clone(), ..args.program.clone() };
    let (old_program, new_program) = (program(&before, &old)?, program(&args.program, &new)?);
    // Half of the time each: like is compared with like.
    let half = args.run.time / 2;
    let effort = args.run.effort.map(|effort| effort / 2);
    let run = RunArgs { time: half, effort, ..args.run.clone() };
    let watcher = Watcher::new(out, args.run.quiet, "before: ");
    let old = run_analysis(old_program.clone(), &before, &args.learn, &run, limits, watcher)?;
    let sizes = old.document.training.iter().chain(&old.document.sizes);
    let known_inputs = sizes.filter_map(|size| size.input.as_ref()?.raw()).collect();
    let run = RunArgs { known_inputs, ..run };
    let sizes = old.document.sizes.iter().map(|size| size.n).collect();
    let learn = LearnArgs { sizes: Some(SizeList(sizes)), ..args.learn.clone() };
    let watcher = Watcher::new(out, args.run.quiet, "now: ");
    let new = run_analysis(new_program.clone(), &args.program, &learn, &run, limits, watcher)?;
    let mut found = pessimum::diff((&old_program, &old), &new, args.tolerance)?;
    // No place is no reason to fail: the numbers stand without it.
    found.places =
        pessimum::changed_places((&old_program, &old), (&new_program, &new)).unwrap_or_default();
    let mut beside = Beside::default();
    if !beside.json(out, args.run.json.as_deref(), &found) {
        out.print(&pessimum_report::render_diff(&found, out.style()));
    }
    if let Some(file) = &args.markdown {
        let text = pessimum_report::markdown_diff(&found);
        beside.attempt(write(file, text.as_bytes()));
    }
    let verdict = match found.verdict {
        Verdict::Ok => exit::DONE,
        Verdict::Worse => exit::WORSE,
        Verdict::Inconclusive => exit::INCONCLUSIVE,
    };
    end(beside, out, [verdict, ended_with(&old), ended_with(&new)])
}
