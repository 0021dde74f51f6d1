//! Rational numbers over `i128` whose every operation says when it does not fit.

use std::fmt;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    num: i128,
    den: i128,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { num: 0, den: 1 };

    /// `num / den` in lowest terms; `None` for a zero denominator or when it does not fit.
    pub fn new(num: i128, den: i128) -> Option<Rational> {
        if den == 0 {
            return None;
        }
        let g = i128::try_from(gcd(num.unsigned_abs(), den.unsigned_abs())).ok()?;
        let (num, den) = (num / g, den / g);
        if den < 0 {
            Some(Rational { num: num.checked_neg()?, den: den.checked_neg()? })
        } else {
            Some(Rational { num, den })
        }
    }

    /// A whole number.
    pub fn whole(num: i128) -> Rational {
        Rational { num, den: 1 }
    }

    /// The numerator, which carries the sign.
    pub fn numerator(self) -> i128 {
        self.num
    }

    /// The denominator, always positive.
    pub fn denominator(self) -> i128 {
        self.den
    }

    /// Numerators over the least common denominator, and that denominator, if they fit.
    ///
    /// ```
    /// use pessimum_law::Rational;
    /// let numbers = [Rational::new(1, 2).unwrap(), Rational::new(-1, 3).unwrap()];
    /// assert_eq!(Rational::over_one_denominator(&numbers), Some((vec![3, -2], 6)));
    /// ```
    pub fn over_one_denominator(numbers: &[Rational]) -> Option<(Vec<i128>, i128)> {
        let common = numbers.iter().try_fold(1i128, |common, x| {
            let g = i128::try_from(gcd(x.den.unsigned_abs(), common.unsigned_abs())).ok()?;
            common.checked_mul(x.den / g)
        })?;
        let numerators = numbers.iter().map(|x| x.num.checked_mul(common / x.den));
        Some((numerators.collect::<Option<_>>()?, common))
    }

    /// Is it zero?
    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    /// The integer it is, if it is one.
    pub fn to_integer(self) -> Option<i128> {
        (self.den == 1).then_some(self.num)
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// Sum.
    pub fn checked_add(self, other: Rational) -> Option<Rational> {
        // Over the least common multiple, so that sums of like fractions stay small.
        let g = i128::try_from(gcd(self.den.unsigned_abs(), other.den.unsigned_abs())).ok()?;
        let (left, right) = (other.den / g, self.den / g);
        let num = self.num.checked_mul(left)?.checked_add(other.num.checked_mul(right)?)?;
        Rational::new(num, self.den.checked_mul(left)?)
    }

    /// Product.
    pub fn checked_mul(self, other: Rational) -> Option<Rational> {
        // Cross-reduced first: the product is then in lowest terms already.
        let a = Rational::new(self.num, other.den)?;
        let b = Rational::new(other.num, self.den)?;
        Some(Rational { num: a.num.checked_mul(b.num)?, den: a.den.checked_mul(b.den)? })
    }
}

/// Greatest common divisor; `gcd(0, 0)` is 1 so that it can always be divided by.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extremes_do_not_panic() {
        let least = Rational::whole(i128::MIN);
        assert_eq!(Rational::new(1, 0), None);
        assert_eq!(Rational::new(i128::MIN, -1), None);
        assert_eq!(Rational::new(1, i128::MIN), None);
        assert_eq!(least.checked_add(least), None);
        assert_eq!(least.checked_mul(least), None);
        assert_eq!(Rational::new(0, -7), Some(Rational::ZERO));
    }

    proptest! {
        #[test]
        fn agrees_with_cross_multiplication(a in -999i128..999, b in 1i128..99, c in -999i128..999, d in 1i128..99) {
            let (x, y) = (Rational::new(a, b).unwrap(), Rational::new(c, d).unwrap());
            let sum = x.checked_add(y).unwrap();
            prop_assert_eq!(sum.num * (b * d), (a * d + c * b) * sum.den);
            let product = x.checked_mul(y).unwrap();
            prop_assert_eq!(product.num * (b * d), a * c * product.den);
            prop_assert_eq!(gcd(product.num.unsigned_abs(), product.den.unsigned_abs()), 1);
        }
    }
}
