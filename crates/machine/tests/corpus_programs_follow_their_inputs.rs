//! Every program of the corpus, compiled by real compilers, on random inputs three ways:
//! symbolically along the input's path, concretely, and in the replay engine with counters.

#![allow(clippy::print_stdout)]

use crate::support;

use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Let, Sizes, Slot};
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Restart, Setup, Stop};
use pessimum_replay::{Input, Instrumented, Replayer};
use pessimum_term::Arena;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::follow::{Assignment, Stops, answer};
use support::rng::Rng;

struct Program {
    name: String,
    bytes: Vec<u8>,
    entry: Entry,
    lets: Vec<Let>,
}

fn programs() -> Vec<Program> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut directories: Vec<PathBuf> = std::fs::read_dir(&corpus)
        .expect("a corpus")
        .map(|e| e.expect("an entry").path())
        .collect();
    directories.sort();
    let mut programs = Vec::new();
    for directory in directories {
        let Ok(text) = std::fs::read_to_string(directory.join("facts.toml")) else { continue };
        let facts: toml::Table = text.parse().expect("facts");
        let name = directory.file_name().expect("a name").to_string_lossy().into_owned();
        let flag = |key: &str| facts.get(key).and_then(toml::Value::as_bool).unwrap_or(false);
        let entry = match facts.get("call").and_then(toml::Value::as_str) {
            Some(call) => {
                let spec = CallSpec::parse(call).expect("a call");
                if spec.args.is_empty() {
                    Entry::Program { export: spec.function }
                } else {
                    Entry::Call(spec)
                }
            }
            None if flag("stdin") => Entry::Stdin,
            None if flag("argv") => Entry::Argv,
            None => continue,
        };
        let lets = facts.get("let").and_then(toml::Value::as_table).into_iter().flatten();
        let lets = lets
            .filter_map(|(name, value)| Let::parse(&format!("{name}={}", value.as_str()?)).ok())
            .collect::<Vec<Let>>();
        let mut files = vec![format!("{name}.wasm")];
        let builds = facts.get("builds").and_then(toml::Value::as_array);
        files.extend(builds.into_iter().flatten().filter_map(|b| b.as_str().map(str::to_owned)));
        for file in files {
            let Ok(bytes) = std::fs::read(directory.join(&file)) else { continue };
            programs.push(Program { name: file, bytes, entry: entry.clone(), lets: lets.clone() });
        }
    }
    programs
}

/// A value the slot admits, often a small one so that values meet.
fn random_value(rng: &mut Rng, slot: Slot) -> u64 {
    if let Some((low, high)) = slot.domain {
        let span = u64::try_from(high - low).unwrap_or(u64::MAX - 1) + 1;
        return (low + i128::from(rng.below(span))) as u64 & slot.ty.mask();
    }
    let bits = match rng.below(4) {
        0 => rng.interesting(),
        1 => 32 + rng.below(90),
        _ => rng.below(5).wrapping_sub(2),
    };
    bits & slot.ty.mask()
}

struct Run {
    end: End,
    cost: u64,
    results: Vec<u64>,
    stops: Stops,
}

/// Follows an input that is made up as the program asks for it.
fn follow(
    machine: &mut Machine,
    arena: &mut Arena,
    rng: &mut Rng,
    results: usize,
) -> (Run, InputValues) {
    let mut input = Assignment::new(Vec::new());
    let mut stops = Stops::default();
    let end = loop {
        let stop: Stop = machine.run(arena);
        for made in &machine.inputs()[input.values.len()..] {
            let value = made.value.as_concrete().unwrap_or_else(|| random_value(rng, made.slot));
            input.values.push(value);
        }
        if let Some(end) = answer(machine, arena, &mut input, stop, Some(rng), &mut stops) {
            break end;
        }
    };
    let mut values = InputValues::new();
    for (made, bits) in machine.inputs().iter().zip(&input.values) {
        values.push(made.slot, *bits);
    }
    let results = match end {
        End::Return => machine.results(results).iter().map(|v| input.value(arena, *v)).collect(),
        _ => Vec::new(),
    };
    (Run { end, cost: machine.counters().cost, results, stops }, values)
}

#[test]
fn three_engines_agree() {
    let mut stops = Stops::default();
    let (mut runs, mut modules, mut restarts) = (0, 0, 0);
    for program in programs() {
        modules += 1;
        let module = Module::load(&program.bytes, &CostModel::Conditionals);
        let module = Arc::new(module.unwrap_or_else(|e| panic!("{}: {e}", program.name)));
        let copy =
            Instrumented::new(&program.bytes, &CostModel::Conditionals, &[]).expect("a copy");
        let replayer =
            Replayer::new(&copy, pessimum_replay::Limits::default()).expect("a replayer");
        let mut rng = Rng::new(modules);
        for n in [1, 2, 3, 5, 6] {
            let sizes = Sizes::at(n, &program.lets).expect("sizes");
            let invocation = program.entry.at(&sizes).expect("an invocation");
            let results = module
                .exported_functions()
                .find(|f| f.0 == invocation.export())
                .map_or(0, |f| f.1.results.len());
            let limits = Limits { instructions: 3_000_000, ..Limits::default() };
            let setup = Setup { invocation, sizes, seed: 0, limits };
            let restart = Restart::new(&module, &setup);
            restarts += usize::from(restart.is_some());
            for _ in 0..3 {
                let context = format!("{} at n = {n}", program.name);
                let mut arena = Arena::new();
                let mut machine = Machine::start(&module, &setup, Inputs::Symbolic, &mut arena)
                    .unwrap_or_else(|e| panic!("{context}: {e}"));
                let (symbolic, values) = follow(&mut machine, &mut arena, &mut rng, results);
                let mut arena = Arena::new();
                let inputs = Inputs::Concrete(values.clone());
                let mut machine = Machine::start(&module, &setup, inputs, &mut arena)
                    .unwrap_or_else(|e| panic!("{context}: {e}"));
                machine.profile_blocks();
                // A trace is kept by the loop that knows terms.
                let mut traced = machine.clone();
                traced.keep_trace();
                let Stop::End(end) = machine.run(&mut arena) else {
                    panic!("{context}: a concrete run stops")
                };
                let context = format!("{context} on {}", values.elided(20));
                assert_eq!(traced.run(&mut arena), Stop::End(end), "{context}");
                assert_eq!(traced.counters(), machine.counters(), "{context}");
                assert_eq!(traced.block_counts(), machine.block_counts(), "{context}");
                assert_eq!(traced.position(), machine.position(), "{context}");
                assert_eq!(traced.depth(), machine.depth(), "{context}");
                assert!(traced.memory_bytes() == machine.memory_bytes(), "{context}");
                if end == End::Return {
                    assert_eq!(traced.results(results), machine.results(results), "{context}");
                }
                assert_eq!(symbolic.end, end, "{context}");
                assert_eq!(symbolic.cost, machine.counters().cost, "{context}");
                if let Some(restart) = &restart {
                    let again = restart.start(&setup, values.clone(), &mut Arena::new());
                    let mut again = again.unwrap_or_else(|e| panic!("{context}: {e}"));
                    assert_eq!(again.run(&mut Arena::new()), Stop::End(end), "{context}");
                    assert_eq!(again.counters(), machine.counters(), "{context}");
                    assert!(again.memory_bytes() == machine.memory_bytes(), "{context}");
                    restart.give_back(again);
                }
                runs += 1;
                stops.add(symbolic.stops);
                // What comes back to where it was would never end in the other engine.
                if matches!(end, End::OutOfInstructions | End::Endless) {
                    continue;
                }
                let replayed = replayer
                    .run(&setup.invocation, &setup.sizes, Input::Values(&values))
                    .unwrap_or_else(|e| panic!("{context}: {e}"));
                let expected = match end {
                    End::Return => pessimum_replay::End::Normal,
                    End::Exit(code) => pessimum_replay::End::Exit(code),
                    End::Excluded => pessimum_replay::End::AssumeFailed,
                    _ => {
                        let trapped = matches!(replayed.end, pessimum_replay::End::Trap(_));
                        assert!(trapped, "{context}: {end:?}, replayed {:?}", replayed.end);
                        continue;
                    }
                };
                assert_eq!(replayed.end, expected, "{context}");
                if end == End::Return {
                    let replayed: Vec<u64> = replayed.results.iter().map(|r| r.1).collect();
                    assert_eq!(symbolic.results, replayed, "{context}");
                }
                if end != End::Excluded {
                    assert_eq!(Some(symbolic.cost), replayed.cost, "{context}");
                }
            }
        }
    }
    println!("{modules} modules, {runs} runs, {stops:?}");
    assert!(modules >= 40, "{modules}");
    assert!(restarts as u64 >= 4 * modules, "{restarts} of {modules} modules at five sizes");
    assert!(stops.branches >= 5000, "{stops:?}");
}
