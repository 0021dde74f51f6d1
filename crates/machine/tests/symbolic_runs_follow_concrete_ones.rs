//! A function run symbolically along the path of a concrete input ends as wasmi ends on that
//! input, with results, memory and globals whose terms evaluate to wasmi's.

#![allow(clippy::print_stdout)]

use crate::support;

use pessimum_entry::host::{Stream, Wasi};
use pessimum_entry::{Arg, Call, CostModel, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Setup, ValType};
use pessimum_term::Arena;
use std::sync::Arc;
use support::differential::{argument, comparable};
use support::follow::{Assignment, Stops, follow, memory_under};
use support::random_function;
use support::random_module::from_seed;
use support::rng::Rng;
use support::small::Small;
use support::wasmi_side::{Other, Started};

fn setup(name: &str, slots: &[Slot]) -> Setup {
    let args = slots.iter().map(|s| Arg::Scalar(*s)).collect();
    Setup {
        invocation: Invocation::Call(Call { function: name.to_owned(), args }),
        sizes: Sizes::of(0),
        seed: 0,
        limits: Limits { depth: 10_000, ..Limits::default() },
    }
}

fn slots(params: &[ValType]) -> Option<Vec<Slot>> {
    let slot = |ty: &ValType| {
        Some(Slot::any(match ty {
            ValType::I32 => Type::I32,
            ValType::I64 => Type::I64,
            ValType::F32 => Type::F32,
            ValType::F64 => Type::F64,
            ValType::FuncRef | ValType::ExternRef => return None,
        }))
    };
    params.iter().map(slot).collect()
}

/// One function on one input, three ways. `None` when the module cannot be compared.
fn compare(
    bytes: &[u8],
    module: &Arc<Module>,
    name: &str,
    rng: &mut Rng,
) -> Result<Option<(End, Stops)>, String> {
    let Some((_, ty)) = module.exported_functions().find(|(n, _)| *n == name) else {
        return Ok(None);
    };
    let Some(slots) = slots(&ty.params) else { return Ok(None) };
    let Started::Ready(mut other) = Other::start(bytes, 10_000)? else { return Ok(None) };
    let args: Vec<u64> = ty.params.iter().map(|ty| argument(rng, *ty)).collect();
    let (end, results) = other.call(name, &ty.params, &args)?;

    // Concretely, for the counts.
    let setup = setup(name, &slots);
    let mut values = InputValues::new();
    slots.iter().zip(&args).for_each(|(slot, bits)| values.push(*slot, *bits));
    let mut arena = Arena::new();
    let mut concrete = Machine::start(module, &setup, Inputs::Concrete(values), &mut arena)
        .map_err(|e| e.to_string())?;
    let mut input = Assignment::new(args.clone());
    let (concrete_end, none) = follow(&mut concrete, &mut arena, &mut input, None);
    if none != Stops::default() || concrete_end != end {
        return Err(format!(
            "{name}({args:x?}): concretely {concrete_end:?}, wasmi {end:?}, {none:?}"
        ));
    }

    let mut arena = Arena::new();
    let mut machine =
        Machine::start(module, &setup, Inputs::Symbolic, &mut arena).map_err(|e| e.to_string())?;
    let mut input = Assignment::new(args.clone());
    let (found, stops) = follow(&mut machine, &mut arena, &mut input, Some(rng));
    let context = format!("{name}({args:x?})");
    if found != end {
        return Err(format!("{context}: symbolically {found:?}, wasmi {end:?}"));
    }
    if found == End::Return {
        let values: Vec<u64> =
            machine.results(ty.results.len()).iter().map(|v| input.value(&arena, *v)).collect();
        let values = comparable(&ty.results, &values);
        if values != results {
            return Err(format!("{context}: {values:x?}, wasmi {results:x?}"));
        }
    }
    if let Some(memory) = other.memory()
        && memory != memory_under(&machine, &mut arena, &mut input)
    {
        return Err(format!("{context}: the memories differ"));
    }
    for (global, expected) in other.globals() {
        let found = machine.exported_global(&global).map(|v| input.value(&arena, v));
        let same = found == Some(expected) || (expected == 1 && found.is_some_and(|f| f != 0));
        if !same {
            return Err(format!("{context}: global {global} is {found:x?}, wasmi {expected:x}"));
        }
    }
    if machine.counters().all_instructions != concrete.counters().all_instructions {
        return Err(format!(
            "{context}: {:?}, concretely {:?}",
            machine.counters(),
            concrete.counters()
        ));
    }
    Ok(Some((end, stops)))
}

#[test]
fn random_functions() {
    let mut stops = Stops::default();
    let (mut runs, mut returned) = (0, 0);
    for seed in 1000..1400 {
        let Some(bytes) = from_seed(seed, 300) else { continue };
        let module = Arc::new(Module::load(&bytes, &CostModel::Instructions).expect("it loads"));
        let wasi = Wasi::new(Stream::None, 0);
        if Machine::instantiate(Arc::clone(&module), Limits::default(), wasi, 0).is_err() {
            continue;
        }
        let names: Vec<String> = module.exported_functions().map(|f| f.0.to_owned()).collect();
        let mut rng = Rng::new(seed);
        for name in names.iter().chain(&names) {
            match compare(&bytes, &module, name, &mut rng) {
                Ok(None) => {}
                Ok(Some((end, s))) => {
                    stops.add(s);
                    runs += 1;
                    returned += u64::from(end == End::Return);
                }
                Err(e) => panic!("seed {seed}: {e}"),
            }
        }
    }
    println!("{runs} runs, {returned} returned, {stops:?}");
    assert!(runs >= 800 && returned >= 200, "{runs} runs, {returned} returned");
}

#[test]
fn functions_that_look_at_their_arguments() {
    let mut stops = Stops::default();
    let (mut runs, mut returned) = (0, 0);
    for seed in 0..600 {
        let small = Small::new(&random_function::text(seed));
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let args = random_function::arguments(&mut rng);
            match small.check(&args, Some(&mut rng)) {
                Ok((end, s)) => {
                    stops.add(s);
                    runs += 1;
                    returned += u64::from(end == End::Return);
                }
                Err(e) => panic!("seed {seed}: {e}\n{}", random_function::text(seed)),
            }
        }
    }
    println!("{runs} runs, {returned} returned, {stops:?}");
    assert!(runs >= 2400 && returned >= 800, "{runs} runs, {returned} returned");
    let all = [stops.branches, stops.switches, stops.splits, stops.guards, stops.choices];
    assert!(all.iter().all(|count| *count >= 200) && stops.regions >= 100, "{stops:?}");
}
