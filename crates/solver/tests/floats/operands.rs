//! Arguments of float operations: random ones, and those where something happens.

use pessimum_term::{Op, Width};

/// Every float operation that computes, with the width of its arguments and of its result.
pub(crate) const CASES: [(Op, Width, Width); 40] = {
    const S: Width = Width::W32;
    const D: Width = Width::W64;
    [
        (Op::FAdd, S, S),
        (Op::FAdd, D, D),
        (Op::FSub, S, S),
        (Op::FSub, D, D),
        (Op::FMul, S, S),
        (Op::FMul, D, D),
        (Op::FDiv, S, S),
        (Op::FDiv, D, D),
        (Op::FMin, S, S),
        (Op::FMin, D, D),
        (Op::FMax, S, S),
        (Op::FMax, D, D),
        (Op::FSqrt, S, S),
        (Op::FSqrt, D, D),
        (Op::FCeil, S, S),
        (Op::FCeil, D, D),
        (Op::FFloor, S, S),
        (Op::FFloor, D, D),
        (Op::FTrunc, S, S),
        (Op::FTrunc, D, D),
        (Op::FNearest, S, S),
        (Op::FNearest, D, D),
        (Op::FPromote, S, D),
        (Op::FDemote, D, S),
        (Op::FFromS, S, S),
        (Op::FFromS, S, D),
        (Op::FFromS, D, S),
        (Op::FFromS, D, D),
        (Op::FFromU, S, S),
        (Op::FFromU, S, D),
        (Op::FFromU, D, S),
        (Op::FFromU, D, D),
        (Op::FToS, S, S),
        (Op::FToS, S, D),
        (Op::FToS, D, S),
        (Op::FToS, D, D),
        (Op::FToU, S, S),
        (Op::FToU, S, D),
        (Op::FToU, D, S),
        (Op::FToU, D, D),
    ]
};

/// A source of arguments, the same for the same seed.
pub(crate) struct Operands {
    op: Op,
    width: Width,
    state: u64,
}

impl Operands {
    pub(crate) fn new(op: Op, width: Width, seed: u64) -> Operands {
        Operands { op, width, state: seed }
    }

    /// The next two. An operation with one argument takes the first.
    pub(crate) fn next(&mut self) -> [u64; 2] {
        let a = self.one();
        let b = match self.word() % 4 {
            // Next to the first: what is subtracted cancels, what is divided is near one.
            0 => self.near(a),
            _ => self.one(),
        };
        [a, b]
    }

    fn one(&mut self) -> u64 {
        match self.op {
            Op::FFromS | Op::FFromU => self.integer(),
            _ => self.float(),
        }
    }

    fn word(&mut self) -> u64 {
        // splitmix64
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Another float of nearly the same exponent, of either sign.
    fn near(&mut self, a: u64) -> u64 {
        let steps = self.word() % 5;
        let fraction = if self.width == Width::W32 { 23 } else { 52 };
        let moved = match self.word() % 3 {
            0 => a.wrapping_add(steps),
            1 => a.wrapping_sub(steps),
            _ => (a.wrapping_add(steps << fraction)) ^ (self.word() & ((1 << fraction) - 1)),
        };
        let sign = if self.word().is_multiple_of(2) { self.width.sign_bit() } else { 0 };
        (moved ^ sign) & self.width.mask()
    }

    fn float(&mut self) -> u64 {
        let (exponents, fraction) = if self.width == Width::W32 { (8, 23) } else { (11, 52) };
        let all = (1u64 << exponents) - 1;
        let bias = all >> 1;
        let exponent = match self.word() % 8 {
            // Below the normal numbers, the ends, what is special.
            0 => 0,
            1 => self.word() % 3,
            2 => all - self.word() % 3,
            // Numbers as programs have them, and those next to what integers hold.
            3 | 4 => bias + self.word() % 70,
            5 => bias - self.word() % 40,
            // Where products and quotients leave the range.
            6 => (bias / 2 + self.word() % 4).wrapping_add(if self.word().is_multiple_of(2) {
                bias
            } else {
                0
            }),
            _ => self.word(),
        } & all;
        let random = self.word() & ((1 << fraction) - 1);
        let fraction_bits = match self.word() % 6 {
            0 => 0,
            1 => (1 << fraction) - 1,
            // A tie is a single one far down.
            2 => 1 << (self.word() % fraction),
            3 => random & (u64::MAX << (self.word() % (fraction + 1))),
            4 => random >> (self.word() % (fraction + 1)),
            _ => random,
        } & ((1 << fraction) - 1);
        let sign = self.word() & self.width.sign_bit();
        sign | exponent << fraction | fraction_bits
    }

    fn integer(&mut self) -> u64 {
        let bits = u64::from(self.width.bits());
        let ones = self.word() >> (64 - bits) >> (self.word() % bits);
        let value = match self.word() % 6 {
            0 => self.word() % 5,
            1 => (1u64 << (self.word() % bits)).wrapping_add(self.word() % 5).wrapping_sub(2),
            // Ties of the longer ones.
            2 => ones << (self.word() % bits),
            3 => (ones << (self.word() % bits)).wrapping_add(self.word() % 3).wrapping_sub(1),
            _ => ones,
        };
        let value = if self.word().is_multiple_of(3) { value.wrapping_neg() } else { value };
        value & self.width.mask()
    }
}
