//! Floats that are whole numbers times a power of two, as these whole numbers.
//!
//! What a program computes in floats from narrow integers is often exact: sums, differences and products of small numbers,
//! halves and quarters of them, fit into the fraction of a float, and nothing is ever rounded. Of such a term the *fixed
//! form* is kept beside it: a term of 64 bits, and the power of two that it counts in. A comparison of two such floats is
//! one of integers, which every solver understands better than a circuit that unpacks, aligns and rounds.
//!
//! *Soundness*: the form has the value of the float as a number, and the range of the integer shows that a float of that
//! type has room for it. So no operation on the way has rounded, overflowed or met a NaN. Only the sign of a zero is not
//! known; no comparison and no conversion to an integer sees it, and neither does any number that is computed from it by the
//! operations that have forms.

use crate::arena::Arena;
use crate::node::{Op, TermId, Width};

/// `number` · 2^`scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// Of 64 bits, signed.
    pub(crate) number: TermId,
    pub(crate) scale: i32,
}

/// Scales are within ± this: far from the ends of the exponents of either type.
const MOST_SCALE: i32 = 60;

/// Numbers that are lined up stay below this.
const MOST_LINED_UP: i128 = 1 << 62;

/// Bits of the fraction of a float, the leading one included.
fn precision(width: Width) -> u32 {
    if width == Width::W32 { 24 } else { 53 }
}

impl Arena {
    /// The result of a float operation that was just built, if it is exact.
    pub(crate) fn fix(&mut self, t: TermId) {
        let node = *self.node(t);
        let form = match node.op {
            Op::FFromS | Op::FFromU => {
                let x = node.arg(0);
                if node.op == Op::FFromU && self.range(x).umax > i64::MAX as u64 {
                    return;
                }
                let number = match node.op {
                    Op::FFromS => self.sign_extend(Width::W64, x),
                    _ => self.zero_extend(Width::W64, x),
                };
                Some(Fixed { number, scale: 0 })
            }
            Op::FPromote | Op::FDemote => self.fixed(node.arg(0), self.width(node.arg(0))),
            Op::FCeil | Op::FFloor | Op::FTrunc | Op::FNearest => {
                self.fixed(node.arg(0), node.width).filter(|form| form.scale >= 0)
            }
            Op::FAdd | Op::FSub => self.fixed_sum(node.op, node.arg(0), node.arg(1)),
            Op::FMul | Op::FDiv => self.fixed_product(node.op, node.arg(0), node.arg(1)),
            _ => None,
        };
        let Some(form) = form else { return };
        let most = 1i64 << precision(node.width);
        let range = self.range(form.number);
        if range.smin >= -most && range.smax <= most && form.scale.abs() <= MOST_SCALE {
            self.fixed.push((t, form));
        }
    }

    /// The form of a float of `width`, if it is known to have one.
    fn fixed(&mut self, t: TermId, width: Width) -> Option<Fixed> {
        let node = *self.node(t);
        if let Some(bits) = node.as_const() {
            let (number, scale) = parts(width, bits)?;
            return Some(Fixed { number: self.constant(Width::W64, number as u64), scale });
        }
        let negated = node.op == Op::Xor && self.as_const(node.arg(1)) == Some(width.sign_bit());
        let of = if negated { node.arg(0) } else { t };
        let at = self.fixed.binary_search_by_key(&of, |known| known.0).ok()?;
        let mut form = self.fixed[at].1;
        if negated {
            let zero = self.constant(Width::W64, 0);
            form.number = self.binary(Op::Sub, zero, form.number);
        }
        Some(form)
    }

    fn fixed_sum(&mut self, op: Op, a: TermId, b: TermId) -> Option<Fixed> {
        let width = self.width(a);
        let (x, y) = (self.fixed(a, width)?, self.fixed(b, width)?);
        let (x, y, scale) = self.lined_up(x, y)?;
        let op = if op == Op::FAdd { Op::Add } else { Op::Sub };
        Some(Fixed { number: self.binary(op, x, y), scale })
    }

    fn fixed_product(&mut self, op: Op, a: TermId, b: TermId) -> Option<Fixed> {
        let width = self.width(a);
        let (x, mut y) = (self.fixed(a, width)?, self.fixed(b, width)?);
        if op == Op::FDiv {
            // By a power of two alone.
            let one = self.as_const(y.number).map(|k| k as i64);
            if !matches!(one, Some(1 | -1)) {
                return None;
            }
            y.scale = -y.scale;
        }
        let greatest = |arena: &Arena, t: TermId| {
            let range = arena.range(t);
            i128::from(range.smin).abs().max(i128::from(range.smax).abs())
        };
        if greatest(self, x.number) * greatest(self, y.number) > 1 << precision(width) {
            return None;
        }
        let number = self.binary(Op::Mul, x.number, y.number);
        Some(Fixed { number, scale: x.scale + y.scale })
    }

    /// Both numbers in units of the same power of two.
    fn lined_up(&mut self, x: Fixed, y: Fixed) -> Option<(TermId, TermId, i32)> {
        let zero = |arena: &Arena, form: Fixed| arena.as_const(form.number) == Some(0);
        // Zero is zero in any unit.
        let scale = match (zero(self, x), zero(self, y)) {
            (true, _) => y.scale,
            (_, true) => x.scale,
            _ => x.scale.min(y.scale),
        };
        let x = self.in_units(x, scale)?;
        let y = self.in_units(y, scale)?;
        Some((x, y, scale))
    }

    fn in_units(&mut self, form: Fixed, scale: i32) -> Option<TermId> {
        if self.as_const(form.number) == Some(0) || form.scale == scale {
            return Some(form.number);
        }
        let by = u32::try_from(form.scale - scale).ok().filter(|by| *by < 62)?;
        let range = self.range(form.number);
        let fits = |end: i64| i128::from(end).abs() << by < MOST_LINED_UP;
        if !fits(range.smin) || !fits(range.smax) {
            return None;
        }
        let by = self.constant(Width::W64, by.into());
        Some(self.binary(Op::Shl, form.number, by))
    }

    /// A comparison of floats as one of integers.
    pub(crate) fn compare_fixed(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        // Most floats have no form, and then nothing is to be built.
        if self.fixed.is_empty() {
            return None;
        }
        let (x, y) = (self.fixed(a, width)?, self.fixed(b, width)?);
        let (x, y, _) = self.lined_up(x, y)?;
        let op = match op {
            Op::FLt => Op::Slt,
            Op::FLe => Op::Sle,
            _ => Op::Eq,
        };
        Some(self.binary(op, x, y))
    }

    /// A float that is cut to an integer of `to`, where it fits.
    pub(crate) fn cut_fixed(&mut self, op: Op, to: Width, a: TermId) -> Option<TermId> {
        if self.fixed.is_empty() {
            return None;
        }
        let form = self.fixed(a, self.width(a))?;
        let number = if form.scale >= 0 {
            self.in_units(form, 0)?
        } else {
            let by = self.constant(Width::W64, 1 << -form.scale);
            self.binary(Op::SDiv, form.number, by)
        };
        let range = self.range(number);
        let fits = match op {
            Op::FToS => range.smin >= to.min_signed() && range.smax <= to.max_signed(),
            _ => range.smin >= 0 && range.umax <= to.mask(),
        };
        fits.then(|| self.extract(number, 0, to))
    }
}

/// A finite float as an odd number, or zero, times a power of two.
fn parts(width: Width, bits: u64) -> Option<(i64, i32)> {
    let value = match width {
        Width::W32 => f64::from(f32::from_bits(bits as u32)),
        Width::W64 => f64::from_bits(bits),
        _ => return None,
    };
    if value == 0.0 {
        return Some((0, 0));
    }
    if !value.is_normal() {
        return None;
    }
    let raw = value.to_bits();
    let fraction = raw & ((1 << 52) - 1) | 1 << 52;
    let exponent = (raw >> 52 & 0x7ff) as i32 - 1075;
    let zeros = fraction.trailing_zeros();
    let number = (fraction >> zeros) as i64;
    let scale = exponent + zeros as i32;
    let number = if value < 0.0 { -number } else { number };
    (scale.abs() <= MOST_SCALE).then_some((number, scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Domain;

    /// The turn of three points with coordinates of a byte, in quarters: all of it is exact, and a comparison has no float.
    #[test]
    fn a_turn_is_one_of_integers() {
        let mut arena = Arena::new();
        let quarter = arena.constant(Width::W64, 0.25f64.to_bits());
        let zero = arena.constant(Width::W64, 0f64.to_bits());
        let [x0, y0, x1, y1, x2, y2] = [(); 6].map(|()| {
            let byte = arena.variable(Width::W8, Domain::full(Width::W8));
            let wide = arena.sign_extend(Width::W32, byte);
            let float = arena.unary(Op::FFromS, Width::W64, wide);
            arena.binary(Op::FMul, float, quarter)
        });
        let mut sub = |a, b| arena.binary(Op::FSub, a, b);
        let [a, b, c, d] = [sub(x1, x0), sub(y2, y0), sub(y1, y0), sub(x2, x0)];
        let (left, right) = (arena.binary(Op::FMul, a, b), arena.binary(Op::FMul, c, d));
        let turn = arena.binary(Op::FSub, left, right);
        let before = arena.binary(Op::FLt, x1, x0);
        let right = arena.binary(Op::FLt, turn, zero);
        for t in [before, right] {
            assert!(!arena.info(t).has_float, "{:?}", arena.node(t));
        }
        assert_eq!(arena.node(before).op, Op::Slt);
        assert_eq!(arena.width(arena.node(before).arg(0)), Width::W8, "of the bytes themselves");
    }

    /// What might be rounded has no form.
    #[test]
    fn a_product_that_has_no_room_stays_a_float() {
        let mut arena = Arena::new();
        let x = arena.variable(Width::W32, Domain::full(Width::W32));
        let wide = arena.unary(Op::FFromS, Width::W64, x);
        let square = arena.binary(Op::FMul, wide, wide);
        let less = arena.binary(Op::FLt, square, wide);
        assert!(arena.info(less).has_float);
        let narrow = arena.unary(Op::FFromS, Width::W32, x);
        let less = arena.binary(Op::FLt, narrow, narrow);
        assert!(arena.info(less).has_float);
        let back = arena.unary(Op::FToS, Width::W32, wide);
        assert_eq!(back, x);
    }

    #[test]
    fn constants_have_odd_numbers() {
        let of = |x: f64| parts(Width::W64, x.to_bits());
        assert_eq!(of(0.25), Some((1, -2)));
        assert_eq!(of(-12.0), Some((-3, 2)));
        assert_eq!(of(-0.0), Some((0, 0)));
        assert_eq!(parts(Width::W32, 1.5f32.to_bits().into()), Some((3, -1)));
        assert_eq!([f64::NAN, f64::INFINITY, 5e-324, 1e300].map(of), [None; 4]);
    }
}
