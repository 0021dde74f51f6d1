//! Exact integer helpers. Every operation that could wrap says so instead.

/// An intermediate number did not fit: the answer must become unknown, never wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

/// Greatest common divisor; `gcd(0, n) = n`.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// [`gcd`] of wider numbers, dropping to 64 bits as soon as both fit.
pub(super) fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd(x, y));
        }
        (a, b) = (b, a % b);
    }
    a
}

/// `a * b`, without the long overflow test where both are narrow.
#[inline]
pub(super) fn mul(a: i128, b: i64) -> Result<i128, Overflow> {
    if b == 1 {
        return Ok(a);
    }
    match i64::try_from(a) {
        Ok(narrow) => Ok(i128::from(narrow) * i128::from(b)),
        Err(_) => a.checked_mul(i128::from(b)).ok_or(Overflow),
    }
}

/// `a + b`.
#[inline]
pub(super) fn add(a: i128, b: i128) -> Result<i128, Overflow> {
    a.checked_add(b).ok_or(Overflow)
}

/// `a - b`.
#[inline]
pub(super) fn sub(a: i128, b: i128) -> Result<i128, Overflow> {
    a.checked_sub(b).ok_or(Overflow)
}

/// `⌊a / b⌋` for positive `b`.
#[inline]
pub(super) fn floor_div(a: i128, b: i128) -> i128 {
    debug_assert!(b > 0);
    if b == 1 {
        return a;
    }
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(x), Ok(y)) => i128::from(x.div_euclid(y)),
        _ => a.div_euclid(b),
    }
}

/// `⌈a / b⌉` for positive `b`.
pub(super) fn ceil_div(a: i128, b: i128) -> i128 {
    -floor_div(-a, b)
}

/// A number that fits 64 bits and whose negation does too.
#[inline]
pub(super) fn narrow(a: i128) -> Result<i64, Overflow> {
    match i64::try_from(a) {
        Ok(n) if n != i64::MIN => Ok(n),
        _ => Err(Overflow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_towards_the_named_side() {
        for a in -20..=20_i128 {
            for b in 1..=7_i128 {
                let (floor, ceil) = (floor_div(a, b), ceil_div(a, b));
                assert!(floor * b <= a && a < (floor + 1) * b);
                assert!((ceil - 1) * b < a && a <= ceil * b);
            }
        }
    }

    #[test]
    fn wide_and_narrow_divisors_agree() {
        for a in 0..60_u64 {
            for b in 0..60_u64 {
                assert_eq!(gcd_wide(a.into(), b.into()), gcd(a, b).into());
                assert_eq!(
                    gcd_wide(u128::from(a) << 70, u128::from(b) << 70),
                    u128::from(gcd(a, b)) << 70
                );
            }
        }
    }

    #[test]
    fn overflow_is_reported() {
        assert_eq!(mul(i128::MAX, 2), Err(Overflow));
        assert_eq!(mul(i128::MAX, 1), Ok(i128::MAX));
        assert_eq!(add(i128::MAX, 1), Err(Overflow));
        assert_eq!(sub(i128::MIN, 1), Err(Overflow));
        assert_eq!(narrow(i128::from(i64::MIN)), Err(Overflow));
    }
}
