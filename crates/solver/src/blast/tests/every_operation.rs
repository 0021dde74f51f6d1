//! Each circuit alone, on all arguments of small widths and on chosen ones of large widths.

use crate::blast::Blaster;
use crate::{Answer, Work};
use pessimum_term::{Arena, Domain, Op, TermId, Width, fold_binary, fold_unary};

/// Arguments worth trying at a width.
fn arguments(width: Width) -> Vec<u64> {
    if width.bits() <= 4 {
        return (0..=width.mask()).collect();
    }
    let bits = u64::from(width.bits());
    let mut values = vec![0, 1, 2, 3, 7, bits - 1, bits, bits + 1, 0x9e37_79b9_7f4a_7c15];
    values.extend([width.sign_bit(), width.sign_bit() - 1, width.mask(), width.mask() - 2]);
    values.iter_mut().for_each(|v| *v &= width.mask());
    values.sort_unstable();
    values.dedup();
    values
}

const WIDTHS: [u32; 9] = [1, 2, 3, 4, 5, 8, 12, 32, 64];

/// With the inputs fixed by assumptions the result must be what folding says, and nothing else.
fn check(arena: &mut Arena, blaster: &mut Blaster, fixed: &[(TermId, u64)], t: TermId, value: u64) {
    let mut constraints = Vec::new();
    for (x, v) in fixed {
        let v = arena.constant(arena.width(*x), *v);
        constraints.push(arena.binary(Op::Eq, *x, v));
    }
    let value = arena.constant(arena.width(t), value);
    let equal = arena.binary(Op::Eq, t, value);
    constraints.push(equal);
    let mut work = Work::unlimited();
    assert_eq!(blaster.solve(arena, &constraints, &mut work), Answer::Sat);
    constraints.pop();
    constraints.push(arena.not(equal));
    assert_eq!(blaster.solve(arena, &constraints, &mut work), Answer::Unsat);
}

#[test]
fn two_arguments() {
    for bits in WIDTHS {
        let width = Width::new(bits);
        for op in Op::ON_TWO_INTEGERS {
            let mut arena = Arena::new();
            let mut blaster = Blaster::new();
            let x = arena.variable(width, Domain::full(width));
            let y = arena.variable(width, Domain::full(width));
            let t = arena.binary(op, x, y);
            for a in arguments(width) {
                for b in arguments(width) {
                    let value = fold_binary(op, width, a, b);
                    check(&mut arena, &mut blaster, &[(x, a), (y, b)], t, value);
                }
            }
        }
    }
}

/// Both zeros, the least and the greatest, numbers that are none, and ordinary ones.
#[test]
fn two_floats() {
    let ordinary = [0.0, f64::from_bits(1), 1.0, 1.5, 3e30, f64::MAX, f64::INFINITY, f64::NAN];
    let all: Vec<f64> = ordinary.into_iter().flat_map(|x| [x, -x]).collect();
    for width in [Width::W32, Width::W64] {
        let bits = |x: f64| match width {
            Width::W32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        };
        for op in [Op::FEq, Op::FLt, Op::FLe] {
            let mut arena = Arena::new();
            let mut blaster = Blaster::new();
            let x = arena.variable(width, Domain::full(width));
            let y = arena.variable(width, Domain::full(width));
            let t = arena.binary(op, x, y);
            for a in all.iter().map(|a| bits(*a)) {
                for b in all.iter().map(|b| bits(*b)) {
                    let value = fold_binary(op, width, a, b);
                    check(&mut arena, &mut blaster, &[(x, a), (y, b)], t, value);
                }
            }
        }
    }
}

#[test]
fn one_argument_a_constant() {
    for bits in [3, 8, 32] {
        let width = Width::new(bits);
        for op in Op::ON_TWO_INTEGERS {
            let mut arena = Arena::new();
            let mut blaster = Blaster::new();
            let x = arena.variable(width, Domain::full(width));
            for k in arguments(width) {
                let constant = arena.constant(width, k);
                let (left, right) = (arena.binary(op, x, constant), arena.binary(op, constant, x));
                for a in arguments(width) {
                    let value = fold_binary(op, width, a, k);
                    check(&mut arena, &mut blaster, &[(x, a)], left, value);
                    let value = fold_binary(op, width, k, a);
                    check(&mut arena, &mut blaster, &[(x, a)], right, value);
                }
            }
        }
    }
}

#[test]
fn one_argument() {
    for bits in WIDTHS {
        let width = Width::new(bits);
        let mut arena = Arena::new();
        let mut blaster = Blaster::new();
        let x = arena.variable(width, Domain::full(width));
        for op in [Op::Clz, Op::Ctz, Op::Popcnt] {
            let t = arena.unary(op, width, x);
            for a in arguments(width) {
                let value = fold_unary(op, width, width, 0, a);
                check(&mut arena, &mut blaster, &[(x, a)], t, value);
            }
        }
    }
}

/// Narrow domains make narrow circuits; the results must not change.
#[test]
fn arguments_within_domains() {
    let width = Width::W32;
    let domains = [(-3, 4), (0, 5), (250, 256), (-6, -2), (0xffff_fff0, 0xffff_fffa)];
    for op in Op::ON_TWO_INTEGERS {
        for (lo, hi) in domains {
            for (low, high) in domains {
                let mut arena = Arena::new();
                let mut blaster = Blaster::new();
                let x = arena.variable(width, Domain { lo, hi });
                let y = arena.variable(width, Domain { lo: low, hi: high });
                let t = arena.binary(op, x, y);
                for a in lo..=hi {
                    let (a, b) = (a as u64 & width.mask(), high as u64 & width.mask());
                    let value = fold_binary(op, width, a, b);
                    check(&mut arena, &mut blaster, &[(x, a), (y, b)], t, value);
                }
            }
        }
    }
}
