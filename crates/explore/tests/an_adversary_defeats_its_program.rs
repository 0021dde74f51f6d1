//! Inputs that are made up against a program while it compares.

use pessimum_entry::{CallSpec, CostModel, InputValues, Invocation, Sizes};
use pessimum_explore::{Budget, MadeUp, adversary, run_concrete};
use pessimum_machine::{End, Limits, Module, Setup};
use std::sync::Arc;

/// Quicksort that takes the median of three for its pivot, and an insertion sort for fewer than seven values.
const QUICKSORT: &[u8] = include_bytes!("../../pessimum/examples/quicksort.wasm");
const MERGE_SORT: &[u8] = include_bytes!("../../pessimum/examples/merge_sort.wasm");

fn setup(call: &str, n: u64) -> Setup {
    let sizes = Sizes::of(n);
    let call = CallSpec::parse(call).and_then(|spec| spec.at(&sizes)).expect("the call is right");
    let invocation = Invocation::Call(call);
    Setup { invocation, sizes, seed: 0, limits: Limits::default() }
}

fn made_up(module: &Arc<Module>, setup: &Setup, budget: &Budget) -> Option<MadeUp> {
    adversary(module, setup, budget).expect("it can be run")
}

fn cost(module: &Arc<Module>, setup: &Setup, input: InputValues) -> u64 {
    let (end, machine) = run_concrete(module, setup, input, |_| ()).expect("it can be run");
    assert_eq!(end, End::Return);
    machine.counters().cost
}

/// What it makes up costs at two sizes, and the same many values that fall.
fn costs(module: &[u8], call: &str) -> [[u64; 2]; 2] {
    let module = Arc::new(Module::load(module, &CostModel::Conditionals).expect("it is valid"));
    [100, 200].map(|n| {
        let setup = setup(call, n);
        let made = made_up(&module, &setup, &Budget::default()).expect("it ends");
        let falling =
            made.input.iter().zip((0..n).rev()).map(|((slot, _), v)| (*slot, v)).collect();
        [cost(&module, &setup, made.input), cost(&module, &setup, falling)]
    })
}

#[test]
fn a_median_of_three_does_not_save_quicksort() {
    let [[small, _], [large, falling]] = costs(QUICKSORT, "sort(&i32[n], n)");
    assert!(10 * large > 36 * small, "twice as many values cost {small} and {large}");
    assert!(large > 3 * falling, "{large} is far more than {falling}");
}

#[test]
fn bytes_are_too_few_values_for_many_inputs() {
    let module = Arc::new(Module::load(QUICKSORT, &CostModel::Conditionals).expect("it is valid"));
    let within = |n: u64| setup("sort(&i32[n] in 1..=100, n)", n);
    let made = made_up(&module, &within(60), &Budget::default()).expect("there are enough");
    assert!(made.input.iter().all(|(slot, bits)| slot.admits(*bits)));
    assert_eq!(made_up(&module, &within(300), &Budget::default()), None);
}

#[test]
fn a_sort_that_it_cannot_defeat_stays_below_a_square() {
    let [[small, _], [large, _]] = costs(MERGE_SORT, "sort(&i32[n], n)");
    assert!(10 * large < 25 * small, "twice as many values cost {small} and {large}");
}

#[test]
fn it_keeps_its_budget() {
    let module = Arc::new(Module::load(QUICKSORT, &CostModel::Conditionals).expect("it is valid"));
    let setup = setup("sort(&i32[n], n)", 200);
    let made = made_up(&module, &setup, &Budget::default()).expect("it ends");
    let too_little = Budget { work: Some(made.work / 2), ..Budget::default() };
    assert_eq!(made_up(&module, &setup, &too_little), None);
}
