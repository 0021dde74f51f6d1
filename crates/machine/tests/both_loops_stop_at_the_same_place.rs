//! The loop for runs without terms counts what the other loop counts, and stops where it stops, whatever the limit: within chunks of
//! operations and between them, in blocks too large for an account, and in code so long that functions have to return within it.

use pessimum_entry::CostModel;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_machine::{End, Limits, Machine, Module};
use pessimum_term::Arena;
use std::sync::Arc;

/// Everything that a run leaves behind.
#[derive(PartialEq, Debug)]
struct Left {
    end: End,
    results: Vec<u64>,
    instructions: u64,
    cost: u64,
    blocks: Vec<u64>,
}

fn left(mut machine: Machine, argument: u64) -> Left {
    machine.profile_blocks();
    let (end, results) = machine.invoke(&mut Arena::new(), "f", &[argument]).expect("a call");
    let counters = machine.counters();
    Left {
        end,
        results: if end == End::Return { results } else { Vec::new() },
        instructions: counters.all_instructions,
        cost: counters.cost,
        blocks: machine.block_counts().to_vec(),
    }
}

/// Runs `f` in both loops; how many instructions it took.
fn same(module: &Arc<Module>, argument: u64, limits: &Limits) -> u64 {
    let wasi = Wasi::new(Stream::None, 0);
    let machine =
        Machine::instantiate(Arc::clone(module), limits.clone(), wasi, 0).expect("instance");
    let mut numbers = machine.clone();
    numbers.expect_numbers();
    let found = left(numbers, argument);
    assert_eq!(found, left(machine, argument), "f({argument}) within {limits:?}");
    found.instructions
}

fn holds_for(text: &str, argument: u64, step: u64) {
    let bytes = wat::parse_str(text).expect("text");
    for model in [CostModel::Conditionals, CostModel::Instructions, CostModel::Stack] {
        let module = Arc::new(Module::load(&bytes, &model).expect("it loads"));
        let all = same(&module, argument, &Limits::default());
        let mut instructions = 0;
        while instructions <= all + 1 {
            same(&module, argument, &Limits { instructions, ..Limits::default() });
            instructions += step;
        }
        for depth in 1..6 {
            same(&module, argument, &Limits { depth, ..Limits::default() });
        }
    }
}

#[test]
fn in_loops_and_calls() {
    let text = r#"(module (memory 1) (global $g (mut i32) (i32.const 0)) (table 2 funcref)
        (elem (i32.const 0) $leaf $many)
        (type $t (func (param i32) (result i32)))
        (func $leaf (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
        (func $many (param i32) (result i32) (local i32 i32 i32 i32 i32 i64 f64)
            (local.set 5 (i32.add (local.get 1) (local.get 5)))
            (local.set 6 (i64.add (local.get 6) (i64.const 5000000000)))
            (i32.add (i32.wrap_i64 (local.get 6)) (i32.add (local.get 5) (local.get 0))))
        (func $down (param i32) (result i32)
            (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
                (else (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))))
        (func (export "f") (param i32) (result i32) (local $i i32) (local $s i32)
            (loop $next
                (i32.store8 (local.get $i) (local.get $s))
                (i32.store (i32.add (local.get $i) (i32.const 4094)) (local.get $s))
                (global.set $g (i32.add (global.get $g) (i32.load8_u (local.get $i))))
                (local.set $s (i32.add (local.get $s) (call_indirect (type $t)
                    (local.get $i) (i32.and (local.get $i) (i32.const 1)))))
                (local.set $s (i32.xor (local.get $s) (call $down (i32.rem_u (local.get $i) (i32.const 4)))))
                (block $a (block $b (block $c
                    (br_table $a $b $c (i32.and (local.get $s) (i32.const 3))))
                    (memory.fill (local.get $i) (local.get $s) (i32.const 20)))
                    (local.set $s (block (result i32)
                        (br_if 0 (i32.const 9) (i32.lt_s (local.get $s) (i32.const 40)))
                        drop (i32.const 7))))
                (br_if $next (i32.lt_u
                    (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get 0))))
            (i32.add (local.get $s) (global.get $g))))"#;
    holds_for(text, 40, 1);
    holds_for(text, 400, 97);
}

#[test]
fn in_blocks_of_any_length() {
    for count in [1, 100, 127, 128, 129, 500, 1022, 1023, 1024, 1025, 1026, 4097, 9000] {
        let long = "(local.set 1 (i32.add (i32.mul (local.get 1) (i32.const 5)) (i32.const 1)))"
            .repeat(count);
        let idle = "(nop)".repeat(count);
        for body in [long, idle] {
            let text = format!(
                r#"(module (func (export "f") (param i32) (result i32) (local i32)
                    (loop {body} (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
                    (local.get 1)))"#
            );
            holds_for(&text, 7, 1 + count as u64);
        }
    }
}

#[test]
fn in_straight_code_of_any_length() {
    let text = format!(
        r#"(module (func (export "f") (param i32) (result i32) {} (local.get 0)))"#,
        "(local.set 0 (i32.add (i32.rotl (local.get 0) (i32.const 5)) (i32.const 1)))"
            .repeat(60_000)
    );
    holds_for(&text, 3, 150_001);
}

#[test]
fn at_every_look() {
    let text = r#"(module (func (export "f") (param i32) (result i32) (local i32)
        (loop (local.set 1 (i32.add (local.get 0) (i32.mul (local.get 1) (i32.const 31))))
            (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
        (local.get 1)))"#;
    holds_for(text, 1_000_000, 1_150_001);
}
