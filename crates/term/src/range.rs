//! Intervals: what values a term can take, as unsigned and as signed numbers.
//!
//! The two views are kept side by side and each tightens the other wherever the sign is known.

use crate::arena::Domain;
use crate::fold::{fold_binary, fold_unary};
use crate::node::{Op, Width};

/// Inclusive bounds, unsigned and signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Least unsigned value.
    pub umin: u64,
    /// Greatest unsigned value.
    pub umax: u64,
    /// Least signed value.
    pub smin: i64,
    /// Greatest signed value.
    pub smax: i64,
}

impl Range {
    /// Every value of `width`.
    #[inline]
    pub fn full(width: Width) -> Self {
        Range { umin: 0, umax: width.mask(), smin: width.min_signed(), smax: width.max_signed() }
    }

    /// One value.
    #[inline]
    pub fn constant(width: Width, value: u64) -> Self {
        let s = width.signed(value);
        Range { umin: value, umax: value, smin: s, smax: s }
    }

    /// Bounds of the unsigned view; the signed view follows where the sign is known.
    pub fn unsigned(width: Width, umin: u64, umax: u64) -> Self {
        Range { umin, umax, ..Range::full(width) }.tighten(width)
    }

    /// Bounds of the signed view.
    pub fn signed(width: Width, smin: i64, smax: i64) -> Self {
        Range { smin, smax, ..Range::full(width) }.tighten(width)
    }

    /// Bounds of a variable.
    pub fn of_domain(width: Width, domain: Domain) -> Self {
        let full = Range::full(width);
        if domain.lo >= i128::from(full.smin) && domain.hi <= i128::from(full.smax) {
            Range::signed(width, domain.lo as i64, domain.hi as i64)
        } else if domain.lo >= 0 && domain.hi <= i128::from(full.umax) {
            Range::unsigned(width, domain.lo as u64, domain.hi as u64)
        } else {
            full
        }
    }

    /// Whether a bit pattern of `width` is within both views.
    pub fn contains(self, width: Width, value: u64) -> bool {
        let signed = width.signed(value);
        (self.umin..=self.umax).contains(&value) && (self.smin..=self.smax).contains(&signed)
    }

    /// The single value, if there is only one.
    pub fn single(self) -> Option<u64> {
        (self.umin == self.umax).then_some(self.umin)
    }

    /// Whether the sign bit is known to be clear.
    pub fn is_non_negative(self) -> bool {
        self.smin >= 0
    }

    /// Values of either range.
    pub fn union(self, other: Range) -> Range {
        Range {
            umin: self.umin.min(other.umin),
            umax: self.umax.max(other.umax),
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
        }
    }

    fn tighten(self, width: Width) -> Range {
        let mut r = self;
        let mask = width.mask();
        let half = width.sign_bit();
        if r.smin >= 0 || r.smax < 0 {
            // One sign: the orders agree.
            r.umin = r.umin.max(r.smin as u64 & mask);
            r.umax = r.umax.min(r.smax as u64 & mask);
        }
        if r.umax < half || r.umin >= half {
            r.smin = r.smin.max(width.signed(r.umin));
            r.smax = r.smax.min(width.signed(r.umax));
        }
        r
    }
}

/// Interval of a binary operation on arguments of `width`.
pub(crate) fn binary(op: Op, width: Width, a: Range, b: Range) -> Range {
    let full = Range::full(width);
    let mut r = full;
    match op {
        Op::Add => {
            if let Some(max) = a.umax.checked_add(b.umax).filter(|m| *m <= width.mask()) {
                (r.umin, r.umax) = (a.umin + b.umin, max);
            }
            let (lo, hi) =
                (i128::from(a.smin) + i128::from(b.smin), i128::from(a.smax) + i128::from(b.smax));
            set_signed(&mut r, width, lo, hi);
        }
        Op::Sub => {
            if a.umin >= b.umax {
                (r.umin, r.umax) = (a.umin - b.umax, a.umax - b.umin);
            }
            let (lo, hi) =
                (i128::from(a.smin) - i128::from(b.smax), i128::from(a.smax) - i128::from(b.smin));
            set_signed(&mut r, width, lo, hi);
        }
        Op::Mul => {
            if let Some(max) = a.umax.checked_mul(b.umax).filter(|m| *m <= width.mask()) {
                (r.umin, r.umax) = (a.umin * b.umin, max);
            }
            let products = [
                i128::from(a.smin) * i128::from(b.smin),
                i128::from(a.smin) * i128::from(b.smax),
                i128::from(a.smax) * i128::from(b.smin),
                i128::from(a.smax) * i128::from(b.smax),
            ];
            let lo = products.iter().copied().min().unwrap_or(i128::MIN);
            let hi = products.iter().copied().max().unwrap_or(i128::MAX);
            set_signed(&mut r, width, lo, hi);
        }
        Op::UDiv => {
            // By zero the quotient is zero, and otherwise it is at most the dividend.
            (r.umin, r.umax) = match a.umax.checked_div(b.umin) {
                Some(max) => (a.umin / b.umax, max),
                None => (0, a.umax),
            };
        }
        Op::URem => {
            r.umin = 0;
            r.umax = if b.umax == 0 { 0 } else { a.umax.min(b.umax - 1) };
        }
        Op::SRem => {
            // The result has the sign of the dividend and is smaller than both.
            let by = i128::from(b.smin).abs().max(i128::from(b.smax).abs()) - 1;
            let by = by.max(0);
            let lo = if a.smin >= 0 { 0 } else { i128::from(a.smin).max(-by) };
            let hi = if a.smax <= 0 { 0 } else { i128::from(a.smax).min(by) };
            set_signed(&mut r, width, lo, hi);
        }
        Op::SDiv if b.smin > 0 => {
            let (lo, hi) = (i128::from(a.smin), i128::from(a.smax));
            let (bl, bh) = (i128::from(b.smin), i128::from(b.smax));
            let quotients = [lo / bl, lo / bh, hi / bl, hi / bh];
            let lo = quotients.iter().copied().min().unwrap_or(i128::MIN);
            let hi = quotients.iter().copied().max().unwrap_or(i128::MAX);
            set_signed(&mut r, width, lo, hi);
        }
        Op::And => (r.umin, r.umax) = (0, a.umax.min(b.umax)),
        Op::Or => {
            r.umin = a.umin.max(b.umin);
            r.umax = ones_covering(a.umax | b.umax);
        }
        Op::Xor => r.umax = ones_covering(a.umax | b.umax),
        Op::Shl => {
            if let Some(k) = b.single() {
                let k = k % u64::from(width.bits());
                if a.umax <= width.mask() >> k {
                    (r.umin, r.umax) = (a.umin << k, a.umax << k);
                }
                set_signed(&mut r, width, i128::from(a.smin) << k, i128::from(a.smax) << k);
            }
        }
        Op::LShr => match b.single() {
            Some(k) => {
                let k = k % u64::from(width.bits());
                (r.umin, r.umax) = (a.umin >> k, a.umax >> k);
            }
            None => (r.umin, r.umax) = (0, a.umax),
        },
        Op::AShr => match b.single() {
            Some(k) => {
                let k = k % u64::from(width.bits());
                (r.smin, r.smax) = (a.smin >> k, a.smax >> k);
            }
            None => (r.smin, r.smax) = (a.smin.min(0), a.smax.max(0)),
        },
        op if op.is_float() => return float_binary(op, width, a, b).unwrap_or(full),
        _ => {}
    }
    r.tighten(width)
}

/// Interval of a unary operation; `from` is the width of the argument.
pub(crate) fn unary(op: Op, width: Width, from: Width, low: u32, a: Range) -> Range {
    match op {
        Op::ZeroExt => Range::unsigned(width, a.umin, a.umax),
        Op::SignExt => Range::signed(width, a.smin, a.smax),
        Op::Clz | Op::Ctz | Op::Popcnt => {
            if u64::from(from.bits()) <= width.mask() {
                Range::unsigned(width, 0, u64::from(from.bits()))
            } else {
                Range::full(width)
            }
        }
        Op::Extract if low == 0 && a.umax <= width.mask() => Range::unsigned(width, a.umin, a.umax),
        Op::Extract if low == 0 && a.smin >= width.min_signed() && a.smax <= width.max_signed() => {
            Range::signed(width, a.smin, a.smax)
        }
        Op::Extract if low + width.bits() == from.bits() => {
            Range::unsigned(width, a.umin >> low, a.umax >> low)
        }
        Op::Not => match a.single() {
            Some(v) => Range::constant(width, v ^ 1),
            None => Range::full(width),
        },
        op if op.is_float() => float_unary(op, width, from, a).unwrap_or(Range::full(width)),
        _ => Range::full(width),
    }
}

/// Interval of `a` above `b`.
pub(crate) fn concat(width: Width, b_bits: u32, a: Range, b: Range) -> Range {
    Range::unsigned(width, a.umin << b_bits | b.umin, a.umax << b_bits | b.umax)
}

/// What a comparison must come to, if the intervals alone decide it.
pub(crate) fn decide(op: Op, a: Range, b: Range) -> Option<bool> {
    let pick = |yes: bool, no: bool| {
        if yes {
            Some(true)
        } else if no {
            Some(false)
        } else {
            None
        }
    };
    match op {
        Op::Ult => pick(a.umax < b.umin, a.umin >= b.umax),
        Op::Ule => pick(a.umax <= b.umin, a.umin > b.umax),
        Op::Slt => pick(a.smax < b.smin, a.smin >= b.smax),
        Op::Sle => pick(a.smax <= b.smin, a.smin > b.smax),
        Op::Eq => pick(
            a.umin == a.umax && b.umin == b.umax && a.umin == b.umin,
            a.umax < b.umin || b.umax < a.umin || a.smax < b.smin || b.smax < a.smin,
        ),
        _ => None,
    }
}

/// The least and the greatest float of a range, as bit patterns, if none of them is NaN. Of the two zeros either is meant.
fn floats(width: Width, r: Range) -> Option<(u64, u64)> {
    let (sign, infinity) = (width.sign_bit(), infinity(width));
    if width != Width::W32 && width != Width::W64 {
        return None;
    }
    let greatest = if r.smax >= 0 { r.smax as u64 } else { r.umin };
    let least = if r.umax & sign != 0 { r.umax } else { r.umin };
    let is_number = |bits: u64| bits & !sign <= infinity;
    (is_number(least) && is_number(greatest)).then_some((least, greatest))
}

/// The bit pattern of the positive infinity.
fn infinity(width: Width) -> u64 {
    if width == Width::W32 { f32::INFINITY.to_bits().into() } else { f64::INFINITY.to_bits() }
}

/// The bit patterns of the floats from one to another, both zeros among them where zero is.
fn of_floats(width: Width, (least, greatest): (u64, u64)) -> Range {
    let sign = width.sign_bit();
    let magnitude = |bits: u64| bits & !sign;
    let negative = |bits: u64| bits & sign != 0 && magnitude(bits) != 0;
    if !negative(least) && magnitude(least) != 0 {
        return Range::unsigned(width, least, greatest);
    }
    if negative(greatest) {
        return Range::unsigned(width, greatest, least);
    }
    let umax = sign | magnitude(least);
    let smax = width.signed(magnitude(greatest));
    Range { umin: 0, umax, smin: width.min_signed(), smax }
}

/// The number of a bit pattern.
fn number(width: Width, bits: u64) -> f64 {
    if width == Width::W32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
}

/// The least and the greatest of some floats; none if one is NaN.
fn hull(width: Width, all: &[u64]) -> Option<(u64, u64)> {
    if all.iter().any(|bits| number(width, *bits).is_nan()) {
        return None;
    }
    let by = |a: &&u64, b: &&u64| number(width, **a).total_cmp(&number(width, **b));
    Some((*all.iter().min_by(by)?, *all.iter().max_by(by)?))
}

/// Interval of an operation on two floats. Rounding keeps the order, so that the ends of the result come of ends.
fn float_binary(op: Op, width: Width, a: Range, b: Range) -> Option<Range> {
    let (a, b) = (floats(width, a)?, floats(width, b)?);
    let finite = [a.0, a.1, b.0, b.1].iter().all(|bits| number(width, *bits).is_finite());
    let of = |x: u64, y: u64| fold_binary(op, width, x, y);
    let ends = match op {
        // An infinity less itself is no number.
        Op::FAdd if finite => [of(a.0, b.0), of(a.1, b.1)].to_vec(),
        Op::FSub if finite => [of(a.0, b.1), of(a.1, b.0)].to_vec(),
        Op::FMul if finite => [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)].to_vec(),
        Op::FDiv if finite && (number(width, b.0) > 0.0 || number(width, b.1) < 0.0) => {
            [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)].to_vec()
        }
        Op::FMin | Op::FMax => [of(a.0, b.0), of(a.1, b.1)].to_vec(),
        _ => return None,
    };
    Some(of_floats(width, hull(width, &ends)?))
}

/// Interval of an operation that makes a float, or an integer of one.
fn float_unary(op: Op, width: Width, from: Width, a: Range) -> Option<Range> {
    let of = |x: u64| fold_unary(op, from, width, 0, x);
    let ends = match op {
        Op::FFromS => (a.smin as u64 & from.mask(), a.smax as u64 & from.mask()),
        Op::FFromU => (a.umin, a.umax),
        _ => floats(from, a)?,
    };
    match op {
        Op::FToS => Some(Range::signed(width, width.signed(of(ends.0)), width.signed(of(ends.1)))),
        Op::FToU => Some(Range::unsigned(width, of(ends.0), of(ends.1))),
        Op::FSqrt if number(from, ends.0) < 0.0 => None,
        _ => Some(of_floats(width, hull(width, &[of(ends.0), of(ends.1)])?)),
    }
}

/// What a comparison of floats must come to, if the intervals alone decide it.
pub(crate) fn decide_floats(op: Op, width: Width, a: Range, b: Range) -> Option<bool> {
    let (a, b) = (floats(width, a)?, floats(width, b)?);
    let [a_least, a_most, b_least, b_most] = [a.0, a.1, b.0, b.1].map(|x| number(width, x));
    match op {
        Op::FLt if a_most < b_least => Some(true),
        Op::FLt if a_least >= b_most => Some(false),
        Op::FLe if a_most <= b_least => Some(true),
        Op::FLe if a_least > b_most => Some(false),
        Op::FEq if a_most < b_least || b_most < a_least => Some(false),
        _ => None,
    }
}

/// Whether both are negative, if both are numbers and have the same sign bit.
pub(crate) fn sign_of_floats(width: Width, a: Range, b: Range) -> Option<bool> {
    floats(width, a).and(floats(width, b))?;
    let sign = width.sign_bit();
    if a.umax < sign && b.umax < sign {
        return Some(false);
    }
    (a.umin >= sign && b.umin >= sign).then_some(true)
}

fn set_signed(r: &mut Range, width: Width, lo: i128, hi: i128) {
    if lo >= i128::from(width.min_signed()) && hi <= i128::from(width.max_signed()) {
        (r.smin, r.smax) = (lo as i64, hi as i64);
    }
}

fn ones_covering(x: u64) -> u64 {
    if x == 0 { 0 } else { u64::MAX >> x.leading_zeros() }
}
