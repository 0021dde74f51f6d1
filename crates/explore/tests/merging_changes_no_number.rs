//! A walk that merges states against one that follows every path: counts, worst and least cost, the
//! input of the worst path and the traps are the same. Where every reuse is walked again, none is
//! wrong.

#![allow(clippy::print_stdout)]

use crate::random_floats;
use crate::random_function;
use crate::random_sorter;

use crate::merge_case;

use merge_case::Case;
use pessimum_entry::{CostModel, Entry, Sizes, Slot, Type};
use pessimum_explore::Merge;
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;

/// Insertion sort of the arguments, which are stored at 1024 first.
pub(crate) fn insertion_sort(n: u32) -> String {
    let params = "i32 ".repeat(n as usize);
    let stores: String = (0..n)
        .map(|i| format!("(i32.store (i32.const {}) (local.get {i}))", 1024 + 4 * i))
        .collect();
    let (i, j, x) = (n, n + 1, n + 2);
    format!(
        r#"(module (memory 1)
        (func (export "f") (param {params}) (local i32 i32 i32) {stores}
            (local.set {i} (i32.const 4))
            (block $done (loop $outer
                (br_if $done (i32.ge_u (local.get {i}) (i32.const {end})))
                (local.set {x} (i32.load offset=1024 (local.get {i})))
                (local.set {j} (local.get {i}))
                (block $found (loop $inner
                    (br_if $found (i32.eqz (local.get {j})))
                    (br_if $found (i32.le_s (i32.load offset=1020 (local.get {j})) (local.get {x})))
                    (i32.store offset=1024 (local.get {j}) (i32.load offset=1020 (local.get {j})))
                    (local.set {j} (i32.sub (local.get {j}) (i32.const 4)))
                    (br $inner)))
                (i32.store offset=1024 (local.get {j}) (local.get {x}))
                (local.set {i} (i32.add (local.get {i}) (i32.const 4)))
                (br $outer)))))"#,
        end = 4 * n
    )
}

#[test]
fn insertion_sort_has_a_square_of_states_and_a_factorial_of_paths() {
    let case = |n: u32| {
        let slots = vec![Slot::any(Type::I32); n as usize];
        Case::new(&insertion_sort(n), &slots, &CostModel::Conditionals)
    };
    for n in 2..=6 {
        case(n).check(&format!("n = {n}"));
    }
    let found = case(20).walked(Merge::On);
    let merged = found.merged.as_ref().expect("it merges");
    let paths = merged.paths.as_ref().expect("it counts").to_string();
    assert_eq!(paths, "2432902008176640000", "20!");
    assert!(found.is_exact());
    // The outer loop is tested n times, the inner one 2 i + 1 times in round i.
    assert_eq!(found.worst_cost(), Some(20 + (1..20).map(|i| 2 * i + 1).sum::<u64>()));
    assert!(merged.states <= 19 * 19, "{} states", merged.states);
    let input = found.worst.and_then(|w| w.test.input).expect("an input");
    let values: Vec<i128> =
        input.iter().filter_map(|(slot, bits)| slot.ty.integer(*bits)).collect();
    assert!(values.windows(2).all(|w| w[0] > w[1]), "{values:?} falls");
}

/// States that hold floats computed from the inputs.
#[test]
fn computed_floats_change_nothing() {
    let slots = [
        Slot::within(Type::I32, -2, 3),
        Slot::within(Type::I8, -2, 2),
        Slot::within(Type::I32, 250, 256),
    ];
    for seed in 0..100 {
        let text = random_floats::text(seed);
        Case::new(&text, &slots, &CostModel::Conditionals).check(&format!("floats, seed {seed}"));
    }
}

/// Every choice of an insertion sort is open but those that are not: the lesson of 18! paths is that of a few.
#[test]
fn what_is_learned_from_states_is_what_paths_teach() {
    let slots = vec![Slot::any(Type::I32); 18];
    let case = Case::new(&insertion_sort(18), &slots, &CostModel::Conditionals);
    let (found, lesson) = case.lesson(Merge::On).expect("it merges");
    assert_eq!(lesson.leaves(), (1..=18).product::<u64>());
    assert_eq!(lesson.max_cost().map(|cost| cost.0), found.worst_cost());
    // Some path shifts always, some never, and the others do both, stopping at the front or before it.
    assert!((3..=16).contains(&lesson.tallies().len()), "{:?}", lesson.tallies().len());
    let worst: Vec<u64> = lesson.worst_policies().map(|(_, tally)| tally.count).collect();
    assert_eq!(worst, [1], "one order is the worst");
}

/// A program of the corpus that makes its inputs itself, at a size.
fn corpus(name: &str, n: u64) -> Case {
    let file = format!("{}/../../corpus/{name}/{name}.wasm", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(file).expect("the corpus is there");
    let module = Module::load(&bytes, &CostModel::Conditionals).expect("it loads");
    let sizes = Sizes::of(n);
    let entry = Entry::Program { export: "run".to_owned() };
    let invocation = entry.at(&sizes).expect("it can be entered");
    let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
    Case { module: Arc::new(module), setup }
}

#[test]
fn lists_and_trees_are_the_same_wherever_their_nodes_lie() {
    for (name, n) in [("sorted_list", 6), ("bst", 5), ("red_black_tree", 5), ("btree", 5)] {
        corpus(name, n).check(name);
    }
    let found = corpus("sorted_list", 20).walked(Merge::On);
    let merged = found.merged.as_ref().expect("it merges");
    let paths = merged.paths.as_ref().map(ToString::to_string);
    assert_eq!(paths.as_deref(), Some("2432902008176640000"), "20!");
    assert_eq!((found.worst_cost(), found.is_exact()), (Some(20), true));
    assert!(merged.states <= 19 * 19, "{} states", merged.states);
}

#[test]
fn where_paths_are_not_counted_a_heap_has_few_states() {
    for n in 3..=7 {
        corpus("heap_insert", n).check(&format!("n = {n}"));
    }
    let found = corpus("heap_insert", 40).walked_counting(Merge::On, None, 0);
    let merged = found.merged.as_ref().expect("it merges");
    assert_eq!((&merged.paths, found.least_cost), (&None, None), "nobody has counted");
    // A heap of 40 has six levels; one more value climbs over five of them.
    assert_eq!((found.worst_cost(), found.is_exact()), (Some(16), true));
    assert!(merged.states <= 40 * 6, "{} states", merged.states);
    assert!(found.worst.is_some_and(|worst| worst.test.input.is_some()), "with an input");
}

/// Checks random programs; more of them with PESSIMUM_SEEDS=20000.
fn check_random(program: fn(u64) -> (String, Vec<Slot>)) {
    let seeds = std::env::var("PESSIMUM_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let reused: u64 = (0..seeds).map(|seed| check_one(program, seed)).sum();
    println!("{reused} reuses");
    assert!(reused > 10, "{reused}");
}

fn check_one(program: fn(u64) -> (String, Vec<Slot>), seed: u64) -> u64 {
    let (text, slots) = program(seed);
    Case::new(&text, &slots, &CostModel::Instructions).check(&format!("seed {seed}"))
}

#[test]
fn programs_that_compare_and_move() {
    check_random(random_sorter::program);
    // The first splits a value, and a walk that merges has other terms to split; in the other every path ends
    // where nothing may be assumed, and the longest of them is not feasible everywhere.
    for seed in [1712, 12480] {
        check_one(random_sorter::program, seed);
    }
}

#[test]
fn programs_that_switch() {
    check_random(random_sorter::program_that_switches);
}

#[test]
fn functions_that_make_much_of_their_arguments() {
    let slots = [
        Slot::within(Type::I32, -2, 3),
        Slot::any(Type::I32),
        Slot::within(Type::I64, 0, 1),
        Slot::within(Type::I64, 0, 2),
    ];
    for seed in 0..10 {
        let text = random_function::text(seed);
        Case::new(&text, &slots, &CostModel::Instructions).check(&format!("seed {seed}"));
    }
}
