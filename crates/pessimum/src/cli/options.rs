//! What the flags ask for: the program, the costs that are counted, the budgets.

use super::Failure;
use super::args::{LearnArgs, ProgramArgs, RunArgs, Selects};
use super::files::{read_at_most, regular};
use super::limits::Limits as RunLimits;
use super::module::Opened;
use pessimum::{BadLine, Budget, CostModel, Entry, Error, Program, parse_dictionary};
use pessimum_clock::Deadline;
use pessimum_entry::Unknown;
use pessimum_machine::Limits;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The program that the flags describe.
pub(super) fn program(args: &ProgramArgs, module: &Opened) -> Result<Program, Failure> {
    let mut program = Program::new(module.name.clone(), Arc::clone(&module.bytes))?.seed(args.seed);
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
    if let Some(argv) = &args.argv {
        program = program.enter(match (argv, args.stdin) {
            (Some(words), true) => Entry::command(words, Unknown::Stdin).map_err(Error::from)?,
            (Some(words), false) => Entry::command(words, Unknown::Argument).map_err(Error::from)?,
            (None, false) => Entry::Argv,
            (None, true) => {
                return Err(Failure::usage(
                    "--argv beside --stdin needs the words that start the program: --argv='sort -n'",
                ));
            }
        });
    } else if args.stdin {
        program = program.enter(Entry::Stdin);
    } else if let Some(name) = &args.target {
        program = program.target(name)?;
    } else if let Some(spec) = args.call.as_deref().or(module.call) {
        program = program.call(spec)?;
    }
    Ok(program)
}

/// Bytes of a table of prices: one line for each of some hundred instructions, with room.
pub(super) const PRICES: u64 = 1 << 20;

pub(super) fn cost_model(text: &str) -> Result<CostModel, Failure> {
    let load = |name: &str| regular(Path::new(name), PRICES);
    Ok(CostModel::parse(text, load).map_err(Error::from)?)
}

/// A flag that Ctrl-C sets: the first time the run stops and says what it has, the second time it
/// ends at once.
pub(super) fn interruptible() -> Arc<AtomicBool> {
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

pub(super) fn budget(args: &RunArgs, limits: RunLimits, cancel: &Arc<AtomicBool>) -> Budget {
    Budget {
        deadline: Deadline::at(limits.deadline).or_when(Arc::clone(cancel)),
        memory: limits.memory,
        paths: args.max_paths,
        work: None,
    }
}

pub(super) fn workers(args: &RunArgs) -> usize {
    args.workers
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .max(1)
}

/// Bytes of all seeds together: a corpus of a fuzzer has some megabytes.
const SEEDS: u64 = 256 << 20;

/// Bytes of a dictionary: those of fuzzers have some kilobytes.
const DICTIONARY: u64 = 1 << 20;

/// The words of the file of `--dict`.
pub(super) fn dictionary(args: &LearnArgs) -> Result<Vec<Vec<u8>>, Failure> {
    let Some(file) = &args.dict else { return Ok(Vec::new()) };
    parse_dictionary(&read_at_most(file, DICTIONARY)?).map_err(|BadLine { number }| {
        let file = file.display();
        Failure::usage(format!(
            "line {number} of {file} is no word of a dictionary: write one in quotes on each line, kw=\"<!--\", with \\\\, \\\" and \\x41 for bytes that cannot stand there"
        ))
    })
}

/// The inputs of the folder of `--seeds`, in the order of their names.
pub(super) fn seeds(args: &RunArgs) -> Result<Vec<Vec<u8>>, Failure> {
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
    let mut left = SEEDS;
    let mut all = Vec::new();
    for file in &files {
        let seed = read_at_most(file, left)?;
        left -= seed.len() as u64;
        all.push(seed);
    }
    Ok(all)
}
