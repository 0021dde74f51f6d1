//! Bulk operations and host functions that copy take a step for every unit they begin to move, in
//! both engines: eight bytes, one element of a table, one page.

use pessimum_entry::{CallSpec, CostModel, Entry, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_explore::{Nobody, Options, Outcome, Plan, explore, run_concrete};
use pessimum_learn::Unguided;
use pessimum_machine::{End, Limits, Module, Setup, Trap};
use pessimum_replay::{Input, Instrumented, Replayer};
use std::sync::Arc;

const LENGTHS: [u64; 5] = [0, 1, 8, 9, 17];
const MODELS: [&str; 4] = ["conditionals", "instructions", "blocks", "fuel:t.json"];

/// What a length is counted in.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Unit {
    Bytes,
    Whole,
}

impl Unit {
    fn steps(self, length: u64) -> u64 {
        // Written down, not computed: this is what the engines are held to.
        match (self, length) {
            (Unit::Whole, length) => length,
            (Unit::Bytes, 0) => 0,
            (Unit::Bytes, 1 | 8) => 1,
            (Unit::Bytes, 9) => 2,
            (Unit::Bytes, 17) => 3,
            (Unit::Bytes, 20) => 3,
            (Unit::Bytes, other) => panic!("what are {other} bytes?"),
        }
    }
}

/// An operation on a length in local 0, and the unit of it.
const OPERATIONS: [(&str, &str, Unit); 10] = [
    ("memory.copy", "(memory.copy (i32.const 8) (i32.const 64) (local.get 0))", Unit::Bytes),
    ("memory.fill", "(memory.fill (i32.const 8) (i32.const 7) (local.get 0))", Unit::Bytes),
    ("memory.init", "(memory.init $data (i32.const 8) (i32.const 1) (local.get 0))", Unit::Bytes),
    ("memory.grow", "(drop (memory.grow (local.get 0)))", Unit::Whole),
    ("table.copy", "(table.copy (i32.const 2) (i32.const 1) (local.get 0))", Unit::Whole),
    ("table.fill", "(table.fill (i32.const 2) (ref.null func) (local.get 0))", Unit::Whole),
    ("table.init", "(table.init $elem (i32.const 2) (i32.const 1) (local.get 0))", Unit::Whole),
    ("table.grow", "(drop (table.grow (ref.null func) (local.get 0)))", Unit::Whole),
    ("random_get", "(drop (call $random_get (i32.const 8) (local.get 0)))", Unit::Bytes),
    ("input_bytes", "(call $input_bytes (i32.const 8) (local.get 0))", Unit::Bytes),
];

/// Two conditionals beside the operation, so that it is not alone in its block.
fn module(operation: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
        (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
        (import "pessimum" "input_bytes" (func $input_bytes (param i32 i32)))
        (memory 1 40)
        (table 64 100 funcref)
        (data $data "abcdefghijklmnopqrstuvwxyz")
        (elem $elem func $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f $f)
        (func $f (export "f") (param i32)
            (block (br_if 0 (i32.eq (local.get 0) (i32.const 123))))
            {operation}
            (block (br_if 0 (i32.eq (local.get 0) (i32.const 124))))))"#
    );
    wat::parse_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn model(name: &str) -> CostModel {
    CostModel::parse(name, |_| Ok(br#"{"default": 3, "step": 5}"#.to_vec())).expect(name)
}

/// More bytes than any program here asks for.
fn zeros() -> InputValues {
    (0..200).map(|_| (Slot::any(Type::U8), 0)).collect()
}

/// A program in both engines.
struct Both {
    module: Arc<Module>,
    replayer: Replayer,
}

impl Both {
    fn new(bytes: &[u8], cost: &CostModel) -> Both {
        let copy = Instrumented::new(bytes, cost, &[]).expect("it can be copied");
        Both {
            module: Arc::new(Module::load(bytes, cost).expect("it loads")),
            replayer: Replayer::new(&copy, Default::default()).expect("it can be run"),
        }
    }

    fn setup(invocation: Invocation, n: u64) -> Setup {
        Setup { invocation, sizes: Sizes::of(n), seed: 0, limits: Limits::default() }
    }

    fn call(spec: &str, n: u64) -> Setup {
        let call = CallSpec::parse(spec).and_then(|s| s.at(&Sizes::of(n))).expect(spec);
        Both::setup(Invocation::Call(call), n)
    }

    /// How a run ends and what it costs, which the engines agree on.
    fn run(&self, setup: &Setup, input: InputValues) -> (End, u64) {
        let replayed = self
            .replayer
            .run(&setup.invocation, &setup.sizes, Input::Values(&input))
            .expect("it is replayed");
        let (end, machine) =
            run_concrete(&self.module, setup, input, |_| ()).expect("it can be run");
        let cost = machine.counters().cost;
        assert_eq!(replayed.cost, Some(cost), "the engines disagree: {end:?}");
        assert_eq!(replayed.end.is_normal(), matches!(end, End::Return | End::Exit(_)));
        (end, cost)
    }

    fn explored(&self, setup: Setup) -> Outcome {
        let plan = Plan {
            module: Arc::clone(&self.module),
            setup,
            over: None,
            options: Options::default(),
            workers: 1,
        };
        explore(&plan, &Unguided, || Nobody).expect("it explores").0
    }
}

fn step_price(model: &str) -> u64 {
    if model.starts_with("fuel") { 5 } else { 1 }
}

#[test]
fn each_operation_costs_itself_and_its_steps() {
    for (name, operation, unit) in OPERATIONS {
        for cost in MODELS {
            let both = Both::new(&module(operation), &model(cost));
            let none = Both::new(&module("(nop)"), &model(cost));
            let at = |length| both.run(&Both::call("f(n)", length), zeros());
            let (_, without) = none.run(&Both::call("f(n)", 0), zeros());
            let (_, itself) = at(0);
            assert!(itself >= without, "{name} {cost}");
            for length in LENGTHS {
                let expected = itself + step_price(cost) * unit.steps(length);
                let (end, got) = at(length);
                assert_eq!((end, got), (End::Return, expected), "{name} {cost} {length}");
            }
        }
    }
}

#[test]
fn other_models_do_not_count_steps() {
    for (name, operation, _) in OPERATIONS {
        for cost in ["visits:f", "calls:f", "stack", "heap", "output"] {
            let both = Both::new(&module(operation), &model(cost));
            let at = |length| both.run(&Both::call("f(n)", length), zeros()).1;
            assert_eq!(at(17), at(0), "{name} {cost}");
        }
    }
}

#[test]
fn an_operation_that_traps_adds_nothing() {
    for (name, operation, _) in OPERATIONS {
        for cost in MODELS {
            let both = Both::new(&module(operation), &model(cost));
            let at = |length| both.run(&Both::call("f(n)", length), zeros());
            let (end, got) = at(1 << 20);
            // Growing does not trap, nor does a call that answers an error: they do nothing.
            let expected = match name {
                "memory.grow" | "table.grow" | "random_get" => End::Return,
                "memory.copy" | "memory.fill" | "memory.init" | "input_bytes" => {
                    End::Trap(Trap::MemoryOutOfBounds)
                }
                _ => End::Trap(Trap::TableOutOfBounds),
            };
            assert_eq!(end, expected, "{name} {cost}");
            if end == End::Return {
                assert_eq!(got, at(0).1, "{name} {cost}");
            } else {
                // Where a trap cuts the rest of its block is not defined, but steps are not in it.
                assert!(got <= at(0).1, "{name} {cost}: {got}");
            }
        }
    }
}

#[test]
fn an_unknown_length_costs_the_greatest_of_its_forks() {
    for (name, operation, unit) in OPERATIONS {
        for cost in MODELS {
            let both = Both::new(&module(operation), &model(cost));
            let (_, itself) = both.run(&Both::call("f(n)", 0), zeros());
            let setup = Both::call("f(i32 in 0..=20)", 0);
            let found = both.explored(setup.clone());
            assert!(found.is_exact(), "{name} {cost}: {found:?}");
            assert_eq!((found.paths, found.address_forks), (1, 20), "{name} {cost}");
            let expected = itself + step_price(cost) * unit.steps(20);
            assert_eq!(found.worst_cost(), Some(expected), "{name} {cost}");
            assert_eq!(found.least_cost, Some(itself), "{name} {cost}");
            let input = found.worst.and_then(|w| w.test.input).expect("an input");
            assert_eq!(both.run(&setup, input).1, expected, "{name} {cost}");
        }
    }
}

#[test]
fn only_the_measured_region_counts() {
    let bytes = wat::parse_str(
        r#"(module
        (import "pessimum" "measure_begin" (func $begin))
        (import "pessimum" "measure_end" (func $end))
        (import "pessimum" "input_bytes" (func $input_bytes (param i32 i32)))
        (memory 1)
        (func (export "f")
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 800))
            (call $input_bytes (i32.const 0) (i32.const 80))
            (call $begin)
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 72))
            (call $input_bytes (i32.const 0) (i32.const 24))
            (call $end)
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 800))
            (call $input_bytes (i32.const 0) (i32.const 80))))"#,
    )
    .expect("a module");
    let both = Both::new(&bytes, &CostModel::Conditionals);
    assert_eq!(both.run(&Both::call("f()", 0), zeros()), (End::Return, 9 + 3));
}

/// Reads into two buffers and writes what was read, in one call each.
const ECHO: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read"
        (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write"
        (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start")
        (i32.store (i32.const 0) (i32.const 100))
        (i32.store (i32.const 4) (i32.const 5))
        (i32.store (i32.const 8) (i32.const 105))
        (i32.store (i32.const 12) (i32.const 60))
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 2) (i32.const 16)))
        (if (i32.const 0) (then))
        FAILING
        (i32.store (i32.const 4) (i32.load (i32.const 16)))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))"#;

#[test]
fn standard_streams_cost_what_goes_through_them() {
    let failing = [
        "",
        "(drop (call $fd_read (i32.const 7) (i32.const 0) (i32.const 2) (i32.const 24)))",
        "(drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 2) (i32.const -4)))",
        "(drop (call $fd_write (i32.const 7) (i32.const 0) (i32.const 2) (i32.const 24)))",
        "(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 2) (i32.const -4)))",
    ];
    for extra in failing {
        let bytes = wat::parse_str(ECHO.replace("FAILING", extra)).expect("a module");
        for cost in MODELS {
            let both = Both::new(&bytes, &model(cost));
            let at = |n: u64| {
                let invocation = Entry::Stdin.at(&Sizes::of(n)).expect("an entry");
                let setup = Both::setup(invocation, n);
                let found = both.explored(setup.clone());
                assert!(found.is_exact() && found.paths == 1, "{found:?}");
                let input = found.worst.expect("a path").test.input.expect("an input");
                both.run(&setup, input).1
            };
            for n in LENGTHS {
                // One step count for what a call moves, whatever the pieces; once in, once out.
                let steps = 2 * Unit::Bytes.steps(n);
                assert_eq!(at(n), at(0) + step_price(cost) * steps, "{cost} {n} {extra}");
            }
        }
    }
}

#[test]
fn moving_up_everything_each_time_is_quadratic() {
    // `insert(0)` n times: what is there is moved up by eight bytes.
    let bytes = wat::parse_str(
        r#"(module (memory 1)
        (func (export "f") (param $n i32) (local $len i32)
            (block $done (loop $next
                (br_if $done (i32.eq (local.get $len) (local.get $n)))
                (memory.copy (i32.const 8) (i32.const 0)
                    (i32.shl (local.get $len) (i32.const 3)))
                (i64.store (i32.const 0) (i64.extend_i32_u (local.get $len)))
                (local.set $len (i32.add (local.get $len) (i32.const 1)))
                (br $next)))))"#,
    )
    .expect("a module");
    let both = Both::new(&bytes, &CostModel::Conditionals);
    for n in [0, 1, 10, 100] {
        let (_, cost) = both.run(&Both::call("f(n)", n), zeros());
        assert_eq!(cost, n + 1 + n * n.saturating_sub(1) / 2, "{n}");
    }
}

#[test]
fn a_profile_adds_up_to_the_cost() {
    for (name, operation, _) in OPERATIONS {
        for cost in MODELS {
            let bytes = module(operation);
            let copy = Instrumented::profiled(&bytes, &model(cost), &[]).expect("a copy");
            let replayer = Replayer::new(&copy, Default::default()).expect("it can be run");
            let setup = Both::call("f(n)", 17);
            let none = zeros();
            let ran = replayer.run(&setup.invocation, &setup.sizes, Input::Values(&none));
            let ran = ran.expect("it runs");
            let sum: u64 = ran.profile.iter().map(|p| p.cost).sum();
            assert_eq!(Some(sum), ran.cost, "{name} {cost}: {:?}", ran.profile);
            let mut places: Vec<_> = ran.profile.iter().map(|p| (p.function, p.offset)).collect();
            places.dedup();
            assert_eq!(places.len(), ran.profile.len(), "{name} {cost}: an operator twice");
        }
    }
}
