//! A number that depends on the size, fitted exactly.
//!
//! The rule that keeps a short sequence from passing as a law: a form with p parameters is taken
//! only when more than p sizes agree with it, so at least one of them was not fitted on. Anything
//! that no form explains exactly is refused, never approximated.

use std::fmt;

/// The highest order of a polynomial.
const MAX_DEGREE: usize = 4;

/// A number as a function of the size n.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Param {
    /// A polynomial, with a term for odd n: `(c₀ + c₁·n + … + odd·(n mod 2)) / denominator`.
    Polynomial {
        /// c₀, c₁, …; the last is not zero.
        numerators: Vec<i128>,
        /// Added when n is odd.
        odd: i128,
        /// Positive.
        denominator: i128,
    },
    /// `scale·⌊log₂(n + shift)⌋ + offset`
    FloorLog {
        /// What each doubling adds.
        scale: i128,
        /// Added to n before the logarithm.
        shift: i128,
        /// Added after.
        offset: i128,
    },
}

impl Param {
    /// The same number for every size.
    pub fn constant(value: i64) -> Param {
        Param::polynomial(vec![i128::from(value)], 0, 1)
    }

    /// `slope·n + offset`
    pub fn linear(slope: i64, offset: i64) -> Param {
        Param::polynomial(vec![i128::from(offset), i128::from(slope)], 0, 1)
    }

    fn polynomial(mut numerators: Vec<i128>, mut odd: i128, mut denominator: i128) -> Param {
        while numerators.last() == Some(&0) {
            numerators.pop();
        }
        let common = numerators.iter().fold(gcd(odd, denominator), |g, &c| gcd(g, c));
        if common > 1 {
            numerators.iter_mut().for_each(|c| *c /= common);
            odd /= common;
            denominator /= common;
        }
        Param::Polynomial { numerators, odd, denominator }
    }

    /// The value at a size; `None` where it is no integer or does not fit 64 bits.
    pub fn at(&self, n: u64) -> Option<i64> {
        let n = i128::from(n);
        let value = match self {
            Param::Polynomial { numerators, odd, denominator } => {
                let mut sum = 0i128;
                for &c in numerators.iter().rev() {
                    sum = sum.checked_mul(n)?.checked_add(c)?;
                }
                sum = sum.checked_add(odd * (n & 1))?;
                if sum % denominator != 0 {
                    return None;
                }
                sum / denominator
            }
            Param::FloorLog { scale, shift, offset } => {
                scale.checked_mul(floor_log(n + shift)?)?.checked_add(*offset)?
            }
        };
        i64::try_from(value).ok()
    }

    /// Whether it is this number for every size.
    pub fn is_constant(&self, value: i64) -> bool {
        *self == Param::constant(value)
    }

    /// The simplest form that meets all values, which belong to the sizes `first`, `first + 1`, …
    ///
    /// Polynomials come first, the lowest order that fits, confirmed by at least one value more
    /// than it has coefficients. Then polynomials with a term for odd sizes, and logarithms, both
    /// confirmed by at least two values more.
    ///
    /// ```
    /// use pessimum_synth::Param;
    ///
    /// assert_eq!(Param::fit(3, &[1, 2, 3]).unwrap().to_string(), "n-2");
    /// assert_eq!(Param::fit(3, &[3, 6, 10, 15]).unwrap().to_string(), "1/2*n^2-1/2*n");
    /// // Two values are on a line whatever they are.
    /// assert_eq!(Param::fit(3, &[1, 2]), None);
    /// // ⌊n/2⌋ is on no line, and 2^n on no polynomial.
    /// assert_eq!(Param::fit(3, &[1, 2, 2, 3, 3]).unwrap().to_string(), "floor(n/2)");
    /// assert_eq!(Param::fit(3, &[8, 16, 32, 64, 128, 256]), None);
    /// ```
    pub fn fit(first: u64, values: &[i64]) -> Option<Param> {
        let exact: Vec<i128> = values.iter().map(|&v| i128::from(v)).collect();
        fit_polynomial(first, &exact)
            .or_else(|| fit_alternating(first, &exact))
            .or_else(|| fit_log(first, &exact, 3))
    }

    /// Whether some form may explain the values once more of them are known. Used to give up a
    /// family of paths early; it errs on the side of going on.
    pub(crate) fn may_fit(first: u64, values: &[i64]) -> bool {
        /// With fewer values than this nearly everything fits something.
        const TELLING: usize = 5;
        let exact: Vec<i128> = values.iter().map(|&v| i128::from(v)).collect();
        values.len() < TELLING
            || Param::fit(first, values).is_some()
            || fit_log(first, &exact, 1).is_some()
    }
}

fn fit_polynomial(first: u64, values: &[i128]) -> Option<Param> {
    let mut differences = values.to_vec();
    let mut leading = Vec::new();
    for degree in 0..=MAX_DEGREE {
        // One value must be left over to confirm.
        if differences.len() < 2 {
            return None;
        }
        leading.push(differences[0]);
        differences = differences.windows(2).map(|w| w[1] - w[0]).collect();
        if differences.iter().all(|&d| d == 0) {
            debug_assert_eq!(leading.len(), degree + 1);
            return Some(from_differences(first, &leading, 1, 0));
        }
    }
    None
}

/// A polynomial plus c·(n mod 2). The differences of n mod 2 are ±1, ∓2, ±4, …, so the difference of
/// order d + 1 tells c once the polynomial of order d is gone.
fn fit_alternating(first: u64, values: &[i128]) -> Option<Param> {
    for degree in 0..=2usize {
        if values.len() < degree + 4 {
            return None;
        }
        let difference = forward_difference(values, degree + 1);
        let unit = if first.is_multiple_of(2) { 1 } else { -1 } * (-2i128).pow(degree as u32);
        let common = gcd(difference, unit);
        if difference == 0 {
            continue;
        }
        let (odd, scale) = (difference / common * unit.signum(), unit.abs() / common);
        let smooth: Vec<i128> =
            (first..).zip(values).map(|(n, v)| v * scale - odd * i128::from(n % 2)).collect();
        let mut differences = smooth;
        let mut leading = Vec::new();
        for _ in 0..=degree {
            leading.push(differences[0]);
            differences = differences.windows(2).map(|w| w[1] - w[0]).collect();
        }
        if differences.iter().all(|&d| d == 0) {
            return Some(from_differences(first, &leading, scale, odd));
        }
    }
    None
}

/// A logarithm. Two levels make a line and the third confirms it, so `levels` should be 3 unless
/// values are still missing.
fn fit_log(first: u64, values: &[i128], levels: i128) -> Option<Param> {
    [0, -1, 1].into_iter().find_map(|shift| {
        let logs: Vec<i128> = (i128::from(first)..)
            .zip(values)
            .map(|(n, _)| floor_log(n + shift))
            .collect::<Option<_>>()?;
        let (low, high) = (*logs.first()?, *logs.last()?);
        if high - low + 1 < levels {
            return None;
        }
        let step = logs.iter().position(|&l| l > low);
        let scale = step.map_or(0, |step| values[step] - values[0]);
        let offset = values[0] - scale * low;
        let fits = logs.iter().zip(values).all(|(&l, &v)| scale * l + offset == v);
        fits.then_some(Param::FloorLog { scale, shift, offset })
    })
}

/// The polynomial with these leading differences at `first`, divided by `scale`.
fn from_differences(first: u64, leading: &[i128], scale: i128, odd: i128) -> Param {
    let factorial: i128 = (1..leading.len() as i128).product();
    let mut numerators = vec![0; leading.len()];
    // (n − first)(n − first − 1)…, and what is left of the factorial below it.
    let mut falling = vec![1i128];
    let mut rest = factorial;
    for (k, &difference) in leading.iter().enumerate() {
        for (to, &from) in numerators.iter_mut().zip(&falling) {
            *to += difference * rest * from;
        }
        let root = i128::from(first) + k as i128;
        let mut next = vec![0; falling.len() + 1];
        for (i, &c) in falling.iter().enumerate() {
            next[i + 1] += c;
            next[i] -= c * root;
        }
        falling = next;
        rest /= k as i128 + 1;
    }
    Param::polynomial(numerators, odd * factorial, scale * factorial)
}

fn forward_difference(values: &[i128], order: usize) -> i128 {
    let mut differences = values[..=order].to_vec();
    for _ in 0..order {
        differences = differences.windows(2).map(|w| w[1] - w[0]).collect();
    }
    differences[0]
}

fn floor_log(n: i128) -> Option<i128> {
    (n > 0).then(|| i128::from(n.ilog2()))
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Param::Polynomial { numerators, odd, denominator } => {
                // (n + n mod 2 + 2c) / 2 and its like are read more easily as ⌊n/2⌋ + c.
                if *denominator == 2
                    && numerators.len() == 2
                    && numerators[1].rem_euclid(2) == 1
                    && odd.abs() == 1
                    && (numerators[0] % 2 == 0)
                {
                    return show_half(f, numerators[1], *odd, numerators[0] / 2);
                }
                let mut terms = Vec::new();
                for (power, &c) in numerators.iter().enumerate().rev() {
                    if c != 0 {
                        let name = match power {
                            0 => String::new(),
                            1 => "n".to_owned(),
                            _ => format!("n^{power}"),
                        };
                        terms.push((c, name));
                    }
                }
                if *odd != 0 {
                    terms.push((*odd, "(n mod 2)".to_owned()));
                }
                show_sum(f, &terms, *denominator)
            }
            Param::FloorLog { scale, shift, offset } => {
                let inside = match shift {
                    0 => "n".to_owned(),
                    s => format!("n{s:+}"),
                };
                let terms = [(*scale, format!("floor(log2({inside}))")), (*offset, String::new())];
                let terms: Vec<_> = terms.into_iter().filter(|t| t.0 != 0).collect();
                show_sum(f, &terms, 1)
            }
        }
    }
}

/// `slope·n/2 ± (n mod 2)/2 + offset` with an odd slope: whole multiples of n and one half.
fn show_half(f: &mut fmt::Formatter<'_>, slope: i128, odd: i128, offset: i128) -> fmt::Result {
    let half = if odd < 0 { "floor(n/2)" } else { "floor((n+1)/2)" };
    let whole = (slope - 1) / 2;
    let mut terms = vec![(whole, "n".to_owned()), (1, half.to_owned()), (offset, String::new())];
    terms.retain(|t| t.0 != 0);
    show_sum(f, &terms, 1)
}

fn show_sum(
    f: &mut fmt::Formatter<'_>,
    terms: &[(i128, String)],
    denominator: i128,
) -> fmt::Result {
    if terms.is_empty() {
        return f.write_str("0");
    }
    for (i, (c, name)) in terms.iter().enumerate() {
        let sign = match (c.signum(), i) {
            (-1, _) => "-",
            (_, 0) => "",
            _ => "+",
        };
        let common = gcd(*c, denominator);
        let (over, under) = (c.abs() / common, denominator / common);
        let number = if under == 1 { over.to_string() } else { format!("{over}/{under}") };
        match (number.as_str(), name.is_empty()) {
            ("1", false) => write!(f, "{sign}{name}")?,
            (_, false) => write!(f, "{sign}{number}*{name}")?,
            (_, true) => write!(f, "{sign}{number}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(first: u64, count: u64, f: impl Fn(i64) -> i64) -> Vec<i64> {
        (first..first + count).map(|n| f(n as i64)).collect()
    }

    fn shown(first: u64, values: &[i64]) -> Option<String> {
        Param::fit(first, values).map(|p| p.to_string())
    }

    #[test]
    fn known_forms_are_shown_as_people_write_them() {
        let show = |f: fn(i64) -> i64| shown(3, &table(3, 8, f)).unwrap();
        assert_eq!(show(|_| -4), "-4");
        assert_eq!(show(|n| 2 * n - 1), "2*n-1");
        assert_eq!(show(|n| 5 - n), "-n+5");
        assert_eq!(show(|n| n * n - n - 1), "n^2-n-1");
        assert_eq!(show(|n| n / 2), "floor(n/2)");
        assert_eq!(show(|n| (n + 1) / 2 - 3), "floor((n+1)/2)-3");
        assert_eq!(show(|n| n + n / 2), "n+floor(n/2)");
        assert_eq!(show(|n| n % 2), "(n mod 2)");
        assert_eq!(show(|n| n * n / 4), "1/4*n^2-1/4*(n mod 2)");
        assert_eq!(show(|n| i64::from(n.ilog2())), "floor(log2(n))");
        assert_eq!(show(|n| 2 * i64::from((n - 1).ilog2()) + 1), "2*floor(log2(n-1))+1");
    }

    #[test]
    fn nothing_is_taken_that_no_further_size_confirms() {
        assert_eq!(Param::fit(2, &[7]), None);
        assert_eq!(Param::fit(2, &[7, 8]), None);
        assert_eq!(Param::fit(2, &[1, 4, 9]), None);
        assert!(Param::fit(2, &[1, 4, 9, 16]).is_some());
        // Short stretches of ⌊n/2⌋ and ⌊lg n⌋ that are on no line are left alone.
        assert_eq!(Param::fit(3, &[1, 2, 2]), None);
        assert_eq!(Param::fit(3, &[1, 2, 2, 3]), None);
        assert_eq!(Param::fit(3, &[1, 2, 2, 2, 2]), None);
    }

    #[test]
    fn powers_of_two_are_refused_at_any_length() {
        for count in 2..12 {
            assert_eq!(Param::fit(1, &table(1, count, |n| 1 << n)), None, "{count}");
        }
    }

    proptest! {
        #[test]
        fn polynomials_are_recovered_and_extrapolate(
            first in 0u64..10,
            coefficients in prop::collection::vec(-9i64..10, 1..5),
            extra in 1u64..4,
        ) {
            let f = |n: i64| coefficients.iter().rev().fold(0, |sum, c| sum * n + c);
            let values = table(first, coefficients.len() as u64 + extra, f);
            let fitted = Param::fit(first, &values).expect("a polynomial fits itself");
            prop_assert_eq!(fitted.at(1000), Some(f(1000)));
        }

        #[test]
        fn halves_are_recovered_and_extrapolate(
            first in 0u64..10, slope in -9i64..10, offset in -9i64..10, add in 0i64..2,
        ) {
            let f = |n: i64| slope * n + (n + add).div_euclid(2) + offset;
            let fitted = Param::fit(first, &table(first, 6, f)).expect("halves fit");
            for n in [100, 101, 5000] {
                prop_assert_eq!(fitted.at(n), Some(f(n as i64)));
            }
        }

        #[test]
        fn a_fit_meets_every_value_it_was_given(
            first in 0u64..10, values in prop::collection::vec(-3i64..4, 1..8),
        ) {
            if let Some(fitted) = Param::fit(first, &values) {
                for (n, &v) in (first..).zip(&values) {
                    prop_assert_eq!(fitted.at(n), Some(v));
                }
            }
        }
    }
}
