//! Memory, streams, arguments, regions and ends of a run.

use crate::common;

use common::{bytes, call, cost, enter, instrument, ints, invocation};
use pessimum_entry::{Entry, InputValues, Sizes, Slot, Type};
use pessimum_replay::{End, Input, Limits, ReplayError, Replayer};

const NONE: &[i32] = &[];

#[test]
fn arguments_lie_in_fresh_pages_one_after_the_other() {
    let module = r#"(module (memory 2)
        (func (export "f") (param i32 i32 i32) (result i32 i32 i32 i32 i32)
            (local.get 0) (local.get 1) (local.get 2)
            (i32.load offset=4 (local.get 0)) (i32.load8_u offset=2 (local.get 2))))"#;
    let outcome =
        call(module, "conditionals", r#"f(&i32[n], &u8[0], &"abc")"#, 5, &ints(&[1, -2, 3, 4, 5]))
            .unwrap();
    let results: Vec<u64> = outcome.results.iter().map(|r| r.1).collect();
    let start = 2 * 65536;
    assert_eq!(results, [start, start + 32, start + 48, u64::from(-2i32 as u32), u64::from(b'c')]);
}

#[test]
fn scalars_are_widened_by_their_sign() {
    let module = r#"(module (func (export "f") (param i32 i32 i64 f64 i32) (result i32 i32 i64 f64 i32)
        (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4)))"#;
    let input: InputValues = [
        (Slot::any(Type::I8), 0xff),
        (Slot::any(Type::U8), 0xff),
        (Slot::any(Type::I64), u64::MAX),
        (Slot::any(Type::F64), 1.5f64.to_bits()),
    ]
    .into_iter()
    .collect();
    let outcome = call(module, "instructions", "f(i8, u8, i64, f64, 0-n)", 3, &input).unwrap();
    let results: Vec<u64> = outcome.results.iter().map(|r| r.1).collect();
    assert_eq!(results, [0xffff_ffff, 0xff, u64::MAX, 1.5f64.to_bits(), 0xffff_fffd]);
    assert_eq!(outcome.cost, Some(5));
    assert_eq!(outcome.inputs, input);
}

#[test]
fn sorting_sorts() {
    let module = common::INSERTION_SORT.replace(
        r#"(func $sort (export "sort")"#,
        r#"(func (export "least") (param i32 i32) (result i32)
               (call $sort (local.get 0) (local.get 1)) (i32.load (local.get 0)))
           (func $sort (export "sort")"#,
    );
    for model in ["conditionals", "instructions", "blocks", "stack", "decisions", "visits:sort"] {
        let outcome = call(&module, model, "least(&i32[n], n)", 4, &ints(&[5, -7, 3, 0])).unwrap();
        assert_eq!(outcome.results[0].1, u64::from(-7i32 as u32), "{model}");
    }
}

#[test]
fn the_start_function_and_initialize_run_first_and_are_not_measured() {
    let module = r#"(module
        (global $g (mut i32) (i32.const 1))
        (func $start (if (i32.const 1) (then (global.set $g (i32.mul (global.get $g) (i32.const 3))))))
        (func (export "_initialize") (if (i32.const 1) (then (global.set $g (i32.add (global.get $g) (i32.const 1))))))
        (func (export "f") (result i32) (if (i32.const 1) (then (nop))) (global.get $g))
        (start $start))"#;
    let outcome = call(module, "conditionals", "f()", 0, &ints(NONE)).unwrap();
    assert_eq!((outcome.results[0].1, outcome.cost), (4, Some(1)));
}

#[test]
fn regions_override_the_entry_and_add_up() {
    let module = r#"(module
        (import "pessimum" "measure_begin" (func $begin))
        (import "pessimum" "measure_end" (func $end))
        (import "pessimum" "size" (func $size (result i32)))
        (func $work (drop (i32.const 1)))
        (func (export "run")
            (call $work)
            (call $begin) (call $begin) (call $work) (call $end)
            (call $work) (call $end)
            (call $begin) (call $work) (call $work)))"#;
    let program = Entry::Program { export: "run".into() };
    let run = |model| enter(module, model, &program, 3, &ints(NONE)).unwrap().cost;
    assert_eq!(run("visits:work"), Some(3));
    // call begin (inside), call work + 2, call end; then call work + 2, twice.
    assert_eq!(run("instructions"), Some(1 + 3 + 1 + 3 + 3));
    assert_eq!(run("stack"), Some(2));
    assert_eq!(run("calls:work"), Some(3));
}

#[test]
fn a_region_that_begins_deep_starts_at_that_depth() {
    let module = r#"(module
        (import "pessimum" "measure_begin" (func $begin))
        (func $inner (call $begin))
        (func (export "run") (call $inner)))"#;
    let outcome =
        enter(module, "stack", &Entry::Program { export: "run".into() }, 0, &ints(NONE)).unwrap();
    assert_eq!(outcome.cost, Some(2));
}

/// Asks for inputs of several kinds and returns what it got.
const ASKS: &str = r#"(module
    (import "pessimum" "input_i32" (func $i32 (result i32)))
    (import "pessimum" "input_u8" (func $u8 (result i32)))
    (import "pessimum" "input_range_i32" (func $range (param i32 i32) (result i32)))
    (import "pessimum" "input_bytes" (func $bytes (param i32 i32)))
    (import "pessimum" "size" (func $size (result i32)))
    (import "pessimum" "assume" (func $assume (param i32)))
    (memory 1)
    (func (export "run") (result i32 i32 i32 i32) (local $x i32)
        (call $i32)
        (call $u8)
        (call $range (i32.const -5) (i32.const 5))
        (local.set $x)
        (local.get $x)
        (call $bytes (i32.const 100) (call $size))
        (call $assume (i32.ne (local.get $x) (i32.const 0)))
        (i32.load16_u (i32.const 100))))"#;

#[test]
fn a_program_gets_the_values_it_asks_for() {
    let program = Entry::Program { export: "run".into() };
    let input: InputValues = [
        (Slot::any(Type::I32), 77),
        (Slot::any(Type::U8), 200),
        (Slot::within(Type::I32, -5, 5), u64::from(-1i32 as u32)),
        (Slot::any(Type::U8), 1),
        (Slot::any(Type::U8), 2),
    ]
    .into_iter()
    .collect();
    let outcome = enter(ASKS, "conditionals", &program, 2, &input).unwrap();
    assert_eq!(outcome.end, End::Normal);
    assert_eq!(
        outcome.results.iter().map(|r| r.1).collect::<Vec<_>>(),
        [77, 200, 0xffff_ffff, 0x0201]
    );
    assert_eq!((&outcome.inputs, outcome.warnings.len()), (&input, 0));

    // The same from raw bytes, whose types only the program knows.
    let sizes = Sizes::of(2);
    let replayer = Replayer::new(&instrument(ASKS, "conditionals"), Limits::default()).unwrap();
    let run = |raw: &[u8]| replayer.run(&program.at(&sizes).unwrap(), &sizes, Input::Raw(raw));
    assert_eq!(run(&input.to_raw()).unwrap().inputs, input);

    let mut wrong = input.to_raw();
    wrong[5] = 6;
    wrong[6..9].fill(0);
    assert!(matches!(run(&wrong), Err(ReplayError::Input(_))), "6 is not in -5..=5");
    wrong[5] = 0;
    assert_eq!(run(&wrong).unwrap().end, End::AssumeFailed);
    assert!(matches!(run(&wrong[..3]), Err(ReplayError::Input(_))));
    let long = [&input.to_raw()[..], &[9]].concat();
    assert_eq!(run(&long).unwrap().warnings, ["1 bytes of the input were never asked for"]);
}

/// Copies standard input to standard output, two bytes at a time.
const CAT: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (memory 1)
    (func (export "_start")
        (loop $again
            (i32.store (i32.const 0) (i32.const 100))
            (i32.store (i32.const 4) (i32.const 2))
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (if (i32.load (i32.const 8)) (then
                (i32.store (i32.const 4) (i32.load (i32.const 8)))
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
                (br $again))))
        (call $exit (call $open (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)
            (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 0)))))"#;

#[test]
fn standard_input_is_read_and_output_captured() {
    let outcome = enter(CAT, "output", &Entry::Stdin, 5, &bytes(b"hello")).unwrap();
    assert_eq!(outcome.output, b"hello");
    assert_eq!((outcome.cost, outcome.end), (Some(5), End::Exit(52)));
    assert_eq!(outcome.warnings, ["`path_open` of WASI is not supported and answers ENOSYS"]);
    let outcome = enter(CAT, "conditionals", &Entry::Stdin, 5, &bytes(b"hello")).unwrap();
    // Four rounds, and a step for each of three reads and three writes that moved something.
    assert_eq!(outcome.cost, Some(4 + 3 + 3));
}

#[test]
fn an_argument_is_passed_behind_the_program_name() {
    let module = r#"(module
        (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "args_get" (func $get (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory 1)
        (func (export "_start")
            (drop (call $sizes (i32.const 0) (i32.const 4)))
            (drop (call $get (i32.const 16) (i32.const 100)))
            (i32.store (i32.const 40) (i32.const 100))
            (i32.store (i32.const 44) (i32.load (i32.const 4)))
            (drop (call $write (i32.const 2) (i32.const 40) (i32.const 1) (i32.const 8)))))"#;
    let outcome = enter(module, "output", &Entry::Argv, 3, &bytes(b"xyz"));
    // The argument's slots exclude NUL, but a value is a value.
    let outcome = outcome.unwrap();
    assert_eq!((&*outcome.output, outcome.cost), (&b"program\0xyz\0"[..], Some(12)));
    let error = enter(module, "output", &Entry::Argv, 3, &bytes(b"x\0z")).unwrap_err();
    assert!(matches!(error, ReplayError::Input(_)), "{error}");
}

#[test]
fn a_fuzz_target_gets_its_bytes() {
    let module = r#"(module (memory 1) (func (export "LLVMFuzzerTestOneInput") (param i32 i32) (result i32)
        (i32.add (local.get 1) (i32.load8_u offset=1 (local.get 0)))))"#;
    let outcome = enter(module, "instructions", &Entry::Fuzzer, 3, &bytes(&[1, 40, 3])).unwrap();
    assert_eq!((outcome.results[0].1, outcome.cost), (43, Some(4)));
}

#[test]
fn traps_are_outcomes() {
    for (body, reason) in [
        ("(unreachable)", "unreachable"),
        ("(drop (i32.div_s (i32.const 1) (i32.const 0)))", "divide by zero"),
        ("(drop (i32.load (i32.const -4)))", "out of bounds"),
    ] {
        let module = format!(r#"(module (memory 1) (func $f (export "f") {body}))"#);
        match call(&module, "conditionals", "f()", 0, &ints(NONE)).unwrap().end {
            End::Trap(message) => assert!(message.contains(reason), "{message}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_that_never_ends_runs_out_of_fuel() {
    let copy = instrument(r#"(module (func (export "f") (loop (br 0))))"#, "conditionals");
    let limits = Limits { fuel: Some(100_000), ..Limits::default() };
    let outcome = Replayer::new(&copy, limits).unwrap().run(
        &invocation("f()", 0),
        &Sizes::of(0),
        Input::Raw(&[]),
    );
    assert_eq!(outcome.unwrap().end, End::OutOfFuel);
}

#[test]
fn a_million_activations_fit() {
    let module = r#"(module (func $f (export "f") (param $x i32) (result i32)
        (if (result i32) (i32.eqz (local.get $x))
            (then (i32.const 0))
            (else (i32.add (i32.const 1) (call $f (i32.sub (local.get $x) (i32.const 1))))))))"#;
    for model in ["conditionals", "stack"] {
        let outcome = call(module, model, "f(n-1)", 1_000_000, &ints(NONE)).unwrap();
        assert_eq!((outcome.end, outcome.cost), (End::Normal, Some(1_000_000)), "{model}");
    }
    let outcome = call(module, "conditionals", "f(n)", 1_000_000, &ints(NONE)).unwrap();
    assert_eq!(outcome.end, End::OutOfStack, "one more does not, and that is no trap");
}

#[test]
fn what_cannot_begin_says_why() {
    let error = |module: &str, spec: &str, input: &InputValues| {
        call(module, "conditionals", spec, 2, input).unwrap_err()
    };
    let plain = r#"(module (func (export "f") (param i32)))"#;
    assert!(
        matches!(error(plain, "g(n)", &ints(NONE)), ReplayError::NoExport { exports, .. } if exports == ["f"])
    );
    assert!(matches!(error(plain, "f(n, n)", &ints(NONE)), ReplayError::Mismatch(_)));
    assert!(matches!(error(plain, "f(&i32[n])", &ints(&[1, 2])), ReplayError::NoMemory));
    assert!(matches!(error(plain, "f(i32)", &ints(NONE)), ReplayError::Input(_)));
    assert!(matches!(error(plain, "f(&t where ok)", &ints(NONE)), ReplayError::Structure { .. }));
    let import = r#"(module (import "env" "puts" (func (param i32))) (func (export "f")))"#;
    assert!(
        matches!(error(import, "f()", &ints(NONE)), ReplayError::Import { name, .. } if name == "puts")
    );
    let mistyped = r#"(module (import "pessimum" "size" (func (param i32))) (func (export "f")))"#;
    assert!(matches!(error(mistyped, "f()", &ints(NONE)), ReplayError::ImportType { .. }));
    let start = r#"(module (func $s (unreachable)) (start $s) (func (export "f")))"#;
    assert!(matches!(error(start, "f()", &ints(NONE)), ReplayError::SetUp { .. }));
    let small = r#"(module (memory 1 1) (func (export "f") (param i32)))"#;
    assert!(matches!(error(small, "f(&i32[n])", &ints(&[1, 2])), ReplayError::Layout(_)));
    let malloc = r#"(module (memory 1) (func (export "malloc") (param i32) (result i32) (i32.const 0)) (func (export "f") (param i32)))"#;
    assert!(matches!(
        error(malloc, "f(&i32[n])", &ints(&[1, 2])),
        ReplayError::Malloc { bytes: 8 }
    ));
    assert_eq!(cost(plain, "conditionals", "f(n)", 2, &ints(NONE)), 0);
}
