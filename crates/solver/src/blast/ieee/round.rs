//! Rounding to the nearest, ties to even, and packing.

use super::Format;
use super::unpack::Unpacked;
use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

impl Gates {
    /// The float next to `x`. Its significand may be of any length; the first bit is set unless `x` is zero, and the last
    /// may stand for all that was cut off if there are two more than the format keeps.
    pub(super) fn rounded(&mut self, format: Format, x: &Unpacked) -> Vec<Lit> {
        let precision = format.precision();
        let below = self.is_below(&x.exponent, format.least());
        let normal = self.constant(below) == Some(false);
        let mut significand = self.padded(&x.significand, precision + 2 * usize::from(!normal));
        if !normal {
            // Below the normal numbers there are fewer bits.
            let by = self.distance_below(&x.exponent, format.least());
            let by: Vec<Lit> = by.into_iter().map(|bit| self.and(bit, below)).collect();
            significand = self.moved_down(&significand, &by);
        }
        let (cut, kept) = significand.split_at(significand.len() - precision);
        let up = match cut.split_last() {
            // All values lie on the grid, which is no finer than what is kept.
            _ if x.exponent.hi - x.grid < precision as i64 => self.bit(false),
            None => self.bit(false),
            Some((&half, rest)) => {
                let more = self.any(rest);
                let more = self.or(more, kept[0]);
                self.and(half, more)
            }
        };
        let (kept, carry) = self.increment(kept, up);
        let exponent = self.exponent_after(&x.exponent, carry);
        let within = self.is_below(&exponent, format.greatest() + 1);
        let over = self.and(!within, !x.zero);
        let infinite = self.or(x.infinite, over);
        let biased = {
            let bias = self.exponent_of(format.bias());
            let sum = self.exponent_sum(&exponent, &bias);
            super::exponent::resized(&sum.bits, format.exponent)
        };
        // Rounding up may lead to the least normal number.
        let mut denormal = vec![self.bit(false); format.exponent];
        denormal[0] = kept[precision - 1];
        let field = self.choose(below, &denormal, &biased);

        let special = self.or(x.nan, infinite);
        let ordinary = self.and(!special, !x.zero);
        let mut bits: Vec<Lit> =
            kept[..format.fraction].iter().map(|bit| self.and(*bit, ordinary)).collect();
        bits[format.fraction - 1] = self.or(bits[format.fraction - 1], x.nan);
        for bit in field {
            let bit = self.and(bit, ordinary);
            bits.push(self.or(bit, special));
        }
        bits.push(self.and(x.sign, !x.nan));
        if normal {
            let mut significand = bits[..format.fraction].to_vec();
            significand.push(!x.zero);
            let grid = x.grid.max(x.exponent.lo - format.fraction as i64);
            let hi = exponent.hi.min(format.greatest());
            let exponent = self.exponent(&exponent.bits, exponent.lo, hi);
            let sign = bits[bits.len() - 1];
            let infinite = self.and(infinite, !x.nan);
            let zero = self.and(x.zero, !special);
            let nan = x.nan;
            self.remember(
                &bits,
                Unpacked { nan, infinite, zero, sign, exponent, significand, grid },
            );
        }
        bits
    }

    /// `bits` and one more if `by` holds, with the carry.
    pub(super) fn increment(&mut self, bits: &[Lit], by: Lit) -> (Vec<Lit>, Lit) {
        let mut carry = by;
        let mut out = Vec::with_capacity(bits.len());
        for &bit in bits {
            out.push(self.xor(bit, carry));
            carry = self.and(bit, carry);
        }
        (out, carry)
    }
}
