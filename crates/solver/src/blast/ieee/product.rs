//! Products, quotients and square roots.

use super::Format;
use super::unpack::Unpacked;
use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

impl Gates {
    pub(super) fn float_product(&mut self, format: Format, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let undefined = [self.and(x.infinite, y.zero), self.and(x.zero, y.infinite)];
        let nan = self.any(&[x.nan, y.nan, undefined[0], undefined[1]]);
        let infinite = self.or(x.infinite, y.infinite);
        let zero = self.or(x.zero, y.zero);
        let sign = self.xor(x.sign, y.sign);

        // Two numbers from one to two make one from one to four.
        let product = self.whole_product(&x.significand, &y.significand);
        let exponent = self.exponent_sum(&x.exponent, &y.exponent);
        let (significand, exponent) = self.settled(&product, &exponent);
        let grid = x.grid + y.grid;
        self.rounded(format, &Unpacked { nan, infinite, zero, sign, exponent, significand, grid })
    }

    pub(super) fn float_quotient(&mut self, format: Format, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let undefined = [self.and(x.infinite, y.infinite), self.and(x.zero, y.zero)];
        let nan = self.any(&[x.nan, y.nan, undefined[0], undefined[1]]);
        let infinite = self.or(x.infinite, y.zero);
        let zero = self.or(x.zero, y.infinite);
        let sign = self.xor(x.sign, y.sign);

        // The schoolbook way, as many digits as are kept and two; what then is left says whether it came out even.
        let divisor = self.widened(&y.significand);
        let mut rest = self.widened(&x.significand);
        let mut digits = Vec::new();
        for _ in 0..format.precision() + 2 {
            let fits = !self.less(&rest, &divisor, self.bit(false));
            let less = self.subtract(&rest, &divisor);
            rest = self.choose(fits, &less, &rest);
            // What is left is below the divisor: nothing is lost at the top.
            rest.pop();
            rest.insert(0, self.bit(false));
            digits.push(fits);
        }
        digits.reverse();
        let left = self.any(&rest);
        digits.insert(0, left);
        // From one half to two.
        let exponent = self.exponent_difference(&x.exponent, &y.exponent);
        let before = self.exponent_of(-1);
        let before = self.exponent_sum(&exponent, &before);
        let (significand, exponent) = self.settled(&digits, &before);
        // The finest quotient that there is; rounding knows better.
        let grid = exponent.lo.min(format.grid()) - 2 * format.precision() as i64;
        self.rounded(format, &Unpacked { nan, infinite, zero, sign, exponent, significand, grid })
    }

    pub(super) fn float_root(&mut self, format: Format, a: &[Lit]) -> Vec<Lit> {
        let x = self.unpack(format, a);
        let below = self.and(x.sign, !x.zero);
        let nan = self.or(x.nan, below);
        let falsity = self.bit(false);

        // An odd exponent leaves a factor of two for the significand. Then two digits of it make one of the root.
        let odd = x.exponent.bits[0];
        let half = resized_half(&x.exponent.bits);
        let (lo, hi) = (x.exponent.lo.div_euclid(2), x.exponent.hi.div_euclid(2));
        let exponent = self.exponent(&half, lo, hi);
        let mut single = x.significand.clone();
        single.push(falsity);
        let mut double = vec![falsity];
        double.extend_from_slice(&x.significand);
        let mut radicand = self.choose(odd, &double, &single);

        let digits = format.precision() + 1;
        let len = digits + 2;
        let mut rest = vec![falsity; len];
        let mut root: Vec<Lit> = Vec::new();
        for _ in 0..digits {
            let next = [radicand.pop().unwrap_or(falsity), radicand.pop().unwrap_or(falsity)];
            // What is left is at most twice the root, so the two at the top are zero.
            rest.truncate(len - 2);
            rest.splice(0..0, [next[1], next[0]]);
            // Root and a digit one: four times the root and one.
            let mut trial = vec![self.truth(), falsity];
            trial.extend_from_slice(&root);
            trial.resize(len, falsity);
            let fits = !self.less(&rest, &trial, falsity);
            let less = self.subtract(&rest, &trial);
            rest = self.choose(fits, &less, &rest);
            root.insert(0, fits);
        }
        let left = self.any(&rest);
        root.insert(0, left);
        let grid = exponent.lo.min(format.grid()) - 2 * format.precision() as i64;
        let (infinite, zero, sign) = (x.infinite, x.zero, x.sign);
        let significand = root;
        self.rounded(format, &Unpacked { nan, infinite, zero, sign, exponent, significand, grid })
    }

    /// A significand whose last bit or the one before it is set, with the last one set. `exponent` is the weight of the
    /// one before.
    fn settled(
        &mut self,
        significand: &[Lit],
        exponent: &super::exponent::Exponent,
    ) -> (Vec<Lit>, super::exponent::Exponent) {
        let Some((&top, rest)) = significand.split_last() else {
            return (Vec::new(), exponent.clone());
        };
        let up = self.padded(rest, significand.len());
        (self.choose(top, significand, &up), self.exponent_after(exponent, top))
    }

    fn widened(&self, bits: &[Lit]) -> Vec<Lit> {
        let mut out = bits.to_vec();
        out.push(self.bit(false));
        out
    }

    /// `a * b`, as wide as both together.
    fn whole_product(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let width = a.len() + b.len();
        let falsity = self.bit(false);
        let wide = |bits: &[Lit]| {
            let mut out = bits.to_vec();
            out.resize(width, falsity);
            out
        };
        self.multiply(&wide(a), &wide(b))
    }
}

/// Half of a number in two's complement, towards minus infinity.
fn resized_half(bits: &[Lit]) -> Vec<Lit> {
    match bits {
        [sign] => vec![*sign],
        bits => bits[1..].to_vec(),
    }
}
