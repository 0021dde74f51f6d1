//! `check`: the growth held against what is allowed.

use super::Failure;
use super::analyze::{contradicted, ended_with, illustrate, run_analysis, save_result};
use super::args::{CheckArgs, Inconclusive};
use super::exit::{self, end};
use super::files::{Beside, Out, check_places, write};
use super::limits::Limits;
use super::module::{Build, open};
use super::options::{cost_model, program};
use super::progress::Watcher;
use super::report::read_result;
use super::sources::Sources;
use super::values::SizeList;
use pessimum::document::{self, Verdict};
use pessimum::{Baseline, Class, Requirement};
use pessimum_report::ci;

/// `check`
pub(super) fn check(args: &CheckArgs, out: &Out) -> Result<u8, Failure> {
    let mut read = vec![("the module", args.job.program.module.as_path())];
    read.extend(args.baseline.as_deref().map(|file| ("the baseline", file)));
    check_places(
        &[
            ("--json", args.job.run.json.as_deref()),
            ("--html", args.html.as_deref()),
            ("--junit", args.junit.as_deref()),
            ("--sarif", args.sarif.as_deref()),
            ("--markdown", args.markdown.as_deref()),
        ],
        &read,
    )?;
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
        let baseline = Baseline::of(&read_result(file)?);
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
    let found = pessimum::check(&result, &requirement, at);
    let worse = |n| found.sizes.iter().any(|s| s.n == n && s.verdict == Some(Verdict::Worse));
    save_result(&result, &program, &args.job, worse, &mut beside);
    let json_only = beside.json(out, args.job.run.json.as_deref(), &found);
    if !json_only {
        out.print(&pessimum_report::render_check(&found, out.style()));
    }
    if let Some(file) = &args.html {
        illustrate(&mut result, &program, limits.drawing(true), &sources)?;
        let page = pessimum_report::html_check(&found, Some(&result.document));
        beside.attempt(write(file, page.as_bytes()));
    }
    beside.attempt(tell_ci(args, &found, json_only, out));
    let verdict = match found.verdict {
        Verdict::Ok => exit::DONE,
        Verdict::Worse => exit::WORSE,
        Verdict::Inconclusive => match args.inconclusive {
            None => exit::INCONCLUSIVE,
            Some(Inconclusive::Pass) => exit::DONE,
            Some(Inconclusive::Fail) => exit::WORSE,
        },
    };
    end(beside, out, [verdict, ended_with(&result), contradicted(&found.findings)])
}

fn class_of(text: &str) -> Result<Class, Failure> {
    text.parse::<Class>().map_err(|e| Failure::usage(e.to_string()))
}

/// Says it again in the forms that CI systems read.
fn tell_ci(
    args: &CheckArgs,
    found: &document::Check,
    json_only: bool,
    out: &Out,
) -> Result<(), Failure> {
    // Without the flag an inconclusive check exits with 4, which fails a build.
    let inconclusive = match args.inconclusive {
        Some(Inconclusive::Pass) => ci::Inconclusive::Pass,
        Some(Inconclusive::Fail) | None => ci::Inconclusive::Fail,
    };
    if args.github {
        // The runner reads both streams.
        let lines = ci::github_annotations(found, inconclusive);
        if json_only { out.commands(&lines) } else { out.exactly(&lines) }
    }
    if let Some(file) = &args.sarif {
        write(file, ci::sarif_of_check(found, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    if let Some(file) = &args.markdown {
        write(file, pessimum_report::markdown_check(found).as_bytes())?;
    }
    match &args.junit {
        Some(file) => write(file, ci::junit(found, inconclusive).as_bytes()),
        None => Ok(()),
    }
}
