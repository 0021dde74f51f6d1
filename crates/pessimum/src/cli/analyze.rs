//! `analyze`, and what `check` and `analyze --vary` share with it.

use super::Failure;
use super::args::{AnalyzeArgs, LearnArgs, ProgramArgs, RunArgs};
use super::exit::{self, end};
use super::files::{Beside, Out, make_dir, read, to_json, write, write_inputs};
use super::options::{cost_model, interruptible, program, seeds};
use super::progress::Watcher;
use super::values::Axes;
use super::vary;
use pessimum::{Analysis, AnalysisResult, CostModel, Error, PolicyChoice, Program, Sites};
use pessimum_learn::{HistoryLimit, saved};
use pessimum_report::export;
use std::path::Path;

/// `analyze`
pub(super) fn analyze(args: &AnalyzeArgs, out: &Out) -> Result<u8, Failure> {
    if let Some(Axes(axes)) = &args.vary {
        return vary::analyze_along(axes, args, out);
    }
    let program = program(&args.program)?;
    let watcher = Watcher::new(out, args.run.quiet, "");
    let mut result = run_analysis(program.clone(), &args.program, &args.learn, &args.run, watcher)?;
    pessimum::illustrate(&mut result, &program, |name| source_text(&args.program.module, name))?;
    let mut beside = Beside::default();
    let (save, inputs) = (args.learn.save.as_deref(), args.run.inputs.as_deref());
    save_result(&result, save, inputs, &mut beside);
    if !beside.json(out, args.run.json.as_deref(), &result.document) {
        out.print(&pessimum_report::render_analysis(&result.document, out.style()));
    }
    if let Some(file) = &args.html {
        beside.attempt(write(file, pessimum_report::html(&result.document).as_bytes()));
    }
    end(beside, out, [ended_with(&result)])
}

/// The exit code of an analysis that came to its end.
pub(super) fn ended_with(result: &AnalysisResult) -> u8 {
    if result.evidence.disagreed { exit::DISAGREEMENT } else { exit::DONE }
}

/// Runs an analysis; `watcher` shows how it goes.
pub(super) fn run_analysis(
    program: Program,
    program_args: &ProgramArgs,
    learn: &LearnArgs,
    run: &RunArgs,
    mut watcher: Watcher,
) -> Result<AnalysisResult, Failure> {
    let cost = cost_model(&program_args.cost)?;
    let policy = policy_choice(learn, &program, &cost)?;
    let cancel = interruptible();
    let bar = watcher.bar();
    let mut analysis = Analysis::of(program)
        .cost(cost)
        .policy(policy)
        .history_all(learn.history_all)
        .time(run.time)
        .seed(program_args.seed)
        .cancel(cancel)
        .watch(move |stage| watcher.tell(stage));
    if let Some(sizes) = &learn.sizes {
        analysis = analysis.sizes(sizes.0.iter().copied());
    }
    if let Some((low, high)) = learn.train {
        analysis = analysis.train(low..=high);
    }
    if let Some(budget) = learn.train_budget {
        analysis = analysis.train_budget(budget);
    }
    if let Some(memory) = run.memory {
        analysis = analysis.memory(memory);
    }
    if let Some(paths) = run.max_paths {
        analysis = analysis.max_paths(paths);
    }
    if let Some(cost) = &learn.learn_cost {
        analysis = analysis.learn_cost(cost_model(cost)?);
    }
    analysis = analysis.seeds(seeds(run)?);
    if let Some(folder) = &learn.save {
        analysis = analysis.save(folder);
    }
    let result = analysis.run();
    bar.finish_and_clear();
    let mut result = result?;
    result.document.parameters.command = std::env::args().collect();
    if let Some(first) = result.document.parameters.command.first_mut() {
        *first = "pessimum".to_owned();
    }
    Ok(result)
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

/// Writes the folders that were asked for.
pub(super) fn save_result(
    result: &AnalysisResult,
    save: Option<&Path>,
    inputs: Option<&Path>,
    beside: &mut Beside,
) {
    if let Some(dir) = save {
        beside.attempt(save_dir(result, dir));
    }
    if let Some(dir) = inputs {
        beside.attempt(write_inputs(dir, &export::analysis_inputs(&result.document)));
    }
}

fn save_dir(result: &AnalysisResult, dir: &Path) -> Result<(), Failure> {
    make_dir(dir)?;
    write(&dir.join("result.json"), to_json(&result.document).as_bytes())?;
    if let Some(policy) = &result.policy {
        let sites = Sites::new(&result.module);
        let text =
            saved::save(&policy.policy, &sites).map_err(|e| Failure::usage(e.to_string()))?;
        write(&dir.join("policy.json"), text.as_bytes())?;
    }
    Ok(())
}

/// The text of a source file that the debug information names: as it is named, or beside the
/// module.
pub(super) fn source_text(module: &str, name: &str) -> Option<String> {
    let beside = Path::new(module).parent()?.join(Path::new(name).file_name()?);
    std::fs::read_to_string(name).or_else(|_| std::fs::read_to_string(beside)).ok()
}
