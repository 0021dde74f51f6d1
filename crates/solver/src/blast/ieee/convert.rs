//! Between formats, to and from integers, and to floats that are integers.

use super::Format;
use super::unpack::Unpacked;
use crate::blast::gates::Gates;
use crate::blast::sat::Lit;
use pessimum_term::Op;

impl Gates {
    /// A float in another format.
    pub(super) fn float_of_float(&mut self, from: Format, to: Format, a: &[Lit]) -> Vec<Lit> {
        let parts = self.unpack(from, a);
        self.rounded(to, &parts)
    }

    /// The float next to an integer.
    pub(super) fn float_of_integer(&mut self, to: Format, signed: bool, a: &[Lit]) -> Vec<Lit> {
        let sign = match a.last() {
            Some(&sign) if signed => sign,
            _ => self.bit(false),
        };
        let magnitude = self.negate_if(sign, a);
        self.float_of_magnitude(to, sign, &magnitude, false)
    }

    /// The float next to an integer that is given by its sign and its magnitude; zero has that sign if it is `kept`.
    fn float_of_magnitude(
        &mut self,
        to: Format,
        sign: Lit,
        magnitude: &[Lit],
        kept: bool,
    ) -> Vec<Lit> {
        let falsity = self.bit(false);
        let used = magnitude.iter().rposition(|bit| *bit != falsity).map_or(1, |last| last + 1);
        let magnitude = &magnitude[..used];
        let zero = !self.any(magnitude);
        let (significand, count) = self.normalized(magnitude);
        let last = used as i64 - 1;
        let (top, count) = (self.exponent_of(last), self.counted(&count, last));
        let exponent = self.exponent_difference(&top, &count);
        let sign = if kept { sign } else { self.and(sign, !zero) };
        let (nan, infinite) = (falsity, falsity);
        let grid = 0;
        self.rounded(to, &Unpacked { nan, infinite, zero, sign, exponent, significand, grid })
    }

    /// The integer of `width` bits next to a float towards zero: the last one where it is beyond, zero for a NaN.
    pub(super) fn integer_of_float(
        &mut self,
        from: Format,
        signed: bool,
        width: usize,
        a: &[Lit],
    ) -> Vec<Lit> {
        let x = self.unpack(from, a);
        // The highest bits of the significand at the top, moved down to where they belong.
        let mut bits = self.padded(&x.significand, width);
        bits.drain(..bits.len() - width);
        let last = width as i64 - 1;
        let by = self.distance_below(&x.exponent, last);
        let magnitude = self.moved_down_and_cut(&bits, &by);
        let fraction = self.is_below(&x.exponent, 0);
        let nothing = self.any(&[fraction, x.zero, x.nan]);
        let nothing = self.and(nothing, !x.infinite);
        let limit = if signed { last } else { last + 1 };
        let beyond = !self.is_below(&x.exponent, limit);
        let beyond = self.or(beyond, x.infinite);
        let falsity = self.bit(false);
        let out: Vec<Lit> = if signed {
            let value = self.negate_if(x.sign, &magnitude);
            let mut end = vec![!x.sign; width];
            end[width - 1] = x.sign;
            self.choose(beyond, &end, &value)
        } else {
            let value: Vec<Lit> = magnitude.iter().map(|bit| self.or(*bit, beyond)).collect();
            value.into_iter().map(|bit| self.and(bit, !x.sign)).collect()
        };
        let none = vec![falsity; width];
        self.choose(nothing, &none, &out)
    }

    /// A float rounded to an integer, with the sign that it had.
    pub(super) fn float_integral(&mut self, op: Op, format: Format, a: &[Lit]) -> Vec<Lit> {
        let x = self.unpack(format, a);
        let precision = format.precision();
        // A bit for the half and one for what is below it.
        let bits = self.padded(&x.significand, precision + 2);
        let by = self.distance_below(&x.exponent, format.fraction as i64);
        let moved = self.moved_down(&bits, &by);
        let (below, whole) = moved.split_at(2);
        let inexact = self.or(below[0], below[1]);
        let up = match op {
            Op::FFloor => self.and(x.sign, inexact),
            Op::FCeil => self.and(!x.sign, inexact),
            Op::FNearest => {
                let more = self.or(below[0], whole[0]);
                self.and(below[1], more)
            }
            _ => self.bit(false),
        };
        let (mut magnitude, carry) = self.increment(whole, up);
        magnitude.push(carry);
        let rounded = self.float_of_magnitude(format, x.sign, &magnitude, true);
        // Large numbers are integers, and what is special stays so.
        let integer = !self.is_below(&x.exponent, format.fraction as i64);
        let same = self.any(&[integer, x.infinite, x.zero]);
        let canonical = self.canonical_nan(format);
        let out = self.choose(same, a, &rounded);
        self.choose(x.nan, &canonical, &out)
    }

    /// `bits` moved down by `by` places.
    fn moved_down_and_cut(&mut self, bits: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let mut moved = bits.to_vec();
        for (layer, &by) in by.iter().enumerate() {
            let step = 1usize.checked_shl(layer as u32).unwrap_or(usize::MAX).min(moved.len());
            let mut down = moved[step..].to_vec();
            down.resize(moved.len(), self.bit(false));
            moved = self.choose(by, &down, &moved);
        }
        moved
    }
}
