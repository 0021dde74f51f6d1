//! The commands.

use super::Failure;
use super::args::{
    AnalyzeArgs, CheckArgs, ExploreArgs, Inconclusive, LearnArgs, ProgramArgs, ReplayArgs,
    ReportArgs, RunArgs, Selects, Strategy,
};
use super::examples;
use super::files::{Beside, Out, make_dir, read, write};
use super::progress::{Watcher, live_line};
use super::values::Axes;
use super::vary;
use pessimum::document::{self, Verdict};
use pessimum::{
    Analysis, AnalysisResult, Budget, Class, CostModel, Entry, Error, Exploration, PolicyChoice,
    Program, Progress, Requirement, Sites, explore_size,
};
use pessimum_entry::{InputReader, Invocation};
use pessimum_learn::{HistoryLimit, saved};
use pessimum_machine::Limits;
use pessimum_replay::{Input, Instrumented, Limits as ReplayLimits, Replayer};
use pessimum_report::ci;
use pessimum_report::export::{self, ExportedFile};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

// --- what the commands share ------------------------------------------------------------------

/// A module by the name of its file, or `example:NAME`: its name, its bytes and, of an example, how
/// it is called.
pub(super) fn open_module(
    module: &str,
) -> Result<(String, Vec<u8>, Option<&'static str>), Failure> {
    if let Some(name) = module.strip_prefix("example:") {
        let example = examples::find(name)?;
        return Ok((example.name.to_owned(), example.module.to_vec(), Some(example.call)));
    }
    let path = Path::new(module);
    let name = path.file_name().map_or_else(|| module.into(), |n| n.to_string_lossy());
    Ok((name.into_owned(), read(path)?, None))
}

/// The program that the flags describe.
pub(super) fn program(args: &ProgramArgs) -> Result<Program, Failure> {
    let (name, bytes, call) = open_module(&args.module)?;
    let mut program = Program::new(name, bytes)?.seed(args.seed);
    let mut limits = Limits::default();
    if let Some(instructions) = args.max_instructions {
        limits.instructions = instructions;
    }
    limits.split_branches = args.selects == Selects::Split;
    program = program.limits(limits);
    for definition in &args.lets {
        program = program.let_size(definition)?;
    }
    if let Some(fields) = &args.fields {
        program = program.fields(fields);
    }
    for domain in &args.domain {
        program = program.domain(domain)?;
    }
    if args.stdin {
        program = program.enter(Entry::Stdin);
    } else if args.argv {
        program = program.enter(Entry::Argv);
    } else if let Some(spec) = args.call.as_deref().or(call) {
        program = program.call(spec)?;
    }
    Ok(program)
}

fn cost_model(text: &str) -> Result<CostModel, Failure> {
    let load = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    Ok(CostModel::parse(text, load).map_err(Error::from)?)
}

/// A flag that Ctrl-C sets: the first time the run stops and says what it has, the second time it
/// ends at once.
fn interruptible() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        flag
    });
    Arc::clone(flag)
}

fn budget(args: &RunArgs, cancel: &Arc<AtomicBool>) -> Budget {
    Budget {
        deadline: Some(Instant::now() + args.time),
        memory: args.memory,
        paths: args.max_paths,
        work: None,
        cancel: Some(Arc::clone(cancel)),
    }
}

fn workers(args: &RunArgs) -> usize {
    args.workers
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .max(1)
}

/// The inputs of the folder of `--seeds`, in the order of their names.
fn seeds(args: &RunArgs) -> Result<Vec<Vec<u8>>, Failure> {
    let Some(folder) = &args.seeds else { return Ok(Vec::new()) };
    let wrong = |e: std::io::Error| {
        Failure::usage(format!("cannot read the folder {} of --seeds: {e}", folder.display()))
    };
    let entries = std::fs::read_dir(folder).map_err(wrong)?;
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let mut files: Vec<_> = entries.into_iter().map(|e| e.path()).filter(|p| p.is_file()).collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::usage(format!(
            "the folder {} of --seeds has no file: put inputs there, as raw bytes",
            folder.display()
        )));
    }
    files.iter().map(|file| read(file)).collect()
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

// --- analyze and check ------------------------------------------------------------------------

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

/// Writes inputs below a folder, a folder for each form.
fn write_inputs(dir: &Path, files: &[ExportedFile]) -> Result<(), Failure> {
    make_dir(dir)?;
    for file in files {
        let path = dir.join(&file.name);
        if let Some(folder) = path.parent() {
            make_dir(folder)?;
        }
        write(&path, &file.bytes)?;
    }
    Ok(())
}

/// `analyze`
pub(crate) fn analyze(args: &AnalyzeArgs, out: &Out) -> Result<u8, Failure> {
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
    beside.end()?;
    Ok(0)
}

/// The text of a source file that the debug information names: as it is named, or beside the
/// module.
pub(super) fn source_text(module: &str, name: &str) -> Option<String> {
    let beside = Path::new(module).parent()?.join(Path::new(name).file_name()?);
    std::fs::read_to_string(name).or_else(|_| std::fs::read_to_string(beside)).ok()
}

/// `check`
pub(crate) fn check(args: &CheckArgs, out: &Out) -> Result<u8, Failure> {
    let at_most = match &args.at_most {
        None => None,
        Some(text) => Some(text.parse::<Class>().map_err(|e| Failure::usage(e.to_string()))?),
    };
    let mut requirement =
        Requirement { at_most, max_cost: args.max_cost.clone(), ..Requirement::default() };
    if let Some(file) = &args.baseline {
        let before = read_result(file)?;
        requirement.baseline = before
            .training
            .iter()
            .chain(&before.sizes)
            .filter_map(|s| Some((s.n, s.worst_cost?)))
            .collect();
    }
    if requirement.at_most.is_none() && requirement.max_cost.is_empty() && args.baseline.is_none() {
        return Err(Failure::usage(
            "nothing to check: give --at-most 'n*log(n)', --max-cost n=100:5000 or --baseline result.json",
        ));
    }
    // Sizes that a rule speaks of are run.
    let mut learn_sizes: Vec<u64> = requirement.max_cost.iter().map(|m| m.0).collect();
    learn_sizes.extend(requirement.baseline.iter().map(|b| b.0));
    let watcher = Watcher::new(out, args.run.quiet, "");
    let result = if learn_sizes.is_empty() || args.learn.sizes.is_some() {
        run_analysis(program(&args.program)?, &args.program, &args.learn, &args.run, watcher)?
    } else {
        let sizes = Some(super::values::SizeList(with_ladder(learn_sizes)));
        let learn = LearnArgs { sizes, ..args.learn.clone() };
        run_analysis(program(&args.program)?, &args.program, &learn, &args.run, watcher)?
    };
    let mut beside = Beside::default();
    let (save, inputs) = (args.learn.save.as_deref(), args.run.inputs.as_deref());
    save_result(&result, save, inputs, &mut beside);
    // No line is no reason to fail: the verdict stands without it.
    let at = pessimum::hotspot(&program(&args.program)?, &result).unwrap_or(None);
    let found = pessimum::check(&result, &requirement, at);
    let json_only = beside.json(out, args.run.json.as_deref(), &found);
    if !json_only {
        out.print(&pessimum_report::render_check(&found, out.style()));
    }
    beside.attempt(tell_ci(args, &found, json_only, out));
    beside.end()?;
    Ok(match found.verdict {
        Verdict::Ok => 0,
        Verdict::Worse => 1,
        Verdict::Inconclusive => match args.inconclusive {
            None => 4,
            Some(Inconclusive::Pass) => 0,
            Some(Inconclusive::Fail) => 1,
        },
    })
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
        if json_only { out.note(lines.trim_end()) } else { out.print(&lines) }
    }
    match &args.junit {
        Some(file) => write(file, ci::junit(found, inconclusive).as_bytes()),
        None => Ok(()),
    }
}

fn with_ladder(mut sizes: Vec<u64>) -> Vec<u64> {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    sizes.extend([10, 15, 20, 30, 50].into_iter().filter(|n| *n < largest));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

// --- explore ----------------------------------------------------------------------------------

/// `explore`
pub(crate) fn explore(args: &ExploreArgs, out: &Out) -> Result<u8, Failure> {
    let program = program(&args.program)?;
    let cost = cost_model(&args.program.cost)?;
    let cancel = interruptible();
    let bar = live_line(out, args.run.quiet);
    let budget = budget(&args.run, &cancel);
    let seeds = seeds(&args.run)?;
    if let Some(assumed) = program.assumption()?.filter(|_| !args.run.quiet) {
        out.note(&assumed);
    }
    let mut results = Vec::new();
    let mut beside = Beside::default();
    for &n in &args.size.0 {
        let progress = Arc::new(Progress::default());
        let done = Arc::new(AtomicBool::new(false));
        let ticker = {
            let (bar, progress, done) = (bar.clone(), Arc::clone(&progress), Arc::clone(&done));
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let paths = progress.paths.load(Ordering::Relaxed);
                    let worst = progress.worst.load(Ordering::Relaxed);
                    bar.set_message(format!("n = {n}: {paths} paths, worst cost {worst}"));
                    std::thread::sleep(Duration::from_millis(100));
                }
            })
        };
        let how = Exploration {
            cost: cost.clone(),
            max_tests: if args.run.inputs.is_some() { usize::MAX } else { args.max_tests },
            include_traps: args.run.include_traps,
            workers: workers(&args.run),
            search: (args.strategy == Strategy::Search).then_some(args.steps),
            seed: args.program.seed,
            seeds: seeds.clone(),
            budget: budget.clone(),
            progress: Some(progress),
        };
        let explored = explore_size(&program, n, &how);
        done.store(true, Ordering::Relaxed);
        let _ = ticker.join();
        let (mut document, _) = match explored {
            Ok(explored) => explored,
            Err(error) => {
                bar.finish_and_clear();
                return Err(error.into());
            }
        };
        if let Some(dir) = &args.run.inputs {
            let about = document::Program {
                module: program.name().to_owned(),
                entry: program.entry()?.to_string(),
            };
            let files = export::exploration_inputs(&about, &cost.to_string(), &document);
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
    let no_answer = results.iter().all(|r| r.cut_by.is_some() && r.paths + r.trapped + r.cut == 0);
    let taken = match results.as_slice() {
        [one] => beside.json(out, args.run.json.as_deref(), one),
        several => beside.json(
            out,
            args.run.json.as_deref(),
            &serde_json::json!({ "schema": document::SCHEMA, "results": several }),
        ),
    };
    if !taken {
        out.print(&pessimum_report::render_explorations(&results, out.style()));
    }
    beside.end()?;
    Ok(if no_answer { 3 } else { 0 })
}

// --- replay, report ---------------------------------------------------------------------------

/// `replay`
pub(crate) fn replay(args: &ReplayArgs, out: &Out) -> Result<u8, Failure> {
    let program = program(&args.program)?;
    let cost = cost_model(&args.program.cost)?;
    let module = program.module(&cost)?;
    let raw = read(&args.input)?;
    let json: Option<serde_json::Value> = serde_json::from_slice(&raw).ok();
    // A bare list, or what `--inputs` wrote.
    let json = json.map(|v| v.pointer("/input/values").cloned().unwrap_or(v));
    let json = match json {
        Some(serde_json::Value::Array(values)) => Some(values),
        _ => None,
    };
    let reader = || match &json {
        Some(values) => InputReader::Json(values.iter()),
        None => InputReader::Raw(&raw),
    };
    let n = match (args.size, program.structure_size(reader())?) {
        (Some(n), _) | (None, Some(n)) => n,
        (None, None) => find_size(&program, json.as_ref().map(Vec::len), raw.len())?,
    };
    let setup = program.setup(n)?;
    let values = match &json {
        None => None,
        Some(_) => {
            if setup.invocation.slots().is_empty() && program.structure()?.is_none() {
                return Err(Failure::usage(
                    "a program that asks for its inputs takes raw bytes, not JSON",
                ));
            }
            Some(setup.invocation.read(reader()).map_err(|e| Failure::usage(e.to_string()))?)
        }
    };
    let copy = Instrumented::profiled(program.bytes(), &cost, module.line_points())
        .map_err(|e| Failure::usage(e.to_string()))?;
    let limits = ReplayLimits { seed: args.program.seed, ..ReplayLimits::default() };
    let replayer = Replayer::new(&copy, limits).map_err(|e| Failure::usage(e.to_string()))?;
    let input = match &values {
        Some(values) => Input::Values(values),
        None => Input::Raw(&raw),
    };
    let run = |invocation: &Invocation| {
        let ran = replayer.run(invocation, &setup.sizes, input);
        ran.map_err(|e| Failure::usage(e.to_string()))
    };
    let mut outcome = run(&setup.invocation)?;
    if let Some(predicate) = program.predicate(n)? {
        let name = predicate.function.clone();
        if run(&Invocation::Call(predicate))?.results.first().is_none_or(|r| r.1 == 0) {
            let warning = format!("`{name}` does not accept the structure: no run reports it");
            outcome.warnings.push(warning);
        }
    }
    let mut functions: std::collections::BTreeMap<String, u64> = Default::default();
    let mut lines: std::collections::BTreeMap<(String, String), u64> = Default::default();
    for entry in &outcome.profile {
        let function = module.function_name(entry.function);
        *functions.entry(function.clone()).or_default() += entry.cost;
        let at = module.locate(entry.offset).map_or_else(
            || format!("{function}+{:#x}", entry.offset),
            |l| pessimum_machine::Location { column: 0, ..l }.to_string(),
        );
        *lines.entry((at, function)).or_default() += entry.cost;
    }
    let mut functions: Vec<_> = functions
        .into_iter()
        .map(|(function, cost)| document::FunctionCost { function, cost })
        .collect();
    functions.sort_by_key(|f| std::cmp::Reverse(f.cost));
    let mut lines: Vec<_> = lines
        .into_iter()
        .map(|((at, function), cost)| document::LineCost {
            at,
            function,
            text: String::new(),
            cost,
        })
        .collect();
    lines.sort_by_key(|l| std::cmp::Reverse(l.cost));
    let end = match &outcome.end {
        pessimum_replay::End::Normal => "normal".to_owned(),
        pessimum_replay::End::Exit(code) => format!("exit {code}"),
        pessimum_replay::End::Trap(message) => format!("trap: {message}"),
        other => format!("{other:?}"),
    };
    let document = document::Replay {
        schema: document::SCHEMA,
        program: document::Program {
            module: program.name().to_owned(),
            entry: program.entry()?.to_string(),
        },
        cost_model: cost.to_string(),
        n,
        cost: outcome.cost,
        instructions: None,
        end,
        results: outcome.results.iter().map(|(ty, bits)| format!("{}:{bits}", ty.name())).collect(),
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        input: None,
        functions,
        lines,
        warnings: outcome.warnings.clone(),
    };
    let mut beside = Beside::default();
    if !beside.json(out, args.json.as_deref(), &document) {
        out.print(&pessimum_report::render_replay(&document, out.style()));
    }
    beside.end()?;
    Ok(0)
}

/// The size at which the program takes as many values, or bytes, as the input has.
fn find_size(program: &Program, values: Option<usize>, bytes: usize) -> Result<u64, Failure> {
    let hint = "say the size with --size N";
    for n in 0..=(bytes as u64).max(1) {
        let Ok(setup) = program.setup(n) else { continue };
        let slots = setup.invocation.slots();
        if slots.is_empty() && n > 0 {
            break;
        }
        let size: usize = slots.iter().map(|s| s.ty.bytes() as usize).sum();
        if values.map_or(size == bytes, |v| v == slots.len()) {
            return Ok(n);
        }
        if size > bytes && values.is_none() {
            break;
        }
    }
    Err(Failure::usage(format!("no size takes an input of this length: {hint}")))
}

fn read_result(file: &Path) -> Result<document::Analysis, Failure> {
    serde_json::from_slice(&read(file)?).map_err(|e| {
        Failure::usage(format!(
            "{} is not a result of `pessimum analyze --json`: {e}",
            file.display()
        ))
    })
}

/// `report`
pub(crate) fn report(args: &ReportArgs, out: &Out) -> Result<u8, Failure> {
    let result = read_result(&args.result)?;
    write(&args.output, pessimum_report::html(&result).as_bytes())?;
    out.print(&format!("wrote {}", args.output.display()));
    Ok(0)
}
