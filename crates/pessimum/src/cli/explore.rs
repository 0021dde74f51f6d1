//! `explore`: every path of the sizes asked for.

use super::Failure;
use super::args::{Engine, ExploreArgs, Strategy};
use super::exit::{self, end};
use super::files::{Beside, Out, check_places, write_inputs};
use super::limits::{self, Limits};
use super::module::{Build, open};
use super::on::on_hyperqueue;
use super::options::{budget, cost_model, interruptible, program, seeds, workers};
use super::progress::live_line;
use indicatif::ProgressBar;
use pessimum::document;
use pessimum::{Exploration, Passing, Progress, explore_size};
use pessimum_report::export;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// `explore`
pub(super) fn explore(args: &ExploreArgs, out: &Out) -> Result<u8, Failure> {
    check_places(&[("--json", args.run.json.as_deref())], &[("the module", &args.program.module)])?;
    if let (Some(Engine::Hq), Some(folder)) = (args.on, &args.save) {
        return on_hyperqueue(args, folder, out);
    }
    let module = open(
        &args.program.module,
        &Build::of(&args.program, &args.build, args.run.time, args.run.quiet),
        out,
    )?;
    let limits = Limits::start(args.run.time, args.run.memory);
    let _guard = limits.guard(out);
    let program = program(&args.program, &module)?;
    let cost = cost_model(&args.program.cost)?;
    let cancel = interruptible();
    let bar = live_line(out, args.run.quiet, limits.deadline);
    let budget = budget(&args.run, limits, &cancel);
    let seeds = seeds(&args.run)?;
    if let Some(assumed) = program.assumption()?.filter(|_| !args.run.quiet) {
        out.note(&assumed);
    }
    let passing = Passing::of(&program);
    let mut results = Vec::new();
    let mut beside = Beside::default();
    for &n in &args.size.0 {
        let ticker = Ticker::start(&bar, n);
        let how = Exploration {
            cost: cost.clone(),
            max_tests: if args.run.inputs.is_some() { usize::MAX } else { args.max_tests },
            include_traps: args.run.include_traps,
            workers: workers(&args.run),
            search: (args.strategy == Strategy::Search).then_some(args.steps),
            seed: args.program.seed,
            seeds: seeds.clone(),
            merge: args.merge.into(),
            budget: budget.clone(),
            progress: Some(Arc::clone(&ticker.progress)),
        };
        let explored = explore_size(&program, n, &how);
        ticker.stop();
        let (mut document, _) = match explored {
            Ok(explored) => explored,
            Err(error) => {
                bar.finish_and_clear();
                return Err(error.into());
            }
        };
        if let Some(dir) = &args.run.inputs {
            let about = program.describe()?;
            let calls = |n, input: &document::Input| passing.call(n, input);
            let files = export::exploration_inputs(&about, &cost.to_string(), &document, &calls);
            beside.attempt(write_inputs(dir, &files));
            let omitted = document.tests.len().saturating_sub(args.max_tests) as u64;
            document.tests.truncate(args.max_tests);
            document.tests_omitted += omitted;
        }
        let interrupted = document.cut_by.is_some();
        results.push(document);
        if interrupted {
            break;
        }
    }
    bar.finish_and_clear();
    let no_answer = results
        .iter()
        .all(|r| r.cut_by.is_some() && (r.paths, r.trapped, r.cut) == (Some(0), Some(0), 0));
    let answered = if no_answer { exit::OUT_OF_BUDGET } else { exit::DONE };
    tell(&results, args.run.json.as_deref(), beside, answered, out)
}

/// Writes and prints what was found at some sizes, and ends the command.
pub(super) fn tell(
    results: &[document::Exploration],
    json: Option<&Path>,
    mut beside: Beside,
    answered: u8,
    out: &Out,
) -> Result<u8, Failure> {
    let taken = match results {
        [one] => beside.json(out, json, one),
        several => beside.json(
            out,
            json,
            &serde_json::json!({ "schema": document::SCHEMA, "results": several }),
        ),
    };
    if !taken {
        out.print(&pessimum_report::render_explorations(results, out.style()));
    }
    let disagreed = results.iter().flat_map(|r| &r.findings).any(|f| f.kind == "replay_mismatch");
    let agreed = if disagreed { exit::DISAGREEMENT } else { exit::DONE };
    end(beside, out, [answered, agreed])
}

/// Shows on the live line how far a size has come.
struct Ticker {
    progress: Arc<Progress>,
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Ticker {
    fn start(bar: &ProgressBar, n: u64) -> Ticker {
        let progress = Arc::new(Progress::default());
        let done = Arc::new(AtomicBool::new(false));
        let thread = {
            let (bar, progress, done) = (bar.clone(), Arc::clone(&progress), Arc::clone(&done));
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let paths = progress.paths.load(Ordering::Relaxed);
                    let worst = progress.worst.load(Ordering::Relaxed);
                    let line = format!("n = {n}: {paths} paths, worst cost {worst}");
                    limits::so_far(&line);
                    bar.set_message(line);
                    std::thread::park_timeout(Duration::from_millis(100));
                }
            })
        };
        Ticker { progress, done, thread }
    }

    fn stop(self) {
        self.done.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        let _ = self.thread.join();
    }
}
