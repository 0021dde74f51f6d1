//! One small module per cost model, its cost counted by hand.

use crate::common;

use common::{INSERTION_SORT, call, cost, instrument, ints, invocation, model, wasm};
use pessimum_entry::{InputValues, Sizes, TraceDigest};
use pessimum_replay::{End, Input, InstrumentError, Instrumented, Limits, Replayer};

const NONE: &[i32] = &[];

/// Sums 1..=x in a loop, calling a helper; x is its parameter.
const SUM: &str = r#"(module
    (func $add (param i32 i32) (result i32)
        (i32.add (local.get 0) (local.get 1)))
    (func $sum (export "sum") (param $x i32) (result i32) (local $s i32)
        (block $done
            (loop $next
                (br_if $done (i32.eqz (local.get $x)))
                (local.set $s (call $add (local.get $s) (local.get $x)))
                (local.set $x (i32.sub (local.get $x) (i32.const 1)))
                (br $next)))
        (local.get $s)))"#;

#[test]
fn conditionals_of_insertion_sort() {
    // The outer test n times, the inner tests 2 per shift and 1 more at the left end.
    let worst = |n: u64| n + (1..n).map(|i| 2 * i + 1).sum::<u64>();
    for n in 1..20 {
        let falling: Vec<i32> = (0..n as i32).rev().collect();
        assert_eq!(
            cost(INSERTION_SORT, "conditionals", "sort(&i32[n], n)", n, &ints(&falling)),
            worst(n)
        );
        let rising: Vec<i32> = (0..n as i32).collect();
        assert_eq!(
            cost(INSERTION_SORT, "conditionals", "sort(&i32[n], n)", n, &ints(&rising)),
            n + 2 * (n - 1)
        );
    }
}

#[test]
fn if_br_if_and_br_table_are_conditionals_and_select_is_not() {
    let module = r#"(module (func (export "f") (param i32) (result i32)
        (if (local.get 0) (then (nop)))
        (block (br_if 0 (local.get 0)))
        (block (br_table 0 0 (local.get 0)))
        (select (i32.const 1) (i32.const 2) (local.get 0))))"#;
    assert_eq!(cost(module, "conditionals", "f(n)", 1, &ints(NONE)), 3);
}

#[test]
fn instructions_are_operators_without_markers() {
    // Per round: 3 (test), 2 arguments, call, local.set, 3 in the helper, 4 (x - 1), br.
    let cost_of = |n| cost(SUM, "instructions", "sum(n)", n, &ints(NONE));
    assert_eq!(cost_of(0), 3 + 1);
    assert_eq!(cost_of(1), 15 + 3 + 1);
    assert_eq!(cost_of(10), 150 + 3 + 1);
}

#[test]
fn fuel_has_a_price_per_operator() {
    // As instructions, but local.get is free and i32.add costs 10: per round 15 - 6 + 9.
    let cost_of = |n| cost(SUM, "fuel:t.json", "sum(n)", n, &ints(NONE));
    assert_eq!(cost_of(0), 2);
    assert_eq!(cost_of(10), 10 * (15 - 6 + 9) + 2);
}

#[test]
fn blocks_begin_at_leaders() {
    // The loop's head each round and once more; what follows the br_if each round; the helper's
    // body each round; the last local.get, after a block that is aimed at. The function's own
    // beginning is the loop's head.
    let cost_of = |n| cost(SUM, "blocks", "sum(n)", n, &ints(NONE));
    assert_eq!(cost_of(0), 2);
    assert_eq!(cost_of(7), 8 + 7 + 7 + 1);
}

#[test]
fn visits_and_calls_differ_by_the_entry_itself() {
    assert_eq!(cost(SUM, "visits:add", "sum(n)", 5, &ints(NONE)), 5);
    assert_eq!(cost(SUM, "calls:add", "sum(n)", 5, &ints(NONE)), 5);
    assert_eq!(cost(SUM, "visits:sum", "sum(n)", 5, &ints(NONE)), 1);
    assert_eq!(cost(SUM, "calls:sum", "sum(n)", 5, &ints(NONE)), 0);
}

#[test]
fn indirect_and_imported_calls_are_counted() {
    let module = r#"(module
        (type $t (func (param i32)))
        (import "pessimum" "assume" (func $assume (type $t)))
        (func $own (type $t))
        (table funcref (elem $assume $own))
        (func (export "f") (param i32)
            (call $assume (i32.const 1))
            (call_indirect (type $t) (i32.const 1) (local.get 0))))"#;
    assert_eq!(cost(module, "calls:assume", "f(n)", 0, &ints(NONE)), 2);
    assert_eq!(cost(module, "visits:assume", "f(n)", 1, &ints(NONE)), 1);
    assert_eq!(cost(module, "calls:own", "f(n)", 1, &ints(NONE)), 1);
}

#[test]
fn a_name_that_does_not_exist_is_answered_with_those_that_do() {
    let error = Instrumented::new(&wasm(SUM), &model("visits:summ"), &[]).unwrap_err();
    assert!(
        matches!(&error, InstrumentError::NoFunction { known, .. } if known.contains(&"add".to_owned())),
        "{error}"
    );
}

#[test]
fn lines_are_counted_at_their_points() {
    let module = wasm(SUM);
    // Find the `br` that closes each round by looking for its place in the code.
    let mut points = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(&module) {
        if let wasmparser::Payload::CodeSectionEntry(body) = payload.unwrap() {
            for item in body.get_operators_reader().unwrap().into_iter_with_offsets() {
                if let (wasmparser::Operator::Br { .. }, offset) = item.unwrap() {
                    points.push((1, offset as u32));
                }
            }
        }
    }
    assert_eq!(points.len(), 1);
    let line = model("visits:sum.c:3");
    let run = |points: &[(u32, u32)]| {
        let copy = Instrumented::new(&module, &line, points)?;
        let replayer = Replayer::new(&copy, Limits::default()).unwrap();
        Ok::<_, InstrumentError>(
            replayer
                .run(&invocation("sum(n)", 6), &Sizes::of(6), Input::Values(&InputValues::new()))
                .unwrap(),
        )
    };
    assert_eq!(run(&points).unwrap().cost, Some(6));
    assert!(matches!(run(&[]), Err(InstrumentError::NoLine { line: 3, .. })));
    let beside = [(1, points[0].1 + 1)];
    assert!(matches!(run(&beside), Err(InstrumentError::NoInstruction { .. })));
}

/// A bump allocator with the usual doors; `calloc` and `realloc` call `malloc`.
const HEAP: &str = r#"(module
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 1024))
    (func $malloc (export "malloc") (param i32) (result i32)
        (global.get $next)
        (global.set $next (i32.add (global.get $next) (local.get 0))))
    (func $calloc (param i32 i32) (result i32) (call $malloc (i32.mul (local.get 0) (local.get 1))))
    (func $realloc (param i32 i32) (result i32) (call $malloc (local.get 1)))
    (func (export "f") (param $p i32) (param $n i32) (result i32)
        (drop (call $malloc (local.get $n)))
        (drop (call $calloc (local.get $n) (i32.const 8)))
        (drop (call $realloc (local.get $p) (i32.const 1000)))
        (local.get $p)))"#;

#[test]
fn heap_counts_what_the_program_asks_for_once() {
    let outcome = call(HEAP, "heap", "f(&u8[n], n)", 5, &common::bytes(&[0; 5])).unwrap();
    assert_eq!(outcome.cost, Some(5 + 40 + 1000), "the argument's own memory is not measured");
    assert_eq!(outcome.results[0].1, 1024, "the argument comes from the module's malloc");
}

/// Depth-first recursion: `f(x)` calls `f(x - 1)` twice, with every way to leave a body.
const RECURSION: &str = r#"(module
    (func $f (export "f") (param $x i32) (result i32)
        (if (i32.eqz (local.get $x)) (then (return (i32.const 1))))
        (block (result i32)
            (drop (br_if 1 (i32.const 7) (i32.eq (local.get $x) (i32.const 1))))
            (i32.add
                (call $f (i32.sub (local.get $x) (i32.const 1)))
                (call $f (i32.sub (local.get $x) (i32.const 2))))))
    (func (export "pair") (param $x i32) (result i32 i64)
        (if (local.get $x) (then (return (i32.const 1) (i64.const 2))))
        (call $f (i32.const 3))
        (i64.const 3)))"#;

#[test]
fn stack_is_the_deepest_activation() {
    // f(x) goes down to f(1) or f(0): x activations, one for x = 0.
    for (n, depth) in [(0, 1), (1, 1), (2, 2), (3, 3), (10, 10)] {
        assert_eq!(cost(RECURSION, "stack", "f(n)", n, &ints(NONE)), depth, "f({n})");
    }
    assert_eq!(cost(RECURSION, "stack", "pair(n)", 0, &ints(NONE)), 4);
    assert_eq!(cost(RECURSION, "stack", "pair(n)", 1, &ints(NONE)), 1);
    let outcome = call(RECURSION, "stack", "pair(n)", 0, &ints(NONE)).unwrap();
    assert_eq!(outcome.results.iter().map(|r| r.1).collect::<Vec<_>>(), [7 + 7 + 1, 3]);
}

/// A function with a shadow-stack frame of 16 bytes that calls itself.
const SHADOW_STACK: &str = r#"(module
    (global $__stack_pointer (mut i32) (i32.const 65536))
    (func $f (export "f") (param $x i32)
        (global.set $__stack_pointer (i32.sub (global.get $__stack_pointer) (i32.const 16)))
        (if (local.get $x) (then (call $f (i32.sub (local.get $x) (i32.const 1)))))
        (global.set $__stack_pointer (i32.add (global.get $__stack_pointer) (i32.const 16)))))"#;

#[test]
fn stack_bytes_is_the_deepest_fall_of_the_pointer() {
    for n in [0, 1, 10] {
        assert_eq!(cost(SHADOW_STACK, "stack-bytes", "f(n)", n, &ints(NONE)), 16 * (n + 1));
    }
    let error = Instrumented::new(&wasm(SUM), &model("stack-bytes"), &[]).unwrap_err();
    assert_eq!(error, InstrumentError::NoStackPointer);
}

#[test]
fn decisions_leave_a_trace() {
    let module = r#"(module (func (export "f") (param i32)
        (if (i32.gt_u (local.get 0) (i32.const 5)) (then (nop)))
        (block (block (br_table 0 1 (local.get 0))))))"#;
    let mut offsets = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(&wasm(module)) {
        if let wasmparser::Payload::CodeSectionEntry(body) = payload.unwrap() {
            for item in body.get_operators_reader().unwrap().into_iter_with_offsets() {
                if let (
                    wasmparser::Operator::If { .. } | wasmparser::Operator::BrTable { .. },
                    offset,
                ) = item.unwrap()
                {
                    offsets.push(offset as u32);
                }
            }
        }
    }
    let trace = |n| {
        let outcome = call(module, "decisions", "f(n)", n, &ints(NONE)).unwrap();
        assert_eq!((outcome.cost, &outcome.end), (None, &End::Normal));
        outcome.trace.unwrap()
    };
    let expected =
        |first, second| TraceDigest::default().after(offsets[0], first).after(offsets[1], second);
    assert_eq!(trace(0), expected(0, 0));
    assert_eq!(trace(1), expected(0, 1));
    assert_eq!(
        trace(9),
        expected(1, 1),
        "one target is listed, so every greater index is the default"
    );
}

#[test]
fn every_copy_is_valid() {
    let models = [
        "conditionals",
        "decisions",
        "instructions",
        "blocks",
        "heap",
        "stack",
        "output",
        "fuel:t.json",
    ];
    for module in [INSERTION_SORT, SUM, HEAP, RECURSION, SHADOW_STACK, "(module)"] {
        for model in models {
            let copy = instrument(module, model);
            wasmparser::Validator::new()
                .validate_all(copy.bytes())
                .unwrap_or_else(|error| panic!("{model}: {error}"));
        }
    }
}
