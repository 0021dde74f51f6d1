//! Each circuit against the evaluator, and a format of 16 bits against the definition.

use super::{FloatCircuit, Format, Input, Step};
use pessimum_term::{Op, Width, fold_binary, fold_unary};

#[path = "../../../tests/floats/operands.rs"]
mod operands;
#[path = "../../../tests/floats/programs.rs"]
mod programs;
use operands::{CASES, Operands};
use programs::Program;

/// What the evaluator says.
fn expected(op: Op, from: Width, to: Width, args: [u64; 2]) -> u64 {
    match op.arity() {
        1 => fold_unary(op, from, to, 0, args[0]),
        _ => fold_binary(op, from, args[0], args[1]),
    }
}

fn agree(op: Op, from: Width, to: Width, fixed: [Option<u64>; 2], batches: usize) {
    let mut circuit = FloatCircuit::new(op, from, to, fixed);
    let mut operands = Operands::new(op, from, 1);
    for _ in 0..batches {
        let args = [(); 64].map(|()| {
            let [a, b] = operands.next();
            [fixed[0].unwrap_or(a), fixed[1].unwrap_or(b)]
        });
        for (args, result) in args.iter().zip(circuit.run(|run, input| args[run][input])) {
            let expected = expected(op, from, to, *args);
            assert_eq!(
                result, expected,
                "{op:?} from {from:?} to {to:?} of {args:x?} is {expected:x}, not {result:x}"
            );
        }
    }
}

#[test]
fn every_operation_is_the_evaluators() {
    for (op, from, to) in CASES {
        agree(op, from, to, [None, None], 300);
    }
}

/// A constant argument makes another circuit.
#[test]
fn constants_change_no_result() {
    for (op, from, to) in CASES {
        let mut operands = Operands::new(op, from, 7);
        for _ in 0..12 {
            let [a, b] = operands.next();
            agree(op, from, to, [Some(a), Some(b)], 1);
            if op.arity() == 2 {
                agree(op, from, to, [Some(a), None], 8);
                agree(op, from, to, [None, Some(b)], 8);
            }
        }
    }
}

/// What was computed is unpacked as it was before it was packed, and small integers leave bounds behind.
#[test]
fn operations_on_results_are_the_evaluators() {
    for seed in 0..400 {
        let program = Program::random(seed);
        let mut circuit = FloatCircuit::chain(&program.inputs, &program.steps);
        for batch in 0..4 {
            let arguments = program.arguments(batch);
            let results = circuit.run(|run, input| arguments[run][input]);
            for (arguments, result) in arguments.iter().zip(results) {
                let expected = program.value(arguments);
                assert_eq!(result, expected, "{program:x?} of {arguments:x?}");
            }
        }
    }
}

/// Without a carry chain or a row of products a scale is a matter of exponents.
#[test]
fn a_power_of_two_is_a_small_factor() {
    let two = Some(2f64.to_bits());
    let clauses = |fixed| FloatCircuit::new(Op::FMul, Width::W64, Width::W64, fixed).clauses();
    let (scale, product) = (clauses([None, two]), clauses([None, None]));
    assert!(scale * 6 < product, "{scale} of {product} clauses");
}

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

const HALF: Format = Format { exponent: 5, fraction: 10 };

/// The value of a half, exactly.
fn value(bits: u64) -> f64 {
    let sign = if bits >> 15 & 1 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
    sign * match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-24),
        e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
    }
}

/// The half next to a number; between two of them the one whose last bit is zero.
fn nearest(x: f64) -> u64 {
    if x.is_nan() {
        return 0x7e00;
    }
    let sign = u64::from(x.is_sign_negative()) << 15;
    // What would come after the greatest counts as a number of its own for rounding.
    let size = |bits: u64| if bits == 0x7c00 { 65536.0 } else { value(bits) };
    let (mut low, mut high) = (0, 0x7c00);
    if x.abs() >= size(high) {
        return sign | high;
    }
    while high - low > 1 {
        let middle = (low + high) / 2;
        if size(middle) <= x.abs() {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (below, above) = (x.abs() - size(low), size(high) - x.abs());
    let up = above < below || above == below && low & 1 == 1;
    sign | if up { high } else { low }
}

fn half(op: Op, arity: usize) -> FloatCircuit {
    FloatCircuit::build(&vec![Input::Any(Width::W16); arity], |gates, args| match args {
        [a, b] => gates.compute_two(op, HALF, a, b),
        _ => gates.compute_one(op, HALF, &args[0]),
    })
}

/// Of a half everything can be tried. Numbers of 53 bits hold the exact result, or one that rounds alike.
#[test]
fn all_halves_of_one_argument() {
    let exact: [(Op, OfOne); 5] = [
        (Op::FSqrt, f64::sqrt),
        (Op::FCeil, f64::ceil),
        (Op::FFloor, f64::floor),
        (Op::FTrunc, f64::trunc),
        (Op::FNearest, f64::round_ties_even),
    ];
    for (op, f) in exact {
        let mut circuit = half(op, 1);
        for first in (0..1 << 16).step_by(64) {
            let args: [[u64; 2]; 64] = std::array::from_fn(|i| [first + i as u64, 0]);
            for (args, result) in args.iter().zip(circuit.run(|run, input| args[run][input])) {
                assert_eq!(result, nearest(f(value(args[0]))), "{op:?} of {:x}", args[0]);
            }
        }
    }
}

/// Pairs of halves: every 37th by every 61st, so that no bit of either is missed, and those next to the ends.
#[test]
fn many_halves_of_two_arguments() {
    let exact: [(Op, OfTwo); 4] = [
        (Op::FAdd, |x, y| x + y),
        (Op::FSub, |x, y| x - y),
        (Op::FMul, |x, y| x * y),
        (Op::FDiv, |x, y| x / y),
    ];
    let ends = [0, 1, 2, 3, 0x3fe, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bfe, 0x7bff];
    let others = [0x7c00, 0x7c01, 0x7e00, 0x7fff];
    let special: Vec<u64> = ends.into_iter().chain(others).flat_map(|x| [x, x | 0x8000]).collect();
    let left: Vec<u64> = (0..1 << 16).step_by(37).chain(special.iter().copied()).collect();
    let right: Vec<u64> = (0..1 << 16).step_by(661).chain(special.iter().copied()).collect();
    for (op, f) in exact {
        let mut circuit = half(op, 2);
        for &a in &left {
            for chunk in right.chunks(64) {
                let args: [[u64; 2]; 64] = std::array::from_fn(|i| [a, chunk[i % chunk.len()]]);
                for (args, result) in args.iter().zip(circuit.run(|run, input| args[run][input])) {
                    let expected = nearest(f(value(args[0]), value(args[1])));
                    assert_eq!(result, expected, "{op:?} of {args:x?}");
                }
            }
        }
    }
}
