//! What the tests share: a module in the text format, an entry, an input, and what comes of it.
#![allow(dead_code, reason = "each test file uses its own part")]

use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_replay::{Input, Instrumented, Limits, ReplayError, Replayer, RunOutcome};

pub(crate) fn model(text: &str) -> CostModel {
    CostModel::parse(text, |_| Ok(br#"{"i32.add": 10, "default": 1, "local.get": 0}"#.to_vec()))
        .expect(text)
}

pub(crate) fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("the test's module")
}

pub(crate) fn instrument(text: &str, cost: &str) -> Instrumented {
    Instrumented::new(&wasm(text), &model(cost), &[]).expect("the module can be copied")
}

pub(crate) fn invocation(spec: &str, n: u64) -> Invocation {
    Invocation::Call(CallSpec::parse(spec).and_then(|spec| spec.at(&Sizes::of(n))).expect(spec))
}

pub(crate) fn ints(values: &[i32]) -> InputValues {
    values.iter().map(|&value| (Slot::any(Type::I32), u64::from(value as u32))).collect()
}

pub(crate) fn bytes(values: &[u8]) -> InputValues {
    values.iter().map(|&value| (Slot::any(Type::U8), u64::from(value))).collect()
}

/// Calls a function of a module whose cost is counted.
pub(crate) fn call(
    text: &str,
    cost: &str,
    spec: &str,
    n: u64,
    input: &InputValues,
) -> Result<RunOutcome, ReplayError> {
    let replayer = Replayer::new(&instrument(text, cost), Limits::default())?;
    replayer.run(&invocation(spec, n), &Sizes::of(n), Input::Values(input))
}

/// Enters a module in another way than by a call.
pub(crate) fn enter(
    text: &str,
    cost: &str,
    entry: &Entry,
    n: u64,
    input: &InputValues,
) -> Result<RunOutcome, ReplayError> {
    let sizes = Sizes::of(n);
    let replayer = Replayer::new(&instrument(text, cost), Limits::default())?;
    replayer.run(&entry.at(&sizes).expect("an entry"), &sizes, Input::Values(input))
}

/// What a call costs, which returns.
pub(crate) fn cost(text: &str, cost: &str, spec: &str, n: u64, input: &InputValues) -> u64 {
    let outcome = call(text, cost, spec, n, input).expect("it runs");
    assert!(outcome.end.is_normal(), "{:?}", outcome.end);
    outcome.cost.expect("a counted model")
}

/// Insertion sort of 32-bit integers: shift larger elements right while `j >= 0 && a[j] > x`.
pub(crate) const INSERTION_SORT: &str = r#"(module
    (memory 1)
    (func $sort (export "sort") (param $a i32) (param $n i32)
        (local $i i32) (local $j i32) (local $x i32)
        (local.set $i (i32.const 1))
        (block $done
            (loop $outer
                (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
                (local.set $x (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))
                (local.set $j (i32.sub (local.get $i) (i32.const 1)))
                (block $placed
                    (loop $inner
                        (br_if $placed (i32.lt_s (local.get $j) (i32.const 0)))
                        (br_if $placed (i32.le_s (i32.load (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2)))) (local.get $x)))
                        (i32.store offset=4 (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2)))
                            (i32.load (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2)))))
                        (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                        (br $inner)))
                (i32.store offset=4 (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2))) (local.get $x))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $outer)))))"#;
