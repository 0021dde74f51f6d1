//! Wasm's float operations on bit patterns, as the evaluator and constant folding need them.

use crate::node::{Op, Width};

/// A float operation with two arguments of `width`.
pub(crate) fn binary(op: Op, width: Width, a: u64, b: u64) -> u64 {
    if width == Width::W32 {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        match op {
            Op::FEq => u64::from(x == y),
            Op::FLt => u64::from(x < y),
            Op::FLe => u64::from(x <= y),
            Op::FAdd => bits32(x + y),
            Op::FSub => bits32(x - y),
            Op::FMul => bits32(x * y),
            Op::FDiv => bits32(x / y),
            Op::FMin => bits32(f64_min(f64::from(x), f64::from(y)) as f32),
            Op::FMax => bits32(f64_max(f64::from(x), f64::from(y)) as f32),
            _ => unreachable!("{op:?} is no binary float operation"),
        }
    } else {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        match op {
            Op::FEq => u64::from(x == y),
            Op::FLt => u64::from(x < y),
            Op::FLe => u64::from(x <= y),
            Op::FAdd => bits64(x + y),
            Op::FSub => bits64(x - y),
            Op::FMul => bits64(x * y),
            Op::FDiv => bits64(x / y),
            Op::FMin => bits64(f64_min(x, y)),
            Op::FMax => bits64(f64_max(x, y)),
            _ => unreachable!("{op:?} is no binary float operation"),
        }
    }
}

/// A float operation with one argument; `from` is the argument's width, `to` the result's.
pub(crate) fn unary(op: Op, from: Width, to: Width, a: u64) -> u64 {
    let wide = |bits: u64| {
        if from == Width::W32 {
            f64::from(f32::from_bits(bits as u32))
        } else {
            f64::from_bits(bits)
        }
    };
    let narrow = |x: f64| {
        if to == Width::W32 { bits32(x as f32) } else { bits64(x) }
    };
    match op {
        // Rounding an f32 through f64 and back is exact for all of these, the root included.
        Op::FSqrt if from == Width::W32 => bits32(f32::from_bits(a as u32).sqrt()),
        Op::FSqrt => bits64(wide(a).sqrt()),
        Op::FCeil => narrow(wide(a).ceil()),
        Op::FFloor => narrow(wide(a).floor()),
        Op::FTrunc => narrow(wide(a).trunc()),
        Op::FNearest => narrow(wide(a).round_ties_even()),
        Op::FPromote | Op::FDemote => narrow(wide(a)),
        Op::FFromS => {
            let i = from.signed(a);
            if to == Width::W32 { bits32(i as f32) } else { (i as f64).to_bits() }
        }
        Op::FFromU => {
            if to == Width::W32 {
                bits32(a as f32)
            } else {
                (a as f64).to_bits()
            }
        }
        Op::FToS => {
            let x = wide(a);
            if to == Width::W32 { u64::from(x as i32 as u32) } else { x as i64 as u64 }
        }
        Op::FToU => {
            let x = wide(a);
            if to == Width::W32 { u64::from(x as u32) } else { x as u64 }
        }
        _ => unreachable!("{op:?} is no unary float operation"),
    }
}

// Wasm leaves open which NaN an operation gives, and processors differ; we always give the
// positive canonical one, so that a run is the same everywhere and Z3 can agree with it.
fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fc0_0000 } else { u64::from(x.to_bits()) }
}

fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

// Wasm's min and max: a NaN wins, and −0 is below +0.
fn f64_min(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        if x.is_sign_negative() { x } else { y }
    } else {
        x.min(y)
    }
}

fn f64_max(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        if x.is_sign_positive() { x } else { y }
    } else {
        x.max(y)
    }
}
