//! Floats computed: circuits for the operations of IEEE 754, in any binary format.
//!
//! Every operation is made of the same three steps. *Unpacking* makes a float's bits a sign, an exponent and a
//! significand whose first bit is set. A core computes with these, exactly, or with a last bit that says whether anything
//! was cut off. *Rounding* cuts the result to the format, to the nearest and ties to even, and packs it.
//!
//! Exponents have bounds, and values a grid that all of them lie on, known while the circuit is built: what never
//! comes near the least exponent has no circuit for numbers below it. What was rounded is remembered unpacked, so that the
//! next operation on it need not begin with its bits.
//!
//! The meaning is the evaluator's (`pessimum_term::fold_binary`): every NaN is the positive canonical one.

mod circuit;
mod convert;
mod exponent;
mod product;
mod round;
mod shift;
mod sum;
#[cfg(test)]
mod tests;
mod unpack;

use super::gates::Gates;
use super::sat::Lit;
pub use circuit::{FloatCircuit, Input, Step};
use pessimum_term::{Op, Width};
pub(super) use unpack::Unpacked;

/// A binary format: a sign, then so many bits of exponent and of fraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Format {
    pub(super) exponent: usize,
    pub(super) fraction: usize,
}

impl Format {
    pub(super) const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    pub(super) const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    /// The format of Wasm's floats of a width.
    pub(super) fn of(width: Width) -> Format {
        if width == Width::W32 { Format::SINGLE } else { Format::DOUBLE }
    }

    /// Bits of a significand, the one before the fraction among them.
    fn precision(self) -> usize {
        self.fraction + 1
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The least exponent of a normal number.
    fn least(self) -> i64 {
        1 - self.bias()
    }

    /// The greatest exponent of a number.
    fn greatest(self) -> i64 {
        self.bias()
    }

    /// Every number is a multiple of two to this power.
    fn grid(self) -> i64 {
        self.least() - self.fraction as i64
    }
}

impl Gates {
    /// A float operation on Wasm's formats; `from` is the width of the arguments, `to` that of the result.
    pub(super) fn compute(&mut self, op: Op, from: Width, to: Width, args: &[&[Lit]]) -> Vec<Lit> {
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(&[]));
        match op {
            Op::FFromS | Op::FFromU => self.float_of_integer(Format::of(to), op == Op::FFromS, a),
            Op::FToS | Op::FToU => {
                self.integer_of_float(Format::of(from), op == Op::FToS, to.bits() as usize, a)
            }
            Op::FPromote | Op::FDemote => self.float_of_float(Format::of(from), Format::of(to), a),
            op if op.arity() == 1 => self.compute_one(op, Format::of(from), a),
            op => self.compute_two(op, Format::of(from), a, b),
        }
    }

    /// An operation on two floats of one format.
    fn compute_two(&mut self, op: Op, format: Format, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        match op {
            Op::FAdd => self.float_sum(format, a, b, false),
            Op::FSub => self.float_sum(format, a, b, true),
            Op::FMul => self.float_product(format, a, b),
            Op::FDiv => self.float_quotient(format, a, b),
            Op::FMin => self.float_least(format, a, b, true),
            Op::FMax => self.float_least(format, a, b, false),
            op => unreachable!("{op:?} is no operation on two floats"),
        }
    }

    /// An operation on a float that gives one of the same format.
    fn compute_one(&mut self, op: Op, format: Format, a: &[Lit]) -> Vec<Lit> {
        match op {
            Op::FSqrt => self.float_root(format, a),
            Op::FCeil | Op::FFloor | Op::FTrunc | Op::FNearest => {
                self.float_integral(op, format, a)
            }
            op => unreachable!("{op:?} is no operation on one float"),
        }
    }

    /// The lesser of two floats, or the greater: −0 is below +0, and a NaN wins.
    fn float_least(&mut self, format: Format, a: &[Lit], b: &[Lit], least: bool) -> Vec<Lit> {
        let nan = self.either_is_nan(format, a, b);
        let (x, y) = (self.in_order(a), self.in_order(b));
        let below = self.less_signed(&x, &y, self.bit(false));
        let (first, second) = if least { (a, b) } else { (b, a) };
        let chosen = self.choose(below, first, second);
        let canonical = self.canonical_nan(format);
        self.choose(nan, &canonical, &chosen)
    }

    fn either_is_nan(&mut self, format: Format, a: &[Lit], b: &[Lit]) -> Lit {
        let (x, y) = (self.unpack_loosely(format, a).nan, self.unpack_loosely(format, b).nan);
        self.or(x, y)
    }

    fn canonical_nan(&self, format: Format) -> Vec<Lit> {
        let (first, last) = (format.fraction - 1, format.fraction + format.exponent);
        (0..=last).map(|i| self.bit((first..last).contains(&i))).collect()
    }

    /// Whether one of `bits` is set.
    fn any(&mut self, bits: &[Lit]) -> Lit {
        let none: Vec<Lit> = bits.iter().map(|bit| !*bit).collect();
        !self.all(none)
    }
}
