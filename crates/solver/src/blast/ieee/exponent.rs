//! Signed numbers with bounds: exponents while a circuit is built.

use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

/// An exponent in two's complement. The bounds hold wherever the float is finite and not zero; elsewhere the bits may be
/// anything.
#[derive(Clone, Debug)]
pub(in crate::blast) struct Exponent {
    pub(super) bits: Vec<Lit>,
    pub(super) lo: i64,
    pub(super) hi: i64,
}

/// How many bits two's complement needs for `lo..=hi`.
fn need(lo: i64, hi: i64) -> usize {
    let bits = |x: i64| 65 - (x ^ (x >> 63)).leading_zeros() as usize;
    bits(lo).max(bits(hi))
}

/// The low `width` bits of a number in two's complement.
pub(super) fn resized(bits: &[Lit], width: usize) -> Vec<Lit> {
    let mut out = bits.to_vec();
    if let Some(&sign) = bits.last() {
        out.resize(width, sign);
    }
    out
}

impl Gates {
    /// An exponent that is known to lie in `lo..=hi`.
    pub(super) fn exponent(&self, bits: &[Lit], lo: i64, hi: i64) -> Exponent {
        let width = need(lo, hi);
        if lo >= hi {
            return Exponent { bits: self.number(width, lo as u64), lo, hi: lo };
        }
        Exponent { bits: resized(bits, width), lo, hi }
    }

    pub(super) fn exponent_sum(&mut self, a: &Exponent, b: &Exponent) -> Exponent {
        let (lo, hi) = (a.lo + b.lo, a.hi + b.hi);
        let width = need(lo, hi);
        let (x, y) = (resized(&a.bits, width), resized(&b.bits, width));
        let bits = self.add(&x, &y, self.bit(false));
        self.exponent(&bits, lo, hi)
    }

    pub(super) fn exponent_difference(&mut self, a: &Exponent, b: &Exponent) -> Exponent {
        let (lo, hi) = (a.lo - b.hi, a.hi - b.lo);
        let width = need(lo, hi);
        let (x, y) = (resized(&a.bits, width), resized(&b.bits, width));
        let bits = self.subtract(&x, &y);
        self.exponent(&bits, lo, hi)
    }

    /// One more if `by` holds.
    pub(super) fn exponent_after(&mut self, a: &Exponent, by: Lit) -> Exponent {
        let by = match self.constant(by) {
            Some(false) => return a.clone(),
            Some(true) => self.exponent(&[self.truth(), self.bit(false)], 1, 1),
            None => Exponent { bits: vec![by, self.bit(false)], lo: 0, hi: 1 },
        };
        self.exponent_sum(a, &by)
    }

    /// A number without sign, up to `hi`, as an exponent.
    pub(super) fn counted(&self, count: &[Lit], hi: i64) -> Exponent {
        let mut bits = count.to_vec();
        bits.push(self.bit(false));
        self.exponent(&bits, 0, hi)
    }

    pub(super) fn exponent_of(&self, k: i64) -> Exponent {
        self.exponent(&[], k, k)
    }

    /// Whether it is below `k`.
    pub(super) fn is_below(&mut self, a: &Exponent, k: i64) -> Lit {
        if a.hi < k {
            return self.truth();
        }
        if a.lo >= k {
            return self.bit(false);
        }
        // The bounds surround k, so it has no more bits than they.
        let k = self.number(a.bits.len(), k as u64);
        self.less_signed(&a.bits, &k, self.bit(false))
    }

    /// `c ? a : b`
    pub(super) fn exponent_choice(&mut self, c: Lit, a: &Exponent, b: &Exponent) -> Exponent {
        match self.constant(c) {
            Some(true) => return a.clone(),
            Some(false) => return b.clone(),
            None => {}
        }
        let (lo, hi) = (a.lo.min(b.lo), a.hi.max(b.hi));
        let width = need(lo, hi);
        let (x, y) = (resized(&a.bits, width), resized(&b.bits, width));
        let bits = self.choose(c, &x, &y);
        self.exponent(&bits, lo, hi)
    }

    /// How far it is below `k`, in as many bits as that needs: to be read only where it is below.
    pub(super) fn distance_below(&mut self, a: &Exponent, k: i64) -> Vec<Lit> {
        let k = self.exponent_of(k);
        let mut distance = self.exponent_difference(&k, a);
        // Without a sign.
        distance.bits.pop();
        distance.bits
    }
}
