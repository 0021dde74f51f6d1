//! The functions of n that closed formulas are made of, and their rational combinations.

use std::collections::BTreeMap;
use std::fmt;

use crate::class::Class;
use crate::rational::Rational;

/// An integer-valued function of the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Term {
    /// n^k.
    Power(u32),
    /// n^k · \[n mod m = r\]. For m = 2 it is n^k · (n mod 2).
    Residue { k: u32, m: u32, r: u32 },
    /// n^k · ⌊n/m⌋.
    FloorDiv { k: u32, m: u32 },
    /// n^k · ⌊lg(n + shift)⌋.
    FloorLg { k: u32, shift: i8 },
    /// 2^⌊lg(n + shift)⌋.
    PowerOfTwoBelow { shift: i8 },
    /// 2^⌈lg n⌉.
    PowerOfTwoAbove,
    /// n^k · ⌊√n⌋.
    FloorSqrt { k: u32 },
    /// n^k · base^n.
    Exp { k: u32, base: u32 },
    /// (n − back)!.
    Factorial { back: u32 },
    /// n^k · Σ_{j<n} (n−1)!/j!: the nodes of the tree of all tours from a fixed city.
    TourNodes { k: u32 },
    /// 1! + 2! + … + n!.
    FactorialSum,
}

impl Term {
    /// The value at `n`; `None` where undefined (lg 0) or beyond `i128`.
    pub(crate) fn at(self, n: u64) -> Option<i128> {
        let wide = i128::from(n);
        let times_power = |k: u32, x: i128| wide.checked_pow(k)?.checked_mul(x);
        match self {
            Term::Power(k) => wide.checked_pow(k),
            Term::Residue { k, m, r } => {
                if n % u64::from(m) == u64::from(r) {
                    wide.checked_pow(k)
                } else {
                    Some(0)
                }
            }
            Term::FloorDiv { k, m } => times_power(k, wide / i128::from(m)),
            Term::FloorLg { k, shift } => times_power(k, floor_lg(n, shift)?.into()),
            Term::PowerOfTwoBelow { shift } => Some(1i128 << floor_lg(n, shift)?),
            Term::PowerOfTwoAbove => n.checked_next_power_of_two().map(i128::from),
            Term::FloorSqrt { k } => times_power(k, n.isqrt().into()),
            Term::Exp { k, base } => {
                times_power(k, i128::from(base).checked_pow(u32::try_from(n).ok()?)?)
            }
            Term::Factorial { back } => factorial(n.checked_sub(back.into())?),
            Term::TourNodes { k } => {
                // f(1) = 1, f(n) = (n − 1)·f(n − 1) + 1.
                bounded(n)?;
                let nodes = (1..n).try_fold(1i128, |f, i| f.checked_mul(i.into())?.checked_add(1));
                times_power(k, if n == 0 { 0 } else { nodes? })
            }
            Term::FactorialSum => {
                bounded(n)?;
                (1..=n).try_fold(0i128, |sum, i| sum.checked_add(factorial(i)?))
            }
        }
    }

    /// How many different values of its step function these sizes, in order, show; all there are for a
    /// term without one.
    pub(crate) fn levels(self, sizes: impl Iterator<Item = u64>) -> usize {
        let level = |n: u64| match self {
            Term::FloorDiv { m, .. } => Some(n / u64::from(m)),
            Term::FloorLg { shift, .. } | Term::PowerOfTwoBelow { shift } => {
                floor_lg(n, shift).map(u64::from)
            }
            Term::PowerOfTwoAbove => n.checked_next_power_of_two(),
            Term::FloorSqrt { .. } => Some(n.isqrt()),
            _ => Some(n),
        };
        let mut levels: Vec<Option<u64>> = sizes.map(level).collect();
        levels.dedup();
        levels.len()
    }

    /// Growth, and the factor in front of it where the term is asymptotically a multiple of it
    /// (`None`: it swings, so nothing can cancel it).
    fn growth(self) -> (Class, Option<Rational>) {
        let one = Some(Rational::whole(1));
        match self {
            Term::Power(k) => (Class::power(k.into()), one),
            Term::Residue { k, .. } => (Class::power(k.into()), None),
            Term::FloorDiv { k, m } => {
                (Class::power(f64::from(k) + 1.0), Rational::new(1, m.into()))
            }
            Term::FloorLg { k: 0, .. } => (Class::Log, one),
            Term::FloorLg { k: 1, .. } => (Class::NLogN, one),
            Term::FloorLg { .. } => (Class::N2LogN, one),
            Term::PowerOfTwoBelow { .. } | Term::PowerOfTwoAbove => (Class::Linear, None),
            Term::FloorSqrt { k } => (Class::power(f64::from(k) + 0.5), one),
            Term::Exp { base, .. } => (Class::exponential(base.into()), None),
            Term::Factorial { .. } | Term::TourNodes { .. } | Term::FactorialSum => {
                (Class::Factorial, None)
            }
        }
    }
}

/// Beyond 34 no factorial fits in `i128`, so no sum over them need be started.
fn bounded(n: u64) -> Option<()> {
    (n <= 40).then_some(())
}

fn factorial(n: u64) -> Option<i128> {
    bounded(n)?;
    (1..=n).try_fold(1i128, |f, i| f.checked_mul(i.into()))
}

fn floor_lg(n: u64, shift: i8) -> Option<u32> {
    n.checked_add_signed(shift.into())?.checked_ilog2()
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = |k: u32| match k {
            0 => String::new(),
            1 => "n*".into(),
            k => format!("n^{k}*"),
        };
        let arg = |shift: i8| match shift {
            0 => "n".into(),
            s => format!("n{s:+}"),
        };
        match *self {
            Term::Power(0) => f.write_str("1"),
            Term::Power(1) => f.write_str("n"),
            Term::Power(k) => write!(f, "n^{k}"),
            Term::Residue { k, m: 2, r: 1 } => write!(f, "{}(n mod 2)", power(k)),
            Term::Residue { k, m, r } => write!(f, "{}[n mod {m} = {r}]", power(k)),
            Term::FloorDiv { k, m } => write!(f, "{}floor(n/{m})", power(k)),
            Term::FloorLg { k, shift } => write!(f, "{}floor(log2({}))", power(k), arg(shift)),
            Term::PowerOfTwoBelow { shift } => write!(f, "2^floor(log2({}))", arg(shift)),
            Term::PowerOfTwoAbove => f.write_str("2^ceil(log2(n))"),
            Term::FloorSqrt { k } => write!(f, "{}floor(sqrt(n))", power(k)),
            Term::Exp { k, base } => write!(f, "{}{base}^n", power(k)),
            Term::Factorial { back: 0 } => f.write_str("n!"),
            Term::Factorial { back } => write!(f, "(n-{back})!"),
            Term::TourNodes { k } => write!(f, "{}sum((n-1)!/j!, j=0..n-1)", power(k)),
            Term::FactorialSum => f.write_str("sum(j!, j=1..n)"),
        }
    }
}

/// A rational combination of simple functions of n, the fastest growing first. No coefficient is zero,
/// so two that are made of the same functions are equal if they have the same values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Combination {
    parts: Vec<(Rational, Term)>,
}

impl Combination {
    pub(crate) fn new(coefficients: &[Rational], terms: &[Term]) -> Combination {
        let mut parts: Vec<_> = coefficients
            .iter()
            .copied()
            .zip(terms.iter().copied())
            .filter(|(c, _)| !c.is_zero())
            .collect();
        parts.sort_by_key(|p| std::cmp::Reverse(p.1.growth().0));
        Combination { parts }
    }

    /// The polynomial with these coefficients, that of n^0 first.
    ///
    /// ```
    /// use pessimum_law::{Combination, Rational};
    /// let line = Combination::polynomial(&[Rational::whole(1), Rational::whole(2)]);
    /// assert_eq!(line.to_string(), "2*n + 1");
    /// assert_eq!(line.at(10), Some(Rational::whole(21)));
    /// ```
    pub fn polynomial(coefficients: &[Rational]) -> Combination {
        let powers: Vec<Term> = (0..).map(Term::Power).take(coefficients.len()).collect();
        Combination::new(coefficients, &powers)
    }

    /// The coefficient of n^k.
    pub fn coefficient(&self, k: u32) -> Rational {
        let own = self.parts.iter().find(|(_, term)| *term == Term::Power(k));
        own.map_or(Rational::ZERO, |(c, _)| *c)
    }

    /// The part of the sum that is made of these terms.
    pub(crate) fn of_terms(&self, keep: impl Fn(Term) -> bool) -> Combination {
        Combination { parts: self.parts.iter().copied().filter(|(_, term)| keep(*term)).collect() }
    }

    /// All coefficients.
    pub(crate) fn coefficients(&self) -> Vec<Rational> {
        self.parts.iter().map(|(c, _)| *c).collect()
    }

    /// The exact value, when every step of it fits.
    pub fn at(&self, n: u64) -> Option<Rational> {
        self.parts.iter().try_fold(Rational::ZERO, |sum, &(c, t)| {
            sum.checked_add(c.checked_mul(Rational::whole(t.at(n)?))?)
        })
    }

    /// The class of the sum: the greatest growth whose parts do not cancel.
    pub(crate) fn class(&self) -> Class {
        self.leading().map_or(Class::Constant, |(class, _)| class)
    }

    /// The m of every n mod m and ⌊n/m⌋ in it.
    pub(crate) fn moduli(&self) -> Vec<u32> {
        let modulus = |&(_, term): &(Rational, Term)| match term {
            Term::Residue { m, .. } | Term::FloorDiv { m, .. } => Some(m),
            _ => None,
        };
        self.parts.iter().filter_map(modulus).collect()
    }

    /// The leading growth and the factor in front of it, if it is a plain multiple.
    fn leading(&self) -> Option<(Class, Option<Rational>)> {
        let mut leading: BTreeMap<Class, Option<Rational>> = BTreeMap::new();
        for &(c, term) in &self.parts {
            let (class, factor) = term.growth();
            let entry = leading.entry(class).or_insert(Some(Rational::ZERO));
            *entry = match (*entry, factor) {
                (Some(sum), Some(factor)) => c.checked_mul(factor).and_then(|x| sum.checked_add(x)),
                _ => None,
            };
            // n^k·⌊n/m⌋ swings around n^(k+1)/m by up to n^k: n² − 2n⌊n/2⌋ is not constant.
            if let Term::FloorDiv { k, .. } = term {
                leading.insert(Class::power(k.into()), None);
            }
        }
        leading.into_iter().rev().find(|(_, sum)| sum.is_none_or(|s| !s.is_zero()))
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parts.is_empty() {
            return f.write_str("0");
        }
        for (i, &(c, term)) in self.parts.iter().enumerate() {
            let negative = c.numerator() < 0;
            match (i, negative) {
                (0, true) => f.write_str("-")?,
                (0, false) => {}
                (_, true) => f.write_str(" - ")?,
                (_, false) => f.write_str(" + ")?,
            }
            let size = if negative {
                // Reconstruction keeps numerators far from the one that has no negative.
                Rational::whole(-1).checked_mul(c).unwrap_or(c)
            } else {
                c
            };
            match (term, size == Rational::whole(1)) {
                (Term::Power(0), _) => write!(f, "{size}")?,
                (_, true) => write!(f, "{term}")?,
                (_, false) => write!(f, "{size}*{term}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_their_values() {
        let at = |t: Term, ns: &[u64]| ns.iter().map(|&n| t.at(n)).collect::<Vec<_>>();
        let some = |xs: &[i128]| xs.iter().map(|&x| Some(x)).collect::<Vec<_>>();
        let lg = Term::FloorLg { k: 0, shift: 0 };
        assert_eq!(at(lg, &[1, 2, 3, 4, 255, 256]), some(&[0, 1, 1, 2, 7, 8]));
        assert_eq!(lg.at(0), None);
        assert_eq!(Term::FloorLg { k: 0, shift: -1 }.at(1), None);
        assert_eq!(at(Term::TourNodes { k: 0 }, &[0, 1, 2, 3, 4, 5]), some(&[0, 1, 2, 5, 16, 65]));
        assert_eq!(at(Term::FactorialSum, &[1, 2, 3, 4]), some(&[1, 3, 9, 33]));
        assert_eq!(at(Term::Factorial { back: 1 }, &[1, 2, 5]), some(&[1, 1, 24]));
        assert_eq!(Term::Factorial { back: 1 }.at(0), None);
        assert_eq!(Term::Factorial { back: 0 }.at(u64::MAX), None);
        assert_eq!(Term::Exp { k: 1, base: 2 }.at(u64::MAX), None);
        assert_eq!(Term::Power(6).at(u64::MAX), None);
    }

    #[test]
    fn sums_are_written_as_people_write_them() {
        let half = Rational::new(1, 2).unwrap();
        let minus_half = Rational::new(-1, 2).unwrap();
        let c = Combination::new(&[minus_half, half], &[Term::Power(1), Term::Power(2)]);
        assert_eq!(c.to_string(), "1/2*n^2 - 1/2*n");
        assert_eq!(c.class(), Class::Quadratic);
        assert_eq!(c.at(5), Some(Rational::whole(10)));
        assert_eq!(Combination::new(&[], &[]).to_string(), "0");
    }

    #[test]
    fn what_cancels_does_not_count() {
        let whole = |x| Rational::whole(x);
        let terms = [Term::Power(1), Term::FloorDiv { k: 0, m: 2 }, Term::Power(0)];
        let swing = Combination::new(&[whole(1), whole(-2), whole(3)], &terms);
        assert_eq!(swing.class(), Class::Constant);
        let grows = Combination::new(&[whole(1), whole(-1), whole(3)], &terms);
        assert_eq!(grows.class(), Class::Linear);
        let terms = [Term::Power(2), Term::FloorDiv { k: 1, m: 2 }];
        let odd = Combination::new(&[whole(1), whole(-2)], &terms);
        assert_eq!(odd.class(), Class::Linear);
    }
}
