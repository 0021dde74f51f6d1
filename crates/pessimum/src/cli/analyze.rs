//! `analyze`, and what `check` and `analyze --vary` share with it.

use super::Failure;
use super::args::{AnalyzeArgs, Engine, JobArgs, LearnArgs};
use super::exit::{self, end};
use super::files::{Beside, Out, check_places, make_dir, read, to_json, write, write_inputs};
use super::limits::Limits;
use super::module::{Build, open};
use super::on::OnQueue;
use super::options::{cost_model, dictionary, interruptible, program, seeds, workers};
use super::progress::Watcher;
use super::sources::Sources;
use super::values::Axes;
use super::vary;
use pessimum::document::{Finding, Input};
use pessimum::{
    Analysis, AnalysisResult, CostModel, Drawing, Error, Passing, PolicyChoice, Program, Sites,
};
use pessimum_learn::{HistoryLimit, saved};
use pessimum_report::{ci, escape, export};
use std::path::Path;

/// `analyze`
pub(super) fn analyze(args: &AnalyzeArgs, out: &Out) -> Result<u8, Failure> {
    let html = args.html.as_deref();
    check_places(
        &[
            ("--json", args.job.run.json.as_deref()),
            ("--html", html),
            ("--sarif", args.sarif.as_deref()),
        ],
        &[("the module", &args.job.program.module)],
    )?;
    let sources = Sources::new(&args.job.program.module, &args.source.source)?;
    let module = open(
        &args.job.program.module,
        &Build::of(&args.job.program, &args.build, args.job.run.time, args.job.run.quiet),
        out,
    )?;
    let limits = Limits::start(args.job.run.time, args.job.run.memory);
    let _guard = limits.guard(out);
    if let Some(Axes(axes)) = &args.vary {
        return vary::analyze_along(axes, args, &module, limits, &sources, out);
    }
    let program = program(&args.job.program, &module)?;
    let watcher = Watcher::new(out, args.job.run.quiet, "", limits);
    let queue = match (args.on, &args.job.learn.save) {
        (Some(Engine::Hq), Some(folder)) => Some(OnQueue::of(&args.job, &module, folder, limits)?),
        _ => None,
    };
    let analysis = analysis(program.clone(), &args.job, limits)?;
    let analysis = match queue {
        Some(queue) => analysis.elsewhere(queue),
        None => analysis,
    };
    let mut result = watched(analysis, watcher)?;
    illustrate(&mut result, &program, limits.drawing(has_page(args)), &sources)?;
    let mut beside = Beside::default();
    save_result(&result, &program, &args.job, |_| false, &mut beside);
    if !beside.json(out, args.job.run.json.as_deref(), &result.document) {
        out.print(&pessimum_report::render_analysis(&result.document, out.style()));
    }
    if let Some(note) = sources.note().filter(|_| !args.job.run.quiet) {
        out.note(&note);
    }
    if let Some(file) = &args.html {
        beside.attempt(write(file, pessimum_report::html(&result.document).as_bytes()));
    }
    if let Some(file) = &args.sarif {
        let found = &result.document;
        let text = ci::sarif(&found.program, &found.findings, env!("CARGO_PKG_VERSION"));
        beside.attempt(write(file, text.as_bytes()));
    }
    end(beside, out, [ended_with(&result)])
}

/// The exit code of an analysis that came to its end.
pub(super) fn ended_with(result: &AnalysisResult) -> u8 {
    if result.evidence.disagreed { exit::DISAGREEMENT } else { exit::DONE }
}

/// The exit code of what a comparison noticed: an input that costs more than the worst of all is a bug of ours.
pub(super) fn contradicted(findings: &[Finding]) -> u8 {
    let found = findings.iter().any(|finding| finding.kind == "contradiction");
    if found { exit::DISAGREEMENT } else { exit::DONE }
}

/// Runs an analysis; `watcher` shows how it goes.
pub(super) fn run_analysis(
    program: Program,
    job: &JobArgs,
    limits: Limits,
    watcher: Watcher,
) -> Result<AnalysisResult, Failure> {
    watched(analysis(program, job, limits)?, watcher)
}

fn watched(analysis: Analysis, mut watcher: Watcher) -> Result<AnalysisResult, Failure> {
    let bar = watcher.bar();
    let result = analysis.watch(move |stage| watcher.tell(stage)).run();
    bar.finish_and_clear();
    let mut result = result?;
    result.document.parameters.command = called_as();
    Ok(result)
}

/// The analysis that these flags ask for.
fn analysis(program: Program, job: &JobArgs, limits: Limits) -> Result<Analysis, Failure> {
    let JobArgs { program: program_args, learn, run } = job;
    let cost = cost_model(&program_args.cost)?;
    let policy = policy_choice(learn, &program, &cost)?;
    let cancel = interruptible();
    let mut analysis = Analysis::of(program)
        .cost(cost)
        .policy(policy)
        .history_all(learn.history_all)
        .merge(learn.merge.into())
        .time(run.time)
        .seed(program_args.seed)
        .workers(workers(run))
        .cancel(cancel)
        .compared(learn.compared.iter().copied());
    if let Some(sizes) = &learn.sizes {
        analysis = analysis.sizes(sizes.0.iter().copied());
    }
    if let Some((low, high)) = learn.train {
        analysis = analysis.train(low..=high);
    }
    if let Some(budget) = learn.train_budget {
        analysis = analysis.train_budget(budget);
    }
    if let Some(effort) = run.effort {
        analysis = analysis.effort(effort);
    }
    if let Some(memory) = limits.memory {
        analysis = analysis.memory(memory);
    }
    if let Some(paths) = run.max_paths {
        analysis = analysis.max_paths(paths);
    }
    if let Some(cost) = &learn.learn_cost {
        analysis = analysis.learn_cost(cost_model(cost)?);
    }
    let known = run.known_inputs.iter().cloned();
    analysis = analysis.seeds(seeds(run)?.into_iter().chain(known).collect());
    analysis = analysis.dictionary(dictionary(learn)?);
    if let Some(folder) = &learn.save {
        analysis = analysis.save(folder);
    }
    Ok(analysis)
}

/// The variable in which `cargo pessimum` says how it was called, a word on each line.
const CALLED_AS: &str = "PESSIMUM_CALLED_AS";

/// The command that is to be given again for the same answer.
fn called_as() -> Vec<String> {
    if let Ok(words) = std::env::var(CALLED_AS) {
        return words.lines().map(str::to_owned).collect();
    }
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("pessimum".to_owned()).chain(words).collect()
}

fn policy_choice(
    args: &LearnArgs,
    program: &Program,
    cost: &CostModel,
) -> Result<PolicyChoice, Failure> {
    if let Some(file) = &args.policy_file {
        let text = String::from_utf8_lossy(&read(file)?).into_owned();
        let module = program.module(cost)?;
        let policy = saved::load(&text, &Sites::new(&module)).map_err(|why| {
            Failure::from(Error::Policy { file: file.display().to_string(), why: why.to_string() })
        })?;
        return Ok(PolicyChoice::Given(policy));
    }
    Ok(match args.policy.as_str() {
        "auto" => PolicyChoice::Auto,
        "wise" => PolicyChoice::Wise,
        "memoryless" => PolicyChoice::Memoryless,
        "synth" => PolicyChoice::Synth,
        "history" | "history=adaptive" => PolicyChoice::History(HistoryLimit::Adaptive),
        "history=unlimited" => PolicyChoice::History(HistoryLimit::Unlimited),
        other => match other.strip_prefix("history=").map(str::parse) {
            Some(Ok(h)) => PolicyChoice::History(HistoryLimit::Fixed(h)),
            _ => {
                return Err(Failure::usage(format!(
                    "`{other}` is no policy: write auto, wise, memoryless, history, history=2, history=unlimited or synth"
                )));
            }
        },
    })
}

/// Writes the folders that were asked for. Where sizes were named, the inputs are those of these sizes and of the
/// ones that `shows` holds of; else those of every size.
pub(super) fn save_result(
    result: &AnalysisResult,
    program: &Program,
    job: &JobArgs,
    shows: impl Fn(u64) -> bool,
    beside: &mut Beside,
) {
    if let Some(dir) = &job.learn.save {
        beside.attempt(save_dir(result, dir));
    }
    if let Some(dir) = &job.run.inputs {
        let passing = Passing::of(program);
        let calls = |n, input: &Input| passing.call(n, input);
        let named = |n| job.learn.sizes.as_ref().is_none_or(|sizes| sizes.0.contains(&n));
        let wanted = |n| named(n) || shows(n);
        beside
            .attempt(write_inputs(dir, &export::analysis_inputs(&result.document, wanted, &calls)));
    }
}

fn save_dir(result: &AnalysisResult, dir: &Path) -> Result<(), Failure> {
    make_dir(dir)?;
    write(&dir.join("result.json"), to_json(&result.document).as_bytes())?;
    if let Some(policy) = &result.policy {
        let sites = Sites::new(&result.module);
        let text =
            saved::save(&policy.policy, &sites).map_err(|e| Failure::usage(e.to_string()))?;
        write(&dir.join("policy.json"), escape::json(&text).as_bytes())?;
    }
    Ok(())
}

/// Whether anything is written that holds what the page shows.
pub(super) fn has_page(args: &AnalyzeArgs) -> bool {
    args.html.is_some() || args.job.run.json.is_some() || args.job.learn.save.is_some()
}

/// Adds what the page shows; of each source that was not read it says why.
pub(super) fn illustrate(
    result: &mut AnalysisResult,
    program: &Program,
    drawing: Drawing,
    sources: &Sources,
) -> Result<(), Failure> {
    pessimum::illustrate(result, program, drawing, |name| sources.read(name))?;
    let refused = sources.refused();
    for file in &mut result.document.source {
        file.not_read = refused.get(&file.name).map(|why| (*why).to_owned());
    }
    Ok(())
}
