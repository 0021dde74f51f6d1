//! The circuits of float operations against the processor, as often as one likes.
//!
//! `cargo run --release -p pessimum-solver --example float_soak -- --count 10000000 --seed 0`. Every operation and width has
//! its part of the count: seven eighths of it in the circuit for any arguments, the rest in circuits with a constant
//! argument, a new one every 64 × 64 operations. Then as many operations again in programs of several, some of whose inputs are
//! small integers or constants. Ends with exit code 1 if a result differs.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/floats/operands.rs"]
mod operands;
#[path = "../tests/floats/programs.rs"]
mod programs;

use operands::{CASES, Operands};
use pessimum_solver::blast::{FloatCircuit, Input, Step};
use pessimum_term::{Op, Width, fold_binary, fold_unary};
use programs::Program;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut count, mut seed) = (1_000_000u64, 0u64);
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let number = args.next().and_then(|word| word.parse().ok());
        match (flag.as_str(), number) {
            ("--count", Some(number)) => count = number,
            ("--seed", Some(number)) => seed = number,
            _ => {
                eprintln!("float_soak [--count OPERATIONS] [--seed SEED]");
                return ExitCode::from(2);
            }
        }
    }
    let batches = count.div_ceil(64 * CASES.len() as u64);
    let mut wrong = 0;
    let mut done = 0;
    for (op, from, to) in CASES {
        let mut operands = Operands::new(op, from, seed);
        let mut circuit = FloatCircuit::new(op, from, to, [None, None]);
        let clauses = circuit.clauses();
        let mut bad = 0;
        for _ in 0..batches - batches / 8 {
            bad += compare(&mut circuit, &mut operands, (op, from, to), [None, None]);
        }
        let mut left = batches / 8;
        while left > 0 {
            let [a, b] = operands.next();
            let fixed = if left.is_multiple_of(2) { [Some(a), None] } else { [None, Some(b)] };
            let mut circuit = FloatCircuit::new(op, from, to, fixed);
            for _ in 0..left.min(64) {
                bad += compare(&mut circuit, &mut operands, (op, from, to), fixed);
            }
            left = left.saturating_sub(64);
        }
        done += batches * 64;
        wrong += bad;
        let name = format!("{op:?}");
        let (from, to) = (from.bits(), to.bits());
        println!(
            "{name:9} {from} -> {to}: {:8} operations, {bad} differ, {clauses:6} clauses",
            batches * 64
        );
    }
    let (mut again, mut programs) = (0, 0);
    while again < done {
        let program = Program::random(seed.wrapping_add(programs));
        let mut circuit = FloatCircuit::chain(&program.inputs, &program.steps);
        for batch in 0..16 {
            let arguments = program.arguments(batch);
            let results = circuit.run(|run, input| arguments[run][input]);
            for (arguments, result) in arguments.iter().zip(results) {
                let expected = program.value(arguments);
                if result != expected {
                    println!("{program:x?} of {arguments:x?}: {result:x}, not {expected:x}");
                    wrong += 1;
                }
            }
            again += 64 * program.steps.len() as u64;
        }
        programs += 1;
    }
    println!("{programs} programs: {again} operations");
    println!("{} operations, seed {seed}: {wrong} differ", done + again);
    ExitCode::from(u8::from(wrong > 0))
}

/// How many of 64 results differ.
fn compare(
    circuit: &mut FloatCircuit,
    operands: &mut Operands,
    (op, from, to): (Op, Width, Width),
    fixed: [Option<u64>; 2],
) -> u64 {
    let args = [(); 64].map(|()| {
        let [a, b] = operands.next();
        [fixed[0].unwrap_or(a), fixed[1].unwrap_or(b)]
    });
    let mut bad = 0;
    for (args, result) in args.iter().zip(circuit.run(|run, input| args[run][input])) {
        let expected = match op.arity() {
            1 => fold_unary(op, from, to, 0, args[0]),
            _ => fold_binary(op, from, args[0], args[1]),
        };
        if result != expected {
            println!("{op:?} {from:?} -> {to:?} of {args:x?}: {result:x}, not {expected:x}");
            bad += 1;
        }
    }
    bad
}
