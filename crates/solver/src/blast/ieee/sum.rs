//! Sums and differences.

use super::Format;
use super::unpack::Unpacked;
use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

/// Bits below a significand that say how to round a sum: the first two that were moved out, and whether any other was set.
const EXTRA: usize = 3;

impl Gates {
    /// `a + b`, or `a - b` when they are to be subtracted.
    pub(super) fn float_sum(
        &mut self,
        format: Format,
        a: &[Lit],
        b: &[Lit],
        subtract: bool,
    ) -> Vec<Lit> {
        let (x, mut y) = (self.unpack_loosely(format, a), self.unpack_loosely(format, b));
        y.sign = y.sign.apply_sign(!subtract);
        let opposite = self.xor(x.sign, y.sign);
        let magnitude = format.fraction + format.exponent;
        let swap = self.less(&a[..magnitude], &b[..magnitude], self.bit(false));

        // The smaller one moves down to the exponent of the larger one. Where it is zero, it does not matter how far.
        let exponent = self.exponent_choice(swap, &y.exponent, &x.exponent);
        let lesser = self.exponent_choice(swap, &x.exponent, &y.exponent);
        let mut by = self.exponent_difference(&exponent, &lesser).bits;
        by.pop();
        let large = self.choose(swap, &y.significand, &x.significand);
        let small = self.choose(swap, &x.significand, &y.significand);
        let len = format.precision() + EXTRA;
        let small = self.padded(&small, len);
        let mut small = self.moved_down(&small, &by);
        let mut large = self.padded(&large, len);
        // Room for the carry.
        large.push(self.bit(false));
        small.push(self.bit(false));
        let small: Vec<Lit> = small.into_iter().map(|bit| self.xor(bit, opposite)).collect();
        let total = self.add(&large, &small, opposite);

        let zero = !self.any(&total);
        let (significand, count) = self.normalized(&total);
        let count = self.counted(&count, len as i64);
        let exponent = self.exponent_after(&exponent, self.truth());
        let exponent = self.exponent_difference(&exponent, &count);
        let grid = x.grid.min(y.grid);
        let exponent = self.exponent(&exponent.bits, exponent.lo.max(grid), exponent.hi);
        // A sum of zero is positive unless both are negative zeros.
        let (larger_sign, both) = (self.mux(swap, y.sign, x.sign), self.and(x.sign, y.sign));
        let sign = self.mux(zero, both, larger_sign);
        let nan = self.sum_is_nan(&x, &y, opposite);
        let infinite = self.or(x.infinite, y.infinite);
        self.rounded(format, &Unpacked { nan, infinite, zero, sign, exponent, significand, grid })
    }

    fn sum_is_nan(&mut self, x: &Unpacked, y: &Unpacked, opposite: Lit) -> Lit {
        let infinities = self.and(x.infinite, y.infinite);
        let undefined = self.and(infinities, opposite);
        let nan = self.or(x.nan, y.nan);
        self.or(nan, undefined)
    }
}
