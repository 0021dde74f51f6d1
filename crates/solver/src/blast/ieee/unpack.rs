//! A float taken apart.

use super::Format;
use super::exponent::Exponent;
use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

/// A float as a sign, an exponent and a significand, or as something special.
///
/// Not a number goes before infinite, and that before zero: where more than one holds, the first is meant. The last bit of
/// the significand has the weight two to the exponent, and the significand of zero is zero.
#[derive(Clone, Debug)]
pub(in crate::blast) struct Unpacked {
    pub(super) nan: Lit,
    pub(super) infinite: Lit,
    pub(super) zero: Lit,
    pub(super) sign: Lit,
    pub(super) exponent: Exponent,
    pub(super) significand: Vec<Lit>,
    /// Finite values are multiples of two to this power.
    pub(super) grid: i64,
}

impl Gates {
    /// As [`Gates::unpack`], but what is below the normal numbers has the least exponent and leading zeros.
    pub(super) fn unpack_loosely(&mut self, format: Format, bits: &[Lit]) -> Unpacked {
        if let Some(known) = self.unpacked.get(&key(bits)) {
            return known.clone();
        }
        let (fraction, rest) = bits.split_at(format.fraction);
        let (field, sign) = rest.split_at(format.exponent);
        let highest = self.all(field.iter().copied());
        let lowest = !self.any(field);
        let nonzero = self.any(fraction);
        let mut significand = fraction.to_vec();
        significand.push(!lowest);
        // Below the normal numbers the exponent is that of the least of these.
        let mut raised = field.to_vec();
        raised[0] = self.or(raised[0], lowest);
        raised.push(self.bit(false));
        let bias = self.number(raised.len(), format.bias() as u64);
        let exponent = self.subtract(&raised, &bias);
        let bound = |unknown: bool| {
            let set = |i: usize| self.constant(field[i]).unwrap_or(unknown);
            (0..field.len()).filter(|i| set(*i)).map(|i| 1 << i).sum::<i64>() - format.bias()
        };
        let (lo, hi) = (bound(false).max(format.least()), bound(true).min(format.greatest()));
        let exponent = self.exponent(&exponent, lo, hi.max(lo));
        let nan = self.and(highest, nonzero);
        let infinite = self.and(highest, !nonzero);
        let zero = self.and(lowest, !nonzero);
        let grid = lo - format.fraction as i64 + self.trailing_zeros(&significand);
        Unpacked { nan, infinite, zero, sign: sign[0], exponent, significand, grid }
    }

    /// The parts of a float, the first bit of the significand set unless it is zero.
    pub(super) fn unpack(&mut self, format: Format, bits: &[Lit]) -> Unpacked {
        if let Some(known) = self.unpacked.get(&key(bits)) {
            return known.clone();
        }
        let mut parts = self.unpack_loosely(format, bits);
        if parts.exponent.lo == format.least() {
            let (moved, count) = self.normalized(&parts.significand);
            let count = self.counted(&count, format.fraction as i64);
            let exponent = self.exponent_difference(&parts.exponent, &count);
            parts.exponent = self.exponent(&exponent.bits, parts.grid, exponent.hi);
            parts.significand = moved;
        }
        parts
    }

    /// Remembers what a float looks like unpacked.
    pub(super) fn remember(&mut self, bits: &[Lit], parts: Unpacked) {
        self.unpacked.insert(key(bits), parts);
    }

    /// How many of the low bits are known to be zero.
    fn trailing_zeros(&self, bits: &[Lit]) -> i64 {
        bits.iter().take_while(|bit| self.constant(**bit) == Some(false)).count() as i64
    }
}

fn key(bits: &[Lit]) -> Box<[u32]> {
    bits.iter().map(Lit::idx).collect()
}
