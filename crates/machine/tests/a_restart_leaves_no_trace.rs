//! Runs that begin where another left its memory see nothing of it.

use crate::support;

use pessimum_entry::InputValues;
use pessimum_machine::{End, Inputs, Machine, Restart, Stop};
use pessimum_term::Arena;
use support::random_function;
use support::rng::Rng;
use support::small::Small;

/// What can be seen of a run that is over.
fn seen(machine: &mut Machine) -> (End, Vec<u64>, Vec<u8>, u64, u64) {
    let Stop::End(end) = machine.run(&mut Arena::new()) else { panic!("a concrete run stops") };
    let globals = machine.globals().iter().filter_map(|v| v.as_concrete()).collect();
    let counters = machine.counters();
    (end, globals, machine.memory_bytes().to_vec(), counters.cost, counters.all_instructions)
}

fn input(small: &Small, args: &[u64]) -> InputValues {
    let slots = small.setup.invocation.slots();
    slots.into_iter().zip(args).map(|(slot, bits)| (slot, *bits)).collect()
}

#[test]
fn random_functions_run_again_as_they_ran_first() {
    for seed in 7000..7300 {
        let mut small = Small::new(&random_function::text(seed));
        small.setup.limits.instructions = 20_000;
        let restart = Restart::new(&small.module, &small.setup).expect("it starts by itself");
        let mut rng = Rng::new(seed);
        for _ in 0..5 {
            let values = input(&small, &random_function::arguments(&mut rng));
            let inputs = Inputs::Concrete(values.clone());
            let first = Machine::start(&small.module, &small.setup, inputs, &mut Arena::new());
            let again = restart.start(&small.setup, values, &mut Arena::new());
            let (mut first, mut again) = (first.expect("it starts"), again.expect("it starts"));
            assert_eq!(seen(&mut again), seen(&mut first), "seed {seed}");
            restart.give_back(again);
        }
    }
}

/// Writes in every way there is, over the ends of pages and into memory that it grew, and says what was there before.
const DIRTY: &str = r#"(module
    (memory (export "memory") 2 9)
    (global $sum (mut i64) (i64.const 0))
    (data (i32.const 4090) "here before all")
    (data $later "written later")
    (func (export "f") (param $k i32) (result i64) (local $at i32)
        (loop $each
            (global.set $sum (i64.add
                (i64.mul (global.get $sum) (i64.const 31))
                (i64.load (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (br_if $each (i32.lt_u (local.get $at) (i32.mul (memory.size) (i32.const 65536)))))
        (i64.store (i32.const 8190) (i64.const -1))
        (i32.store16 (i32.add (i32.const 4095) (local.get $k)) (i32.const 7))
        (i32.store8 (i32.add (i32.const 20479) (local.get $k)) (i32.const 7))
        (memory.fill (i32.const 30000) (local.get $k) (i32.const 9000))
        (memory.copy (i32.const 50001) (i32.const 4000) (i32.const 8200))
        (memory.init $later (i32.const 70000) (i32.const 0) (i32.const 13))
        (data.drop $later)
        (drop (memory.grow (i32.const 2)))
        (i64.store (i32.const 200000) (i64.const 5))
        (global.get $sum)))"#;

#[test]
fn whatever_was_written_is_put_back() {
    let small = Small::new(DIRTY);
    let restart = Restart::new(&small.module, &small.setup).expect("it starts by itself");
    for k in [0, 1, 2, 100, 0] {
        let values = input(&small, &[k]);
        let inputs = Inputs::Concrete(values.clone());
        let first = Machine::start(&small.module, &small.setup, inputs, &mut Arena::new());
        let again = restart.start(&small.setup, values, &mut Arena::new());
        let (mut first, mut again) = (first.expect("it starts"), again.expect("it starts"));
        let (first, seen_again) = (seen(&mut first), seen(&mut again));
        assert_eq!(first.0, End::Return);
        assert!(seen_again == first, "k = {k}");
        restart.give_back(again);
    }
}

/// A module whose start function takes more than a run may.
#[test]
fn a_run_may_have_less_than_its_start_takes() {
    let mut small = Small::new(
        r#"(module
            (func $long (local $i i32)
                (loop $each
                    (local.set $i (i32.add (local.get $i) (i32.const 1)))
                    (br_if $each (i32.lt_u (local.get $i) (i32.const 1000)))))
            (start $long)
            (func (export "f") (param i32) (result i32) (local.get 0)))"#,
    );
    let restart = Restart::new(&small.module, &small.setup).expect("it starts by itself");
    let values = input(&small, &[7]);
    assert!(restart.start(&small.setup, values.clone(), &mut Arena::new()).is_ok());
    small.setup.limits.instructions = 100;
    let plain = Machine::start(
        &small.module,
        &small.setup,
        Inputs::Concrete(values.clone()),
        &mut Arena::new(),
    );
    let again = restart.start(&small.setup, values, &mut Arena::new());
    let said = |result: Result<Machine, _>| {
        result.err().map(|e: pessimum_machine::LoadError| e.to_string())
    };
    let (plain, again) = (said(plain), said(again));
    assert!(plain.is_some() && plain == again, "{plain:?} {again:?}");
}

#[test]
fn a_memory_that_begins_with_nothing_can_grow() {
    let small = Small::new(
        r#"(module
            (memory (export "memory") 0 3)
            (func (export "f") (param i32) (result i32) (memory.grow (local.get 0))))"#,
    );
    let restart = Restart::new(&small.module, &small.setup).expect("it starts by itself");
    for _ in 0..2 {
        let values = input(&small, &[2]);
        let mut run = restart.start(&small.setup, values, &mut Arena::new()).expect("it starts");
        assert_eq!(run.run(&mut Arena::new()), Stop::End(End::Return));
        assert_eq!(run.memory_bytes().len(), 2 << 16);
        restart.give_back(run);
    }
}
