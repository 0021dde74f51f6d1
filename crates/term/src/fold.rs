//! The meaning of each operation on concrete bits: one definition for the evaluator, for constant
//! folding and for whoever wants to test against it.

use crate::float;
use crate::node::{Op, Width};

/// `a op b`; both arguments have `width`, comparisons answer 0 or 1.
#[inline]
pub fn fold_binary(op: Op, width: Width, a: u64, b: u64) -> u64 {
    let mask = width.mask();
    let bits = u64::from(width.bits());
    let amount = (b % bits) as u32;
    let out = match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(0),
        Op::URem => a.checked_rem(b).unwrap_or(0),
        Op::SDiv if b == 0 => 0,
        Op::SDiv => width.signed(a).wrapping_div(width.signed(b)) as u64,
        Op::SRem if b == 0 => 0,
        Op::SRem => width.signed(a).wrapping_rem(width.signed(b)) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << amount,
        Op::LShr => a >> amount,
        Op::AShr => (width.signed(a) >> amount) as u64,
        Op::Rotl => rotate_left(a, amount, width),
        Op::Rotr => rotate_left(a, (width.bits() - amount) % width.bits(), width),
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => return fold_comparison(op, width, a, b),
        _ => return float::binary(op, width, a, b),
    };
    out & mask
}

/// `a op b` for a comparison of integers.
#[inline]
pub(crate) fn fold_comparison(op: Op, width: Width, a: u64, b: u64) -> u64 {
    u64::from(match op {
        Op::Eq => a == b,
        Op::Ult => a < b,
        Op::Ule => a <= b,
        Op::Slt => width.signed(a) < width.signed(b),
        _ => width.signed(a) <= width.signed(b),
    })
}

/// `op a`; `from` is the argument's width, `to` the result's, `low` the lowest bit of an extract.
#[inline]
pub fn fold_unary(op: Op, from: Width, to: Width, low: u32, a: u64) -> u64 {
    match op {
        Op::Not => a ^ 1,
        Op::Clz => u64::from(a.leading_zeros() - (64 - from.bits())),
        Op::Ctz => u64::from(a.trailing_zeros().min(from.bits())),
        Op::Popcnt => u64::from(a.count_ones()),
        Op::ZeroExt => a,
        Op::SignExt => from.signed(a) as u64 & to.mask(),
        Op::Extract => (a >> low) & to.mask(),
        _ => float::unary(op, from, to, a),
    }
}

fn rotate_left(a: u64, amount: u32, width: Width) -> u64 {
    if amount == 0 { a } else { a << amount | a >> (width.bits() - amount) }
}
