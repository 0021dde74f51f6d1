//! Comparing floats, which is comparing integers but for a few bit patterns.

use super::gates::Gates;
use super::sat::Lit;
use pessimum_term::Op;

impl Gates {
    /// `FEq`, `FLt` or `FLe` of two floats of 32 or 64 bits.
    ///
    /// Read as signed integers, floats are in order once the magnitude of the negative ones is turned
    /// round. What is no number is equal to nothing and less than nothing, and both zeros are one.
    pub(super) fn compare_floats(&mut self, op: Op, a: &[Lit], b: &[Lit]) -> Lit {
        let falsity = self.bit(false);
        let holds = match op {
            Op::FEq => self.equal(a, b),
            _ => {
                let (x, y) = (self.in_order(a), self.in_order(b));
                let equal = self.bit(op == Op::FLe);
                self.less_signed(&x, &y, equal)
            }
        };
        let nonzero = [a, b].map(|bits| {
            let magnitude = &bits[..bits.len() - 1];
            magnitude.iter().fold(falsity, |any, bit| self.or(any, *bit))
        });
        let zeros = self.and(!nonzero[0], !nonzero[1]);
        let holds = match op {
            Op::FLt => self.and(holds, !zeros),
            _ => self.or(holds, zeros),
        };
        let numbers = [a, b].map(|bits| self.is_number(bits));
        let numbers = self.and(numbers[0], numbers[1]);
        self.and(numbers, holds)
    }

    pub(super) fn in_order(&mut self, bits: &[Lit]) -> Vec<Lit> {
        let Some((&sign, magnitude)) = bits.split_last() else { return Vec::new() };
        let mut turned: Vec<Lit> = magnitude.iter().map(|bit| self.xor(*bit, sign)).collect();
        turned.push(sign);
        turned
    }

    /// Not so if the exponent is all ones and the fraction is not zero.
    pub(super) fn is_number(&mut self, bits: &[Lit]) -> Lit {
        let fraction = if bits.len() == 32 { 23 } else { 52 };
        let (fraction, exponent) = bits[..bits.len() - 1].split_at(fraction);
        let highest = exponent.iter().fold(self.truth(), |all, bit| self.and(all, *bit));
        let nonzero = fraction.iter().fold(self.bit(false), |any, bit| self.or(any, *bit));
        !self.and(highest, nonzero)
    }
}
