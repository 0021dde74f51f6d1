//! A run whose state comes back is known to be endless long before its instructions run out; one that
//! only takes long is not.

use pessimum_entry::CostModel;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_machine::{End, Limits, Machine, Module, Trap};
use pessimum_term::Arena;
use std::sync::Arc;

fn run(body: &str, limits: Limits) -> (End, u64) {
    let text = format!(
        r#"(module (memory (export "memory") 2) (global $g (mut i32) (i32.const 0))
            (data $bytes "a") (table 1 funcref) (elem $functions func $callee)
            (func $callee (param i32) (result i32) (i32.rem_u (local.get 0) (i32.const 5)))
            (func (export "f") (local $i i32) {body}))"#
    );
    let bytes = wat::parse_str(text).expect("text");
    let module = Module::load(&bytes, &CostModel::Conditionals).expect("it loads");
    let wasi = Wasi::new(Stream::None, 0);
    let machine = Machine::instantiate(Arc::new(module), limits, wasi, 0).expect("instance");
    let mut numbers = machine.clone();
    numbers.expect_numbers();
    let [other, found] = [numbers, machine].map(|mut machine| {
        let (end, _) = machine.invoke(&mut Arena::new(), "f", &[]).expect("a call");
        (end, machine.counters().all_instructions)
    });
    assert_eq!(other, found, "the loop for numbers: {body}");
    found
}

#[test]
fn a_cycle_is_found() {
    let cycles = [
        "(loop (br 0))",
        "(loop (i32.store (i32.const 70000) (i32.xor (i32.load (i32.const 70000)) (i32.const 1))) (br 0))",
        "(loop (global.set $g (i32.rem_u (i32.add (global.get $g) (i32.const 1)) (i32.const 1000))) (br 0))",
        "(loop (local.set $i (call $callee (i32.add (local.get $i) (i32.const 2)))) (br 0))",
    ];
    for body in cycles {
        let (end, instructions) = run(body, Limits::default());
        assert_eq!(end, End::Endless, "{body}");
        assert!(instructions < 10_000_000, "{instructions} for {body}");
    }
}

#[test]
fn a_long_run_ends() {
    let count = |memory: bool| {
        let (get, set) = match memory {
            true => ("(i32.load (i32.const 8))", "(i32.store (i32.const 8) "),
            false => ("(local.get $i)", "(local.set $i "),
        };
        format!(
            "(loop {set}(i32.add {get} (i32.const 1)))
                (br_if 0 (i32.lt_u {get} (i32.const 1000000))))"
        )
    };
    for memory in [false, true] {
        assert_eq!(run(&count(memory), Limits::default()).0, End::Return);
        let short = Limits { instructions: 4_000_000, ..Limits::default() };
        assert_eq!(run(&count(memory), short).0, End::OutOfInstructions);
    }
}

#[test]
fn a_segment_that_was_dropped_is_a_difference() {
    // A run is first looked at after 2^20 instructions; the first round after that leaves everything
    // as it was but for the segment, and the second traps.
    let count = |label: &str, to: u32| {
        format!(
            "(local.set $i (i32.const 0)) (loop ${label} (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if ${label} (i32.lt_u (local.get $i) (i32.const {to}))))"
        )
    };
    let zero = "(i32.const 0) (i32.const 0) (i32.const 1)";
    let rounds = [
        (format!("(memory.init $bytes {zero}) (data.drop $bytes)"), Trap::MemoryOutOfBounds),
        (format!("(table.init $functions {zero}) (elem.drop $functions)"), Trap::TableOutOfBounds),
    ];
    for (round, trap) in rounds {
        let (long, short) = (count("long", ((1 << 20) - 1000) / 8), count("short", 300));
        // What the first round writes is there from the beginning.
        let body = format!(
            "(memory.init $bytes {zero}) (table.init $functions {zero})
             {long} (loop $round {short} {round} (br $round))"
        );
        assert_eq!(run(&body, Limits::default()).0, End::Trap(trap), "{round}");
    }
}
