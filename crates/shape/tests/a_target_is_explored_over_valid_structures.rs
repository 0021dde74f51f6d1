//! `--call 'search(&tree where rep_ok, i32)'`: the worst case over valid inputs only.

use crate::common;

use common::{Judge, generator, module};
use pessimum_entry::{Arg, Call, CostModel, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_explore::{Options, Outcome, Plan, explore};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module, Setup};
use pessimum_shape::{Generator, ShapeError, Structure};
use std::sync::Arc;

/// The call `name(&structure, further…)`, explored with every valid structure of a size.
fn explored(name: &str, call: Call, size: usize, generator: &Generator, workers: usize) -> Outcome {
    let cost = CostModel::VisitsLine { file: "search_tree.c".to_owned(), line: 57 };
    let cost = if name == "search_tree" { cost } else { CostModel::Conditionals };
    let plan = Plan {
        module: Arc::new(Module::load(&module(name), &cost).expect("a module")),
        setup: Setup {
            invocation: Invocation::Call(call),
            sizes: Sizes::of(size as u64),
            seed: 0,
            limits: Limits::default(),
        },
        over: Some(Arc::new(generator.valid_structures(size).expect("structures"))),
        options: Options { max_tests: usize::MAX, ..Options::default() },
        workers,
    };
    explore(&plan, &Unguided, || pessimum_explore::Nobody).expect("it can be entered").0
}

fn call(function: &str, generator: &Generator, further: &[Arg]) -> Call {
    let structure = Arg::Tree(Arc::new(generator.layout().as_argument()));
    Call { function: function.to_owned(), args: [&[structure], further].concat() }
}

/// The structure among the inputs of a call.
fn structure(generator: &Generator, call: &Call, input: &InputValues) -> Structure {
    let (all, tree) = call.read(&mut input.reader()).expect("a whole input");
    assert_eq!(all.len(), input.len());
    Structure::from_argument(generator.layout(), &tree.expect("a structure"))
}

#[test]
fn a_search_in_a_valid_tree() {
    let generator = generator("search_tree", "rep_ok", &["key=0..=1000"]);
    let call = call("search", &generator, &[Arg::Scalar(Slot::any(Type::I32))]);
    let mut judge = Judge::new("search_tree", "rep_ok");
    for size in 0..=4usize {
        let outcome = explored("search_tree", call.clone(), size, &generator, 1);
        assert!(outcome.is_exact());
        // Each node can be found, and each gap between them can be the end of the search.
        let catalan = [1, 1, 2, 5, 14][size];
        assert_eq!(outcome.paths, catalan * (2 * size as u64 + 1));
        assert_eq!(outcome.worst_cost(), Some(size as u64), "a tree that is a list");
        for test in &outcome.tests {
            let input = test.input.as_ref().expect("a solved path");
            let structure = structure(&generator, &call, input);
            assert_eq!(structure.size(generator.layout()), size);
            assert!(judge.accepts(generator.layout(), &structure), "{structure:?}");
        }
    }
}

#[test]
fn workers_change_nothing() {
    let generator = generator("search_tree", "rep_ok", &[]);
    let call = call("search", &generator, &[Arg::Scalar(Slot::any(Type::I32))]);
    let of = |workers| {
        let outcome = explored("search_tree", call.clone(), 5, &generator, workers);
        let tests = outcome.tests.iter().map(|t| (t.input.clone(), t.cost));
        (outcome.paths, outcome.solver_calls, outcome.work, tests.collect::<Vec<_>>())
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn inputs_are_the_structure_again() {
    for (name, domains, size) in [
        ("search_tree", &["key=1..=n"][..], 4),
        ("red_black_tree", &["key=1..=n"], 5),
        ("heap_array", &["element=0..=2"], 4),
        ("hash_table", &["key=0..=4"], 2),
        ("css", &[], 2),
        ("fibonacci_heap", &["key=0..=1"], 3),
    ] {
        let generator = generator(name, "rep_ok", domains);
        let layout = generator.layout();
        let call = call("rep_ok", &generator, &[]);
        for own in generator.generate(size).expect("structures").structures {
            let input: InputValues = own.as_inputs(layout).into_iter().collect();
            assert_eq!(structure(&generator, &call, &input), own, "{name}");
        }
    }
}

#[test]
fn the_predicate_itself_accepts_everything_it_is_entered_with() {
    // Whatever the fields are, the path condition lets the predicate end with one answer.
    for (name, domains, size) in [
        ("red_black_tree", &["key=1..=n"][..], 4),
        ("heap_array", &[], 5),
        ("hash_table", &["key=0..=8"], 3),
        ("arithmetic", &["digit=0..=1"], 3),
    ] {
        let generator = generator(name, "rep_ok", domains);
        let array = generator.layout().kinds[generator.layout().root].array;
        let further = if array { vec![Arg::Const(size as i128)] } else { Vec::new() };
        let call = call("rep_ok", &generator, &further);
        let outcome = explored(name, call.clone(), size, &generator, 2);
        assert!(outcome.is_exact() && outcome.trapped == 0, "{name}");
        let found = generator.valid_structures(size).expect("structures").len() as u64;
        assert_eq!(outcome.paths, found, "{name}: a path of the predicate for each structure");
        let mut judge = Judge::new(name, "rep_ok");
        for test in &outcome.tests {
            let input = test.input.as_ref().expect("a solved path");
            let structure = structure(&generator, &call, input);
            assert!(judge.accepts(generator.layout(), &structure), "{name}: {structure:?}");
        }
    }
}

#[test]
fn generation_ends_where_it_is_told_to() {
    let generator = generator("binary_tree", "rep_ok", &[]);
    let few = generator.clone().most_candidates(1000);
    assert!(few.count(5).is_ok());
    assert_eq!(few.count(12).expect_err("many"), ShapeError::Candidates { limit: 1000 });
    let stopped = generator.stop_when(|| true).valid_structures(12).expect_err("it was stopped");
    assert_eq!(stopped, ShapeError::Stopped);
}
