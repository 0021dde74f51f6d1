//! Marks: whatever a run does after one, undoing it brings the machine back to where it was.
//!
//! A run along one input's path stops again and again to run ahead along another's, marks nested,
//! and to come back. It must end exactly as a run that never strayed.

#![allow(clippy::print_stdout)]

use crate::support;

use pessimum_machine::{End, Machine, Stop, Value};
use pessimum_term::Arena;
use support::follow::{Assignment, Stops, answer};
use support::random_function;
use support::rng::Rng;
use support::small::Small;

/// Everything that can be seen of a machine, terms by their values under an input.
#[derive(PartialEq, Debug)]
struct Seen {
    end: End,
    results: Vec<u64>,
    globals: Vec<u64>,
    memory: Vec<u8>,
    cost: u64,
    instructions: u64,
    stops: Stops,
}

fn seen(
    machine: &Machine,
    arena: &mut Arena,
    input: &mut Assignment,
    end: End,
    stops: Stops,
) -> Seen {
    let values = |input: &mut Assignment, values: &[Value]| -> Vec<u64> {
        values.iter().map(|v| input.value(arena, *v)).collect()
    };
    let results = if end == End::Return { values(input, machine.results(2)) } else { Vec::new() };
    let globals = values(input, machine.globals());
    let memory = support::follow::memory_under(machine, arena, input);
    let counters = machine.counters();
    Seen {
        end,
        results,
        globals,
        memory,
        cost: counters.cost,
        instructions: counters.all_instructions,
        stops,
    }
}

/// Runs ahead along another input's path for some stops, then undoes it all; marks within marks.
fn stray(machine: &mut Machine, arena: &mut Arena, rng: &mut Rng, stop: Stop, depth: u32) -> u64 {
    let (mark, arena_mark) = (machine.mark(), arena.mark());
    let mut input = Assignment::new(random_function::arguments(rng));
    let mut stops = Stops::default();
    let mut strays = 1;
    let mut stop = stop;
    for _ in 0..=rng.below(12) {
        if depth > 0 && rng.below(3) == 0 {
            strays += stray(machine, arena, rng, stop, depth - 1);
            input.forget();
        }
        if answer(machine, arena, &mut input, stop, None, &mut stops).is_some() {
            break;
        }
        stop = machine.run(arena);
    }
    machine.undo_to(&mark);
    arena.undo_to(arena_mark);
    strays
}

fn run(small: &Small, args: &[u64], mut strays: Option<&mut Rng>, count: &mut u64) -> Seen {
    let mut arena = Arena::new();
    let mut machine = small.start(&mut arena);
    let mut input = Assignment::new(args.to_vec());
    let mut stops = Stops::default();
    loop {
        let stop = machine.run(&mut arena);
        if let Some(rng) = strays.as_deref_mut()
            && !matches!(stop, Stop::End(_))
            && rng.below(4) == 0
        {
            *count += stray(&mut machine, &mut arena, rng, stop, 2);
            input.forget();
        }
        if let Some(end) = answer(&mut machine, &mut arena, &mut input, stop, None, &mut stops) {
            return seen(&machine, &mut arena, &mut input, end, stops);
        }
    }
}

#[test]
fn a_run_that_strays_ends_like_one_that_does_not() {
    let mut strays = 0;
    for seed in 5000..5400 {
        let mut small = Small::new(&random_function::text(seed));
        // A run astray mixes the paths of two inputs: its loops may have any number of iterations.
        small.setup.limits.instructions = 20_000;
        let mut rng = Rng::new(seed);
        let args = random_function::arguments(&mut rng);
        let straight = run(&small, &args, None, &mut 0);
        let strayed = run(&small, &args, Some(&mut rng), &mut strays);
        let guards = strayed.stops.guards;
        // A guard that was passed before a mark is asked for again after it is undone.
        let strayed =
            Seen { stops: Stops { guards: straight.stops.guards, ..strayed.stops }, ..strayed };
        assert!(guards >= straight.stops.guards, "seed {seed}");
        assert_eq!(strayed, straight, "seed {seed} on {args:x?}");
    }
    println!("{strays} times astray");
    assert!(strays >= 1000, "{strays}");
}

/// Deep frames come back although they returned after the mark.
#[test]
fn frames_that_returned_come_back() {
    let small = Small::new(
        r#"(module (global $g (mut i32) (i32.const 0))
        (func $down (param i32 i32) (result i32) (local i32)
            (local.set 2 (i32.mul (local.get 0) (local.get 0)))
            (if (i32.eqz (local.get 0))
                (then (if (i32.gt_s (local.get 1) (i32.const 0))
                    (then (global.set $g (i32.const 1))) (else (global.set $g (i32.const 2))))))
            (if (result i32) (local.get 0)
                (then (i32.add (local.get 2)
                    (call $down (i32.sub (local.get 0) (i32.const 1)) (local.get 1))))
                (else (i32.mul (global.get $g) (i32.const 1000)))))
        (func (export "f") (param i32) (result i32)
            (call $down (i32.const 50) (local.get 0))))"#,
    );
    let mut arena = Arena::new();
    let mut machine = small.start(&mut arena);
    let squares: u64 = (1..=50u64).map(|i| i * i).sum();
    assert!(matches!(machine.run(&mut arena), Stop::Branch { .. }));
    assert_eq!(machine.depth(), 52);
    for (holds, expected) in [(true, 1000), (false, 2000), (true, 1000)] {
        let (mark, arena_mark) = (machine.mark(), arena.mark());
        machine.take(holds);
        assert_eq!(machine.run(&mut arena), Stop::End(End::Return));
        assert_eq!(machine.results(1)[0].as_concrete(), Some(squares + expected));
        machine.undo_to(&mark);
        arena.undo_to(arena_mark);
        assert_eq!(machine.depth(), 52);
    }
}

/// A guard that was passed for an address must not pass for the division after it.
#[test]
fn a_passed_guard_is_not_passed_twice() {
    let small = Small::new(
        r#"(module (memory (export "memory") 1 1)
        (func (export "f") (param i32 i32) (result i32)
            (i32.div_u (i32.load (local.get 0)) (local.get 1))))"#,
    );
    for args in [[8, 0], [8, 1], [65532, 0], [65533, 0]] {
        small.check(&args, None).expect("as in wasmi");
    }
}
