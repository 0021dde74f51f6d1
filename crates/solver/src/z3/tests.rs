//! Z3 as the oracle of the blaster, and the evaluator as the oracle of Z3's floats.

use super::Z3Solver;
use crate::blast::Blaster;
use crate::blast::tests::random::queries;
use crate::{Answer, Work};
use pessimum_term::{Arena, Domain, Op, TermId, Width, fold_binary, fold_unary};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_blaster_agrees_on_wide_terms(query in queries(3, 8)) {
        let mut arena = Arena::new();
        let widths = [Width::W8, Width::W16, Width::W32, Width::W64];
        let variables = query.variables(&mut arena, &widths);
        let constraints = query.build(&mut arena, variables);
        let ours = Blaster::new().solve(&arena, &constraints, &mut Work::new(100_000_000));
        let (theirs, _) = Z3Solver::with_limit(3_000_000).solve(&arena, &constraints);
        let open = |answer| matches!(answer, Answer::Unknown(_));
        prop_assert!(ours == theirs || open(ours) || open(theirs), "{ours:?} and {theirs:?}");
    }
}

const F32: [u32; 14] = [
    0,
    0x8000_0000,
    1,
    0x3f80_0000, // 1
    0xbfc0_0000, // -1.5
    0x4020_0000, // 2.5
    0x4b7f_ffff,
    0x4f00_0000, // 2^31
    0xcf00_0000, // -2^31
    0x5f80_0000, // 2^64
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0xffc0_1234, // a NaN with a payload
];

/// The result under fixed inputs is `value` and nothing else.
fn check(arena: &mut Arena, fixed: &[(TermId, u64)], t: TermId, value: u64) {
    let mut constraints = Vec::new();
    for (x, v) in fixed {
        let v = arena.constant(arena.width(*x), *v);
        constraints.push(arena.binary(Op::Eq, *x, v));
    }
    let value = arena.constant(arena.width(t), value);
    let equal = arena.binary(Op::Eq, t, value);
    constraints.push(equal);
    let solver = Z3Solver::new();
    let context = format!("{:?} of {fixed:x?}", arena.node(t).op);
    assert_eq!(solver.solve(arena, &constraints).0, Answer::Sat, "{context}");
    constraints.pop();
    constraints.push(arena.not(equal));
    assert_eq!(solver.solve(arena, &constraints).0, Answer::Unsat, "{context}");
}

fn samples(width: Width) -> Vec<u64> {
    let widen = |bits: &u32| match width {
        Width::W32 => u64::from(*bits),
        _ => f64::from(f32::from_bits(*bits)).to_bits(),
    };
    F32.iter().map(widen).collect()
}

#[test]
fn floats_mean_what_the_evaluator_says() {
    for width in [Width::W32, Width::W64] {
        let mut arena = Arena::new();
        let x = arena.variable(width, Domain::full(width));
        let y = arena.variable(width, Domain::full(width));
        let ops =
            [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMin, Op::FMax, Op::FEq, Op::FLt, Op::FLe];
        let values = samples(width);
        for op in ops {
            let t = arena.binary(op, x, y);
            for (i, &a) in values.iter().enumerate() {
                // Two partners each keep it quick; over all operations many pairs are met.
                for j in [i, i + op as usize] {
                    let b = values[j % values.len()];
                    let value = fold_binary(op, width, a, b);
                    check(&mut arena, &[(x, a), (y, b)], t, value);
                }
            }
        }
        let other = if width == Width::W32 { Width::W64 } else { Width::W32 };
        let change = if width == Width::W32 { Op::FPromote } else { Op::FDemote };
        let ops = [
            (Op::FSqrt, width),
            (Op::FCeil, width),
            (Op::FFloor, width),
            (Op::FTrunc, width),
            (Op::FNearest, width),
            (change, other),
            (Op::FToS, Width::W32),
            (Op::FToU, Width::W32),
            (Op::FToS, Width::W64),
            (Op::FToU, Width::W64),
            // Of integers: the same bit patterns will do.
            (Op::FFromS, Width::W32),
            (Op::FFromU, Width::W32),
            (Op::FFromS, Width::W64),
            (Op::FFromU, Width::W64),
        ];
        for (op, to) in ops {
            let t = arena.unary(op, to, x);
            for &a in &values {
                check(&mut arena, &[(x, a)], t, fold_unary(op, width, to, 0, a));
            }
        }
    }
}

/// x · x = 2 has no solution among the floats, x · x ≈ 2 has.
#[test]
fn floats_are_searched() {
    let mut arena = Arena::new();
    let x = arena.variable(Width::W32, Domain::full(Width::W32));
    let square = arena.binary(Op::FMul, x, x);
    let two = arena.constant(Width::W32, u64::from(2f32.to_bits()));
    let three = arena.constant(Width::W32, u64::from(3f32.to_bits()));
    let exact = arena.binary(Op::FEq, square, two);
    let above = arena.binary(Op::FLt, two, square);
    let below = arena.binary(Op::FLt, square, three);
    assert_eq!(Z3Solver::new().solve(&arena, &[exact]).0, Answer::Unsat);
    let (answer, values) = Z3Solver::new().solve(&arena, &[above, below]);
    assert_eq!(answer, Answer::Sat);
    let root = f32::from_bits(values[0] as u32);
    assert!(root * root > 2.0 && root * root < 3.0);
}
