//! A run is made in pieces of fuel: between two of them the clock is looked at, and nothing is lost.

use crate::common::{INSERTION_SORT, instrument, ints, invocation};

use pessimum_clock::{Deadline, Instant};
use pessimum_entry::{InputValues, Sizes};
use pessimum_replay::{End, Input, Limits, ReplayError, Replayer, RunOutcome};

/// Runs `f()` with the time already over.
fn late(text: &str) -> Result<RunOutcome, ReplayError> {
    let replayer =
        Replayer::new(&instrument(text, "conditionals"), Limits::default()).expect("it loads");
    let over = Deadline::at(Instant::now());
    let none = InputValues::new();
    replayer.run_until(&invocation("f()", 0), &Sizes::of(0), Input::Values(&none), &over)
}

#[test]
fn an_endless_loop_ends_wherever_it_is() {
    let entry = r#"(module (func (export "f") (loop $l (br $l))))"#;
    assert_eq!(late(entry).expect("the entry was called").end, End::OutOfTime);
    let asks = r#"(module
        (import "pessimum" "input_u8" (func $input (result i32)))
        (func (export "f") (loop $l (drop (call $input)) (br $l))))"#;
    // Inputs that run out are another end: what was given is used up first.
    assert!(matches!(late(asks), Err(ReplayError::Input(_))));
    let fills = r#"(module (memory 16)
        (func (export "f") (loop $l
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x100000)) (br $l))))"#;
    assert_eq!(late(fills).expect("the entry was called").end, End::OutOfTime);
    let writes = r#"(module
        (import "wasi_snapshot_preview1" "fd_write"
            (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "f") (loop $l
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 8)))
            (br $l))))"#;
    assert_eq!(late(writes).expect("the entry was called").end, End::OutOfTime);
}

#[test]
fn so_does_one_before_the_entry_is_called() {
    let start = r#"(module (start $s) (func $s (loop $l (br $l))) (func (export "f")))"#;
    let stage = "the start function";
    assert_eq!(late(start).expect_err("it never comes to f"), ReplayError::OutOfTime { stage });
    let initialize = r#"(module
        (func (export "_initialize") (loop $l (br $l))) (func (export "f")))"#;
    let stage = "`_initialize`";
    assert_eq!(late(initialize).expect_err("it never comes"), ReplayError::OutOfTime { stage });
}

#[test]
fn a_short_run_is_made_after_the_time_too() {
    let started = r#"(module (global $g (mut i32) (i32.const 0)) (start $s)
        (func $s (global.set $g (i32.const 7)))
        (func (export "f") (result i32) (global.get $g)))"#;
    let outcome = late(started).expect("it runs");
    assert_eq!((outcome.end, outcome.results[0].1), (End::Normal, 7), "the start function ran");
}

#[test]
fn the_shortest_pieces_cost_what_one_run_does() {
    for model in ["conditionals", "instructions", "stack", "decisions"] {
        let copy = instrument(INSERTION_SORT, model);
        let whole = Replayer::new(&copy, Limits::default()).expect("it loads");
        let pieces = Replayer::new(&copy, Limits::default()).expect("it loads").in_pieces_of(1);
        let falling = ints(&(0..40).rev().collect::<Vec<_>>());
        let run = |replayer: &Replayer| {
            let call = invocation("sort(&i32[n], n)", 40);
            replayer.run(&call, &Sizes::of(40), Input::Values(&falling)).expect("it runs")
        };
        assert_eq!(run(&whole), run(&pieces), "{model}");
    }
}
