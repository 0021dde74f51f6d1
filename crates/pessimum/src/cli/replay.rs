//! `replay`: one input, run in the independent engine.

use super::Failure;
use super::args::ReplayArgs;
use super::exit;
use super::files::{Beside, Out, check_places, read, write};
use super::limits::Limits as RunLimits;
use super::module::{Build, open};
use super::options::{cost_model, program};
use super::sources::Sources;
use pessimum::document;
use pessimum::{BlockPlaces, InputValues, Program, SourceText};
use pessimum_clock::Deadline;
use pessimum_entry::{InputReader, Invocation, WasmType};
use pessimum_explore::run_concrete;
use pessimum_machine::{Location, Module, Setup};
use pessimum_replay::{End, Input, Instrumented, Limits, OperatorCost, ReplayError, Replayer};
use pessimum_report::{Stack, folded, pprof, speedscope};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Operators of the counted copy for each of the program's, at most.
const COUNTING: u64 = 8;

/// `replay`
pub(super) fn replay(args: &ReplayArgs, out: &Out) -> Result<u8, Failure> {
    check_places(
        &[
            ("--json", args.json.as_deref()),
            ("--speedscope", args.speedscope.as_deref()),
            ("--folded", args.folded.as_deref()),
            ("--pprof", args.pprof.as_deref()),
        ],
        &[("the module", &args.program.module), ("the input", &args.input)],
    )?;
    let sources = Sources::new(&args.program.module, &args.source.source)?;
    let build = Build::of(&args.program, &args.build, args.limits.time, false);
    let opened = open(&args.program.module, &build, out)?;
    let limits = RunLimits::start(args.limits.time, args.limits.memory);
    let until = Deadline::at(limits.deadline);
    let _guard = limits.guard(out);
    let program = program(&args.program, &opened)?;
    let cost = cost_model(&args.program.cost)?;
    let module = program.module(&cost)?;
    let raw = read(&args.input)?;
    let json = values_of(&args.input, &raw)?;
    let json =
        json.filter(|_| is_json(&args.input) || !takes_bytes(&program, args.size, raw.len()));
    let reader = || match &json {
        Some(values) => InputReader::Json(values.iter()),
        None => InputReader::Raw(&raw),
    };
    let n = match (args.size, program.structure_size(reader())?) {
        (Some(n), _) | (None, Some(n)) => n,
        (None, None) => find_size(&program, json.as_ref().map(Vec::len), raw.len())?,
    };
    let mut setup = program.setup(n)?;
    setup.limits.deadline.clone_from(&until);
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
    // The copy executes a few operators of its own for each of the program's.
    let fuel = args.program.max_instructions.map(|most| most.saturating_mul(COUNTING));
    let limits = Limits { seed: args.program.seed, fuel, ..Limits::default() };
    let replayer = Replayer::new(&copy, limits).map_err(|e| Failure::usage(e.to_string()))?;
    let input = match &values {
        Some(values) => Input::Values(values),
        None => Input::Raw(&raw),
    };
    let run = |invocation: &Invocation| {
        let ran = replayer.run_until(invocation, &setup.sizes, input, &until);
        ran.map_err(|error| {
            let code = match error {
                ReplayError::OutOfTime { .. } => exit::OUT_OF_BUDGET,
                _ => exit::USAGE,
            };
            Failure { code, lines: vec![error.to_string()] }
        })
    };
    let mut outcome = run(&setup.invocation)?;
    if let Some(predicate) = program.predicate(n)? {
        let name = predicate.function.clone();
        if run(&Invocation::Call(predicate))?.results.first().is_none_or(|r| r.1 == 0) {
            let warning = format!("`{name}` does not accept the structure: no run reports it");
            outcome.warnings.push(warning);
        }
    }
    let text = SourceText::new(&module, program.bytes(), |name| sources.read(name));
    let (functions, lines) = costs_by_place(&module, &outcome.profile, &text);
    let annotated = match args.annotate {
        true => source_with_costs(&module, &outcome.profile, n, &text),
        false => Vec::new(),
    };
    let stacks = match (&args.speedscope, &args.folded, &args.pprof) {
        (None, None, None) => Vec::new(),
        _ => {
            let (stacks, cost) = costs_by_stack(&module, &setup, &outcome.inputs)?;
            if outcome.cost.is_some_and(|counted| counted != cost) {
                outcome.warnings.push(format!(
                    "by call stack pessimum counts {cost}: a bug of pessimum, please report it with the module, the call and the input"
                ));
            }
            stacks
        }
    };
    let document = document::Replay {
        schema: document::SCHEMA,
        program: program.describe()?,
        cost_model: cost.to_string(),
        n,
        cost: outcome.cost,
        instructions: None,
        end: describe(&outcome.end),
        results: outcome.results.iter().map(|(ty, bits)| returned(*ty, *bits)).collect(),
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        input: None,
        functions,
        lines,
        warnings: outcome.warnings,
    };
    let mut beside = Beside::default();
    if !beside.json(out, args.json.as_deref(), &document) {
        let mut text = pessimum_report::render_replay(&document, out.style());
        if args.annotate {
            text.push_str(&pessimum_report::render_annotated(&annotated, out.style()));
        }
        out.print(&text);
    }
    let name = format!("{} {}, n = {n}", document.program.module, document.program.entry);
    if let Some(file) = &args.speedscope {
        beside.attempt(write(file, speedscope(&name, &stacks).as_bytes()));
    }
    if let Some(file) = &args.folded {
        beside.attempt(write(file, folded(&stacks).as_bytes()));
    }
    if let Some(file) = &args.pprof {
        beside.attempt(write(file, &pprof(&document.cost_model, &stacks)));
    }
    if let Some(note) = sources.note() {
        out.note(&note);
    }
    beside.end()?;
    Ok(if matches!(outcome.end, End::OutOfFuel | End::OutOfTime) { 3 } else { 0 })
}

/// Whether a file calls itself JSON.
fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
}

/// Whether the program takes so many bytes, at this size or some size: text that looks like JSON is then what a parser
/// is to be run on.
fn takes_bytes(program: &Program, size: Option<u64>, bytes: usize) -> bool {
    let size = size.map_or_else(|| find_size(program, None, bytes).ok(), Some);
    let Some(setup) = size.and_then(|n| program.setup(n).ok()) else { return false };
    let slots = setup.invocation.slots();
    slots.len() == bytes && slots.iter().all(|slot| slot.ty.bytes() == 1)
}

/// The values of an input in JSON: a bare list, or what `--inputs` wrote; `None` for raw bytes. A
/// file that calls itself JSON must be: taken for bytes, it would run and say something else.
fn values_of(file: &Path, raw: &[u8]) -> Result<Option<Vec<Value>>, Failure> {
    let named = is_json(file);
    let wrong = |why: &dyn std::fmt::Display| {
        Failure::usage(format!("{} is not an input in JSON: {why}", file.display()))
    };
    match document::parse::<Value>(raw) {
        Err(why) if named => Err(wrong(&why)),
        Err(_) => Ok(None),
        Ok(value) => match value.pointer("/input/values").cloned().unwrap_or(value) {
            Value::Array(values) => Ok(Some(values)),
            _ if named => Err(wrong(&"it has no list of values")),
            _ => Ok(None),
        },
    }
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

/// What each function and each line has cost, the costliest first.
fn costs_by_place(
    module: &Module,
    profile: &[OperatorCost],
    text: &SourceText<'_>,
) -> (Vec<document::FunctionCost>, Vec<document::LineCost>) {
    let mut functions: BTreeMap<String, u64> = BTreeMap::new();
    let mut lines: BTreeMap<(String, String), (u64, String)> = BTreeMap::new();
    for entry in profile {
        let function = module.function_name(entry.function);
        *functions.entry(function.clone()).or_default() += entry.cost;
        let (at, line) = match module.locate(entry.offset) {
            Some(place) => (Location { column: 0, ..place }.to_string(), text.at(entry.offset)),
            None => (module.describe_at(entry.function, entry.offset), String::new()),
        };
        lines.entry((at, function)).or_insert((0, line)).0 += entry.cost;
    }
    let functions = functions.into_iter();
    let mut functions: Vec<_> =
        functions.map(|(function, cost)| document::FunctionCost { function, cost }).collect();
    functions.sort_by_key(|f| Reverse(f.cost));
    let line = |((at, function), (cost, text))| document::LineCost { at, function, text, cost };
    let mut lines: Vec<_> = lines.into_iter().map(line).collect();
    lines.sort_by_key(|l| Reverse(l.cost));
    (functions, lines)
}

/// The files that the run came through, each with the cost of its lines.
fn source_with_costs(
    module: &Module,
    profile: &[OperatorCost],
    n: u64,
    text: &SourceText<'_>,
) -> Vec<document::SourceFile> {
    let mut files: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    for entry in profile {
        if let Some(at) = module.locate(entry.offset) {
            let lines = files.entry(at.file.to_string()).or_default();
            *lines.entry(at.line).or_default() += entry.cost;
        }
    }
    let file = |(name, lines): (String, BTreeMap<u32, u64>)| document::SourceFile {
        hottest: None,
        lines: text.file(&name).to_vec(),
        name,
        not_read: None,
        counted: String::new(),
        heat: vec![document::Heat { n, lines: lines.into_iter().collect() }],
    };
    files.into_iter().map(file).collect()
}

/// What each call stack costs, with the line of its innermost call where debug information tells one, and what
/// all of them cost. The independent engine keeps no stack that can be looked at, so this is counted by us.
fn costs_by_stack(
    module: &Arc<Module>,
    setup: &Setup,
    input: &InputValues,
) -> Result<(Vec<Stack>, u64), Failure> {
    let ran = run_concrete(module, setup, input.clone(), |machine| machine.profile_stacks());
    let (_, machine) = ran.map_err(|e| Failure::usage(e.to_string()))?;
    let mut blocks = BlockPlaces::new(module);
    let stacks = machine.stack_costs().into_iter().map(|spent| {
        let names = spent.functions.iter().map(|function| module.function_name(*function));
        let at = blocks.offset(spent.block).and_then(|offset| module.locate(offset));
        let line = at.map(|at| document::SourceLine { file: at.file.to_string(), line: at.line });
        Stack { frames: names.collect(), line, cost: spent.cost }
    });
    Ok((stacks.collect(), machine.counters().cost))
}

/// A value that was returned, as people write it.
fn returned(ty: WasmType, bits: u64) -> String {
    match ty {
        WasmType::I32 => (bits as u32).cast_signed().to_string(),
        WasmType::I64 => bits.cast_signed().to_string(),
        WasmType::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        WasmType::F64 => format!("{:?}", f64::from_bits(bits)),
        other => format!("{}:{bits:#x}", other.name()),
    }
}

fn describe(end: &End) -> String {
    match end {
        End::Normal => "normal".to_owned(),
        End::Exit(code) => format!("exit {code}"),
        End::Trap(message) => format!("trap: {message}"),
        End::OutOfFuel => "out of fuel".to_owned(),
        End::OutOfTime => "out of time".to_owned(),
        End::OutOfStack => "too deep".to_owned(),
        End::AssumeFailed => "assume failed".to_owned(),
    }
}
